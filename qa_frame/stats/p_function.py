"""The p-value of every difference between two groups, from which all that is said of the difference follows.

P(delta) is the one-sided p-value of "the difference is delta or less". Twice P(0) is the p-value that is shown, bounds
are the differences at which P reaches a level, and P(-margin) is the test of non-inferiority. As all come from one
function, they cannot contradict each other.

For groups on the same questions, a draw of sign flips parts the questions in two halves. The mean differences of both
halves are two values that the true difference would exceed as often as not (Hartigan 1969). So P(delta) is the share of
these means, over all draws, that are delta or less. First a win and a loss of typical size are added to the questions
(Bonett and Price 2012), so that there is a width where no question tells two groups apart.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.parallel.jobs import map_in_threads
from qa_frame.stats.contrasts import Contrast, MeanContrast
from qa_frame.stats.differences import Draws
from qa_frame.stats.distributions import normal_above, t_above, t_quantiles, z_values
from qa_frame.stats.intervals import Bounds
from qa_frame.stats.sign_flips import BLOCKS, SharedSums, SignFlips, sums_of_both_sides, sums_of_differences
from qa_frame.stats.statistic import divide_where

_MEANS = 1 << 24
"""Means held in memory at once: 128 MB."""

_LEAST_SHARE = 1e-9
"""A bound next to 0 is no closer to it than this share of the difference, where the test rejects 0."""

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class PFunction(ABC):
    """The one-sided p-values of all differences, of some pairs of groups. Arrays have the shape (pairs,).

    Attributes
    ----------
    difference
        The observed differences.
    p
        The two-sided p-values that the difference is 0. P never crosses half of it: it is at most that beyond 0 as seen
        from the observed difference, and at least that between the two.
    limit
        The largest size of a difference: 1 for scores from 0 to 1, else infinite.
    """

    difference: Floats
    p: Floats
    limit: Floats

    @property
    @abstractmethod
    def error(self) -> Floats:
        """The standard errors of the differences."""

    @abstractmethod
    def _quantiles(self, tail: Floats) -> Bounds:
        """Return the differences at which P is `tail` and 1 - tail, where `p` is not looked at."""

    @abstractmethod
    def _p_outside(self, margin: float) -> tuple[Floats, Floats]:
        """Return P(-margin) and 1 - P(margin), where `p` is not looked at."""

    def bounds(self, tail: Floats, excludes_0: Flags) -> Bounds:
        """Return the interval in which P is between `tail` and 1 - tail; NaN where it is not known.

        It holds the observed difference. Where it excludes 0, the bound next to 0 is at least as far from it as by a
        test whose normal quantile is in proportion to the distance from what it tests (Miettinen 1976).

        excludes_0: whether the test rejects 0 at this level.
        """
        low, high = (np.clip(each, -self.limit, self.limit) for each in self._quantiles(tail))
        is_negative, size = self.difference < 0, np.abs(self.difference)
        near, far = np.where(is_negative, -high, low), np.where(is_negative, -low, high)
        share = np.maximum(1 - z_values(2 * tail) / z_values(np.where(excludes_0, self.p, 2 * tail)), _LEAST_SHARE)
        near = np.where(excludes_0, np.maximum(near, size * share), np.minimum(near, 0.0))
        near, far = np.minimum(near, size), np.maximum(far, size)
        low, high = np.where(is_negative, -far, near), np.where(is_negative, -near, far)
        return np.where(np.isfinite(low), low, np.nan), np.where(np.isfinite(high), high, np.nan)

    def p_beyond(self, margin: float) -> tuple[Floats, Floats]:
        """Return the p-values of "the difference is -margin or less" and of "it is margin or more"."""
        below, above = (np.where(margin > self.limit, 0.0, each) for each in self._p_outside(margin))
        is_negative, is_known, half = self.difference < 0, ~np.isnan(below + above), self.p / 2
        toward, away = np.where(is_negative, above, below), np.where(is_negative, below, above)
        toward = np.where(is_known, np.minimum(toward, half) if margin > 0 else half, np.nan)
        away = np.where(is_known & (margin < np.abs(self.difference)), 1 - half, away)
        return np.where(is_negative, away, toward), np.where(is_negative, toward, away)


@dataclass(frozen=True, slots=True)
class StudentsPFunction(PFunction):
    """P by Student's t distribution, about a middle that may be another one than the observed difference.

    Attributes
    ----------
    middle, scale, df
        The middle of the intervals, the standard error, and the degrees of freedom.
    """

    middle: Floats
    scale: Floats
    df: Floats

    @property
    def error(self) -> Floats:
        """The standard errors of the differences."""
        return self.scale

    def _quantiles(self, tail: Floats) -> Bounds:
        half = t_quantiles(1 - 2 * tail, self.df) * self.scale
        return self.middle - half, self.middle + half

    def _p_outside(self, margin: float) -> tuple[Floats, Floats]:
        return self._above(self.middle + margin), self._above(margin - self.middle)

    def _above(self, distance: Floats) -> Floats:
        """Return P(T > distance / scale) for Student's T; 1/2 where distance and scale are 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = distance / self.scale
        return t_above(np.where((distance == 0) & (self.scale == 0), 0.0, t), self.df)


