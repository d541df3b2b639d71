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
from qa_frame.rules.parts import Bleu, Contains, Rule, gold_text_of, gold_tokens_of
from qa_frame.scoring.answer_kinds import equal_by_kind, equal_where_agreed
from qa_frame.scoring.batches import Batch, distinct_pairs
from qa_frame.scoring.countings import COMPARED, TextKernel, Wanted, want_both
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.spelling_rules import are_equal_numbers, find_numbers, nothing_in_common
from qa_frame.text.contains import compare_texts, join_tokens
from qa_frame.text.lexicon import (
    TokenisedTexts,
    code_points,
    normalised_texts,
    simplify_split,
    tokenise,
    tokenise_sides,
    tokenise_together,
)
from qa_frame.text.raw_texts import upper_lengths
from qa_frame.text.specification import Text
from qa_frame.text.words import Words

_FEW_BYTES, _FEW_PAIRS = 1 << 17, 1 << 12
"""The bytes of texts, and the pairs, up to which several ways of making tokens are handled at once: calls cost most."""


def count_per_family(words: Words, batch: Batch, plan: Plan) -> dict[str, PairCounts]:
    """The counts for each family of metrics. Families with the same tokens share their counts."""
    pairs = batch.pairs
    wanted_per_family, convention = plan.needs.wanted, plan.convention
    rules: dict[str, Any] = {family: getattr(convention, family) for family in wanted_per_family}
    text_per_family = {family: simplify_split(rule.text, words) for family, rule in rules.items()}
    wanted_per_text: dict[Text, Wanted] = {}
    orders_together: dict[str, int] = {}
    wanted_of_sides: dict[str, Wanted] = {}
    for family, of_family in wanted_per_family.items():
        wanted = of_family
        if isinstance(rules[family], Bleu) and rules[family].references == "together":
            orders_together[family], wanted = int(of_family[CLIPPED]), {}
        if gold_tokens_of(rules[family]) is not None:
            wanted_of_sides[family] = wanted
        else:
            text = text_per_family[family]
            wanted_per_text[text] = want_both(wanted, wanted_per_text.get(text, {}))
    distinct, places = distinct_pairs(pairs) or (pairs, None)
    few = _count_few(words, distinct, wanted_per_text)
    counts = {text: _count(words, distinct, text, wanted, few.get(text)) for text, wanted in wanted_per_text.items()}
    of_sides = {family: _count_sides(words, distinct, rules[family], each) for family, each in wanted_of_sides.items()}
    if places is not None:
        counts = {text: of_distinct.take(places) for text, of_distinct in counts.items()}
        of_sides = {family: of_distinct.take(places) for family, of_distinct in of_sides.items()}
    per_family = {family: of_sides.get(family) or counts[text] for family, text in text_per_family.items()}
    per_family |= _spelled_counts(words, batch, plan, per_family)
    for family, orders in orders_together.items():
        tokens = tokenise(words, text_per_family[family]).tokens
        clipped, n_gold = _count_together(tokens, batch, rules[family], orders)
        per_family[family] = replace(per_family[family].having(clipped=clipped), n_gold=n_gold)
    return per_family


