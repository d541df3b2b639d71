"""`qa_frame.extract_answers`, and `extract` of the functions that score."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import qa_frame
from qa_frame.errors import ColumnTypeError, InvalidTextError, MissingPredictionError, UnknownOptionError
from qa_frame.extraction.steps import EXTRACTIONS
from qa_frame.scoring import batches
from tests.extraction.test_steps import STEPS, columns
from tests.reference import extraction as twin

pytestmark = [
    pytest.mark.filterwarnings("ignore::qa_frame.errors.ScoringWarning"),
    pytest.mark.filterwarnings("ignore:intervals and p:qa_frame.errors.IntervalWarning"),  # of two questions
]

RESPONSES = ["<think>7?</think> \\boxed{8}", None, "<think>It is 8", " \\boxed{} ", "8\n"]
ANSWERS = ["\\boxed{8}", None, None, "\\boxed{}", "8"]
GOLDS = [["8"], ["8"], ["8"], [""], []]


@pytest.fixture
def frame():
    return pd.DataFrame({"response": RESPONSES, "answers": GOLDS}, index=[7, 7, -1, 0, 3])


# ------------------------------------------------------------------------------------------------ the public function


def test_a_column_of_nulls_alone():
    assert qa_frame.extract_answers(pa.nulls(3), "boxed").null_count == 3
    assert qa_frame.extract_answers(pd.Series([None, np.nan]), "boxed").isna().all()


@pytest.mark.parametrize(
    ("column", "error", "message"),
    [
        (["a"], ColumnTypeError, "extract_answers: column is a list; give one column"),
        (pd.DataFrame({"a": ["b"]}), ColumnTypeError, "extract_answers: column is a DataFrame"),
        (pd.Series([1.0]), ColumnTypeError, "extract_answers: column"),
        (pl.Series([1.5]), ColumnTypeError, "extract_answers: column"),
        (pd.Series(["a", 3.5], index=["x", "y"]), ColumnTypeError, "'y'"),
        (pd.Series(["a", b"\xff"], index=["x", "y"]), InvalidTextError, "extract_answers: column"),
    ],
)
def test_what_is_no_column_of_text(column, error, message):
    with pytest.raises(error, match=re.escape(message)):
        qa_frame.extract_answers(column, "boxed")


def test_nothing_to_extract():
    with pytest.raises(UnknownOptionError, match="extract=None takes no part of a response; give a name"):
        qa_frame.extract_answers(pd.Series(["a"]), None)


def test_each_name_is_documented():
    page = Path(__file__).parents[2] / "notebooks" / "pages" / "extraction.md"
    assert all(f"`{name}`" in page.read_text("utf-8") for name in EXTRACTIONS)


# ------------------------------------------------------------------------------------------------------------ scoring


@given(
    texts=columns,
    steps=st.lists(st.sampled_from(STEPS), min_size=1, max_size=2),
    missing=st.sampled_from(["zero", "null"]),
)
def test_scores_are_those_of_the_extracted_answers(texts, steps, missing):
    golds = [["Paris", "42"], ["1"], []] * 3
    frame = pd.DataFrame({"r": pd.Series(texts, dtype=object), "g": golds[: len(texts)]})
    by_hand = frame.assign(r=pd.Series([twin.extract(text, steps) for text in texts], dtype=object))
    score = functools.partial(qa_frame.score, pred="r", gold="g", missing=missing, stats=True, append=False)
    pd.testing.assert_frame_equal(score(frame, extract=steps), score(by_hand), check_exact=True)


@pytest.mark.parametrize("convention", ["squad2", "mindformers", "context_bench"])
def test_the_convention_prepares_what_was_extracted(convention):
    pytest.importorskip("jieba")
    frame = pd.DataFrame({"r": ["so:\n<answer>\n Paris \nor Rome</answer>", "Paris"], "g": [["Paris"], ["Paris"]]})
    by_hand = frame.assign(r=["Paris \nor Rome", None])
    scored = qa_frame.score(frame, "r", "g", convention=convention, extract="answer_tag", append=False)
    pd.testing.assert_frame_equal(scored, qa_frame.score(by_hand, "r", "g", convention=convention, append=False))


def test_missing_zero_and_null(frame):
    zero = frame.qa.score("response", "answers", extract=["after_think", "boxed"], metrics="em")
    null = frame.qa.score("response", "answers", extract=["after_think", "boxed"], metrics="em", missing="null")
    np.testing.assert_array_equal(zero["em"], [1.0, 0.0, 0.0, 1.0, np.nan])
    np.testing.assert_array_equal(null["em"], [1.0, np.nan, np.nan, 1.0, np.nan])
    assert zero["response"].tolist()[0] == RESPONSES[0]


def test_missing_raise(frame):
    score = functools.partial(qa_frame.score, pred="response", gold="answers", missing="raise", extract="after_think")
    with pytest.raises(MissingPredictionError, match="1 of 5 predictions are null"):
        score(frame)
    expected = r"extract \(after_think\) finds no answer in 1 of 4 responses, first at index label -1"
    with pytest.raises(MissingPredictionError, match=expected):
        score(frame[frame["response"].notna()])
    score(frame.iloc[[0, 3, 4]])


@pytest.mark.thorough
def test_jobs_make_no_difference(frame, monkeypatch):
    pytest.importorskip("joblib")
    monkeypatch.setattr(batches, "_ROWS_AT_ONCE", 100)
    many = pd.concat([frame] * 100)
    score = functools.partial(qa_frame.score, pred="response", gold="answers", extract="after_think", append=False)
    pd.testing.assert_frame_equal(score(many, n_jobs=2), score(many), check_exact=True)


def test_the_signature_names_the_extraction(frame):
    def signature(**options):
        return frame.qa.score(pred="response", gold="answers", **options).qa.summary().attrs["qa"]

    plain = signature()
    assert "extract" not in plain
    assert signature(extract=None) == plain
    assert signature(extract=["after_think", "boxed"]) == f"{plain}|extract:after_think>boxed"
    assert signature(extract=re.compile("a|b", re.DOTALL)) == f"{plain}|extract:regex('a|b',s)"


FUNCTIONS = {
    "score": {},
    "audit": {},
    "explain": {"label": 0},
    "compare_conventions": {"a": "squad", "b": "squad2"},
}


@pytest.mark.needs("audit")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_function_that_scores_extracts(name):
    frame = pd.DataFrame(
        {
            "model": ["a", "a", "b", "b"],
            "question": [1, 2, 1, 2],
            "response": ["x <answer>8</answer>", "<answer>9</answer>", "<answer>8", "is <answer>8</answer>"],
            "answers": [["8"]] * 4,
            "verdict": [1, 0, 0, 1],
        }
    )
    by_hand = frame.assign(response=qa_frame.extract_answers(frame["response"], "answer_tag"))
    function = functools.partial(getattr(qa_frame, name), pred="response", gold="answers", **FUNCTIONS[name])
    found, expected = function(frame, extract="answer_tag"), function(by_hand)
    if name == "compare_conventions":
        found, expected = found.means, expected.means
    if name == "explain":
        assert found.prediction == expected.prediction == "8"
        return
    if name == "audit":  # the tags are no finding where they are taken away
        assert "answer_tags" in set(qa_frame.audit(frame, pred="response", gold="answers")["finding"])
        assert "answer_tags" not in set(found["finding"])
        return
    assert not isinstance(found, pd.DataFrame) or "n_missing" not in found or found["n_missing"].tolist() == [1]
    same = [column for column in expected if column not in {"response", "n_not_extracted", "qa_rules", "qa_flags"}]
    pd.testing.assert_frame_equal(found[same], expected[same], check_exact=True)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_function_that_scores_refuses_a_wrong_name(name):
    frame = pd.DataFrame({"response": ["a"], "answers": [["a"]], "model": ["x"], "question": [1], "verdict": [1]})
    with pytest.raises(UnknownOptionError, match=re.escape("extract='box' is not known; did you mean 'boxed'?")):
        getattr(qa_frame, name)(frame, pred="response", gold="answers", extract="box", **FUNCTIONS[name])
