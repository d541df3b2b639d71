"""Golds that stand in another file than the predictions are joined, and what has no partner is said."""

from __future__ import annotations

import json
import warnings

import pandas as pd
import pytest

import qa_frame
from qa_frame.errors import ResultFileError, ResultFileWarning


def write(path, value):
    """Write a JSON document, or JSON lines of a list where the name says so."""
    lines = value if path.suffix == ".jsonl" else [value]
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), "utf-8")
    return path


def squad(*questions):
    return {"version": "1.1", "data": [{"title": "t", "paragraphs": [{"context": "c", "qas": [*questions]}]}]}


def drop(number="", day="", spans=()):
    return {"number": number, "date": {"day": day, "month": "May" if day else "", "year": ""}, "spans": [*spans]}


TWO = [{"id": "a1", "answers": [{"text": "Seine", "answer_start": 1}], "question": "Q1"}]
TWO.append({"id": "b2", "answers": [{"text": "Loire", "answer_start": 1}], "question": "Q2"})
BY_ID = {"a1": "Seine", "b2": "Rhone"}
RIVERS = [["Seine"], ["Loire"]]
ROWS = [{"id": "b2", "prediction": "Rhone"}, {"id": "a1", "prediction": "Seine"}]
CASES = {  # predictions, golds, settings, answers
    "squad": (BY_ID, squad(*TWO), {}, RIVERS),
    "squad2": (BY_ID, squad(TWO[0], {"id": "b2", "is_impossible": True, "answers": []}), {}, [["Seine"], []]),
    "hotpotqa": (
        {"answer": BY_ID, "sp": {"a1": [["Rouen", 0]], "b2": []}},
        [{"_id": "a1", "answer": "Seine", "context": [["Rouen", ["x"]]]}, {"_id": "b2", "answer": "Loire"}],
        {},
        RIVERS,
    ),
    "drop": (
        {"a1": ["B", "A"], "b2": "2 May"},
        {
            "p1": {
                "passage": "p",
                "qa_pairs": [
                    {"query_id": "a1", "answer": drop(spans="AB"), "validated_answers": [drop(number="3")]},
                    {"query_id": "b2", "answer": drop(day="2")},
                ],
            }
        },
        {},
        [[["A", "B"], ["3"]], [["2 May"]]],
    ),
    "kilt": (
        [{"id": "a1", "output": [{"answer": "Seine"}]}, {"id": "b2", "output": [{"answer": "Loire"}]}],
        [
            {"id": "a1", "input": "q", "output": [{"answer": "Seine"}, {"answer": "the Seine"}, {"provenance": []}]},
            {"id": "b2", "input": "q", "output": [{"answer": "Loire", "provenance": [{"wikipedia_id": "1"}]}]},
        ],
        {},
        [["Seine", "the Seine"], ["Loire"]],
    ),
    "ms_marco": (
        [{"query_id": 1, "answers": ["Seine"]}, {"query_id": 2, "answers": ["Loire"]}],
        {"answers": {"0": ["Seine"], "1": ["Loire", "the Loire"]}, "query_id": {"0": 1, "1": 2}},
        {"pred": "answers"},
        [["Seine"], ["Loire", "the Loire"]],
    ),
    "mkqa": (
        [{"example_id": 1, "prediction": "Seine", "no_answer_prob": -3.2}],
        [{"example_id": 1, "answers": {"en": [{"type": "e", "text": "Seine", "aliases": ["La Seine"]}], "fr": []}}],
        {"gold": "answers.en"},
        [["Seine", "La Seine"]],
    ),
    "fever": (
        [{"id": 1, "predicted_label": "SUPPORTS"}],
        [{"id": 1, "claim": "c", "label": "SUPPORTS"}],
        {"pred": "predicted_label"},
        [["SUPPORTS"]],
    ),
    "triviaqa": (
        {"tc_1": "Seine"},
        {"Data": [{"QuestionId": "tc_1", "Question": "Q", "Answer": {"Value": "Seine", "Aliases": ["the Seine"]}}]},
        {},
        [["Seine", "the Seine"]],
    ),
    "mrqa": (
        [ROWS[1]],
        [{"header": {"dataset": "x"}}, {"context": "c", "qas": [{"qid": "a1", "answers": ["Seine"]}]}],
        {},
        RIVERS[:1],
    ),
    "by question": (
        [{"question": "q2", "prediction": "x"}, {"question": "q1", "prediction": "y"}],
        [{"question": "q1", "answer": ["Seine"]}, {"question": "q2", "answer": ["Loire"]}],
        {},
        RIVERS[::-1],
    ),
    "by order": ([{"prediction": "x"}, {"prediction": "y"}], [{"answer": "Seine"}, {"answer": "Loire"}], {}, RIVERS),
    "golds by id": (ROWS, {"a1": ["Seine"], "b2": ["Loire"]}, {}, RIVERS[::-1]),
    "own name": ({"m": [{"id": "b2", "mine": "x"}]}, squad(*TWO[1:]), {"pred": "mine"}, RIVERS[1:]),
    "one floor down": ({"m": ROWS[:1], "n": ROWS}, squad(*TWO), {}, [RIVERS[1], *RIVERS[::-1]]),
}


