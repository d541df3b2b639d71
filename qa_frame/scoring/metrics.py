"""Counts of (prediction, gold) pairs → scores: the ratios of each metric, and the scores of empty sides.

A convention's rule says which counts and which ratios. All scores are float64 of shape (pairs,), from 0 to 1.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.kernels.pair_counts import CLIPPED, CONTAINS_GOLD, EDITS, EQUAL, PairCounts
from qa_frame.rules.parts import Bleu, Chrf, Contains, Convention, EditDistance, Empty, Overlap, RougeL
from qa_frame.scoring.countings import (
    COUNTINGS,
    HAS_EITHER,
    HAS_PREFIX,
    HAS_SUBSTRING,
    HAS_SUFFIX,
    WORDS,
    Wanted,
    common_counts,
)

THRESHOLD = 0.5
"""The score from which an answer is right, where no other one is given."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Metric:
    """A metric.

    Attributes
    ----------
    what, source
        Its definition in one line, and the source that the default convention follows: for `qa_frame.metrics`.
    family
        The field of a convention that holds the metric's rule.
    wanted
        Gives the counts that the metric needs under a rule.
    score_per_pair
        Gives the scores from these counts and the rule, float64 of shape (pairs,).
    applies
        Whether a rule of the family defines the metric, too. By default every one does.
    counting
        How it counts common units: a name in `COUNTINGS`, or the tokens that an explanation marks as common (see
        `Comparison.counting`). None: the rule says it.
    ignores_length
        Whether more text in a prediction never lowers the score.
    """

    what: str
    source: str
    family: str
    wanted: Callable[[Any], Wanted]
    score_per_pair: Callable[[PairCounts, Any], Floats]
    applies: Callable[[Any], bool] = lambda _: True
    counting: str | None = None
    ignores_length: bool = False

    def counting_under(self, rule: Any) -> str:
        """Return how the metric counts common units under a rule."""
        counting: str = self.counting or rule.counting
        return counting

    def is_in(self, convention: Convention) -> bool:
        """Return whether the convention defines the metric."""
        rule = getattr(convention, self.family)
        return rule is not None and self.applies(rule)


# --- what the prediction contains


def _wanted_to_contain(rule: Contains, *, place: str | None = None) -> Wanted:
    place = place or rule.place
    if place in _COMPARED_AT:
        return {_COMPARED_AT[place]: 1}
    if place == "words":
        return {CONTAINS_GOLD: 1}
    of_texts: Wanted = {HAS_SUBSTRING: 1}
    return of_texts if rule.text.split == "none" else {CLIPPED: 1, CONTAINS_GOLD: 1, **of_texts}


def contains_gold(counts: PairCounts, rule: Contains, *, place: str | None = None) -> Flags:
    """Whether the prediction has the gold at the place that the rule names, shape (pairs,)."""
    place = place or rule.place
    name = "contains_gold" if place == "words" else _COMPARED_AT.get(place, HAS_SUBSTRING).name
    found: Flags = counts[name]
    return found | (counts.n_gold == 0) if place == "words" else found


_COMPARED_AT = {"start": HAS_PREFIX, "end": HAS_SUFFIX, "either": HAS_EITHER}


def _contains(what: str, source: str, *, place: str | None = None) -> Metric:
    def score_per_pair(counts: PairCounts, rule: Contains) -> Floats:
        return contains_gold(counts, rule, place=place).astype(np.float64)

    return Metric(
        what,
        source,
        "contains",
        partial(_wanted_to_contain, place=place),
        score_per_pair,
        counting="substring",
        ignores_length=True,
    )


# --- precision, recall and F1


def ratio(part: Ints, total: Ints) -> Floats:
    """part / total; 0 where the total is 0."""
    return part / np.maximum(total, 1)  # no part is larger than its total


