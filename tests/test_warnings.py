"""Each warning names the line of the user's that led to it, not one inside the package."""

from __future__ import annotations

import warnings

import pandas as pd
import pytest

import qa_frame

JOINED = pd.DataFrame({"response": ["a"] * 20, "answers": ["a;b"] * 20, "model": ["x", "y"] * 10})
NULL = pd.DataFrame({"response": [None] * 20, "answers": [["a"]] * 20, "model": ["x", "y"] * 10})
APART = pd.DataFrame({"question": [1, 2, 3, 4], "model": [*"xxyy"], "dataset": [*"aabb"], "f1": [0.5, 1.0, 0.0, 1.0]})
COLUMNS = {"pred": "response", "gold": "answers"}
CALLS = {
    "score": lambda: qa_frame.score(JOINED, **COLUMNS),
    "df.qa.score": lambda: JOINED.qa.score(**COLUMNS),
    "extract": lambda: qa_frame.score(NULL.fillna({"response": "a"}), **COLUMNS, extract="boxed"),
    "summary": lambda: qa_frame.summary(qa_frame.score(NULL, **COLUMNS, stats=True), "model"),
    "compare": lambda: qa_frame.compare(APART, ["model", "dataset"], "question", n_resamples=20),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_warning_names_the_line_that_called(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert caught
    assert {warning.filename for warning in caught} == {__file__}
    assert {warning.lineno for warning in caught} == {call.__code__.co_firstlineno}
