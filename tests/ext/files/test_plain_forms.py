"""Tables that tools write under names of their own are read, and of others the error says what to name."""

from __future__ import annotations

import json
import re
import zipfile

import pytest

import qa_frame
from qa_frame.errors import ResultFileError


def write(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


CONTINUOUS_EVAL = {  # its README, "Run a single metric"
    "question": "What is the capital of France?",
    "retrieved_context": ["Paris is the capital of France and its largest city.", "Lyon is a major city in France."],
    "ground_truth_context": ["Paris is the capital of France."],
    "answer": "Paris",
    "ground_truths": ["Paris"],
}
TUN_WELLENS = {  # results/results_*.jsonl of Tun-Wellens/llm-eval
    "id": 3,
    "question": "W\u00e9ini hunn d'Eagles den leschten Super Bowl gewonnen?",
    "reference": ["2017"],
    "model": "gemini-3-flash-preview",
    "answer": "Paris",
    "scores": {"overall": 3},
}
TORA = {"idx": 0, "question": "1 + 1?", "gt_cot": "1 + 1 = 2", "gt": "Paris", "code": ["x"], "pred": ["Paris"]}
HAYSTACK = {"question": "Where?", "predicted_answers": "Paris", "true_answers": ["Paris"], "contexts": ["Paris"]}


@pytest.mark.parametrize("record", [CONTINUOUS_EVAL, TUN_WELLENS, TORA, HAYSTACK])
def test_records_of_other_tools(tmp_path, record):
    frame = qa_frame.read_results(write(tmp_path / "run.jsonl", record, record))
    assert frame["response"].tolist() == ["Paris"] * 2
    golds = record.get("ground_truths", record.get("reference", [record.get("gt")]))
    assert frame["answers"].map(list).tolist() == [["Paris"] if record is HAYSTACK else golds] * 2
    assert frame["question"].tolist() == [record["question"]] * 2


def test_the_report_of_haystack(tmp_path):
    """`EvaluationRunResult.detailed_report("json")`: the inputs and the scores, a list each."""
    report = {"question": ["a?", "b?"], "answer": ["x", "y"], "predicted_answer": ["x", "z"], "sas": [0.9, 0.1]}
    path = tmp_path / "report.json"
    for indent in (None, 4):
        path.write_text(json.dumps(report, indent=indent), "utf-8")
        frame = qa_frame.read_results(path)
        assert frame.qa.score("response", "answers", metrics="em")["em"].tolist() == [1.0, 0.0]
        assert frame["sas"].tolist() == [0.9, 0.1]


def test_one_record_with_samples_is_no_table_of_columns(tmp_path):
    path = write(tmp_path / "run.json", {"id": 7, "response": ["a", "b"], "answers": ["c", "d"]})
    frame = qa_frame.read_results(path, lists="samples")
    assert frame["sample"].tolist() == [0, 1]
    two = {"response": ["a", "b"], "answers": ["c", "d"]}
    assert len(qa_frame.read_results(write(path, two, two), lists="samples")) == 4


@pytest.mark.parametrize("record", [{"question": "?", "answer": "a", "answers": ["a"]}, {"answer": "a", "label": "a"}])
def test_the_answer_of_a_dataset_is_no_prediction(tmp_path, record):
    with pytest.raises(ResultFileError, match="is of no known kind"):
        qa_frame.read_results(write(tmp_path / "data.jsonl", record))


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"doc": {"answer": "a"}, "output": {"text": "b"}}, "may be them: pred='output.text' and gold='doc.answer'"),
        ({"llama_reply": "a", "gold_span": "a"}, "may be them: pred='llama_reply' and gold='gold_span'"),
        ({"m": [{"llama_reply": "a", "gold_span": "b"}]}, "may be them: pred='llama_reply' and gold='gold_span'"),
        ({"llama_reply": "a", "x": "a"}, "Name its values with pred= and gold="),
    ],
)
def test_a_file_of_no_kind_says_what_to_name(tmp_path, record, said):
    path = write(tmp_path / "run.jsonl", record)
    with pytest.raises(ResultFileError, match=said) as error:
        qa_frame.read_results(path)
    if "gold='" in str(error.value):
        named = dict(re.findall(r"(pred|gold)='([\w.]+)'", str(error.value).partition("may be them")[2][:60]))
        assert len(qa_frame.read_results(path, **named)) == 1


def test_zips_of_several_files_stay_as_they_are(tmp_path):
    import zipfile  # noqa: PLC0415

    path = tmp_path / "two.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a.json", "[]")
        file.writestr("b.json", "[]")
    with pytest.raises(ResultFileError, match=r"is a zip of several files .*'a\.json', 'b\.json'; unpack it"):
        qa_frame.read_results(path)


@pytest.mark.parametrize("name", ["choices", "options"])
@pytest.mark.parametrize(
    "options",
    [
        ["Rome", "Oslo"],
        {"A": "Rome", "B": "Oslo"},
        {"text": ["Rome", "Oslo"], "label": ["A", "B"]},
        [{"label": "A", "text": "Rome"}, {"label": "B", "text": "Oslo"}],
    ],
)
def test_options_are_lists_of_texts(tmp_path, name, options):
    record = {"response": "It is (B).", "answer": 1, name: options}
    frame = qa_frame.read_results(write(tmp_path / "run.jsonl", record))
    assert frame[name].map(list).tolist() == [["Rome", "Oslo"]]
    rules = {"extract": "choice", "choices": name, "gold_is": "index0", "metrics": "em"}
    assert frame.qa.score("response", "answers", **rules)["em"].tolist() == [1.0]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("RUN.JSON", '{"results": [\n{"response": "a", "answers": "b"}]}'),
        ("RUN.CSV", 'response,answers,"no\tte"\na,b,c\n'),
        ("RUN.JSONL", '{"response": "a", "answers": "b"}\n'),
    ],
)
@pytest.mark.parametrize("is_zipped", [False, True])
def test_endings_in_capital_letters(tmp_path, name, written, is_zipped):
    path = tmp_path / (f"{name}.ZIP" if is_zipped else name)
    if is_zipped:
        with zipfile.ZipFile(path, "w") as members:
            members.writestr(name, written)
    else:
        path.write_text(written, "utf-8")
    assert qa_frame.read_results(path)["response"].tolist() == ["a"]


def test_a_value_that_is_named_as_prediction_is_no_gold(tmp_path):
    path = write(tmp_path / "r.jsonl", {"id": 1, "question": "Which river?", "answer": "The Rhone."})
    with pytest.raises(qa_frame.QaFrameError, match="name it with gold="):
        qa_frame.read_results(path, pred="answer")


def test_scores_of_a_judge_are_no_predictions_or_golds(tmp_path):
    rows = [
        {"id": n, "answer": f"The Rhone {n}.", "ragas_faithfulness": n, "ragas_answer_relevancy": n} for n in (1, 2)
    ]
    with pytest.raises(qa_frame.errors.ResultFileError) as error:
        qa_frame.read_results(write(tmp_path / "r.jsonl", *rows))
    assert "ragas_" not in str(error.value).partition("these may be them")[2].partition("The known")[0]


def test_a_number_beside_a_sentence_may_be_the_prediction(tmp_path):
    rows = [{"label": n, "response": f"The claim is no. {n}, as I said.", "prediction": n} for n in (1, 0)]
    with pytest.warns(
        qa_frame.errors.ResultFileWarning, match=r"and not from 'prediction' \(such as 1\); pred='prediction'"
    ):
        qa_frame.read_results(write(tmp_path / "r.jsonl", *rows))