@pytest.mark.filterwarnings("ignore:.*(are lists|by their order):qa_frame.errors.ResultFileWarning")
@pytest.mark.parametrize("name", CASES)
def test_predictions_get_the_golds_of_another_file(tmp_path, name):
    predictions, golds, settings, answers = CASES[name]
    path = write(tmp_path / ("p.jsonl" if isinstance(predictions, list) else "p.json"), predictions)
    other = write(tmp_path / ("g.jsonl" if isinstance(golds, list) and name != "hotpotqa" else "g.json"), golds)
    frame = qa_frame.read_results(path, golds=other, **settings)
    assert frame["answers"].tolist() == answers
    assert frame.attrs["qa_files"][str(path)]["joined"] == len(frame) == len(answers)
    by = {"by question": "question", "by order": "order"}.get(name, "question_id")
    assert frame.attrs["qa_files"][str(path)]["joined_by"] == by
    with pytest.raises(ResultFileError, match="golds="):  # each says what to call
        qa_frame.read_results(path)


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet"])
def test_golds_in_tables(tmp_path, ending):
    frame = pd.DataFrame({"id": ["a1", "b2"], "answers": [["Seine", "the Seine"], ["Loire"]]})
    path = tmp_path / f"golds{ending}"
    write_table = {".parquet": frame.to_parquet, ".csv": frame.to_csv}.get(
        ending, lambda to: frame.to_csv(to, sep="\t")
    )
    write_table(path)
    rows = qa_frame.read_results(write(tmp_path / "p.jsonl", ROWS), golds=path)
    assert [[*golds] for golds in rows["answers"]] == [["Loire"], ["Seine", "the Seine"]]


def test_rows_and_golds_without_a_partner_are_said(tmp_path):
    golds = write(tmp_path / "g.json", squad(*TWO, {"id": "c3", "answers": [{"text": "x"}]}))
    path = write(tmp_path / "p.jsonl", [*ROWS, {"id": "zz", "prediction": "x"}])
    with pytest.warns(ResultFileWarning) as caught:
        frame = qa_frame.read_results(path, golds=golds)
    texts = " ".join(str(each.message) for each in caught)
    assert "1 row without golds in the other file: 'zz'" in texts
    assert "1 gold without a row in the other file: 'c3'" in texts
    assert frame["answers"].isna().tolist() == [False, False, True]
    assert frame.attrs["qa_files"][str(path)]["joined"] == 2


