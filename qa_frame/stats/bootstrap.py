"""The bootstrap: units drawn with replacement within each group, and percentiles of the statistics of the draws.

Sums of a resample are weights times values, where a unit's weight is how often it was drawn. Values are the digits of
`exact_sums`, whose sums are exact below 2**21 units, and units stand in an order of their own, so that neither threads
nor the order of rows make a difference. Groups with the same number of units share their weights. A median is no
function of sums: it is made of the rows of each draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.parallel.jobs import run_in_threads
from qa_frame.stats.distributions import t_quantiles
from qa_frame.stats.exact_sums import as_floats
from qa_frame.stats.influence import ClusteredRows
from qa_frame.stats.intervals import Interval
from qa_frame.stats.rows import KeptUnits
from qa_frame.stats.statistic import Mean, Statistic

ROUNDING = 1e-12
"""Draws that differ by no more than this share of themselves are alike."""

_BLOCK_UNITS = 1 << 12
_WEIGHTS = 1 << 16
"""Weights made at a time, so many that they stay in the cache."""

_SUMS = 1 << 22
"""Sums kept at a time, unless one group has more."""


def percentile_bounds(
    statistics: Sequence[Statistic], units: KeptUnits, n_groups: int, level: float, interval: Interval
) -> dict[str, tuple[Floats, Floats]]:
    """Return the lower and the upper bounds of each statistic, by its name; shape (groups,) each.

    NaN for groups with fewer than two units that the statistic is scored on. level: of the bounds. interval: says how
    many resamples are drawn, and the seed.
    """
    bounds = {each.name: np.full((2, n_groups), np.nan) for each in statistics}
    sizes = np.bincount(units.group, minlength=n_groups)
    order = np.lexsort((*_list_values_that_differ(units), units.group))
    digits = [each.digits_per_row(units.sums_per_row[each.name]) for each in statistics]  # (digits, sums, units) each
    parts = [
        (*np.concatenate(of_sums), units.n_rows[each.name]) for each, of_sums in zip(statistics, digits, strict=True)
    ]
    values = np.stack([column for columns in parts for column in columns])
    varies = (values != values[:, :1]).any(axis=1)
    varying = np.ascontiguousarray(values[varies].T[order])
    starts = np.cumsum(sizes) - sizes
    n_units = {name: np.bincount(units.group[n > 0], minlength=n_groups) for name, n in units.n_rows.items()}
    for size, groups in _group_by_size(sizes, len(values) * interval.n_resamples):
        rows = starts[groups][None, :] + np.arange(size)[:, None]
        sums = np.empty((len(values), interval.n_resamples, len(groups)))
        sums[~varies] = values[~varies, :1, None] * size
        if varies.any():
            sums[varies] = _sum_resamples(varying, rows, interval.n_resamples, interval.seed)
        place = 0
        for each, columns, of_sums in zip(statistics, parts, digits, strict=True):
            *resampled, n_rows = sums[place : place + len(columns)]
            resampled_digits = np.reshape(resampled, (*of_sums.shape[:2], *n_rows.shape))
            resampled_sums = np.stack([*as_floats(resampled_digits), n_rows], axis=-1)
            n_scored = n_units[each.name][groups]
            tails = expanded_tails(level, np.maximum(n_scored, 2))
            bounds_of_groups = percentiles(each.value(resampled_sums), tails)
            bounds[each.name][:, groups] = np.where(n_scored > 1, bounds_of_groups, np.nan)
            place += len(columns)
    return {name: (low, high) for name, (low, high) in bounds.items()}


# --------------------------------------------------------------------------------------------- statistics of all rows

ROW_STATISTICS: dict[str, Callable[[Floats], Any]] = {"median": np.median}
"""Statistics that are no functions of sums. Each is a function of the scores of one or more rows.

