"""`qa_frame.score` on whatever hands over Arrow data: the same scores, with null where a row is not scored."""

from __future__ import annotations

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


@pytest.mark.parametrize("name", SOURCES)
def test_sources(name, table):
    scored = qa_frame.score(SOURCES[name](table), "response", "answers", metrics=["em", "f1"])
    assert isinstance(scored, pa.Table)
    assert scored.column_names == [*SCHEMA.names, "em", "f1"]
    assert scored["id"].to_pylist() == [0, 1, 2, 3, 4]
    assert scored["em"].to_pylist() == EM
    assert scored["f1"].to_pylist() == pytest.approx(F1)


@pytest.mark.parametrize("name", SOURCES)
def test_sources_of_the_sample(name):
    sample = qa_frame.sample()
    expected = sample.qa.score("response", "answers", append=False)
    source = SOURCES[name](pa.Table.from_pandas(sample))
    scores = qa_frame.score(source, "response", "answers", append=False)
    pd.testing.assert_frame_equal(scores.to_pandas(), expected, check_exact=True)


@pytest.mark.parametrize("index", [["b", "a"], [7, 7], pd.RangeIndex(5, 7)], ids=["text", "duplicates", "range"])
def test_a_pandas_frame_comes_back_with_its_index(index):
    frame = pd.DataFrame({"response": ["x", "y"], "answers": [["x"], ["x"]]}, index=index)
    scored = qa_frame.score(frame, "response", "answers", metrics="em").to_pandas()
    pd.testing.assert_index_equal(scored.index, frame.index)
    assert scored["em"].tolist() == [1.0, 0.0]


def test_a_polars_frame_comes_back(table):
    """The way back that the documentation may promise: `pl.from_arrow`, nulls and all."""
    scored = pl.from_arrow(qa_frame.score(pl.from_arrow(table), "response", "answers", metrics="em"))
    assert scored["em"].dtype == pl.Float64
    assert scored["em"].null_count() == 2
    assert scored["em"].mean() == pytest.approx(1 / 3)


def test_duckdb_reads_the_scores(table):
    scored = qa_frame.score(table, "response", "answers", metrics="em")
    assert duckdb.from_arrow(scored).aggregate("count(em), avg(em)").fetchall() == [(3, 1 / 3)]


def test_a_reader_is_read_to_its_end(table):
    reader = table.to_reader(max_chunksize=2)
    qa_frame.score(reader, "response", "answers")
    assert reader.read_all().num_rows == 0


@pytest.mark.parametrize("missing", ["zero", "null"])
def test_null_and_never_nan(table, missing):
    scores = qa_frame.score(table, "response", "answers", metrics="all", missing=missing, append=False)
    is_scored = [True, missing == "zero", False, False, True]
    for name in scores.column_names:
        assert scores[name].type == pa.float64()
        assert scores[name].is_valid().to_pylist() == is_scored
        assert not np.isnan(scores[name].drop_null()).any()


def test_nan_of_a_callable_is_null(table):
    scores = qa_frame.score(table, "response", "answers", metrics="em", missing="null", reduce=lambda _: np.nan)
    assert scores["em"].null_count == 5


def test_other_columns_are_kept(table):
    scored = qa_frame.score(table, "response", "answers")
    assert scored.column_names == [*SCHEMA.names, *DEFAULT]
    assert scored.select(SCHEMA.names).equals(table, check_metadata=True)
    assert scored.schema.metadata == SCHEMA.metadata


def test_without_append_the_scores_alone(table):
    scores = qa_frame.score(table, "response", "answers", append=False)
    assert scores.column_names == DEFAULT
    assert scores.equals(qa_frame.score(table, "response", "answers").select(DEFAULT))


def test_prefix(table):
    scored = qa_frame.score(table, "response", "answers", metrics=["f1", "em"], prefix="qa_")
    assert scored.column_names == [*SCHEMA.names, "qa_f1", "qa_em"]


@pytest.mark.parametrize("stale", [[9.0] * 5, ["text"] * 5, [None] * 5], ids=["float", "text", "null"])
def test_a_score_column_is_replaced_where_it_stands(table, stale):
    scored = qa_frame.score(table.add_column(1, "em", [stale]), "response", "answers", metrics=["f1", "em"])
    assert scored.column_names == ["id", "em", *SCHEMA.names[1:], "f1"]
    assert scored.schema.field("em").type == pa.float64()
    assert scored["em"].to_pylist() == EM
    assert scored.schema.metadata == SCHEMA.metadata


def test_no_stale_score_column_is_left(table):
    twice = table.append_column("em", [[9.0] * 5]).append_column("em", [[8.0] * 5])
    scored = qa_frame.score(twice, "response", "answers", metrics="em")
    assert all(scored.column(place).to_pylist() == EM for place in scored.schema.get_all_field_indices("em"))


def test_scored_again_the_same(table):
    once = qa_frame.score(table, "response", "answers")
    assert qa_frame.score(once, "response", "answers").equals(once, check_metadata=True)


@pytest.mark.parametrize("chunks", [[5], [1] * 5, [0, 2, 0, 3, 0]], ids=["one", "a-row-each", "some-empty"])
def test_chunks(table, chunks):
    starts = np.cumsum([0, *chunks[:-1]]).tolist()
    chunked = pa.concat_tables(
        [table.slice(start, length).combine_chunks() for start, length in zip(starts, chunks, strict=True)]
    )
    scored = qa_frame.score(chunked, "response", "answers")
    assert scored.equals(qa_frame.score(table, "response", "answers"))


@pytest.mark.parametrize("name", [name for name in SOURCES if name != "record-batch"])
def test_no_rows(name, table):
    scored = qa_frame.score(SOURCES[name](table.slice(0, 0)), "response", "answers")
    assert scored.column_names == [*SCHEMA.names, *DEFAULT]
    assert scored.num_rows == 0
    assert scored["em"].type == pa.float64()


def test_no_batches():
    reader = pa.RecordBatchReader.from_batches(SCHEMA, [])
    assert qa_frame.score(reader, "response", "answers").num_rows == 0


@pytest.mark.parametrize(
    ("golds", "error"),
    [([["a"], "b"], qa_frame.ColumnTypeError), ([["a"], ["b\ud800"]], qa_frame.InvalidTextError)],
    ids=["mixed", "surrogate"],
)
def test_a_pandas_frame_that_is_no_arrow_table(golds, error):
    """The same error as from the frame's own `df.qa.score`."""
    frame = pd.DataFrame({"response": ["a", "b"], "answers": golds})
    with pytest.raises(error, match="answers"):
        frame.qa.score("response", "answers")
    with pytest.raises(error, match="answers"):
        qa_frame.score(frame, "response", "answers")


def test_labels_are_text_in_arrow():
    frame = pd.DataFrame({0: ["a"], 1: [["a"]]})
    assert qa_frame.score(frame, "0", "1", metrics="em", append=False)["em"].to_pylist() == [1.0]
    with pytest.raises(qa_frame.ColumnNotFoundError, match="pred=0 is not a column; did you mean '0'"):
        qa_frame.score(frame, 0, 1)
