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


def read_verdicts(frame: pd.DataFrame, human: Hashable) -> Floats:
    """Return the verdicts as floats, NaN for null, shape (rows,). VerdictError unless there are at least two."""
    verdicts = read_any_verdicts(frame, human)
    known = verdicts[~np.isnan(verdicts)]
    distinct = np.unique(known)
    if len(distinct) < 2:
        what = f"is always {distinct[0]:g}" if len(distinct) else "holds only nulls"
        raise VerdictError(
            f"human={human!r} {what} ({len(known)} of {plural(len(verdicts), 'row')} with a verdict); agreement "
            "needs answers that people found right and others that they found wrong: choose another column or more rows"
        )
    return verdicts


def read_any_verdicts(frame: pd.DataFrame, human: Hashable) -> Floats:
    """Return the verdicts as floats, NaN for null, shape (rows,)."""
    require_column(human, list(frame.columns), "human")
    column = frame[human]
    verdicts = as_floats(column)
    if verdicts is None and column.isna().all():
        verdicts = np.full(len(column), np.nan)
    if verdicts is None:
        known = column.dropna().astype(object)
        made = (f"df[{human!r}].{name}({{'right': 1, 'wrong': 0}})" for name in ("map", "replace_strict"))
        raise VerdictError(
            f"human={human!r} holds {pd.api.types.infer_dtype(known)} such as {known.iloc[0]!r:.40}, where numbers are "
            f"needed; turn verdicts into 1 and 0 first, as in {either(*made)}"
        )
    is_endless = np.flatnonzero(np.isinf(verdicts))
    if len(is_endless):
        raise VerdictError(
            f"human={human!r} is infinite at {name_rows(is_endless, frame.index)}; give a number, or null for none"
        )
    return verdicts
