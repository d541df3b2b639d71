"""`summary(pred=, gold=, reuse_scores=True)`: the counts of a frame that has forgotten what it was scored from."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame

pytestmark = pytest.mark.filterwarnings("ignore::qa_frame.ExtractionWarning")

SOURCE = {"pred": "response", "gold": "answers"}


def merged(frame):
    """What `merge` leaves: the columns, and none of what the frame remembers."""
    keys = frame[["question_id"]].drop_duplicates().assign(topic="any")
    found = frame.merge(keys, on="question_id", how="left")
    found.attrs.clear()
    return found


@pytest.fixture(scope="module")
def sample():
    return qa_frame.sample()


@pytest.mark.parametrize("by", [None, "model"])
@pytest.mark.parametrize("convention", ["squad", "squad2", "remem"])
@pytest.mark.parametrize("extract", [None, "last_line", "answer_is"])
def test_it_is_the_summary_of_the_frame_that_remembers(sample, by, convention, extract):
    scored = sample.qa.score(**SOURCE, metrics=["em", "f1"], convention=convention, extract=extract, stats=True)
    wanted = scored.qa.summary(by=by, ci=0.95)
    forgotten = merged(scored)
    unknown = forgotten.qa.summary(by=by, ci=0.95)
    assert unknown[["n_missing", "n_no_gold"]].isna().all(axis=None)
    found = forgotten.qa.summary(by=by, ci=0.95, **SOURCE, extract=extract, reuse_scores=True)
    pd.testing.assert_frame_equal(found, wanted)
    pool = qa_frame.Pool(by=by).update(forgotten, **SOURCE, extract=extract)
    pd.testing.assert_frame_equal(pool.summary(ci=0.95), wanted)


def test_pred_and_gold_alone_score_by_the_rules_that_are_asked_for(sample):
    """Whatever score columns the frame has, and whether or not it remembers how they were made."""
    scored = sample.qa.score(**SOURCE, metrics=["em", "f1"], convention="squad2")
    for frame in (scored, merged(scored)):
        for rules in ({}, {"convention": "remem"}, {"convention": "context_bench", "missing": "null"}):
            found = frame.qa.summary(metrics=["em", "f1"], **SOURCE, **rules)
            pd.testing.assert_frame_equal(found, sample.qa.summary(metrics=["em", "f1"], **SOURCE, **rules))


def test_no_score_is_computed(sample):
    """The figures are those of the columns, even where these hold what no rule would give."""
    changed = sample.qa.score(**SOURCE, metrics="f1").assign(f1=0.25)
    assert changed.qa.summary(**SOURCE, reuse_scores=True)["f1"].iloc[0] == 0.25
    assert changed.qa.summary(**SOURCE, metrics="f1")["f1"].iloc[0] == pytest.approx(0.423, abs=1e-3)


@pytest.mark.parametrize("kind", [pa.Table.from_pandas, pl.from_pandas])
def test_other_frames(sample, kind):
    scored = qa_frame.score(kind(sample), **SOURCE, metrics="f1")
    forgotten = scored.replace_schema_metadata(None) if isinstance(scored, pa.Table) else scored
    found = qa_frame.summary(forgotten, by="model", **SOURCE, reuse_scores=True)
    wanted = sample.qa.score(**SOURCE, metrics="f1").qa.summary(by="model").reset_index()
    named = found.to_pandas()
    assert named["n_missing"].tolist() == wanted["n_missing"].tolist()
    assert named["n_no_gold"].tolist() == wanted["n_no_gold"].tolist()
    assert named["f1"].tolist() == wanted["f1"].tolist()


def test_files(sample, tmp_path):
    """Each part is counted, and a file needs no memory of its scoring."""
    scored = merged(sample.qa.score(**SOURCE, metrics=["em", "f1"], convention="squad2"))
    scored[:100].to_parquet(tmp_path / "a.parquet")
    scored[100:].to_parquet(tmp_path / "b.parquet")
    found = qa_frame.summary_files(tmp_path, "model", **SOURCE, reuse_scores=True)
    pd.testing.assert_frame_equal(found, scored.qa.summary("model", **SOURCE, reuse_scores=True))
    assert found["n_missing"].tolist() == [4, 2, 2]


def test_a_polars_query(sample, tmp_path):
    import qa_frame.engines.polars  # noqa: F401, PLC0415  (registers it)

    scored = merged(sample.qa.score(**SOURCE, metrics=["em", "f1"]))
    scored.to_parquet(tmp_path / "a.parquet")
    found = pl.scan_parquet(tmp_path / "a.parquet").qa.summary("model", **SOURCE, reuse_scores=True)
    assert found["n_missing"].to_list() == [4, 2, 2]
    assert found["f1"].to_list() == scored.qa.summary("model")["f1"].tolist()


def test_errors(sample):
    scored = sample.qa.score(**SOURCE, metrics="f1", convention="squad2")
    with pytest.raises(qa_frame.UnknownOptionError, match=r"reuse_scores=True counts .* give both, or leave it out"):
        scored.qa.summary(reuse_scores=True)
    with pytest.raises(qa_frame.ColumnNotFoundError, match=r"no score column.* or leave out reuse_scores"):
        sample.qa.summary(**SOURCE, reuse_scores=True)
    with pytest.raises(qa_frame.ColumnNotFoundError, match="pred='respond'"):
        scored.qa.summary(pred="respond", gold="answers", reuse_scores=True)
    # Rules may be named where they are those of the scores, and no others.
    scored.qa.summary(**SOURCE, convention="squad2", reuse_scores=True)
    for frame in (scored, merged(scored)):
        with pytest.raises(qa_frame.UnknownOptionError, match="leave out reuse_scores to score them, or these"):
            frame.qa.summary(**SOURCE, convention="remem", reuse_scores=True)
        frame.qa.summary(**SOURCE, convention="remem")
        frame.qa.summary(**SOURCE, reuse_scores=True)
