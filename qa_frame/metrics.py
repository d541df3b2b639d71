"""Counts → scores: the ratios, and what empty sides give. float64, shape (pairs,), in [0, 1] throughout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from qa_frame.kernels.counts import Counts, Wanted

Scores = NDArray[np.float64]
IntCounts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric: which part of a convention rules it, which counts it needs, and the score they give.

    family: `overlap`, `contains`, `rouge_l`, `bleu` or `bleu_n`.
    """

    family: str
    wanted: Wanted
    score_per_pair: Callable[[Counts], Scores]


def ratio(part: IntCounts, whole: IntCounts) -> Scores:
    """part / whole; 0 where the whole is 0."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)


def f1_from_counts(common: IntCounts, n_pred: IntCounts, n_gold: IntCounts) -> Scores:
    """The harmonic mean of common / n_pred and common / n_gold.

    Two empty sides give 0, as in the SQuAD v1.1 script and in `rouge_score`; v2.0 of the script gives 1.
    """
    precision, recall = ratio(common, n_pred), ratio(common, n_gold)
    return np.divide(2 * precision * recall, precision + recall, out=np.zeros(len(common)), where=common > 0)


def smoothed_bleu(counts: Counts) -> Scores:
    """Sentence BLEU-4 with effective order and exponential smoothing: `sacrebleu` 2, `sentence_bleu`, over 100.

    Orders beyond the prediction's length are left out; each order without a match counts as 1/2, 1/4, ... of one
    match. No match at all gives 0. (A perfect match is exactly 1 here; the peer's rounding gives 1.0000000000000004.)
    """
    scored = np.flatnonzero(counts.clipped[0] > 0)
    n_pred, n_gold = counts.n_pred[scored], counts.n_gold[scored]
    log_precisions = np.zeros(len(scored))
    n_unmatched = np.zeros(len(scored))
    for order, clipped in enumerate(counts.clipped[:, scored]):
        n_grams = n_pred - order
        exists = n_grams > 0
        unmatched = exists & (clipped == 0)
        n_unmatched += unmatched
        matches = np.where(unmatched, 0.5**n_unmatched, clipped)
        log_precisions += np.log(np.where(exists, matches / np.maximum(n_grams, 1), 1.0))
    effective_order = np.minimum(n_pred, len(counts.clipped))
    scores = np.zeros(len(counts.n_pred))
    scores[scored] = _brevity_penalty(n_pred, n_gold) * np.exp(log_precisions / effective_order)
    return scores


def unsmoothed_bleu(counts: Counts, *, max_order: int) -> Scores:
    """BLEU as first defined, of one sentence: HF `evaluate` `bleu` without smoothing, `max_order` given.

    Any order without a match gives 0, and so does a side without tokens, where the peer divides by zero.
    """
    scored = np.flatnonzero(counts.clipped[max_order - 1] > 0)  # then the lower orders match as well
    n_pred, n_gold = counts.n_pred[scored], counts.n_gold[scored]
    log_precisions = np.zeros(len(scored))
    for order in range(max_order):
        log_precisions += np.log(counts.clipped[order, scored] / (n_pred - order))
    scores = np.zeros(len(counts.n_pred))
    scores[scored] = _brevity_penalty(n_pred, n_gold) * np.exp(log_precisions / max_order)
    return scores


def _brevity_penalty(n_pred: IntCounts, n_gold: IntCounts) -> Scores:
    """exp(1 - n_gold / n_pred) where the prediction is the shorter, else 1. Predictions have tokens here."""
    return np.exp(np.minimum(0.0, 1.0 - n_gold / n_pred))


METRICS = {
    "em": Metric("overlap", Wanted(equal=True), lambda counts: counts.equal.astype(np.float64)),
    "precision": Metric("overlap", Wanted(orders=1), lambda counts: ratio(counts.clipped[0], counts.n_pred)),
    "recall": Metric("overlap", Wanted(orders=1), lambda counts: ratio(counts.clipped[0], counts.n_gold)),
    "f1": Metric(
        "overlap", Wanted(orders=1), lambda counts: f1_from_counts(counts.clipped[0], counts.n_pred, counts.n_gold)
    ),
    "contains": Metric("contains", Wanted(orders=1, run=True), lambda counts: counts.run.astype(np.float64)),
    "rouge_l": Metric(
        "rouge_l", Wanted(lcs=True), lambda counts: f1_from_counts(counts.lcs, counts.n_pred, counts.n_gold)
    ),
    "rouge_l_precision": Metric("rouge_l", Wanted(lcs=True), lambda counts: ratio(counts.lcs, counts.n_pred)),
    "rouge_l_recall": Metric("rouge_l", Wanted(lcs=True), lambda counts: ratio(counts.lcs, counts.n_gold)),
    "bleu": Metric("bleu", Wanted(orders=4), smoothed_bleu),
    **{
        f"bleu{order}": Metric("bleu_n", Wanted(orders=order), partial(unsmoothed_bleu, max_order=order))
        for order in (1, 2, 3, 4)
    },
}
"""Every metric by name, in the order in which `"all"` gives them."""

DEFAULT_METRICS = ("em", "f1", "recall", "contains", "rouge_l", "bleu")

FAMILIES = tuple(dict.fromkeys(metric.family for metric in METRICS.values()))
"""The parts of a convention that rule metrics."""
