"""P-values of differences that rest on random draws: how many draws, and the correction for the number of tests."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import get_args

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.checks import MOST_RESAMPLES, Correction

CORRECTIONS: tuple[Correction, ...] = get_args(Correction)

_FIRST_DRAWS = 10_000
"""Draws of every pair, where their number is not given."""

_DRAWS_PER_STEP = 20
"""The least p-value that can be significant after correction rests on so many draws."""


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


def alpha_of(ci: float) -> float:
    """Return the level of a test at this level of confidence: 0.05 for 0.95, and not 0.05 and a rounding error."""
    return round(1 - ci, 12)


def plan_draws(n_resamples: int | None, *, n_tests: int, ci: float, seed: int) -> Draws:
    """Return `n_resamples` draws; for None, as many as the correction for the number of tests needs."""
    target = alpha_of(ci) / n_tests
    given = _FIRST_DRAWS if n_resamples is None else n_resamples
    draws = Draws(given, given, max(1 - ci, 10 / given), target, seed)
    if n_resamples is not None or draws.n_enough <= given:
        return draws
    return dataclasses.replace(draws, n_all=min(draws.n_enough, MOST_RESAMPLES))


@dataclass(frozen=True, slots=True)
class PValues:
    """P-values, shape (pairs,), and whether more draws could make each of them less, and significant."""

    p: Floats
    is_exhausted: Flags


Count = Callable[[Ints, int, int], tuple[Ints, Ints]]
"""Pairs, first draw, last draw → the draws with a difference as far from 0, and the draws with any difference."""


def draw_p_values(pairs: Ints, draws: Draws, count: Count) -> tuple[Floats, Flags]:
    """Return p = (1 + draws as far from 0) / (1 + draws) of each pair, and whether no draw was as far from 0."""
    n_extreme, n_drawn = count(pairs, 0, draws.n_first)
    is_open = 1 + n_extreme < draws.below * (1 + n_drawn)
    if draws.n_all > draws.n_first and is_open.any():
        more = count(pairs[is_open], draws.n_first, draws.n_all)
        n_extreme[is_open] += more[0]
        n_drawn[is_open] += more[1]
    return (1 + n_extreme) / (1 + n_drawn), n_extreme == 0


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
