"""Rows as dicts, or plain tables → Arrow record batches, and one schema for batches whose columns differ."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame.errors import ColumnTypeError, GoldFormatError, ResultFileError
from qa_frame.ext.files.harnesses.plain import kept_name, names_by_column
from qa_frame.ext.files.record_fields import as_text, is_plain, json_text
from qa_frame.ext.files.records import ResultFile
from qa_frame.ext.files.schema import FIXED
from qa_frame.frames.arrow_types import decode, is_list, is_text
from qa_frame.frames.conversions import to_golds, to_text
from qa_frame.frames.names import USUAL_NAMES

ALWAYS = ("response", "answers")
"""The columns that each frame has, even where all their values are null."""


LISTS: pa.DataType = FIXED["answers"]
"""The type of golds, and of predictions that are lists of spans."""

SPANS: pa.DataType = pa.list_(FIXED["answers"])
"""The type of golds that are lists of spans."""

_LONGEST_TYPE = 10_000
"""The most characters of the type of a column of dicts. Where ids are names, it has a field for each of all ids."""

_MOST_EXACT = 1 << 53
"""Up to this number, each integer is a float."""

_NUMBERS = (
    (r"^(True|False)$", pa.bool_()),
    (r"^-?(0|[1-9]\d*)$", pa.int64()),
    (r"^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$", pa.float64()),
)
"""How truth values and numbers are written. A zero in front, as in 007, makes a text."""


def batch_of(rows: Sequence[dict[str, Any]], about: dict[str, Any]) -> pa.RecordBatch:
    """Return rows, which are dicts by column, as one Arrow batch with the columns of `FIXED` first.

    A column that holds only nulls, or that no row has, has the type null, except `response` and `answers`. about:
    values that all rows share, by column; a column that any row has takes precedence. Raise UnicodeEncodeError if a
    text holds a lone surrogate.
    """
    in_rows = dict.fromkeys(name for row in rows for name in row)
    values: dict[str, list[Any]] = dict.fromkeys(FIXED, [None] * len(rows))
    values |= {name: [row.get(name) for row in rows] for name in in_rows}
    values |= {name: [value] * len(rows) for name, value in about.items() if name not in in_rows}
    return pa.RecordBatch.from_pydict({name: _column_of(name, column) for name, column in values.items()})


def _column_of(name: str, values: list[Any]) -> pa.Array:
    """Return the values of the column `name` as an Arrow array.

    A column of `FIXED` has its own type, except that spans make lists. In other columns numbers stay numbers, and mixed
    types become text. A column that holds only nulls has the type null, unless `ALWAYS` names it.
    """
    kinds = set(map(type, values)) - {type(None)}
    if not kinds and name not in ALWAYS:
        return pa.nulls(len(values))
    if name in FIXED:
        return _as_fixed(name, kinds, values)
    if kinds <= {list, dict}:
        return _as_nested(values)
    if kinds <= {int, float}:
        try:
            return pa.array(values, pa.float64() if float in kinds else pa.int64())
        except (OverflowError, pa.ArrowInvalid):  # an integer is too large for the type
            kinds = {int, str}
    return pa.array(values if len(kinds) == 1 else list(map(_to_text, values)))


def _as_fixed(name: str, kinds: set[type], values: list[Any]) -> pa.Array:
    """Return the values of the column `name`, one of `FIXED`, as an Arrow array of the type that `FIXED` gives.

    Where some values are spans, a `response` is a list of spans, and `answers` are lists of such lists. kinds: the
    Python types of the values, without that of null. Values other than text become text, or JSON for lists and dicts;
    golds stay as they are.
    """
    if name == "response" and list in kinds:
        return _as_lists(values)
    if name != "answers" and kinds - {str}:
        values = [as_text(value) if is_plain(value) else json_text(value) for value in values]
    try:
        return pa.array(values, FIXED[name])
    except pa.ArrowTypeError:  # some golds are lists
        return _as_spans(values)


def _as_nested(values: list[Any]) -> pa.Array:
    """Return lists and dicts as an Arrow array.

    They become JSON text where they have no common type, where Parquet cannot hold the type, or where the type has very
    many fields.
    """
    with contextlib.suppress(pa.ArrowException, OverflowError):
        kind = pa.infer_type(values)
        if _is_short(kind) and "struct<>" not in str(kind):
            return pa.array(values, kind)
    return pa.array(map(json_text, values), pa.string())


def _is_short(kind: pa.DataType) -> bool:
    """Return whether the name of an Arrow type is at most `_LONGEST_TYPE` characters long."""
    return len(str(kind)) <= _LONGEST_TYPE


def _to_text(value: Any) -> str | None:
    """Return a text as it is, null as None, and any other value as JSON.

    A float that is a whole number, up to 2**53 in size, is written as an integer.
    """
    is_whole = type(value) is float and value.is_integer() and abs(value) <= _MOST_EXACT
    return json_text(int(value) if is_whole else value)


def _as_lists(values: list[Any]) -> pa.Array:
    """Return the predictions as lists of spans. A text becomes a list of one; null stays null."""
    return pa.array([value if value is None or isinstance(value, list) else [value] for value in values], LISTS)


def _as_spans(values: list[Any]) -> pa.Array:
    """Return the golds of each row as an array of the type `SPANS`.

    A gold that is a text becomes a list of one. A row whose golds are null stays null.
    """
    lists = [golds and [each if isinstance(each, list) else [each] for each in golds] for golds in values]
    return pa.array(lists, SPANS)


def with_numbers(table: pa.Table) -> pa.Table:
    """Return the table of a CSV file, in which columns of numbers or truth values written as text have their own type.

    The columns of `FIXED` stay text.
    """
    named = zip(table.column_names, table.columns, strict=True)
    return pa.table({name: each if name in FIXED else _as_numbers(each) for name, each in named})


def _as_numbers(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return texts as truth values, integers or floats, and empty text as null.

    The texts are returned unchanged if they are not all of one of these kinds, if a number does not fit its type, or if
    all are null or empty. A column of another type than text is returned unchanged, too.
    """
    if texts.type != pa.string():
        return texts
    written = pc.if_else(pc.equal(texts, ""), None, texts)
    for pattern, kind in _NUMBERS:
        if written.null_count < len(written) and pc.all(pc.match_substring_regex(written, pattern)).as_py():
            try:
                numbers = written.cast(kind)
            except pa.ArrowInvalid:  # it does not fit
                return texts
            return texts if kind == pa.float64() and pc.any(pc.is_inf(numbers)).as_py() else numbers
    return texts


