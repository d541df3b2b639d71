"""The permutation test of groups on the same questions: random sign flips → p-values, and bounds by test inversion.

To test a difference delta, and not 0, delta is taken from each question's difference. Then a sign flip is as far from 0
as the observed difference where the mean over the flipped questions, or over the kept ones, is not above delta, for a
delta below the observed difference. So the bound of the interval next to 0 is an order statistic of these means over
all draws (Hartigan 1969), and it excludes 0 exactly where the same draws give a p below the level.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.parallel.jobs import map_in_threads
from qa_frame.stats.contrasts import Contrast
from qa_frame.stats.differences import Draws, PValues, alpha_of, draw_p_values, make_bounds_agree
from qa_frame.stats.intervals import Bounds
from qa_frame.stats.sign_flips import SharedSums, SignFlips, all_signs, sums_of_both_sides, sums_of_differences
from qa_frame.stats.statistic import divide_where

_ELEMENTS = 1 << 20
"""Sums of draws held in memory at once: 8 MB."""

_FEW_UNITS = 12
"""All sign flips of so many units are taken."""

_NOTHING = 1e-9
"""Less than this share of all questions is none, but for rounding."""


def sign_flip_test(contrast: Contrast, draws: Draws, *, ci: float) -> tuple[Bounds, PValues]:
    """Return the bounds of the differences, which agree with the test, and its p-values, shape (pairs,).

    A p-value is the share of sign flips whose difference is as far from 0 as the observed one. The share is over all
    flips, so exact, if the differences have one size or there are no more than `draws.n_first` flips. Else it is over
    random flips and the observed signs. NaN if nothing is paired, or no weighted mean is known. Bounds rest on the
    first draws.
    """
    n_pairs, alpha = len(contrast.difference), alpha_of(ci)
    p, near, is_exhausted = np.full(n_pairs, np.nan), np.full(n_pairs, np.nan), np.zeros(n_pairs, np.bool_)
    bounds = contrast.bounds(ci)
    is_inverted = contrast.is_test_inverted(bounds, ci)
    differs = np.any(contrast.delta != 0, axis=1)  # (pairs, units)
    sampled = []
    for pair in np.flatnonzero(~np.isnan(contrast.difference)).tolist():
        units = np.flatnonzero(differs[pair])
        p_of_equals = contrast.p_of_equal_sizes(pair, units) if len(units) else 1.0
        if p_of_equals is not None:
            p[pair] = p_of_equals
        elif len(units) < 64 and 2 ** len(units) <= draws.n_first:
            p[pair], near[pair] = _test_all_flips(contrast, pair, units, is_inverted, alpha)
        else:
            sampled.append(pair)
    is_never = contrast.is_never_reached(np.array(sampled, np.int64), draws.n_all)
    never, pairs = (np.array(sampled, np.int64)[which] for which in (is_never, ~is_never))
    p[never], is_exhausted[never] = 1 / (1 + draws.n_all), True

    def count_extreme(those: Ints, start: int, stop: int) -> Ints:
        """Return how many draws are as far from 0 as each observed difference; set `near` by the first draws."""
        rank = 0 if start else rank_of_bound(stop, alpha, is_random=True)
        flipped = _FlippedPairs.of(contrast, those, invert_test(contrast, those, is_inverted & (rank > 0)), rank)
        n_extreme, means = flipped.count_random(range(start, stop), draws.seed)
        if not start:
            near[those] = flipped.inverted_test.bounds(means, len(those))
        return n_extreme

    if len(pairs):
        p[pairs], is_exhausted[pairs] = draw_p_values(pairs, draws, count_extreme)
    return make_bounds_agree(bounds, contrast.difference, p, ci, near), PValues(p, is_exhausted)


def _test_all_flips(
    contrast: Contrast, pair: int, units: Ints, is_inverted: Flags, alpha: float
) -> tuple[float, float]:
    """Return the p-value of a pair over all sign flips of these units, and the bound next to 0; NaN if not inverted.

    The other units, which do not differ, are flipped, too, where they are few; else half of them count as flipped.
    """
    paired, pairs = np.flatnonzero(contrast.n_in_unit[pair]), np.array([pair])
    units = paired if len(paired) <= _FEW_UNITS else units
    signs = all_signs(len(units))
    rank = rank_of_bound(len(signs), alpha, is_random=False)
    flipped = _FlippedPairs.of(contrast, pairs, invert_test(contrast, pairs, is_inverted & (rank > 0)), rank)
    n_extreme, means = flipped.count_extreme(signs @ flipped.values[units])
    return float(n_extreme[0] / len(signs)), float(flipped.inverted_test.bounds(means, 1)[0])


# ------------------------------------------------------------------------------------------------------- test inversion


@dataclass(frozen=True, slots=True)
class InvertedTest:
    """What the inversion of the test needs, for some pairs of a contrast.

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

    def of_pairs(self, start: int, stop: int) -> InvertedTest:
        """Return the same for the pairs in the places from `start` to `stop` alone."""
        chosen = slice(*np.searchsorted(self.places, [start, stop]).tolist())
        return InvertedTest(self.places[chosen], self.totals[chosen], self.shifts, self.row_of[chosen])

    def bounds(self, means: Floats, n_tested: int) -> Floats:
        """Return the bound next to 0 of each pair that is tested; NaN for those that are not inverted.

        means: the least means over all draws, as many as `rank_of_bound` says.
        """
        bounds = np.full(n_tested, np.nan)
        if means.size:
            bounds[self.places] = np.where(self.totals < 0, -1.0, 1.0) * means.max(axis=1)
        return bounds

    def means(self, moved: Floats, moved_shifts: Floats, n_least: int) -> Floats:
        """Return the least means over flipped and over kept questions, as if all observed differences were above 0.

        Shape (pairs, n_least), or fewer, in no order. A mean over no questions is below all others.

        Parameters
        ----------
        moved
            The differences of totals after each draw, shape (pairs, draws).
        moved_shifts
            The sums of `shifts` with the signs of each draw, shape (rows, draws).
        n_least
            How many means are wanted.
        """
        sign, n_all = np.where(self.totals < 0, -1.0, 1.0)[:, None], self.shifts.sum(axis=1)[self.row_of, None]
        total, n_moved = sign * self.totals[:, None], moved_shifts[self.row_of]
        means = np.empty((2, *moved.shape))
        for side, direction in zip(means, (-1, 1), strict=True):
            n = n_all + direction * n_moved
            side[:] = divide_where(total + direction * sign * moved, n * (n > _NOTHING * n_all), -np.inf)
        return _least(np.concatenate(means, axis=1), n_least)


