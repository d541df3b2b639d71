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
from qa_frame.tables.likely_columns import likely_in

RIVERS = ["Seine", "Loire", "Rhine", "Douro", "Tagus", "Volga"]
RIGHT = [[river] for river in RIVERS]
SHORT = ["Seine", "the Loire", "Rhine", "Ebro", "Tagus", "Don"]
"""Four of six are right."""
LONG = [
    f"Well, let me think about it. The towns there lie by a river, and I would say that it is {x}." for x in SHORT
]
ASKED = [f"Which river is in town {number}?" for number in range(6)]
JUDGED = ["Explanation: the candidate agrees with the reference."] * 6
PROGRAM = [f"def solution():\n    return {number} + 4" for number in range(6)]
SUMS = [float(number + 4) for number in range(6)]
IDS = [f"q{number}" for number in range(6)]

SHAPES = {
    "token counts": (dict(output_tokens=[9] * 6, total_tokens=[30] * 6, reply=SHORT, key_answer=RIGHT), "reply", "key_answer"),
    "a count of the response's words": (dict(response_length=[4, 5, 6, 7, 8, 9], llm_says=SHORT, gold=RIGHT), "llm_says", "gold"),
    "log-probabilities": (dict(answer=SHORT, answer_logprob=[-0.2] * 6, ground_truth=RIGHT), "answer", "ground_truth"),
    "a probability beside the only answer": (dict(prediction=SHORT, answerable_prob=[0.2] * 6), "prediction", None),
    "a number that nobody names": (dict(prediction=SHORT, answer_margin=[0.25, 0.5, 0.1, 0.7, 0.9, 0.3]), "prediction", None),
    "a judge's text": (dict(gold_answer=RIGHT, judge_response=JUDGED, model_answer=SHORT, judge_label=["yes"] * 6), "model_answer", "gold_answer"),
    "a judge's text under a usual name": (dict(Response=JUDGED, **{"Model answer": SHORT, "Gold answers": RIGHT}), "Model answer", "Gold answers"),
    "a verdict that is called correct": (dict(correct=[True] * 6, output=SHORT, answer=RIGHT), "output", "answer"),
    "a rationale": (dict(rationale=LONG, predicted=SHORT, answer=RIGHT), "predicted", "answer"),
    "a chain of thought with the answer": (dict(model_cot=LONG, final=SHORT, target=RIGHT), "final", "target"),
    "a program and its value": (dict(generated=PROGRAM, executed=SUMS, answer=SUMS), "executed", "answer"),
    "a program under a model's name": (dict(codex_output=PROGRAM, result=[*SUMS[:5], 1.0], answer=SUMS), "result", "answer"),
    "units": (dict(answer=RIGHT, scale=["million"] * 6, pred_answer=SHORT, pred_scale=["million"] * 6), "pred_answer", "answer"),
    "classes": (dict(predicted_kind=["span"] * 6, hypothesis=SHORT, truth=RIGHT), "hypothesis", "truth"),
    "ids of golds": (dict(prediction=SHORT, gold_id=IDS, gold_passage_id=IDS, golds=RIGHT), "prediction", "golds"),
    "the index of an option": (dict(generated_answer=list("ABCABC"), label_idx=[0, 1, 2, 0, 1, 2], gold=list("ABCABD")), "generated_answer", "gold"),
    "options that hold the gold": (dict(choices=[RIVERS] * 6, pred=SHORT, answer=RIVERS), "pred", "answer"),
    "a parsed and a raw prediction": (dict(raw_output=LONG, parsed_output=SHORT, gold=RIGHT), "parsed_output", "gold"),
    "a raw and a parsed prediction with usual names": (dict(response=LONG, prediction=SHORT, gold=RIGHT), "prediction", "gold"),
    "one gold and its aliases": (dict(pred=SHORT, answer=RIVERS, answers=[[x, f"the {x}"] for x in RIVERS]), "pred", "answers"),
    "golds beside their type": (dict(pred=SHORT, answer_type=["river"] * 6, reference_answers=RIGHT), "pred", "reference_answers"),
    "golds that are null": (dict(prediction=SHORT, gold=[None] * 6, wanted=RIGHT), "prediction", "wanted"),
    "golds that were written out": (dict(reply=SHORT, correct_answers=[str(x) for x in RIGHT]), "reply", "correct_answers"),
    "SQuAD's dicts": (dict(prediction_text=SHORT, answers=[{"text": x, "answer_start": [0]} for x in RIGHT]), "prediction_text", "answers"),
    "spans as lists": (dict(answer=[["Caen", "Rouen"]] * 6, truth_spans=[["Rouen", "Caen"]] * 6), "answer", "truth_spans"),
    "a model's name as the column": (dict(question=ASKED, answer=RIGHT, falcon=SHORT), "falcon", "answer"),
    "numbers": (dict(predicted_value=[4, 5, 6, 7, 8, 1], answer=[4, 5, 6, 7, 8, 9], n_steps=[1, 2, 3, 1, 2, 3]), "predicted_value", "answer"),
    "the question's type": (dict(question_type=["who"] * 6, question=ASKED, output=SHORT, target=RIGHT), "output", "target"),
    "contexts that hold the gold": (dict(context=LONG, evidence=RIVERS, generation=SHORT, expected=RIGHT), "generation", "expected"),
    "camel case": (dict(modelAnswer=SHORT, goldAnswers=RIGHT, answerId=IDS), "modelAnswer", "goldAnswers"),
    "golds alone": (dict(id=IDS, question=ASKED, answer=RIGHT), None, "answer"),
    "a long answer that is wrong throughout": (dict(response=["I do not know."] * 6, answer=RIGHT), "response", "answer"),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("order", [1, -1])
def test_the_columns_of_a_shape_are_told(shape, order):
    columns, pred, gold = SHAPES[shape]
    likely = likely_in(read_source(pd.DataFrame(dict([*columns.items()][::order]))))
    assert (likely.names.get("response"), likely.names.get("answers")) == (pred, gold), str(likely)
    assert not likely.doubts
