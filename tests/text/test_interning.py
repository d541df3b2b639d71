"""Words have the same number exactly if they are equal, whatever their length and however many there are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_frame.text import interning as numbering
from qa_frame.text.interning import number_words
from qa_frame.text.words import WORD_END

# Words of up to 8 bytes, of up to 16, and longer ones; many differ only behind the first 8 or 16 bytes, or by a NUL.
PARTS = ["", "a", "\0", "é", "abcdefg", "abcdefgh", "abcdefgi", "\0" * 8, "字字", "\U0010ffff" * 2]
words = st.builds("".join, st.lists(st.sampled_from(PARTS), max_size=4))
_INVERSE = pow(int(numbering._MULTIPLIER), -1, 1 << 64)


@pytest.fixture(autouse=True)
def no_words_are_few(monkeypatch):
    monkeypatch.setattr(numbering, "_FEW", 0)
    monkeypatch.setattr(numbering, "_WORDS_AT_ONCE", 7)


def number(texts):
    spelled = [text.encode() + bytes([WORD_END]) for text in texts]
    bounds = np.cumsum([0, *map(len, spelled)])
    return number_words(np.frombuffer(b"".join(spelled), np.uint8), bounds), spelled


@settings(deadline=None)
@given(texts=st.lists(words, max_size=40))
def test_numbers_are_places_in_the_distinct_words(texts):
    (numbers, distinct), spelled = number(texts)
    distinct = distinct.to_pylist()
    assert numbers.dtype == np.int64
    assert [distinct[each] for each in numbers.tolist()] == spelled
    assert len(distinct) == len(set(spelled))


@pytest.mark.parametrize("bits", [1, 4, 17])
def test_a_small_table_tells_the_same_words_apart(monkeypatch, bits):
    monkeypatch.setattr(numbering, "_SMALL_TABLE", bits)
    texts = [f"{prefix}{index % 700}" for prefix in ("", "abcdefgh", "a" * 20) for index in range(2000)]
    (numbers, distinct), spelled = number(texts)
    assert len(distinct) == len(set(spelled)) == 2100
    assert [distinct[each].as_py() for each in numbers.tolist()] == spelled


def test_keys_that_all_have_one_place_are_told_apart():
    # Products of these keys differ in their lowest bits alone, and so do those of the second table.
    keys = np.array([place * _INVERSE % (1 << 64) for place in range(3000)], np.uint64)
    places, bound = numbering._number_keys(np.repeat(keys, 2), again=True)
    assert (places[::2] == places[1::2]).all()
    assert len(np.unique(places)) == 3000
    assert 0 <= places.min() <= places.max() < bound
