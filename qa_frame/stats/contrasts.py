"""Two groups' figures on the same questions → their difference, its interval and its p-value.

A figure depends on sums over rows alone. To swap two groups' answers to a question moves their sums by that question's
difference, so ten thousand random swaps of all questions are a matrix product; see `swaps`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.parallel.jobs import map_in_threads
from qa_frame.stats.bootstrap import ROUNDING, percentiles, resample_sums
from qa_frame.stats.exact_sums import SUM_UNIT, as_integers, divide, score_digits
from qa_frame.stats.figures import Figure, divide_where
from qa_frame.stats.intervals import MOST_RESAMPLES, Bounds, Spread, size_units, spread_of_rows, t_bounds
from qa_frame.stats.pairing import Pairing
from qa_frame.stats.student import expanded_p_values, expanded_tail, t_quantiles
from qa_frame.stats.swaps import Swaps, all_signs

Correction = Literal["holm", "bh", "none"]
CORRECTIONS: tuple[Correction, ...] = ("holm", "bh", "none")

_TIE = 1e-12
"""Scores that differ by no more than this share of themselves are equal: 2/3 is not always the same float."""

_ROUNDING = 1e-10
"""The same for figures, which are made of sums of up to millions of products."""

_BARELY = 1e-9
"""How far a bound is moved from 0 where the test says that the difference is not 0."""

_FIRST_DRAWS = 10_000
"""Draws of every pair, where their number is not given."""

_DRAWS_PER_STEP = 20
"""How many draws the least p-value that can be significant after correction is to rest on."""

_NEVER = 1e-6
"""A swap that is less likely than this among all that would be drawn is not looked for."""

_ELEMENTS = 1 << 20
"""Sums of draws held in memory at once: 8 MB."""

_RESAMPLES_AT_ONCE = 10_000

_COUNTS = ("n", "n_only_a", "n_only_b", "n_not_scored", "wins", "ties", "losses")


@dataclass(frozen=True, slots=True)
class Contrast:
    """A figure over pairs of groups, each pair on the questions that both were scored on.

    Attributes
    ----------
    first, second
        Sums a unit, shape (pairs, variables + 1, units), the last of them the questions; 0 for what is not paired.
    delta
        first - second, same shape, exactly 0 where they are equal but for rounding.
    side_values
        The figure of each side, shape (2, pairs); NaN where nothing is paired.
    win_size
        Of a mean: the size of a typical difference, the root of sum d**4 / sum d**2 over questions; 1 where there is
        none. Shape (pairs,).
    is_unit
        Whether all scores of a pair are from 0 to 1, shape (pairs,).
    counts
        By name, shape (pairs,).
    """

    figure: Figure
    first: Floats
    second: Floats
    delta: Floats
    side_values: Floats
    win_size: Floats
    is_unit: Flags
    counts: dict[str, Any]

    @property
    def sums(self) -> tuple[Floats, Floats]:
        """The sums of each side, shape (pairs, variables + 1)."""
        return self.first.sum(axis=-1), self.second.sum(axis=-1)

    @property
    def found(self) -> Floats:
        """The differences, shape (pairs,)."""
        difference: Floats = self.side_values[0] - self.side_values[1]
        return difference

    @property
    def n_in_unit(self) -> Floats:
        """The questions of each unit that are paired, shape (pairs, units)."""
        n_in_unit: Floats = self.first[:, -1]
        return n_in_unit

    @property
    def n_units(self) -> Floats:
        """Units with anything paired, shape (pairs,)."""
        n_units: Floats = np.count_nonzero(self.n_in_unit, axis=-1).astype(np.float64)
        return n_units

    @property
    def tolerance(self) -> Floats:
        """By how much equal differences may seem to differ, shape (pairs,)."""
        sides = (
            np.abs(side).sum(axis=-1) if self.figure.is_mean else side.sum(axis=-1)
            for side in (self.first, self.second)
        )
        first, second = map(self.figure.value, sides)
        return _ROUNDING * (first + second)


def contrast(figure: Figure, variables: Floats | Ints, is_scored: Flags, pairing: Pairing) -> Contrast:
    """Return the sums and counts of every pair.

    variables, is_scored: of the rows, as from `ScoredRows.variables`.
    """
    n_pairs, n_parts = len(pairing.first), figure.n_variables + 1
    rows_as_parts = np.concatenate([variables.astype(np.float64), is_scored[None].astype(np.float64)])
    exact_mean = _ExactMeans(variables[0].astype(np.float64)) if figure.is_mean else None
    sums = np.zeros((2, n_pairs, n_parts, len(pairing.unit_starts)))
    counts = np.zeros((len(_COUNTS), n_pairs), np.int64)
    values = np.full((2, n_pairs), np.nan)
    win_size, is_unit = np.ones(n_pairs), np.ones(n_pairs, np.bool_)
    is_single = len(pairing.unit_starts) == pairing.row_of.shape[1]
    for pair, groups in enumerate(zip(pairing.first, pairing.second, strict=True)):
        rows = pairing.row_of[list(groups)]  # (2, questions)
        has_row = rows >= 0
        is_paired = np.asarray(np.all(has_row & is_scored[rows], axis=0))
        parts = np.where(is_paired, rows_as_parts[:, rows], 0.0)  # (parts, 2, questions)
        of_units = parts if is_single else np.add.reduceat(parts, pairing.unit_starts, axis=-1)
        sums[:, pair] = np.moveaxis(of_units, 1, 0)
        difference = _difference(parts[0, 0], parts[0, 1])
        counts[:, pair] = _count(has_row, is_paired, difference)
        if figure.is_mean:
            squares = difference**2
            win_size[pair] = math.sqrt((squares**2).sum() / squares.sum()) if squares.any() else 1.0
            is_unit[pair] = parts[0].min(initial=0.0) >= 0 and parts[0].max(initial=0.0) <= 1
        if exact_mean is not None:
            values[:, pair] = [
                exact_mean(group, rows_of_group, is_paired) for group, rows_of_group in zip(groups, rows, strict=True)
            ]
    by_name: dict[str, Any] = dict(zip(_COUNTS, counts, strict=True))
    for name in ("wins", "ties", "losses"):
        by_name[name] = pd.array(by_name[name] if figure.is_mean else [pd.NA] * n_pairs, dtype="Int64")
    first, second = sums
    if not figure.is_mean:
        values = np.stack([figure.value(first.sum(axis=-1)), figure.value(second.sum(axis=-1))])
    return Contrast(figure, first, second, _difference(first, second), values, win_size, is_unit, by_name)


class _ExactMeans:
    """Means that are rounded only once, as a summary's are. Those of all of a group's questions are made once."""

    def __init__(self, scores: Floats) -> None:
        self._digits = score_digits(scores)
        self._of_all: dict[int, float] = {}

    def __call__(self, group: int, rows: Ints, is_paired: Flags) -> float:
        if not is_paired.all():
            return self._mean(rows[is_paired])
        if group not in self._of_all:
            self._of_all[group] = self._mean(rows)
        return self._of_all[group]

    def _mean(self, rows: Ints) -> float:
        totals = self._digits[:, rows].astype(np.int64).sum(axis=-1)
        return float(divide(as_integers(totals[:, None]), np.array([len(rows) * SUM_UNIT], object))[0])


def _count(has_row: Flags, is_paired: Flags, difference: Floats) -> list[int]:
    """The counts of one pair, over questions."""
    n_a, n_b = np.count_nonzero(has_row, axis=1)
    n, n_both = np.count_nonzero(is_paired), np.count_nonzero(has_row.all(axis=0))
    wins, losses = np.count_nonzero(difference > 0), np.count_nonzero(difference < 0)
    return [n, n_a - n_both, n_b - n_both, n_both - n, wins, n - wins - losses, losses]


def _difference(first: Floats, second: Floats) -> Floats:
    """first - second, exactly 0 where they are equal but for rounding."""
    difference = first - second
    largest = max(first.max(initial=0.0), -first.min(initial=0.0), second.max(initial=0.0), -second.min(initial=0.0))
    near = np.nonzero((np.abs(difference) <= _TIE * largest) & (difference != 0))
    is_tie = np.abs(difference[near]) <= _TIE * np.maximum(np.abs(first[near]), np.abs(second[near]))
    difference[tuple(places[is_tie] for places in near)] = 0.0
    return difference


# ---------------------------------------------------------------------------------------------------------- intervals


def difference_bounds(contrast: Contrast, ci: float) -> Bounds:
    """Return bounds of the differences, shape (pairs,); NaN for fewer than two units.

    For a mean, a win and a loss of typical size are added to the differences (Bonett and Price 2012, who do it for 0/1
    scores; so there is a width where no question tells the two apart), then it is Student's paired interval with the
    CR2 variance. For other figures it is Student's by the delta method: NaN where a side has no derivative, as a corpus
    BLEU of 0.
    """
    if contrast.figure.is_mean:
        pull = contrast.delta[:, 0] - contrast.found[:, None] * contrast.n_in_unit
        pull = divide_where(pull, contrast.n_in_unit.sum(axis=-1)[:, None], 0.0)
        low, high = _paired_bounds(contrast, _spread(pull, contrast), ci)
    else:
        slopes = [contrast.figure.gradient(sums) for sums in contrast.sums]
        pull = np.einsum("pk,pku->pu", slopes[0], contrast.first) - np.einsum("pk,pku->pu", slopes[1], contrast.second)
        low, high = t_bounds(contrast.found, _spread(pull, contrast), ci)
        has_slope = np.all([slope.any(axis=-1) for slope in slopes], axis=0)
        low, high = np.where(has_slope, low, np.nan), np.where(has_slope, high, np.nan)
    return np.where(contrast.is_unit, np.maximum(low, -1.0), low), np.where(
        contrast.is_unit, np.minimum(high, 1.0), high
    )


def _spread(pull: Floats, contrast: Contrast) -> Spread:
    if contrast.n_in_unit.max(initial=0.0) <= 1:
        n = contrast.counts["n"]
        return spread_of_rows((pull**2).sum(axis=-1) * n / np.maximum(n - 1, 1), n)
    units = size_units(
        contrast.n_in_unit, add_up=lambda values: values.sum(axis=-1), of_unit=lambda values: values[:, None]
    )
    return units.spread(pull)


def _paired_bounds(contrast: Contrast, spread: Spread, ci: float) -> Bounds:
    found, n, win = contrast.found, spread.n_units, contrast.win_size**2
    squares = (n - 1) * n * spread.variance + n * found**2  # of n units as far apart as these
    middle = found * n / (n + 2)
    error = np.sqrt(((squares + 2 * win) / (n + 2) - middle**2) / (n + 2))
    half = t_quantiles(ci, spread.df) * error
    return np.minimum(middle - half, found), np.maximum(middle + half, found)


def agree_about_zero(bounds: Bounds, found: Floats, p: Floats, ci: float) -> Bounds:
    """Return the bounds so that they leave 0 out exactly where the test rejects it, at the level of the interval.

    Test and interval are approximations of their own, and could contradict each other. About 0 the test decides: the
    bound that contradicts it moves to 0, or just beyond.
    """
    low, high = bounds
    is_negative = found < 0
    near, far = np.where(is_negative, -high, low), np.where(is_negative, -low, high)
    rejects = p < round(1 - ci, 12)
    near = np.where(rejects, np.maximum(near, np.minimum(_BARELY, np.abs(found))), np.minimum(near, 0.0))
    far = np.maximum(far, np.maximum(near, 0.0))
    new_low, new_high = np.where(is_negative, 0.0 - far, near), np.where(is_negative, 0.0 - near, far)
    is_known = ~np.isnan(p) & ~np.isnan(low)
    return np.where(is_known, new_low, low), np.where(is_known, new_high, high)


# ------------------------------------------------------------------------------------------------------ random draws


@dataclass(frozen=True, slots=True)
class Draws:
    """On how many random draws p-values rest.

    Attributes
    ----------
    n_first
        Draws of every pair.
    n_all
        Draws of the pairs whose p-value is then below `below`. No correction makes the others significant. As the first
        draws are counted too, the p-values hold their level (a p-value that is not below it stays as it is, and one
        that is below it was so by the first draws already).
    target
        The p-value that can be significant after correction.
    seed
        The same seed gives the same draws.
    n_threads
        How many threads draw; None for one a processor.
    report
        Is told of the draws that are done, `n_all` in all.
    """

    n_first: int
    n_all: int
    below: float
    target: float
    seed: int
    n_threads: int | None = None
    report: Callable[[int], object] = lambda _: None

    @property
    def n_enough(self) -> int:
        """How many draws can show p-values below the target."""
        return math.ceil(_DRAWS_PER_STEP / self.target - _TIE)


def plan_draws(
    n_resamples: int | None,
    *,
    n_tests: int,
    ci: float,
    seed: int,
    n_threads: int | None = None,
    report: Callable[[int], object] = lambda _: None,
) -> Draws:
    """Return so many draws, or for None as many as the correction for the number of tests needs."""
    target = round(1 - ci, 12) / n_tests
    given = _FIRST_DRAWS if n_resamples is None else n_resamples
    draws = Draws(given, given, max(1 - ci, 10 / given), target, seed, n_threads, report)
    if n_resamples is not None or draws.n_enough <= given:
        return draws
    return dataclasses.replace(draws, n_all=min(draws.n_enough, MOST_RESAMPLES))


@dataclass(frozen=True, slots=True)
class PValues:
    """P-values, shape (pairs,), and whether more draws could make each of them less, and significant."""

    p: Floats
    is_exhausted: Flags


Count = Callable[[Ints, int, int], tuple[Ints, Ints]]
"""Pairs and the draws from which to which → how many give a difference as far from 0, and how many tell of one."""


def _draw(pairs: Ints, draws: Draws, count: Count) -> tuple[Floats, Flags]:
    """The p-values of these pairs, with the one found counted too, and whether no draw was as far from 0."""
    n_extreme, n_drawn = count(pairs, 0, draws.n_first)
    is_open = 1 + n_extreme < draws.below * (1 + n_drawn)
    n_more = draws.n_all - draws.n_first
    if n_more and is_open.any():
        more = count(pairs[is_open], draws.n_first, draws.n_all)
        n_extreme[is_open] += more[0]
        n_drawn[is_open] += more[1]
    else:
        draws.report(n_more)
    return (1 + n_extreme) / (1 + n_drawn), n_extreme == 0


@dataclass(frozen=True, slots=True)
class _Lines:
    """Sums a unit that several pairs share, each once.

    sums: shape (units, lines). first, second: the lines of each side of a pair, shape (pairs, parts).
    """

    sums: Floats
    first: Ints
    second: Ints


def _lines_of_sides(contrast: Contrast, pairs: Ints, parts: Ints) -> _Lines:
    """A group that answered all questions has the same sums in all of its pairs."""
    place_of: dict[bytes, int] = {}
    lines: list[Floats] = []
    places = np.empty((2, len(pairs), len(parts)), np.int64)
    for side, sums in enumerate((contrast.first, contrast.second)):
        for row, pair in enumerate(pairs.tolist()):
            for column, part in enumerate(parts.tolist()):
                line = sums[pair, part]
                place = place_of.setdefault(line.tobytes(), len(lines))
                if place == len(lines):
                    lines.append(line)
                places[side, row, column] = place
    return _Lines(np.stack(lines, axis=1), places[0], places[1])


def _lines_of_differences(delta: Floats) -> _Lines:
    """Each pair's differences, shape (pairs, parts, units), and a line of zeros for the other side."""
    n_pairs, n_parts, n_units = delta.shape
    values = np.zeros((n_units, n_pairs * n_parts + 1))
    values[:, :-1] = delta.reshape(-1, n_units).T
    places = np.arange(n_pairs * n_parts).reshape(n_pairs, n_parts)
    return _Lines(values, places, np.full_like(places, n_pairs * n_parts))


