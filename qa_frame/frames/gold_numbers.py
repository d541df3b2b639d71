"""The golds of rows → a number for each row, equal where the golds are the same ones in any order."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Ints
from qa_frame.frames.arrow_types import list_bounds
from qa_frame.frames.row_hashes import Hashes, mixed


def number_golds(golds: pa.ChunkedArray) -> Ints:
    """Return a number for each row, int64; 0 for a row without golds.

    golds: text, lists of text, or lists of lists of text. Nulls do not count.
    """
    return _hashes(golds).astype(np.int64)


def _hashes(array: pa.Array | pa.ChunkedArray) -> Hashes:
    """Return a number for each text or list, uint64; 0 for null and for a list without texts."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if not pa.types.is_large_list(array.type):
        codes = array.dictionary_encode().indices
        return mixed(pc.add(codes.cast(pa.int64()), 1).fill_null(0).to_numpy(zero_copy_only=False).astype(np.uint64))
    total = np.concatenate(([np.uint64(0)], np.cumsum(_hashes(array.flatten()), dtype=np.uint64)))
    return mixed(np.diff(total[list_bounds(array)]))
