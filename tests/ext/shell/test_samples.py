"""Several samples and several datasets on the command line: as the functions give them."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from tests.tables.test_samples import RUNS

pytestmark = [
    pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning"),
    pytest.mark.filterwarnings("ignore::qa_frame.errors.MixedScoresWarning"),
]


@pytest.fixture
def path(tmp_path):
    """Scored rows, with columns of texts that tell what kind of file it is."""
    RUNS.assign(response="x", answers="x").to_parquet(tmp_path / "runs.parquet")
    return tmp_path / "runs.parquet"


def test_summaries(path, run):
    words = ["--question", "question_id", "--pass-at", "1,3", "--pass-all", "2", "--macro", "dataset"]
    words += ["--weights", "nq=0.25,drop=0.75", "--ci", "0.9"]
    done = run("summary", path, "--scored", "--by", "model", "--metrics", "em", *words, "--json")
    weights = {"nq": 0.25, "drop": 0.75}
    options = {"pass_at": (1, 3), "pass_all": 2, "macro": "dataset", "weights": weights, "ci": 0.9}
    expected = RUNS.qa.summary("model", metrics="em", question="question_id", **options).reset_index()
    for found, row in zip(json.loads(done.out), expected.to_dict("records"), strict=True):
        known = {name: value for name, value in row.items() if name not in {"n_missing", "n_no_gold"}}
        assert {name: found[name] for name in known} == known


def test_comparisons(path, run):
    words = ["--question", "question_id", "--samples", "--macro", "dataset", "--weights", "size", "--metrics", "em"]
    done = run("compare", path, "--scored", *words, "--n-resamples", "200", "--json")
    runs = RUNS.assign(model=pd.Categorical(RUNS["model"], RUNS["model"].unique()[::-1]))  # b is what comes first
    expected = runs.qa.compare(
        "model", question="question_id", macro="dataset", weights="size", metrics="em", n_resamples=200, samples=True
    )
    found = json.loads(done.out)
    names = ["a", "b", "diff"]
    assert [[row[name] for name in names] for row in found] == expected[names].to_numpy().tolist()
    assert found[0]["n_samples_a"] == (RUNS["model"] == found[0]["a"]).sum()
    shown = run("compare", path, "--scored", *words, "--n-resamples", "200")
    assert "paired on question_id" in shown.out + shown.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--pass-at", "one"], "one are not whole numbers"),
        (["--weights", "nq=half"], "nq=half is not NAME=NUMBER"),
        (["--pass-at", "2"], "name the column of questions too"),
    ],
)
def test_wrong_options(words, message, path, run):
    done = run("summary", path, "--scored", *words)
    assert done.status == 2
    assert message in done.err


def test_the_lowest_chance_of_a_group(path, run):
    words = ["--scored", "--by", "model", "--question", "question_id", "--metrics", "em", "--pass-at", "3"]
    lowest = RUNS.qa.summary("model", question="question_id", metrics="em", pass_at=3, threshold=1.0)["em_pass@3"].min()
    assert run("summary", path, *words, "--fail-under", f"em_pass@3={lowest - 0.01}").status == 0
    assert run("summary", path, *words, "--fail-under", f"em_pass@3={lowest + 0.01}").status == 1
