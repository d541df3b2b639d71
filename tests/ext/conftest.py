"""What the tests of the command line share."""

from __future__ import annotations

import importlib
from typing import NamedTuple

import pytest

import qa_frame


class Done(NamedTuple):
    """How a call ended: its exit status, and what it printed."""

    status: int
    out: str
    err: str


@pytest.fixture
def run(capsys):
    """Call the command line in this process."""
    main = importlib.import_module("qa_frame.ext.shell").main  # which is not there where its folder was deleted

    def call(*words):
        capsys.readouterr()
        status = main([str(word) for word in words])
        return Done(status, *capsys.readouterr())

    return call


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """The sample as one file in several formats, and as one file a model. Tests write elsewhere."""
    path = tmp_path_factory.mktemp("sample")
    sample = qa_frame.sample()
    sample.to_parquet(path / "sample.parquet")
    sample.to_json(path / "sample.jsonl", orient="records", lines=True)
    for model, rows in sample.groupby("model"):
        rows.drop(columns="model").to_json(path / f"{model}.jsonl", orient="records", lines=True)
    return path


@pytest.fixture
def without_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the pictures of reports, which take half of their time, for a test that does not look at them."""
    monkeypatch.setattr("qa_frame.ext.report.pictures.draw_pictures", lambda _: [])
