"""Golds that were written out as text: read as Python reads them, whatever the filter of warnings, in linear time."""

from __future__ import annotations

import ast
import time
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import qa_frame
from qa_frame.frames import stringified_lists as written_lists
from qa_frame.frames.diagnosis import WRITTEN_GOLDS, WRITTEN_NUMBERS

UNKNOWN_ESCAPES = [
    (r"['\d', 'b']", [r"\d", "b"]),
    (r"['\d' 'b']", [r"\d", "b"]),
    (r"""["\sqrt{2}", '\é\n']""", [r"\sqrt{2}", "\\é\n"]),
    (r"[b'\d\N', r'\d']", [r"\d\N", r"\d"]),
    (r"['\400', '\7']", ["Ā", "\7"]),
    ("[1if, 2]", ["[1if, 2]"]),
    ("[0xfor 1]", ["[0xfor 1]"]),
]


def golds_of(text: str) -> list[str | None]:
    return pa.array(qa_frame.to_golds(pd.Series([text], dtype=object))).to_pylist()[0]


@pytest.mark.parametrize(("text", "golds"), UNKNOWN_ESCAPES)
@pytest.mark.parametrize("action", ["error", "always"])
def test_golds_do_not_depend_on_the_filter_of_warnings(text, golds, action):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter(action)
        assert golds_of(text) == golds
    assert not warned


@pytest.mark.parametrize(
    ("text", "golds"),
    [
        ("[9007199254740993 1]", ["9007199254740993", "1"]),
        ("[9007199254740993, 1]", ["9007199254740993", "1"]),
        ("[-7 +8 1. .5 1e3]", ["-7", "8", "1", "0.5", "1000"]),
        ("[b'a' b'b']", ["a", "b"]),
        ('["1 ... 2", "x"]', ["1 ... 2", "x"]),
        ("['a\nb' 'c']", ["['a\nb' 'c']"]),
        ("{['a']}", ["{['a']}"]),
        ("array(['a', 'b'], shape=(2,), dtype=object)", ["a", "b"]),
        ("{'text': array(['a', \"it's\"],\n      dtype=object), 'answer_start': array([177])}", ["a", "it's"]),
        ("{'text': array([], dtype=object), 'answer_start': array([], dtype=int32)}", []),
        ("[np.str_('a'), np.int64(3), np.float64(0.5)]", ["a", "3", "0.5"]),
        ("['a', nan]", ["a", None]),
        ("[np.float64(nan), 'a', np.int64(3)]", [None, "a", "3"]),
        ("['a', null, NaN, <NA>, NaT, None]", ["a", None, None, None, None, None]),
        ("['a' nan]", ["a", None]),
        ("[None 'a']", [None, "a"]),
        ("['a' 3 True np.float64(0.5) np.str_('b')]", ["a", "3", "True", "0.5", "b"]),
        ("{'text': array(['a', nan], dtype=object)}", ["a", None]),
        ("['nan', 'a']", ["nan", "a"]),
        ("['a', nano]", ["['a', nano]"]),
        ("array[0]", ["array[0]"]),
        ("array(1, 2)", ["array(1, 2)"]),
        ("[np.mean('a', 'b')]", ["[np.mean('a', 'b')]"]),
        (f"[{'1' * 5000}]", [f"[{'1' * 5000}]"]),
        (f"[{'1' * 5000} 2]", [f"[{'1' * 5000} 2]"]),
    ],
)
def test_what_is_read(text, golds):
    assert golds_of(text) == golds


@pytest.mark.parametrize(
    "text",
    [
        *("['a' 'b' ... 'z']", "[0 1 ... 9]", "[0.5 1. ... 9.]", "array([0, 1, ..., 9], shape=(1000,))", "['a', ...]"),
        "{'text': array(['a', ..., 'z'], shape=(1001,), dtype=object)}",
    ],
)
def test_what_was_shortened(text):
    with pytest.raises(qa_frame.errors.GoldFormatError, match="shortened"):
        golds_of(text)


@pytest.mark.parametrize("value", [np.array(["Denver Broncos"], object), np.array(["a", "it's", 'a "b"'] * 20)])
def test_answers_of_squad_as_csv_has_them(value):
    """`str` of the dicts that `pandas.read_parquet` gives, which `to_csv` writes."""
    assert golds_of(str({"text": value, "answer_start": np.arange(len(value))})) == value.tolist()


@pytest.mark.parametrize("text", ["{'text': array(['a', inf], dtype=object)}", "{'text': Series(['a'])}"])
def test_answers_that_cannot_be_read_are_an_error(text):
    with pytest.raises(
        qa_frame.errors.GoldFormatError, match="is a dict that was written out, and cannot be read; take"
    ):
        golds_of(text)


