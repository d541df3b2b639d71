"""The bounds of a figure from its pulls: how far each row moves it. They do not depend on the order of rows."""

from __future__ import annotations

import functools

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.stats.exact_sums import sum_floats
from qa_frame.stats.figures import divide_where
from qa_frame.stats.intervals import Units, size_units, unit_bounds

Bounded = tuple[float, float, float]
"""A figure with its bounds: the value, the lower and the upper bound."""

NOT_KNOWN: Bounded = (np.nan, np.nan, np.nan)


def add_up(values: Floats) -> float:
    """Return the sum of all values, exact but for one rounding, so that it does not depend on their order."""
    return float(sum_floats(values, np.zeros(len(values), np.int64), 1)[0])


def mean_of(values: Floats) -> float:
    """Return the mean of all values; NaN if there are none."""
    return add_up(values) / len(values) if len(values) else np.nan


def by_unit(values: Floats, unit: Ints | None) -> Floats:
    """Return the sums by unit, shape (units,). unit: of each row; None where each row is one."""
    return values if unit is None else sum_floats(values, unit, int(unit.max(initial=-1)) + 1)


def sizes_of(unit: Ints | None, n_rows: int) -> Units:
    """Return the numbers that depend on the sizes of units alone, for units of one group."""
    sizes = by_unit(np.ones(n_rows), unit)
    one_group = np.zeros(len(sizes), np.int64)
    return size_units(
        sizes,
        add_up=functools.partial(sum_floats, codes=one_group, n_groups=1),
        of_unit=functools.partial(np.take, indices=one_group),
    )


def with_bounds(value: float, pull: Floats, unit: Ints | None, support: float, level: float | None) -> Bounded:
    """Return a figure from 0 to 1 with its bounds, which are NaN for fewer than two units and without a level.

    Parameters
    ----------
    pull
        How far each row moves the figure, shape (rows,). Their sum is 0.
    unit
        The unit of each row, from 0 on; None where each row is one.
    support
        How many rows at most the value rests on; see `Figure.support`.
    """
    if level is None or np.isnan(value) or not len(pull):
        return (value, np.nan, np.nan)
    of_rows = add_up(pull**2) * len(pull) / max(len(pull) - 1, 1)
    spread = sizes_of(unit, len(pull)).spread(by_unit(pull, unit), np.array([of_rows]))
    low, high = unit_bounds(np.array([value]), spread, np.array([support]), level)
    return (value, float(low[0]), float(high[0]))


def mean_with_bounds(values: Floats, unit: Ints | None, level: float | None) -> Bounded:
    """Return the mean of values from 0 to 1 with its bounds."""
    mean = mean_of(values)
    return with_bounds(mean, (values - mean) / max(len(values), 1), _without_gaps(unit), len(values), level)


def ratio_with_bounds(parts: Floats, wholes: Floats, unit: Ints | None, level: float | None) -> Bounded:
    """Return sum(parts) / sum(wholes) with its bounds; NaN where the wholes are 0. No part exceeds its whole."""
    whole = add_up(wholes)
    value = float(divide_where(np.array(add_up(parts)), np.array(whole), np.nan))
    pull = divide_where(parts - value * wholes, np.array(whole), 0.0)
    return with_bounds(value, pull, _without_gaps(unit), len(parts), level)


def _without_gaps(unit: Ints | None) -> Ints | None:
    return None if unit is None else np.unique(unit, return_inverse=True)[1].reshape(-1)
