"""Columns as people have them → columns of text, or of lists of text, that `score` takes; and floats of numbers."""

from __future__ import annotations

import contextlib
import datetime as dt
import math
import numbers
import re
import sys
from collections import deque
from collections.abc import Callable, Hashable, KeysView, Mapping, ValuesView
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api.extensions import ExtensionArray

from qa_frame._typing import Column, Floats
from qa_frame.checks import is_unicode
from qa_frame.errors import ColumnTypeError, GoldFormatError, InvalidTextError, UnknownOptionError, show
from qa_frame.frames.arrow_types import as_chunked, decode_chunks, is_any, to_objects
from qa_frame.frames.diagnosis import WITHOUT_SURROGATES, WRITTEN_ANSWERS, code_adding, is_null
from qa_frame.frames.names import name_rows, require_column
from qa_frame.frames.stringified_lists import ShortenedError, read_written
from qa_frame.frames.text_columns import read_texts

_SEQUENCES = (pd.Series, pd.Index, ExtensionArray, KeysView, ValuesView, deque)
"""Types of values in a column that are lists of another kind."""
_WRITTEN_ANSWERS = re.compile(rf"(?s:\s*{WRITTEN_ANSWERS}\s*)")


class NotConvertibleError(Exception):
    """A value cannot be converted; the message says why."""


class NotUnicodeError(NotConvertibleError):
    """A text cannot be written as UTF-8."""


def to_text(column: Column) -> Column:
    """Make a column of text from values of other types: predictions for `score`.

    Whole numbers that stand as floats become whole again, so that the year 1999.0 is "1999". Other numbers are written
    as Python writes them. A list of one item is that item.

    Parameters
    ----------
    column
        Column of predictions: a pandas or polars Series, or a `pyarrow.Array` or `ChunkedArray`, of text, bytes in
        UTF-8, numbers, truth values, dates, or lists of one of them.

    Returns
    -------
    column
        The same kind of column, of text; null stays null. A pandas Series keeps its index and name, and its text is
        `pd.ArrowDtype(pa.string())`, which pandas writes to Parquet and reads again.

    Raises
    ------
    InvalidTextError
        If text holds a lone surrogate, or bytes are not UTF-8.
    ColumnTypeError
        If a value is something else, such as a list of several items. Messages name the first row.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> qa_frame.to_text(pd.Series([1999.0, 0.5, None])).tolist()
    ['1999', '0.5', <NA>]
    """
    texts: Column = _convert_each(column, _text_of_one, pa.string(), "to_text")
    return texts


def to_golds(column: Column, sep: str | None = None) -> Column:
    """Make a column of lists of text from values of other types: golds for `score`.

    Text may be a list that JSON, Python or numpy wrote out, as in a CSV file. Lists may hold numbers beside text, and a
    pandas Series and `dict.keys()` are lists, too. Hugging Face's `{"text": [...], "answer_start": [...]}`, as a
    dict or written out, gives its texts. Any other text is one gold.

    Parameters
    ----------
    column
        Column of golds: a pandas or polars Series, or a `pyarrow.Array` or `ChunkedArray`.
    sep
        Separator of several golds in one text, such as `"|"` in `"Paris | City of Light"`. It also cuts texts inside
        lists, but not lists that were written out. None cuts nothing.

    Returns
    -------
    column
        The same kind of column, of lists of text; null stays null. A pandas Series keeps its index and name, and holds
        Python lists and None as objects: pandas can count, sort and write these to Parquet, and cannot do so with
        Arrow's lists.

    Raises
    ------
    InvalidTextError
        If text holds a lone surrogate, or bytes are not UTF-8.
    GoldFormatError
        If a list was shortened when it was written (`['a' 'b' ... 'z']`), or holds lists, or if a dict with `text` was
        written out so that it cannot be read.
    ColumnTypeError
        If a value is something else, such as a set, whose order is not defined. Messages name the first row.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> golds = pd.Series(['["Seine", "the Seine"]', "['Seine' 'the Seine']", "Rouen|Paris", "[1999, 2001]", None])
    >>> qa_frame.to_golds(golds, sep="|").tolist()
    [['Seine', 'the Seine'], ['Seine', 'the Seine'], ['Rouen', 'Paris'], ['1999', '2001'], None]
    """
    if sep is not None and (not isinstance(sep, str) or not sep):
        raise UnknownOptionError.of("sep", "is not text", "give what stands between two golds, or None", value=sep)
    golds: Column = _convert_each(column, lambda value: golds_of_one(value, sep), pa.list_(pa.string()), "to_golds")
    return golds


# ------------------------------------------------------------------------------------------------------------- columns


