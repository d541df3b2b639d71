"""Metrics of one's own in engines: the function goes where the rows are."""

from __future__ import annotations

import polars as pl
import pytest

import qa_frame
import qa_frame.engines.polars  # registers lf.qa

COLUMNS = ("response", "answers")


def make_metric():
    """A metric whose function is sent by value, with what it captures."""
    factor = 2.0

    def doubled(preds, golds):
        return [factor * (len(pred) - len(gold)) for pred, gold in zip(preds, golds, strict=True)]

    return qa_frame.PairMetric("own", doubled, cache=True)


EXPECTED = qa_frame.sample().qa.score(*COLUMNS, metrics=["em", make_metric()])


def test_polars_scores_lazily_in_this_process():
    metric = make_metric()
    lazy = pl.from_pandas(qa_frame.sample()).lazy().qa.score(*COLUMNS, metrics=["em", metric])
    assert lazy.collect_schema()["own"] == pl.Float64
    assert not metric.cache
    scored = lazy.collect()
    assert metric.cache
    assert scored["own"].to_list() == EXPECTED["own"].astype(object).where(EXPECTED["own"].notna(), None).tolist()
    summary = scored.lazy().qa.summary(by="model", metrics=["em", metric])
    assert summary["own"].to_list() == EXPECTED.qa.summary("model")["own"].tolist()


@pytest.mark.thorough
@pytest.mark.parametrize("scheduler", ["synchronous", pytest.param("processes", marks=pytest.mark.thorough)])
def test_dask_sends_the_function_to_its_workers(scheduler):
    dask = pytest.importorskip("dask", reason='dask is not installed: pip install -e ".[dask]"')
    dd = pytest.importorskip("dask.dataframe")
    pytest.importorskip("qa_frame.engines.dask")
    metric = make_metric()
    with dask.config.set({"dataframe.convert-string": False, "scheduler": scheduler}):
        frame = dd.from_pandas(qa_frame.sample(), npartitions=2)
        scored = frame.qa.score(*COLUMNS, metrics=["em", metric])
        assert scored["own"].compute().equals(EXPECTED["own"])
        now = frame.qa.score(pred="response", gold="answers", metrics=["em", metric]).qa.summary(
            "model", metrics=["em", metric]
        )
        found = scored.qa.summary("model", metrics=["em", metric])
    expected = EXPECTED.qa.summary("model")
    assert now["own"].tolist() == found["own"].tolist() == expected["own"].tolist()
    assert bool(metric.cache) == (scheduler == "synchronous")  # each worker keeps results of its own
