"""Tables of results → text, Markdown, LaTeX and HTML: one implementation for notebooks, papers and the command line."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

from qa_frame.checks import require_whole_number
from qa_frame.errors import UnknownOptionError, show
from qa_frame.terminal import columns_of, pad, text_width, visible, wrap

_SHARE_OF_TEXTS = 0.45
_LEAST_TEXT, _LEAST_IN_LATEX = 16, 6

Cells = dict[Any, list[str]]
Headings = Mapping[Any, tuple[str, str]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StyledTable:
    r"""A table of results as people read it: `qa_frame.style` makes one.

    In a notebook it shows itself as HTML, which scrolls where it is wide. Printed it is text as wide as the terminal,
    at most 100 columns, in several blocks where it is wider. Control characters are shown as escapes, such as `\x1b`.

    Attributes
    ----------
    cells
        The texts of the cells by column, not escaped. Bounds stand in the cell of their figure. Where a key makes
        columns, these are named by its value and the column, as in `cells["nq", "f1"]`, and those of the mean
        `cells["mean", "f1"]`.
    numbers
        The names of the columns of numbers, which are set to the right.
    marks
        By column, the mark of each cell: `"best"`, `"close"` (not significantly worse than the best), or `""`. Columns
        without marks are left out.
    note
        The meaning of the marks, and which intervals are shown; empty for a table without both.
    headings
        By column, its heading and what stands above it, which is empty or spans several columns. A column that is not
        there has its name as its heading.
    below
        Columns of long texts. In text they stand below their row.
    caption
        The caption; empty for none.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics=["em", "f1"])
    >>> table = qa_frame.style(scored.qa.summary(by="model"), counts=False)
    >>> table.cells["f1"]
    ['0.206', '0.724', '0.339']
    """

    cells: Cells
    numbers: frozenset[Any]
    marks: Mapping[Any, Sequence[str]] = field(default_factory=dict)
    note: str = ""
    headings: Headings = field(default_factory=dict)
    below: Sequence[Any] = ()
    caption: str = ""

    def __repr__(self) -> str:
        width = text_width()
        above = [*wrap(visible(self.caption), "", "", width=width), ""] if self.caption else []
        note = re.sub("|".join(f"{word}(?=: )" for word in _WORDS), lambda word: _WORDS[word[0]], self.note)
        under = ["", *wrap(visible(note), "", "", width=width)] if note else []
        return "\n".join([*above, *_write_text(self, width), *under])

    def _repr_html_(self) -> str:
        cells = _escape_cells(self, escape_html, {"best": "<b>{}</b>", "close": "<u>{}</u>"})
        headings = _escape_headings(self, escape_html)
        spans = [(over, len(names)) for over, names in _group_by_upper_heading(cells, headings)]
        styles = [
            _NUMBER if name in self.numbers else _TEXT.format(_least_width_of(self.cells[name])) for name in cells
        ]
        head = _write_html_row("th", [under for _, under in headings.values()], styles)
        spanned = (f'<th colspan="{n}" style="text-align:center{_LINE * bool(over)}">{over}</th>' for over, n in spans)
        if any(over for over, _ in spans):
            head = f"<tr>{''.join(spanned)}</tr>{head}"
        body = "".join(_write_html_row("td", row, styles) for row in zip(*cells.values(), strict=True))
        caption = f'<caption style="text-align:left">{escape_html(self.caption)}</caption>' if self.caption else ""
        table = f"<table>{caption}<thead>{head}</thead><tbody>{body}</tbody></table>"
        note = f"<p>{escape_html(self.note)}</p>" if self.note else ""
        return f'<div style="overflow-x:auto">{table}</div>{note}'

    def to_markdown(self) -> str:
        """Return the table in GitHub's Markdown, with its caption above it and its note below it.

        The best is in bold, and figures close to the best are underlined by `<u>`.
        Markdown has one line of headings: what spans several columns is repeated in each.

        Returns
        -------
        str
            Lines that end with a line feed. All texts are escaped, so that they show as they are.

        Examples
        --------
        >>> import qa_frame
        >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics=["em", "f1"])
        >>> print(qa_frame.style(scored.qa.summary(by="model"), counts=False).to_markdown())
        | model      |        EM |        F1 |
        |:-----------|----------:|----------:|
        | heron-7b   |     0.087 |     0.206 |
        | lynx-70b   | **0.435** | **0.724** |
        | otter-chat |     0.000 |     0.339 |
        <BLANKLINE>
        Bold: the highest.
        <BLANKLINE>
        """
        columns = _escape_cells(self, escape_markdown, {"best": "**{}**", "close": "<u>{}</u>"})
        headings, padded = _escape_headings(self, escape_markdown), []
        for name, column in columns.items():
            cells = [" ".join(headings[name]).strip(), *column]
            width = max(3, *map(len, cells))
            rule, side = "-" * (width + 1), ">" if name in self.numbers else "<"
            head, *rest = (f" {cell:{side}{width}} " for cell in cells)
            padded.append([head, f"{rule}:" if side == ">" else f":{rule}", *rest])
        table = "".join(f"|{'|'.join(line)}|\n" for line in zip(*padded, strict=True))
        before, after = escape_markdown(self.caption), escape_markdown(self.note)
        return f"{before}\n\n" * bool(before) + table + f"\n{after}\n" * bool(after)

    def to_latex(self, *, label: str | None = None, width: int | None = None) -> str:
        r"""Return the table in LaTeX, for the package `booktabs`.

        The best is in bold, and figures close to the best are underlined. A table with a
        caption is a float, with the note below it. Where it is wider than a line it is split into several `tabular`s,
        which all begin with the columns that name rows; long texts then stand on several lines.
        A wide or long float is split into several under one number, none of which is longer than a page. A table
        without a caption is a bare `tabular`: the float around it and the note are yours.

        Parameters
        ----------
        label
            What `\ref` names the float by, such as "tab:main".
        width
            The letters of a line, 20 or more. A wider table is split. None splits a float that is wider than 70
            letters, which fit a line of LaTeX's class `article`, and no other table. A comment above a float that is
            split names the `width` that keeps it whole.

        Returns
        -------
        str
            Lines that end with a line feed. All texts are escaped, so that they show as they are. Letters beyond Latin
            need XeLaTeX or LuaLaTeX, and a font that has them.

        Raises
        ------
        UnknownOptionError
            Where there is a label and no caption, or the label has characters that LaTeX does not take in one, or
            `width` is no such number.

        Examples
        --------
        >>> import qa_frame
        >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics=["em", "f1"])
        >>> print(qa_frame.style(scored.qa.summary(by="model"), counts=False).to_latex())
        \begin{tabular}{lrr}
        \toprule
        model & EM & F1 \\
        \midrule
        heron-7b & 0.087 & 0.206 \\
        lynx-70b & \textbf{0.435} & \textbf{0.724} \\
        otter-chat & 0.000 & 0.339 \\
        \bottomrule
        \end{tabular}
        <BLANKLINE>
        """
        if label is not None and not (isinstance(label, str) and re.fullmatch(r"[A-Za-z0-9:._+/ -]+", label)):
            raise UnknownOptionError(f"label={show(label)} is not one of LaTeX; give letters, digits and : . _ + / -")
        if label is not None and not self.caption:
            raise UnknownOptionError(
                f"label={show(label)} names a table without a caption, to which LaTeX gives no number; give one, as in "
                "qa_frame.style(table, caption='Scores by model.')"
            )
        most = _PAGE_LETTERS
        if width is not None:
            require_whole_number("width", width, least=20)
            most = int(width)
        table = replace(self, cells={name: [*map(visible, column)] for name, column in self.cells.items()})
        if self.caption:
            return "\n".join(_write_floats(table, label, most))
        blocks = [_wrap_long(table, most)] if width is None else _split_for_latex(table, most)
        return _BETWEEN.join("\n".join(_write_tabular(block, most)) for block in blocks) + "\n"


def _escape_headings(table: StyledTable, escaped: Callable[[str], str]) -> Headings:
    """Return the upper and the own heading of each column, escaped. The upper one may be empty."""
    headings = {name: table.headings.get(name, ("", str(name))) for name in table.cells}
    return {name: (escaped(over), escaped(under)) for name, (over, under) in headings.items()}


def _group_by_upper_heading(names: Iterable[Any], headings: Headings) -> list[tuple[str, list[Any]]]:
    """Return the upper headings, each with the columns that it spans; an empty one for a column without."""
    spans: list[tuple[str, list[Any]]] = []
    for over, group in itertools.groupby(names, key=lambda name: headings[name][0]):
        below = list(group)
        spans += [(over, below)] if over else [("", [name]) for name in below]
    return spans


def _escape_cells(table: StyledTable, escaped: Callable[[str], str], forms: Mapping[str, str]) -> Cells:
    """Return the cells, escaped; in a column that has marks, each in the form of its mark. forms: by mark."""
    columns = {name: list(map(escaped, column)) for name, column in table.cells.items()}
    for name in table.marks.keys() & columns.keys():
        marked = zip(columns[name], table.marks[name], strict=True)
        columns[name] = [forms[mark].format(cell) if mark else cell for cell, mark in marked]
    return columns


# --- HTML

_NUMBER = "text-align:right;vertical-align:top;white-space:nowrap"
_TEXT = "text-align:left;vertical-align:top;min-width:{}ch"
_MOST_LETTERS = 30
"""A column of texts is as wide as its longest text, or at least so many letters: wide tables scroll instead."""
_LINE = ";border-bottom:1px solid rgba(128,128,128,.6)"


def _least_width_of(column: Sequence[str]) -> int:
    """Return the least width of a column in letters: that of its longest text, but at most `_MOST_LETTERS`."""
    return min(_MOST_LETTERS, max(map(columns_of, column), default=0))


def _write_html_row(tag: str, row: Iterable[str], styles: Sequence[str]) -> str:
    """Return a row of cells in HTML. tag: `th` or `td`."""
    cells = (f'<{tag} dir="auto" style="{style}">{cell}</{tag}>' for style, cell in zip(styles, row, strict=True))
    return f"<tr>{''.join(cells)}</tr>"


# --- LaTeX

_PAGE_LETTERS = 70
"""The letters that a line of LaTeX's class `article` has room for: 345 pt, of which a letter takes 4.7 to 4.9."""
_PAGE_LINES = 40
"""The lines of such a page, less what stands around the caption."""
_RULES = 4
"""The lines that the headings of a `tabular`, its rules and the gap below it need."""
_BETWEEN = "\n\n\\medskip\n"


