"""P-values by random draws, the correction for many tests, and ranks."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.checks import MOST_RESAMPLES, Correction

_FIRST_DRAWS = 10_000
"""Draws of every pair, where their number is not given."""

_DRAWS_PER_STEP = 20
"""The least p-value that can be significant after correction rests on so many draws."""


def alpha_of(ci: float) -> float:
    """Return the level of a test for this level of confidence: for 0.95 it is 0.05 without a rounding error."""
    return round(1 - ci, 12)


# ------------------------------------------------------------------------------------------------------------ p-values


@dataclass(frozen=True, slots=True)
class PValues:
    """P-values, shape (pairs,), and whether each could be smaller, and significant, with more draws."""

    p: Floats
    is_exhausted: Flags


@dataclass(frozen=True, slots=True)
class Draws:
    """The number of random draws that p-values rest on.

    Attributes
    ----------
    n_first
        Draws of every pair.
    n_all, below
        All draws of those pairs whose p-value by the first draws is below `below`. No correction makes the others
        significant. A p-value counts all draws of its pair, the first ones, too, and so it holds its level.
    target
        The smallest level at which a pair is tested after correction.
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
    """Return how many draws are made: `n_resamples`, if it is given.

    For None it is as many as the correction for `n_tests` tests needs, from 10,000 to `MOST_RESAMPLES`; those after the
    first 10,000 are made only for pairs that may be significant.
    """
    target = alpha_of(ci) / n_tests
    n_first = _FIRST_DRAWS if n_resamples is None else n_resamples
    draws = Draws(n_first, n_first, max(1 - ci, 10 / n_first), target, seed)
    if n_resamples is not None or draws.n_enough <= n_first:
        return draws
    return dataclasses.replace(draws, n_all=min(draws.n_enough, MOST_RESAMPLES))


CountExtreme = Callable[[Ints, int, int], Ints]
"""Takes pairs, the first draw and the end. Returns how many of these draws are as far from 0 as the difference of each
pair, shape (pairs,)."""


def draw_p_values(pairs: Ints, draws: Draws, count_extreme: CountExtreme) -> tuple[Floats, Flags]:
    """Return the p-value of each pair, and whether no draw was as far from 0 as its difference; shape (pairs,) each.

    p = (1 + draws as far from 0) / (1 + draws). After the first draws, more are made only for pairs that may be
    significant.
    """
    n_extreme, n_draws = count_extreme(pairs, 0, draws.n_first), np.full(len(pairs), draws.n_first)
    is_open = 1 + n_extreme < draws.below * (1 + n_draws)
    if draws.n_all > draws.n_first and is_open.any():
        n_extreme[is_open] += count_extreme(pairs[is_open], draws.n_first, draws.n_all)
        n_draws[is_open] = draws.n_all
    return (1 + n_extreme) / (1 + n_draws), n_extreme == 0


def adjust_p_values(p: Floats, correction: Correction) -> Floats:
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


def levels_of_steps(p: Floats, p_adj: Floats, correction: Correction, alpha: float) -> Floats:
    """Return the level at which the correction tests each p-value, shape of `p`.

    Holm's procedure tests the smallest of n p-values at alpha / n, the next one at alpha / (n - 1), and so on. Where it
    stops, all that are left have the level of this step. Equal p-values have the same.

    p_adj: the corrected p-values, as `adjust_p_values` returns them. alpha: the level of all tests together.
    """
    if correction == "none":
        return np.full(len(p), alpha)
    tested = np.sort(p[~np.isnan(p)])
    n_before = np.minimum(np.searchsorted(tested, p), np.count_nonzero(p_adj < alpha))
    return np.asarray(alpha / np.maximum(len(tested) - n_before, 1))


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
