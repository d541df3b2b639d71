"""Texts as code points equal Python's own characters, whatever the steps do to their lengths."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qa_frame.text.specification import Text
from qa_frame.text.vocabulary import code_points
from qa_frame.text.words import cut_words

RULES = {
    (): lambda text: text,
    ("lower",): str.lower,
    ("collapse_spaces",): lambda text: " ".join(text.split()),
    ("lower", "collapse_spaces"): lambda text: " ".join(text.lower().split()),
    ("lower", "delete_ascii_punctuation"): lambda text: text.lower().replace("!", "").replace("-", ""),
}

ASCII = st.text("aB -!\t\n\x1f\x1c\x0b", max_size=9)
OTHER = st.text("aB -!\t\x1f\x85\xa0\u2003\u3000éßİΣ北😀", max_size=9)


def spelled(texts, steps):
    words = cut_words(pa.array(texts, pa.large_string()), whole_texts_only=True)
    tokens = code_points(words, Text(steps, split="characters"))
    return ["".join(map(chr, tokens.text(place))) for place in range(len(texts))]


@pytest.mark.parametrize("steps", RULES, ids=str)
@settings(deadline=None, max_examples=150)
@given(texts=st.lists(ASCII, max_size=6) | st.lists(OTHER, max_size=6) | st.lists(ASCII | OTHER, max_size=6))
@example(texts=[])
@example(texts=["", ""])
@example(texts=["a  ", "b"])  # one text becomes shorter
@example(texts=["İ", "ab  c"])  # one becomes longer and one shorter, so that all have the same length together
@example(texts=[" a", "é", "\u3000"])
def test_they_are_the_characters_after_the_steps(steps, texts):
    assert spelled(texts, steps) == [RULES[steps](text) for text in texts]


def test_a_step_that_keeps_texts_apart_changes_none():
    texts = ["one text", "", "another one"] * 3
    assert spelled(texts, ("collapse_spaces",)) == texts
