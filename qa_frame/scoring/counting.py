"""Words → tokens → counts: what the metrics of a plan need to know of each (prediction, gold) pair."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from qa_frame._typing import Ints
from qa_frame.kernels.lines import count_in_lines
from qa_frame.kernels.pair_counts import PairCounts, Wanted, count_matches, zero_counts
from qa_frame.kernels.sentences import Sentences
from qa_frame.kernels.several_golds import REFERENCE_LENGTHS, clipped_over_golds
from qa_frame.kernels.tokens import Pairs, Tokens
from qa_frame.rules.parts import Bleu, Contains, words_of_chrf
from qa_frame.scoring.batches import Batch, distinct_pairs
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.spelling_rules import are_equal_numbers, find_numbers, nothing_in_common
from qa_frame.text.contains import compare_joined, compare_texts, contains_per_pair, join_tokens
from qa_frame.text.lexicon import code_points, normalised_texts, simplify_split, tokenise
from qa_frame.text.raw_texts import upper_lengths
from qa_frame.text.specification import Text
from qa_frame.text.tokenisers import SENTENCE_END
from qa_frame.text.words import Words, cut_lines


def count_per_family(words: Words, batch: Batch, plan: Plan) -> dict[str, PairCounts]:
    """The counts for each family of metrics. Families with the same tokens share their counts."""
    pairs = batch.pairs
    text_per_family: dict[str, Text] = {}
    wanted_per_text: dict[Text, Wanted] = {}
    orders_together: dict[str, int] = {}
    for metric in plan.computed_metrics:
        family = METRICS[metric].family
        rule = getattr(plan.convention, family)
        text = text_per_family.setdefault(family, simplify_split(rule.text, words))
        wanted = METRICS[metric].wanted(rule)
        if isinstance(rule, Bleu) and rule.references == "together":
            orders_together[family] = max(wanted.orders, orders_together.get(family, 0))
            wanted = Wanted()
        wanted_per_text[text] = wanted | wanted_per_text.get(text, Wanted())
    distinct, places = distinct_pairs(pairs) or (pairs, None)
    counts = {text: _count(words, distinct, text, wanted) for text, wanted in wanted_per_text.items()}
    if places is not None:
        counts = {text: of_distinct.take(places) for text, of_distinct in counts.items()}
    per_family = {family: counts[text] for family, text in text_per_family.items()}
    per_family |= _spelled_counts(words, batch, plan, text_per_family, per_family)
    for family, orders in orders_together.items():
        text, rule = text_per_family[family], getattr(plan.convention, family)
        clipped, n_gold = _count_together(tokenise(words, text).tokens, batch, rule, orders)
        per_family[family] = replace(per_family[family], clipped=clipped, n_gold=n_gold)
    return per_family


def _spelled_counts(
    words: Words,
    batch: Batch,
    plan: Plan,
    text_per_family: Mapping[str, Text],
    per_family: Mapping[str, PairCounts],
) -> dict[str, PairCounts]:
    """The counts of those families whose rule looks at how texts or tokens are spelled, as the rule has them."""
    pairs, found = batch.pairs, dict(per_family)
    exact, overlap = plan.convention.exact, plan.convention.overlap
    edit, contains = plan.convention.edit, plan.convention.contains
    if "exact" in per_family and exact is not None and exact.tolerance is not None:
        texts = tokenise(words, text_per_family["exact"])
        equal = per_family["exact"].equal | are_equal_numbers(texts, pairs, exact.tolerance)
        found["exact"] = replace(per_family["exact"], equal=equal)
    if "overlap" in per_family and overlap is not None and (overlap.only_equal or overlap.numbers_must_match):
        is_nothing = nothing_in_common(tokenise(words, text_per_family["overlap"]), pairs, overlap)
        found["overlap"] = replace(per_family["overlap"], nothing_in_common=is_nothing)
    if "edit" in per_family and edit is not None and edit.length == "text":
        lengths = upper_lengths(batch.texts)
        longer = np.maximum(lengths[pairs.pred], lengths[pairs.gold])
        found["edit"] = replace(per_family["edit"], longer=longer)
    if "contains" in per_family and contains is not None and (contains.numbers or contains.gold_text is not None):
        found["contains"] = _look_for_golds(words, pairs, contains, per_family["contains"])
    return found


def _count_together(tokens: Tokens, batch: Batch, rule: Bleu, orders: int) -> tuple[Ints, Ints]:
    """N-gram matches with all golds of a row, and the length of one of them, as counts of each pair of the row."""
    n_gold = REFERENCE_LENGTHS[rule.reference_length](tokens, batch.pairs, batch.pair_offsets)
    clipped = clipped_over_golds(tokens, batch.pairs, batch.pair_offsets, orders=orders)
    return clipped[:, batch.row_per_pair], n_gold[batch.row_per_pair]


def _joined_texts(words: Words, text: Text) -> list[str]:
    """All texts, each with its tokens joined by spaces. Each byte of UTF-8 is one character."""
    if text.split == "none":
        return normalised_texts(words, text)
    return join_tokens(tokenise(words, simplify_split(text, words)))


def _look_for_golds(words: Words, pairs: Pairs, rule: Contains, found: PairCounts) -> PairCounts:
    """The same, with golds that have a text of their own, or are numbers."""
    preds, golds = (_joined_texts(words, text) for text in (rule.text, rule.gold_text or rule.text))
    of_both = Pairs(pairs.pred, pairs.gold + len(preds))
    answers: dict[str, Any] = {
        name: compare_texts([*preds, *golds], of_both, compare)
        for name, compare in _COMPARED.items()
        if getattr(found, name) is not None
    }
    if rule.numbers:
        places, is_found = find_numbers(words, pairs)
        for name, flags in answers.items():
            flags[places] = is_found[name]
    n_gold = np.fromiter(map(bool, golds), np.int64, count=len(golds))[pairs.gold]
    return replace(found, n_gold=n_gold, **answers)


def _count(words: Words, pairs: Pairs, text: Text, wanted: Wanted) -> PairCounts:
    """The counts for one way of making tokens."""
    if wanted.in_lines or wanted.words:
        return _count_other_tokens(words, pairs, text, wanted)
    compared = {name: compare for name, compare in _COMPARED.items() if getattr(wanted, name)}
    if text.split == "none":
        return _count_texts(words, pairs, text, wanted, compared)
    if text.split == "characters" and wanted == Wanted(edits=wanted.edits):
        return count_matches(code_points(words, text), pairs, wanted)
    texts = tokenise(words, text)
    counts = count_matches(texts.tokens, pairs, wanted, sentence_end=texts.find(SENTENCE_END) if wanted.union else None)
    answers: dict[str, Any] = {
        name: contains_per_pair(texts, pairs, counts)
        if compare is operator.contains
        else compare_joined(texts, pairs, compare)
        for name, compare in compared.items()
    }
    return replace(counts, **answers)


def _count_other_tokens(words: Words, pairs: Pairs, text: Text, wanted: Wanted) -> PairCounts:
    """The same with counts for which texts are first cut into lines, or into words and not into characters."""
    counts = _count(words, pairs, text, replace(wanted, in_lines=False, words=0))
    if wanted.words:
        n_grams = _count(words, pairs, words_of_chrf(text), Wanted(orders=wanted.words))
        counts = replace(counts, words=n_grams)
    return replace(counts, in_lines=_count_in_lines(words, pairs, text, counts)) if wanted.in_lines else counts


def _count_in_lines(words: Words, pairs: Pairs, text: Text, counts: PairCounts) -> Ints:
    """`PairCounts.in_lines`. For texts of one line each, this is the longest common subsequence."""
    in_lines = counts.lcs
    lines, line_offsets = cut_lines(words)
    has_lines = np.diff(line_offsets) > 1
    is_counted = has_lines[pairs.pred] | has_lines[pairs.gold]
    if is_counted.any():
        in_lines = in_lines.copy()
        tokens = tokenise(lines, text).tokens
        in_lines[is_counted] = count_in_lines(Sentences(tokens, line_offsets), pairs[is_counted])
    return in_lines


def _count_texts(
    words: Words, pairs: Pairs, text: Text, wanted: Wanted, compared: Mapping[str, Callable[[str, str], bool]]
) -> PairCounts:
    """The same where a text is one token: whether a prediction contains a gold is asked of the texts themselves."""
    if not compared:
        return count_matches(tokenise(words, text).tokens, pairs, wanted)
    texts = normalised_texts(words, text)
    wanted = replace(wanted, **dict.fromkeys(compared, False))
    if wanted == Wanted():  # then no token needs its id
        n_tokens = np.fromiter(map(bool, texts), np.int64, count=len(texts))
        counts = zero_counts(n_tokens[pairs.pred], n_tokens[pairs.gold], wanted)
    else:
        counts = count_matches(tokenise(words, text).tokens, pairs, wanted)
    answers: dict[str, Any] = {name: compare_texts(texts, pairs, compare) for name, compare in compared.items()}
    return replace(counts, **answers)


_COMPARED: Mapping[str, Callable[[str, str], bool]] = {
    "has_substring": operator.contains, "has_prefix": str.startswith, "has_suffix": str.endswith,
}  # fmt: skip
"""What texts are asked, and not tokens."""
