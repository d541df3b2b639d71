"""Match masks and counts of them: for each token of the step text, the positions of the bit text that hold it, too.

`buckets` says which text of a pair is the bit text. A mask is an integer with one bit per position, so one numpy
operation handles up to 64 positions of thousands of pairs.
From the masks follow the counts: clipped n-grams, distinct tokens, longest common subsequences and runs.

In all shapes, n is the number of pairs. A function that counts works on masks with either text as the step text,
unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qa_frame._typing import Flags, Ints
from qa_frame.kernels.buckets import LONGEST, Bucket, Narrow

_DTYPES = tuple(np.dtype(name) for name in ("<u1", "<u2", "<u4", "<u8"))
"""Masks are little-endian on every machine, so that eight positions at a time are written as one byte."""

_LOWEST_BITS = np.array([(1 << n) - 1 for n in range(9)], np.uint8)

Mask = NDArray[np.unsignedinteger]
"""The masks of one step for n pairs, shape (n,). Bit j is position j of the bit text."""

Masks = NDArray[np.unsignedinteger]
"""The masks of all steps, shape (steps, n)."""


def match_masks(bucket: Bucket) -> Masks:
    """Return the masks of a bucket: the positions of the bit text that hold the token of each step; see `Masks`.

    Bit texts have up to `LONGEST` tokens. The masks are of the narrowest type that holds these.
    """
    steps, n_pairs = bucket.step_ids.shape
    n_positions = int(bucket.n_bits.max())
    dtype = _narrowest_dtype(n_positions)
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


def repeat_masks(step_ids: Narrow) -> Masks:
    """Return for each step the steps before it that hold the same token: bit j is the one that is j + 1 steps before.

    step_ids: see `Bucket`. Shape (steps, n).
    """
    steps = len(step_ids)
    dtype = _narrowest_dtype(steps - 1)
    masks = np.zeros(step_ids.shape, dtype)
    mask_bytes = masks.view(np.uint8).reshape(*step_ids.shape, dtype.itemsize)
    for first in range(0, steps - 1, 8):
        eight = np.zeros(step_ids.shape, np.uint8)
        for distance in range(min(first + 8, steps - 1), first, -1):
            np.add(eight, eight, out=eight)
            eight[distance:] |= (step_ids[distance:] == step_ids[:-distance]).view(np.uint8)
        mask_bytes[..., first // 8] = eight
    return masks


def condensed_masks(bucket: Bucket) -> tuple[Masks, Ints]:
    """Return the `Masks` of a bucket with long bit texts, and the places in it of pairs whose masks are wrong.

    In these masks, each run of tokens that the step text lacks counts as one position. So common runs and common
    subsequences have the same lengths as in the texts. A pair's masks are wrong if it needs more bits than a mask has.
    """
    n_positions = int(bucket.n_bits.max())
    ids = bucket.bit_ids
    windows = np.ndarray((len(ids) - n_positions + 1, n_positions), ids.dtype, ids, strides=2 * ids.strides)
    tokens = windows[bucket.bit_starts]  # rows that are copied whole are several times faster than `take`
    is_matched, same = np.zeros((2, *tokens.shape), np.bool_)
    for step in bucket.step_ids:
        is_matched |= np.equal(tokens, step[:, np.newaxis], out=same)
    places = np.flatnonzero(is_matched)
    pair, position = np.divmod(places, n_positions)
    inside = np.flatnonzero(position < bucket.n_bits.take(pair))
    places, pair, position = places.take(inside), pair.take(inside), position.take(inside)
    ends = np.cumsum(np.bincount(pair, minlength=len(bucket.pairs)))
    starts = np.append(0, ends[:-1])
    # Two matched tokens that stand side by side have bits side by side. One bit is free between others.
    bit = np.cumsum(np.minimum(np.diff(position, prepend=0), 2))
    bit -= np.append(bit, 0).take(starts).take(pair)
    dtype = _narrowest_dtype(int(bit.max(initial=0)) + 1)
    bits = np.uint64(1) << bit.astype(np.uint64)
    # Each bit occurs once in a mask, so that the sum of bits is the mask, and a difference of sums is one.
    bits_before = np.zeros((len(bucket.step_ids), len(places) + 1), dtype)
    is_step = tokens.ravel().take(places) == bucket.step_ids.take(pair, axis=1)
    np.cumsum(is_step * bits.astype(dtype), axis=1, dtype=dtype, out=bits_before[:, 1:])
    masks = bits_before.take(ends, axis=1) - bits_before.take(starts, axis=1)
    return masks, np.unique(pair[bit >= LONGEST])


def _narrowest_dtype(n_positions: int) -> np.dtype[Any]:
    """Return the narrowest type of masks that has so many bits, or the widest one."""
    return next((dtype for dtype in _DTYPES if n_positions <= 8 * dtype.itemsize), _DTYPES[-1])


def matched_ngrams(masks: Masks, repeats: Masks, *, orders: int) -> Iterator[Flags]:
    """Yield for each order from 1 on whether the n-gram that begins at a step is matched, shape (steps - order + 1, n).

    An n-gram is matched if it occurs more often in the bit text than earlier in the step text. So as many are matched
    as both texts have. `masks` are those of `match_masks`, and `repeats` those of `repeat_masks`.
    """
    # Where the n-gram that ends at a step ends, too: the positions, and the distances of earlier steps.
    ends, before = masks, repeats
    for order in range(orders):
        if order:
            ends, before = _shift_up(ends[:-1]), before[:-1] & repeats[order:]
            ends &= masks[order:]
        yield np.bitwise_count(ends) > np.bitwise_count(before)


def clipped_matches(masks: Masks, repeats: Masks, *, orders: int) -> Ints:
    """Return the number of matched n-grams of orders 1 to `orders`, shape (orders, n); see `matched_ngrams`."""
    matches = np.zeros((orders, masks.shape[1]), np.int64)
    # No step text has longer n-grams than it has steps.
    for order, flags in enumerate(matched_ngrams(masks, repeats, orders=min(orders, len(masks)))):
        matches[order] = _count_steps(flags)
    return matches


def distinct_matches(masks: Masks, repeats: Masks) -> Ints:
    """Return the number of distinct tokens that both texts have, shape (n,). masks, repeats: see `matched_ngrams`."""
    return _count_steps((masks != 0) & (repeats == 0)).astype(np.int64)


def _count_steps(flags: Flags) -> NDArray[np.unsignedinteger]:
    """Return the number of steps with a flag, shape (n,). flags: shape (steps, n)."""
    # numpy adds narrow integers several times faster than it counts flags along an axis.
    n_steps: NDArray[np.unsignedinteger] = flags.view(np.uint8).sum(axis=0, dtype=np.min_scalar_type(len(flags)))
    return n_steps


def longest_common_substring(masks: Masks) -> Ints:
    """Return the length of the longest sequence of consecutive tokens that both texts have, shape (n,)."""
    length = np.zeros(masks.shape[1], np.int64)
    pairs, ends, order = np.arange(len(length)), masks, 0
    while len(pairs) and len(ends):
        has_ngram = ends.any(axis=0)
        order += 1
        length[pairs[has_ngram]] = order
        if 2 * np.count_nonzero(has_ngram) < len(pairs):
            pairs, ends, masks = pairs[has_ngram], ends[..., has_ngram], masks[..., has_ngram]
        elif not has_ngram.any():
            break
        ends = _shift_up(ends[:-1]) & masks[order:]
    return length


def longest_common_subsequence(masks: Masks) -> Ints:
    """Return the length of the longest common subsequence, shape (n,), by the bit-parallel algorithm of Hyyrö (2004).

    It is the number of zeros in the state after the last step. Bits after the end of a bit text stay 1.
    """
    state = ~np.zeros_like(masks[0])
    for _ in _lcs_steps(masks, state):
        pass
    length: Ints = np.bitwise_count(~state).astype(np.int64)
    return length


def lcs_states(masks: Masks) -> Masks:
    """Return the state of `longest_common_subsequence` after each step, in the shape of `masks`.

    A zero bit is a position at which the row of the dynamic programming table increases by one.
    """
    state = ~np.zeros_like(masks[0])
    states = np.empty_like(masks)
    for step in _lcs_steps(masks, state):
        states[step] = state
    return states


def _lcs_steps(masks: Masks, state: Mask) -> Iterator[int]:
    """Update the state of `longest_common_subsequence` in place, step by step. Yield each step after its update."""
    matched, total = np.empty_like(state), np.empty_like(state)
    for step, mask in enumerate(masks):
        np.bitwise_and(state, mask, out=matched)
        np.add(state, matched, out=total)
        np.bitwise_xor(state, matched, out=state)  # state - matched, as matched is part of state
        np.bitwise_or(state, total, out=state)
        yield step


def backtrack_lcs(masks: Masks, states: Masks, n_steps: Ints) -> Masks:
    """Return the longest common subsequence that backtracking finds, as masks in the shape of `masks`.

    A step that belongs to it has the bit of its position in the bit text. Other steps have none.

    Backtracking begins at the last step and position of the table. Where the two tokens are equal, it takes them and
    goes back by one step and one position. Else it goes back by one step if that leaves a longer subsequence than
    going back by one position, and by one position if not. `states` are those of `lcs_states`; `n_steps` are the
    lengths of the step texts, shape (n,).
    """
    fewest = int(n_steps.min())
    chosen = np.empty_like(masks)
    open_bits = ~np.zeros_like(masks[0])  # the positions that are left: all below some bit
    for step in range(len(masks) - 1, -1, -1):
        # Backtracking goes down to the highest position where the tokens are equal or the row increases.
        left = _fill_below((masks[step] | ~states[step]) & open_bits)
        below = left >> 1
        np.bitwise_and(left ^ below, masks[step], out=chosen[step])
        left = np.where(chosen[step] != 0, below, left)
        open_bits = left if step < fewest else np.where(step < n_steps, left, open_bits)
    return chosen


def _fill_below(mask: Mask) -> Mask:
    """Return the mask with all bits below its highest set bit set, too."""
    shift, bits = 1, 8 * mask.dtype.itemsize
    mask = mask.copy()
    while shift < bits:
        np.bitwise_or(mask, np.right_shift(mask, shift), out=mask)
        shift *= 2
    return mask


def is_substring(masks: Masks, n_steps: Ints) -> Flags:
    """Return whether the step text is a sequence of consecutive tokens of the bit text, shape (n,).

    `masks` are those of `match_masks`, and `n_steps` the lengths of the step texts, shape (n,).
    """
    ends = masks[0]  # where the first tokens of the step text, up to this step, end in the bit text
    fewest = int(n_steps.min())
    for step in range(1, len(masks)):
        next_ends = _shift_up(ends) & masks[step]
        ends = next_ends if step < fewest else np.where(step < n_steps, next_ends, ends)
    is_part: Flags = ends != 0
    return is_part


def _shift_up(masks: Masks) -> Masks:
    """Return the masks with every bit moved up by one position."""
    return masks + masks  # numpy adds faster than it shifts
