"""What is counted from the masks: clipped n-gram matches, the longest common subsequence, a run of the whole text.

All are symmetric in the two texts, but for the run, which asks for the shorter text in the longer one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qa_frame.kernels.masks import Mask

Masks = NDArray[np.unsignedinteger]  # (steps, limbs, n)


def clipped_matches(masks: Masks, self_masks: Masks, *, orders: int) -> NDArray[np.int64]:
    """Clipped n-gram matches of orders 1 to `orders`, shape (orders, n): an n-gram counts as often as both have it.

    self_masks: the masks of the shorter texts against themselves. An n-gram of the shorter text counts if it stands
    more often in the longer text than before itself in its own. One step needs no self_masks.
    """
    steps = len(masks)
    if steps == 1:
        return _is_any(masks[0]).astype(np.int64)[np.newaxis]
    before = _bits_below(np.arange(steps), self_masks)
    counts = np.empty((orders, masks.shape[2]), np.int64)
    ends, self_ends = masks, self_masks  # where an n-gram ends that equals the one that ends at a step
    for order in range(orders):
        if order:
            ends, self_ends = _shift_up(ends[:-1]), _shift_up(self_ends[:-1])
            ends &= masks[order:]
            self_ends &= self_masks[order:]
        n_before = _popcount(self_ends & before[order:])
        counts[order] = np.count_nonzero(_popcount(ends) > n_before, axis=0)
    return counts


def _bits_below(steps: NDArray[np.int64], like: Masks) -> Masks:
    """For each step, the mask of all positions before it, shape (steps, limbs, 1)."""
    bits = 8 * like.dtype.itemsize
    n_below = np.clip(steps[:, np.newaxis] - bits * np.arange(like.shape[1]), 0, bits)
    masks = np.array([(1 << n) - 1 for n in n_below.ravel().tolist()], like.dtype)
    return masks.reshape(*n_below.shape, 1)


def longest_common_subsequence(masks: Masks) -> NDArray[np.int64]:
    """Its length, shape (n,), by the bit-parallel rule of Hyyrö (2004): the zeros of a running sum.

    Bits behind the end of a longer text stay ones and so count for nothing.
    """
    state = ~np.zeros_like(masks[0])
    matched, total = np.empty_like(state), np.empty_like(state)
    for mask in masks:
        np.bitwise_and(state, mask, out=matched)
        np.add(state, matched, out=total)
        if len(state) > 1:
            _carry(state, total)
        np.bitwise_xor(state, matched, out=state)  # state - matched, as matched is part of state
        np.bitwise_or(state, total, out=state)
    return _popcount(~state).astype(np.int64)


def whole_run(masks: Masks, n_short: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the whole shorter text, of `n_short` tokens, is one run of tokens in the longer one, shape (n,)."""
    run = masks[0]
    fewest = int(n_short.min())
    for step in range(1, len(masks)):
        longer = _shift_up(run)
        longer &= masks[step]
        run = longer if step < fewest else np.where(step < n_short, longer, run)
    return _is_any(run)


def _is_any(mask: Mask) -> NDArray[np.bool_]:
    """Whether any bit is set, shape (n,)."""
    found: NDArray[np.bool_] = (mask != 0).any(axis=0)
    return found


def _popcount(masks: Masks | Mask) -> NDArray[np.integer]:
    """Bits set over all limbs, the last axis but one: shape (..., n)."""
    bits = np.bitwise_count(masks)
    return bits[..., 0, :] if bits.shape[-2] == 1 else bits.sum(axis=-2, dtype=np.int32)


def _shift_up(masks: NDArray[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
    """Every position moves up by one, from limb to limb. Limbs are the last axis but one."""
    shifted = masks + masks  # faster in numpy than a shift
    if masks.shape[-2] > 1:
        shifted[..., 1:, :] |= masks[..., :-1, :] >> (8 * masks.dtype.itemsize - 1)
    return shifted


def _carry(state: Mask, total: Mask) -> None:
    """Carry from limb to limb of `total` what the sums of `state` and something else, limb by limb, overflowed."""
    carry = total[:-1] < state[:-1]
    while carry.any():
        higher = total[1 : len(carry) + 1]
        higher += carry
        carry = carry[:-1] & (higher[:-1] == 0)
        total = total[1:]
