"""The same questions in every harness's files give the same frame, and the same scores."""

from __future__ import annotations

import hashlib
import warnings

import pandas as pd
import pyarrow as pa
import pytest

import qa_frame
from qa_frame.ext.files.open_files import Content
from qa_frame.ext.files.recognise import KINDS
from qa_frame.ext.files.records import ResultFile
from tests.ext.files import shapes
from tests.ext.files.shapes import ROWS

every_shape = pytest.mark.parametrize("shape", shapes.ALL, ids=lambda shape: shape.__name__)


def golds_in(shape):
    return [row["golds"][:1] if shape in shapes.ONE_GOLD else row["golds"] for row in ROWS]


def empty_is_null(shape):
    """Tell whether an empty text cannot be told from a null: in CSV without quotes, and wherever Langfuse writes."""
    return shape in {shapes.plain_csv, shapes.plain_tsv, shapes.langfuse, shapes.langfuse_csv}


@every_shape
def test_responses_and_answers(shape, tmp_path):
    frame = qa_frame.read_results(shape(tmp_path))
    responses = [row["response"] for row in ROWS]
    if empty_is_null(shape):
        responses[3] = pd.NA
    assert frame["response"].tolist() == responses
    assert [list(golds) for golds in frame["answers"]] == golds_in(shape)


@every_shape
def test_an_empty_target_is_a_gold_in_tables_alone(shape, tmp_path):
    """Harnesses write it where there is no gold; in a table of one's own it may say that empty is right."""
    path = shape(tmp_path, [{**row, "golds": [""]} for row in ROWS])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = qa_frame.read_results(path)
        summary = frame.qa.score(pred="response", gold="answers", metrics="em").qa.summary(metrics="em")
    is_table = frame.attrs["qa_files"][str(path)]["kind"] in {"plain", "csv", "mlflow"}
    assert frame["answers"].isna().tolist() == [not is_table] * len(ROWS)
    assert summary["n_no_gold"].item() == (0 if is_table else len(ROWS))
    assert any("holds no golds" in str(each.message) for each in caught) == (not is_table)


@every_shape
def test_other_columns(shape, tmp_path):
    frame = qa_frame.read_results(shape(tmp_path))
    assert ("question" in frame) == (shape not in shapes.NO_QUESTION)
    if "question" in frame:
        assert frame["question"].tolist() == [row["question"] for row in ROWS]
    if shape not in shapes.NO_ID:
        assert frame["question_id"].tolist() == [row["id"] for row in ROWS]
    models = set(frame["model"]) if "model" in frame else {None}
    assert models == {shapes.MODELS[shape]}
    assert set(frame.get("dataset", [shapes.TASK])) == {shapes.TASK}
    assert "file" not in frame


@every_shape
def test_one_kind_alone_knows_a_file(shape, tmp_path):
    """So it does not matter in which order harnesses are asked; tables with usual names come last."""
    source = ResultFile(Content(shape(tmp_path)))
    found = [name for name, kind in KINDS.items() if kind.is_this(source)]
    assert len([name for name in found if name not in {"plain", "csv"}] or found) == 1
    assert [*KINDS][-2:] == ["plain", "csv"]


def row_of_turns(record):
    return [{"response": turn["said"], "answers": record["right"], "turn": n} for n, turn in enumerate(record["turns"])]


def test_a_function_is_a_kind_of_ones_own(tmp_path):
    records = [{"turns": [{"said": "Seine"}, {"said": "Rome"}], "right": ["Seine"]}, {"turns": []}, {"turn": 1}]
    path = shapes.write_lines(tmp_path / "a.jsonl", records)
    frame = qa_frame.read_results(tmp_path, row_of_turns, on_bad_lines="skip")
    assert frame["response"].tolist() == ["Seine", "Rome"]
    assert [list(golds) for golds in frame["answers"]] == [["Seine"]] * 2
    assert frame["turn"].tolist() == [0, 1]
    note = frame.attrs["qa_files"][str(path)]
    assert (note["kind"], note["rows"], note["left_out"]) == ("row_of_turns", 2, 1)
    wrong = r"line 3: cannot be read by kind=row_of_turns \(KeyError: 'turns'\)"
    with pytest.raises(qa_frame.errors.ResultFileError, match=wrong):
        qa_frame.read_results(path, row_of_turns)


