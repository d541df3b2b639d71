"""Where each group has its row for each question, and which groups are compared."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from qa_frame._typing import Floats, Ints

_SUMS = 1 << 24
"""Sums per unit held in memory at once, for each of two sides and for their difference: 128 MB."""


@dataclass(frozen=True, slots=True)
class Strata:
    """Parts of the questions, each of which counts as much as it is given, however many questions it has.

    of_question: the stratum of each question, in the order of `Pairing.row_of`. weights: of each stratum, their sum 1.
    All questions of a unit are in one stratum. are_drawn: whether strata are units themselves, as a sample of others.
    """

    of_question: Ints
    weights: Floats
    are_drawn: bool = False


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which groups are compared, and where each has its row for each question.

    A unit is a question or a cluster of questions. It is swapped, or drawn, as one.

    Attributes
    ----------
    groups
        The labels of the groups.
    first, second
        The places of the groups that are compared, shape (pairs,).
    row_of
        Shape (groups, questions), -1 for no row. Questions stand in the order of their units and keys.
    unit_starts
        The first question of each unit, shape (units,).
    strata
        The strata that a mean is taken over; None if each question counts the same.
    """

    groups: pd.Series
    first: Ints
    second: Ints
    row_of: Ints
    unit_starts: Ints
    strata: Strata | None = None

    @property
    def unit_of(self) -> Ints:
        """The unit of each question, shape (questions,)."""
        sizes = np.diff(self.unit_starts, append=self.row_of.shape[1])
        return np.repeat(np.arange(len(sizes)), sizes)

    def blocks(self, *, n_parts: int) -> Iterator[Pairing]:
        """Yield the pairing, some pairs at a time, so that their sums do not fill the memory."""
        size = max(1, _SUMS // (n_parts * max(1, len(self.unit_starts))))
        for start in range(0, len(self.first), size):
            part = slice(start, start + size)
            yield dataclasses.replace(self, first=self.first[part], second=self.second[part])
