"""Slow plain-Python twins of the kernels: each takes the token ids of one prediction and one gold, as lists."""

from __future__ import annotations

import bisect
from collections import Counter, defaultdict


def clipped_matches(pred: list[int], gold: list[int], *, orders: int) -> list[int]:
    """Clipped n-gram matches of orders 1 to `orders`: the size of the multisets' intersection."""
    return [(Counter(_ngrams(pred, order)) & Counter(_ngrams(gold, order))).total() for order in range(1, orders + 1)]


def _ngrams(ids: list[int], order: int) -> list[tuple[int, ...]]:
    return [tuple(ids[start : start + order]) for start in range(len(ids) - order + 1)]


def longest_common_subsequence(pred: list[int], gold: list[int]) -> int:
    """Its length, by the textbook's table, a row at a time."""
    above = [0] * (len(gold) + 1)
    for token in pred:
        row = [0]
        for column, other in enumerate(gold):
            row.append(above[column] + 1 if token == other else max(row[column], above[column + 1]))
        above = row
    return above[-1]


def longest_common_subsequence_of_long_texts(pred: list[int], gold: list[int]) -> int:
    """The same by Hunt and Szymanski (1977): a longest rising run of matching places, quick where few places match."""
    places = defaultdict(list)
    for place, token in enumerate(gold):
        places[token].append(place)
    earliest_end: list[int] = []  # where a common subsequence of length 1, 2, ... may end first
    for token in pred:
        for place in reversed(places.get(token, ())):
            rank = bisect.bisect_left(earliest_end, place)
            earliest_end[rank : rank + 1] = [place]
    return len(earliest_end)


def equal(pred: list[int], gold: list[int]) -> bool:
    """Whether both hold the same tokens in the same order; two empty sides do."""
    return pred == gold


def whole_gold_run(pred: list[int], gold: list[int]) -> bool:
    """Whether a gold that is not empty stands in the prediction as one run of tokens."""
    starts = range(len(pred) - len(gold) + 1)
    return bool(gold) and any(pred[start : start + len(gold)] == gold for start in starts)
