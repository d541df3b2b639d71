"""Made-up texts and pairs for the tests of kernels, and comparisons with the slow twins."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from qa_frame.kernels.buckets import split_pairs
from qa_frame.kernels.pair_counts import (
    CLIPPED,
    CONTAINS_GOLD,
    DISTINCT,
    EQUAL,
    RUN,
    SUBSEQUENCE,
    Kernel,
    PairCounts,
    count_matches,
)
from qa_frame.kernels.sentences import count_union
from qa_frame.kernels.several_golds import clipped_over_golds, closest_lengths
from qa_frame.kernels.tokens import Pairs, Tokens
from tests.reference import kernels as twins

Text = tuple[int, ...]

ORDERS = 7
"""One more than the highest order that a metric needs."""

Wanted = Mapping[Kernel, float]

ALL: Wanted = {EQUAL: 1, CLIPPED: ORDERS, DISTINCT: 1, SUBSEQUENCE: 1, RUN: 1, CONTAINS_GOLD: 1}

BORDERS = (8, 9, 16, 17, 32, 33, 64, 65, 129)
"""Lengths around the widths of masks, and some that no mask holds."""

each_border = pytest.mark.parametrize("length", BORDERS)


def limit_masks(patch: pytest.MonkeyPatch, module: ModuleType, longest: int) -> None:
    """Let masks take no texts of more tokens than this in the functions of a module."""

    def split(*args: Any, **kwargs: Any) -> Any:
        return split_pairs(*args, **{**kwargs, "longest": longest})

    patch.setattr(module, "split_pairs", split)


def make_tokens(texts: list[Text]) -> Tokens:
    ids = np.array(list(itertools.chain.from_iterable(texts)), np.int32)
    return Tokens(ids, np.cumsum([0, *map(len, texts)], dtype=np.int64))


def make_pairs(pairs: list[tuple[int, int]]) -> Pairs:
    pred, gold = np.array(pairs, np.int64).reshape(-1, 2).T
    return Pairs(pred.copy(), gold.copy())


def count_all(texts: list[Text], pairs: list[tuple[int, int]], wanted: Wanted = ALL) -> PairCounts:
    return count_matches(make_tokens(texts), make_pairs(pairs), wanted)


def random_text(rng: np.random.Generator, length: int, vocabulary: int) -> Text:
    return tuple(rng.integers(vocabulary, size=length).tolist())


def related_text(rng: np.random.Generator, text: Text, length: int, vocabulary: int) -> Text:
    """A random text of some length that has a long sequence of tokens in common with `text`."""
    other = list(random_text(rng, length, vocabulary))
    n_shared = min(len(text), length) * 3 // 4
    start, at = rng.integers(len(text) - n_shared + 1), rng.integers(length - n_shared + 1)
    other[at : at + n_shared] = text[start : start + n_shared]
    return tuple(other)


@functools.cache
def twin_counts(pred: Text, gold: Text) -> dict[str, object]:
    """The counts of the twins for one pair, by the names of the kernels."""
    left, right = list(pred), list(gold)
    return {
        "equal": twins.equal(left, right),
        "clipped": tuple(twins.clipped_matches(left, right, orders=ORDERS)),
        "distinct": twins.distinct(left, right),
        "subsequence": twins.longest_common_subsequence(left, right),
        "run": twins.longest_common_substring(left, right),
        "contains_gold": twins.contains_gold(left, right),
    }


def assert_as_twins(counts: PairCounts, texts: list[Text], pairs: list[tuple[int, int]], wanted: Wanted = ALL) -> None:
    """Check that each wanted count equals the twin's, and that there are no others."""
    expected = [twin_counts(texts[pred], texts[gold]) for pred, gold in pairs]
    assert counts.n_pred.tolist() == [len(texts[pred]) for pred, _ in pairs]
    assert counts.n_gold.tolist() == [len(texts[gold]) for _, gold in pairs]
    assert set(counts.by_name) == {kernel.name for kernel in wanted}
    for kernel, most in wanted.items():
        found = [of_pair[kernel.name] for of_pair in expected]
        if kernel is CLIPPED:
            found = [[clipped[order] for clipped in found] for order in range(most)]
        assert counts[kernel.name].tolist() == found


@st.composite
def texts_and_pairs(draw: st.DrawFn) -> tuple[list[Text], list[tuple[int, int]]]:
    """A few texts over a small vocabulary, and pairs of them. Sometimes each pair is repeated."""
    vocabulary = draw(st.integers(1, 7))
    token = st.integers(0, vocabulary - 1)
    texts = draw(st.lists(st.lists(token, max_size=12).map(tuple), min_size=1, max_size=8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    lengths = draw(st.lists(st.integers(0, 80) | st.sampled_from((127, 128, 129, 200)), max_size=4))
    for length in lengths:
        texts.append(related_text(rng, texts[0], length, vocabulary))
    place = st.integers(0, len(texts) - 1)
    pairs = draw(st.lists(st.tuples(place, place), max_size=20))
    return texts, pairs * draw(st.sampled_from((1, 1, 2, 30)))


END = 0
"""The token that ends a sentence."""


def union_of(texts: list[Text], pairs: list[tuple[int, int]], end: int | None = END) -> list[tuple[int, int, int]]:
    counts = count_union(make_tokens(texts), make_pairs(pairs), sentence_end=end)
    return list(zip(*counts.tolist(), strict=True))


def union_of_twins(texts: list[Text], pairs: list[tuple[int, int]], end: int = END) -> list[tuple[int, int, int]]:
    per_pair = {(pred, gold): twins.union(list(texts[pred]), list(texts[gold]), end) for pred, gold in set(pairs)}
    return [per_pair[pair] for pair in pairs]


Rows = list[tuple[int, list[int]]]
"""For each row, the index of its prediction and the indices of its golds."""


def assert_clipped_as_twins(texts: list[Text], rows: Rows) -> None:
    tokens = make_tokens(texts)
    pairs = make_pairs([(pred, gold) for pred, golds in rows for gold in golds])
    offsets = np.cumsum([0, *(len(golds) for _, golds in rows)], dtype=np.int64)
    matches = clipped_over_golds(tokens, pairs, offsets, orders=ORDERS)
    lengths = closest_lengths(tokens, pairs, offsets)
    assert (matches.dtype, matches.shape) == (np.int64, (ORDERS, len(rows)))
    assert (lengths.dtype, lengths.shape) == (np.int64, (len(rows),))
    expected = [twin_of_row(texts[pred], tuple(texts[gold] for gold in golds)) for pred, golds in rows]
    assert matches.T.tolist() == [of_row for of_row, _ in expected]
    per_pair = count_matches(tokens, pairs, {CLIPPED: ORDERS})["clipped"]
    assert np.array_equal(clipped_over_golds(tokens, pairs, offsets, orders=ORDERS, per_pair=per_pair), matches)
    assert lengths.tolist() == [length for _, length in expected]


@functools.lru_cache(maxsize=1 << 12)
def twin_of_row(pred: Text, golds: tuple[Text, ...]) -> tuple[list[int], int]:
    """The counts of the twins for one row."""
    left, right = list(pred), [list(gold) for gold in golds]
    return twins.clipped_over_golds(left, right, orders=ORDERS), twins.closest_length(left, right)
