"""Where the scores of a report come from: rows scored now, or the score columns that a frame has already."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import ColumnNotFoundError, ColumnTypeError, UnknownOptionError, is_choice, require_flag
from qa_frame.frames.kinds import Source
from qa_frame.frames.names import require_column, require_prefix, score_label
from qa_frame.frames.provenance import own_scores, recall_scoring
from qa_frame.frames.text_columns import TextColumns
from qa_frame.rules.parts import Convention
from qa_frame.scoring.metrics import METRICS, STATISTICS
from qa_frame.scoring.pair_metrics import PairMetric
from qa_frame.scoring.pipeline import score_with_doubts
from qa_frame.scoring.plan import (
    Metrics,
    Missing,
    Plan,
    as_items,
    list_metrics,
    make_plan,
    own_metrics,
    require_metric,
)
from qa_frame.scoring.predictions import extract_predictions, prepare_predictions
from qa_frame.scoring.reduction import Reduction
from qa_frame.stats.exact_sums import LIMIT
from qa_frame.stats.figures import POOLED
from qa_frame.stats.rows import ScoredRows, is_any_scored
from qa_frame.text.extraction import Extract, steps_from_notes


@dataclass(frozen=True, slots=True)
class Scoring:
    """The arguments that say where scores come from. They always travel together, and are checked once.

    Attributes
    ----------
    pred, gold
        The columns to score now, or those that the frame's own score columns were made from. Both None where the latter
        are not given.
    plan
        By which rules they are scored.
    metrics
        Those asked for; None for all that are there.
    pooled
        The figures asked for that are pooled from statistics; None for those that every summary has.
    prefix
        What stands in front of the names of score columns and statistics.
    reuses_scores
        Whether the frame's own score columns are used though `pred` and `gold` are given, which then are counted alone.
    own
        Those of the metrics asked for that are the user's own.
    """

    pred: Hashable | None
    gold: Hashable | None
    plan: Plan
    metrics: tuple[str, ...] | None
    pooled: tuple[str, ...] | None
    prefix: str
    reuses_scores: bool = False
    own: tuple[str, ...] = ()

    @property
    def wanted(self) -> tuple[str, ...] | None:
        """All figures asked for, where some of them are pooled from statistics."""
        return (*(self.metrics or ()), *self.pooled) if self.pooled else None

    @property
    def is_now(self) -> bool:
        """Whether the rows are scored now."""
        return self.pred is not None and not self.reuses_scores

    def texts_of(self, source: Source) -> TextColumns:
        """The columns of predictions and golds; both must be given."""
        assert self.pred is not None
        assert self.gold is not None
        return source.texts(pred=self.pred, gold=self.gold, spans=self.plan.convention.spans)

    @property
    def names(self) -> list[str]:
        """The names that its columns of scores and statistics may have."""
        return [self.prefix + name for name in (*METRICS, *STATISTICS, *self.own)]


def make_scoring(
    *,
    pred: Hashable | None,
    gold: Hashable | None,
    metrics: Metrics,
    convention: str | Convention,
    reduce: Reduction | None,
    best_by: str | None = None,
    missing: Missing,
    extract: Extract = None,
    prefix: str = "",
    takes_pooled: bool = False,
    adds_pooled: bool = False,
    reuse_scores: bool = False,
    source: Source | None = None,
) -> Scoring:
    """Check the arguments; a wrong one raises UnknownOptionError.

    Parameters
    ----------
    takes_pooled
        Whether `metrics` may name figures that are pooled from statistics, too.
    adds_pooled
        Whether those that every summary has are asked for where `metrics` names none of them.
    source
        The frame, where it is known: `metrics` may name scores in it that are of the user's own metrics.
    """
    require_prefix(prefix)
    require_both(pred, gold)
    require_flag("reuse_scores", reuse_scores)
    if reuse_scores and pred is None:
        raise UnknownOptionError(
            "reuse_scores=True counts the rows of pred and gold, which are not given; give both, or leave it out"
        )
    metrics = as_items(metrics)
    is_now = pred is not None and not reuse_scores
    in_frame = () if source is None or is_now else (*_own_names(source.notes, prefix),)
    others = (*in_frame, *(POOLED if takes_pooled else ()))
    names = None if metrics is None else list_metrics(metrics, others=others)
    means = None if names is None else tuple(name for name in names if name not in POOLED)
    pooled = None if names is None or not takes_pooled else tuple(name for name in names if name in POOLED)
    pooled = pooled or None if adds_pooled else pooled
    own = own_metrics(metrics) if is_now else ()
    scored = {name: name for name in METRICS} | {metric.name: metric for metric in own}
    wanted = "all" if is_choice(metrics, ("all",)) else tuple(scored[name] for name in means or () if name in scored)
    plan = make_plan(wanted or None, convention, reduce, missing, best_by=best_by, extract=extract, stats=True)
    own_names = tuple(name for name in means or () if name not in METRICS)
    return Scoring(pred, gold, plan, means, pooled, prefix, bool(reuse_scores), own_names)


def require_one_metric(metric: object, source: Source, prefix: str) -> None:
    """Raise UnknownOptionError unless it is a metric that is there, or one of the user's own."""
    if not isinstance(metric, PairMetric):
        require_metric("metric", metric, (*METRICS, *_own_names(source.notes, prefix)))


