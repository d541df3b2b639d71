"""The layout of a paper's table: columns by a key and what spans them, a mean beside them, and their headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qa_frame.errors import PairingError, show
from qa_frame.ext.style.styled_table import Cells
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.pooled import POOLED

NOTHING = "-"
MEAN = "mean"

Marks = dict[Any, list[str]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Part:
    """Figures of a table of results, with where each of its rows goes.

    Attributes
    ----------
    cells, marks
        By column: the texts and the marks of its cells, one per row.
    rows
        The row of the new table for each row.
    columns
        The value that spans the columns of each row's figures.
    """

    cells: Mapping[str, Sequence[str]]
    marks: Mapping[Any, Sequence[str]]
    rows: Sequence[Any]
    columns: Sequence[Any]


def join_parts(parts: Sequence[Part]) -> tuple[list[Any], Cells, Marks]:
    """Return the rows of the new table, its cells by (value, column), and their marks; `-` where there is no figure.

    Columns without marks are left out of the marks. Raise PairingError where two figures would stand in one cell.
    """
    goals = Counter((row, column) for part in parts for row, column in zip(part.rows, part.columns, strict=True))
    (row, column), n = goals.most_common(1)[0] if goals else ((None, None), 0)
    if n > 1:
        raise PairingError(
            f"table has {n} rows of {show(row)} for the columns {show(column)}; let `columns` name all keys that tell "
            "them apart, or take a summary by fewer keys"
        )
    rows = list(dict.fromkeys(row for row, _ in goals))
    place_of, cells, marks = {row: place for place, row in enumerate(rows)}, Cells(), Marks()
    for part in parts:
        for place, (row, column) in enumerate(zip(part.rows, part.columns, strict=True)):
            for of_part, of_table, nothing in ((part.cells, cells, NOTHING), (part.marks, marks, "")):
                for name, texts in of_part.items():
                    of_table.setdefault((column, name), [nothing] * len(rows))[place_of[row]] = texts[place]
    return rows, cells, {name: column for name, column in marks.items() if any(column)}


# --- names of columns, as papers write them: `rouge_l` is ROUGE-L


_SPELLED = (
    (r"^f1 micro\b", "micro F1"),
    (r"\bem\b", "EM"),
    (r"\bf1\b", "F1"),
    (r"\brouge (\w)", lambda match: f"ROUGE-{match[1].upper()}"),
    (r"\bbleu(?=\d)", "BLEU-"),
    (r"\bbleu\b", "BLEU"),
    (r"\bchrf\b", "chrF"),
    (r"\banls\b", "ANLS"),
)


def heading_of(name: str, estimates: list[Any]) -> str:
    """Return the heading of a column: that of papers for a figure of this package, else the name itself.

    `em_pass@4` is one, too, where `em` is among the figures of the table.
    """
    known = {*METRICS, *POOLED}
    if name not in known and not any(name.startswith(f"{each}_") for each in estimates if each in known):
        return name
    text = name.replace("_", " ")
    for written, spelled in _SPELLED:
        text = re.sub(written, spelled, text)
    return text if text.startswith("chrF") else text[0].upper() + text[1:]
