"""Buckets: pairs of similar size, which are counted together by one sequence of numpy calls.

The two texts of a pair have different roles. The tokens of one, the step text, are handled one after the other; the
positions of the other, the bit text, are the bits of a mask. Where the roles may be swapped, the longer text is the bit
text, as fewer steps are fewer numpy calls. Shorter texts of a bucket are padded to its longest one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from qa_frame._typing import Flags, Ids, Ints
from qa_frame.kernels.tokens import Pairs, Tokens

LONGEST = 64
"""Pairs in which a text has more tokens are in no bucket: masks have no more bits, and for long texts, whose product of
lengths is large, there are faster ways to count than by masks."""

_WIDEST, _FEW_STEPS = 1024, 8
"""Bit texts of up to so many tokens are in a bucket where the step text has few, see `masks.condensed_masks`."""

_SIZES = (2, 4, 6, 8, 12, 16, 24, 32, 48, LONGEST, 80, 96, 128, 160, 192, 256, 320, 384, 512, 768, _WIDEST)
_SIZE_CLASS = np.searchsorted(_SIZES, np.arange(_WIDEST + 1)).astype(np.uint16)
"""The class of each length of a bit text. Bit texts of one class may be in one bucket."""

_MERGED_WORK = 1 << 18
"""Groups of pairs are merged while they need at most this many comparisons, which cost as much as the saved calls."""

_PADDING = 1.2
"""Groups of any size are merged while padding multiplies the comparisons by at most this factor."""

_COMPARED_AT_ONCE = 1 << 20
"""The most comparisons in one numpy call. Each takes one byte."""

_STEPS_PER_PAIR = 12
"""A group with more steps than this for each of its pairs is counted faster one pair at a time."""

_NO_TOKEN = np.array(-1)
"""In a type without negative numbers this becomes the largest one, which `_narrow_ids` leaves free."""

Narrow = NDArray[np.integer]
"""Token ids of the narrowest type that holds them, as numpy compares narrower types faster."""

BitText = Literal["longer", "pred", "gold"]
"""Which text of a pair is the bit text."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Bucket:
    """n pairs that are counted together.

    The tokens of one text of a pair, the step text, are handled one after the other, as steps. The positions of the
    other, the bit text, are the bits of masks.

    Attributes
    ----------
    pairs
        The places of these pairs among all pairs, shape (n,).
    bit_ids
        The token ids of all texts, end to end, of the narrowest type, and some zeros behind them.
    bit_starts, n_bits
        Where the bit text of each pair begins in `bit_ids`, and its length, shape (n,).
    step_ids
        The token ids of the step texts, shape (steps, n), of the same type. After the end of shorter ones stands -1, or
        the largest number of an unsigned type, which is no token.
    n_steps
        The length of each step text, shape (n,).
    """

    pairs: Ints
    bit_ids: Narrow
    bit_starts: Ints
    n_bits: Ints
    step_ids: Narrow
    n_steps: Ints


