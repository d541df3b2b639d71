"""The column of scores whose rules are sought: its scale, and how far it is rounded."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from qa_frame._typing import Floats, Ints
from qa_frame.errors import ColumnTypeError
from qa_frame.frames.conversions import read_numbers
from qa_frame.frames.names import require_column

TOLERANCE = 1e-6
"""By how much equal scores may differ, as some are stored as float32."""

_ROUNDED = 1e-6
"""The share by which sums in floating point may lie above the highest score, as sacrebleu's 100.00000000000004."""

_TRUTHS = {"true": 1.0, "false": 0.0}
"""Truth values as a CSV file holds them."""

_MOST_DECIMALS = 6
"""Scores with fewer decimals are taken for rounded ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """The column of scores whose rules are sought.

    Attributes
    ----------
    scores
        Its numbers from 0 to 1; NaN where there is none. float64 of shape (rows,).
    tolerance
        By how much equal scores may differ, as the column is rounded.
    """

    scores: Floats
    tolerance: float

    def differences(self, scores: Floats) -> Floats:
        """Return by how much each score differs from the recorded one; 1 where one of them is NaN, 0 where both are."""
        differences = np.abs(scores - self.scores)
        return np.where(np.isnan(scores) != np.isnan(self.scores), 1.0, np.nan_to_num(differences))

    def at(self, rows: Ints) -> Recorded:
        """Return the recorded scores of the rows at these places."""
        return replace(self, scores=self.scores[rows])


def read_recorded(frame: pd.DataFrame, score: Hashable) -> Recorded:
    """Return the recorded scores as shares. Numbers are taken for percentages where one is above 1.

    Raise ColumnTypeError for a column without numbers, and for numbers below 0 or above 100. Texts "true" and "false"
    are 1 and 0.
    """
    require_column(score, list(frame.columns), "score")
    column, argument = frame[score], f"score={score!r}"
    if pd.api.types.infer_dtype(column, skipna=True) == "string":
        truths = column.astype(object).str.lower().map(_TRUTHS)
        column = truths if truths.notna().equals(column.notna()) else column
    values = read_numbers(pd.DataFrame({score: column}), score, "score")
    known = values[~np.isnan(values)]
    if not len(known):
        raise ColumnTypeError(f"{argument} has no number in any row; name a column of scores")
    scale = 100.0 if known.max() > 1 + _ROUNDED else 1.0
    if known.min() < -_ROUNDED * scale or known.max() > scale * (1 + _ROUNDED):
        raise ColumnTypeError(
            f"{argument} has numbers from {known.min():g} to {known.max():g}; scores are from 0 to 1, or from 0 to "
            "100; divide them by their highest value first"
        )
    fits = (np.abs(known - known.round(places)).max() < TOLERANCE / 10 for places in range(_MOST_DECIMALS))
    decimals = next((places for places, is_near in enumerate(fits) if is_near), _MOST_DECIMALS)
    is_rounded = decimals > 1 or scale > 1  # else scores of 0 and 1, or of .5
    rounding = 0.5 * 10.0**-decimals if is_rounded else 0.0
    return Recorded(values / scale, rounding / scale + TOLERANCE)
