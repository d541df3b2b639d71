"""Two helpers on ranges of indices."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qa_frame._typing import Ints


def concatenated_ranges(starts: Ints, lengths: Ints) -> Ints:
    """The integers `start, start + 1, ..., start + length - 1` of each range, all ranges end to end."""
    n_before = np.cumsum(lengths) - lengths
    return np.repeat(starts - n_before, lengths) + np.arange(lengths.sum())


def bounded_slices(sizes: Ints, limit: int) -> Iterator[slice]:
    """Cut items into slices whose sizes add up to at most `limit`. A larger item is a slice of its own."""
    ends = np.cumsum(sizes)
    start = 0
    while start < len(sizes):
        n_before = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, n_before + limit, side="right")))
        yield slice(start, stop)
        start = stop
