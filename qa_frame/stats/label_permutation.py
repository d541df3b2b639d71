"""Two groups of units of their own, as of different questions → the permutation test of their labels.

Without a difference, any units may have either label. The statistic is the difference of means over its standard error:
so the test also holds, but for few units, where the groups vary differently (Janssen 1997; Chung and Romano 2013).
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.stats.intervals import Bounds, satterthwaite
from qa_frame.stats.p_values import Draws, PValues, draw_p_values
from qa_frame.stats.sign_test import MOST_EXACT
from qa_frame.stats.student import t_two_sided

_MOST_UNITS = 2000
"""The labels of more units are not drawn: the statistic is then Student's but for rounding."""

_AT_ONCE = 1 << 20
_ROUNDING = 1e-9

SizedTotals = tuple[Floats, Floats]
"""The sums of scores of a group's units, and their rows, shape (units,) each."""


@dataclass(frozen=True, slots=True)
class LabelledUnits:
    """The units of two groups: their sums of scores and their rows, shape (units,), the first group's first.

    n_first: how many units the first group has.
    """

    totals: Floats
    sizes: Floats
    n_first: int

    @classmethod
    def join(cls, first: SizedTotals, second: SizedTotals) -> LabelledUnits:
        """Return the units of two groups, of which each is given by its sums of scores and its rows."""
        (totals, sizes), (more, of_more) = first, second
        return cls(np.concatenate([totals, more]), np.concatenate([sizes, of_more]), len(totals))

    @property
    def moments(self) -> Floats:
        """What the statistic is made of, shape (5, units). Scores are less their mean, which changes no difference."""
        totals, sizes = self.totals - self.totals.sum() / self.sizes.sum() * self.sizes, self.sizes
        return np.stack([totals, sizes, totals**2, totals * sizes, sizes**2])

    def statistics(self, first: Floats) -> Floats:
        """Return the difference of means over its standard error, shape (draws,); 0 / 0 is 0.

        first: the sums of `moments` over the units that have the first label, shape (5, draws).
        """
        every = self.moments.sum(axis=1)[:, None]
        difference, variance = np.zeros((2, first.shape[1]))
        for side, n, sign in ((first, self.n_first, 1), (every - first, len(self.totals) - self.n_first, -1)):
            total, size, squares, products, sizes = side
            mean = total / size
            spread = (squares - 2 * mean * products + mean**2 * sizes) / size**2
            is_known = spread > _ROUNDING**1.5 * every[2] / size**2
            difference, variance = difference + sign * mean, variance + np.where(is_known, spread, 0) * n / (n - 1)
        scale = np.sqrt(every[2] / every[4])
        difference = np.where(np.abs(difference) > _ROUNDING * scale, difference, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(difference == 0, 0.0, difference / np.sqrt(variance)))


def label_tests(groups: Sequence[SizedTotals], pairs: Iterable[tuple[int, int]], draws: Draws, dfs: Floats) -> PValues:
    """Return the p-values of pairs of groups; see `label_test`.

    groups: the units of each group. pairs: the places of both groups of each pair. dfs: the degrees of freedom of each.
    """
    tests = [
        label_test(LabelledUnits.join(groups[one], groups[other]), draws, df=df)
        for (one, other), df in zip(pairs, dfs.tolist(), strict=True)
    ]
    p, is_exhausted = zip(*tests, strict=True)
    return PValues(np.array(p, np.float64), np.array(is_exhausted, np.bool_))


