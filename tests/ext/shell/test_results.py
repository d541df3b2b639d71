"""What is written is what the Python functions return, bit for bit, in each format."""

from __future__ import annotations

import csv
import io
import json
import math

import pandas as pd
import pytest

import qa_frame
from tests.scored_first import scored_first

COLUMNS = {"pred": "response", "gold": "answers"}
NAMED = ["--pred", "response", "--gold", "answers"]


def plain(value):
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return None
    return value.item() if hasattr(value, "item") else value


def read_csv(file):
    """A table with all digits of its numbers, which pandas rounds."""
    rows = [{name: _number(text) for name, text in row.items()} for row in csv.DictReader(file)]
    return pd.DataFrame(rows)


def _number(text):
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text


def records_of(table):
    """The rows of a table as JSON has them."""
    return [{name: plain(value) for name, value in row.items()} for row in table.to_dict("records")]


@pytest.fixture
def frame(folder):
    return qa_frame.read_results(folder / "sample.jsonl")


def summary_of(frame, **settings):
    frame, settings = scored_first(frame, COLUMNS | settings)
    table = qa_frame.summary(frame, **settings)
    return table.reset_index() if "by" in settings and "long" not in settings else table


SUMMARIES = [
    ([], {}),
    (["--by", "model"], {"by": "model"}),
    (["--by", "model,dataset", "--ci", "0.9"], {"by": ["model", "dataset"], "ci": 0.9}),
    (["--by", "model", "--percent", "--metrics", "em,f1"], {"by": "model", "percent": True, "metrics": ["em", "f1"]}),
    (["--by", "model", "--ci", "0.95", "--long"], {"by": "model", "ci": 0.95, "long": True}),
    (["--convention", "remem", "--missing", "null"], {"convention": "remem", "missing": "null"}),
    (
        ["--ci", "0.95", "--method", "bootstrap", "--n-resamples", "99", "--seed", "3"],
        {"ci": 0.95, "method": "bootstrap", "n_resamples": 99, "seed": 3},
    ),
]


@pytest.mark.needs("files")
@pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")
@pytest.mark.parametrize(("words", "settings"), SUMMARIES)
@pytest.mark.parametrize("columns", [[], [*NAMED, "--n-jobs", "1"]], ids=["read", "streamed"])
def test_summary_as_json(words, settings, columns, folder, run):
    frame = qa_frame.read_results(folder / "sample.jsonl")
    done = run("summary", folder / "sample.jsonl", *columns, *words, "--json")
    assert done.status == 0
    assert json.loads(done.out) == records_of(summary_of(frame, **settings))


@pytest.mark.needs("files")
def test_figures_that_are_not_defined_are_null(tmp_path, run):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"response": "a", "answers": []}\n{"response": null, "answers": null}\n')
    with pytest.warns(qa_frame.errors.ResultFileWarning):
        expected = summary_of(qa_frame.read_results(path), metrics="f1", ci=0.95)
    done = run("summary", path, "--metrics", "f1", "--ci", "0.95", "--json")
    (record,) = json.loads(done.out)
    assert record == records_of(expected)[0]
    assert record["f1"] is record["f1_lo"] is None
    assert "f1 -" not in done.out
    shown = run("summary", path, "--metrics", "f1", "--ci", "0.95").out.splitlines()
    assert shown[0] == "n = 0; n_rows = 2; n_missing = 1; n_no_gold = 2"
    assert shown[4].split() == ["f1", "-"]
    assert run("summary", path, "--metrics", "f1", "--csv").out.splitlines()[1] == "0,,2,1,2"


@pytest.mark.needs("files")
@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("table.csv", lambda path: read_csv(io.StringIO(path.read_text("utf-8")))),
        ("table.json", lambda path: pd.DataFrame(json.loads(path.read_text("utf-8")))),
        ("table.parquet", pd.read_parquet),
    ],
)
def test_tables_in_files(name, read, folder, tmp_path, run):
    frame = qa_frame.read_results(folder / "sample.jsonl")
    path = tmp_path / "new" / name
    done = run("summary", folder / "sample.jsonl", "--by", "model", "-o", path)
    assert (done.status, done.out) == (0, "")
    assert records_of(read(path)) == records_of(summary_of(frame, by="model"))
    assert [each.name for each in path.parent.iterdir()] == [name]


