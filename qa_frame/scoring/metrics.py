"""Counts → scores: the ratios, and what empty sides give. float64, shape (pairs,), in [0, 1] throughout.

Which counts, and which ratios of them, a convention's rule says.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.kernels.pair_counts import PairCounts, Wanted
from qa_frame.rules.parts import Bleu, Contains, Empty, Overlap, RougeL


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Metric:
    """A metric: which rule of a convention it follows, which counts that needs, and the score they give.

    family: the convention's field that holds the rule. Both functions take the rule last.
    """

    family: str
    wanted: Callable[[Any], Wanted]
    score_per_pair: Callable[[PairCounts, Any], Floats]


# --- what both sides have in common

_WANTED = {
    "multiset": Wanted(orders=1),
    "set": Wanted(distinct=True),
    "run": Wanted(longest_common_substring=True),
    "subsequence": Wanted(lcs=True),
    "union": Wanted(union=True),
}


def common_counts(counts: PairCounts, rule: Overlap | RougeL) -> tuple[Ints, Ints, Ints]:
    """What both sides have in common, and the lengths of the prediction and the gold, as the rule counts them."""
    if rule.counting == "union" and counts.union is not None:
        return counts.union.common, counts.union.n_pred, counts.union.n_gold
    if rule.counting == "multiset":
        common = counts.clipped[0]
    elif rule.counting == "set":
        common = counts.distinct
    elif rule.counting == "run":
        common = counts.longest_common_substring
    else:
        common = counts.lcs
    return common, counts.n_pred, counts.n_gold


def _wanted(rule: Overlap | RougeL) -> Wanted:
    return _WANTED[rule.counting]


def _wanted_to_contain(rule: Contains) -> Wanted:
    return Wanted(orders=0 if rule.text.split == "none" else 1, contains_gold=True)


# --- precision, recall and F1


def ratio(part: Ints, whole: Ints) -> Floats:
    """part / whole; 0 where the whole is 0."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)


def f1_from_counts(common: Ints, n_pred: Ints, n_gold: Ints, *, epsilon: float = 0.0) -> Floats:
    """The harmonic mean of common / n_pred and common / n_gold, with epsilon added to its denominator.

    Two empty sides give 0, as in the SQuAD v1.1 script and in `rouge_score`; v2.0 of the script gives 1.
    """
    precision, recall = ratio(common, n_pred), ratio(common, n_gold)
    total = precision + recall + epsilon if epsilon else precision + recall
    return np.divide(2 * precision * recall, total, out=np.zeros(len(common)), where=common > 0)


def _precision(counts: PairCounts, rule: Overlap | RougeL) -> Floats:
    common, n_pred, _ = common_counts(counts, rule)
    return ratio(common, n_pred)


def _recall(counts: PairCounts, rule: Overlap | RougeL) -> Floats:
    common, _, n_gold = common_counts(counts, rule)
    return ratio(common, n_gold)


def _f1(counts: PairCounts, rule: Overlap | RougeL) -> Floats:
    return f1_from_counts(*common_counts(counts, rule), epsilon=getattr(rule, "epsilon", 0.0))


# --- BLEU

_LEAST = math.log(sys.float_info.min)


def sentence_bleu(counts: PairCounts, rule: Bleu, *, max_order: int) -> Floats:
    """BLEU of one sentence up to `max_order`; no match at all gives 0.

    With 13a tokens, effective order and exponential smoothing it is `sacrebleu` 2's `sentence_bleu`, over 100; without
    smoothing and effective order it is HF `evaluate`'s `bleu`, but 0 where that divides by zero; with the least
    float as smoothing it is NLTK's. (A perfect match is exactly 1 here; the peers' rounding may give a little more.)
    """
    must_match = 1 if rule.smoothing != "none" or rule.effective_order else max_order
    scored = np.flatnonzero(counts.clipped[must_match - 1] > 0)  # then the lower orders match as well
    n_pred, n_gold = counts.n_pred[scored], counts.n_gold[scored]
    log_precisions = np.zeros(len(scored))
    n_unmatched = np.zeros(len(scored))
    for order, clipped in enumerate(counts.clipped[:max_order, scored]):
        n_grams = n_pred - order
        n_unmatched += (n_grams > 0) & (clipped == 0)
        log_precisions += _log_precisions(clipped, n_grams, n_unmatched, rule, order)
    has_all_orders = not rule.effective_order or (rule.smoothing == "add_k" and rule.smoothing_value > 0)
    effective_order = max_order if has_all_orders else np.minimum(n_pred, max_order)
    scores = np.zeros(len(counts.n_pred))
    scores[scored] = np.exp(log_precisions / effective_order)
    if rule.brevity:
        scores[scored] *= _brevity_penalty(n_pred, n_gold)
    return scores


