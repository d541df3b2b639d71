"""The bytes and offsets of Arrow's `large_binary` arrays as numpy arrays, without a copy."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from qa_frame._typing import Bytes, Ints


def binary_from(data: Bytes, offsets: Ints) -> pa.Array:
    """Build a `large_binary` array, shape (offsets - 1,), from its bytes and offsets."""
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.large_binary(), len(offsets) - 1, buffers)


def binary_offsets(array: pa.Array) -> Ints:
    """Where each value begins in `binary_data`, and the end of the last one: shape (length + 1,). The first is 0."""
    buffer = array.buffers()[1]
    if not len(array) or buffer is None:
        return np.zeros(1, np.int64)
    offsets = np.frombuffer(buffer, np.int64)[array.offset : array.offset + len(array) + 1]
    return offsets - offsets[0] if offsets[0] else offsets


def binary_data(array: pa.Array) -> Bytes:
    """The bytes of all values, end to end."""
    buffer = array.buffers()[2]
    if not len(array) or buffer is None:
        return np.zeros(0, np.uint8)
    offsets = np.frombuffer(array.buffers()[1], np.int64)
    return np.frombuffer(buffer, np.uint8)[offsets[array.offset] : offsets[array.offset + len(array)]]
