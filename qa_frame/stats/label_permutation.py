"""The two-sample permutation test, for two groups that have units of their own, as of different questions.

If the groups do not differ, each unit may belong to either group. So the labels of the groups are given to the units
anew. The statistic is studentized: the difference of means over its standard error. So the test also holds where the
groups have different variances, unless units are few (Janssen 1997; Chung and Romano 2013).
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.stats.differences import Draws, PValues, draw_p_values
from qa_frame.stats.distributions import hypergeometric, t_two_sided
from qa_frame.stats.intervals import Bounds, satterthwaite
from qa_frame.stats.sign_test import MOST_EXACT

_MOST_UNITS = 2000
"""The labels of more units are not drawn: the statistic is then Student's but for rounding."""

_AT_ONCE = 1 << 20
_ROUNDING = 1e-9

SizedTotals = tuple[Floats, Floats]
"""The sums of scores of a group's units, and their rows, shape (units,) each."""


@dataclass(frozen=True, slots=True)
class LabelledUnits:
    """The units of two groups, first those of the first group.

    Attributes
    ----------
    totals, sizes
        The sum of scores of each unit, and its rows, shape (units,) each.
    n_first
        How many units the first group has.
    """

    totals: Floats
    sizes: Floats
    n_first: int

    @classmethod
    def join(cls, first: SizedTotals, second: SizedTotals) -> LabelledUnits:
        """Return the units of two groups together."""
        totals, sizes = (np.concatenate(sides) for sides in zip(first, second, strict=True))
        return cls(totals, sizes, len(first[0]))

    @property
    def moments(self) -> Floats:
        """What each unit adds to the sums that the statistic is made of, shape (5, units).

        They are of scores minus the mean of all scores, which changes no difference.
        """
        totals, sizes = self.totals - self.totals.sum() / self.sizes.sum() * self.sizes, self.sizes
        return np.stack([totals, sizes, totals**2, totals * sizes, sizes**2])

    def statistic_of_sums(self, first: Floats) -> Floats:
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

    def statistic(self, first: Ints) -> Floats:
        """Return the statistic, shape (draws,). first: the units with the first label, shape (draws, n_first)."""
        return self.statistic_of_sums(np.stack([moment[first].sum(axis=1) for moment in self.moments]))


def label_tests(groups: Sequence[SizedTotals], pairs: Iterable[tuple[int, int]], draws: Draws, dfs: Floats) -> PValues:
    """Return the p-values of pairs of groups; see `label_test`.

    Parameters
    ----------
    groups
        The units of each group.
    pairs
        The places of both groups of each pair.
    dfs
        The degrees of freedom of each pair, shape (pairs,).
    """
    tests = [
        label_test(LabelledUnits.join(groups[one], groups[other]), draws, df=df)
        for (one, other), df in zip(pairs, dfs.tolist(), strict=True)
    ]
    p, is_exhausted = zip(*tests, strict=True)
    return PValues(np.array(p, np.float64), np.array(is_exhausted, np.bool_))


