"""Groups that answered the same questions → paired differences, their intervals and p-values.

rows → keys (group, question, unit) → sums a unit → figures → differences → the same under flips, or under draws

Every figure here depends on sums over rows alone: a mean is a sum over a count, corpus BLEU the ratio of a few sums.
To swap two groups' answers to a question moves their sums by that question's difference, so ten thousand random swaps
of all questions are one matrix product. A unit is what is swapped or drawn as one: a question, or a cluster of them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import ColumnNotFoundError, PairingError, UnknownOptionError, suggestion, unknown_option
from qa_frame.frames.names import name_rows
from qa_frame.reports.scored_rows import Scored, read_scored, require_scores
from qa_frame.rules.parts import Convention
from qa_frame.scoring.metrics import BLEU_STATISTICS, METRICS, OVERLAP_STATISTICS
from qa_frame.scoring.plan import Metrics, Missing, make_plan
from qa_frame.scoring.reduction import Reduction
from qa_frame.stats.intervals import check_resampling, t_quantiles
from qa_frame.stats.keys import Keys, read_keys

Test = Literal["permutation", "bootstrap"]
Correction = Literal["holm", "bh", "none"]
By = Any
"""A column's label, an index level's name, or a list of them."""

TESTS: tuple[Test, ...] = ("permutation", "bootstrap")
CORRECTIONS: tuple[Correction, ...] = ("holm", "bh", "none")

_TIE = 1e-12
"""Floats that differ by no more than this share of themselves are equal: 2/3 is not always the same float."""

_ROUNDING = 1e-10
"""Likewise for figures, which are made of sums of up to millions of products."""

_ELEMENTS = 1 << 22
"""Swaps or draws held in memory at once: 32 MB."""

_SUMS = 1 << 24
"""Sums a unit held in memory at once, of each of two sides and of their difference: 128 MB."""

_PAIRS_NAMED = 3


def compare_groups(
    frame: pd.DataFrame,
    *,
    by: By,
    on: By,
    baseline: Hashable | None,
    pred: Hashable | None,
    gold: Hashable | None,
    metrics: Metrics,
    convention: str | Convention,
    reduce: Reduction,
    missing: Missing,
    test: Test,
    correction: Correction,
    cluster: By,
    ci: float,
    n_resamples: int,
    seed: int,
    prefix: str,
) -> pd.DataFrame:
    """What `df.qa.compare` returns; see there."""
    if test not in TESTS:
        raise unknown_option("test", test, TESTS)
    if correction not in CORRECTIONS:
        raise unknown_option("correction", correction, CORRECTIONS)
    check_resampling(ci=ci, n_resamples=n_resamples, seed=seed)
    wanted = _metric_names(metrics)
    asks_for_pooled = not wanted or any(name in POOLED for name in wanted)
    scores = [name for name in wanted if name in METRICS] or None
    plan = make_plan(scores, convention, reduce, missing, stats=asks_for_pooled)
    pairing = _pair_up(frame, by=by, on=on, baseline=baseline, cluster=cluster)
    scored = read_scored(frame, pred=pred, gold=gold, plan=plan, prefix=prefix)
    require_scores(scored, [name for name in wanted if name in METRICS], frame, prefix)
    compared = []
    for measure in _measures(scored, wanted):
        blocks = _blocks(pairing, n_parts=len(measure.parts))
        rows = [_compare_pairs(measure, block, test, ci=ci, n_resamples=n_resamples, seed=seed) for block in blocks]
        of_measure = pd.concat(rows, ignore_index=True)
        of_measure["p_adj"] = adjust(of_measure["p"].to_numpy(), correction)
        compared.append(of_measure)
    result = pd.concat(compared, ignore_index=True)
    settings = f"test:{test}|correction:{correction}|cluster:{cluster}|ci:{ci}|n_resamples:{n_resamples}|seed:{seed}"
    result.attrs["qa_compare"] = settings
    if scored.signature is not None:
        result.attrs["qa"] = scored.signature
    return result


def _compare_pairs(
    measure: Measure, pairing: Pairing, test: Test, *, ci: float, n_resamples: int, seed: int
) -> pd.DataFrame:
    """One row a pair, without the correction for their number."""
    contrast = _contrast(measure, pairing)
    if test == "permutation":
        lo, hi = _t_interval(contrast, ci)
        p = _swap_p_values(contrast, n_resamples=n_resamples, seed=seed)
    else:
        lo, hi, p = _bootstrap(contrast, ci=ci, n_resamples=n_resamples, seed=seed)
    a, b = (pairing.groups.iloc[places].reset_index(drop=True) for places in (pairing.first, pairing.second))
    mean_a, mean_b = contrast.figures
    columns = {"metric": measure.name, "a": a, "b": b, "n": contrast.counts["n"], "mean_a": mean_a, "mean_b": mean_b}
    columns |= {"diff": contrast.found, "diff_lo": lo, "diff_hi": hi, "p": p, "p_adj": np.nan}
    columns |= {name: contrast.counts[name] for name in ("wins", "ties", "losses")}
    columns |= {name: contrast.counts[name] for name in ("n_only_a", "n_only_b", "n_not_scored")}
    return pd.DataFrame(columns)


def adjust(p: Floats, correction: Correction) -> Floats:
    """p-values of one family corrected for their number: Holm (1979), Benjamini and Hochberg (1995), or as they are.

    float64 in [0, 1], shape as `p`; NaN stays NaN and does not count.
    """
    adjusted = p.copy()
    tested = np.flatnonzero(~np.isnan(p))
    if correction == "none" or not len(tested):
        return adjusted
    order = tested[np.argsort(p[tested], kind="stable")]
    ranks = np.arange(len(order))
    if correction == "holm":
        raised = np.maximum.accumulate(p[order] * (len(order) - ranks))
    else:
        raised = np.minimum.accumulate((p[order] * len(order) / (ranks + 1))[::-1])[::-1]
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted


# ----------------------------------------------------------------------------------------------------------- measures


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure that depends on sums over rows alone.

    parts: what is summed, shape (parts, rows); NaN in a row that is not scored; the last part is 1 for each row.
    value: sums, shape (..., parts) → the figure, shape (...).
    slope: sums, shape (..., parts) → the figure's derivative by each of them, shape (..., parts).
    """

    name: str
    parts: Floats
    value: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]

    @property
    def is_mean(self) -> bool:
        """Whether the figure is the mean of the first part."""
        return self.value is _mean


