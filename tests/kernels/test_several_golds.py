"""BLEU's counts with several golds equal those of the slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_frame.kernels import several_golds
from qa_frame.kernels.several_golds import REFERENCE_LENGTHS, clipped_over_golds, closest_lengths
from tests.kernels.shared import (
    Rows,
    Text,
    assert_clipped_as_twins,
    each_border,
    limit_masks,
    make_pairs,
    make_tokens,
    random_text,
    related_text,
    texts_and_pairs,
)


@st.composite
def texts_and_rows(draw: st.DrawFn) -> tuple[list[Text], Rows]:
    texts, _ = draw(texts_and_pairs())
    place = st.integers(0, len(texts) - 1)
    rows = draw(st.lists(st.tuples(place, st.lists(place, max_size=5)), max_size=12))
    return texts, rows * draw(st.sampled_from((1, 1, 2, 30)))


@settings(deadline=None, max_examples=150)
@given(case=texts_and_rows())
def test_clipping_over_golds_equals_its_twin(case):
    assert_clipped_as_twins(*case)


@pytest.mark.parametrize("at_once", [1, 200, 1 << 16])
@settings(deadline=None, max_examples=30)
@given(case=texts_and_rows())
def test_clipping_over_golds_without_masks_equals_its_twin(at_once, case):
    with pytest.MonkeyPatch.context() as patch:
        limit_masks(patch, several_golds, 0)
        patch.setattr(several_golds, "_TOKENS_AT_ONCE", at_once)
        assert_clipped_as_twins(*case)


@settings(deadline=None, max_examples=60)
@given(case=texts_and_rows())
def test_the_length_of_the_first_of_the_closest_golds_or_of_the_shortest(case):
    texts, rows = case
    tokens, pairs = make_tokens(texts), make_pairs([(pred, gold) for pred, golds in rows for gold in golds])
    offsets = np.cumsum([0, *(len(golds) for _, golds in rows)], dtype=np.int64)
    n_golds = [(len(texts[pred]), [len(texts[gold]) for gold in golds]) for pred, golds in rows]
    first = [min(lengths, key=lambda length: abs(length - n_pred), default=0) for n_pred, lengths in n_golds]
    assert REFERENCE_LENGTHS["first_closest"](tokens, pairs, offsets).tolist() == first
    shortest = [min(lengths, default=0) for _, lengths in n_golds]
    assert REFERENCE_LENGTHS["shortest"](tokens, pairs, offsets).tolist() == shortest


@pytest.mark.parametrize("vocabulary", [2, 40])
@each_border
def test_clipping_over_golds_around_the_widths_of_masks(length, vocabulary):
    rng = np.random.default_rng(length * vocabulary + 1)
    text = random_text(rng, length, vocabulary)
    others = [related_text(rng, text, n, vocabulary) for n in (1, 3, length // 2, length - 1, length, length + 1)]
    texts = [text, *others, ()]
    places = list(range(len(texts)))
    rows = [(pred, places[first:stop]) for pred in places for first, stop in ((0, 2), (1, 4), (2, 8), (7, 8), (3, 3))]
    for copies in (1, 60):
        assert_clipped_as_twins(texts, rows * copies)


def test_clipping_over_golds_in_any_parts(monkeypatch):
    rng = np.random.default_rng(7)
    texts = [random_text(rng, length, 4) for length in rng.integers(0, 40, size=20)]
    rows = [(int(pred), rng.integers(20, size=n_golds).tolist()) for pred, n_golds in rng.integers(20, size=(60, 2))]
    for flags in (1, 100, 1 << 22):
        monkeypatch.setattr(several_golds, "_FLAGS_AT_ONCE", flags)
        assert_clipped_as_twins(texts, rows)


@pytest.mark.thorough
def test_clipping_of_long_texts():
    rng = np.random.default_rng(8)
    pred = random_text(rng, 9_000, 900)
    texts = [pred, *(related_text(rng, pred, length, 900) for length in (10, 500, 6_000, 9_000)), (1, 2)]
    assert_clipped_as_twins(texts, [(0, [1, 2, 3, 4]), (0, [4, 5]), (5, [0, 1]), (4, [0, 4])])


def test_an_ngram_counts_as_often_as_in_the_one_gold_that_has_most_of_it():
    texts: list[Text] = [(1, 1, 1, 1), (1, 1, 2), (1, 2, 1, 1), (2,)]
    tokens = make_tokens(texts)
    pairs, offsets = make_pairs([(0, 1), (0, 2), (0, 3)]), np.array([0, 3], np.int64)
    assert clipped_over_golds(tokens, pairs, offsets, orders=2).T.tolist() == [[3, 1]]


@pytest.mark.parametrize(
    ("n_pred", "n_golds", "closest"), [(5, [4, 6], 4), (5, [6, 4], 4), (5, [9, 1, 5], 5), (0, [3, 2], 2), (3, [0], 0)]
)
def test_the_closest_length_is_the_shorter_on_ties(n_pred, n_golds, closest):
    texts: list[Text] = [tuple(range(length)) for length in (n_pred, *n_golds)]
    pairs = make_pairs([(0, place + 1) for place in range(len(n_golds))])
    assert closest_lengths(make_tokens(texts), pairs, np.array([0, len(n_golds)], np.int64)).tolist() == [closest]
