"""Two groups' statistics on the same questions → their difference and its interval, and how swaps change it.

A statistic depends on sums over rows alone. A swap of two groups' answers to a question moves their sums by that
question's difference, so ten thousand random swaps of all questions are a matrix product; see `sign_flips`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import UnknownOptionError
from qa_frame.stats.intervals import Bounds, Spread, satterthwaite, size_units, spread_of_rows
from qa_frame.stats.p_values import PValues, alpha_of
from qa_frame.stats.pairing import Pairing, Strata
from qa_frame.stats.row_statistics import OfRows
from qa_frame.stats.sign_test import sign_test
from qa_frame.stats.statistic import Mean, Statistic, StatisticSums, divide_where
from qa_frame.stats.student import normal_distances, normal_quantile, t_above, t_quantiles

_TIE = 1e-12
"""Scores that differ by no more than this share of themselves are equal: 2/3 is not always the same float."""

_ROUNDING = 1e-10
"""The share for figures, which are made of sums of up to millions of products."""

_MAY_REJECT = 0.9
"""A difference below this share of what would be rejected, if sums of swaps were normal, is hardly rejected."""

_NEVER = 1e-6
"""A swap that is less likely than this among all that would be drawn is not looked for."""

PAIR_COUNTS = ("n", "n_only_a", "n_only_b", "n_not_scored")
OUTCOMES = ("wins", "ties", "losses")


@dataclass(frozen=True, slots=True)
class TInterval:
    """Where Student's interval of a difference lies, shape (pairs,) each; NaN for fewer than two units.

    Attributes
    ----------
    middle, error, df
        Its middle, the standard error and the degrees of freedom.
    """

    middle: Floats
    error: Floats
    df: Floats

    def bounds(self, level: float) -> Bounds:
        """Return the interval of this level about the middle."""
        half = t_quantiles(level, self.df) * self.error
        return self.middle - half, self.middle + half

    def p_beyond(self, margin: float) -> tuple[Floats, Floats]:
        """Return the p-values of two one-sided tests: that the difference is -margin or less, and margin or more."""
        return self._p_above(self.middle + margin), self._p_above(margin - self.middle)

    def _p_above(self, distance: Floats) -> Floats:
        """Return P(T > distance / error). An error of 0 leaves nothing open, but for a distance of 0."""
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
    bounds
        The bounds of the differences, which agree with the test.
    p_values
        The p-values of the test that the difference is 0.
    interval
        Where Student's interval of the difference lies.
    units
        What the test rests on, shape (numbers, pairs); each design says which numbers.
    """

    name: str
    a: pd.Series
    b: pd.Series
    side_values: Floats
    counts: dict[str, Any]
    bounds: Bounds
    p_values: PValues
    interval: TInterval
    units: Floats

    @property
    def difference(self) -> Floats:
        """The differences a - b, shape (pairs,)."""
        return np.asarray(self.side_values[0] - self.side_values[1])


