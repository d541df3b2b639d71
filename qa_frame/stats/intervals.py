"""Confidence intervals of figures: which are asked for, and their bounds from a figure's variance."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import (
    MissingPackageError,
    UnknownOptionError,
    is_number,
    require_choice,
    require_whole_number,
    show,
)
from qa_frame.stats.exact_sums import sum_floats
from qa_frame.stats.figures import divide_where
from qa_frame.stats.student import t_quantiles

Bounds = tuple[Floats, Floats]

Adder = Callable[[Floats], Floats]
"""From an array of units or strata to its sums by group."""

Method = Literal["normal", "bootstrap", "exact"]
METHODS: tuple[Method, ...] = ("normal", "bootstrap", "exact")

MOST_RESAMPLES = 10_000_000
"""More resamples would make no p-value or interval better that anybody could tell."""

_ROUNDING = 1e-12
"""A level that is closer to 1 would be lost in rounding."""

_NO_VARIANCE = 1e-24
"""A variance that is no more than this share of the largest one is 0 but for rounding."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The intervals that are asked for. A level of None asks for no intervals."""

    level: float | None
    method: Method
    n_resamples: int
    seed: int

    @property
    def without_strata(self) -> str | None:
        """The argument that asks for bounds which strata do not have, as errors name it; None where they have them."""
        return None if self.level is None or self.method == "normal" else f"method={self.method!r}"


def make_interval(ci: Any, method: Any, n_resamples: Any, seed: Any) -> Interval:
    """Check the arguments. A wrong one raises UnknownOptionError."""
    require_choice("method", method, METHODS)
    require_resampling(ci=0.95 if ci is None else ci, n_resamples=n_resamples, seed=seed)
    return Interval(None if ci is None else float(ci), method, int(n_resamples), int(seed))


def require_resampling(*, ci: Any, n_resamples: Any, seed: Any) -> None:
    """Raise UnknownOptionError unless these are a share, a number of resamples and a seed."""
    if not is_number(ci) or not 0 < float(ci) <= 1 - _ROUNDING:
        raise UnknownOptionError(f"ci={show(ci)} is not a number between 0 and 1; give 0.95 for 95 % intervals")
    require_whole_number("n_resamples", n_resamples, least=1, most=MOST_RESAMPLES)
    require_whole_number("seed", seed, least=0, most=2**128 - 1)


@dataclass(frozen=True, slots=True)
class Spread:
    """How far a figure would vary if other units had been drawn. Shape (groups,) each.

    Attributes
    ----------
    variance
        The estimated variance of the figure; NaN for fewer than two units.
    df
        The degrees of freedom of that estimate.
    n_units, n_rows
        Units (clusters, or rows), and the rows in them, that the figure is scored on.
    of_rows
        The variance that the figure would have if each row were a unit, with the factor n / (n - 1).
    """

    variance: Floats
    df: Floats
    n_units: Floats
    n_rows: Floats
    of_rows: Floats


def spread_of_rows(variance: Floats, n: Ints) -> Spread:
    """Return the spread where each row is a unit: n - 1 degrees of freedom."""
    rows = n.astype(np.float64)
    return Spread(np.where(n > 1, variance, np.nan), rows - 1, rows, rows, variance)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Units:
    """The sizes of units that may hold several rows, and the numbers that depend on sizes alone.

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

    def spread(self, pull: Floats, of_rows: Floats) -> Spread:
        """Return the spread by the CR2 variance: each unit's squared part over 1 - its share of the rows.

        A large cluster pulls the figure towards itself, so that what is left of its part is too small (Bell and
        McCaffrey 2002). For units of one row each this is `spread_of_rows`.

        Parameters
        ----------
        pull
            How far each unit moves the figure: gradient · sums, shape (..., units). Their sum over a group is 0.
        of_rows
            The variance that the figure would have if each row were a unit, per group.
        """
        variance = self.add_up(divide_where(pull**2, self.others, 0.0))
        is_known = self.n_units > 1
        variance, df = np.where(is_known, variance, np.nan), np.where(is_known, self.df, 0.0)
        return Spread(variance, df, self.n_units, self.n_rows, of_rows)


def size_units(
    n_in_unit: Floats,
    *,
    add_up: Callable[[Floats], Floats] = lambda values: values.sum(axis=-1),
    of_unit: Callable[[Floats], Floats] = lambda values: values[:, None],
) -> Units:
    """Return the numbers that depend on the sizes of units alone.

    Parameters
    ----------
    n_in_unit
        The rows of each unit on which a figure is scored, shape (..., units).
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