@pytest.mark.parametrize(("name", "shape"), [("a.txt", []), ("a.md", ["--markdown"]), ("a.tex", ["--latex"])])
def test_what_is_printed_can_be_put_into_a_file(name, shape, folder, tmp_path, run):
    words = ["summary", folder / "sample.jsonl", "--by", "model"]
    run(*words, "-o", tmp_path / name)
    assert (tmp_path / name).read_text("utf-8") == run(*words, *shape).out != ""


def test_an_option_goes_before_the_ending(folder, tmp_path, run):
    run("summary", folder / "sample.jsonl", "-o", tmp_path / "a.txt", "--json")
    assert len(json.loads((tmp_path / "a.txt").read_text())) == 1


def test_after_an_error_the_old_table_stays(folder, tmp_path, run):
    (tmp_path / "a.json").write_text("old")
    assert run("summary", folder / "sample.jsonl", "--by", "x", "-o", tmp_path / "a.json").status == 2
    assert (tmp_path / "a.json").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.needs("files")
def test_several_files(folder, run):
    paths = sorted(folder.glob("*-*.jsonl"))
    expected = summary_of(qa_frame.read_results(paths), by="file")
    assert len(expected) == 3
    for words in (paths, [folder / "*-*.jsonl"], [*paths, *NAMED, "--n-jobs", "1"]):
        done = run("summary", *words, "--by", "file", "--json")
        assert json.loads(done.out) == records_of(expected)


# --- compare


@pytest.mark.needs("files")
def test_compare_files(folder, run):
    paths = [folder / "heron-7b.jsonl", folder / "lynx-70b.jsonl"]
    frame = qa_frame.read_results(paths)
    frame["file"] = [path.rpartition("/")[2] for path in frame["file"].str.replace("\\", "/")]
    expected = qa_frame.compare(
        qa_frame.score(frame, **COLUMNS, metrics=["em", "f1"]),
        "file",
        ["dataset", "question_id"],
        metrics=["em", "f1"],
        baseline="heron-7b.jsonl",
    )
    done = run("compare", *paths, "--metrics", "em,f1", "--json")
    assert json.loads(done.out) == records_of(expected)
    assert {record["b"] for record in json.loads(done.out)} == {"heron-7b.jsonl"}


@pytest.mark.needs("files")
def test_ranks_of_a_comparison(folder, frame, run):
    compared = qa_frame.compare(
        qa_frame.score(frame, **COLUMNS, metrics="recall"),
        "model",
        ["dataset", "question_id"],
        metrics="recall",
        ci=0.9,
    )
    words = ["compare", folder / "sample.jsonl", "--metrics", "recall", "--ci", 0.9, "--ranks"]
    assert json.loads(run(*words, "--json").out) == records_of(compared.qa.ranks(ci=1 - (1 - 0.9)))
    assert "lynx-70b    1 [1, 2]" in run(*words).out
    for more in (["--baseline", "heron-7b"], ["--fail-if-worse", "recall=0.1"]):
        done = run(*words, *more)
        assert done.status == 2
        assert "--ranks compares each group with each; leave out --baseline and --fail-if-worse" in done.err


@pytest.mark.needs("files")
@pytest.mark.thorough
def test_compare_by_other_columns(folder, frame, run):
    said = "18 of 30 rows compare groups .* as they differ in 'dataset'; give within='dataset', and a baseline"
    with pytest.warns(qa_frame.errors.PairingWarning, match=said):
        expected = qa_frame.compare(
            qa_frame.score(frame, **COLUMNS),
            ["model", "dataset"],
            "question",
            baseline=("heron-7b", "facts"),
        )
    words = ["--by", "model,dataset", "--question", "question", "--baseline", "heron-7b,facts"]
    done = run("compare", folder / "sample.jsonl", *words, "--json")
    expected[["a", "b"]] = expected[["a", "b"]].map(list)
    assert json.loads(done.out) == records_of(expected)


def test_files_and_other_columns_make_groups(folder, run):
    paths = [folder / "heron-7b.jsonl", folder / "lynx-70b.jsonl"]
    words = [
        "compare",
        *paths,
        "--by",
        "file,dataset",
        "--question",
        "question_id",
        "--baseline",
        "heron-7b.jsonl,facts",
    ]
    done = run(*words, "--metrics", "em", "--json")
    assert {tuple(row["b"]) for row in json.loads(done.out)} == {("heron-7b.jsonl", "facts")}
    assert "b = heron-7b.jsonl, facts\n" in run(*words, "--metrics", "em").out


