"""Records that stand one or two floors down are read, with what stands above them; what is no row is said."""

from __future__ import annotations

import json
import pickle
import re

import pytest

import qa_frame
from qa_frame.errors import ResultFileError, ResultFileWarning

A = {"question": "q", "prediction": "Seine", "gold": "Seine"}
B = {"question": "r", "prediction": "Loire", "gold": "Seine"}
OWN = [{"llama": each["prediction"], "wanted": each["gold"]} for each in (A, B)]
NAMED = {"pred": "llama", "gold": "wanted"}
CASES = {  # document, settings, columns beside
    "lists by model": ({"m": [A], "n": [B]}, {}, {"key": ["m", "n"]}),
    "two floors": ({"model": "heron", "at": 7, "details": {"x": [A], "y": [B]}}, {}, {"key": ["details.x", "details.y"], "model": ["heron"] * 2}),
    "one list": ({"results": [A, B], "dataset": "nq"}, {}, {"dataset": ["nq"] * 2}),
    "by id": ({"q_a": A, "q_b": B}, {}, {"question_id": ["q_a", "q_b"]}),
    "by number": ({"1": A, "2": {**B, "question_id": "x"}}, {}, {"question_id": ["1", "x"], "record_id": [None, "2"]}),
    "by model and id": ({"m": {"q_a": A}, "n": {"q_a": B}}, {}, {"key": ["m", "n"], "question_id": ["q_a"] * 2}),
    "capital letters": ({"m": [{name.title(): A[name] for name in A}], "n": [B]}, {}, {"key": ["m", "n"]}),
    "own names": ({"m": OWN[:1], "n": OWN[1:]}, NAMED, {"key": ["m", "n"]}),
    "own names by id": ({"q_a": OWN[0], "q_b": OWN[1]}, NAMED, {"question_id": ["q_a", "q_b"]}),
    "a list of lists": ([{"sample_id": "c1", "qa": [A]}, {"sample_id": "c2", "qa": [B]}], {}, {"key": ["c1", "c2"]}),
}  # fmt: skip


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("name", CASES)
def test_records_below(tmp_path, name, indent):
    document, settings, columns = CASES[name]
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document, indent=indent), "utf-8")
    frame = qa_frame.read_results(path, **settings)
    assert frame["response"].tolist() == ["Seine", "Loire"]
    assert frame["answers"].tolist() == [["Seine"], ["Seine"]]
    beside = frame[[*columns]].astype(object)
    assert beside.where(beside.notna(), None).to_dict("list") == columns


def test_each_line_may_have_records_below(tmp_path):
    """Of all lines, not of the first alone."""
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps({"id": n, "qa": [A, B]}) + "\n" for n in range(3)), "utf-8")
    assert qa_frame.read_results(path)["key"].tolist() == ["0", "0", "1", "1", "2", "2"]


def test_records_that_are_no_rows_are_counted(tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"summary": [{"n": 1}] * 3, "m": [A], "n": [B, {"question": "?"}]}), "utf-8")
    with pytest.raises(ResultFileError, match="record 2 of 'n': has no 'response'"):
        qa_frame.read_results(path)
    with pytest.warns(ResultFileWarning) as caught:
        assert len(qa_frame.read_results(path, on_bad_lines="warn")) == 2
    texts = " ".join(str(each.message) for each in caught)
    assert "3 records of 'summary': not read" in texts
    assert "1 record was left out, first record 2 of 'n'" in texts


