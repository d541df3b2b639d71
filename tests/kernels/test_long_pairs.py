"""Pairs that are too long for masks, or too few for them, are counted in other ways, which equal the slow twins."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_frame.kernels import long_pairs, pair_counts, runs, sorted_ngrams
from tests.kernels.shared import (
    ORDERS,
    Text,
    assert_as_twins,
    count_all,
    limit_masks,
    make_pairs,
    make_tokens,
    random_text,
    related_text,
    texts_and_pairs,
)
from tests.reference import kernels as twins


@pytest.mark.parametrize("longest", [0, 3, 20, 64])
@settings(deadline=None, max_examples=60)
@given(case=texts_and_pairs())
def test_counts_with_and_without_masks_equal_the_twins(longest, case):
    texts, pairs = case
    with pytest.MonkeyPatch.context() as patch:
        limit_masks(patch, pair_counts, longest)
        assert_as_twins(count_all(texts, pairs), texts, pairs)


@pytest.mark.parametrize("at_once", [1, 30, 400])
@settings(deadline=None, max_examples=40)
@given(case=texts_and_pairs())
def test_parts_of_any_size_give_the_same(at_once, case):
    texts, pairs = case
    with pytest.MonkeyPatch.context() as patch:
        limit_masks(patch, pair_counts, 0)
        for kernel in (runs, long_pairs, sorted_ngrams):
            patch.setattr(kernel, "_TOKENS_AT_ONCE", at_once)
        assert_as_twins(count_all(texts, pairs), texts, pairs)


def test_a_gold_is_not_found_across_the_bytes_of_two_ids():
    ones, gold = (1, 256, 65536, 2**24) * 3, (256,)
    assert contains(ones, gold)
    assert not contains((1, 1, 1), gold)
    assert not contains((65536, 2**24), gold)
    assert not contains((1, 0, 0), (2**24, 0))
    assert contains((2**24, 2**16, 0, 2**24, 0), (2**24, 0))


def contains(pred: Text, gold: Text) -> bool:
    return bool(long_pairs.contain_golds(make_tokens([pred, gold]), make_pairs([(0, 1)]))[0])


@pytest.mark.parametrize(("factor", "first"), [(1, 0), (1, 0xD7FD), (1 << 27, 5)], ids=["small", "surrogates", "large"])
@settings(deadline=None, max_examples=60)
@given(case=texts_and_pairs())
def test_what_is_found_does_not_depend_on_the_ids(factor, first, case):
    texts, pairs = case
    others = [tuple(token * factor + first for token in text) for text in texts]
    tokens, places = make_tokens(others), make_pairs(pairs)
    assert long_pairs.contain_golds(tokens, places).tolist() == [
        twins.contains_gold(list(texts[pred]), list(texts[gold])) for pred, gold in pairs
    ]
    assert long_pairs.count_lcs(tokens, places).tolist() == [
        twins.longest_common_subsequence(list(texts[pred]), list(texts[gold])) for pred, gold in pairs
    ]
    assert long_pairs.count_edits(tokens, places).tolist() == [
        twins.edit_distance(list(texts[pred]), list(texts[gold])) for pred, gold in pairs
    ]


def test_more_distinct_tokens_than_code_points(monkeypatch):
    monkeypatch.setattr(long_pairs.sys, "maxunicode", 5)
    rng = np.random.default_rng(4)
    texts = [random_text(rng, length, 40) for length in (0, 3, 30, 70)]
    pairs = list(itertools.product(range(4), repeat=2))
    tokens, places = make_tokens(texts), make_pairs(pairs)
    assert long_pairs.count_lcs(tokens, places).tolist() == [
        twins.longest_common_subsequence(list(texts[pred]), list(texts[gold])) for pred, gold in pairs
    ]
    assert long_pairs.count_edits(tokens, places).tolist() == [
        twins.edit_distance(list(texts[pred]), list(texts[gold])) for pred, gold in pairs
    ]


@settings(deadline=None, max_examples=60)
@given(case=texts_and_pairs())
def test_the_twins_of_long_texts_agree_with_the_others(case):
    texts, pairs = case
    for pred, gold in set(pairs):
        quick = twins.longest_common_subsequence_of_long_texts(list(texts[pred]), list(texts[gold]))
        assert quick == twins.longest_common_subsequence(list(texts[pred]), list(texts[gold]))
        quick = twins.longest_common_substring_of_long_texts(list(texts[pred]), list(texts[gold]))
        assert quick == twins.longest_common_substring(list(texts[pred]), list(texts[gold]))


@pytest.mark.thorough
@pytest.mark.parametrize(("n_pred", "n_gold"), [(3_000, 2_900), (40_000, 20_000), (300, 33_000)])
def test_texts_of_thousands_of_tokens(n_pred, n_gold):
    rng = np.random.default_rng(n_pred)
    pred = random_text(rng, n_pred, 15_000)
    gold = related_text(rng, pred, n_gold, 15_000)
    counts = count_all([pred, gold], [(0, 1), (1, 0)])
    lcs = twins.longest_common_subsequence_of_long_texts(list(pred), list(gold))
    clipped = twins.clipped_matches(list(pred), list(gold), orders=ORDERS)
    assert counts["subsequence"].tolist() == [lcs, lcs]
    assert counts["clipped"].tolist() == [[count, count] for count in clipped]
    assert counts["distinct"].tolist() == [twins.distinct(list(pred), list(gold))] * 2
    substring = twins.longest_common_substring_of_long_texts(list(pred), list(gold))
    assert counts["run"].tolist() == [substring, substring]
    assert counts["equal"].tolist() == counts["contains_gold"].tolist() == [False, False]


@settings(deadline=None, max_examples=100)
@given(case=texts_and_pairs())
def test_the_subsequence_of_a_long_pair_equals_its_twin(case):
    texts, pairs = case
    for pred, gold in set(pairs):
        positions = long_pairs.backtrack_lcs(np.array(texts[pred], np.int32), np.array(texts[gold], np.int32))
        found = [texts[pred][position] for position in positions]
        assert found == twins.chosen_subsequence(list(texts[pred]), list(texts[gold]))


@settings(deadline=None, max_examples=80)
@given(case=texts_and_pairs(), order=st.integers(1, ORDERS))
def test_matched_ngrams_of_a_long_pair_equal_their_twin(case, order):
    texts, pairs = case
    for pred, gold in set(pairs):
        sides = np.array(texts[pred], np.int32), np.array(texts[gold], np.int32)
        *_, flags = long_pairs.matched_ngrams(*sides, orders=order)
        assert flags.tolist() == twins.matched_ngrams(list(texts[pred]), list(texts[gold]), order=order)


@settings(deadline=None, max_examples=100)
@given(case=texts_and_pairs())
def test_the_longest_common_run_is_where_it_is_said_to_be(case):
    texts, pairs = case
    for pred, gold in pairs:
        length, in_pred, in_gold = runs.locate_common_run(*(np.array(texts[place], np.int32) for place in (pred, gold)))
        assert length == twins.longest_common_substring(list(texts[pred]), list(texts[gold]))
        found = texts[pred][in_pred : in_pred + length]
        assert found == texts[gold][in_gold : in_gold + length]
        assert len(found) == length
        assert all(first(found, texts[place]) == at for place, at in ((pred, in_pred), (gold, in_gold)) if length)


def first(part: Text, text: Text) -> int:
    return next(at for at in range(len(text)) if text[at : at + len(part)] == part)
