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
    """Return the length of the longest common run, and where it begins in each text: first in the prediction."""
    tokens = Tokens(np.concatenate((pred, gold)), np.array([0, len(pred), len(pred) + len(gold)]))
    sides = _lay_out(tokens, Pairs(np.array([0]), np.array([1])))
    (length,), runs = _find_runs(sides, 1)
    if not length:
        return 0, 0, 0
    in_pred, in_gold = (runs.places[sides.is_gold[runs.places] == side] for side in (False, True))
    start = in_pred.min()
    same = runs.numbers[runs.places == start]
    start_of_gold = in_gold[np.isin(in_gold, runs.places[runs.numbers == same])].min() - len(pred) - 1
    return int(length), int(start), int(start_of_gold)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Sides:
    """The texts of pairs, end to end, with one place between two of them that holds no token.

    ids: -1 between texts. pair, is_gold: of each place.
    """

    ids: Ints
    pair: Ints
    is_gold: Flags


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Runs:
    """The places where common runs of some length begin, in order, and a number for each: equal runs have equal ones.

    Runs of different pairs have different numbers.
    """

    places: Ints
    numbers: Ints


def _lay_out(tokens: Tokens, pairs: Pairs) -> _Sides:
    """Return the tokens of both sides of each pair in one array, with a mark behind each side."""
    texts = np.column_stack((pairs.pred, pairs.gold)).ravel()
    n_per_text = tokens.n_per_text[texts]
    starts = np.cumsum(n_per_text + 1) - n_per_text - 1
    ids = np.full(int((n_per_text + 1).sum()), _NONE, np.int64)
    ids[concatenated_ranges(starts, n_per_text)] = tokens.texts(texts)
    side = np.repeat(np.arange(len(texts)), n_per_text + 1)
    return _Sides(ids, side >> 1, (side & 1).astype(np.bool_))


def _find_runs(sides: _Sides, n_pairs: int) -> tuple[Ints, _Runs]:
    """Return the length of each pair's longest common run, and where these begin."""
    length = np.zeros(n_pairs, np.int64)
    places = np.flatnonzero(sides.ids != _NONE)
    runs = _keep_common(sides, places, sides.pair[places] << 32 | sides.ids[places])
    by_power: list[Ints] = []
    longest = _Runs(places[:0], places[:0])
    while len(runs.places):
        length[sides.pair[runs.places]] = 1 << len(by_power)
        longest = _replace(sides, longest, runs)
        by_power.append(_number_per_place(sides, runs))
        runs = _extend(sides, runs, by_power[-1], np.full(n_pairs, 1 << len(by_power) - 1))
    for power in range(len(by_power) - 2, -1, -1):
        is_longer = length[sides.pair[longest.places]] > 1 << power
        longer = _Runs(longest.places[is_longer], longest.numbers[is_longer])
        runs = _extend(sides, longer, by_power[power], length)
        length[np.unique(sides.pair[runs.places])] += 1 << power
        longest = _replace(sides, longest, runs)
    return length, longest


def _keep_common(sides: _Sides, places: Ints, keys: Ints) -> _Runs:
    """Return the places whose key both texts of a pair have. Equal keys are equal runs of one pair."""
    order = np.argsort(keys, kind="stable")
    in_order = keys[order]
    is_new = np.ones(len(keys), np.bool_)
    is_new[1:] = in_order[1:] != in_order[:-1]
    number = np.cumsum(is_new) - 1
    n_keys = int(number[-1]) + 1 if len(number) else 0
    is_gold = sides.is_gold[places[order]]
    in_pred, in_gold = np.zeros((2, n_keys), np.bool_)
    in_pred[number[~is_gold]], in_gold[number[is_gold]] = True, True
    numbers = np.empty(len(keys), np.int64)
    numbers[order] = number
    is_common = (in_pred & in_gold)[numbers]
    return _Runs(places[is_common], numbers[is_common])


def _number_per_place(sides: _Sides, runs: _Runs) -> Ints:
    """Return the number of the run that begins at each place, and -1 where none does."""
    numbers = np.full(len(sides.ids), _NONE, np.int64)
    numbers[runs.places] = runs.numbers
    return numbers


def _extend(sides: _Sides, runs: _Runs, numbers: Ints, length: Ints) -> _Runs:
    """Return the common runs that are made of one of `runs` and of one of those that `numbers` has behind it.

    length: that of the runs of each pair.
    """
    # The place behind a run is in the same text, or it is the one between texts, at which no run begins.
    behind = numbers[runs.places + length[sides.pair[runs.places]]]
    has_both = behind != _NONE
    keys = runs.numbers[has_both] * (int(numbers.max(initial=0)) + 1) + behind[has_both]
    return _keep_common(sides, runs.places[has_both], keys)


def _replace(sides: _Sides, shorter: _Runs, longer: _Runs) -> _Runs:
    """Return the runs found, with the longer ones in place of those of the same pairs."""
    has_longer = np.zeros(int(sides.pair[-1]) + 1, np.bool_)
    has_longer[sides.pair[longer.places]] = True
    kept = ~has_longer[sides.pair[shorter.places]]
    # Numbers of pairs that are replaced and of those that are kept must not meet.
    shift = int(longer.numbers.max(initial=_NONE)) + 1
    numbers = np.concatenate((shorter.numbers[kept] + shift, longer.numbers))
    return _Runs(np.concatenate((shorter.places[kept], longer.places)), numbers)
