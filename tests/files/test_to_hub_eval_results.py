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


def test_one_row_has_no_interval(rows, tmp_path):
    path = qa_frame.to_hub_eval_results(rows[:1], tmp_path / "a.yaml", metrics="em", **PLACE)
    (entry,) = json.loads(path.read_text("utf-8"))
    assert entry["notes"] == f"em of the convention squad over 1 row, qa_frame {qa_frame.__version__}"


@pytest.mark.parametrize("name", ["model", "dataset"])
@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_two_columns_of_one_name_are_an_error(tmp_path, name, kind):
    table = pa.Table.from_arrays([pa.array(["a"])] * 4, ["response", "answers", name, name])
    data = table.to_pandas() if kind == "pandas" else table
    with pytest.raises(qa_frame.ColumnNotFoundError, match=f"data has 2 columns '{name}'; rename"):
        qa_frame.to_hub_eval_results(data, tmp_path / "a.yaml", metrics="em", **PLACE)


@pytest.mark.parametrize(
    "date", ["2026-01-05", "2026-01-05T10:30:00", "2026-01-05T10:30:00Z", "2026-01-05T10:30:00+02:00"]
)
def test_dates_of_iso_are_written_as_they_are(rows, tmp_path, date):
    path = qa_frame.to_hub_eval_results(rows, tmp_path / "a.yaml", metrics="em", date=date, **PLACE)
    assert json.loads(path.read_text("utf-8"))[0]["date"] == date


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
        ({"date": "yesterday"}, "date='yesterday' is no date"),
        ({"date": "2026-02-30"}, "date='2026-02-30' is no date"),
        ({"date": "05.01.2026"}, "date='05.01.2026' is no date"),
        ({"date": "20260105"}, "date='20260105' is no date"),
        ({"data": qa_frame.sample()}, "data has 3 models"),
        ({"data": qa_frame.sample().query("model == 'lynx-70b'")}, "data has 2 datasets, such as .* leave .* out"),
        ({"data": pa.Table.from_pandas(qa_frame.sample().query("model == 'lynx-70b'"))}, "data has 2 datasets"),
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


@pytest.mark.parametrize("date", ["2026-01-05", "2026-01-05T10:30:00Z", "2026-11-24T04:14:41.916204"])
def test_dates_are_written_as_they_are_given(date, rows, tmp_path):
    path = qa_frame.to_hub_eval_results(rows, tmp_path / "a.yaml", metrics="em", **PLACE, date=date)
    assert date in path.read_text("utf-8")
