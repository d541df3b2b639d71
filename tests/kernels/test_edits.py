"""Edit distances equal those of the slow twin, and of RapidFuzz on the tokens themselves."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from qa_frame.kernels.long_pairs import count_edits
from tests.kernels.shared import (
    BORDERS,
    Text,
    make_pairs,
    make_tokens,
    random_text,
    related_text,
    texts_and_pairs,
)
from tests.reference import kernels as twins


@functools.cache
def twin(pred: Text, gold: Text) -> int:
    return twins.edit_distance(list(pred), list(gold))


def distances(texts: list[Text], pairs: list[tuple[int, int]], most: float = 1.0) -> list[int]:
    found = count_edits(make_tokens(texts), make_pairs(pairs), most=most)
    assert (found.dtype, found.shape) == (np.int64, (len(pairs),))
    return found.tolist()


@settings(deadline=None, max_examples=60)
@given(case=texts_and_pairs())
def test_distances_equal_the_twin(case):
    texts, pairs = case
    assert distances(texts, pairs) == [twin(texts[pred], texts[gold]) for pred, gold in pairs]


@settings(deadline=None, max_examples=60)
@given(case=texts_and_pairs(), most=st.floats(0, 1))
def test_what_is_needed_is_exact_and_the_rest_is_more(case, most):
    texts, pairs = case
    found = distances(texts, pairs, most)
    for distance, (pred, gold) in zip(found, pairs, strict=True):
        expected, longer = twin(texts[pred], texts[gold]), max(len(texts[pred]), len(texts[gold]))
        assert distance == expected or (distance == longer and expected > most * longer)


@pytest.mark.parametrize("copies", [1, 200], ids=["alone", "many alike"])
@pytest.mark.parametrize("vocabulary", [2, 40])
@pytest.mark.parametrize("length", BORDERS)
def test_lengths_around_the_widths_of_masks(length, vocabulary, copies):
    rng = np.random.default_rng(length * vocabulary)
    text = random_text(rng, length, vocabulary)
    others = [related_text(rng, text, n, vocabulary) for n in (1, 3, length // 2, length - 1, length, length + 1)]
    texts = [text, *others]
    pairs = [pair for other in range(len(texts)) for pair in ((0, other), (other, 0))] * copies
    assert distances(texts, pairs) == [Levenshtein.distance(texts[pred], texts[gold]) for pred, gold in pairs]


@pytest.mark.parametrize("length", BORDERS)
def test_what_differs_only_at_the_border(length):
    same = tuple(range(length))
    texts = [same, (*same[:-1], 999), (999, *same[1:]), (*same, 999), (999, *same), (*same, *same), same[1:]]
    pairs = list(itertools.product(range(len(texts)), repeat=2))
    assert distances(texts, pairs) == [Levenshtein.distance(texts[pred], texts[gold]) for pred, gold in pairs]


@pytest.mark.parametrize(("n_pred", "n_gold"), [(10_000, 9_000), (20_000, 17_000), (33_000, 300)])
def test_texts_of_thousands_of_tokens(n_pred, n_gold):
    rng = np.random.default_rng(n_pred)
    pred = random_text(rng, n_pred, 60)
    gold = related_text(rng, pred, n_gold, 60)
    expected = Levenshtein.distance(pred, gold)
    assert distances([pred, gold], [(0, 1), (1, 0)]) == [expected, expected]


@pytest.mark.parametrize("texts", [[], [()], [(1, 2, 3), ()]], ids=["no text", "an empty text", "two texts"])
def test_no_pairs(texts):
    assert distances(texts, []) == []


def test_inputs_are_not_written_to():
    tokens, pairs = make_tokens([(1, 2, 3), (3, 2), (5,)]), make_pairs([(0, 1), (1, 2), (1, 0)])
    arrays = (tokens.ids, tokens.offsets, pairs.pred, pairs.gold)
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    count_edits(tokens, pairs)
    for array, copy in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, copy)