# --------------------------------------------------------------------------------------------------- permutation test


def swap_p_values(contrast: Contrast, draws: Draws) -> PValues:
    """Return the share of swaps whose difference is as far from 0 as the one found, shape (pairs,).

    Over all swaps, so exact, where the differences have one size or where there are no more than `draws.n_first`; else
    over random ones and the one found. NaN where nothing is paired.
    """
    p, is_exhausted = np.full(len(contrast.found), np.nan), np.zeros(len(contrast.found), np.bool_)
    differs = np.any(contrast.delta != 0, axis=1)  # (pairs, units)
    sampled = []
    for pair in np.flatnonzero(contrast.counts["n"] > 0).tolist():
        units = np.flatnonzero(differs[pair])
        delta = contrast.delta[pair, 0, units]
        if not len(units):
            p[pair] = 1.0
        elif contrast.figure.is_mean and np.ptp(np.abs(delta)) == 0:
            p[pair] = _sign_test(int((delta > 0).sum()), len(units))
        elif len(units) < 64 and 2 ** len(units) <= draws.n_first:
            p[pair] = _share_of_all_swaps(contrast, pair, units)
        else:
            sampled.append(pair)
    is_never = _is_never_reached(contrast, np.array(sampled, np.int64), draws.n_all)
    never, pairs = (np.array(sampled, np.int64)[which] for which in (is_never, ~is_never))
    p[never], is_exhausted[never] = 1 / (1 + draws.n_all), True
    if len(pairs):
        p[pairs], is_exhausted[pairs] = _draw(pairs, draws, lambda *those: _count_swaps(contrast, draws, *those))
    else:
        draws.report(draws.n_all)
    return PValues(p, is_exhausted)