def f_measure(precision: Floats, recall: Floats, *, beta: float = 1.0, epsilon: float = 0.0) -> Floats:
    """The weighted harmonic mean of precision and recall, with epsilon added to its denominator.

    Two empty sides give 0, as in the SQuAD v1.1 script and in `rouge_score`; v2.0 of the script gives 1.
    """
    factor = beta**2
    # Where both are 0, 0 is divided by the smallest number.
    denominator = np.maximum(factor * precision + recall + epsilon, sys.float_info.min)
    return (1 + factor) * precision * recall / denominator


def _precision(counts: PairCounts, rule: Overlap | RougeL, *, counting: str | None = None) -> Floats:
    common, n_pred, _ = common_counts(counts, counting or rule.counting)
    return ratio(common, n_pred)


def _recall(counts: PairCounts, rule: Overlap | RougeL, *, counting: str | None = None) -> Floats:
    common, _, n_gold = common_counts(counts, counting or rule.counting)
    return ratio(common, n_gold)


def _f1(counts: PairCounts, rule: Overlap | RougeL, *, counting: str | None = None) -> Floats:
    common, n_pred, n_gold = common_counts(counts, counting or rule.counting)
    return f_measure_of(ratio(common, n_pred), ratio(common, n_gold), rule)


def f_measure_of(precision: Floats, recall: Floats, rule: Overlap | RougeL) -> Floats:
    """The F-measure as the rule has it."""
    if isinstance(rule, RougeL):
        return f_measure(precision, recall, beta=rule.beta, epsilon=rule.epsilon)
    return f_measure(precision, recall)


def round_scores(scores: Floats, rule: object) -> Floats:
    """The scores, rounded where the rule says so."""
    if not isinstance(rule, Overlap) or rule.digits is None:
        return scores
    if rule.rounding == "numpy":
        return np.round(scores, rule.digits)
    distinct, places = np.unique(scores, return_inverse=True)  # there are few
    return np.array([round(score, rule.digits) for score in distinct.tolist()])[places]


# --- BLEU

_LEAST = math.log(sys.float_info.min)
_TINY, _LITTLE = 1e-15, 1e-9  # of the COCO caption code


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BleuParts:
    """The parts of BLEU, for the pairs whose score can be above 0.

    Attributes
    ----------
    places
        These pairs: int64, shape (scored,).
    log_precisions
        The logarithm of each order's smoothed precision, shape (orders, scored); 0 for an order that is left out.
    effective_order
        The number of orders that divides the sum of these logarithms.
    brevity_penalty
        The factor of the geometric mean, shape (scored,).
    weights
        The factor of each logarithm, in place of that division; None for no weights.
    """

    places: Ints
    log_precisions: Floats
    effective_order: Ints
    brevity_penalty: Floats
    weights: tuple[float, ...] | None = None

    @property
    def log_means(self) -> Floats:
        """The mean of the logarithms of all orders, shape (scored,)."""
        none = np.zeros(len(self.places))
        if self.weights is None:
            return sum(self.log_precisions, start=none) / self.effective_order
        weighted = zip(self.weights, self.log_precisions, strict=True)
        return sum((weight * logs for weight, logs in weighted if weight), start=none)


def bleu_parts(counts: PairCounts, rule: Bleu, *, max_order: int) -> BleuParts:
    """Return the parts of the BLEU of n-grams up to `max_order`."""
    weights = weights_of(rule, max_order)
    (scored,) = _can_score(counts, rule, max_order if weights is None else highest_order(weights)).nonzero()
    n_pred, n_gold = counts.n_pred[scored], counts.n_gold[scored]
    log_precisions = _log_precisions(counts["clipped"][:max_order, scored], n_pred, rule)
    has_all_orders = not rule.effective_order or (rule.smoothing == "add_k" and rule.smoothing_value > 0)
    effective_order = np.full(len(scored), max_order) if has_all_orders else np.minimum(n_pred, max_order)
    added = _LITTLE if rule.smoothing == "tiny" else 0.0
    brevity_penalty = _brevity_penalty(n_pred, n_gold, added) if rule.brevity else np.ones(len(scored))
    return BleuParts(scored, log_precisions, effective_order, brevity_penalty, weights)


