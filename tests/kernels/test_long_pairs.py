"""The functions for one pair at a time equal the slow twins and the functions for many pairs."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_frame.kernels import long_pairs
from tests.kernels.shared import ORDERS, Text, count_all, random_text, related_text, texts_and_pairs, twin_counts
from tests.reference import kernels as twins

SINGLE_FUNCTIONS = {
    "clipped_matches": functools.partial(long_pairs.clipped_matches, orders=ORDERS),
    "longest_common_subsequence": long_pairs.longest_common_subsequence,
    "longest_common_substring": long_pairs.longest_common_substring,
    "contains_gold": long_pairs.contains_gold,
}


def single_counts(pred: Text, gold: Text) -> dict[str, object]:
    sides = np.array(pred, np.int32), np.array(gold, np.int32)
    return {name: function(*sides) for name, function in SINGLE_FUNCTIONS.items()}


@settings(deadline=None, max_examples=100)
@given(case=texts_and_pairs())
def test_single_functions_equal_the_twins_and_the_batch(case):
    texts, pairs = case
    pairs = [(pred, gold) for pred, gold in dict.fromkeys(pairs) if texts[gold]]
    batch = count_all(texts, pairs * 50)
    for place, (pred, gold) in enumerate(pairs):
        alone = single_counts(texts[pred], texts[gold])
        _, _, _, clipped, _, lcs, longest, contains = twin_counts(texts[pred], texts[gold])
        assert alone == {
            "clipped_matches": list(clipped),
            "longest_common_subsequence": lcs,
            "longest_common_substring": longest,
            "contains_gold": contains,
        }
        assert alone == {
            "clipped_matches": batch.clipped[:, place].tolist(),
            "longest_common_subsequence": int(batch.lcs[place]),
            "longest_common_substring": int(batch.longest_common_substring[place]),
            "contains_gold": bool(batch.contains_gold[place]),
        }


def test_a_gold_is_not_found_across_the_bytes_of_two_ids():
    ones, gold = (1, 256, 65536, 2**24) * 3, (256,)
    assert single_counts(ones, gold)["contains_gold"]
    assert not single_counts((1, 1, 1), gold)["contains_gold"]
    assert not single_counts((65536, 2**24), gold)["contains_gold"]
    assert not single_counts((1, 0, 0), (2**24, 0))["contains_gold"]
    assert single_counts((2**24, 2**16, 0, 2**24, 0), (2**24, 0))["contains_gold"]


@pytest.mark.parametrize(("factor", "first"), [(1, 0), (1, 0xD7FD), (1 << 27, 5)], ids=["small", "surrogates", "large"])
@settings(deadline=None, max_examples=60)
@given(case=texts_and_pairs())
def test_a_gold_is_found_whatever_the_ids(case, factor, first):
    texts, pairs = case
    for pred, gold in {pair for pair in pairs if texts[pair[1]]}:
        sides = (np.array(texts[text], np.int32) * np.int32(factor) + np.int32(first) for text in (pred, gold))
        assert long_pairs.contains_gold(*sides) == twins.contains_gold(list(texts[pred]), list(texts[gold]))


@pytest.mark.parametrize("orders", range(1, ORDERS + 1))
def test_single_orders_beyond_the_text(orders):
    pred, gold = np.array([3, 3], np.int32), np.array([3], np.int32)
    for left, right in itertools.product((pred, gold, gold[:0]), repeat=2):
        expected = twins.clipped_matches(left.tolist(), right.tolist(), orders=orders)
        assert long_pairs.clipped_matches(left, right, orders=orders) == expected


@settings(deadline=None, max_examples=60)
@given(case=texts_and_pairs())
def test_the_twins_of_long_texts_agree_with_the_others(case):
    texts, pairs = case
    for pred, gold in set(pairs):
        quick = twins.longest_common_subsequence_of_long_texts(list(texts[pred]), list(texts[gold]))
        assert quick == twins.longest_common_subsequence(list(texts[pred]), list(texts[gold]))
        quick = twins.longest_common_substring_of_long_texts(list(texts[pred]), list(texts[gold]))
        assert quick == twins.longest_common_substring(list(texts[pred]), list(texts[gold]))


@pytest.mark.parametrize(("n_pred", "n_gold"), [(3_000, 2_900), (40_000, 20_000), (17_000, 33_000), (33_000, 300)])
def test_texts_of_thousands_of_tokens(n_pred, n_gold):
    rng = np.random.default_rng(n_pred)
    pred = random_text(rng, n_pred, 15_000)
    gold = related_text(rng, pred, n_gold, 15_000)
    counts = count_all([pred, gold], [(0, 1), (1, 0)])
    lcs = twins.longest_common_subsequence_of_long_texts(list(pred), list(gold))
    clipped = twins.clipped_matches(list(pred), list(gold), orders=ORDERS)
    assert counts.lcs.tolist() == [lcs, lcs]
    assert counts.clipped.tolist() == [[count, count] for count in clipped]
    assert counts.distinct.tolist() == [twins.distinct(list(pred), list(gold))] * 2
    substring = twins.longest_common_substring_of_long_texts(list(pred), list(gold))
    assert counts.longest_common_substring.tolist() == [substring, substring]
    assert counts.equal.tolist() == counts.contains_gold.tolist() == [False, False]


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
def test_the_longest_common_substring_is_where_it_is_said_to_be(case):
    texts, pairs = case
    for pred, gold in pairs:
        ids = [np.array(texts[place], np.int32) for place in (pred, gold)]
        length = long_pairs.longest_common_substring(*ids)
        if length:
            in_pred, in_gold = long_pairs.locate_common_substring(*ids, length)
            found = texts[pred][in_pred : in_pred + length]
            assert found == texts[gold][in_gold : in_gold + length]
            assert len(found) == length
