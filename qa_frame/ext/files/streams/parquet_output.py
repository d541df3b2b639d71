"""Parquet files are written here, table by table, as their sources were written."""

from __future__ import annotations

import contextlib
from collections import Counter
from types import TracebackType
from typing import final

import pyarrow as pa
import pyarrow.parquet as pq

from qa_frame.replacement import Replacement

_MOST_ROWS = 1 << 20
_MOST_BYTES = 128 << 20
"""The most rows and bytes that are gathered in memory for a row group."""

_CODECS = {"UNCOMPRESSED": "NONE", "LZ4_RAW": "LZ4"}
"""The names that pyarrow's writer has for codecs that a file names otherwise."""


@final
class ParquetOutput:
    """A Parquet file that is written table by table, and appears when it is complete.

    Parameters
    ----------
    replacement
        The replacement whose stream is written to.
    like
        The footer of the file whose usual compression and size of row groups it takes over.
    schema
        Its columns.
    """

    def __init__(self, replacement: Replacement, *, like: pq.FileMetaData, schema: pa.Schema) -> None:
        self._replacement = replacement
        self._rows_a_group = _rows_a_group(like)
        self._gathered: list[pa.Table] = []
        self._writer = pq.ParquetWriter(replacement.stream, schema, compression=_usual_codec(like))

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
            if len(table) >= n_free or sum(each.nbytes for each in self._gathered) > _MOST_BYTES:
                with self._replacement.naming_the_file():
                    self._write_group()
            table = table.slice(n_free)

    def _write_group(self) -> None:
        if self._gathered:
            self._writer.write_table(pa.concat_tables(self._gathered), row_group_size=self._rows_a_group)
            self._gathered = []


def _rows_a_group(like: pq.FileMetaData) -> int:
    """Return the number of rows of the largest row group, and no more than are worth gathering in memory."""
    sizes = [like.row_group(number).num_rows for number in range(like.num_row_groups)]
    return min(max(sizes, default=_MOST_ROWS), _MOST_ROWS)


def _usual_codec(like: pq.FileMetaData) -> str:
    """Return the codec that most columns of a file have."""
    group = like.row_group(0) if like.num_row_groups else None
    codecs = Counter(group.column(number).compression for number in range(like.num_columns)) if group else Counter()
    codec = codecs.most_common(1)[0][0] if codecs else "SNAPPY"
    return _CODECS.get(codec, codec)
