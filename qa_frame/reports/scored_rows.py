"""A frame, scored before or only now → its scores and statistics a row, by position."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import ColumnNotFoundError, ColumnTypeError, UnknownOptionError
from qa_frame.frames.names import require_column, require_prefix, score_label
from qa_frame.frames.provenance import recall_scoring
from qa_frame.frames.text_columns import read_columns, require_predictions
from qa_frame.scoring.metrics import BLEU_STATISTICS, METRICS, OVERLAP_STATISTICS, STATISTICS
from qa_frame.scoring.pipeline import score_columns
from qa_frame.scoring.plan import Plan
from qa_frame.stats.exact_sums import LIMIT


@dataclass(frozen=True, slots=True)
class Scored:
    """What is known of each row, by position.

    scores: by metric, float64, shape (rows,), NaN where a row is not scored.
    statistics: those that are there, likewise (whole numbers up to 2**53 are exact). signature: of the scoring.
    """

    scores: Mapping[str, Floats]
    statistics: Mapping[str, Floats]
    signature: str | None

    @property
    def is_scored(self) -> Flags:
        """Whether no score and no statistic is NaN, shape (rows,). Rows that are not scored have statistics of 0."""
        columns = np.stack([*self.scores.values(), *self.statistics.values()])
        return np.asarray(~np.isnan(columns).any(axis=0))


def read_scored(
    frame: pd.DataFrame, *, pred: Hashable | None, gold: Hashable | None, plan: Plan, prefix: str
) -> Scored:
    """The scores of a scored frame, all that stand under the prefix; or with pred and gold, scores by the plan."""
    if not are_both_given(pred, gold):
        scored = _read_existing(frame, prefix)
        refuse_unused(plan, scored.signature)
        return scored
    columns = read_columns(frame, pred=pred, gold=gold)
    if plan.missing == "raise":
        require_predictions(columns)
    return _sorted_out(score_columns(columns, plan, progress=False), plan.signature)


def are_both_given(pred: Hashable | None, gold: Hashable | None) -> bool:
    """False if neither is given; one alone is an error."""
    if (pred is None) != (gold is None):
        given, lacking = ("gold", "pred") if pred is None else ("pred", "gold")
        raise UnknownOptionError(f"{given} is given without {lacking}; give both to score the rows first, or neither")
    return pred is not None


def refuse_unused(plan: Plan, signature: str | None) -> None:
    """Raise UnknownOptionError if rules are asked for by which a scored frame was not scored.

    signature: of its scoring, None where it is not known.
    """
    if not plan.is_default and plan.signature != signature:
        raise UnknownOptionError(
            "convention, reduce and missing are of use where rows are scored: give pred and gold, or leave them out. "
            f"The scores here were made by {signature or 'rules that are not known'}"
        )


def require_scores(scored: Scored, wanted: Sequence[str], frame: pd.DataFrame, prefix: str) -> None:
    """Raise ColumnNotFoundError unless all `wanted` metrics are scored, ColumnTypeError if one is no number."""
    for metric in wanted:
        if metric not in scored.scores:
            label = score_label(prefix + metric, frame.columns)
            require_column(label, list(frame.columns), "metrics")
            raise ColumnTypeError(f"the column {label!r} holds {frame[label].dtype}, not scores; drop or rename it")


def _read_existing(frame: pd.DataFrame, prefix: str) -> Scored:
    scores = existing_scores(frame, prefix, None)
    is_scored = ~np.logical_and.reduce([np.isnan(values) for values in scores.values()])
    statistics = existing_statistics(frame, prefix, is_scored)
    _, signature = recall_scoring(frame, [prefix + name for name in scores])
    return _sorted_out({**scores, **statistics}, signature)


def existing_scores(frame: pd.DataFrame, prefix: str, wanted: Sequence[str] | None) -> dict[str, Floats]:
    """The score columns of a scored frame, without their prefix: those wanted, or all in their order."""
    require_prefix(prefix)
    labels: dict[Hashable, str] = {score_label(prefix + metric, frame.columns): metric for metric in METRICS}
    if wanted is None:
        found: list[Hashable] = [label for label in dict.fromkeys(frame.columns) if label in labels]
    else:
        label_of = {metric: label for label, metric in labels.items()}
        found = [label_of[metric] for metric in wanted]
    for label in found:
        require_column(label, list(frame.columns), "metrics")
    read = {labels[label]: _as_scores(frame[label], required=wanted is not None) for label in found}
    scores = {metric: column for metric, column in read.items() if column is not None}
    if not scores:
        raise ColumnNotFoundError(
            f"the frame has no score column with prefix={prefix!r}; score it first with df.qa.score(pred, gold), or "
            f"give summary the columns: pred=..., gold=.... Columns: {list(frame.columns)}"
        )
    return scores


def _as_scores(column: pd.Series[Any], *, required: bool) -> Floats | None:
    """A column as floats, NaN for null; None, or an error if it is required, where it holds something else."""
    error: Exception | None = None
    if not _is_text(column):
        try:
            return column.to_numpy(np.float64, na_value=np.nan)
        except (TypeError, ValueError) as caught:
            error = caught
    if not required:
        return None
    raise ColumnTypeError(f"the column {column.name!r} holds {column.dtype}, not scores; drop or rename it") from error


def _is_text(column: pd.Series[Any]) -> bool:
    """Text that reads as a number would be taken for one."""
    if column.dtype == object:
        return pd.api.types.infer_dtype(column, skipna=True) in {"string", "bytes", "mixed"}
    return bool(pd.api.types.is_string_dtype(column.dtype))


def existing_statistics(frame: pd.DataFrame, prefix: str, is_scored: Flags) -> dict[str, Ints]:
    """The statistics in a frame, of micro F1 and of corpus BLEU if all of theirs are there."""
    statistics: dict[str, Ints] = {}
    for names in (OVERLAP_STATISTICS, BLEU_STATISTICS):
        labels = {name: score_label(prefix + name, frame.columns) for name in names}
        if not all(label in frame.columns for label in labels.values()):
            continue
        for name, label in labels.items():
            require_column(label, list(frame.columns), "stats")
            statistics[name] = _as_counts(frame[label], is_scored)
    return statistics


def _as_counts(column: pd.Series[Any], is_scored: Flags) -> Ints:
    """A column of statistics as int64; a null counts nothing, and is an error in a row that is scored."""
    if column.dtype != np.int64:
        values = _as_scores(column, required=True)
        assert values is not None
        n_null = int((np.isnan(values) & is_scored).sum())
        if n_null:
            raise ColumnTypeError(
                f"the statistics {column.name!r} are null in {n_null} scored rows; score all rows with stats=True, or "
                "drop the statistics"
            )
        values = np.nan_to_num(values, nan=0.0, posinf=-1.0, neginf=-1.0)
        counts = np.where(values == np.trunc(values), values, -1.0).astype(np.int64)
    else:
        counts = column.to_numpy()
    if counts.min(initial=0) < 0 or counts.max(initial=0) >= LIMIT:
        raise ColumnTypeError(f"the column {column.name!r} holds other than counts of tokens; drop or rename it")
    return counts


def _sorted_out(values: Mapping[str, NDArray[Any]], signature: str | None) -> Scored:
    return Scored(
        scores={name: column for name, column in values.items() if name in METRICS},
        statistics={name: column.astype(np.float64) for name, column in values.items() if name in STATISTICS},
        signature=signature,
    )