def _convert_each(column: Any, convert: Callable[[Any], Any], kind: pa.DataType, function: str) -> Any:
    """Return the column, as the same kind of column, with each value converted. Equal texts are converted once.

    convert: it gets a value that is not null. kind: the Arrow type of the result; lists become objects in pandas.
    function: the public function, for errors. An error that `convert` raises is raised as one of the package that names
    the row.
    """
    index = column.index if isinstance(column, pd.Series) else None
    known: dict[str, Any] = {}
    converted = []
    for row, value in enumerate(_list_values(column, function)):
        is_text = isinstance(value, str)
        try:
            result = known[value] if is_text and value in known else None if is_null(value) else convert(value)
        except (NotConvertibleError, RecursionError) as error:
            place = name_rows(np.array([row]), index)
            why = "is nested too deep; make it a flat list" if isinstance(error, RecursionError) else error
            raise _error_for(value, error, function)(f"{function}: {show(value)} at {place} {why}") from error
        if is_text:
            known[value] = result
        converted.append(result)
    if isinstance(column, pd.Series) and pa.types.is_nested(kind):
        own = [each if each is None else list(each) for each in converted]  # equal texts share no list
        return pd.Series(own, index=column.index, name=column.name, dtype=object)
    return as_kind_of(column, pa.array(converted, kind))


def _error_for(
    value: Any, error: Exception, function: str
) -> type[ColumnTypeError | GoldFormatError | InvalidTextError]:
    """Return the class of the error for a value that the public function cannot convert."""
    if isinstance(error, NotUnicodeError):
        return InvalidTextError
    are_golds = function == "to_golds" and isinstance(value, str | list | tuple | np.ndarray)
    return GoldFormatError if are_golds else ColumnTypeError


def _list_values(column: Any, function: str) -> list[Any]:
    """Return the values of a column as Python objects; ColumnTypeError or InvalidTextError if Python cannot have them.

    function: the public function that reads the column, for errors.
    """
    _is_polars_column(column, function)
    try:
        return list(column.to_pylist() if isinstance(column, pa.Array | pa.ChunkedArray) else column.to_list())
    except UnicodeDecodeError as error:
        finding = f"{function}: column holds text that is not UTF-8 ({error})"
        raise InvalidTextError.of("", finding, "make it text with its real encoding first") from error
    except Exception as error:  # such as a date before the year 1
        finding = f"{function}: column holds values that Python cannot have ({error})"
        remedy = "make them text first, as in column.astype('string[pyarrow]') or column.cast('string')"
        raise ColumnTypeError.of("", finding, remedy) from error


def _is_polars_column(column: Any, function: str) -> bool:
    """Return whether a column is a polars Series. Raise ColumnTypeError if it is not a column of any known kind."""
    polars = sys.modules.get("polars")
    is_polars = polars is not None and isinstance(column, polars.Series)
    if not is_polars and not isinstance(column, pd.Series | pa.Array | pa.ChunkedArray):
        remedy = "give one column: a pandas or polars Series, or a pyarrow Array, as in df['answers']"
        raise ColumnTypeError.of("", f"{function}: column is a {type(column).__name__}", remedy)
    return is_polars


def read_text_series(column: Any, function: str, *, may_be_lists: bool = False) -> pa.ChunkedArray:
    """Return a column of text as Arrow `large_string`; ColumnTypeError or InvalidTextError if it is something else.

    function: the public function that takes the column, for errors. may_be_lists: whether the column may also hold
    lists of text, which are returned as `large_list<large_string>`.
    """
    index = column.index if isinstance(column, pd.Series) else None
    return read_texts(polars_to_arrow(column, function), f"{function}: column", index, levels=int(may_be_lists))


def polars_to_arrow(column: Any, function: str) -> Any:
    """Return a polars Series as an Arrow array, and any other column as it is; ColumnTypeError if it is no column."""
    return column.to_arrow() if _is_polars_column(column, function) else column


def as_kind_of(column: Any, array: pa.Array | pa.ChunkedArray) -> Any:
    """Return an Arrow array as the kind of column that `column` is, with its name, and in pandas with its index."""
    if isinstance(column, pd.Series):
        return series_of(array, index=column.index, name=column.name)
    chunks = as_chunked(array)
    if isinstance(column, pa.Array):
        # Several chunks hold more text together than offsets of 32 bits count.
        return (decode_chunks(chunks) if chunks.num_chunks > 1 else chunks).combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        return chunks
    return sys.modules["polars"].from_arrow(array).alias(column.name)


def series_of(array: pa.Array | pa.ChunkedArray, **settings: Any) -> pd.Series[Any]:
    """Return an Arrow array as a column of pandas that can be written to Parquet or Feather and read again.

    Texts, numbers, truth values and times keep their Arrow type (`pd.ArrowDtype`). Lists, dicts and all else whose type
    pandas cannot read again are objects of Python. settings: `index` and `name` of the Series.
    """
    if not _is_read_again(array.type):
        array = decode_chunks(as_chunked(array))
    if _is_read_again(array.type):
        return pd.Series(array, dtype=pd.ArrowDtype(array.type), **settings)
    objects = [value for chunk in array.chunks for value in to_objects(chunk)]
    return pd.Series(objects, dtype=object, **settings)


