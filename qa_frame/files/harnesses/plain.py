"""Plain tables: JSON lines, JSON, CSV, TSV, Parquet or Arrow whose columns have usual names.

The names are looked for in the order of `USUAL_NAMES`. The first that is there is taken, and other columns are kept.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from qa_frame.errors import show
from qa_frame.files.harnesses.description import Kind
from qa_frame.files.open_files import NameNotFoundError, UnusableRecordError
from qa_frame.files.record_fields import as_golds, as_texts, is_plain, json_text, read_golds, text_of_prompt, value_at
from qa_frame.files.records import Place, ResultFile
from qa_frame.files.schema import FIXED
from qa_frame.frames.names import ROLES, USUAL_NAMES, name_in
from qa_frame.frames.options import options_of_one

_ARGUMENTS = {"response": "pred", "answers": "gold"}


@functools.lru_cache(maxsize=256)
def _usual_columns(names: tuple[str, ...]) -> dict[str, str]:
    """Return, by column, the first of these names that is usual for it.

    Where no prediction or no gold is found so, names may be in capital letters, as `Response`.
    """
    found = {column: name_in(names, column) for column in USUAL_NAMES}
    if found["response"] is None or found["answers"] is None:
        lower = {str(name).strip().lower(): name for name in reversed(names)}
        found |= {column: lower.get(name_in(lower, column) or "") for column in found if found[column] is None}
    return {column: name for column, name in found.items() if name is not None}


def names_by_column(names: Iterable[str], pred: str | None, gold: str | None) -> dict[str, str]:
    """Return, by column, the name that the caller gave, else the one that is usual for it."""
    named = {column: name for column, name in (("response", pred), ("answers", gold)) if name}
    return _usual_columns(tuple(names)) | named


def _has_both(names: Iterable[str]) -> bool:
    return {"response", "answers"} <= _usual_columns(tuple(names)).keys()


def _records(source: ResultFile) -> Iterator[tuple[Place, Any]]:
    rows = _rows_in_object(source)
    return source.records() if rows is None else enumerate(rows, 1)


def _rows_in_object(source: ResultFile) -> list[Any] | None:
    """Return the rows of a table that is one JSON object: the only list in `{"results": [...]}`, or its columns.

    Columns are lists of one length, or dicts with the same names of rows, as haystack's reports and
    `DataFrame.to_json` have them. One record alone has some other value.
    """
    document = source.document if source.format == "json" else None
    if not isinstance(document, dict):
        return None
    values = [*document.values()]
    if not _has_both(document):
        lists = [each for each in values if isinstance(each, list) and each and isinstance(each[0], dict)]
        return lists[0] if len(lists) == 1 else None
    rows = {len(each) if isinstance(each, list) else tuple(each) if isinstance(each, dict) else 0 for each in values}
    if len(rows) != 1 or rows <= {0, ()}:
        return None
    columns = [[*each.values()] if isinstance(each, dict) else each for each in values]
    return [dict(zip(document, row, strict=True)) for row in zip(*columns, strict=True)]


def _is_plain(source: ResultFile) -> bool:
    rows = _rows_in_object(source)
    return _has_both(rows[0] if rows else source.names)


def _usual_value(record: dict[str, Any], column: str) -> Any:
    name = _usual_columns(tuple(record)).get(column)
    if name is None:
        raise NameNotFoundError(
            f"has no {column!r}, nor another usual name of it",
            f"no record has {column!r} or another usual name of it; name it with {_ARGUMENTS[column]}=..., where the "
            f"first has {list(record)!s:.200}",
        )
    value = record[name]
    texts = [key for key in value if isinstance(value[key], str)] if isinstance(value, dict) else []
    if texts and column == "response":
        raise UnusableRecordError(f"{name!r} holds a dict; name the text in it, as in pred={f'{name}.{texts[0]}'!r}")
    return value


def _other_columns(record: dict[str, Any], *, pred: str | None = None, gold: str | None = None) -> dict[str, Any]:
    """Return the other columns. pred, gold: the names that the caller gave, if any."""
    taken = {name: column for column, name in names_by_column(record, pred, gold).items()}
    found: dict[str, Any] = {}
    for name, value in record.items():
        column = taken.get(name) or kept_name(name)
        if column == "question" and isinstance(value, list):
            found[column] = text_of_prompt(value)
        elif column in ROLES["choices"] and isinstance(value, list | dict):
            found[column] = as_golds(options_of_one(value)[0])
        elif column not in {"response", "answers"}:
            found[column] = value if is_plain(value) else json_text(value)
    return found


def with_own_names(kind: Kind, pred: str | None, gold: str | None) -> Kind:
    """Return the kind for a caller who names values. A plain table then keeps the columns with usual names."""
    if kind in {PLAIN, PLAIN_CSV} and (pred is not None or gold is not None):
        kind = replace(kind, columns=partial(_other_columns, pred=pred, gold=gold))
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
    marks=lambda source: source.format not in {"csv", "tsv", "zip"} and _is_plain(source),
    responses=lambda record: as_texts(_usual_value(record, "response")),
    golds=lambda record: as_golds(_usual_value(record, "answers")),
    columns=_other_columns,
    records=_records,
    keeps_empty_golds=True,
)


def kind_of_rows(name: str, records: Callable[[ResultFile], Iterator[tuple[Place, Any]]]) -> Kind:
    """Return the kind of this name whose records are rows with usual names already."""
    return replace(PLAIN, name=name, marks=set(), records=records)


PLAIN_CSV = replace(
    PLAIN,
    name="csv",
    marks=lambda source: source.format in {"csv", "tsv"} and _is_plain(source),
    golds=lambda record: read_golds(_usual_value(record, "answers")),
    reads_written_golds=True,
)
