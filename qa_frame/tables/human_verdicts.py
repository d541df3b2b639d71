"""The column of people's verdicts: numbers, of which the larger means right."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Floats
from qa_frame.errors import VerdictError, plural
from qa_frame.frames.conversions import as_floats
from qa_frame.frames.diagnosis import either
from qa_frame.frames.names import name_rows, require_column

_RIGHT = {"right", "yes", "correct", "true", "y", "pass", "passed", "✓", "✔", "✅"}
"""What people and judges write for a right answer, in lower case."""
_OF_INSPECT = {"C", "I", "P", "N"}
"""What inspect writes: correct, incorrect, partially correct, no answer."""
_MOST_VALUES = 8
"""So many distinct texts at most are taken for verdicts."""


def read_verdicts(frame: pd.DataFrame, human: Hashable) -> Floats:
    """Return the verdicts as floats, NaN for null, shape (rows,). VerdictError for fewer than two distinct values.

    Also raises the errors of `read_any_verdicts`.
    """
    verdicts = read_any_verdicts(frame, human)
    known = verdicts[~np.isnan(verdicts)]
    distinct = np.unique(known)
    if len(distinct) < 2:
        finding = f"is always {distinct[0]:g}" if len(distinct) else "holds only nulls"
        finding += f" ({len(known)} of {plural(len(verdicts), 'row')} with a verdict)"
        reason = "agreement needs answers that people found right and others that they found wrong"
        raise VerdictError.of("human", finding, f"{reason}: choose another column or more rows", value=human)
    return verdicts


def read_any_verdicts(frame: pd.DataFrame, human: Hashable) -> Floats:
    """Return the verdicts as floats, NaN for null, shape (rows,). VerdictError for texts and infinite numbers."""
    require_column(human, list(frame.columns), "human")
    column = frame[human]
    verdicts = as_floats(column)
    if verdicts is None and column.isna().all():
        verdicts = np.full(len(column), np.nan)
    if verdicts is None:
        known = column.dropna().astype(object)
        finding = f"holds {pd.api.types.infer_dtype(known)} such as {known.iloc[0]!r:.40}, where numbers are needed"
        raise VerdictError.of("human", finding, _remedy_for_texts(known, human), value=human)
    is_endless = np.flatnonzero(np.isinf(verdicts))
    if len(is_endless):
        finding = f"is infinite at {name_rows(is_endless, frame.index)}"
        raise VerdictError.of("human", finding, "give a number, or null for none", value=human)
    return verdicts


def _remedy_for_texts(known: pd.Series[Any], human: Hashable) -> str:
    """Return the code that makes numbers of verdicts that are none. known: the values that are not null."""
    column = f"df[{human!r}]"
    values = [*dict.fromkeys(known)] if all(isinstance(value, str) for value in known) else []
    if values and pd.to_numeric(pd.Series(values), errors="coerce").notna().all():
        return f"turn the texts into numbers first: {either(f'pandas.to_numeric({column})', f'{column}.cast(float)')}"
    is_right = [value.strip().casefold() in _RIGHT or (value == "C" and {*values} <= _OF_INSPECT) for value in values]
    if not any(is_right) or len(values) > _MOST_VALUES:
        return "name a column of numbers, such as 1 for right and 0 for wrong"
    best_first = sorted(zip(values, map(int, is_right), strict=True), key=lambda pair: -pair[1])
    made = (f"{column}.{name}({dict(best_first)})" for name in ("map", "replace_strict"))
    return f"turn verdicts into 1 and 0 first, as in {either(*made)}"
