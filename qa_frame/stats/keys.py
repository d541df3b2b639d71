"""What identifies a group or a question → a code a row, in the order of the values."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from qa_frame._typing import Ints
from qa_frame.errors import ColumnNotFoundError, ColumnTypeError, PairingError
from qa_frame.frames.names import name_rows
from qa_frame.stats import grouping


@dataclass(frozen=True, slots=True)
class Keys:
    """Which value of a key each row has: the same value, the same code; codes follow the sorted order of the values.

    codes: int64, shape (rows,). columns: the distinct values, in that order, a column for each that makes the key.
    """

    codes: Ints
    columns: grouping.Keys

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
    columns = grouping.read_keys(frame, _as_list(names, argument), argument)
    codes = np.zeros(len(frame), np.int64)
    for column in columns:
        if not has_nulls:
            _refuse_nulls(column, frame.index, argument)
        own, n_values = _factorize(column, argument)
        codes = np.unique(codes * n_values + own, return_inverse=True)[1].reshape(-1)
    first_rows = np.unique(codes, return_index=True)[1]
    return Keys(codes, tuple(column.iloc[first_rows].reset_index(drop=True) for column in columns))


def _as_list(names: Hashable | Sequence[Hashable], argument: str) -> list[Hashable]:
    listed = list(names) if isinstance(names, list | pd.Index) else [names]
    if not listed:
        raise ColumnNotFoundError(f"{argument}=[] names no column; give one or more")
    return listed


def _refuse_nulls(column: pd.Series, index: pd.Index, argument: str) -> None:
    is_null = np.flatnonzero(column.isna())
    if len(is_null):
        raise PairingError(
            f"{argument}={column.name!r} is null in {len(is_null)} of {len(column)} rows, first at "
            f"{name_rows(is_null, index)}; fill them, or drop these rows with df.dropna(subset=[{column.name!r}])"
        )


def _factorize(column: pd.Series, argument: str) -> tuple[Ints, int]:
    """Codes in sorted order, nulls last, and the number of codes."""
    try:
        codes, values = pd.factorize(column, sort=True)
    except TypeError as error:
        raise ColumnTypeError(
            f"{argument}={column.name!r} holds values that cannot be hashed and sorted; make them text, as in "
            "df[column].astype(str)"
        ) from error
    return np.where(codes < 0, len(values), codes).astype(np.int64), len(values) + 1
