"""Scored rows, which all statistics are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import ColumnTypeError, plural

_DECIMALS = 9
"""Two scores of a row are equal if they differ by less: 1/3 + 1/3 and 2/3 are not always the same float."""


def without_rounding(changes: Floats) -> Floats:
    """Return changes of scores, rounded to nine decimals, so that mere rounding errors are 0."""
    return np.round(changes, _DECIMALS)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoredRows:
    """Rows with their scores and statistics, by position.

    Attributes
    ----------
    n_rows
        How many rows there are.
    scores
        The scores by name, float64, shape (rows,); NaN where the row is not scored.
    statistics
        The statistics by column, int64, shape (rows,); 0 where the row is not scored.
    has_score
        Whether the row has any score, be it in `scores` or not; shape (rows,).
    flags
        Which rows a summary counts, by the name of the count, shape (rows,). None where this is not known.
    signature
        The signature of the scoring; None if it is not known.
    """

    n_rows: int
    scores: Mapping[str, Floats]
    statistics: Mapping[str, Ints]
    has_score: Flags
    flags: Mapping[str, Flags | None]
    signature: str | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KeptUnits:
    """What the bootstrap draws: units, which are rows, or clusters of which only sums are known.

    Attributes
    ----------
    group
        The place of each unit's group, int64, shape (units,).
    sums_per_row
        What each unit adds to the sums of a statistic, by its name: shape (sums, units), 0 where it is not scored.
    n_rows
        How many rows of each unit a statistic is scored on, by its name, shape (units,). For rows: whether each is.
    """

    group: Ints
    sums_per_row: Mapping[str, Floats | Ints]
    n_rows: Mapping[str, Floats | Flags]

    def take(self, units: Flags) -> KeptUnits:
        """Return some of the units. units: whether each one is among them, shape (units,)."""
        sums = {name: values[:, units] for name, values in self.sums_per_row.items()}
        return KeptUnits(self.group[units], sums, {name: n[units] for name, n in self.n_rows.items()})


def require_finite(metric: str, scores: Floats) -> None:
    """Raise ColumnTypeError if a score of this metric is infinite."""
    n_infinite = int(np.isinf(scores).sum())
    if n_infinite:
        finding = f"the scores {metric!r} are infinite in {n_infinite} of {plural(len(scores), 'row')}"
        raise ColumnTypeError.of("", finding, "put numbers or nulls there")


def is_any_scored(scores: Mapping[str, Floats], n_rows: int) -> Flags:
    """Return whether each row has any of these scores, shape (rows,). scores: by name, shape (rows,) each."""
    has_score = np.zeros(n_rows, np.bool_)
    for values in scores.values():
        has_score |= ~np.isnan(values)
    return has_score
