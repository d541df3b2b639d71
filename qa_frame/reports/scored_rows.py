"""Where the scores of a report come from: rows scored now, or the score columns that a frame has already."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import (
    ColumnNotFoundError,
    ColumnTypeError,
    MixedScoresWarning,
    UnknownOptionError,
    is_choice,
    require_flag,
    show,
)
from qa_frame.frames.kinds import Source
from qa_frame.frames.names import require_column, require_prefix, score_label
from qa_frame.frames.number_columns import as_floats, not_numbers
from qa_frame.frames.provenance import own_scores, recall_scoring
from qa_frame.frames.text_columns import TextColumns
from qa_frame.rules.parts import Convention
from qa_frame.scoring.doubts import NO_DOUBTS, Doubts
from qa_frame.scoring.metrics import METRICS, STATISTICS
from qa_frame.scoring.pair_metrics import COLUMNS_OF_SUMMARIES, PairMetric
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
from qa_frame.stats.grouping import ALL, KeyCodes
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
        The scores asked for, in this order; None for all that are there.
    pooled
        The figures asked for that are pooled from statistics; None for those that every summary has.
    prefix
        What stands in front of the names of score columns and statistics.
    reuses_scores
        Whether the frame's own score columns are used though `pred` and `gold` are given, which then are counted alone.
    columns
        Those of `metrics` that are not scored by this package: any columns of numbers of the frame.
    takes_pooled
        Whether figures that are pooled from statistics may be asked for.
    """

    pred: Hashable | None
    gold: Hashable | None
    plan: Plan
    metrics: tuple[str, ...] | None
    pooled: tuple[str, ...] | None
    prefix: str
    reuses_scores: bool = False
    columns: tuple[str, ...] = ()
    takes_pooled: bool = False

    @property
    def named(self) -> tuple[str, ...] | None:
        """All figures that are named; None where none is."""
        return None if self.metrics is None else (*self.metrics, *(self.pooled or ()))

    @property
    def wanted(self) -> tuple[str, ...] | None:
        """The figures to make; None for a mean of each score, and the pooled figures that every summary has."""
        return None if self.pooled is None else self.named

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
        """The names that the columns may have which it reads: of scores and statistics, and those that are named."""
        return [*(self.prefix + name for name in (*METRICS, *STATISTICS, *self.columns)), *self.columns]


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
    reuse_scores: bool = False,
    source: Source | None = None,
) -> Scoring:
    """Check the arguments; a wrong one raises UnknownOptionError.

    Parameters
    ----------
    takes_pooled
        Whether `metrics` may name figures that are pooled from statistics, too. Those that every summary has are asked
        for where it names nothing.
    source
        The frame, where it is known: other names in `metrics` are those of its columns. Where it is not known, that is
        left to `require_columns`.
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
    own = own_metrics(metrics) if is_now else ()
    scored = {name: name for name in METRICS} | {metric.name: metric for metric in own}
    figures = (*POOLED,) if takes_pooled else ()
    texts = (metrics,) if isinstance(metrics, str) else tuple(name for name in metrics or () if isinstance(name, str))
    is_all = is_choice(metrics, ("all",))
    others = () if is_all else tuple(name for name in texts if name != "all" and name not in {*scored, *figures})
    names = None if metrics is None else list_metrics(metrics, others=(*figures, *others))
    means = None if names is None else tuple(name for name in names if name not in figures)
    pooled = tuple(name for name in names or () if name in figures)
    columns = tuple(name for name in means or () if name not in scored)
    wanted = "all" if is_all else tuple(scored[name] for name in means or () if name in scored)
    plan = make_plan(wanted or None, convention, reduce, missing, best_by=best_by, extract=extract, stats=True)
    adds_pooled = takes_pooled and (names is None or is_all)
    pooled_or_all = None if adds_pooled else pooled
    scoring = Scoring(pred, gold, plan, means, pooled_or_all, prefix, bool(reuse_scores), columns, takes_pooled)
    _require_free(columns, means or ())
    if source is not None:
        require_columns(scoring, source)
    return scoring


def _require_free(columns: Sequence[str], means: Sequence[str]) -> None:
    """Raise UnknownOptionError where a summary would have two columns of one name."""
    others = {f"{name}{end}" for name in means for end in ("_lo", "_hi")} | {f"n_scored_{name}" for name in means}
    for name in columns:
        if name in {*COLUMNS_OF_SUMMARIES, *others}:
            raise UnknownOptionError(
                f"metrics={name!r} has the name of another column of summaries; rename it first, as in "
                f"df.rename(columns={{{name!r}: {f'my_{name}'!r}}})"
            )


def require_columns(scoring: Scoring, source: Source) -> None:
    """Raise UnknownOptionError unless the frame has all columns that are named beside metrics."""
    for name in scoring.columns:
        _require_known("metrics", name, source, scoring.prefix, (*POOLED,) if scoring.takes_pooled else ())


def require_one_metric(metric: object, source: Source, prefix: str) -> None:
    """Raise UnknownOptionError unless it is a metric, one of the user's own, or the name of a column."""
    if not isinstance(metric, PairMetric) and not is_choice(metric, METRICS):
        _require_known("metric", metric, source, prefix)


