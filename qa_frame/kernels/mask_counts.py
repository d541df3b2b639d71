"""What is counted from the masks: clipped n-gram matches, distinct tokens, longest common subsequences and runs.

Steps and bits may be either text of a pair, but where a function says more.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from qa_frame._typing import Flags, Ints
from qa_frame.kernels.masks import Mask

Masks = NDArray[np.unsignedinteger]  # (steps, limbs, n)


def matched_ngrams(masks: Masks, self_masks: Masks, *, orders: int) -> Iterator[Flags]:
    """For each order from 1 on, whether the n-gram that begins at a step is matched: shape (steps - order + 1, n).

    self_masks: the masks of the texts of steps against themselves. An n-gram is matched if it stands more often in the
    text of bits than before itself in its own: so as often as both have it. One step needs no self_masks.
    """
    steps = len(masks)
    if steps == 1:
        yield _is_any(masks[0])[np.newaxis]
        return
    before = _bits_below(np.arange(steps), self_masks)
    ends, self_ends = masks, self_masks  # where an n-gram ends that equals the one that ends at a step
    for order in range(orders):
        if order:
            ends, self_ends = _shift_up(ends[:-1]), _shift_up(self_ends[:-1])
            ends &= masks[order:]
            self_ends &= self_masks[order:]
        yield _popcount(ends) > _popcount(self_ends & before[order:])


def clipped_matches(masks: Masks, self_masks: Masks, *, orders: int) -> Ints:
    """Clipped n-gram matches of orders 1 to `orders`, shape (orders, n): an n-gram counts as often as both have it."""
    matched = matched_ngrams(masks, self_masks, orders=orders)
    return np.array([np.count_nonzero(flags, axis=0) for flags in matched], np.int64)


def distinct_matches(masks: Masks, self_masks: Masks) -> Ints:
    """How many distinct tokens stand in both texts, shape (n,). self_masks: as for `matched_ngrams`."""
    steps = len(masks)
    matched = _is_any_per_step(masks)
    if steps > 1:
        matched &= ~_is_any_per_step(self_masks & _bits_below(np.arange(steps), self_masks))
    n_matched: Ints = np.count_nonzero(matched, axis=0)
    return n_matched


def longest_common_substring(masks: Masks) -> Ints:
    """The length of the longest run of tokens that stands in both texts, shape (n,)."""
    length = np.zeros(masks.shape[2], np.int64)
    pairs, ends, order = np.arange(len(length)), masks, 0
    while len(pairs) and len(ends):
        has_run = _is_any_per_step(ends).any(axis=0)
        order += 1
        length[pairs[has_run]] = order
        if 2 * np.count_nonzero(has_run) < len(pairs):
            pairs, ends, masks = pairs[has_run], ends[..., has_run], masks[..., has_run]
        elif not has_run.any():
            break
        ends = _shift_up(ends[:-1]) & masks[order:]
    return length


def _bits_below(steps: Ints, like: Masks) -> Masks:
    """For each step, the mask of all positions before it, shape (steps, limbs, 1)."""
    bits = 8 * like.dtype.itemsize
    n_below = np.clip(steps[:, np.newaxis] - bits * np.arange(like.shape[1]), 0, bits)
    masks = np.array([(1 << n) - 1 for n in n_below.ravel().tolist()], like.dtype)
    return masks.reshape(*n_below.shape, 1)


def longest_common_subsequence(masks: Masks) -> Ints:
    """Its length, shape (n,), by the bit-parallel rule of Hyyrö (2004): the zeros of a running sum.

    Bits behind the end of a text stay ones and so count for nothing.
    """
    state = ~np.zeros_like(masks[0])
    for _ in _lcs_steps(masks, state):
        pass
    return _popcount(~state).astype(np.int64)


def lcs_states(masks: Masks) -> Masks:
    """The running sum behind each step: zeros are the positions at which the table's row grows by one."""
    state = ~np.zeros_like(masks[0])
    states = np.empty_like(masks)
    for step in _lcs_steps(masks, state):
        states[step] = state
    return states


def _lcs_steps(masks: Masks, state: Mask) -> Iterator[int]:
    """Carry `state` from step to step, in place."""
    matched, total = np.empty_like(state), np.empty_like(state)
    for step, mask in enumerate(masks):
        np.bitwise_and(state, mask, out=matched)
        np.add(state, matched, out=total)
        if len(state) > 1:
            _carry(state, total)
        np.bitwise_xor(state, matched, out=state)  # state - matched, as matched is part of state
        np.bitwise_or(state, total, out=state)
        yield step


def backtrack_lcs(masks: Masks, states: Masks, n_steps: Ints) -> Flags:
    """Which steps are part of the longest common subsequence that one finds going back from the table's end.

    At a cell (step, position): equal tokens are taken; else one goes back a step if that leaves a longer subsequence
    than going back a position, else back a position. states: from `lcs_states`. n_steps: each pair's own, shape (n,).
    Shape (steps, n).
    """
    fewest = int(n_steps.min())
    matched = np.zeros((len(masks), masks.shape[2]), np.bool_)
    open_bits = ~np.zeros_like(masks[0])  # the positions not passed yet: the lowest ones
    for step in range(len(masks) - 1, -1, -1):
        # Positions are passed down to the highest one where tokens are equal or the row grows.
        left = _fill_below((masks[step] | ~states[step]) & open_bits)
        below = _shift_down(left)
        is_equal = _is_any((left ^ below) & masks[step])
        matched[step] = is_equal
        left = np.where(is_equal, below, left)
        open_bits = left if step < fewest else np.where(step < n_steps, left, open_bits)
    return matched


def _fill_below(mask: Mask) -> Mask:
    """Every bit set from the highest one that is set down."""
    shift, bits = 1, 8 * mask.dtype.itemsize
    mask = mask.copy()
    while shift < bits:
        np.bitwise_or(mask, np.right_shift(mask, shift), out=mask)
        shift *= 2
    if len(mask) > 1:
        above = np.logical_or.accumulate(mask[:0:-1] != 0, axis=0)[::-1]
        mask[:-1][above] = np.iinfo(mask.dtype).max
    return mask


def is_substring(masks: Masks, n_steps: Ints) -> Flags:
    """Whether the whole text of steps, of `n_steps` tokens, is one run of tokens in the text of bits, shape (n,)."""
    run = masks[0]
    fewest = int(n_steps.min())
    for step in range(1, len(masks)):
        longer = _shift_up(run)
        longer &= masks[step]
        run = longer if step < fewest else np.where(step < n_steps, longer, run)
    return _is_any(run)


def _is_any(mask: Mask) -> Flags:
    """Whether any bit is set, shape (n,)."""
    found: Flags = (mask != 0).any(axis=0)
    return found


def _is_any_per_step(masks: Masks) -> Flags:
    """Whether any bit is set, shape (steps, n)."""
    found: Flags = (masks != 0).any(axis=1)
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


def _shift_down(mask: Mask) -> Mask:
    """Every position moves down by one, from limb to limb."""
    shifted: Mask = np.right_shift(mask, 1)
    if len(mask) > 1:
        shifted[:-1] |= mask[1:] << (8 * mask.dtype.itemsize - 1)
    return shifted


def _carry(state: Mask, total: Mask) -> None:
    """Carry from limb to limb of `total` what the sums of `state` and something else, limb by limb, overflowed."""
    carry = total[:-1] < state[:-1]
    while carry.any():
        higher = total[1 : len(carry) + 1]
        higher += carry
        carry = carry[:-1] & (higher[:-1] == 0)
        total = total[1:]