`<metric>_<name>` names the statistic of a metric, as `f1_median`.
"""


@dataclass(frozen=True, slots=True)
class RowStatistic(Mean):
    """A statistic of a score that needs every row, as a median. Of its sums, only the number of rows is of use.

    Attributes
    ----------
    of
        The name of the score.
    statistic
        The name of the function, in `ROW_STATISTICS`.
    """

    of: str = ""
    statistic: str = ""
    trusted_from: int = 20

    def estimate_by_group(self, scores: Floats, rows: ClusteredRows, interval: Interval) -> Floats:
        """Return the statistic by group with its bounds, shape (3, groups).

        It is NaN for a group without rows. Its bounds are NaN for a group with one unit, and without a level.
        scores: those of the rows, shape (rows,), none of them NaN.
        """
        function, bounded = ROW_STATISTICS[self.statistic], np.full((3, rows.n_groups), np.nan)
        for group, members in enumerate(rows.members):
            if not len(members):
                continue
            distinct, rank = np.unique(scores[members], return_inverse=True)
            order, unit = np.argsort(rank, kind="stable"), np.arange(len(members))
            if rows.unit is not None:
                order, unit = order_by_unit(rows.unit[members], rank)
            own, n_units = distinct[rank[order]], int(unit[-1]) + 1
            bounded[0, group] = function(own)
            if interval.level is not None and n_units > 1:
                resamples = draw_rows(unit, interval.n_resamples, interval.seed)
                draws = np.array([function(own[places]) for places in resamples])
                bounded[1:, group] = percentiles(draws, expanded_tails(interval.level, np.array(n_units)))
        return bounded


def find_row_statistics(names: Sequence[Any]) -> tuple[RowStatistic, ...]:
    """Return the row statistics among these names: `<metric>_<statistic>`, where the metric is named, too."""
    split = {name: name.rpartition("_") for name in names if isinstance(name, str)}
    return tuple(
        RowStatistic(name, of=metric, statistic=statistic)
        for name, (metric, _, statistic) in split.items()
        if metric in names and statistic in ROW_STATISTICS
    )


def draw_rows(unit_of_row: Ints, n_resamples: int, seed: int) -> Iterator[Ints]:
    """Yield the places of the rows of each resample, shape (drawn rows,).

    A resample draws as many units as there are, with replacement.

    unit_of_row: the unit of each row, shape (rows,), from 0 on without gaps, in the order that `order_by_unit` gives.
    """
    random, n_units = np.random.default_rng(seed), int(unit_of_row.max(initial=-1)) + 1
    for _ in range(n_resamples):
        weights = random.multinomial(n_units, np.full(n_units, 1 / n_units))
        yield np.repeat(np.arange(len(unit_of_row)), weights[unit_of_row])


def order_by_unit(units: Ints, *ranks: Ints) -> tuple[Ints, Ints]:
    """Return the places of rows in the order of their units, and the unit of each of these rows, from 0 on.

    Units are ordered by what their rows hold, not by their names. So the order of rows makes no difference. Two units
    with equal rows may change places.

    units, ranks: the unit of each row, and numbers that say what the row holds, shape (rows,) each.
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


def percentiles(values: Floats, tail: Floats) -> Floats:
    """Return the percentiles at `tail` and 1 - `tail` of the values of all draws, shape (2, ...).

    They are interpolated between neighbours. NaN is left out; NaN where all values are NaN.

    values: shape (draws, ...). tail: shape (...).
    """
    ordered = np.sort(values, axis=0)  # NaN last
    last = np.maximum((~np.isnan(ordered)).sum(axis=0) - 1, 0)
    return np.stack([_percentile(ordered, last, share) for share in (tail, 1 - tail)])


def expanded_tails(level: float, n: Ints) -> Floats:
    """Return the share of resamples that lies beyond either bound of a bootstrap interval, shape of `n`.

    The plain percentiles at (1 - level) / 2 are too narrow for few units, as if z and 1 / n stood in place of t and
    1 / (n - 1). They are widened accordingly (Hesterberg 2015, What Teachers Should Know About the Bootstrap).

    Parameters
    ----------
    level
        The level of the interval.
    n
        How many units are resampled, 2 or more.
    """
    from scipy.special import ndtr  # noqa: PLC0415  (not needed to import the package)

    return np.asarray(ndtr(-np.sqrt(n / (n - 1)) * t_quantiles(level, (n - 1).astype(np.float64))))


