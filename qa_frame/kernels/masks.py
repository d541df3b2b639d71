"""The match masks: for each token of one text of a pair, the positions in the other one that hold the same token.

Everything that is counted follows from them. A mask is one bit a position, so that one numpy operation on small
integers looks at 8 to 64 positions of thousands of pairs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qa_frame.kernels.buckets import Bucket

_LOWEST_BITS = np.array([(1 << n) - 1 for n in range(9)], np.uint8)

Mask = NDArray[np.unsignedinteger]
"""Unsigned integers of shape (limbs, n) for n pairs: bit j of limb q stands for position (bits of a limb) q + j."""


def match_masks(bucket: Bucket) -> NDArray[np.unsignedinteger]:
    """Masks of shape (steps, limbs, n): a `Mask` for each position of the texts of steps.

    The type is the narrowest that holds the texts of bits, or as many 64-bit limbs as it takes.
    """
    steps, n_pairs = bucket.step_ids.shape
    n_positions = int(bucket.n_bits.max())
    dtype, limbs = _mask_type(n_positions)
    # Little-endian in memory, whatever the machine, so that eight positions at a time are written as one byte.
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
            np.add(eight, eight, out=eight)  # a shift by one, several times faster in numpy than a shift
            np.bitwise_or(eight, bit, out=eight)
        # What was compared behind the end of a text of bits is struck out.
        np.bitwise_and(eight, _LOWEST_BITS.take(bucket.n_bits - first, mode="clip"), out=eight)
        limb, byte = divmod(first // 8, dtype.itemsize)
        mask_bytes[:, limb, :, byte] = eight
    return masks


def _mask_type(n_positions: int) -> tuple[np.dtype[np.unsignedinteger], int]:
    for dtype in ("<u1", "<u2", "<u4", "<u8"):
        bits = 8 * np.dtype(dtype).itemsize
        if n_positions <= bits:
            break
    return np.dtype(dtype), -(-n_positions // bits)
