"""Scores and people's verdicts on the same rows → how well they agree, with intervals.

All follows from how many rows each unit has in each cell, which is a verdict and a score. Only cells that hold rows are
kept, so that memory grows as the rows do. Units and rows stand in an order that follows from scores and verdicts alone.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.ext.annotation.bounded import NOT_KNOWN, Bounded, as_bounded, one_group
from qa_frame.stats.bootstrap import order_by_unit
from qa_frame.stats.influence import ClusteredRows

CELLS = ("both_right", "only_metric_right", "only_people_right", "both_wrong")
"""The cells of the table of what a metric and people find right."""

_FOLDS = 10
"""Parts of the rows, each of which is judged by the threshold of the others."""


@dataclass(frozen=True, eq=False, repr=False)
class Judged:
    """The rows of a group that have both a score and a verdict, each as a place among the distinct scores and verdicts.

    Attributes
    ----------
    scores, verdicts
        The distinct scores and the distinct verdicts, each in rising order.
    score_of_row, verdict_of_row
        The places of each row's score in `scores` and of its verdict in `verdicts`, int64, shape (rows,).
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
        """The number of rows."""
        return len(self.score_of_row)

    @property
    def n_units(self) -> int:
        """The number of units."""
        return int(self.unit_of_row.max(initial=-1)) + 1

    @functools.cached_property
    def clustered(self) -> ClusteredRows:
        """All rows as one group, clustered by their units."""
        return one_group(self.n, self.unit_of_row if self.n_units < self.n else None)

    def bound(self, value: float, influence: Floats, max_n: float, ci: float) -> tuple[float, float]:
        """Return the lower and upper bound of a statistic that lies between 0 and 1.

        value: the statistic. influence: how far each row moves it, shape (rows,). max_n: the largest number of rows
        that it may rest on. ci: the confidence level.
        """
        return as_bounded(self.clustered.with_bounds(np.array([value]), influence, np.array([max_n]), ci))[1:]

    @property
    def cell_of_row(self) -> Ints:
        """The place of each row's verdict and score in `counts`, once that is flattened, shape (rows,)."""
        return self.verdict_of_row * len(self.scores) + self.score_of_row

    @property
    def counts(self) -> Ints:
        """The number of rows with each verdict and score, shape (verdicts, scores). Use it for few verdicts."""
        shape = len(self.verdicts), len(self.scores)
        return np.bincount(self.cell_of_row, minlength=shape[0] * shape[1]).reshape(shape)


def pair_with_verdicts(scores: Floats, verdicts: Floats, units: Ints | None) -> Judged:
    """Return the rows that have both a score and a verdict, in an order that does not depend on that of the frame.

    scores, verdicts, units: those of all rows, shape (rows,). units is None where each row is a unit.
    """
    is_used = ~np.isnan(scores) & ~np.isnan(verdicts)
    distinct_scores, score_of_row = np.unique(scores[is_used], return_inverse=True)
    distinct_verdicts, verdict_of_row = np.unique(verdicts[is_used], return_inverse=True)
    if units is None:
        order = np.lexsort((verdict_of_row, score_of_row))
        unit = np.arange(len(order))
    else:
        order, unit = order_by_unit(units[is_used], score_of_row, verdict_of_row)
    return Judged(distinct_scores, distinct_verdicts, score_of_row[order], verdict_of_row[order], unit)


def known_threshold(scores: Floats) -> float:
    """Return 1 where all scores are 1 or 0, so that the metric itself says right or wrong; else NaN.

    Scores of NaN are left out. Where all are NaN, the result is 1.
    """
    return 1.0 if np.isin(scores[~np.isnan(scores)], (0, 1)).all() else np.nan


