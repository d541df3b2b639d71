"""What is done with raw texts equals plain Python on each text."""

from __future__ import annotations

import string
import sys

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qa_frame.text.raw_texts import PREDICTIONS, is_empty_text
from tests.text.shared import LETTERS, NEAR_MISSES, SPACES

texts_with_nulls = st.lists(st.none() | st.text(st.sampled_from(SPACES + NEAR_MISSES + LETTERS + ".,!"), max_size=9))


def large_strings(texts: list[str | None]) -> pa.Array:
    return pa.array(texts, pa.large_string())


@settings(deadline=None)
@given(texts=texts_with_nulls)
@example(texts=[" a\nb", "\n\n a \n", "a\r\nb", "a\x0bb\nc", None, ""])
def test_the_first_line_is_that_of_the_stripped_text(texts):
    prepare = PREDICTIONS["first_line"]
    assert prepare is not None
    expected = [text if text is None else text.strip().split("\n")[0] for text in texts]
    assert prepare(large_strings(texts)).to_pylist() == expected


@settings(deadline=None)
@given(texts=texts_with_nulls)
@example(texts=[" a\nb", "\n\n a \n", "\x1ca\x85", "\u200ba", None, "", "\u3000"])
def test_a_stripped_prediction_is_that_of_python(texts):
    prepare = PREDICTIONS["stripped"]
    assert prepare is not None
    assert prepare(large_strings(texts)).to_pylist() == [text if text is None else text.strip() for text in texts]


WHITE_SPACE = "".join(filter(str.isspace, map(chr, range(sys.maxunicode + 1))))


@pytest.mark.parametrize(
    ("of", "ignored"), [("text", ""), ("white_space", WHITE_SPACE), ("punctuation", string.punctuation)]
)
def test_a_text_is_empty_if_it_has_only_ignored_characters(of, ignored):
    texts = ["", *string.punctuation, string.punctuation, ".\n", "\n.", "a", "-a-", "。", "\x00", "\u200b"]
    texts += [*WHITE_SPACE, WHITE_SPACE, " a "]
    found = is_empty_text(large_strings(texts), of)
    assert found.tolist() == [set(text) <= set(ignored) for text in texts]
