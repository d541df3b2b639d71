"""The parts of an explanation that its text and its HTML show, lines and tables of cells; and its text.

Sentences hold quoted texts. Those that could turn others around stand between `ISOLATES`. The text is as wide as the
terminal (at most 100 columns), and of bounded length.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from qa_frame.errors import plural
from qa_frame.ext.explain.token_matches import Comparison
from qa_frame.tables.visible import ISOLATES, clip
from qa_frame.terminal import columns_of, pad, text_width, wrap


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


# --- compared tokens


_OF_STEPS, _OF_TOKEN = 300, 40

_MOST_LINES = 4
"""The largest number of lines of aligned tokens for one comparison."""

_AROUND = 4
"""The number of columns that are shown at each side of one that counts as common."""

_FEW = 24
"""A stretch without common tokens is shown as a whole if it has at most so many columns."""

Column = tuple[Cell, Cell]
"""A token of the prediction, and the one of the gold below it."""


def describe_comparison(comparison: Comparison, n_golds: int, width: int) -> Iterator[Block]:
    """Yield the blocks of a comparison. n_golds: how many golds the row has. width: the columns of a line of tokens."""
    gold = f"golds[{comparison.gold}]" if n_golds > 1 else "the gold"
    gold = "no answer (an empty gold)" if comparison.gold is None else gold
    yield Line(f"{', '.join(comparison.metrics)} with {gold}", "title")
    yield Line(f"tokens by {clip(comparison.normalisation, _OF_STEPS)}", "small")
    columns = _mark_columns(comparison)
    lines = [*_split_into_lines([*_shorten_uncommon_stretches(columns)], width)]
    for line in lines[:_MOST_LINES]:
        sides = zip((Cell("prediction", "name"), Cell("gold", "name")), *line, strict=True)
        yield Table("tokens", [*map(list, sides)])
    if len(lines) > _MOST_LINES:
        yield Line(f"… and {plural(len(lines) - _MOST_LINES, 'more line')} of tokens", "small")
    if any(pred.kind == "+" or gold.kind == "+" for pred, gold in columns):
        yield Line("+ counts as common, but stands at another place", "small")


def _mark_columns(comparison: Comparison) -> list[Column]:
    """Return the columns of a comparison, the kind of each cell by whether its token counts as common.

    A side without tokens says so in the first column.
    """
    sides = (comparison.pred_tokens, comparison.gold_tokens)
    matched = (set(comparison.pred_matched), set(comparison.gold_matched))
    aligned, columns = set(comparison.aligned or ()), list[Column]()
    for places in comparison.columns or [(None, None)]:
        counts = [place in of_side for place, of_side in zip(places, matched, strict=True)]
        common: Kind = "=" if all(counts) and places in aligned else "+"
        pred, gold = (
            _show_token(tokens, place, common if is_common else "-")
            for tokens, place, is_common in zip(sides, places, counts, strict=True)
        )
        columns.append((pred, gold))
    none = Cell("(no tokens)", "words")
    columns[0] = (columns[0][0] if sides[0] else none, columns[0][1] if sides[1] else none)
    return columns


def _show_token(tokens: tuple[str, ...], place: int | None, kind: Kind) -> Cell:
    """Return the cell of the token at a place; an empty cell for no place."""
    return Cell("") if place is None else Cell(f"{'+' * (kind == '+')}{clip(tokens[place], _OF_TOKEN)}", kind)


def _shorten_uncommon_stretches(columns: list[Column]) -> Iterator[Column]:
    """Yield the columns, with one in place of the middle of each long stretch in which nothing counts as common."""
    counting = [place for place, (pred, gold) in enumerate(columns) if {pred.kind, gold.kind} & {"=", "+"}]
    for before, after in itertools.pairwise([-1, *counting, len(columns)]):
        stretch = columns[before + 1 : after]
        # At an end of the text there is nothing that counts on one side, but the first words are of use.
        if len(stretch) > _FEW:
            stretch[_AROUND:-_AROUND] = [(Cell(f"…{len(stretch) - 2 * _AROUND:,}…", "words"), Cell(""))]
        yield from stretch + columns[after : after + 1]


def _split_into_lines(columns: list[Column], width: int) -> Iterator[list[Column]]:
    """Yield the columns in lines of at most `width` columns of a terminal."""
    line, taken = list[Column](), 0
    for column in columns:
        size = max(columns_of(cell.text or "") for cell in column) + 1
        if line and taken + size > width:
            yield line
            line, taken = [], 0
        line.append(column)
        taken += size
    yield line


# --- text


_OF_RAW_TEXT = 300
_BESIDE_TOKENS = len("  prediction ")


def room_for_tokens() -> int:
    """Return how many columns of the terminal a line of tokens may take, beside the name of its side."""
    return text_width() - _BESIDE_TOKENS


def as_text(parts: Sequence[Sequence[Block]]) -> str:
    """Return an explanation as text. parts: its blocks, as `describe` returns them."""
    lines = [line.rstrip() for part in parts for block in part for line in _write_lines(block)]
    return "\n".join(lines).translate(dict.fromkeys(map(ord, ISOLATES)))


def _write_lines(block: Block) -> Iterator[str]:
    """Yield the lines of a block as a terminal shows it."""
    if isinstance(block, Table):
        yield from _write_table(block)
    else:
        yield from [""] * (block.kind == "title")
        yield from wrap(block.text, "" if block.kind in {"head", "title"} else "  ")


def _write_table(table: Table) -> Iterator[str]:
    """Yield the lines of a table, in which the last cells have the room that is left, on several lines if they need it.

    Signs stand between tokens that are aligned and count. Scores beside texts are left out.
    """
    rows = [[*map(_write_cell, row)] for row in table.rows]
    if table.kind == "texts":  # scores beside them take too much room
        rows = [[name, text] for name, *_, text in rows[len(table.rows[0]) > 2 :]]
    widths = [max(map(columns_of, column)) for column in zip(*rows, strict=True)]
    if table.kind == "tokens" and any(cell.kind == "=" for cell in table.rows[0]):
        rows.insert(1, ["=" * width * (cell.kind == "=") for cell, width in zip(table.rows[0], widths, strict=True)])
    gap = " " if table.kind == "tokens" else "  "
    yield from [""] * (table.kind == "scores")
    for *cells, last in rows:
        start = "".join(f"{pad(cell, width)}{gap}" for cell, width in zip(cells, widths[:-1], strict=True))
        yield from wrap(last, f"  {start}", " " * columns_of(f"  {start}"))


def _write_cell(cell: Cell) -> str:
    """Return the text of a cell; raw texts stand between quotation marks."""
    if cell.kind == "raw":
        return "null" if cell.text is None else f"'{clip(cell.text, _OF_RAW_TEXT)}'"
    return cell.text or ""
