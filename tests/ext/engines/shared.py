"""The engines that the tests run: how each makes its frame of a table, and how it gives a table back."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import random
import shutil
import signal
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame

EAGER = {
    "pandas": lambda table: table.to_pandas(),
    "pandas-arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "pyarrow": lambda table: table,
}
KINDS = {"pandas": pd.DataFrame, "pandas-arrow": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}


class PolarsLazy:
    """In two chunks, so that the engine has parts."""

    collector = "in-memory"

    def make(self, table):
        importlib.import_module("qa_frame.engines.polars")
        half = len(table) // 2
        return pl.concat([pl.from_arrow(table[:half]), pl.from_arrow(table[half:])], rechunk=False).lazy()

    def score(self, frame, *arguments, **settings):
        return frame.qa.score(*arguments, **settings)

    def summary(self, frame, *arguments, **settings):
        return frame.qa.summary(*arguments, **settings)

    def columns(self, frame):
        return frame.collect_schema().names()

    def table(self, frame):
        return pa.table(frame.collect(engine=self.collector))


class PolarsStreaming(PolarsLazy):
    collector = "streaming"


class Dask:
    """Its index has duplicates. The conversion of lists to text is off, as our docstring says."""

    def make(self, table):
        dask = pytest.importorskip("dask", reason='dask is not installed: pip install -e ".[dask]"')
        importlib.import_module("qa_frame.engines.dask")
        frame = table.to_pandas()
        frame.index = np.arange(len(frame)) // 7
        with dask.config.set({"dataframe.convert-string": False}):
            return importlib.import_module("dask.dataframe").from_pandas(frame, npartitions=5, sort=False)

    score, summary = PolarsLazy.score, PolarsLazy.summary

    def columns(self, frame):
        return list(frame.columns)

    def table(self, frame):
        return pa.Table.from_pandas(frame.compute(), preserve_index=False)


class Spark:
    """A local session of two executors, five partitions, and Arrow batches of 100 rows."""

    def make(self, table):
        return spark_session().createDataFrame(table).coalesce(5)

    def score(self, frame, *arguments, **settings):
        return importlib.import_module("qa_frame.engines.spark").score(frame, *arguments, **settings)

    def summary(self, frame, *arguments, **settings):
        return importlib.import_module("qa_frame.engines.spark").summary(frame, *arguments, **settings)

    def columns(self, frame):
        return frame.columns

    def table(self, frame):
        return frame.toArrow()


LAZY = {"polars-lazy": PolarsLazy(), "polars-streaming": PolarsStreaming(), "dask": Dask(), "spark": Spark()}


@functools.cache
def spark_session():
    """One session for all tests of a process; a test is skipped where there can be none."""
    if importlib.util.find_spec("pyspark") is None:
        pytest.skip('pyspark is not installed: pip install -e ".[spark]"')
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java, which is not installed: .ci/system.sh")
    os.environ["PYSPARK_PYTHON"] = sys.executable  # its workers would take the first Python in PATH
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.log.level": "OFF",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100",
        "spark.sql.shuffle.partitions": "4",
    }
    on_interrupt, path = signal.getsignal(signal.SIGINT), list(sys.path)
    session = (
        importlib.import_module("pyspark.sql")
        .SparkSession.builder.master("local-cluster[2,1,1024]")
        .config(map=settings)
        .getOrCreate()
    )
    signal.signal(signal.SIGINT, on_interrupt)  # a session takes both, and other tests look at them
    sys.path[:] = path
    return session


# ---------------------------------------------------------------------------------------------------------------- data


def make_sample():
    """Two groups are null, a question has no gold, some predictions are null, some verdicts too."""
    sample = qa_frame.sample().reset_index(drop=True)
    places = np.arange(len(sample))
    columns = {
        "human": pd.array(np.where(places % 7 == 0, None, places % 3 == 0), dtype="boolean"),
        "grade": pd.array(places % 4, dtype="Int64"),
        "prompt": pd.array(np.where(places % 5 == 0, None, places % 2), dtype="Int64"),
        "document": sample["question_id"].str.len() + places % 12,
        "weight": places / 8,
    }
    return pa.Table.from_pandas(sample.assign(**columns), preserve_index=False).replace_schema_metadata(None)


def make_rows(n_rows=5_000):
    """Made-up rows of words of several scripts, with nulls, empty texts and lists of none to three golds."""
    draw = random.Random(5)
    words = ["the", "a", "Paris", "in", "1,999", "river", "Ünïcode", "東京", "—", "U.S.", "rivers", "An", "x"]

    def text():
        return " ".join(draw.choices(words, k=draw.randrange(9)))

    def golds():
        return (
            None
            if draw.random() < 0.02
            else [text() if draw.random() < 0.95 else None for _ in range(draw.randrange(4))]
        )

    columns = {
        "response": pa.array([text() if draw.random() < 0.97 else None for _ in range(n_rows)]),
        "answers": pa.array([golds() for _ in range(n_rows)], pa.list_(pa.string())),
        "model": pa.array(draw.choices(["m1", "m2", "m3"], k=n_rows)),
        "question_id": pa.array(draw.choices(range(700), k=n_rows)),
    }
    return pa.table(columns)


TABLE = make_sample()
ROWS = make_rows()

# ---------------------------------------------------------------------------------------------------------- comparison


def records(frame, *, has_keys):
    """The columns of any frame as Python's values.

    has_keys: whether pandas has groups in the index, where the others have columns.
    """
    if isinstance(frame, pd.DataFrame):
        table = pa.Table.from_pandas(frame.reset_index() if has_keys else frame, preserve_index=False)
    else:
        table = pa.table(frame)
    return table.to_pydict()


def same_columns(found, expected):
    """To the last bit, but for the counts that polars and Spark cannot know."""
    assert list(found) == list(expected)
    for name in found:
        assert len(found[name]) == len(expected[name])
        unknown = name in ("n_missing", "n_no_gold") and set(found[name]) == {None}
        assert unknown or found[name] == expected[name], name