def join_batches(batches: Sequence[pa.RecordBatch]) -> pa.Table:
    """Return the rows of all batches as one table, with the columns of `FIXED` first.

    A column that a batch lacks is null in its rows. A column that holds only nulls is left out, except `response` and
    `answers`.
    """
    names = dict.fromkeys([*FIXED, *(name for batch in batches for name in batch.schema.names)])
    parts = {
        name: [batch[name] if name in batch.schema.names else pa.nulls(len(batch)) for batch in batches]
        for name in names
    }
    columns = {name: _join_column(name, of_name) for name, of_name in parts.items()}
    return pa.table({name: column for name, column in columns.items() if column.type != pa.null()})


def _join_column(name: str, parts: list[pa.Array]) -> pa.ChunkedArray:
    """Return the arrays of one column, one per batch, as a chunked array of one type.

    Types with a common type in Arrow get this type: integers and floats become floats if floats hold all integers
    exactly, and dicts get the fields of all. Texts and lists of spans become lists of spans in the golds and in the
    responses. All else becomes text.
    """
    kinds = list(dict.fromkeys(part.type for part in parts if part.type != pa.null()))
    if not kinds:
        kinds = [FIXED[name] if name in ALWAYS else pa.null()]
    with contextlib.suppress(pa.ArrowException):  # as for numbers and text, or an integer that no float is
        schemas = [pa.schema([(name, kind)]) for kind in kinds]
        kind = pa.unify_schemas(schemas, promote_options="permissive").field(name).type
        if _is_short(kind):
            return pa.chunked_array([_as_type(part, kind) for part in parts], kind)
    values = [value for part in parts for value in part.to_pylist()]
    if {*kinds} == {LISTS, SPANS}:
        return pa.chunked_array([_as_spans(values)])
    return pa.chunked_array([_as_lists(values) if name == "response" else pa.array(map(_to_text, values), pa.string())])