def _list_values_that_differ(units: KeptUnits) -> list[Any]:
    """Return the numbers that units hold, without those that are the same for all units; arrays of shape (units,)."""
    values = [*(each for sums in units.sums_per_row.values() for each in sums), *units.n_rows.values()]
    return [each for each in values if len(each) and each.min() != each.max()]


def _group_by_size(sizes: Ints, sums_per_group: int) -> Iterator[tuple[int, Ints]]:
    """Yield a number of units, and the places of groups that have so many, until all groups of two or more are done.

    sizes: the number of units of each group. sums_per_group: how many sums the resamples of a group have. At most
    `_SUMS` of them are in the groups that are yielded together, unless one group has more.
    """
    at_a_time = max(1, _SUMS // sums_per_group)
    for size in np.unique(sizes[sizes > 1]).tolist():
        groups = np.flatnonzero(sizes == size)
        for start in range(0, len(groups), at_a_time):
            yield size, groups[start : start + at_a_time]


def _sum_resamples(values: Floats, rows: Ints, n_resamples: int, seed: int) -> Floats:
    """Return the sums of resamples of groups that have the same size, shape (columns, resamples, groups).

    values: what units add to sums, shape (units, columns). rows: the units of each group, shape (size, groups).
    """
    size, n_groups = rows.shape
    n_columns = values.shape[1]
    starts = range(0, size, _BLOCK_UNITS)
    blocks = [values[rows[start : start + _BLOCK_UNITS]].reshape(-1, n_groups * n_columns) for start in starts]
    sums = np.zeros((n_resamples, n_groups * n_columns))
    step = max(1, _WEIGHTS // min(size, _BLOCK_UNITS))

    def add(start: int) -> None:
        """Add the sums of `step` resamples, from `start` on."""
        stop = min(start + step, n_resamples)
        random = np.random.default_rng([seed, size, start])
        for block, weights in zip(blocks, _draw_weights(random, stop - start, size), strict=True):
            add_product(weights, block, sums[start:stop])

    run_in_threads(add, range(0, n_resamples, step))
    return np.moveaxis(sums.reshape(n_resamples, n_groups, n_columns), -1, 0)


def add_product(left: Floats, right: Floats, out: Floats) -> None:
    """Add left @ right to `out`, in pieces so small that the BLAS library does not start threads of its own."""
    for columns in _cut(right.shape[1], 32):
        for inner in _cut(right.shape[0], 512):
            for rows in _cut(left.shape[0], 16):
                out[rows, columns] += left[rows, inner] @ right[inner, columns]


def _cut(length: int, step: int) -> list[slice]:
    """Return slices of `step` places, or fewer, that together cover `length` places."""
    return [slice(start, start + step) for start in range(0, length, step)]


def _draw_weights(random: np.random.Generator, n_resamples: int, size: int) -> Iterator[Floats]:
    """Yield for each block of units how often each resample has each of its units: float64, shape (resamples, units).

    size: the number of units of all blocks together.
    """
    n_units = np.diff([*range(0, size, _BLOCK_UNITS), size])
    n_draws = random.multinomial(size, n_units / size, size=n_resamples)
    for n_here, draws in zip(n_units.tolist(), n_draws.T, strict=True):
        units = random.integers(0, n_here, size=int(draws.sum()), dtype=np.uint16)
        places = np.repeat(np.arange(n_resamples) * n_here, draws) + units
        yield np.bincount(places, minlength=n_resamples * n_here).reshape(n_resamples, n_here).astype(np.float64)


def _percentile(ordered: Floats, last: Ints, share: Floats) -> Floats:
    """Return one percentile of sorted values, shape (...).

    ordered: shape (draws, ...). last: the place of the last value that is not NaN. share: that of values below.
    """
    place = share * last
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, last)
    low, high = (np.take_along_axis(ordered, each[None], axis=0)[0] for each in (below, above))
    return np.asarray(low + (high - low) * (place - below))
