"""Rows that repeat a question of their group under another id → a warning, as intervals take them for independent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Ints
from qa_frame.checks import is_equal
from qa_frame.errors import IntervalWarning, warn
from qa_frame.frames.arrow_types import is_text
from qa_frame.frames.row_hashes import arrow_column, count_alike, number_golds, rows_of_similar_length
from qa_frame.frames.source import Source
from qa_frame.scoring.row_flag_warnings import show_share
from qa_frame.tables.rows import ReadRows
from qa_frame.tables.same_questions import ID, QUESTION, differing_rows, text_codes

_LEAST_EFFECT, _LEAST_ROWS = 1.2, 5
"""So many times as many rows as questions, and so many repeated rows, make a warning: 95 % are 93 % then."""
_LEAST_DIFFERENT = 10
"""Without texts of questions, a group needs so many different answers: yes and no are equal by chance."""


def warn_of_repeated(source: Source, rows: ReadRows, group: Ints, unit: Ints | None, named: Sequence[Any] = ()) -> None:
    """Warn where so many rows repeat a question of their group that intervals are too narrow.

    A question is known by its text, or else by equal golds and equal responses.

    Parameters
    ----------
    group
        The group of each row, shape (rows,).
    unit
        What the call takes for one question, a number for each row, shape (rows,). None: the id of the question where
        there is one, or else the row.
    named
        The keys of `question`.
    """
    columns = _columns_of_questions(source, rows)
    if not columns or any(is_equal(name, QUESTION) for name in named):
        return
    has_text, some = len(columns) == 1, rows_of_similar_length(columns[0])
    if not _are_repeated(group[some], count_alike(columns, group, some), has_text=has_text, least_rows=1):
        return
    if unit is None:
        has_ids = source.names.count(ID) == 1
        unit = text_codes(source.as_pandas({"question": [ID]})[ID]) if has_ids else np.arange(len(group))
    first = np.flatnonzero(~pd.DataFrame({"group": group, "unit": unit}).duplicated())
    n_alike = count_alike(columns, group, first)
    if not _are_repeated(group[first], n_alike, has_text=has_text):
        return
    n_repeated = len(first) - round(float(np.sum(1 / n_alike)))
    what, remedy = "golds and response", "keep one row of each question"
    if has_text:
        what = f"text in {QUESTION!r}"
        is_nested = not len(differing_rows(number_golds(columns[0]), unit))
        remedy = f"give cluster={QUESTION!r}" if is_nested and not columns[0].null_count else remedy
    of_all = show_share(n_repeated, len(first))
    finding = f"{of_all} repeat the {what} of another one of their group, and count as independent questions"
    warn(f"intervals are too narrow: {finding}; {remedy}", IntervalWarning, see="repeated-questions")


def _columns_of_questions(source: Source, rows: ReadRows) -> list[Any]:
    """Return the texts of questions, or else the responses and the golds, in Arrow; none where they are not known."""
    if source.names.count(QUESTION) == 1:
        texts = arrow_column(source.columns[QUESTION])
        if texts is not None and is_text(texts.type):
            return [texts]
    return [] if rows.texts is None else [rows.texts.pred, rows.texts.golds]


def _are_repeated(group: Ints, n_alike: Ints, *, has_text: bool, least_rows: int = _LEAST_ROWS) -> bool:
    """Whether some group has so many repeated rows that its intervals are too narrow. n_alike: see `count_alike`."""
    if n_alike.max(initial=1) == 1:
        return False
    n_rows, n_different = np.bincount(group), np.bincount(group, 1 / n_alike)
    effect = np.bincount(group, n_alike) / np.maximum(n_rows, 1)
    effect[n_rows - n_different < least_rows] = 0
    worst = int(effect.argmax())
    if has_text or effect[worst] < _LEAST_EFFECT:
        return bool(effect[worst] >= _LEAST_EFFECT)
    # Most answers of a group that has its questions k times stand there k times; by chance, most stand there once.
    times = n_alike[group == worst]
    n_by_times = np.bincount(times, 1 / times)
    is_regular = n_by_times.argmax() > 1 and n_by_times.max() > 0.5 * n_different[worst]
    return bool(is_regular and n_different[worst] >= _LEAST_DIFFERENT)
