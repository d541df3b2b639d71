"""The columns of results: their names, types and meanings, for whoever writes files that this package reads."""

from __future__ import annotations

import pyarrow as pa

_TEXT, _NUMBER = pa.string(), pa.float64()

_COLUMNS = (
    ("question_id", _TEXT, "What tells questions apart inside a dataset. All rows of one question have the same."),
    ("question", _TEXT, "The question as it was asked."),
    ("response", _TEXT, "The prediction: the answer of the model. Null if there is none, as where the run failed."),
    ("answers", pa.list_(_TEXT), "The golds: all acceptable answers. Null or empty if there is none to compare with."),
    ("model", _TEXT, "The name of the model, or of the system."),
    ("dataset", _TEXT, "The name of the dataset, or of the task."),
    ("finish_reason", _TEXT, "Why the response ended, as `stop`, or `length` where it was cut off at a limit."),
    ("sample", pa.int64(), "The number of the response among several to one question of one model, from 0."),
    ("choices", pa.list_(_TEXT), "The texts of the options of a multiple-choice question, in the order A, B, C."),
    ("human", _NUMBER, "The verdict of a person, from 0 for wrong to 1 for right. Null where nobody looked."),
    ("confidence", _NUMBER, "How sure the model was. A larger number is surer; its unit does not matter."),
)

schema: pa.Schema = pa.schema([pa.field(name, kind, metadata={"description": text}) for name, kind, text in _COLUMNS])
"""The columns of results as an Arrow schema; the metadata `description` of a field says what it means.

A table of results has `response` and `answers`, and of the other columns those that it has something for. Scores, and
whatever else, may stand beside them as columns of their own names. All columns may hold nulls.

Examples
--------
>>> import pyarrow as pa, qa_frame
>>> qa_frame.schema.names[:8]
['question_id', 'question', 'response', 'answers', 'model', 'dataset', 'finish_reason', 'sample']
>>> qa_frame.schema.field("answers").metadata[b"description"].decode()
'The golds: all acceptable answers. Null or empty if there is none to compare with.'
>>> rows = [{"question_id": "1", "response": "The Seine.", "answers": ["Seine"], "model": "a"}]
>>> table = pa.Table.from_pylist(rows, schema=qa_frame.schema)
>>> qa_frame.score(table, "response", "answers", metrics="em")["em"].to_pylist()
[1.0]
"""

FIXED: dict[str, pa.DataType] = {"file": _TEXT} | {field.name: field.type for field in [*schema][:7]}
"""The types of the columns that `read_results` makes of any kind of file, in their order: `file` is its path."""
