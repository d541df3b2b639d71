"""Are golds inside answers by chance? Golds of other rows are looked for in them by the same rule."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from qa_frame._typing import Flags, Ints
from qa_frame.frames.row_hashes import Hashes, hash_texts, mixed
from qa_frame.frames.text_columns import TextColumns
from qa_frame.text.raw_texts import binary_data, binary_offsets

_SAMPLED, _BYTES = 64, 4


def move_golds(columns: TextColumns, is_asked: Flags) -> tuple[TextColumns, Ints]:
    """Return some rows with the golds of others of them, and their places.

    Rows are chosen by a hash of their texts, and golds move by half of the rows in this order. So the order of rows
    makes no difference.

    is_asked: the rows among which these are, shape (rows,).
    """
    places = choose_rows(columns, np.flatnonzero(is_asked), _SAMPLED)
    golds = np.roll(places, len(places) // 2)
    return TextColumns(columns.pred.take(pa.array(places)), columns.golds.take(pa.array(golds))), places


def choose_rows(columns: TextColumns, places: Ints, n: int) -> Ints:
    """Return some of these rows, n at most, which depend on their texts alone."""
    if len(places) > 2 * n:  # a hash of whole texts takes far longer than one of some bytes
        bytes_hash = np.concatenate([_hash_some_bytes(chunk) for chunk in columns.pred.chunks])[places]
        places = places[bytes_hash <= np.partition(bytes_hash, n)[n]]
    some = pa.array(places)
    hashes = hash_texts(columns.pred.take(some), columns.golds.take(some))
    return places[np.argsort(hashes, kind="stable")[:n]]


def _hash_some_bytes(texts: pa.Array) -> Hashes:
    """Return a hash of the length and of some bytes of each text, uint64, shape (texts,)."""
    data, offsets = np.append(binary_data(texts), np.uint8(0)), binary_offsets(texts)
    length = np.diff(offsets)
    found = length.astype(np.uint64)
    for part in range(_BYTES):
        found = mixed(found + data[offsets[:-1] + length * part // _BYTES])
    return found