def _letters_of(text: str) -> int:
    """Return about how many letters wide LaTeX sets a cell, with the gap beside it.

    Capital letters are wider than digits, so that two count as three.
    """
    return columns_of(text) + sum(map(str.isupper, text)) // 2 + 1


def _wrap_long(table: StyledTable, most: int) -> StyledTable:
    """Return the table with its columns `below` of long texts on several lines. most: the letters of a full line."""
    room = int(_SHARE_OF_TEXTS * most) // max(len(table.below), 1)
    long = _wrap_texts({name: table.cells[name] for name in table.below}, frozenset(), room)
    return replace(table, cells=table.cells | long)


def _split_for_latex(table: StyledTable, most: int) -> list[StyledTable]:
    """Return the table in blocks of columns that fit a line of `most` letters.

    Long texts stand on several lines where they have no room.
    """
    cells, headings = table.cells, _escape_headings(table, visible)
    blocks = [*_split_to_width(cells, table.numbers, headings, most, _letters_of)]
    if any(_add_widths(_measure_columns(block, headings, _letters_of), [*block]) > most for block in blocks):
        n_keys = next((place for place, name in enumerate(cells) if name in table.numbers), len(cells))
        room = int(_SHARE_OF_TEXTS * most) // max(n_keys, 1)
        cells = _wrap_texts(cells, table.numbers, max(room, _LEAST_IN_LATEX))
        blocks = [*_split_to_width(cells, table.numbers, headings, most, _letters_of)]
    return [replace(table, cells=block) for block in blocks]


