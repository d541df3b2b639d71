"""The column of people's verdicts: numbers, of which the larger means right."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd

from qa_frame._typing import Floats
from qa_frame.errors import VerdictError, plural
from qa_frame.frames.conversions import as_floats
from qa_frame.frames.diagnosis import either
from qa_frame.frames.names import name_rows, require_column

_WORDS = [("right", "wrong"), ("yes", "no"), ("correct", "incorrect"), ("CORRECT", "INCORRECT"), ("C", "I")]
"""What people and judges write for a right and for a wrong answer, as an error suggests it."""


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
        words = next((pair for pair in _WORDS if {*pair} >= {*known.astype(str)}), _WORDS[0])
        made = (f"df[{human!r}].{name}({dict(zip(words, (1, 0), strict=True))})" for name in ("map", "replace_strict"))
        finding = f"holds {pd.api.types.infer_dtype(known)} such as {known.iloc[0]!r:.40}, where numbers are needed"
        remedy = f"turn verdicts into 1 and 0 first, as in {either(*made)}"
        raise VerdictError.of("human", finding, remedy, value=human)
    is_endless = np.flatnonzero(np.isinf(verdicts))
    if len(is_endless):
        finding = f"is infinite at {name_rows(is_endless, frame.index)}"
        raise VerdictError.of("human", finding, "give a number, or null for none", value=human)
    return verdicts