def compare_with_people(judged: Judged, threshold: float = np.nan, *, has_two: bool, ci: float) -> dict[str, Any]:
    """Return the columns of `agreement` from `auc` on, for one group; NaN or None for each that is not known.

    Parameters
    ----------
    judged
        The rows of the group that have a score and a verdict.
    threshold
        The score from which the metric calls a row right; NaN where it is to be chosen.
    has_two
        Whether the whole column of verdicts has two values, here 0 and 1. Else it holds grades, without a threshold.
    ci
        The confidence level of the bounds.
    """
    varies, of_calls = len(judged.verdicts) > 1, _NO_CALLS
    area = _bounded_auc(judged, ci) if varies else NOT_KNOWN
    if not has_two or not judged.n:
        threshold = np.nan
    elif not np.isnan(threshold):
        of_calls = _judge_calls(judged, judged.scores[judged.score_of_row] >= threshold, ci)
    elif varies and len(judged.scores) > 1:
        threshold = float(judged.scores[_best_cut(judged.counts)])
        if judged.n_units > 1:
            of_calls = _judge_calls(judged, _cross_fitted_calls(judged), ci)
    return {**_with_bounds("auc", area), "threshold": threshold, **of_calls}


def _with_bounds(name: str, bounded: Bounded) -> dict[str, float]:
    """Return the three columns of a statistic: its name, and the name with `_lo` and `_hi`."""
    return dict(zip((name, f"{name}_lo", f"{name}_hi"), bounded, strict=True))


_NO_CALLS: Mapping[str, Any] = {
    **dict.fromkeys(CELLS),
    "precision": np.nan,
    "recall": np.nan,
    **_with_bounds("kappa", NOT_KNOWN),
}
"""The columns of a group without a threshold."""


# ----------------------------------------------------------------------------------------------------------------- AUC


def _count_concordant(judged: Judged) -> tuple[Floats, Floats]:
    """Return for each row how many rows are concordant with it, and how many have another verdict.

    Both are floats of shape (rows,). Two rows are concordant where the one with the better verdict has the higher
    score. Pairs with equal scores and different verdicts count half.
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
    """Return how often the better of two rows with different verdicts scores higher; equal scores count half.

    The rows must have two different verdicts or more.
    """
    won, n_others = _count_concordant(judged)
    return float(won.sum() / n_others.sum())


def _bounded_auc(judged: Judged, ci: float) -> Bounded:
    """Return the AUC with its bounds. The rows must have two different verdicts or more.

    Its variance is DeLong's (1988), by cluster Obuchowski's (1997), but with one factor for both classes: n / (n - 1)
    of all rows, or that of the CR2 variance of clusters.
    """
    won, n_others = _count_concordant(judged)
    area = float(won.sum() / n_others.sum())
    influence = 2 * (won - area * n_others) / n_others.sum()
    max_n = float(np.sort(np.bincount(judged.verdict_of_row))[-2:].min())
    return (area, *judged.bound(area, influence, max_n, ci))


# -------------------------------------------------------------------------------------------------- with a threshold


def best_threshold(scores: Floats, verdicts: Floats) -> float:
    """Return the score from which calling a row right agrees best with its verdict, by kappa; NaN where there is none.

    Rows that lack a score or a verdict are left out. There is none unless the others have exactly two distinct verdicts
    and two or more distinct scores. The lowest score is never returned.
    """
    judged = pair_with_verdicts(scores, verdicts, None)
    if len(judged.verdicts) != 2 or len(judged.scores) < 2:
        return np.nan
    return float(judged.scores[_best_cut(judged.counts)])


def _best_cut(counts: Ints) -> Ints:
    """Return the place of the score from which calling a row right agrees best with people: the highest kappa.

    Ties go to the lowest score. The lowest score of all is left out: from it on every row would be called right. Where
    there is but one score, the place is 0.

    counts: the number of rows with each verdict and score, shape (..., 2, scores). The result has the shape (...).
    """
    n_up = np.cumsum(counts[..., ::-1], axis=-1)[..., ::-1]  # of rows that score as much or more
    false_right, true_right = n_up[..., 0, :], n_up[..., 1, :]
    below = n_up[..., :1] - n_up
    of_score = counts.sum(axis=-2)
    is_candidate = (of_score > 0) & (below.sum(axis=-2) > 0)
    cells = (true_right, false_right, below[..., 1, :], below[..., 0, :])
    kappa = np.where(is_candidate, _kappa(*(each.astype(np.float64) for each in cells)), -np.inf)
    return np.asarray(np.argmax(kappa, axis=-1))


def _cross_fitted_calls(judged: Judged) -> Flags:
    """Return which rows are called right, shape (rows,), each by the threshold of the rows outside its fold.

    A threshold that is judged on the rows that it was chosen on flatters. Folds are random parts of the units, the same
    in each call. Where the rows outside a fold have but one score, all rows of the fold get the more frequent verdict
    of all rows; right, if both are equally frequent.
    """
    n_folds = min(_FOLDS, judged.n_units)
    fold = (np.random.default_rng(0).permutation(judged.n_units) % n_folds)[judged.unit_of_row]
    n_scores = len(judged.scores)
    counts = np.bincount(fold * 2 * n_scores + judged.cell_of_row, minlength=n_folds * 2 * n_scores)
    cut = _best_cut(judged.counts - counts.reshape(n_folds, 2, n_scores))
    most_are_right = 2 * np.count_nonzero(judged.verdict_of_row) >= judged.n
    cut = np.where(cut > 0, cut, 0 if most_are_right else n_scores)
    return np.asarray(judged.score_of_row >= cut[fold])


def _kappa(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return Cohen's kappa of the numbers of rows in each of `CELLS`, in their order; 0 where it is not defined."""
    return 2 * (a * d - b * c) / np.maximum((a + b) * (b + d) + (a + c) * (c + d), 1)


