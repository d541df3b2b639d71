"""Arrow's `large_binary` as numpy sees it: bytes and offsets, without a copy."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from qa_frame._typing import Bytes, Ints


def binary_from(data: Bytes, offsets: Ints) -> pa.Array:
    """An Arrow `large_binary` array of shape (offsets - 1,) over `data`."""
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.large_binary(), len(offsets) - 1, buffers)


def binary_offsets(array: pa.Array) -> Ints:
    """The offsets of a `large_binary` array, shape (length + 1,), into `binary_data`; the first is 0."""
    buffer = array.buffers()[1]
    if not len(array) or buffer is None:
        return np.zeros(1, np.int64)
    offsets = np.frombuffer(buffer, np.int64)[array.offset : array.offset + len(array) + 1]
    return offsets - offsets[0] if offsets[0] else offsets


def binary_data(array: pa.Array) -> Bytes:
    """The bytes of all values of a `large_binary` array, end to end."""
    buffer = array.buffers()[2]
    if not len(array) or buffer is None:
        return np.zeros(0, np.uint8)
    offsets = np.frombuffer(array.buffers()[1], np.int64)
    return np.frombuffer(buffer, np.uint8)[offsets[array.offset] : offsets[array.offset + len(array)]]