def _write_floats(table: StyledTable, label: str | None, most: int) -> Iterator[str]:
    """Yield the lines of as many floats as the table needs, none of which is wider than a line or longer than a page.

    label: what the first one is referred to by; None for no label. most: the letters of a full line.
    """
    caption, note = escape_latex(table.caption), escape_latex(table.note)
    blocks = _split_for_latex(table, most)
    if len(blocks) > 1:
        widths = _measure_columns(table.cells, _escape_headings(table, visible), _letters_of)
        n = _add_widths(widths, [*widths])
        yield f"% Split, as it is {n} letters wide and a line has {most}: to_latex(width={n}) keeps it whole."
    for place, part in enumerate(part for block in blocks for part in _split_to_pages(block, most)):
        yield from [r"\begin{table}", r"\centering"]
        if place == 0:
            yield f"\\caption{{{caption}}}"
            yield from [f"\\label{{{label}}}"] * bool(label)
        else:
            yield f"\\tablename~\\thetable, continued: {caption}\\par\\medskip"
        yield from _write_tabular(part, most)
        yield from [f"\\par\\smallskip\n{{\\footnotesize {note}\\par}}"] * bool(note)
        yield from [r"\end{table}", ""]


def _split_to_pages(table: StyledTable, most: int) -> Iterator[StyledTable]:
    """Yield the rows of a table in parts that fit a page. most: the letters of a full line."""
    heights = [1 + max(cell.count("\n") for cell in row) for row in zip(*table.cells.values(), strict=True)]
    room = _PAGE_LINES - _RULES - sum(-(-_letters_of(text) // most) for text in (table.caption, table.note))
    firsts, left = [0], room
    for row, height in enumerate(heights):
        left -= height
        if left < 0 and row > firsts[-1]:
            firsts, left = [*firsts, row], room - height
    for first, end in itertools.pairwise([*firsts, len(heights)]):
        cells = {name: column[first:end] for name, column in table.cells.items()}
        marks = {name: marks[first:end] for name, marks in table.marks.items()}
        yield replace(table, cells=cells, marks=marks)


def _write_tabular(table: StyledTable, most: int) -> Iterator[str]:
    """Yield the lines of the LaTeX `tabular`. most: the width of a full line, in characters."""
    cells = _escape_cells(table, _escape_lines, {"best": r"\textbf{{{}}}", "close": r"\underline{{{}}}"})
    widths = _measure_columns(table.cells, _escape_headings(table, visible), _letters_of)
    is_long = {name: any("\n" in cell for cell in column) for name, column in table.cells.items()}
    long = {name: f"p{{{widths[name] / most:.2f}\\linewidth}}" for name in cells if is_long[name]}
    sides = (long.get(name, "r" if name in table.numbers else "l") for name in cells)
    yield f"\\begin{{tabular}}{{{''.join(sides)}}}"
    yield r"\toprule"
    headings = _escape_headings(table, escape_latex)
    spans = [(over, len(names)) for over, names in _group_by_upper_heading(cells, headings)]
    if any(over for over, _ in spans):
        yield " & ".join(f"\\multicolumn{{{n}}}{{c}}{{{over}}}" if over else "" for over, n in spans) + r" \\"
        ends = itertools.accumulate(n for _, n in spans)
        lines = ((end - n + 1, end) for (over, n), end in zip(spans, ends, strict=True) if over)
        yield " ".join(f"\\cmidrule(lr){{{first}-{last}}}" for first, last in lines)
    yield " & ".join(under for _, under in headings.values()) + r" \\"
    yield r"\midrule"
    for row in zip(*cells.values(), strict=True):
        line = " & ".join(row) + r" \\"
        # A row that begins with a bracket would be taken for the option of the line break before it.
        yield f"{{}}{line}" if line.startswith("[") else line
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _escape_lines(text: str) -> str:
    """Return text that LaTeX shows as it is, also on several lines of a cell."""
    return r"\newline ".join(map(escape_latex, text.split("\n")))


# --- escaping


_MARKDOWN = re.compile(r"[\\`*<|~]|(?<!\w)_|_(?!\w)|\](?=[(\[:])|&(?=#?\w+;)")
"""The characters that Markdown reads as marks. A bracket is a mark only if it begins a link."""

_NAMED = {"\\": "backslash", "^": "asciicircum", "~": "asciitilde", "<": "less", ">": "greater", "|": "bar"}
_LATEX = str.maketrans(
    {mark: f"\\{mark}" for mark in "{}$&%#_"}
    | {mark: rf"\text{name}{{}}" for mark, name in _NAMED.items()}
    | {"`": r"\`{}", "±": r"$\pm$", "−": "$-$", "≥": r"$\geq$", "…": r"\ldots{}"}
)
_JOINED = re.compile(r"([-',])(?=\1)")
"""Characters of which LaTeX makes one of two."""


def escape_html(text: str) -> str:
    """Return text that HTML shows as it is."""
    return escape(visible(text))


def escape_markdown(text: str) -> str:
    """Return text that Markdown shows as it is, in a cell of a table, too."""
    return _MARKDOWN.sub(r"\\\g<0>", visible(text))


def escape_latex(text: str) -> str:
    """Return text that LaTeX shows as it is."""
    return _JOINED.sub(r"\1{}", visible(text).translate(_LATEX))


# --- text


_GAP = "  "
_SIGNS = {"best": "{}*", "close": "{}="}
_COLOURS = {"strong": "\x1b[1m{}\x1b[0m", "better": "\x1b[32m{}\x1b[0m", "worse": "\x1b[31m{}\x1b[0m"}
"""How marks look that are given for a terminal with colours alone."""
_WORDS = {"Bold": "*", "Underlined": "="}
"""The words that a note explains, and the signs that stand for them in text."""


def _write_text(table: StyledTable, width: int) -> Iterator[str]:
    """Yield the lines of a table in text, in blocks of columns that fit the width.

    Where texts stand below rows, columns that do not fit stand there, too.
    """
    cells = _escape_cells(table, visible, _SIGNS | _COLOURS)
    for name in table.marks.keys() & cells.keys():  # figures stand in line, with or without signs
        has_sign = [mark in _SIGNS for mark in table.marks[name]]
        cells[name] = [cell + " " * (any(has_sign) - n) for cell, n in zip(cells[name], has_sign, strict=True)]
    headings = _escape_headings(table, visible)
    beside = {name: column for name, column in cells.items() if name not in table.below}
    if _add_widths(_measure_columns(beside, headings), [*beside]) > width:
        n_texts = len(beside.keys() - table.numbers)
        beside = _wrap_texts(beside, table.numbers, max(_LEAST_TEXT, int(_SHARE_OF_TEXTS * width) // max(n_texts, 1)))
    blocks = list(_split_to_width(beside, table.numbers, headings, width))
    below: Cells = {}
    if table.below:
        below = {name: column for name, column in cells.items() if name not in blocks[0]}
        blocks = blocks[:1]
    for place, block in enumerate(blocks):
        yield from [""] * (place > 0)
        yield from _write_block(table, block, below, headings, width)


def _write_block(table: StyledTable, block: Cells, below: Cells, headings: Headings, width: int) -> Iterator[str]:
    """Yield the lines of some columns beside each other, as a terminal shows them. below: those under each row."""
    widths = _measure_columns(block, headings)

    def line(texts: Iterable[str]) -> str:
        """Return the cells of one line, each as wide as its column."""
        padded = (pad(text, widths[name], left=name in table.numbers) for name, text in zip(block, texts, strict=True))
        return _GAP.join(padded).rstrip()

    spans = _group_by_upper_heading(block, headings)
    if any(over for over, _ in spans):
        rooms = (_add_widths(widths, names) - columns_of(over) + len(over) for over, names in spans)
        centred = (f" {over} ".center(room, "-" if over else " ") for (over, _), room in zip(spans, rooms, strict=True))
        yield _GAP.join(centred).rstrip()
    yield from [line(headings[name][1] for name in block), line("-" * each for each in widths.values())]
    widest = max((columns_of(headings[name][1]) for name in below), default=0)
    for place in range(len(next(iter(table.cells.values()), []))):
        parts = (column[place].split("\n") for column in block.values())
        yield from map(line, itertools.zip_longest(*parts, fillvalue=""))
        for name, column in below.items():
            first = _GAP if len(below) == 1 else f"{_GAP}{pad(headings[name][1], widest)}{_GAP}"
            yield from wrap(column[place], first, " " * columns_of(first), width=width)


def _wrap_texts(cells: Cells, numbers: frozenset[Any], room: int) -> Cells:
    """Return the cells, with texts on lines of at most `room` columns. numbers: the columns that stay as they are."""
    texts = cells.keys() - numbers
    return cells | {name: ["\n".join(wrap(cell, "", "", width=room)) for cell in cells[name]] for name in texts}


def _split_to_width(
    cells: Cells, numbers: frozenset[Any], headings: Headings, width: int, measure: Callable[[str], int] = columns_of
) -> Iterator[Cells]:
    """Yield the columns in blocks that fit the width. measure: returns how wide a text is.

    Each block begins with the columns before the first one of numbers, which name rows.
    """
    first = next((place for place, name in enumerate(cells) if name in numbers), len(cells))
    keys = dict(list(cells.items())[:first])
    block = keys
    for name in list(cells)[first:]:
        wider = {**block, name: cells[name]}
        widths = _measure_columns(wider, headings, measure)
        if len(block) > len(keys) and _add_widths(widths, [*widths]) > width:
            yield block
            wider = {**keys, name: cells[name]}
        block = wider
    yield block


def _measure_columns(block: Cells, headings: Headings, measure: Callable[[str], int] = columns_of) -> dict[Any, int]:
    """Return the width of each column, by `measure`: that of its widest line.

    The last column below a long upper heading is as much wider as that needs.
    """
    widths = {
        name: max(measure(line) for cell in [headings[name][1], *column] for line in cell.split("\n"))
        for name, column in block.items()
    }
    for over, names in _group_by_upper_heading(block, headings):
        widths[names[-1]] += max(0, measure(over) + 2 - _add_widths(widths, names)) if over else 0
    return widths


def _add_widths(widths: Mapping[Any, int], names: Sequence[Any]) -> int:
    """Return how wide these columns are together, with the gaps between them."""
    return sum(widths[name] for name in names) + len(_GAP) * (len(names) - 1)
