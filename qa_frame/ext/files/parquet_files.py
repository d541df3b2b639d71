"""Parquet and Arrow files are opened here: some rows at a time, all columns or some."""

from __future__ import annotations

import contextlib
import itertools
import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from qa_frame._typing import Ints
from qa_frame.errors import ResultFileError
from qa_frame.ext.files.open_files import Content, chunked, damage_named
from qa_frame.frames.arrow_types import decode, is_list, is_text

ROWS_DECODED_AT_ONCE = 256
"""Rows of Parquet or Arrow that are decoded at once: so few that memory holds them, whatever they become.

A long text that many rows repeat takes next to nothing in such a file, and its length in each row when it is read.
"""

BYTES_OF_TABLE = 512 << 20
"""The rows of any file may take so many bytes, as long texts that several rows have stand there once."""
_BYTES_AT_ONCE = 8 << 20
"""The most that the rows of a table take in memory, unless it has no more rows than are decoded at once."""
_ROWS_AT_ONCE = 1 << 16
_VALUES = 1 << 25
"""Any file may have so many values, also where next to nothing stands for them, as for nulls."""
_LONG_TEXT = 1 << 18
"""Texts of more bytes, in a dictionary, are decoded for a few rows at a time."""
_MOST_TEXT = 64 << 20
"""The most text that is decoded at once, but for a longer text alone."""
_BYTES_OF_STREAM = 8 << 30
"""The long texts of any file may take so many bytes, as they are never held together."""
_COLUMN_BYTES, _COLUMN_TIMES = 256 << 20, 1000
"""A column of a group of rows may always become so large, and so many times its size in the file."""
_STREAMED = {"buffer_size": 1 << 20, "pre_buffer": False}
"""How a file is read. Without a buffer, the whole column of a row group would be read at once.

With `pre_buffer`, which some versions of pyarrow choose by themselves, whatever was read ahead of all columns would be
kept until the end.
"""


