"""Rows that repeat a question of their group under another id → a warning, as intervals take them for independent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Ints
from qa_frame.errors import IntervalWarning, warn
from qa_frame.frames.arrow_types import is_text
from qa_frame.frames.row_hashes import arrow_column, count_alike, number_golds, sample_by_length
from qa_frame.frames.source import Source
from qa_frame.scoring.row_flag_warnings import show_share
from qa_frame.stats.grouping import group_rows
from qa_frame.tables.rows import ReadRows
from qa_frame.tables.same_questions import ID, MODEL, QUESTION, differing_rows, text_codes

_LEAST_EFFECT, _LEAST_ROWS = 1.2, 5
"""So many times as many rows as questions, and so many repeated rows, make a warning: 95 % are 93 % then."""
_LEAST_DIFFERENT = 10
"""Without texts of questions, a group needs so many different answers: yes and no are equal by chance."""


def warn_of_repeated(
    source: Source,
    rows: ReadRows,
    group: Ints,
    unit: Ints | None,
    *,
    argument: str = "question",
) -> None:
    """Warn where so many rows repeat a question of their group that intervals are too narrow.

    Callers that identify questions by their texts do not need it: to them, equal texts are one question. Here, rows
    have one question if they have equal texts in the column `question`; without that column, if they have equal ids and
    golds, or else equal golds and responses. Answers of several models to a question do not repeat it.

    Parameters
    ----------
    group
        The group of each row, shape (rows,).
    unit
        What the call takes for one question, a number for each row, shape (rows,). None: the row.
    argument
        The argument to which the warning advises to give the column of ids.
    """
    ids = None if unit is not None or source.names.count(ID) != 1 else source.as_pandas({"question": [ID]})[ID]
    if unit is None:
        unit, group = np.arange(len(group)), _split_by_model(source, group)
    columns, what = _columns_of_questions(source, rows, ids, group)
    if not columns:
        return
    has_text, some = len(columns) == 1, sample_by_length(columns[0])
    if not _are_repeated(group[some], count_alike(columns, group, some), has_text=has_text, least_rows=1):
        return
    first = _first_rows(group, unit)
    n_alike = count_alike(columns, group, first)
    if not _are_repeated(group[first], n_alike, has_text=has_text):
        return
    n_repeated = len(first) - round(float(np.sum(1 / n_alike)))
    remedy = "keep one row of each question"
    once = first if ids is None else _first_rows(group, text_codes(ids))
    if not _are_repeated(group[once], count_alike(columns, group, once), has_text=has_text):  # samples of one id
        what, remedy = repr(ID), f"give {argument}={ID!r}"
    elif has_text:
        is_nested = not len(differing_rows(number_golds(columns[0]), unit))
        remedy = f"give cluster={QUESTION!r}" if is_nested and not columns[0].null_count else remedy
    of_all = show_share(n_repeated, len(first))
    finding = f"{of_all} rows repeat the {what} of another row of their group, as if each were another question"
    warn(f"intervals are too narrow: {finding}; {remedy}", IntervalWarning, see="repeated-questions")


def _first_rows(group: Ints, unit: Ints) -> Ints:
    """Return the places of the first row of each group and unit (what the call takes for one question)."""
    return np.flatnonzero(~pd.DataFrame({"group": group, "unit": unit}).duplicated())


def _split_by_model(source: Source, group: Ints) -> Ints:
    """Return a number for each group and model, by row; the groups as they are if there is no column of models."""
    if source.names.count(MODEL) != 1:
        return group
    models = text_codes(source.as_pandas({"by": [MODEL]})[MODEL])
    return group_rows((pd.Series(group), pd.Series(models)), len(group))[0]


def _columns_of_questions(
    source: Source, rows: ReadRows, ids: pd.Series[Any] | None, group: Ints
) -> tuple[list[Any], str]:
    """Return the Arrow columns by whose values a question is known, and what a warning calls them; else [] and "".

    ids: the column of ids in pandas, None not to use it. It is used if it repeats within a group. group: each row's
    group.
    """
    if source.names.count(QUESTION) == 1:
        texts = arrow_column(source.columns[QUESTION])
        if texts is not None and is_text(texts.type):
            return [texts], f"text in {QUESTION!r}"
    if rows.texts is None:
        return [], ""
    if ids is not None and len(_first_rows(group, text_codes(ids))) < len(group):
        return [arrow_column(ids.astype(str)), rows.texts.golds], repr(ID)
    return [rows.texts.pred, rows.texts.golds], "golds and response"


def _are_repeated(group: Ints, n_alike: Ints, *, has_text: bool, least_rows: int = _LEAST_ROWS) -> bool:
    """Whether some group has so many repeated rows that its intervals are too narrow.

    Parameters
    ----------
    group, n_alike
        The group of each row, and how many rows of the group have the row's question, see `count_alike`.
    has_text
        Whether questions are known by their texts. If not, equal values by chance are told from repeated ones.
    least_rows
        The smallest number of repeated rows of a group that counts.
    """
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
