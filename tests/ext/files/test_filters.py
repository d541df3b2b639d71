"""lm-evaluation-harness writes an answer once for each filter: no call counts it twice in silence."""

from __future__ import annotations

import json
import warnings

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame
import qa_frame.engines.polars
from qa_frame.ext.shell import main
from tests.ext.files import shapes

SOURCE = {"pred": "response", "gold": "answers", "metrics": ["em"]}
FILTERS = ["strict-match", "flexible-extract"]
KINDS = {"pandas": lambda frame: frame, "polars": pl.from_pandas, "arrow": pa.Table.from_pandas}


def log(folder, model, right, filters=FILTERS):
    """A log as that of gsm8k: the first `right` of ten answers are right, and the strict filter finds half of these."""
    date = "2026-09-01T10-00-00.000000"
    shapes.write_document(folder / model / f"results_{date}.json", {"results": {}, "model_name": model})
    lines = []
    for name in filters:
        for n in range(10):
            row = {"id": str(n), "question": f"Q{n}", "response": "7" if n < right else "8", "golds": ["7"]}
            found = "[invalid]" if name == FILTERS[0] and n % 2 else row["response"]
            lines.append(shapes.lm_eval_sample(row, filter=name, filtered_resps=[found]))
    return shapes.write_lines(folder / model / f"samples_gsm8k_{date}.jsonl", lines)


@pytest.fixture
def paths(tmp_path):
    return [log(tmp_path, "alpha", 8), log(tmp_path, "beta", 4)]


@pytest.fixture
def frame(paths):
    return qa_frame.read_results(paths)


def test_a_summary_warns_with_a_remedy_that_works(frame):
    for kind in KINDS.values():
        with pytest.warns(
            qa_frame.errors.PairingWarning, match="answers of one group have a row for each value"
        ) as told:
            qa_frame.summary(
                qa_frame.score(kind(frame.drop(columns="harness_exact_match")), **SOURCE, stats=True), "model"
            )
        assert len(told) == 1
    assert str(told[0].message).endswith('see "Answers of several filters" on the page "Warnings" of the documentation')
    with pytest.raises(qa_frame.errors.PairingError) as refused:
        qa_frame.compare(qa_frame.score(frame, **SOURCE), by="model", question="question_id")
    kept, in_polars = str(refused.value).partition(" with ")[2].partition(" in polars")[0].split(" in pandas, ")
    names = {"df": frame, "polars": pl}
    means = qa_frame.summary(qa_frame.score(eval(kept, names), **SOURCE, stats=True), "model")
    assert means["em"].tolist() == [0.8, 0.4]
    names["df"] = pl.from_pandas(frame.drop(columns="harness_exact_match"))
    assert qa_frame.summary(qa_frame.score(eval(in_polars, names), **SOURCE, stats=True), "model")["em"].to_list() == [
        0.8,
        0.4,
    ]
    assert qa_frame.summary(qa_frame.score(frame, **SOURCE, stats=True), ["model", "filter"])["em"].tolist() == [
        0.8,
        0.4,
        0.4,
        0.2,
    ]


@pytest.mark.needs("report")
@pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")
def test_what_pairs_answers_refuses_them_unless_filters_are_told_apart(frame, tmp_path):
    named = {"by": "model", "question": "question_id"}
    frame = frame.qa.score(**SOURCE)
    report = tmp_path / "r.html"
    with pytest.raises(qa_frame.errors.PairingError, match=r"'filter', as 'flexible-extract' and 'strict-match'"):
        qa_frame.compare(frame, **named)
    with pytest.raises(qa_frame.errors.PairingError, match=r"'filter', as 'flexible-extract' and 'strict-match'"):
        qa_frame.report(frame, report, **named)
    assert qa_frame.compare(frame, within="filter", **named)["n"].tolist() == [10, 10]
    with pytest.warns(qa_frame.errors.PairingWarning, match="all of these count"):
        qa_frame.compare(frame, "model", question="question_id", samples=True)
    with pytest.warns(qa_frame.errors.PairingWarning, match="all of these count"):  # in the leaderboard
        qa_frame.report(frame, report, within="filter", **named)
    assert "have a row for each value of" in report.read_text("utf-8")


