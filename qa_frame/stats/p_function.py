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
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.parallel.jobs import map_in_threads
from qa_frame.stats.contrasts import Contrast, MeanContrast
from qa_frame.stats.differences import Draws
from qa_frame.stats.distributions import t_above, t_quantiles, z_values
from qa_frame.stats.intervals import Bounds
from qa_frame.stats.sign_flips import SharedSums, SignFlips, sums_of_both_sides, sums_of_differences
from qa_frame.stats.statistic import divide_where

_MEANS = 1 << 24
"""Means held in memory at once: 128 MB."""

_MOST_DRAWN = 500
"""Of more units, or of unequal ones that are worth more, means of halves are normal within the error of draws."""

_LEAST_SHARE = 1e-9
"""A bound next to 0 is no closer to it than this share of the difference, where the test rejects 0."""

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class PFunction(ABC):
    """The function P of some pairs of groups: P(delta) is the one-sided p-value of "the difference is delta or less".

    Arrays have the shape (pairs,).

    Attributes
    ----------
    difference
        The observed differences.
    p
        The two-sided p-values of "the difference is 0". For a positive difference, P is at most p / 2 below 0, and at
        least p / 2 between 0 and the difference.
    limit
        The largest size of a difference: 1 for scores from 0 to 1, else infinite.
    error
        The standard errors of the differences.
    """

    difference: Floats
    p: Floats
    limit: Floats
    error: Floats

    @abstractmethod
    def _quantiles(self, tail: Floats) -> Bounds:
        """Return the differences at which P is `tail` and 1 - `tail`, before they are made to agree with `p`.

        They have the shape (pairs,) each, the lower ones first. NaN where they are not known.

        tail: a one-sided level for each pair, shape (pairs,).
        """

    @abstractmethod
    def _p_outside(self, margin: float) -> tuple[Floats, Floats]:
        """Return P(-margin) and 1 - P(margin), before they are made to agree with `p`.

        They have the shape (pairs,) each. NaN where they are not known.
        """

    def bounds(self, tail: Floats, excludes_0: Flags) -> Bounds:  # noqa: ARG002  (some need it)
        """Return the differences at which P is `tail` and 1 - `tail`, lower and upper; NaN where these are not known.

        They are kept within `limit`, and hold the observed difference between them.

        tail: a one-sided level for each pair, shape (pairs,). excludes_0: whether the test rejects 0 at this level,
        shape (pairs,).
        """
        low, high = (np.clip(each, -self.limit, self.limit) for each in self._quantiles(tail))
        return np.minimum(low, self.difference), np.maximum(high, self.difference)

    def p_beyond(self, margin: float) -> tuple[Floats, Floats]:
        """Return the p-values of "the difference is -margin or less" and of "the difference is margin or more".

        They agree with `p`. NaN where they are not known.
        """
        below, above = (np.where(margin > self.limit, 0.0, each) for each in self._p_outside(margin))
        is_negative, is_known, half = self.difference < 0, ~np.isnan(below + above), self.p / 2
        toward, away = np.where(is_negative, above, below), np.where(is_negative, below, above)
        toward = np.where(is_known, np.minimum(toward, half) if margin > 0 else half, np.nan)
        away = np.where(is_known & (margin < np.abs(self.difference)), 1 - half, away)
        return np.where(is_negative, away, toward), np.where(is_negative, toward, away)