def _own_names(notes: Mapping[str, Any], prefix: str) -> list[str]:
    """The user's own metrics of which the frame has scores with this prefix."""
    return [metric for column, metric in own_scores(notes).items() if column == prefix + metric]


def require_both(pred: Hashable | None, gold: Hashable | None) -> None:
    """Raise UnknownOptionError if one of them is given without the other."""
    if (pred is None) != (gold is None):
        given, lacking = ("gold", "pred") if pred is None else ("pred", "gold")
        raise UnknownOptionError(f"{given} is given without {lacking}; give both to score the rows first, or neither")


def read_rows(
    source: Source, frame: pd.DataFrame, scoring: Scoring, *, n_jobs: int = 1, progress: bool | None = False
) -> ScoredRows:
    """Return the rows of a frame with their scores and statistics.

    Parameters
    ----------
    source
        The frame as the caller gave it, for its text columns.
    frame
        The same in pandas: its score columns and statistics.
    n_jobs, progress
        As of `score_columns`, where rows are scored. The user's own metrics have a bar even where there is none.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError
        Where a score column that is asked for is not there, or holds something else.
    UnknownOptionError
        Where rules are asked for that the frame's scores were not made by.
    """
    if not scoring.is_now:
        known = scoring.pred is not None
        texts = scoring.texts_of(source) if known else None
        answers = None if texts is None else extract_predictions(texts, scoring.plan.extract)
        return read_scored(source, frame, scoring, columns=answers)
    columns = prepare_predictions(scoring.texts_of(source), scoring.plan)
    wanted = scoring.plan if scoring.pooled is None or scoring.pooled else replace(scoring.plan, stats=False)
    progress = None if wanted.own and progress is False else progress
    found, doubts = score_with_doubts(columns, wanted, n_jobs=n_jobs, progress=progress)
    scores = {name: found[name] for name in wanted.metrics}
    statistics = {name: found[name] for name in wanted.statistics}
    rows = _make_rows(scores, scores, statistics, columns, scoring.plan.signature)
    return replace(rows, wanted=scoring.wanted, doubts=doubts)


def read_scored(source: Source, frame: pd.DataFrame, scoring: Scoring, *, columns: TextColumns | None) -> ScoredRows:
    """Return the rows of a frame that was scored before.

    columns: what they were scored from, None where the frame may remember it.
    """
    own = (*scoring.own, *_own_names(source.notes, scoring.prefix))
    every = existing_scores(frame, scoring.prefix, own=own, reuses_scores=scoring.reuses_scores)
    scores = {name: _required_scores(frame, every, name, scoring.prefix) for name in scoring.metrics or every}
    has_score = is_any_scored(every, len(frame))
    statistics = existing_statistics(frame, scoring.prefix, has_score)
    scored = [scoring.prefix + metric for metric in scores]

    def read(pred: Hashable, gold: Hashable, extraction: list[Any]) -> TextColumns:
        return extract_predictions(source.texts(pred=pred, gold=gold, spans=True), steps_from_notes(extraction))

    remembered, signature = recall_scoring(source.notes, scored, read)
    _refuse_unused(scoring, signature)
    rows = _make_rows(scores, every, statistics, remembered if columns is None else columns, signature)
    return replace(rows, wanted=scoring.wanted)


def _make_rows(
    scores: Mapping[str, Floats],
    every: Mapping[str, Floats],
    statistics: Mapping[str, Ints],
    columns: TextColumns | None,
    signature: str | None,
) -> ScoredRows:
    n_rows = len(next(iter(scores.values())))
    is_scored = is_any_scored(scores, n_rows)
    rows = ScoredRows(n_rows, scores, statistics, is_any_scored(every, n_rows), signature=signature)
    if columns is None:
        return rows
    return replace(
        rows,
        is_missing=columns.is_missing,
        is_not_extracted=columns.is_not_extracted,
        # A convention may score rows without golds; those are not counted as such.
        has_no_gold=(columns.n_golds == 0) & ~is_scored,
        golds=columns.golds,
    )


