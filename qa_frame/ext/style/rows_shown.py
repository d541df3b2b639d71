"""Rows of answers, such as those of `worst` and `changed`, as people read them: the score first, golds quoted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qa_frame.errors import plural
from qa_frame.ext.style.styled_table import Cells, StyledTable
from qa_frame.frames.diagnosis import is_null
from qa_frame.frames.row_rules import FLAGS_LABEL, RULES_LABEL
from qa_frame.frames.scoring_metadata import noted_columns
from qa_frame.frames.source import Source
from qa_frame.scoring.metrics import METRICS
from qa_frame.tables.results import CHOSEN, is_numeric, label
from qa_frame.tables.visible import clip, number, quote
from qa_frame.terminal import columns_of

_MOST_ROWS = 50
_MOST_COLUMNS = 30
_OF_TEXT = 300
_SHORT = 24
"""A column of texts that take more columns of a terminal stands below the row."""

_PREDICTION = "response"
"""The column that is taken for the predictions where the frame does not remember which it is."""


def show_rows(source: Source, digits: int) -> StyledTable:
    """Return the first rows as a table. digits: those of scores behind the point."""
    n_rows = len(source.columns)
    head = source.take(np.arange(min(n_rows, _MOST_ROWS)))
    frame = head.as_pandas({"table": head.names}).set_axis([str(name) for name in head.names], axis=1)
    frame = frame.loc[:, ~frame.columns.duplicated() & ~frame.columns.str.endswith(RULES_LABEL)]
    scores = _find_columns_of_scores(frame, source.notes)
    others = [name for name in frame.columns if name not in scores]
    others.sort(key=lambda name: name.endswith(FLAGS_LABEL))  # at the end
    n_left, others = len(scores) + len(others) - _MOST_COLUMNS, others[: _MOST_COLUMNS - len(scores)]
    quoted = {str(name) for name in noted_columns(source.notes)} or {_PREDICTION}
    cells: Cells = {name: _write_column(frame[name], name, digits, quoted) for name in scores}
    if isinstance(head.data, pd.DataFrame):
        cells |= _write_labels(frame)
    cells |= {name: _write_column(frame[name], name, digits, quoted) for name in others}
    numbers = frozenset(name for name, column in frame.items() if name in cells and is_numeric(column))
    texts = [name for name in frame.columns if name in cells and name not in numbers]
    below = [name for name in texts if name in quoted or max(map(columns_of, cells[name]), default=0) > _SHORT]
    sentences = [*_say_counts(source.notes)]
    sentences += [f"The first {_MOST_ROWS} of {n_rows:,} rows."] * (n_rows > _MOST_ROWS)
    sentences += [f"Not shown: {plural(n_left, 'more column')}."] * (n_left > 0)
    return StyledTable(cells, numbers, note=" ".join(sentences), below=below)


def _find_columns_of_scores(frame: pd.DataFrame, notes: Mapping[str, Any]) -> list[str]:
    """Return the columns that stand first: the scores by which rows were chosen, or else all scores of the frame.

    Of rows that changed, the other score and the difference follow.
    """
    metrics = [note["metric"] for note in map(notes.get, CHOSEN) if isinstance(note, Mapping) and "metric" in note]
    moved = [name for name in frame.columns if f"{name}_other" in frame and "diff" in frame]
    known = metrics or moved or [name for name in frame.columns if name in METRICS]
    first = [name for name in frame.columns if name in known]
    first = first or [name for name in frame.columns if any(name.endswith(str(metric)) for metric in known)]
    names = [*first, *(f"{name}_other" for name in first), *["diff"] * bool(moved)]
    return [name for name in dict.fromkeys(names) if name in frame and is_numeric(frame[name])]


def _write_labels(frame: pd.DataFrame) -> dict[Any, list[str]]:
    """Return the labels of the rows, as a column of cells with a name that the frame does not have."""
    name = "row" if frame.index.name is None else str(frame.index.name)
    while name in frame:
        name += "_"
    return {name: [label(each) for each in frame.index.tolist()]}


def _write_column(column: pd.Series[Any], name: str, digits: int, quoted: set[str]) -> list[str]:
    """Return the cells of a column: each in one line, answers between quotation marks."""
    form = f".{digits}f" if name in METRICS or name == "diff" or name.endswith("_other") else ".6g"
    return [_write_value(value, form, is_quoted=name in quoted) for value in column]


def _write_value(value: Any, form: str, *, is_quoted: bool) -> str:
    """Return a value in a cell. form: that of a number."""
    if isinstance(value, list | tuple | np.ndarray):
        return quote_several([label(each) for each in value], each=_OF_TEXT) or "[]"
    if is_null(value):
        return "(null)"
    if isinstance(value, float):
        return number(value, form)
    return quote(str(value), _OF_TEXT) if is_quoted else clip(str(value), _OF_TEXT)


def _say_counts(notes: Mapping[str, Any]) -> Iterator[str]:
    """Yield sentences with the counts in the notes of chosen rows: rows without a score, and rows that changed."""
    for note in map(notes.get, CHOSEN):
        names = ("n_not_scored", "n_changed", "n")
        n_left, n_changed, n = (note.get(name) for name in names) if isinstance(note, Mapping) else (None,) * 3
        if isinstance(n_left, int) and n_left:
            yield f"Left out: {plural(n_left, 'row')} without a score."
        if isinstance(n_changed, int) and isinstance(n, int):
            yield f"{n_changed:,} of {plural(n, 'row')} changed."


def quote_several(texts: Sequence[str], most: int = 5, *, each: int = 24) -> str:
    """Return the first texts between quotation marks, as "'a', 'b' and 3 more". each: the most columns of a text."""
    shown = [quote(text, each) for text in texts[:most]]
    if len(texts) > most:
        shown.append(f"{len(texts) - most:,} more")
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))