def weights_of(rule: Bleu, max_order: int) -> tuple[float, ...] | None:
    """The weights of the orders up to `max_order`; None for no weights."""
    return (*[0.0] * (max_order - 1), 1.0) if isinstance(rule.weights, str) else rule.weights


def highest_order(weights: tuple[float, ...]) -> int:
    """The highest order that counts."""
    return max(order for order, weight in enumerate(weights, start=1) if weight)


def _can_score(counts: PairCounts, rule: Bleu, highest: int) -> Flags:
    """Whether a pair is not 0 from the start. `highest` is the highest order that counts."""
    if rule.smoothing == "add_k" and rule.smoothing_value > 0 and rule.smooth_from == 1:
        return (counts.n_pred > 0) & (counts.n_gold > 0)
    if rule.smoothing == "tiny":
        return counts.n_pred > 0
    must_match = 1 if rule.smoothing != "none" or rule.effective_order else highest
    matches: Flags = counts["clipped"][must_match - 1] > 0  # then all lower orders match, too
    return matches & (counts.n_gold > 0) if rule.reference_length == "shortest" else matches


def sentence_bleu(counts: PairCounts, rule: Bleu, *, max_order: int) -> Floats:
    """BLEU of n-grams up to `max_order`, of one prediction and one gold; 0 where nothing matches.

    With 13a tokens, exponential smoothing and effective order, this is the `sentence_bleu` of `sacrebleu` 2 over 100.
    Without both, it is the `bleu` of HF `evaluate`, but 0 where that divides by zero. With the smoothing "least", it is
    NLTK's. A perfect match gives exactly 1, where rounding in those packages may give a little more.
    """
    parts = bleu_parts(counts, rule, max_order=max_order)
    scores = np.zeros(len(counts.n_pred))
    scores[parts.places] = np.exp(parts.log_means) * parts.brevity_penalty
    return scores


def _log_precisions(clipped: Ints, n_pred: Ints, rule: Bleu) -> Floats:
    """The logarithm of each order's precision, smoothed by the rule; 0 for an order that is left out.

    Parameters
    ----------
    clipped
        The matches of each order, shape (orders, scored), as the result.
    n_pred
        The length of each prediction, which may have no n-grams of an order.
    """
    order = np.arange(1, len(clipped) + 1)[:, np.newaxis]
    n_grams = np.maximum(n_pred - (order - 1), 0)
    matches, total = clipped.astype(np.float64), n_grams.astype(np.float64)
    is_unmatched = clipped == 0
    if rule.smoothing == "exp":
        are_unmatched = (is_unmatched & (n_grams > 0)).view(np.uint8)
        n_unmatched = np.array([*itertools.accumulate(are_unmatched, np.add)])  # this order included
        matches = np.where(is_unmatched, (0.5 ** np.arange(len(clipped) + 1)).take(n_unmatched), matches)
    elif rule.smoothing == "floor":
        matches = np.where(is_unmatched, rule.smoothing_value, matches)
    elif rule.smoothing == "add_k":
        added = np.where(order >= rule.smooth_from, rule.smoothing_value, 0.0)
        matches, total = matches + added, total + added
    elif rule.smoothing == "tiny":
        matches, total = matches + _TINY, total + _LITTLE
    log_precisions = np.full(clipped.shape, _LEAST if rule.smoothing == "least" else -np.inf)
    precisions = np.divide(matches, total, out=np.zeros(total.shape), where=total > 0)  # too small a value becomes 0
    np.log(precisions, out=log_precisions, where=precisions > 0)
    if rule.effective_order:
        log_precisions[total <= 0] = 0.0
    return log_precisions