def _refuse_unused(scoring: Scoring, signature: str | None) -> None:
    """Raise UnknownOptionError if rules are asked for that a scored frame was not scored by."""
    # Where scores are reused, `extract` says what to count, and needs no scores that are known to be made so.
    rules = replace(scoring.plan, extract=()) if scoring.reuses_scores else scoring.plan
    without_own = None if signature is None else signature.partition("|metric:")[0]
    if not rules.is_default and scoring.plan.signature != without_own:
        arguments, remedy = "convention, reduce, missing and extract", "give pred and gold, or leave them out"
        if scoring.reuses_scores:
            arguments, remedy = "convention, reduce and missing", "leave out reuse_scores to score them, or these"
        raise UnknownOptionError(
            f"{arguments} are of use where rows are scored: {remedy}. The scores here were made by "
            f"{signature or 'rules that are not known'}"
        )


# ---------------------------------------------------------------------------------------------- columns of an old score


def existing_scores(
    frame: pd.DataFrame, prefix: str, *, own: tuple[str, ...] = (), reuses_scores: bool = False
) -> dict[str, Floats]:
    """Return the score columns of a frame, without their prefix, in their order.

    Parameters
    ----------
    own
        The user's own metrics, of which there may be scores.
    reuses_scores
        Whether pred and gold are given beside them, for the remedy where there are none.
    """
    labels: dict[Hashable, str] = {score_label(prefix + metric, frame.columns): metric for metric in (*METRICS, *own)}
    found = [label for label in dict.fromkeys(frame.columns) if label in labels]
    for label in found:
        require_column(label, list(frame.columns), "metrics")
    read = {labels[label]: _as_scores(frame[label]) for label in found}
    scores = {metric: values for metric, values in read.items() if values is not None}
    if not scores:
        remedy = "leave out reuse_scores" if reuses_scores else "give summary the columns: pred=..., gold=..."
        raise ColumnNotFoundError(
            f"the frame has no score column with prefix={prefix!r}; score it first with df.qa.score(pred, gold), or "
            f"{remedy}. Columns: {list(frame.columns)}"
        )
    return scores


def _required_scores(frame: pd.DataFrame, every: Mapping[str, Floats], metric: str, prefix: str) -> Floats:
    """A metric's scores; ColumnNotFoundError where there are none, ColumnTypeError where its column has no numbers."""
    if metric in every:
        return every[metric]
    label = score_label(prefix + metric, frame.columns)
    require_column(label, list(frame.columns), "metrics")
    raise _not_scores(frame[label])


def existing_statistics(frame: pd.DataFrame, prefix: str, has_score: Flags) -> dict[str, Ints]:
    """Return the statistics in a frame, of those figures for which all are there."""
    statistics: dict[str, Ints] = {}
    for figure in POOLED.values():
        labels = {name: score_label(prefix + name, frame.columns) for name in figure.statistics}
        if not all(label in frame.columns for label in labels.values()):
            continue
        for name, label in labels.items():
            require_column(label, list(frame.columns), "stats")
            statistics[name] = _as_counts(frame[label], has_score)
    return statistics


def _as_scores(column: pd.Series[Any]) -> Floats | None:
    """A column as floats, NaN for null; None where it holds something else."""
    if column.dtype.kind == "c":  # numpy would leave out the imaginary part
        raise _not_scores(column)
    if _is_text(column):
        return None
    try:
        return column.to_numpy(np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        return None


def _not_scores(column: pd.Series[Any]) -> ColumnTypeError:
    return ColumnTypeError(f"the column {column.name!r} holds {column.dtype}, not scores; drop or rename it")


def _is_text(column: pd.Series[Any]) -> bool:
    """Whether it is text, which would be taken for numbers where it reads as such."""
    if column.dtype == object:
        return pd.api.types.infer_dtype(column, skipna=True) in {"string", "bytes", "mixed"}
    return bool(pd.api.types.is_string_dtype(column.dtype))


def _as_counts(column: pd.Series[Any], has_score: Flags) -> Ints:
    """A column of statistics as int64. A null counts nothing, and is an error in a row that is scored."""
    if column.dtype == np.int64:
        counts = column.to_numpy()
    else:
        values = _as_scores(column)
        if values is None:
            raise _not_scores(column)
        n_null = int((np.isnan(values) & has_score).sum())
        if n_null:
            raise ColumnTypeError(
                f"the statistics {column.name!r} are null in {n_null} scored rows; score all rows with stats=True, or "
                "drop the statistics"
            )
        values = np.nan_to_num(values, nan=0.0, posinf=-1.0, neginf=-1.0)
        counts = np.where(values == np.trunc(values), values, -1.0).astype(np.int64)
    if counts.min(initial=0) < 0 or counts.max(initial=0) >= LIMIT:
        raise ColumnTypeError(f"the column {column.name!r} holds other than counts of tokens; drop or rename it")
    return counts


def require_pooled(rows: ScoredRows, wanted: Sequence[str]) -> None:
    """Raise ColumnNotFoundError unless the statistics of all `wanted` figures are there."""
    for name in wanted:
        if name not in rows.figures:
            raise ColumnNotFoundError(
                f"metrics={name!r} needs the statistics {list(POOLED[name].statistics)}; score the frame first with "
                "df.qa.score(pred, gold, stats=True)"
            )