def _is_read_again(kind: pa.DataType) -> bool:
    """Whether pandas reads a column of this type from the Parquet files that it writes."""
    if kind in {pa.string_view(), pa.binary_view()}:  # not by all versions of Arrow
        return False
    with contextlib.suppress(TypeError, ValueError, NotImplementedError):
        pd.api.types.pandas_dtype(str(pd.ArrowDtype(kind)))  # as a file names it
        return True
    return False


# --------------------------------------------------------------------------------------------------------- one value


def _text_of_one(value: Any) -> str | None:
    """Return the text of one value, or of the only item of a list; None for null, NotConvertibleError for all else."""
    value = _to_list_or_scalar(value)
    if is_null(value):
        return None
    is_one = isinstance(value, list | tuple | np.ndarray) and len(value) == 1
    return _text_of_one(value[0]) if is_one else text_of_scalar(value)


def _to_list_or_scalar(value: Any) -> Any:
    """Return a Series, dict keys and the like as a list, and an array without dimensions as its value; else `value`."""
    if isinstance(value, _SEQUENCES):
        return list(value)
    return value.item() if isinstance(value, np.ndarray) and not value.ndim and not is_null(value) else value


def text_of_scalar(value: Any) -> str:
    """Return the text of one text, number, truth value or date; raise NotConvertibleError for all else."""
    if isinstance(value, str):
        text = str.__str__(value)  # an enumeration's own would be its name
        if not is_unicode(text):
            raise NotUnicodeError(f"holds a lone surrogate, which is not valid text; {WITHOUT_SURROGATES}")
        return text
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError as error:
            raise NotUnicodeError("is not UTF-8; decode it with its real encoding first") from error
    if isinstance(value, bool | np.bool_ | dt.date | dt.time | dt.timedelta):
        return str(value)
    if isinstance(value, numbers.Real | Decimal) and not isinstance(value, np.timedelta64):
        try:
            return _text_of_number(value)
        except (ValueError, ArithmeticError) as error:
            raise NotConvertibleError(f"cannot be written as text ({error}); make it text first") from error
    raise NotConvertibleError(f"is a {type(value).__name__}; text, numbers or dates are needed. Make it one of these")


def _text_of_number(value: Any) -> str:
    """Return the number as Python writes it, but a whole one without a point. Python may raise ValueError."""
    if isinstance(value, numbers.Integral):
        return str(int(value))
    try:
        number = float(value)
    except OverflowError:  # a fraction of long numbers
        return str(value)
    return str(int(number)) if number.is_integer() and number == value else str(value)


def golds_of_one(value: Any, sep: str | None = None) -> list[str | None]:
    """Return the golds of one row's value: a text, a list, a dict with `text`, or a number or date. Nulls become None.

    A text may be a list that was written out. sep: what stands between several golds in one text; None cuts nothing.
    Raise NotConvertibleError for any other value.
    """
    value = _to_list_or_scalar(value)
    if isinstance(value, str):
        return _golds_of_text(text_of_scalar(value), sep)
    if isinstance(value, set | frozenset):
        raise NotConvertibleError("is a set, whose order is not defined; make it a list, as in sorted(value)")
    if isinstance(value, Mapping):
        return _golds_of_mapping(value)
    if isinstance(value, list | tuple | np.ndarray):
        golds = [None if is_null(item) else _gold_of_item(item) for item in value]
        return golds if sep is None else [part for gold in golds for part in _cut_gold(gold, sep)]
    return [None if is_null(value) else text_of_scalar(value)]


def _gold_of_item(item: Any) -> str:
    """Return the text of one item of a list of golds: of a scalar, or of a dict whose `text` is one text.

    Raise NotConvertibleError for a list or any other dict.
    """
    item = _to_list_or_scalar(item)
    if isinstance(item, Mapping) and isinstance(item.get("text"), str):
        return text_of_scalar(item["text"])
    if isinstance(item, list | tuple | np.ndarray | set | Mapping):
        raise NotConvertibleError("holds lists or dicts; make each a flat list of its texts first")
    return text_of_scalar(item)


def _golds_of_mapping(value: Mapping[Any, Any]) -> list[str | None]:
    """Return the golds of a dict as SQuAD has them: what is under `text`. NotConvertibleError if there is no `text`."""
    if "text" not in value:
        raise NotConvertibleError(f"is a dict without 'text', with {list(value)!r:.60}; take its answers out first")
    texts = value["text"]
    return [text_of_scalar(texts)] if isinstance(texts, str) else golds_of_one(texts)


