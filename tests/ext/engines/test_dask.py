"""What is dask's own: worker processes that die, delayed summaries, and lists that dask made text of."""

from __future__ import annotations

import importlib
import os
import re

import pandas as pd
import pytest

import qa_frame
from tests.ext.engines.shared import ROWS, TABLE, Dask, records

dask = pytest.importorskip("dask", reason='dask is not installed: pip install -e ".[dask]"')
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed", reason='distributed is not installed: pip install -e ".[dask]"')

pytestmark = pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")

OPTIONS = {"ci": 0.9}


def scored_by(frame, **rules):
    """The frame with scores, of dask or of pandas."""
    return frame.qa.score("response", "answers", **rules, stats=True)


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """Two worker processes, which are waited for however busy the machine is."""
    directory = tmp_path_factory.mktemp("dask")
    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    timeouts = {f"distributed.comm.timeouts.{name}": "600s" for name in ("connect", "tcp")}
    with (
        dask.config.set(timeouts),
        distributed.LocalCluster(**settings, local_directory=str(directory)) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def processes(client):
    return set(client.run(os.getpid).values())


def dies_once(path):
    """A reduction that ends its process the first time that it is called: sent by value, as functions within are."""

    def first_gold(scores):
        import os  # noqa: PLC0415
        import pathlib  # noqa: PLC0415

        try:
            pathlib.Path(path).touch(exist_ok=False)
        except FileExistsError:
            return float(scores[0])
        os._exit(1)

    return first_gold


@pytest.mark.thorough
def test_worker_processes_give_the_same(client):
    assert len(processes(client)) == 2
    frame = Dask().make(ROWS)
    with client.as_current():
        scored = frame.qa.score("response", "answers", convention="context_bench", stats=True).compute()
        found = scored_by(frame).qa.summary("model", **OPTIONS, cluster="question_id")
    expected = qa_frame.score(ROWS.to_pandas(), "response", "answers", convention="context_bench", stats=True)
    pd.testing.assert_frame_equal(scored.reset_index(drop=True), expected, check_exact=True)
    pd.testing.assert_frame_equal(
        found, scored_by(ROWS.to_pandas()).qa.summary("model", **OPTIONS, cluster="question_id"), check_exact=True
    )


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["score", "summary"])
def test_a_worker_that_dies_is_survived(client, tmp_path, what):
    before = processes(client)
    reduction = dies_once(str(tmp_path / "died"))
    frame, pandas = Dask().make(TABLE), TABLE.to_pandas()
    with client.as_current():
        if what == "score":
            scored = frame.qa.score("response", "answers", reduce=reduction, append=False)
            found = scored.compute().reset_index(drop=True)
        else:
            found = scored_by(frame, reduce=reduction).qa.summary("model", **OPTIONS)
    assert (tmp_path / "died").exists()  # so that the function does not end this process
    if what == "score":
        expected = qa_frame.score(pandas, "response", "answers", reduce=reduction, append=False)
    else:
        expected = scored_by(pandas, reduce=reduction).qa.summary("model", **OPTIONS)
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
    client.wait_for_workers(2, timeout=600)
    assert processes(client) != before


@pytest.mark.thorough
def test_a_delayed_summary():
    frame = Dask().make(TABLE)
    delayed = [scored_by(frame).qa.summary(by, **OPTIONS, compute=False) for by in ("model", "dataset")]
    assert all(type(each).__name__.startswith("Delayed") for each in delayed)
    for found, by in zip(dask.compute(*delayed), ("model", "dataset"), strict=True):
        pd.testing.assert_frame_equal(
            found, qa_frame.summary(scored_by(TABLE.to_pandas()), by, **OPTIONS), check_exact=True
        )


