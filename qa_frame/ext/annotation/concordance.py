"""Scores and people's verdicts on the same rows → how well they agree, as figures with intervals.

All follows from how many rows each unit has in each cell, which is a verdict and a score. Only cells that hold rows are
kept, so that memory grows as the rows do. Units and rows stand in an order that follows from scores and verdicts alone.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.ext.annotation.bounded import Bounded, as_bounded, one_group
from qa_frame.stats.bootstrap import order_by_unit
from qa_frame.stats.distributions import t_quantiles
from qa_frame.stats.influence import ClusteredRows
from qa_frame.stats.statistic import divide_where

CORRELATIONS = ("pearson", "spearman", "kendall")
CUT = ("accuracy", "balanced_accuracy", "kappa")
FIGURES = ("auc", *CORRELATIONS, *CUT)

_FOLDS = 10
"""Parts of the rows, each of which is judged by the threshold of the others."""


@dataclass(frozen=True, eq=False, repr=False)
class Judged:
    """The rows of a group that have both a score and a verdict, counted.

    Attributes
    ----------
    scores, verdicts
        The distinct ones, rising.
    score_of_row, verdict_of_row
        Places in those, int64, shape (rows,).
    unit_of_row
        The unit that each row belongs to, int64, shape (rows,), from 0 on without gaps, and rising.
    """

    scores: Floats
    verdicts: Floats
    score_of_row: Ints
    verdict_of_row: Ints
    unit_of_row: Ints

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.score_of_row)

    @property
    def n_units(self) -> int:
        """Units."""
        return int(self.unit_of_row.max(initial=-1)) + 1

    @functools.cached_property
    def drawn(self) -> ClusteredRows:
        """The rows in their units."""
        return one_group(self.n, self.unit_of_row if self.n_units < self.n else None)

    def bound(self, value: float, pull_of_row: Floats, max_n: float, ci: float) -> tuple[float, float]:
        """Return the interval of a figure from 0 to 1, from how far each row moves it."""
        return as_bounded(self.drawn.bounded(np.array([value]), pull_of_row, np.array([max_n]), ci))[1:]

    @property
    def cell_of_row(self) -> Ints:
        """The place of each row in the flat table, shape (rows,)."""
        return self.verdict_of_row * len(self.scores) + self.score_of_row

    @property
    def shape(self) -> tuple[int, int]:
        """The number of distinct verdicts and of distinct scores."""
        return len(self.verdicts), len(self.scores)

    @property
    def counts(self) -> Ints:
        """How many rows have each verdict and score, shape (verdicts, scores): for verdicts of which there are few."""
        n_cells = self.shape[0] * self.shape[1]
        return np.bincount(self.cell_of_row, minlength=n_cells).reshape(self.shape)


def judge(scores: Floats, verdicts: Floats, units: Ints | None) -> Judged:
    """Return the rows that have both, in an order of their own. units: of all rows; None where each row is one."""
    is_used = ~np.isnan(scores) & ~np.isnan(verdicts)
    distinct_scores, score_of_row = np.unique(scores[is_used], return_inverse=True)
    distinct_verdicts, verdict_of_row = np.unique(verdicts[is_used], return_inverse=True)
    if units is None:
        order = np.lexsort((verdict_of_row, score_of_row))
        unit = np.arange(len(order))
    else:
        order, unit = order_by_unit(units[is_used], score_of_row, verdict_of_row)
    return Judged(distinct_scores, distinct_verdicts, score_of_row[order], verdict_of_row[order], unit)


def figures(judged: Judged, *, has_two: bool, ci: float, seed: int) -> dict[str, float]:
    """Return the figures of a group, each but the threshold followed by its bounds; NaN where verdicts do not vary.

    Parameters
    ----------
    has_two
        Whether the whole column of verdicts has two values, the larger of which is "right". Else it holds grades, which
        have no threshold.
    """
    found = dict.fromkeys(FIGURES, (np.nan, np.nan, np.nan))
    threshold = np.nan
    if len(judged.verdicts) > 1:
        won, n_others = _won(judged)
        found["auc"] = _auc(judged, won, n_others, ci)
        if len(judged.scores) > 1:
            found |= _correlations(judged, 2 * won - n_others, n_others, ci)
        if has_two and len(judged.scores) > 1:
            threshold = float(judged.scores[_best_cut(judged.counts)])
            if judged.n_units > 1:
                found |= _of_calls(judged, _cross_fitted_calls(judged, seed), ci)
    row: dict[str, float] = {}
    for name, (value, low, high) in found.items():
        if name == CUT[0]:
            row["threshold"] = threshold
        row |= {name: value, f"{name}_lo": low, f"{name}_hi": high}
    return row


# ----------------------------------------------------------------------------------------------------------------- AUC


def _won(judged: Judged) -> tuple[Floats, Floats]:
    """Return of each row how many rows of other verdicts it is in order with, and how many there are, shape (rows,).

    Two rows are in order where the better verdict has the higher score. Equal scores count half.
    """
    cells, cell_of_row, counts = np.unique(judged.cell_of_row, return_inverse=True, return_counts=True)
    verdict, score = np.divmod(cells, len(judged.scores))
    of_verdict, of_score = np.bincount(judged.verdict_of_row), np.bincount(judged.score_of_row)

    def lower(verdict_below: Ints, score_below: Ints) -> Ints:
        return count_lower(verdict, score, counts, verdict_below, score_below)

    # For each cell: twice the rows of lower verdicts that score lower, and those of higher verdicts that score higher.
    below = lower(verdict, score) + lower(verdict, score + 1)
    others = 2 * (judged.n - np.cumsum(of_verdict)[verdict]) - (2 * np.cumsum(of_score) - of_score)[score]
    above = others + lower(verdict + 1, score) + lower(verdict + 1, score + 1)
    return ((below + above) / 2)[cell_of_row], (judged.n - of_verdict[verdict]).astype(np.float64)[cell_of_row]


def auc(judged: Judged) -> float:
    """Return how often the better of two rows with different verdicts scores higher; equal scores count half."""
    won, n_others = _won(judged)
    return float(won.sum() / n_others.sum())


def _auc(judged: Judged, won: Floats, n_others: Floats, ci: float) -> Bounded:
    """Return how often the better of two rows with different verdicts scores higher; equal scores count half.

    Its variance is DeLong's (1988), by cluster Obuchowski's (1997), but with one factor for both classes: n / (n - 1)
    of all rows, or that of the CR2 variance of clusters. won, n_others: see `_won`.
    """
    auc = float(won.sum() / n_others.sum())
    influence = 2 * (won - auc * n_others) / n_others.sum()
    max_n = float(np.sort(np.bincount(judged.verdict_of_row))[-2:].min())
    return (auc, *judged.bound(auc, influence, max_n, ci))


# ------------------------------------------------------------------------------------------------------- correlations


def _correlations(judged: Judged, surplus: Floats, n_others: Floats, ci: float) -> dict[str, Bounded]:
    """Return `CORRELATIONS` with their bounds.

    Parameters
    ----------
    surplus
        How many rows of other verdicts each row is in order with, less those that it is not; shape (rows,).
    n_others
        How many rows have another verdict, shape (rows,).
    """
    from scipy import stats  # noqa: PLC0415  (slow to import)

    sides, n = (judged.scores[judged.score_of_row], judged.verdicts[judged.verdict_of_row]), judged.n
    of_sides = [np.bincount(places) for places in (judged.score_of_row, judged.verdict_of_row)]
    score_cdf, verdict_cdf = ((np.cumsum(counts) - counts / 2) / n - 1 / 2 for counts in of_sides)  # centred
    score, verdict = (side - side.mean() for side in sides)
    ranks = score_cdf[judged.score_of_row], verdict_cdf[judged.verdict_of_row]
    found = {
        "pearson": (stats.pearsonr(*sides).statistic, _pulls_of_products(score * verdict, score**2, verdict**2)),
        "spearman": (stats.spearmanr(*sides).statistic, _pulls_of_ranks(judged, *ranks)),
        "kendall": (
            stats.kendalltau(*sides).statistic,
            2 * _pulls_of_products(surplus, n - of_sides[0][judged.score_of_row].astype(np.float64), n_others),
        ),
    }
    unrelated = {"kendall": _variance_of_unrelated(*of_sides)}
    return {
        name: (float(value), *_fisher_bounds(float(value), influence, unrelated.get(name, 1 / (n - 1)), judged, ci))
        for name, (value, influence) in found.items()
    }


def _fisher_bounds(value: float, influence: Floats, unrelated: float, judged: Judged, ci: float) -> tuple[float, float]:
    """Return bounds of a correlation on Fisher's scale (1921), the inverse hyperbolic tangent, with Student's t.

    Where one side hardly varies, few rows show too little of how much the correlation would vary. So its variance
    there is that which the rows show, but at least Fisher's: that without a relation, times (n - 1) / (n - 3). Clusters
    have as many times more as they show. A perfect correlation has Wilson's bounds, moved from [0, 1].

    Parameters
    ----------
    influence
        How far each row moves the correlation, shape (rows,).
    unrelated
        The variance over all orders of one side.
    """
    share = round((value + 1) / 2, 12)  # exactly 1 where the correlation is perfect but for rounding
    if share in (0.0, 1.0):
        low, high = judged.bound(share, np.zeros(judged.n), judged.n_units, ci)
        return 2 * low - 1, 2 * high - 1
    spread, alone = judged.drawn.spread(influence), one_group(judged.n, None).spread(influence)
    design_effect = np.fmax(divide_where(spread.variance, alone.variance, 1.0), 1.0)
    least = divide_where(unrelated * (judged.n - 1) * design_effect, np.array([judged.n - 3.0]), np.inf)
    error = np.sqrt(np.maximum(spread.variance / (1 - value**2) ** 2, least))
    (half,) = t_quantiles(ci, spread.df) * error
    return float(np.tanh(np.arctanh(value) - half)), float(np.tanh(np.arctanh(value) + half))


def _pulls_of_products(together: Floats, left: Floats, right: Floats) -> Floats:
    """Return how far rows move sum(together) / sqrt(sum(left) * sum(right)), shape (rows,)."""
    scale = float(np.sqrt(left.sum() * right.sum()))
    half = float(together.sum()) / scale / 2
    return together / scale - half * left / float(left.sum()) - half * right / float(right.sum())


def _pulls_of_ranks(judged: Judged, score: Floats, verdict: Floats) -> Floats:
    """Return how far rows move Pearson's correlation of ranks, by their own ranks and those of all others.

    score, verdict: the share of rows below, equal ones counting half, less 1/2; shape (rows,).
    """

    def moved(values: Floats, place: Ints) -> Floats:
        """Return by how much each row moves the sum of values * ranks, as it moves the ranks of others."""
        of_place = np.bincount(place, values)
        return (of_place / 2 - np.cumsum(of_place))[place] / judged.n

    by_score, by_verdict = judged.score_of_row, judged.verdict_of_row
    together = score * verdict + moved(verdict, by_score) + moved(score, by_verdict)
    alone = score**2 + 2 * moved(score, by_score), verdict**2 + 2 * moved(verdict, by_verdict)
    return 3 * _pulls_of_products(together, *alone)


def _variance_of_unrelated(of_score: Ints, of_verdict: Ints) -> float:
    """Return the variance of tau-b over all orders of one side (Kendall 1970). Arguments: the rows of each value."""
    n = float(of_score.sum())
    ties = [counts.astype(np.float64) for counts in (of_score, of_verdict)]
    twos = [float((each * (each - 1)).sum()) for each in ties]
    threes = [float((each * (each - 1) * (each - 2)).sum()) for each in ties]
    fives = [float((each * (each - 1) * (2 * each + 5)).sum()) for each in ties]
    variance = (n * (n - 1) * (2 * n + 5) - sum(fives)) / 18 + twos[0] * twos[1] / (2 * n * (n - 1))
    if n > 2:
        variance += threes[0] * threes[1] / (9 * n * (n - 1) * (n - 2))
    return variance / ((n * (n - 1) - twos[0]) * (n * (n - 1) - twos[1]) / 4)


# -------------------------------------------------------------------------------------------------- with a threshold


def best_threshold(scores: Floats, verdicts: Floats) -> float:
    """Return the score from which calling a row right agrees best with two verdicts; NaN where there is none."""
    judged = judge(scores, verdicts, None)
    if judged.shape[0] != 2 or judged.shape[1] < 2:
        return np.nan
    return float(judged.scores[_best_cut(judged.counts)])


def _best_cut(counts: Ints) -> Ints:
    """Return the place of the score from which calling a row right agrees best with people: the highest kappa.

    Ties go to the lowest score. The lowest score of all is left out: from it on every row would be called right. Where
    there is but one score, the place is 0.

    counts: the rows of each verdict and score, shape (..., 2, scores).
    """
    n_up = np.cumsum(counts[..., ::-1], axis=-1)[..., ::-1]  # of rows that score as much or more
    false_right, true_right = n_up[..., 0, :], n_up[..., 1, :]
    below = n_up[..., :1] - n_up
    of_score = counts.sum(axis=-2)
    is_candidate = (of_score > 0) & (below.sum(axis=-2) > 0)
    cells = (true_right, false_right, below[..., 1, :], below[..., 0, :])
    kappa = np.where(is_candidate, _kappa(*(each.astype(np.float64) for each in cells)), -np.inf)
    return np.asarray(np.argmax(kappa, axis=-1))


def _cross_fitted_calls(judged: Judged, seed: int) -> Flags:
    """Return which rows are called right, shape (rows,), each by the threshold of the rows outside its fold.

    A threshold that is judged on the rows that it was chosen on flatters. Folds are random parts of the units. Where
    the rows outside a fold have but one score, its rows are called as most rows of all are.
    """
    n_folds = min(_FOLDS, judged.n_units)
    fold = (np.random.default_rng(seed).permutation(judged.n_units) % n_folds)[judged.unit_of_row]
    n_scores = len(judged.scores)
    counts = np.bincount(fold * 2 * n_scores + judged.cell_of_row, minlength=n_folds * 2 * n_scores)
    cut = _best_cut(judged.counts - counts.reshape(n_folds, 2, n_scores))
    most_are_right = 2 * np.count_nonzero(judged.verdict_of_row) >= judged.n
    cut = np.where(cut > 0, cut, 0 if most_are_right else n_scores)
    return np.asarray(judged.score_of_row >= cut[fold])


def _kappa(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return Cohen's kappa of true and false calls of right (a, b), and false and true calls of wrong (c, d)."""
    return 2 * (a * d - b * c) / np.maximum((a + b) * (b + d) + (a + c) * (c + d), 1)