@pytest.mark.parametrize("name", ["heron-7b.jsonl", "path"])
def test_the_baseline_may_be_a_file(name, folder, run):
    paths = [folder / f"{model}.jsonl" for model in ("lynx-70b", "heron-7b", "otter-chat")]
    baseline = paths[1] if name == "path" else name
    done = run("compare", *paths, "--baseline", baseline, "--metrics", "f1", "--json")
    assert [(row["a"], row["b"]) for row in json.loads(done.out)] == [
        ("lynx-70b.jsonl", "heron-7b.jsonl"),
        ("otter-chat.jsonl", "heron-7b.jsonl"),
    ]


def test_numbers_may_be_the_baseline(tmp_path, run):
    rows = [{"id": str(i), "year": year, "response": "a", "answers": ["a"]} for i in range(4) for year in (2023, 2024)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = run("compare", tmp_path / "rows.jsonl", "--by", "year", "--baseline", "2024", "--metrics", "em", "--json")
    assert [(row["a"], row["b"], row["diff"]) for row in json.loads(done.out)] == [(2023, 2024, 0.0)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["heron-7b.jsonl"], "the rows are all of one model; give another file, or --by"),
        (["heron-7b.jsonl", "heron-7b.jsonl"], "the rows are all of one model"),
        (["sample.jsonl", "--baseline", "heron"], "--baseline heron is not a group of --by model"),
        (["sample.jsonl", "--question", "dataset"], "dataset"),
    ],
)
def test_what_cannot_be_compared(words, message, folder, run, monkeypatch):
    monkeypatch.chdir(folder)
    done = run("compare", *words)
    assert done.status == 2
    assert message in done.err
    assert done.err.count("\n") == 1


# --- scores that are there


@pytest.mark.needs("files")
@pytest.mark.parametrize("name", ["scored.parquet", "scored.jsonl"])
def test_scores_that_are_there(name, folder, frame, tmp_path, run):
    path = tmp_path / name
    assert run("score", folder / "sample.jsonl", "--metrics", "em,f1", "--convention", "remem", "-o", path).status == 0
    scored = qa_frame.score(frame, **COLUMNS, metrics=["em", "f1"], convention="remem")
    expected = qa_frame.summary(scored, by="model").reset_index()
    found = json.loads(run("summary", path, "--scored", "--by", "model", "--json").out)
    figures = ["model", "n", "n_rows", "em", "f1"]
    assert [{name: row[name] for name in figures} for row in found] == records_of(expected[figures])
    scored["model"] = pd.Categorical(scored["model"], scored["model"].unique()[::-1])  # b is what the file has first
    compared = qa_frame.compare(scored, "model", ["dataset", "question_id"]).astype({"a": str, "b": str})
    assert json.loads(run("compare", path, "--scored", "--json").out) == records_of(compared)


def test_scored_and_columns_contradict_each_other(folder, run):
    done = run("summary", folder / "sample.jsonl", "--scored", *NAMED)
    assert done.status == 2
    assert "--scored takes the scores as they are" in done.err


@pytest.mark.needs("files")
@pytest.mark.thorough
@pytest.mark.parametrize("by", [[], ["--by", "dataset,model"]])
def test_compare_inside_each_dataset(folder, frame, run, by):
    options = {"within": "dataset", "baseline": "heron-7b", "metrics": ["em"]}
    expected = qa_frame.compare(qa_frame.score(frame, **COLUMNS), ["dataset", "model"], "question_id", **options)
    words = [*by, "--within", "dataset", "--baseline", "heron-7b", "--metrics", "em", "--json"]
    done = run("compare", folder / "sample.jsonl", *words)
    shown = run("compare", folder / "sample.jsonl", *words[:-1])
    assert shown.status == 0
    assert "lynx-70b" in shown.out
    expected[["a", "b"]] = expected[["a", "b"]].map(list)
    assert json.loads(done.out) == records_of(expected)
    assert len(expected) == 4
    limited = ["--within", "dataset", *by, "--metrics", "em", "--fail-if-worse", "em=0.9", "--json"]
    assert len(json.loads(run("compare", folder / "sample.jsonl", *limited).out)) == 4
