"""Rows, lines or batches that follow each other are taken together, as many as memory is to hold at once."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
Sizes = tuple[int, ...]


def gathered(items: Iterable[T], sizes: Callable[[T], Sizes], most: Sizes) -> Iterator[list[T]]:
    """Yield the items in order, as many at a time as stay within the limits, and at least one.

    Parameters
    ----------
    sizes
        Returns the sizes of an item, such as its rows and its bytes.
    most
        How much the sizes of the items of one list may add up to.
    """
    held: list[T] = []
    totals: Sizes = ()
    for item in items:
        own = sizes(item)
        totals = tuple(map(operator.add, totals, own))
        if any(map(operator.gt, totals, most)):
            yield held
            held = []
        totals = totals if held else own
        held.append(item)
    if held:
        yield held
