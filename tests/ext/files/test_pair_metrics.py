"""Metrics of one's own on files: scored in this process, each distinct pair once, and known to later summaries."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import qa_frame

COLUMNS = {"pred": "response", "gold": "answers"}


class Recorder:
    """The length of each gold. It records what it is asked, and where."""

    def __init__(self):
        self.asked, self.processes = [], set()

    def __call__(self, preds, golds):
        self.asked += zip(preds, golds, strict=True)
        self.processes.add(os.getpid())
        return [float(len(gold)) for gold in golds]


@pytest.fixture
def folder(tmp_path):
    """Two files with the same rows."""
    qa_frame.sample().to_parquet(tmp_path / "a.parquet")
    qa_frame.sample().to_json(tmp_path / "b.jsonl", orient="records", lines=True)
    return tmp_path


def test_files_are_scored_in_this_process_and_a_pair_of_several_files_once(folder):
    recorder = Recorder()
    metric = qa_frame.PairMetric("own", recorder)
    done = qa_frame.score_files(folder / "*.*", folder / "out", **COLUMNS, metrics=["em", metric], n_jobs=2)
    assert done["status"].tolist() == ["written", "written"]
    assert len(recorder.asked) == len({*recorder.asked})
    assert recorder.processes == {os.getpid()}
    expected = qa_frame.sample().qa.score("response", "answers", metrics=["em", metric])
    found = pd.read_parquet(folder / "out" / "a.parquet")  # the recorder is another function after its first call
    pd.testing.assert_frame_equal(found.drop(columns="qa_rules"), expected.drop(columns="qa_rules"))
    lines = pd.read_json(folder / "out" / "b.jsonl", lines=True)
    np.testing.assert_array_equal(lines["own"], expected["own"])


def test_a_file_is_kept_unless_the_function_has_changed(folder):
    path, out = folder / "a.parquet", folder / "out"

    def score(function):
        metric = qa_frame.PairMetric("own", function)
        return qa_frame.score_files(path, out, **COLUMNS, metrics=metric)["status"].tolist()

    assert score(lambda preds, golds: [1.0] * len(preds)) == ["written"]  # noqa: ARG005
    assert score(lambda preds, golds: [1.0] * len(preds)) == ["kept"]  # noqa: ARG005
    with pytest.raises(qa_frame.errors.ResultFileError, match="this call would not make it so"):
        score(lambda preds, golds: [2.0] * len(preds))  # noqa: ARG005


def test_summaries_of_files_find_it(folder):
    metric = qa_frame.PairMetric("own", Recorder())
    expected = qa_frame.sample().qa.score("response", "answers", metrics=["em", metric]).qa.summary("model", ci=0.9)
    now = qa_frame.summary_files(folder / "a.parquet", "model", **COLUMNS, metrics=["em", metric], ci=0.9, n_jobs=2)
    pd.testing.assert_frame_equal(now[[*expected]], expected)
    qa_frame.score_files(folder / "*.*", folder / "out", **COLUMNS, metrics=["em", metric])
    parquet = qa_frame.summary_files(folder / "out" / "a.parquet", "model", ci=0.9)
    pd.testing.assert_frame_equal(parquet, expected)
    lines = folder / "out" / "b.jsonl"  # the note is beside it
    pd.testing.assert_frame_equal(qa_frame.summary_files(lines, "model", ci=0.9), expected)
    given = qa_frame.summary_files(lines, "model", metrics=["em", metric], ci=0.9)
    pd.testing.assert_frame_equal(given[["em", "own", "own_lo"]], expected[["em", "own", "own_lo"]])


def test_a_column_of_a_file_is_not_replaced(folder):
    for name in ("model", "response"):
        metric = qa_frame.PairMetric(name, Recorder())
        for file in ("a.parquet", "b.jsonl"):
            with pytest.raises(qa_frame.errors.ColumnOverwriteError, match=f"'{name}'"):
                qa_frame.score_files(folder / file, folder / "out", **COLUMNS, metrics=metric)
    assert not (folder / "out").exists()


def test_an_error_names_the_file_and_nothing_is_half_written(folder):
    def fails(_preds, _golds):
        raise RuntimeError("no answer from the judge")

    metric = qa_frame.PairMetric("own", fails)
    with pytest.raises(qa_frame.errors.OwnMetricError, match=r"a\.parquet.*no answer from the judge"):
        qa_frame.score_files(folder / "a.parquet", folder / "out", **COLUMNS, metrics=metric)
    assert not list((folder / "out").glob("*"))


def test_scored_rows_of_a_file_may_be_scored_anew(folder):
    metric = qa_frame.PairMetric("own", Recorder())
    qa_frame.score_files(folder / "a.parquet", folder / "once", **COLUMNS, metrics=metric)
    qa_frame.score_files(folder / "once", folder / "twice", **COLUMNS, metrics=["em", metric])
    assert pq.read_schema(folder / "twice" / "a.parquet").names[-4:] == ["qa_rules", "qa_flags", "own", "em"]
