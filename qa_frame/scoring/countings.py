"""The ways to count what a prediction and a gold have in common: one entry in `COUNTINGS` each.

Most are counted by kernels, which see tokens alone. A `TextKernel` is for counts that need the texts themselves.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from qa_frame._typing import Flags, Ints
from qa_frame.kernels.lines import count_in_lines
from qa_frame.kernels.pair_counts import (
    CLIPPED,
    DISTINCT,
    N_DISTINCT,
    RUN,
    SUBSEQUENCE,
    Kernel,
    PairCounts,
    count_matches,
)
from qa_frame.kernels.sentences import Sentences, count_union
from qa_frame.kernels.tokens import Pairs
from qa_frame.rules.parts import words_of_chrf
from qa_frame.text.contains import compare_joined, compare_texts, contains_per_pair
from qa_frame.text.specification import Text
from qa_frame.text.tokenisers import SENTENCE_END
from qa_frame.text.vocabulary import normalised_texts, tokenise
from qa_frame.text.words import Words, cut_lines

Common = tuple[Ints, Ints, Ints]
"""The number of common units, of the prediction's units and of the gold's units, shape (pairs,) each."""


COMPARED: Mapping[str, Callable[[str, str], bool]] = {
    "has_substring": operator.contains, "has_prefix": str.startswith, "has_suffix": str.endswith,
    "has_either": lambda pred, gold: gold in pred or pred in gold,
}  # fmt: skip
"""Whether the gold is a substring of the prediction, its beginning or its end, or either of both is a substring of the
other, as text: the names of these counts."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TextKernel:
    """A way to count one thing of each pair for which tokens are not enough.

    Attributes
    ----------
    name
        The name of the counts in `PairCounts`.
    count
        Takes the words, the pairs, how texts become tokens, the counts of `Kernel`s that are wanted beside it, and how
        much is wanted. Gives the counts.
    """

    name: str
    count: Callable[[Words, Pairs, Text, PairCounts, float], Any]


Wanted = Mapping[Kernel | TextKernel, float]
"""The kernels that count, each with how much is wanted: the highest order of n-grams, or the largest share of edits."""


def want_both(some: Wanted, other: Wanted) -> Wanted:
    """Return the kernels that either wants, each with the larger amount."""
    both = {kernel: max(most, other[kernel]) for kernel, most in some.items() if kernel in other}
    return {**some, **other, **both}


def _count_union(words: Words, pairs: Pairs, text: Text, *_: object) -> Ints:
    texts = tokenise(words, text)
    return count_union(texts.tokens, pairs, sentence_end=texts.find(SENTENCE_END))


def _count_in_lines(words: Words, pairs: Pairs, text: Text, counts: PairCounts, _: float) -> Ints:
    """Count tokens common to lines. For texts of one line each, this is the longest common subsequence."""
    in_lines: Ints = counts["subsequence"]
    lines, line_offsets = cut_lines(words)
    has_lines = np.diff(line_offsets) > 1
    is_counted = has_lines[pairs.pred] | has_lines[pairs.gold]
    if is_counted.any():
        in_lines = in_lines.copy()
        tokens = tokenise(lines, text).tokens
        in_lines[is_counted] = count_in_lines(Sentences(tokens, line_offsets), pairs[is_counted])
    return in_lines


def _count_words(words: Words, pairs: Pairs, text: Text, _: PairCounts, orders: float) -> PairCounts:
    return count_matches(tokenise(words, words_of_chrf(text)).tokens, pairs, {CLIPPED: orders})


def _compare(words: Words, pairs: Pairs, text: Text, counts: PairCounts, _: float, *, name: str) -> Flags:
    if text.split == "none":
        return compare_texts(normalised_texts(words, text), pairs, COMPARED[name])
    texts = tokenise(words, text)
    if name == "has_substring":
        return contains_per_pair(texts, pairs, counts)
    return compare_joined(texts, pairs, COMPARED[name])


UNION = TextKernel("union", _count_union)
"""The union of longest common subsequences over sentences, see `kernels.sentences`, shape (3, pairs)."""

IN_LINES = TextKernel("in_lines", _count_in_lines)
"""The number of tokens in the longest common subsequences of lines, see `kernels.lines`. It needs `SUBSEQUENCE`."""

WORDS = TextKernel("words", _count_words)
"""The n-grams of words of texts whose tokens are characters: `PairCounts` with "clipped"."""

HAS_SUBSTRING, HAS_PREFIX, HAS_SUFFIX, HAS_EITHER = (
    TextKernel(name, partial(_compare, name=name)) for name in COMPARED
)
"""Whether the gold is part of the prediction as text, bool. `HAS_SUBSTRING` of texts with tokens needs `CLIPPED` and
`CONTAINS_GOLD`."""


@dataclass(frozen=True, slots=True)
class Counting:
    """One way to count the units that both sides have in common.

    Attributes
    ----------
    wanted
        The kernels that count it. The first one gives the number of common units, unless there is a `read`.
    words
        How an explanation says that units are common: "3 of 4 tokens of the prediction are ...".
    unit
        The unit that is counted, in the singular.
    marks
        Which tokens an explanation marks as common: a value of `Comparison.counting`.
    read
        Gives the numbers of common units and of the units of each side from the counts. None if the units of each side
        are its tokens.
    """

    wanted: Wanted
    words: str = "common"
    unit: str = "token"
    marks: str = "multiset"
    read: Callable[[PairCounts], Common] | None = None


def common_counts(counts: PairCounts, counting: str) -> Common:
    """Return the number of common units, of the prediction's units and of the gold's units, shape (pairs,) each."""
    entry = COUNTINGS[counting]
    if entry.read is None:
        common, n_pred, n_gold = counts[next(iter(entry.wanted)).name], counts.n_pred, counts.n_gold
    else:
        common, n_pred, n_gold = entry.read(counts)
    if counts.get("nothing_in_common") is not None:
        common = np.where(counts["nothing_in_common"], 0, common)
    return common, n_pred, n_gold


def ngrams(order: int, unit: str) -> Counting:
    """Count the n-grams of one order, each as often as both sides have it. The unit is their name."""

    def read(counts: PairCounts) -> Common:
        n_pred, n_gold = (np.maximum(n_tokens - (order - 1), 0) for n_tokens in (counts.n_pred, counts.n_gold))
        return counts["clipped"][order - 1], n_pred, n_gold

    return Counting({CLIPPED: order}, unit=unit, read=read)


COUNTINGS = {
    "multiset": ngrams(1, "token"),
    "bigrams": ngrams(2, "bigram"),
    "set": Counting({DISTINCT: 1}, "common, each distinct one once", marks="set"),
    "distinct": Counting(
        {DISTINCT: 1, N_DISTINCT: 1},
        "common, each distinct one once",
        marks="distinct",
        read=lambda counts: (counts["distinct"], *counts["n_distinct"]),
    ),
    "run": Counting({RUN: 1}, "in the longest common run", marks="run"),
    "subsequence": Counting({SUBSEQUENCE: 1}, "in the longest common subsequence", marks="subsequence"),
    "in_lines": Counting(
        {IN_LINES: 1, SUBSEQUENCE: 1}, "in the longest common subsequences of lines", marks="subsequence"
    ),
    "union": Counting(
        {UNION: 1},
        "common, in distinct words of sentences' longest common subsequences",
        marks="union",
        read=lambda counts: tuple(counts["union"]),
    ),
}
"""All ways of counting, by the name that a rule's or a metric's `counting` has."""
