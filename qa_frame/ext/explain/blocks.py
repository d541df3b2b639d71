"""The blocks of which the text and the HTML of an explanation are made: lines, and tables of cells.

Sentences hold quoted texts. Those that could turn others around stand between `ISOLATES`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence, or a few words."""

    text: str
    kind: Literal["head", "note", "title", "small"]


Kind = Literal["name", "number", "sentence", "raw", "=", "+", "-", "words", ""]
"""What a cell holds. "=", "+" and "-" are tokens: common and aligned with their like, common but elsewhere, not common.

"words" are words of ours among tokens.
"""


class Cell(NamedTuple):
    """A cell of a table. The text of a "raw" one is as it was given, None for null; others are safe to look at."""

    text: str | None
    kind: Kind = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of as many cells each: the texts of the row, the scores of its metrics, or tokens above each other."""

    kind: Literal["texts", "scores", "tokens"]
    rows: list[list[Cell]]


Block = Line | Table