@dataclass(frozen=True, slots=True)
class Contrast:
    """A statistic over pairs of groups, each pair on the questions that both were scored on.

    Attributes
    ----------
    figure
        The statistic that is compared.
    pairing
        Which groups are compared.
    first, second
        Sums per unit, shape (pairs, sums + 1, units), the last of them the questions. Only paired questions count.
    delta
        first - second, same shape, exactly 0 where they are equal but for rounding.
    side_values
        The statistic of each side, shape (2, pairs); NaN where nothing is paired.
    counts
        The counts of each pair by their names, shape (pairs,).
    is_unit
        Whether the statistic is of scores from 0 to 1, shape (pairs,).
    size
        The mean size of a question's difference, shape (pairs,); NaN for a statistic that is no mean, and where
        questions are units and all differences have one size, of which the sign test knows enough.
    """

    figure: Statistic
    pairing: Pairing
    first: Floats
    second: Floats
    delta: Floats
    side_values: Floats
    counts: dict[str, Any]
    is_unit: Flags
    size: Floats

    @property
    def found(self) -> Floats:
        """The differences, shape (pairs,)."""
        return np.asarray(self.side_values[0] - self.side_values[1])

    @property
    def n_in_unit(self) -> Floats:
        """The questions of each unit that are paired, shape (pairs, units)."""
        return np.asarray(self.first[:, -1])

    @property
    def n_units(self) -> Floats:
        """Units with anything paired, shape (pairs,)."""
        return np.asarray(np.count_nonzero(self.n_in_unit, axis=-1).astype(np.float64))

    @property
    def units(self) -> Floats:
        """What the test of each pair rests on, shape (3, pairs).

        Its units, how many equal ones those are worth, and how many independent ones that tell the two apart. Of scores
        of 0 and 1 on independent questions, the last would be the number of wins and losses. Where it was 7 or more in
        most draws of a simulated design, 95 % intervals held the truth in 93 % of draws and more, else in 64 %.
        """
        located = self.located()
        return np.stack([self.n_units, located.df + 1, divide_where(self.size, located.error, np.nan) ** 2])

    @property
    def found_size(self) -> Floats:
        """The size of the difference found, less what rounding may add to it; shape (pairs,)."""
        tolerance = _ROUNDING * (self.figure.magnitude(self.first) + self.figure.magnitude(self.second))
        return np.asarray(np.abs(self.found) - tolerance)

    def located(self) -> TInterval:
        """Return where Student's interval lies, by the delta method.

        NaN where a side has no derivative, as a corpus BLEU of 0.
        """
        sides = (self.first, self.second)
        slopes = [self.figure.gradient(side.sum(axis=-1)) for side in sides]
        first, second = (np.einsum("pk,pku->pu", slope, side) for slope, side in zip(slopes, sides, strict=True))
        spread = _spread_over_units(first - second, self.n_in_unit)
        has_slope = np.all([slope.any(axis=-1) for slope in slopes], axis=0)
        error = np.where(has_slope, np.sqrt(spread.variance), np.nan)
        return TInterval(self.found, error, spread.df)

    def bounds(self, ci: float) -> Bounds:
        """Return the bounds of Student's interval of the differences, shape (pairs,); NaN for fewer than two units."""
        low, high = self.located().bounds(ci)
        low, high = np.minimum(low, self.found), np.maximum(high, self.found)
        return np.where(self.is_unit, np.maximum(low, -1.0), low), np.where(self.is_unit, np.minimum(high, 1.0), high)

    # --- swaps

    def is_test_inverted(self, bounds: Bounds, ci: float) -> Flags:  # noqa: ARG002
        """Return of which pairs the test is inverted to give the interval's bound next to 0, shape (pairs,)."""
        return np.zeros(len(self.found), np.bool_)

    def shifts(self, pairs: Ints) -> Floats:
        """Return how far each unit's total moves where each of its questions differs by 1, shape (pairs, units)."""
        return np.asarray(self.n_in_unit[pairs])

    def p_of_equal_sizes(self, pair: int, units: Ints) -> float | None:  # noqa: ARG002
        """Return the p-value over all swaps where it follows from how many differences are positive; else None.

        units: those in which the sides of the pair differ.
        """
        return None

    def is_never_reached(self, pairs: Ints, n_draws: int) -> Flags:  # noqa: ARG002
        """Return whether no draw of so many would be extreme, see `extreme_from`; shape (pairs,)."""
        return np.zeros(len(pairs), np.bool_)

    def extreme_from(self, pairs: Ints) -> Floats:
        """Return the size from which on a difference after swaps is extreme, shape (pairs,).

        It is the size of the difference found, in the unit of `difference_after_swaps`. The p-value is the share of
        draws that are extreme.
        """
        return np.maximum(self.found_size, 0.0)[pairs]

    def difference_after_swaps(self, pairs: Ints, moving: Ints, moved: Floats) -> Floats:
        """Return the difference between the two sides after each draw of swaps, shape (pairs, draws).

        A draw exchanges the answers of the two groups in some of the units, and the statistic of both sides is taken
        again.

        Parameters
        ----------
        moving
            The places of the sums that swaps can change; the others are equal in both groups.
        moved
            The first side's sums minus the second side's after each draw, shape (pairs, moving, draws).
        """
        first, second = (sums[pairs].sum(axis=-1) for sums in (self.first, self.second))
        sides = []
        for half in (moved / 2, moved / -2):
            side = np.repeat((first + second)[:, None] / 2, moved.shape[-1], axis=1)  # (pairs, draws, parts)
            side[..., moving] += half.swapaxes(1, 2)
            sides.append(self.figure.value(side))
        return np.asarray(sides[0] - sides[1])


