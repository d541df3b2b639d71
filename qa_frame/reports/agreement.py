"""Floats and people's verdicts on the same rows → how well each metric agrees with them.

rows → a table of counts (verdict, score) → figures → the same of tables drawn from it → intervals
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Floats, Ints
from qa_frame.errors import MissingPackageError, VerdictError
from qa_frame.frames.names import name_rows, require_column
from qa_frame.reports.compare import By
from qa_frame.reports.scored_rows import read_scored, require_scores
from qa_frame.rules.parts import Convention
from qa_frame.scoring.plan import Metrics, Missing, make_plan
from qa_frame.scoring.reduction import Reduction
from qa_frame.stats.intervals import check_resampling
from qa_frame.stats.keys import Keys, read_keys

Counts = Ints

RANKED = ("auc", "pearson", "spearman", "kendall")
CUT = ("accuracy", "balanced_accuracy", "kappa")

_NUMBERS = {"boolean", "integer", "floating", "mixed-integer-float", "decimal"}
_ELEMENTS = 1 << 20
_CELLS_PER_ROW = 50
"""A table with more cells than this a row is dearer to draw from than the rows are."""


def agree(
    frame: pd.DataFrame,
    *,
    human: Hashable,
    by: By,
    metrics: Metrics,
    pred: Hashable | None,
    gold: Hashable | None,
    convention: str | Convention,
    reduce: Reduction,
    missing: Missing,
    ci: float,
    n_resamples: int,
    seed: int,
    prefix: str,
) -> pd.DataFrame:
    """What `df.qa.agreement` returns; see there."""
    check_resampling(ci=ci, n_resamples=n_resamples, seed=seed)
    plan = make_plan(metrics, convention, reduce, missing)
    verdicts = _read_verdicts(frame, human)
    groups = None if by is None else read_keys(frame, by, "by", has_nulls=True)
    scored = read_scored(frame, pred=pred, gold=gold, plan=plan, prefix=prefix)
    wanted = list(scored.scores) if metrics is None else list(plan.metrics)
    require_scores(scored, wanted, frame, prefix)
    has_two = len(np.unique(verdicts[~np.isnan(verdicts)])) == 2
    rows = []
    for members in _members(groups, len(frame)):
        for metric in wanted:
            judged = _judge(scored.scores[metric][members], verdicts[members], has_two=has_two)
            rows.append(_figures(judged, n_rows=len(members), ci=ci, n_resamples=n_resamples, seed=seed))
    agreement = pd.DataFrame(rows, index=_index(groups, wanted))
    agreement.attrs["qa_agreement"] = f"human:{human}|ci:{ci}|n_resamples:{n_resamples}|seed:{seed}"
    if scored.signature is not None:
        agreement.attrs["qa"] = scored.signature
    return agreement


# --------------------------------------------------------------------------------------------------- verdicts, groups


def _read_verdicts(frame: pd.DataFrame, human: Hashable) -> Floats:
    """The verdicts as floats, NaN for null, shape (rows,)."""
    require_column(human, list(frame.columns), "human")
    column = frame[human]
    found = column.dropna().astype(object)
    kind = pd.api.types.infer_dtype(found)
    if len(found) and kind not in _NUMBERS:
        raise VerdictError(
            f"human={human!r} holds {kind} such as {found.iloc[0]!r:.40}, where numbers are needed; turn verdicts into "
            f"1 and 0 first, as in df[{human!r}].map({{'right': 1, 'wrong': 0}})"
        )
    verdicts = np.full(len(column), np.nan)
    verdicts[column.notna().to_numpy()] = found.to_numpy(np.float64)
    is_endless = np.flatnonzero(np.isinf(verdicts))
    if len(is_endless):
        raise VerdictError(
            f"human={human!r} is infinite at {name_rows(is_endless, frame.index)}; give a number, or null for none"
        )
    distinct = np.unique(verdicts[~np.isnan(verdicts)])
    if len(distinct) < 2:
        what = f"is always {distinct[0]:g}" if len(distinct) else "holds only nulls"
        raise VerdictError(
            f"human={human!r} {what} ({len(found)} of {len(column)} rows have a verdict); agreement needs answers that "
            "people found right and others that they found wrong: choose another column or more rows"
        )
    return verdicts


def _members(groups: Keys | None, n_rows: int) -> Iterator[Ints]:
    """The rows of each group."""
    if groups is None:
        yield np.arange(n_rows)
        return
    order = np.argsort(groups.codes, kind="stable")
    yield from np.split(order, np.cumsum(np.bincount(groups.codes))[:-1])


def _index(groups: Keys | None, metrics: Sequence[str]) -> pd.Index:
    """A level for each column of `by`, and one for the metric."""
    if groups is None:
        return pd.Index(metrics, name="metric")
    n_groups = len(groups)
    levels: list[Any] = [column.repeat(len(metrics)).array for column in groups.columns]
    names = [column.name for column in groups.columns]
    return pd.MultiIndex.from_arrays([*levels, list(metrics) * n_groups], names=[*names, "metric"])


# ------------------------------------------------------------------------------------------------------------ figures


@dataclass(frozen=True, slots=True)
class Judged:
    """The rows of a group that have both a score and a verdict.

    scores, verdicts: shape (n,), sorted by score and then verdict, so that nothing depends on the order of rows.
    has_two: whether the whole column of verdicts has two values, the larger of which is "right".
    """

    scores: Floats
    verdicts: Floats
    has_two: bool

    @property
    def varies(self) -> bool:
        """Whether the verdicts are not all the same."""
        return len(self.verdicts) > 1 and bool(np.ptp(self.verdicts) > 0)

    @property
    def table(self) -> Table:
        """The rows counted."""
        verdicts, verdict_of_row = np.unique(self.verdicts, return_inverse=True)
        scores, score_of_row = np.unique(self.scores, return_inverse=True)
        shape = (len(verdicts), len(scores))
        cells = np.bincount(verdict_of_row * shape[1] + score_of_row, minlength=shape[0] * shape[1])
        return Table(cells.reshape(shape), scores, verdicts)


@dataclass(frozen=True, slots=True)
class Table:
    """How many rows have each verdict and score.

    counts: shape (verdicts, scores). scores, verdicts: the distinct ones, rising.
    """

    counts: Counts
    scores: Floats
    verdicts: Floats


def _judge(scores: Floats, verdicts: Floats, *, has_two: bool) -> Judged:
    is_used = ~np.isnan(scores) & ~np.isnan(verdicts)
    scores, verdicts = scores[is_used], verdicts[is_used]
    order = np.lexsort((verdicts, scores))
    return Judged(scores[order], verdicts[order], has_two)


def _figures(judged: Judged, *, n_rows: int, ci: float, n_resamples: int, seed: int) -> dict[str, float]:
    """One row of the result."""
    n = len(judged.scores)
    names = [*RANKED, *CUT]
    values, bounds, threshold = np.full(len(names), np.nan), np.full((2, len(names)), np.nan), np.nan
    if judged.varies:
        table = judged.table
        threshold = _best_threshold(table) if judged.has_two else np.nan
        values = np.concatenate([_ranked(judged.scores, judged.verdicts), _cut(table.counts, table.scores, threshold)])
        drawn = np.concatenate(list(_drawn(judged, table, threshold, n_resamples=n_resamples, seed=seed)))
        bounds = _percentiles(drawn, ci)
    row: dict[str, float] = {"n": n, "n_not_used": n_rows - n}
    for place, name in enumerate(names):
        if name == CUT[0]:
            row["threshold"] = threshold
        row |= {name: values[place], f"{name}_lo": bounds[0, place], f"{name}_hi": bounds[1, place]}
    return row


def _ranked(scores: Floats, verdicts: Floats) -> Floats:
    """`RANKED`, of verdicts that vary; where scores do not, the AUC is 1/2 and the correlations are NaN."""
    stats = _scipy_stats()
    if np.ptp(scores) == 0:
        return np.array([0.5, np.nan, np.nan, np.nan])
    tau = stats.kendalltau(scores, verdicts).statistic
    correlations = [stats.pearsonr(scores, verdicts).statistic, stats.spearmanr(scores, verdicts).statistic, tau]
    if len(np.unique(verdicts)) > 2:
        n_untied_scores, n_untied_verdicts = map(_n_untied_pairs, (scores, verdicts))
        return np.array([(1 + tau * np.sqrt(n_untied_scores / n_untied_verdicts)) / 2, *correlations])
    is_right = verdicts == verdicts.max()
    n_right, n_wrong = np.count_nonzero(is_right), np.count_nonzero(~is_right)
    above = stats.rankdata(scores)[is_right].sum() - n_right * (n_right + 1) / 2
    return np.array([above / (n_right * n_wrong), *correlations])


def _n_untied_pairs(values: Floats) -> float:
    counts = np.unique(values, return_counts=True)[1].astype(np.float64)
    return float(len(values) * (len(values) - 1) - (counts * (counts - 1)).sum()) / 2


def _best_threshold(table: Table) -> float:
    """The lowest of the scores (or infinity: nothing is right) at which score >= threshold is most often right."""
    wrong, right = table.counts
    n_below = np.concatenate(([0], np.cumsum(wrong)))
    n_not_below = np.concatenate((np.cumsum(right[::-1])[::-1], [0]))
    return float(np.append(table.scores, np.inf)[np.argmax(n_below + n_not_below)])


def _cut(counts: Counts | Floats, scores: Floats, threshold: float) -> Floats:
    """`CUT` for tables of shape (..., verdicts, scores), shape (..., 3): NaN if there is no threshold."""
    if np.isnan(threshold):
        return np.full((*counts.shape[:-2], len(CUT)), np.nan)
    says_right = (scores >= threshold).astype(np.float64)
    n_wrong, n_right = np.moveaxis(counts.sum(axis=-1), -1, 0)
    false_right, true_right = np.moveaxis(counts @ says_right, -1, 0)
    n = n_wrong + n_right
    n_hits = true_right + n_wrong - false_right
    recalls = _ratio(true_right, n_right) + _ratio(n_wrong - false_right, n_wrong)
    said = true_right + false_right
    n_by_chance = (said * n_right + (n - said) * n_wrong) / n
    return np.stack([n_hits / n, recalls / 2, _ratio(n_hits - n_by_chance, n - n_by_chance)], axis=-1)


def _ratio(part: Any, whole: Any) -> Floats:
    """part / whole, NaN where the whole is 0."""
    ratio: Floats = np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)
    return ratio


# ---------------------------------------------------------------------------------------------------------- bootstrap


def _drawn(judged: Judged, table: Table, threshold: float, *, n_resamples: int, seed: int) -> Iterator[Floats]:
    """Batches of figures of rows drawn with replacement, shape (draws, figures). The threshold stays as it is."""
    random = np.random.default_rng(seed)
    n = len(judged.scores)
    if table.counts.size > max(_CELLS_PER_ROW * n, _ELEMENTS // 10):
        for _ in range(n_resamples):
            rows = random.integers(0, n, size=n)
            scores, verdicts = judged.scores[rows], judged.verdicts[rows]
            ranked = _ranked(scores, verdicts) if np.ptp(verdicts) > 0 else np.full(len(RANKED), np.nan)
            yield np.append(ranked, np.full(len(CUT), np.nan))[None]
        return
    filled = np.flatnonzero(table.counts)
    size = max(1, _ELEMENTS // table.counts.size)
    for start in range(0, n_resamples, size):
        drawn = np.zeros((min(size, n_resamples - start), table.counts.size))
        drawn[:, filled] = random.multinomial(n, table.counts.flat[filled] / n, size=len(drawn))
        counts = drawn.reshape(-1, *table.counts.shape)
        yield np.concatenate([_ranked_of_tables(counts, table), _cut(counts, table.scores, threshold)], axis=-1)


def _ranked_of_tables(counts: Floats, table: Table) -> Floats:
    """`RANKED` of many tables of counts, shape (tables, verdicts, scores), at once; shape (tables, 4)."""
    of_score, of_verdict = counts.sum(axis=1), counts.sum(axis=2)
    n = of_score.sum(axis=-1)
    score, verdict = (values - values.mean() for values in (table.scores, table.verdicts))
    pearson = _correlation(counts, np.broadcast_to(score, of_score.shape), np.broadcast_to(verdict, of_verdict.shape))
    spearman = _correlation(counts, _middle_ranks(of_score), _middle_ranks(of_verdict))
    below = np.cumsum(counts, axis=1) - counts  # of lower verdicts
    up_to = np.cumsum(below, axis=2)
    surplus = (counts * (2 * up_to - below - up_to[..., -1:])).sum(axis=(1, 2))  # concordant - discordant pairs
    n_pairs = n * (n - 1) / 2
    untied_score, untied_verdict = (n_pairs - (each * (each - 1)).sum(axis=-1) / 2 for each in (of_score, of_verdict))
    kendall = _ratio(surplus, np.sqrt(untied_score * untied_verdict))
    return np.stack([(1 + _ratio(surplus, untied_verdict)) / 2, pearson, spearman, kendall], axis=-1)


def _middle_ranks(counts: Floats) -> Floats:
    """Ranks, the mean of equals, less the mean rank; shape as the counts."""
    ranks: Floats = np.cumsum(counts, axis=-1) - counts / 2 - counts.sum(axis=-1, keepdims=True) / 2
    return ranks


def _correlation(counts: Floats, score: Floats, verdict: Floats) -> Floats:
    """Pearson's, shape (tables,); NaN where one side does not vary. score, verdict: shape (tables, distinct values)."""
    of_score, of_verdict = counts.sum(axis=1), counts.sum(axis=2)
    n = of_score.sum(axis=-1)
    sum_score, sum_verdict = (of_score * score).sum(axis=-1), (of_verdict * verdict).sum(axis=-1)
    together = np.einsum("tvs,ts,tv->t", counts, score, verdict, optimize=True) - sum_score * sum_verdict / n
    alone = (of_score * score**2).sum(axis=-1) - sum_score**2 / n
    alone = alone * ((of_verdict * verdict**2).sum(axis=-1) - sum_verdict**2 / n)
    varies = ((of_score > 0).sum(axis=-1) > 1) & ((of_verdict > 0).sum(axis=-1) > 1)
    return _ratio(together, np.sqrt(np.where(varies, alone, 0.0)))


def _percentiles(drawn: Floats, ci: float) -> Floats:
    """Bounds, shape (2, figures), over the draws in which a figure is defined; NaN where there are none."""
    bounds = np.full((2, drawn.shape[1]), np.nan)
    for place, values in enumerate(drawn.T):
        defined = values[~np.isnan(values)]
        if len(defined):
            bounds[:, place] = np.quantile(defined, [(1 - ci) / 2, (1 + ci) / 2])
    return bounds


def _scipy_stats() -> Any:
    try:
        from scipy import stats  # noqa: PLC0415  (an extra, and dear to import)
    except ImportError as error:
        raise MissingPackageError(
            'agreement needs scipy, which is not installed; pip install "qa-frame[stats]"'
        ) from error
    return stats
