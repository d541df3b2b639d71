"""Two groups' statistics on the same questions → their difference, its interval, and how sign flips change it.

A statistic depends on sums over rows alone. If two groups exchange their answers to a question, their sums move by that
question's difference, whose sign is so flipped. So ten thousand random flips of all questions are a matrix product; see
`sign_flips`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import UnknownOptionError
from qa_frame.stats.bootstrap import RowStatistic
from qa_frame.stats.intervals import measure_unit_sizes
from qa_frame.stats.sign_test import sign_test
from qa_frame.stats.statistic import Mean, Statistic, StatisticSums, divide_where

_TIE = 1e-12
"""Scores that differ by no more than this share of themselves are equal: 2/3 is not always the same float."""

_ROUNDING = 1e-10
"""The same for statistics, which are made of sums of up to millions of products."""

_NEVER = 1e-6
"""A sign flip that is less likely than this among all that would be drawn is not looked for."""

_SUMS = 1 << 24
"""Sums per unit held in memory at once, for each of two sides and for their difference: 128 MB."""

PAIR_COUNTS = ("n", "n_only_a", "n_only_b", "n_not_scored")
OUTCOMES = ("wins", "ties", "losses")


@dataclass(frozen=True, slots=True)
class Strata:
    """Strata of the questions. Each has a weight, however many questions it has.

    Attributes
    ----------
    of_question
        The stratum of each question, in the order of `Pairing.row_of`. All questions of a unit are in one stratum.
    weights
        The weight of each stratum; they sum to 1.
    are_sampled
        Whether the strata are units themselves, as a sample of others of their kind.
    """

    of_question: Ints
    weights: Floats
    are_sampled: bool = False


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which groups are compared, and where each has its row for each question.

    A unit is a question or a cluster of questions. Its sign is flipped as one.

    Attributes
    ----------
    groups
        The labels of the groups.
    first, second
        The places of the groups that are compared, shape (pairs,).
    row_of
        The row of each group for each question, shape (groups, questions); -1 for no row. Questions stand in the order
        of their units and keys.
    unit_starts
        The first question of each unit, shape (units,).
    strata
        The strata that a mean is taken over; None if each question counts the same.
    """

    groups: pd.Series
    first: Ints
    second: Ints
    row_of: Ints
    unit_starts: Ints
    strata: Strata | None = None

    def blocks(self, *, n_sums: int) -> Iterator[Pairing]:
        """Yield the pairing, some pairs at a time, so that their sums do not fill the memory.

        n_sums: how many sums a unit has.
        """
        size = max(1, _SUMS // (n_sums * max(1, len(self.unit_starts))))
        for start in range(0, len(self.first), size):
            part = slice(start, start + size)
            yield replace(self, first=self.first[part], second=self.second[part])


@dataclass(frozen=True, slots=True)
class Contrast:
    """A statistic over pairs of groups, each pair on the questions that both were scored on.

    Attributes
    ----------
    statistic
        The statistic that is compared.
    pairing
        Which groups are compared.
    first, second
        Sums per unit, shape (pairs, sums + 1, units), the last of them the questions. Only paired questions count.
    delta
        first - second, same shape, exactly 0 where they are equal but for rounding.
    unit_weights
        The weight of each unit, shape (pairs, units): the number of its paired questions, or over strata the sum of
        their weights.
    side_values
        The statistic of each side, shape (2, pairs); NaN where nothing is paired.
    counts
        The counts of each pair by their names, shape (pairs,).
    is_bounded
        Whether the statistic is of scores from 0 to 1, shape (pairs,).
    mean_size
        The mean absolute difference of a question, shape (pairs,). NaN for a statistic that is no mean. NaN, too, where
        questions are units and all differences but 0 have one size: the sign test then needs none.
    """

    statistic: Statistic
    pairing: Pairing
    first: Floats
    second: Floats
    delta: Floats
    unit_weights: Floats
    side_values: Floats
    counts: dict[str, Any]
    is_bounded: Flags
    mean_size: Floats

    @property
    def difference(self) -> Floats:
        """The observed differences, shape (pairs,)."""
        return np.asarray(self.side_values[0] - self.side_values[1])

    @property
    def n_in_unit(self) -> Floats:
        """The questions of each unit that are paired, shape (pairs, units)."""
        return np.asarray(self.first[:, -1])

    def units(self, error: Floats) -> Floats:
        """Return how many units the test of each pair rests on, by three numbers, shape (3, pairs).

        They are the number of units, the effective number of units (degrees of freedom plus 1), and the effective
        number of discordant units. For scores of 0 and 1 on independent questions, the last one is the number of wins
        and losses. Where it was 7 or more in most draws of a simulated design, 95 % intervals held the truth in 93 % of
        draws and more, else in 64 %.

        error: the standard errors of the differences.
        """
        n_units, n_eff = np.count_nonzero(self.n_in_unit, axis=-1), measure_unit_sizes(self.unit_weights).df + 1
        return np.stack([n_units, n_eff, divide_where(self.mean_size, error, np.nan) ** 2])

    @property
    def _size_beyond_rounding(self) -> Floats:
        """The size of the observed difference, less what rounding may add to it; shape (pairs,)."""
        tolerance = _ROUNDING * (self.statistic.magnitude(self.first) + self.statistic.magnitude(self.second))
        return np.asarray(np.abs(self.difference) - tolerance)

    def influence(self) -> Floats:
        """Return what each unit adds to the product of difference and number of questions, shape (pairs, units).

        It is linear, by the delta method. NaN where a side has no derivative, as a corpus BLEU of 0.
        """
        sides = (self.first, self.second)
        slopes = [self.statistic.gradient(side.sum(axis=-1)) for side in sides]
        first, second = (np.einsum("pk,pku->pu", slope, side) for slope, side in zip(slopes, sides, strict=True))
        has_slope = np.all([slope.any(axis=-1) for slope in slopes], axis=0)
        n, difference = self.n_in_unit, np.where(has_slope, self.difference, np.nan)
        return np.asarray(n * difference[:, None] + n.sum(axis=-1, keepdims=True) * (first - second))

    # --- sign flips

    def p_of_sign_test(self, pair: int, units: Ints) -> float | None:  # noqa: ARG002
        """Return the p-value of the sign test if all differences of a pair have one size; else None.

        Then the sign test covers all sign flips, and no draws are needed. Here it is always None; `MeanContrast` has
        the test.

        units: the units in which the two sides of the pair differ.
        """
        return None

    def are_extremes_too_rare(self, pairs: Ints, n_draws: int) -> Flags:  # noqa: ARG002
        """Return whether draws as far from 0 as the observed difference are too rare to look for, shape (pairs,).

        Here this is never known; `MeanContrast` has a bound. n_draws: the number of draws that would be made.
        """
        return np.zeros(len(pairs), np.bool_)

    def extreme_size(self, pairs: Ints) -> Floats:
        """Return the size of the observed difference, less what rounding may add to it; 0 or more, shape (pairs,).

        It is in the unit of `difference_after_flips`. The p-value is the share of draws whose difference has this size
        or more.
        """
        return np.maximum(self._size_beyond_rounding, 0.0)[pairs]

    def difference_after_flips(self, pairs: Ints, changing: Ints, flipped: Floats) -> Floats:
        """Return the difference between the two sides after each draw of sign flips, shape (pairs, draws).

        A draw exchanges the answers of the two groups in some of the units. Then the statistic of both sides is
        calculated again.

        Parameters
        ----------
        changing
            The places of the statistic's sums that flips can change. Its other sums are equal in both groups.
        flipped
            These sums of the first side minus those of the second side after each draw, shape (pairs, changing, draws).
        """
        first, second = (sums[pairs].sum(axis=-1) for sums in (self.first, self.second))
        sides = []
        for half in (flipped / 2, flipped / -2):
            side = np.repeat((first + second)[:, None] / 2, flipped.shape[-1], axis=1)  # (pairs, draws, summands)
            side[..., changing] += half.swapaxes(1, 2)
            sides.append(self.statistic.value(side))
        return np.asarray(sides[0] - sides[1])


@dataclass(frozen=True, slots=True)
class MeanContrast(Contrast):
    """The means of two groups. Their difference times the number of questions is a sum over units.

    Over strata, sums are those of scores times weights of questions: weight of the stratum * questions paired /
    questions paired in the stratum.
    """

    def influence(self) -> Floats:
        """Return the sum of each unit on the first side minus that on the second side, shape (pairs, units)."""
        return np.asarray(self.delta[:, 0])

    def p_of_sign_test(self, pair: int, units: Ints) -> float | None:
        """Return the p-value of the sign test if all differences have one size; else None.

        Where each unit is one question, it is the mid-p-value.
        """
        delta = self.delta[pair, 0, units]
        if np.ptp(np.abs(delta)) > _TIE:
            return None
        return sign_test(int((delta > 0).sum()), len(units), mid_p=self.n_in_unit[pair].max() <= 1)

    def are_extremes_too_rare(self, pairs: Ints, n_draws: int) -> Flags:
        """Return whether draws as far from 0 as the observed difference are too rare to look for, shape (pairs,).

        This is so if the probability that any of `n_draws` draws is as far is below `_NEVER`, by the bound of Hoeffding
        (1963): a sum of differences d with random signs is as far from 0 as x with a probability of at most
        2 exp(-x**2 / (2 sum d**2)).
        """
        squares = np.array([(self.delta[pair, 0] ** 2).sum() for pair in pairs.tolist()])
        exponent: Floats = self.extreme_size(pairs) ** 2 / (2 * squares)
        return exponent > math.log(2 * n_draws / _NEVER)

    def extreme_size(self, pairs: Ints) -> Floats:
        """Return the size of the observed difference of totals, less what rounding may add to it; at least 0."""
        return np.asarray(np.maximum(self._size_beyond_rounding, 0.0)[pairs] * self.counts["n"][pairs])

    def difference_after_flips(self, pairs: Ints, changing: Ints, flipped: Floats) -> Floats:  # noqa: ARG002
        """Return the difference between the totals of both sides after each draw of sign flips, shape (pairs, draws).

        The difference of means is this over the number of questions, which flips do not change.
        """
        return np.asarray(flipped[:, 0])


def make_contrast(statistic: Statistic, sums_per_row: Floats | Ints, is_scored: Flags, pairing: Pairing) -> Contrast:
    """Return the contrast of a statistic between the groups of each pair.

    UnknownOptionError for a statistic of all rows, as a median, and over strata for one that is no mean.

    sums_per_row, is_scored: what `Statistic.sums_per_row` returns for the rows.
    """
    name, is_mean = statistic.name, isinstance(statistic, Mean)
    if isinstance(statistic, RowStatistic):
        raise UnknownOptionError(f"{name} is no function of sums, which a comparison needs; name other metrics")
    if pairing.strata is not None and not is_mean:
        raise UnknownOptionError(f"{name} is no mean of rows, so it has no mean over strata; name other metrics")
    n_pairs, n_summands = len(pairing.first), statistic.n_sums + 1
    summands_per_row = np.concatenate([sums_per_row.astype(np.float64), is_scored[None].astype(np.float64)])
    digits = statistic.digits_per_row(sums_per_row)
    value_of_all = functools.cache(lambda group: _exact_value(statistic, digits[..., pairing.row_of[group]]))
    first, second, delta = np.zeros((3, n_pairs, n_summands, len(pairing.unit_starts)))
    unit_weights = np.zeros((n_pairs, len(pairing.unit_starts))) if pairing.strata is not None else first[:, -1]
    counts, outcomes = np.zeros((len(PAIR_COUNTS), n_pairs), np.int64), np.full((len(OUTCOMES), n_pairs), np.nan)
    values = np.full((2, n_pairs), np.nan)
    mean_size, is_bounded = np.full(n_pairs, np.nan), np.ones(n_pairs, np.bool_)
    for pair, groups in enumerate(zip(pairing.first, pairing.second, strict=True)):
        rows = pairing.row_of[list(groups)]  # (2, questions)
        has_row = rows >= 0
        is_paired = np.asarray(np.all(has_row & is_scored[rows], axis=0))
        summands = np.where(is_paired, summands_per_row[:, rows], 0.0)  # (summands, 2, questions)
        difference, weights = _subtract(summands[0, 0], summands[0, 1]), is_paired.astype(np.float64)
        counts[:, pair] = _count_questions(has_row, is_paired)
        is_bounded[pair] = not is_mean or (summands[0].min(initial=0.0) >= 0 and summands[0].max(initial=0.0) <= 1)
        if pairing.strata is not None:
            weights, values[:, pair] = _average_over_strata(statistic, digits, rows, is_paired, pairing.strata)
            summands[: None if pairing.strata.are_sampled else -1] *= weights
            unit_weights[pair] = _sum_by_unit(is_paired * weights, pairing)
        elif is_paired.all():
            values[:, pair] = [value_of_all(group) for group in groups]
        else:
            values[:, pair] = [_exact_value(statistic, digits[..., each[is_paired]]) for each in rows]
        if is_mean:
            outcomes[:, pair] = _weigh_outcomes(difference, is_paired, weights)
            mean_size[pair] = _mean_size(difference, is_paired, pairing)
        first[pair], second[pair] = np.moveaxis(_sum_by_unit(summands, pairing), 1, 0)
        delta[pair] = _subtract(first[pair], second[pair])
    by_name: dict[str, Any] = dict(zip(PAIR_COUNTS, counts, strict=True))
    kind = "Int64" if pairing.strata is None else "Float64"  # of questions, or of their weights
    by_name |= {name: pd.array(each.tolist(), dtype=kind) for name, each in zip(OUTCOMES, outcomes, strict=True)}
    contrast_type = MeanContrast if is_mean else Contrast
    return contrast_type(statistic, pairing, first, second, delta, unit_weights, values, by_name, is_bounded, mean_size)


def _sum_by_unit(of_questions: Floats, pairing: Pairing) -> Floats:
    """Return sums over the questions of each unit, shape (..., units). of_questions: the summands, one per question."""
    if len(pairing.unit_starts) == pairing.row_of.shape[1]:
        return of_questions
    return np.asarray(np.add.reduceat(of_questions, pairing.unit_starts, axis=-1))


def _average_over_strata(
    statistic: Statistic, digits: Ints | Floats, rows: Ints, is_paired: Flags, strata: Strata
) -> tuple[Floats, list[float]]:
    """Return the weight of each question of one pair, and the weighted mean of each side over strata.

    NaN, and weights of 0, if a stratum has no question that is paired.

    Parameters
    ----------
    digits
        See `Statistic.digits_per_row`.
    rows, is_paired
        The row of each side for each question, shape (2, questions), and whether both are scored.
    """
    n_strata = len(strata.weights)
    n = np.bincount(strata.of_question[is_paired], minlength=n_strata)
    if not n.all():
        return np.zeros(len(is_paired)), [np.nan, np.nan]
    members = [is_paired & (strata.of_question == stratum) for stratum in range(n_strata)]
    means = [[_exact_value(statistic, digits[..., side[those]]) for those in members] for side in rows]
    return (strata.weights * n.sum() / n)[strata.of_question], [math.fsum(strata.weights * each) for each in means]


def _exact_value(statistic: Statistic, digits: Ints | Floats) -> float:
    """Return the statistic of some rows from exact sums, so that it is that of a summary to the last bit.

    digits: what `Statistic.digits_per_row` returns for these rows.
    """
    n = np.array([digits.shape[-1]])
    totals = digits.astype(np.int64).sum(axis=-1)[..., None]
    return float(statistic.exact_value(StatisticSums(n, np.zeros_like(n), totals, None))[0])


def _count_questions(has_row: Flags, is_paired: Flags) -> list[int]:
    """Return the counts of questions of one pair, in the order of `PAIR_COUNTS`.

    has_row: whether each side has a row for the question, shape (2, questions). is_paired: whether both are scored.
    """
    n_a, n_b = np.count_nonzero(has_row, axis=1)
    n, n_both = np.count_nonzero(is_paired), np.count_nonzero(has_row.all(axis=0))
    return [n, n_a - n_both, n_b - n_both, n_both - n]


def _mean_size(difference: Floats, is_paired: Flags, pairing: Pairing) -> float:
    """Return the mean absolute difference of one pair's questions.

    NaN where questions are units and all differences but 0 have one size; see `Contrast.mean_size`.

    difference: shape (questions,), 0 where the question is not paired.
    """
    sizes = np.abs(difference[difference != 0])
    are_units = len(pairing.unit_starts) == len(difference)
    has_one = not len(sizes) or sizes.max() - sizes.min() <= _TIE
    return math.nan if are_units and has_one else float(sizes.sum() / max(np.count_nonzero(is_paired), 1))


def _weigh_outcomes(difference: Floats, is_paired: Flags, weights: Floats) -> Any:
    """Return the total weights of the questions of one pair that the first group wins, ties and loses, shape (3,).

    NaN alone where questions are paired, but all weights are 0.

    difference: the first side minus the second, 0 where the question is not paired; shape (questions,).
    """
    if is_paired.any() and not weights.any():
        return np.nan
    outcomes = np.stack([difference > 0, is_paired & (difference == 0), difference < 0])
    return (outcomes * weights).sum(axis=-1)


def _subtract(first: Floats, second: Floats) -> Floats:
    """Return first - second, exactly 0 where they differ by no more than `_TIE` of themselves, as by rounding."""
    difference = first - second
    difference[np.abs(difference) <= _TIE * np.maximum(np.abs(first), np.abs(second))] = 0.0
    return difference
