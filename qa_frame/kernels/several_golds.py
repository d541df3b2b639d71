"""BLEU's counts with several golds: matches clipped by the largest count in any one gold, and the length of a gold."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qa_frame._typing import Flags, Ints
from qa_frame.kernels import long_pairs
from qa_frame.kernels.buckets import Bucket, split_pairs
from qa_frame.kernels.masks import match_masks, matched_ngrams, repeat_masks
from qa_frame.kernels.pair_counts import CLIPPED, count_matches
from qa_frame.kernels.tokens import Pairs, Tokens, bounded_slices, concatenated_ranges

_FLAGS_AT_ONCE = 1 << 22
"""The most flags, one for each gold and token of its prediction, that are made at once."""

_TOKENS_AT_ONCE = 1 << 16
"""The most tokens of longer pairs that are counted at once, unless one pair has more."""


def clipped_over_golds(
    tokens: Tokens, pairs: Pairs, pair_offsets: Ints, *, orders: int, per_pair: Ints | None = None
) -> Ints:
    """Return the clipped n-gram matches of each row's prediction with all its golds, shape (orders, rows).

    An n-gram counts as often as the prediction has it, but at most as often as the gold that has it most. This is the
    multi-reference rule of mteval-v13a. A row without golds has no matches. Orders are 1 to `orders`.

    Parameters
    ----------
    tokens, pairs
        All pairs of a row have the same prediction.
    pair_offsets
        Where the pairs of each row begin, shape (rows + 1,).
    orders
        The highest order of n-grams.
    per_pair
        The matches of each pair, shape (these orders or more, pairs), where they are known. Fewer golds are then read.
    """
    if per_pair is None:
        is_one = np.diff(pair_offsets) == 1
        per_row = np.zeros((orders, len(is_one)), np.int64)
        per_row[:, is_one] = count_matches(tokens, pairs[pair_offsets[:-1][is_one]], {CLIPPED: orders})["clipped"]
        is_known = is_one | (np.diff(pair_offsets) == 0)
    else:
        is_counted = per_pair[0] > 0  # golds without a token of the prediction change nothing
        pair_offsets = np.append(0, np.cumsum(is_counted))[pair_offsets]
        pairs, per_pair = pairs[is_counted], per_pair[:orders, is_counted]
        per_row, is_known = _most_of_any_gold(tokens, pairs, pair_offsets, per_pair)
    rows = np.flatnonzero(~is_known)
    if len(rows):
        per_row[:, rows] = _count_rows(tokens, pairs, pair_offsets, rows, orders)
    return per_row


def _most_of_any_gold(tokens: Tokens, pairs: Pairs, pair_offsets: Ints, per_pair: Ints) -> tuple[Ints, Flags]:
    """Return the most matches of each row with one gold, and for which rows these are the matches with all golds.

    They are for a row without golds, and where for each order at most one gold has matches, or one gold has all n-grams
    of the prediction. Shapes (orders, rows) and (rows,).
    """
    has_pairs = np.diff(pair_offsets) > 0  # reduceat misreads empty segments
    first = pair_offsets[:-1][has_pairs]
    most = np.zeros((len(per_pair), len(has_pairs)), np.int64)
    is_known = ~has_pairs
    if len(first):
        most_of_row = np.maximum.reduceat(per_pair, first, axis=1)
        n_golds = np.add.reduceat((per_pair > 0).astype(np.int64), first, axis=1)
        n_ngrams = np.maximum(0, tokens.n_per_text[pairs.pred[first]] - np.arange(len(per_pair))[:, np.newaxis])
        most[:, has_pairs] = most_of_row
        is_known[has_pairs] = ((n_golds <= 1) | (most_of_row == n_ngrams)).all(axis=0)
    return most, is_known


def closest_lengths(tokens: Tokens, pairs: Pairs, pair_offsets: Ints) -> Ints:
    """Return the length of each row's gold that is closest to the prediction's length, the shorter one on ties.

    Shape (rows,), 0 for a row without golds. `pair_offsets` is as for `clipped_over_golds`.
    """
    n_gold = tokens.n_per_text[pairs.gold]
    beyond = int(n_gold.max(initial=0)) + 1
    return _least_per_row(_length_distances(tokens, pairs) * beyond + n_gold, pair_offsets) % beyond


def first_closest_lengths(tokens: Tokens, pairs: Pairs, pair_offsets: Ints) -> Ints:
    """Return the length of each row's gold that is closest to the prediction's length, that of the first one on ties.

    Shape (rows,), 0 for a row without golds. `pair_offsets` is as for `clipped_over_golds`.
    """
    place = np.arange(len(pairs)) + 1  # place 0 stands for no gold
    beyond = len(pairs) + 1
    n_gold = np.append(0, tokens.n_per_text[pairs.gold])
    return n_gold[_least_per_row(_length_distances(tokens, pairs) * beyond + place, pair_offsets) % beyond]


def shortest_lengths(tokens: Tokens, pairs: Pairs, pair_offsets: Ints) -> Ints:
    """Return the length of each row's shortest gold, shape (rows,), 0 for a row without golds.

    `pair_offsets` is as for `clipped_over_golds`.
    """
    return _least_per_row(tokens.n_per_text[pairs.gold], pair_offsets)


def _length_distances(tokens: Tokens, pairs: Pairs) -> Ints:
    """Return how far the lengths of both sides of each pair are apart, shape (pairs,)."""
    distances: Ints = np.abs(tokens.n_per_text[pairs.gold] - tokens.n_per_text[pairs.pred])
    return distances


def _least_per_row(values: Ints, pair_offsets: Ints) -> Ints:
    """Return the least value of each row's pairs, shape (rows,), 0 for a row without pairs."""
    has_pairs = np.diff(pair_offsets) > 0  # reduceat misreads empty segments
    least = np.zeros(len(has_pairs), np.int64)
    if has_pairs.any():
        least[has_pairs] = np.minimum.reduceat(values, pair_offsets[:-1][has_pairs])
    return least


