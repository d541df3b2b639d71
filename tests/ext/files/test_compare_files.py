"""`compare_files` gives the table of `compare` for one frame of all rows, and reads no texts."""

from __future__ import annotations

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import qa_frame
from qa_frame.errors import ColumnNotFoundError, PairingError, ResultFileError, ResultFileNotFoundError
from qa_frame.ext.files import compare_files as module

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
KEYS = {"by": "model", "question": "question_id"}


@pytest.fixture(scope="module")
def scored():
    return qa_frame.sample().qa.score("response", "answers", metrics=["em", "f1"], stats=True)


@pytest.fixture(scope="module")
def folder(scored, tmp_path_factory):
    """A file for each model, as `score` and `score_files` write them, and one of lines."""
    path = tmp_path_factory.mktemp("scored")
    for model, rows in qa_frame.sample().groupby("model"):
        if model == "heron-7b":
            scored[scored["model"] == model].to_parquet(path / f"{model}.parquet")
            continue
        suffix = "parquet" if model == "lynx-70b" else "jsonl"
        source = path.parent / f"{model}.{suffix}"
        rows.to_parquet(source) if suffix == "parquet" else rows.to_json(source, orient="records", lines=True)
        options = {"pred": "response", "gold": "answers", "metrics": ["em", "f1"], "stats": True, "n_jobs": 1}
        qa_frame.score_files(source, path / source.name, **options)
    return path


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"metrics": ["f1", "corpus_bleu", "f1_micro"]},
        {"metrics": ["em", "human"]},
        {"baseline": "heron-7b", "margin": 0.02, "ci": 0.9, "correction": "none"},
        {"within": "dataset"},
        {"cluster": "dataset", "n_resamples": 50},
        {"macro": "dataset", "weights": "size"},
        {"samples": True, "pass_at": 1, "threshold": 0.4},
        {"by": ["model", "dataset"], "question": None},
    ],
    ids=str,
)
def test_the_table_is_that_of_one_frame(folder, scored, options):
    arguments = KEYS | options
    found = qa_frame.compare_files(folder, **arguments)
    assert_frame_equal(found, qa_frame.compare(scored, **arguments))


def test_it_remembers_the_rules_as_a_frame_does(scored, tmp_path):
    for model, rows in scored.groupby("model"):
        rows.to_parquet(tmp_path / f"{model}.parquet")
    assert qa_frame.compare_files(tmp_path, **KEYS).attrs == qa_frame.compare(scored, **KEYS).attrs


def test_no_texts_are_read(folder, monkeypatch):
    read = []
    monkeypatch.setattr(module, "compare", lambda frame, *_, **__: read.append(frame))
    qa_frame.compare_files(folder, **KEYS)
    assert {"model", "question_id", "em", "f1"} <= {*read[0].columns}
    assert not {"response", "answers"} & {*read[0].columns}
    assert len(read[0]) == 360


def test_folders_are_keys(scored, tmp_path):
    for model, rows in scored.groupby("model"):
        (tmp_path / f"model={model}").mkdir()
        rows.drop(columns="model").to_parquet(tmp_path / f"model={model}" / "part.parquet")
    assert_frame_equal(qa_frame.compare_files(tmp_path, **KEYS), qa_frame.compare(scored, **KEYS))


def test_a_pattern_of_files_and_numbers_as_questions(scored, tmp_path):
    rows = scored.assign(question_id=scored.groupby("model").cumcount())
    for model, part in rows.groupby("model"):
        part.to_parquet(tmp_path / f"{model}.parquet")
    found = qa_frame.compare_files([tmp_path / "heron-7b.parquet", str(tmp_path / "o*.parquet")], **KEYS)
    assert_frame_equal(found, qa_frame.compare(rows[rows["model"] != "lynx-70b"], **KEYS))


def test_rows_of_two_scorings_are_refused(tmp_path):
    for convention, model in (("squad", "heron-7b"), ("drop", "lynx-70b")):
        rows = qa_frame.sample().query("model == @model").qa.score("response", "answers", convention=convention)
        rows[["model", "question_id", "em", "f1", "qa_rules"]].to_parquet(tmp_path / f"{model}.parquet")
    with pytest.raises(qa_frame.errors.QaFrameError, match="rules"):
        qa_frame.compare_files(tmp_path, **KEYS)


def test_errors_are_those_of_compare(folder, tmp_path):
    with pytest.raises(ColumnNotFoundError, match=r"heron-7b\.parquet: question='qid' is not a column"):
        qa_frame.compare_files(folder, "model", "qid")
    with pytest.raises(ColumnNotFoundError, match="cluster='topic' is not a column"):
        qa_frame.compare_files(folder, **KEYS, cluster="topic")
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="baseline="):
        qa_frame.compare_files(folder, **KEYS, baseline="swan")
    with pytest.raises(PairingError):
        qa_frame.compare_files(folder / "heron-7b.parquet", **KEYS)
    with pytest.raises(TypeError, match="did you mean 'metrics'"):
        qa_frame.compare_files(folder, **KEYS, metrcs="f1")
    with pytest.raises(ResultFileNotFoundError):
        qa_frame.compare_files(tmp_path / "none.parquet", **KEYS)
    qa_frame.sample().to_parquet(tmp_path / "unscored.parquet")
    with pytest.raises(ColumnNotFoundError, match="no score column"):
        qa_frame.compare_files(tmp_path / "unscored.parquet", **KEYS)


def test_types_that_differ_are_named(scored, tmp_path):
    scored.assign(question_id=1)[:40].to_parquet(tmp_path / "a.parquet")
    scored[40:].to_parquet(tmp_path / "b.parquet")
    with pytest.raises(ResultFileError, match="'question_id' is"):
        qa_frame.compare_files(tmp_path, **KEYS)


def test_files_without_rows(scored, tmp_path):
    scored[:0].to_parquet(tmp_path / "empty.parquet")
    with pytest.raises(qa_frame.errors.QaFrameError):
        qa_frame.compare_files(tmp_path, **KEYS)
    pd.concat([scored]).to_parquet(tmp_path / "full.parquet")
    assert_frame_equal(qa_frame.compare_files(tmp_path, **KEYS), qa_frame.compare(scored, **KEYS))