def label_test(units: LabelledUnits, draws: Draws, *, df: float) -> tuple[float, bool]:
    """Return the two-sided p-value, and whether more draws could make it less, and significant.

    It is exact for rows of two scores, where it is the mid-p-value: labels that give just the statistic found count
    half. It is also exact where there are no more than `draws.n_first` ways to give the labels. NaN where a group has
    fewer than two units.

    df: the degrees of freedom of the statistic, where units are too many to draw their labels.
    """
    n, n_first = len(units.totals), units.n_first
    if min(n_first, n - n_first) < 2:
        return math.nan, False
    found = abs(float(units.statistics(units.moments[:, :n_first].sum(axis=1)[:, None])[0]))
    least = found * (1 - _ROUNDING)
    if found == 0:
        return 1.0, False
    if (units.sizes == 1).all() and len(np.unique(units.totals)) <= 2:
        return _of_two_scores(units, least), False
    if math.comb(n, n_first) <= draws.n_first:
        chosen = np.array(list(itertools.combinations(range(n), n_first)))
        return float((np.abs(_of_chosen(units, chosen)) >= least).mean()), False
    if n > _MOST_UNITS:
        return float(t_two_sided(np.array([found]), np.array([df]))[0]), False

    def count(_: Ints, start: int, stop: int) -> tuple[Ints, Ints]:
        size, n_extreme = max(1, _AT_ONCE // n), 0
        for place in range(start, stop, size):
            keys = np.random.default_rng([draws.seed, place]).random((min(size, stop - place), n))
            drawn = _of_chosen(units, np.argpartition(keys, n_first, axis=1)[:, :n_first])
            n_extreme += int(np.count_nonzero(np.abs(drawn) >= least))
        return np.array([n_extreme]), np.array([stop - start])

    p, is_exhausted = draw_p_values(np.zeros(1, np.int64), draws, count)
    return float(p[0]), bool(is_exhausted[0])


def _of_two_scores(units: LabelledUnits, least: float) -> float:
    """Return the p-value over all ways to give the labels: how many of the higher score the first group may have."""
    n, n_first = len(units.totals), units.n_first
    is_high = units.totals == units.totals.max()
    n_high = int(is_high.sum())
    counts = np.arange(max(0, n_high - (n - n_first)), min(n_high, n_first) + 1)
    low, high = (units.moments[:, is_one].mean(axis=1)[:, None] for is_one in (~is_high, is_high))
    found = np.abs(units.statistics(low * (n_first - counts) + high * counts))
    is_extreme = found >= least
    halves = 2 * is_extreme - (is_extreme & (found <= least * (1 + 4 * _ROUNDING)))
    few, others = sorted((n_first, n_high), key=lambda size: min(size, n - size))
    if min(few, n - few) <= MOST_EXACT:
        ways = (math.comb(others, k) * math.comb(n - others, few - k) for k in counts.tolist())
        n_halves: int = sum(map(operator.mul, ways, halves.tolist()))
        return min(1.0, n_halves / (2 * math.comb(n, few)))
    shares = _hypergeometric(counts, n, n_high, n_first)
    return min(1.0, float((shares * halves).sum()) / 2)


def _hypergeometric(counts: Ints, n: int, n_high: int, n_first: int) -> Floats:
    """Return the probability of these counts of `n_high` of n units among `n_first` that are drawn; all counts."""
    from scipy.special import gammaln  # noqa: PLC0415  (not needed to import the package)

    parts = (counts, n_first - counts, n_high - counts, n - n_first - n_high + counts)
    logs = -sum(gammaln(part + 1.0) for part in parts)
    shares = np.exp(logs - logs.max())
    return np.asarray(shares / shares.sum())


def _of_chosen(units: LabelledUnits, chosen: Ints) -> Floats:
    """Return the statistic where the units at these places have the first label, shape (draws,)."""
    return units.statistics(np.stack([moment[chosen].sum(axis=1) for moment in units.moments]))


def recovered_difference(values: Floats, lows: Floats, highs: Floats) -> Bounds:
    """Return the bounds of the difference of two figures with their own bounds (Newcombe 1998; Zou and Donner 2008).

    values, lows, highs: of both sides, shape (2, pairs).
    """
    (one, other), (one_low, other_low), (one_high, other_high) = values, lows, highs
    below, above = np.hypot(one - one_low, other_high - other), np.hypot(one_high - one, other - other_low)
    return one - other - below, one - other + above


def welch_df(variances: Floats, dfs: Floats) -> Floats:
    """Return the degrees of freedom of a difference (Satterthwaite 1946); those of both sides where nothing varies.

    variances, dfs: of both sides, shape (2, pairs).
    """
    shared = satterthwaite(variances, dfs, lambda sides: sides.sum(axis=0))
    return np.where(variances.sum(axis=0) > 0, shared, dfs.sum(axis=0))


def too_few_labels(n_first: int, n_second: int, alpha: float) -> bool:
    """Return whether there are so few ways to give the labels that no p-value is below alpha."""
    n_ways = math.comb(min(n_first + n_second, 64), min(n_first, n_second, 32))
    return n_ways * alpha <= (2 if n_first == n_second else 1)  # of equal groups, each way has its mirror image
