"""Match masks: for each token of the step text, the positions of the bit text that hold the same token.

`buckets` says which text of a pair is the bit text. All counts are computed from these masks. A mask has one bit per
position, so one numpy operation on small integers handles 8 to 64 positions of thousands of pairs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qa_frame.kernels.buckets import Bucket

_LOWEST_BITS = np.array([(1 << n) - 1 for n in range(9)], np.uint8)

Mask = NDArray[np.unsignedinteger]
"""The masks of one step for n pairs, shape (limbs, n). With b bits per limb, bit j of limb q is position b * q + j."""

Masks = NDArray[np.unsignedinteger]
"""The masks of all steps, shape (steps, limbs, n)."""


def match_masks(bucket: Bucket) -> Masks:
    """The masks of a bucket, of the narrowest type that holds its bit texts, else in as many 64-bit limbs as needed."""
    steps, n_pairs = bucket.step_ids.shape
    n_positions = int(bucket.n_bits.max())
    dtype, limbs = _mask_type(n_positions)
    # The masks are little-endian on every machine, so that eight positions at a time are written as one byte.
    masks = np.zeros((steps, limbs, n_pairs), dtype)
    mask_bytes = masks.view(np.uint8).reshape(steps, limbs, n_pairs, dtype.itemsize)
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
        limb, byte = divmod(first // 8, dtype.itemsize)
        mask_bytes[:, limb, :, byte] = eight
    return masks


def _mask_type(n_positions: int) -> tuple[np.dtype[np.unsignedinteger], int]:
    """The type of a limb, and the number of limbs."""
    for dtype in ("<u1", "<u2", "<u4", "<u8"):
        bits = 8 * np.dtype(dtype).itemsize
        if n_positions <= bits:
            break
    return np.dtype(dtype), -(-n_positions // bits)
