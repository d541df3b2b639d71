"""Clipped n-gram matches by sorting: for texts of hundreds of tokens and few distinct ones, as characters.

The n-gram of the highest order that begins at a token is packed into one integer, behind the number of its pair. Once
these integers are sorted, n-grams of every lower order stand together, too, as they are the first parts of the higher
ones. So one sort serves all orders, and the time is in proportion to the number of tokens.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qa_frame._typing import Ids, Ints
from qa_frame.kernels import long_pairs
from qa_frame.kernels.ranges import bounded_slices
from qa_frame.kernels.tokens import Pairs, Tokens, distinct_keys

_TOKENS_AT_ONCE = 1 << 16
"""The most tokens that are sorted at once, unless one pair has more. So many keys stay in a fast cache."""

_BITS, _FEW_BITS = 64, 32
_SIDES = np.array([0, 1], np.uint64)

_LARGEST_TABLE = 1 << 22
"""Ids below this are numbered anew by a table, which is faster than by sorting."""

_PAD_OF_PRED, _PAD_OF_GOLD, _N_PADS = 0, 1, 2
"""What stands behind the end of a prediction and of a gold, and for tokens that match nothing. They differ, so that no
n-gram with one of them matches."""

Keys = NDArray[np.uint32] | NDArray[np.uint64]


def count_by_sorting(tokens: Tokens, pairs: Pairs, *, orders: int) -> Ints:
    """Clipped n-gram matches of orders 1 to `orders`, shape (orders, pairs)."""
    matches = np.zeros((orders, len(pairs)), np.int64)
    n_per_text = tokens.n_per_text
    n_tokens = n_per_text[pairs.pred] + n_per_text[pairs.gold]
    for part in bounded_slices(n_tokens, _TOKENS_AT_ONCE):
        matches[:, part] = _count_part(tokens, pairs[part], orders)
    return matches


def count_distinct(tokens: Tokens, pairs: Pairs) -> Ints:
    """Return the number of distinct tokens that both texts of each pair have, int64, shape (pairs,)."""
    distinct = np.zeros(len(pairs), np.int64)
    n_per_text = tokens.n_per_text
    for part in bounded_slices(n_per_text[pairs.pred] + n_per_text[pairs.gold], _TOKENS_AT_ONCE):
        sides = (
            distinct_keys(np.repeat(np.arange(len(texts)), n_per_text[texts]) << 32 | tokens.texts(texts))
            for texts in (pairs.pred[part], pairs.gold[part])
        )
        keys = np.sort(np.concatenate([*sides]))
        common = keys[1:][keys[1:] == keys[:-1]]
        distinct[part] = np.bincount(common >> 32, minlength=part.stop - part.start)
    return distinct


def _count_part(tokens: Tokens, pairs: Pairs, orders: int) -> Ints:
    """The matches of a few pairs, shape (orders, pairs)."""
    n_pairs = len(pairs)
    ids = np.concatenate([tokens.texts(side) for side in (pairs.pred, pairs.gold)])
    n_per_text = tokens.n_per_text[np.concatenate((pairs.pred, pairs.gold))]
    beside = (n_pairs - 1).bit_length() + 1  # the bits of the pair and of the side
    small = ids
    if orders * _width(ids) + beside > _BITS and ids.max(initial=0) < _LARGEST_TABLE:
        small = _renumber(ids, int(n_per_text[:n_pairs].sum()))
    if orders * _width(small) + beside > _BITS:
        small = _renumber_within_pairs(ids, n_per_text)
    width = _width(small)
    if orders * width + beside > _BITS:
        return np.array([_count_single(tokens, pairs, pair, orders) for pair in range(n_pairs)], np.int64).T
    keys = _ngrams(small, n_per_text, orders, width) << np.uint64(1)
    pair_and_side = np.arange(n_pairs, dtype=np.uint64) << np.uint64(orders * width + 1) | _SIDES[:, np.newaxis]
    keys |= np.repeat(pair_and_side.ravel(), n_per_text)
    if orders * width + beside <= _FEW_BITS:
        keys = keys.astype(np.uint32)  # these are sorted sooner
    keys.sort()
    return _matches_of_sorted(keys, n_per_text.reshape(2, -1).sum(axis=0), orders, width)


def _width(ids: Ids) -> int:
    """How many bits a token takes, or what stands behind the end of a text."""
    return (int(ids.max(initial=0)) + _N_PADS).bit_length()


def _renumber(ids: Ids, n_pred: int) -> Ids:
    """Ids that are small: the tokens that occur twice or more are 0, 1, 2, ... All others become pads."""
    is_repeated = np.bincount(ids) > 1
    numbers = np.cumsum(is_repeated, dtype=np.int32) - np.int32(1)
    numbers[~is_repeated] = _PAD_OF_PRED - _N_PADS
    small = numbers.take(ids)
    np.maximum(small[n_pred:], np.int32(_PAD_OF_GOLD - _N_PADS), out=small[n_pred:])
    return small


def _renumber_within_pairs(ids: Ids, n_per_text: Ints) -> Ids:
    """Ids that are small: in each pair, the distinct tokens are 0, 1, 2, ..."""
    n_pairs = len(n_per_text) // 2
    pair = np.repeat(np.tile(np.arange(n_pairs), 2), n_per_text)
    distinct, numbers = np.unique(pair << 32 | ids, return_inverse=True)
    first = np.searchsorted(distinct >> 32, np.arange(n_pairs))
    small: Ids = (numbers - first[pair]).astype(np.int32)
    return small


def _count_single(tokens: Tokens, pairs: Pairs, pair: int, orders: int) -> list[int]:
    pred, gold = tokens.text(pairs.pred[pair]), tokens.text(pairs.gold[pair])
    return [int(np.count_nonzero(matched)) for matched in long_pairs.matched_ngrams(pred, gold, orders=orders)]


def _ngrams(ids: Ids, n_per_text: Ints, orders: int, width: int) -> NDArray[np.uint64]:
    """The n-gram of order `orders` that begins at each token, as one integer of `orders * width` bits.

    The predictions come first, and then as many golds. Behind the end of each text, an n-gram goes on with pads.
    """
    ngrams, order = ids.astype(np.uint64) + np.uint64(_N_PADS), 1
    while order < orders:
        more = min(order, orders - order)  # how many tokens the n-grams grow by
        longer = ngrams << np.uint64(more * width)
        longer[:-more] |= ngrams[more:]  # tokens that are in both stand at the same bits
        ngrams, order = longer, order + more
    # In each text, the n-gram that begins one token before the end has the most pads, and so on.
    n_pads = np.arange(orders - 1, 0, -1)
    before_end, text = np.nonzero(n_per_text >= (orders - n_pads)[:, np.newaxis])
    places = np.cumsum(n_per_text)[text] - (before_end + 1)
    low = (n_pads * width).astype(np.uint64)[before_end]
    of_gold = np.array([sum(_PAD_OF_GOLD << place * width for place in range(n)) for n in n_pads.tolist()], np.uint64)
    is_gold = text >= len(n_per_text) // 2
    ngrams[places] = ngrams[places] >> low << low | of_gold[before_end] * is_gold
    return ngrams


def _matches_of_sorted(keys: Keys, n_per_pair: Ints, orders: int, width: int) -> Ints:
    """The matches of each order. In `keys`, the lowest bit is the side, and the n-grams stand above it.

    If a run of equal n-grams has p of the prediction and g of the gold, min(p, g) are matched, and |p - g| are not.
    """
    balance = np.cumsum((keys & keys.dtype.type(1)).astype(np.int8) * np.int8(2) - np.int8(1), dtype=np.int32)
    differences = keys[1:] ^ keys[:-1]
    pair_ends = np.cumsum(n_per_pair)
    is_end = np.ones(len(keys), np.bool_)
    matches = np.zeros((orders, len(pair_ends)), np.int64)
    for order in range(1, orders + 1):
        np.greater_equal(differences, keys.dtype.type(1 << 1 + (orders - order) * width), out=is_end[:-1])
        ends = np.flatnonzero(is_end)
        n_unmatched = np.zeros(len(ends) + 1, np.int64)  # up to the end of each run
        np.cumsum(np.abs(np.diff(balance.take(ends), prepend=np.int32(0))), out=n_unmatched[1:])
        matches[order - 1] = n_per_pair - np.diff(n_unmatched.take(np.searchsorted(ends, pair_ends)), prepend=0)
    return matches // 2
