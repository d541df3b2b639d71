"""The ways to count what a prediction and a gold have in common: one entry in `COUNTINGS` each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Ints
from qa_frame.kernels.pair_counts import PairCounts, Wanted

Common = tuple[Ints, Ints, Ints]
"""The number of common units, of the prediction's units and of the gold's units, shape (pairs,) each."""


@dataclass(frozen=True, slots=True)
class Counting:
    """One way to count what both sides have in common.

    Attributes
    ----------
    wanted
        The counts that kernels must give.
    read
        Gives the numbers of common units and of the units of each side from these counts.
    words
        How an explanation says that units are common: "3 of 4 tokens of the prediction are ...".
    unit
        What is counted, in the singular.
    marks
        Which tokens an explanation marks as common: a value of `Comparison.counting`.
    """

    wanted: Wanted
    read: Callable[[PairCounts], Common]
    words: str = "common"
    unit: str = "token"
    marks: str = "multiset"


def common_counts(counts: PairCounts, counting: str) -> Common:
    """Return the number of common units, of the prediction's units and of the gold's units, shape (pairs,) each."""
    common, n_pred, n_gold = COUNTINGS[counting].read(counts)
    if counts.nothing_in_common is not None:
        common = np.where(counts.nothing_in_common, 0, common)
    return common, n_pred, n_gold


def ngrams(order: int, unit: str) -> Counting:
    """Count the n-grams of one order, each as often as both sides have it. The unit is their name."""

    def read(counts: PairCounts) -> Common:
        n_pred, n_gold = (np.maximum(n_tokens - (order - 1), 0) for n_tokens in (counts.n_pred, counts.n_gold))
        return counts.clipped[order - 1], n_pred, n_gold

    return Counting(Wanted(orders=order), read, unit=unit)


def _distinct(counts: PairCounts) -> Common:
    assert counts.n_distinct is not None  # they were wanted
    return counts.distinct, counts.n_distinct[0], counts.n_distinct[1]


def _in_lines(counts: PairCounts) -> Common:
    assert counts.in_lines is not None  # they were wanted
    return counts.in_lines, counts.n_pred, counts.n_gold


def _union(counts: PairCounts) -> Common:
    assert counts.union is not None  # it was wanted
    return counts.union.common, counts.union.n_pred, counts.union.n_gold


COUNTINGS = {
    "multiset": ngrams(1, "token"),
    "bigrams": ngrams(2, "bigram"),
    "set": Counting(
        Wanted(distinct=True),
        lambda counts: (counts.distinct, counts.n_pred, counts.n_gold),
        words="common, each distinct one once",
        marks="set",
    ),
    "distinct": Counting(
        Wanted(distinct=True, n_distinct=True), _distinct, words="common, each distinct one once", marks="distinct"
    ),
    "run": Counting(
        Wanted(longest_common_substring=True),
        lambda counts: (counts.longest_common_substring, counts.n_pred, counts.n_gold),
        words="in the longest common run",
        marks="run",
    ),
    "subsequence": Counting(
        Wanted(lcs=True),
        lambda counts: (counts.lcs, counts.n_pred, counts.n_gold),
        words="in the longest common subsequence",
        marks="subsequence",
    ),
    "in_lines": Counting(
        Wanted(lcs=True, in_lines=True),
        _in_lines,
        words="in the longest common subsequences of lines",
        marks="subsequence",
    ),
    "union": Counting(
        Wanted(union=True),
        _union,
        words="common, in distinct words of sentences' longest common subsequences",
        marks="union",
    ),
}
"""All ways of counting, by the name that a rule's or a metric's `counting` has."""