def _of_calls(judged: Judged, says_right: Flags, ci: float) -> dict[str, Bounded]:
    """Return `CUT` of the rows that are called right, shape (rows,)."""
    is_right = judged.verdict_of_row == 1
    cells = np.stack([says_right & is_right, says_right & ~is_right, ~says_right & is_right, ~says_right & ~is_right])
    a, b, c, d = cells.sum(axis=1).astype(np.float64).tolist()
    n, n_right, n_wrong = judged.n, a + c, b + d
    fewer = min(n_right, n_wrong)
    accuracy, kappa = (a + d) / n, float(_kappa(a, b, c, d))
    of_right, of_wrong = a / n_right, d / n_wrong
    balanced = (of_right + of_wrong) / 2
    whole = (a + b) * (b + d) + (a + c) * (c + d)
    by_accuracy = np.array([1 - accuracy, -accuracy, -accuracy, 1 - accuracy]) / n
    by_balanced = np.array(
        [(1 - of_right) / n_right, -of_wrong / n_wrong, -of_right / n_right, (1 - of_wrong) / n_wrong]
    )
    by_whole = np.array([b + c + 2 * d, a + 2 * b + d, a + 2 * c + d, 2 * a + b + c])
    by_kappa = (np.array([2 * d, -2 * c, -2 * b, 2 * a]) - kappa * by_whole) / whole
    low, high = judged.bound((kappa + 1) / 2, by_kappa @ cells / 2, fewer, ci)
    return {
        "accuracy": (accuracy, *judged.bound(accuracy, by_accuracy @ cells, n, ci)),
        "balanced_accuracy": (balanced, *judged.bound(balanced, by_balanced / 2 @ cells, fewer, ci)),
        "kappa": (kappa, 2 * low - 1, 2 * high - 1),
    }


