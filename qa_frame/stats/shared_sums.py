"""Sums per unit that several pairs of groups share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.stats.contrasts import Contrast


@dataclass(frozen=True, slots=True)
class Lines:
    """Sums per unit, each line once though several pairs share it.

    sums: shape (units, lines). first, second: the lines of each side of a pair, shape (pairs, parts).
    """

    sums: Floats
    first: Ints
    second: Ints


def lines_of_sides(contrast: Contrast, pairs: Ints, parts: Ints) -> Lines:
    """Return the sums of both sides. A group that answered all questions has the same sums in all of its pairs."""
    place_of: dict[bytes, int] = {}
    lines: list[Floats] = []
    places = np.empty((2, len(pairs), len(parts)), np.int64)
    for side, sums in enumerate((contrast.first, contrast.second)):
        for row, pair in enumerate(pairs.tolist()):
            for column, part in enumerate(parts.tolist()):
                line = sums[pair, part]
                place = place_of.setdefault(line.tobytes(), len(lines))
                if place == len(lines):
                    lines.append(line)
                places[side, row, column] = place
    return Lines(np.stack(lines, axis=1), places[0], places[1])


def lines_of_differences(delta: Floats) -> Lines:
    """Return each pair's differences, of shape (pairs, parts, units), and a line of zeros for the other side."""
    n_pairs, n_parts, n_units = delta.shape
    values = np.zeros((n_units, n_pairs * n_parts + 1))
    values[:, :-1] = delta.reshape(-1, n_units).T
    places = np.arange(n_pairs * n_parts).reshape(n_pairs, n_parts)
    return Lines(values, places, np.full_like(places, n_pairs * n_parts))