def _brevity_penalty(n_pred: Ints, n_gold: Ints, added: float) -> Floats:
    """exp(1 - n_gold / n_pred) where the prediction is shorter than the gold, else 1. No prediction may be empty."""
    return np.exp(np.minimum(0.0, 1.0 - (n_gold + added) / n_pred))


# --- edit distance


def _wanted_edits(rule: EditDistance, *, most: float = 0.0) -> Wanted:
    if rule.length == "text":  # a distance may be small beside it, whatever it is beside the number of tokens
        return {EDITS: 1.0}
    # A little more, as rounding may make a similarity reach the threshold.
    return {EDITS: max(1 - rule.threshold + 1e-9, most)}


def edit_similarity(counts: PairCounts, _: EditDistance | None = None) -> Floats:
    """1 - distance / length of the longer side, as `normalized_similarity` of RapidFuzz; 1 for two empty sides.

    0 where the distance is more than that length, as lower-casing may add characters.
    """
    longer = counts.get("longer")
    longer = np.maximum(counts.n_pred, counts.n_gold) if longer is None else longer
    return np.maximum(1 - ratio(counts["edits"], longer), 0.0)


def _anls(counts: PairCounts, rule: EditDistance) -> Floats:
    similarity = edit_similarity(counts)
    is_kept = similarity >= rule.threshold if rule.inclusive else similarity > rule.threshold
    return np.where(is_kept, similarity, 0.0)


# --- chrF

_EPSILON_OF_CHRF = 1e-16


def chrf(counts: PairCounts, rule: Chrf) -> Floats:
    """chrF of one prediction and one gold; 0 where nothing matches."""
    if rule.eps_smoothing:
        means: Floats = np.mean(chrf_per_order(counts, rule), axis=0)
        return means
    precision, recall, _ = chrf_parts(counts, rule)
    factor = rule.beta**2
    weighted: Floats = (1 + factor) * precision * recall
    return np.divide(weighted, factor * precision + recall, out=weighted, where=precision + recall > 0)


def chrf_parts(counts: PairCounts, rule: Chrf) -> tuple[Floats, Floats, Floats]:
    """The precision and the recall that chrF is made of, and the number of orders of which both sides have n-grams.

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
    """The F-measure of each order with `eps_smoothing`: `sacrebleu`'s epsilon stands for ratios without n-grams."""
    factor, found = rule.beta**2, []
    for clipped, n_pred, n_gold in _ngrams_of_chrf(counts, rule):
        has_gold = n_gold > 0
        precision, recall = np.full((2, len(clipped)), _EPSILON_OF_CHRF)
        np.divide(clipped, n_pred, out=precision, where=has_gold & (n_pred > 0))
        np.divide(clipped, n_gold, out=recall, where=has_gold)
        weighted, denominator = (1 + factor) * precision * recall, factor * precision + recall
        found.append(
            np.divide(weighted, denominator, out=np.full(len(clipped), _EPSILON_OF_CHRF), where=denominator > 0)
        )
    return found


def _ngrams_of_chrf(counts: PairCounts, rule: Chrf) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Yield, per order of characters, then of words: matching n-grams, and those of each side; 0 or less for none."""
    kinds = [(counts, rule.char_order)]
    if rule.word_order:
        kinds.append((counts["words"], rule.word_order))
    for of_kind, orders in kinds:
        for order in range(orders):
            yield of_kind["clipped"][order], of_kind.n_pred - order, of_kind.n_gold - order


# --- empty sides


def fill_empty(scores: Floats, empty: Empty, pred_is_empty: Flags, gold_is_empty: Flags) -> Floats:
    """Return the scores, where the rule's values replace those of empty sides."""
    sides = (
        (empty.pred, pred_is_empty),
        (empty.gold, gold_is_empty),
        (empty.both, pred_is_empty & gold_is_empty),
    )
    for value, is_empty in sides:  # a later one counts before an earlier one
        if value is not None:
            scores = np.where(is_empty, value, scores)
    return scores


# --- the metrics


