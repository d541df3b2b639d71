"""An explanation as text, as wide as the terminal (at most 100 columns) and of bounded length."""

from __future__ import annotations

from collections.abc import Iterator

from qa_frame.terminal import pad, text_width, wrap
from qa_frame.view.explain.blocks import Block, Column, Shown, Table, in_lines
from qa_frame.view.visible import ISOLATES, clip

_OF_RAW_TEXT = 300
_LABELS = 14
"""The columns in front of a text or of tokens."""


def as_text(shown: Shown) -> str:
    """All of it in lines."""
    lines = [line for part in (shown.head, *shown.sections) for block in part for line in _write_block(block)]
    return "\n".join(lines).translate(dict.fromkeys(map(ord, ISOLATES)))


def _write_block(block: Block) -> Iterator[str]:
    if isinstance(block, list):
        yield from _write_tokens(block)
    elif isinstance(block, Table):
        yield from _write_table(block)
    elif block.kind == "title":
        yield from ("", *wrap(block.text, "", "  "))
    else:
        yield from wrap(f"{block.start}{block.text}", "" if block.kind == "head" else "  ")


def _write_table(table: Table) -> Iterator[str]:
    """The rows of a table; of one of raw texts their names and the texts, as scores beside them take too much room."""
    if table.is_raw:
        for (name, *_), text in table.rows:
            shown = "null" if text is None else f"'{clip(text, _OF_RAW_TEXT)}'"
            yield from wrap(shown, f"  {pad(name, _LABELS - 2)}", " " * _LABELS)
        return
    yield ""
    rows = [(table.head[:-1], table.head[-1]), *table.rows]
    widths = [max(map(len, column)) for column in zip(*(cells for cells, _ in rows), strict=True)]
    for cells, sentence in rows:
        first = "".join(f"  {cell:{width}}" for cell, width in zip(cells, widths, strict=True)) + "  "
        yield from wrap(sentence or "", first, " " * len(first))


def _write_tokens(tokens: list[Column]) -> Iterator[str]:
    """The tokens of both sides above each other, with a sign between those that are aligned and count."""
    for columns in in_lines(tokens, text_width() - _LABELS):
        pred, gold = ("".join(pad(each.tokens[of], each.width) for each in columns) for of in range(2))
        signs = "".join(("=" if each.signs[0] == "=" else " ") * (each.width - 1) + " " for each in columns)
        for name, cells in (("prediction", pred), ("", signs), ("gold", gold)):
            if name or cells.strip():
                yield f"  {pad(name, _LABELS - 2)}{cells}".rstrip()
