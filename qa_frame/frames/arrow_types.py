"""Which Arrow types hold text, which hold lists, and how a column of any type is made plain."""

from __future__ import annotations

import contextlib
import itertools
import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Ints

_LARGE = {pa.string(): pa.large_string(), pa.string_view(): pa.large_string()}
_LARGE |= {pa.binary(): pa.large_binary(), pa.binary_view(): pa.large_binary()}
"""Types of text, and those with offsets of 64 bits."""
_TEXTS = {*_LARGE, *_LARGE.values()}
_PLAIN_LISTS = pa.large_list(pa.large_string())
_LISTS = (pa.ListType, pa.LargeListType, pa.FixedSizeListType, pa.ListViewType, pa.LargeListViewType)


_GROUPED_BY_PANDAS = ("integer", "float32", "float64", "boolean", "string", "large_string")
"""The types that pandas groups by as they are."""


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of this type holds text: strings or bytes of any width, dictionary-encoded or not."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return kind in _TEXTS


def is_list(kind: pa.DataType) -> bool:
    """Whether a column of this type holds lists of any kind."""
    return isinstance(kind, _LISTS)


def is_any(kind: pa.DataType, *names: str) -> bool:
    """Whether an Arrow type is one of those in `names`, such as "integer" for `pyarrow.types.is_integer`."""
    return any(getattr(pa.types, f"is_{name}")(kind) for name in names)


def list_bounds(lists: pa.Array) -> Ints:
    """Return where each list begins among the items of all lists, and where the last ends, int64, shape (lists + 1,).

    A null has no items.
    """
    if len(lists) and not lists.null_count and isinstance(lists.type, pa.ListType | pa.LargeListType):
        offsets: Ints = lists.offsets.to_numpy().astype(np.int64, copy=False)
        bounds: Ints = offsets - offsets[0]  # those of a slice begin past zero
        return bounds
    lengths = pc.list_value_length(lists)
    filled = lengths.fill_null(0) if lengths.null_count else lengths
    return np.append(0, np.cumsum(filled.to_numpy(zero_copy_only=False), dtype=np.int64))


def valid_items(array: pa.Array) -> tuple[pa.Array, Ints]:
    """Return the items of all lists in one flat array without nulls, and where those of each row begin in it.

    The bounds are int64, shape (rows + 1,). If the array holds no lists, each value that is not null is its row's item.
    """
    items, bounds = (array.flatten(), list_bounds(array)) if is_list(array.type) else (array, np.arange(len(array) + 1))
    if items.null_count:
        is_valid = pc.is_valid(items).to_numpy(zero_copy_only=False)
        items, bounds = items.drop_null(), np.append(0, np.cumsum(is_valid))[bounds]
    return items, bounds


def with_items(lists: pa.Array, items: pa.Array) -> pa.LargeListArray:
    """Return lists that are as long as those in `lists`, and null where these are null, with other items.

    items: the new items of all lists in one flat array, in order.
    """
    mask = lists.is_null() if lists.null_count else None
    return pa.LargeListArray.from_arrays(pa.array(list_bounds(lists)), items, mask=mask)


def decode(array: pa.Array) -> pa.Array:
    """Return the array without extension types, dictionaries, run ends and views, also inside lists.

    Text becomes `large_string` or `large_binary`, a list `large_list`: a short dictionary may stand for more text than
    offsets of 32 bits count. The fields of structs stay as they are. Arrow's own casts misread some of these types and
    do not know others.
    """
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return decode(array.storage)
    if pa.types.is_run_end_encoded(kind):
        ends = np.minimum(array.run_ends.to_numpy() - array.offset, len(array))
        lengths = np.diff(np.maximum(ends, 0), prepend=0)
        return decode(array.values).take(pa.array(np.repeat(np.arange(len(lengths)), lengths)))
    if pa.types.is_dictionary(kind):
        return decode(array.dictionary).take(array.indices)
    if is_list(kind):
        items = array.flatten()
        if kind == _PLAIN_LISTS and len(items) == len(array.values):
            return array
        # Arrow's casts, and its checks, would take all items of the column that this is a slice of.
        return with_items(array, decode(items))
    return array.cast(_LARGE[kind]) if kind in _LARGE else array


def with_texts(array: pa.Array, levels: int, *, dicts: bool) -> pa.Array:
    """Return a decoded array in which texts replace whole numbers, truth values and dicts; all else stays as it is.

    levels: how many levels of lists the values may stand in. dicts: whether a dict is replaced by its `text`, which may
    be a list of texts, as in SQuAD.
    """
    kind = array.type
    if levels and is_list(kind):
        return with_items(array, with_texts(array.flatten(), levels - 1, dicts=dicts))
    if dicts and pa.types.is_struct(kind) and kind.get_field_index("text") >= 0:
        return with_texts(decode(pc.struct_field(array, "text")), levels, dicts=dicts)
    if pa.types.is_boolean(kind):
        return pc.if_else(array, pa.scalar("True", pa.large_string()), pa.scalar("False", pa.large_string()))
    return array.cast(pa.large_string()) if pa.types.is_integer(kind) else array