def test_a_function_that_gives_no_rows_is_named(tmp_path):
    path = shapes.write_lines(tmp_path / "a.jsonl", [{"right": "Seine"}])
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="kind=str gives str for a record of"):
        qa_frame.read_results(path, str)
    with pytest.raises(qa_frame.errors.ColumnNotFoundError, match="no record has 'response'"):
        qa_frame.read_results(path, dict)
    with pytest.raises(qa_frame.errors.ResultFileError, match="is a zip, whose members kind=dict does not get"):
        qa_frame.read_results(shapes.inspect_eval(tmp_path), dict)


@every_shape
def test_types(shape, tmp_path):
    frame = qa_frame.read_results(shape(tmp_path))
    is_arrow = {name: isinstance(kind, pd.ArrowDtype) for name, kind in frame.dtypes.items()}
    assert is_arrow == {name: not isinstance(column.dropna().iloc[0], list | dict) for name, column in frame.items()}
    assert frame["response"].dtype.pyarrow_dtype == pa.string()
    assert {type(golds) for golds in frame["answers"]} <= {list, type(None)}
    assert not any(frame[name].isna().all() for name in frame)


@every_shape
def test_pandas_reads_again_what_it_writes(shape, tmp_path):
    frame = qa_frame.read_results(shape(tmp_path))
    frame.to_parquet(tmp_path / "frame.parquet")
    again = pd.read_parquet(tmp_path / "frame.parquet")
    assert pa.Table.from_pandas(again).to_pydict() == pa.Table.from_pandas(frame).to_pydict()
    expected = frame.qa.score("response", "answers", append=False)
    pd.testing.assert_frame_equal(again.qa.score("response", "answers", append=False), expected)


@every_shape
def test_the_kind_is_recognised_and_may_be_named(shape, tmp_path):
    path = shape(tmp_path)
    frame = qa_frame.read_results(path)
    kind = shapes.KINDS[shape]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert frame.attrs["qa_files"] == {str(path): {"kind": kind, "rows": len(ROWS), "left_out": 0, "sha256": digest}}
    pd.testing.assert_frame_equal(qa_frame.read_results(path, kind=kind), frame)


@every_shape
def test_another_kind_is_refused(shape, tmp_path):
    path = shape(tmp_path)
    other = next(kind for kind in KINDS if not KINDS[kind].is_this(ResultFile(Content(path))))
    with pytest.raises(qa_frame.errors.ResultFileError, match=f"is not of kind='{other}'"):
        qa_frame.read_results(path, kind=other)


def test_every_kind_has_a_shape():
    assert set(shapes.KINDS.values()) == set(KINDS)


@every_shape
def test_the_scores_of_the_harness_are_kept_apart(shape, tmp_path):
    names = [name for name in qa_frame.read_results(shape(tmp_path)) if name.startswith("harness_")]
    assert names == shapes.SCORES.get(shape, [])


def test_all_kinds_in_one_folder(tmp_path):
    for shape in shapes.ALL:
        folder = tmp_path / shape.__name__
        folder.mkdir()
        shape(folder)
    readable = [shape for shape in shapes.ALL if shape is not shapes.deepeval]  # its file's name has no ending
    frame = qa_frame.read_results(tmp_path)
    assert len(frame) == len(readable) * len(ROWS)
    assert frame["file"].nunique() == len(readable)
    assert {note["kind"] for note in frame.attrs["qa_files"].values()} == set(KINDS)
