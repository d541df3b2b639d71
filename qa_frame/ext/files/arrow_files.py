"""Arrow files: their batches, and how large these become, which is known before they are decompressed."""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Iterator

import pyarrow as pa

from qa_frame.ext.files.open_files import Content
from qa_frame.ext.files.parquet_files import BYTES_OF_TABLE, ROWS_DECODED_AT_ONCE, bytes_of_texts, decoded_parts

_MAGIC_BYTES = 8
"""An Arrow file is this mark, then a stream of messages, then a footer."""
_HEADER, _DATA_OF_DICTIONARY, _BUFFERS, _COMPRESSION = 2, 1, 2, 3
"""The numbers of fields in the tables of `Message.fbs`: of a message, a dictionary, and twice of a batch."""


def arrow_batches(content: Content) -> Iterator[pa.RecordBatch]:
    """Yield the batches of a file, whose texts in dictionaries are decoded a few rows at a time."""
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
    """Return how many bytes all batches and dictionaries take. 0 for a damaged file, which Arrow itself refuses."""
    n_bytes = 0
    with contextlib.suppress(OSError, pa.ArrowException, struct.error), pa.memory_map(path) as file:
        file.seek(_MAGIC_BYTES)
        for message in pa.ipc.MessageReader.open_stream(file):
            if message.type in {"record batch", "dictionary"}:
                n_bytes += _bytes_of_message(memoryview(message.metadata), message.body, message.type == "dictionary")
    return n_bytes


def _bytes_of_message(metadata: memoryview, body: pa.Buffer, is_dictionary: bool) -> int:  # noqa: FBT001
    table = _follow(metadata, _field(metadata, _follow(metadata, 0), _HEADER))
    if is_dictionary:
        table = _follow(metadata, _field(metadata, table, _DATA_OF_DICTIONARY))
    if _field(metadata, table, _COMPRESSION) == table:
        return int(body.size)
    start, contents = _follow(metadata, _field(metadata, table, _BUFFERS)), memoryview(body)
    (n_buffers,) = struct.unpack_from("<I", metadata, start)
    places = struct.iter_unpack("<qq", metadata[start + 4 : start + 4 + 16 * n_buffers])
    # A buffer begins with the bytes that it becomes, or with -1 if it is stored as it is.
    return sum(max(length, *struct.unpack_from("<q", contents, offset)) for offset, length in places if length)


def _field(buffer: memoryview, table: int, number: int) -> int:
    """Return where a field of a table in a flatbuffer stands: at the table itself where it has no such field."""
    (to_sizes,) = struct.unpack_from("<i", buffer, table)
    sizes, place = table - to_sizes, 4 + 2 * number
    (n_bytes,) = struct.unpack_from("<H", buffer, sizes)
    return table + (struct.unpack_from("<H", buffer, sizes + place)[0] if place < n_bytes else 0)


def _follow(buffer: memoryview, place: int) -> int:
    """Return the place that an offset in a flatbuffer leads to."""
    return place + int(struct.unpack_from("<I", buffer, place)[0])
