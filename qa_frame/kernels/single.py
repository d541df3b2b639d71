"""One pair at a time, for texts of thousands of tokens: Python's integers as masks of any width, sorting for counts.

Time is bounded by tokens times width over a machine word, memory by the two texts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int32]

_BLOCK = 1 << 14
"""Gold positions in one mask: bounds what the masks of a long gold with many distinct tokens take."""


def clipped_matches(pred: Ids, gold: Ids, *, orders: int) -> list[int]:
    """Clipped n-gram matches of orders 1 to `orders`."""
    _, names = np.unique(np.concatenate((pred, gold)), return_inverse=True)
    words = names.astype(np.int64)
    n_words = int(words.max(initial=0)) + 1
    grams = words
    counts = []
    for order in range(1, orders + 1):
        if order > 1:
            longer = grams[:-1] * n_words + words[order - 1 :]
            _, grams = np.unique(longer, return_inverse=True)
        in_pred, in_gold = grams[: max(0, len(pred) - order + 1)], grams[len(pred) :]
        size = int(grams.max(initial=0)) + 1
        both = np.minimum(np.bincount(in_pred, minlength=size), np.bincount(in_gold, minlength=size))
        counts.append(int(both.sum()))
    return counts


def longest_common_subsequence(pred: Ids, gold: Ids) -> int:
    """Its length, by the rule of Hyyrö (2004) on masks as wide as the shorter text, `_BLOCK` positions at a time."""
    long, short = (pred, gold) if len(pred) >= len(gold) else (gold, pred)
    long, short = long[np.isin(long, short)], short[np.isin(short, long)]
    carries = bytearray(len(long))
    length = 0
    for start in range(0, len(short), _BLOCK):
        length += _lcs_block(long.tolist(), short[start : start + _BLOCK].tolist(), carries)
    return length


def _lcs_block(long: list[int], short: list[int], carries: bytearray) -> int:
    """The block's part of the length. `carries` holds each step's carry from the block before, and then to the next."""
    masks = dict.fromkeys(short, 0)
    for position, token in enumerate(short):
        masks[token] |= 1 << position
    full = (1 << len(short)) - 1
    state = full
    for step, token in enumerate(long):
        matched = state & masks.get(token, 0)
        total = state + matched + carries[step]
        carries[step] = total > full
        state = (total & full) | (state ^ matched)
    return len(short) - state.bit_count()


def whole_gold_run(pred: Ids, gold: Ids) -> bool:
    """Whether the whole gold stands in the prediction as one run of tokens."""
    text, part = pred.tobytes(), gold.tobytes()
    at = text.find(part)
    while at > 0 and at % gold.itemsize:  # found across the border of two tokens
        at = text.find(part, at + 1)
    return at >= 0
