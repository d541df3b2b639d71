"""Answers of several spans: the best assignment, against a search through all of them and the source's own results."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qa_frame
from qa_frame import Convention
from qa_frame.rules import Exact, Overlap, RougeL, Text

GOLDEN = Path(__file__).parents[1] / "golden" / "drop_spans.jsonl"
PLAIN = Text(("lower",))
OWN = Convention(
    name="own", exact=Exact(text=PLAIN), overlap=Overlap(text=PLAIN), rouge_l=RougeL(text=PLAIN), spans=True
)
METRICS = ["em", "precision", "recall", "f1", "rouge_l"]

span = st.lists(st.sampled_from(["a", "b", "c", "A"]), max_size=3).map(" ".join)
answer = st.lists(span, max_size=4)
rows_of_spans = st.lists(st.tuples(answer, st.lists(answer, max_size=3)), min_size=1, max_size=5)


def score(rows: list[tuple[object, object]], **options: object) -> pd.DataFrame:
    table = pa.table(
        {
            "pred": pa.array([pred for pred, _ in rows], pa.list_(pa.string())),
            "gold": pa.array([golds for _, golds in rows], pa.list_(pa.list_(pa.string()))),
        }
    )
    return qa_frame.score(
        table, "pred", "gold", append=False, **{"metrics": METRICS, "convention": OWN, **options}
    ).to_pandas()


def single(pred: str, gold: str, metric: str) -> float:
    return qa_frame.score_one(pred, gold, metrics=[metric], convention=replace(OWN, spans=False))[metric]


def of_answers(pred: list[str], gold: list[str], metric: str) -> float:
    """The best of all assignments, tried one after the other."""
    if metric == "em":
        same = {text.lower().strip() for text in pred} == {text.lower().strip() for text in gold}
        return float(same and len(pred) == len(gold))
    table = [[single(left, right, metric) for left in pred] for right in gold]
    n_most = max(len(pred), len(gold))
    padded = np.zeros((n_most, n_most))
    padded[: len(gold), : len(pred)] = np.reshape(table, (len(gold), len(pred)))
    return (
        max(
            sum(padded[place, chosen] for place, chosen in enumerate(order))
            for order in itertools.permutations(range(n_most))
        )
        / n_most
    )


@settings(deadline=None, max_examples=25)
@given(rows=rows_of_spans)
def test_the_best_assignment_is_found(rows: list[tuple[list[str], list[list[str]]]]):
    found = score(rows)
    for metric in METRICS:
        expected = [
            max([of_answers(pred, gold, metric) for gold in golds if gold], default=np.nan) for pred, golds in rows
        ]
        np.testing.assert_allclose(found[metric].to_numpy(float), expected, rtol=0, atol=1e-9, err_msg=metric)


@pytest.mark.parametrize("convention", ["drop", "drop_lm_eval"])
def test_golden_cases(convention: str):
    cases = [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]
    assert len(cases) >= 300
    assert any(len(case["pred"]) > 1 and len(case["golds"][0]) > 1 for case in cases)
    rows = [(case["pred"], case["golds"]) for case in cases]
    expected = pd.DataFrame([case["expected"] for case in cases]).astype("float64")
    found = score(rows, metrics=["em", "f1"], convention=convention)
    pd.testing.assert_frame_equal(found, expected, check_exact=False, rtol=0, atol=1e-9)
    as_objects = pd.DataFrame(rows, columns=["pred", "gold"]).qa.score(
        "pred", "gold", convention=convention, append=False
    )
    pd.testing.assert_frame_equal(as_objects, found)
    halves = [score(part, metrics=["em", "f1"], convention=convention) for part in (rows[:111], rows[111:])]
    pd.testing.assert_frame_equal(pd.concat(halves, ignore_index=True), found, check_exact=True)


def test_a_text_is_a_list_of_one_span():
    rows = [("A b", ["a b", "c"]), ("a", []), (None, ["a"]), ("c a", ["a b"])]
    plain = pd.DataFrame(rows, columns=["pred", "gold"])
    in_lists = pd.DataFrame({"pred": [None if pred is None else [pred] for pred, _ in rows], "gold": plain["gold"]})
    in_two = pd.DataFrame({"pred": plain["pred"], "gold": [[[gold] for gold in golds] for golds in plain["gold"]]})
    expected = plain.qa.score("pred", "gold", metrics=METRICS, convention=OWN, append=False)
    assert expected["em"].isna().tolist() == [False, True, False, False]
    for frame in (in_lists, in_two):
        found = frame.qa.score("pred", "gold", metrics=METRICS, convention=OWN, append=False)
        pd.testing.assert_frame_equal(found, expected)


def test_nulls_and_empty_lists():
    rows = [(None, [["a"]]), ([], [["a"]]), (["a"], [None, []]), ([None, "a"], [["a", None], ["b"]]), (["a"], None)]
    found = score(rows, metrics=["em", "f1"])
    np.testing.assert_array_equal(found["f1"], [0.0, 0.0, np.nan, 1.0, np.nan])
    np.testing.assert_array_equal(found["em"], [0.0, 0.0, np.nan, 1.0, np.nan])
    assert score(rows, metrics="f1", missing="null")["f1"].isna().tolist() == [True, False, True, False, True]


@pytest.mark.needs("files")
@pytest.mark.filterwarnings("ignore::qa_frame.errors.PairingWarning")
def test_other_calls_take_spans(tmp_path: Path):
    cases = [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]
    frame = pd.DataFrame({"pred": [case["pred"] for case in cases], "gold": [case["golds"] for case in cases]})
    frame = frame.loc[frame.index.repeat(2)].assign(question=np.arange(2 * len(frame)) // 2).reset_index(drop=True)
    frame["model"] = ["a", "b"] * (len(frame) // 2)
    frame["pred"] = frame["pred"].where(frame.index % 3 > 0, frame["pred"].shift(2))
    scored = frame.qa.score("pred", "gold", convention="drop")
    by_model = scored.groupby("model")["f1"].mean()
    table = qa_frame.summary(qa_frame.score(frame, pred="pred", gold="gold", convention="drop", stats=True), by="model")
    np.testing.assert_allclose(table["f1"], by_model)
    compared = qa_frame.compare(
        qa_frame.score(frame, pred="pred", gold="gold", metrics="f1", convention="drop"),
        "model",
        "question",
        metrics="f1",
    )
    pd.testing.assert_frame_equal(compared, qa_frame.compare(scored, "model", "question", metrics="f1"))
    columns = {"pred": pa.array(frame["pred"]), "gold": pa.array(frame["gold"]), "model": pa.array(frame["model"])}
    pq.write_table(pa.table(columns), tmp_path / "in.parquet")
    qa_frame.score_files(
        tmp_path / "in.parquet", tmp_path / "out.parquet", pred="pred", gold="gold", convention="drop", progress=False
    )
    written = pq.read_table(tmp_path / "out.parquet").to_pandas()
    np.testing.assert_array_equal(written["f1"], scored["f1"])


@pytest.mark.parametrize("column", ["pred", "gold"])
def test_other_conventions_refuse_lists_of_spans(column: str):
    rows = pd.DataFrame({"pred": ["a"], "gold": [["a"]]})
    rows[column] = [[["a"]]] if column == "gold" else [["a"]]
    with pytest.raises(qa_frame.errors.ColumnTypeError, match=f"{column}='{column}'"):
        rows.qa.score("pred", "gold")


@pytest.mark.parametrize("convention", ["drop", "squad"])
def test_predictions_that_look_like_written_lists_are_text(convention: str):
    """Only golds are refused for it: a model may well answer so."""
    frame = pd.DataFrame({"pred": ["['a']", "['b']", "c"], "gold": [["a"], ["b"], ["d"]]})
    scored = frame.qa.score("pred", "gold", metrics="em", convention=convention)
    assert scored["em"].to_list() == [1.0, 1.0, 0.0]
    assert scored.qa.summary().loc["all", ["n", "n_missing", "n_no_gold"]].to_list() == [3, 0, 0]


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"prediction": "first_line"}, "prediction='first_line'"),
        ({"no_answer": True}, "no_answer=True"),
        ({"no_answer_gold": "NA"}, "no_answer_gold"),
        ({"bleu": qa_frame.rules.Bleu(text=PLAIN, references="together")}, "bleu.references='together'"),
    ],
)
def test_settings_without_a_meaning_for_spans_are_refused(settings: dict[str, object], name: str):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=f"spans=True does not go with {name}"):
        replace(OWN, **settings)


def test_extraction_needs_text():
    rows = pd.DataFrame({"pred": [["a"]], "gold": [[["a"]]]})
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match="looks for the answer in text, and the predictions are lists"
    ):
        rows.qa.score("pred", "gold", convention="drop", extract="boxed")
