"""Longest common runs: the longest sequences of consecutive tokens that both texts of a pair have.

If both have a run of some length, they also have one of every smaller length. So the length is found by doubling, and
then by bisection, for all pairs at once. At each length only the places are kept where a common run begins, so that
texts that have little in common are soon done.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Flags, Ids, Ints
from qa_frame.kernels.tokens import Pairs, Tokens, bounded_slices, concatenated_ranges

_TOKENS_AT_ONCE = 1 << 18
"""The most tokens of pairs that are looked at at once, unless one pair has more."""

_NONE = -1


def longest_common_runs(tokens: Tokens, pairs: Pairs) -> Ints:
    """Return the length of each pair's longest common run, int64, shape (pairs,)."""
    length = np.zeros(len(pairs), np.int64)
    n_per_text = tokens.n_per_text
    for part in bounded_slices(n_per_text[pairs.pred] + n_per_text[pairs.gold], _TOKENS_AT_ONCE):
        sides = _lay_out(tokens, pairs[part])
        length[part], _ = _find_runs(sides, part.stop - part.start)
    return length


def locate_common_run(pred: Ids, gold: Ids) -> tuple[int, int, int]:
    """Return the length of the longest common run, and where it begins in the prediction and in the gold.

    All three are 0 if there is none. Of several that are as long, it is the first one in the prediction.
    """
    tokens = Tokens(np.concatenate((pred, gold)), np.array([0, len(pred), len(pred) + len(gold)]))
    sides = _lay_out(tokens, Pairs(np.array([0]), np.array([1])))
    (length,), runs = _find_runs(sides, 1)
    if not length:
        return 0, 0, 0
    start = int(np.argmax(runs != _NONE))
    start_of_gold = int(np.argmax((runs == runs[start]) & sides.is_gold)) - len(pred) - 1
    return int(length), start, start_of_gold


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Sides:
    """The texts of pairs, end to end, with one place behind each that holds no token.

    ids: the token of each place, -1 behind texts. pair, is_gold: the pair of each place, and whether its text is the
    gold. Shape (places,) each.
    """

    ids: Ints
    pair: Ints
    is_gold: Flags


def _lay_out(tokens: Tokens, pairs: Pairs) -> _Sides:
    """Return the tokens of both sides of each pair in one array, with a place without a token behind each side."""
    texts = np.column_stack((pairs.pred, pairs.gold)).ravel()
    n_per_text = tokens.n_per_text[texts]
    starts = np.cumsum(n_per_text + 1) - n_per_text - 1
    ids = np.full(int((n_per_text + 1).sum()), _NONE, np.int64)
    ids[concatenated_ranges(starts, n_per_text)] = tokens.texts(texts)
    side = np.repeat(np.arange(len(texts)), n_per_text + 1)
    return _Sides(ids, side >> 1, (side & 1).astype(np.bool_))


def _find_runs(sides: _Sides, n_pairs: int) -> tuple[Ints, Ints]:
    """Return the length of each pair's longest common runs, shape (pairs,), and where they begin, shape (places,).

    A place where one begins has a number, which equal runs of a pair share. Other places have -1.
    """
    # Common runs of 1, 2, 4, ... tokens.
    doubled = [_join_runs(sides, np.where(sides.ids == _NONE, _NONE, sides.pair), sides.ids, 0)]
    while (doubled[-1] != _NONE).any():
        doubled.append(_join_runs(sides, doubled[-1], doubled[-1], 1 << len(doubled) - 1))
    length, runs = np.zeros(n_pairs, np.int64), sides.pair  # of no token, which begin everywhere
    for power in range(len(doubled) - 2, -1, -1):
        longer = _join_runs(sides, runs, doubled[power], length[sides.pair])
        is_longer = np.zeros(n_pairs, np.bool_)
        is_longer[sides.pair[longer != _NONE]] = True
        length[is_longer] += 1 << power
        # Numbers of pairs whose runs stay must not meet those of the others.
        runs = np.where(is_longer[sides.pair], longer, np.where(runs == _NONE, _NONE, runs + len(runs)))
    return length, runs


def _join_runs(sides: _Sides, first: Ints, second: Ints, n_first: Ints | int) -> Ints:
    """Return the common runs that consist of one of the runs `first` and one of the runs `second` right behind it.

    Each place where one begins has its number, which equal runs of a pair share, shape (places,). Other places have -1,
    and `first` and `second` have this form, too. n_first: how many tokens the runs `first` have, one number or one per
    place.
    """
    behind = np.minimum(np.arange(len(first)) + n_first, len(first) - 1)
    places = np.flatnonzero((first != _NONE) & (second[behind] != _NONE))
    keys = first[places] << 32 | second[behind[places]]
    distinct, numbers = np.unique(keys, return_inverse=True)
    in_pred, in_gold = np.zeros((2, len(distinct)), np.bool_)
    is_gold = sides.is_gold[places]
    in_pred[numbers[~is_gold]], in_gold[numbers[is_gold]] = True, True
    joined = np.full(len(first), _NONE, np.int64)
    joined[places] = np.where((in_pred & in_gold)[numbers], numbers, _NONE)
    return joined
