"""Differences between groups: their intervals, p-values by random draws, the correction for many tests, and ranks.

What tests and tables of both designs share: groups on the same questions (`contrasts`), and on different ones.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.checks import MOST_RESAMPLES, Correction
from qa_frame.stats.distributions import normal_quantile, t_above, t_quantiles, z_values
from qa_frame.stats.intervals import Bounds

CORRECTIONS: tuple[Correction, ...] = get_args(Correction)

_FIRST_DRAWS = 10_000
"""Draws of every pair, where their number is not given."""

_DRAWS_PER_STEP = 20
"""The least p-value that can be significant after correction rests on so many draws."""


def alpha_of(ci: float) -> float:
    """Return the level of a test for this level of confidence: for 0.95 it is 0.05 without a rounding error."""
    return round(1 - ci, 12)


# -------------------------------------------------------------------------------------------- differences and intervals


@dataclass(frozen=True, slots=True)
class TInterval:
    """What Student's intervals are made of, by group or by pair of groups; NaN for fewer than two units.

    Attributes
    ----------
    middle, error, df
        The middle of the interval, the standard error, and the degrees of freedom.
    """

    middle: Floats
    error: Floats
    df: Floats

    def bounds(self, level: float) -> Bounds:
        """Return the interval of this level about the middle."""
        half = t_quantiles(level, self.df) * self.error
        return self.middle - half, self.middle + half

    def p_beyond(self, margin: float) -> tuple[Floats, Floats]:
        """Return the p-values of two one-sided tests, for differences.

        They test that a difference is -margin or less, and that it is margin or more.
        """
        return self._p_above(self.middle + margin), self._p_above(margin - self.middle)

    def _p_above(self, distance: Floats) -> Floats:
        """Return P(T > distance / error) for Student's T; 1/2 where distance and error are 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = distance / self.error
        return t_above(np.where((distance == 0) & (self.error == 0), 0.0, t), self.df)


@dataclass(frozen=True, slots=True)
class PValues:
    """P-values, shape (pairs,), and whether each could be smaller, and significant, with more draws."""

    p: Floats
    is_exhausted: Flags


@dataclass(frozen=True, slots=True)
class Differences:
    """The differences of a statistic between pairs of groups, with their tests: what a table of differences needs.

    Groups on the same questions and groups on different questions both give these. Arrays have the shape (pairs,).

    Attributes
    ----------
    name
        The name of the statistic.
    a, b
        The labels of the groups of each pair.
    side_values
        The statistic of both sides, shape (2, pairs); NaN where nothing is compared.
    counts
        The counts of each pair by their names.
    bounds
        The bounds of the differences, which agree with the test.
    p_values
        The p-values of the test that the difference is 0.
    interval
        Student's intervals of the differences.
    units
        Numbers of units that the test rests on, shape (numbers, pairs); each design says which numbers.
    """

    name: str
    a: pd.Series
    b: pd.Series
    side_values: Floats
    counts: dict[str, Any]
    bounds: Bounds
    p_values: PValues
    interval: TInterval
    units: Floats

    @property
    def difference(self) -> Floats:
        """The differences a - b, shape (pairs,)."""
        return np.asarray(self.side_values[0] - self.side_values[1])


def make_bounds_agree(
    bounds: Bounds, difference: Floats, p: Floats, ci: float, inverted: Floats | float = np.nan
) -> Bounds:
    """Return the bounds of differences, changed so that they hold 0 exactly where the test does not reject 0.

    Test and interval are different approximations. Where p >= 1 - ci, the interval is widened to hold 0. Elsewhere the
    bound next to 0 is that of the inverted test, if this is narrower. If that is not known, and the interval holds 0,
    the bound is that of a test whose normal quantile is in proportion to the distance from what it tests (Miettinen
    1976). The other bound stays.

    inverted: the bound next to 0 of the interval that the test leaves, shape (pairs,); NaN where it is not known.
    """
    alpha, is_negative = alpha_of(ci), difference < 0
    near, far = (np.where(is_negative, -one, other) for one, other in (bounds[::-1], bounds))
    size, is_kept, is_rejected = np.abs(difference), p >= alpha, p < alpha
    narrow = np.fmax(near, np.minimum(np.where(is_negative, -inverted, inverted), size))
    share = normal_quantile(ci) / z_values(np.where(is_rejected, p, alpha))
    rejecting = np.where(narrow > 0, narrow, size * (1 - share))
    near = np.where(is_kept, np.minimum(near, 0.0), np.where(is_rejected & ~np.isnan(near), rejecting, near))
    far = np.where(is_kept, np.maximum(far, 0.0), far)
    return np.where(is_negative, -far, near), np.where(is_negative, -near, far)


