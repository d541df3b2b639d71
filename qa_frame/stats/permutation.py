"""The permutation test: random swaps of two groups' answers → p-values of their differences."""

from __future__ import annotations

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.parallel.jobs import map_in_threads
from qa_frame.stats.contrasts import Contrast
from qa_frame.stats.lines import Lines, lines_of_differences, lines_of_sides
from qa_frame.stats.p_values import Draws, PValues, draw_p_values
from qa_frame.stats.swaps import Swaps, all_signs

_ELEMENTS = 1 << 20
"""Sums of draws held in memory at once: 8 MB."""


def swap_p_values(contrast: Contrast, draws: Draws, *, mid_p: bool = False) -> PValues:
    """Return the share of swaps whose difference is as far from 0 as the one found, shape (pairs,).

    The share is over all swaps, so exact, if the differences have one size or there are no more than `draws.n_first`
    swaps. Else it is over random swaps and the one found. NaN if nothing is paired, or no weighted mean is known.

    mid_p: see `Contrast.p_of_equal_sizes`.
    """
    p, is_exhausted = np.full(len(contrast.found), np.nan), np.zeros(len(contrast.found), np.bool_)
    differs = np.any(contrast.delta != 0, axis=1)  # (pairs, units)
    sampled = []
    for pair in np.flatnonzero(~np.isnan(contrast.found)).tolist():
        units = np.flatnonzero(differs[pair])
        p_of_equals = contrast.p_of_equal_sizes(pair, units, mid_p=mid_p) if len(units) else 1.0
        if p_of_equals is not None:
            p[pair] = p_of_equals
        elif len(units) < 64 and 2 ** len(units) <= draws.n_first:
            p[pair] = _share_of_all_swaps(contrast, pair, units)
        else:
            sampled.append(pair)
    is_never = contrast.is_never_reached(np.array(sampled, np.int64), draws.n_all)
    never, pairs = (np.array(sampled, np.int64)[which] for which in (is_never, ~is_never))
    p[never], is_exhausted[never] = 1 / (1 + draws.n_all), True
    if len(pairs):
        p[pairs], is_exhausted[pairs] = draw_p_values(
            pairs, draws, lambda *those: _count_swaps(contrast, draws, *those)
        )
    else:
        draws.report(draws.n_all)
    return PValues(p, is_exhausted)


def _count_swaps(contrast: Contrast, draws: Draws, pairs: Ints, start: int, stop: int) -> tuple[Ints, Ints]:
    """Return how many of these swaps give a difference as far from 0 as the one found, and how many there are."""
    moving = _moving(contrast, pairs)
    lines = lines_of_sides(contrast, pairs, moving)
    if lines.sums.shape[1] > len(pairs) * len(moving):
        lines = lines_of_differences(contrast.delta[np.ix_(pairs, moving)])
    swaps = Swaps(lines.sums, draws.seed)
    parts = swaps.parts(start, stop)

    def count(part: range) -> Ints:
        return _n_extreme(contrast, pairs, moving, lines, swaps.sums(part))

    n_extreme = np.zeros(len(pairs), np.int64)
    for part, found in zip(parts, map_in_threads(count, parts, draws.n_threads), strict=True):
        n_extreme += found
        draws.report(len(part))
    return n_extreme, np.full(len(pairs), stop - start)


def _share_of_all_swaps(contrast: Contrast, pair: int, units: Ints) -> float:
    pairs = np.array([pair])
    moving = _moving(contrast, pairs)
    lines = lines_of_differences(contrast.delta[np.ix_(pairs, moving, units)])
    sums = all_signs(len(units)) @ lines.sums
    return float(_n_extreme(contrast, pairs, moving, lines, sums)[0] / len(sums))


def _moving(contrast: Contrast, pairs: Ints) -> Ints:
    """Return the parts that differ in some unit of these pairs."""
    return np.flatnonzero(np.any([contrast.delta[pair].any(axis=-1) for pair in pairs.tolist()], axis=0))


def _n_extreme(contrast: Contrast, pairs: Ints, moving: Ints, lines: Lines, sums: Floats) -> Ints:
    """Return how many draws give each pair a difference as far from 0 as the one found.

    sums: the sums of the lines with the signs of each draw, shape (draws, lines).
    """
    by_line = np.ascontiguousarray(sums.T)
    least = contrast.least_when_swapped(pairs)
    n_extreme = np.zeros(len(pairs), np.int64)
    size = max(1, _ELEMENTS // (len(sums) * contrast.first.shape[1]))
    for start in range(0, len(pairs), size):
        part = slice(start, start + size)
        moved = by_line[lines.first[part]] - by_line[lines.second[part]]  # (pairs, moving, draws)
        difference = contrast.swapped(pairs[part], moving, moved)
        n_extreme[part] = np.count_nonzero(np.abs(difference) >= least[part, None], axis=1)
    return n_extreme
