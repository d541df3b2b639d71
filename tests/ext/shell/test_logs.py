"""The files of every harness go into every command."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import qa_frame
from tests.ext.files import shapes

every_shape = pytest.mark.parametrize("shape", shapes.ALL, ids=lambda shape: shape.__name__)
RIGHT = [{**row, "response": row["golds"][0]} for row in shapes.ROWS]


@pytest.mark.needs("files")
@every_shape
def test_summary(shape, tmp_path, run):
    path = shape(tmp_path)
    frame = qa_frame.read_results(path)
    expected = qa_frame.summary(
        qa_frame.score(frame, pred="response", gold="answers", metrics=["em", "f1"]), metrics=["em", "f1"]
    )
    done = run("summary", path, "--metrics", "em,f1", "--json")
    assert done.status == 0, done.err
    assert done.err == ""
    assert json.loads(done.out) == expected.to_dict("records")


@pytest.mark.needs("files")
@every_shape
def test_compare(shape, tmp_path, run):
    old, new = (shape(tmp_path / name, rows) for name, rows in _made(tmp_path))
    on = ["--question", "sample"] if shape is shapes.longbench else []
    done = run("compare", old, new, "--metrics", "em", "--fail-if-worse", "em=0", "--json", *on)
    if shape is shapes.longbench:  # it tells neither a question nor its id
        assert done.status == 2
        return
    (row,) = json.loads(done.out)
    assert (row["n"], row["mean_a"], row["n_only_a"], row["n_only_b"]) == (5, 1.0, 0, 0)
    assert row["b"].startswith("old")
    assert done.status == (row["tost_lo"] <= 0)


def _made(folder):
    for name, rows in (("old", shapes.ROWS), ("new", RIGHT)):
        (folder / name).mkdir()
        yield name, rows


@pytest.mark.needs("files")
@every_shape
@pytest.mark.parametrize(
    "ending", ["csv", *(pytest.param(each, marks=pytest.mark.thorough) for each in ("parquet", "jsonl"))]
)
def test_convert_and_score(shape, ending, tmp_path, run):
    path = shape(tmp_path)
    rows, scored = tmp_path / f"rows.{ending}", tmp_path / f"scored.{ending}"
    assert run("convert", path, "-o", rows).status == 0
    assert run("score", path, "--metrics", "f1", "-o", scored).status == 0
    frame = qa_frame.read_results(path)
    expected = qa_frame.score(frame, "response", "answers", metrics="f1", append=False)
    again = qa_frame.read_results(rows)
    found = qa_frame.score(again, "response", "answers", metrics="f1", append=False)
    pd.testing.assert_frame_equal(found, expected)
    assert {"response", "answers", "f1"} <= set(_columns(scored))


def _columns(path):
    if path.suffix == ".csv":
        return pd.read_csv(path)
    return pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_json(path, lines=True)


@pytest.mark.needs("files")
@every_shape
def test_kind(shape, tmp_path, run):
    path = shape(tmp_path)
    assert run("summary", path, "--kind", shapes.KINDS[shape]).status == 0
    done = run("summary", path, "--kind", "nothing")
    assert done.status == 2
    assert "--kind nothing is not known" in done.err