# ------------------------------------------------------------------------------------------------------------ p-values


@dataclass(frozen=True, slots=True)
class Draws:
    """The number of random draws that p-values rest on.

    Attributes
    ----------
    n_first
        Draws of every pair.
    n_all
        Draws of the pairs whose p-value is then below `below`. No correction makes the others significant. As the first
        draws are counted too, the p-values hold their level (a p-value that is not below it stays as it is, and one
        that is below it was so by the first draws already).
    target
        The p-value that can be significant after correction.
    seed
        The same seed gives the same draws.
    """

    n_first: int
    n_all: int
    below: float
    target: float
    seed: int

    @property
    def n_enough(self) -> int:
        """The number of draws that can show p-values below the target."""
        return math.ceil(_DRAWS_PER_STEP / self.target - 1e-12)


def plan_draws(n_resamples: int | None, *, n_tests: int, ci: float, seed: int) -> Draws:
    """Return `n_resamples` draws; for None, as many as the correction for the number of tests needs."""
    target = alpha_of(ci) / n_tests
    n_first = _FIRST_DRAWS if n_resamples is None else n_resamples
    draws = Draws(n_first, n_first, max(1 - ci, 10 / n_first), target, seed)
    if n_resamples is not None or draws.n_enough <= n_first:
        return draws
    return dataclasses.replace(draws, n_all=min(draws.n_enough, MOST_RESAMPLES))


CountExtreme = Callable[[Ints, int, int], Ints]
"""Takes pairs, the first draw and the end; returns how many of these draws are as far from 0, shape (pairs,)."""


def draw_p_values(pairs: Ints, draws: Draws, count_extreme: CountExtreme) -> tuple[Floats, Flags]:
    """Return the p-value of each pair, and whether no draw was as far from 0 as the difference, shape (pairs,) each.

    p = (1 + draws as far from 0) / (1 + draws). More draws are made for those pairs alone that may be significant.
    """
    n_extreme, n_draws = count_extreme(pairs, 0, draws.n_first), np.full(len(pairs), draws.n_first)
    is_open = 1 + n_extreme < draws.below * (1 + n_draws)
    if draws.n_all > draws.n_first and is_open.any():
        n_extreme[is_open] += count_extreme(pairs[is_open], draws.n_first, draws.n_all)
        n_draws[is_open] = draws.n_all
    return (1 + n_extreme) / (1 + n_draws), n_extreme == 0


def adjust(p: Floats, correction: Correction) -> Floats:
    """Return p-values of one family corrected for their number.

    The correction is that of Holm (1979), or none. float64 in [0, 1], shape of `p`. NaN stays NaN and does not count.
    """
    adjusted = p.copy()
    tested = np.flatnonzero(~np.isnan(p))
    if correction == "none" or not len(tested):
        return adjusted
    order = tested[np.argsort(p[tested], kind="stable")]
    ranks = np.arange(len(order))
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * (len(order) - ranks)), 1.0)
    return adjusted


# --------------------------------------------------------------------------------------------------------------- ranks


def rank_bounds(is_better: Flags) -> tuple[Ints, Ints]:
    """Return the best and the worst rank that each group may have, shape (groups,) each; 1 is the best.

    If all of `is_better` is right, as it is with the probability that the correction of p-values promises, then each
    group's rank lies between its bounds, of all groups at once (Holm 2012; Klein, Wright and Wieczorek 2020).

    Parameters
    ----------
    is_better
        Whether the group of the row is better than that of the column, shape (groups, groups).
    """
    return 1 + np.count_nonzero(is_better, axis=0), len(is_better) - np.count_nonzero(is_better, axis=1)


def observed_ranks(differences: Floats) -> Ints:
    """Return the rank of each group by its value, shape (groups,): 1 and the number of groups that are higher.

    Equal groups have equal ranks.

    Parameters
    ----------
    differences
        The value of the group of the row minus that of the column, shape (groups, groups); NaN where it is not known.
    """
    return np.asarray(1 + np.count_nonzero(differences < 0, axis=1))