class ParquetInput:
    """A Parquet file. Its footer is read at once, its rows later.

    Parameters
    ----------
    content
        The file.
    keys
        The values that the names of the file's folders give. They are columns too, unless the file has such columns.
    """

    def __init__(self, content: Content, keys: Mapping[str, str | None] = MappingProxyType({})) -> None:
        self._content = content
        with damage_named(content.path):
            self.metadata: pq.FileMetaData = pq.read_metadata(os.fspath(content))
            self.own_schema: pa.Schema = self.metadata.schema.to_arrow_schema()
        self.n_rows: int = self.metadata.num_rows
        self._encoded = _find_long_text_columns(content, self.metadata, self.own_schema)
        self._keys = {name: value for name, value in keys.items() if name not in self.own_schema.names}
        keys_schema = [pa.field(name, pa.string()) for name in self._keys]
        self.schema: pa.Schema = pa.schema([*self.own_schema, *keys_schema], self.own_schema.metadata)
        """The columns of the file, and then one for each key of its folders."""

    def tables(self, *, most_rows: int, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield the rows as consecutive tables, and one empty table for a file without rows.

        Raise ResultFileError if the file is damaged or was made to fill the memory.

        Parameters
        ----------
        most_rows
            How many rows a table may have at most.
        columns
            The columns to read, keys of folders among them. None for all columns of the file, without the keys.
        """
        schema, keys = self.own_schema, dict[str, str | None]()
        if columns is not None:
            schema = pa.schema([field for field in schema if field.name in columns], metadata=schema.metadata)
            keys = {name: value for name, value in self._keys.items() if name in columns}
        if not self.n_rows:
            yield _with_keys(schema.empty_table(), keys)
            return
        path, n_read, most_rows = self._content.path, 0, min(most_rows, _ROWS_AT_ONCE)
        names = None if columns is None else schema.names
        opened = pq.ParquetFile(os.fspath(self._content), read_dictionary=self._encoded, **_STREAMED)
        with damage_named(path), opened as parquet:
            n_rows = min(most_rows, ROWS_DECODED_AT_ONCE)
            batches: Iterator[pa.RecordBatch] = parquet.iter_batches(n_rows, columns=names, use_threads=False)
            if self._encoded:
                self._content.require_size(_count_text(parquet, self._encoded), least=_BYTES_OF_STREAM)
                batches = (part for batch in batches for part in decoded_parts(batch, schema, self._content))
            for some in chunked(batches, attrgetter("nbytes"), _BYTES_AT_ONCE, most_rows // n_rows):
                table = pa.Table.from_batches(some).combine_chunks().replace_schema_metadata(schema.metadata)
                n_read += len(table)
                yield _with_keys(table, keys)
        if n_read != self.n_rows:
            raise ResultFileError.of("", f"{path}: {n_read} of {self.n_rows} rows can be read", "write the file again")


def _find_long_text_columns(content: Content, metadata: pq.FileMetaData, schema: pa.Schema) -> list[str]:
    """Return the sorted paths of the text columns whose dictionaries have long texts (see `_LONG_TEXT`).

    Raises
    ------
    ResultFileError
        If a column becomes so large, or has so many values, that the file was made to fill the memory.
    """
    large, n_values = list[tuple[int, str]](), 0
    for group, number in itertools.product(range(metadata.num_row_groups), range(metadata.num_columns)):
        chunk = metadata.row_group(group).column(number)
        n_bytes, n_values = chunk.total_uncompressed_size, n_values + chunk.num_values
        content.require_size(n_values, least=_VALUES, unit="values")
        if n_bytes > _COLUMN_BYTES and n_bytes > _COLUMN_TIMES * chunk.total_compressed_size:
            raise content.too_large(f"column {chunk.path_in_schema!r}")
        path = chunk.path_in_schema
        kind = schema.field(path if path in schema.names else path.partition(".")[0]).type
        if chunk.has_dictionary_page and n_bytes > _LONG_TEXT and _is_of_text(kind):
            large.append((group, path))
    if not large:
        return []
    paths = sorted({path for _, path in large})
    with pq.ParquetFile(os.fspath(content), read_dictionary=paths, **_STREAMED) as parquet:
        return sorted({path for group, path in large if _has_long_text(parquet, group, path)})


def _is_of_text(kind: pa.DataType) -> bool:
    """Return whether a type is text, or lists or dictionaries of it."""
    return _is_of_text(kind.value_type) if is_list(kind) or pa.types.is_dictionary(kind) else is_text(kind)


def _has_long_text(parquet: pq.ParquetFile, group: int, path: str) -> bool:
    """Return whether the dictionary of the column `path`, in the row group number `group`, has a long text.

    True also for a column that is not dictionary-encoded when it is read.
    """
    first = next(parquet.iter_batches(1, row_groups=[group], columns=[path], use_threads=False), None)
    texts = None if first is None else first.column(0)
    while texts is not None and is_list(texts.type):
        texts = texts.values
    if texts is None or not pa.types.is_dictionary(texts.type):
        return texts is not None
    return (pc.max(pc.binary_length(texts.dictionary)).as_py() or 0) > _LONG_TEXT


def _count_text(parquet: pq.ParquetFile, paths: list[str]) -> int:
    """Return how many bytes the texts of these dictionary-encoded columns take in all rows, when decoded."""
    batches = parquet.iter_batches(_ROWS_AT_ONCE, columns=paths, use_threads=False)
    return sum(int(bytes_of_texts(column).sum()) for batch in batches for column in batch.columns)


def decoded_parts(batch: pa.RecordBatch, schema: pa.Schema, content: Content) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a batch in smaller batches, decoded to the types of a schema.

    Each batch is so small that memory holds its texts. Raise ResultFileError if one row is larger than is allowed.
    """
    sizes = sum((bytes_of_texts(column) for column in batch.columns), np.zeros(len(batch), np.int64))
    if len(batch) and sizes.max() > content.most_record_bytes:
        raise content.too_large("a row")
    for rows in chunked(range(len(batch)), lambda row: int(sizes[row]), _MOST_TEXT):
        part = batch.slice(rows[0], len(rows))
        columns = [_decoded(column, field.type) for column, field in zip(part.columns, schema, strict=True)]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _decoded(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return a column of the type `kind`, decoded if it is dictionary-encoded."""
    return column if column.type == kind else decode(column).cast(kind)


def bytes_of_texts(column: pa.Array) -> Ints:
    """Return how many bytes the dictionary-encoded texts of each row take when decoded: shape (rows,), int64.

    The texts in lists count, too; all other columns count as 0.
    """
    if pa.types.is_dictionary(column.type) and is_text(column.type):
        lengths = pc.binary_length(column.dictionary).take(column.indices)
        sizes: Ints = pc.fill_null(lengths.cast(pa.int64()), 0).to_numpy(zero_copy_only=False)
        return sizes
    if is_list(column.type):
        items = np.concatenate(([0], np.cumsum(bytes_of_texts(column.flatten()))))
        ends = np.cumsum(pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False))
        of_lists: Ints = np.diff(items[ends], prepend=0)
        return of_lists
    return np.zeros(len(column), np.int64)


def _with_keys(table: pa.Table, keys: Mapping[str, str | None]) -> pa.Table:
    """Return the table with a column for each key, which has the same value in all rows."""
    for name, value in keys.items():
        table = table.append_column(name, pa.repeat(pa.scalar(value, pa.string()), len(table)))
    return table


# --- Arrow files: how large their batches become is known before they are decompressed


_MAGIC_BYTES = 8
"""An Arrow file is this mark, then a stream of messages, then a footer."""
_MOST_TIMES = 1 << 15
"""Neither zstd nor LZ4 packs bytes into fewer than this part of them."""
_HEADER, _DATA_OF_DICTIONARY, _BUFFERS, _COMPRESSION = 2, 1, 2, 3
"""The numbers of fields in the tables of `Message.fbs`: of a message, a dictionary, and twice of a batch."""


def arrow_batches(content: Content) -> Iterator[pa.RecordBatch]:
    """Yield the rows of an Arrow file in batches of at most `ROWS_DECODED_AT_ONCE`, with dictionaries decoded.

    Raise ResultFileError if the file was made to fill the memory. Arrow raises errors of its own for damage.
    """
    path = os.fspath(content)
    content.require_size(_decompressed_bytes(path), least=BYTES_OF_TABLE)
    n_bytes = 0
    with pa.ipc.open_file(path) as file:
        for batch in map(file.get_batch, range(file.num_record_batches)):
            batch.validate(full=True)  # Arrow trusts the offsets in such a file.
            n_bytes += batch.nbytes + sum(int(bytes_of_texts(column).sum()) for column in batch.columns)
            content.require_size(n_bytes, least=BYTES_OF_TABLE)
            for start in range(0, len(batch), ROWS_DECODED_AT_ONCE):
                yield from decoded_parts(batch.slice(start, ROWS_DECODED_AT_ONCE), batch.schema, content)


def _decompressed_bytes(path: str) -> int:
    """Return how many bytes all batches and dictionaries of an Arrow file take when decompressed.

    Of a damaged file, only the part before the damage counts; Arrow itself refuses such a file.
    """
    n_bytes = 0
    with contextlib.suppress(OSError, pa.ArrowException, struct.error), pa.memory_map(path) as file:
        file.seek(_MAGIC_BYTES)
        for message in pa.ipc.MessageReader.open_stream(file):
            if message.type in {"record batch", "dictionary"}:
                n_bytes += _bytes_of_message(memoryview(message.metadata), message.body, message.type == "dictionary")
    return n_bytes


def _bytes_of_message(metadata: memoryview, body: pa.Buffer, is_dictionary: bool) -> int:  # noqa: FBT001
    """Return how many bytes a batch or a dictionary in an Arrow file takes when decompressed.

    metadata: the flatbuffer that describes it, laid out as in Arrow's `Message.fbs`. body: its compressed buffers.
    """
    table = _follow(metadata, _field(metadata, _follow(metadata, 0), _HEADER))
    if is_dictionary:
        table = _follow(metadata, _field(metadata, table, _DATA_OF_DICTIONARY))
    if _field(metadata, table, _COMPRESSION) == table:
        return int(body.size)
    start, contents = _follow(metadata, _field(metadata, table, _BUFFERS)), memoryview(body)
    (n_buffers,) = struct.unpack_from("<I", metadata, start)
    places = struct.iter_unpack("<qq", metadata[start + 4 : start + 4 + 16 * n_buffers])
    n_bytes = 0
    for offset, length in places:
        stored = min(length, len(contents) - offset)  # it may be damaged
        # A buffer begins with the bytes that it becomes, or with -1 if it is stored as it is.
        becomes = struct.unpack_from("<q", contents, offset)[0] if length else 0
        n_bytes += max(stored, min(becomes, stored * _MOST_TIMES))
    return n_bytes


def _field(buffer: memoryview, table: int, number: int) -> int:
    """Return the position of a field in a flatbuffer; the position of its table if the table has no such field.

    table: the position of the table. number: the number of the field, from 0.
    """
    (to_sizes,) = struct.unpack_from("<i", buffer, table)
    sizes, place = table - to_sizes, 4 + 2 * number
    (n_bytes,) = struct.unpack_from("<H", buffer, sizes)
    return table + (struct.unpack_from("<H", buffer, sizes + place)[0] if place < n_bytes else 0)


def _follow(buffer: memoryview, place: int) -> int:
    """Return the position in a flatbuffer to which the offset at `place` leads."""
    return place + int(struct.unpack_from("<I", buffer, place)[0])
