"""Numbers as people write them, against what inspect 0.3.285 reads."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_frame.text.numerals import number_of, numbers_in, read_number
from tests.text.test_unicode_data import NUMBERS

RECORDED: list[tuple[str, str | None, list[str]]] = json.loads(
    (Path(__file__).parents[1] / "golden" / "numerals.json").read_text("utf-8")
)


def test_recorded_numbers():
    """Whether a text is a number, and which of its words are."""
    assert len(RECORDED) > 500
    for text, as_a_whole, of_words in RECORDED:
        if text in NUMBERS:  # Python's Unicode says what it is
            continue
        assert number_of(text) == as_a_whole, text
        assert [*numbers_in(text)] == of_words, text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_python_reads_numbers_of_digits(value: float):
    assert read_number(str(value)) == value
    assert [*numbers_in(f"It is {value}, or so.")] == [format(value, ".5g")]


@given(st.text(max_size=20))
def test_any_text_is_a_finite_number_or_none(text: str):
    value = read_number(text)
    assert value is None or math.isfinite(value)
    assert all(math.isfinite(float(number)) for number in numbers_in(text))


@pytest.mark.parametrize("text", ["1" * 5000, "1e400", "9⁹⁹⁹", "0⁻¹", "一" * 400, "nan", "-inf"])
def test_what_no_float_holds_is_no_number(text: str):
    assert read_number(text) is None


@pytest.mark.thorough
def test_time_grows_with_the_length_of_a_text():
    """And not with the square of it, which would take minutes here."""
    started = time.process_time()
    for part in ("1", ".", "五", "一点", "x", "½", "$", "\\", "² "):
        number_of(f"一点{part * 100_000}")
        number_of(part * 100_000)
        [*numbers_in(part * 100_000)]
    assert time.process_time() - started < 30


@pytest.mark.thorough
@pytest.mark.parametrize("sign", ["-", "+", "负\u2009"])
def test_time_grows_with_the_number_of_signs(sign):
    started = time.process_time()
    assert number_of(sign * 1_000_000 + "1") == "1"
    assert number_of(sign * 3 + "5") == ("5" if sign == "+" else "-5")
    assert time.process_time() - started < 30
