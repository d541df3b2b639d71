"""Rows of several scorings that are put together are known by their marks, and refused by all that reads scores."""

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame
from qa_frame.extensions import is_there
from tests.features import with_needs

if is_there("ext.engines"):
    import qa_frame.engines.dask
    import qa_frame.engines.polars

SAMPLE = qa_frame.sample()
HERON, LYNX = (SAMPLE[SAMPLE["model"] == model] for model in ("heron-7b", "lynx-70b"))
REFUSED = pytest.raises(
    qa_frame.errors.UnknownOptionError, match=r"'qa_rules' says .* by different rules: squad .*, helm "
)


def scored(frame, **options):
    return qa_frame.score(frame, "response", "answers", **{"metrics": ["em", "f1"], **options})


def in_parquet(frames, folder):
    pd.concat(frames, ignore_index=True).to_parquet(folder / "both.parquet")
    return pd.read_parquet(folder / "both.parquet")


def in_csv(frames, folder):
    pd.concat(frames).drop(columns="answers").to_csv(folder / "both.csv", index=False)
    return pd.read_csv(folder / "both.csv")


def in_arrow(frames, folder):
    del folder
    return pa.concat_tables([pa.Table.from_pandas(frame) for frame in frames])


def in_polars(frames, folder):
    del frames, folder
    return pl.concat([scored(pl.from_pandas(HERON)), scored(pl.from_pandas(LYNX), convention="helm")])


def merged(frames, folder):
    del folder
    return pd.concat(frames).merge(pd.DataFrame({"model": ["heron-7b", "lynx-70b"], "size": [7, 70]}), on="model")


WAYS = {
    "concat": lambda frames, _: pd.concat(frames, ignore_index=True),
    "few-rows": lambda frames, _: pd.concat([frames[0], frames[1][:1]]),
    "group": lambda frames, _: pd.concat(frames).groupby("model").head(9),
    "merge": merged,
    "parquet": in_parquet,
    "csv": in_csv,
    "arrow": in_arrow,
    "polars": in_polars,
}

READERS = {
    "summary": lambda frame: qa_frame.summary(frame, "model"),
    "one-metric": lambda frame: qa_frame.summary(frame, "model", metrics="f1"),
    "compare": lambda frame: qa_frame.compare(frame, "model", "question_id"),
    "pool": lambda frame: qa_frame.Pool("model").update(frame),
    "worst": lambda frame: qa_frame.worst(frame, 3, metric="f1"),
    "agreement": lambda frame: qa_frame.agreement(frame, "human"),
    "recall": lambda frame: qa_frame.with_scoring_of(frame, scored(HERON)),
}


@pytest.mark.parametrize("reader", with_needs(READERS, {"agreement": "annotation"}))
@pytest.mark.parametrize("way", WAYS)
def test_rows_of_two_scorings_are_refused(way, reader, tmp_path):
    both = WAYS[way]([scored(HERON), scored(LYNX, convention="helm")], tmp_path)
    with REFUSED:
        READERS[reader](both)


@pytest.mark.needs("report")
def test_a_report_of_two_scorings_is_refused(tmp_path):
    with REFUSED:
        pd.concat([scored(HERON), scored(LYNX, convention="helm")]).qa.report(tmp_path / "page.html", by="model")
    assert not [*tmp_path.iterdir()]


@pytest.mark.needs("explain")
def test_arrow_rows_that_keep_the_memory_of_the_first_frame_are_not_explained():
    rules = ((HERON, "squad"), (LYNX, "helm"))
    tables = [scored(pa.Table.from_pandas(frame), convention=rule) for frame, rule in rules]
    with REFUSED:
        qa_frame.explain(pa.concat_tables(tables), 0)


def test_the_memory_of_another_scoring_is_refused():
    with pytest.raises(qa_frame.errors.UnknownOptionError, match=r"made by helm .*, and not by squad"):
        scored(LYNX, convention="helm").qa.with_scoring_of(scored(HERON))


