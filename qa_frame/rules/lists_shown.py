"""How lists of conventions and of metrics show themselves: as lines of text, and as tables in HTML."""

from __future__ import annotations

from collections.abc import Iterable

from qa_frame.terminal import wrap


def in_lines(name: str, *texts: str) -> str:
    """Return a name, and below it each text that is not empty, in lines as wide as the terminal."""
    lines = (line for text in texts if text for line in wrap(text, " " * 4, " " * 8, whole=True))
    return "\n".join([*wrap(name, "", " " * 4, whole=True), *lines])


def as_html_table(titles: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of texts in HTML, the texts escaped.

    Each cell says that it begins at the left, as JupyterLab's own rule for cells sets them to the right.
    """
    from html import escape  # noqa: PLC0415  (slow to import)

    def line(tag: str, cells: Iterable[str]) -> str:
        """Return a row of cells in HTML."""
        shown = (f'<{tag} style="text-align: left">{escape(cell)}</{tag}>' for cell in cells)
        return f"<tr>{''.join(shown)}</tr>"

    head, body = line("th", titles), "".join(line("td", row) for row in rows)
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
