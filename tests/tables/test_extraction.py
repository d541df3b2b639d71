"""What summaries count where answers were extracted: nulls, and responses without answer."""

from __future__ import annotations

import re

import pandas as pd
import polars as pl
import pytest

import qa_frame
from tests.scored_first import scored_first

pytestmark = pytest.mark.filterwarnings("ignore::qa_frame.errors.ExtractionWarning")

COUNTS = ["n", "n_rows", "n_missing", "n_not_extracted", "n_no_gold"]
STEPS = ["after_think", re.compile(r"answer: (\w+)", re.IGNORECASE)]
BY_MODEL = {"x": [3, 3, 2, 1, 0], "y": [3, 2, 1, 1, 1]}


@pytest.fixture
def frame():
    rows = [
        ("x", "<think>a</think>Answer: Paris", ["Paris"]),
        ("x", None, ["Rome"]),
        ("x", "<think>answer: Rome", ["Rome"]),
        ("y", "answer: Rome", ["Rome"]),
        ("y", "Rome", ["Rome"]),
        ("y", "Answer: Oslo", []),
    ]
    return pd.DataFrame(rows, columns=["model", "response", "answers"], index=[5, 5, 1, 2, 3, 4])


def score(frame, **options):
    return qa_frame.score(frame, "response", "answers", **{"extract": STEPS, "metrics": ["em", "f1"], **options})


def summary(frame, **options):
    frame, options = scored_first(
        frame, {"pred": "response", "gold": "answers", "extract": STEPS} | options, stats=True
    )
    return qa_frame.summary(frame, "model", **options)


def counts_of(summary):
    assert [name for name in summary.columns if name in COUNTS] == COUNTS
    return {
        model: [int(count) for count in row]
        for model, row in zip(summary.index, summary[["n_rows", "n", *COUNTS[2:]]].values, strict=True)
    }


def test_counts_of_rows_that_are_not_scored(frame):
    counts = counts_of(summary(frame, missing="null"))
    assert counts == {"x": [3, 1, 2, 1, 0], "y": [3, 1, 1, 1, 1]}


def test_counts_of_a_scored_frame_are_remembered(frame):
    scored = score(frame, stats=True)
    expected = score(frame, stats=True).qa.summary("model", metrics=["em", "f1", "corpus_bleu", "f1_micro"])
    pd.testing.assert_frame_equal(scored.qa.summary("model"), expected, check_exact=True)
    assert scored.qa.summary("model").attrs == expected.attrs
    chosen = scored[scored["model"] == "x"]
    assert counts_of(chosen.qa.summary("model")) == {"x": BY_MODEL["x"]}


def test_without_extraction_there_is_no_such_count(frame):
    assert "n_not_extracted" not in score(frame, extract=None).qa.summary()
    assert "n_not_extracted" not in frame.qa.score(pred="response", gold="answers", stats=True).qa.summary()


def test_counts_are_not_known_without_the_responses(frame):
    scored = score(frame).drop(columns="response")
    found = scored.qa.summary("model")
    assert found[["n_missing", "n_no_gold"]].isna().all(axis=None)
    assert "n_not_extracted" not in found


def test_counts_are_not_known_where_scores_were_extracted_differently(frame):
    scored = score(score(frame, metrics="em"), metrics="f1", extract="last_line")
    assert scored.qa.summary()["n_missing"].isna().all()
    assert counts_of(scored.qa.summary("model", metrics="em")) == BY_MODEL
    assert counts_of(scored.qa.summary("model", metrics="f1")) == {"x": [3, 3, 1, 0, 0], "y": [3, 2, 0, 0, 1]}


def test_notes_of_a_step_that_is_not_known(frame):
    scored = score(frame, metrics="em")
    scored.attrs["qa_scored"]["scorings"][0]["rules"]["extract"] = ["of a later version"]
    assert scored.qa.summary()["n_missing"].isna().all()


# ------------------------------------------------------------------------------------------------------------ pools


def test_a_pool_counts_as_the_summary_does(frame):
    pool = qa_frame.Pool("model", metrics=["em", "f1"])
    for start in range(0, len(frame), 2):
        pool.update(score(frame.iloc[start : start + 2]))
    pd.testing.assert_frame_equal(pool.summary(), score(frame).qa.summary("model"), check_exact=True)


def test_a_pool_of_frames_that_do_not_remember(frame):
    scored = score(pl.from_pandas(frame))
    assert counts_of(qa_frame.Pool("model").update(scored).summary()) == BY_MODEL
    forgetful = scored.head(len(scored))
    unknown = qa_frame.Pool("model").update(score(frame)).update(forgetful)
    assert unknown.summary()[["n_missing", "n_not_extracted", "n_no_gold"]].isna().all(axis=None)


# ------------------------------------------------------------------------------------------------- files and engines


@pytest.mark.needs("files")
@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_files(frame, tmp_path, ending):
    path, scored = tmp_path / f"run.{ending}", tmp_path / "scored"
    if ending == "parquet":
        frame.to_parquet(path, index=False)
    else:
        frame.to_json(path, orient="records", lines=True)
    options = {"pred": "response", "gold": "answers", "extract": STEPS, "n_jobs": 1}
    report = qa_frame.score_files(path, scored / path.name, metrics=["em", "f1"], **options)
    assert report[COUNTS[1:]].to_numpy().tolist() == [[6, 3, 2, 1]]
    assert counts_of(qa_frame.summary_files(path, "model", **options)) == BY_MODEL
    again = qa_frame.score_files(path, scored / path.name, metrics=["em", "f1"], **options)
    assert again["status"].tolist() == ["kept"]
    assert again["n_not_extracted"].isna().all()
    if ending == "parquet":
        assert counts_of(qa_frame.summary_files(scored, "model", n_jobs=1)) == BY_MODEL
        with pytest.raises(qa_frame.errors.ResultFileError, match="this call would not make it so"):
            qa_frame.score_files(path, scored / path.name, metrics=["em", "f1"], **{**options, "extract": None})


@pytest.mark.needs("files")
def test_files_without_extraction_report_no_such_count(frame, tmp_path):
    frame.to_parquet(tmp_path / "run.parquet")
    report = qa_frame.score_files(tmp_path / "run.parquet", tmp_path / "to", pred="response", gold="answers", n_jobs=1)
    assert list(report.columns) == ["source", "destination", "status", "n_rows", "n_missing", "n_no_gold"]


@pytest.mark.needs("engines")
def test_a_lazy_query(frame):
    pytest.importorskip("qa_frame.engines.polars")
    lazy = pl.from_pandas(frame).lazy()
    found = (
        lazy.qa.score(pred="response", gold="answers", extract=STEPS, stats=True)
        .qa.summary("model")
        .to_pandas()
        .set_index("model")
    )
    assert counts_of(found) == BY_MODEL
    scored = lazy.qa.score("response", "answers", extract=STEPS, metrics="em").collect()
    assert scored["em"].to_list() == [1.0, 0.0, 0.0, 1.0, 0.0, None]
