"""Tables of results → text, Markdown, LaTeX and HTML: one implementation for notebooks, papers and the command line."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Literal
from unicodedata import combining, east_asian_width

from qa_frame.errors import visible

WIDTH = 100
"""Text is at most so wide."""

_WIDTH_OF_TEXTS = 60
_LEAST_TEXT = 16

Mark = Literal["", "best", "close"]
"""What is said of a figure: that it is the best, or not significantly worse than the best."""

Cells = dict[str, list[str]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StyledTable:
    r"""A table of results as people read it: `qa_frame.style` makes one.

    In a notebook it shows itself as HTML; printed it is text of at most 100 columns, in several blocks where it is
    wider. Control characters are shown as escapes, such as `\x1b`.

    Attributes
    ----------
    cells
        The texts of the cells by column, not escaped. Bounds stand in the cell of their figure.
    numbers
        The names of the columns of numbers, which are set to the right.
    marks
        By column, what is said of each cell; columns without marks are not there.
    note
        What the marks mean, and which intervals are shown; empty where there is nothing to say.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics=["em", "f1"])
    >>> table = qa_frame.style(scored.qa.summary(by="model"), counts=False)
    >>> table.cells["f1"]
    ['0.206', '0.724', '0.339']
    """

    cells: Cells
    numbers: frozenset[str]
    marks: Mapping[str, Sequence[Mark]] = field(default_factory=dict)
    note: str = ""

    def __repr__(self) -> str:
        marked = {name: _with_signs(column, self.marks.get(name)) for name, column in self.cells.items()}
        blocks = [_as_text(block, self.numbers) for block in _blocks(_wrapped(marked, self.numbers), self.numbers)]
        return "\n\n".join([*blocks, *(["\n".join(textwrap.wrap(visible(self.note), WIDTH))] if self.note else [])])

    def _repr_html_(self) -> str:
        html = _written(self, escape_html, {"best": "<b>{}</b>", "close": "<u>{}</u>"})
        sides = {name: "right" if name in self.numbers else "left" for name in html}
        head = "".join(f'<th style="text-align: {sides[name]}">{escape_html(name)}</th>' for name in html)
        rows = (
            "".join(f'<td style="text-align: {sides[name]}">{cell}</td>' for name, cell in zip(html, row, strict=True))
            for row in zip(*html.values(), strict=True)
        )
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        note = f"<p>{escape_html(self.note)}</p>" if self.note else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"

    def to_markdown(self) -> str:
        """Return the table in GitHub's Markdown: the best in bold, what is close to it underlined by `<u>`.

        Returns
        -------
        str
            Lines that end with a line feed. The texts of cells are escaped, so that they show as they are. The note
            is not part of it.

        Examples
        --------
        >>> import qa_frame
        >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics=["em", "f1"])
        >>> print(qa_frame.style(scored.qa.summary(by="model"), counts=False).to_markdown())
        | model      |        em |        f1 |
        |:-----------|----------:|----------:|
        | heron-7b   |     0.087 |     0.206 |
        | lynx-70b   | **0.435** | **0.724** |
        | otter-chat |     0.000 |     0.339 |
        <BLANKLINE>
        """
        columns = _written(self, escape_markdown, {"best": "**{}**", "close": "<u>{}</u>"})
        names = {name: escape_markdown(name) for name in columns}
        widths = {name: max(map(len, [names[name], "---", *column])) for name, column in columns.items()}

        def line(cells: Sequence[str]) -> str:
            padded = (
                cell.rjust(widths[name]) if name in self.numbers else cell.ljust(widths[name])
                for name, cell in zip(columns, cells, strict=True)
            )
            return f"| {' | '.join(padded)} |\n"

        rules = (
            f"{'-' * (widths[name] + 1)}:" if name in self.numbers else f":{'-' * (widths[name] + 1)}"
            for name in columns
        )
        rows = "".join(map(line, zip(*columns.values(), strict=True)))
        return f"{line(list(names.values()))}|{'|'.join(rules)}|\n{rows}"

    def to_latex(self) -> str:
        r"""Return the table as a `tabular` of LaTeX: the best in bold, what is close to it underlined.

        Returns
        -------
        str
            Lines that end with a line feed. The texts of cells are escaped. It needs the package `booktabs`; a caption
            and a `table` around it are yours. The note is not part of it.

        Examples
        --------
        >>> import qa_frame
        >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics=["em", "f1"])
        >>> print(qa_frame.style(scored.qa.summary(by="model"), counts=False).to_latex())
        \begin{tabular}{lrr}
        \toprule
        model & em & f1 \\
        \midrule
        heron-7b & 0.087 & 0.206 \\
        lynx-70b & \textbf{0.435} & \textbf{0.724} \\
        otter-chat & 0.000 & 0.339 \\
        \bottomrule
        \end{tabular}
        <BLANKLINE>
        """
        columns = _written(self, escape_latex, {"best": r"\textbf{{{}}}", "close": r"\underline{{{}}}"})
        sides = "".join("r" if name in self.numbers else "l" for name in columns)
        rows = [" & ".join(row) + r" \\" for row in zip(*columns.values(), strict=True)]
        head = " & ".join(map(escape_latex, columns)) + r" \\"
        # A row that begins with a bracket would be taken for the option of the line break before it.
        rows = [f"{{}}{row}" if row.startswith("[") else row for row in rows]
        lines = [
            rf"\begin{{tabular}}{{{sides}}}",
            r"\toprule",
            head,
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
        ]
        return "\n".join(lines) + "\n"


# --- escaping


_MARKDOWN = re.compile(r"[\\`*<|~]|(?<!\w)_|_(?!\w)|\](?=[(\[:])|&(?=#?\w+;)")
"""What Markdown would read as a mark. A bracket is one only before what makes it a link."""

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
}


def escape_html(text: str) -> str:
    """Return text that HTML shows as it is."""
    return escape(visible(text))


def escape_markdown(text: str) -> str:
    """Return text that Markdown shows as it is, in a cell of a table, too."""
    return _MARKDOWN.sub(r"\\\g<0>", visible(text))


def escape_latex(text: str) -> str:
    """Return text that LaTeX shows as it is."""
    return "".join(_LATEX.get(letter, letter) for letter in visible(text))


def _written(table: StyledTable, escaped: Callable[[str], str], forms: Mapping[str, str]) -> Cells:
    """The cells, escaped, those with a mark in its form."""
    columns = {}
    for name, column in table.cells.items():
        marks = table.marks.get(name) or [""] * len(column)
        columns[name] = [forms.get(mark, "{}").format(escaped(cell)) for cell, mark in zip(column, marks, strict=True)]
    return columns


# --- text


_GAP = "  "
_SIGNS: Mapping[Mark, str] = {"best": "*", "close": "=", "": " "}


def _with_signs(column: list[str], marks: Sequence[Mark] | None) -> list[str]:
    """The cells with a sign behind them; figures stay in line where no cell has one."""
    return [cell + _SIGNS[mark] for cell, mark in zip(column, marks, strict=True)] if marks else column


def _wrapped(cells: Cells, numbers: frozenset[str]) -> Cells:
    """Long texts on several lines. The more columns of text, the narrower they are."""
    n_texts = sum(name not in numbers for name in cells)
    widest = max(_LEAST_TEXT, _WIDTH_OF_TEXTS // max(n_texts, 1))
    return {
        name: column if name in numbers else ["\n".join(textwrap.wrap(cell, widest)) or cell for cell in column]
        for name, column in cells.items()
    }


def _blocks(cells: Cells, numbers: frozenset[str]) -> list[Cells]:
    """The columns in blocks that fit. Each begins with the columns before the first number, which name rows."""
    first = next((place for place, name in enumerate(cells) if name in numbers), len(cells))
    keys = dict(list(cells.items())[:first])
    blocks = [dict(keys)]
    for name in list(cells)[first:]:
        if (
            len(blocks[-1]) > first
            and sum(map(_width, blocks[-1], blocks[-1].values())) + _width(name, cells[name]) > WIDTH
        ):
            blocks.append(dict(keys))
        blocks[-1][name] = cells[name]
    return blocks


def _width(name: str, column: Sequence[str]) -> int:
    """What a column takes, and the gap behind it."""
    return max(n_columns(line) for cell in [visible(name), *column] for line in cell.split("\n")) + len(_GAP)


def n_columns(text: str) -> int:
    """How many columns of a terminal the text takes: two for each wide letter, such as a Chinese character."""
    return sum(0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _as_text(cells: Cells, numbers: frozenset[str]) -> str:
    widths = {name: _width(name, column) - len(_GAP) for name, column in cells.items()}

    def padded(name: str, text: str) -> str:
        blank = " " * (widths[name] - n_columns(text))
        return blank + text if name in numbers else text + blank

    lines = [[padded(name, visible(name)) for name in cells], ["-" * widths[name] for name in cells]]
    for row in zip(*cells.values(), strict=True):
        parts = itertools.zip_longest(*(cell.split("\n") for cell in row), fillvalue="")
        lines += [[padded(name, part) for name, part in zip(cells, line, strict=True)] for line in parts]
    return "\n".join(_GAP.join(line).rstrip() for line in lines)
