"""Words are those of `str.split`."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_frame.text.words import cut_lines, cut_words
from tests.text.shared import NEAR_MISSES, SPACES, cut, mixed_texts, spell, words_of

spaced_words = st.lists(st.text(st.sampled_from(SPACES + NEAR_MISSES + "ab"), max_size=12), max_size=8)


def test_the_spaces_here_are_all_there_are():
    every_space = {chr(code) for code in range(0x110000) if chr(code).isspace()}
    assert set(SPACES) == every_space
    assert not every_space & set(NEAR_MISSES)


@settings(deadline=None, max_examples=120)
@given(texts=spaced_words)
def test_words_are_those_of_split(texts):
    assert words_of(cut(texts)) == [text.split() for text in texts]


@settings(deadline=None, max_examples=100)
@given(texts=mixed_texts)
def test_each_distinct_word_stands_once_and_in_its_place(texts):
    words = cut(texts)
    plain, ascii_, other = spell(words.plain), spell(words.ascii), spell(words.other)
    distinct = [*plain, *ascii_, *other]
    assert len(set(distinct)) == len(distinct) == words.n_distinct
    assert all(word.isascii() and word.isalnum() for word in plain)
    assert all(word.isascii() and not word.isalnum() for word in ascii_)
    assert not any(word.isascii() for word in other)


@settings(deadline=None, max_examples=100)
@given(texts=mixed_texts)
def test_raw_texts_are_kept(texts):
    words = cut(texts)
    assert [words.text(index).decode() for index in range(len(texts))] == texts


def test_texts_may_be_a_slice_of_an_array():
    texts = pa.array(["no", "one two", "", "three\u2003four", "no"], pa.large_string())
    assert words_of(cut_words(texts.slice(1, 3))) == [["one", "two"], [], ["three", "four"]]


@settings(deadline=None, max_examples=100)
@given(texts=mixed_texts | spaced_words)
def test_lines_become_texts_of_their_own(texts):
    lines, offsets = cut_lines(cut(texts))
    lines_of_texts = [text.split("\n") for text in texts]
    assert words_of(lines) == [line.split() for of_text in lines_of_texts for line in of_text]
    assert offsets.tolist() == np.cumsum([0, *map(len, lines_of_texts)]).tolist()
    whole, offsets_of_whole = cut_lines(cut_words(pa.array(texts, pa.large_string()), whole_texts_only=True))
    assert [whole.text(place).decode() for place in range(len(whole.text_ends))] == [
        *itertools.chain.from_iterable(lines_of_texts)
    ]
    assert offsets_of_whole.tolist() == offsets.tolist()
