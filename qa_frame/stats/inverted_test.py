"""The permutation test of each difference, not of 0 alone → the bound of the interval that it leaves next to 0.

To test a difference delta, delta is taken from each question's difference. Then a swap is as far from 0 as what was
found where the mean over the swapped questions, or over the kept ones, is not above delta, for a delta below the
difference found. So the bound is an order statistic of these means over all draws (Hartigan 1969), and it excludes 0
exactly where the same draws give a p below the level.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.stats.contrasts import Contrast
from qa_frame.stats.statistic import divide_where

_NOTHING = 1e-9
"""Less than this share of all questions is none, but for rounding."""


@dataclass(frozen=True, slots=True)
class Inversion:
    """What inverts the test of some pairs of a contrast.

    Attributes
    ----------
    places
        The places of the pairs among those that are tested.
    totals
        Their differences of totals, shape (pairs,).
    shifts
        Rows of `Contrast.shifts`, each once, shape (rows, units).
    row_of
        The row of each pair.
    """

    places: Ints
    totals: Floats
    shifts: Floats
    row_of: Ints

    def of_pairs(self, start: int, stop: int) -> Inversion:
        """Return what inverts the test of the pairs in the places from `start` to `stop` alone."""
        chosen = slice(*np.searchsorted(self.places, [start, stop]).tolist())
        return Inversion(self.places[chosen], self.totals[chosen], self.shifts, self.row_of[chosen])

    def bounds(self, means: Floats, n_tested: int) -> Floats:
        """Return the bound next to 0 of each pair that is tested; NaN for those that are not inverted.

        means: the least means over all draws, as many as `rank_of_bound` says.
        """
        found = np.full(n_tested, np.nan)
        if means.size:
            found[self.places] = np.where(self.totals < 0, -1.0, 1.0) * means.max(axis=1)
        return found

    def means(self, moved: Floats, smoothed: Floats, n_least: int) -> Floats:
        """Return the least means over swapped and over kept questions, as if all differences found were above 0.

        Shape (pairs, n_least), or fewer, in no order. A mean over no questions is below all others.

        Parameters
        ----------
        moved
            The differences of totals after each draw, shape (pairs, draws).
        smoothed
            The sums of `shifts` with the signs of each draw, shape (rows, draws).
        n_least
            How many are asked for.
        """
        sign, n_all = np.where(self.totals < 0, -1.0, 1.0)[:, None], self.shifts.sum(axis=1)[self.row_of, None]
        total, n_moved = sign * self.totals[:, None], smoothed[self.row_of]
        found = np.empty((2, *moved.shape))
        for side, direction in zip(found, (-1, 1), strict=True):
            n = n_all + direction * n_moved
            side[:] = divide_where(total + direction * sign * moved, n * (n > _NOTHING * n_all), -np.inf)
        return least(np.concatenate(found, axis=1), n_least)


def invert(contrast: Contrast, pairs: Ints, is_wanted: Flags) -> Inversion:
    """Return what inverts the test of those of these pairs of which it is wanted. is_wanted: shape (all pairs,)."""
    places = np.flatnonzero(is_wanted[pairs])
    chosen = pairs[places]
    shifts, row_of = np.unique(contrast.shifts(chosen), axis=0, return_inverse=True)
    return Inversion(places, contrast.delta[chosen, 0].sum(axis=-1), shifts, row_of.ravel())


def rank_of_bound(n_draws: int, alpha: float, *, is_random: bool) -> int:
    """Return which of the least means is the bound, from 1 on; 0 where so few draws reject nothing.

    alpha: the level of the test. is_random: whether what was found counts as a draw beside them.
    """
    more = int(is_random)
    return max(0, math.ceil(alpha * (n_draws + more) - more - 1e-9))


def least(values: Floats, n: int) -> Floats:
    """Return the n least values of each row, in no order; all where there are fewer."""
    return np.partition(values, n - 1, axis=1)[:, :n] if 0 < n < values.shape[1] else values