def _golds_of_text(text: str, sep: str | None) -> list[str | None]:
    """Return the golds of a text: of a list written out, of a text cut at `sep`, or the text alone.

    Raise NotConvertibleError for a list that was shortened when it was written, or a dict with `text` that cannot be
    read.
    """
    try:
        written = read_written(text)
    except ShortenedError as error:
        reason = "was shortened when it was written, so that golds are lost; write the column again"
        raise NotConvertibleError(reason) from error
    if isinstance(written, set):
        written = sorted(written, key=str)  # its order is lost
    if written is not None:
        return golds_of_one(written)
    if _WRITTEN_ANSWERS.fullmatch(text):
        raise NotConvertibleError("is a dict that was written out, and cannot be read; take its answers out first")
    return [text] if sep is None else _cut_gold(text, sep)


def _cut_gold(gold: str | None, sep: str) -> list[str | None]:
    """Return the parts between the separators, without those that are empty; a null stays one."""
    return [None] if gold is None else [part.strip() for part in gold.split(sep) if part.strip()]


NUMBERS = {"boolean", "integer", "floating", "mixed-integer-float", "decimal", "empty"}
"""Pandas' names for the values of a column of objects that can be read as numbers."""

_TIMES = (np.timedelta64, np.datetime64)


def as_floats(column: pd.Series[Any]) -> Floats | None:
    """Return a column as floats, shape (rows,), NaN for null; None if it holds anything but numbers and truth values.

    Truth values are 1 and 0. A number beyond those of a float is infinite.
    """
    kind = column.dtype
    if isinstance(kind, pd.CategoricalDtype):
        distinct = as_floats(pd.Series(kind.categories))
        return None if distinct is None else np.append(distinct, np.nan)[column.cat.codes.to_numpy()]
    if kind.kind in "biuf":
        return column.to_numpy(np.float64, na_value=np.nan)
    if kind.kind != "O" or isinstance(kind, pd.StringDtype):
        return None
    values = column.astype(object)
    if not _are_numbers(values):
        return None
    try:
        return values.to_numpy(np.float64, na_value=np.nan)
    except (TypeError, ValueError, ArithmeticError):
        return np.array([_as_float(value) for value in values], np.float64)


def read_numbers(frame: pd.DataFrame, label: Hashable, argument: str, name: object = None) -> Floats:
    """Return a column of numbers or truth values as floats, shape (rows,), NaN for null.

    Raise ColumnNotFoundError unless one column has this label, and ColumnTypeError if it holds something else.
    argument: the argument that names the column, for errors. name: its value as the caller wrote it, if that is not the
    label.
    """
    require_column(label, list(frame.columns), argument)
    values = as_floats(frame[label])
    if values is None:
        raise _error_of_no_numbers(frame[label], argument, label if name is None else name)
    return values


def _are_numbers(values: pd.Series[Any]) -> bool:
    """Return whether a column of objects holds numbers and nulls alone."""
    with contextlib.suppress(ArithmeticError):  # a signalling NaN
        if pd.api.types.infer_dtype(values, skipna=True) in NUMBERS:
            return True
    kinds = (numbers.Real, Decimal, np.bool_)
    return all(is_null(value) or (isinstance(value, kinds) and not isinstance(value, _TIMES)) for value in values)


def _as_float(value: Any) -> float:
    """Return a number as a float: NaN for null, infinity for one that is too large."""
    try:
        return math.nan if is_null(value) else float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def is_number_type(kind: pa.DataType) -> bool:
    """Whether a type of Arrow is one of numbers or truth values."""
    return is_any(kind, "integer", "floating", "boolean", "decimal")


def _error_of_no_numbers(column: pd.Series[Any], argument: str, name: object) -> ColumnTypeError:
    """Return the error for a column that holds something else than the numbers that `argument` needs.

    name: the column as the caller named it. The remedy depends on what the column holds.
    """
    values = column.dropna().astype(object)
    kind, read = pd.api.types.infer_dtype(values), f"df[{column.name!r}]"
    made: tuple[str, ...] = ()
    example = f" such as {show(values.iloc[0])}" if len(values) else ""
    what = f"{column.dtype}{example}"
    if kind == "string":
        what = f"text{example}"
        if pd.to_numeric(values, errors="coerce").notna().all():
            made = f"pandas.to_numeric({read})", f"{read}.cast(polars.Float64)"
    elif kind.startswith("timedelta"):
        what, made = "spans of time", (f"{read}.dt.total_seconds()",)
    remedy = f"make numbers of it first, as in {code_adding('score', *made)}" if made else "name a column of numbers"
    finding = f"holds {what}, where numbers or truth values are needed"
    return ColumnTypeError.of(argument, finding, remedy, value=name)
