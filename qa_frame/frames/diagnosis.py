"""Why a column cannot be read as text or as lists of text: the errors, each with its remedy.

`described` is the column as errors name it, such as `pred='response'`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from qa_frame._typing import Ints
from qa_frame.errors import ColumnTypeError, GoldFormatError, InvalidTextError, QaFrameError
from qa_frame.frames.arrow_types import is_list, is_text
from qa_frame.frames.names import name_rows

_WRITTEN_LIST = r"(?s)^\s*\[\s*(?:(?:'.*'|\".*\")\s*,?\s*)?\]\s*$"


def rows_not_utf8(array: pa.ChunkedArray) -> Ints:
    """The rows that hold text that is not UTF-8."""
    return np.array([row for row, value in enumerate(array) if not _is_utf8(value)], np.int64)


def _is_utf8(value: pa.Scalar) -> bool:
    if not value.is_valid:
        return True
    if isinstance(value, pa.DictionaryScalar):
        value = value.value
    if not isinstance(value, pa.BinaryScalar):
        return all(map(_is_utf8, value.values))
    try:
        value.as_buffer().to_pybytes().decode()
    except UnicodeDecodeError:
        return False
    return True


def wrong_type(kind: pa.DataType, described: str, *, wanted: str) -> ColumnTypeError:
    """The error for a column of an Arrow type that is not the wanted one. The remedy depends on the type."""
    if pa.types.is_struct(kind) and kind.get_field_index("text") >= 0:
        remedy = "take the answers out first, as in df[column].map(lambda answer: answer['text'])"
    elif pa.types.is_struct(kind) or pa.types.is_map(kind):
        remedy = "take the text out of each dict first, as in df[column].map(lambda value: value['key'])"
    elif is_list(kind):
        remedy = _remedy_for_lists(kind.value_type)
    else:
        remedy = "turn them into strings first, as in df[column].astype('string')"
    return ColumnTypeError(f"{described} holds {kind}, where {wanted} needed; {remedy}")


def _remedy_for_lists(kind: pa.DataType) -> str:
    if is_text(kind):
        return "take one text from each list first, as in df[column].str[0]"
    if pa.types.is_struct(kind) and kind.get_field_index("text") >= 0:
        return "take the answers out first, as in df[column].map(lambda golds: [gold['text'] for gold in golds])"
    if is_list(kind) or pa.types.is_struct(kind):
        return "make each a flat list of the texts in it first"
    return "turn the items into strings first, as in df[column].map(lambda items: [str(i) for i in items])"


def diagnose_objects(values: NDArray[Any], described: str, labels: pd.Index | None) -> QaFrameError:
    """The error for a column of Python objects that Arrow cannot read: what is wrong with the first bad row."""
    rows_are_lists = []
    for row, value in enumerate(values):
        place = name_rows(np.array([row]), labels)
        row_is_list = isinstance(value, list | tuple | set) or (isinstance(value, np.ndarray) and value.ndim == 1)
        for item in value if row_is_list else [value]:
            if not isinstance(item, str | bytes) and not _is_null(item):
                return ColumnTypeError(
                    f"{described} holds {type(item).__name__} {item!r:.40} at {place}, where text or lists of text are "
                    "needed; turn it into strings first"
                )
            if isinstance(item, str) and not _is_unicode(item):
                return InvalidTextError(
                    f"{described} holds a lone surrogate, which is not valid text, at {place}; clean it first, as in "
                    "df[column].map(lambda text: text.encode('utf-8', 'replace').decode())"
                )
        if row_is_list or not _is_null(value):
            rows_are_lists.append(row_is_list)
        if any(rows_are_lists) and not all(rows_are_lists):
            remedy = (
                "take one text from each list first"
                if described.startswith("pred")
                else "make all lists, as in df[column].map(lambda gold: [gold] if isinstance(gold, str) else gold)"
            )
            return ColumnTypeError(f"{described} mixes lists and single texts, first at {place}; {remedy}")
    return ColumnTypeError(f"{described} holds objects that Arrow cannot read as text; turn them into strings first")


def _is_null(value: Any) -> bool:
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def refuse_written_lists(texts: pa.ChunkedArray, described: str) -> None:
    """Raise GoldFormatError if most of the texts are lists written out as text, such as `"['a', 'b']"`."""
    valid = texts.drop_null()
    if not len(valid) or not pc.any(pc.starts_with(pc.utf8_ltrim_whitespace(valid.slice(0, 1000)), "[")).as_py():
        return
    looks_written = pc.match_substring_regex(valid, _WRITTEN_LIST, options=None)
    if pc.sum(looks_written).as_py() * 2 > len(valid):
        example = valid.filter(looks_written)[0].as_py()
        raise GoldFormatError(
            f"{described} holds lists written out as text, such as {example!r:.60}, as they come back from CSV; parse "
            "them first, as in df[column].map(ast.literal_eval) or .map(json.loads), or keep results in Parquet"
        )