def _log_precisions(clipped: Ints, n_grams: Ints, n_unmatched: Floats, rule: Bleu, order: int) -> Floats:
    """Logarithm of an order's precision as the rule smooths it; 0 for an order that is left out."""
    matches, of = clipped.astype(np.float64), np.maximum(n_grams, 0).astype(np.float64)
    is_unmatched = clipped == 0
    if rule.smoothing == "exp":
        matches = np.where(is_unmatched, 0.5**n_unmatched, matches)
    elif rule.smoothing == "floor":
        matches = np.where(is_unmatched, rule.smoothing_value, matches)
    elif rule.smoothing == "add_k" and order:
        matches, of = matches + rule.smoothing_value, of + rule.smoothing_value
    log_precisions = np.full(len(clipped), _LEAST if rule.smoothing == "least" else -np.inf)
    exists = (of > 0) & (matches > 0)
    np.log(np.divide(matches, of, out=np.ones(len(of)), where=exists), out=log_precisions, where=exists)
    if rule.effective_order:
        log_precisions[of <= 0] = 0.0
    return log_precisions


def _brevity_penalty(n_pred: Ints, n_gold: Ints) -> Floats:
    """exp(1 - n_gold / n_pred) where the prediction is the shorter, else 1. Predictions have tokens here."""
    return np.exp(np.minimum(0.0, 1.0 - n_gold / n_pred))


# --- empty sides


def fill_empty(scores: Floats, empty: Empty, pred_is_empty: Flags, gold_is_empty: Flags) -> Floats:
    """The scores with what the rule gives for empty sides in their place, where it says anything."""
    sides = (
        (empty.pred, pred_is_empty),
        (empty.gold, gold_is_empty),
        (empty.both, pred_is_empty & gold_is_empty),
    )
    for value, where in sides:  # what comes later counts more
        if value is not None:
            scores = np.where(where, value, scores)
    return scores


METRICS = {
    "em": Metric("exact", lambda _: Wanted(equal=True), lambda counts, _: counts.equal.astype(np.float64)),
    "precision": Metric("overlap", _wanted, _precision),
    "recall": Metric("overlap", _wanted, _recall),
    "f1": Metric("overlap", _wanted, _f1),
    "contains": Metric("contains", _wanted_to_contain, lambda counts, _: counts.contains_gold.astype(np.float64)),
    "rouge_l": Metric("rouge_l", _wanted, _f1),
    "rouge_l_precision": Metric("rouge_l", _wanted, _precision),
    "rouge_l_recall": Metric("rouge_l", _wanted, _recall),
    "bleu": Metric("bleu", lambda _: Wanted(orders=4), partial(sentence_bleu, max_order=4)),
    **{
        f"bleu{order}": Metric(
            "bleu_n",
            partial(lambda _, order: Wanted(orders=order), order=order),
            partial(sentence_bleu, max_order=order),
        )
        for order in (1, 2, 3, 4)
    },
}
"""Every metric by name, in the order in which `"all"` gives them."""

DEFAULT_METRICS = ("em", "f1", "recall", "contains", "rouge_l", "bleu")

OVERLAP_STATISTICS = ("overlap", "pred_len", "gold_len")
BLEU_STATISTICS = ("bleu_match1", "bleu_match2", "bleu_match3", "bleu_match4", "bleu_pred_len", "bleu_ref_len")
STATISTICS = (*OVERLAP_STATISTICS, *BLEU_STATISTICS)
"""The sufficient statistics: integers which, added up over rows, give micro F1 and corpus BLEU."""