@dataclass(frozen=True, slots=True)
class StudentsPFunction(PFunction):
    """P by Student's t distribution. Its middle need not be the observed difference (see `StudentInterval`).

    Attributes
    ----------
    middle, df
        The middle of the intervals, and the degrees of freedom.
    """

    middle: Floats
    df: Floats

    def _quantiles(self, tail: Floats) -> Bounds:
        """Return the bounds of Student's interval that leaves `tail` beyond either of them."""
        half = t_quantiles(1 - 2 * tail, self.df) * self.error
        return self.middle - half, self.middle + half

    def _p_outside(self, margin: float) -> tuple[Floats, Floats]:
        """Return P(-margin) and 1 - P(margin) by Student's t distribution, before they are made to agree with `p`."""
        return self._above(self.middle + margin), self._above(margin - self.middle)

    def _above(self, distance: Floats) -> Floats:
        """Return P(T > distance / error) for Student's T; 1/2 where distance and error are 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = distance / self.error
        return t_above(np.where((distance == 0) & (self.error == 0), 0.0, t), self.df)


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
        Whether the p-value of "the difference is 0" could be smaller, and significant, with more draws.
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
class PairedPFunction(PFunction):
    """P as the share of the mean differences of halves that are delta or less (see `HalfMeans`).

    Attributes
    ----------
    n_means
        How many mean differences of halves there are for each pair.
    least, greatest
        The smallest and the largest of them, from the outermost one on, as many as the highest level needs; shape
        (pairs, means kept).
    n_outside
        How many of them are -margin or less, and how many margin or more; shape (2, pairs).
    """

    n_means: int
    least: Floats
    greatest: Floats
    n_outside: Floats

    def bounds(self, tail: Floats, excludes_0: Flags) -> Bounds:
        """Return the differences at which P is `tail` and 1 - `tail`; NaN where these are not known.

        The interval excludes 0 exactly where the test rejects 0. The mean differences of halves alone do not ensure
        this: they include an added win and loss, and `p` may be exact or rest on more draws. So, where the test rejects
        0, the bound next to 0 is at least as far from 0 as in a test-based interval (Miettinen 1976): difference *
        (1 - z of `tail` / z of `p`). Where it does not, the interval is extended to 0.
        """
        low, high = super(PairedPFunction, self).bounds(tail, excludes_0)
        is_negative, size = self.difference < 0, np.abs(self.difference)
        near, far = np.where(is_negative, -high, low), np.where(is_negative, -low, high)
        share = np.maximum(1 - z_values(2 * tail) / z_values(np.where(excludes_0, self.p, 2 * tail)), _LEAST_SHARE)
        near = np.where(excludes_0, np.maximum(near, size * share), np.minimum(near, 0.0))
        near, far = np.minimum(near, size), np.maximum(far, size)
        low, high = np.where(is_negative, -far, near), np.where(is_negative, -near, far)
        return np.where(np.isfinite(low), low, np.nan), np.where(np.isfinite(high), high, np.nan)

    def _quantiles(self, tail: Floats) -> Bounds:
        """Return the differences at which P is `tail` and 1 - `tail`, before they are made to agree with `p`.

        Where `tail` is below what the outermost mean shows, its distance from the difference is stretched by quantiles
        of the normal distribution.
        """
        rank = np.ceil(tail * (self.n_means + 2) - 1 - _ROUNDING).astype(np.int64)
        place = np.arange(len(tail)), np.clip(rank, 1, self.least.shape[1]) - 1
        stretch = np.maximum(z_values(2 * tail) / z_values(np.array(2 / (self.n_means + 2))), 1.0)
        low, high = ((side[place] - self.difference) * stretch for side in (self.least, self.greatest))
        return self.difference + low, self.difference + high

    def _p_outside(self, margin: float) -> tuple[Floats, Floats]:  # noqa: ARG002  (the one that was counted)
        """Return P(-margin) and 1 - P(margin) from `n_outside`, before they are made to agree with `p`.

        margin: is not read. It must be the margin that `make_p_function` was given, for which means were counted.
        """
        below, above = (1 + self.n_outside) / (self.n_means + 2)
        return below, above


Tails = tuple[Floats, Floats, Ints]
"""The smallest and the largest mean differences of halves, and how many are beyond either side of the margin, of some
pairs: `least`, `greatest` and `n_outside` of `PairedPFunction`."""


@dataclass(frozen=True, slots=True)
class HalfMeans:
    """What the mean differences of halves are made of, for all pairs of a contrast. NaN for fewer than two units.

    A draw of signs parts the units in two halves. A win and a loss of typical size are added first.

    Attributes
    ----------
    contrast
        The contrast whose pairs these are.
    d, n
        The sum of differences and the weight of each unit, shape (pairs, units); see `Contrast.unit_weights`.
    total, size
        The sum of all differences, and that of all weights with those of the added win and loss, shape (pairs,).
    noise
        The standard deviation of what the added win and loss contribute to a sum with random signs, shape (pairs,).
        The contribution is drawn from a normal distribution.
    """

    contrast: Contrast
    d: Floats
    n: Floats
    total: Floats
    size: Floats
    noise: Floats

    @classmethod
    def of(cls, contrast: Contrast) -> HalfMeans:
        """Return each unit's difference and weight, and the size of the added win and loss, for each pair of groups.

        The mean differences over random halves of the units are made of these.
        """
        d, n = contrast.influence(), contrast.unit_weights
        squares = divide_where(d**2, n, 0.0)
        fourth = divide_where(squares**2, n, 0.0).sum(axis=-1)
        win = np.sqrt(divide_where(fourth, squares.sum(axis=-1), 1.0))
        n_units = np.count_nonzero(n, axis=-1)
        added = np.sqrt((n**2).sum(axis=-1) / np.where(n_units > 1, n_units, np.nan))
        return cls(contrast, d, n, d.sum(axis=-1), n.sum(axis=-1) + added, np.sqrt(2) * win * added)

    @property
    def error(self) -> Floats:
        """The standard errors of the differences, shape (pairs,)."""
        apart = self.d - self.contrast.difference[:, None] * self.n
        return np.asarray(np.sqrt((apart**2).sum(axis=-1) + self.noise**2) / self.size)

    def tails(self, draws: Draws, n_kept: int, margin: float) -> Iterator[tuple[Ints, Tails]]:
        """Yield the places of some pairs, and their `Tails`, until all pairs with two units or more are done.

        Mean differences of halves are drawn where units are few: an effective number of `_MOST_DRAWN` or less. They are
        calculated where units are many, and where no unit differs, so that only the added win and loss vary.

        n_kept: how many of the smallest and of the largest means `Tails` have. margin: means of -margin or less, and of
        margin or more, are counted.
        """
        is_known, at_once = ~np.isnan(self.total * self.size), max(1, _MEANS // (2 * draws.n_first))
        are_few = self.n.sum(axis=-1) ** 2 <= _MOST_DRAWN * (self.n**2).sum(axis=-1)
        are_sampled = is_known & are_few & self.d.any(axis=-1)
        for chosen, make in ((are_sampled, self._draw_tails), (is_known & ~are_sampled, self._calculate_tails)):
            pairs = np.flatnonzero(chosen)
            for start in range(0, len(pairs), at_once):
                yield pairs[start : start + at_once], make(pairs[start : start + at_once], draws, n_kept, margin)

    def _calculate_tails(self, pairs: Ints, draws: Draws, n_kept: int, margin: float) -> Tails:
        """Return the `Tails` of these pairs, from normal quantiles in place of random draws (Fieller 1954).

        A mean is infinite where the equation of `means` does not bound it. draws: their number is that of the
        quantiles. n_kept, margin: as in `tails`.
        """
        z = z_values(2 * (np.arange(draws.n_first) + 1.5) / (2 * draws.n_first + 2))
        z = np.concatenate([z, -z[::-1]])
        d, n = self.d[pairs], self.n[pairs]
        total, size, noise = (each[pairs, None] for each in (self.total, self.size, self.noise))
        squares, products, sizes = (each.sum(axis=-1)[:, None] for each in (d**2, d * n, n**2))
        squares = squares + noise**2

        def means(z: Floats) -> Floats:
            """Return the means at quantiles z, which fall as z rises; infinite where the equation does not bound them.

            They solve (total - mean * size) / sqrt(squares - 2 * mean * products + mean**2 * sizes) = z.
            """
            square, middle = size**2 - z**2 * sizes, total * size - z**2 * products
            root = np.sqrt(np.maximum(middle**2 - square * (total**2 - z**2 * squares), 0.0))
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.where(square > 0, (middle - np.sign(z) * root) / square, -np.sign(z) * np.inf)

        at = np.array([[-margin, margin]])
        of_margins = (total - at * size) / np.sqrt(squares - 2 * at * products + at**2 * sizes)
        below, above = np.searchsorted(z[::-1], of_margins * [1, -1]).T  # z is its own mirror image
        return means(z[:n_kept]), means(-z[:n_kept]), len(z) - np.stack([below, above])

    def _draw_tails(self, pairs: Ints, draws: Draws, n_kept: int, margin: float) -> Tails:
        """Return the `Tails` of these pairs, from random draws. n_kept, margin: as in `tails`."""
        shared = self._share_sums(pairs)
        n, row_of = np.unique(self.n[pairs], axis=0, return_inverse=True)
        flips = SignFlips(np.concatenate([shared.sums, n.T], axis=1), draws.seed)
        total, size = self.total[pairs, None], self.size[pairs, None]
        # With the sign of some difference, the means of two groups are those of the groups turned round, times -1.
        first = self.d[pairs, (self.d[pairs] != 0).argmax(axis=1)]
        noise = (self.noise[pairs] * np.sign(first))[:, None]

        def divide(batch: range) -> Floats:
            """Return the mean differences of both halves for the draws of a batch, shape (pairs, 2 * draws)."""
            sums = np.ascontiguousarray(flips.sums(batch).T)
            change = sums[shared.first[:, 0]] - sums[shared.second[:, 0]]
            change += noise * np.random.default_rng([draws.seed, batch.start, 1]).normal(size=len(batch))
            change_n = sums[shared.sums.shape[1] :][row_of.ravel()]
            return np.concatenate([(total + change) / (size + change_n), (total - change) / (size - change_n)], axis=1)

        means = np.concatenate([*map_in_threads(divide, flips.batches(0, draws.n_first))], axis=1)
        n_outside = np.stack([(means <= -margin).sum(axis=1), (means >= margin).sum(axis=1)])
        n_means = means.shape[1]
        means.partition((n_kept - 1, n_means - n_kept), axis=1)
        least, greatest = np.sort(means[:, :n_kept], axis=1), np.sort(means[:, n_means - n_kept :], axis=1)[:, ::-1]
        return least, greatest, n_outside

    def _share_sums(self, pairs: Ints) -> SharedSums:
        """Return the differences of units, in the form of `SharedSums`.

        For means, return the sums of both sides instead where these have no more columns than there are pairs.
        """
        if isinstance(self.contrast, MeanContrast):
            of_sides = sums_of_both_sides(self.contrast, pairs, np.zeros(1, np.int64))
            if of_sides.sums.shape[1] <= len(pairs):
                return of_sides
        return sums_of_differences(self.d[pairs][:, None])


def make_p_function(
    contrast: Contrast, p: Floats, draws: Draws, *, tail: float, margin: float | None
) -> PairedPFunction:
    """Return the function P of the pairs of a contrast.

    Parameters
    ----------
    p
        The two-sided p-values of "the difference is 0".
    tail
        The highest one-sided level at which bounds are wanted.
    margin
        The margin that is tested; None for none.
    """
    half_means, n_pairs, n_means = HalfMeans.of(contrast), len(p), 2 * draws.n_first
    n_kept = min(n_means, max(1, int(np.ceil(tail * (n_means + 2)))))
    n_outside, least, greatest = np.full((2, n_pairs), np.nan), *np.full((2, n_pairs, n_kept), np.nan)
    for pairs, tails in half_means.tails(draws, n_kept, margin or 0.0):
        least[pairs], greatest[pairs], n_outside[:, pairs] = tails
    limit = np.where(contrast.is_bounded, 1.0, np.inf)
    return PairedPFunction(contrast.difference, p, limit, half_means.error, n_means, least, greatest, n_outside)
