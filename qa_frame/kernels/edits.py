"""Edit distances of pairs: how many tokens must be inserted, deleted or replaced to make one text of the other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qa_frame._typing import Ints
from qa_frame.kernels import long_pairs, mask_counts
from qa_frame.kernels.buckets import Bucket, split_pairs
from qa_frame.kernels.masks import match_masks
from qa_frame.kernels.tokens import Pairs, Tokens


def count_edits(tokens: Tokens, pairs: Pairs, *, most: float = 1.0) -> Ints:
    """The Levenshtein distance of each pair, int64 of shape (pairs,).

    most: the largest distance that is needed, as a share of the longer text. Where the lengths alone say that a
        distance is larger, the length of the longer text stands for it.
    """
    n_per_text = tokens.n_per_text
    n_pred, n_gold = n_per_text.take(pairs.pred), n_per_text.take(pairs.gold)
    longer, shorter = np.maximum(n_pred, n_gold), np.minimum(n_pred, n_gold)
    distance = longer.copy()  # this is what it is where one side is empty
    is_counted = (shorter > 0) & (longer - shorter <= most * longer)
    is_same = pairs.pred == pairs.gold
    distance[is_same] = 0
    places = np.flatnonzero(is_counted & ~is_same)
    if len(places):
        distinct, of_place = _distinct_pairs(pairs[places], len(n_per_text))
        distance[places] = _count_distinct(tokens, distinct)[of_place]
    return distance


def _distinct_pairs(pairs: Pairs, n_texts: int) -> tuple[Pairs, Ints]:
    """The distinct pairs, and for each pair its place among them. A pair and its reverse are the same."""
    low, high = np.minimum(pairs.pred, pairs.gold), np.maximum(pairs.pred, pairs.gold)
    keys, of_pair = np.unique(low * n_texts + high, return_inverse=True)
    return Pairs(*np.divmod(keys, n_texts)), of_pair.astype(np.int64, copy=False)


def _count_distinct(tokens: Tokens, pairs: Pairs) -> Ints:
    distance = np.zeros(len(pairs), np.int64)
    for part in split_pairs(tokens, pairs):
        if isinstance(part, Bucket):
            bucket = _sort_by_steps(part)
            masks = match_masks(bucket)
            distance[bucket.pairs] = mask_counts.edit_distance(masks, bucket.n_bits, bucket.n_steps)
        else:
            for pair in part.tolist():
                sides = tokens.text(pairs.pred[pair]), tokens.text(pairs.gold[pair])
                distance[pair] = long_pairs.edit_distance(*sides)
    return distance


def _sort_by_steps(bucket: Bucket) -> Bucket:
    """The same bucket with its pairs in the order of the lengths of their step texts."""
    if (bucket.n_steps[1:] >= bucket.n_steps[:-1]).all():
        return bucket
    order = np.argsort(bucket.n_steps, kind="stable")
    return replace(
        bucket,
        pairs=bucket.pairs[order],
        bit_starts=bucket.bit_starts[order],
        n_bits=bucket.n_bits[order],
        step_ids=bucket.step_ids[:, order],
        n_steps=bucket.n_steps[order],
    )
