"""The bootstrap: units drawn with replacement within each group, and percentiles of the figures of what was drawn.

Sums of a resample are weights times values, where a unit's weight is how often it was drawn. Values are whole numbers
small enough for sums to be exact, and units stand in an order of their own, so that neither threads nor the order of
rows make a difference. Groups with the same number of units share their weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.parallel.jobs import run_in_threads
from qa_frame.stats.figures import figure_of
from qa_frame.stats.intervals import Interval
from qa_frame.stats.student import expanded_tail

ROUNDING = 1e-12
"""Draws that differ by no more than this share of themselves are alike."""

_BLOCK_UNITS = 1 << 12
_WEIGHTS = 1 << 16
"""Weights made at a time, so many that they stay in the cache."""

_SUMS = 1 << 22
"""Sums kept at a time, unless one group has more."""


@dataclass(frozen=True, slots=True)
class FigureUnits:
    """What is resampled: rows or clusters.

    Attributes
    ----------
    variables
        Of each figure: float64, shape (variables, units), 0 where it is not scored.
    n_rows
        Of each figure: how many rows of a unit it is scored on, float64, shape (units,).
    group
        The group of each unit, int64, shape (units,).
    """

    variables: Mapping[str, Floats]
    n_rows: Mapping[str, Floats]
    group: Ints


def percentile_bounds(units: FigureUnits, n_groups: int, interval: Interval) -> dict[str, tuple[Floats, Floats]]:
    """Return the bounds of each figure by group, shape (groups,); NaN for groups with fewer than two units."""
    names = list(units.variables)
    sizes = np.bincount(units.group, minlength=n_groups)
    order = np.lexsort((*_ranks(units), units.group))
    whole = {name: _as_whole_numbers(name, units, sizes) for name in names}
    values = np.concatenate([columns for columns, _ in whole.values()])
    varies = (values != values[:, :1]).any(axis=1)
    varying = np.ascontiguousarray(values[varies].T[order])
    starts = np.cumsum(sizes) - sizes
    n_units = {name: np.bincount(units.group[n > 0], minlength=n_groups) for name, n in units.n_rows.items()}
    bounds = np.full((2, len(names), n_groups), np.nan)
    for size, groups in _of_one_size(sizes, len(values) * interval.n_resamples):
        rows = starts[groups][None, :] + np.arange(size)[:, None]
        sums = np.empty((len(values), interval.n_resamples, len(groups)))
        sums[~varies] = values[~varies, :1, None] * size
        if varies.any():
            sums[varies] = _sum_resamples(varying, rows, interval.n_resamples, interval.seed)
        place = 0
        for number, (name, (columns, scales)) in enumerate(whole.items()):
            drawn = _figure_of_sums(name, sums[place : place + len(columns)], scales[:, groups])
            bounds[:, number, groups] = _bounds(drawn, n_units[name][groups], interval)
            place += len(columns)
    return {name: (bounds[0, number], bounds[1, number]) for number, name in enumerate(names)}


def resample_sums(
    values: Floats, n_resamples: int, seed: int, *, n_before: int = 0, n_threads: int | None = None
) -> Floats:
    """Return sums over units drawn with replacement, shape (resamples, lines), of values of shape (units, lines).

    Parameters
    ----------
    n_before
        How many resamples were drawn before, which these go on from.
    n_threads
        How many threads draw; None for one a processor.
    """
    rows = np.arange(len(values))[:, None]
    return _sum_resamples(values, rows, n_resamples, seed, n_before=n_before, n_threads=n_threads)[:, :, 0].T


def percentiles(drawn: Floats, tail: float) -> Floats:
    """Return the two percentiles at `tail` and 1 - `tail`, shape (2, ...), of values drawn along the first axis.

    Values between two neighbours are found by their distance. NaN is left out; NaN where nothing else was drawn.
    """
    ordered = np.sort(drawn, axis=0)  # NaN last
    last = np.maximum((~np.isnan(ordered)).sum(axis=0) - 1, 0)
    return np.stack([_percentile(ordered, last, share) for share in (tail, 1 - tail)])


def _figure_of_sums(name: str, sums: Floats, scales: Floats) -> Floats:
    """The figure of each resample, shape (resamples, groups), from the sums of its columns."""
    if figure_of(name).is_mean:
        high, low, n_rows = sums
        sums = np.stack([high * scales[0] + low * scales[1], n_rows])
    return figure_of(name).value(np.moveaxis(sums, 0, -1))


def _as_whole_numbers(name: str, units: FigureUnits, sizes: Ints) -> tuple[Floats, Floats]:
    """A figure's columns, the last one its rows: a score as two whole numbers, whose scales come second.

    sizes: units of each group. The scales have shape (2, groups), and each group's depend on its own scores alone.
    """
    variables, n_rows = units.variables[name], units.n_rows[name]
    if not figure_of(name).is_mean:
        return np.concatenate([variables, n_rows[None]]), np.ones((2, len(sizes)))
    largest = np.ones(len(sizes))  # so that it is the same for all scores up to 1, whatever they are
    np.maximum.at(largest, units.group, np.abs(variables[0]))
    _, exponent = np.frexp(largest)
    _, bits_of_size = np.frexp(sizes.astype(np.float64))
    bits = np.minimum(26, 51 - bits_of_size)  # then sums over so many units are exact
    scaled = np.ldexp(variables[0], (bits - exponent)[units.group])  # below 2**bits
    high = np.rint(scaled)
    low = np.rint(np.ldexp(scaled - high, bits[units.group]))
    return np.stack([high, low, n_rows]), np.ldexp(1.0, np.stack([exponent - bits, exponent - 2 * bits]))


def _ranks(units: FigureUnits) -> list[Floats]:
    """All that tells units apart."""
    ranks = [*(line for lines in units.variables.values() for line in lines), *units.n_rows.values()]
    return [rank for rank in ranks if len(rank) and rank.min() != rank.max()]


def _of_one_size(sizes: Ints, sums_per_group: int) -> Iterator[tuple[int, Ints]]:
    """Groups that have the same number of units, two or more, not too many at a time."""
    at_a_time = max(1, _SUMS // sums_per_group)
    for size in np.unique(sizes[sizes > 1]).tolist():
        groups = np.flatnonzero(sizes == size)
        for start in range(0, len(groups), at_a_time):
            yield size, groups[start : start + at_a_time]


def _sum_resamples(
    values: Floats, rows: Ints, n_resamples: int, seed: int, *, n_before: int = 0, n_threads: int | None = None
) -> Floats:
    """Sums, shape (columns, resamples, groups). rows: of each unit of the groups in `values`, shape (size, groups)."""
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

    run_in_threads(add, range(0, n_resamples, step), n_threads)
    return np.moveaxis(sums.reshape(n_resamples, n_groups, n_columns), -1, 0)


def add_product(left: Floats, right: Floats, out: Floats) -> None:
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


def _bounds(drawn: Floats, n_units: Ints, interval: Interval) -> Floats:
    """Percentiles over resamples, shape (2, groups). n_units: on which the figure is scored, shape (groups,)."""
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
    found: Floats = low + (high - low) * (place - below)
    return found
