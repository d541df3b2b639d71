"""Clipped n-gram matches by sorting: for texts of hundreds of tokens and few distinct ones, as characters.

The n-gram of the highest order that begins at a token is packed into one integer. Once the integers of a pair are
sorted, n-grams of every lower order stand together, too, as they are the first parts of the higher ones. So one sort
serves all orders, and the time is in proportion to the number of tokens.

The integers of a pair are one row of a table. numpy sorts many short rows several times faster than one long one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from qa_frame._typing import Flags, Ints
from qa_frame.kernels import long_pairs
from qa_frame.kernels.tokens import Pairs, Tokens

_TOKENS_AT_ONCE = 1 << 16
"""The most tokens that are sorted at once, unless one pair has more. So many keys stay in a fast cache."""

_FEW_TOKENS, _PADDING = 1 << 13, 1.15
"""Pairs of different sizes are sorted at once if they take few tokens, or if padding adds at most this factor."""

_BITS, _FEW_BITS = 64, 32

_LARGEST_TABLE = 1 << 22
"""Ids below this are numbered anew by a table, which is faster than by sorting."""

SmallIds = NDArray[np.uint32]
PackedNgrams = SmallIds | NDArray[np.uint64]


def count_by_sorting(tokens: Tokens, pairs: Pairs, *, orders: int) -> Ints:
    """Return how many n-grams of orders 1 to `orders` both texts of each pair have, int64, shape (orders, pairs).

    Each n-gram counts as often as the text has it that has it less often.
    """
    matches = np.zeros((orders, len(pairs)), np.int64)
    groups = [*_pairs_of_similar_size(tokens, pairs)]
    while groups:
        places = groups.pop()
        keys, width = _sort_ngrams(tokens, pairs[places], orders)
        if orders * width < _BITS:
            matches[:, places] = _count_sorted(keys, orders, width)
        elif len(places) > 1:
            groups += np.array_split(places, 2)  # fewer pairs have fewer distinct tokens
        else:
            pred, gold = tokens.text(pairs.pred[places[0]]), tokens.text(pairs.gold[places[0]])
            for order, matched in enumerate(long_pairs.matched_ngrams(pred, gold, orders=orders)):
                matches[order, places] = np.count_nonzero(matched)
    return matches


def count_distinct(tokens: Tokens, pairs: Pairs) -> Ints:
    """Return the number of distinct tokens that both texts of each pair have, int64, shape (pairs,)."""
    distinct = np.zeros(len(pairs), np.int64)
    for places in _pairs_of_similar_size(tokens, pairs):
        keys, _ = _sort_ngrams(tokens, pairs[places], 1)
        # Equal tokens of both sides meet once: there, only the side differs.
        distinct[places] = np.count_nonzero(keys[:, 1:] ^ keys[:, :-1] == 1, axis=1)
    return distinct


def _pairs_of_similar_size(tokens: Tokens, pairs: Pairs) -> Iterator[Ints]:
    """Yield the places of pairs of similar size, whose n-grams are sorted at once."""
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


def _sort_ngrams(tokens: Tokens, pairs: Pairs, orders: int) -> tuple[PackedNgrams, int]:
    """Return the n-grams of each pair, packed into integers and sorted.

    Returns
    -------
    keys
        A row for each pair. The lowest bit is the side, and the n-gram of order `orders` stands above it.
    width
        How many bits each token of an n-gram takes. Keys are of use if all its tokens and the side fit in `_BITS`.
    """
    ids, is_gold = _lay_out_rows(tokens, pairs, orders - 1)
    if orders * int(ids.max()).bit_length() >= _BITS:
        ids = _renumber(ids, is_gold)
    width = max(1, int(ids.max()).bit_length())
    # Narrow keys are sorted sooner.
    keys: PackedNgrams = ids.ravel() if orders * width < _FEW_BITS else ids.ravel().astype(np.uint64)
    number, order = keys.dtype.type, 1
    while order < orders:
        more = min(order, orders - order)  # how many tokens the n-grams grow by
        longer = keys << number(more * width)
        longer[:-more] |= keys[more:]  # tokens that are in both stand at the same bits
        keys, order = longer, order + more
    keys = (keys << number(1)).reshape(ids.shape) | is_gold
    keys.sort(axis=1)
    return keys, width


def _lay_out_rows(tokens: Tokens, pairs: Pairs, n_pads: int) -> tuple[SmallIds, Flags]:
    """Return the token ids of each pair as a row, and whether each is one of the gold, shape (pairs, places) each.

    The prediction's ids come first, and then the gold's. At least `n_pads` pads stand behind each text. Those of
    predictions are 0, those of golds 1, and no id is less than 2, so that no n-gram that goes beyond its text is
    matched.
    """
    n_pred, n_gold = tokens.n_per_text[pairs.pred], tokens.n_per_text[pairs.gold]
    longest = int((n_pred + n_gold).max(initial=1)) + 2 * n_pads
    n_between = longest - n_pads - n_pred - n_gold
    sides = (tokens.offsets[side + at] for side in (pairs.pred, pairs.gold) for at in (0, 1))
    ids, pads = tokens.ids.data, np.repeat(np.array([-1, -2], np.int32), (n_pads, longest)).data
    slices = (  # of so many tokens, these are copied sooner than they are gathered
        (ids[pred:pred_end], pads[n_pads : n_pads + n], ids[gold:gold_end], pads[:n_pads])
        for n, pred, pred_end, gold, gold_end in np.stack((n_between, *sides), axis=1).tolist()
    )
    is_gold = np.arange(longest) >= (n_pred + n_between)[:, np.newaxis]
    rows = np.frombuffer(b"".join(itertools.chain.from_iterable(slices)), np.uint32) + np.uint32(2)
    return rows.reshape(is_gold.shape), is_gold


def _renumber(ids: SmallIds, is_gold: Flags) -> SmallIds:
    """Return small ids: tokens that both sides have get 2, 3, ..., all others of predictions 0, and of golds 1."""
    if ids.max() >= _LARGEST_TABLE:
        ids = np.unique(ids, return_inverse=True)[1].reshape(ids.shape).astype(np.uint32)
    of_sides = np.zeros((2, int(ids.max()) + 1), np.bool_)
    of_sides.ravel()[is_gold * of_sides.shape[1] + ids] = True
    in_both = of_sides.all(axis=0)
    numbers: SmallIds = of_sides[1].astype(np.uint32)
    numbers[in_both] = np.arange(2, np.count_nonzero(in_both) + 2)
    return numbers.take(ids)


def _count_sorted(keys: PackedNgrams, orders: int, width: int) -> Ints:
    """Return the matches of each order, from what `_sort_ngrams` returns, shape (orders, pairs).

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
