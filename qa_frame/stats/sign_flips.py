"""Random swaps of two groups' answers → the sums that they move.

A swap gives each unit a sign: +1 where the two sides keep their answers, -1 where they change places. What it does to a
difference of two groups depends on sums over units, of values times signs. The values of a group are the same in all of
its pairs, so that a few lines of values serve many pairs.
"""

from __future__ import annotations

import numpy as np

from qa_frame._typing import Floats
from qa_frame.stats.bootstrap import add_product

_BLOCKS = 1 << 12
"""More units than these are put together at random in so many blocks, anew for each part of the draws."""

_SIGNS_AT_ONCE = 1 << 20

_MOST_DRAWS = 1 << 12
"""Draws of one part, where units are few."""

_SIGNS_OF_BYTE = 1.0 - 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float64)


class Swaps:
    """Sums of lines of values over units, each with random signs.

    Each draw gives every unit a sign of its own, +1 as often as -1. Up to 4,096 units, all draws are independent. With
    more, the draws of one part share how units are put together in 4,096 blocks, each unit with a random sign: within
    the part a draw then gives each block a sign. The share of draws beyond some bound has the same expectation; its
    variance is at most some 2 per cent larger, as the sum of squares of so many blocks hardly varies.

    Parameters
    ----------
    lines
        Shape (units, lines).
    seed
        The same seed and number of units give the same signs, whatever the lines are.
    """

    def __init__(self, lines: Floats, seed: int) -> None:
        self._n_units, self._seed = len(lines), seed
        self._is_folded = self._n_units > _BLOCKS
        if self._is_folded:
            order = np.random.default_rng([seed, self._n_units]).permutation(self._n_units)
            deep = np.zeros((-(-self._n_units // _BLOCKS) * _BLOCKS, lines.shape[1]))
            deep[: self._n_units] = lines[order]
            lines = np.ascontiguousarray(deep.reshape(-1, _BLOCKS, lines.shape[1]).swapaxes(1, 2))
        self._lines = lines

    def parts(self, start: int, stop: int) -> list[range]:
        """Return the draws from `start` to `stop` in parts, each of which has random numbers of its own."""
        size = min(_MOST_DRAWS, _SIGNS_AT_ONCE // max(1, min(self._n_units, _BLOCKS)))
        return [range(first, min(first + size, stop)) for first in range(start, stop, size)]

    def sums(self, part: range) -> Floats:
        """Return the sums of these draws, shape (draws, lines)."""
        random = np.random.default_rng([self._seed, part.start])
        lines = self._fold(random) if self._is_folded else self._lines
        sums = np.zeros((len(part), lines.shape[1]))
        add_product(_random_signs(random, len(part), len(lines)), lines, sums)
        return sums

    def _fold(self, random: np.random.Generator) -> Floats:
        """Return the sums of all blocks, shape (blocks, lines), with a random sign of each unit."""
        signs = _random_signs(random, len(self._lines), _BLOCKS)
        return np.ascontiguousarray(np.einsum("ub,ulb->lb", signs, self._lines).T)


def all_signs(n_units: int) -> Floats:
    """Return every way to give signs to some units, shape (2**units, units)."""
    return 1.0 - 2.0 * (np.arange(2**n_units)[:, None] >> np.arange(n_units) & 1).astype(np.float64)


def _random_signs(random: np.random.Generator, n_draws: int, n_units: int) -> Floats:
    """Return random signs, shape (draws, units)."""
    n_bytes = -(-n_units // 8)
    drawn = np.frombuffer(random.bytes(n_draws * n_bytes), np.uint8)
    return np.take(_SIGNS_OF_BYTE, drawn, axis=0).reshape(n_draws, -1)[:, :n_units]
