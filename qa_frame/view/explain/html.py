"""An explanation as HTML for a notebook: escaped, without scripts, readable in light and dark, of bounded size.

It is readable without its style, too, as where a page strips that: tokens stand in the cells of a table with spaces
between them, common ones are marked, and others are struck out.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib import resources

from qa_frame.errors import plural
from qa_frame.view.explain.blocks import SIDES, Block, Column, Line, Shown, Sign, Table, in_lines
from qa_frame.view.visible import ISOLATES, clip_html

MOST_BYTES = 50_000
"""The HTML is at most so long."""

_MOST_BYTES_OF_ALL = 1_000_000
_OF_RAW_TEXT = 1_500
_OF_TOKEN = 120
_OF_LINE = 600
_OF_END = 400
"""The bytes that are kept for the words at the end."""

_WIDTH = 72
"""The columns of a line of tokens, each as wide as a digit."""

_KEPT = "\n\t"
"""Characters of raw texts that show themselves."""

STYLE = f"<style>\n{resources.files(__package__).joinpath('explanation.css').read_text('utf-8')}</style>"
"""The rules of the elements' look. They hold for classes inside `qa-explain` alone.

Rules of tables name this class three times, so that JupyterLab's own rules of tables, which name two, give way.
"""

_TITLE = '<p class="s"><b>{}</b></p>'  # no heading, whose level would have to fit the page around it
_LINES = {"head": "<p>{}</p>", "note": "<p><b>{}</b></p>", "title": _TITLE, "small": "<p><small>{}</small></p>"}
_TOKENS = {"=": "<mark>{}</mark>", "+": '<mark class="o">{}</mark>', "-": "<del>{}</del>", "": "<i>{}</i>"}
"""The element of a token, by its sign."""


def as_html(shown: Shown) -> str:
    """All of it with its style, at most `MOST_BYTES` long in UTF-8."""
    return STYLE + as_element(shown)


def as_element(shown: Shown) -> str:
    """All of it in one element, without its style."""
    head = "".join(map(_write_block, shown.head))
    sections = [f"<section>{''.join(map(_write_block, section))}</section>" for section in shown.sections]
    room = MOST_BYTES - _OF_END - len(f"{STYLE}{head}".encode())
    return f'<div class="qa-explain">{head}{_join_what_fits(sections, room, "comparison", "comparisons")}</div>'


def as_folded_html(rows: Sequence[Shown]) -> str:
    """Several of them, each below a line that opens it, at most about `_MOST_BYTES_OF_ALL` long in UTF-8."""
    heads = (f"<summary>{_write_sentence(each.summary)}</summary>" for each in rows)
    folded = zip(heads, map(as_element, rows), strict=True)
    parts = [f'<details class="qa-explain">{head}{element}</details>' for head, element in folded]
    return STYLE + _join_what_fits(parts, _MOST_BYTES_OF_ALL, "row", "rows") if parts else "<p>no rows</p>"


def _join_what_fits(parts: Sequence[str], room: int, what: str, attribute: str) -> str:
    """Join the first parts that fit into so many bytes, and say how many more there are, and where."""
    n_shown = 0
    while n_shown < len(parts) and (room := room - len(parts[n_shown].encode())) >= 0:
        n_shown += 1
    more = f"<p>… and {plural(len(parts) - n_shown, f'more {what}')}, in the attribute <code>{attribute}</code></p>"
    return "".join(parts[:n_shown]) + more * (n_shown < len(parts))


def _write_block(block: Block) -> str:
    if isinstance(block, list):
        return "".join(map(_write_tokens, in_lines(block, _WIDTH)))
    if isinstance(block, Table):
        head = " ".join(f"<th>{escape(name)}</th>" for name in block.head)
        rows = (_write_row(cells, last, is_raw=block.is_raw) for cells, last in block.rows)
        return f"<table>{f'<tr>{head}</tr>' * bool(head)}{''.join(rows)}</table>"
    return _LINES.get(block.kind, '<p dir="ltr">{}</p>').format(_write_sentence(block))


def _write_row(cells: Sequence[str], last: str | None, *, is_raw: bool) -> str:
    numbers = " ".join(f'<td class="n">{number}</td>' for number in cells[1:])
    shown = f'<td dir="ltr">{_write_sentence(Line(last or ""))}</td>'
    if is_raw:
        text = "<i>null</i>" if last is None else clip_html(last, _OF_RAW_TEXT, keep=_KEPT)
        shown = f'<td class="t" dir="auto">{text}</td>'
    return f"<tr><th>{escape(cells[0])}</th> {numbers} {shown}</tr>"


def _write_sentence(line: Line) -> str:
    """A sentence of ours, in which each quoted text that could turn the others around has an element of its own."""
    start, text = (clip_html(part, _OF_LINE, keep=ISOLATES) for part in (line.start, line.text))
    shown = f"<b>{start}</b>{text}" if start else text
    n_open = shown.count(ISOLATES[0]) - shown.count(ISOLATES[1])  # where it was cut
    return shown.replace(ISOLATES[0], "<bdi>").replace(ISOLATES[1], "</bdi>") + "</bdi>" * n_open


def _write_tokens(columns: list[Column]) -> str:
    """The tokens of the prediction above those of the gold. Each cell has a direction of its own."""
    rows = (
        f"<tr><th>{side}</th> {' '.join(_write_cell(each.tokens[of], each.signs[of]) for each in columns)}</tr>"
        for of, side in enumerate(SIDES)
    )
    return f'<table class="a">{" ".join(rows)}</table>'


def _write_cell(token: str, sign: Sign) -> str:
    shown = clip_html(token, _OF_TOKEN)
    return f'<td dir="auto">{_TOKENS[sign].format(shown)}</td>' if token or sign else "<td></td>"
