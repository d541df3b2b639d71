"""Confidence intervals of statistics: which are wanted, and their bounds by a statistic's variance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.checks import Method
from qa_frame.stats.distributions import t_quantiles, t_two_sided
from qa_frame.stats.statistic import divide_where

Bounds = tuple[Floats, Floats]

Adder = Callable[[Floats], Floats]
"""From an array of units or strata to its sums by group."""

RESAMPLES = 1000
"""The number of bootstrap samples, where it is not given."""

_NO_VARIANCE = 1e-24
"""A variance that is no more than this share of the largest possible one is 0 but for rounding."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Which intervals are wanted: their level, or None for none, the method, and the bootstrap's resamples and seed."""

    level: float | None
    method: Method
    n_resamples: int
    seed: int


@dataclass(frozen=True, slots=True)
class Spread:
    """The estimated sampling variance of a statistic. Shape (groups,) each.

    Attributes
    ----------
    variance
        Its estimated variance; NaN for fewer than two units.
    df
        The degrees of freedom of that estimate.
    n_units, n_rows
        Units (clusters, or rows), and the rows in them, that it is scored on. The number of clusters is the effective
        one: unequal clusters count as so many equal ones as have the same degrees of freedom.
    """

    variance: Floats
    df: Floats
    n_units: Floats
    n_rows: Floats

    def take(self, places: Ints) -> Spread:
        """Return the spread of the groups at these places, shape of `places`."""
        return Spread(self.variance[places], self.df[places], self.n_units[places], self.n_rows[places])


def spread_of_rows(variance: Floats, n: Ints) -> Spread:
    """Return the spread where each row is a unit, with n - 1 degrees of freedom. variance, n: shape (groups,) each."""
    rows = n.astype(np.float64)
    return Spread(np.where(n > 1, variance, np.nan), rows - 1, rows, rows)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class UnitSizes:
    """What follows from the sizes of units (clusters, or rows), for the variance of any statistic.

    Attributes
    ----------
    add_up
        The function that turns an array of units, shape (..., units), into its sums by group.
    share_of_others
        1 - each unit's share of its group's rows, shape (..., units).
    n_units, n_rows, df
        The number of units with rows, that of rows, and Bell and McCaffrey's degrees of freedom, by group.
    """

    add_up: Callable[[Floats], Floats]
    share_of_others: Floats
    n_units: Floats
    n_rows: Floats
    df: Floats

    def spread(self, influence: Floats) -> Spread:
        """Return the spread by the CR2 variance (Bell and McCaffrey 2002).

        The squared influence of each unit is divided by 1 - the unit's share of the rows, as a large unit pulls the
        value towards itself, so that its influence is too small. For units of one row each this is `spread_of_rows`.

        Parameters
        ----------
        influence
            The influence value of each unit: gradient · sums, shape (..., units). Their sum over a group is 0.
        """
        variance = self.add_up(divide_where(influence**2, self.share_of_others, 0.0))
        is_known = self.n_units > 1
        variance, df = np.where(is_known, variance, np.nan), np.where(is_known, self.df, 0.0)
        return Spread(variance, df, np.where(is_known, df + 1, self.n_units), self.n_rows)


def measure_unit_sizes(
    n_in_unit: Floats,
    *,
    add_up: Callable[[Floats], Floats] = lambda values: values.sum(axis=-1),
    of_unit: Callable[[Floats], Floats] = lambda values: values[:, None],
) -> UnitSizes:
    """Return what the CR2 variance needs to know of the sizes of units.

    For each group this is the number of units, the number of rows and the degrees of freedom; for each unit, 1 - its
    share of the group's rows.

    Parameters
    ----------
    n_in_unit
        The rows of each unit on which a statistic is scored, shape (..., units).
    add_up, of_unit
        The functions that turn an array of units into its sums by group, and an array of groups into the value of each
        unit's group. By default an array of units has the shape (groups, units), and one of groups (groups,).
    """
    n_rows, n_units = add_up(n_in_unit), add_up((n_in_unit > 0).astype(np.float64))
    share_of_others = 1 - divide_where(n_in_unit, of_unit(n_rows), 0.0)
    weight = divide_where(n_in_unit**2, share_of_others, 0.0)
    crossed = (add_up(weight) ** 2 - add_up(weight**2)) / np.maximum(n_rows, 1.0) ** 2
    df = np.maximum(divide_where(n_rows**2, add_up(n_in_unit**2) + crossed, 0.0), 1.0)
    return UnitSizes(add_up, share_of_others, n_units, n_rows, df)


def satterthwaite(variances: Floats, dfs: Floats, add_up: Adder) -> Floats:
    """Return Satterthwaite's degrees of freedom of sums of independent variances (1946), by group.

    Where no variance is larger than 0, it is the sum of all degrees of freedom.

    variances, dfs: each variance and its degrees of freedom. add_up: the function that adds up an array by group.
    """
    total = add_up(variances)
    shared = divide_where(total**2, add_up(divide_where(variances**2, dfs, np.nan)), np.nan)
    return np.where(total > 0, shared, add_up(dfs))


# --------------------------------------------------------------------------------------------------- Student's t


