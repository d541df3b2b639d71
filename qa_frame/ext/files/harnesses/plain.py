"""Plain tables: JSON lines, JSON, CSV, TSV, Parquet or Arrow whose columns have usual names.

The names are looked for in the order of `USUAL_NAMES`. The first that is there is taken, and other columns are kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from qa_frame.errors import show
from qa_frame.ext.files.open_files import UnusableRecordError, UsualNameNotFoundError
from qa_frame.ext.files.record_fields import (
    as_golds,
    as_texts,
    is_plain,
    json_text,
    read_golds,
    text_of_prompt,
    value_at,
)
from qa_frame.ext.files.records import Kind, Place, ResultFile, numbered
from qa_frame.ext.files.schema import FIXED
from qa_frame.frames.names import ROLES, USUAL_NAMES, name_in
from qa_frame.frames.options import options_of_one

_ARGUMENTS = {"response": "pred", "answers": "gold"}
_USUAL = {name for names in USUAL_NAMES.values() for name in names}


def _records(source: ResultFile) -> Iterator[tuple[Place, Any]]:
    """Yield the records, with usual names in lower case where the file writes them otherwise, as `Response`."""
    records, wrapped = _records_as_named(source), _wrapped_list(source)
    if _has_both(wrapped[0] if wrapped else source.names):
        return records
    return ((place, _in_lower_case(record)) for place, record in records)


def _records_as_named(source: ResultFile) -> Iterator[tuple[Place, Any]]:
    """Yield the records of a table: those of the only list in an object as `{"results": [...]}`, or of its columns."""
    wrapped = _wrapped_list(source)
    if wrapped is None:
        columns = _columns(source)
        wrapped = columns and [dict(zip(source.first, row, strict=True)) for row in zip(*columns, strict=True)]
    return source.records() if wrapped is None else numbered("record", wrapped)


def _columns(source: ResultFile) -> list[Any] | None:
    """Return the columns of a table that is one JSON object, as haystack's reports and `DataFrame.to_json` have them.

    All are lists of one length, or dicts with the same names of rows. One record alone has some other value.
    """
    if source.format not in {"json", "jsonl"} or not isinstance(source.first, dict):
        return None
    columns = [*source.first.values()]
    rows = {len(each) if isinstance(each, list) else tuple(each) if isinstance(each, dict) else 0 for each in columns}
    records = ResultFile(source.content, "skip").records()
    if len(rows) != 1 or rows <= {0, ()} or len([*itertools.islice(records, 2)]) > 1:
        return None
    return [list(each.values()) if isinstance(each, dict) else each for each in columns]


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
    lists = [each for each in source.first.values() if isinstance(each, list) and each and isinstance(each[0], dict)]
    return lists[0] if len(lists) == 1 else None


def _has_both(names: Any) -> bool:
    return name_in(names, "response") is not None and name_in(names, "answers") is not None


def _is_plain(source: ResultFile) -> bool:
    wrapped = _wrapped_list(source)
    names = wrapped[0] if wrapped else source.names
    return _has_both(names) or _has_both(_in_lower_case(dict.fromkeys(names)))


def _usual_value(record: dict[str, Any], column: str) -> Any:
    name = name_in(record, column)
    if name is None:
        raise UsualNameNotFoundError(_ARGUMENTS[column], column, list(record))
    value = record[name]
    texts = [key for key in value if isinstance(value[key], str)] if isinstance(value, dict) else []
    if texts and column == "response":
        raise UnusableRecordError(f"{name!r} holds a dict; name the text in it, as in pred={f'{name}.{texts[0]}'!r}")
    return value


def names_by_column(names: Any, pred: str | None, gold: str | None) -> dict[str, str | None]:
    """Return by column the name of its values: the one that the caller gave, else the usual one that is there."""
    own = {"response": pred, "answers": gold}
    return {column: own.get(column) or name_in(names, column) for column in USUAL_NAMES}


def _other_columns(record: dict[str, Any], *, pred: str | None = None, gold: str | None = None) -> dict[str, Any]:
    """Return the other columns. pred, gold: the names that the caller gave, if any."""
    taken = {name: column for column, name in names_by_column(record, pred, gold).items()}
    others: dict[str, Any] = {}
    for name, value in record.items():
        column = taken.get(name) or kept_name(name)
        if column == "question" and isinstance(value, list):
            others[column] = text_of_prompt(value)
        elif column in ROLES["choices"] and isinstance(value, list | dict):
            others[column] = as_golds(options_of_one(value)[0])
        elif column not in {"response", "answers"}:
            others[column] = value if is_plain(value) else json_text(value)
    return others


def with_own_names(kind: Kind, pred: str | None, gold: str | None) -> Kind:
    """Return the kind for a caller who names values. A plain table then keeps the columns with usual names."""
    if kind in {PLAIN, PLAIN_CSV} and (pred is not None or gold is not None):
        kind = replace(kind, others=partial(_other_columns, pred=pred, gold=gold), records=_records_as_named)
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
    responses=lambda record: as_texts(_usual_value(record, "response")),
    golds=lambda record: as_golds(_usual_value(record, "answers")),
    others=_other_columns,
    records=_records,
    keeps_empty_golds=True,
)


def kind_of_rows(name: str, records: Callable[[ResultFile], Iterator[tuple[Place, Any]]]) -> Kind:
    """Return the kind of this name whose records are rows with usual names already."""
    return replace(PLAIN, name=name, is_this=lambda _: True, records=records)


PLAIN_CSV = replace(
    PLAIN,
    name="csv",
    is_this=lambda source: source.format in {"csv", "tsv"} and _is_plain(source),
    golds=lambda record: read_golds(_usual_value(record, "answers")),
    reads_written_golds=True,
)