def _is_never_reached(contrast: Contrast, pairs: Ints, n_draws: int) -> Flags:
    """Whether so many random swaps would not show a difference as large as the one found, shape (pairs,).

    By Hoeffding (1963), a sum of differences d with random signs is as far from 0 as x with a probability of at most
    2 exp(-x**2 / (2 sum d**2)).
    """
    if not contrast.figure.is_mean:
        return np.zeros(len(pairs), np.bool_)
    squares = np.array([(contrast.delta[pair, 0] ** 2).sum() for pair in pairs.tolist()])
    exponent: Floats = _least(contrast, pairs) ** 2 / (2 * squares)
    return exponent > math.log(2 * n_draws / _NEVER)


def _least(contrast: Contrast, pairs: Ints) -> Floats:
    """How far from 0 a difference is to be, shape (pairs,); of a mean, the difference of the totals."""
    least = np.maximum(np.abs(contrast.found) - contrast.tolerance, 0.0)[pairs]
    of_totals: Floats = least * contrast.counts["n"][pairs]
    return of_totals if contrast.figure.is_mean else least


def _count_swaps(contrast: Contrast, draws: Draws, pairs: Ints, start: int, stop: int) -> tuple[Ints, Ints]:
    """How many of these swaps give a difference as far from 0 as the one found, and how many there are."""
    moving = _moving(contrast, pairs)
    lines = _lines_of_sides(contrast, pairs, moving)
    if lines.sums.shape[1] > len(pairs) * len(moving):
        lines = _lines_of_differences(contrast.delta[np.ix_(pairs, moving)])
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
    lines = _lines_of_differences(contrast.delta[np.ix_(pairs, moving, units)])
    sums = all_signs(len(units)) @ lines.sums
    return float(_n_extreme(contrast, pairs, moving, lines, sums)[0] / len(sums))


