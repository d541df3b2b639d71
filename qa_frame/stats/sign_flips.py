"""Random sign flips of units → sums of signed values, for the paired permutation test.

A draw gives each unit a sign: +1 where the two groups keep their answers, and -1 where they exchange them. What this
does to the difference of two groups depends on sums over units, of values times signs. The values of a group are the
same in all of its pairs, so that a few columns of values serve many pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.stats.bootstrap import add_product
from qa_frame.stats.contrasts import Contrast

_BLOCKS = 1 << 12
"""More units than these are put together at random in so many blocks, anew for each batch of draws."""

_SIGNS_AT_ONCE = 1 << 20

_MOST_DRAWS = 1 << 12
"""Draws of one batch, where units are few."""

_SIGNS_OF_BYTE = 1.0 - 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float64)


@dataclass(frozen=True, slots=True)
class SharedSums:
    """The sums of units that pairs of groups need, each column once though several pairs share it.

    Attributes
    ----------
    sums
        One sum of every unit in each column, shape (units, columns).
    first, second
        The columns of each side of a pair, shape (pairs, sums of the statistic).
    """

    sums: Floats
    first: Ints
    second: Ints


def sums_of_both_sides(contrast: Contrast, pairs: Ints, chosen: Ints) -> SharedSums:
    """Return the sums of both sides of pairs. Pairs share the columns of a group that has the same sums in both.

    chosen: the places of the statistic's sums that are wanted.
    """
    sides = (contrast.first, contrast.second)
    columns = [side[pair, place] for side in sides for pair in pairs.tolist() for place in chosen.tolist()]
    place_of: dict[bytes, int] = {}
    places = [place_of.setdefault(column.tobytes(), len(place_of)) for column in columns]
    first, second = np.reshape(places, (2, len(pairs), len(chosen)))
    distinct = np.unique(places, return_index=True)[1]
    return SharedSums(np.stack([columns[place] for place in distinct.tolist()], axis=1), first, second)


def sums_of_differences(delta: Floats) -> SharedSums:
    """Return each pair's differences as its first side, and a column of zeros as the second side of all pairs.

    delta: the differences, shape (pairs, sums, units).
    """
    n_pairs, n_sums, n_units = delta.shape
    sums = np.zeros((n_units, n_pairs * n_sums + 1))
    sums[:, :-1] = delta.reshape(-1, n_units).T
    first = np.arange(n_pairs * n_sums).reshape(n_pairs, n_sums)
    return SharedSums(sums, first, np.full_like(first, n_pairs * n_sums))


class SignFlips:
    """Sums of columns of values over units, each unit with a random sign.

    Each draw gives every unit a sign of its own, +1 as often as -1. Up to 4,096 units, all draws are independent. With
    more, the draws of one batch share how units are put together in 4,096 blocks, each unit with a random sign: within
    the batch a draw then gives each block a sign. The share of draws beyond some bound has the same expectation; its
    variance is at most some 2 per cent larger, as the sum of squares of so many blocks hardly varies.

    Parameters
    ----------
    values
        What is summed, shape (units, columns).
    seed
        The same seed and number of units give the same signs, whatever the values are.
    """

    def __init__(self, values: Floats, seed: int) -> None:
        self._n_units, self._seed = len(values), seed
        self._is_folded = self._n_units > _BLOCKS
        if self._is_folded:
            order = np.random.default_rng([seed, self._n_units]).permutation(self._n_units)
            padded = np.zeros((-(-self._n_units // _BLOCKS) * _BLOCKS, values.shape[1]))
            padded[: self._n_units] = values[order]
            values = np.ascontiguousarray(padded.reshape(-1, _BLOCKS, values.shape[1]).swapaxes(1, 2))
        self._values = values

    def batches(self, start: int, stop: int) -> list[range]:
        """Return the draws from `start` to `stop` in batches, each of which has random numbers of its own."""
        size = min(_MOST_DRAWS, _SIGNS_AT_ONCE // max(1, min(self._n_units, _BLOCKS)))
        return [range(first, min(first + size, stop)) for first in range(start, stop, size)]

    def sums(self, batch: range) -> Floats:
        """Return the sums of the draws of a batch, shape (draws, columns). batch: one that `batches` gave."""
        random = np.random.default_rng([self._seed, batch.start])
        values = self._sum_blocks(random) if self._is_folded else self._values
        sums = np.zeros((len(batch), values.shape[1]))
        add_product(_random_signs(random, len(batch), len(values)), values, sums)
        return sums

    def _sum_blocks(self, random: np.random.Generator) -> Floats:
        """Return the sums of all blocks, shape (blocks, columns), with a random sign of each unit."""
        signs = _random_signs(random, len(self._values), _BLOCKS)
        return np.ascontiguousarray(np.einsum("ub,ulb->lb", signs, self._values).T)


def all_signs(n_units: int) -> Floats:
    """Return every way to give the signs +1 and -1 to some units, shape (2**units, units)."""
    return 1.0 - 2.0 * (np.arange(2**n_units)[:, None] >> np.arange(n_units) & 1).astype(np.float64)


def _random_signs(random: np.random.Generator, n_draws: int, n_units: int) -> Floats:
    """Return random signs, +1 or -1, shape (draws, units)."""
    n_bytes = -(-n_units // 8)
    octets = np.frombuffer(random.bytes(n_draws * n_bytes), np.uint8)
    return np.take(_SIGNS_OF_BYTE, octets, axis=0).reshape(n_draws, -1)[:, :n_units]