def _require_known(argument: str, name: object, source: Source, prefix: str, others: Sequence[str] = ()) -> None:
    if isinstance(name, str) and name != "all" and _label_of(name, prefix, source.index) is not None:
        return
    require_metric(argument, name, list(dict.fromkeys([*METRICS, *others, *source.number_names])))


def _label_of(name: str, prefix: str, columns: pd.Index) -> Hashable | None:
    """The label of the column that is named: with the prefix, as scores have it, or as it stands; None for none."""
    labels = (score_label(each, columns) for each in (prefix + name, name))
    return next((label for label in labels if label in columns), None)


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
    require_columns(scoring, source)
    columns = prepare_predictions(scoring.texts_of(source), scoring.plan)
    found, doubts = _score_now(columns, scoring, n_jobs=n_jobs, progress=progress)
    named = {name: _named_scores(frame, name, scoring.prefix) for name in scoring.columns}
    made = {name: scores for name, scores in found.items() if name in scoring.plan.metrics}
    statistics = {name: counts for name, counts in found.items() if name in scoring.plan.statistics}
    scores = {name: (made | named)[name] for name in scoring.metrics or made}
    rows = _make_rows(scores, made, statistics, columns, signature=scoring.plan.signature, n_rows=len(frame))
    if not found and scoring.plan.convention.no_answer:  # it would score all rows
        rows = replace(rows, has_no_gold=np.zeros(len(frame), np.bool_))
    return replace(_with_wanted(rows, scoring), doubts=doubts)


def _score_now(
    columns: TextColumns, scoring: Scoring, *, n_jobs: int, progress: bool | None
) -> tuple[Mapping[str, Any], Doubts]:
    """The scores and statistics that are asked for, and none that nothing is made of; and what makes them doubtful."""
    if scoring.wanted is not None and set(scoring.wanted) <= {*scoring.columns}:
        return {}, NO_DOUBTS
    needs_statistics = scoring.pooled is None or bool(scoring.pooled)
    wanted = scoring.plan if needs_statistics else replace(scoring.plan, stats=False)
    progress = None if wanted.own and progress is False else progress
    return score_with_doubts(columns, wanted, n_jobs=n_jobs, progress=progress)


def read_scored(source: Source, frame: pd.DataFrame, scoring: Scoring, *, columns: TextColumns | None) -> ScoredRows:
    """Return the rows of a frame that was scored before.

    columns: what they were scored from, None where the frame may remember it.
    """
    require_columns(scoring, source)
    own = _own_names(source.notes, scoring.prefix)
    every = existing_scores(frame, scoring.prefix, own=tuple(own))
    labels = [score_label(scoring.prefix + name, frame.columns) for name in scoring.metrics or ()]
    if not (every or scoring.columns or any(label in frame.columns for label in labels)):
        raise _no_scores(frame, scoring)
    scores = {name: _required_scores(frame, every, name, scoring.prefix) for name in scoring.metrics or every}
    has_score = is_any_scored(every, len(frame))
    statistics = existing_statistics(frame, scoring.prefix, has_score)
    scored = [scoring.prefix + metric for metric in scores if metric in every]

    def read(pred: Hashable, gold: Hashable, extraction: list[Any]) -> TextColumns:
        return extract_predictions(source.texts(pred=pred, gold=gold, spans=True), steps_from_notes(extraction))

    remembered, signature = recall_scoring(source.notes, scored, read) if scored else (None, None)
    _refuse_unused(scoring, signature)
    known = remembered if columns is None else columns
    rows = _make_rows(scores, every, statistics, known, signature=signature, n_rows=len(frame))
    return _with_wanted(rows, scoring)


def _with_wanted(rows: ScoredRows, scoring: Scoring) -> ScoredRows:
    """The rows with the figures to make of them, for which everything must be there."""
    rows = replace(rows, wanted=scoring.wanted)
    require_pooled(rows, scoring.pooled or ())
    return rows


