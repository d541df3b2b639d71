"""Which characters are letters, marks and numbers is what the Python that runs says, as in the sources' own code.

Each Python has another Unicode: 3.10 has 13.0, 3.11 has 14.0, 3.12 has 15.0, 3.13 has 15.1.
"""

from __future__ import annotations

import unicodedata

import pyarrow as pa
import pytest

import qa_frame
from qa_frame.text.numerals import number_of

HERE = tuple(map(int, unicodedata.unidata_version.split(".")))

NUMBERS = {
    "兆": ("1e+12", "1e+06"),
    "京": (None, "1e+16"),
    "秭": (None, "1e+09"),
    "皕": (None, "200"),
    "俩": (None, "2"),
    "倆": (None, "2"),
    "拐": (None, "7"),
    "洞": (None, "0"),
    "鈎": (None, "9"),
    "钩": (None, "9"),
    "两": ("2", "2"),
    "万": ("10000", "10000"),
    "½": ("0.5", "0.5"),
    "Ⅷ": ("8", "8"),
}
"""Characters that are numbers by themselves, before Unicode 15.1 and since."""


@pytest.mark.parametrize("character", NUMBERS)
def test_numbers(character):
    assert number_of(character) == NUMBERS[character][HERE >= (15, 1)]


SCORES = [
    ("Ⱟ", "ⱟ", "squad", "em", (14, 0), 0.0, 1.0),  # a capital letter and its small one
    ("a⹓b", "ab", "mlqa_en", "em", (14, 0), 0.0, 1.0),  # a mark
    ("a\U00011f04", "\U00011f04", "squad", "em", (15, 0), 1.0, 0.0),  # a letter: before, "a" is a word beside it
    ("\U00011f55", "5", "inspect_match_numeric", "contains", (15, 0), 0.0, 1.0),  # a digit
    ("It is 兆", "1000000000000", "inspect_match_numeric", "contains", (15, 1), 1.0, 0.0),
    ("It is 68兆", "8000000000000", "inspect_match_numeric", "contains", (15, 1), 1.0, 1.0),
    ("Dvořák ½ 東京", "dvořák ½ 東京", "squad", "em", (15, 1), 1.0, 1.0),
]
"""Prediction, gold, convention, metric; the Unicode that knows the character; the score before, and since."""


@pytest.mark.parametrize(("pred", "gold", "convention", "metric", "since", "before", "after"), SCORES)
def test_scores(pred, gold, convention, metric, since, before, after):  # noqa: PLR0917  (a row of the table)
    table = pa.table({"pred": [pred], "gold": [gold]})
    scored = qa_frame.score(table, "pred", "gold", metrics=metric, convention=convention)
    assert scored[metric].to_pylist() == [after if since <= HERE else before]
