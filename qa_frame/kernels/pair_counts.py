"""Counts of pairs of token lists: the one entrance to all kernels that look at one pair at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qa_frame._typing import CountName, Flags, Ints
from qa_frame.kernels.buckets import LONGEST, Bucket, split_pairs
from qa_frame.kernels.long_pairs import contain_golds, count_edits, count_lcs
from qa_frame.kernels.masks import (
    Masks,
    clipped_matches,
    condensed_masks,
    distinct_matches,
    is_substring,
    longest_common_subsequence,
    longest_common_substring,
    match_masks,
    repeat_masks,
)
from qa_frame.kernels.runs import longest_common_runs
from qa_frame.kernels.sorted_ngrams import count_by_sorting, count_distinct
from qa_frame.kernels.tokens import Pairs, Tokens, concatenated_ranges, distinct_per_text

_NO_PAIRS = np.zeros(0, np.int64)


class MasksOfBucket:
    """The masks of a bucket of pairs, which are made once for all kernels.

    Attributes
    ----------
    bucket, gold_is_longer
        The pairs, and whether the gold has more tokens than the prediction, shape (n,).
    masks, do_not_fit
        Their masks, and the places in the bucket of pairs whose masks are wrong, as they need more bits.
    """

    def __init__(self, bucket: Bucket, gold_is_longer: Flags) -> None:
        self.bucket = bucket
        self.gold_is_longer = gold_is_longer
        is_wide = int(bucket.n_bits.max()) > LONGEST
        self.masks: Masks
        self.do_not_fit: Ints
        self.masks, self.do_not_fit = condensed_masks(bucket) if is_wide else (match_masks(bucket), _NO_PAIRS)

    @cached_property
    def repeats(self) -> Masks:
        """The earlier steps that hold the token of each step; see `repeat_masks`."""
        return repeat_masks(self.bucket.step_ids)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Kernel:
    """A way to count one thing of each pair.

    Attributes
    ----------
    name
        The name of the counts in `PairCounts`.
    of_pairs
        Counts pairs of any length: takes the tokens, the pairs and how much is wanted. Gives an array of shape
        (pairs,), or (wanted, pairs) if it `has_orders`.
    of_masks
        Counts short pairs: takes the masks of a bucket and how much is wanted. Gives an array of the same shape for the
        pairs of the bucket. None where no masks help.
    longest
        The most tokens of a text up to which this is faster by masks.
    dtype, has_orders
        The type of the array, and whether it has one line for each order of n-grams.
    """

    name: CountName
    of_pairs: Callable[[Tokens, Pairs, float], Any]
    of_masks: Callable[[MasksOfBucket, float], NDArray[Any]] | None = None
    longest: int = LONGEST
    dtype: type = np.int64
    has_orders: bool = False


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairCounts:
    """Counts of (prediction, gold) pairs.

    Attributes
    ----------
    n_pred, n_gold
        The number of tokens of each side, int64, shape (pairs,).
    by_name
        The other counts, each by the name of its kernel. Pairs are the last axis. `counts["run"]` is short for
        `counts.by_name["run"]`. Only counts that were wanted are there.
    """

    n_pred: Ints
    n_gold: Ints
    by_name: Mapping[CountName, Any]

    def __getitem__(self, name: CountName) -> Any:
        return self.by_name[name]

    def get(self, name: CountName) -> Any:
        """Return the counts of this name, or None if they were not wanted."""
        return self.by_name.get(name)

    def with_counts(self, **counts: Any) -> PairCounts:
        """Return these counts, and others by their names."""
        return replace(self, by_name={**self.by_name, **counts})

    def take(self, places: Ints, axis: int = -1) -> PairCounts:
        """Return the counts of the pairs at these places. axis: the one of pairs in the arrays of `by_name`.

        The counts of the words of chrF++ are a `PairCounts` in `by_name`, and are taken in the same way.
        """
        taken = {name: counts.take(places, axis=axis) for name, counts in self.by_name.items()}
        return PairCounts(self.n_pred.take(places), self.n_gold.take(places), taken)


def count_matches(tokens: Tokens, pairs: Pairs, wanted: Mapping[Kernel, float]) -> PairCounts:
    """Return the counts of each pair by the wanted kernels.

    wanted: how much each kernel is to count, such as the highest order of n-grams.
    """
    by_masks = {kernel: most for kernel, most in wanted.items() if kernel.of_masks}
    counts: dict[CountName, Any] = _count_by_masks(tokens, pairs, by_masks) if by_masks else {}
    counts |= {kernel.name: kernel.of_pairs(tokens, pairs, wanted[kernel]) for kernel in wanted if not kernel.of_masks}
    return PairCounts(tokens.n_per_text.take(pairs.pred), tokens.n_per_text.take(pairs.gold), counts)


def count_sets(tokens: Tokens, n_sets: int, pairs: Pairs, wanted: Mapping[Kernel, float]) -> list[PairCounts]:
    """Return the counts of the same pairs in each of several sets of texts.

    The sets have as many texts each, and their tokens stand end to end. For few pairs of short texts, this takes less
    time than to count set after set.
    """
    first_text = np.arange(n_sets)[:, np.newaxis] * ((len(tokens.offsets) - 1) // n_sets)
    of_all = Pairs((first_text + pairs.pred).ravel(), (first_text + pairs.gold).ravel())
    counts = count_matches(tokens, of_all, wanted)
    return [counts.take(places) for places in np.arange(len(of_all)).reshape(n_sets, len(pairs))]


def _count_by_masks(tokens: Tokens, pairs: Pairs, wanted: Mapping[Kernel, float]) -> dict[CountName, NDArray[Any]]:
    """Return the counts of pairs by name, those of short pairs by masks.

    The time for other pairs is in proportion to their tokens, and for their longest common subsequences to n_pred *
    n_gold / 64.
    """
    n_pairs, n_per_text = len(pairs), tokens.n_per_text
    gold_is_longer = n_per_text.take(pairs.gold) > n_per_text.take(pairs.pred)
    counts: dict[Kernel, NDArray[Any]] = {
        kernel: np.zeros((int(most), n_pairs) if kernel.has_orders else n_pairs, kernel.dtype)
        for kernel, most in wanted.items()
    }
    long = [_NO_PAIRS]
    # Kernels share the masks: what one of them needs costs the others nothing.
    for part in split_pairs(tokens, pairs, longest=max(kernel.longest for kernel in wanted), condensed=True):
        if isinstance(part, Bucket):
            masks = MasksOfBucket(part, gold_is_longer[part.pairs])
            long.append(part.pairs[masks.do_not_fit])
            for kernel, most in wanted.items():
                assert kernel.of_masks is not None  # others are not given
                lines = zip(np.atleast_2d(counts[kernel]), np.atleast_2d(kernel.of_masks(masks, most)), strict=True)
                for line, of_bucket in lines:  # numpy writes to one line several times faster than to all
                    line[part.pairs] = of_bucket
        else:
            long.append(part)
    places = np.concatenate(long)
    if len(places):
        some = pairs[places]
        for kernel, most in wanted.items():
            counts[kernel][..., places] = kernel.of_pairs(tokens, some, most)
    return {kernel.name: of_kernel for kernel, of_kernel in counts.items()}


def _equal_texts(tokens: Tokens, pairs: Pairs) -> Flags:
    """Return whether both sides of each pair are the same tokens in the same order, shape (pairs,)."""
    n_per_text = tokens.n_per_text
    equal: Flags = n_per_text[pairs.pred] == n_per_text[pairs.gold]
    compared = np.flatnonzero(equal & (n_per_text[pairs.pred] > 0))
    if len(compared):
        n_tokens = n_per_text[pairs.pred[compared]]
        pred, gold = (
            tokens.ids.take(concatenated_ranges(tokens.offsets[side[compared]], n_tokens))
            for side in (pairs.pred, pairs.gold)
        )
        equal[compared] = np.logical_and.reduceat(pred == gold, np.cumsum(n_tokens) - n_tokens)
    return equal


def _distinct_of_sides(tokens: Tokens, pairs: Pairs) -> Ints:
    """Return the number of distinct tokens of the prediction and of the gold, shape (2, pairs)."""
    n_distinct = distinct_per_text(tokens)
    return np.stack([n_distinct[pairs.pred], n_distinct[pairs.gold]])


EQUAL = Kernel("equal", lambda tokens, pairs, _: _equal_texts(tokens, pairs), dtype=np.bool_)
"""Whether both sides have the same tokens in the same order. Two empty sides are equal."""

CLIPPED = Kernel(
    "clipped",
    lambda tokens, pairs, orders: count_by_sorting(tokens, pairs, orders=int(orders)),
    lambda each, orders: clipped_matches(each.masks, each.repeats, orders=int(orders)),
    has_orders=True,
)
"""Clipped n-gram matches of the orders 1, 2, ... up to the wanted one."""

DISTINCT = Kernel(
    "distinct",
    lambda tokens, pairs, _: count_distinct(tokens, pairs),
    lambda each, _: distinct_matches(each.masks, each.repeats),
)
"""The number of distinct tokens that both sides have."""

N_DISTINCT = Kernel("n_distinct", lambda tokens, pairs, _: _distinct_of_sides(tokens, pairs))
"""The number of distinct tokens of the prediction and of the gold, shape (2, pairs)."""

SUBSEQUENCE = Kernel(
    "subsequence",
    lambda tokens, pairs, _: count_lcs(tokens, pairs),
    lambda each, _: longest_common_subsequence(each.masks),
    longest=LONGEST // 2,
)
"""The length of the longest common subsequence."""

RUN = Kernel(
    "run",
    lambda tokens, pairs, _: longest_common_runs(tokens, pairs),
    lambda each, _: longest_common_substring(each.masks),
)
"""The length of the longest sequence of consecutive tokens that both sides have."""

CONTAINS_GOLD = Kernel(
    "contains_gold",
    lambda tokens, pairs, _: contain_golds(tokens, pairs),
    lambda each, _: is_substring(each.masks, each.bucket.n_steps) & ~each.gold_is_longer,
    dtype=np.bool_,
)
"""Whether the prediction has all tokens of the gold one after the other. False for an empty gold."""

EDITS = Kernel("edits", lambda tokens, pairs, most: count_edits(tokens, pairs, most=most))
"""The edit distance, as exactly as needed up to the wanted share of the longer side, see `count_edits`."""
