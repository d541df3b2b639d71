"""Match masks → counts: clipped n-grams, distinct tokens, longest common subsequences and runs.

In all shapes, n is the number of pairs. A function works on masks with either text as the step text, unless it says
otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from qa_frame._typing import Flags, Ints
from qa_frame.kernels.masks import Mask, Masks


def matched_ngrams(masks: Masks, repeats: Masks, *, orders: int) -> Iterator[Flags]:
    """For each order from 1 on, whether the n-gram that begins at a step is matched, shape (steps - order + 1, n).

    An n-gram is matched if it occurs more often in the bit text than earlier in the step text. So as many are matched
    as both texts have. `repeats` are those that `masks.repeat_masks` gives for the step texts.
    """
    # Where the n-gram that ends at a step ends, too: the positions, and the distances of earlier steps.
    ends, before = masks, repeats
    for order in range(orders):
        if order:
            ends, before = _shift_up(ends[:-1]), before[:-1] & repeats[order:]
            ends &= masks[order:]
        yield np.bitwise_count(ends) > np.bitwise_count(before)


def clipped_matches(masks: Masks, repeats: Masks, *, orders: int) -> Ints:
    """The number of matched n-grams of orders 1 to `orders`, shape (orders, n). `repeats`: see `matched_ngrams`."""
    matches = np.zeros((orders, masks.shape[1]), np.int64)
    # No step text has longer n-grams than it has steps.
    for order, flags in enumerate(matched_ngrams(masks, repeats, orders=min(orders, len(masks)))):
        matches[order] = _count_steps(flags)
    return matches


def distinct_matches(masks: Masks, repeats: Masks) -> Ints:
    """The number of distinct tokens that both texts have, shape (n,). `repeats`: see `matched_ngrams`."""
    return _count_steps((masks != 0) & (repeats == 0)).astype(np.int64)


def _count_steps(flags: Flags) -> NDArray[np.unsignedinteger]:
    """The number of steps with a flag, shape (n,). flags: shape (steps, n)."""
    # numpy adds narrow integers several times faster than it counts flags along an axis.
    n_steps: NDArray[np.unsignedinteger] = flags.view(np.uint8).sum(axis=0, dtype=np.min_scalar_type(len(flags)))
    return n_steps


def longest_common_substring(masks: Masks) -> Ints:
    """The length of the longest sequence of consecutive tokens that both texts have, shape (n,)."""
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
    """The length of the longest common subsequence, shape (n,), by the bit-parallel algorithm of Hyyrö (2004).

    It is the number of zeros in the state after the last step. Bits after the end of a bit text stay 1.
    """
    state = ~np.zeros_like(masks[0])
    for _ in _lcs_steps(masks, state):
        pass
    length: Ints = np.bitwise_count(~state).astype(np.int64)
    return length


def lcs_states(masks: Masks) -> Masks:
    """The state after each step, in the shape of `masks`.

    A zero bit is a position at which the row of the dynamic programming table increases by one.
    """
    state = ~np.zeros_like(masks[0])
    states = np.empty_like(masks)
    for step in _lcs_steps(masks, state):
        states[step] = state
    return states


def _lcs_steps(masks: Masks, state: Mask) -> Iterator[int]:
    """Update `state` in place, and yield each step after its update."""
    matched, total = np.empty_like(state), np.empty_like(state)
    for step, mask in enumerate(masks):
        np.bitwise_and(state, mask, out=matched)
        np.add(state, matched, out=total)
        np.bitwise_xor(state, matched, out=state)  # state - matched, as matched is part of state
        np.bitwise_or(state, total, out=state)
        yield step


def backtrack_lcs(masks: Masks, states: Masks, n_steps: Ints) -> Masks:
    """The longest common subsequence that backtracking finds: the position of each step that belongs to it.

    A step has no bit, or that of its position, in the shape of `masks`.

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
    """The mask with all bits below its highest set bit set, too."""
    shift, bits = 1, 8 * mask.dtype.itemsize
    mask = mask.copy()
    while shift < bits:
        np.bitwise_or(mask, np.right_shift(mask, shift), out=mask)
        shift *= 2
    return mask


def is_substring(masks: Masks, n_steps: Ints) -> Flags:
    """Whether the step text is a sequence of consecutive tokens of the bit text, shape (n,).

    `n_steps` are the lengths of the step texts, shape (n,).
    """
    ends = masks[0]  # where the first tokens of the step text, up to this step, end in the bit text
    fewest = int(n_steps.min())
    for step in range(1, len(masks)):
        next_ends = _shift_up(ends) & masks[step]
        ends = next_ends if step < fewest else np.where(step < n_steps, next_ends, ends)
    found: Flags = ends != 0
    return found


def _shift_up(masks: Masks) -> Masks:
    """Move every bit up by one position."""
    return masks + masks  # numpy adds faster than it shifts
