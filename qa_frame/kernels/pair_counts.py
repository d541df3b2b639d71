"""Counts of pairs of token lists: the one entrance to all kernels that look at one pair at a time."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from qa_frame._typing import Flags, Ints
from qa_frame.kernels import mask_counts
from qa_frame.kernels.buckets import Bucket, split_pairs
from qa_frame.kernels.masks import match_masks
from qa_frame.kernels.ranges import concatenated_ranges
from qa_frame.kernels.runs import longest_common_runs
from qa_frame.kernels.sentences import UnionCounts, count_union
from qa_frame.kernels.sequences import contain_golds, count_edits, count_subsequences
from qa_frame.kernels.sorted_ngrams import count_by_sorting, count_distinct
from qa_frame.kernels.tokens import Pairs, Tokens, distinct_per_text

_LONGEST_IN_MASKS = 96
"""Pairs whose longer text has more tokens are not counted by masks, whose time grows with the product of lengths."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is needed. The fields are those of `PairCounts`; `orders` is the highest order of n-grams, 0 for none.

    `edits` is the largest edit distance that is needed, as a share of the longer side, and negative for none. `words`
    is the highest order of n-grams of words, where tokens are characters.
    """

    equal: bool = False
    orders: int = 0
    distinct: bool = False
    n_distinct: bool = False
    lcs: bool = False
    longest_common_substring: bool = False
    contains_gold: bool = False
    union: bool = False
    edits: float = -1.0
    has_substring: bool = False
    has_prefix: bool = False
    has_suffix: bool = False
    in_lines: bool = False
    words: int = 0

    def __or__(self, other: Wanted) -> Wanted:
        both = {field.name: max(getattr(self, field.name), getattr(other, field.name)) for field in fields(self)}
        return Wanted(**both)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairCounts:
    """Counts of (prediction, gold) pairs: int64 of shape (pairs,) unless stated otherwise.

    A count that was not wanted is 0, False or None.

    Attributes
    ----------
    n_pred, n_gold
        The number of tokens of each side.
    equal
        Whether both sides have the same tokens in the same order, bool. Two empty sides are equal.
    clipped
        Clipped n-gram matches of orders 1, 2, ..., shape (orders, pairs).
    distinct
        The number of distinct tokens that both sides have.
    n_distinct
        The number of distinct tokens of the prediction and of the gold, shape (2, pairs).
    lcs
        The length of the longest common subsequence.
    longest_common_substring
        The length of the longest sequence of consecutive tokens that both sides have.
    contains_gold
        Whether the prediction has all tokens of the gold one after the other, bool. False for an empty gold.
    union
        The counts of the union of longest common subsequences over sentences, see `kernels.sentences`.
    edits
        The edit distance, see `kernels.edits`.
    has_substring, has_prefix, has_suffix
        Whether the gold is a substring of the prediction, its beginning or its end, as text, bool. No kernel counts
        them.
    longer
        The length that edit distances are divided by, where it is not that of the longer side. No kernel counts it.
    nothing_in_common
        Whether the rule says that nothing is common, whatever the counts are, bool. No kernel counts it.
    in_lines
        The number of tokens in the longest common subsequences of lines, see `kernels.lines`.
    words
        Where tokens are characters: the counts of the same texts as words.
    """

    n_pred: Ints
    n_gold: Ints
    equal: Flags
    clipped: Ints
    distinct: Ints
    lcs: Ints
    longest_common_substring: Ints
    contains_gold: Flags
    n_distinct: Ints | None = None
    union: UnionCounts | None = None
    edits: Ints | None = None
    has_substring: Flags | None = None
    has_prefix: Flags | None = None
    has_suffix: Flags | None = None
    nothing_in_common: Flags | None = None
    longer: Ints | None = None
    in_lines: Ints | None = None
    words: PairCounts | None = None

    def take(self, places: Ints) -> PairCounts:
        """The counts of the pairs at these places."""
        taken: PairCounts = _take(self, places)
        return taken


def count_matches(tokens: Tokens, pairs: Pairs, wanted: Wanted, *, sentence_end: int | None = None) -> PairCounts:
    """Count what is wanted for each pair. `sentence_end` is the id of the token that ends sentences, if any."""
    n_per_text = tokens.n_per_text
    counts = zero_counts(n_per_text[pairs.pred], n_per_text[pairs.gold], wanted)
    if wanted.equal:
        counts = replace(counts, equal=_equal_texts(tokens, pairs))
    if wanted.n_distinct:
        n_distinct = distinct_per_text(tokens)
        counts = replace(counts, n_distinct=np.stack([n_distinct[pairs.pred], n_distinct[pairs.gold]]))
    if wanted.union:
        counts = replace(counts, union=count_union(tokens, pairs, sentence_end=sentence_end))
    if wanted.edits >= 0:
        counts = replace(counts, edits=count_edits(tokens, pairs, most=wanted.edits))
    if wanted.orders or wanted.distinct or wanted.lcs or wanted.longest_common_substring or wanted.contains_gold:
        others = [np.zeros(0, np.int64)]
        for part in split_pairs(tokens, pairs, longest=_LONGEST_IN_MASKS):
            if isinstance(part, Bucket):
                _count_bucket(part, wanted, counts)
            else:
                others.append(part)
        _count_others(tokens, pairs, np.concatenate(others), wanted, counts)
    return counts


def zero_counts(n_pred: Ints, n_gold: Ints, wanted: Wanted) -> PairCounts:
    """Counts in which all that is wanted is 0 or False, for pairs of texts with these numbers of tokens."""
    n_pairs = len(n_pred)
    return PairCounts(
        n_pred=n_pred,
        n_gold=n_gold,
        equal=np.zeros(n_pairs, np.bool_),
        clipped=np.zeros((wanted.orders, n_pairs), np.int64),
        distinct=np.zeros(n_pairs, np.int64),
        lcs=np.zeros(n_pairs, np.int64),
        longest_common_substring=np.zeros(n_pairs, np.int64),
        contains_gold=np.zeros(n_pairs, np.bool_),
    )


def _take(counts: Any, places: Ints) -> Any:
    """The part of an array, or of each array of a dataclass, at these places of its last axis; None stays None."""
    if counts is None or isinstance(counts, np.ndarray):
        return counts if counts is None else counts.take(places, axis=-1)
    return replace(counts, **{field.name: _take(getattr(counts, field.name), places) for field in fields(counts)})


def _equal_texts(tokens: Tokens, pairs: Pairs) -> Flags:
    """Whether both sides of each pair are the same tokens in the same order, shape (pairs,)."""
    n_per_text = tokens.n_per_text
    n_pred = n_per_text[pairs.pred]
    equal: Flags = n_pred == n_per_text[pairs.gold]
    candidates = np.flatnonzero(equal)
    equal[candidates] = begin_alike(tokens, pairs[candidates])
    return equal


def begin_alike(tokens: Tokens, pairs: Pairs) -> Flags:
    """Whether both sides of each pair have the same tokens up to the end of the shorter one, shape (pairs,)."""
    n_per_text = tokens.n_per_text
    n_tokens = np.minimum(n_per_text[pairs.pred], n_per_text[pairs.gold])
    alike = np.ones(len(pairs), np.bool_)
    compared = np.flatnonzero(n_tokens)
    if len(compared):
        n_tokens = n_tokens[compared]
        pred, gold = (
            tokens.ids.take(concatenated_ranges(tokens.offsets[side[compared]], n_tokens))
            for side in (pairs.pred, pairs.gold)
        )
        alike[compared] = np.logical_and.reduceat(pred == gold, np.cumsum(n_tokens) - n_tokens)
    return alike


def _count_bucket(bucket: Bucket, wanted: Wanted, counts: PairCounts) -> None:
    """Write the counts of a bucket's pairs into `counts`."""
    masks = match_masks(bucket)
    orders = min(wanted.orders, len(masks))  # no text of steps has longer n-grams
    self_masks = masks
    if len(masks) > 1 and (orders or wanted.distinct):
        self_masks = match_masks(bucket.of_step_texts())
    if orders:
        counts.clipped[:orders, bucket.pairs] = mask_counts.clipped_matches(masks, self_masks, orders=orders)
    if wanted.distinct:
        counts.distinct[bucket.pairs] = mask_counts.distinct_matches(masks, self_masks)
    if wanted.lcs:
        counts.lcs[bucket.pairs] = mask_counts.longest_common_subsequence(masks)
    if wanted.longest_common_substring:
        counts.longest_common_substring[bucket.pairs] = mask_counts.longest_common_substring(masks)
    if wanted.contains_gold:
        gold_is_shorter = counts.n_gold[bucket.pairs] <= counts.n_pred[bucket.pairs]
        counts.contains_gold[bucket.pairs] = mask_counts.is_substring(masks, bucket.n_steps) & gold_is_shorter


def _count_others(tokens: Tokens, pairs: Pairs, places: Ints, wanted: Wanted, counts: PairCounts) -> None:
    """Write the counts of the pairs at these places into `counts`, in time in proportion to their tokens.

    For longest common subsequences the time is in proportion to n_pred * n_gold / 64.
    """
    if not len(places):
        return
    some = pairs[places]
    if wanted.orders:
        counts.clipped[:, places] = count_by_sorting(tokens, some, orders=wanted.orders)
    if wanted.distinct:
        counts.distinct[places] = count_distinct(tokens, some)
    if wanted.lcs:
        counts.lcs[places] = count_subsequences(tokens, some)
    if wanted.longest_common_substring:
        counts.longest_common_substring[places] = longest_common_runs(tokens, some)
    if wanted.contains_gold:
        counts.contains_gold[places] = contain_golds(tokens, some)
