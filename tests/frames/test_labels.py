"""Rows go by position whatever their labels, and columns may have any label."""

from __future__ import annotations

import pandas as pd
import pytest

import qa_frame

INDEXES = {
    "duplicates": pd.Index([7, 7, -1]),
    "all-the-same": pd.Index([0, 0, 0]),
    "strings": pd.Index(["c", "a", "b"]),
    "nulls": pd.Index([None, "a", None], dtype=object),
    "multi": pd.MultiIndex.from_tuples([("b", 1), ("a", 2), ("b", 1)], names=["model", "question"]),
    "datetime": pd.DatetimeIndex(["2024-03-01", "2024-01-01", "2024-03-01"]),
    "categorical": pd.CategoricalIndex(["x", "y", "x"]),
    "range-from-5": pd.RangeIndex(5, 8),
    "range-down": pd.RangeIndex(2, -1, -1),
    "named": pd.Index([3, 2, 1], name="question_id"),
    "named-like-a-score": pd.Index([3, 2, 1], name="em"),
}


@pytest.mark.parametrize("name", INDEXES)
@pytest.mark.parametrize("append", [True, False])
def test_index_is_kept_and_rows_go_by_position(name, append):
    frame = pd.DataFrame({"response": ["a", "b", "c"], "answers": [["a"], ["x"], ["c"]]}, index=INDEXES[name])
    scored = frame.qa.score("response", "answers", append=append)
    pd.testing.assert_index_equal(scored.index, INDEXES[name], exact=True)
    assert scored["em"].tolist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("name", INDEXES)
def test_replaced_columns_go_by_position(name):
    frame = pd.DataFrame({"em": 9.0, "response": ["a", "b", "c"], "answers": ["a", "x", "c"]}, index=INDEXES[name])
    assert frame.qa.score("response", "answers")["em"].tolist() == [1.0, 0.0, 1.0]


LABELS = {
    "ints": (1, 0),
    "floats": (0.5, 1.5),
    "negative-and-text": (-1, "answers"),
    "tuples": (("qa", "response"), ("qa", "answers")),
    "timestamps": (pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-02")),
    "empty-text": ("", " "),
}


@pytest.mark.parametrize("name", LABELS)
def test_labels_that_are_not_strings(name):
    pred, gold = LABELS[name]
    frame = pd.DataFrame([["a", ["a"]], ["b", ["x"]]])
    frame.columns = pd.Index([pred, gold], tupleize_cols=False)
    scored = frame.qa.score(pred, gold, metrics=["em", "f1"])
    assert list(scored.columns) == [pred, gold, "qa_rules", "qa_flags", "em", "f1"]
    assert scored["em"].tolist() == [1.0, 0.0]
    assert scored.qa.summary()["em"].tolist() == [0.5]


@pytest.fixture
def two_levels():
    frame = pd.DataFrame([["m", "a", ["a"]], ["m", "b", ["x"]]])
    frame.columns = pd.MultiIndex.from_tuples(
        [("run", "model"), ("qa", "response"), ("qa", "answers")], names=["a", "b"]
    )
    return frame


def test_multiindex_columns(two_levels):
    scored = two_levels.qa.score(("qa", "response"), ("qa", "answers"), metrics=["em", "f1"])
    assert list(scored.columns) == [*two_levels.columns, ("qa_rules", ""), ("qa_flags", ""), ("em", ""), ("f1", "")]
    assert scored.columns.names == ["a", "b"]
    assert scored["em"].tolist() == [1.0, 0.0]


def test_multiindex_columns_scored_again(two_levels):
    scored = two_levels.qa.score(("qa", "response"), ("qa", "answers"), metrics=["em", "f1"])
    again = scored.qa.score(("qa", "response"), ("qa", "answers"), metrics=["em", "recall"])
    assert list(again.columns) == [*scored.columns, ("recall", "")]
    assert again["em"].tolist() == [1.0, 0.0]


def test_multiindex_columns_with_a_group_named_like_a_score(two_levels):
    frame = two_levels.rename(columns={"run": "em"}, level=0)
    scored = frame.qa.score(("qa", "response"), ("qa", "answers"), metrics=["em"])
    assert list(scored.columns) == [*frame.columns, ("qa_rules", ""), ("qa_flags", ""), ("em", "")]
    assert scored["em", "model"].tolist() == ["m", "m"]


def test_multiindex_columns_in_a_summary(two_levels):
    scored = two_levels.qa.score(("qa", "response"), ("qa", "answers"), metrics=["em", "f1"])
    assert scored.qa.summary(by=[("run", "model")])["em"].tolist() == [0.5]


def test_other_columns_may_share_a_name():
    frame = pd.DataFrame([["a", ["a"], 1, 2]], columns=["response", "answers", "x", "x"])
    scored = frame.qa.score("response", "answers", metrics="em")
    assert list(scored.columns) == ["response", "answers", "x", "x", "qa_rules", "qa_flags", "em"]


def test_one_column_as_both():
    frame = pd.DataFrame({"text": ["a", None]})
    assert frame.qa.score("text", "text")["em"].to_list()[0] == 1.0


@pytest.mark.parametrize(
    "columns",
    [pd.Index(["response", "answers"], name="field"), pd.CategoricalIndex(["response", "answers"])],
    ids=["named", "categorical"],
)
def test_kinds_of_column_index(columns):
    frame = pd.DataFrame([["a", ["a"]]])
    frame.columns = columns
    scored = frame.qa.score("response", "answers", metrics="em")
    assert list(scored.columns) == ["response", "answers", "qa_rules", "qa_flags", "em"]
    assert scored.columns.name == columns.name


def test_several_levels_of_columns_are_remembered():
    sample = qa_frame.sample()
    deep = sample.copy()
    deep.columns = pd.MultiIndex.from_tuples([("d", name) for name in sample.columns])
    counts = ["n", "n_rows", "n_missing", "n_no_gold"]
    found = deep.qa.score(("d", "response"), ("d", "answers")).qa.summary(by=[("d", "model")])
    expected = sample.qa.score("response", "answers").qa.summary(by="model")
    assert found[counts].to_numpy().tolist() == expected[counts].to_numpy().tolist()


@pytest.mark.parametrize("prefix", [None, 3])
def test_prefix(prefix):
    sample = qa_frame.sample()
    scored = sample.qa.score("response", "answers")
    for call in (
        lambda: sample.qa.score("response", "answers", prefix=prefix),
        lambda: scored.qa.summary(prefix=prefix),
    ):
        with pytest.raises(qa_frame.errors.UnknownOptionError, match="prefix="):
            call()