def _make_rows(
    scores: Mapping[str, Floats],
    every: Mapping[str, Floats],
    statistics: Mapping[str, Ints],
    columns: TextColumns | None,
    *,
    signature: str | None,
    n_rows: int,
) -> ScoredRows:
    """Return the rows. every: the scores that this package made, of metrics that are asked for or of others."""
    rows = ScoredRows(n_rows, scores, statistics, is_any_scored(every, n_rows), signature=signature)
    if columns is None:
        return rows
    made = {name: values for name, values in scores.items() if name in every}
    return replace(
        rows,
        is_missing=columns.is_missing,
        is_not_extracted=columns.is_not_extracted,
        # A convention may score rows without golds; those are not counted as such.
        has_no_gold=(columns.n_golds == 0) & ~is_any_scored(made or every, n_rows),
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


def existing_scores(frame: pd.DataFrame, prefix: str, *, own: tuple[str, ...] = ()) -> dict[str, Floats]:
    """Return the score columns of a frame, without their prefix, in their order.

    own: the user's own metrics, of which there may be scores.
    """
    labels: dict[Hashable, str] = {score_label(prefix + metric, frame.columns): metric for metric in (*METRICS, *own)}
    found = [label for label in dict.fromkeys(frame.columns) if label in labels]
    for label in found:
        require_column(label, list(frame.columns), "metrics")
    read = {labels[label]: _as_scores(frame[label]) for label in found}
    return {metric: values for metric, values in read.items() if values is not None}


def _no_scores(frame: pd.DataFrame, scoring: Scoring) -> ColumnNotFoundError:
    reuses_scores = scoring.reuses_scores
    remedy = "leave out reuse_scores" if reuses_scores else "give summary the columns: pred=..., gold=..."
    return ColumnNotFoundError(
        f"the frame has no score column with prefix={scoring.prefix!r}; score it first with df.qa.score(pred, gold), "
        f"or {remedy}, or name a column of numbers in metrics. Columns: {list(frame.columns)}"
    )


def _required_scores(frame: pd.DataFrame, every: Mapping[str, Floats], metric: str, prefix: str) -> Floats:
    """A metric's scores; ColumnNotFoundError where there are none, ColumnTypeError where its column has no numbers."""
    return every[metric] if metric in every else _named_scores(frame, metric, prefix)


def _named_scores(frame: pd.DataFrame, name: str, prefix: str) -> Floats:
    """The numbers of a column that is named, with or without the prefix."""
    label = _label_of(name, prefix, frame.columns) if name not in METRICS else None
    label = score_label(prefix + name, frame.columns) if label is None else label
    require_column(label, list(frame.columns), "metrics")
    scores = as_floats(frame[label])
    if scores is None:
        raise not_numbers(frame[label], "metrics", name)
    return scores


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
    if column.dtype.kind == "c":  # these are numbers, but no scores
        raise _not_scores(column)
    return as_floats(column)


def _not_scores(column: pd.Series[Any]) -> ColumnTypeError:
    return ColumnTypeError(f"the column {column.name!r} holds {column.dtype}, not scores; drop or rename it")


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


# --------------------------------------------------------------------------------------------- what reports say of it


def kinds_of(figures: Iterable[str]) -> dict[str, str]:
    """Return what each figure is, as tables of results say it of themselves."""
    return {name: "pooled" if name in POOLED else "metric" if name in METRICS else "own" for name in figures}


def warn_of_mixed(n_scored: Mapping[str, Ints], groups: Sequence[Any]) -> None:
    """Warn where metrics of this package are means over different rows of one group.

    One scoring scores all of them on the same rows. So these rows were scored in several ways, and put together since.

    Parameters
    ----------
    n_scored
        By figure, the rows of each group that it is scored on, shape (groups,).
    groups
        What the groups are called.
    """
    names = [name for name in n_scored if name in METRICS]
    if len(names) < 2:
        return
    counts = np.stack([n_scored[name] for name in names])
    fewest = np.where(counts > 0, counts, np.iinfo(np.int64).max).min(axis=0)
    mixed = np.flatnonzero(fewest < counts.max(axis=0))
    if not len(mixed):
        return
    of_group = {n: name for name, n in zip(names[::-1], counts[::-1, mixed[0]].tolist(), strict=True)}
    said = ", ".join(f"{name} over {n}" for n, name in list(of_group.items())[::-1])
    warnings.warn(
        f"metrics are means over different rows in {len(mixed)} of {len(groups)} groups, first in "
        f"{show(groups[mixed[0]])}: {said}. One scoring gives all of them on the same rows, so these seem to be scored "
        "in several ways and put together, as by pandas.concat, and a mean then mixes rules. Score all rows in the "
        "same way, or name in `by` what tells them apart",
        MixedScoresWarning,
        stacklevel=2,
    )


def warn_of_mixed_rows(rows: ScoredRows, groups: KeyCodes | None) -> None:
    """Warn of the same by rows. groups: of each row, None where all are one."""
    if rows.signature is None:
        codes = np.zeros(rows.n_rows, np.int64) if groups is None else groups.codes
        labels = [ALL] if groups is None else groups.labels.tolist()
        counts = {
            name: np.bincount(codes[~np.isnan(scores)], minlength=len(labels)) for name, scores in rows.scores.items()
        }
        warn_of_mixed(counts, labels)
