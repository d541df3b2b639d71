"""BLEU of a prediction and a gold, and the statistics of corpus BLEU."""

from __future__ import annotations

import itertools
import math
import sys
from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.kernels.pair_counts import CLIPPED, PairCounts
from qa_frame.kernels.several_golds import REFERENCE_LENGTHS, clipped_over_golds
from qa_frame.rules.parts import Bleu
from qa_frame.scoring.metrics.definition import CountedPairs, Metric, RowStatistics
from qa_frame.text.vocabulary import simplify_split, tokenise

_LEAST = math.log(sys.float_info.min)
_LOG_OF_0 = {"least": _LEAST, "method4": 0.0}
"""The logarithm of a precision of 0, by smoothing. NLTK leaves it out for "method4"."""
_TINY, _LITTLE = 1e-15, 1e-9  # of the COCO caption code
_BY_LENGTH = 5  # of NLTK, for the techniques of Chen and Cherry (2014)

SEES_NEXT_ORDER = ("method5", "method7")
"""The smoothings that read the matches of one order more than the score has."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BleuParts:
    """The parts of BLEU, for the pairs whose score can be above 0.

    Attributes
    ----------
    places
        The places of these pairs among all: int64, shape (scored,).
    log_precisions
        The logarithm of each order's smoothed precision, shape (orders, scored); 0 for an order that is left out.
    effective_order
        The number of orders by which the sum of these logarithms is divided, shape (scored,).
    brevity_penalty
        The factor of the geometric mean, shape (scored,).
    weights
        The factor of each order's logarithm in a weighted sum, which then replaces the mean; None for the mean.
    """

    places: Ints
    log_precisions: Floats
    effective_order: Ints
    brevity_penalty: Floats
    weights: tuple[float, ...] | None = None

    @property
    def log_means(self) -> Floats:
        """The mean of the logarithms of all orders, or their weighted sum, shape (scored,)."""
        none = np.zeros(len(self.places))
        if self.weights is None:
            return sum(self.log_precisions, start=none) / self.effective_order
        weighted = zip(self.weights, self.log_precisions, strict=True)
        return sum((weight * logs for weight, logs in weighted if weight), start=none)


def bleu_parts(counts: PairCounts, rule: Bleu, *, max_order: int) -> BleuParts:
    """Return the parts of the BLEU of n-grams up to `max_order`."""
    weights = (*[0.0] * (max_order - 1), 1.0) if isinstance(rule.weights, str) else rule.weights
    highest = max_order if weights is None else max(order for order, weight in enumerate(weights, 1) if weight)
    (scored,) = _can_score(counts, rule, highest).nonzero()
    n_pred, n_gold = counts.n_pred[scored], counts.n_gold[scored]
    n_read = max_order + (rule.smoothing in SEES_NEXT_ORDER)
    log_precisions = _log_precisions(counts["clipped"][:n_read, scored], n_pred, rule, max_order)
    has_all_orders = not rule.effective_order or (rule.smoothing == "add_k" and rule.smoothing_value > 0)
    effective_order = np.full(len(scored), max_order) if has_all_orders else np.minimum(n_pred, max_order)
    added = _LITTLE if rule.smoothing == "tiny" else 0.0
    brevity_penalty = _brevity_penalty(n_pred, n_gold, added) if rule.brevity else np.ones(len(scored))
    return BleuParts(scored, log_precisions, effective_order, brevity_penalty, weights)


def _can_score(counts: PairCounts, rule: Bleu, highest: int) -> Flags:
    """Return whether the BLEU of each pair can be above 0, shape (pairs,).

    highest: the highest order of n-grams that counts.
    """
    if rule.smoothing == "add_k" and rule.smoothing_value > 0 and rule.smooth_from == 1:
        return (counts.n_pred > 0) & (counts.n_gold > 0)
    if rule.smoothing == "tiny":
        return counts.n_pred > 0
    must_match = 1 if rule.smoothing != "none" or rule.effective_order else highest
    matches: Flags = counts["clipped"][must_match - 1] > 0  # then all lower orders match, too
    return matches & (counts.n_gold > 0) if rule.reference_length == "shortest" else matches


def sentence_bleu(counts: PairCounts, rule: Bleu, *, max_order: int) -> Floats:
    """Return the BLEU of n-grams up to `max_order` of each pair, shape (pairs,); 0 where it cannot be more.

    With 13a tokens, exponential smoothing and effective order, this is the `sentence_bleu` of `sacrebleu` 2 over 100.
    Without both, it is the `bleu` of HF `evaluate`, but 0 where that divides by zero. With the smoothing "least", it is
    NLTK's. A perfect match gives exactly 1, where rounding in those packages may give a little more.
    """
    parts = bleu_parts(counts, rule, max_order=max_order)
    scores = np.zeros(len(counts.n_pred))
    scores[parts.places] = np.exp(parts.log_means) * parts.brevity_penalty
    return scores


def _log_precisions(clipped: Ints, n_pred: Ints, rule: Bleu, max_order: int) -> Floats:
    """Return the logarithm of each order's precision, smoothed by the rule; 0 for an order that is left out.

    Parameters
    ----------
    clipped
        The matches of each order, shape (orders, scored), as the result. For a smoothing of `SEES_NEXT_ORDER`,
        there is one order more than in the result.
    n_pred
        The length of each prediction, which may have no n-grams of an order.
    """
    order = np.arange(1, len(clipped) + 1)[:, np.newaxis]
    n_grams = np.maximum(n_pred - (order - 1), int(rule.pad_orders))
    matches, total = clipped.astype(np.float64), n_grams.astype(np.float64)
    is_unmatched = (clipped == 0) & (order <= max_order)
    if rule.smoothing in ("exp", "method4", "method7"):
        are_unmatched = (is_unmatched & (n_grams > 0)).view(np.uint8)
        n_unmatched = np.array([*itertools.accumulate(are_unmatched, np.add)])  # this order included
        halved = (0.5 ** np.arange(len(clipped) + 1)).take(n_unmatched)
        factor = 1.0 if rule.smoothing == "exp" else np.log(n_pred) / _BY_LENGTH
        matches = np.where(is_unmatched, halved * factor, matches)
    elif rule.smoothing == "floor":
        matches = np.where(is_unmatched, rule.smoothing_value, matches)
    elif rule.smoothing == "add_k":
        added = np.where(order >= rule.smooth_from, rule.smoothing_value, 0.0)
        matches, total = matches + added, total + added
    elif rule.smoothing == "tiny":
        matches, total = matches + _TINY, total + _LITTLE
    precisions = np.divide(matches, total, out=np.zeros(total.shape), where=total > 0)  # too small a value becomes 0
    if rule.smoothing in SEES_NEXT_ORDER:
        precisions = _mean_of_neighbours(precisions)
    log_precisions = np.full(precisions.shape, _LOG_OF_0.get(rule.smoothing, -np.inf))
    np.log(precisions, out=log_precisions, where=precisions > 0)
    if rule.effective_order:
        log_precisions[total[: len(log_precisions)] <= 0] = 0.0
    return log_precisions


def _mean_of_neighbours(precisions: Floats) -> Floats:
    """Return each order's mean of three precisions: its own, the next order's, and the mean of the order before.

    For the first order, its own precision plus 1 stands for the mean of the order before. The result has one order
    less.
    """
    before, means = precisions[0] + 1, []
    for own, following in itertools.pairwise(precisions):
        before = (before + own + following) / 3
        means.append(before)
    return np.array(means)


def _brevity_penalty(n_pred: Ints, n_gold: Ints, added: float) -> Floats:
    """Return exp(1 - n_gold / n_pred) where the prediction is shorter than the gold, else 1; shape (pairs,).

    No prediction may be empty. added: what the gold's length is increased by.
    """
    return np.exp(np.minimum(0.0, 1.0 - (n_gold + added) / n_pred))


def _make_bleu(what: str, source: str, family: str, max_order: int) -> Metric:
    """Return a metric of BLEU: n-grams up to `max_order`, or as many orders as the rule has weights for.

    what, source, family: as in `Metric`.
    """

    def orders(rule: Bleu) -> int:
        return len(rule.weights) if isinstance(rule.weights, tuple) else max_order

    return Metric(
        what,
        source,
        family,
        lambda rule: {CLIPPED: orders(rule) + (rule.smoothing in SEES_NEXT_ORDER)},
        lambda counts, rule: sentence_bleu(counts, rule, max_order=orders(rule)),
        applies=lambda rule: family == "bleu" or orders(rule) == max_order,
        counting="multiset",
    )


def _make_bleu_n(max_order: int) -> Metric:
    """Return the metric of unsmoothed BLEU of n-grams up to `max_order`."""
    what = f"unsmoothed BLEU of n-grams up to {max_order}: 13a tokens, case kept"
    return _make_bleu(what, "HF evaluate bleu", "bleu_n", max_order)


METRICS = {
    "bleu": _make_bleu(
        "sentence BLEU-4: 13a tokens, effective order, exponential smoothing",
        "sacrebleu 2 sentence_bleu / 100",
        "bleu",
        4,
    ),
    **{f"bleu{order}": _make_bleu_n(order) for order in (1, 2, 3, 4)},
}
OTHER_NAMES = {"bleu": "sacrebleu sentencebleu"}


def _statistics_per_row(pairs: CountedPairs, rule: Bleu) -> tuple[Ints, ...]:
    """Return the values of `BLEU_STATISTICS` of each row: matches, the prediction's length and the reference length.

    They are those with all golds of a row together, or with the chosen gold alone where there are `winners`.
    """
    batch, clipped = pairs.batch, None
    if pairs.winners is not None:
        batch = batch.with_pairs(np.isin(np.arange(len(batch.pairs)), pairs.winners))
    elif pairs.counts is not None and rule.references != "together":
        clipped = pairs.counts["clipped"]
    tokens = tokenise(pairs.words, simplify_split(rule.text, pairs.words)).tokens
    per_pair = None if clipped is None or len(clipped) < 4 else clipped
    matches = clipped_over_golds(tokens, batch.pairs, batch.pair_offsets, orders=4, per_pair=per_pair)
    n_pred = pairs.fill_rows(tokens.n_per_text[batch.pairs.pred[batch.first_pairs]])
    return *matches, n_pred, REFERENCE_LENGTHS[rule.reference_length](tokens, batch.pairs, batch.pair_offsets)


BLEU_STATISTICS = ("bleu_match1", "bleu_match2", "bleu_match3", "bleu_match4", "bleu_pred_len", "bleu_ref_len")
STATISTICS = [RowStatistics(BLEU_STATISTICS, ("bleu", "bleu_n"), _statistics_per_row)]
