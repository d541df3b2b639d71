"""Two groups' figures on the same questions → their difference, its interval and its p-value.

A figure depends on sums over rows alone. To swap two groups' answers to a question moves their sums by that question's
difference, so ten thousand random swaps of all questions are one matrix product.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.stats.bootstrap import ROUNDING, percentiles, resample_sums
from qa_frame.stats.exact_sums import SUM_UNIT, as_integers, divide, score_digits
from qa_frame.stats.figures import Figure, divide_where
from qa_frame.stats.intervals import Bounds, Spread, size_units, spread_of_rows, t_bounds
from qa_frame.stats.pairing import Pairing
from qa_frame.stats.student import expanded_p_values, expanded_tail, t_quantiles

Correction = Literal["holm", "bh", "none"]
CORRECTIONS: tuple[Correction, ...] = ("holm", "bh", "none")

_TIE = 1e-12
"""Scores that differ by no more than this share of themselves are equal: 2/3 is not always the same float."""

_ROUNDING = 1e-10
"""The same for figures, which are made of sums of up to millions of products."""

_BARELY = 1e-9
"""How far a bound is moved from 0 where the test says that the difference is not 0."""

_ELEMENTS = 1 << 22
"""Swaps held in memory at once: 32 MB."""

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
    for pair, groups in enumerate(zip(pairing.first, pairing.second, strict=True)):
        rows = pairing.row_of[list(groups)]  # (2, questions)
        has_row = rows >= 0
        is_paired = np.asarray(np.all(has_row & is_scored[rows], axis=0))
        parts = np.where(is_paired, rows_as_parts[:, rows], 0.0)  # (parts, 2, questions)
        sums[:, pair] = np.moveaxis(np.add.reduceat(parts, pairing.unit_starts, axis=-1), 1, 0)
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
    return np.where(np.abs(difference) <= _TIE * np.maximum(np.abs(first), np.abs(second)), 0.0, difference)


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


# --------------------------------------------------------------------------------------------------- permutation test


def swap_p_values(contrast: Contrast, *, n_resamples: int, seed: int) -> Floats:
    """Return the share of swaps whose difference is as far from 0 as the one found, shape (pairs,).

    Over all swaps, so exact, where the differences have one size or where there are no more than n_resamples; else over
    n_resamples random ones and the one found. NaN where nothing is paired.
    """
    p = np.full(len(contrast.found), np.nan)
    differs = np.any(contrast.delta != 0, axis=1)  # (pairs, units)
    sampled = []
    for pair in np.flatnonzero(contrast.counts["n"] > 0).tolist():
        units = np.flatnonzero(differs[pair])
        delta = contrast.delta[pair, 0, units]
        if contrast.figure.is_mean and (not len(units) or np.ptp(np.abs(delta)) == 0):
            p[pair] = _sign_test(int((delta > 0).sum()), len(units))
        elif 2 ** len(units) <= n_resamples:
            p[pair] = _n_extreme(contrast, [pair], [_all_swaps(len(units))], units)[0] / 2 ** len(units)
        else:
            sampled.append(pair)
    if sampled:
        swaps = _random_swaps(contrast.delta.shape[-1], n_resamples, seed, width=contrast.delta[:, :, 0].size)
        p[sampled] = (1 + _n_extreme(contrast, sampled, swaps)) / (1 + n_resamples)
    return p


def _n_extreme(contrast: Contrast, pairs: Sequence[int], swaps: Iterable[Floats], units: Ints | None = None) -> Ints:
    """How many swaps of these units (None: all) give a difference at least as far from 0 as the one found.

    swaps: batches of shape (swaps, units), 1 where the two sides of a unit change places, else 0.
    """
    delta = contrast.delta[pairs] if units is None else contrast.delta[pairs][:, :, units]
    moving = np.flatnonzero(delta.any(axis=(0, 2)))
    columns = delta[:, moving].reshape(len(pairs) * len(moving), delta.shape[-1]).T
    first, second = (sums[pairs] for sums in contrast.sums)
    least = (np.abs(contrast.found) - contrast.tolerance)[pairs]
    n_extreme = np.zeros(len(pairs), np.int64)
    for batch in swaps:
        moved = np.zeros((len(batch), *first.shape))
        moved[..., moving] = (batch @ columns).reshape(len(batch), len(pairs), len(moving))
        difference = contrast.figure.value(first - moved) - contrast.figure.value(second + moved)
        n_extreme += (np.abs(difference) >= least).sum(axis=0)
    return n_extreme


def _all_swaps(n_units: int) -> Floats:
    return (np.arange(2**n_units)[:, None] >> np.arange(n_units) & 1).astype(np.float64)


def _random_swaps(n_units: int, n_resamples: int, seed: int, *, width: int) -> Iterator[Floats]:
    """Batches of swaps, each unit's with probability 1/2. The same seed and units give the same swaps."""
    random = np.random.default_rng(seed)
    size = max(1, _ELEMENTS // max(n_units, width))
    for start in range(0, n_resamples, size):
        n_rows = min(size, n_resamples - start)
        words = random.integers(0, 1 << 64, size=(n_rows, -(-n_units // 64)), dtype=np.uint64)
        yield np.unpackbits(words.view(np.uint8), axis=1, count=n_units).astype(np.float64)


def _sign_test(n_up: int, n_differing: int) -> float:
    """The p-value of all 2**n_differing swaps where all differences have one size: how a fair coin would fall.

    For scores of 0 and 1 this is McNemar's exact test.
    """
    log_factorials = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, n_differing + 1)))))
    fewer = np.arange(min(n_up, n_differing - n_up) + 1)
    log_ways = log_factorials[-1] - log_factorials[fewer] - log_factorials[n_differing - fewer]
    return min(1.0, 2 * float(np.exp(log_ways - n_differing * math.log(2)).sum()))


# ---------------------------------------------------------------------------------------------------------- bootstrap


def bootstrap_test(contrast: Contrast, *, ci: float, n_resamples: int, seed: int) -> tuple[Bounds, Floats]:
    """Return percentile bounds and two-sided p-values, shape (pairs,); NaN where fewer than two units are paired.

    A p-value is the share of draws whose difference is as far from the one found as that is from 0, widened for few
    units as the percentiles are. A draw without any question of a pair tells nothing of it and is left out. Where all
    draws are alike, the bounds are those of `difference_bounds`.
    """
    n_pairs, n_parts, n_units = contrast.first.shape
    sides = np.concatenate([contrast.first, contrast.second], axis=1).reshape(-1, n_units)
    drawn = resample_sums(sides, n_resamples, seed).reshape(n_resamples, n_pairs, 2, n_parts)
    differences = contrast.figure.value(drawn[:, :, 0]) - contrast.figure.value(drawn[:, :, 1])
    found, tolerance = contrast.found, contrast.tolerance
    low, high, p = np.full((3, n_pairs), np.nan)
    for pair in np.flatnonzero(contrast.n_units > 1).tolist():
        known = differences[~np.isnan(differences[:, pair]), pair]
        if len(known):
            low[pair], high[pair] = percentiles(known, expanded_tail(ci, int(contrast.n_units[pair])))
            is_extreme = np.abs(known - found[pair]) >= abs(found[pair]) - tolerance[pair]
            p[pair] = (1 + is_extreme.sum()) / (1 + len(known))
    other_low, other_high = difference_bounds(contrast, ci)
    is_alike = high - low <= ROUNDING * np.abs(high)
    bounds = np.where(is_alike, other_low, low), np.where(is_alike, other_high, high)
    return bounds, expanded_p_values(p, contrast.n_units)


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
