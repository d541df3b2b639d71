"""`to_text` and `to_golds`: what people have becomes what `score` takes, in the same kind of column."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import fractions
import json
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import qa_frame


class Colour(str, enum.Enum):
    RED = "red"


GOLDS = [
    ('["Seine", "the Seine"]', ["Seine", "the Seine"]),
    ("['Seine', \"it's\"]", ["Seine", "it's"]),
    ("['Seine' 'the River Seine']", ["Seine", "the River Seine"]),
    ("['a'\n 'b']", ["a", "b"]),
    ("array(['a', 'b'], dtype=object)", ["a", "b"]),
    ("[1999, 2001]", ["1999", "2001"]),
    ("[1 2 3]", ["1", "2", "3"]),
    ('["a", null]', ["a", None]),
    ("[]", []),
    ("('Paris', 'x')", ["Paris", "x"]),
    ("{'text': ['Paris'], 'answer_start': [3]}", ["Paris"]),
    ('{"text": ["Paris", "Paname"], "answer_start": [3, 4]}', ["Paris", "Paname"]),
    ({"text": ["Paris"], "answer_start": [3]}, ["Paris"]),
    ({"text": "Paris"}, ["Paris"]),
    ([{"text": "Paris", "answer_start": 3}], ["Paris"]),
    ([2001, "01"], ["2001", "01"]),
    ([1999.0, 0.5], ["1999", "0.5"]),
    (np.array(["a", None], object), ["a", None]),
    (("a", "b"), ["a", "b"]),
    (1999.0, ["1999"]),
    (2**64, [str(2**64)]),
    ([2**64, -(2**63) - 1], [str(2**64), str(-(2**63) - 1)]),
    (np.array(7), ["7"]),
    (np.array("['a']"), ["a"]),
    ([np.array("a"), np.ma.masked], ["a", None]),
    ({"text": np.array("Paris")}, ["Paris"]),
    ([decimal.Decimal("sNaN"), "a"], [None, "a"]),
    ("Paris", ["Paris"]),
    ("(Paris)", ["(Paris)"]),
    ("[sic]", ["[sic]"]),
    ("it's [x]", ["it's [x]"]),
    ("", [""]),
    (None, None),
]


@pytest.mark.parametrize(("value", "golds"), GOLDS, ids=[str(value)[:30] for value, _ in GOLDS])
def test_golds_of_one_value(value, golds):
    column = pd.Series([value, None], index=[7, 7], dtype=object, name="answers")
    found = qa_frame.to_golds(column)
    assert found.index.equals(column.index)
    assert found.name == "answers"
    assert pa.array(found).to_pylist() == [golds, None]


def test_a_separator_cuts_text_that_is_no_list():
    column = pd.Series(["Paris | City of Light", '["a | b"]', "Rome", " | "])
    assert qa_frame.to_golds(column, sep="|").tolist() == [["Paris", "City of Light"], ["a | b"], ["Rome"], []]


def test_a_separator_cuts_text_in_lists():
    column = pd.Series([["Paris|City of Light"], ["Rome", None, "a | b"], [], None])
    wanted = [["Paris", "City of Light"], ["Rome", None, "a", "b"], [], None]
    assert pa.array(qa_frame.to_golds(column, sep="|")).to_pylist() == wanted
    assert pa.array(qa_frame.to_golds(column)).to_pylist() == column.tolist()


@given(st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"]))) | st.none(), max_size=4))
def test_lists_written_as_json_or_python_come_back(lists):
    for write in (json.dumps, repr):
        written = pd.Series([None if each is None else write(each) for each in lists], dtype=object)
        assert pa.array(qa_frame.to_golds(written)).to_pylist() == lists


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Paris", "Paris"),
        (b"Paris", "Paris"),
        (1999.0, "1999"),
        (0.5, "0.5"),
        (2**70, str(2**70)),
        (np.int64(2**62 + 1), str(2**62 + 1)),
        (-3.0, "-3"),
        (float("inf"), "inf"),
        (True, "True"),
        (decimal.Decimal("1.50"), "1.50"),
        (decimal.Decimal("2.0"), "2"),
        (dt.date(2024, 1, 2), "2024-01-02"),
        (decimal.Decimal("1e400"), "1E+400"),
        (decimal.Decimal("-Infinity"), "-Infinity"),
        (decimal.Decimal("NaN"), None),
        (decimal.Decimal("sNaN"), None),
        (fractions.Fraction(10**400), str(10**400)),
        (fractions.Fraction(10**400, 3), f"{10**400}/3"),
        (dt.timedelta(seconds=3), "0:00:03"),
        (dt.datetime(2024, 1, 2, tzinfo=dt.timezone.utc), "2024-01-02 00:00:00+00:00"),
        (np.str_("Paris"), "Paris"),
        (Colour.RED, "red"),
        (np.array("Paris"), "Paris"),
        (np.array(1999.0), "1999"),
        (np.array(None), None),
        (np.ma.masked, None),
        (["Paris"], "Paris"),
        ([1999.0], "1999"),
        ([np.array(7)], "7"),
        (float("nan"), None),
    ],
)
def test_text_of_one_value(value, text):
    assert pa.array(qa_frame.to_text(pd.Series([value], dtype=object))).to_pylist() == [text]


def test_each_kind_of_column_gives_its_own():
    values, texts = [1999.0, None, 0.5], ["1999", None, "0.5"]
    assert qa_frame.to_text(pa.array(values)).to_pylist() == texts
    assert qa_frame.to_text(pa.chunked_array([values])).to_pylist() == texts
    found = qa_frame.to_text(pl.Series("year", values))
    assert isinstance(found, pl.Series)
    assert found.name == "year"
    assert found.to_list() == texts


class Unprintable:
    def __repr__(self):
        raise RuntimeError


def nested(depth):
    """A text in so many lists."""
    value = "a"
    for _ in range(depth):
        value = [value]
    return value


def endless():
    """A dict that holds itself."""
    value = {}
    value["text"] = value
    return value


@pytest.mark.parametrize(
    ("value", "error", "said"),
    [
        ({"a", "b"}, qa_frame.errors.ColumnTypeError, "sorted"),
        ("['a' 'b' ... 'z']", qa_frame.errors.GoldFormatError, "shortened"),
        ([["a"]], qa_frame.errors.GoldFormatError, "flat list"),
        ({"answers": ["a"]}, qa_frame.errors.ColumnTypeError, "answers"),
        (object(), qa_frame.errors.ColumnTypeError, "Make it one of these"),
        (10**5000, qa_frame.errors.ColumnTypeError, "set_int_max_str_digits"),
        ([10**5000], qa_frame.errors.GoldFormatError, "set_int_max_str_digits"),
        (fractions.Fraction(10**5000, 3), qa_frame.errors.ColumnTypeError, "set_int_max_str_digits"),
        (1j, qa_frame.errors.ColumnTypeError, "is a complex"),
        (np.timedelta64(3, "s"), qa_frame.errors.ColumnTypeError, "is a timedelta64"),
        (np.void(b"a"), qa_frame.errors.ColumnTypeError, "is a void"),
        (pd.Interval(0, 1), qa_frame.errors.ColumnTypeError, "is a Interval"),
        (iter("ab"), qa_frame.errors.ColumnTypeError, "iterator"),
        (Unprintable(), qa_frame.errors.ColumnTypeError, "<Unprintable>"),
        ("a\udc80", qa_frame.errors.InvalidTextError, "encode"),
        (["a", "a\udc80"], qa_frame.errors.InvalidTextError, "encode"),
        ({"text": "a\udc80"}, qa_frame.errors.InvalidTextError, "encode"),
        ('["\\ud800"]', qa_frame.errors.InvalidTextError, "encode"),
        (b"\xff", qa_frame.errors.InvalidTextError, "real encoding"),
        (nested(500), qa_frame.errors.GoldFormatError, "flat list"),
        (nested(100_000), qa_frame.errors.GoldFormatError, "flat list"),
        ({"text": endless()}, qa_frame.errors.ColumnTypeError, "nested too deep"),
    ],
    ids=str.split(
        "set shortened nested dict object long long-in-list long-fraction complex timedelta64 void "
        "interval iterator unprintable surrogate surrogate-in-list surrogate-in-dict written-surrogate bytes deep "
        "very-deep endless"
    ),
)
def test_what_cannot_be_golds(value, error, said):
    with pytest.raises(error, match=said) as raised:
        qa_frame.to_golds(pd.Series(["a", value], index=["x", "y"], dtype=object))
    assert "index label 'y'" in str(raised.value)


@pytest.mark.parametrize(
    ("value", "error", "said"),
    [
        (10**5000, qa_frame.errors.ColumnTypeError, "set_int_max_str_digits"),
        ("a\udc80", qa_frame.errors.InvalidTextError, "encode"),
        (["a\udc80"], qa_frame.errors.InvalidTextError, "encode"),
        (np.timedelta64(3, "s"), qa_frame.errors.ColumnTypeError, "is a timedelta64"),
        (nested(100_000), qa_frame.errors.ColumnTypeError, "nested too deep"),
        (["a", "b"], qa_frame.errors.ColumnTypeError, "Make it one of these"),
    ],
    ids=["long", "surrogate", "surrogate-in-list", "timedelta64", "very-deep", "two"],
)
def test_what_cannot_be_text(value, error, said):
    with pytest.raises(error, match=said) as raised:
        qa_frame.to_text(pd.Series(["a", value], index=["x", "y"], dtype=object))
    assert "index label 'y'" in str(raised.value)


def test_a_remedy_for_long_numbers():
    most = sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(0)
        assert len(qa_frame.to_text(pd.Series([10**5000], dtype=object))[0]) == 5001
    finally:
        sys.set_int_max_str_digits(most)


@pytest.mark.parametrize("make", [pa.array, lambda *given: pd.Series(pd.arrays.ArrowExtensionArray(pa.array(*given)))])
def test_arrow_columns_that_python_cannot_have(make):
    for convert in (qa_frame.to_text, qa_frame.to_golds):
        not_utf8 = pa.array([b"a", b"\xff"]).view(pa.string())
        with pytest.raises(qa_frame.errors.InvalidTextError, match="real encoding"):
            convert(not_utf8 if make is pa.array else make(not_utf8))
        with pytest.raises(qa_frame.errors.ColumnTypeError, match="make them text first"):
            convert(make([10**12], pa.timestamp("s")))


def test_what_is_no_column_or_separator():
    with pytest.raises(qa_frame.errors.ColumnTypeError, match="one column"):
        qa_frame.to_golds(pd.DataFrame({"a": ["b"]}))
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="sep=''"):
        qa_frame.to_golds(pd.Series(["a"]), sep="")


def test_years_are_scored_as_people_mean_them():
    frame = pd.DataFrame({"response": [1999.0, None], "answers": ["[1999, 2001]", "['x']"]})
    fixed = frame.assign(response=qa_frame.to_text(frame["response"]), answers=qa_frame.to_golds(frame["answers"]))
    assert fixed.qa.score("response", "answers", metrics="em", append=False)["em"].tolist() == [1.0, 0.0]