def test_a_heading_line_is_skipped_and_said(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in ({"prompt": "Answer."}, A, B)), "utf-8")
    for source in (path, tmp_path):  # a folder passes over files that are no results
        with pytest.warns(ResultFileWarning, match=r"heading .* \['prompt'\], .* \['gold', 'prediction', 'question'\]"):
            assert qa_frame.read_results(source)["response"].tolist() == ["Seine", "Loire"]
    again = ({"prompt": "Answer."}, A, {"prompt": "Say it."}, B)  # two files that were put together
    path.write_text("".join(json.dumps(each) + "\n" for each in again), "utf-8")
    with pytest.warns(ResultFileWarning, match="heading"):
        assert qa_frame.read_results(path)["response"].tolist() == ["Seine", "Loire"]
    path.write_text("".join(json.dumps(each) + "\n" for each in ({"question": "?"}, A, B)), "utf-8")
    with pytest.raises(ResultFileError, match=r"line 1: .* there is no 'prediction'"):  # it is a record without one
        qa_frame.read_results(path)


def test_one_pattern_reads_the_files_of_two_models_of_leval(tmp_path):
    for model in ("heron", "egret"):
        record = {"query": "q", "gt": "A", "evaluation": "exam", f"{model}_pred": "A"}
        (tmp_path / f"{model}.jsonl").write_text(json.dumps(record), "utf-8")
    frame = qa_frame.read_results(str(tmp_path / "*.jsonl"))
    assert frame[["model", "response"]].values.tolist() == [["egret", "A"], ["heron", "A"]]


def test_a_record_of_leval_without_a_prediction_is_an_error_of_its_own(tmp_path):
    path = tmp_path / "run.jsonl"
    record = {"query": "q", "gt": "A"}
    path.write_text(f"{json.dumps({**record, 'heron_pred': 'A'})}\n{json.dumps(record)}\n", "utf-8")
    with pytest.raises(ResultFileError, match=r"line 2: has no '<model>_pred'"):
        qa_frame.read_results(path)
    assert len(qa_frame.read_results(path, on_bad_lines="skip")) == 1


def test_a_list_of_results_that_are_no_objects_is_of_no_known_kind(tmp_path):
    path = tmp_path / "run.json"
    path.write_text('{"results": [1, 2]}', "utf-8")
    with pytest.raises(ResultFileError, match="is of no known kind"):
        qa_frame.read_results(path)


def test_nested_columns_are_objects_of_python(tmp_path):
    values = [{"retrieved": ["Rouen"], "metrics": {"em": 1.0}, "facts": [["a", 0]], "empty": {}, "mixed": "text"}]
    values.append({"retrieved": [], "metrics": {"f1": 0.5}, "facts": [], "empty": {}, "mixed": ["list"]})
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps({**A, **each}) + "\n" for each in values), "utf-8")
    frame = qa_frame.read_results(path)
    assert frame["retrieved"].tolist() == [["Rouen"], []]
    assert frame["metrics"].tolist() == [{"em": 1.0, "f1": None}, {"em": None, "f1": 0.5}]
    assert frame["facts"].tolist() == ['[["a", 0]]', "[]"]  # Parquet has no type for them
    assert frame["empty"].tolist() == ["{}", "{}"]
    assert frame["mixed"].tolist() == ["text", '["list"]']
    frame.to_parquet(tmp_path / "rows.parquet")


def test_quotes_in_tsv_are_text_where_they_mark_no_field(tmp_path):
    path = tmp_path / "run.tsv"
    path.write_text('prediction\tgold\n"Foo" is it\tFoo\n"a\tb"\tc\n"half\td\n"Bar" too\te\n', "utf-8")
    frame = qa_frame.read_results(path)
    assert frame["response"].tolist() == ['"Foo" is it', "a\tb", '"half', '"Bar" too']
    assert [golds[0] for golds in frame["answers"]] == ["Foo", "c", "d", "e"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("run.pkl", pickle.dumps([A]), "is a pickle, which is not read"),
        (
            "run.jsonl",
            f"{A}\n{B}\n".encode(),
            r"a dict of Python and no JSON.*json\.dumps\(ast\.literal_eval\(line\)\)",
        ),
        ("run.json", str([A, B]).encode(), "a dict of Python and no JSON"),
    ],
)
def test_what_python_wrote_is_told(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ResultFileError, match=re.compile(message, re.DOTALL)):
        qa_frame.read_results(path)
