"""What is no frame is refused with the one call that makes it one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

import qa_frame
from qa_frame.frames.source import read_source

TABLE = pa.table({"response": ["a"], "answers": [["a"]]})


class HuggingFaceLike:
    """A data set that gives its rows in the format of one's choice."""

    def with_format(self, kind: str) -> pa.Table:
        assert kind == "arrow"
        return TABLE


@pytest.mark.parametrize(
    ("data", "call"),
    [
        (pl.from_arrow(TABLE).lazy(), "data.collect()"),
        (ds.dataset(TABLE), "data.to_table()"),
        (ds.dataset(TABLE).scanner(), "data.to_table()"),
        (HuggingFaceLike(), 'data.with_format("arrow")[:]'),
    ],
    ids=["lazy", "dataset", "scanner", "huggingface"],
)
def test_the_call_that_helps_is_named_and_works(data, call):
    with pytest.raises(qa_frame.errors.ColumnTypeError) as raised:
        qa_frame.score(data, "response", "answers")
    assert f"; it becomes one by {call}" in str(raised.value)
    frame = eval(call, {"data": data})  # the advice, to the letter
    assert qa_frame.score(frame, "response", "answers", metrics="em")["em"][0] in (1.0, pa.scalar(1.0))


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        ("results.parquet", "pandas.read_parquet(data)"),
        (Path("results.parquet"), "pandas.read_parquet(data)"),
        ([{"response": "a", "answers": ["a"]}], "pandas.DataFrame(data)"),
        ({"response": ["a"], "answers": [["a"]]}, "pandas.DataFrame(data)"),
    ],
    ids=["name", "path", "list", "dict"],
)
def test_other_things_people_have(data, advice):
    for function in (qa_frame.score, qa_frame.summary):
        with pytest.raises(qa_frame.errors.ColumnTypeError) as raised:
            function(data, "response", **({"gold": "answers"} if function is qa_frame.score else {}))
        assert advice in str(raised.value)


def test_a_number_is_no_frame():
    with pytest.raises(qa_frame.errors.ColumnTypeError, match="data is a int; give a pandas or polars frame"):
        qa_frame.score(1, "response", "answers")


@pytest.mark.parametrize("convert", [None, pl.from_pandas, pa.Table.from_pandas])
def test_what_is_taken_is_a_source_of_its_own(convert):
    frame = qa_frame.sample()[["model", "response"]]
    source = read_source(frame if convert is None else convert(frame))
    taken = source.take(np.array([3, 1]))
    assert len(taken.data) == len(taken.columns) == 2
    assert type(taken.data) is type(source.data)
    assert len(source.data) == len(source.columns) == len(frame)
