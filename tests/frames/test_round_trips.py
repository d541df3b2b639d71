"""Columns that this package makes live in pandas: it counts, sorts and writes them, and reads them again."""

from __future__ import annotations

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import qa_frame
from qa_frame.frames.conversions import series_of

GOLDS = [["Seine", "the Seine"], None, [], ["Dvořák 東京", None], ["Seine", "the Seine"]]
WRITTEN = ["['Seine', 'the Seine']", None, "[]", '["Dvořák 東京", null]', "['Seine', 'the Seine']"]
PREDS = ["The Seine.", "a", "b", "dvořák 東京", None]


def frame_of(table):
    return pd.DataFrame({name: series_of(table[name]) for name in table.column_names}, pd.RangeIndex(len(table)))


def frame_of_golds(column):
    return pd.DataFrame({"response": PREDS, "answers": qa_frame.to_golds(column)})


GOLD_COLUMNS = {
    "written": lambda: pd.Series(WRITTEN, dtype=object),
    "lists": lambda: pd.Series(GOLDS, dtype=object),
    "arrow-lists": lambda: pd.Series(pa.array(GOLDS), dtype=pd.ArrowDtype(pa.list_(pa.string()))),
    "arrays": lambda: pd.Series([each if each is None else np.array(each, object) for each in GOLDS], dtype=object),
}


@pytest.mark.parametrize("form", GOLD_COLUMNS)
@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_golds_come_back_from_files_that_pandas_writes(form, suffix, tmp_path):
    frame = frame_of_golds(GOLD_COLUMNS[form]())
    path = tmp_path / f"frame.{suffix}"
    getattr(frame, f"to_{suffix}")(path)
    again = getattr(pd, f"read_{suffix}")(path)
    assert [each if each is None else list(each) for each in again["answers"]] == GOLDS
    expected = frame.qa.score("response", "answers", append=False)
    pd.testing.assert_frame_equal(again.qa.score("response", "answers", append=False), expected)


def test_scored_frames_come_back_with_what_they_remember(tmp_path):
    frame = frame_of_golds(GOLD_COLUMNS["written"]()).qa.score("response", "answers")
    frame.to_parquet(tmp_path / "scored.parquet")
    again = pd.read_parquet(tmp_path / "scored.parquet")
    pd.testing.assert_frame_equal(again.qa.summary(), frame.qa.summary())


def test_what_pandas_does_with_lists():
    golds = qa_frame.to_golds(pd.Series(WRITTEN, index=list("abcde"), dtype=object))
    assert golds.tolist() == GOLDS
    assert golds.str.len().dropna().tolist() == [2, 0, 2, 2]
    assert golds.str[0].dropna().tolist() == ["Seine", "Dvořák 東京", "Seine"]
    assert golds.explode().dropna().tolist() == ["Seine", "the Seine", "Dvořák 東京", "Seine", "the Seine"]
    assert golds.value_counts().tolist() == [2, 1, 1]
    assert golds.drop("d").sort_values().index.tolist() == ["c", "a", "e", "b"]
    assert golds.duplicated().tolist() == [False, False, False, False, True]
    frame = golds.to_frame("answers").assign(key=[3, 1, 2, 5, 4])
    assert frame.sort_values("key")["answers"].tolist() == [GOLDS[row] for row in (1, 2, 0, 4, 3)]


def test_what_pandas_does_with_text():
    texts = qa_frame.to_text(pd.Series([1999.0, None, 7.0, 7.0]))
    assert texts.str.len().dropna().tolist() == [4, 1, 1]
    assert texts.value_counts().to_dict() == {"7": 2, "1999": 1}
    assert texts.sort_values().dropna().tolist() == ["1999", "7", "7"]


def test_rows_of_equal_text_share_no_list():
    given = pd.Series([["a"], ["a"]])
    for column in (pd.Series(["['a']", "['a']"]), given):
        golds = qa_frame.to_golds(column)
        golds.iloc[0].append("b")
        assert golds.tolist() == [["a", "b"], ["a"]]
    assert given.tolist() == [["a"], ["a"]]


KINDS = {
    "text": pa.array(["a", None, "b"]),
    "large text": pa.array(["a", None, "b"], pa.large_string()),
    "text view": pa.array(["a", None, "b"], pa.string_view()),
    "bytes": pa.array([b"a", None, b"b"]),
    "fixed bytes": pa.array([b"ab", None, b"cd"], pa.binary(2)),
    "dictionary": pa.array(["a", None, "a"]).dictionary_encode(),
    "dictionary of numbers": pa.array([2, None, 2]).dictionary_encode(),
    "run ends": pc.run_end_encode(pa.array(["a", None, "b"])),
    "whole numbers": pa.array([2**62 + 1, None, -1]),
    "small numbers": pa.array([1, None, 255], pa.uint8()),
    "floats": pa.array([0.5, None, 1.0]),
    "truth values": pa.array([True, None, False]),
    "decimals": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("2.00")]),
    "long decimals": pa.array([decimal.Decimal("1.50"), None], pa.decimal256(50, 2)),
    "dates": pa.array([dt.date(2024, 1, 2), None]),
    "times": pa.array([dt.datetime(2024, 1, 2, tzinfo=dt.timezone.utc), None], pa.timestamp("us", "UTC")),
    "durations": pa.array([dt.timedelta(seconds=1), None]),
    "lists": pa.array([["a", None], None, []]),
    "lists of numbers": pa.array([[1, 2**62 + 1], None, []]),
    "large lists": pa.array([["a"], None, []], pa.large_list(pa.large_string())),
    "fixed lists": pa.array([["a", "b"], None], pa.list_(pa.string(), 2)),
    "lists of dictionary": pa.array([["a"], None, []], pa.list_(pa.dictionary(pa.int8(), pa.string()))),
    "lists of lists": pa.array([[["a"], [], None], None, []]),
    "lists of dicts": pa.array([[{"a": 1, "b": "x"}], None, []]),
    "dicts": pa.array([{"a": 1, "b": ["x"]}, None]),
    "maps": pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int64())),
}


def plain(value):
    """A value as Python has it, whatever pandas made of it."""
    if isinstance(value, np.ndarray | list):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    return None if pd.isna(value) else value


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_all_types_come_back(kind, tmp_path):
    array = KINDS[kind]
    expected = [dict(each) if each and kind == "maps" else each for each in array.to_pylist()]
    for column in (array, pa.chunked_array([array[:1], array[1:]], array.type), array[:0], array[1:]):
        rows = {len(array): expected, 0: [], len(array) - 1: expected[1:]}[len(column)]
        frame = frame_of(pa.table({"column": column}))
        assert list(map(plain, frame["column"])) == rows
        if kind == "maps" and len(rows) < len(expected):
            continue  # pandas writes no dicts whose names it cannot see
        frame.to_parquet(tmp_path / "frame.parquet")
        again = pd.read_parquet(tmp_path / "frame.parquet")
        assert list(map(plain, again["column"])) == rows


def test_a_frame_without_rows_or_columns():
    assert frame_of(pa.table({})).shape == (0, 0)
    empty = frame_of(pa.table({"answers": pa.array([], pa.list_(pa.string()))}))
    assert empty["answers"].tolist() == []


def test_other_libraries_take_the_lists():
    frame = frame_of_golds(GOLD_COLUMNS["written"]())
    assert pl.from_pandas(frame)["answers"].to_list() == GOLDS
    assert pa.Table.from_pandas(frame)["answers"].to_pylist() == GOLDS
