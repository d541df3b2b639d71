"""The bootstrap: units drawn with replacement within each group, and percentiles of the figures of the draws.

Sums of a resample are weights times values, where a unit's weight is how often it was drawn. Values are whole numbers
small enough for sums to be exact, and units stand in an order of their own, so that neither threads nor the order of
rows make a difference. Groups with the same number of units share their weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.parallel.jobs import run_in_threads
from qa_frame.stats.intervals import Interval
from qa_frame.stats.rows import KeptUnits
from qa_frame.stats.statistic import Statistic
from qa_frame.stats.student import expanded_tail

ROUNDING = 1e-12
"""Draws that differ by no more than this share of themselves are alike."""

_BLOCK_UNITS = 1 << 12
_WEIGHTS = 1 << 16
"""Weights made at a time, so many that they stay in the cache."""

_SUMS = 1 << 22
"""Sums kept at a time, unless one group has more."""


def percentile_bounds(
    figures: Sequence[Statistic], units: KeptUnits, n_groups: int, interval: Interval
) -> dict[str, tuple[Floats, Floats]]:
    """Return the bounds of each figure by group, shape (groups,); NaN for groups with fewer than two units."""
    sizes = np.bincount(units.group, minlength=n_groups)
    order = np.lexsort((*_list_values_that_differ(units), units.group))
    sums_per_row = [units.sums_per_row[figure.name].astype(np.float64, copy=False) for figure in figures]
    whole = [figure.whole_numbers(each, units.group, sizes) for figure, each in zip(figures, sums_per_row, strict=True)]
    parts = [(*columns, units.n_rows[figure.name]) for figure, (columns, _) in zip(figures, whole, strict=True)]
    values = np.stack([column for columns in parts for column in columns])
    varies = (values != values[:, :1]).any(axis=1)
    varying = np.ascontiguousarray(values[varies].T[order])
    starts = np.cumsum(sizes) - sizes
    n_units = {name: np.bincount(units.group[n > 0], minlength=n_groups) for name, n in units.n_rows.items()}
    bounds = {figure.name: np.full((2, n_groups), np.nan) for figure in figures}
    for size, groups in _of_one_size(sizes, len(values) * interval.n_resamples):
        rows = starts[groups][None, :] + np.arange(size)[:, None]
        sums = np.empty((len(values), interval.n_resamples, len(groups)))
        sums[~varies] = values[~varies, :1, None] * size
        if varies.any():
            sums[varies] = _sum_resamples(varying, rows, interval.n_resamples, interval.seed)
        place = 0
        for figure, columns, (_, scales) in zip(figures, parts, whole, strict=True):
            drawn = figure.from_whole_numbers(sums[place : place + len(columns)], scales[:, groups])
            drawn_values = figure.value(np.moveaxis(drawn, 0, -1))
            bounds[figure.name][:, groups] = _take_percentiles(drawn_values, n_units[figure.name][groups], interval)
            place += len(columns)
    return {name: (low, high) for name, (low, high) in bounds.items()}


def resample_sums(values: Floats, n_resamples: int, seed: int, *, n_before: int = 0) -> Floats:
    """Return sums over units drawn with replacement, shape (resamples, lines), of values of shape (units, lines).

    n_before: the number of resamples that were drawn before. These are the next ones.
    """
    rows = np.arange(len(values))[:, None]
    return _sum_resamples(values, rows, n_resamples, seed, n_before=n_before)[:, :, 0].T


def draw_rows(unit_of_row: Ints, n_resamples: int, seed: int) -> Iterator[Ints]:
    """Yield the rows of each draw of units with replacement, for figures that are no functions of sums.

    unit_of_row: from 0 on without gaps; units stand in an order of their own, as `order_by_unit` gives it.
    """
    random, n_units = np.random.default_rng(seed), int(unit_of_row.max(initial=-1)) + 1
    for _ in range(n_resamples):
        weights = random.multinomial(n_units, np.full(n_units, 1 / n_units))
        yield np.repeat(np.arange(len(unit_of_row)), weights[unit_of_row])


def order_by_unit(units: Ints, *ranks: Ints) -> tuple[Ints, Ints]:
    """Return the rows in order of their units, and the unit of each row, from 0 on.

    Units have an order by the ranks of their rows, not by their names. Two units with equal rows may change places.
    """
    order = np.lexsort((*ranks[::-1], units))
    starts = np.flatnonzero(np.diff(units[order], prepend=-1))
    rows, width = np.stack(ranks, axis=1)[order].astype(">i8").tobytes(), 8 * len(ranks)
    ends = np.append(starts, len(order))[1:]
    of_unit = [rows[width * start : width * end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    by_content = np.array(sorted(range(len(starts)), key=of_unit.__getitem__), np.int64)
    sizes = (ends - starts)[by_content]
    unit = np.repeat(np.arange(len(starts)), sizes)
    place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return order[starts[by_content][unit] + place], unit


def percentiles(drawn: Floats, tail: float) -> Floats:
    """Return the two percentiles at `tail` and 1 - `tail`, shape (2, ...), of values drawn along the first axis.

    Values between two neighbours are found by their distance. NaN is left out; NaN where nothing else was drawn.
    """
    ordered = np.sort(drawn, axis=0)  # NaN last
    last = np.maximum((~np.isnan(ordered)).sum(axis=0) - 1, 0)
    return np.stack([_percentile(ordered, last, share) for share in (tail, 1 - tail)])


def _list_values_that_differ(units: KeptUnits) -> list[Any]:
    """Return all values that tell units apart."""
    ranks = [*(line for lines in units.sums_per_row.values() for line in lines), *units.n_rows.values()]
    return [rank for rank in ranks if len(rank) and rank.min() != rank.max()]


def _of_one_size(sizes: Ints, sums_per_group: int) -> Iterator[tuple[int, Ints]]:
    """Yield groups that have the same number of units, two or more, not too many at a time."""
    at_a_time = max(1, _SUMS // sums_per_group)
    for size in np.unique(sizes[sizes > 1]).tolist():
        groups = np.flatnonzero(sizes == size)
        for start in range(0, len(groups), at_a_time):
            yield size, groups[start : start + at_a_time]


def _sum_resamples(values: Floats, rows: Ints, n_resamples: int, seed: int, *, n_before: int = 0) -> Floats:
    """Return sums, shape (columns, resamples, groups). rows: each group's units in `values`, (size, groups)."""
    size, n_groups = rows.shape
    n_columns = values.shape[1]
    starts = range(0, size, _BLOCK_UNITS)
    blocks = [values[rows[start : start + _BLOCK_UNITS]].reshape(-1, n_groups * n_columns) for start in starts]
    sums = np.zeros((n_resamples, n_groups * n_columns))
    step = max(1, _WEIGHTS // min(size, _BLOCK_UNITS))

    def add(start: int) -> None:
        stop = min(start + step, n_resamples)
        random = np.random.default_rng([seed, size, n_before + start])
        for block, weights in zip(blocks, _draw(random, stop - start, size), strict=True):
            add_product(weights, block, sums[start:stop])

    run_in_threads(add, range(0, n_resamples, step))
    return np.moveaxis(sums.reshape(n_resamples, n_groups, n_columns), -1, 0)


def add_product(left: Floats, right: Floats, out: Floats) -> None:
    """Add left @ right to out, in pieces so small that the library for matrices does not start threads of its own."""
    for columns in _cut(right.shape[1], 32):
        for inner in _cut(right.shape[0], 512):
            for rows in _cut(left.shape[0], 16):
                out[rows, columns] += left[rows, inner] @ right[inner, columns]


def _cut(length: int, step: int) -> list[slice]:
    return [slice(start, start + step) for start in range(0, length, step)]


def _draw(random: np.random.Generator, n_resamples: int, size: int) -> Iterator[Floats]:
    """Yield how often each unit of a block is drawn: float64, shape (resamples, units of the block)."""
    n_units = np.diff([*range(0, size, _BLOCK_UNITS), size])
    n_draws = random.multinomial(size, n_units / size, size=n_resamples)
    for n_here, draws in zip(n_units.tolist(), n_draws.T, strict=True):
        drawn = random.integers(0, n_here, size=int(draws.sum()), dtype=np.uint16)
        places = np.repeat(np.arange(n_resamples) * n_here, draws) + drawn
        yield np.bincount(places, minlength=n_resamples * n_here).reshape(n_resamples, n_here).astype(np.float64)


def _take_percentiles(drawn: Floats, n_units: Ints, interval: Interval) -> Floats:
    """Return percentiles over resamples, shape (2, groups). n_units: units that the figure is scored on."""
    assert interval.level is not None
    bounds = np.full((2, len(n_units)), np.nan)
    for n in np.unique(n_units[n_units > 1]).tolist():
        is_of_size = n_units == n
        bounds[:, is_of_size] = percentiles(drawn[:, is_of_size], expanded_tail(interval.level, n))
    return bounds


def _percentile(ordered: Floats, last: Ints, share: float) -> Floats:
    place = share * last
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, last)
    low, high = (np.take_along_axis(ordered, each[None], axis=0)[0] for each in (below, above))
    return np.asarray(low + (high - low) * (place - below))
