"""Parquet files are opened here: some rows at a time, all columns or some."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType

import pyarrow as pa
import pyarrow.parquet as pq

from qa_frame.errors import ResultFileError
from qa_frame.files.gathering import gathered
from qa_frame.files.open_files import Content, damage_named

ROWS_DECODED_AT_ONCE = 256
"""Rows of Parquet or Arrow that are decoded at once: so few that memory holds them, whatever they become.

A long text that many rows repeat takes next to nothing in such a file, and its length in each row when it is read.
"""

_BYTES_AT_ONCE = 8 << 20
"""The most that the rows of a table take in memory, unless it has no more rows than are decoded at once."""
_ROWS_AT_ONCE = 1 << 16
_STREAMED = {"buffer_size": 1 << 20, "pre_buffer": False}
"""How a file is read. Without a buffer, the whole column of a row group would be read at once.

With `pre_buffer`, which some versions of pyarrow choose by themselves, whatever was read ahead of all columns would be
kept until the end.
"""


class ParquetInput:
    """A Parquet file, of which only the footer has been read.

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
        self._keys = {name: value for name, value in keys.items() if name not in self.own_schema.names}
        keys_schema = [pa.field(name, pa.string()) for name in self._keys]
        self.schema: pa.Schema = pa.schema([*self.own_schema, *keys_schema], self.own_schema.metadata)
        """The columns of the file, and then one for each key of its folders."""

    def tables(self, *, most_rows: int, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield the rows in order, some at a time, and at least one table.

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
        with damage_named(path), pq.ParquetFile(os.fspath(self._content), **_STREAMED) as parquet:
            n_rows = min(most_rows, ROWS_DECODED_AT_ONCE)
            batches = parquet.iter_batches(n_rows, columns=names, use_threads=False)
            for some in gathered(batches, attrgetter("nbytes"), _BYTES_AT_ONCE, most_rows // n_rows):
                table = pa.Table.from_batches(some).combine_chunks().replace_schema_metadata(schema.metadata)
                n_read += len(table)
                yield _with_keys(table, keys)
        if n_read != self.n_rows:
            raise ResultFileError(f"{path}: {n_read} of {self.n_rows} rows can be read; write the file again")


def _with_keys(table: pa.Table, keys: Mapping[str, str | None]) -> pa.Table:
    for name, value in keys.items():
        table = table.append_column(name, pa.repeat(pa.scalar(value, pa.string()), len(table)))
    return table
