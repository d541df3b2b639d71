"""A frame, scored before or only now → its scores and statistics a row, and the keys of its rows, all by position."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from qa_frame.columns import read_columns, recall_scoring, require_column, require_predictions, score_label
from qa_frame.errors import ColumnNotFoundError, ColumnTypeError, PairingError, UnknownOptionError
from qa_frame.metrics import METRICS, STATISTICS
from qa_frame.pipeline import score_columns
from qa_frame.plan import Plan

Scores = NDArray[np.float64]

_ROWS_NAMED = 5


@dataclass(frozen=True, slots=True)
class Scored:
    """What is known of each row, by position.

    scores: by metric, float64, shape (rows,), NaN where a row is not scored.
    statistics: those that are there, likewise (whole numbers up to 2**53 are exact). signature: of the scoring.
    """

    scores: Mapping[str, Scores]
    statistics: Mapping[str, Scores]
    signature: str | None

    @property
    def is_scored(self) -> NDArray[np.bool_]:
        """Whether no score and no statistic is NaN, shape (rows,). Rows that are not scored have statistics of 0."""
        columns = np.stack([*self.scores.values(), *self.statistics.values()])
        return np.asarray(~np.isnan(columns).any(axis=0))


def read_scored(
    frame: pd.DataFrame, *, pred: Hashable | None, gold: Hashable | None, plan: Plan, prefix: str
) -> Scored:
    """The scores of a scored frame, all that stand under the prefix; or with pred and gold, scores by the plan."""
    if pred is None and gold is None:
        return _read_existing(frame, prefix)
    if pred is None or gold is None:
        given, lacking = ("gold", "pred") if pred is None else ("pred", "gold")
        raise UnknownOptionError(f"{given} is given without {lacking}; give both to score the rows first, or neither")
    columns = read_columns(frame, pred=pred, gold=gold)
    if plan.missing == "raise":
        require_predictions(columns)
    return _sorted_out(score_columns(columns, plan, progress=False), plan.signature)


def require_scores(scored: Scored, wanted: Sequence[str], frame: pd.DataFrame, prefix: str) -> None:
    """Raise ColumnNotFoundError unless all `wanted` metrics are scored, ColumnTypeError if one is no number."""
    for metric in wanted:
        if metric not in scored.scores:
            label = score_label(prefix + metric, frame.columns)
            require_column(label, list(frame.columns), "metrics")
            raise ColumnTypeError(f"the column {label!r} holds {frame[label].dtype}, not scores; drop or rename it")


def _read_existing(frame: pd.DataFrame, prefix: str) -> Scored:
    names = {score_label(prefix + name, frame.columns): name for name in (*METRICS, *STATISTICS)}
    found = [label for label in frame.columns if label in names]
    numbers = {names[label]: _as_numbers(frame[label]) for label in found if found.count(label) == 1}
    values = {name: column for name, column in numbers.items() if column is not None}
    if not values.keys() & METRICS.keys():
        raise ColumnNotFoundError(
            f"the frame has no score column with prefix={prefix!r}; score it first with df.qa.score(pred, gold), or "
            f"give the columns here: pred=..., gold=.... Columns: {list(frame.columns)}"
        )
    _, signature = recall_scoring(frame, [prefix + name for name in values if name in METRICS])
    return _sorted_out(values, signature)


def _sorted_out(values: Mapping[str, NDArray[Any]], signature: str | None) -> Scored:
    return Scored(
        scores={name: column for name, column in values.items() if name in METRICS},
        statistics={name: column.astype(np.float64) for name, column in values.items() if name in STATISTICS},
        signature=signature,
    )


def _as_numbers(column: pd.Series) -> Scores | None:
    """A column as floats, NaN for null; None where it holds something else."""
    try:
        return column.to_numpy(np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        return None


# ------------------------------------------------------------------------------------------------------------- keys


@dataclass(frozen=True, slots=True)
class Keys:
    """Which value of a key each row has: the same value, the same code; codes follow the sorted order of the values.

    codes: int64, shape (rows,). columns: the distinct values, in that order, a column for each that makes the key.
    """

    codes: NDArray[np.int64]
    columns: tuple[pd.Series, ...]

    def __len__(self) -> int:
        return len(self.columns[0])

    @property
    def labels(self) -> pd.Series:
        """The distinct values; tuples where several columns make the key."""
        if len(self.columns) == 1:
            return self.columns[0]
        return pd.Series(list(zip(*(column.tolist() for column in self.columns), strict=True)), dtype=object)


def read_keys(
    frame: pd.DataFrame, names: Hashable | Sequence[Hashable], argument: str, *, has_nulls: bool = False
) -> Keys:
    """The key that one or more columns or index levels make.

    has_nulls: whether nulls are a value of their own, after the others; else they raise PairingError.
    """
    columns = [_key_column(frame, name, argument) for name in _as_list(names, argument)]
    codes = np.zeros(len(frame), np.int64)
    for column in columns:
        if not has_nulls:
            _refuse_nulls(column, frame.index, argument)
        own, n_values = _factorize(column, argument)
        codes = np.unique(codes * n_values + own, return_inverse=True)[1].reshape(-1)
    first_rows = np.unique(codes, return_index=True)[1]
    return Keys(codes, tuple(column.iloc[first_rows].reset_index(drop=True) for column in columns))


def name_rows(rows: NDArray[np.intp], index: pd.Index) -> str:
    """The first of `rows` by their labels, for an error."""
    more = ", ..." if len(rows) > _ROWS_NAMED else ""
    return f"index label{'s' if len(rows) > 1 else ''} {str(index[rows[:_ROWS_NAMED]].tolist())[1:-1]}{more}"


def _as_list(names: Hashable | Sequence[Hashable], argument: str) -> list[Hashable]:
    listed = list(names) if isinstance(names, list | pd.Index) else [names]
    if not listed:
        raise ColumnNotFoundError(f"{argument}=[] names no column; give one or more")
    return listed


def _key_column(frame: pd.DataFrame, name: Hashable, argument: str) -> pd.Series:
    """A column or an index level, by position."""
    columns = list(frame.columns)
    if isinstance(name, Hashable) and name not in columns:
        if name is not None and name in frame.index.names:
            return pd.Series(frame.index.get_level_values(frame.index.names.index(name)), name=name)
        if isinstance(name, tuple) and set(name) <= set(columns):
            raise ColumnNotFoundError(
                f"{argument}={name!r} is not a column; for several columns give a list. Columns: {columns}"
            )
    require_column(name, columns, argument)
    return frame[name].reset_index(drop=True)


def _refuse_nulls(column: pd.Series, index: pd.Index, argument: str) -> None:
    is_null = np.flatnonzero(column.isna())
    if len(is_null):
        raise PairingError(
            f"{argument}={column.name!r} is null in {len(is_null)} of {len(column)} rows, first at "
            f"{name_rows(is_null, index)}; fill them, or drop these rows with df.dropna(subset=[{column.name!r}])"
        )


def _factorize(column: pd.Series, argument: str) -> tuple[NDArray[np.int64], int]:
    """Codes in sorted order, nulls last, and the number of codes."""
    try:
        codes, values = pd.factorize(column, sort=True)
    except TypeError as error:
        raise ColumnTypeError(
            f"{argument}={column.name!r} holds values that cannot be hashed and sorted; make them text, as in "
            "df[column].astype(str)"
        ) from error
    return np.where(codes < 0, len(values), codes).astype(np.int64), len(values) + 1