POOLED = {"corpus_bleu": BLEU_STATISTICS, "f1_micro": OVERLAP_STATISTICS}
"""The figures that are pooled over rows, not means of them, and the statistics that they need."""


def _metric_names(metrics: Metrics) -> list[str]:
    """The names asked for, none for all that are there."""
    if metrics is None:
        return []
    names = [metrics] if isinstance(metrics, str) else list(metrics) if isinstance(metrics, Iterable) else [metrics]
    names = list(METRICS) if names == ["all"] else names
    for name in names:
        if not isinstance(name, str) or (name not in METRICS and name not in POOLED):
            raise unknown_option("metrics", name, [*METRICS, *POOLED, "all"])
    if not names:
        raise UnknownOptionError(f"metrics={metrics!r} names no metric. Choose from {[*METRICS, *POOLED, 'all']}")
    return list(dict.fromkeys(names))


def _measures(scored: Scored, wanted: Sequence[str]) -> Iterator[Measure]:
    """The measures asked for, or all that the scores and statistics allow."""
    available = [name for name, needed in POOLED.items() if scored.statistics.keys() >= set(needed)]
    for name in wanted or [*scored.scores, *available]:
        if name in METRICS:
            parts = np.stack([scored.scores[name], np.ones(len(scored.scores[name]))])
            yield Measure(name, parts, _mean, _mean_slope)
        elif name not in available:
            raise ColumnNotFoundError(
                f"metrics={name!r} needs the statistics {list(POOLED[name])}; score the frame first with "
                "df.qa.score(pred, gold, stats=True)"
            )
        else:
            parts_of, value, slope = _POOLED_RULES[name]
            columns = np.stack([scored.statistics[column] for column in POOLED[name]])
            ones = np.ones((1, columns.shape[1]))
            parts = np.where(scored.is_scored, np.concatenate([parts_of(columns), ones]), np.nan)
            yield Measure(name, parts, value, slope)


def _mean(sums: Floats) -> Floats:
    total, count = sums[..., 0], sums[..., 1]
    mean: Floats = np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)
    return mean


def _mean_slope(sums: Floats) -> Floats:
    count = np.where(sums[..., 1] > 0, sums[..., 1], np.nan)
    return np.stack([1 / count, -sums[..., 0] / count**2], axis=-1)


