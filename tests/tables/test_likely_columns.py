"""Which columns are predictions and golds, in the shapes that result files have: by what they hold, not by names alone."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame
from qa_frame.errors import ColumnNotFoundError, ResultFileError, ResultFileWarning
from qa_frame.frames.source import read_source
from qa_frame.tables.likely_columns import find_likely_columns

RIVERS = ["Seine", "Loire", "Rhine", "Douro", "Tagus", "Volga"]
RIGHT = [[river] for river in RIVERS]
SHORT = ["Seine", "the Loire", "Rhine", "Ebro", "Tagus", "Don"]
"""Four of six are right."""
LONG = [f"Well, let me think about it. The towns there lie by a river, and I would say that it is {x}." for x in SHORT]
QUESTION_WORDS = [f"Which river is in town {number}?" for number in range(6)]
JUDGED = ["Explanation: the candidate agrees with the reference."] * 6
PROGRAM = [f"def solution():\n    return {number} + 4" for number in range(6)]
SUMS = [float(number + 4) for number in range(6)]
IDS = [f"q{number}" for number in range(6)]

SHAPES = {
    "token counts": (
        {"output_tokens": [9] * 6, "total_tokens": [30] * 6, "reply": SHORT, "key_answer": RIGHT},
        "reply",
        "key_answer",
    ),
    "a count of the response's words": (
        {"response_length": [4, 5, 6, 7, 8, 9], "llm_says": SHORT, "gold": RIGHT},
        "llm_says",
        "gold",
    ),
    "log-probabilities": (
        {"answer": SHORT, "answer_logprob": [-0.2] * 6, "ground_truth": RIGHT},
        "answer",
        "ground_truth",
    ),
    "a probability beside the only answer": ({"prediction": SHORT, "answerable_prob": [0.2] * 6}, "prediction", None),
    "a number that nobody names": (
        {"prediction": SHORT, "answer_margin": [0.25, 0.5, 0.1, 0.7, 0.9, 0.3]},
        "prediction",
        None,
    ),
    "a judge's text": (
        {"gold_answer": RIGHT, "judge_response": JUDGED, "model_answer": SHORT, "judge_label": ["yes"] * 6},
        "model_answer",
        "gold_answer",
    ),
    "a judge's text under a usual name": (
        dict(Response=JUDGED, **{"Model answer": SHORT, "Gold answers": RIGHT}),
        "Model answer",
        "Gold answers",
    ),
    "a verdict that is called correct": ({"correct": [True] * 6, "output": SHORT, "answer": RIGHT}, "output", "answer"),
    "a rationale": ({"rationale": LONG, "predicted": SHORT, "answer": RIGHT}, "predicted", "answer"),
    "a chain of thought with the answer": ({"model_cot": LONG, "final": SHORT, "target": RIGHT}, "final", "target"),
    "a program and its value": ({"generated": PROGRAM, "executed": SUMS, "answer": SUMS}, "executed", "answer"),
    "a program under a model's name": (
        {"codex_output": PROGRAM, "result": [*SUMS[:5], 1.0], "answer": SUMS},
        "result",
        "answer",
    ),
    "units": (
        {"answer": RIGHT, "scale": ["million"] * 6, "pred_answer": SHORT, "pred_scale": ["million"] * 6},
        "pred_answer",
        "answer",
    ),
    "classes": ({"predicted_kind": ["span"] * 6, "hypothesis": SHORT, "truth": RIGHT}, "hypothesis", "truth"),
    "ids of golds": (
        {"prediction": SHORT, "gold_id": IDS, "gold_passage_id": IDS, "golds": RIGHT},
        "prediction",
        "golds",
    ),
    "the index of an option": (
        {"generated_answer": list("ABCABC"), "label_idx": [0, 1, 2, 0, 1, 2], "gold": list("ABCABD")},
        "generated_answer",
        "gold",
    ),
    "options that hold the gold": ({"choices": [RIVERS] * 6, "pred": SHORT, "answer": RIVERS}, "pred", "answer"),
    "a parsed and a raw prediction": (
        {"raw_output": LONG, "parsed_output": SHORT, "gold": RIGHT},
        "parsed_output",
        "gold",
    ),
    "a raw and a parsed prediction with usual names": (
        {"response": LONG, "prediction": SHORT, "gold": RIGHT},
        "prediction",
        "gold",
    ),
    "one gold and its aliases": (
        {"pred": SHORT, "answer": RIVERS, "answers": [[x, f"the {x}"] for x in RIVERS]},
        "pred",
        "answers",
    ),
    "golds beside their type": (
        {"pred": SHORT, "answer_type": ["river"] * 6, "reference_answers": RIGHT},
        "pred",
        "reference_answers",
    ),
    "golds that are null": ({"prediction": SHORT, "gold": [None] * 6, "wanted": RIGHT}, "prediction", "wanted"),
    "golds that were written out": (
        {"reply": SHORT, "correct_answers": [str(x) for x in RIGHT]},
        "reply",
        "correct_answers",
    ),
    "SQuAD's dicts": (
        {"prediction_text": SHORT, "answers": [{"text": x, "answer_start": [0]} for x in RIGHT]},
        "prediction_text",
        "answers",
    ),
    "spans as lists": (
        {"answer": [["Caen", "Rouen"]] * 6, "truth_spans": [["Rouen", "Caen"]] * 6},
        "answer",
        "truth_spans",
    ),
    "a model's name as the column": (
        {"question": QUESTION_WORDS, "answer": RIGHT, "falcon": SHORT},
        "falcon",
        "answer",
    ),
    "numbers": (
        {"predicted_value": [4, 5, 6, 7, 8, 1], "answer": [4, 5, 6, 7, 8, 9], "n_steps": [1, 2, 3, 1, 2, 3]},
        "predicted_value",
        "answer",
    ),
    "the question's type": (
        {"question_type": ["who"] * 6, "question": QUESTION_WORDS, "output": SHORT, "target": RIGHT},
        "output",
        "target",
    ),
    "contexts that hold the gold": (
        {"context": LONG, "evidence": RIVERS, "generation": SHORT, "expected": RIGHT},
        "generation",
        "expected",
    ),
    "camel case": ({"modelAnswer": SHORT, "goldAnswers": RIGHT, "answerId": IDS}, "modelAnswer", "goldAnswers"),
    "golds alone": ({"id": IDS, "question": QUESTION_WORDS, "answer": RIGHT}, None, "answer"),
    "answers that are wrong on purpose": (
        {"incorrect_answers": RIGHT, "gpt": SHORT, "best_answer": RIGHT},
        "gpt",
        "best_answer",
    ),
    "logical forms beside answers": (
        {"pred_sparql": PROGRAM, "gold_sparql": PROGRAM, "pred_ans": SHORT, "gold_ans": RIGHT},
        "pred_ans",
        "gold_ans",
    ),
    "the reason of a verdict": (
        {"answer": SHORT, "reference": RIGHT, "gpt_eval": JUDGED, "eval_reason": JUDGED},
        "answer",
        "reference",
    ),
    "the golds of no task": ({"predict": SHORT, "label": RIVERS, "prompt": QUESTION_WORDS}, "predict", "label"),
    "options as columns": (
        {"A": RIVERS, "B": SHORT, "answer": list("ABABAB"), "llama_letter": list("ABABAA")},
        "llama_letter",
        "answer",
    ),
    "a long answer that is wrong throughout": (
        {"response": ["I do not know."] * 6, "answer": RIGHT},
        "response",
        "answer",
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("order", [1, -1])
def test_the_columns_of_a_shape_are_told(shape, order):
    columns, pred, gold = SHAPES[shape]
    likely = find_likely_columns(read_source(pd.DataFrame(dict([*columns.items()][::order]))))
    assert (likely.names.get("response"), likely.names.get("answers")) == (pred, gold), str(likely)
    assert not likely.uncertain_roles


DOUBTS = {
    "two models": (
        {"question": QUESTION_WORDS, "answer": RIGHT, "falcon": SHORT, "bloom": RIVERS[::-1][:3] + RIVERS[3:]},
        "falcon",
        "bloom",
    ),
    "two responses": (
        {"response_a": SHORT, "response_b": ["Seine"] * 3 + RIVERS[3:], "gold": RIGHT},
        "response_a",
        "response_b",
    ),
    "two usual names without golds": ({"output": RIVERS, "response": SHORT}, "output", "response"),
    "a usual name without overlap": (
        {"prediction": ["none"] * 6, "final": SHORT, "gold": RIGHT},
        "final",
        "prediction",
    ),
}


@pytest.mark.parametrize("shape", DOUBTS)
def test_nothing_is_guessed_in_doubt(shape):
    columns, *both = DOUBTS[shape]
    likely = find_likely_columns(read_source(pd.DataFrame(columns)))
    assert "response" not in likely.names
    for name in both:
        assert any(f"{name!r} (such as {value!r})" in str(likely) for value in columns[name])


KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_rows_and_the_kind_of_frame_make_no_difference(kind):
    numbers = np.random.default_rng(0).permutation(900).tolist()
    columns = {
        "topic": ["river"] * 450 + ["sea"] * 450,
        "gold": [f"gold {number // 2}" for number in range(900)],
        "raw_output": [f"I say that gold {number} is it, as all of us know by now" for number in range(900)],
        "parsed": [f"gold {number // 3}" for number in range(900)],
    }
    shuffled = {name: [values[number] for number in numbers] for name, values in columns.items()}
    for rows in (columns, shuffled):
        likely = find_likely_columns(read_source(KINDS[kind](dict(rows))))
        assert str(likely) == "these may be them: pred='parsed' and gold='gold'"


@pytest.mark.needs("conventions", "explain")
def test_the_errors_of_score_name_what_may_be_meant():
    frame = pd.DataFrame(SHAPES["token counts"][0])
    for call in (
        lambda: frame.qa.score("prediction", "key_answer"),
        lambda: frame.qa.explain(0, pred="prediction", gold="key_answer"),
        lambda: qa_frame.compare_conventions(frame, "squad", "coqa", pred="prediction", gold="key_answer"),
    ):
        with pytest.raises(ColumnNotFoundError, match=r"pred='reply' and gold='key_answer'\. Columns:"):
            call()


def test_the_name_that_is_close_is_told_with_what_may_be_meant():
    frame = pd.DataFrame(SHAPES["golds beside their type"][0])
    with pytest.raises(
        ColumnNotFoundError, match=r"did you mean 'answer_type'\? or these may be them: pred='pred' and"
    ):
        frame.qa.score("pred", "answer_types")
    with pytest.raises(ColumnNotFoundError, match=r"did you mean 'reference_answers'\? Columns:"):
        frame.qa.score("pred", "reference_answer")


def test_a_frame_without_rows_is_known_by_its_names():
    columns, pred, gold = SHAPES["camel case"]
    names = find_likely_columns(read_source(pd.DataFrame(columns).head(0))).names
    assert names == {"response": pred, "answers": gold}


@pytest.mark.needs("files")
@pytest.mark.parametrize("ending", ["jsonl", "json", "csv", "parquet"])
def test_files_of_no_known_kind_are_read_by_the_pair_that_is_alike(tmp_path, ending):
    columns, pred, gold = SHAPES["a rationale"]
    frame, path = pd.DataFrame(columns), tmp_path / f"results.{ending}"
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=ending == "jsonl")
    with pytest.warns(ResultFileWarning, match=f"pred='{pred}' and gold='{gold}'; pred= chooses"):
        assert qa_frame.read_results(path)["response"].tolist() == SHORT
    frame.head(2).to_json(path := tmp_path / "few.jsonl", orient="records", lines=True)
    with pytest.raises(ResultFileError, match=f"gold=; these may be them: pred='{pred}' and gold='{gold}'"):
        qa_frame.read_results(path)
    assert qa_frame.read_results(path, pred=pred, gold=gold)["response"].tolist() == SHORT[:2]


@pytest.mark.needs("files")
def test_values_below_others_are_candidates(tmp_path):
    rows = [
        {"out": {"final": text, "n_tokens": 9}, "doc": {"target": {"spans": [right, f"the {right}"]}, "id": number}}
        for number, (text, right) in enumerate(zip(SHORT, RIVERS, strict=True))
    ]
    path = tmp_path / "results.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(ResultFileError, match=r"pred='out\.final' and gold='doc\.target\.spans'"):
        qa_frame.read_results(path)


@pytest.mark.needs("files")
def test_a_file_of_predictions_alone_says_that_golds_may_be_elsewhere(tmp_path):
    path = tmp_path / "predictions.jsonl"
    path.write_text(
        "\n".join(json.dumps({"example_id": n, "prediction": x, "null_prob": 0.1}) for n, x in enumerate(SHORT))
    )
    with pytest.raises(
        ResultFileError, match="pred='prediction', and nothing looks like golds, which may be in another"
    ):
        qa_frame.read_results(path)


@pytest.mark.needs("files")
def test_a_file_with_two_predictions_says_which_one_it_took(tmp_path):
    path = tmp_path / "results.jsonl"
    columns, *_ = SHAPES["a raw and a parsed prediction with usual names"]
    pd.DataFrame(columns).to_json(path, orient="records", lines=True)
    said = r"predictions are taken from 'response' \(such as 'Well, .*and not from 'prediction' \(such as 'Seine'\)"
    with pytest.warns(ResultFileWarning, match=f"{said}; pred='prediction' is more like the golds"):
        assert qa_frame.read_results(path)["response"].tolist() == LONG
    assert qa_frame.read_results(path, pred="prediction")["response"].tolist() == SHORT
    pd.DataFrame({**columns, "prediction": LONG}).to_json(path, orient="records", lines=True)
    assert qa_frame.read_results(path)["response"].tolist() == LONG  # both hold the same


def test_values_that_are_no_texts_do_no_harm():
    itself: list[object] = []
    itself.append(itself)
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    odd = [itself, deep, b"\xff", "\ud800", {"a"}, {"a": {"b": 1}}, float("nan"), None, object(), np.array([["a"]])]
    columns = {"gold": odd, "model_reply": odd[::-1], "reply": ["a"] * 10, "target": ["a"] * 10}
    frame = pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})
    assert find_likely_columns(read_source(frame)).names == {"response": "reply", "answers": "target"}
    damaged = pa.Array.from_buffers(pa.string(), 2, pa.array([b"\xff", b"a"]).buffers())
    table = pa.table({"reply": ["a", "b"], "other_reply": damaged, "target": ["a", "b"]})
    assert find_likely_columns(read_source(table)).names == {"response": "reply", "answers": "target"}
