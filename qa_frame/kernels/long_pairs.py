"""Counts of one pair at a time, for texts of thousands of tokens.

Masks are Python integers of any width, and counting is done by sorting. The time is at most in proportion to
n_pred * n_gold / 64, the memory to n_pred + n_gold.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator

import numpy as np

from qa_frame._typing import Flags, Ids, Ints
from qa_frame.kernels.ranges import concatenated_ranges

_BLOCK = 1 << 14
"""The most positions in one mask. This bounds the memory of the masks of a text with many distinct tokens."""


def clipped_matches(pred: Ids, gold: Ids, *, orders: int) -> list[int]:
    """Clipped n-gram matches of orders 1 to `orders`."""
    return [int(np.count_nonzero(matched)) for matched in matched_ngrams(pred, gold, orders=orders)]


def matched_ngrams(pred: Ids, gold: Ids, *, orders: int) -> Iterator[Flags]:
    """For each order from 1 on, whether the n-gram that begins at a token of the prediction is matched.

    It is matched if it occurs more often in the gold than earlier in the prediction.
    """
    tokens = _renumber(np.concatenate((pred, gold)))
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
    _, numbers = np.unique(values, return_inverse=True)
    return numbers.astype(np.int64, copy=False)


def _rank_among_equals(values: Ints) -> Ints:
    """For each value, how many equal values come before it. Values are small and not negative."""
    counts = np.bincount(values)
    rank = np.empty(len(values), np.int64)
    rank[np.argsort(values, kind="stable")] = concatenated_ranges(np.zeros_like(counts), counts)
    return rank


def longest_common_subsequence(pred: Ids, gold: Ids) -> int:
    """The length of the longest common subsequence, by the algorithm of Hyyrö (2004).

    Masks are as wide as the shorter text, but are handled `_BLOCK` positions at a time.
    """
    long, short = (pred, gold) if len(pred) >= len(gold) else (gold, pred)
    long, short = long[np.isin(long, short)], short[np.isin(short, long)]
    carries = bytearray(len(long))
    length = 0
    for start in range(0, len(short), _BLOCK):
        length += _lcs_block(long.tolist(), short[start : start + _BLOCK].tolist(), carries)
    return length


def _lcs_block(long: list[int], short: list[int], carries: bytearray) -> int:
    """The part of the length in one block of `short`.

    For each step, `carries` holds the carry from the block before. It is overwritten by the carry to the next block.
    """
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


def edit_distance(pred: Ids, gold: Ids) -> int:
    """The Levenshtein distance, by the algorithm of Myers (1999).

    What both texts have in common at their beginning and end is left out. Masks are as wide as the shorter text, but
    are handled `_BLOCK` positions at a time.
    """
    start = _n_equal_first(pred, gold)
    pred, gold = pred[start:], gold[start:]
    end = _n_equal_first(pred[::-1], gold[::-1])
    pred, gold = pred[: len(pred) - end], gold[: len(gold) - end]
    long, short = (pred, gold) if len(pred) >= len(gold) else (gold, pred)
    steps = long.tolist()
    changes = [1] * len(steps)
    for first in range(0, len(short), _BLOCK):
        _edit_block(steps, short[first : first + _BLOCK].tolist(), changes)
    return len(short) + sum(changes)


def _n_equal_first(some: Ids, other: Ids) -> int:
    """How many tokens are equal at the beginning of both texts."""
    n = min(len(some), len(other))
    differs = np.flatnonzero(some[:n] != other[:n])
    return int(differs[0]) if len(differs) else n


def _edit_block(long: list[int], short: list[int], changes: list[int]) -> None:
    """Handle one block of `short`.

    For each step, `changes` holds by how much the last row of the table above the block changes: 1, 0 or -1. It is
    overwritten by the change of the last row of this block.
    """
    masks = dict.fromkeys(short, 0)
    for position, token in enumerate(short):
        masks[token] |= 1 << position
    full, last = (1 << len(short)) - 1, len(short) - 1
    rises, falls = full, 0
    for step, token in enumerate(long):
        change = changes[step]
        equal = masks.get(token, 0)
        differs = equal | falls
        if change < 0:
            equal |= 1
        diagonal = (((equal & rises) + rises) ^ rises) | equal
        row_rises = falls | full & ~(diagonal | rises)
        row_falls = diagonal & rises
        changes[step] = (row_rises >> last) - (row_falls >> last)
        row_rises = (row_rises << 1 | (change > 0)) & full
        row_falls = (row_falls << 1 | (change < 0)) & full
        rises = row_falls | full & ~(differs | row_rises)
        falls = row_rises & differs


def longest_common_substring(pred: Ids, gold: Ids) -> int:
    """The length of the longest sequence of consecutive tokens that both texts have.

    If both have one of some length, they also have one of every smaller length. So the length is found by doubling, and
    then by bisection. Sequences are compared by the numbers that `_number_sequences` gives them.
    """
    by_power = [_renumber(np.concatenate((pred, gold)))]
    while _share_sequence(by_power, 2 << len(by_power) - 1, len(pred)):
        by_power.append(_number_sequences(by_power, 2 << len(by_power) - 1))
    if len(by_power) == 1 and not _share_sequence(by_power, 1, len(pred)):
        return 0
    shared, too_long = 1 << len(by_power) - 1, 2 << len(by_power) - 1
    while too_long - shared > 1:
        middle = (shared + too_long) // 2
        shared, too_long = (middle, too_long) if _share_sequence(by_power, middle, len(pred)) else (shared, middle)
    return shared


def _number_sequences(by_power: list[Ints], length: int) -> Ints:
    """For each place, a number for the sequence of `length` tokens that begins there. Equal sequences have equal ones.

    A sequence is known by its first and its last part, each of half its length or more. `by_power` holds the numbers of
    sequences of 1, 2, 4, ... tokens, at least as far as half of `length`.
    """
    power = min(length.bit_length() - 1, len(by_power) - 1)
    numbers = by_power[power]
    shift = length - (1 << power)
    if not shift:
        return numbers
    first, last = numbers[: len(numbers) - shift], numbers[shift:]
    return _renumber(first * (int(numbers.max(initial=0)) + 1) + last)


def _share_sequence(by_power: list[Ints], length: int, n_pred: int) -> bool:
    """Whether both texts have a sequence of `length` tokens. The prediction is the first `n_pred` tokens."""
    numbers = _number_sequences(by_power, length)
    in_pred, in_gold = numbers[: max(0, n_pred - length + 1)], numbers[n_pred:]
    return bool(np.isin(in_pred, in_gold).any())


def contains_gold(pred: Ids, gold: Ids) -> bool:
    """Whether the gold is a sequence of consecutive tokens of the prediction."""
    if max(pred.max(initial=0), gold.max(initial=0)) <= sys.maxunicode:
        # Each id is then a character, and Python finds a string in another one in linear time.
        text, part = (ids.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass") for ids in (pred, gold))
        return part in text
    by_power = [_renumber(np.concatenate((pred, gold)))]
    while 1 << len(by_power) <= len(gold):
        by_power.append(_number_sequences(by_power, 1 << len(by_power)))
    return _share_sequence(by_power, len(gold), len(pred))


def locate_common_substring(pred: Ids, gold: Ids, length: int) -> tuple[int, int]:
    """Where a sequence of `length` consecutive tokens that both texts have begins in each; there must be one."""
    by_power = [_renumber(np.concatenate((pred, gold)))]
    while 1 << len(by_power) <= length:
        by_power.append(_number_sequences(by_power, 1 << len(by_power)))
    numbers = _number_sequences(by_power, length)
    in_pred, in_gold = numbers[: len(pred) - length + 1], numbers[len(pred) :]
    start = int(np.flatnonzero(np.isin(in_pred, in_gold))[0])
    return start, int(np.flatnonzero(in_gold == in_pred[start])[0])
