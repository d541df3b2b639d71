"""`qa-frame report`: files → one HTML file, with the columns that the command finds by itself."""

from __future__ import annotations

import json
import re

import pytest

import qa_frame

pytestmark = [
    pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning"),
    pytest.mark.usefixtures("without_pictures"),
]


def parts_of(path):
    """The page without the names of the call and of files."""
    return path.read_text("utf-8").partition('<section id="made"')[0]


@pytest.mark.needs("files")
def test_it_writes_what_the_function_writes(run, folder, tmp_path):
    done = run("report", folder / "sample.jsonl", "-o", tmp_path / "r.html", "--metrics", "em,f1")
    assert done.status == 0
    assert done.out == f"360 rows written to {tmp_path / 'r.html'}\n"
    frame = qa_frame.read_results(folder / "sample.jsonl").qa.score("response", "answers", metrics=["em", "f1"])
    settings = {"question": "question_id", "within": ["dataset"], "metrics": ["em", "f1"]}
    made = qa_frame.report(frame, tmp_path / "own.html", "model", **settings)
    assert parts_of(tmp_path / "r.html") == parts_of(made)


@pytest.mark.needs("files")
@pytest.mark.thorough
def test_samples_of_a_question(run, folder, tmp_path):
    """The remedy for repeated questions, followed to the letter."""
    twice = tmp_path / "twice.jsonl"
    twice.write_text(2 * (folder / "sample.jsonl").read_text("utf-8"), "utf-8")
    words = ["report", twice, "-o", tmp_path / "r.html", "--metrics", "em"]
    done = run(*words)
    assert done.status == 2
    assert "give --samples" in done.err
    assert run(*words, "--samples").status == 0
    settings = {"samples": True, "within": "dataset", "metrics": "em"}
    scored = qa_frame.read_results(twice).qa.score("response", "answers", metrics="em")
    made = qa_frame.report(scored, tmp_path / "own.html", "model", "question_id", **settings)
    assert parts_of(tmp_path / "r.html") == parts_of(made)


@pytest.mark.thorough
def test_files_are_groups_where_no_column_tells_models(run, folder, tmp_path):
    files = [folder / f"{name}.jsonl" for name in ("heron-7b", "lynx-70b")]
    assert run("report", *files, "-o", tmp_path / "r.html", "--metrics", "f1").status == 0
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "<bdi>heron-7b.jsonl</bdi>" in page
    assert all(str(file) in page for file in files)
    assert len(re.findall(r"<code>[0-9a-f]{64}</code>", page)) == 2


def test_wrong_usage(run, folder, tmp_path):
    path = tmp_path / "r.html"
    path.write_text("mine")
    done = run("report", folder / "sample.jsonl", "-o", path)
    assert done.status == 2
    assert "--overwrite" in done.err
    assert path.read_text() == "mine"
    done = run("report", folder / "heron-7b.jsonl", "-o", tmp_path / "one.html")
    assert done.status == 2
    assert "the rows are all of one model" in done.err
    done = run("report", folder / "sample.jsonl", "-o", tmp_path / "r2.html", "--by", "nothing")
    assert done.status == 2
    assert not (tmp_path / "r2.html").exists()


@pytest.mark.parametrize("name", ["rep.pdf", "rep.html.txt"])
def test_a_page_has_no_ending_of_another_format(name, run, folder, tmp_path):
    done = run("report", folder / "sample.jsonl", "-o", tmp_path / name)
    assert done.status == 2
    assert f"-o {tmp_path / name}: files that end in {name[-4:]!r} cannot be written; use .html, .htm" in done.err
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match=r"a report is a page of HTML; give it the ending \.html"
    ):
        qa_frame.report(qa_frame.sample(), tmp_path / name, "model")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thorough
def test_filters_inside_which_models_are_compared_make_no_groups(run, tmp_path):
    rows = [
        {
            "model": model,
            "dataset": dataset,
            "question_id": str(number),
            "filter": name,
            "response": "Rome",
            "answers": "Rome",
            "filtered": dataset,
        }
        for model in "xy"
        for dataset in "de"
        for number in range(3)
        for name in ("strict", "filter")
    ]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    words = ["report", tmp_path / "rows.jsonl", "--metrics", "em", "--overwrite"]
    assert run(*words, "-o", tmp_path / "r.html", "--within", "filter,dataset").status == 0
    assert "x, strict" not in (tmp_path / "r.html").read_text("utf-8")
    done = run(*words, "-o", tmp_path / "r.html", "--within", "dataset")
    assert (done.status, done.err) == (0, "")
    assert "x, strict" in (tmp_path / "r.html").read_text("utf-8")
    assert run(*words, "-o", tmp_path / "r.html", "--within", "filtered").status == 0
    assert "x, strict" in (tmp_path / "r.html").read_text("utf-8")
    done = run("compare", tmp_path / "rows.jsonl", "--metrics", "em", "--within", "dataset", "--json")
    assert done.status == 0
    groups = {tuple(row["a"][:-1]) for row in json.loads(done.out)}
    assert groups == {(dataset, name) for dataset in "de" for name in ("strict", "filter")}
