"""Rows, lines or batches that follow each other are taken together, as many as memory is to hold at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def gathered(
    items: Iterable[T], size: Callable[[T], int], most_size: int, most_items: int = sys.maxsize
) -> Iterator[list[T]]:
    """Yield the items in order, as many at a time as stay within the limits, and at least one.

    Parameters
    ----------
    size
        Returns the size of an item, such as its bytes.
    most_size
        How much the sizes of the items of one list may add up to.
    most_items
        The most items of one list.
    """
    held: list[T] = []
    total = 0
    for item in items:
        own = size(item)
        if held and (total + own > most_size or len(held) == most_items):
            yield held
            held, total = [], 0
        held.append(item)
        total += own
    if held:
        yield held
