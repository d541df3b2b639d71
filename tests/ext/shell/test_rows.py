"""`qa-frame score` and `qa-frame convert`: the rows that they write."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import qa_frame

NAMED = ["--pred", "response", "--gold", "answers", "--n-jobs", "1"]
ENDINGS = ["parquet", "jsonl", "csv"]


def values_of(frame):
    """The values of a frame, without their types."""
    columns = {name: frame[name].tolist() for name in frame}
    return {name: [_plain(value) for value in values] for name, values in columns.items()}


def _plain(value):
    if isinstance(value, list | np.ndarray):
        return [_plain(each) for each in value]
    return None if pd.isna(value) else value


@pytest.fixture
def frame(folder):
    return qa_frame.read_results(folder / "sample.jsonl")


@pytest.mark.needs("files")
@pytest.mark.parametrize("ending", ENDINGS)
def test_convert_writes_what_is_read(ending, folder, frame, tmp_path, run):
    path = tmp_path / f"rows.{ending}"
    done = run("convert", folder / "sample.jsonl", "-o", path, "--json")
    assert json.loads(done.out) == [
        {"source": str(folder / "sample.jsonl"), "destination": str(path), "kind": "plain", "rows": 360, "left_out": 0}
    ]
    found = qa_frame.read_results(path)
    if ending == "csv":  # it has no types, and no empty text beside null
        names = ["question_id", "question", "answers", "model", "dataset"]
        assert values_of(found[names]) == values_of(frame[names])
    else:
        assert values_of(found) == values_of(frame)
    columns = {"pred": "response", "gold": "answers"}
    pd.testing.assert_frame_equal(
        qa_frame.score(found, **columns, append=False), qa_frame.score(frame, **columns, append=False)
    )


@pytest.mark.needs("files")
@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
@pytest.mark.parametrize("words", [[], NAMED], ids=["read", "named"])
def test_score(ending, words, folder, tmp_path, run):
    frame = qa_frame.read_results(folder / "sample.jsonl")
    path = tmp_path / f"scored.{ending}"
    done = run("score", folder / "sample.jsonl", *words, "--metrics", "em,f1", "--stats", "-o", path, "--json")
    assert done.status == 0, done.err
    expected = qa_frame.score(frame, "response", "answers", metrics=["em", "f1"], stats=True)
    found = pd.read_parquet(path) if ending == "parquet" else pd.read_json(path, lines=True, precise_float=True)
    names = [name for name in expected if name not in frame]
    assert len(names) > 5
    assert values_of(found[names]) == values_of(expected[names])
    assert list(found) == list(expected) or words
    (row,) = json.loads(done.out)
    assert (row["n_rows"], row["n_missing"], row["n_no_gold"]) == (360, 8, 15)
    assert row["status"] == "written"


def test_a_folder_of_files(folder, tmp_path, run):
    out = tmp_path / "out"
    words = ["score", folder / "*-*.jsonl", *NAMED, "--metrics", "f1", "-o", out, "--json"]
    report = json.loads(run(*words).out)
    assert [row["n_rows"] for row in report] == [120, 120, 120]
    assert sorted(path.name for path in out.glob("[!.]*")) == ["heron-7b.jsonl", "lynx-70b.jsonl", "otter-chat.jsonl"]
    assert {row["status"] for row in json.loads(run(*words).out)} == {"kept"}


def test_several_files_into_one(folder, tmp_path, run):
    path = tmp_path / "all.jsonl"
    for words in ([], NAMED):
        done = run("score", folder / "*-*.jsonl", *words, "--metrics", "f1", "-o", path, "--overwrite", "--json")
        assert done.status == 0, done.err
        assert [row["n_missing"] for row in json.loads(done.out)] == [4, 2, 2]
        assert path.is_file()
        assert len(path.read_text("utf-8").splitlines()) == 360


@pytest.mark.parametrize("command", ["score", "convert"])
def test_a_file_that_is_there_stays(command, folder, tmp_path, run):
    path = tmp_path / "rows.jsonl"
    path.write_text("mine")
    done = run(command, folder / "sample.jsonl", "-o", path)
    assert done.status == 2
    assert "give another file, or --overwrite to replace it" in done.err
    assert path.read_text() == "mine"
    assert run(command, folder / "sample.jsonl", "-o", path, "--overwrite").status == 0
    assert len(path.read_text("utf-8").splitlines()) == 360


def test_after_an_error_nothing_is_written(folder, tmp_path, run):
    assert run("score", folder / "sample.jsonl", "-o", tmp_path / "a.parquet", "--missing", "raise").status == 2
    assert run("score", folder / "sample.jsonl", *NAMED, "-o", tmp_path / "a.jsonl", "--missing", "raise").status == 2
    assert list(tmp_path.iterdir()) == []


def test_bad_lines(tmp_path, run):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"response": "a", "answers": ["a"]}\n{"response": \n')
    assert run("summary", path).status == 2
    done = run("convert", path, "-o", tmp_path / "out.csv", "--on-bad-lines", "warn", "--json")
    assert done.status == 0
    assert done.err.startswith("qa-frame: ResultFileWarning: ")
    assert done.err.count("\n") == 1
    assert json.loads(done.out)[0]["left_out"] == 1


OTHER_VALUES = {
    "lists and texts": [{"response": "a", "answers": ["a"]}, {"response": "b", "answers": "b"}],
    "numbers": [{"response": "3", "answers": 3}, {"response": 4, "answers": [4, 5]}],
    "answers of SQuAD": [{"response": "a", "answers": {"text": ["a", "b"], "answer_start": [1, 2]}}],
}


@pytest.mark.parametrize("rows", OTHER_VALUES.values(), ids=OTHER_VALUES)
@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_values_that_become_text(tmp_path, run, rows, ending):
    """Naming the columns works as finding them does, but where files are written one by one."""
    path, out = tmp_path / f"rows.{ending}", tmp_path / "out.jsonl"
    if ending == "jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    else:
        rows = [{**row, "answers": rows[0]["answers"], "response": rows[0]["response"]} for row in rows]
        pd.DataFrame(rows).to_parquet(path)
    for words in ([], NAMED):
        done = run("summary", path, *words, "--metrics", "em", "--json")
        assert [json.loads(done.out)[0][name] for name in ("n", "em")] == [len(rows), 1.0], done.err
        done = run("score", path, *words, "--metrics", "em", "-o", out, "--overwrite")
        assert done.status == 0, done.err
        assert [json.loads(line)["em"] for line in out.read_text().splitlines()] == [1.0] * len(rows)
    done = run("score", path, *NAMED, "-o", tmp_path / "folder")
    is_alike = ending == "parquet" or len(rows) == 1  # the values of a column have one type
    assert done.status == (0 if is_alike else 2)
    assert is_alike or "write all rows into one file, such as -o scored.parquet" in done.err


def test_values_at_paths(tmp_path, run):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"output": {"text": "a b"}, "right": ["a b"]}\n')
    done = run("summary", path, "--pred", "output.text", "--gold", "right", "--metrics", "em", "--json")
    assert json.loads(done.out)[0]["em"] == 1.0
    done = run("score", path, "--pred", "output.text", "--gold", "right", "-o", tmp_path / "out.jsonl")
    assert done.status == 0, done.err
    assert json.loads((tmp_path / "out.jsonl").read_text())["em"] == 1.0


def test_a_link_stays_a_link(folder, tmp_path, run):
    (tmp_path / "there").mkdir()
    (tmp_path / "link.csv").symlink_to(tmp_path / "there" / "rows.csv")
    assert run("convert", folder / "sample.jsonl", "-o", tmp_path / "link.csv").status == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "there" / "rows.csv").is_file()


def test_files_of_a_folder_that_are_not_read_are_said(tmp_path, run):
    (tmp_path / "a.jsonl").write_text('{"question_id": "1", "response": "x", "answers": ["x"]}\n')
    (tmp_path / "b.jsonl").write_text('{"my_out": 1, "my_ref": 2}\n')
    done = run("summary", tmp_path, "--metrics", "em")
    assert done.status == 0
    assert "1 file without results that are recognised: not read, first " in done.err
    assert "b.jsonl" in done.err


def test_a_fault_of_the_package_is_no_gate_that_fails(tmp_path, run, monkeypatch):
    def broken(*_, **__):
        raise KeyError("x")

    path = tmp_path / "a.jsonl"
    path.write_text('{"question_id": "1", "response": "x", "answers": ["x"]}\n')
    monkeypatch.setattr(qa_frame, "read_results", broken)
    assert run("summary", path, "--metrics", "em").status == 2
