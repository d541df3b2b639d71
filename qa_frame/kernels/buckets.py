"""Pairs of like size, side by side: what lets one numpy call serve thousands of pairs.

Of the two texts of a pair the longer one gives the bits of a mask, the shorter one the steps. A bucket holds pairs
of nearly the same lengths; what a pair lacks to the bucket's size is padded.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qa_frame.kernels.tokens import Pairs, Tokens

_MERGED_WORK = 1 << 18
"""Small groups of pairs are merged while padded comparisons stay below this: about what the saved calls cost."""

_PADDING = 1.2
"""Groups of pairs are merged, however large, while at most this many times the comparisons needed are made."""

_COMPARED_AT_ONCE = 1 << 20
"""Comparisons in one numpy call, a byte each."""

_MASK_BYTES = 1 << 25
"""What the masks of one bucket may take."""

_PAIRS_PER_STEP = 12
"""A bucket with fewer pairs than one for this many steps is matched faster pair by pair."""

_NO_TOKEN = -1


@dataclass(frozen=True, slots=True)
class Bucket:
    """Pairs that are matched together.

    pairs: their places among all pairs, int64, shape (n,). long_ids: the token ids of all texts; long_starts: where
    each pair's longer text begins in them, shape (n,); n_long: its length, shape (n,).
    short: the shorter texts' ids, int32, shape (steps, n), -1 behind their ends; n_short: their lengths, shape (n,).
    """

    pairs: NDArray[np.int64]
    long_ids: NDArray[np.int32]
    long_starts: NDArray[np.int64]
    n_long: NDArray[np.int64]
    short: NDArray[np.int32]
    n_short: NDArray[np.int64]

    def of_shorter_texts(self) -> Bucket:
        """The bucket of the same pairs with each shorter text in the longer one's place too."""
        steps, n_pairs = self.short.shape
        starts = np.arange(n_pairs) * steps
        return replace(self, long_ids=self.short.T.ravel(), long_starts=starts, n_long=self.n_short)


def split_pairs(tokens: Tokens, pairs: Pairs) -> Iterator[tuple[NDArray[np.int64], bool]]:
    """The places of all pairs in which both sides have tokens, in groups of like size.

    With each group, whether it has pairs enough for a bucket; if not, its pairs are matched faster one by one.
    """
    n_per_text = tokens.n_per_text
    n_pred, n_gold = n_per_text[pairs.pred], n_per_text[pairs.gold]
    n_long, n_short = np.maximum(n_pred, n_gold), np.minimum(n_pred, n_gold)
    for like_sized in _like_sized(n_long, n_short):
        steps, bits = int(n_short[like_sized].max()), int(n_long[like_sized].max())
        size = max(1, min(_COMPARED_AT_ONCE // steps, _MASK_BYTES // (steps * (bits // 8 + 1))))
        for start in range(0, len(like_sized), size):
            group = like_sized[start : start + size]
            yield group, len(group) * _PAIRS_PER_STEP >= steps


def _like_sized(n_long: NDArray[np.int64], n_short: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """The places of pairs with tokens on both sides, grouped by size."""
    size_class = _size_class(n_long)
    longest_short = int(n_short.max(initial=0))
    key = size_class * (longest_short + 1) + n_short
    if key.max(initial=0) < 1 << 16:
        key = key.astype(np.uint16)  # numpy sorts these by radix
    order = np.argsort(key, kind="stable")
    order = order[n_short[order] > 0]
    if not len(order):
        return
    cells = np.concatenate(([0], np.flatnonzero(np.diff(key[order])) + 1, [len(order)]))
    bits = np.maximum.reduceat(n_long[order], cells[:-1]).tolist()
    steps = n_short[order[cells[:-1]]].tolist()
    begin, most_bits, most_steps, work = 0, 0, 0, 0
    for cell, (start, stop) in enumerate(itertools.pairwise(cells.tolist())):
        cell_work = (stop - start) * bits[cell] * steps[cell]
        work += cell_work
        most_bits, most_steps = max(most_bits, bits[cell]), max(most_steps, steps[cell])
        if start > begin and (stop - begin) * most_bits * most_steps > max(_MERGED_WORK, _PADDING * work):
            yield order[begin:start]
            begin, most_bits, most_steps, work = start, bits[cell], steps[cell], cell_work
    yield order[begin:]


def _size_class(n_long: NDArray[np.int64]) -> NDArray[np.int64]:
    """A class for each length: its upper bounds are 2, 4, 6, 8, 12, 16, 24, 32, 48, ..., about a third apart."""
    bounds = [2, 4, 6, 8]
    while bounds[-1] < n_long.max(initial=0):
        bounds += [bounds[-1] * 3 // 2, bounds[-1] * 2]
    return np.searchsorted(bounds, n_long)


def make_bucket(group: NDArray[np.int64], tokens: Tokens, pairs: Pairs) -> Bucket:
    """The bucket of a group of pairs."""
    pred, gold = pairs.pred[group], pairs.gold[group]
    n_pred = tokens.offsets[pred + 1] - tokens.offsets[pred]
    gold_is_long = tokens.offsets[gold + 1] - tokens.offsets[gold] > n_pred
    long, short = np.where(gold_is_long, gold, pred), np.where(gold_is_long, pred, gold)
    long_starts, short_starts = tokens.offsets[long], tokens.offsets[short]
    n_long, n_short = tokens.offsets[long + 1] - long_starts, tokens.offsets[short + 1] - short_starts
    positions = np.arange(int(n_short.max()))[:, np.newaxis]
    ids = tokens.ids.take(short_starts + positions, mode="clip")
    fewest = int(n_short.min())
    np.copyto(ids[fewest:], _NO_TOKEN, where=positions[fewest:] >= n_short)
    return Bucket(group, tokens.ids, long_starts, n_long, ids, n_short)