_SQUAD = "SQuAD v1.1 evaluation script"
_ROUGE = "rouge_score 0.1.2, no stemmer"


def _share(
    what: str, score_per_pair: Callable[..., Floats], *, family: str = "rouge_l", counting: str | None = None
) -> Metric:
    """A figure of the units that both sides have.

    counting: how these are counted, if not as the rule says. It is then a figure of `rouge_score`, which goes with a
    rule that counts subsequences.
    """
    return Metric(
        what,
        _SQUAD if family == "overlap" else _ROUGE,
        family,
        lambda rule: COUNTINGS[counting or rule.counting].wanted,
        score_per_pair if counting is None else partial(score_per_pair, counting=counting),
        applies=lambda rule: counting is None or rule.counting == "subsequence",
        counting=counting,
        ignores_length=score_per_pair is _recall,
    )


_overlap = partial(_share, family="overlap")
_rouge_1, _rouge_2, _rouge_lsum = (partial(_share, counting=name) for name in ("multiset", "bigrams", "in_lines"))


def _bleu(what: str, source: str, family: str, max_order: int) -> Metric:
    def orders(rule: Bleu) -> int:
        return len(rule.weights) if isinstance(rule.weights, tuple) else max_order

    return Metric(
        what,
        source,
        family,
        lambda rule: {CLIPPED: orders(rule)},
        lambda counts, rule: sentence_bleu(counts, rule, max_order=orders(rule)),
        applies=lambda rule: family == "bleu" or orders(rule) == max_order,
        counting="multiset",
    )


def _bleu_n(max_order: int) -> Metric:
    what = f"unsmoothed BLEU of n-grams up to {max_order}: 13a tokens, case kept"
    return _bleu(what, "HF evaluate bleu", "bleu_n", max_order)


def _chrf(what: str, scorer: str, family: str) -> Metric:
    return Metric(
        what,
        f"sacrebleu 2 {scorer} / 100",
        family,
        lambda rule: {CLIPPED: rule.char_order, **({WORDS: rule.word_order} if rule.word_order else {})},
        chrf,
        counting="multiset",
    )


METRICS = {
    "em": Metric(
        "exact match: 1 if the normalised texts are equal, else 0",
        _SQUAD,
        "exact",
        lambda _: {EQUAL: 1},
        lambda counts, _: counts["equal"].astype(np.float64),
        counting="equal",
    ),
    "precision": _overlap("the share of the prediction's tokens that the gold has too", _precision),
    "recall": _overlap("the share of the gold's tokens that the prediction has too", _recall),
    "f1": _overlap("token F1: the harmonic mean of precision and recall", _f1),
    "contains": _contains(
        "1 if the normalised gold is a substring of the normalised prediction, else 0",
        "best-subspan EM (Liu et al. 2023, Lost in the Middle)",
    ),
    "prefix": _contains(
        "1 if the normalised prediction begins with the normalised gold, else 0",
        "HELM quasi_prefix_exact_match",
        place="start",
    ),
    "rouge_1": _rouge_1("ROUGE-1: F of tokens in any order", _f1),
    "rouge_1_precision": _rouge_1("ROUGE-1: the share of the prediction's tokens in common", _precision),
    "rouge_1_recall": _rouge_1("ROUGE-1: the share of the gold's tokens in common", _recall),
    "rouge_2": _rouge_2("ROUGE-2: F of bigrams", _f1),
    "rouge_2_precision": _rouge_2("ROUGE-2: the share of the prediction's bigrams in common", _precision),
    "rouge_2_recall": _rouge_2("ROUGE-2: the share of the gold's bigrams in common", _recall),
    "rouge_l": _share("ROUGE-L: F of the longest common subsequence of tokens", _f1),
    "rouge_l_precision": _share("ROUGE-L: that subsequence's share of the prediction", _precision),
    "rouge_l_recall": _share("ROUGE-L: that subsequence's share of the gold", _recall),
    "rouge_lsum": _rouge_lsum("ROUGE-Lsum: F of the longest common subsequences of lines", _f1),
    "rouge_lsum_precision": _rouge_lsum("ROUGE-Lsum: these subsequences' share of the prediction", _precision),
    "rouge_lsum_recall": _rouge_lsum("ROUGE-Lsum: these subsequences' share of the gold", _recall),
    "bleu": _bleu(
        "sentence BLEU-4: 13a tokens, effective order, exponential smoothing",
        "sacrebleu 2 sentence_bleu / 100",
        "bleu",
        4,
    ),
    "bleu1": _bleu_n(1),
    "bleu2": _bleu_n(2),
    "bleu3": _bleu_n(3),
    "bleu4": _bleu_n(4),
    "chrf": _chrf("chrF2: F of n-grams of characters up to 6, recall twice as important", "CHRF()", "chrf"),
    "chrf++": _chrf("chrF2++: the same with n-grams of words up to 2", "CHRF(word_order=2)", "chrf_pp"),
    "anls": Metric(
        "ANLS: 1 - edit distance / length of the longer text, in characters; 0 below one half",
        "DocVQA, as in anls_star",
        "edit",
        _wanted_edits,
        _anls,
        counting="subsequence",
    ),
    "edit_similarity": Metric(
        "1 - edit distance / length of the longer text, in characters",
        "RapidFuzz Levenshtein.normalized_similarity",
        "edit",
        partial(_wanted_edits, most=1.0),
        edit_similarity,
        counting="subsequence",
    ),
}
"""All metrics by name, in the order in which `metrics="all"` gives them."""

