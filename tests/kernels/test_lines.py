"""The longest common subsequences of lines equal those of the slow twin."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_frame.kernels import sentences
from qa_frame.kernels.sentences import Sentences, count_in_lines
from tests.kernels.shared import Text, each_border, make_pairs, make_tokens, random_text, related_text
from tests.reference import kernels as twins

Lines = list[Text]
Pair = tuple[int, int]


def counted(texts: list[Lines], pairs: list[Pair]) -> list[int]:
    of_texts = Sentences(make_tokens(list(itertools.chain(*texts))), np.cumsum([0, *map(len, texts)]))
    return count_in_lines(of_texts, make_pairs(pairs)).tolist()


def by_twins(texts: list[Lines], pairs: list[Pair]) -> list[int]:
    return [twins.in_lines([*map(list, texts[pred])], [*map(list, texts[gold])]) for pred, gold in pairs]


token = st.integers(0, 4)
text_lines = st.lists(st.lists(token, max_size=9).map(tuple), max_size=6)


@settings(deadline=None, max_examples=200)
@given(texts=st.lists(text_lines, min_size=1, max_size=6), copies=st.sampled_from((1, 1, 40)))
def test_lines_equal_their_twin(texts, copies):
    pairs = list(itertools.product(range(len(texts)), repeat=2))
    assert counted(texts, pairs * copies) == by_twins(texts, pairs) * copies


@pytest.mark.parametrize("vocabulary", [3, 40])
@each_border
def test_lines_around_the_widths_of_masks(length, vocabulary):
    """Pairs alone and many alike are counted in two ways."""
    rng = np.random.default_rng(length + vocabulary)
    line = random_text(rng, length, vocabulary)
    others = [related_text(rng, line, n, vocabulary) for n in (3, length, length + 1)]
    texts = [[line], others, [line[::-1], *others[::2]], [()]]
    pairs = list(itertools.product(range(len(texts)), repeat=2))
    expected = by_twins(texts, pairs)
    for copies in (1, 60):
        assert counted(texts, pairs * copies) == expected * copies


def test_lines_in_any_parts(monkeypatch):
    rng = np.random.default_rng(5)
    texts = [[random_text(rng, n, 6) for n in rng.integers(0, 20, size=size)] for size in rng.integers(0, 7, size=12)]
    pairs = list(itertools.product(range(len(texts)), repeat=2))
    expected = by_twins(texts, pairs)
    assert counted(texts, pairs) == expected
    for cells, crossed, many in ((1, 1, 0), (1_000, 7, 3), (1 << 22, 100, 32)):
        monkeypatch.setattr(sentences, "_CELLS_AT_ONCE", cells)
        monkeypatch.setattr(sentences, "_CROSSED_AT_ONCE", crossed)
        monkeypatch.setattr(sentences, "_MANY_SENTENCES", many)
        assert counted(texts, pairs) == expected


def test_lines_that_a_prediction_repeats_cost_little():
    """Every pair of 20,000 lines with 500 lines, 10 million, would take minutes."""
    golds = [(number, number + 1) for number in range(500)]
    assert counted([[(1, 2, 3)] * 20_000, golds], [(0, 1)]) == [6]


def test_lines_of_many_tokens():
    rng = np.random.default_rng(7)
    line = random_text(rng, 450, 250)
    texts = [[line, line[::-1]], [related_text(rng, line, 350, 250), (1, 2), line[250:350]]]
    pairs = [(0, 1), (1, 0)]
    assert counted(texts, pairs) == by_twins(texts, pairs)


def test_without_pairs():
    assert counted([[(1,)]], []) == []