def label_test(units: LabelledUnits, draws: Draws, *, df: float) -> tuple[float, bool]:
    """Return the two-sided p-value, and whether it could be smaller, and significant, with more draws.

    It is exact for rows of two scores, where it is the mid-p-value: ways to give the labels that lead to just the same
    statistic count half. It is also exact where there are no more than `draws.n_first` ways to give the labels. NaN
    where a group has fewer than two units.

    df: the degrees of freedom of the statistic. With many units its p-value is Student's, and no labels are drawn.
    """
    n, n_first = len(units.totals), units.n_first
    if min(n_first, n - n_first) < 2:
        return math.nan, False
    observed = abs(float(units.statistic(np.arange(n_first)[None])[0]))
    least = observed * (1 - _ROUNDING)
    if observed == 0:
        return 1.0, False
    if (units.sizes == 1).all() and len(np.unique(units.totals)) <= 2:
        return _p_of_two_scores(units, least), False
    if math.comb(n, n_first) <= draws.n_first:
        first = np.array(list(itertools.combinations(range(n), n_first)))
        return float((np.abs(units.statistic(first)) >= least).mean()), False
    if n > _MOST_UNITS:
        return float(t_two_sided(np.array([observed]), np.array([df]))[0]), False

    def count_extreme(_: Ints, start: int, stop: int) -> Ints:
        """Return in how many of these draws the statistic is as far from 0 as the observed one, shape (1,)."""
        size, n_extreme = max(1, _AT_ONCE // n), 0
        for place in range(start, stop, size):
            keys = np.random.default_rng([draws.seed, place]).random((min(size, stop - place), n))
            statistics = units.statistic(np.argpartition(keys, n_first, axis=1)[:, :n_first])
            n_extreme += int(np.count_nonzero(np.abs(statistics) >= least))
        return np.array([n_extreme])

    p, is_exhausted = draw_p_values(np.zeros(1, np.int64), draws, count_extreme)
    return float(p[0]), bool(is_exhausted[0])


def _p_of_two_scores(units: LabelledUnits, least: float) -> float:
    """Return the mid-p-value over all ways to give the labels, for rows that have one of two scores.

    The statistic then follows from how many rows of the first group have the higher score, and this number has a
    hypergeometric distribution. least: the absolute value from which on a statistic is as far from 0 as the observed.
    """
    n, n_first = len(units.totals), units.n_first
    is_high = units.totals == units.totals.max()
    n_high = int(is_high.sum())
    counts = np.arange(max(0, n_high - (n - n_first)), min(n_high, n_first) + 1)
    low, high = (units.moments[:, is_one].mean(axis=1)[:, None] for is_one in (~is_high, is_high))
    statistic = np.abs(units.statistic_of_sums(low * (n_first - counts) + high * counts))
    is_extreme = statistic >= least
    halves = 2 * is_extreme - (is_extreme & (statistic <= least * (1 + 4 * _ROUNDING)))
    few, others = sorted((n_first, n_high), key=lambda size: min(size, n - size))
    if min(few, n - few) <= MOST_EXACT:
        ways = (math.comb(others, k) * math.comb(n - others, few - k) for k in counts.tolist())
        n_halves: int = sum(map(operator.mul, ways, halves.tolist()))
        return min(1.0, n_halves / (2 * math.comb(n, few)))
    return min(1.0, float((hypergeometric(counts, n, n_high, n_first) * halves).sum()) / 2)


def recovered_difference(values: Floats, lows: Floats, highs: Floats) -> Bounds:
    """Return the bounds of the difference of two statistics with their own bounds (Newcombe 1998; Zou and Donner 2008).

    values, lows, highs: the statistic and its bounds on both sides, shape (2, pairs) each.
    """
    (one, other), (one_low, other_low), (one_high, other_high) = values, lows, highs
    below, above = np.hypot(one - one_low, other_high - other), np.hypot(one_high - one, other - other_low)
    return one - other - below, one - other + above


def welch_df(variances: Floats, dfs: Floats) -> Floats:
    """Return the degrees of freedom of a difference (Satterthwaite 1946), shape (pairs,).

    Where both variances are 0, it is the sum of the degrees of freedom of both sides.

    variances, dfs: the variance of each side's statistic, and its degrees of freedom, shape (2, pairs) each.
    """
    shared = satterthwaite(variances, dfs, lambda sides: sides.sum(axis=0))
    return np.where(variances.sum(axis=0) > 0, shared, dfs.sum(axis=0))


def too_few_labels(n_first: int, n_second: int, alpha: float) -> bool:
    """Return whether there are so few ways to give the labels that no p-value is below alpha.

    n_first, n_second: the units of both groups.
    """
    n_ways = math.comb(min(n_first + n_second, 64), min(n_first, n_second, 32))
    return n_ways * alpha <= (2 if n_first == n_second else 1)  # of equal groups, each way has its mirror image