def split_pairs(
    tokens: Tokens, pairs: Pairs, bit_text: BitText = "longer", *, longest: int = LONGEST, condensed: bool = False
) -> Iterator[Bucket | Ints]:
    """Yield buckets of pairs, and the places of those pairs that are counted faster in another way.

    Pairs in which a side is empty are in neither. Pairs in which a side has more than `longest` tokens are in no
    bucket; if `condensed`, those with few steps are.

    bit_text: which text of a pair is the bit text; see `Bucket`.
    """
    n_pred, n_gold = (tokens.n_per_text.take(side) for side in (pairs.pred, pairs.gold))
    gold_first = n_gold > n_pred if bit_text == "longer" else np.full(len(pairs), bit_text == "gold")
    bit_texts, step_texts = _sort_by_role(gold_first, pairs.pred, pairs.gold)
    n_bits, n_steps = _sort_by_role(gold_first, n_pred, n_gold)
    has_both = (n_bits > 0) & (n_steps > 0)
    is_short = has_both & (n_bits <= longest) & (n_steps <= longest)
    if condensed and int(n_bits.max(initial=0)) > longest:
        is_short |= has_both & (n_bits <= _WIDEST) & (n_steps <= _FEW_STEPS)
    if (is_short != has_both).any():
        yield np.flatnonzero(has_both & ~is_short)
    # Everything is sorted once, so that each bucket takes slices.
    order = _order_by_size(n_bits, n_steps, is_short)
    n_bits, n_steps = n_bits.take(order), n_steps.take(order)
    bit_starts, step_starts = (tokens.offsets.take(texts.take(order)) for texts in (bit_texts, step_texts))
    ids = _narrow_ids(tokens.ids)
    for first, last in _bounds_of_similar_size(n_bits, n_steps):
        steps = int(n_steps[first:last].max())
        size = max(1, _COMPARED_AT_ONCE // max(steps, int(n_bits[first:last].max())))
        for start in range(first, last, size):
            group = slice(start, min(start + size, last))
            if steps > (group.stop - start) * _STEPS_PER_PAIR:
                yield order[group]
            else:
                step_ids = _make_step_ids(ids, step_starts[group], n_steps[group])
                yield Bucket(order[group], ids, bit_starts[group], n_bits[group], step_ids, n_steps[group])


def _sort_by_role(gold_first: Flags, of_pred: Ints, of_gold: Ints) -> tuple[Ints, Ints]:
    """Return the values of both sides of each pair by role: those of the bit texts, and those of the step texts.

    gold_first: whether the gold is the bit text, shape (pairs,).
    """
    return np.where(gold_first, of_gold, of_pred), np.where(gold_first, of_pred, of_gold)


def _narrow_ids(ids: Ids) -> Narrow:
    """Return the ids in the narrowest type that also has a larger number, with zeros behind them.

    The zeros are there as positions behind the last text are read, too.
    """
    largest = int(ids.max(initial=0))
    narrow = next((dtype for dtype in (np.uint8, np.uint16) if largest < np.iinfo(dtype).max), np.int32)
    return np.concatenate((ids, np.zeros(_WIDEST, ids.dtype)), dtype=narrow, casting="unsafe")


def _make_step_ids(ids: Narrow, starts: Ints, n_steps: Ints) -> Narrow:
    """Return `Bucket.step_ids`. starts, n_steps: where each step text begins in `ids`, and its length."""
    positions = np.arange(int(n_steps.max()))[:, np.newaxis]
    step_ids = ids.take(starts + positions, mode="clip")
    fewest = int(n_steps.min())
    np.copyto(step_ids[fewest:], _NO_TOKEN.astype(ids.dtype), where=positions[fewest:] >= n_steps)
    return step_ids


def _order_by_size(n_bits: Ints, n_steps: Ints, is_short: Flags) -> Ints:
    """Return the places of short pairs, sorted by the class of the bit text's length, then by the number of steps."""
    # numpy sorts this type by radix, which is faster.
    step_class = np.minimum(n_steps, LONGEST).astype(np.uint16)
    key = _SIZE_CLASS.take(n_bits, mode="clip") * np.uint16(LONGEST + 1) + step_class
    order = np.argsort(key, kind="stable")
    return order if is_short.all() else order[is_short[order]]


def _bounds_of_similar_size(n_bits: Ints, n_steps: Ints) -> Iterator[tuple[int, int]]:
    """Yield the first place and the end of each group of pairs of similar size, among sorted pairs.

    Pairs with the same class of the bit text's length and the same number of steps form a cell. Neighbouring cells are
    merged while padding costs less than another bucket.
    """
    if not len(n_bits):
        return
    sizes = _SIZE_CLASS.take(n_bits)
    is_new = (sizes[1:] != sizes[:-1]) | (n_steps[1:] != n_steps[:-1])
    cells = np.concatenate(([0], np.flatnonzero(is_new) + 1, [len(n_bits)]))
    bits = np.maximum.reduceat(n_bits, cells[:-1]).tolist()
    steps = n_steps[cells[:-1]].tolist()
    begin, most_bits, most_steps, work = 0, 0, 0, 0
    for cell, (start, stop) in enumerate(itertools.pairwise(cells.tolist())):
        cell_work = (stop - start) * bits[cell] * steps[cell]
        work += cell_work
        most_bits, most_steps = max(most_bits, bits[cell]), max(most_steps, steps[cell])
        if start > begin and (stop - begin) * most_bits * most_steps > max(_MERGED_WORK, _PADDING * work):
            yield begin, start
            begin, most_bits, most_steps, work = start, bits[cell], steps[cell], cell_work
    yield begin, len(n_bits)
