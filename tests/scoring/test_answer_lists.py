"""Lists of items: against their twins, in any kind of column, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qa_frame
from qa_frame import Contains, Convention, Exact, Overlap, Text
from tests.reference.oracles_of_answers import shares_of_any, shares_one_to_one

NAMES = ["ambigqa", "qampari"]
SHARES = {"ambigqa": shares_one_to_one, "qampari": shares_of_any}
METRICS = ["precision", "recall", "f1"]

texts = st.sampled_from(("cat", "The cat", "cats", "a", "", "dog!", "dog", "é"))
items = st.lists(st.lists(texts, max_size=3), max_size=5)
rows_of_lists = st.lists(st.tuples(st.none() | st.lists(texts, max_size=5), st.none() | items), min_size=1, max_size=6)


def table_of(rows: list[tuple[object, object]]) -> pa.Table:
    preds = pa.array([pred for pred, _ in rows], pa.list_(pa.string()))
    return pa.table({"pred": preds, "gold": pa.array([golds for _, golds in rows], pa.list_(pa.list_(pa.string())))})


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=100)
@given(rows=rows_of_lists, missing=st.sampled_from(("zero", "null")))
def test_lists_of_items(name, rows, missing):
    found = qa_frame.score(table_of(rows), "pred", "gold", convention=name, missing=missing, append=False).to_pydict()
    for place, metric in enumerate(METRICS):
        wanted = [
            float("nan")
            if not golds or (pred is None and missing == "null")
            else 0.0
            if pred is None
            else SHARES[name](pred, golds)[place]
            for pred, golds in rows
        ]
        scores = [float("nan") if score is None else score for score in found[metric]]
        assert scores == pytest.approx(wanted, rel=0, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", NAMES)
def test_texts_are_lists_of_one(name):
    frame = pd.DataFrame({"pred": ["The cat", "dog"], "gold": [["cat", "cats"], ["cow"]]})
    assert frame.qa.score("pred", "gold", convention=name, append=False)["recall"].tolist() == [0.5, 0.0]
    assert qa_frame.score_one("cat", ["cat", "dog"], convention=name)["f1"] == pytest.approx(2 / 3)


RECORDED = Path(__file__).parents[1] / "golden" / "qampari_texts.jsonl"


def test_texts_are_cut_into_items_as_alce_cuts_them():
    cases = [json.loads(line) for line in RECORDED.read_text("utf-8").splitlines()]
    assert len(cases) >= 300
    golds = pa.array([case["golds"] for case in cases], pa.list_(pa.list_(pa.string())))
    table = pa.table({"pred": [case["pred"] for case in cases], "gold": golds})
    found = qa_frame.score(table, "pred", "gold", convention="qampari", append=False).to_pydict()
    for metric in METRICS:
        recorded = [case["expected"][metric] for case in cases]
        assert found[metric] == pytest.approx(recorded, rel=0, abs=1e-12)
        twins = [shares_of_any(case["pred"], case["golds"])[METRICS.index(metric)] for case in cases]
        assert twins == pytest.approx(recorded, rel=0, abs=1e-12)


def test_lists_are_not_cut_but_lose_citations_too():
    frame = pd.DataFrame({"pred": [["Paris, France [1]", "Rome"]], "gold": [[["Paris, France"], ["Rome"]]]})
    assert frame.qa.score("pred", "gold", convention="qampari", append=False)["f1"].tolist() == [1.0]
    answers = frame.assign(pred=["So: Paris, Rome"])
    found = answers.qa.score("pred", "gold", convention="qampari", extract=re.compile("So: (.*)"), append=False)
    assert found["recall"].tolist() == [0.5]


def test_an_item_separator_of_ones_own():
    own = Convention(name="own", overlap=Overlap(text=Text(("lower",))), answer_lists="any", item_separator=" / ")
    frame = pd.DataFrame({"pred": ["A / b/c", None, " / "], "gold": [["a", "b/c"], ["a"], ["a"]]})
    assert frame.qa.score("pred", "gold", convention=own, append=False)["f1"].tolist() == [1.0, 0.0, 0.0]
    with pytest.raises(qa_frame.UnknownOptionError, match="item_separator cuts answers for answer_lists"):
        Convention(name="own", overlap=Overlap(text=Text()), item_separator=",")


def test_nulls_are_neither_texts_nor_items_nor_names():
    rows = [([None, "cat"], [None, ["cat", None], ["dog"]]), (["x"], [None])]
    found = qa_frame.score(table_of(rows), "pred", "gold", convention="ambigqa", append=False).to_pydict()
    assert found == {"precision": [1.0, None], "recall": [0.5, None], "f1": [pytest.approx(2 / 3), None]}


def test_many_rows_are_scored_as_few():
    rows = [(["cat", "dog"], [["cat"], ["cow"]]), (["a"], [["cat"]]), (["x", "y"], [["x", "y"], ["y"]])]
    few, many = (
        qa_frame.score(table_of(each), "pred", "gold", convention="ambigqa", append=False).to_pydict()
        for each in (rows, rows * 500)
    )
    assert many == {name: values * 500 for name, values in few.items()}


@pytest.mark.parametrize(
    "rules",
    [
        {"exact": Exact(text=Text()), "overlap": Overlap(text=Text())},
        {"contains": Contains(text=Text())},
        {"overlap": Overlap(text=Text()), "spans": True},
    ],
)
def test_other_rules_do_not_go_with_lists(rules):
    with pytest.raises(qa_frame.UnknownOptionError, match="leave the others out"):
        Convention(name="own", answer_lists="any", **rules)


def test_what_needs_the_score_of_one_gold_is_refused():
    frame = pd.DataFrame({"pred": ["cat"], "gold": [["cat"]]})
    with pytest.raises(qa_frame.UnknownOptionError, match="compares lists of items"):
        frame.qa.explain(0, pred="pred", gold="gold", convention="ambigqa")
    own = qa_frame.PairMetric("own", lambda preds, golds: [float(len(golds))] * len(preds))
    with pytest.raises(qa_frame.UnknownOptionError, match="takes texts"):
        frame.qa.score("pred", "gold", metrics=["f1", own], convention="ambigqa")