@dataclass(frozen=True, slots=True)
class Differences:
    """The differences of a statistic between pairs of groups, with their tests: what a table of differences needs.

    Groups on the same questions and groups on different questions both give these. Arrays have the shape (pairs,).

    Attributes
    ----------
    name
        The name of the statistic.
    a, b
        The labels of the groups of each pair.
    side_values
        The statistic of both sides, shape (2, pairs); NaN where nothing is compared.
    counts
        The counts of each pair by their names.
    p_function
        The p-values of all differences.
    is_exhausted
        Whether the p-value that a difference is 0 could be smaller, and significant, with more draws.
    units
        Numbers of units that the test rests on, shape (numbers, pairs); each design says which numbers.
    """

    name: str
    a: pd.Series
    b: pd.Series
    side_values: Floats
    counts: dict[str, Any]
    p_function: PFunction
    is_exhausted: Flags
    units: Floats


# ------------------------------------------------------------------------------------------------------ same questions


@dataclass(frozen=True, slots=True)
class HalfMeans:
    """The outermost of the mean differences of halves, over all draws. Arrays have one row per pair.

    Attributes
    ----------
    n
        How many means there are of each pair: two a draw. 0 for a pair that was not drawn.
    least, greatest
        So many of them as the highest level needs, from the outermost one on; shape (pairs, means kept).
    n_outside
        How many are -margin or less, and how many margin or more; shape (2, pairs).
    """

    n: Ints
    least: Floats
    greatest: Floats
    n_outside: Ints