def count_lower(x: Ints, y: Ints, counts: Ints, x_below: Ints, y_below: Ints) -> Ints:
    """Return for each bound how many points have both x < x_below and y < y_below, shape of the bounds.

    The points, in order of x, are parted again and again by a binary digit of y, the highest first. Each bound goes
    with the half that it lies in, and counts the lower half where it lies in the upper one (the wavelet matrix of
    Claude, Navarro and Ordóñez 2015). This takes as many steps as y has binary digits.

    Parameters
    ----------
    x, y
        Coordinates from 0 on, shape (points,).
    counts
        How many points there are at each place, shape (points,).
    x_below, y_below
        The bounds, from 0 on, shape (bounds,).
    """
    order = np.argsort(x, kind="stable")
    y, counts = y[order], counts[order]
    first, last = np.zeros(len(x_below), np.int64), np.searchsorted(x[order], x_below)
    found = np.zeros(len(x_below), np.int64)
    n_digits = int(max(y.max(initial=0), y_below.max(initial=0))).bit_length()
    for digit in reversed(range(n_digits)):
        is_low = (y >> digit) & 1 == 0
        n_low, sum_low = (np.concatenate(([0], np.cumsum(each))) for each in (is_low, np.where(is_low, counts, 0)))
        is_upper = (y_below >> digit) & 1 == 1
        found += np.where(is_upper, sum_low[last] - sum_low[first], 0)
        first, last = (np.where(is_upper, n_low[-1] + end - n_low[end], n_low[end]) for end in (first, last))
        parted = np.concatenate((np.flatnonzero(is_low), np.flatnonzero(~is_low)))
        y, counts = y[parted], counts[parted]
    return found