def _f1_parts(columns: Floats) -> Floats:
    overlap, pred_len, gold_len = columns
    return np.stack([overlap, pred_len + gold_len])


def _f1_micro(sums: Floats) -> Floats:
    overlap, length, count = np.moveaxis(sums, -1, 0)
    f1 = np.divide(2 * overlap, length, out=np.zeros(length.shape), where=length > 0)
    return np.where(count > 0, f1, np.nan)


def _f1_micro_slope(sums: Floats) -> Floats:
    overlap = sums[..., 0]
    length = np.where(sums[..., 1] > 0, sums[..., 1], np.nan)
    return np.stack([2 / length, -2 * overlap / length**2, np.zeros(length.shape)], axis=-1)


def _bleu_parts(columns: Floats) -> Floats:
    """Matches of four orders, n-grams of four orders, length of the closest gold."""
    pred_len = columns[4]
    return np.stack([*columns[:4], *(np.maximum(pred_len - order, 0) for order in range(4)), columns[5]])


def _corpus_bleu(sums: Floats) -> Floats:
    """As `sacrebleu.corpus_bleu(smooth_method="none")`, in [0, 1]: 0 if any order has no match."""
    matches, n_grams, ref_len, count = sums[..., :4], sums[..., 4:8], sums[..., 8], sums[..., 9]
    has_match = np.asarray(np.all(matches > 0, axis=-1))
    precisions = np.where(has_match[..., None], matches, 1.0) / np.where(has_match[..., None], n_grams, 1.0)
    log_brevity = np.minimum(0.0, 1.0 - ref_len / np.where(has_match, n_grams[..., 0], 1.0))
    bleu = np.where(has_match, np.exp(log_brevity + np.log(precisions).mean(axis=-1)), 0.0)
    return np.where(count > 0, bleu, np.nan)


def _corpus_bleu_slope(sums: Floats) -> Floats:
    """NaN where an order has no match: BLEU leaps there."""
    bleu = _corpus_bleu(sums)
    sums = np.where((bleu > 0)[..., None], sums, np.nan)
    pred_len, ref_len = sums[..., 4], sums[..., 8]
    of_log = np.concatenate([0.25 / sums[..., :4], -0.25 / sums[..., 4:8], np.zeros((*bleu.shape, 2))], axis=-1)
    is_brief = ref_len > pred_len
    of_log[..., 4] += np.where(is_brief, ref_len / pred_len**2, 0.0)
    of_log[..., 8] -= np.where(is_brief, 1 / pred_len, 0.0)
    slope: Floats = bleu[..., None] * of_log
    return slope


_POOLED_RULES = {
    "corpus_bleu": (_bleu_parts, _corpus_bleu, _corpus_bleu_slope),
    "f1_micro": (_f1_parts, _f1_micro, _f1_micro_slope),
}


