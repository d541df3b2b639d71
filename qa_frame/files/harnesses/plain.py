"""Plain tables: JSON lines, JSON, CSV, TSV, Parquet or Arrow whose columns have usual names.

The names are looked for in the order of `NAMES`; the first that is there is taken, and the other columns are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from qa_frame.errors import show
from qa_frame.files.harnesses.description import Kind
from qa_frame.files.record_fields import as_golds, as_texts, is_plain, json_text, read_golds, text_of_prompt, value_at
from qa_frame.files.records import Place, ResultFile, numbered
from qa_frame.files.schema import FIXED

NAMES: dict[str, tuple[str, ...]] = {
    "response": (
        *("response", "prediction", "pred", "predicted_answer", "model_answer", "model_output", "model_response"),
        *("generated_answer", "generated_text", "generation", "completion", "output"),
    ),
    "answers": (
        *("answers", "golds", "gold_answers", "golden_answers", "references", "ground_truths", "targets", "gold"),
        *("gold_answer", "golden_answer", "reference", "reference_answer", "ground_truth", "correct_answer"),
        *("expected_answer", "expected", "expected_output", "target", "answer"),
        *("labels", "label"),  # InfiniteBench
    ),
    "question_id": ("question_id", "qid", "query_id", "sample_id", "example_id", "id", "_id"),
    "question": ("question", "query", "problem", "prompt", "input"),
    "model": ("model", "model_name", "model_id"),
    "dataset": ("dataset", "dataset_name", "task", "task_name", "benchmark"),
}
"""The usual names of each column, in the order in which they are looked for."""


_USUAL = {name for names in NAMES.values() for name in names}


def name_in(names: Any, column: str) -> str | None:
    """Return the first usual name of this column that is among the names."""
    return next((name for name in NAMES[column] if name in names), None)


def _records(source: ResultFile) -> Iterator[tuple[Place, Any]]:
    """Yield the records, with usual names in lower case where the file writes them otherwise, as `Response`."""
    records, wrapped = _records_as_named(source), _wrapped_list(source)
    if _has_both(wrapped[0] if wrapped else source.names):
        return records
    return ((place, _in_lower_case(record)) for place, record in records)


def _records_as_named(source: ResultFile) -> Iterator[tuple[Place, Any]]:
    """Yield the records of a table, or of the one list in a JSON object such as `{"results": [...]}`."""
    wrapped = _wrapped_list(source)
    return source.records() if wrapped is None else numbered("record", wrapped)


def _in_lower_case(record: Any) -> Any:
    """Return a record with its usual names in lower case, where that name is not taken."""
    if not isinstance(record, dict):
        return record
    lower = {name: str(name).strip().lower() for name in record}
    taken = {*record}
    renamed = {}
    for name, value in record.items():
        is_new = lower[name] in _USUAL and lower[name] not in taken
        taken.add(lower[name])
        renamed[lower[name] if is_new else name] = value
    return renamed


def _wrapped_list(source: ResultFile) -> list[Any] | None:
    if source.format not in {"json", "jsonl"} or not isinstance(source.first, dict) or _has_both(source.first):
        return None
    lists = [
        value for value in source.first.values() if isinstance(value, list) and value and isinstance(value[0], dict)
    ]
    return lists[0] if len(lists) == 1 else None


def _has_both(names: Any) -> bool:
    return name_in(names, "response") is not None and name_in(names, "answers") is not None


def _is_plain(source: ResultFile) -> bool:
    wrapped = _wrapped_list(source)
    names = wrapped[0] if wrapped else source.names
    return _has_both(names) or _has_both(_in_lower_case(dict.fromkeys(names)))


def _value(record: dict[str, Any], column: str) -> Any:
    return record[name_in(record, column) or column]


def _others(record: dict[str, Any], *, pred: str | None = None, gold: str | None = None) -> dict[str, Any]:
    """Return the other columns. pred, gold: the names that the caller gave, if any."""
    own = {"response": pred, "answers": gold}
    taken = {own.get(column) or name_in(record, column): column for column in NAMES}
    found: dict[str, Any] = {}
    for name, value in record.items():
        column = taken.get(name) or kept_name(name)
        if column == "question" and isinstance(value, list):
            found[column] = text_of_prompt(value)
        elif column == "choices" and isinstance(value, list):
            found[column] = as_golds(value)
        elif column not in {"response", "answers"}:
            found[column] = value if is_plain(value) else json_text(value)
    return found


def with_own_names(kind: Kind, pred: str | None, gold: str | None) -> Kind:
    """Return the kind for a caller who names values. A plain table then keeps the columns with usual names."""
    if kind in {PLAIN, PLAIN_CSV} and (pred is not None or gold is not None):
        kind = replace(kind, others=partial(_others, pred=pred, gold=gold), records=_records_as_named)
    if pred is not None:
        kind = replace(kind, responses=lambda record: as_texts(value_at(record, pred, f"pred={show(pred)}")))
    if gold is not None:
        read = read_golds if kind.reads_written_golds else as_golds
        kind = replace(kind, golds=lambda record: read(value_at(record, gold, f"gold={show(gold)}")))
    return kind


def kept_name(name: str) -> str:
    """Return the name of another column: its own, or a new one if a column of `read_results` has that name."""
    return f"{name}_in_file" if name in FIXED else name


PLAIN = Kind(
    name="plain",
    is_this=lambda source: source.format not in {"csv", "tsv", "zip"} and _is_plain(source),
    responses=lambda record: as_texts(_value(record, "response")),
    golds=lambda record: as_golds(_value(record, "answers")),
    others=_others,
    records=_records,
)

PLAIN_CSV = replace(
    PLAIN,
    name="csv",
    is_this=lambda source: source.format in {"csv", "tsv"} and _is_plain(source),
    golds=lambda record: read_golds(_value(record, "answers")),
    reads_written_golds=True,
)