def sort_into_cells(says_right: Flags, is_right: Flags) -> dict[str, Flags]:
    """Return which rows are in each of `CELLS`, shape (rows,), by what the metric and people find right."""
    cells = (says_right & is_right, says_right & ~is_right, ~says_right & is_right, ~says_right & ~is_right)
    return dict(zip(CELLS, cells, strict=True))


def _judge_calls(judged: Judged, says_right: Flags, ci: float) -> dict[str, Any]:
    """Return the counts of `CELLS`, and precision, recall and kappa with its bounds, as in `_NO_CALLS`.

    says_right: which rows the metric calls right, shape (rows,). Precision or recall is NaN where it is a share of no
    row, and kappa where all verdicts are the same.
    """
    cells = sort_into_cells(says_right, judged.verdicts[judged.verdict_of_row] == 1)
    counts = {name: int(rows.sum()) for name, rows in cells.items()}
    a, b, c, _ = counts.values()
    precision, recall = (a / n if n else np.nan for n in (a + b, a + c))
    kappa = _bounded_kappa(judged, cells, ci) if len(judged.verdicts) > 1 else NOT_KNOWN
    return {**counts, "precision": precision, "recall": recall, **_with_bounds("kappa", kappa)}


def _bounded_kappa(judged: Judged, cells: Mapping[str, Flags], ci: float) -> Bounded:
    """Return Cohen's kappa with its bounds, by the delta method. The rows must have two different verdicts.

    cells: which rows are in each of `CELLS`, shape (rows,).
    """
    a, b, c, d = (float(rows.sum()) for rows in cells.values())
    kappa = float(_kappa(a, b, c, d))
    whole = (a + b) * (b + d) + (a + c) * (c + d)
    by_whole = np.array([b + c + 2 * d, a + 2 * b + d, a + 2 * c + d, 2 * a + b + c])
    by_kappa = (np.array([2 * d, -2 * c, -2 * b, 2 * a]) - kappa * by_whole) / whole
    low, high = judged.bound((kappa + 1) / 2, by_kappa @ np.stack([*cells.values()]) / 2, min(a + c, b + d), ci)
    return kappa, 2 * low - 1, 2 * high - 1


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
    n_lower = np.zeros(len(x_below), np.int64)
    n_digits = int(max(y.max(initial=0), y_below.max(initial=0))).bit_length()
    for digit in reversed(range(n_digits)):
        is_low = (y >> digit) & 1 == 0
        n_low, sum_low = (np.concatenate(([0], np.cumsum(each))) for each in (is_low, np.where(is_low, counts, 0)))
        is_upper = (y_below >> digit) & 1 == 1
        n_lower += np.where(is_upper, sum_low[last] - sum_low[first], 0)
        first, last = (np.where(is_upper, n_low[-1] + end - n_low[end], n_low[end]) for end in (first, last))
        parted = np.concatenate((np.flatnonzero(is_low), np.flatnonzero(~is_low)))
        y, counts = y[parted], counts[parted]
    return n_lower
