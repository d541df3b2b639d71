"""Bytes and offsets of Arrow arrays are those of their values, also of slices."""

from __future__ import annotations

import pyarrow as pa
import pytest

from qa_frame.text.raw_texts import binary_data, binary_from, binary_offsets

VALUES = [b"ab", b"", b"cde", b"f"]


@pytest.mark.parametrize(("start", "length"), [(0, 4), (1, 2), (2, 0), (3, 1), (0, 0)])
def test_bytes_and_offsets_make_the_same_array(start, length):
    array = pa.array(VALUES, pa.large_binary()).slice(start, length)
    data, offsets = binary_data(array), binary_offsets(array)
    assert data.tobytes() == b"".join(VALUES[start : start + length])
    assert offsets[0] == 0
    assert binary_from(data, offsets).to_pylist() == VALUES[start : start + length]