def _moving(contrast: Contrast, pairs: Ints) -> Ints:
    """The parts that differ in some unit of these pairs."""
    return np.flatnonzero(np.any([contrast.delta[pair].any(axis=-1) for pair in pairs.tolist()], axis=0))


def _n_extreme(contrast: Contrast, pairs: Ints, moving: Ints, lines: _Lines, sums: Floats) -> Ints:
    """How many draws give each pair a difference as far from 0 as the one found.

    sums: of the lines by draw, with the signs of that draw, shape (draws, lines).
    """
    by_line = np.ascontiguousarray(sums.T)
    least = _least(contrast, pairs)
    n_extreme = np.zeros(len(pairs), np.int64)
    size = max(1, _ELEMENTS // (len(sums) * contrast.first.shape[1]))
    for start in range(0, len(pairs), size):
        part = slice(start, start + size)
        moved = by_line[lines.first[part]] - by_line[lines.second[part]]  # (pairs, moving, draws)
        difference = (
            moved[:, 0] if contrast.figure.is_mean else _swapped_difference(contrast, pairs[part], moving, moved)
        )
        n_extreme[part] = np.count_nonzero(np.abs(difference) >= least[part, None], axis=1)
    return n_extreme


def _swapped_difference(contrast: Contrast, pairs: Ints, moving: Ints, moved: Floats) -> Floats:
    """The difference of a figure, shape (pairs, draws), where the sides' sums lie as far apart as `moved`."""
    first, second = (sums[pairs].sum(axis=-1) for sums in (contrast.first, contrast.second))
    sides = []
    for half in (moved / 2, moved / -2):
        side = np.repeat((first + second)[:, None] / 2, moved.shape[-1], axis=1)  # (pairs, draws, parts)
        side[..., moving] += half.swapaxes(1, 2)
        sides.append(contrast.figure.value(side))
    difference: Floats = sides[0] - sides[1]
    return difference


def _sign_test(n_up: int, n_differing: int) -> float:
    """The p-value of all 2**n_differing swaps where all differences have one size: how a fair coin would fall.

    For scores of 0 and 1 this is McNemar's exact test.
    """
    log_factorials = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, n_differing + 1)))))
    fewer = np.arange(min(n_up, n_differing - n_up) + 1)
    log_ways = log_factorials[-1] - log_factorials[fewer] - log_factorials[n_differing - fewer]
    return min(1.0, 2 * float(np.exp(log_ways - n_differing * math.log(2)).sum()))


