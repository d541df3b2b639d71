"""The permutation test: random swaps of two groups' answers → p-values of their differences."""

from __future__ import annotations

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.parallel.jobs import map_in_threads
from qa_frame.stats.contrasts import Contrast, agree
from qa_frame.stats.intervals import Bounds
from qa_frame.stats.inverted_test import Inversion, invert, least, rank_of_bound
from qa_frame.stats.p_values import Draws, PValues, alpha_of, draw_p_values
from qa_frame.stats.shared_sums import Lines, lines_of_differences, lines_of_sides
from qa_frame.stats.sign_flips import Swaps, all_signs

_ELEMENTS = 1 << 20
"""Sums of draws held in memory at once: 8 MB."""

_FEW_UNITS = 12
"""All swaps of so many units are taken."""


def swap_test(contrast: Contrast, draws: Draws, *, ci: float) -> tuple[Bounds, PValues]:
    """Return the bounds of the differences, which agree with the test, and its p-values, shape (pairs,).

    A p-value is the share of swaps whose difference is as far from 0 as the one found. The share is over all swaps, so
    exact, if the differences have one size or there are no more than `draws.n_first` swaps. Else it is over random
    swaps and the one found. NaN if nothing is paired, or no weighted mean is known. Bounds rest on the first draws.
    """
    p, is_exhausted = np.full(len(contrast.found), np.nan), np.zeros(len(contrast.found), np.bool_)
    bounds, near, alpha = contrast.bounds(ci), np.full(len(p), np.nan), alpha_of(ci)
    is_test_inverted = contrast.is_test_inverted(bounds, ci)
    differs = np.any(contrast.delta != 0, axis=1)  # (pairs, units)
    sampled = []
    for pair in np.flatnonzero(~np.isnan(contrast.found)).tolist():
        units = np.flatnonzero(differs[pair])
        p_of_equals = contrast.p_of_equal_sizes(pair, units) if len(units) else 1.0
        if p_of_equals is not None:
            p[pair] = p_of_equals
        elif len(units) < 64 and 2 ** len(units) <= draws.n_first:
            p[pair], near[pair] = _of_all_swaps(contrast, pair, units, is_test_inverted, alpha)
        else:
            sampled.append(pair)
    is_never = contrast.is_never_reached(np.array(sampled, np.int64), draws.n_all)
    never, pairs = (np.array(sampled, np.int64)[which] for which in (is_never, ~is_never))
    p[never], is_exhausted[never] = 1 / (1 + draws.n_all), True

    def count(those: Ints, start: int, stop: int) -> tuple[Ints, Ints]:
        rank = 0 if start else rank_of_bound(stop, alpha, is_random=True)
        inverting = invert(contrast, those, is_test_inverted & (rank > 0))
        n_extreme, means = _count_swaps(contrast, draws, those, range(start, stop), inverting=inverting, rank=rank)
        if not start:
            near[those] = inverting.bounds(means, len(those))
        return n_extreme, np.full(len(those), stop - start)

    if len(pairs):
        p[pairs], is_exhausted[pairs] = draw_p_values(pairs, draws, count)
    return agree(bounds, contrast.found, p, ci, near), PValues(p, is_exhausted)


def _count_swaps(
    contrast: Contrast, draws: Draws, pairs: Ints, steps: range, *, inverting: Inversion, rank: int
) -> tuple[Ints, Floats]:
    """Return how many of these swaps give a difference as far from 0 as the one found; and the least means of them."""
    moving = _find_moving_parts(contrast, pairs)
    lines = lines_of_sides(contrast, pairs, moving)
    if lines.sums.shape[1] > len(pairs) * len(moving):
        lines = lines_of_differences(contrast.delta[np.ix_(pairs, moving)])
    swaps = Swaps(np.concatenate([lines.sums, inverting.shifts.T], axis=1), draws.seed)
    parts, far = swaps.parts(steps.start, steps.stop), contrast.extreme_from(pairs)

    def count(part: range) -> tuple[Ints, Floats]:
        return _n_extreme(contrast, pairs, moving, lines, swaps.sums(part), far=far, inverting=inverting, rank=rank)

    n_extreme, means = np.zeros(len(pairs), np.int64), np.empty((len(inverting.places), 0))
    for found, more in map_in_threads(count, parts):
        n_extreme += found
        means = least(np.concatenate([means, more], axis=1), rank)
    return n_extreme, means


def _of_all_swaps(
    contrast: Contrast, pair: int, units: Ints, is_test_inverted: Flags, alpha: float
) -> tuple[float, float]:
    """Return the share of all swaps of these units with a difference as far from 0, and the bound next to 0.

    The other units, which do not differ, are swapped, too, where they are few; else half of them count as swapped.
    """
    paired, pairs = np.flatnonzero(contrast.n_in_unit[pair]), np.array([pair])
    units = paired if len(paired) <= _FEW_UNITS else units
    signs, moving = all_signs(len(units)), _find_moving_parts(contrast, pairs)
    rank = rank_of_bound(len(signs), alpha, is_random=False)
    inverting = invert(contrast, pairs, is_test_inverted & (rank > 0))
    lines = lines_of_differences(contrast.delta[np.ix_(pairs, moving, units)])
    sums = signs @ np.concatenate([lines.sums, inverting.shifts[:, units].T], axis=1)
    far = contrast.extreme_from(pairs)
    n_extreme, means = _n_extreme(contrast, pairs, moving, lines, sums, far=far, inverting=inverting, rank=rank)
    return float(n_extreme[0] / len(signs)), float(inverting.bounds(means, 1)[0])


def _find_moving_parts(contrast: Contrast, pairs: Ints) -> Ints:
    """Return the parts that differ in some unit of these pairs."""
    return np.flatnonzero(np.any([contrast.delta[pair].any(axis=-1) for pair in pairs.tolist()], axis=0))


def _n_extreme(
    contrast: Contrast,
    pairs: Ints,
    moving: Ints,
    lines: Lines,
    sums: Floats,
    *,
    far: Floats,
    inverting: Inversion,
    rank: int,
) -> tuple[Ints, Floats]:
    """Return how many draws give each pair a difference as far from 0 as the one found; and the least means of them.

    sums: the sums of the lines, and of the shifts of `inverting`, with the signs of each draw, shape (draws, lines).
    far: see `Contrast.extreme_from`, shape (pairs,); it is the same for all parts of the draws.
    """
    by_line = np.ascontiguousarray(sums.T)
    n_extreme = np.zeros(len(pairs), np.int64)
    size = max(1, _ELEMENTS // (len(sums) * contrast.first.shape[1]))
    means = [np.empty((0, 2 * len(sums)))]
    for start in range(0, len(pairs), size):
        part = slice(start, start + size)
        moved = by_line[lines.first[part]] - by_line[lines.second[part]]  # (pairs, moving, draws)
        difference = contrast.difference_after_swaps(pairs[part], moving, moved)
        n_extreme[part] = np.count_nonzero(np.abs(difference) >= far[part, None], axis=1)
        of_part = inverting.of_pairs(start, start + size)
        if len(of_part.places):
            means.append(of_part.means(difference[of_part.places - start], by_line[lines.sums.shape[1] :], rank))
    return n_extreme, np.concatenate(means if len(means) == 1 else means[1:])