def text_of_object(value: Any, levels: int, *, dicts: bool) -> Any:
    """Do for one Python object what `with_texts` does for an array. Return an object of another type as it is."""
    if isinstance(value, bool | np.bool_):
        return str(value)
    if isinstance(value, numbers.Integral) and not isinstance(value, np.timedelta64):
        with contextlib.suppress(ValueError):  # more digits than Python writes
            return str(int(value))
    if levels and (isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1)):
        return [text_of_object(item, levels - 1, dicts=dicts) for item in value]
    if dicts and isinstance(value, Mapping) and "text" in value:
        return text_of_object(value["text"], levels, dicts=dicts)
    return value


def as_chunked(array: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the array as a `ChunkedArray`."""
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def decode_chunks(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the column with each chunk decoded."""
    # `pa.array([], type)` does not know all types.
    return pa.chunked_array([decode(chunk) for chunk in column.chunks] or [decode(pa.nulls(0, column.type))])


def take_rows(column: pa.ChunkedArray, rows: Ints) -> pa.Array:
    """Return the rows at the positions `rows` of a column, in this order, decoded.

    Arrow's own `take` joins all chunks first, whose text may be more than offsets of 32 bits count.
    """
    starts = np.cumsum([0, *map(len, column.chunks)])
    chunk_per_row = np.searchsorted(starts, rows, side="right") - 1
    arrays = [decode(pa.nulls(0, column.type))]
    for number in np.unique(chunk_per_row):
        places = rows[chunk_per_row == number] - starts[number]
        arrays.append(decode(column.chunk(int(number))).take(pa.array(places)))
    by_chunk = pa.concat_arrays(arrays)
    return by_chunk.take(pa.array(np.argsort(np.argsort(chunk_per_row, kind="stable"))))


def to_objects(array: pa.Array) -> list[Any]:
    """Return the values as objects of Python: lists for lists, dicts for structs and maps, None for null."""
    array = decode(array)
    kind = array.type
    if is_list(kind):
        values = to_objects(array.flatten())
        lists: list[Any] = [values[start:stop] for start, stop in itertools.pairwise(list_bounds(array).tolist())]
        for row in np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False)):
            lists[row] = None
        return lists
    if is_text(kind):
        # `to_pylist` takes ten times as long before pyarrow 19.
        return list(array.to_numpy(zero_copy_only=False))
    objects: list[Any] = array.to_pylist()
    return [None if each is None else dict(each) for each in objects] if pa.types.is_map(kind) else objects


def column_to_pandas(column: pa.ChunkedArray) -> Any:
    """Return an Arrow column as a pandas Series. Whole numbers and truth values with nulls keep their Arrow type."""
    kind = column.type
    keeps_type = column.null_count and (pa.types.is_integer(kind) or pa.types.is_boolean(kind))
    mapper = pd.ArrowDtype if keeps_type else None
    try:
        if pa.types.is_dictionary(kind):  # pandas has no unsigned codes, which polars gives
            kind = pa.dictionary(pa.int64(), kind.value_type, kind.ordered)
            return column.cast(kind).to_pandas(types_mapper=mapper)
        return column.to_pandas(types_mapper=mapper)
    except Exception:  # noqa: BLE001  (such as a dictionary that holds null or has a value twice)
        return decode_chunks(column).to_pandas(types_mapper=mapper)


def plain_keys(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column of keys in a type by which pandas can group.

    If pandas cannot group by it, this raises the error of pandas, Python or Arrow, of any class.
    """
    kind = column.dtype
    if kind == np.float16:
        return column.astype(np.float32)
    if isinstance(kind, pd.CategoricalDtype):
        hash(tuple(kind.categories))
        return column
    if not isinstance(kind, pd.ArrowDtype) or is_any(kind.pyarrow_dtype, *_GROUPED_BY_PANDAS):
        return column
    plain = pa.chunked_array([_plain_key(decode(chunk)) for chunk in as_chunked(pa.array(column)).chunks])
    keys = pd.Series(plain, index=column.index, name=column.name, dtype=pd.ArrowDtype(plain.type))
    # Each version of pandas groups by other types, and by other values of them.
    keys.groupby(keys, dropna=False).size()
    pd.MultiIndex.from_arrays([keys.array, keys.array])
    keys.tolist()
    return keys


def _plain_key(array: pa.Array) -> pa.Array:
    """Return keys of a type that Arrow can sort; TypeError if their type has no order."""
    kind = array.type
    if pa.types.is_nested(kind):
        raise TypeError(f"{kind} has no order")
    if pa.types.is_float16(kind):
        return array.cast(pa.float32())
    if pa.types.is_decimal(kind) and kind.bit_width < 128:
        return array.cast(pa.decimal128(kind.precision, kind.scale))
    return array