# ---------------------------------------------------------------------------------------------------------- bootstrap


def bootstrap_test(contrast: Contrast, draws: Draws, *, ci: float) -> tuple[Bounds, PValues]:
    """Return percentile bounds and two-sided p-values, shape (pairs,); NaN where fewer than two units are paired.

    A p-value is the share of draws whose difference is as far from the one found as that is from 0, widened for few
    units as the percentiles are. A draw without any question of a pair tells nothing of it and is left out. Where all
    draws are alike, the bounds are those of `difference_bounds`. Bounds rest on the first draws.
    """
    p, is_exhausted = np.full(len(contrast.found), np.nan), np.zeros(len(contrast.found), np.bool_)
    bounds = np.full((2, len(p)), np.nan)
    found, least = contrast.found, np.abs(contrast.found) - contrast.tolerance

    def count(pairs: Ints, start: int, stop: int) -> tuple[Ints, Ints]:
        lines = _lines_of_sides(contrast, pairs, np.arange(contrast.first.shape[1]))
        counts = np.zeros((2, len(pairs)), np.int64)
        for place in range(start, stop, _RESAMPLES_AT_ONCE) if start else (start,):
            n_draws = min(_RESAMPLES_AT_ONCE, stop - place) if start else stop
            sums = resample_sums(lines.sums, n_draws, draws.seed, n_before=place, n_threads=draws.n_threads)
            for row, pair in enumerate(pairs.tolist()):
                sides = (contrast.figure.value(sums[:, each[row]]) for each in (lines.first, lines.second))
                difference = np.subtract(*sides)
                known = difference[~np.isnan(difference)]
                is_extreme = np.abs(known - found[pair]) >= least[pair]
                counts[:, row] += np.array([np.count_nonzero(is_extreme), len(known)])
                if not start and len(known):
                    bounds[:, pair] = percentiles(known, expanded_tail(ci, int(contrast.n_units[pair])))
            draws.report(n_draws)
        return counts[0], counts[1]

    pairs = np.flatnonzero(contrast.n_units > 1)
    if len(pairs):
        p[pairs], is_exhausted[pairs] = _draw(pairs, draws, count)
        p[np.isnan(bounds[0])] = np.nan  # no draw held a question of the pair
    else:
        draws.report(draws.n_all)
    other_bounds = difference_bounds(contrast, ci)
    is_alike = bounds[1] - bounds[0] <= ROUNDING * np.abs(bounds[1])
    low, high = (np.where(is_alike, other, drawn) for other, drawn in zip(other_bounds, bounds, strict=True))
    is_exhausted &= expanded_p_values(np.full(len(p), 1 / (1 + draws.n_enough)), contrast.n_units) < draws.target
    return (low, high), PValues(expanded_p_values(p, contrast.n_units), is_exhausted)


# --------------------------------------------------------------------------------------------------------- correction


def adjust(p: Floats, correction: Correction) -> Floats:
    """Return p-values of one family corrected for their number.

    By Holm (1979), by Benjamini and Hochberg (1995), or as they are. float64 in [0, 1], shape of `p`. NaN stays NaN and
    does not count.
    """
    adjusted = p.copy()
    tested = np.flatnonzero(~np.isnan(p))
    if correction == "none" or not len(tested):
        return adjusted
    order = tested[np.argsort(p[tested], kind="stable")]
    ranks = np.arange(len(order))
    if correction == "holm":
        raised = np.maximum.accumulate(p[order] * (len(order) - ranks))
    else:
        raised = np.minimum.accumulate((p[order] * len(order) / (ranks + 1))[::-1])[::-1]
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted
