"""What `to_hub_eval_results` writes: the figure of the summary, which the package of the Hub reads again."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import qa_frame

PLACE = {"dataset_id": "acme/facts", "task_id": "default"}


@pytest.fixture
def rows():
    return qa_frame.sample().query("model == 'lynx-70b' and dataset == 'facts'")


def test_the_value_is_the_figure_of_the_summary(rows, tmp_path):
    path = qa_frame.to_hub_eval_results(rows, tmp_path / "a.yaml", metrics="f1", percent=True, ci=0.9, **PLACE)
    figures = rows.qa.summary(metrics="f1", pred="response", gold="answers", percent=True, ci=0.9).iloc[0]
    (entry,) = json.loads(path.read_text("utf-8"))
    assert entry["value"] == figures["f1"]
    assert f"90 % interval {figures['f1_lo']:.4g} to {figures['f1_hi']:.4g}" in entry["notes"]
    assert f"{int(figures['n_scored'])} rows" in entry["notes"]


@pytest.mark.parametrize("more", [{}, {"notes": "é", "date": "2026-01-05", "source_url": "https://example.org"}])
def test_the_hub_reads_and_writes_the_same(rows, tmp_path, more):
    hub = pytest.importorskip("huggingface_hub", minversion="1.4")
    yaml = pytest.importorskip("yaml")
    path = qa_frame.to_hub_eval_results(rows, tmp_path / ".eval_results" / "a.yaml", metrics="em", **PLACE, **more)
    document = yaml.safe_load(path.read_text("utf-8"))
    (entry,) = hub.parse_eval_result_entries(document)
    found = {name: getattr(entry, name) for name in (*PLACE, *more)}
    assert found == {**PLACE, **more}
    assert entry.value == rows.qa.score("response", "answers", metrics="em")["em"].mean()
    assert hub.eval_result_entries_to_yaml([entry]) == document


def test_frames_of_other_kinds_and_rules(rows, tmp_path):
    pl = pytest.importorskip("polars")
    table = pa.Table.from_pandas(rows, preserve_index=False)
    written = [
        qa_frame.to_hub_eval_results(data, tmp_path / "a.yaml", metrics="f1", convention="squad2", **PLACE).read_text()
        for data in (rows, table, pl.from_arrow(table))
    ]
    assert written[0] == written[1] == written[2]
    assert "f1 of the convention squad2" in written[0]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"path": "a.json"}, "path='a.json' is no file of YAML"),
        ({"dataset_id": ""}, "dataset_id='' is empty"),
        ({"task_id": None}, "task_id=None is not text"),
        ({"source_url": ""}, "source_url='' is empty"),
        ({"metrics": ["em", "f1"]}, r"metrics=\['em', 'f1'\] gives .*; name one"),
        ({"metrics": "nope"}, "metrics='nope' is not known"),
        ({"ci": None}, "ci=None asks for no interval"),
        ({"data": qa_frame.sample()}, "data has 3 models"),
        ({"data": qa_frame.sample()[:1].assign(answers=None)}, "no row has a score of 'em'"),
    ],
    ids=lambda value: None if isinstance(value, dict) else value[:9],
)
def test_wrong_arguments_are_named(rows, tmp_path, monkeypatch, wrong, message):
    monkeypatch.chdir(tmp_path)
    arguments = {"data": rows, "path": "a.yaml", "metrics": "em", **PLACE, **wrong}
    with pytest.raises(qa_frame.QaFrameError, match=message):
        qa_frame.to_hub_eval_results(**arguments)
    assert not [*Path().iterdir()]