@dataclass(frozen=True, slots=True)
class PairedPFunction(PFunction):
    """P by the mean differences of halves; of many units by the normal distribution that these means have.

    The normal distribution also stands for levels that are below the least that draws can show.

    Attributes
    ----------
    total, size
        The sum of differences, and the number of questions with the win and the loss that are added.
    squares, products, sizes
        The sums over units of d**2 (with that win and loss), d * n and n**2, for the sum d of the differences of its n
        questions.
    means
        The means of halves.
    """

    total: Floats
    size: Floats
    squares: Floats
    products: Floats
    sizes: Floats
    means: HalfMeans

    @property
    def error(self) -> Floats:
        """The standard errors of the differences."""
        return np.sqrt(self._variance(self.difference)) / self.size

    def _variance(self, delta: Floats) -> Floats:
        """Return the variance of sums with random signs, of the differences less delta for each question."""
        return np.asarray(np.maximum(self.squares - 2 * delta * self.products + delta**2 * self.sizes, 0.0))

    def _quantiles(self, tail: Floats) -> Bounds:
        bounds = self._normal_bounds(tail)
        kept = (-self.means.least, self.means.greatest)
        low, high = (self._ranked(one, values, tail) for one, values in zip((-bounds[0], bounds[1]), kept, strict=True))
        return -low, high

    def _ranked(self, normal: Floats, outermost: Floats, tail: Floats) -> Floats:
        """Return the upper bound: the mean of this rank, or else the normal bound if it is not below all means."""
        rank = np.ceil(tail * (self.means.n + 2) - 1 - _ROUNDING).astype(np.int64)
        place = np.clip(rank - 1, 0, outermost.shape[1] - 1)
        drawn = outermost[np.arange(len(place)), place]
        return np.where(self.means.n == 0, normal, np.where(rank > 0, drawn, np.maximum(normal, drawn)))

    def _normal_bounds(self, tail: Floats) -> Bounds:
        """Return the two differences delta with (delta * size - total)**2 = z**2 * variance (Fieller 1954)."""
        z_squared = z_values(2 * tail) ** 2
        square = self.size**2 - z_squared * self.sizes
        middle = self.total * self.size - z_squared * self.products
        root = np.sqrt(np.maximum(middle**2 - square * (self.total**2 - z_squared * self.squares), 0.0))
        unknown = np.where(np.isnan(square), np.nan, np.inf)
        low, high = (np.where(square > 0, (middle + side * root) / square, side * unknown) for side in (-1, 1))
        return low, high

    def _p_outside(self, margin: float) -> tuple[Floats, Floats]:
        below, above = (
            self._share_outside(side, margin, n) for side, n in zip((1, -1), self.means.n_outside, strict=True)
        )
        return below, above

    def _share_outside(self, side: int, margin: float, n_outside: Ints) -> Floats:
        """Return the share of means that are as far as the margin or farther; side: 1 below, -1 above."""
        delta = np.full(len(self.total), -side * margin)
        with np.errstate(divide="ignore", invalid="ignore"):
            normal = normal_above((side * self.total + margin * self.size) / np.sqrt(self._variance(delta)))
        share = (1 + n_outside) / (self.means.n + 2)
        return np.where(self.means.n == 0, normal, np.where(n_outside > 0, share, np.minimum(share, normal)))


