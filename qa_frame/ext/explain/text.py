"""An explanation as text, as wide as the terminal (at most 100 columns) and of bounded length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qa_frame.ext.explain.blocks import Block, Cell, Table
from qa_frame.tables.visible import ISOLATES, clip
from qa_frame.terminal import columns_of, pad, text_width, wrap

_OF_RAW_TEXT = 300
_BESIDE_TOKENS = len("  prediction ")


def room_for_tokens() -> int:
    """How many columns a line of tokens may take, beside the name of its side."""
    return text_width() - _BESIDE_TOKENS


def as_text(parts: Sequence[Sequence[Block]]) -> str:
    """All of it in lines."""
    lines = [line.rstrip() for part in parts for block in part for line in _write_block(block)]
    return "\n".join(lines).translate(dict.fromkeys(map(ord, ISOLATES)))


def _write_block(block: Block) -> Iterator[str]:
    if isinstance(block, Table):
        yield from _write_table(block)
    else:
        yield from [""] * (block.kind == "title")
        yield from wrap(block.text, "" if block.kind in {"head", "title"} else "  ")


def _write_table(table: Table) -> Iterator[str]:
    """The rows, whose last cells have the room that is left. Signs stand between tokens that are aligned and count."""
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
    if cell.kind == "raw":
        return "null" if cell.text is None else f"'{clip(cell.text, _OF_RAW_TEXT)}'"
    return cell.text or ""