@dataclass(frozen=True, slots=True)
class StudentInterval:
    """What Student's intervals and tests of a value are made of, shape (groups,) each; NaN for fewer than two units.

    Attributes
    ----------
    value
        The value that each interval holds.
    middle, variance, df
        The middle of the interval, the squared standard error, and the degrees of freedom.
    """

    value: Floats
    middle: Floats
    variance: Floats
    df: Floats

    @property
    def error(self) -> Floats:
        """The standard error, shape (groups,)."""
        return np.asarray(np.sqrt(self.variance))

    def bounds(self, level: float) -> Bounds:
        """Return the bounds of the interval of this level, which is widened to hold `value`; shape (groups,) each."""
        half = t_quantiles(level, self.df) * self.error
        return np.minimum(self.middle - half, self.value), np.maximum(self.middle + half, self.value)

    @property
    def p(self) -> Floats:
        """The two-sided p-values of the test that the truth is 0, shape (groups,).

        A p-value is below 1 - level exactly where the interval of that level excludes 0.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            p = t_two_sided(np.abs(self.middle) / self.error, self.df)
        return np.where(np.sign(self.middle) * np.sign(self.value) <= 0, 1.0, p)

    def add_up(self, weights: Floats, adder: Adder) -> StudentInterval:
        """Return the interval of weighted sums of independent values, with Satterthwaite's degrees of freedom.

        weights: the weight of each value. adder: the function that adds up an array by group.
        """
        variances = weights**2 * self.variance
        df = satterthwaite(variances, self.df, adder)
        return StudentInterval(adder(weights * self.value), adder(weights * self.middle), adder(variances), df)


def count_added_units(value: Floats, spread: Spread, n: Floats) -> Floats:
    """Return how many units of 0 are added before an interval is made, and as many of 1, shape (groups,).

    One of each is added where all units are alike. Else the number is the product of two factors, each at most 1:

    - Half the variance of the units, divided by the squared distance of the value from 0 or from 1, whichever is
      nearer.
    - A number that grows with the variance from `least` to 1. It is 1 at the largest variance that the value allows,
      that of units of 0 and 1. For rows, `least` is 1/2. For clusters, it is half of (clusters - 1) / (rows - 1).

    n: the number of units that the value rests on, 1 or more, shape (groups,).
    """
    largest = divide_where(value * (1 - value), n - 1, 0.0)
    varies = (spread.variance > _NO_VARIANCE * largest) & (largest > 0)
    shown = np.minimum(divide_where(spread.variance, largest, 1.0), 1.0)
    steady = np.minimum(divide_where(n * spread.variance / 2, np.minimum(value, 1 - value) ** 2, 1.0), 1.0)
    least = divide_where(spread.n_units - 1, spread.n_rows - 1, 1.0) / 2
    return np.where(varies, steady * (least + (1 - least) * shown), 1.0)


def interval_with_added_units(value: Floats, spread: Spread, n: Floats, n_added: Floats) -> StudentInterval:
    """Return Student's interval of n units, with `n_added` units of 0 and as many of 1 beside them.

    This is the rule of Agresti and Coull (1998) for shares, and of Agresti and Caffo (2000) for two of them.
    """
    total = n + 2 * n_added
    middle = value + n_added * (1 - 2 * value) / total
    squares = n * (n - 1) * spread.variance + n * (value - middle) ** 2 + n_added * (middle**2 + (1 - middle) ** 2)
    return StudentInterval(value, middle, divide_where(squares, (total - 1) * total, np.nan), spread.df + 2 * n_added)


def student_interval(value: Floats, spread: Spread, max_n: Floats, share: Floats | float = 1.0) -> StudentInterval:
    """Return Student's interval of a statistic, to which a share of the units of `count_added_units` is added.

    Parameters
    ----------
    value, spread
        The statistic and its spread, shape (groups,).
    max_n
        The largest number of rows that the value can rest on, shape (groups,); see `Statistic.max_n`.
    share
        The share of added units: 1 for scores from 0 to 1, and 0 for others. For a stratum of several: its part
        of the variance of their weighted sum, if all units varied alike.
    """
    n = np.maximum(np.minimum(spread.n_units, max_n), 1.0)
    return interval_with_added_units(value, spread, n, share * count_added_units(value, spread, n))


def unit_bounds(value: Floats, spread: Spread, max_n: Floats, level: float, share: Floats | float = 1.0) -> Bounds:
    """Return the bounds of `student_interval`, kept inside [0, 1] where the share of added units is more than 0.

    They are 0 and 1 where `max_n` is 0, and NaN for fewer than two units. The parameters are those of
    `student_interval`, and the level of the interval.
    """
    low, high = clip_bounds(student_interval(value, spread, max_n, share).bounds(level), share)
    is_free = (max_n <= 0) & ~np.isnan(value + spread.variance)
    return np.where(is_free, 0.0, low), np.where(is_free, 1.0, high)


def clip_bounds(bounds: Bounds, share: Floats | float) -> Bounds:
    """Return the bounds, kept inside [0, 1] where the share of the added units is more than 0."""
    low, high = (np.where(np.asarray(share) > 0, np.clip(each, 0.0, 1.0), each) for each in bounds)
    return low, high
