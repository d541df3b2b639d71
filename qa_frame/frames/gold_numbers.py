"""The golds of rows → a number for each row, equal where the golds are the same ones in any order."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Ints
from qa_frame.frames.arrow_types import list_bounds


def number_golds(golds: pa.ChunkedArray) -> Ints:
    """Return a number for each row, int64; 0 for a row without golds.

    golds: text, lists of text, or lists of lists of text. Nulls do not count.
    """
    return _hashes(golds).astype(np.int64)


def _hashes(array: pa.Array | pa.ChunkedArray) -> Ints:
    """Return a number for each text or list, uint64; 0 for null and for a list without texts."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if not pa.types.is_large_list(array.type):
        codes = array.dictionary_encode().indices
        return _mix(pc.add(codes.cast(pa.int64()), 1).fill_null(0).to_numpy(zero_copy_only=False).astype(np.uint64))
    total = np.concatenate(([np.uint64(0)], np.cumsum(_hashes(array.flatten()), dtype=np.uint64)))
    return _mix(np.diff(total[list_bounds(array)]))


def _mix(numbers: Ints) -> Ints:
    """Return the numbers, uint64, put into disorder (the last steps of SplitMix64). 0 stays 0."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))
