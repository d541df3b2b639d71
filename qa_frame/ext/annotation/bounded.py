"""One group of rows: a statistic with its bounds as Python floats, and sums that do not depend on the order of rows."""

from __future__ import annotations

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.stats.influence import ClusteredRows

Bounded = tuple[float, float, float]
"""A statistic with its bounds: the value, the lower and the upper bound."""

NOT_KNOWN: Bounded = (np.nan, np.nan, np.nan)


def one_group(n_rows: int, unit: Ints | None) -> ClusteredRows:
    """Return rows that are all one group. unit: the cluster of each row; None where each row is a unit."""
    return ClusteredRows(np.zeros(n_rows, np.int64), 1, unit)


def as_bounded(of_group: Floats) -> Bounded:
    """Return the value and the bounds of the only group as Python floats. of_group: the three, shape (3, 1)."""
    value, low, high = of_group[:, 0].tolist()
    return value, low, high


def add_up(values: Floats) -> float:
    """Return the sum of all values, exact but for one rounding, so that it does not depend on their order."""
    return float(one_group(len(values), None).add_up(values)[0])


def mean_of(values: Floats) -> float:
    """Return the mean of all values; NaN if there are none."""
    return add_up(values) / len(values) if len(values) else np.nan
