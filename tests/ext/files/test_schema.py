"""`qa_frame.schema`: tables that are written by it are read and scored as they are."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import qa_frame

ROWS = [
    {"question_id": "q1", "question": "Which river?", "response": "The Seine.", "answers": ["Seine"], "model": "a"},
    {
        "question_id": "q2",
        "response": None,
        "answers": None,
        "model": "b",
        "dataset": "d",
        "confidence": 0.5,
        "finish_reason": "length",
    },
    {"question_id": "q3", "response": "", "answers": [], "choices": ["Rome", "Paris"], "human": 1.0, "sample": 1},
]
TABLE = pa.Table.from_pylist(ROWS, schema=qa_frame.schema)


def test_every_column_says_what_it_means():
    assert all(field.metadata[b"description"].decode().endswith(".") for field in qa_frame.schema)


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_a_file_is_read_back(ending, tmp_path):
    path = tmp_path / f"rows.{ending}"
    if ending == "parquet":
        pq.write_table(TABLE, path)
    else:
        path.write_text("\n".join(json.dumps(row) for row in TABLE.to_pylist()), "utf-8")
    read = pa.Table.from_pandas(qa_frame.read_results(path), preserve_index=False)
    filled = [name for name in TABLE.column_names if TABLE[name].null_count < len(TABLE)]
    assert sorted(read.column_names) == sorted(filled)
    assert read.select(filled).to_pylist() == TABLE.select(filled).to_pylist()
    for name in set(filled) - {"answers", "choices"}:  # which pandas holds as objects
        assert read.schema.field(name).type == qa_frame.schema.field(name).type


def test_a_table_is_scored():
    scores = qa_frame.score(TABLE, "response", "answers", metrics=["em", "f1"], append=False)
    assert scores.to_pylist() == [{"em": 1.0, "f1": 1.0}, {"em": None, "f1": None}, {"em": None, "f1": None}]
