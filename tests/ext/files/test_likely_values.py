"""Files whose records have no usual names: what is read, and what the error says, whose advice is followed here."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest

import qa_frame
from qa_frame.errors import QaFrameError, ResultFileError, ResultFileWarning

RIVERS = ["Seine", "Loire", "Rhine", "Douro", "Tagus", "Volga"]
SHORT = ["Seine", "the Loire", "Rhine", "Ebro", "Tagus", "Don"]
OTHER = ["Rhone", "Loire", "Rhine", "Ebro", "the Tagus", "Volga"]
LONG = [f"Let me think about it: which river is there? I would say {x}." for x in SHORT]
ASKED = [f"Which river is in town {number}?" for number in range(6)]


def write(path, columns):
    frame = pd.DataFrame(columns)
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_json(path, orient="records", lines=True)
    return path


READ = {  # columns of a JSONL file, responses, golds
    "a text and its value": (
        {"correct": [[x, None] for x in RIVERS], "solution": LONG, "pred": SHORT},
        SHORT,
        [[x] for x in RIVERS],
    ),
    "own names": ({"final_answer": SHORT, "gold_answers": [[x] for x in RIVERS]}, SHORT, [[x] for x in RIVERS]),
    "lists in lists": (
        {"model_outputs": [[[x]] for x in SHORT], "wanted_answers": [[x] for x in RIVERS]},
        SHORT,
        [[x] for x in RIVERS],
    ),
    "several models": (
        {"small_answer": SHORT, "large_answer": OTHER, "gold_answer": RIVERS, "small_f1": [0.5] * 6},
        [x for pair in zip(SHORT, OTHER, strict=True) for x in pair],
        [[x] for x in RIVERS for _ in range(2)],
    ),
    "two responses that are hardly like the golds": (
        {"first_response": [f"I would say it is {x}" for x in SHORT], "last_response": LONG, "gold": RIVERS},
        [x for short, long in zip(SHORT, LONG, strict=True) for x in (f"I would say it is {short}", long)],
        [[x] for x in RIVERS for _ in range(2)],
    ),
    "several models as objects": (
        {"7b": [{"solution": x} for x in SHORT], "70b": [{"solution": x} for x in OTHER], "ground_truth": RIVERS},
        [x for pair in zip(SHORT, OTHER, strict=True) for x in pair],
        [[x] for x in RIVERS for _ in range(2)],
    ),
}


@pytest.mark.parametrize("name", READ)
def test_values_whose_texts_are_alike_are_read_and_said(tmp_path, name):
    columns, responses, golds = READ[name]
    path = write(tmp_path / "run.jsonl", {"question": ASKED, **columns})
    with pytest.warns(
        ResultFileWarning, match="is of no known kind; .* read as pred=.* and gold=.*; pred= chooses another"
    ):
        frame = qa_frame.read_results(path)
    assert frame["response"].tolist() == responses
    assert frame["answers"].tolist() == golds
    if len(frame) > len(RIVERS):
        assert frame["key"].nunique() == 2
    write(path, {name: values[:2] for name, values in columns.items()})  # two rows do not tell
    with pytest.raises(ResultFileError, match="is of no known kind"):
        qa_frame.read_results(path)
    write(path, columns)
    with pytest.raises(ResultFileError, match="no file there is of a known kind"):  # a folder is not guessed at
        qa_frame.read_results(tmp_path)


def test_records_by_their_ids(tmp_path):
    path, records = tmp_path / "run.json", {"guess": SHORT, "answer": RIVERS}
    by_id = pd.DataFrame(records, index=[f"q{place}" for place in range(len(RIVERS))])
    by_id.to_json(path, orient="index")
    with pytest.raises(ResultFileError, match=r"has the names \['answer', 'guess'\].*pred='guess' and gold='answer'"):
        qa_frame.read_results(path)
    frame = qa_frame.read_results(path, pred="guess", gold="answer")
    by_id.rename(columns={"guess": "hyp", "answer": "ref"}).to_json(path, orient="index")
    with pytest.warns(ResultFileWarning, match="is read as pred='hyp' and gold='ref'"):
        known = qa_frame.read_results(path)
    for each in (frame, known):
        assert each["response"].tolist() == SHORT
        assert each["question_id"].tolist() == by_id.index.tolist()


ADVICE = {  # columns, what the error says of them, what to give
    "an answer of the model": (
        {"question": ASKED, "answer": SHORT, "correctness": [5, 3, 5, 1, 5, 1]},
        "If 'answer' is the prediction, give pred='answer'.*golds=",
        {"pred": "answer"},
    ),
    "golds that are null": (
        {"question": ASKED, "answer": SHORT, "expected_answer": [None] * 6},
        r"golds= \('expected_answer' is null in all records\)",
        {"pred": "answer"},
    ),
    "scores beside a prediction": (
        {"question": ASKED, "prediction": SHORT, "answer_f1": [1.0] * 6, "recall_at_1": [1.0] * 6},
        "pred='prediction', and nothing looks like golds",
        {"pred": "prediction"},
    ),
    "a name that says nothing": ({"question": ASKED, "ys": SHORT}, "for pred, texts are in 'ys'", {"pred": "ys"}),
    "wrong answers alone": (
        {"final_answer": ["[1]"] * 6, "gold_answers": [[x] for x in RIVERS], "utilities": [[1, 0]] * 6},
        "pred='final_answer' and gold='gold_answers'",
        {"pred": "final_answer", "gold": "gold_answers"},
    ),
    "long responses beside a question that is alike": (
        {
            "unnamed: 5": [f"Which of the rivers here is it now: {x}, or none of them?" for x in RIVERS],
            "golden_answer": [f"It is {x} in the end" for x in RIVERS],
            "first_response": [f"{x} " * 90 for x in "abcdef"],
        },
        "for pred either 'first_response' .* or 'unnamed: 5'",
        {"pred": "first_response", "gold": "golden_answer"},
    ),
}


@pytest.mark.parametrize("name", ADVICE)
def test_the_advice_of_the_error_reads_the_file(tmp_path, name):
    columns, said, named = ADVICE[name]
    path = write(tmp_path / "run.jsonl", columns)
    with pytest.raises(ResultFileError, match=said):
        qa_frame.read_results(path)
    if "gold" not in named:
        with (
            pytest.raises(QaFrameError, match="golds=")
            if "expected_answer" not in columns
            else pytest.warns(ResultFileWarning, match="holds no golds")
        ):
            qa_frame.read_results(path, **named)
        golds = tmp_path / "golds.jsonl"
        named = {**named, "golds": write(golds, {"question": ASKED, "answers": [[x] for x in RIVERS]})}
    frame = qa_frame.read_results(path, **named)
    assert frame["answers"].notna().all()
    assert frame["response"].tolist() == columns[named["pred"]]


@pytest.mark.parametrize("text", ["7\twhich river\tThe Seine.\n8\twhich town\tCaen, or Rouen.\n", "seine\nrouen\n"])
def test_a_table_without_a_heading_says_how_to_write_one(tmp_path, monkeypatch, text):
    path = tmp_path / "answers.txt"
    path.write_text(text, "utf-8")
    with pytest.raises(ResultFileError, match="first line is a row and no heading") as error:
        qa_frame.read_results(path)
    code = re.search(r"as (pandas\..*?index=False\)) does", str(error.value))[1]
    monkeypatch.chdir(tmp_path)
    exec(code, {"pandas": pd, "pathlib": __import__("pathlib"), "path": path})
    (tmp_path / "golds.jsonl").write_text('{"answer": "Seine"}\n{"answer": "Rouen"}\n', "utf-8")
    golds = "golds.jsonl"
    if "\t" in text:
        (tmp_path / golds).write_text('{"id": "8", "answer": "Rouen"}\n{"id": "7", "answer": "Seine"}\n', "utf-8")
        frame = qa_frame.read_results("with_heading.csv", golds=golds)
    else:
        with pytest.warns(ResultFileWarning, match="by their order"):
            frame = qa_frame.read_results("with_heading.csv", golds=golds)
    assert len(frame) == 2
    assert frame["answers"].tolist() == [["Seine"], ["Rouen"]]
    with pytest.raises(ResultFileError, match="pred='response', and nothing looks like golds"):
        qa_frame.read_results("with_heading.csv")


GOLDS = {  # golds of a CSV file as they are written, and as they are read
    "intervals": (["(1, 3)", "(2, 5)"], [["(1, 3)"], ["(2, 5)"]]),
    "one with brackets": (["Rhone", "Ebro", "(1,4), (1,3)"], [["Rhone"], ["Ebro"], ["(1,4), (1,3)"]]),
    "lists": (["['Rhone', 'the Rhone']", "['Ebro']"], [["Rhone", "the Rhone"], ["Ebro"]]),
    "lists of numbers among lists of texts": (["['Rhone']", "[2018]", "2019"], [["Rhone"], ["2018"], ["2019"]]),
}


@pytest.mark.parametrize("name", GOLDS)
def test_golds_of_csv_are_lists_where_several_are_lists_of_texts(tmp_path, name):
    written, golds = GOLDS[name]
    path = write(tmp_path / "run.csv", {"id": range(len(written)), "gold_answer": written, "model_output": "x"})
    assert qa_frame.read_results(path)["answers"].tolist() == golds
    predictions = tmp_path / "p.jsonl"
    predictions.write_text("".join(json.dumps({"id": n, "prediction": "x"}) + "\n" for n in range(len(written))))
    assert qa_frame.read_results(predictions, golds=path)["answers"].tolist() == golds


def test_a_record_with_several_questions_is_told_to_be_parted(tmp_path):
    record = {"idx": 0, "unwrapped_output": ["A story."], "task_data": {"questions": ["Which river?", "Which sea?"]}}
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(record) + "\n", "utf-8")
    with pytest.raises(ResultFileError, match=r"make a record of each question, as 'task_data\.questions' has several"):
        qa_frame.read_results(path)
