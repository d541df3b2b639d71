"""Clipped n-gram matches by sorting equal those of the slow twin, in any parts and with ids of any size."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qa_frame.kernels import sorted_ngrams
from qa_frame.kernels.pair_counts import CLIPPED, count_matches
from qa_frame.kernels.sorted_ngrams import count_by_sorting, count_distinct
from tests.kernels.shared import (
    BORDERS,
    ORDERS,
    Text,
    make_pairs,
    make_tokens,
    random_text,
    related_text,
    texts_and_pairs,
)
from tests.reference import kernels as twins

Pair = tuple[int, int]


def by_twins(texts: list[Text], pairs: list[Pair], orders: int) -> list[list[int]]:
    found = [twins.clipped_matches(list(texts[pred]), list(texts[gold]), orders=orders) for pred, gold in pairs]
    return np.array(found, np.int64).reshape(len(pairs), orders).T.tolist()


def by_sorting(texts: list[Text], pairs: list[Pair], orders: int) -> list[list[int]]:
    return count_by_sorting(make_tokens(texts), make_pairs(pairs), orders=orders).tolist()


@settings(deadline=None, max_examples=150)
@given(case=texts_and_pairs(), orders=st.integers(1, 8))
def test_sorting_equals_its_twin(case, orders):
    assert by_sorting(*case, orders) == by_twins(*case, orders)


@settings(deadline=None, max_examples=60)
@given(case=texts_and_pairs(), seed=st.integers(0, 2**32 - 1), largest=st.sampled_from([2**9, 2**16, 2**31 - 1]))
@example(case=([(1, 2, 3), (4, 1, 2)], [(0, 1)]), seed=0, largest=2**16)  # what is matched occurs twice in all
def test_ids_may_be_of_any_size(case, seed, largest):
    texts, pairs = case
    names = np.random.default_rng(seed).choice(largest, size=10, replace=False).tolist()
    renamed = [tuple(names[token] for token in text) for text in texts]
    assert by_sorting(renamed, pairs, ORDERS) == by_twins(texts, pairs, ORDERS)


def test_more_distinct_tokens_than_fit_one_key():
    rng = np.random.default_rng(1)
    text = random_text(rng, 5_000, 4_000)
    texts = [text, related_text(rng, text, 4_000, 4_000), (1, 2, 3)]
    pairs = [(0, 1), (1, 0), (2, 0), (2, 2)]
    assert by_sorting(texts, pairs, 6) == by_twins(texts, pairs, 6)


def test_more_distinct_tokens_in_all_pairs_than_fit_one_key():
    rng = np.random.default_rng(3)
    texts = [tuple(rng.choice(2_000, size=30)[rng.integers(0, 30, size=60)].tolist()) for _ in range(150)]
    texts += [related_text(rng, text, 50, 2_000) for text in texts]
    pairs = [(pred, pred + 150) for pred in range(150)]
    assert by_sorting(texts, pairs, 6) == by_twins(texts, pairs, 6)


def test_distinct_tokens_that_fit_one_key_but_not_beside_the_number_of_the_pair():
    """Ten bits each, of a sequence of six tokens, and five for ten pairs and their sides."""
    rng = np.random.default_rng(4)
    texts = [random_text(rng, 500, 3_000) for _ in range(10)]
    texts += [related_text(rng, text, 400, 3_000) for text in texts]
    pairs = [(pred, pred + 10) for pred in range(10)]
    assert all(2**9 < len({*texts[pred], *texts[gold]}) < 2**10 - 2 for pred, gold in pairs)
    assert by_sorting(texts, pairs, 6) == by_twins(texts, pairs, 6)


def test_parts_make_no_difference(monkeypatch):
    rng = np.random.default_rng(2)
    texts = [random_text(rng, length, 5) for length in rng.integers(0, 60, size=20)]
    pairs = list(itertools.product(range(len(texts)), repeat=2))
    expected = by_twins(texts, pairs, 6)
    for tokens, few in itertools.product((1, 100, 5_000), (1, 1_000)):
        monkeypatch.setattr(sorted_ngrams, "_TOKENS_AT_ONCE", tokens)
        monkeypatch.setattr(sorted_ngrams, "_FEW_TOKENS", few)
        assert by_sorting(texts, pairs, 6) == expected


@pytest.mark.parametrize("vocabulary", [2, 30])
@pytest.mark.parametrize("length", BORDERS)
def test_sorting_and_masks_agree(length, vocabulary):
    rng = np.random.default_rng(length + vocabulary)
    text = random_text(rng, length, vocabulary)
    texts = [text, *(related_text(rng, text, n, vocabulary) for n in (1, 6, length, 4 * length)), ()]
    pairs = list(itertools.product(range(len(texts)), repeat=2))
    counted = count_matches(make_tokens(texts), make_pairs(pairs), {CLIPPED: 6})
    assert counted["clipped"].tolist() == by_sorting(texts, pairs, 6) == by_twins(texts, pairs, 6)


@settings(deadline=None, max_examples=60)
@given(case=texts_and_pairs())
def test_distinct_tokens_equal_their_twin(case):
    texts, pairs = case
    expected = [twins.distinct(list(texts[pred]), list(texts[gold])) for pred, gold in pairs]
    assert count_distinct(make_tokens(texts), make_pairs(pairs)).tolist() == expected


def test_without_pairs():
    assert by_sorting([(1, 2)], [], 6) == [[]] * 6


@pytest.mark.parametrize("orders", [1, 6])
def test_without_tokens(orders):
    assert by_sorting([(), ()], [(0, 1), (1, 1)], orders) == [[0, 0]] * orders


@pytest.mark.parametrize("orders", [1, 2])
def test_neighbouring_pairs_of_one_token_are_told_apart(orders):
    assert by_sorting([(5, 5), (5,), (5, 5, 5)], [(0, 1), (1, 0), (2, 2)], orders) == [[1, 1, 3], [0, 0, 2]][:orders]