def test_rows_of_one_rule_are_not_refused():
    """Of other metrics, other columns of texts, or none, and of other rules in columns that are not read."""
    renamed = LYNX.rename(columns={"response": "answer"}).qa.score("answer", "answers", metrics=["em", "f1"])
    assert pd.concat([scored(HERON), renamed]).qa.summary("model")["n_rows"].tolist() == [120, 120]
    both = pd.concat([scored(HERON), scored(LYNX, metrics=["em", "bleu"])])
    assert both.qa.summary("model", metrics="em")["n_rows"].tolist() == [120, 120]
    assert len(pd.concat([scored(HERON), LYNX]).qa.summary("model", metrics="em")) == 2
    two = [scored(scored(frame), convention=rule, prefix="h_") for frame, rule in ((HERON, "helm"), (LYNX, "squad"))]
    assert pd.concat(two).qa.summary("model")["em"].notna().all()
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="'h_em' by different rules"):
        pd.concat(two).qa.summary("model", prefix="h_")


def test_the_remedies_work():
    both = pd.concat([scored(HERON), scored(LYNX, convention="helm")])
    expected = scored(pd.concat([HERON, LYNX])).qa.summary("model")
    pd.testing.assert_frame_equal(scored(both).qa.summary("model"), expected)
    one = both[both["qa_rules"] == both["qa_rules"].iloc[0]]
    assert one.qa.summary("model")["n_rows"].tolist() == [120]
    assert both.qa.summary("qa_rules")["em"].tolist() == both.groupby("qa_rules")["em"].mean().tolist()
    half = scored(both, metrics="em")
    half.qa.summary("model", metrics="em")
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="'f1' by different rules"):
        half.qa.summary("model", metrics="f1")


@pytest.mark.parametrize("foreign", ["my rules", 3.0, None, '["em"]'])
def test_a_column_of_that_name_that_is_no_mark_says_nothing(foreign):
    frame = scored(HERON).assign(qa_rules=foreign)
    assert frame.qa.summary("model")["n_rows"].tolist() == [120]
    assert scored(frame)["qa_rules"].tolist() == scored(HERON)["qa_rules"].tolist()


def test_a_mark_takes_a_byte_per_row_and_scores_alone_have_none():
    frame = scored(SAMPLE)
    assert frame["qa_rules"].cat.codes.dtype == np.int8
    assert frame["qa_rules"].memory_usage(index=False) < len(frame) + 1000
    assert list(scored(SAMPLE, append=False)) == ["em", "f1"]
    table = qa_frame.score(pa.Table.from_pandas(SAMPLE), "response", "answers", metrics="em")
    assert table.schema.field("qa_rules").type == pa.dictionary(pa.int8(), pa.string())


def rescored_by_polars(both, folder):
    del folder
    return pl.from_pandas(both).lazy().qa.score("response", "answers", metrics=["em", "f1"]).collect()


def rescored_by_dask(both, folder):
    del folder
    with dask.config.set({"dataframe.convert-string": False}):
        lazy = dd.from_pandas(both.reset_index(drop=True), npartitions=3)
    return lazy.qa.score("response", "answers", metrics=["em", "f1"]).compute()


def rescored_as_parquet(both, folder):
    both.to_parquet(folder / "both.parquet")
    score_file(folder / "both.parquet", folder / "again.parquet")
    return pd.read_parquet(folder / "again.parquet")


def rescored_as_lines(both, folder):
    both.to_json(folder / "both.jsonl", orient="records", lines=True)
    score_file(folder / "both.jsonl", folder / "again.jsonl")
    return pd.read_json(folder / "again.jsonl", lines=True)


def score_file(source, target):
    qa_frame.score_files(source, target, pred="response", gold="answers", metrics=["em", "f1"], n_jobs=1)


RESCORED = [rescored_by_polars, rescored_by_dask, rescored_as_parquet, rescored_as_lines]


@pytest.mark.needs("files")
@pytest.mark.parametrize("rescored", RESCORED)
def test_every_way_to_score_marks_rows_anew(rescored, tmp_path):
    both = pd.concat([scored(HERON), scored(LYNX, convention="helm")], ignore_index=True).assign(last=1)
    found = rescored(both, tmp_path)
    found = found if isinstance(found, pd.DataFrame) else found.to_pandas()
    again = scored(both)
    assert [*found.columns] == [*again.columns]
    for name in ("qa_rules", "qa_flags"):
        assert found[name].tolist() == again[name].tolist()
    assert {*found["qa_rules"]} == {"squad 35a89cdf"}
    expected = scored(pd.concat([HERON, LYNX], ignore_index=True)).qa.summary(metrics=["em", "f1"])
    np.testing.assert_array_equal(qa_frame.summary(found, metrics=["em", "f1"])["em"], expected["em"])
    assert [*qa_frame.summary(scored(found), "model")["n_rows"]] == [120, 120]