@dataclass(frozen=True, slots=True)
class FlippedHalves:
    """What the means of halves are made of, for all pairs of a contrast.

    Attributes
    ----------
    contrast
        The contrast whose pairs these are.
    d, n
        The sum of differences and the questions of each unit, shape (pairs, units).
    added, win
        The number of questions of the win and the loss that are added, and their size, shape (pairs,).
    """

    contrast: Contrast
    d: Floats
    n: Floats
    added: Floats
    win: Floats

    @classmethod
    def of(cls, contrast: Contrast) -> FlippedHalves:
        """Return those of a contrast. NaN for fewer than two units."""
        d, n = contrast.influence(), contrast.shifts
        squares = divide_where(d**2, n, 0.0)
        fourth = divide_where(squares**2, n, 0.0).sum(axis=-1)
        n_units = np.count_nonzero(n, axis=-1)
        added = np.sqrt((n**2).sum(axis=-1) / np.where(n_units > 1, n_units, np.nan))
        return cls(contrast, d, n, added, np.sqrt(divide_where(fourth, squares.sum(axis=-1), 1.0)))

    @property
    def total(self) -> Floats:
        """The sums of differences, shape (pairs,)."""
        return np.asarray(self.d.sum(axis=-1))

    @property
    def size(self) -> Floats:
        """The questions with those that are added, shape (pairs,)."""
        return np.asarray(self.n.sum(axis=-1) + self.added)

    @property
    def are_few(self) -> Flags:
        """Whether a pair has so few units, or units so unequal, that halves are drawn; shape (pairs,).

        Where no unit differs, the win and the loss alone make a difference, and their part is normal.
        """
        is_known = ~np.isnan(self.total * self.added) & self.d.any(axis=-1)
        return np.asarray(is_known & (self.n.sum(axis=-1) ** 2 <= BLOCKS * (self.n**2).sum(axis=-1)))

    def draw(self, draws: Draws, *, tail: float, margin: float) -> HalfMeans:
        """Return the means of halves. tail: the highest level of bounds. margin: outside which means are counted."""
        n_pairs, n_means = len(self.d), 2 * draws.n_first
        n_kept = min(n_means, max(1, int(np.ceil(tail * (n_means + 2)))))
        n, n_outside = np.zeros(n_pairs, np.int64), np.zeros((2, n_pairs), np.int64)
        least, greatest = np.full((2, n_pairs, n_kept), np.nan)
        pairs, at_once = np.flatnonzero(self.are_few), max(1, _MEANS // n_means)
        for start in range(0, len(pairs), at_once):
            chosen = pairs[start : start + at_once]
            means = self._means(chosen, draws)
            n[chosen] = n_means
            n_outside[:, chosen] = (means <= -margin).sum(axis=1), (means >= margin).sum(axis=1)
            means.partition((n_kept - 1, n_means - n_kept), axis=1)
            least[chosen] = np.sort(means[:, :n_kept], axis=1)
            greatest[chosen] = np.sort(means[:, n_means - n_kept :], axis=1)[:, ::-1]
        return HalfMeans(n, least, greatest, n_outside)

    def _means(self, pairs: Ints, draws: Draws) -> Floats:
        """Return the means of both halves of these pairs, shape (pairs, means)."""
        shared = self._shared_differences(pairs)
        n, row_of = np.unique(self.n[pairs], axis=0, return_inverse=True)
        flips = SignFlips(np.concatenate([shared.sums, n.T], axis=1), draws.seed)
        total, size = self.total[pairs, None], self.size[pairs, None]
        # With the sign of some difference, the means of two groups are those of the groups turned round, times -1.
        first = self.d[pairs, (self.d[pairs] != 0).argmax(axis=1)]
        noise = (np.sqrt(2) * self.win * self.added)[pairs, None] * np.sign(first)[:, None]

        def divide(batch: range) -> Floats:
            """Return the means of the draws of a batch."""
            sums = np.ascontiguousarray(flips.sums(batch).T)
            moved = sums[shared.first[:, 0]] - sums[shared.second[:, 0]]
            moved += noise * np.random.default_rng([draws.seed, batch.start, 1]).normal(size=len(batch))
            moved_n = sums[shared.sums.shape[1] :][row_of.ravel()]
            return np.concatenate([(total + moved) / (size + moved_n), (total - moved) / (size - moved_n)], axis=1)

        return np.concatenate([*map_in_threads(divide, flips.batches(0, draws.n_first))], axis=1)

    def _shared_differences(self, pairs: Ints) -> SharedSums:
        """Return the differences, or the sums of both sides that they are made of, whichever are fewer."""
        if isinstance(self.contrast, MeanContrast):
            of_sides = sums_of_both_sides(self.contrast, pairs, np.zeros(1, np.int64))
            if of_sides.sums.shape[1] <= len(pairs):
                return of_sides
        return sums_of_differences(self.d[pairs][:, None])


def make_p_function(
    contrast: Contrast, p: Floats, draws: Draws, *, tail: float, margin: float | None
) -> PairedPFunction:
    """Return P of the pairs of a contrast.

    Parameters
    ----------
    p
        The two-sided p-values that the differences are 0.
    tail
        The highest one-sided level of bounds.
    margin
        The margin that is tested, if there is one.
    """
    halves = FlippedHalves.of(contrast)
    d, n = halves.d, halves.n
    squares = (d**2).sum(axis=-1) + 2 * (halves.win * halves.added) ** 2
    return PairedPFunction(
        contrast.difference,
        p,
        np.where(contrast.is_unit, 1.0, np.inf),
        halves.total,
        halves.size,
        squares,
        (d * n).sum(axis=-1),
        (n**2).sum(axis=-1),
        halves.draw(draws, tail=tail, margin=margin or 0.0),
    )
