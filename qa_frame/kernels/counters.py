"""What is counted from the masks: clipped n-gram matches, the longest common subsequence, a run of the whole text.

All are symmetric in the two texts, but for the run, which asks for the shorter text in the longer one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qa_frame.kernels.masks import Mask

Masks = NDArray[np.unsignedinteger]  # (steps, limbs, n)


def clipped_matches(masks: Masks, *, orders: int) -> NDArray[np.int64]:
    """Clipped n-gram matches of orders 1 to `orders`, shape (orders, n): an n-gram counts as often as both have it.

    Each n-gram of the shorter text takes the first equal n-gram of the longer one that is still free. Which one is of
    no consequence, as equal n-grams may stand for each other; so the n-grams taken in the end are the clipped count.
    """
    counts = np.empty((orders, masks.shape[2]), np.int64)
    ends = masks  # ends[i]: where an n-gram ends that equals the one that ends at step i
    for order in range(orders):
        if order:
            longer = _shift_up(ends[:-1])
            longer &= masks[order:]
            ends = longer
        counts[order] = _count_taken(ends)
    return counts


def _count_taken(ends: Masks) -> NDArray[np.int64]:
    """How many positions are taken if each step in turn takes the lowest of its positions that is free, shape (n,)."""
    if len(ends) == 1:
        return (ends[0] != 0).any(axis=0).astype(np.int64)
    taken = np.zeros_like(ends[0])
    free, first = np.empty_like(taken), np.empty_like(taken)
    for mask in ends:
        np.invert(taken, out=free)
        np.bitwise_and(mask, free, out=free)
        if len(free) > 1:  # of several limbs, only the first with a free position
            found = free[0] != 0
            for limb in free[1:]:
                limb[found] = 0
                found |= limb != 0
        np.negative(free, out=first)
        np.bitwise_and(first, free, out=first)
        np.bitwise_or(taken, first, out=taken)
    return _popcount(taken)


def longest_common_subsequence(masks: Masks) -> NDArray[np.int64]:
    """Its length, shape (n,), by the bit-parallel rule of Hyyrö (2004): the zeros of a running sum.

    Bits behind the end of a longer text stay ones and so count for nothing.
    """
    if len(masks) == 1:
        return (masks[0] != 0).any(axis=0).astype(np.int64)
    state = ~np.zeros_like(masks[0])
    matched, total = np.empty_like(state), np.empty_like(state)
    for mask in masks:
        np.bitwise_and(state, mask, out=matched)
        np.add(state, matched, out=total)
        if len(state) > 1:
            _carry(state, total)
        np.bitwise_xor(state, matched, out=state)  # state - matched, as matched is part of state
        np.bitwise_or(state, total, out=state)
    return _popcount(~state)


def whole_run(masks: Masks, n_short: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the whole shorter text, of `n_short` tokens, is one run of tokens in the longer one, shape (n,)."""
    run = masks[0]
    fewest = int(n_short.min())
    for step in range(1, len(masks)):
        longer = _shift_up(run)
        longer &= masks[step]
        run = longer if step < fewest else np.where(step < n_short, longer, run)
    return (run != 0).any(axis=0)


def _popcount(mask: Mask) -> NDArray[np.int64]:
    """Bits set, shape (n,)."""
    return np.bitwise_count(mask).sum(axis=0, dtype=np.int64)


def _shift_up(masks: NDArray[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
    """Every position moves up by one, from limb to limb. Limbs are the last axis but one."""
    shifted = masks + masks  # faster in numpy than a shift
    if masks.shape[-2] > 1:
        shifted[..., 1:, :] |= masks[..., :-1, :] >> (8 * masks.dtype.itemsize - 1)
    return shifted


def _carry(state: Mask, total: Mask) -> None:
    """Carry from limb to limb of `total` what the sum of `state` and something else overflowed."""
    carry = total[0] < state[0]
    for limb in range(1, len(state)):
        overflowed = total[limb] < state[limb]
        total[limb] += carry
        overflowed |= carry & (total[limb] == 0)
        carry = overflowed