@dataclass(frozen=True, slots=True)
class MeanContrast(Contrast):
    """The means of two groups. Their difference, times the questions, is a sum over units.

    Attributes
    ----------
    win_size
        The size of a typical difference of a unit, shape (pairs,): the root of sum k * m**4 / sum k * m**2 over units,
        with k questions and the mean difference m; 1 if all are 0.
    strata
        The strata that the means are taken over, each with its weight and with its units, as places. Sums are those of
        scores times weights of questions: weight of the stratum * questions paired / questions paired in the stratum.
    """

    win_size: Floats
    strata: Sequence[tuple[float, Any]]

    def located(self) -> TInterval:
        """Return where Student's interval lies.

        A win and a loss of typical size are added to the differences (Bonett and Price 2012, who do it for 0/1 scores;
        so there is a width where no question tells the two apart). Then it is Student's paired interval with the CR2
        variance. Over strata it is the sum of each one's, with an equal part of that win and loss and with
        Satterthwaite's degrees of freedom.
        """
        middle, square, variance, df = (
            np.stack(each) for each in zip(*map(self._of_stratum, self.strata), strict=True)
        )
        all_df = df[0]
        if len(df) > 1:
            parts = np.where(variance > 0, variance, square)  # where all differences are equal, the win and the loss
            all_df = satterthwaite(parts, df, lambda strata: strata.sum(axis=0))
        return TInterval(middle.sum(axis=0), np.sqrt(square.sum(axis=0)), all_df)

    def _of_stratum(self, stratum: tuple[float, Any]) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the middle of a stratum's part, its squared error with and without the win and loss, and the df."""
        weight, units = stratum
        n_in_unit, n_all = self.n_in_unit[:, units], self.n_in_unit.sum(axis=-1)
        found = self.found
        if len(self.strata) > 1:
            found = divide_where(self.delta[:, 0, units].sum(axis=-1), n_all, np.nan)
        center = found * divide_where(n_all, n_in_unit.sum(axis=-1), np.nan)
        influence = self.delta[:, 0, units] - center[:, None] * n_in_unit
        spread = _spread_over_units(divide_where(influence, n_all[:, None], 0.0), n_in_unit)
        n, win, more = spread.n_units, (weight * self.win_size) ** 2, 1 / len(self.strata)
        squares = (n - 1) * n * spread.variance + n * found**2  # of n units as far apart as these
        middle = found * n / (n + 2 * more)
        square = ((squares + 2 * more * win) / (n + 2 * more) - middle**2) / (n + 2 * more)
        return middle, square, spread.variance, spread.df

    def is_test_inverted(self, bounds: Bounds, ci: float) -> Flags:
        """Return whether Student's interval holds 0, or the units are clusters; and swaps may well reject 0."""
        low, high = bounds
        is_wide = (low <= 0) & (high >= 0) | (self.n_in_unit.max(axis=-1, initial=0) > 1)
        distance = normal_quantile(ci) * np.sqrt((self.delta[:, 0] ** 2).sum(axis=-1))  # of totals, if swaps are normal
        return np.asarray(is_wide & (np.abs(self.delta[:, 0].sum(axis=-1)) > _MAY_REJECT * distance))

    def shifts(self, pairs: Ints) -> Floats:
        """Return how far each unit's total moves where each of its questions differs by 1, shape (pairs, units)."""
        shifts = self.n_in_unit[pairs]
        if len(self.strata) > 1:
            n_all = shifts.sum(axis=-1)
            for weight, units in self.strata:
                shifts[:, units] *= divide_where(weight * n_all, shifts[:, units].sum(axis=-1), 0.0)[:, None]
        return shifts

    def p_of_equal_sizes(self, pair: int, units: Ints) -> float | None:
        """Return the p-value over all swaps where all differences have one size; else None.

        Where each unit is one question, swaps that give just the difference found count half.
        """
        delta = self.delta[pair, 0, units]
        if np.ptp(np.abs(delta)) > _TIE:
            return None
        return sign_test(int((delta > 0).sum()), len(units), mid_p=self.n_in_unit[pair].max() <= 1)

    def is_never_reached(self, pairs: Ints, n_draws: int) -> Flags:
        """Return whether no draw of so many would be extreme, see `extreme_from`; shape (pairs,).

        The bound is Hoeffding's (1963): a sum of differences d with random signs is as far from 0 as x with
        a probability of at most 2 exp(-x**2 / (2 sum d**2)).
        """
        squares = np.array([(self.delta[pair, 0] ** 2).sum() for pair in pairs.tolist()])
        exponent: Floats = self.extreme_from(pairs) ** 2 / (2 * squares)
        return exponent > math.log(2 * n_draws / _NEVER)

    def extreme_from(self, pairs: Ints) -> Floats:
        """Return the size from which on a difference after swaps is extreme: here one of totals, shape (pairs,)."""
        return np.asarray(np.maximum(self.found_size, 0.0)[pairs] * self.counts["n"][pairs])

    def difference_after_swaps(self, pairs: Ints, moving: Ints, moved: Floats) -> Floats:  # noqa: ARG002
        """Return the difference between the totals of both sides after each draw of swaps, shape (pairs, draws).

        The difference of means is this over the number of questions, which swaps do not change.
        """
        return np.asarray(moved[:, 0])