_OTHERS = {
    "em": "exactmatch exact exactmatchscore accuracy acc strictaccuracy",
    "f1": "f f2 fmeasure fscore f1score tokenf1 wordf1 qaf1score",
    "contains": "subem subspanem coverem substring includes match inaccuracy",
    "rouge_l": "rouge rougel rougelf1 lcs",
    "rouge_1": "rouge1f1 unigramrouge",
    "rouge_2": "rouge2f1 bigramrouge",
    "rouge_lsum": "rougels rougelsumf1",
    "chrf": "chrf2 characterf",
    "chrf++": "chrfpp chrfplusplus",
    "bleu": "sacrebleu sentencebleu",
    "anls": "docvqaanls nls averagenormalizedlevenshteinsimilarity",
    "edit_similarity": "levenshtein editdistance normalizedsimilarity levenshteinratio fuzz fuzzratio",
}
OTHER_NAMES = {other: name for name, others in _OTHERS.items() for other in others.split()}
"""Names of these metrics, or of similar ones, in other tools: lower case without marks, for suggestions in errors."""

OVERLAP_STATISTICS = ("overlap", "pred_len", "gold_len")
BLEU_STATISTICS = ("bleu_match1", "bleu_match2", "bleu_match3", "bleu_match4", "bleu_pred_len", "bleu_ref_len")
CHRF_STATISTICS: dict[str, tuple[str, ...]] = {
    "chrf": (*(f"chrf_match{order}" for order in range(1, 7)), "chrf_pred_len", "chrf_gold_len"),
    "chrf++": (
        *(f"chrf++_match{order}" for order in range(1, 7)),
        "chrf++_pred_len",
        "chrf++_gold_len",
        *("chrf++_word_match1", "chrf++_word_match2", "chrf++_pred_words", "chrf++_gold_words"),
    ),
}
"""Those of corpus chrF by metric: n-grams of characters in common, the characters of both sides, and words alike."""

STATISTICS = (*OVERLAP_STATISTICS, *BLEU_STATISTICS)
"""The sufficient statistics: integers whose sums over rows give micro F1 and corpus BLEU."""

ALL_STATISTICS: tuple[str, ...] = (*STATISTICS, *CHRF_STATISTICS["chrf"], *CHRF_STATISTICS["chrf++"])
"""These, and those that only come with their metrics."""