@pytest.mark.thorough
def test_many_partitions_merge_in_a_tree(monkeypatch):
    merged = []
    engine = importlib.import_module("qa_frame.engines.dask")
    merge = engine.merge_sums
    monkeypatch.setattr(engine, "merge_sums", lambda plan, sums: merged.append(len(sums)) or merge(plan, sums))
    frame = dd.from_pandas(TABLE.to_pandas(types_mapper=pd.ArrowDtype), npartitions=20)
    assert frame.npartitions == 20
    with dask.config.set(scheduler="sync"):
        found = scored_by(frame).qa.summary("model", **OPTIONS)
    assert sorted(merged) == [4, 8, 8]  # and the three that these make become the table
    expected = qa_frame.summary(scored_by(TABLE.to_pandas()), "model", **OPTIONS)
    assert records(found, has_keys=True) == records(expected, has_keys=True)


@pytest.mark.thorough
def test_index_levels():
    frame, pandas = Dask().make(TABLE), TABLE.to_pandas()
    index = frame.index.compute().rename("row")
    pandas.index = index
    expected = qa_frame.summary(scored_by(pandas), ["model", "row"], **OPTIONS)
    by_level = scored_by(frame.rename_axis("row")).qa.summary(["model", "row"], **OPTIONS)
    pd.testing.assert_frame_equal(by_level, expected, check_exact=True)


def test_only_needed_columns_are_taken(monkeypatch):
    taken = []
    engine = importlib.import_module("qa_frame.engines.dask")
    sums = engine._sum_partition
    monkeypatch.setattr(engine, "_sum_partition", lambda part, plan: taken.append(list(part)) or sums(part, plan))
    with dask.config.set(scheduler="sync"):
        scored_by(Dask().make(TABLE)).qa.summary("model", metrics="f1", cluster="document")
    assert len(taken) == 5
    assert {"model", "response", "answers", "document", "f1"} <= {*taken[0]}
    assert {"question", "prompt"}.isdisjoint(taken[0])


def test_what_was_scored_is_remembered():
    scored = Dask().make(TABLE).qa.score("response", "answers", metrics=["em", "f1"])
    found = scored[scored["dataset"] == "facts"].qa.summary("model")
    expected = qa_frame.score(TABLE.to_pandas(), "response", "answers", metrics=["em", "f1"])
    expected = qa_frame.summary(expected[expected["dataset"] == "facts"], "model")
    assert expected["n_missing"].sum() > 0
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
    assert found.attrs == expected.attrs


def test_lists_that_dask_made_text_of_have_a_remedy():
    with dask.config.set({"dataframe.convert-string": True}):
        frame = dd.from_pandas(TABLE.to_pandas(), npartitions=2)
    for call in (
        lambda: frame.qa.score("response", "answers").compute(),
        lambda: scored_by(frame).qa.summary("model", **OPTIONS),
    ):
        remedy = re.escape('dask.config.set({"dataframe.convert-string": False})')
        with pytest.raises(qa_frame.errors.GoldFormatError, match=remedy):
            call()


@pytest.mark.usefixtures("client")
@pytest.mark.thorough
def test_a_worker_makes_the_table_of_all_questions():
    """The sums of questions stay with the workers, and warnings and errors come here."""
    options = {"by": "model", "question": ["dataset", "question_id"], "ci": 0.9}
    scored, pandas = scored_by(Dask().make(TABLE)), scored_by(TABLE.to_pandas())
    few_clusters = {"by": "dataset", "cluster": "model", "ci": 0.9}
    with pytest.warns(qa_frame.errors.IntervalWarning, match="coverage may be below") as heard:
        found = scored.qa.summary(**few_clusters)
    with pytest.warns(qa_frame.errors.IntervalWarning) as expected:
        qa_frame.summary(pandas, **few_clusters)
    assert [str(each.message) for each in heard] == [str(each.message) for each in expected]
    assert len(found) == TABLE["dataset"].to_pandas().nunique()
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="pass_at=9 needs that many samples of a question"):
        scored.qa.summary(**options, pass_at=9)