def _spread_over_units(influence: Floats, n_in_unit: Floats) -> Spread:
    """Return the spread of a value on which units of these sizes have this influence, shape (pairs, units) each."""
    if n_in_unit.max(initial=0.0) <= 1:
        n = n_in_unit.sum(axis=-1)
        return spread_of_rows((influence**2).sum(axis=-1) * n / np.maximum(n - 1, 1), n.astype(np.int64))
    return size_units(n_in_unit).spread(influence)


def contrast(figure: Statistic, sums_per_row: Floats | Ints, is_scored: Flags, pairing: Pairing) -> Contrast:
    """Return the sums and counts of every pair. Over strata, a statistic that is no mean raises UnknownOptionError.

    sums_per_row, is_scored: what `Statistic.sums_per_row` returns for the rows.
    """
    has_outcomes = isinstance(figure, Mean)
    if isinstance(figure, OfRows):
        raise UnknownOptionError(f"{figure.name} is no function of sums, which a comparison needs; name other metrics")
    if pairing.strata is not None and not has_outcomes:
        raise UnknownOptionError(f"{figure.name} is no mean of rows, so it has no mean over strata; name other metrics")
    n_pairs, n_parts = len(pairing.first), figure.n_sums + 1
    rows_as_parts = np.concatenate([sums_per_row.astype(np.float64), is_scored[None].astype(np.float64)])
    digits = figure.digits_per_row(sums_per_row)
    value_of_all = functools.cache(lambda group: _exact_value(figure, digits[..., pairing.row_of[group]]))
    sums = np.zeros((2, n_pairs, n_parts, len(pairing.unit_starts)))
    counts, outcomes = np.zeros((len(PAIR_COUNTS), n_pairs), np.int64), np.full((len(OUTCOMES), n_pairs), np.nan)
    values = np.full((2, n_pairs), np.nan)
    win_size, size, is_unit = np.ones(n_pairs), np.full(n_pairs, np.nan), np.ones(n_pairs, np.bool_)
    for pair, groups in enumerate(zip(pairing.first, pairing.second, strict=True)):
        rows = pairing.row_of[list(groups)]  # (2, questions)
        has_row = rows >= 0
        is_paired = np.asarray(np.all(has_row & is_scored[rows], axis=0))
        parts = np.where(is_paired, rows_as_parts[:, rows], 0.0)  # (parts, 2, questions)
        difference, weights = _subtract(parts[0, 0], parts[0, 1]), is_paired.astype(np.float64)
        counts[:, pair] = _count_questions(has_row, is_paired)
        is_unit[pair] = not has_outcomes or (parts[0].min(initial=0.0) >= 0 and parts[0].max(initial=0.0) <= 1)
        if pairing.strata is not None:
            weights, values[:, pair] = _over_strata(figure, digits, rows, is_paired, pairing.strata)
            parts[: None if pairing.strata.are_drawn else -1] *= weights
        elif is_paired.all():
            values[:, pair] = [value_of_all(group) for group in groups]
        else:
            values[:, pair] = [_exact_value(figure, digits[..., each[is_paired]]) for each in rows]
        if has_outcomes:
            outcomes[:, pair] = _weigh_outcomes(difference, is_paired, weights)
            win_size[pair] = _win_size(difference, parts[-1, 0], pairing)
            size[pair] = _mean_size(difference, is_paired, pairing)
        sums[:, pair] = np.moveaxis(_add_up(parts, pairing), 1, 0)
    by_name: dict[str, Any] = dict(zip(PAIR_COUNTS, counts, strict=True))
    kind = "Int64" if pairing.strata is None else "Float64"  # of questions, or of their weights
    by_name |= {name: pd.array(each.tolist(), dtype=kind) for name, each in zip(OUTCOMES, outcomes, strict=True)}
    first, second = sums
    made = (figure, pairing, first, second, _subtract(first, second), values, by_name, is_unit, size)
    return MeanContrast(*made, win_size, _units_of_strata(pairing)) if has_outcomes else Contrast(*made)