def _spelled_counts(
    words: Words,
    batch: Batch,
    plan: Plan,
    per_family: Mapping[str, PairCounts],
) -> dict[str, PairCounts]:
    """The counts of those families whose rule looks at how texts or tokens are spelled, as the rule has them."""
    pairs, found = batch.pairs, dict(per_family)
    exact, overlap = plan.convention.exact, plan.convention.overlap
    edit, contains = plan.convention.edit, plan.convention.contains
    if "exact" in per_family and exact is not None and not exact.is_equality:
        equal = per_family["exact"]["equal"]
        if exact.tolerance is not None:
            equal = equal | are_equal_numbers(*tokens_of_sides(words, pairs, exact), exact.tolerance)
        if exact.agreed_text is not None:
            equal = equal_where_agreed(words, batch, exact.agreed_text, equal)
        found["exact"] = per_family["exact"].having(equal=equal_by_kind(batch.texts, pairs, exact, equal))
    if "overlap" in per_family and overlap is not None and (overlap.only_equal or overlap.numbers_must_match):
        is_nothing = nothing_in_common(*tokens_of_sides(words, pairs, overlap), overlap)
        found["overlap"] = per_family["overlap"].having(nothing_in_common=is_nothing)
    if "edit" in per_family and edit is not None and edit.length == "text":
        lengths = upper_lengths(batch.texts)
        longer = np.maximum(lengths[pairs.pred], lengths[pairs.gold])
        found["edit"] = per_family["edit"].having(longer=longer)
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
    """The counts `found`, where golds have a text of their own or are numbers."""
    preds, golds = (_joined_texts(words, text) for text in (rule.text, gold_text_of(rule)))
    of_both = Pairs(pairs.pred, pairs.gold + len(preds))
    answers: dict[str, Any] = {
        name: compare_texts([*preds, *golds], of_both, compare)
        for name, compare in COMPARED.items()
        if name in found.by_name
    }
    if rule.numbers:
        places, is_found = find_numbers(words, pairs)
        for name, flags in answers.items():
            flags[places] = is_found[name]
    n_gold = np.fromiter(map(bool, golds), np.int64, count=len(golds))[pairs.gold]
    return replace(found.having(**answers), n_gold=n_gold)


def tokens_of_sides(words: Words, pairs: Pairs, rule: Rule) -> tuple[TokenisedTexts, Pairs]:
    """The tokens of all texts under the rule, and the places of each pair's prediction and gold among them."""
    of_golds = gold_tokens_of(rule)
    if of_golds is None:
        return tokenise(words, simplify_split(rule.text, words)), pairs
    return tokenise_sides(words, rule.text, of_golds), Pairs(pairs.pred, pairs.gold + len(words.text_ends))


def _count_sides(words: Words, pairs: Pairs, rule: Rule, wanted: Wanted) -> PairCounts:
    """Return the counts under a rule that makes tokens of golds in another way. `_look_for_golds` compares texts."""
    texts, of_sides = tokens_of_sides(words, pairs, rule)
    of_texts = {kernel.name: np.zeros(len(pairs), np.bool_) for kernel in wanted if isinstance(kernel, TextKernel)}
    return count_matches(texts.tokens, of_sides, _kernels(wanted)).having(**of_texts)


def _kernels(wanted: Wanted) -> dict[Kernel, float]:
    return {kernel: most for kernel, most in wanted.items() if isinstance(kernel, Kernel)}


def _count_few(words: Words, pairs: Pairs, wanted: Mapping[Text, Wanted]) -> dict[Text, PairCounts]:
    """Return kernels' counts of few pairs of short texts, for the ways of making tokens that are counted at once."""
    is_many = len(words.joined) > _FEW_BYTES or len(pairs) > _FEW_PAIRS
    if is_many or (made := tokenise_together(words, wanted)) is None:
        return {}
    texts, tokens = made
    of_all = functools.reduce(want_both, (wanted[text] for text in texts))
    return dict(zip(texts, count_sets(tokens, len(texts), pairs, _kernels(of_all)), strict=True))


def _count(words: Words, pairs: Pairs, text: Text, wanted: Wanted, found: PairCounts | None) -> PairCounts:
    """Return the counts for one way of making tokens. found: the kernels' counts, if there are any yet."""
    of_tokens = _kernels(wanted)
    if found is not None:
        counts = found
    elif text.split == "none" and not of_tokens:  # then no token needs its id
        n_tokens = np.array([*map(bool, normalised_texts(words, text))], np.int64)
        counts = PairCounts(n_tokens[pairs.pred], n_tokens[pairs.gold], {})
    elif text.split == "characters" and wanted.keys() == {EDITS}:
        counts = count_matches(code_points(words, text), pairs, of_tokens)
    else:
        counts = count_matches(tokenise(words, text).tokens, pairs, of_tokens)
    for kernel, most in wanted.items():
        if isinstance(kernel, TextKernel):
            counts = counts.having(**{kernel.name: kernel.count(words, pairs, text, counts, most)})
    return counts