def test_other_columns_of_this_name_are_passed_over(frame, tmp_path):
    one_each = [log(tmp_path / "a", "alpha", 8, FILTERS[:1]), log(tmp_path / "b", "beta", 4, FILTERS[1:])]
    others = [
        qa_frame.read_results(one_each),
        frame[frame["filter"] == FILTERS[0]],
        frame.assign(filter=[[1]] * len(frame)),
        frame.drop(columns="question_id"),
        frame.assign(filter=1),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error", qa_frame.errors.PairingWarning)
        for each in others:
            qa_frame.summary(qa_frame.score(each, **SOURCE, stats=True), "model")


@pytest.mark.parametrize("column", ["sample", "question_id", "dataset", "file"])
def test_columns_that_nobody_named_may_hold_anything(frame, column):
    odd = frame.assign(**{column: [["x"]] * len(frame)})
    assert qa_frame.summary(qa_frame.score(odd, **SOURCE, stats=True), "model")["em"].tolist() == [0.6, 0.3]
    twice = pd.concat([frame, odd[[column]]], axis=1)
    assert qa_frame.summary(qa_frame.score(twice, **SOURCE, stats=True), "model")["em"].tolist() == [0.6, 0.3]


def test_rows_without_a_filter_do_not_hide_the_others(frame):
    with pytest.warns(qa_frame.errors.PairingWarning, match="all of these count"):
        qa_frame.summary(
            qa_frame.score(frame.assign(filter=[None, *frame["filter"].astype(object)[1:]]), **SOURCE, stats=True),
            "model",
        )


def test_parts_of_rows_are_warned_of_as_all_of_them(frame, tmp_path):
    frame = frame[["question_id", "model", "filter", "response", "answers"]]
    with pytest.warns(qa_frame.errors.PairingWarning) as told:
        expected = qa_frame.summary(qa_frame.score(frame, **SOURCE, stats=True), "model")
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=8)
    frame.to_json(tmp_path / "rows.jsonl", orient="records", lines=True)
    calls = [lambda: pl.from_pandas(frame).lazy().qa.score(**SOURCE, stats=True).qa.summary("model")]
    calls += [
        lambda n_jobs=n_jobs, name=name: qa_frame.summary_files(tmp_path / name, "model", n_jobs=n_jobs, **SOURCE)
        for n_jobs in (1, 2)
        for name in ("rows.parquet", "rows.jsonl")
    ]
    for call in calls:
        with pytest.warns(qa_frame.errors.PairingWarning) as of_parts:
            found = call()
        assert [str(each.message) for each in of_parts] == [str(told[0].message)]
        assert (found["em"].to_list() if isinstance(found, pl.DataFrame) else found["em"].tolist()) == expected[
            "em"
        ].tolist()


def test_types_of_columns_that_nobody_named_may_differ_between_files(tmp_path):
    for name, filters in (("a", ["x", "y"]), ("b", [1, 2])):
        rows = {"question_id": filters, "model": name, "filter": filters, "response": "7", "answers": [["7"]] * 2}
        pd.DataFrame(rows).to_parquet(tmp_path / f"{name}.parquet")
    assert qa_frame.summary_files(tmp_path, "model", **SOURCE)["em"].tolist() == [1.0, 1.0]


@pytest.mark.needs("shell")
@pytest.mark.thorough
@pytest.mark.usefixtures("without_pictures")
@pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")
def test_commands_tell_filters_apart_by_themselves(paths, tmp_path, capsys):
    def run(*words):
        capsys.readouterr()
        assert main([*map(str, words), "--metrics", "em"]) == 0
        return capsys.readouterr()

    compared = json.loads(run("compare", *paths, "--json").out)
    assert [row["n"] for row in compared] == [10, 10]
    assert [row["mean_b"] for row in compared] == [0.8, 0.4]  # the first file is the baseline
    assert [row["mean_a"] for row in json.loads(run("compare", paths[0], "--json").out)] == [0.8]
    for files, groups in (
        (paths, ["alpha, strict-match", "beta, flexible-extract"]),
        (paths[:1], ["strict-match", "flexible-extract"]),
    ):
        report = tmp_path / f"{len(files)}.html"
        assert "PairingWarning" not in run("report", *files, "-o", report).err
        page = report.read_text("utf-8")
        assert all(f"<bdi>{group}</bdi>" in page for group in groups)
    assert "all of these count" in run("summary", *paths, "--by", "model").err