def _add_up(of_questions: Floats, pairing: Pairing) -> Floats:
    """Return sums by unit of an array whose last axis is that of the questions."""
    if len(pairing.unit_starts) == pairing.row_of.shape[1]:
        return of_questions
    return np.asarray(np.add.reduceat(of_questions, pairing.unit_starts, axis=-1))


def _win_size(difference: Floats, n: Any, pairing: Pairing) -> float:
    """Return the size of a typical difference of a unit; see `MeanContrast`. n: how much each question counts."""
    if len(pairing.unit_starts) < len(difference):
        total, n = _add_up(np.stack([difference * n, n]), pairing)
        difference = divide_where(total, n, 0.0)
    squares = difference**2
    return math.sqrt((n * squares**2).sum() / (n * squares).sum()) if squares.any() else 1.0


def _over_strata(
    figure: Statistic, digits: Ints | Floats, rows: Ints, is_paired: Flags, strata: Strata
) -> tuple[Floats, list[float]]:
    """Return the weight of each question, and the mean of each side over strata; NaN if a stratum has no pair."""
    n_strata = len(strata.weights)
    n = np.bincount(strata.of_question[is_paired], minlength=n_strata)
    if not n.all():
        return np.zeros(len(is_paired)), [np.nan, np.nan]
    members = [is_paired & (strata.of_question == stratum) for stratum in range(n_strata)]
    means = [[_exact_value(figure, digits[..., side[those]]) for those in members] for side in rows]
    return (strata.weights * n.sum() / n)[strata.of_question], [math.fsum(strata.weights * each) for each in means]