def size_units_of(n_in_unit: Ints, group: Ints, n_groups: int) -> Units:
    """Return the same for units in groups, whose sums do not depend on the order of units. group: of each unit."""
    return size_units(
        n_in_unit.astype(np.float64),
        add_up=functools.partial(sum_floats, codes=group, n_groups=n_groups),
        of_unit=functools.partial(np.take, indices=group),
    )


def t_bounds(value: Floats, spread: Spread, level: float) -> Bounds:
    """Return value ± Student's t times the standard error; NaN for fewer than two units."""
    half = t_quantiles(level, spread.df) * np.sqrt(spread.variance)
    return value - half, value + half


@dataclass(frozen=True, slots=True)
class Shifted:
    """A figure's variance as its bounds take it. Shape (groups,) each.

    Attributes
    ----------
    variance
        The variance, moved towards the largest one that the value allows; see `shift`.
    df
        The degrees of freedom of the variance before it was moved.
    n_if_alike
        The effective sample size where the units are all alike.
    is_alike
        Whether the units are all alike but for rounding.
    """

    variance: Floats
    df: Floats
    n_if_alike: Floats
    is_alike: Flags

    def n_effective(self, value: Floats) -> Floats:
        """Return the number of 0/1 scores whose share would vary as the figure does, shape (groups,)."""
        return np.where(self.is_alike, self.n_if_alike, divide_where(value * (1 - value), self.variance, 0.0))


def shift(value: Floats, spread: Spread, support: Floats, n_strata: Floats | float = 1.0) -> Shifted:
    """Return the variance of a figure from 0 to 1, moved towards the largest one that the value allows.

    It is moved as if half a row and half a unit more had shown it: few units often show too little of it. How much the
    half unit shows depends on the rows. The fewer rows the units have, the nearer it is to a unit of one row of 0 or 1.
    The more rows they have, the nearer it is to the variance of single rows, which half a row of 0 or 1 has moved. So
    scores that vary little keep narrow bounds in clusters.

    Parameters
    ----------
    support
        How many rows at most the value rests on, shape (groups,); see `Figure.support`.
    n_strata
        How many strata share the half row and the half unit, each of which is one of the values; shape (groups,).
    """
    n = np.minimum(spread.n_units, support)
    largest = value * (1 - value)
    rows = np.maximum(np.minimum(spread.n_rows, support), 1.0)
    of_row = ((rows - 1) * (rows * spread.of_rows) + largest / 2) / (rows - 0.5)
    single = divide_where(spread.n_units - 1, spread.n_rows - 1, 1.0) ** 2  # 1 where each row is a unit
    of_unit = single * largest + (1 - single) * of_row
    # A row is its own unit where there are no clusters: then the two halves are one.
    more = (1 - 0.5 * divide_where(spread.n_units, spread.n_rows, 1.0)) / n_strata
    shown = np.maximum(n - 1, 0)  # as many times over was the variance shown that is estimated
    shifted = (shown * spread.variance + more * divide_where(of_unit, n, 0.0)) / np.maximum(shown + more, more)
    is_alike = (spread.variance <= _NO_VARIANCE * largest) | (largest <= 0)
    return Shifted(shifted, spread.df, n, is_alike)


def add_strata(spread: Spread, shifted: Shifted, weights: Floats, add_up: Adder) -> tuple[Spread, Shifted]:
    """Return the spread of weighted sums of figures over strata, and the same with variances that are moved.

    The degrees of freedom are Satterthwaite's (1946), of the variances before they are moved. Where all units of each
    stratum are alike, the weights alone tell how many units the sum is worth. NaN where a stratum has no variance.

    Parameters
    ----------
    spread, shifted
        The spread of each stratum's figure, and the same with moved variances; arrays of shape (strata,).
    weights
        How much each stratum counts, shape (strata,).
    add_up
        The function that turns an array of strata into its sums by group.
    """

    def freedom(variance: Floats) -> Floats:
        parts = weights**2 * variance
        return divide_where(add_up(parts) ** 2, add_up(divide_where(parts**2, spread.df, np.nan)), 0.0)

    of_alike = divide_where(np.ones(len(weights)), shifted.n_if_alike, np.nan)
    is_alike = add_up(np.where(shifted.is_alike, 0.0, 1.0)) == 0
    of_variance, of_numbers = freedom(spread.variance), freedom(of_alike)
    n_if_alike = divide_where(np.ones(len(is_alike)), add_up(weights**2 * of_alike), 0.0)
    variance, moved, of_rows = (
        add_up(weights**2 * each) for each in (spread.variance, shifted.variance, spread.of_rows)
    )
    df = np.where(variance > 0, of_variance, of_numbers)
    total = Spread(variance, df, add_up(spread.n_units), add_up(spread.n_rows), of_rows)
    return total, Shifted(moved, np.where(is_alike, of_numbers, of_variance), n_if_alike, is_alike)


