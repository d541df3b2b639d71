"""`audit` without columns: what a frame holds that was not scored, and calls that run as they stand."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame
from qa_frame.errors import UnknownOptionError

ROWS = {
    "id": [1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6],
    "problem": [f"Who is {number}?" for number in [1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6]],
    "gt": [["Ann"], ["Rome", "Roma"]] * 6,
    "llama_reply": ["Ann", "Oslo", "B", "A"] * 3,
    "model": ["a", "a", "b", "b"] * 3,
    "options": [["Ann", "Rome"]] * 12,
    "passages": [["Ann was here."]] * 12,
    "human_verdict": [1.0, 0.0, 1.0, 0.0] * 3,
    "harness_f1": [1.0, 0.0, 0.0, 0.0] * 3,
    "note": [None] * 12,
    "stop_reason": ["stop", "length"] * 6,
}
KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": lambda rows: pa.table(dict(rows))}


def held_in(frame):
    found = qa_frame.audit(frame)
    return (
        found
        if isinstance(found, pd.DataFrame)
        else pl.from_arrow(found).to_pandas()
        if isinstance(found, pa.Table)
        else found.to_pandas()
    )


@pytest.mark.parametrize("kind", KINDS)
def test_each_column_has_its_role(kind):
    frame = KINDS[kind](ROWS)
    found = held_in(frame)
    assert found.columns.tolist() == ["what", "column", "holds", "call"]
    assert dict(zip(found["what"], found["column"], strict=True)) == {
        "prediction": "llama_reply",
        "gold": "gt",
        "question id": "id",
        "question": "problem",
        "model": "model",
        "choices": "options",
        "contexts": "passages",
        "verdict of people": "human_verdict",
        "finish reason": "stop_reason",
        "score": "harness_f1",
    }
    assert isinstance(qa_frame.audit(frame), type(frame))


@pytest.mark.needs("annotation", "conventions", "judges")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_the_calls_run_as_they_stand(kind):
    names = {"qa_frame": qa_frame, "data": KINDS[kind](ROWS), "your_function": len}
    for call in held_in(names["data"])["call"]:
        if "options" not in call:  # golds are no letters there
            exec(call, names)
    assert "f1" in (names["scored"].column_names if kind == "arrow" else names["scored"].columns)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_golds_that_were_written_out_are_read_first(kind):
    names = {"qa_frame": qa_frame, "data": KINDS[kind](ROWS | {"gt": ["['Ann']", "['Rome', 'Roma']"] * 6})}
    found = held_in(names["data"])
    assert found["what"].tolist()[:2] == ["gold", "prediction"]
    for call in found["call"][:2]:
        exec(call, names)
    expected = qa_frame.score(KINDS[kind](ROWS), pred="llama_reply", gold="gt")
    assert [*map(float, names["scored"]["f1"])] == [*map(float, expected["f1"])]


@pytest.mark.needs("style")
def test_it_prints_each_call_whole():
    frame = pd.DataFrame(ROWS)
    printed = repr(frame.qa.audit())
    assert "qa_frame.infer_convention(data, pred='llama_reply', gold='gt', score='harness_f1')" in printed
    assert max(map(len, printed.splitlines())) < 110
    assert "texts, such as 'Ann'" in printed
    assert "lists of 1 to 2, such as ['Ann']" in printed
    assert str(qa_frame.style(frame.qa.audit())) == printed


def test_what_is_not_there_is_said():
    found = pd.DataFrame({"response": ["a"], "model": ["m"]}).qa.audit().set_index("what")
    assert pd.isna(found.loc["gold", "column"])
    assert found.loc["gold", "call"] == "qa_frame.audit(data, pred='response', gold=...)"
    with pytest.raises(UnknownOptionError, match=r"no column looks like predictions or golds, of \['x'\]; name them"):
        pd.DataFrame({"x": ["a"]}).qa.audit()


def test_a_scored_frame_is_audited():
    scored = qa_frame.sample().qa.score("response", "answers", metrics="f1")
    assert "finding" in scored.qa.audit()


def test_the_usual_names_come_first():
    frame = pd.DataFrame(
        {"model_output_length": [1], "response": ["a"], "raw_response": ["b"], "answer": ["c"], "gold": ["d"]}
    )
    found = frame.qa.audit().set_index("what")["column"]
    assert (found["prediction"], found["gold"]) == ("response", "gold")


def test_verdicts_are_shown_as_plain_values():
    held = qa_frame.sample().qa.audit().set_index("column")
    assert held.loc["human", "holds"] == "truth values, such as False"


def test_two_columns_of_one_name_are_refused_and_camel_case_is_known():
    twice = pd.DataFrame([["a", ["b"], ["c"]]], columns=["response", "answers", "answers"])
    with pytest.raises(qa_frame.errors.ColumnNotFoundError, match="names 2 columns"):
        twice.qa.audit()
    held = pd.DataFrame({"response": ["a"], "answers": [["a"]], "finishReason": ["stop"]}).qa.audit()
    assert "finish reason" in held["what"].tolist()
