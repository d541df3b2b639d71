"""Plain tables of Parquet and Arrow: their columns are renamed and converted as a whole, without records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame.errors import ColumnTypeError, GoldFormatError, ResultFileError
from qa_frame.ext.files.batches import ALWAYS, SPANS
from qa_frame.ext.files.harnesses.plain import kept_name, names_by_column
from qa_frame.ext.files.records import ResultFile
from qa_frame.ext.files.schema import FIXED
from qa_frame.frames.arrow_types import decode, is_list, is_text
from qa_frame.frames.conversions import to_golds, to_text
from qa_frame.frames.names import USUAL_NAMES

_TEXTS = USUAL_NAMES.keys() - {"answers"}


def can_be_columnar(source: ResultFile, pred: str | None, gold: str | None) -> bool:
    """Return whether this is a Parquet or Arrow file with plain text columns, and no path into a column is named."""
    if source.format not in {"parquet", "arrow"}:
        return False
    taken = _names_by_column(source, pred, gold)
    is_nested = any(isinstance(source.first.get(taken[column]), list | dict) for column in _TEXTS & taken.keys())
    return {*ALWAYS} <= taken.keys() and {*taken.values()} <= source.names and not is_nested


def columnar_batches(source: ResultFile, pred: str | None, gold: str | None) -> Iterator[pa.RecordBatch]:
    """Yield the batches of the file, with the columns of `FIXED` first and the others as they are."""
    taken = _names_by_column(source, pred, gold)
    for batch in source.batches():
        columns = {column: _convert_column(source, column, batch.column(name)) for column, name in taken.items()}
        others = {kept_name(name): batch.column(name) for name in batch.schema.names if name not in taken.values()}
        fixed = {column: columns.get(column, pa.nulls(len(batch))) for column in FIXED}
        yield pa.RecordBatch.from_pydict({**fixed, **others})


def _names_by_column(source: ResultFile, pred: str | None, gold: str | None) -> dict[str, str]:
    """Return the name in the file of each column that `read_results` makes of one there."""
    found = names_by_column(source.names, pred, gold)
    return {column: name for column, name in found.items() if name is not None}


def _convert_column(source: ResultFile, column: str, values: pa.Array) -> pa.Array:
    try:
        return _golds_of(values) if column == "answers" else _texts_of(values)
    except (ColumnTypeError, GoldFormatError, pa.ArrowInvalid) as error:
        said = f"{source.path}: the column for {column!r}: {error}"
        raise ResultFileError(f"{said}; or read the file with pandas and convert it there") from error


def _texts_of(values: Any) -> pa.Array:
    values = decode(values)
    is_plain = is_text(values.type) or values.type == pa.null()
    return values.cast(pa.string()) if is_plain else to_text(values)


def _golds_of(values: Any) -> pa.Array:
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
