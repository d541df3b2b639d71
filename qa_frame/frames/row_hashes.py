"""A number for each row that looks random, and depends on the values of the row alone.

Sorted by it, rows have a random order that does not depend on the kind of frame or the order of rows and columns.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from qa_frame._typing import Ints
from qa_frame.frames.arrow_types import as_chunked, decode_chunks, is_list, is_text, list_bounds
from qa_frame.frames.conversions import is_number_type
from qa_frame.frames.row_rules import FLAGS_LABEL, RULES_LABEL
from qa_frame.frames.source import Source

Hashes = NDArray[np.uint64]

_ODD = 0x9E3779B97F4A7C15
_FEW = 1_024


def hash_rows(source: Source, *, without: Collection[Hashable] = ()) -> Hashes:
    """Return a hash of each row, uint64, shape (rows,).

    Columns of text, numbers, truth values, and lists of these count. Other columns, the rules and flags of rows, and
    the index do not.

    Parameters
    ----------
    without
        The columns that are left out.
    """
    total = np.zeros(len(source.columns), np.uint64)
    for place, name in enumerate(source.names):
        is_left_out = name in without or str(name[0] if isinstance(name, tuple) else name).endswith(
            (RULES_LABEL, FLAGS_LABEL)
        )
        column = None if is_left_out else _hash_column(source, place)
        if column is not None:
            total += mix_bits(column ^ pd.util.hash_array(np.array([str(name)], object)))
    return mix_bits(total)


def hash_texts(*columns: pa.ChunkedArray) -> Hashes:
    """Return a hash of the texts, or lists of texts, that each row has in these columns, uint64, shape (rows,)."""
    total = np.zeros(len(columns[0]), np.uint64)
    for place, column in enumerate(columns):
        hashed = [_hash_array(chunk) for chunk in decode_chunks(column).chunks]
        total += mix_bits(np.concatenate([np.zeros(0, np.uint64), *hashed]) + np.uint64(place))
    return mix_bits(total)


def _hash_column(source: Source, place: int) -> Hashes | None:
    """Return the hashes of a column's values, uint64, shape (rows,); None for a type that has none in `_hash_array`."""
    columns = source.columns
    column = arrow_column(columns.iloc[:, place] if isinstance(columns, pd.DataFrame) else columns.column(place))
    hashed = [None] if column is None else [_hash_array(chunk) for chunk in column.chunks]
    return None if any(each is None for each in hashed) else np.concatenate([np.zeros(0, np.uint64), *hashed])


def arrow_column(column: Any) -> pa.ChunkedArray | None:
    """Return a pandas or Arrow column decoded, as a `ChunkedArray`; None if Arrow has no type for it."""
    try:
        array = pa.array(column, from_pandas=True) if isinstance(column, pd.Series) else column
    except Exception:  # noqa: BLE001  (what Arrow raises depends on the values)
        return None
    return decode_chunks(as_chunked(array))


def _hash_array(array: pa.Array) -> Hashes | None:
    """Return a hash of each value, uint64; None unless all are text, numbers, truth values, lists of them, or null."""
    kind = array.type
    if pa.types.is_null(kind):
        return np.zeros(len(array), np.uint64)
    # A null and NaN have one hash, whatever the type: that of a column without values depends on the kind of frame.
    if is_text(kind):
        hashes = pd.util.hash_array(array.to_numpy(zero_copy_only=False))
        return np.where(array.is_null().to_numpy(zero_copy_only=False), np.uint64(0), hashes)
    if is_number_type(kind):
        numbers = pc.fill_null(array.cast(pa.float64(), safe=False), np.nan).to_numpy(zero_copy_only=False) + 0.0
        return np.where(np.isnan(numbers), np.uint64(0), pd.util.hash_array(numbers))
    if is_list(kind):
        return _hash_lists(array)
    return None


def _hash_lists(array: pa.Array) -> Hashes | None:
    """Return a hash of each list's items and their order; 0 for null.

    None if `_hash_array` does not know their type.
    """
    items = _hash_array(array.flatten())
    if items is None:
        return None
    bounds = list_bounds(array)
    position = np.arange(len(items)) - np.repeat(bounds[:-1], np.diff(bounds))
    sums = np.append(np.uint64(0), np.cumsum(mix_bits(items + position.astype(np.uint64))))  # they may pass 2**64
    return np.diff(sums[bounds])


def mix_bits(values: Hashes) -> Hashes:
    """Return the hashes with mixed bits: each bit depends on all of them (the finaliser of SplitMix64). 0 stays 0."""
    values = values * np.uint64(_ODD)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def number_golds(golds: pa.ChunkedArray) -> Ints:
    """Return a number for each row, int64: the same for the same golds in any order; 0 for a row without golds.

    golds: text, lists of text, or lists of lists of text. Nulls do not count. Numbers of two columns have nothing in
    common.
    """
    return _hash_golds(golds).astype(np.int64)


def count_alike(columns: Sequence[pa.ChunkedArray], group: Ints, rows: Ints) -> Ints:
    """Return for each of `rows` how many of them, with itself, have its group and its golds in all columns.

    It is 1 for a row that lacks golds in some column.

    Parameters
    ----------
    columns
        Columns of golds, as `number_golds` takes them.
    group
        The group of every row of the columns, shape (all rows,).
    rows
        The positions of the rows that are counted.
    """
    keys, has_all = group[rows].astype(np.uint64), np.ones(len(rows), np.bool_)
    for column in columns:
        numbers = number_golds(column.take(pa.array(rows)))
        keys, has_all = mix_bits(keys + numbers.astype(np.uint64)), has_all & (numbers != 0)
    _, codes, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return np.where(has_all, counts[codes.reshape(-1)], 1)


def sample_by_length(texts: pa.ChunkedArray) -> Ints:
    """Return the positions of all texts, or of a sample of some hundreds if they are many.

    The sample has the texts whose length in bytes ends in the same bits. So it has all of several equal texts, or none.
    """
    last = (1 << (len(texts) // _FEW).bit_length()) - 1
    ends = pc.binary_length(texts).fill_null(0).to_numpy() & last
    return np.flatnonzero(ends == np.bincount(ends[:_FEW], minlength=1).argmax())


def _hash_golds(array: pa.Array | pa.ChunkedArray) -> Hashes:
    """Return a hash of each text, or of each list in any order, uint64; 0 for null and for a list without texts.

    It depends on the column's other texts, and so is of use within this column alone.
    """
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if not pa.types.is_large_list(array.type):
        codes = array.dictionary_encode().indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return mix_bits((codes + 1).astype(np.uint64))
    total = np.concatenate(([np.uint64(0)], np.cumsum(_hash_golds(array.flatten()), dtype=np.uint64)))
    return mix_bits(np.diff(total[list_bounds(array)]))
