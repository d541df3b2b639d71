"""The bootstrap of differences: questions drawn with replacement → bounds and p-values."""

from __future__ import annotations

import numpy as np

from qa_frame._typing import Ints
from qa_frame.stats.bootstrap import ROUNDING, percentiles, resample_sums
from qa_frame.stats.contrasts import Contrast, agree
from qa_frame.stats.intervals import Bounds
from qa_frame.stats.lines import lines_of_sides
from qa_frame.stats.p_values import Draws, PValues, draw_p_values
from qa_frame.stats.student import expanded_p_values, expanded_tail

_RESAMPLES_AT_ONCE = 10_000


def bootstrap_test(contrast: Contrast, draws: Draws, *, ci: float) -> tuple[Bounds, PValues]:
    """Return percentile bounds and two-sided p-values, shape (pairs,); NaN where fewer than two units are paired.

    A p-value is the share of draws whose difference is as far from the one found as that is from 0, widened for few
    units as the percentiles are. A draw without any question of a pair tells nothing of it and is left out. Where all
    draws are alike, the bounds are those of `Contrast.bounds`. Bounds rest on the first draws.
    """
    p, is_exhausted = np.full(len(contrast.found), np.nan), np.zeros(len(contrast.found), np.bool_)
    bounds = np.full((2, len(p)), np.nan)
    found, least = contrast.found, contrast.least

    def count(pairs: Ints, start: int, stop: int) -> tuple[Ints, Ints]:
        lines = lines_of_sides(contrast, pairs, np.arange(contrast.first.shape[1]))
        counts = np.zeros((2, len(pairs)), np.int64)
        for place in range(start, stop, _RESAMPLES_AT_ONCE) if start else (start,):
            n_draws = min(_RESAMPLES_AT_ONCE, stop - place) if start else stop
            sums = resample_sums(lines.sums, n_draws, draws.seed, n_before=place)
            for row, pair in enumerate(pairs.tolist()):
                sides = (contrast.figure.value(sums[:, each[row]]) for each in (lines.first, lines.second))
                difference = np.subtract(*sides)
                known = difference[~np.isnan(difference)]
                is_extreme = np.abs(known - found[pair]) >= least[pair]
                counts[:, row] += np.array([np.count_nonzero(is_extreme), len(known)])
                if not start and len(known):
                    bounds[:, pair] = percentiles(known, expanded_tail(ci, int(contrast.n_units[pair])))
        return counts[0], counts[1]

    pairs = np.flatnonzero(contrast.n_units > 1)
    if len(pairs):
        p[pairs], is_exhausted[pairs] = draw_p_values(pairs, draws, count)
        p[np.isnan(bounds[0])] = np.nan  # no draw held a question of the pair
    other_bounds = contrast.bounds(ci)
    is_alike = bounds[1] - bounds[0] <= ROUNDING * np.abs(bounds[1])
    low, high = (np.where(is_alike, other, drawn) for other, drawn in zip(other_bounds, bounds, strict=True))
    is_exhausted &= expanded_p_values(np.full(len(p), 1 / (1 + draws.n_enough)), contrast.n_units) < draws.target
    tested = PValues(expanded_p_values(p, contrast.n_units), is_exhausted)
    return agree((low, high), found, tested.p, ci), tested