# ------------------------------------------------------------------------------------------------------------ pairing


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which groups are compared, and where each has its row for each question.

    groups: the labels. first, second: their places, shape (pairs,). row_of: shape (groups, questions), -1 for no row;
    questions stand in the order of their units and keys. unit_starts: each unit's first question, shape (units,).
    """

    groups: pd.Series
    first: Ints
    second: Ints
    row_of: Ints
    unit_starts: Ints


def _pair_up(frame: pd.DataFrame, *, by: By, on: By, baseline: Hashable | None, cluster: By) -> Pairing:
    groups, questions = read_keys(frame, by, "by"), read_keys(frame, on, "on")
    first, second = _pairs(groups, by, baseline)
    _refuse_duplicates(frame, groups, questions, by=by, on=on)
    row_of = np.full((len(groups), len(questions)), -1, np.intp)
    row_of[groups.codes, questions.codes] = np.arange(len(frame))
    if cluster is None:
        return Pairing(groups.labels, first, second, row_of, np.arange(len(questions)))
    unit_of = _units_of_questions(frame, questions, cluster=cluster, on=on)
    order = np.argsort(unit_of, kind="stable")
    return Pairing(groups.labels, first, second, row_of[:, order], np.unique(unit_of[order], return_index=True)[1])


def _pairs(groups: Keys, by: By, baseline: Hashable | None) -> tuple[Ints, Ints]:
    """The places of the groups to compare: each with each that comes after it, or each other with the baseline."""
    labels = groups.labels.tolist()
    if len(labels) < 2:
        raise PairingError(
            f"by={by!r} makes {len(labels)} group{'s' * (not labels)} ({labels}), and a comparison needs two; keep the "
            "rows of at least two in one frame"
        )
    if baseline is None:
        first, second = np.triu_indices(len(labels), k=1)
        return first, second
    if baseline not in labels:
        raise UnknownOptionError(
            f"baseline={baseline!r} is not a group of by={by!r}{suggestion(baseline, labels)} Groups: {labels}"
        )
    place = labels.index(baseline)
    first = np.delete(np.arange(len(labels)), place)
    return first, np.full(len(first), place)


def _blocks(pairing: Pairing, *, n_parts: int) -> Iterator[Pairing]:
    """The pairing, some pairs at a time, so that their sums do not fill the memory."""
    size = max(1, _SUMS // (n_parts * len(pairing.unit_starts)))
    for start in range(0, len(pairing.first), size):
        part = slice(start, start + size)
        yield dataclasses.replace(pairing, first=pairing.first[part], second=pairing.second[part])


def _refuse_duplicates(frame: pd.DataFrame, groups: Keys, questions: Keys, *, by: By, on: By) -> None:
    """Raise PairingError where a group has a question twice."""
    key = groups.codes * max(len(questions), 1) + questions.codes
    _, first_rows, counts = np.unique(key, return_index=True, return_counts=True)
    if (counts <= 1).all():
        return
    shown = first_rows[counts > 1][:_PAIRS_NAMED]
    names = [(groups.labels[groups.codes[row]], questions.labels[questions.codes[row]]) for row in shown]
    n_rows = counts[counts > 1].sum()
    rows = np.flatnonzero(np.isin(key, key[shown]))
    raise PairingError(
        f"{n_rows} rows share their by={by!r} and on={on!r} with another, first {names!r} at "
        f"{name_rows(rows, frame.index)}; let `on` name columns that tell questions apart, as in on=['dataset', "
        "'question'], or keep one row each with df.drop_duplicates"
    )


def _units_of_questions(frame: pd.DataFrame, questions: Keys, *, cluster: By, on: By) -> Ints:
    """The cluster of each question, which must be the same in all groups."""
    clusters = read_keys(frame, cluster, "cluster")
    unit_of = np.zeros(len(questions), np.int64)
    unit_of[questions.codes] = clusters.codes
    differs = np.flatnonzero(unit_of[questions.codes] != clusters.codes)
    if len(differs):
        question = questions.labels[questions.codes[differs[0]]]
        raise PairingError(
            f"cluster={cluster!r} differs between rows of one question, first on={on!r} {question!r} at "
            f"{name_rows(differs, frame.index)}; give a column that is a property of the question, such as its document"
        )
    return unit_of


# ---------------------------------------------------------------------------------------------------------- contrasts


@dataclass(frozen=True, slots=True)
class Contrast:
    """A measure over all pairs of groups, each on the questions that both were scored on.

    first, second: sums of each part a unit, shape (pairs, parts, units); 0 for what is not paired.
    delta: first - second, shape likewise, exactly 0 where they are equal but for rounding.
    sums: the parts' sums of each side, shape (pairs, parts). counts: by name, shape (pairs,).
    """

    measure: Measure
    first: Floats
    second: Floats
    delta: Floats
    sums: tuple[Floats, Floats]
    counts: dict[str, Any]

    @property
    def figures(self) -> tuple[Floats, Floats]:
        """The figure of each side, shape (pairs,), NaN where nothing is paired."""
        first, second = self.sums
        return self.measure.value(first), self.measure.value(second)

    @property
    def found(self) -> Floats:
        """The differences, shape (pairs,)."""
        first, second = self.figures
        return first - second

    @property
    def n_units(self) -> Ints:
        """Units with anything paired, shape (pairs,)."""
        n_units: Ints = (self.first[:, -1] > 0).sum(axis=-1)
        return n_units

    @property
    def tolerance(self) -> Floats:
        """By how much equal differences may seem to differ, shape (pairs,)."""
        first, second = (self.measure.value(np.abs(side).sum(axis=-1)) for side in (self.first, self.second))
        return _ROUNDING * (first + second)


def _contrast(measure: Measure, pairing: Pairing) -> Contrast:
    """The sums and counts of every pair."""
    sums = np.zeros((2, len(pairing.first), len(measure.parts), len(pairing.unit_starts)))
    counts = np.zeros((len(_COUNTS), len(pairing.first)), np.int64)
    is_known = np.asarray(~np.isnan(measure.parts).any(axis=0))
    for pair, groups in enumerate(zip(pairing.first, pairing.second, strict=True)):
        rows = pairing.row_of[list(groups)]  # (2, questions)
        has_row = rows >= 0
        is_paired = np.asarray(np.all(has_row & is_known[rows], axis=0))
        parts = np.where(is_paired, measure.parts[:, rows], 0.0)  # (parts, 2, questions)
        sums[:, pair] = np.moveaxis(np.add.reduceat(parts, pairing.unit_starts, axis=-1), 1, 0)
        counts[:, pair] = _count(has_row, is_paired, _difference(parts[0, 0], parts[0, 1]))
    by_name: dict[str, Any] = dict(zip(_COUNTS, counts, strict=True))
    for name in ("wins", "ties", "losses"):
        by_name[name] = pd.array(by_name[name] if measure.is_mean else [pd.NA] * counts.shape[1], dtype="Int64")
    first, second = sums
    return Contrast(
        measure, first, second, _difference(first, second), (first.sum(axis=-1), second.sum(axis=-1)), by_name
    )


_COUNTS = ("n", "n_only_a", "n_only_b", "n_not_scored", "wins", "ties", "losses")


def _count(has_row: Flags, is_paired: Flags, difference: Floats) -> list[int]:
    """The counts of one pair, over questions."""
    n_a, n_b = np.count_nonzero(has_row, axis=1)
    n, n_both = np.count_nonzero(is_paired), np.count_nonzero(has_row.all(axis=0))
    wins, losses = np.count_nonzero(difference > 0), np.count_nonzero(difference < 0)
    return [n, n_a - n_both, n_b - n_both, n_both - n, wins, n - wins - losses, losses]


def _difference(first: Floats, second: Floats) -> Floats:
    """first - second, exactly 0 where they are equal but for rounding."""
    difference = first - second
    return np.where(np.abs(difference) <= _TIE * np.maximum(np.abs(first), np.abs(second)), 0.0, difference)


# ---------------------------------------------------------------------------------------------------------- intervals


def _t_interval(contrast: Contrast, ci: float) -> tuple[Floats, Floats]:
    """Bounds of the differences, shape (pairs,): the linearised difference's standard error over units, times t.

    For a mean this is the paired t interval, or the cluster-robust one. NaN where fewer than two units are paired.
    """
    slope_first, slope_second = map(contrast.measure.slope, contrast.sums)
    pull = np.einsum("pk,pku->pu", slope_first, contrast.first)
    pull -= np.einsum("pk,pku->pu", slope_second, contrast.second)
    n = np.where(contrast.n_units > 1, contrast.n_units, np.nan)
    error = np.sqrt(n / (n - 1) * (pull**2).sum(axis=-1))
    half = error * t_quantiles(ci, contrast.n_units - 1)
    return contrast.found - half, contrast.found + half


# --------------------------------------------------------------------------------------------------- permutation test


def _swap_p_values(contrast: Contrast, *, n_resamples: int, seed: int) -> Floats:
    """Two-sided p-values of swapping, shape (pairs,): the share of swaps whose difference is as far from 0 as found."""
    p = np.full(len(contrast.found), np.nan)
    differs = np.any(contrast.delta != 0, axis=1)  # (pairs, units)
    sampled = []
    for pair in np.flatnonzero(contrast.counts["n"] > 0).tolist():
        units = np.flatnonzero(differs[pair])
        delta = contrast.delta[pair, 0, units]
        if contrast.measure.is_mean and (not len(units) or np.ptp(np.abs(delta)) == 0):
            p[pair] = _sign_test(int((delta > 0).sum()), len(units))
        elif 2 ** len(units) <= n_resamples:
            p[pair] = _n_extreme(contrast, [pair], [_all_swaps(len(units))], units)[0] / 2 ** len(units)
        else:
            sampled.append(pair)
    if sampled:
        swaps = _random_swaps(contrast.delta.shape[-1], n_resamples, seed, width=contrast.delta[:, :, 0].size)
        p[sampled] = (1 + _n_extreme(contrast, sampled, swaps)) / (1 + n_resamples)
    return p


def _n_extreme(contrast: Contrast, pairs: Sequence[int], swaps: Iterable[Floats], units: Ints | None = None) -> Ints:
    """How many swaps of these units (None: all) give a difference at least as far from 0 as the one found.

    swaps: batches of shape (swaps, units), 1 where the two sides of a unit change places, else 0.
    """
    delta = contrast.delta[pairs] if units is None else contrast.delta[pairs][:, :, units]
    moving = np.flatnonzero(delta.any(axis=(0, 2)))
    columns = delta[:, moving].reshape(len(pairs) * len(moving), delta.shape[-1]).T
    first, second = (sums[pairs] for sums in contrast.sums)
    least = (np.abs(contrast.found) - contrast.tolerance)[pairs]
    n_extreme = np.zeros(len(pairs), np.int64)
    for batch in swaps:
        moved = np.zeros((len(batch), *first.shape))
        moved[..., moving] = (batch @ columns).reshape(len(batch), len(pairs), len(moving))
        difference = contrast.measure.value(first - moved) - contrast.measure.value(second + moved)
        n_extreme += (np.abs(difference) >= least).sum(axis=0)
    return n_extreme


def _all_swaps(n_units: int) -> Floats:
    return (np.arange(2**n_units)[:, None] >> np.arange(n_units) & 1).astype(np.float64)


def _random_swaps(n_units: int, n_resamples: int, seed: int, *, width: int) -> Iterator[Floats]:
    """Batches of swaps, each unit's with probability 1/2. The same seed and units give the same swaps."""
    random = np.random.default_rng(seed)
    for n_rows in _batch_sizes(n_resamples, max(n_units, width)):
        words = random.integers(0, 1 << 64, size=(n_rows, -(-n_units // 64)), dtype=np.uint64)
        yield np.unpackbits(words.view(np.uint8), axis=1, count=n_units).astype(np.float64)


def _batch_sizes(n_resamples: int, width: int) -> Iterator[int]:
    size = max(1, _ELEMENTS // width)
    for start in range(0, n_resamples, size):
        yield min(size, n_resamples - start)


def _sign_test(n_up: int, n_differing: int) -> float:
    """The p-value of all 2**n_differing swaps where all differences have one size: how a fair coin would fall.

    For scores of 0 and 1 this is McNemar's exact test.
    """
    log_factorials = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, n_differing + 1)))))
    fewer = np.arange(min(n_up, n_differing - n_up) + 1)
    log_ways = log_factorials[-1] - log_factorials[fewer] - log_factorials[n_differing - fewer]
    return min(1.0, 2 * float(np.exp(log_ways - n_differing * math.log(2)).sum()))


