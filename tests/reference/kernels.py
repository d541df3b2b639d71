"""Slow plain-Python twins of the kernels. Each takes the token ids of a prediction and its gold or golds, as lists."""

from __future__ import annotations

import bisect
from collections import Counter, defaultdict


def clipped_matches(pred: list[int], gold: list[int], *, orders: int) -> list[int]:
    """Clipped n-gram matches of orders 1 to `orders`: the size of the multisets' intersection."""
    return [(Counter(_ngrams(pred, order)) & Counter(_ngrams(gold, order))).total() for order in range(1, orders + 1)]


def _ngrams(ids: list[int], order: int) -> list[tuple[int, ...]]:
    return [tuple(ids[start : start + order]) for start in range(len(ids) - order + 1)]


def longest_common_subsequence(pred: list[int], gold: list[int]) -> int:
    """The length of the longest common subsequence, from the table of dynamic programming, row by row."""
    above = [0] * (len(gold) + 1)
    for token in pred:
        row = [0]
        for column, other in enumerate(gold):
            row.append(above[column] + 1 if token == other else max(row[column], above[column + 1]))
        above = row
    return above[-1]


def longest_common_subsequence_of_long_texts(pred: list[int], gold: list[int]) -> int:
    """The same by Hunt and Szymanski (1977), as a longest increasing sequence of places: fast if few tokens match."""
    places = defaultdict(list)
    for place, token in enumerate(gold):
        places[token].append(place)
    earliest_end: list[int] = []  # the first place where a common subsequence of length 1, 2, ... can end
    for token in pred:
        for place in reversed(places.get(token, ())):
            rank = bisect.bisect_left(earliest_end, place)
            earliest_end[rank : rank + 1] = [place]
    return len(earliest_end)


def edit_distance(pred: list[int], gold: list[int]) -> int:
    """The Levenshtein distance, from the table of dynamic programming, row by row."""
    above = list(range(len(gold) + 1))
    for row, token in enumerate(pred, start=1):
        distances = [row]
        for column, other in enumerate(gold):
            replaced = above[column] + (token != other)
            distances.append(min(replaced, above[column + 1] + 1, distances[column] + 1))
        above = distances
    return above[-1]


def equal(pred: list[int], gold: list[int]) -> bool:
    """Whether both have the same tokens in the same order. Two empty sides are equal."""
    return pred == gold


def contains_gold(pred: list[int], gold: list[int]) -> bool:
    """Whether the gold is not empty and its tokens stand one after the other in the prediction."""
    starts = range(len(pred) - len(gold) + 1)
    return bool(gold) and any(pred[start : start + len(gold)] == gold for start in starts)


def distinct(pred: list[int], gold: list[int]) -> int:
    """The number of distinct tokens that both have."""
    return len(set(pred) & set(gold))


def longest_common_substring(pred: list[int], gold: list[int]) -> int:
    """The length of the longest sequence of consecutive tokens that both have, from the table of sequence ends."""
    longest = 0
    above = [0] * (len(gold) + 1)
    for token in pred:
        row = [0, *(above[place] + 1 if token == other else 0 for place, other in enumerate(gold))]
        longest, above = max(longest, *row), row
    return longest


def longest_common_substring_of_long_texts(pred: list[int], gold: list[int]) -> int:
    """The same, with only those cells of the table whose tokens are equal: fast if there are few."""
    places = defaultdict(list)
    for place, token in enumerate(gold):
        places[token].append(place)
    longest, above = 0, dict[int, int]()
    for token in pred:
        above = {place: above.get(place - 1, 0) + 1 for place in places.get(token, ())}
        longest = max((longest, *above.values()))
    return longest


def chosen_subsequence(pred: list[int], gold: list[int]) -> list[int]:
    """The longest common subsequence that PyPI's `rouge` 1.0.1 finds, last token first, from the full table."""
    table = [[0] * (len(pred) + 1)]
    for token in gold:
        row = [0]
        for column, other in enumerate(pred):
            row.append(table[-1][column] + 1 if token == other else max(row[column], table[-1][column + 1]))
        table.append(row)
    chosen, row, column = [], len(gold), len(pred)
    while row and column:
        if gold[row - 1] == pred[column - 1]:
            chosen.append(gold[row - 1])
            row, column = row - 1, column - 1
        elif table[row - 1][column] > table[row][column - 1]:
            row -= 1
        else:
            column -= 1
    return chosen


def sentences(text: list[int], end: int) -> list[list[int]]:
    """The sentences of a text. Nothing between two ends is a sentence of the empty word, which has the id of an end."""
    parts: list[list[int]] = [[]]
    for token in text:
        if token == end:
            parts.append([])
        else:
            parts[-1].append(token)
    inner = [part or [end] for part in parts[1:-1]]
    first, last = parts[0], parts[-1] if len(parts) > 1 else []
    return [part for part in (first, *inner, last) if part]


def union(pred: list[int], gold: list[int], end: int) -> tuple[int, int, int]:
    """The numbers of distinct words in the chosen subsequences of all pairs of sentences, and in each side."""
    in_pred, in_gold = sentences(pred, end), sentences(gold, end)
    common = {token for ref in in_gold for hyp in in_pred for token in chosen_subsequence(hyp, ref)}
    return len(common), *(len({token for part in parts for token in part}) for parts in (in_pred, in_gold))


def chosen_in_line(pred: list[int], gold: list[int]) -> set[int]:
    """The places in the gold of the longest common subsequence that `rouge_score` 0.1.2 finds, from the full table."""
    table = [[0] * (len(pred) + 1)]
    for token in gold:
        row = [0]
        for column, other in enumerate(pred):
            row.append(table[-1][column] + 1 if token == other else max(row[column], table[-1][column + 1]))
        table.append(row)
    chosen, row, column = set(), len(gold), len(pred)
    while row and column:
        if gold[row - 1] == pred[column - 1]:
            row, column = row - 1, column - 1
            chosen.add(row)
        elif table[row][column - 1] > table[row - 1][column]:
            column -= 1
        else:
            row -= 1
    return chosen


def in_lines(preds: list[list[int]], golds: list[list[int]]) -> int:
    """The tokens of a gold's lines that are chosen with any line of the prediction, at most as often as it has them."""
    chosen: Counter[int] = Counter()
    for gold in golds:
        places = set[int]().union(*(chosen_in_line(pred, gold) for pred in preds))
        chosen.update(gold[place] for place in places)
    return (chosen & Counter(token for pred in preds for token in pred)).total()


def matched_ngrams(pred: list[int], gold: list[int], *, order: int) -> list[bool]:
    """For each n-gram of the prediction, whether it occurs more often in the gold than earlier in the prediction."""
    in_gold, seen = Counter(_ngrams(gold, order)), Counter()
    matched = []
    for ngram in _ngrams(pred, order):
        matched.append(seen[ngram] < in_gold[ngram])
        seen[ngram] += 1
    return matched


def clipped_over_golds(pred: list[int], golds: list[list[int]], *, orders: int) -> list[int]:
    """Matches clipped by the largest count in any one gold, as in mteval."""
    matches = []
    for order in range(1, orders + 1):
        largest: Counter[tuple[int, ...]] = Counter()
        for gold in golds:
            largest |= Counter(_ngrams(gold, order))
        matches.append((Counter(_ngrams(pred, order)) & largest).total())
    return matches


def closest_length(pred: list[int], golds: list[list[int]]) -> int:
    """The length of the gold that is closest in length, the shorter one on ties. 0 without golds."""
    return min((len(gold) for gold in golds), key=lambda length: (abs(length - len(pred)), length), default=0)
