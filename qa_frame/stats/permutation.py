"""The permutation test of groups on the same questions: random sign flips → p-values.

The p-value is that of "the difference is 0"; `p_function` has those of all other differences, from the same flips.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.parallel.jobs import map_in_threads
from qa_frame.stats.contrasts import Contrast
from qa_frame.stats.differences import Draws, PValues, draw_p_values
from qa_frame.stats.sign_flips import SharedSums, SignFlips, all_signs, sums_of_both_sides, sums_of_differences

_ELEMENTS = 1 << 20
"""Sums of draws held in memory at once: 8 MB."""


def sign_flip_test(contrast: Contrast, draws: Draws) -> PValues:
    """Return the p-values of the differences, and whether more draws could make them significant; shape (pairs,) each.

    A p-value is the share of sign flips whose difference is as far from 0 as the observed one: of all flips, so exact,
    if there are no more than `draws.n_first`, else of random flips and the observed signs. For means whose differences
    have one size it is that of the sign test, see `MeanContrast.p_of_sign_test`. Where such flips are too rare to look
    for, none is drawn, and it is 1 / (1 + `draws.n_all`). 1 where no unit differs. NaN if nothing is paired, or no
    weighted mean is known.
    """
    n_pairs = len(contrast.difference)
    p, is_exhausted = np.full(n_pairs, np.nan), np.zeros(n_pairs, np.bool_)
    differs = np.any(contrast.delta != 0, axis=1)  # (pairs, units)
    sampled = []
    for pair in np.flatnonzero(~np.isnan(contrast.difference)).tolist():
        units = np.flatnonzero(differs[pair])
        p_of_equals = contrast.p_of_sign_test(pair, units) if len(units) else 1.0
        if p_of_equals is not None:
            p[pair] = p_of_equals
        elif len(units) < 64 and 2 ** len(units) <= draws.n_first:
            p[pair] = _test_all_flips(contrast, pair, units)
        else:
            sampled.append(pair)
    is_never = contrast.are_extremes_too_rare(np.array(sampled, np.int64), draws.n_all)
    never, pairs = (np.array(sampled, np.int64)[which] for which in (is_never, ~is_never))
    p[never], is_exhausted[never] = 1 / (1 + draws.n_all), True

    def count_extreme(those: Ints, start: int, stop: int) -> Ints:
        """Return how many draws from `start` to `stop` are as far from 0 as the difference of each of these pairs."""
        return _FlippedPairs.of(contrast, those).count_random(range(start, stop), draws.seed)

    if len(pairs):
        p[pairs], is_exhausted[pairs] = draw_p_values(pairs, draws, count_extreme)
    return PValues(p, is_exhausted)


def _test_all_flips(contrast: Contrast, pair: int, units: Ints) -> float:
    """Return the p-value of a pair over all sign flips of these units, in which alone its sides differ."""
    flipped, signs = _FlippedPairs.of(contrast, np.array([pair])), all_signs(len(units))
    return float(flipped.count_extreme(signs @ flipped.shared.sums[units])[0] / len(signs))


@dataclass(frozen=True, slots=True)
class _FlippedPairs:
    """Pairs of a contrast whose signs are flipped.

    Attributes
    ----------
    contrast, pairs
        Which pairs of which contrast.
    changing
        The places of the statistic's sums that differ in some unit of these pairs.
    shared
        These sums of each unit, in columns that pairs share.
    extreme_size
        See `Contrast.extreme_size`, shape (pairs,); it is the same for all draws.
    """

    contrast: Contrast
    pairs: Ints
    changing: Ints
    shared: SharedSums
    extreme_size: Floats

    @classmethod
    def of(cls, contrast: Contrast, pairs: Ints) -> _FlippedPairs:
        """Return these pairs with the sums of both sides or those of differences, whichever have fewer columns."""
        changing = np.flatnonzero(np.any([contrast.delta[pair].any(axis=-1) for pair in pairs.tolist()], axis=0))
        shared = sums_of_both_sides(contrast, pairs, changing)
        if shared.sums.shape[1] > len(pairs) * len(changing):
            shared = sums_of_differences(contrast.delta[np.ix_(pairs, changing)])
        return cls(contrast, pairs, changing, shared, contrast.extreme_size(pairs))

    def count_random(self, draws: range, seed: int) -> Ints:
        """Return how many random draws are as far from 0 as the observed difference, shape (pairs,)."""
        flips = SignFlips(self.shared.sums, seed)

        def count(batch: range) -> Ints:
            """Return what `count_extreme` does for the draws of a batch."""
            return self.count_extreme(flips.sums(batch))

        counts = map_in_threads(count, flips.batches(draws.start, draws.stop))
        return sum(counts, np.zeros(len(self.pairs), np.int64))

    def count_extreme(self, sums: Floats) -> Ints:
        """Return how many draws are as far from 0 as the observed difference, shape (pairs,).

        sums: those of `shared` with the signs of each draw, shape (draws, columns).
        """
        by_column = np.ascontiguousarray(sums.T)
        n_extreme = np.zeros(len(self.pairs), np.int64)
        size = max(1, _ELEMENTS // (len(sums) * self.contrast.first.shape[1]))
        for start in range(0, len(self.pairs), size):
            part = slice(start, start + size)
            # Shape (pairs, changing sums, draws).
            flipped = by_column[self.shared.first[part]] - by_column[self.shared.second[part]]
            difference = self.contrast.difference_after_flips(self.pairs[part], self.changing, flipped)
            n_extreme[part] = np.count_nonzero(np.abs(difference) >= self.extreme_size[part, None], axis=1)
        return n_extreme
