"""The input of the kernels: texts as token ids, and pairs of texts; and ranges of their indices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qa_frame._typing import Flags, Ids, Ints


@dataclass(frozen=True, eq=False, repr=False)
class Tokens:
    """Texts as token ids, end to end. Equal tokens have equal ids.

    Attributes
    ----------
    ids
        int32, shape (tokens,), none negative.
    offsets
        Where each text begins in `ids`, and the end of the last one: int64, shape (texts + 1,).
    """

    ids: Ids
    offsets: Ints

    def __post_init__(self) -> None:
        if self.ids.dtype != np.int32 or self.offsets.dtype != np.int64:
            raise TypeError(f"Tokens takes int32 ids and int64 offsets, not {self.ids.dtype} and {self.offsets.dtype}")
        if not len(self.offsets) or self.offsets[0] != 0 or self.offsets[-1] != len(self.ids):
            raise ValueError("offsets of Tokens must begin with 0 and end with the number of ids")

    @cached_property
    def n_per_text(self) -> Ints:
        """The number of tokens of each text, shape (texts,)."""
        return self.offsets[1:] - self.offsets[:-1]

    def text(self, index: int) -> Ids:
        """Return the token ids of one text."""
        return self.ids[self.offsets[index] : self.offsets[index + 1]]

    def texts(self, indices: Ints) -> Ids:
        """Return the token ids of several texts, end to end."""
        if len(indices) and (indices == np.arange(indices[0], indices[0] + len(indices))).all():
            return self.ids[self.offsets[indices[0]] : self.offsets[indices[-1] + 1]]
        starts = self.offsets[indices]
        return self.ids.take(concatenated_ranges(starts, self.offsets[indices + 1] - starts))


def distinct_per_text(tokens: Tokens) -> Ints:
    """Return the number of distinct tokens of each text, int64, shape (texts,)."""
    n_texts = len(tokens.offsets) - 1
    text = np.repeat(np.arange(n_texts), tokens.n_per_text)
    return np.bincount(distinct_keys(text << 32 | tokens.ids) >> 32, minlength=n_texts)


def distinct_keys(keys: Ints) -> Ints:
    """Return the distinct keys, in ascending order."""
    # `np.unique` of newer numpy hashes, and takes 100 times as long where the upper half of the bits differs.
    keys = np.sort(keys)
    is_first = np.ones(len(keys), np.bool_)
    is_first[1:] = keys[1:] != keys[:-1]
    return keys[is_first]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pairs:
    """(prediction, gold) pairs, each side as indices of texts: int64, shape (pairs,)."""

    pred: Ints
    gold: Ints

    def __post_init__(self) -> None:
        if self.pred.shape != self.gold.shape or self.pred.ndim != 1:
            raise ValueError(f"Pairs takes two arrays of one length, not {self.pred.shape} and {self.gold.shape}")

    def __len__(self) -> int:
        return len(self.pred)

    def __getitem__(self, places: Ints | Flags | slice) -> Pairs:
        return Pairs(self.pred[places], self.gold[places])


def concatenated_ranges(starts: Ints, lengths: Ints) -> Ints:
    """Return the integers `start, start + 1, ..., start + length - 1` of each range, all ranges end to end."""
    n_before = np.cumsum(lengths) - lengths
    return np.repeat(starts - n_before, lengths) + np.arange(lengths.sum())


def bounded_slices(sizes: Ints, limit: int) -> Iterator[slice]:
    """Yield slices of items whose sizes add up to at most `limit`. A larger item is a slice of its own."""
    ends = np.cumsum(sizes)
    start = 0
    while start < len(sizes):
        n_before = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, n_before + limit, side="right")))
        yield slice(start, stop)
        start = stop
