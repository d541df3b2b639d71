"""Counts of one pair at a time, for texts of thousands of tokens.

Masks are Python integers of any width, and counting is done by sorting. The time is at most in proportion to
n_pred * n_gold / 64, the memory to n_pred + n_gold.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from qa_frame._typing import Flags, Ids, Ints
from qa_frame.kernels.ranges import concatenated_ranges


def matched_ngrams(pred: Ids | Ints, gold: Ids | Ints, *, orders: int) -> Iterator[Flags]:
    """For each order from 1 on, whether the n-gram that begins at a token of the prediction is matched.

    It is matched if it occurs more often in the gold than earlier in the prediction.
    """
    tokens = _renumber(np.concatenate((pred, gold), dtype=np.int64))
    n_tokens = int(tokens.max(initial=0)) + 1
    ngrams = tokens
    for order in range(1, orders + 1):
        if order > 1:
            ngrams = _renumber(ngrams[:-1] * n_tokens + tokens[order - 1 :])
        in_pred, in_gold = ngrams[: max(0, len(pred) - order + 1)], ngrams[len(pred) :]
        n_in_gold = np.bincount(in_gold, minlength=int(ngrams.max(initial=0)) + 1)
        yield n_in_gold[in_pred] > _rank_among_equals(in_pred)


def _renumber(values: Ids | Ints) -> Ints:
    """Number the distinct values 0, 1, 2, ... and return each value's number."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64, copy=False)


def _rank_among_equals(values: Ints) -> Ints:
    """For each value, how many equal values come before it. Values are small and not negative."""
    counts = np.bincount(values)
    rank = np.empty(len(values), np.int64)
    rank[np.argsort(values, kind="stable")] = concatenated_ranges(np.zeros_like(counts), counts)
    return rank


def backtrack_lcs(bit_text: Ids, step_text: Ids) -> Ints:
    """The longest common subsequence that `mask_counts.backtrack_lcs` finds: its positions in the bit text, descending.

    To save memory, the states are kept only at the start of each stretch of steps. The other states are computed again
    when backtracking reaches their stretch.
    """
    masks: dict[int, int] = {}
    for position, token in enumerate(bit_text.tolist()):
        masks[token] = masks.get(token, 0) | 1 << position
    full = (1 << len(bit_text)) - 1
    steps = step_text.tolist()
    stride = max(1, math.isqrt(len(steps)))
    starts = [full]  # the state before each stretch
    for first in range(0, len(steps), stride):
        starts.append(_lcs_states(masks, steps[first : first + stride], starts[-1], full)[-1])
    chosen, n_open = [], len(bit_text)
    for stretch in range(len(starts) - 2, -1, -1):
        tokens = steps[stretch * stride : (stretch + 1) * stride]
        states = _lcs_states(masks, tokens, starts[stretch], full)
        for token, state in zip(reversed(tokens), reversed(states), strict=True):
            equal = masks.get(token, 0)
            n_open = ((equal | ~state & full) & ((1 << n_open) - 1)).bit_length()
            if n_open and equal >> (n_open - 1) & 1:
                n_open -= 1
                chosen.append(n_open)
    return np.array(chosen, np.int64)


def _lcs_states(masks: dict[int, int], steps: list[int], state: int, full: int) -> list[int]:
    """The state after each step, from the state before the first one."""
    states = []
    for token in steps:
        matched = state & masks.get(token, 0)
        state = (state + matched & full) | (state ^ matched)
        states.append(state)
    return states
