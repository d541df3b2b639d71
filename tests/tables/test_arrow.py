"""`qa_frame.score` on whatever hands over Arrow data: the same kind back, with null where a row is not scored."""

from __future__ import annotations

import json

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qa_frame

PREDS = ["in Paris", None, "Rome", None, "The Seine."]
GOLDS = [["Paris", "Paris, France"], ["Rome"], [], None, ["Seine", None]]
EM = [0.0, 0.0, None, None, 1.0]
F1 = [2 / 3, 0.0, None, None, 1.0]
DEFAULT = ["em", "f1", "recall", "contains", "rouge_l", "bleu"]

SCHEMA = pa.schema(
    [
        pa.field("id", pa.int32(), nullable=False, metadata={"unit": "rows"}),
        pa.field("response", pa.string(), metadata={"model": "a"}),
        pa.field("answers", pa.list_(pa.string())),
        pa.field("when", pa.timestamp("ms", tz="UTC")),
        pa.field("tag", pa.dictionary(pa.int8(), pa.string())),
    ],
    metadata={"run": "7"},
)


@pytest.fixture
def table():
    columns = {"id": range(5), "response": PREDS, "answers": GOLDS, "when": [0] * 5, "tag": ["x", "y", None, "x", "x"]}
    return pa.table({name: list(values) for name, values in columns.items()}, schema=SCHEMA)


class OnlyAStream:
    """Something with `__arrow_c_stream__` and nothing else."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def as_duckdb(table):
    # DuckDB reports its functions as leaked where a test module still holds one at exit, so the dict holds this one.
    return duckdb.from_arrow(table)


SOURCES = {
    "table": lambda table: table,
    "record-batch": lambda table: table.combine_chunks().to_batches()[0],
    "reader": lambda table: table.to_reader(max_chunksize=2),
    "stream": OnlyAStream,
    "polars": pl.from_arrow,
    "duckdb": as_duckdb,
    "pandas": lambda table: table.to_pandas(),
    "pandas-arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
}


KINDS = {"polars": pl.DataFrame, "pandas": pd.DataFrame, "pandas-arrow": pd.DataFrame}
"""The kind of frame that comes back, if it is no `pyarrow.Table`."""


def plain(scored):
    """The columns of any frame, as Python's lists; None for NaN."""
    table = pa.Table.from_pandas(scored, preserve_index=False) if isinstance(scored, pd.DataFrame) else pa.table(scored)
    return table.to_pydict()


@pytest.mark.parametrize("name", SOURCES)
def test_sources(name, table):
    scored = qa_frame.score(SOURCES[name](table), "response", "answers", metrics=["em", "f1"])
    assert type(scored) is KINDS.get(name, pa.Table)
    columns = plain(scored)
    assert list(columns) == [*SCHEMA.names, "qa_rules", "qa_flags", "em", "f1"]
    assert columns["id"] == [0, 1, 2, 3, 4]
    assert columns["em"] == EM
    assert columns["f1"] == pytest.approx(F1)


@pytest.mark.parametrize("name", SOURCES)
def test_sources_of_a_summary(name):
    sample = qa_frame.sample()
    before = qa_frame.score(pa.Table.from_pandas(sample), "response", "answers", metrics="f1")
    found = qa_frame.summary(SOURCES[name](before), "model")
    assert type(found) is KINDS.get(name, pa.Table)
    assert plain(found)["f1"] == sample.qa.score("response", "answers", metrics="f1").qa.summary("model")["f1"].tolist()


@pytest.mark.parametrize("index", [["b", "a"], [7, 7], pd.RangeIndex(5, 7)], ids=["text", "duplicates", "range"])
@pytest.mark.parametrize("is_table", [False, True], ids=["frame", "table"])
def test_a_pandas_frame_comes_back_with_its_index(index, is_table):
    """Also by way of a table that was made of it."""
    frame = pd.DataFrame({"response": ["x", "y"], "answers": [["x"], ["x"]]}, index=index)
    scored = qa_frame.score(pa.Table.from_pandas(frame) if is_table else frame, "response", "answers", metrics="em")
    scored = scored.to_pandas() if is_table else scored
    pd.testing.assert_index_equal(scored.index, frame.index)
    assert scored["em"].tolist() == [1.0, 0.0]