def shifted_bounds(value: Floats, shifted: Shifted, level: float) -> Bounds:
    """Return Wilson's interval with the effective sample size and Student's t; NaN for fewer than two units.

    The effective sample size is that with which a share of 0/1 scores would vary as the figure does, value * (1 -
    value) / variance (Korn and Graubard 1998; Franco et al. 2019). Where all units are alike, it is their number. So
    the interval lies inside [0, 1], and has a width even where all scores are 0.
    """
    return wilson(value, shifted.n_effective(value), t_quantiles(level, shifted.df))


def recovered_bounds(values: Floats, of_strata: Shifted, weights: Floats, add_up: Adder, quantile: Floats) -> Bounds:
    """Return bounds of a weighted sum by its strata's own Wilson intervals (Zou and Donner 2008).

    The distance of a bound is the root of the sum of squared distances of the strata's bounds, times their weights. So
    a stratum that shows no variance, as where all scores are 0, adds as much as its own interval allows.

    Parameters
    ----------
    values, of_strata, weights
        The figure of each stratum, its spread with moved variances, and how much it counts; shape (strata,).
    add_up
        The function that turns an array of strata into its sums by group.
    quantile
        The quantile of Student's t for the group of each stratum, shape (strata,).
    """
    ends = wilson(values, of_strata.n_effective(values), quantile)
    below, above = (np.sqrt(add_up((weights * (values - end)) ** 2)) for end in ends)
    value = add_up(weights * values)
    return np.maximum(value - below, 0.0), np.minimum(value + above, 1.0)


def unit_bounds(value: Floats, spread: Spread, support: Floats, level: float) -> Bounds:
    """Return the bounds of a figure from 0 to 1: `shifted_bounds` of its own `shift`.

    A figure that rests on nothing may be anything from 0 to 1. NaN for fewer than two units.

    Parameters
    ----------
    support
        How many rows at most the value rests on, shape (groups,); see `Figure.support`.
    """
    low, high = shifted_bounds(value, shift(value, spread, support), level)
    is_free = (support <= 0) & ~np.isnan(value + spread.variance)  # it rests on nothing, and may be anything
    return np.where(is_free, 0.0, low), np.where(is_free, 1.0, high)


def wilson(share: Floats, n: Floats, quantile: Floats) -> Bounds:
    """Return the bounds of a share (Wilson 1927): inside [0, 1], and never without width. NaN where n is 0."""
    n = np.where(n > 0, n, np.nan)
    shrink = quantile**2 / n
    middle = (share + shrink / 2) / (1 + shrink)
    half = np.sqrt(share * (1 - share) * shrink + shrink**2 / 4) / (1 + shrink)
    return np.clip(middle - half, 0, share), np.clip(middle + half, share, 1)


def clopper_pearson(n_right: Ints, n: Ints, level: float) -> Bounds:
    """Return the exact bounds of shares of independent rows of 0 and 1, shape (groups,); NaN where n is 0.

    Whatever the true share is, they hold it in `level` of draws or more (Clopper and Pearson 1934). They need scipy;
    without it this raises MissingPackageError.
    """
    special = require_scipy("method='exact'").special
    tail, known = (1 - level) / 2, np.maximum(n, 1)
    low = special.betaincinv(np.maximum(n_right, 1), known - n_right + 1, tail)
    high = special.betaincinv(n_right + 1, np.maximum(known - n_right, 1), 1 - tail)
    low, high = np.where(n_right > 0, low, 0.0), np.where(n_right < known, high, 1.0)
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)


def require_scipy(what: str) -> Any:
    """Return scipy, which is an extra and slow to import. what: that needs it, for the MissingPackageError."""
    try:
        import scipy  # noqa: PLC0415
        import scipy.special  # noqa: PLC0415
        import scipy.stats  # noqa: PLC0415
    except ImportError as error:
        raise MissingPackageError(
            f'{what} needs scipy, which is not installed; pip install "qa-frame[stats]"'
        ) from error
    return scipy
