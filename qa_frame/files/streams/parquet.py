"""Parquet files in a stream: some rows at a time, all columns or some, and written as they were."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from types import TracebackType
from typing import final

import pyarrow as pa
import pyarrow.parquet as pq

from qa_frame.errors import ResultFileError
from qa_frame.files.contents import damage_named
from qa_frame.files.streams.inputs import InputFile
from qa_frame.files.streams.pieces import ROWS_DECODED_AT_ONCE, gathered
from qa_frame.files.streams.replacement import Replacement

_BYTES_AT_ONCE = 8 << 20
"""Of all columns of some rows, as they stand in memory."""
_ROWS_AT_ONCE = 1 << 16
_ROWS_A_GROUP = 1 << 20
_BYTES_A_GROUP = 128 << 20
"""The most that is gathered in memory for a row group."""
_CODECS = {"UNCOMPRESSED": "NONE", "LZ4_RAW": "LZ4"}
"""Codecs by which a file names them, where pyarrow's writer has another name."""
_BUFFER = 1 << 20
"""So much of a column is read at once. Without a buffer, a row group's whole column is."""


class ParquetInput:
    """A Parquet file, of which only what it says of itself has been read.

    Parameters
    ----------
    file
        Where it is. What its folders' names say are columns too, unless the file has columns of these names.
    """

    def __init__(self, file: InputFile) -> None:
        self.file = file
        self._content = file.content
        with damage_named(file.path):
            self._metadata = pq.read_metadata(os.fspath(self._content))
        self.n_rows: int = self._metadata.num_rows

    @cached_property
    def own_schema(self) -> pa.Schema:
        """Its columns and their types."""
        with damage_named(self.file.path):
            return self._metadata.schema.to_arrow_schema()

    @cached_property
    def schema(self) -> pa.Schema:
        """The same, and then a column for each key of its folders."""
        schema = self.own_schema
        for name in self._keys:
            schema = schema.append(pa.field(name, pa.string()))
        return schema

    @property
    def _keys(self) -> dict[str, str | None]:
        return {name: value for name, value in self.file.keys.items() if name not in self.own_schema.names}

    def tables(self, *, most_rows: int, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield its rows in order, some at a time, and at least one table.

        Parameters
        ----------
        most_rows
            How many rows a table may have at most.
        columns
            Those to read, keys of folders among them. None for all of the file's own, without the keys.
        """
        schema = self.own_schema if columns is None else _of_names(self.own_schema, columns)
        keys = {} if columns is None else {name: value for name, value in self._keys.items() if name in columns}
        if not self.n_rows:
            yield _with_keys(schema.empty_table(), keys, 0)
            return
        n_read = 0
        most_rows = min(most_rows, _ROWS_AT_ONCE)
        with damage_named(self.file.path), self._opened() as parquet:
            batches = parquet.iter_batches(
                batch_size=min(most_rows, ROWS_DECODED_AT_ONCE), columns=schema.names, use_threads=False
            )
            for some in gathered(batches, most_rows=most_rows, most_bytes=_BYTES_AT_ONCE):
                table = pa.Table.from_batches(some).combine_chunks().replace_schema_metadata(schema.metadata)
                n_read += len(table)
                yield _with_keys(table, keys, len(table))
        if n_read != self.n_rows:
            raise ResultFileError(f"{self.file.path}: {n_read} of {self.n_rows} rows can be read; write the file again")

    def _opened(self) -> pq.ParquetFile:
        return pq.ParquetFile(os.fspath(self._content), buffer_size=_BUFFER)

    @property
    def compressions(self) -> dict[str, str]:
        """How each column is compressed, by its path in the file."""
        if not self._metadata.num_row_groups:
            return {}
        first = self._metadata.row_group(0)
        columns = [first.column(number) for number in range(first.num_columns)]
        return {column.path_in_schema: _CODECS.get(column.compression, column.compression) for column in columns}

    @property
    def rows_a_group(self) -> int:
        """How many rows its largest row group has, and no more than are worth gathering in memory."""
        n_groups = self._metadata.num_row_groups
        sizes = [self._metadata.row_group(number).num_rows for number in range(n_groups)]
        return min(max(sizes, default=_ROWS_A_GROUP), _ROWS_A_GROUP)


@final
class ParquetOutput:
    """A Parquet file that is written table by table, and appears when it is complete.

    Parameters
    ----------
    replacement
        Where it goes.
    like
        The file whose compression and size of row groups it takes over.
    schema
        Its columns.
    """

    def __init__(self, replacement: Replacement, *, like: ParquetInput, schema: pa.Schema) -> None:
        self._replacement = replacement
        self._rows_a_group = like.rows_a_group
        self._gathered: list[pa.Table] = []
        compressions = like.compressions
        usual = max(compressions.values(), key=list(compressions.values()).count, default="SNAPPY")
        paths = {path: compressions.get(path, usual) for path in _leaf_paths(schema)}
        self._writer = pq.ParquetWriter(replacement.stream, schema, compression=paths or "snappy")

    def __enter__(self) -> ParquetOutput:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None:
            with self._replacement.naming_the_file():
                self._write_group()
                self._writer.close()
        else:
            with contextlib.suppress(OSError, pa.ArrowException):
                self._writer.close()

    def write(self, table: pa.Table) -> None:
        """Add the rows of a table. They are written when they fill a row group."""
        while len(table):
            n_free = self._rows_a_group - sum(map(len, self._gathered))
            self._gathered.append(table.slice(0, n_free))
            if len(table) >= n_free or sum(each.nbytes for each in self._gathered) > _BYTES_A_GROUP:
                with self._replacement.naming_the_file():
                    self._write_group()
            table = table.slice(n_free)

    def _write_group(self) -> None:
        if self._gathered:
            self._writer.write_table(pa.concat_tables(self._gathered), row_group_size=self._rows_a_group)
            self._gathered = []


def _of_names(schema: pa.Schema, names: Sequence[str]) -> pa.Schema:
    return pa.schema([field for field in schema if field.name in names], metadata=schema.metadata)


def _with_keys(table: pa.Table, keys: dict[str, str | None], n_rows: int) -> pa.Table:
    for name, value in keys.items():
        table = table.append_column(name, pa.repeat(pa.scalar(value, pa.string()), n_rows))
    return table


def _leaf_paths(schema: pa.Schema) -> list[str]:
    """The paths of all columns as Parquet names them, such as `answers.list.element`."""
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, schema):
        pass
    parquet = pq.read_metadata(pa.BufferReader(sink.getvalue())).schema
    return [parquet.column(number).path for number in range(len(parquet.names))]
