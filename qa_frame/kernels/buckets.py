"""Pairs of like size, side by side: what lets one numpy call serve thousands of pairs.

Of the two texts of a pair one gives the bits of a mask, the other one the steps. Where it does not matter which, the
longer one gives the bits: fewer steps are fewer operations. A bucket holds pairs of nearly the same lengths; what a
pair lacks to the bucket's size is padded.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from qa_frame._typing import Flags, Ids, Ints
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

Bits = Literal["longer", "pred", "gold"]
"""Which text of a pair gives the bits of the masks."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Bucket:
    """Pairs that are matched together.

    pairs: their places among all pairs, int64, shape (n,). bit_ids: the token ids of all texts; bit_starts: where
    each pair's text of bits begins in them, shape (n,); n_bits: its length, shape (n,).
    step_ids: the other texts' ids, int32, shape (steps, n), -1 behind their ends; n_steps: their lengths, shape (n,).
    """

    pairs: Ints
    bit_ids: Ids
    bit_starts: Ints
    n_bits: Ints
    step_ids: Ids
    n_steps: Ints

    def of_steps_alone(self) -> Bucket:
        """The bucket of the same pairs with each text of steps in the other one's place too."""
        steps, n_pairs = self.step_ids.shape
        starts = np.arange(n_pairs) * steps
        return replace(self, bit_ids=self.step_ids.T.ravel(), bit_starts=starts, n_bits=self.n_steps)


def split_pairs(tokens: Tokens, pairs: Pairs, bits: Bits = "longer") -> Iterator[tuple[Ints, bool]]:
    """The places of all pairs in which both sides have tokens, in groups of like size.

    With each group, whether it has pairs enough for a bucket; if not, its pairs are matched faster one by one.
    """
    n_per_text = tokens.n_per_text
    n_pred, n_gold = n_per_text[pairs.pred], n_per_text[pairs.gold]
    pred_has_bits = _pred_has_bits(n_pred, n_gold, bits)
    n_bits, n_steps = np.where(pred_has_bits, n_pred, n_gold), np.where(pred_has_bits, n_gold, n_pred)
    for like_sized in _like_sized(n_bits, n_steps):
        steps, positions = int(n_steps[like_sized].max()), int(n_bits[like_sized].max())
        size = max(1, min(_COMPARED_AT_ONCE // steps, _MASK_BYTES // (steps * (positions // 8 + 1))))
        for start in range(0, len(like_sized), size):
            group = like_sized[start : start + size]
            yield group, len(group) * _PAIRS_PER_STEP >= steps


def _pred_has_bits(n_pred: Ints, n_gold: Ints, bits: Bits) -> Flags:
    if bits == "longer":
        return n_pred >= n_gold
    return np.full(len(n_pred), bits == "pred")


def _like_sized(n_bits: Ints, n_steps: Ints) -> Iterator[Ints]:
    """The places of pairs with tokens on both sides, grouped by size."""
    size_class = _size_class(n_bits)
    most_steps_of_all = int(n_steps.max(initial=0))
    key = size_class * (most_steps_of_all + 1) + n_steps
    if key.max(initial=0) < 1 << 16:
        key = key.astype(np.uint16)  # numpy sorts these by radix
    order = np.argsort(key, kind="stable")
    order = order[(n_steps[order] > 0) & (n_bits[order] > 0)]
    if not len(order):
        return
    cells = np.concatenate(([0], np.flatnonzero(np.diff(key[order])) + 1, [len(order)]))
    bits = np.maximum.reduceat(n_bits[order], cells[:-1]).tolist()
    steps = n_steps[order[cells[:-1]]].tolist()
    begin, most_bits, most_steps, work = 0, 0, 0, 0
    for cell, (start, stop) in enumerate(itertools.pairwise(cells.tolist())):
        cell_work = (stop - start) * bits[cell] * steps[cell]
        work += cell_work
        most_bits, most_steps = max(most_bits, bits[cell]), max(most_steps, steps[cell])
        if start > begin and (stop - begin) * most_bits * most_steps > max(_MERGED_WORK, _PADDING * work):
            yield order[begin:start]
            begin, most_bits, most_steps, work = start, bits[cell], steps[cell], cell_work
    yield order[begin:]


def _size_class(n_bits: Ints) -> Ints:
    """A class for each length: its upper bounds are 2, 4, 6, 8, 12, 16, 24, 32, 48, ..., about a third apart."""
    bounds = [2, 4, 6, 8]
    while bounds[-1] < n_bits.max(initial=0):
        bounds += [bounds[-1] * 3 // 2, bounds[-1] * 2]
    return np.searchsorted(bounds, n_bits)


def make_bucket(group: Ints, tokens: Tokens, pairs: Pairs, bits: Bits = "longer") -> Bucket:
    """The bucket of a group of pairs."""
    pred, gold = pairs.pred[group], pairs.gold[group]
    starts, stops = tokens.offsets[:-1], tokens.offsets[1:]
    pred_has_bits = _pred_has_bits(stops[pred] - starts[pred], stops[gold] - starts[gold], bits)
    of_bits, of_steps = np.where(pred_has_bits, pred, gold), np.where(pred_has_bits, gold, pred)
    n_bits, n_steps = stops[of_bits] - starts[of_bits], stops[of_steps] - starts[of_steps]
    positions = np.arange(int(n_steps.max()))[:, np.newaxis]
    ids = tokens.ids.take(starts[of_steps] + positions, mode="clip")
    fewest = int(n_steps.min())
    np.copyto(ids[fewest:], _NO_TOKEN, where=positions[fewest:] >= n_steps)
    return Bucket(group, tokens.ids, starts[of_bits], n_bits, ids, n_steps)
