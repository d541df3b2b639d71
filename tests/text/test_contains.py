"""`contains` is Python's `in` on the tokens of both sides, joined by spaces."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.text.shared import TEXTS, contains_of_all_pairs, mixed_texts, strings_contain


@pytest.mark.parametrize("name", TEXTS)
@settings(deadline=None, max_examples=100)
@given(texts=mixed_texts)
@example(texts=[])
@example(texts=["", " ", "a the", ".", "x", ""])
def test_contains_is_in_on_the_joined_tokens(name, texts):
    assert contains_of_all_pairs(name, texts) == strings_contain(name, texts)


@pytest.mark.parametrize("name", TEXTS)
@settings(deadline=None, max_examples=100)
@given(texts=st.lists(st.text(st.sampled_from("ab é"), max_size=9), min_size=2, max_size=12))
def test_contains_within_words(name, texts):
    assert contains_of_all_pairs(name, texts) == strings_contain(name, texts)