REFERENCE_LENGTHS = {
    "closest": closest_lengths, "first_closest": first_closest_lengths, "shortest": shortest_lengths,
}  # fmt: skip
"""Which length of a row's golds counts, by its name."""


def _count_rows(tokens: Tokens, pairs: Pairs, pair_offsets: Ints, rows: Ints, orders: int) -> Ints:
    """Return the clipped n-gram matches of rows with several golds, shape (orders, rows). rows: the places of rows."""
    # An n-gram is matched if any gold matches it. Each token of a prediction has one bit per order for this.
    n_pred = tokens.n_per_text[pairs.pred[pair_offsets[rows]]]
    flag_offsets = np.concatenate(([0], np.cumsum(n_pred)))
    flags = np.zeros(int(flag_offsets[-1]), np.uint8)
    n_golds = np.diff(pair_offsets)[rows]
    row_per_pair = np.repeat(np.arange(len(rows)), n_golds)
    pair = concatenated_ranges(pair_offsets[rows], n_golds)
    for part in bounded_slices(n_pred[row_per_pair], _FLAGS_AT_ONCE):
        first_flag = flag_offsets[row_per_pair[part]]
        for places, matched, order in _matched_ngrams(tokens, pairs[pair[part]], first_flag, orders):
            np.bitwise_or.at(flags, places[matched], np.uint8(1 << order))
    n_before = np.zeros((orders, len(flags) + 1), np.int64)
    for order in range(orders):
        np.cumsum(flags >> order & 1, out=n_before[order, 1:])
    return n_before[:, flag_offsets[1:]] - n_before[:, flag_offsets[:-1]]


def _matched_ngrams(tokens: Tokens, pairs: Pairs, first_flag: Ints, orders: int) -> Iterator[tuple[Ints, Flags, int]]:
    """Yield which n-grams of predictions the gold has, for some pairs and one order at a time.

    first_flag: the place of each pair's first flag. A pair has one flag for each token of the prediction.

    Yields
    ------
    places
        The flags of n-grams. Those of a pair begin at its `first_flag`.
    matched
        Whether each n-gram is matched, in the same shape.
    order
        The n-grams' order less one.
    """
    others = [np.zeros(0, np.int64)]
    for part in split_pairs(tokens, pairs, bit_text="gold"):
        if isinstance(part, Bucket):
            places = first_flag[part.pairs] + np.arange(len(part.step_ids))[:, np.newaxis]
            masks = match_masks(part)
            repeats, most = repeat_masks(part.step_ids), min(orders, len(masks))
            for order, matched in enumerate(matched_ngrams(masks, repeats, orders=most)):
                yield places[: len(matched)], matched, order
        else:
            others.append(part)
    places = np.concatenate(others)
    some, n_per_text = pairs[places], tokens.n_per_text
    for group in bounded_slices(n_per_text[some.pred] + n_per_text[some.gold], _TOKENS_AT_ONCE):
        # The texts of all pairs, end to end, are counted as one pair. Tokens of different pairs differ, and so do the
        # pads that stand behind the texts of each side: no n-gram that goes beyond its text is matched.
        pred, gold = (_join_texts(tokens, side[group], pad) for side, pad in ((some.pred, -1), (some.gold, -2)))
        n_pred = n_per_text[some.pred[group]]
        flags = np.insert(concatenated_ranges(first_flag[places[group]], n_pred), np.cumsum(n_pred), -1)
        for order, matched in enumerate(long_pairs.matched_ngrams(pred, gold, orders=orders)):
            yield flags[: len(matched)], matched, order


def _join_texts(tokens: Tokens, texts: Ints, pad: int) -> Ints:
    """Return the tokens of texts, end to end, with a pad behind each text. Those of different texts are made different.

    texts: one side of pairs. pad: the number that stands behind each text.
    """
    n_tokens = tokens.n_per_text[texts]
    n_ids = int(tokens.ids.max(initial=0)) + 1
    return np.insert(tokens.texts(texts) + np.repeat(np.arange(len(texts)) * n_ids, n_tokens), np.cumsum(n_tokens), pad)
