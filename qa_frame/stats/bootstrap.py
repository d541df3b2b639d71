"""The bootstrap: percentile intervals from sums over rows, or clusters, drawn anew within each group.

Sums of a resample are weights times values, the weight of a unit being how often it was drawn. Values are integers
small enough for sums to be exact, and units stand in an order of their own, so that neither threads nor the order of
rows make a difference. Groups with the same number of units share their weights.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qa_frame._typing import Floats, Ints
from qa_frame.parallel import Threads, count_threads
from qa_frame.stats.intervals import Interval, expanded_tail

Estimator = Callable[[Floats], Floats]
"""Sums, shape (columns, resamples, groups) → estimates, shape (estimates, resamples, groups)."""

_BLOCK_UNITS = 1 << 12
_WEIGHTS = 1 << 16
"""Weights made at a time, so many that they stay in the cache."""

_SUMS = 1 << 22
"""Sums kept at a time, unless one group has more."""


@dataclass(frozen=True, slots=True)
class Units:
    """What is resampled: rows or clusters.

    values: float64, shape (columns, units), whole numbers whose sums over a resample stay below 2**53.
    codes: int64, shape (units,), the group of each. ranks: by what the units of a group are put into order.
    """

    values: Floats
    codes: Ints
    ranks: Sequence[NDArray[np.generic]]


def resample(units: Units, estimator: Estimator, n_estimates: int, n_groups: int, interval: Interval) -> Floats:
    """Bounds, float64, shape (2, estimates, groups); NaN for groups with fewer than two units."""
    bounds = np.full((2, n_estimates, n_groups), np.nan)
    order = np.lexsort((*units.ranks, units.codes))
    varies = (units.values != units.values[:, :1]).any(axis=1)
    values = np.ascontiguousarray(units.values[varies].T[order])
    sizes = np.bincount(units.codes, minlength=n_groups)
    starts = np.cumsum(sizes) - sizes
    with contextlib.closing(Threads(count_threads(None))) as threads:
        for size, groups in _of_one_size(sizes, len(units.values) * interval.n_resamples):
            rows = starts[groups][None, :] + np.arange(size)[:, None]
            sums = np.empty((len(units.values), interval.n_resamples, len(groups)))
            sums[varies] = _sum_resamples(values, rows, interval, threads)
            sums[~varies] = units.values[~varies, :1, None] * size
            bounds[:, :, groups] = _bounds(estimator(sums), size, interval)
    return bounds


def _of_one_size(sizes: Ints, sums_per_group: int) -> Iterator[tuple[int, Ints]]:
    """Groups that have the same number of units, two or more, not too many at a time."""
    at_a_time = max(1, _SUMS // sums_per_group)
    for size in np.unique(sizes[sizes > 1]).tolist():
        groups = np.flatnonzero(sizes == size)
        for start in range(0, len(groups), at_a_time):
            yield size, groups[start : start + at_a_time]


def _sum_resamples(values: Floats, rows: Ints, interval: Interval, threads: Threads) -> Floats:
    """Sums, shape (columns, resamples, groups). rows: of each unit of the groups in `values`, shape (size, groups)."""
    size, n_groups = rows.shape
    n_columns, n_resamples = values.shape[1], interval.n_resamples
    starts = range(0, size, _BLOCK_UNITS)
    blocks = [values[rows[start : start + _BLOCK_UNITS]].reshape(-1, n_groups * n_columns) for start in starts]
    sums = np.zeros((n_resamples, n_groups * n_columns))
    step = max(1, _WEIGHTS // min(size, _BLOCK_UNITS))

    def add(start: int) -> None:
        stop = min(start + step, n_resamples)
        random = np.random.default_rng([interval.seed, size, start])
        for block, weights in zip(blocks, _draw(random, stop - start, size), strict=True):
            _add_product(weights, block, sums[start:stop])

    list(threads.map(add, range(0, n_resamples, step)))
    return np.moveaxis(sums.reshape(n_resamples, n_groups, n_columns), -1, 0)


def _add_product(left: Floats, right: Floats, out: Floats) -> None:
    """Add left @ right to out, in pieces so small that the library for matrices does not start threads of its own."""
    for columns in _pieces(right.shape[1], 32):
        for inner in _pieces(right.shape[0], 512):
            for rows in _pieces(left.shape[0], 16):
                out[rows, columns] += left[rows, inner] @ right[inner, columns]


def _pieces(length: int, step: int) -> list[slice]:
    return [slice(start, start + step) for start in range(0, length, step)]


def _draw(random: np.random.Generator, n_resamples: int, size: int) -> Iterator[Floats]:
    """How often each unit is drawn, block by block: float64, shape (resamples, units of the block)."""
    n_units = np.diff([*range(0, size, _BLOCK_UNITS), size])
    n_draws = random.multinomial(size, n_units / size, size=n_resamples)
    for n_here, draws in zip(n_units.tolist(), n_draws.T, strict=True):
        drawn = random.integers(0, n_here, size=int(draws.sum()), dtype=np.uint16)
        places = np.repeat(np.arange(n_resamples) * n_here, draws) + drawn
        yield np.bincount(places, minlength=n_resamples * n_here).reshape(n_resamples, n_here).astype(np.float64)


def _bounds(estimates: Floats, size: int, interval: Interval) -> Floats:
    """Percentiles over resamples, shape (2, estimates, groups), between neighbours by their distance; NaN left out."""
    assert interval.level is not None
    tail = expanded_tail(interval.level, size)
    ordered = np.sort(estimates, axis=1)  # NaN last
    last = np.maximum((~np.isnan(ordered)).sum(axis=1) - 1, 0)
    return np.stack([_percentile(ordered, last, share) for share in (tail, 1 - tail)])


def _percentile(ordered: Floats, last: Ints, share: float) -> Floats:
    place = share * last
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, last)
    low, high = (np.take_along_axis(ordered, each[:, None], axis=1)[:, 0] for each in (below, above))
    found: Floats = low + (high - low) * (place - below)
    return found
