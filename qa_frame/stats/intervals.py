"""Confidence intervals of figures: which are asked for, and their bounds from a figure's variance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.errors import UnknownOptionError, is_number, require_choice, require_whole_number, show
from qa_frame.stats.figures import divide_where
from qa_frame.stats.student import t_quantiles

Bounds = tuple[Floats, Floats]

Method = Literal["normal", "bootstrap"]
METHODS: tuple[Method, ...] = ("normal", "bootstrap")

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
    """

    variance: Floats
    df: Floats
    n_units: Floats
    n_rows: Floats


def spread_of_rows(variance: Floats, n: Ints) -> Spread:
    """Return the spread where each row is a unit: n - 1 degrees of freedom."""
    rows = n.astype(np.float64)
    return Spread(np.where(n > 1, variance, np.nan), rows - 1, rows, rows)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Units:
    """The sizes of units that may hold several rows, and the numbers that depend on sizes alone.

    Attributes
    ----------
    add_up
        From an array of units, shape (..., units), to its sums by group.
    others
        1 - each unit's share of its group's rows, shape (..., units).
    n_units, n_rows, df
        Per group: units with rows, rows, and Bell and McCaffrey's degrees of freedom.
    """

    add_up: Callable[[Floats], Floats]
    others: Floats
    n_units: Floats
    n_rows: Floats
    df: Floats

    def spread(self, pull: Floats) -> Spread:
        """Return the spread by the CR2 variance: each unit's squared part over 1 - its share of the rows.

        A large cluster pulls the figure towards itself, so that what is left of its part is too small (Bell and
        McCaffrey 2002). For units of one row each this is `spread_of_rows`.

        Parameters
        ----------
        pull
            How far each unit moves the figure: gradient · sums, shape (..., units). Their sum over a group is 0.
        """
        variance = self.add_up(divide_where(pull**2, self.others, 0.0))
        is_known = self.n_units > 1
        return Spread(np.where(is_known, variance, np.nan), np.where(is_known, self.df, 0.0), self.n_units, self.n_rows)


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
        From an array of units to its sums by group, and from an array of groups to the value of each unit's group. The
        default is for arrays of shape (groups, units).
    """
    n_rows, n_units = add_up(n_in_unit), add_up((n_in_unit > 0).astype(np.float64))
    others = 1 - divide_where(n_in_unit, of_unit(n_rows), 0.0)
    weight = divide_where(n_in_unit**2, others, 0.0)
    crossed = (add_up(weight) ** 2 - add_up(weight**2)) / np.maximum(n_rows, 1.0) ** 2
    df = np.maximum(divide_where(n_rows**2, add_up(n_in_unit**2) + crossed, 0.0), 1.0)
    return Units(add_up, others, n_units, n_rows, df)


def t_bounds(value: Floats, spread: Spread, level: float) -> Bounds:
    """Return value ± Student's t times the standard error; NaN for fewer than two units."""
    half = t_quantiles(level, spread.df) * np.sqrt(spread.variance)
    return value - half, value + half


def unit_bounds(value: Floats, spread: Spread, support: Floats, level: float) -> Bounds:
    """Return the bounds of a figure from 0 to 1: Wilson's interval with the effective sample size and Student's t.

    The effective sample size is that with which a share of 0/1 scores would vary as the figure does, value * (1 -
    value) / variance (Korn and Graubard 1998; Franco et al. 2019). The variance is first moved towards the largest one
    that the value allows, as if half a row and half a unit more had shown it: few units often show too little of it.
    Where all units are alike, the effective sample size is their number. So the interval lies inside [0, 1], and has a
    width even where all scores are 0. NaN for fewer than two units.

    Parameters
    ----------
    support
        How many rows at most the value rests on, shape (groups,); see `Figure.support`.
    """
    n = np.minimum(spread.n_units, support)
    largest = value * (1 - value)
    # A row is its own unit where there are no clusters: then the two halves are one.
    more = 1 - 0.5 * divide_where(spread.n_units, spread.n_rows, 1.0)
    shown = np.maximum(n - 1, 0)  # as many times over was the variance shown that is estimated
    shifted = (shown * spread.variance + more * divide_where(largest, n, 0.0)) / np.maximum(shown + more, more)
    varies = spread.variance > _NO_VARIANCE * largest
    effective = np.where(varies & (largest > 0), divide_where(largest, shifted, 0.0), n)
    low, high = wilson(value, effective, t_quantiles(level, spread.df))
    is_free = (support <= 0) & ~np.isnan(value + spread.variance)  # it rests on nothing, and may be anything
    return np.where(is_free, 0.0, low), np.where(is_free, 1.0, high)


def wilson(share: Floats, n: Floats, quantile: Floats) -> Bounds:
    """Return the bounds of a share (Wilson 1927): inside [0, 1], and never without width. NaN where n is 0."""
    n = np.where(n > 0, n, np.nan)
    shrink = quantile**2 / n
    middle = (share + shrink / 2) / (1 + shrink)
    half = np.sqrt(share * (1 - share) * shrink + shrink**2 / 4) / (1 + shrink)
    return np.clip(middle - half, 0, share), np.clip(middle + half, share, 1)