def invert_test(contrast: Contrast, pairs: Ints, is_inverted: Flags) -> InvertedTest:
    """Return what the inversion of the test needs, of those of these pairs whose test is inverted.

    is_inverted: of all pairs of the contrast, shape (all pairs,).
    """
    places = np.flatnonzero(is_inverted[pairs])
    chosen = pairs[places]
    shifts, row_of = np.unique(contrast.shifts(chosen), axis=0, return_inverse=True)
    return InvertedTest(places, contrast.delta[chosen, 0].sum(axis=-1), shifts, row_of.ravel())


def rank_of_bound(n_draws: int, alpha: float, *, is_random: bool) -> int:
    """Return which of the least means is the bound, from 1 on; 0 where so few draws reject nothing.

    alpha: the level of the test. is_random: whether the observed signs count as a draw beside them.
    """
    more = int(is_random)
    return max(0, math.ceil(alpha * (n_draws + more) - more - 1e-9))


def _least(values: Floats, n: int) -> Floats:
    """Return the n least values of each row, in no order; all where there are fewer."""
    return np.partition(values, n - 1, axis=1)[:, :n] if 0 < n < values.shape[1] else values


# --------------------------------------------------------------------------------------------------------------- draws


@dataclass(frozen=True, slots=True)
class _FlippedPairs:
    """Pairs of a contrast whose signs are flipped.

    Attributes
    ----------
    contrast, pairs
        Which pairs of which contrast.
    moving
        The sums of the statistic that differ in some unit of these pairs.
    shared
        These sums of each unit.
    inverted_test, rank
        What inverts the test, and how many of the least means are kept for it; see `rank_of_bound`.
    extreme_from
        See `Contrast.extreme_from`, shape (pairs,); it is the same for all draws.
    """

    contrast: Contrast
    pairs: Ints
    moving: Ints
    shared: SharedSums
    inverted_test: InvertedTest
    rank: int
    extreme_from: Floats

    @classmethod
    def of(cls, contrast: Contrast, pairs: Ints, inverted_test: InvertedTest, rank: int) -> _FlippedPairs:
        """Return these pairs, with the sums of both sides or of the differences, whichever are fewer."""
        moving = np.flatnonzero(np.any([contrast.delta[pair].any(axis=-1) for pair in pairs.tolist()], axis=0))
        shared = sums_of_both_sides(contrast, pairs, moving)
        if shared.sums.shape[1] > len(pairs) * len(moving):
            shared = sums_of_differences(contrast.delta[np.ix_(pairs, moving)])
        return cls(contrast, pairs, moving, shared, inverted_test, rank, contrast.extreme_from(pairs))

    @property
    def values(self) -> Floats:
        """What signs are given to: the shared sums, and then the shifts of the inversion; shape (units, columns)."""
        return np.concatenate([self.shared.sums, self.inverted_test.shifts.T], axis=1)

    def count_random(self, draws: range, seed: int) -> tuple[Ints, Floats]:
        """Return how many random draws are as far from 0 as the observed difference, and the least means of all draws.

        The shapes are those of `count_extreme`, which counts them batch by batch.
        """
        flips = SignFlips(self.values, seed)

        def count(batch: range) -> tuple[Ints, Floats]:
            """Return what `count_extreme` does for the draws of a batch."""
            return self.count_extreme(flips.sums(batch))

        n_extreme, means = np.zeros(len(self.pairs), np.int64), np.empty((len(self.inverted_test.places), 0))
        for n_of_batch, means_of_batch in map_in_threads(count, flips.batches(draws.start, draws.stop)):
            n_extreme += n_of_batch
            means = _least(np.concatenate([means, means_of_batch], axis=1), self.rank)
        return n_extreme, means

    def count_extreme(self, sums: Floats) -> tuple[Ints, Floats]:
        """Return how many draws are as far from 0 as the observed difference, shape (pairs,), and their least means.

        sums: those of `values` with the signs of each draw, shape (draws, columns).
        """
        by_column = np.ascontiguousarray(sums.T)
        n_extreme = np.zeros(len(self.pairs), np.int64)
        size = max(1, _ELEMENTS // (len(sums) * self.contrast.first.shape[1]))
        means = [np.empty((0, 2 * len(sums)))]
        for start in range(0, len(self.pairs), size):
            part = slice(start, start + size)
            moved = by_column[self.shared.first[part]] - by_column[self.shared.second[part]]  # (pairs, moving, draws)
            difference = self.contrast.difference_after_flips(self.pairs[part], self.moving, moved)
            n_extreme[part] = np.count_nonzero(np.abs(difference) >= self.extreme_from[part, None], axis=1)
            inverted_test = self.inverted_test.of_pairs(start, start + size)
            if len(inverted_test.places):
                moved_shifts = by_column[self.shared.sums.shape[1] :]
                means.append(inverted_test.means(difference[inverted_test.places - start], moved_shifts, self.rank))
        return n_extreme, np.concatenate(means if len(means) == 1 else means[1:])
