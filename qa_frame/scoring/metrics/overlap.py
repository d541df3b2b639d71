"""Precision, recall and F1 of the units that both sides have in common: by default tokens, as in SQuAD."""

from __future__ import annotations

import sys
from functools import partial

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.kernels.pair_counts import DISTINCT, N_DISTINCT, RUN, PairCounts
from qa_frame.rules.parts import Overlap, RougeL
from qa_frame.scoring.metrics.definition import (
    COUNTINGS,
    CountedPairs,
    Counting,
    Metric,
    Ratio,
    RowStatistics,
    common_counts,
    ngrams,
)

COUNTINGS |= {
    "multiset": ngrams(1, "token"),
    "set": Counting({DISTINCT: 1}, "common, each distinct one once", marks="set"),
    "distinct": Counting(
        {DISTINCT: 1, N_DISTINCT: 1},
        "common, each distinct one once",
        marks="distinct",
        read=lambda counts: (counts["distinct"], *counts["n_distinct"]),
    ),
    "run": Counting({RUN: 1}, "in the longest common run", marks="run"),
}


def ratio(part: Ints, total: Ints) -> Floats:
    """Return part / total; 0 where the total is 0."""
    return part / np.maximum(total, 1)  # no part is larger than its total


def f_measure(precision: Floats, recall: Floats, *, beta: float = 1.0, epsilon: float = 0.0) -> Floats:
    """Return the weighted harmonic mean of precision and recall, with epsilon added to its denominator.

    Two empty sides give 0, as in the SQuAD v1.1 script and in `rouge_score`; v2.0 of the script gives 1.
    """
    factor = beta**2
    # Where both are 0, 0 is divided by the smallest number.
    denominator = np.maximum(factor * precision + recall + epsilon, sys.float_info.min)
    return (1 + factor) * precision * recall / denominator


def f_measure_of(precision: Floats, recall: Floats, rule: Overlap | RougeL) -> Floats:
    """Return the F-measure, with the rule's beta and epsilon for ROUGE-L, and plain F1 for the family "overlap"."""
    beta, epsilon = (rule.beta, rule.epsilon) if isinstance(rule, RougeL) else (1.0, 0.0)
    return f_measure(precision, recall, beta=beta, epsilon=epsilon)


def round_scores(scores: Floats, rule: object) -> Floats:
    """Return the scores, rounded to the digits of a rule of the family "overlap" that has any.

    The rule also says whether numpy or Python rounds.
    """
    if not isinstance(rule, Overlap) or rule.digits is None:
        return scores
    if rule.rounding == "numpy":
        return np.round(scores, rule.digits)
    distinct, places = np.unique(scores, return_inverse=True)  # there are few
    return np.array([round(score, rule.digits) for score in distinct.tolist()])[places]


def _score(counts: PairCounts, rule: Overlap | RougeL, *, which: Ratio, counting: str | None) -> Floats:
    """Return the precision, the recall or the F-measure of each pair, shape (pairs,).

    which: the ratio. counting: the way to count common units, if not as the rule says.
    """
    common, n_pred, n_gold = common_counts(counts, counting or rule.counting)
    if which == "precision":
        return ratio(common, n_pred)
    recall = ratio(common, n_gold)
    return recall if which == "recall" else f_measure_of(ratio(common, n_pred), recall, rule)


def share(what: str, which: Ratio, source: str, family: str = "overlap", counting: str | None = None) -> Metric:
    """Return a metric that is a ratio of the units that both sides have in common.

    what, source, family: as in `Metric`. which: the ratio. counting: how the units are counted, if not as the rule
    says. The metric is then a ratio of `rouge_score`, which goes with a rule that counts subsequences.
    """
    return Metric(
        what,
        source,
        family,
        lambda rule: COUNTINGS[counting or rule.counting].wanted,
        partial(_score, which=which, counting=counting),
        applies=lambda rule: counting is None or rule.counting == "subsequence",
        counting=counting,
        ratio=which,
        ignores_length=which == "recall",
    )


_SQUAD = "SQuAD v1.1 evaluation script"
METRICS = {
    "precision": share("the share of the prediction's tokens that the gold has too", "precision", _SQUAD),
    "recall": share("the share of the gold's tokens that the prediction has too", "recall", _SQUAD),
    "f1": share("token F1: the harmonic mean of precision and recall", "f", _SQUAD),
}
OTHER_NAMES = {"f1": "f f2 fmeasure fscore f1score tokenf1 wordf1 qaf1score"}


def _statistics_per_row(pairs: CountedPairs, rule: Overlap) -> list[Ints]:
    """Return, for the chosen gold of each row, the common units, the prediction's units and the gold's."""
    return pairs.per_row(common_counts(pairs.counts, rule.counting))


OVERLAP_STATISTICS = ("overlap", "pred_len", "gold_len")
STATISTICS = [RowStatistics(OVERLAP_STATISTICS, ("overlap",), _statistics_per_row, best_by="f1")]
