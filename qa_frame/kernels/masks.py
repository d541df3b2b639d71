"""Match masks: for each token of the step text, the positions of the bit text that hold the same token.

`buckets` says which text of a pair is the bit text. A mask is an integer with one bit per position, so one numpy
operation handles up to 64 positions of thousands of pairs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qa_frame.kernels.buckets import Bucket

_LOWEST_BITS = np.array([(1 << n) - 1 for n in range(9)], np.uint8)

Mask = NDArray[np.unsignedinteger]
"""The masks of one step for n pairs, shape (n,). Bit j is position j of the bit text."""

Masks = NDArray[np.unsignedinteger]
"""The masks of all steps, shape (steps, n)."""


def match_masks(bucket: Bucket) -> Masks:
    """The masks of a bucket, of the narrowest type that holds its bit texts."""
    steps, n_pairs = bucket.step_ids.shape
    n_positions = int(bucket.n_bits.max())
    dtype = next(np.dtype(name) for name in ("<u1", "<u2", "<u4", "<u8") if n_positions <= 8 * np.dtype(name).itemsize)
    # The masks are little-endian on every machine, so that eight positions at a time are written as one byte.
    masks = np.zeros((steps, n_pairs), dtype)
    mask_bytes = masks.view(np.uint8).reshape(steps, n_pairs, dtype.itemsize)
    eight, bit = np.empty((2, steps, n_pairs), np.uint8)
    same_highest, same = eight.view(np.bool_), bit.view(np.bool_)
    for first in range(0, n_positions, 8):
        positions = np.arange(first, min(first + 8, n_positions))[:, np.newaxis]
        *others, highest = bucket.bit_ids.take(bucket.bit_starts + positions, mode="clip")
        np.equal(highest, bucket.step_ids, out=same_highest)
        for token in reversed(others):
            np.equal(token, bucket.step_ids, out=same)
            np.add(eight, eight, out=eight)  # a shift by one; numpy adds several times faster than it shifts
            np.bitwise_or(eight, bit, out=eight)
        # Positions after the end of a bit text were compared, too. Their bits are cleared.
        np.bitwise_and(eight, _LOWEST_BITS.take(bucket.n_bits - first, mode="clip"), out=eight)
        mask_bytes[..., first // 8] = eight
    return masks
