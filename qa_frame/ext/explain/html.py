"""An explanation as HTML for a notebook: escaped, without scripts, readable in light and dark, of bounded size.

It is readable without its style, too, as where a page strips that: tokens stand in the cells of a table with spaces
between them, common ones are marked, and others are struck out.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib import resources

from qa_frame.errors import plural
from qa_frame.ext.explain.blocks import Block, Cell, Table
from qa_frame.tables.visible import ISOLATES, clip
from qa_frame.terminal import visible

MOST_BYTES = 150_000
"""The HTML is at most so long. Nearly all are much shorter: a quotation mark takes six bytes."""

_MOST_BYTES_OF_ALL = 1_000_000
_OF_RAW_TEXT = 1_000
_OF_END = 400
"""The bytes that are kept for the words at the end."""

WIDTH = 72
"""The columns of a line of tokens, each as wide as a digit."""

STYLE = f"<style>\n{resources.files(__package__).joinpath('explanation.css').read_text('utf-8')}</style>"
"""The rules of the elements' look. They hold for classes inside `qa-explain` alone.

Rules of tables name this class three times, so that JupyterLab's own rules of tables, which name two, give way.
"""

_LINES = {
    "head": "<p><b>{}</b></p>",
    "note": "<p><b>{}</b></p>",
    "title": '<p class="s"><b>{}</b></p>',  # no heading, whose level would have to fit the page around it
    "small": "<p><small>{}</small></p>",
}
_CELLS = {
    "name": "<th>{}</th>",
    "number": '<td class="n">{}</td>',
    "sentence": '<td dir="ltr">{}</td>',
    "raw": '<td class="t" dir="auto">{}</td>',
    "=": '<td dir="auto"><mark>{}</mark></td>',
    "+": '<td dir="auto"><mark class="o">{}</mark></td>',
    "-": '<td dir="auto"><del>{}</del></td>',
    "words": "<td><i>{}</i></td>",
    "": "<td></td>",
}
"""The elements of lines and of cells, by their kinds."""


def as_html(parts: Sequence[Sequence[Block]]) -> str:
    """Return an explanation as HTML with its style, at most `MOST_BYTES` long in UTF-8. parts: its blocks."""
    return STYLE + as_element(parts)


def as_element(parts: Sequence[Sequence[Block]]) -> str:
    """Return an explanation as one element of HTML, without its style. parts: its blocks."""
    sections = [f"<section>{''.join(map(_write_block, part))}</section>" for part in parts]
    room = MOST_BYTES - _OF_END - len(STYLE.encode())
    head = "".join(sections[:1])  # which is of bounded size
    more = _join_what_fits(sections[1:], room - len(head.encode()), "comparison")
    return f'<div class="qa-explain">{head}{more}</div>'


def as_folded_html(rows: Sequence[tuple[str, Sequence[Sequence[Block]]]]) -> str:
    """Return several explanations as HTML, at most about `_MOST_BYTES_OF_ALL` long in UTF-8.

    rows: for each row the line that opens its explanation, and the blocks of this.
    """
    parts = [
        f'<details class="qa-explain"><summary>{_write_words(line)}</summary>{as_element(of_row)}</details>'
        for line, of_row in rows
    ]
    return STYLE + _join_what_fits(parts, _MOST_BYTES_OF_ALL, "row") if parts else "<p>no rows</p>"


def _join_what_fits(parts: Sequence[str], room: int, what: str) -> str:
    """Join the first parts that fit into so many bytes, and say how many more there are. what: a part, as a noun."""
    n_shown = 0
    while n_shown < len(parts) and (room := room - len(parts[n_shown].encode())) >= 0:
        n_shown += 1
    more = f"<p>… and {plural(len(parts) - n_shown, f'more {what}')}, for which there is no room</p>"
    return "".join(parts[:n_shown]) + more * (n_shown < len(parts))


def _write_block(block: Block) -> str:
    """Return the HTML of a block."""
    if not isinstance(block, Table):
        return _LINES[block.kind].format(_write_words(block.text))
    rows = "".join(f"<tr>{' '.join(map(_write_cell, row))}</tr> " for row in block.rows)
    looks = ' class="a"' if block.kind == "tokens" else ""
    return f"<table{looks}>{rows}</table>"


def _write_cell(cell: Cell) -> str:
    """Return the HTML of a cell of a table."""
    if cell.kind == "raw":
        shown = "<i>null</i>" if cell.text is None else escape(clip(cell.text, _OF_RAW_TEXT, keep="\n\t"))
    else:
        shown = _write_words(cell.text or "")
    return _CELLS[cell.kind].format(shown)


def _write_words(text: str) -> str:
    """Return a sentence as HTML. Each quoted text that could turn others around has an element of its own."""
    return escape(visible(text, keep=ISOLATES)).replace(ISOLATES[0], "<bdi>").replace(ISOLATES[1], "</bdi>")
