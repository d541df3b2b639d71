"""One pair at a time, for texts of thousands of tokens: Python's integers as masks of any width, sorting for counts.

Time is bounded by tokens times width over a machine word, memory by the two texts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from qa_frame._typing import Flags, Ids, Ints

_BLOCK = 1 << 14
"""Gold positions in one mask: bounds what the masks of a long gold with many distinct tokens take."""


_FOUND_AMISS = 64
"""How often a gold's bytes may be found across the border of two tokens before another way is taken."""


def clipped_matches(pred: Ids, gold: Ids, *, orders: int) -> list[int]:
    """Clipped n-gram matches of orders 1 to `orders`."""
    return [int(np.count_nonzero(matched)) for matched in matched_ngrams(pred, gold, orders=orders)]


def matched_ngrams(pred: Ids, gold: Ids, *, orders: int) -> Iterator[Flags]:
    """For each order from 1 on, whether the prediction's n-gram that begins at a token is matched.

    It is if it stands more often in the gold than before itself in the prediction.
    """
    _, names = np.unique(np.concatenate((pred, gold)), return_inverse=True)
    words = names.astype(np.int64)
    n_words = int(words.max(initial=0)) + 1
    grams = words
    for order in range(1, orders + 1):
        if order > 1:
            _, grams = np.unique(grams[:-1] * n_words + words[order - 1 :], return_inverse=True)
        in_pred, in_gold = grams[: max(0, len(pred) - order + 1)], grams[len(pred) :]
        in_gold_per_gram = np.bincount(in_gold, minlength=int(grams.max(initial=0)) + 1)
        yield in_gold_per_gram[in_pred] > _rank_among_equals(in_pred)


def _rank_among_equals(values: Ints) -> Ints:
    """For each value, how many equal ones stand before it."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    is_first = np.append(True, ordered[1:] != ordered[:-1])[: len(values)]
    starts = np.flatnonzero(is_first)
    rank = np.empty(len(values), np.int64)
    rank[order] = np.arange(len(values)) - np.repeat(starts, np.diff(np.append(starts, len(values))))
    return rank


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


def backtrack_lcs(pred: Ids, gold: Ids) -> Ids:
    """The words of the longest common subsequence that one finds going back from the table's end, last one first.

    The rule for ties is that of `mask_counts.backtrack_lcs`, with a step a word of the gold. Only every so many steps'
    states are kept; those between are made again.
    """
    masks: dict[int, int] = {}
    for position, word in enumerate(pred.tolist()):
        masks[word] = masks.get(word, 0) | 1 << position
    full = (1 << len(pred)) - 1
    steps = gold.tolist()
    stride = max(1, math.isqrt(len(steps)))
    starts = [full]  # the state in front of every stride
    for first in range(0, len(steps), stride):
        starts.append(_lcs_states(masks, steps[first : first + stride], starts[-1], full)[-1])
    chosen, n_open = [], len(pred)
    for stretch in range(len(starts) - 2, -1, -1):
        words = steps[stretch * stride : (stretch + 1) * stride]
        states = _lcs_states(masks, words, starts[stretch], full)
        for word, state in zip(reversed(words), reversed(states), strict=True):
            equal = masks.get(word, 0)
            n_open = ((equal | ~state & full) & ((1 << n_open) - 1)).bit_length()
            if n_open and equal >> (n_open - 1) & 1:
                chosen.append(word)
                n_open -= 1
    return np.array(chosen, np.int32)


def _lcs_states(masks: dict[int, int], steps: list[int], state: int, full: int) -> list[int]:
    """The running sum behind each step."""
    states = []
    for word in steps:
        matched = state & masks.get(word, 0)
        state = (state + matched & full) | (state ^ matched)
        states.append(state)
    return states


def longest_common_substring(pred: Ids, gold: Ids) -> int:
    """The length of the longest run of tokens that stands in both.

    Runs of length n get names by doubling: a run's name is that of its first and its last part, of half the length or
    more. As all shorter runs are common too, lengths are found by bisection.
    """
    _, names = np.unique(np.concatenate((pred, gold)), return_inverse=True)
    by_power = [names.astype(np.int64)]
    while _has_common_substring(by_power, 2 << len(by_power) - 1, len(pred)):
        by_power.append(_name_substrings(by_power, 2 << len(by_power) - 1))
    if len(by_power) == 1 and not _has_common_substring(by_power, 1, len(pred)):
        return 0
    known, beyond = 1 << len(by_power) - 1, 2 << len(by_power) - 1
    while beyond - known > 1:
        middle = (known + beyond) // 2
        known, beyond = (middle, beyond) if _has_common_substring(by_power, middle, len(pred)) else (known, middle)
    return known


def _name_substrings(by_power: list[Ints], length: int) -> Ints:
    """For each place, the name of the run of `length` that begins there; runs of powers of two have names already.

    by_power: names of runs of 1, 2, 4, ... as far as half of `length`.
    """
    power = min(length.bit_length() - 1, len(by_power) - 1)
    names = by_power[power]
    shift = length - (1 << power)
    if not shift:
        return names
    first, last = names[: len(names) - shift], names[shift:]
    _, longer = np.unique(first * (int(names.max(initial=0)) + 1) + last, return_inverse=True)
    named: Ints = longer.astype(np.int64)
    return named


def _has_common_substring(by_power: list[Ints], length: int, n_pred: int) -> bool:
    names = _name_substrings(by_power, length)
    in_pred, in_gold = names[: max(0, n_pred - length + 1)], names[n_pred:]
    return bool(np.isin(in_pred, in_gold).any())


def contains_gold(pred: Ids, gold: Ids) -> bool:
    """Whether the whole gold stands in the prediction as one run of tokens."""
    text, part = pred.tobytes(), gold.tobytes()
    at = -1
    for _ in range(_FOUND_AMISS):
        at = text.find(part, at + 1)
        if at % gold.itemsize == 0 or at < 0:
            return at >= 0
    # So often across the border of two tokens: looked for by names, whose time is bounded.
    by_power = [np.unique(np.concatenate((pred, gold)), return_inverse=True)[1].astype(np.int64)]
    while 1 << len(by_power) <= len(gold):
        by_power.append(_name_substrings(by_power, 1 << len(by_power)))
    return _has_common_substring(by_power, len(gold), len(pred))
