"""Columns of numbers or truth values, of any type that has them → floats."""

from __future__ import annotations

import contextlib
import decimal
import math
import numbers
from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from qa_frame._typing import Floats
from qa_frame.errors import ColumnTypeError, show
from qa_frame.frames.arrow_types import is_any
from qa_frame.frames.names import require_column
from qa_frame.frames.remedy_snippets import with_column

NUMBERS = {"boolean", "integer", "floating", "mixed-integer-float", "decimal", "empty"}
"""Pandas' names for the values of a column of objects that can be read as numbers."""

_TIMES = (np.timedelta64, np.datetime64)


def as_floats(column: pd.Series[Any]) -> Floats | None:
    """Return a column as floats, shape (rows,), NaN for null; None if it holds anything but numbers.

    Truth values are 1 and 0. A number beyond those of a float is infinite.
    """
    kind = column.dtype
    if isinstance(kind, pd.CategoricalDtype):
        distinct = as_floats(pd.Series(kind.categories))
        return None if distinct is None else np.append(distinct, np.nan)[column.cat.codes.to_numpy()]
    if kind.kind in "biuf":
        return column.to_numpy(np.float64, na_value=np.nan)
    if kind.kind != "O" or isinstance(kind, pd.StringDtype):
        return None
    values = column.astype(object)
    if not _are_numbers(values):
        return None
    try:
        return values.to_numpy(np.float64, na_value=np.nan)
    except (TypeError, ValueError, ArithmeticError):
        return np.array([_as_float(value) for value in values], np.float64)


def read_numbers(frame: pd.DataFrame, label: Hashable, argument: str, name: object = None) -> Floats:
    """Return a column that an argument names, as floats; an error unless it is there, and of numbers or truth values.

    name: as the argument has it, where that is not the label.
    """
    require_column(label, list(frame.columns), argument)
    values = as_floats(frame[label])
    if values is None:
        raise _error_of_no_numbers(frame[label], argument, label if name is None else name)
    return values


def _are_numbers(values: pd.Series[Any]) -> bool:
    with contextlib.suppress(ArithmeticError):  # a signalling NaN
        if pd.api.types.infer_dtype(values, skipna=True) in NUMBERS:
            return True
    kinds = (numbers.Real, decimal.Decimal, np.bool_)
    return all(_is_null(value) or (isinstance(value, kinds) and not isinstance(value, _TIMES)) for value in values)


def _is_null(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT


def _as_float(value: Any) -> float:
    try:
        return math.nan if _is_null(value) else float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except (ValueError, ArithmeticError):  # a signalling NaN
        return math.nan


def is_number_type(kind: pa.DataType) -> bool:
    """Whether a type of Arrow is one of numbers or truth values."""
    return is_any(kind, "integer", "floating", "boolean", "decimal")


def _error_of_no_numbers(column: pd.Series[Any], argument: str, name: object) -> ColumnTypeError:
    """Return the error for a column that is named as one of numbers, and holds something else."""
    found = column.dropna().astype(object)
    kind, read = pd.api.types.infer_dtype(found), f"df[{column.name!r}]"
    made: tuple[str, ...] = ()
    example = f" such as {show(found.iloc[0])}" if len(found) else ""
    what = f"{column.dtype}{example}"
    if kind == "string":
        what = f"text{example}"
        if pd.to_numeric(found, errors="coerce").notna().all():
            made = f"pandas.to_numeric({read})", f"{read}.cast(polars.Float64)"
    elif kind.startswith("timedelta"):
        what, made = "spans of time", (f"{read}.dt.total_seconds()",)
    remedy = f"make numbers of it first, as in {with_column('score', *made)}" if made else "name a column of numbers"
    return ColumnTypeError(f"{argument}={show(name)} holds {what}, where numbers or truth values are needed; {remedy}")
