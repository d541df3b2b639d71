"""Confidence intervals of statistics: which are wanted, and their bounds by a statistic's variance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.checks import Method
from qa_frame.stats.distributions import t_quantiles
from qa_frame.stats.statistic import divide_where

Bounds = tuple[Floats, Floats]

Adder = Callable[[Floats], Floats]
"""From an array of units or strata to its sums by group."""

RESAMPLES = 1000
"""The number of bootstrap samples, where it is not given."""

_ROUNDING = 1e-12
"""A level that is closer to 1 would be lost in rounding."""

PSEUDO_UNITS = 0.75
"""How many pseudo-units with the largest variance are added for each excess of the estimated variance.

In simulations of rows that are nearly all right, of questions with many samples and of clusters, 95 % intervals held
the truth in 93 % of draws and more with it, but for the rarest misses, and in as few as 33 % without.
"""

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


def spread_of_rows(variance: Floats, n: Ints) -> Spread:
    """Return the spread where each row is a unit, with n - 1 degrees of freedom. variance, n: shape (groups,) each."""
    rows = n.astype(np.float64)
    return Spread(np.where(n > 1, variance, np.nan), rows - 1, rows, rows)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Units:
    """What follows from the sizes of units (clusters, or rows), for the variance of any statistic.

    Attributes
    ----------
    add_up
        The function that turns an array of units, shape (..., units), into its sums by group.
    others
        1 - each unit's share of its group's rows, shape (..., units).
    n_units, n_rows, df
        The number of units with rows, that of rows, and Bell and McCaffrey's degrees of freedom, by group.
    """

    add_up: Callable[[Floats], Floats]
    others: Floats
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
        variance = self.add_up(divide_where(influence**2, self.others, 0.0))
        is_known = self.n_units > 1
        variance, df = np.where(is_known, variance, np.nan), np.where(is_known, self.df, 0.0)
        return Spread(variance, df, np.where(is_known, df + 1, self.n_units), self.n_rows)


def size_units(
    n_in_unit: Floats,
    *,
    add_up: Callable[[Floats], Floats] = lambda values: values.sum(axis=-1),
    of_unit: Callable[[Floats], Floats] = lambda values: values[:, None],
) -> Units:
    """Return the units of each group with their numbers, and with what the CR2 variance needs of their sizes.

    Parameters
    ----------
    n_in_unit
        The rows of each unit on which a statistic is scored, shape (..., units).
    add_up, of_unit
        The functions that turn an array of units into its sums by group, and an array of groups into the value of each
        unit's group. By default they take arrays of shape (groups, units).
    """
    n_rows, n_units = add_up(n_in_unit), add_up((n_in_unit > 0).astype(np.float64))
    others = 1 - divide_where(n_in_unit, of_unit(n_rows), 0.0)
    weight = divide_where(n_in_unit**2, others, 0.0)
    crossed = (add_up(weight) ** 2 - add_up(weight**2)) / np.maximum(n_rows, 1.0) ** 2
    df = np.maximum(divide_where(n_rows**2, add_up(n_in_unit**2) + crossed, 0.0), 1.0)
    return Units(add_up, others, n_units, n_rows, df)


@dataclass(frozen=True, slots=True)
class SmoothedVariance:
    """The smoothed variance of a statistic from 0 to 1, for its bounds. Shape (groups,) each.

    Attributes
    ----------
    variance
        The smoothed variance; see `smooth_variance`.
    df
        The degrees of freedom of the variance before it was smoothed.
    n_if_alike
        The effective sample size where all units have the same value.
    is_alike
        Whether all units have the same value but for rounding.
    """

    variance: Floats
    df: Floats
    n_if_alike: Floats
    is_alike: Flags

    def n_effective(self, value: Floats) -> Floats:
        """Return the number of 0/1 scores whose share would vary as the statistic does, shape (groups,)."""
        return np.where(self.is_alike, self.n_if_alike, divide_where(value * (1 - value), self.variance, 0.0))


def smooth_variance(
    value: Floats, spread: Spread, max_n: Floats, n_strata: Floats | float = 1.0, pseudo_units: float = PSEUDO_UNITS
) -> SmoothedVariance:
    """Return the variance of a statistic from 0 to 1, made larger where the rows probably show too little of it.

    Few rows often show less variance than there is. So pseudo-observations with a larger variance are added, and the
    result is the weighted mean of both variances:

    1. Half a row is added that shows the largest variance which the value allows: that of scores of 0 and 1. Clusters
       of many rows may vary much less than that, so they get a smaller part of this half row.
    2. Where a few units cause most of the distance between the value and 0 or 1, there may be others like them that
       were not drawn. This is so where the variance of single units is larger than the squared distance of the value
       from 0 or 1. The larger it is, the more units are added that show the variance of scores of 0 and 1.

    Parameters
    ----------
    max_n
        The largest number of rows that the value can rest on, shape (groups,); see `Statistic.max_n`.
    n_strata
        How many strata share what is added, where each value is that of a stratum; shape (groups,).
    pseudo_units
        How many units are added in the second step where the variance is twice the squared distance.
    """
    n = np.minimum(spread.n_units, max_n)
    largest, shown = value * (1 - value), np.maximum(n - 1, 0)  # as often was the variance shown that is estimated
    half = 0.5 / n_strata
    own = half * divide_where(spread.n_units - 1, spread.n_rows - 1, 1.0) ** 2  # the half where each row is a unit
    smoothed = _mean_variance(spread.variance, shown, divide_where(largest, n, 0.0), own)
    of_binary = _mean_variance(divide_where(largest, shown, 0.0), shown, divide_where(largest, n, 0.0), half)
    excess = divide_where(n * spread.variance, np.minimum(value, 1 - value) ** 2, 0.0) - 1
    moved = _mean_variance(smoothed, shown, of_binary, pseudo_units / n_strata * np.maximum(excess, 0.0))
    is_alike = (spread.variance <= _NO_VARIANCE * largest) | (largest <= 0)
    return SmoothedVariance(np.where(smoothed < of_binary * (1 - _ROUNDING), moved, smoothed), spread.df, n, is_alike)


def _mean_variance(variance: Floats, n: Floats, other: Floats, n_other: Floats | float) -> Floats:
    """Return the mean of two variances, weighted with the numbers of observations that show them."""
    return divide_where(n * variance + n_other * other, n + n_other, np.nan)


def add_strata(
    spread: Spread, smoothed: SmoothedVariance, weights: Floats, add_up: Adder
) -> tuple[Spread, SmoothedVariance]:
    """Return the spread of weighted sums of statistics over strata, and the same with smoothed variances.

    The degrees of freedom are Satterthwaite's (1946), of the variances before they are smoothed. Where all units of
    each stratum are alike, the weights alone tell how many units the sum is worth. NaN where a stratum has no variance.

    Parameters
    ----------
    spread, smoothed
        The spread of each stratum's value, and the same with smoothed variances; arrays of shape (strata,).
    weights
        How much each stratum counts, shape (strata,).
    add_up
        The function that turns an array of strata into its sums by group.
    """
    of_alike = divide_where(np.ones(len(weights)), smoothed.n_if_alike, np.nan)
    is_alike = add_up(np.where(smoothed.is_alike, 0.0, 1.0)) == 0
    of_variance, of_numbers = (
        satterthwaite(weights**2 * each, spread.df, add_up) for each in (spread.variance, of_alike)
    )
    n_if_alike = divide_where(np.ones(len(is_alike)), add_up(weights**2 * of_alike), 0.0)
    variance, moved = (add_up(weights**2 * each) for each in (spread.variance, smoothed.variance))
    df = np.where(variance > 0, of_variance, of_numbers)
    total = Spread(variance, df, add_up(spread.n_units), add_up(spread.n_rows))
    return total, SmoothedVariance(moved, np.where(is_alike, of_numbers, of_variance), n_if_alike, is_alike)


def satterthwaite(variances: Floats, dfs: Floats, add_up: Adder) -> Floats:
    """Return Satterthwaite's degrees of freedom of sums of independent variances (1946), by group; 0 if not known.

    variances, dfs: each variance and its degrees of freedom. add_up: the function that adds up an array by group.
    """
    return divide_where(add_up(variances) ** 2, add_up(divide_where(variances**2, dfs, np.nan)), 0.0)


def smoothed_bounds(value: Floats, smoothed: SmoothedVariance, level: float) -> Bounds:
    """Return Wilson's interval with the effective sample size and Student's t; NaN for fewer than two units.

    The effective sample size is that with which a share of 0/1 scores would vary as the statistic does, value * (1 -
    value) / variance (Korn and Graubard 1998; Franco et al. 2019). Where all units are alike, it is their number. So
    the interval lies inside [0, 1], and has a width even where all scores are 0.
    """
    return wilson(value, smoothed.n_effective(value), t_quantiles(level, smoothed.df))


def recovered_bounds(
    values: Floats, of_strata: SmoothedVariance, weights: Floats, add_up: Adder, quantile: Floats
) -> Bounds:
    """Return the bounds of a weighted sum over strata by their own Wilson intervals (Zou and Donner 2008).

    The distance between the sum and a bound is the root of the sum of squared distances of the strata's bounds, times
    their weights. So a stratum that shows no variance, as where all scores are 0, adds as much as its own interval
    allows.

    Parameters
    ----------
    values, of_strata, weights
        The value of each stratum, its spread with smoothed variances, and how much it counts; shape (strata,).
    add_up
        The function that turns an array of strata into its sums by group.
    quantile
        The quantile of Student's t for the group of each stratum, shape (strata,).
    """
    ends = wilson(values, of_strata.n_effective(values), quantile)
    below, above = (np.sqrt(add_up((weights * (values - end)) ** 2)) for end in ends)
    value = add_up(weights * values)
    return np.maximum(value - below, 0.0), np.minimum(value + above, 1.0)


def unit_bounds(value: Floats, spread: Spread, max_n: Floats, level: float) -> Bounds:
    """Return the bounds of a statistic from 0 to 1: `smoothed_bounds` of its own `smooth_variance`.

    A statistic that rests on no rows may be anything from 0 to 1. NaN for fewer than two units.

    Parameters
    ----------
    value, spread
        The statistic and its spread, shape (groups,).
    max_n
        The largest number of rows that the value can rest on, shape (groups,); see `Statistic.max_n`.
    """
    low, high = smoothed_bounds(value, smooth_variance(value, spread, max_n), level)
    is_free = (max_n <= 0) & ~np.isnan(value + spread.variance)
    return np.where(is_free, 0.0, low), np.where(is_free, 1.0, high)


def wilson(share: Floats, n: Floats, quantile: Floats) -> Bounds:
    """Return Wilson's bounds of a share (1927), shape of `share`: inside [0, 1], and never without width.

    NaN where n is 0. n: the effective sample size. quantile: of the normal or Student's distribution.
    """
    n = np.where(n > 0, n, np.nan)
    shrink = quantile**2 / n
    middle = (share + shrink / 2) / (1 + shrink)
    half = np.sqrt(share * (1 - share) * shrink + shrink**2 / 4) / (1 + shrink)
    return np.clip(middle - half, 0, share), np.clip(middle + half, share, 1)
