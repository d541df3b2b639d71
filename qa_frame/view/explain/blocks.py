"""The blocks of which the text and the HTML of an explanation are made: lines, tables, and aligned tokens.

Sentences hold quoted texts. Those that could turn others around stand between `ISOLATES`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from qa_frame.terminal import columns_of

_MOST_LINES = 4
"""The largest number of lines of aligned tokens for one comparison."""


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence, or a few words. start: what stands before it and names the row."""

    text: str
    kind: Literal["head", "note", "title", "small", "plain"] = "plain"
    start: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Short cells in columns. The last one holds sentences, or raw texts, None for null. head: empty where none is."""

    head: list[str]
    rows: list[tuple[list[str], str | None]]
    is_raw: bool = False


Sign = Literal["=", "+", "-", ""]
"""What a token is: common and aligned with its like, common but elsewhere, not common; or no token, but words on it."""

SIDES = ("prediction", "gold")


@dataclass(frozen=True, slots=True)
class Column:
    """Two tokens above each other, of the prediction and of the gold, each with its sign.

    n: the number of columns that this one stands for.
    """

    tokens: tuple[str, str]
    signs: tuple[Sign, Sign] = ("", "")
    n: int = 1

    @property
    def width(self) -> int:
        """How many columns of a terminal it takes, with a space behind it."""
        return max(map(columns_of, self.tokens)) + 1


Block = Line | Table | list[Column]


def in_lines(columns: list[Column], room: int) -> Iterator[list[Column]]:
    """Yield the columns in a few lines of at most `room` columns of a terminal, without those that do not fit."""
    line: list[Column] = []
    n_lines, taken = 1, 0
    for place, column in enumerate(columns):
        taken += column.width
        if line and taken > room:
            yield line
            line, n_lines, taken = [], n_lines + 1, column.width
        if n_lines > _MOST_LINES:
            yield [Column((f"… {sum(each.n for each in columns[place:]):,} more", ""))]
            return
        line.append(column)
    yield line


@dataclass(frozen=True, slots=True)
class Shown:
    """All that is shown of a row: its line where rows are folded, its scores, and a section for each comparison."""

    summary: Line
    head: list[Block]
    sections: list[list[Block]]
