"""chrF and chrF++ of a prediction and a gold, and the statistics of those of a corpus."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.kernels.pair_counts import CLIPPED, PairCounts, count_matches
from qa_frame.kernels.tokens import Pairs
from qa_frame.rules.parts import Chrf, words_of_chrf
from qa_frame.scoring.metrics.definition import CountedPairs, Metric, RowStatistics, TextKernel
from qa_frame.text.specification import Text
from qa_frame.text.vocabulary import tokenise
from qa_frame.text.words import Words


def _count_words(words: Words, pairs: Pairs, text: Text, _: PairCounts, orders: float) -> PairCounts:
    """Return the matches of n-grams of words, of texts whose tokens are characters. orders: the highest order."""
    return count_matches(tokenise(words, words_of_chrf(text)).tokens, pairs, {CLIPPED: orders})


WORDS = TextKernel("words", _count_words)
"""The n-grams of words of texts whose tokens are characters: `PairCounts` with "clipped"."""

_EPSILON_OF_CHRF = 1e-16


def chrf(counts: PairCounts, rule: Chrf) -> Floats:
    """Return the chrF of each prediction and gold, shape (pairs,).

    It is 0 where nothing matches, except with `eps_smoothing`, which then leaves about 1e-16.
    """
    if rule.eps_smoothing:
        means: Floats = np.mean(chrf_per_order(counts, rule), axis=0)
        return means
    precision, recall, _ = chrf_parts(counts, rule)
    factor = rule.beta**2
    weighted: Floats = (1 + factor) * precision * recall
    return np.divide(weighted, factor * precision + recall, out=weighted, where=precision + recall > 0)


def chrf_parts(counts: PairCounts, rule: Chrf) -> tuple[Floats, Floats, Floats]:
    """Return the precision and the recall of chrF, and how many orders have n-grams on both sides; shape (pairs,) each.

    Precision and recall are means over these orders, and 0 if there are none.
    """
    precision, recall, n_orders = np.zeros((3, len(counts.n_pred)))
    for clipped, n_pred, n_gold in _ngrams_of_chrf(counts, rule):
        has_both = (n_pred > 0) & (n_gold > 0)
        precision += np.divide(clipped, n_pred, out=np.zeros(len(clipped)), where=has_both)
        recall += np.divide(clipped, n_gold, out=np.zeros(len(clipped)), where=has_both)
        n_orders += has_both
    precision, recall = (np.divide(total, n_orders, out=total, where=n_orders > 0) for total in (precision, recall))
    return precision, recall, n_orders


def chrf_per_order(counts: PairCounts, rule: Chrf) -> list[Floats]:
    """Return the F-measure of each order with `eps_smoothing`, shape (pairs,) each.

    The epsilon of `sacrebleu` stands in for ratios without n-grams.
    """
    factor, f_scores = rule.beta**2, []
    for clipped, n_pred, n_gold in _ngrams_of_chrf(counts, rule):
        has_gold = n_gold > 0
        precision, recall = np.full((2, len(clipped)), _EPSILON_OF_CHRF)
        np.divide(clipped, n_pred, out=precision, where=has_gold & (n_pred > 0))
        np.divide(clipped, n_gold, out=recall, where=has_gold)
        weighted, denominator = (1 + factor) * precision * recall, factor * precision + recall
        f_scores.append(
            np.divide(weighted, denominator, out=np.full(len(clipped), _EPSILON_OF_CHRF), where=denominator > 0)
        )
    return f_scores


def _counts_by_unit(counts: PairCounts, rule: Chrf) -> list[tuple[PairCounts, int]]:
    """Return the counts of n-grams of characters, then of words if the rule has them, each with its highest order."""
    of_words = [(counts["words"], rule.word_order)] if rule.word_order else []
    return [(counts, rule.char_order), *of_words]


def _ngrams_of_chrf(counts: PairCounts, rule: Chrf) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Yield, for each order of characters, then of words: how many n-grams match, and how many each side has.

    Shape (pairs,) each. 0 or less means that a side has none.
    """
    for of_kind, orders in _counts_by_unit(counts, rule):
        for order in range(orders):
            yield of_kind["clipped"][order], of_kind.n_pred - order, of_kind.n_gold - order


def _make_chrf(what: str, scorer: str, family: str) -> Metric:
    """Return a metric of chrF. scorer: the call of `sacrebleu` that gives the same. what, family: as in `Metric`."""
    return Metric(
        what,
        f"sacrebleu 2 {scorer} / 100",
        family,
        lambda rule: {CLIPPED: rule.char_order, **({WORDS: rule.word_order} if rule.word_order else {})},
        chrf,
        counting="multiset",
    )


METRICS = {
    "chrf": _make_chrf("chrF2: F of n-grams of characters up to 6, recall twice as important", "CHRF()", "chrf"),
    "chrf++": _make_chrf("chrF2++: the same with n-grams of words up to 2", "CHRF(word_order=2)", "chrf_pp"),
}
OTHER_NAMES = {"chrf": "chrf2 characterf", "chrf++": "chrfpp chrfplusplus"}

_ENDS = (*(f"_match{order}" for order in range(1, 7)), "_pred_len", "_gold_len")
_ENDS_OF_WORDS = ("_word_match1", "_word_match2", "_pred_words", "_gold_words")
CHRF_STATISTICS = {
    "chrf": tuple(f"chrf{end}" for end in _ENDS),
    "chrf++": tuple(f"chrf++{end}" for end in (*_ENDS, *_ENDS_OF_WORDS)),
}
"""Those of corpus chrF by metric: n-grams of characters in common, the characters of both sides, and words alike."""


def _statistics_per_row(pairs: CountedPairs, rule: Chrf) -> list[Ints]:
    """Return what each row adds to the sums of corpus chrF, in the order of its statistics."""
    kinds = _counts_by_unit(pairs.counts, rule)
    return pairs.per_row(
        each for counts, orders in kinds for each in (*counts["clipped"][:orders], counts.n_pred, counts.n_gold)
    )


def _statistics_of(metric: str, word_order: int) -> RowStatistics:
    """Return the statistics of corpus chrF or chrF++, which apply to rules with the settings of that figure."""

    def applies(rule: Chrf) -> bool:
        return (rule.char_order, rule.word_order, rule.beta, rule.eps_smoothing) == (6, word_order, 2.0, False)

    names, families = CHRF_STATISTICS[metric], (METRICS[metric].family,)
    return RowStatistics(names, families, _statistics_per_row, applies, best_by=metric, with_metric=True)


STATISTICS = [_statistics_of("chrf", 0), _statistics_of("chrf++", 2)]