def _as_type(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return a column with the type `kind`, through Python objects if the type is nested."""
    is_cast = column.type == kind or not pa.types.is_nested(kind)
    return column.cast(kind) if is_cast else pa.array(column.to_pylist(), kind)


# --- plain tables of Parquet and Arrow, whose columns are converted as a whole, without records


_TEXTS = USUAL_NAMES.keys() - {"answers"}


def can_convert_whole_columns(source: ResultFile, pred: str | None, gold: str | None) -> bool:
    """Return whether a Parquet or Arrow file can be converted column by column, without records.

    The file must have one column of predictions and one of golds. Of the columns with a usual name, only the golds may
    be nested. pred, gold: the names that the caller gave.
    """
    if source.format not in {"parquet", "arrow"}:
        return False
    taken = names_by_column(source.names, pred, gold)
    if not ({*ALWAYS} <= taken.keys() and {*taken.values()} <= source.names):
        return False
    types = next(source.batches()).schema
    return not any(pa.types.is_nested(types.field(taken[column]).type) for column in _TEXTS & taken.keys())


def columnar_batches(source: ResultFile, pred: str | None, gold: str | None) -> Iterator[pa.RecordBatch]:
    """Yield the batches of a Parquet or Arrow file, with the columns of `FIXED` first and its other columns behind.

    The columns of `FIXED` are converted, and null where the file has none. The other columns keep values and type; one
    with a name of `FIXED` is renamed by `kept_name`. pred, gold: the names that the caller gave. Raise ResultFileError
    for a column that cannot be converted.
    """
    taken = names_by_column(source.names, pred, gold)
    for batch in source.batches():
        columns = {column: _convert_column(source, column, batch.column(name)) for column, name in taken.items()}
        others = {kept_name(name): batch.column(name) for name in batch.schema.names if name not in taken.values()}
        fixed = {column: columns.get(column, pa.nulls(len(batch))) for column in FIXED}
        yield pa.RecordBatch.from_pydict({**fixed, **others})


def _convert_column(source: ResultFile, column: str, values: pa.Array) -> pa.Array:
    """Return a file's values for the fixed column `column`, as golds for "answers" and else as text.

    Raise ResultFileError if they cannot be converted.
    """
    try:
        return _golds_of(values) if column == "answers" else _texts_of(values)
    except (ColumnTypeError, GoldFormatError, pa.ArrowInvalid) as error:
        finding = f"{source.path}: the column for {column!r}: {error}"
        raise ResultFileError.of("", finding, "or read the file with pandas and convert it there") from error


def _texts_of(values: Any) -> pa.Array:
    """Return an Arrow array as strings: text and null as they are, other values as `to_text` writes them.

    Raise ColumnTypeError or GoldFormatError for values that it does not take, and ArrowInvalid for bytes that are not
    UTF-8.
    """
    values = decode(values)
    is_plain = is_text(values.type) or values.type == pa.null()
    return values.cast(pa.string()) if is_plain else to_text(values)


def _golds_of(values: Any) -> pa.Array:
    """Return an Arrow array as lists of golds, each a text or a list of spans.

    A text is one gold; null stays null.
    """
    values = decode(values)
    if values.type == pa.null() or (is_list(values.type) and is_text(values.type.value_type)):
        return values.cast(FIXED["answers"])
    if is_list(values.type) and is_list(values.type.value_type):
        return values.cast(SPANS)
    if not is_text(values.type):
        return to_golds(values)
    texts = _texts_of(values)
    offsets = pa.array(np.arange(len(texts) + 1, dtype=np.int32))
    return pa.ListArray.from_arrays(offsets, texts, mask=pc.is_null(texts))