def _units_of_strata(pairing: Pairing) -> list[tuple[float, Any]]:
    """Return the strata of `MeanContrast`; one of all units where none are named, or they are units themselves."""
    if pairing.strata is None or pairing.strata.are_drawn:
        return [(1.0, slice(None))]
    of_unit = pairing.strata.of_question[pairing.unit_starts]
    return [(weight, np.flatnonzero(of_unit == place)) for place, weight in enumerate(pairing.strata.weights.tolist())]


def _exact_value(figure: Statistic, digits: Ints | Floats) -> float:
    """Return the statistic of rows, a mean rounded once as in a summary. digits: see `Statistic.digits_per_row`."""
    n = np.array([digits.shape[-1]])
    totals = digits.astype(np.int64).sum(axis=-1)[..., None]
    return float(figure.exact_value(StatisticSums(n, np.zeros_like(n), np.zeros_like(n), totals, None))[0])


def _count_questions(has_row: Flags, is_paired: Flags) -> list[int]:
    """Return the counts of one pair, over questions."""
    n_a, n_b = np.count_nonzero(has_row, axis=1)
    n, n_both = np.count_nonzero(is_paired), np.count_nonzero(has_row.all(axis=0))
    return [n, n_a - n_both, n_b - n_both, n_both - n]


def _mean_size(difference: Floats, is_paired: Flags, pairing: Pairing) -> float:
    """Return the mean size of a difference; see `Contrast`."""
    sizes = np.abs(difference[difference != 0])
    are_units = len(pairing.unit_starts) == len(difference)
    has_one = not len(sizes) or sizes.max() - sizes.min() <= _TIE
    return math.nan if are_units and has_one else float(sizes.sum() / np.count_nonzero(is_paired))


def _weigh_outcomes(difference: Floats, is_paired: Flags, weights: Floats) -> Any:
    """Return how many questions are won, tied and lost, weighted; NaN where all weights are 0."""
    if is_paired.any() and not weights.any():
        return np.nan
    outcomes = np.stack([difference > 0, is_paired & (difference == 0), difference < 0])
    return (outcomes * weights).sum(axis=-1)


def _subtract(first: Floats, second: Floats) -> Floats:
    """Return first - second, exactly 0 where they are equal but for rounding."""
    difference = first - second
    largest = max(first.max(initial=0.0), -first.min(initial=0.0), second.max(initial=0.0), -second.min(initial=0.0))
    near = np.nonzero((np.abs(difference) <= _TIE * largest) & (difference != 0))
    is_tie = np.abs(difference[near]) <= _TIE * np.maximum(np.abs(first[near]), np.abs(second[near]))
    difference[tuple(places[is_tie] for places in near)] = 0.0
    return difference


def agree(bounds: Bounds, found: Floats, p: Floats, ci: float, inverted: Floats | None = None) -> Bounds:
    """Return the bounds, so that they hold 0 where the test does not reject it at their level, and only there.

    Test and interval are different approximations. Where p >= 1 - ci, the interval is widened to hold 0. Elsewhere the
    bound next to 0 is that of the inverted test, if this is narrower. If that is not known, and the interval holds 0,
    the bound is that of a test whose normal quantile is in proportion to the distance from what it tests (Miettinen
    1976). The other bound stays.

    inverted: the bound next to 0 of the interval that the test leaves, shape (pairs,); NaN where it is not known.
    """
    alpha, is_negative = alpha_of(ci), found < 0
    near, far = (np.where(is_negative, -one, other) for one, other in (bounds[::-1], bounds))
    size, is_kept, is_rejected = np.abs(found), p >= alpha, p < alpha
    narrow = near if inverted is None else np.fmax(near, np.minimum(np.where(is_negative, -inverted, inverted), size))
    share = normal_quantile(ci) / normal_distances(np.where(is_rejected, p, alpha))
    rejecting = np.where(narrow > 0, narrow, size * (1 - share))
    near = np.where(is_kept, np.minimum(near, 0.0), np.where(is_rejected & ~np.isnan(near), rejecting, near))
    far = np.where(is_kept, np.maximum(far, 0.0), far)
    return np.where(is_negative, -far, near), np.where(is_negative, -near, far)
