"""Clipped n-gram matches by sorting: for texts of hundreds of tokens and few distinct ones, as characters.

The n-gram of the highest order that begins at a token is packed into one integer. Once the integers of a pair are
sorted, n-grams of every lower order stand together, too, as they are the first parts of the higher ones. So one sort
serves all orders, and the time is in proportion to the number of tokens.

The integers of a pair are one row of a table. numpy sorts many short rows several times faster than one long one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from qa_frame._typing import Flags, Ints
from qa_frame.kernels import long_pairs
from qa_frame.kernels.ranges import concatenated_ranges
from qa_frame.kernels.tokens import Pairs, Tokens

_TOKENS_AT_ONCE = 1 << 16
"""The most tokens that are sorted at once, unless one pair has more. So many keys stay in a fast cache."""

_FEW_TOKENS, _PADDING = 1 << 13, 1.15
"""Pairs of different sizes are sorted at once if they take few tokens, or if padding adds at most this factor."""

_BITS, _FEW_BITS = 64, 32

_LARGEST_TABLE = 1 << 22
"""Ids below this are numbered anew by a table, which is faster than by sorting."""

SmallIds = NDArray[np.uint32]
Keys = SmallIds | NDArray[np.uint64]


def count_by_sorting(tokens: Tokens, pairs: Pairs, *, orders: int) -> Ints:
    """Clipped n-gram matches of orders 1 to `orders`, shape (orders, pairs)."""
    matches = np.zeros((orders, len(pairs)), np.int64)
    groups, padded = [*_pairs_of_similar_size(tokens, pairs)], _padded_ids(tokens, pairs, orders - 1)
    while groups:
        places = groups.pop()
        keys, width = _sorted_keys(tokens, pairs[places], padded, orders)
        if width:
            matches[:, places] = _matches_of_sorted(keys, orders, width)
        elif len(places) > 1:
            groups += np.array_split(places, 2)  # fewer pairs have fewer distinct tokens
        else:
            matches[:, places[0]] = _count_single(tokens, pairs, places[0], orders)
    return matches


def count_distinct(tokens: Tokens, pairs: Pairs) -> Ints:
    """Return the number of distinct tokens that both texts of each pair have, int64, shape (pairs,)."""
    distinct, padded = np.zeros(len(pairs), np.int64), _padded_ids(tokens, pairs, 0)
    for places in _pairs_of_similar_size(tokens, pairs):
        keys, _ = _sorted_keys(tokens, pairs[places], padded, 1)
        # Equal tokens of both sides meet once: there, only the side differs.
        distinct[places] = np.count_nonzero(keys[:, 1:] ^ keys[:, :-1] == 1, axis=1)
    return distinct


def _pairs_of_similar_size(tokens: Tokens, pairs: Pairs) -> Iterator[Ints]:
    """The places of pairs that are sorted at once."""
    sizes = tokens.n_per_text[pairs.pred] + tokens.n_per_text[pairs.gold]
    by_size = np.argsort(sizes, kind="stable")
    sizes = np.maximum(sizes[by_size], 1)
    start = 0
    while start < len(sizes):
        some = sizes[start : start + max(1, _TOKENS_AT_ONCE // int(sizes[start]))]
        padded = some * np.arange(1, len(some) + 1)
        fits = padded <= np.minimum(_TOKENS_AT_ONCE, np.maximum(_FEW_TOKENS, _PADDING * np.cumsum(some)))
        stop = start + max(1, int(np.argmin(np.append(fits, False))))
        yield by_size[start:stop]
        start = stop


def _padded_ids(tokens: Tokens, pairs: Pairs, n_pads: int) -> SmallIds:
    """The ids of all tokens, then `n_pads` pads of predictions, and pads of golds, as many as a row may need.

    Pads of predictions and of golds differ from each other and from all tokens.
    """
    most = int(tokens.n_per_text[np.concatenate((pairs.pred, pairs.gold))].max(initial=0))
    pads = np.repeat(int(tokens.ids.max(initial=0)) + np.array([1, 2]), (n_pads, 2 * most + n_pads))
    return np.concatenate((tokens.ids, pads), dtype=np.uint32, casting="unsafe")


def _sorted_keys(tokens: Tokens, pairs: Pairs, padded: SmallIds, orders: int) -> tuple[Keys, int]:
    """Sort the n-grams of each pair. padded: what `_padded_ids` returns.

    Returns
    -------
    keys
        A row for each pair. The lowest bit is the side, and the n-gram of order `orders` stands above it.
    width
        How many bits each token of an n-gram takes. 0 if they do not fit, as there are too many distinct ones.
    """
    ids, is_gold = _rows(tokens, pairs, padded, orders - 1)
    if orders * _width(ids) + 1 > _BITS:
        ids = _renumber(ids, is_gold)
    width = _width(ids)
    if orders * width + 1 > _BITS:
        return np.zeros((0, 0), np.uint64), 0
    keys: Keys = ids.ravel()
    if orders * width + 1 > _FEW_BITS:  # else keys stay narrow, as these are sorted sooner
        keys = keys.astype(np.uint64)
    number, order = keys.dtype.type, 1
    while order < orders:
        more = min(order, orders - order)  # how many tokens the n-grams grow by
        longer = keys << number(more * width)
        longer[:-more] |= keys[more:]  # tokens that are in both stand at the same bits
        keys, order = longer, order + more
    keys = (keys << number(1)).reshape(ids.shape)
    keys |= is_gold
    keys.sort(axis=1)
    return keys, width


def _rows(tokens: Tokens, pairs: Pairs, padded: SmallIds, n_pads: int) -> tuple[SmallIds, Flags]:
    """The tokens of each pair in a row, the prediction and then the gold, and whether each is one of the gold.

    At least `n_pads` pads stand behind each text, so that no n-gram that goes beyond its text is matched.
    """
    n_pred, n_gold, n_ids = tokens.n_per_text[pairs.pred], tokens.n_per_text[pairs.gold], len(tokens.ids)
    longest = int((n_pred + n_gold).max()) + 2 * n_pads
    starts = (tokens.offsets[pairs.pred], n_ids, tokens.offsets[pairs.gold], n_ids + n_pads)
    lengths = (n_pred, n_pads, n_gold, longest - n_pred - n_pads - n_gold)
    places = concatenated_ranges(*(np.stack(np.broadcast_arrays(*each), axis=1).ravel() for each in (starts, lengths)))
    is_gold = np.arange(longest) >= (n_pred + n_pads)[:, np.newaxis]
    return padded.take(places).reshape(is_gold.shape), is_gold


def _width(ids: SmallIds) -> int:
    """How many bits an id takes."""
    return int(ids.max(initial=1)).bit_length()


def _renumber(ids: SmallIds, is_gold: Flags) -> SmallIds:
    """Ids that are small: the tokens that both sides have are 2, 3, ... All others of predictions are 0, of golds 1."""
    if ids.max() >= _LARGEST_TABLE:
        ids = np.unique(ids, return_inverse=True)[1].reshape(ids.shape).astype(np.uint32)
    n_ids = int(ids.max()) + 1
    of_sides = np.zeros((2, n_ids), np.bool_)
    of_sides.ravel()[is_gold * n_ids + ids] = True
    in_both = of_sides.all(axis=0)
    numbers = np.where(in_both, np.cumsum(in_both, dtype=np.uint32) + np.uint32(1), of_sides[1])
    return numbers.take(ids)


def _count_single(tokens: Tokens, pairs: Pairs, pair: int, orders: int) -> list[int]:
    pred, gold = tokens.text(pairs.pred[pair]), tokens.text(pairs.gold[pair])
    return [int(np.count_nonzero(matched)) for matched in long_pairs.matched_ngrams(pred, gold, orders=orders)]


def _matches_of_sorted(keys: Keys, orders: int, width: int) -> Ints:
    """The matches of each order, from what `_sorted_keys` returns, shape (orders, pairs).

    If a run of equal n-grams has p of the prediction and g of the gold, min(p, g) are matched, and |p - g| are not.
    """
    number, (n_pairs, n_keys) = keys.dtype.type, keys.shape
    is_gold = (keys.ravel() & number(1)).astype(np.int8)
    balance = np.cumsum(is_gold * np.int8(2) - np.int8(1), dtype=np.int32)
    differences = keys[:, 1:] ^ keys[:, :-1]
    is_end = np.ones(keys.shape, np.bool_)
    matches = np.zeros((orders, n_pairs), np.int64)
    for order in range(1, orders + 1):
        np.greater_equal(differences, number(1 << 1 + (orders - order) * width), out=is_end[:, :-1])
        ends = np.flatnonzero(is_end)
        n_unmatched = balance.take(ends)
        n_unmatched[1:] -= n_unmatched[:-1].copy()
        np.abs(n_unmatched, out=n_unmatched)
        first = np.searchsorted(ends, np.arange(n_pairs) * n_keys)
        matches[order - 1] = n_keys - np.add.reduceat(n_unmatched, first)
    return matches // 2