TOKENS = (
    "'a'",
    '"b"',
    r"'\d'",
    r"b'\xe9\q'",
    r"r'\d'",
    "'''",
    "-2",
    "+ .5",
    "1e3",
    "0x1f",
    "None",
    "True",
    "...",
    "or",
)
ESCAPES = (r"\n", r"\x41", r"\u00e9", r"\U0001F600", r"\N{DIGIT ONE}", r"\400", r"\07", "\\\n", "\\\r\n", "''", "u'c'")
pieces = st.lists(st.sampled_from((*"[](){},: \n\t'\"\\ad1_jé#", *TOKENS, *ESCAPES)), max_size=12).map("".join)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
literals = st.recursive(
    st.none() | st.booleans() | numbers | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=3) | st.tuples(inner),
).map(repr)


def read(reader, text):
    """What a reader makes of a text, as Python writes it; None where it reads nothing."""
    try:
        return repr(reader(text))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


@settings(max_examples=500)
@given(text=literals | pieces | st.tuples(pieces, pieces).map(lambda inside: f"['{inside[0]}', {inside[1]}]"))
@example(r"['\\d\\\q', b'\u00e9\777']")
@example("['''a'b''', 'c' 'd']")
@example("[1, # 'two'\n 3]")
def test_literals_are_read_as_python_reads_them(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = read(ast.literal_eval, text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(written_lists._read_python, text) == expected


@given(texts=st.lists(st.text(st.characters(codec="utf-8")), min_size=2, max_size=5))
def test_lists_written_by_numpy_come_back(texts):
    assert golds_of(str(np.array(texts, object))) == texts


words = st.text(st.characters(codec="utf-8"), max_size=5)
nulls = st.sampled_from([None, float("nan"), np.float64("nan"), pd.NA, pd.NaT])
items = words | nulls | st.integers(-9, 99) | st.sampled_from([1.5, 2e-7, np.int64(3), np.str_("it's")])


@given(golds=st.lists(items, min_size=2, max_size=4))
@pytest.mark.parametrize("make", [list, tuple, lambda golds: np.array(golds, object)], ids=["list", "tuple", "numpy"])
def test_lists_with_nulls_and_numbers_come_back(make, golds):
    expected = pa.array(qa_frame.to_golds(pd.Series([golds], dtype=object))).to_pylist()[0]
    assert golds_of(str(make(golds))) == expected


@settings(max_examples=500)
@example(golds=["a", float("nan")], make=list)
@example(golds=["a", None, "b"], make=np.array)
@given(golds=st.lists(items | st.booleans(), min_size=1, max_size=4), make=st.sampled_from([list, tuple, np.array]))
def test_what_score_says_to_read_is_read(golds, make):
    """What its error calls golds written out, `to_golds` reads: else the same call with its result would give 0."""
    written = str(np.array(golds, object) if make is np.array else make(golds))
    if any(pc.match_substring_regex(written, pattern).as_py() for pattern in (WRITTEN_GOLDS, WRITTEN_NUMBERS)):
        assert golds_of(written) != [written]
    ends = {type(gold) for gold in (golds[0], golds[-1])}
    if make is list and str in ends and bool not in ends:
        with pytest.raises(qa_frame.errors.GoldFormatError, match="written out"):
            qa_frame.score(pd.DataFrame({"response": ["a"], "answers": [written]}), "response", "answers")


LONG = {
    "digits": "1" * 2_000,
    "escaped quotes": rf"""'{chr(92)}'{f"{chr(92)}'" * 60_000}'""",
    "shortened": "1 ... x" * 100_000,
    "types": "],dtype=" * 100_000,
    "texts": "'a' " * 100_000,
    "nulls": "nan " * 100_000,
    "numbers": "1," * 100_000,
}


@pytest.mark.thorough
@pytest.mark.parametrize("written", LONG.values(), ids=LONG)
def test_a_list_takes_time_by_its_length(written):
    start = time.process_time()
    assert golds_of(f"[{written}]")
    assert golds_of(f"array([{written}(])")
    assert time.process_time() - start < 20


@pytest.mark.parametrize("written", ["{'a'}", "{'b', 'a'}", "{\"it's\", 'b', 3, 'z'}"])
def test_a_set_is_read_in_the_order_of_its_texts(written):
    frame = pd.DataFrame({"response": ["a"], "answers": [written]})
    with pytest.raises(qa_frame.errors.GoldFormatError, match="written out as text"):
        qa_frame.score(frame, "response", "answers")
    texts = [None if each is None else str(each) for each in sorted(ast.literal_eval(written), key=str)]
    assert qa_frame.to_golds(frame["answers"]).tolist() == [texts]


@pytest.mark.parametrize("text", ["{'a': 'b'}", "{a}", r"\{'a'\}", '{"answer": "b"}'])
def test_other_texts_in_braces_are_texts(text):
    assert qa_frame.score(pd.DataFrame({"r": [text], "g": [text]}), "r", "g", metrics="em")["em"].tolist() == [1.0]
