"""Scores and people's verdicts on the same rows → how well they agree, as figures with intervals.

All follows from how many rows each unit has in each cell, which is a verdict and a score. Only cells that hold rows are
kept, so that memory grows as the rows do. Units and rows stand in an order that follows from scores and verdicts alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.stats.bootstrap import ROUNDING, percentiles
from qa_frame.stats.dominance import count_lower
from qa_frame.stats.figures import divide_where
from qa_frame.stats.intervals import require_scipy
from qa_frame.stats.pulls import Bounded, with_bounds
from qa_frame.stats.student import expanded_tail

CORRELATIONS = ("pearson", "spearman", "kendall")
CUT = ("accuracy", "balanced_accuracy", "kappa")
FIGURES = ("auc", *CORRELATIONS, *CUT)

_FOLDS = 10
"""Parts of the rows, each of which is judged by the threshold of the others."""

_ELEMENTS = 1 << 20
_CELLS_PER_ROW = 50
"""With more cells than this a row, it is cheaper to draw rows than to draw tables."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
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
        order, unit = _order_by_unit(units[is_used], verdict_of_row, score_of_row)
    return Judged(distinct_scores, distinct_verdicts, score_of_row[order], verdict_of_row[order], unit)


def _order_by_unit(units: Ints, verdict_of_row: Ints, score_of_row: Ints) -> tuple[Ints, Ints]:
    """Return the rows in order of their units, and the unit of each row, from 0 on.

    Units have an order by what is in them, not by their names. Two units with equal rows may change places.
    """
    order = np.lexsort((verdict_of_row, score_of_row, units))
    starts = np.flatnonzero(np.diff(units[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(order)))
    rows = np.stack([score_of_row, verdict_of_row], axis=1)[order].astype(">i8").tobytes()
    of_unit = [
        rows[16 * start : 16 * (start + size)] for start, size in zip(starts.tolist(), sizes.tolist(), strict=True)
    ]
    by_content = np.array(sorted(range(len(starts)), key=of_unit.__getitem__), np.int64)
    sizes = sizes[by_content]
    unit = np.repeat(np.arange(len(starts)), sizes)
    place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return order[starts[by_content][unit] + place], unit


def figures(judged: Judged, *, has_two: bool, ci: float, n_resamples: int, seed: int) -> dict[str, float]:
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
        found["auc"] = _auc(judged, ci)
        found |= _correlations(judged, ci=ci, n_resamples=n_resamples, seed=seed)
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


def _bounds(value: float, pull_of_row: Floats, judged: Judged, support: float, ci: float) -> tuple[float, float]:
    """Return the interval of a figure from 0 to 1, from how far each row moves it."""
    unit = judged.unit_of_row if judged.n_units < judged.n else None
    return with_bounds(value, pull_of_row, unit, support, ci)[1:]


# ----------------------------------------------------------------------------------------------------------------- AUC


def _auc(judged: Judged, ci: float) -> Bounded:
    """Return how often the better of two rows with different verdicts scores higher; equal scores count half.

    Its variance is DeLong's (1988), by cluster Obuchowski's (1997), but with one factor for both classes: n / (n - 1)
    of all rows, or that of the CR2 variance of clusters.
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
    won = (below + above) / 2
    n_others = judged.n - of_verdict[verdict]
    total = float((counts * n_others).sum())
    auc = float((counts * won).sum() / total)
    pull = 2 * (won - auc * n_others) / total
    return (auc, *_bounds(auc, pull[cell_of_row], judged, float(np.sort(of_verdict)[-2:].min()), ci))


# ------------------------------------------------------------------------------------------------------- correlations


def _correlations(judged: Judged, *, ci: float, n_resamples: int, seed: int) -> dict[str, Bounded]:
    """Return `CORRELATIONS`; nothing if the scores do not vary.

    The bounds are percentiles of draws of units. Where all draws are alike, they are Wilson's of the value moved into
    [0, 1]. They are NaN for fewer than two units.
    """
    if len(judged.scores) < 2:
        return {}
    found = _correlations_of_rows(judged.scores[judged.score_of_row], judged.verdicts[judged.verdict_of_row])
    bounds = np.full((2, len(CORRELATIONS)), np.nan)
    if judged.n_units > 1:
        drawn = np.concatenate(list(_drawn(judged, n_resamples=n_resamples, seed=seed)))
        bounds = np.clip(percentiles(drawn, expanded_tail(ci, judged.n_units)), -1, 1)
    for place in np.flatnonzero(bounds[1] - bounds[0] <= ROUNDING).tolist():
        share = round(float(found[place] + 1) / 2, 12)  # exactly 1 where the correlation is perfect but for rounding
        low, high = _bounds(share, np.zeros(judged.n), judged, judged.n_units, ci)
        bounds[:, place] = 2 * low - 1, 2 * high - 1
    return dict(zip(CORRELATIONS, zip(found.tolist(), *bounds.tolist(), strict=True), strict=True))


def _correlations_of_rows(scores: Floats, verdicts: Floats) -> Floats:
    stats = require_scipy("agreement").stats
    return np.array([
        stats.pearsonr(scores, verdicts).statistic,
        stats.spearmanr(scores, verdicts).statistic,
        stats.kendalltau(scores, verdicts).statistic,
    ])  # fmt: skip


def _drawn(judged: Judged, *, n_resamples: int, seed: int) -> Iterator[Floats]:
    """Yield `CORRELATIONS` of units drawn with replacement, shape (draws, 3); NaN where a side does not vary."""
    random = np.random.default_rng(seed)
    n_cells = judged.shape[0] * judged.shape[1]
    if n_cells > max(_CELLS_PER_ROW * judged.n, _ELEMENTS // 10):
        for _ in range(n_resamples):
            weights = random.multinomial(judged.n_units, np.full(judged.n_units, 1 / judged.n_units))
            rows = np.repeat(np.arange(judged.n), weights[judged.unit_of_row])
            sides = judged.scores[judged.score_of_row[rows]], judged.verdicts[judged.verdict_of_row[rows]]
            varies = all(np.ptp(side) > 0 for side in sides)
            yield (_correlations_of_rows(*sides) if varies else np.full(len(CORRELATIONS), np.nan))[None]
        return
    filled, row_to_cell = np.unique(judged.cell_of_row, return_inverse=True)
    has_clusters = judged.n_units < judged.n
    n_of_kind = np.ones(judged.n_units, np.int64) if has_clusters else np.bincount(row_to_cell)
    size = max(1, _ELEMENTS // max(n_cells, judged.n if has_clusters else 0))
    for start in range(0, n_resamples, size):
        n_draws = min(size, n_resamples - start)
        weights = random.multinomial(judged.n_units, n_of_kind / judged.n_units, size=n_draws)
        drawn = np.zeros((n_draws, n_cells))
        drawn[:, filled] = _add_rows(weights, judged.unit_of_row, row_to_cell) if has_clusters else weights
        yield _correlations_of_tables(drawn.reshape(n_draws, *judged.shape), judged.scores, judged.verdicts)


def _add_rows(weights: Ints, unit_of_row: Ints, cell_of_row: Ints) -> Ints:
    """Return the rows of each cell, shape (draws, cells). weights: the draws of each unit, shape (draws, units)."""
    order = np.argsort(cell_of_row, kind="stable")
    starts = np.flatnonzero(np.diff(cell_of_row[order], prepend=-1))
    return np.asarray(np.add.reduceat(weights[:, unit_of_row[order]], starts, axis=1))


def _correlations_of_tables(counts: Floats, scores: Floats, verdicts: Floats) -> Floats:
    """Return `CORRELATIONS` of many tables of counts, shape (tables, verdicts, scores), at once; shape (tables, 3)."""
    of_score, of_verdict = counts.sum(axis=1), counts.sum(axis=2)
    n = of_score.sum(axis=-1)
    score, verdict = (values - values.mean() for values in (scores, verdicts))
    pearson = _correlation(counts, np.broadcast_to(score, of_score.shape), np.broadcast_to(verdict, of_verdict.shape))
    spearman = _correlation(counts, _middle_ranks(of_score), _middle_ranks(of_verdict))
    below = np.cumsum(counts, axis=1) - counts  # of lower verdicts
    up_to = np.cumsum(below, axis=2)
    surplus = (counts * (2 * up_to - below - up_to[..., -1:])).sum(axis=(1, 2))  # concordant - discordant pairs
    n_pairs = n * (n - 1) / 2
    untied_score, untied_verdict = (n_pairs - (each * (each - 1)).sum(axis=-1) / 2 for each in (of_score, of_verdict))
    kendall = divide_where(surplus, np.sqrt(untied_score * untied_verdict), np.nan)
    return np.stack([pearson, spearman, kendall], axis=-1)


def _middle_ranks(counts: Floats) -> Floats:
    """Return ranks less the mean rank, in the shape of the counts. Equal values share the mean of their ranks."""
    return np.asarray(np.cumsum(counts, axis=-1) - counts / 2 - counts.sum(axis=-1, keepdims=True) / 2)


def _correlation(counts: Floats, score: Floats, verdict: Floats) -> Floats:
    """Return Pearson's correlation, shape (tables,); NaN where one side does not vary.

    score, verdict: the distinct values, shape (tables, values).
    """
    of_score, of_verdict = counts.sum(axis=1), counts.sum(axis=2)
    n = of_score.sum(axis=-1)
    sum_score, sum_verdict = (of_score * score).sum(axis=-1), (of_verdict * verdict).sum(axis=-1)
    together = np.einsum("tvs,ts,tv->t", counts, score, verdict, optimize=True) - sum_score * sum_verdict / n
    alone = (of_score * score**2).sum(axis=-1) - sum_score**2 / n
    alone = alone * ((of_verdict * verdict**2).sum(axis=-1) - sum_verdict**2 / n)
    varies = ((of_score > 0).sum(axis=-1) > 1) & ((of_verdict > 0).sum(axis=-1) > 1)
    return divide_where(together, np.sqrt(np.where(varies, alone, 0.0)), np.nan)


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
    low, high = _bounds((kappa + 1) / 2, by_kappa @ cells / 2, judged, fewer, ci)
    return {
        "accuracy": (accuracy, *_bounds(accuracy, by_accuracy @ cells, judged, n, ci)),
        "balanced_accuracy": (balanced, *_bounds(balanced, by_balanced / 2 @ cells, judged, fewer, ci)),
        "kappa": (kappa, 2 * low - 1, 2 * high - 1),
    }