# ---------------------------------------------------------------------------------------------------------- bootstrap


def _bootstrap(contrast: Contrast, *, ci: float, n_resamples: int, seed: int) -> tuple[Floats, Floats, Floats]:
    """Percentile bounds and two-sided p-values, shape (pairs,); NaN where fewer than two units are paired.

    A p-value is the share of draws whose difference is as far from the one found as that is from 0. A draw without
    any question of a pair tells nothing of it and is left out.
    """
    drawn = np.concatenate(list(_drawn_differences(contrast, n_resamples, seed)))
    found, tolerance = contrast.found, contrast.tolerance
    lo, hi, p = (np.full(len(found), np.nan) for _ in range(3))
    for pair in np.flatnonzero(contrast.n_units > 1):
        differences = drawn[~np.isnan(drawn[:, pair]), pair]
        if len(differences):
            lo[pair], hi[pair] = np.quantile(differences, [(1 - ci) / 2, (1 + ci) / 2])
            is_extreme = np.abs(differences - found[pair]) >= abs(found[pair]) - tolerance[pair]
            p[pair] = (1 + is_extreme.sum()) / (1 + len(differences))
    return lo, hi, p


def _drawn_differences(contrast: Contrast, n_resamples: int, seed: int) -> Iterator[Floats]:
    """Batches of differences, shape (draws, pairs): one draw of units, with replacement, serves all pairs."""
    random = np.random.default_rng(seed)
    n_pairs, n_parts, n_units = contrast.first.shape
    for n_rows in _batch_sizes(n_resamples, max(n_units, n_pairs * n_parts)):
        units = random.integers(0, n_units, size=(n_rows, n_units)) + n_units * np.arange(n_rows)[:, None]
        weights = np.bincount(units.ravel(), minlength=n_rows * n_units).reshape(n_rows, n_units).astype(np.float64)
        one, other = (
            contrast.measure.value((weights @ side.reshape(-1, n_units).T).reshape(n_rows, n_pairs, n_parts))
            for side in (contrast.first, contrast.second)
        )
        yield one - other