def test_golds_of_the_file_itself_are_kept_beside(tmp_path):
    path = write(tmp_path / "p.jsonl", [{**ROWS[1], "answers": ["mine"]}])
    frame = qa_frame.read_results(path, golds=write(tmp_path / "g.jsonl", TWO[:1]))
    assert frame[["answers", "answers_in_file"]].to_numpy().tolist() == [[["Seine"], ["mine"]]]


def test_rows_are_not_joined_by_order_where_a_record_was_left_out(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text('{"prediction": "x"}\n{"prediction\n{"prediction": "z"}\n', "utf-8")
    golds = write(tmp_path / "g.jsonl", [{"answer": "Seine"}, {"answer": "Loire"}])
    with pytest.raises(ResultFileError, match="none of its rows has golds"):
        qa_frame.read_results(path, golds=golds, on_bad_lines="skip")


def test_rows_with_ids_that_are_joined_by_order_are_said(tmp_path):
    path = write(tmp_path / "p.jsonl", ROWS)
    golds = write(tmp_path / "g.jsonl", [{"answer": "Loire"}, {"answer": "Seine"}])
    with pytest.warns(ResultFileWarning, match="joined by their order, as not both files have ids"):
        frame = qa_frame.read_results(path, golds=golds)
    assert frame["answers"].tolist() == [["Loire"], ["Seine"]]


def test_rows_of_one_question_that_no_column_tells_apart_are_said(tmp_path):
    rows, golds = [*ROWS, {**ROWS[0], "prediction": "Loire"}], write(tmp_path / "g.jsonl", [*TWO, TWO[0]])
    with pytest.warns(ResultFileWarning, match="1 row more than one of a question.* a column such as 'model'"):
        frame = qa_frame.read_results(write(tmp_path / "p.jsonl", rows), golds=golds)
    assert frame["answers"].tolist() == [["Loire"], ["Seine"], ["Loire"]]


def test_ids_of_other_questions_do_not_join(tmp_path):
    """The ids number rows in one file, and questions in the other."""
    rows = [{"id": 1, "Question": "Q1", "said": "Seine"}, {"id": 2, "Question": "Q3", "said": "Rhone"}]
    golds = [
        {"id": n, "Question": f"Q{n}", "answers": [river]} for n, river in enumerate(["Seine", "Loire", "Rhone"], 1)
    ]
    path, other = write(tmp_path / "p.jsonl", rows), write(tmp_path / "g.jsonl", golds)
    with pytest.warns(ResultFileWarning, match="1 gold without a row"):
        frame = qa_frame.read_results(path, pred="said", golds=other)
    assert frame["answers"].tolist() == [["Seine"], ["Rhone"]]
    assert frame.attrs["qa_files"][str(path)]["joined_by"] == "question"


@pytest.mark.parametrize("shift", [0, 7])
def test_golds_that_fit_no_better_than_those_of_other_rows(tmp_path, shift):
    rivers = [f"river{n}" for n in range(40)]
    golds = [{"id": n, "answer": river} for n, river in enumerate(rivers)]
    rows = [{"id": n, "prediction": f"the {rivers[(n + shift) % 40]}"} for n in range(40)]
    path, other = tmp_path / "p.jsonl", write(tmp_path / "g.jsonl", golds)
    write(path, rows)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert len(qa_frame.read_results(path, golds=other)) == 40
    assert ("no more like the golds" in str([each.message for each in caught])) == (shift > 0)
    write(path, [{"prediction": row["prediction"]} for row in rows])
    if shift:
        with pytest.raises(ResultFileError, match=r"joined by order, .* no more like the golds.*ids of the questions"):
            qa_frame.read_results(path, golds=other)
    else:
        with pytest.warns(ResultFileWarning, match="by their order"):
            assert len(qa_frame.read_results(path, golds=other)) == 40


def test_predictions_by_id_below_other_values(tmp_path):
    path = write(tmp_path / "p.json", {"acc": 0.5, "args": {"label": "x"}, "outputs": {"4": "Seine", "5": "Loire"}})
    with pytest.raises(ResultFileError, match="'outputs' has predictions by id: give pred='outputs', and the data set"):
        qa_frame.read_results(path)
    golds = write(tmp_path / "g.jsonl", [{"id": "5", "answer": "Rhone"}, {"id": "4", "answer": "Seine"}])
    frame = qa_frame.read_results(path, pred="outputs", golds=golds)
    assert frame[["response", "answers"]].to_numpy().tolist() == [["Seine", ["Seine"]], ["Loire", ["Rhone"]]]


SAMPLES = [{**ROWS[0], "sample": number} for number in range(2)]


@pytest.mark.parametrize(
    ("predictions", "golds", "message"),
    [
        (ROWS, [*TWO, {**TWO[0], "answers": ["Rhone"]}], "question_id 'a1' stands twice in .*, with other golds"),
        (
            [{"id": 5, "prediction": "x"}],
            TWO,
            "none of its rows has golds.*first of 1 row is of '5', of 2 golds 'a1'",
        ),
        ([{"prediction": "x"}], [{"answer": "a"}] * 2, "none of its rows has golds"),
        (ROWS, [{"id": "a1", "context": "c"}] * 2, "holds no golds under a usual name"),
    ],
)
def test_golds_that_cannot_be_joined(tmp_path, predictions, golds, message):
    path, other = write(tmp_path / "p.jsonl", predictions), write(tmp_path / "g.jsonl", golds)
    with pytest.raises(ResultFileError, match=message):
        qa_frame.read_results(path, golds=other)
    assert len(qa_frame.read_results(write(path, SAMPLES), golds=write(other, TWO[1:]))) == 2


def joined(tmp_path, preds, golds):
    """Return the golds of each row, and what is said."""
    paths = (write(tmp_path / f"{name}.jsonl", rows) for name, rows in (("preds", preds), ("golds", golds)))
    path, other = paths
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = qa_frame.read_results(path, golds=other)
    said = [str(each.message) for each in caught]
    return [golds if golds is None else [*golds] for golds in frame["answers"]], said


def asked(n, dataset=None, text="Q"):
    row = {"id": n, "question": f"{text}{n}{dataset or ''}"} if text else {"id": n}
    return row | ({"dataset": dataset} if dataset else {})


@pytest.mark.parametrize("text", ["Q", ""], ids=["with texts", "without"])
def test_ids_that_begin_anew_in_each_dataset_join_no_other_dataset(tmp_path, text):
    preds = [asked(n, dataset, text) | {"prediction": f"{n}{dataset}"} for dataset in "xy" for n in range(12)]
    of_both = [[asked(n, dataset, text) | {"answers": [f"{n}{dataset}"]} for n in range(12)] for dataset in "xy"]
    found, said = joined(tmp_path, preds, of_both[0])
    assert found == [[f"{n}x"] for n in range(12)] + [None] * 12
    assert "12 rows without golds in the other file" in " ".join(said)
    assert joined(tmp_path, preds, of_both[0] + of_both[1]) == (
        [[f"{n}{each}"] for each in "xy" for n in range(12)],
        [],
    )


def test_a_text_that_another_gold_has_decides_and_other_texts_are_said(tmp_path):
    preds = [asked(n) | {"prediction": str(n)} for n in range(30)]
    golds = [asked(n) | {"answers": [str(n)]} for n in range(30)]
    golds[3]["id"], golds[4]["id"] = 4, 3
    assert joined(tmp_path, preds, golds) == ([[str(n)] for n in range(30)], [])
    written = [row | {"question": f"{row['question']}?"} for row in preds]
    found, said = joined(tmp_path, written, golds[:3] + golds[5:])
    assert found[:5] == [["0"], ["1"], ["2"], None, None]
    assert "28 of 28 rows that were joined by question_id have another text of the question" in " ".join(said)
