"""Several golds at once: n-gram matches clipped by the largest count in any one gold, and the closest gold's length."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qa_frame._typing import Flags, Ints
from qa_frame.kernels import long_pairs
from qa_frame.kernels.buckets import Bucket, make_bucket, split_pairs
from qa_frame.kernels.mask_counts import matched_ngrams
from qa_frame.kernels.masks import match_masks
from qa_frame.kernels.pair_counts import Wanted, count_matches
from qa_frame.kernels.tokens import Pairs, Tokens

_FLAGS_AT_ONCE = 1 << 22
"""Tokens of predictions, once for each gold, that are looked at at one time."""


def clipped_over_golds(tokens: Tokens, pairs: Pairs, pair_offsets: Ints, *, orders: int) -> Ints:
    """Clipped n-gram matches of orders 1 to `orders` of each row's prediction with all its golds, shape (orders, rows).

    pair_offsets: shape (rows + 1,), into the pairs; a row's pairs have one prediction. A row without pairs has none.
    """
    n_golds = np.diff(pair_offsets)
    matches = np.zeros((orders, len(n_golds)), np.int64)
    with_one = pair_offsets[:-1][n_golds == 1]
    one_each = Pairs(pairs.pred[with_one], pairs.gold[with_one])
    matches[:, n_golds == 1] = count_matches(tokens, one_each, Wanted(orders=orders)).clipped
    rows = np.flatnonzero(n_golds > 1)
    if len(rows):
        matches[:, rows] = _count_rows(tokens, pairs, pair_offsets, rows, orders)
    return matches


def closest_lengths(tokens: Tokens, pairs: Pairs, pair_offsets: Ints) -> Ints:
    """For each row the length of the gold that is closest to the prediction's, the shorter on ties; 0 without pairs."""
    n_per_text = tokens.n_per_text
    n_gold = n_per_text[pairs.gold]
    distance = np.abs(n_gold - n_per_text[pairs.pred])
    has_pairs = np.diff(pair_offsets) > 0
    closest = np.zeros(len(has_pairs), np.int64)
    if has_pairs.any():
        beyond = int(n_gold.max()) + 1
        key = np.minimum.reduceat(distance * beyond + n_gold, pair_offsets[:-1][has_pairs])
        closest[has_pairs] = key % beyond
    return closest


def _count_rows(tokens: Tokens, pairs: Pairs, pair_offsets: Ints, rows: Ints, orders: int) -> Ints:
    """The matches of rows with several golds, shape (orders, rows)."""
    # An n-gram is matched by all golds together if any one of them matches it: a bit an order and token.
    n_pred = tokens.n_per_text[pairs.pred[pair_offsets[rows]]]
    flag_offsets = np.concatenate(([0], np.cumsum(n_pred)))
    flags = np.zeros(int(flag_offsets[-1]), np.uint8)
    row_per_pair = np.repeat(np.arange(len(rows)), np.diff(pair_offsets)[rows])
    is_wanted = np.zeros(len(pair_offsets) - 1, np.bool_)
    is_wanted[rows] = True
    pair = np.flatnonzero(np.repeat(is_wanted, np.diff(pair_offsets)))
    for part in _parts(n_pred[row_per_pair]):
        some = Pairs(pairs.pred[pair[part]], pairs.gold[pair[part]])
        for places, matched, order in _matched(tokens, some, flag_offsets[row_per_pair[part]], orders):
            np.bitwise_or.at(flags, places[matched], np.uint8(1 << order))
    n_before = np.zeros((orders, len(flags) + 1), np.int64)
    for order in range(orders):
        np.cumsum(flags >> order & 1, out=n_before[order, 1:])
    return n_before[:, flag_offsets[1:]] - n_before[:, flag_offsets[:-1]]


def _parts(n_pred: Ints) -> Iterator[slice]:
    """Slices of pairs that together have no more than so many tokens of predictions, if they are not one pair."""
    n_flags = np.cumsum(n_pred)
    start = 0
    while start < len(n_pred):
        done = n_flags[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(n_flags, done + _FLAGS_AT_ONCE, side="right")))
        yield slice(start, stop)
        start = stop


def _matched(tokens: Tokens, pairs: Pairs, first_flag: Ints, orders: int) -> Iterator[tuple[Ints, Flags, int]]:
    """For groups of pairs and each order from 0 on: the flags' places, and whether the n-gram there is matched."""
    for group, is_worth_a_bucket in split_pairs(tokens, pairs, "gold"):
        if is_worth_a_bucket:
            bucket = make_bucket(group, tokens, pairs, "gold")
            places = first_flag[group] + np.arange(len(bucket.step_ids))[:, np.newaxis]
            for order, matched in enumerate(_matched_in_bucket(bucket, orders)):
                yield places[: len(matched)], matched, order
            continue
        for pair in group.tolist():
            pred, gold = tokens.text(pairs.pred[pair]), tokens.text(pairs.gold[pair])
            for order, matched in enumerate(long_pairs.matched_ngrams(pred, gold, orders=orders)):
                yield first_flag[pair] + np.arange(len(matched)), matched, order


def _matched_in_bucket(bucket: Bucket, orders: int) -> Iterator[Flags]:
    masks = match_masks(bucket)
    self_masks = match_masks(bucket.of_steps_alone()) if len(masks) > 1 else masks
    return matched_ngrams(masks, self_masks, orders=min(orders, len(masks)))
