"""The union of longest common subsequences over sentences equals that of the slow twin."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_frame.kernels import sentences
from qa_frame.kernels.sentences import count_union, union_words
from tests.kernels.shared import (
    END,
    each_border,
    make_pairs,
    make_tokens,
    random_text,
    related_text,
    texts_and_pairs,
    union_of,
    union_of_twins,
)


@settings(deadline=None, max_examples=150)
@given(case=texts_and_pairs())
def test_union_equals_its_twin(case):
    texts, pairs = case
    assert union_of(texts, pairs) == union_of_twins(texts, pairs)


@settings(deadline=None, max_examples=80)
@given(
    texts=st.lists(st.lists(st.sampled_from((END, END, 1, 2, 3)), max_size=30).map(tuple), min_size=1, max_size=6),
    copies=st.sampled_from((1, 40)),
)
def test_union_of_many_short_sentences_equals_its_twin(texts, copies):
    pairs = list(itertools.product(range(len(texts)), repeat=2)) * copies
    assert union_of(texts, pairs) == union_of_twins(texts, pairs)


def test_union_where_no_sentence_ends():
    texts = [(1, 2, 3), (3, 1, 2), (), (2,)]
    pairs = list(itertools.product(range(len(texts)), repeat=2))
    assert union_of(texts, pairs, end=None) == union_of_twins(texts, pairs, end=99)


@pytest.mark.parametrize("texts", [[()], [(END,)], [(END, END)], [(END, END, END)], [(1, END)], [(END, 1)]], ids=str)
def test_union_of_nearly_nothing(texts):
    assert union_of([*texts, (1,), (END, END)], [(0, 0), (0, 1), (1, 0), (0, 2), (2, 0)]) == union_of_twins(
        [*texts, (1,), (END, END)], [(0, 0), (0, 1), (1, 0), (0, 2), (2, 0)]
    )


def test_union_without_pairs():
    counts = count_union(make_tokens([(1, END, 2)]), make_pairs([]), sentence_end=END)
    assert (counts.dtype, counts.shape) == (np.int64, (3, 0))


@pytest.mark.parametrize("vocabulary", [3, 40])
@each_border
def test_union_around_the_widths_of_masks(length, vocabulary):
    """Sentences of such lengths are in turn the step text and the bit text."""
    rng = np.random.default_rng(length + vocabulary)
    text = tuple(token + 1 for token in random_text(rng, length, vocabulary))
    others = [related_text(rng, text, n, vocabulary) for n in (5, length, length + 1)]  # with ends in them
    texts = [text, *others, (*text, END, *text[::-1])]
    pairs = [pair for other in range(len(texts)) for pair in ((0, other), (other, 0))]
    expected = union_of_twins(texts, pairs)
    for copies in (1, 60):
        assert union_of(texts, pairs * copies) == expected * copies


def test_union_is_the_same_in_any_parts(monkeypatch):
    rng = np.random.default_rng(5)
    texts = [random_text(rng, length, 6) for length in rng.integers(0, 70, size=7)]
    pairs = list(itertools.product(range(len(texts)), repeat=2))
    expected = union_of_twins(texts, pairs)
    assert union_of(texts, pairs) == expected
    for cells in (1, 1_000, 20_000):
        monkeypatch.setattr(sentences, "_CELLS_AT_ONCE", cells)
        assert union_of(texts, pairs) == expected
    for crossed, many in ((1, 0), (7, 3), (1_000, 32)):
        monkeypatch.setattr(sentences, "_CROSSED_AT_ONCE", crossed)
        monkeypatch.setattr(sentences, "_MANY_SENTENCES", many)
        assert union_of(texts, pairs) == expected


def test_repeated_sentences_cost_no_more_than_their_length():
    """Every pair of 20,000 equal sentences, 400 million, would take minutes and more memory than there is."""
    many = (1, 2, 3, END) * 20_000
    assert union_of([many, (2, 3, 1)], [(0, 0), (0, 1), (1, 0)]) == union_of_twins(
        [(1, 2, 3), (2, 3, 1)], [(0, 0), (0, 1), (1, 0)]
    )


@settings(deadline=None, max_examples=100)
@given(case=texts_and_pairs())
def test_the_words_of_the_union_are_those_that_are_counted(case):
    texts, pairs = case
    tokens, of_pairs = make_tokens(texts), make_pairs(pairs)
    found = union_words(tokens, of_pairs, sentence_end=END)
    assert [len(words) for words in found] == count_union(tokens, of_pairs, sentence_end=END)[0].tolist()
    for words, (pred, gold) in zip(found, pairs, strict=True):
        assert len(set(words.tolist())) == len(words)
        assert set(words.tolist()) <= set(texts[pred]) & set(texts[gold])
