"""Plain tables: JSON lines, JSON, CSV, TSV, Parquet or Arrow whose columns have usual names.

The names are looked for in the order of `USUAL_NAMES`. The first that is there is taken, and other columns are kept.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa

from qa_frame.errors import show
from qa_frame.ext.files.containers import IsRecord, groups_in, records_below
from qa_frame.ext.files.open_files import UnusableRecordError, UsualNameNotFoundError
from qa_frame.ext.files.record_fields import (
    as_golds,
    as_one_response,
    as_texts,
    read_golds,
    text_of_prompt,
    value_at,
)
from qa_frame.ext.files.records import Kind, Place, ResultFile, numbered
from qa_frame.ext.files.schema import FIXED
from qa_frame.frames.diagnosis import WRITTEN_NUMBERS, find_written_golds
from qa_frame.frames.names import ROLES, USUAL_NAMES, name_in
from qa_frame.frames.options import options_of_one

_ARGUMENTS = {"response": "pred", "answers": "gold"}
_LOOKED_AT = 2000
"""So many golds tell whether they are lists."""
_USUAL = {name for names in USUAL_NAMES.values() for name in names}


def _records(source: ResultFile) -> Iterator[tuple[Place, Any]]:
    """Yield the place and the value of each record of a plain table, with usual names in lower case."""
    return _all_lower_case(records_of(source, _is_record))


def _all_lower_case(records: Iterator[tuple[Place, Any]], but: Container[str] = ()) -> Iterator[tuple[Place, Any]]:
    """Yield the records with usual names in lower case. If the first record needs no change, no record is changed.

    It needs none if it has usual names of a prediction and a gold as they are. but: names that stay as they are.
    """
    first = next(records, None)
    records = itertools.chain([] if first is None else [first], records)
    if first is None or has_pred_gold(first[1]) or in_lower_case(first[1], but) == first[1]:
        return records
    return ((place, in_lower_case(record, but)) for place, record in records)


def records_of(source: ResultFile, is_record: IsRecord) -> Iterator[tuple[Place, Any]]:
    """Yield the place and the value of each record of a plain table.

    They are the records inside other JSON, such as `{"results": [...]}`, the rows of a JSON object of columns, or else
    the records of the file itself. is_record: tells whether a value is a record.
    """
    if source.format not in {"json", "jsonl"}:
        return source.records()
    if not is_record(source.first) and any(group.has_records for group in groups_in(source.first, is_record)):
        return records_below(source, is_record)
    rows = rows_of_columns(source)
    if rows is not None:
        return numbered("record", rows)
    return source.records() if is_record(source.first) else records_below(source, is_record)


def rows_of_columns(source: ResultFile) -> list[dict[str, Any]] | None:
    """Return the rows of a table that is one JSON object of columns; None for any other file.

    The columns are lists of one length, or dicts with the same names of rows, as haystack and `DataFrame.to_json` write
    them.
    """
    if source.format not in {"json", "jsonl"} or not isinstance(source.first, dict):
        return None
    columns = [*source.first.values()]
    lengths = {
        len(each) if isinstance(each, list) else tuple(each) if isinstance(each, dict) else 0 for each in columns
    }
    if len(lengths) != 1 or lengths <= {0, ()} or not source.has_one_record:
        return None
    lists = [[*each.values()] if isinstance(each, dict) else each for each in columns]
    return [dict(zip(source.first, row, strict=True)) for row in zip(*lists, strict=True)]


def in_lower_case(record: Any, but: Container[str] = ()) -> Any:
    """Return a record with its usual names in lower case, unless it already has that name; another value as it is.

    but: names that stay as they are.
    """
    if not isinstance(record, dict):
        return record
    lower = {name: name if name in but else str(name).strip().lower() for name in record}
    taken = {*record}
    renamed = {}
    for name, value in record.items():
        is_new = lower[name] in _USUAL and lower[name] not in taken
        taken.add(lower[name])
        renamed[lower[name] if is_new else name] = value
    return renamed


def has_pred_gold(names: Any) -> bool:
    """Return whether usual names of a prediction and of a gold are among these."""
    return name_in(names, "response") is not None and name_in(names, "answers") is not None


def _is_record(value: Any) -> bool:
    """Return whether a value is an object with usual names of a prediction and a gold, in whatever case."""
    return isinstance(value, dict) and (has_pred_gold(value) or has_pred_gold(in_lower_case(dict.fromkeys(value))))


def _is_plain(source: ResultFile) -> bool:
    """Return whether the first record of a file, or one inside it, has usual names of a prediction and a gold."""
    return _is_record(source.first) or any(group.has_records for group in groups_in(source.first, _is_record))


def _value_of_column(record: dict[str, Any], column: str, place: str | None = None, taken: str | None = None) -> Any:
    """Return the value of the column "response" or "answers" in a record.

    place: the path of the value; None takes the first usual name of the column, except `taken`, a name of another
    column. Raise NameNotFoundError if there is no such value, and UnusableRecordError if a response is a dict with
    texts.
    """
    if place is not None:
        return value_at(record, place, f"{_ARGUMENTS[column]}={show(place)}")
    name = name_in([name for name in record if name != taken], column)
    if name is None:
        raise UsualNameNotFoundError(_ARGUMENTS[column], column, list(record))
    value = record[name]
    texts = [key for key in value if isinstance(value[key], str)] if isinstance(value, dict) else []
    if texts and column == "response":
        raise UnusableRecordError(f"{name!r} holds a dict; name the text in it, as in pred={f'{name}.{texts[0]}'!r}")
    return value


def names_by_column(names: Any, pred: str | None, gold: str | None) -> dict[str, str]:
    """Return by column the name of its values: the one that the caller gave, else the usual one, if it is there."""
    own = {"response": pred, "answers": gold}
    named = {column: own.get(column) or name_in(names, column) for column in USUAL_NAMES}
    return {column: name for column, name in named.items() if name is not None}


def _other_columns(record: dict[str, Any], *, pred: str | None = None, gold: str | None = None) -> dict[str, Any]:
    """Return the values of a record without its prediction and golds, by column.

    Usual names become those of `FIXED`. A list of messages becomes text, and options become a list. pred, gold: the
    names that the caller gave.
    """
    taken = {name: column for column, name in names_by_column(record, pred, gold).items()}
    others: dict[str, Any] = {}
    for name, value in record.items():
        column = taken.get(name) or kept_name(name)
        if column == "question" and isinstance(value, list):
            others[column] = text_of_prompt(value)
        elif column in ROLES["choices"] and isinstance(value, list | dict):
            others[column] = as_golds(options_of_one(value)[0])
        elif column not in {"response", "answers"}:
            others[column] = value
    return others


def has_written_golds(source: ResultFile, gold: str | None = None, pred: str | None = None) -> bool:
    """Return whether at least a tenth of the golds of a CSV or TSV file are lists that were written out as text.

    The others may be texts. The first `_LOOKED_AT` rows are judged. False for another format. gold, pred: the names
    that the caller gave.
    """
    if source.format not in {"csv", "tsv"}:
        return False
    records = [record for _, record in itertools.islice(ResultFile(source.content, "skip").records(), _LOOKED_AT)]
    records = records if gold else [*map(in_lower_case, records)]
    name = gold or name_in([each for each in (records or [{}])[0] if each != pred], "answers")
    texts = [record[name] for record in records if record.get(name)]
    n_lists = len(find_written_golds(pa.array(texts, pa.string())))
    n_lists += sum(re.match(WRITTEN_NUMBERS, text) is not None for text in texts) if n_lists else 0
    return n_lists > 0 and 10 * n_lists >= len(texts)


def with_own_names(kind: Kind, source: ResultFile, pred: str | None, gold: str | None, lists: str) -> Kind:
    """Return the kind, changed to read the prediction from the place `pred` and the golds from `gold`, if given.

    In a plain table, columns with usual names of the two are then kept beside them. lists: whether a list as prediction
    of a table holds the spans of one answer, or samples. In logs it holds samples.
    """
    is_table = kind.responses is PLAIN.responses
    read_responses = as_texts if lists == "samples" or not is_table else as_one_response
    if kind in {PLAIN, PLAIN_CSV} and (pred is not None or gold is not None):
        is_record = partial(_has_places, places=[place for place in (pred, gold) if place is not None])
        others = partial(_other_columns, pred=pred, gold=gold)
        kept = {name for place in (pred, gold) if place for name in (place, place.partition(".")[0])}
        kind = replace(kind, others=others, records=lambda source: _all_lower_case(records_of(source, is_record), kept))
    if is_table or pred is not None:
        kind = replace(kind, responses=lambda record: read_responses(_value_of_column(record, "response", pred)))
    are_written = kind.reads_written_golds or (kind.name == PLAIN_CSV.name and has_written_golds(source, gold, pred))
    read = read_golds if are_written else as_golds
    if is_table or gold is not None:
        kind = replace(kind, golds=lambda record: read(_value_of_column(record, "answers", gold, taken=pred)))
    return kind


def with_row_for_each(kind: Kind, preds: Sequence[str], lists: str) -> Kind:
    """Return the kind with a row for each of several predictions of a record; the column `key` has its place.

    preds: the places of the predictions. lists: as in `read_results`. A `key` that the record has itself becomes
    `key_above`.
    """

    def records(source: ResultFile) -> Iterator[tuple[Place, Any]]:
        for place, record in kind.records(source):
            above = {"key_above": record["key"]} if "key" in record else {}
            yield from ((place, {**record, **above, "key": name}) for name in preds)

    read = as_texts if lists == "samples" else as_one_response
    return replace(kind, records=records, responses=lambda record: read(value_at(record, record["key"], "pred")))


def _has_places(record: Any, places: list[str]) -> bool:
    """Return whether a record is an object with a value at each of these places."""
    try:
        for place in places:
            value_at(record, place, "")
    except UnusableRecordError:
        return False
    return isinstance(record, dict)


def kept_name(name: str) -> str:
    """Return the name that a frame has for a column of a file besides the usual ones.

    It is the column's own, or ends in `_in_file` if `FIXED` has the name.
    """
    return f"{name}_in_file" if name in FIXED else name


PLAIN = Kind(
    name="plain",
    is_this=lambda source: source.format not in {"csv", "tsv", "zip"} and _is_plain(source),
    responses=lambda record: as_one_response(_value_of_column(record, "response")),
    golds=lambda record: as_golds(_value_of_column(record, "answers")),
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
)
