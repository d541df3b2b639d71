"""Words → tokens → counts: all counts of (prediction, gold) pairs that the metrics of a plan need."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from qa_frame._typing import Ints
from qa_frame.kernels.pair_counts import CLIPPED, EDITS, Kernel, PairCounts, count_matches, count_sets
from qa_frame.kernels.several_golds import REFERENCE_LENGTHS, clipped_over_golds
from qa_frame.kernels.tokens import Pairs, Tokens
from qa_frame.rules.parts import Bleu, Contains, EditDistance, Exact, Overlap, Rule, gold_text_of, gold_tokens_of
from qa_frame.scoring.batches import Batch, distinct_pairs
from qa_frame.scoring.metrics.contains import COMPARED
from qa_frame.scoring.metrics.definition import TextKernel, Wanted, want_both
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.special_tokens import are_equal_numbers, find_numbers, nothing_in_common
from qa_frame.scoring.typed_answers import are_equal_by_kind, are_equal_where_agreed
from qa_frame.text.contains import compare_texts, join_tokens
from qa_frame.text.raw_texts import upper_lengths
from qa_frame.text.specification import Text
from qa_frame.text.vocabulary import (
    TokenisedTexts,
    code_points,
    normalised_texts,
    simplify_split,
    tokenise,
    tokenise_sides,
    tokenise_together,
)
from qa_frame.text.words import Words

Way = tuple[Text, Text | None]
"""How texts become tokens, and golds, where that is not the same."""

_FEW_BYTES, _FEW_PAIRS = 1 << 17, 1 << 12
"""The bytes of texts, and the pairs, up to which several ways of making tokens are handled at once: calls cost most."""


def count_per_family(words: Words, batch: Batch, plan: Plan) -> dict[str, PairCounts]:
    """Return the counts of each pair for each family of metrics that the plan needs.

    Families with the same tokens share their counts.
    """
    wanted, convention = plan.needs.wanted, plan.convention
    rules: dict[str, Any] = {family: getattr(convention, family) for family in wanted}
    ways = {family: (simplify_split(rule.text, words), gold_tokens_of(rule)) for family, rule in rules.items()}
    together = [family for family, rule in rules.items() if isinstance(rule, Bleu) and rule.references == "together"]
    wanted_per_way: dict[Way, Wanted] = {}
    for family, way in ways.items():
        by_itself: Wanted = {} if family in together else wanted[family]
        wanted_per_way[way] = want_both(by_itself, wanted_per_way.get(way, {}))
    distinct, places = distinct_pairs(batch.pairs) or (batch.pairs, None)
    few = _count_few(words, distinct, {text: each for (text, golds), each in wanted_per_way.items() if golds is None})
    counts = {way: _count(words, distinct, way, each, few) for way, each in wanted_per_way.items()}
    if places is not None:
        counts = {way: of_distinct.take(places) for way, of_distinct in counts.items()}
    per_family = {family: _adjust_to_rule(words, batch, rules[family], counts[way]) for family, way in ways.items()}
    for family in together:
        tokens = tokenise(words, ways[family][0]).tokens
        clipped, n_gold = _count_with_all_golds(tokens, batch, rules[family], int(wanted[family][CLIPPED]))
        per_family[family] = replace(per_family[family].with_counts(clipped=clipped), n_gold=n_gold)
    return per_family


def _adjust_to_rule(words: Words, batch: Batch, rule: Rule, counts: PairCounts) -> PairCounts:
    """Return the counts, with those replaced or added that the rule makes from the spelling of texts or tokens.

    Few rules change any: those that compare numbers, lists, single answers as yes and no, lengths of whole texts, or
    golds with a normalisation of their own.
    """
    pairs = batch.pairs
    match rule:
        case Exact(is_equality=False):
            equal = counts["equal"]
            if rule.tolerance is not None:
                equal = equal | are_equal_numbers(*tokens_of_sides(words, pairs, rule), rule.tolerance)
            if rule.agreed_text is not None:
                equal = are_equal_where_agreed(words, batch, rule.agreed_text, equal)
            return counts.with_counts(equal=are_equal_by_kind(batch.texts, pairs, rule, equal))
        case Overlap() if rule.only_equal or rule.numbers_must_match:
            return counts.with_counts(nothing_in_common=nothing_in_common(*tokens_of_sides(words, pairs, rule), rule))
        case EditDistance(length="text"):
            lengths = upper_lengths(batch.texts)
            return counts.with_counts(longer=np.maximum(lengths[pairs.pred], lengths[pairs.gold]))
        case Contains() if rule.numbers or rule.gold_text is not None:
            return _find_golds_in_predictions(words, pairs, rule, counts)
    return counts


def _count_with_all_golds(tokens: Tokens, batch: Batch, rule: Bleu, orders: int) -> tuple[Ints, Ints]:
    """Return the n-gram matches of each prediction with all golds of its row, and the reference length.

    All pairs of a row have the same: the matches have shape (orders, pairs), the lengths shape (pairs,).

    orders: the longest n-grams to count.
    """
    n_gold = REFERENCE_LENGTHS[rule.reference_length](tokens, batch.pairs, batch.pair_offsets)
    clipped = clipped_over_golds(tokens, batch.pairs, batch.pair_offsets, orders=orders)
    return clipped[:, batch.row_per_pair], n_gold[batch.row_per_pair]


def _joined_texts(words: Words, text: Text) -> list[str]:
    """Return every text of `words` as `text` normalises it, its tokens joined by spaces.

    Each character of the results stands for one byte of UTF-8.
    """
    if text.split == "none":
        return normalised_texts(words, text)
    return join_tokens(tokenise(words, simplify_split(text, words)))


def _find_golds_in_predictions(words: Words, pairs: Pairs, rule: Contains, counts: PairCounts) -> PairCounts:
    """Return the counts with whether each prediction contains its gold, and whether the gold is empty.

    The first replaces each count that has a name of `COMPARED`: anywhere, at the beginning or at the end. The second
    replaces `n_gold`, which is 0 for an empty gold and 1 for others. It is for rules that normalise golds in another
    way than predictions, or that compare numbers.
    """
    preds, golds = (_joined_texts(words, text) for text in (rule.text, gold_text_of(rule)))
    of_both = Pairs(pairs.pred, pairs.gold + len(preds))
    answers: dict[str, Any] = {}
    for name in [each for each in COMPARED if each in counts.by_name]:
        answers[name] = compare_texts([*preds, *golds], of_both, COMPARED[name])
    if rule.numbers:
        places, is_inside = find_numbers(words, pairs)
        for name, flags in answers.items():
            flags[places] = is_inside[name]
    n_gold = np.fromiter(map(bool, golds), np.int64, count=len(golds))[pairs.gold]
    return replace(counts.with_counts(**answers), n_gold=n_gold)


def tokens_of_sides(words: Words, pairs: Pairs, rule: Rule) -> tuple[TokenisedTexts, Pairs]:
    """Return the tokens of texts under the rule, and each pair's prediction and gold as places among these texts.

    Where golds have their own way of making tokens, all texts stand there twice: as predictions, and then as golds.
    """
    of_golds = gold_tokens_of(rule)
    if of_golds is None:
        return tokenise(words, simplify_split(rule.text, words)), pairs
    return tokenise_sides(words, rule.text, of_golds), Pairs(pairs.pred, pairs.gold + len(words.text_ends))


def _select_token_kernels(wanted: Wanted) -> dict[Kernel, float]:
    """Return the wanted kernels that take tokens, without those that take texts, each with how much is wanted of it.

    See `Wanted`.
    """
    return {kernel: most for kernel, most in wanted.items() if isinstance(kernel, Kernel)}


def _count_few(words: Words, pairs: Pairs, wanted: Mapping[Text, Wanted]) -> dict[Text, PairCounts]:
    """Return the counts of pairs by `Text`, for those `Text`s whose tokens can be made and counted at once.

    Return an empty dict for many pairs or long texts, where this saves no time, and where fewer than two can be handled
    together.

    wanted: what is to be counted, by the `Text` that makes the tokens.
    """
    is_many = len(words.joined) > _FEW_BYTES or len(pairs) > _FEW_PAIRS
    if is_many or (made := tokenise_together(words, wanted)) is None:
        return {}
    texts, tokens = made
    of_all = functools.reduce(want_both, (wanted[text] for text in texts))
    return dict(zip(texts, count_sets(tokens, len(texts), pairs, _select_token_kernels(of_all)), strict=True))


def _count(words: Words, pairs: Pairs, way: Way, wanted: Wanted, few: Mapping[Text, PairCounts]) -> PairCounts:
    """Return the counts for one way of making tokens.

    Where golds have their own way of making tokens, counts that compare texts are 0 here. The true counts then come
    from `_find_golds_in_predictions`.

    few: the result of `_count_few`.
    """
    of_tokens, (text, of_golds) = _select_token_kernels(wanted), way
    if of_golds is not None:
        of_sides = Pairs(pairs.pred, pairs.gold + len(words.text_ends))
        counts = count_matches(tokenise_sides(words, text, of_golds).tokens, of_sides, of_tokens)
    elif text in few:
        counts = few[text]
    elif text.split == "none" and not of_tokens:  # then no token needs its id
        n_tokens = np.array([*map(bool, normalised_texts(words, text))], np.int64)
        counts = PairCounts(n_tokens[pairs.pred], n_tokens[pairs.gold], {})
    elif text.split == "characters" and wanted.keys() == {EDITS}:
        counts = count_matches(code_points(words, text), pairs, of_tokens)
    else:
        counts = count_matches(tokenise(words, text).tokens, pairs, of_tokens)
    for kernel, most in wanted.items():
        if isinstance(kernel, TextKernel):
            is_compared = of_golds is None
            of_texts = kernel.count(words, pairs, text, counts, most) if is_compared else np.zeros(len(pairs), np.bool_)
            counts = counts.with_counts(**{kernel.name: of_texts})
    return counts