@pytest.mark.parametrize("missing", ["zero", "null"])
def test_null_and_never_nan(table, missing):
    scores = qa_frame.score(table, "response", "answers", metrics="all", missing=missing, append=False)
    is_scored = [True, missing == "zero", False, False, True]
    for name in scores.column_names:
        assert scores[name].type == pa.float64()
        assert scores[name].is_valid().to_pylist() == is_scored
        assert not np.isnan(scores[name].drop_null()).any()


def test_other_columns_are_kept(table):
    scored = qa_frame.score(table, "response", "answers")
    assert scored.column_names == [*SCHEMA.names, "qa_rules", "qa_flags", *DEFAULT]
    own = scored.select(SCHEMA.names).replace_schema_metadata(SCHEMA.metadata)
    assert own.equals(table, check_metadata=True)
    assert other_metadata(scored) == SCHEMA.metadata


def other_metadata(table):
    """All but what the package keeps there."""
    return {key: value for key, value in table.schema.metadata.items() if key != b"qa_frame"}


def test_a_table_remembers_what_its_scores_were_made_from(table):
    scored = qa_frame.score(table, "response", "answers", metrics=["em", "f1"])
    scored = qa_frame.score(scored, "response", "answers", metrics="f1", reduce="min")
    noted = json.loads(scored.schema.metadata[b"qa_frame"])["qa_scored"]
    em, f1 = (noted["scorings"][noted["columns"][name]["scoring"]] for name in ("em", "f1"))
    assert [(each["pred"], each["gold"]) for each in (em, f1)] == [("response", "answers")] * 2
    assert "reduce:max" in em["signature"]
    assert "reduce:min" in f1["signature"]
    assert (em["rules"], f1["rules"]) == ({}, {"reduce": "min"})
    assert table.schema.metadata == SCHEMA.metadata


@pytest.mark.needs("explain")
def test_a_polars_frame_remembers_until_it_is_changed(table):
    scored = qa_frame.score(pl.from_arrow(table), "response", "answers", metrics="em")
    assert qa_frame.explain(scored, 0).metrics.keys() == {"em"}
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="does not remember"):
        qa_frame.explain(scored.head(1), 0)
    assert qa_frame.explain(qa_frame.with_scoring_of(scored.head(1), scored), 0).metrics.keys() == {"em"}


@pytest.mark.parametrize("stale", [[9.0] * 5, ["text"] * 5, [None] * 5], ids=["float", "text", "null"])
def test_a_score_column_is_replaced_where_it_stands(table, stale):
    scored = qa_frame.score(table.add_column(1, "em", [stale]), "response", "answers", metrics=["f1", "em"])
    assert scored.column_names == ["id", "em", *SCHEMA.names[1:], "qa_rules", "qa_flags", "f1"]
    assert scored.schema.field("em").type == pa.float64()
    assert scored["em"].to_pylist() == EM
    assert other_metadata(scored) == SCHEMA.metadata


@pytest.mark.parametrize("name", [name for name in SOURCES if name != "record-batch"])
def test_no_rows(name, table):
    scored = qa_frame.score(SOURCES[name](table.slice(0, 0)), "response", "answers")
    assert type(scored) is KINDS.get(name, pa.Table)
    assert list(plain(scored)) == [*SCHEMA.names, "qa_rules", "qa_flags", *DEFAULT]
    assert len(scored) == 0
    kind = scored["em"].type if isinstance(scored, pa.Table) else scored["em"].dtype
    assert kind in (pa.float64(), pl.Float64(), np.dtype("float64"))


def test_no_batches():
    reader = pa.RecordBatchReader.from_batches(SCHEMA, [])
    assert qa_frame.score(reader, "response", "answers").num_rows == 0


def test_labels_are_text_in_arrow():
    frame = pd.DataFrame({0: ["a"], 1: [["a"]]})
    assert qa_frame.score(frame, 0, 1, metrics="em", append=False)["em"].tolist() == [1.0]
    table = pa.Table.from_pandas(frame)
    assert qa_frame.score(table, "0", "1", metrics="em", append=False)["em"].to_pylist() == [1.0]
    with pytest.raises(qa_frame.errors.ColumnNotFoundError, match="pred=0 is not a column; did you mean '0'"):
        qa_frame.score(table, 0, 1)
