"""The rows of a report: which ones it holds, and how they are packed into its page."""

from __future__ import annotations

import base64
import gzip
import itertools
import json
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Ints
from qa_frame.ext.explain.explain import explain_rows
from qa_frame.ext.explain.explanation import describe
from qa_frame.ext.explain.html import WIDTH, as_element
from qa_frame.ext.report.arguments import cut
from qa_frame.ext.report.report_data import MOST_OF_NAME, ReportData, rows_with
from qa_frame.frames.diagnosis import is_null
from qa_frame.frames.source import read_source
from qa_frame.tables.results import label

MOST_EXPLAINED, _OF_CHECK = 200, 3
"""So many rows are explained, and first so many that fail each check."""

MOST_BYTES = 20_000_000
"""The rows take at most so much room in the file."""

_SEED = 0
"""Of the sample of rows where not all have room."""

_MOST_OF_TEXT = 100_000
"""A response, a gold and a question's text are shown so far, in characters. Rows with longer ones are not explained."""

_DIGITS = 4
_LEVEL = 6
"""Of compression: the highest one, 9, takes three times as long for 3 % less."""


@dataclass(frozen=True, slots=True)
class PackedRows:
    """The rows as the page holds them.

    Attributes
    ----------
    text
        JSON, compressed by gzip, in base64.
    n_rows, n_explained
        How many rows it has, and how many of these with an explanation.
    """

    text: str
    n_rows: int
    n_explained: int


def pack_rows(report_data: ReportData) -> PackedRows:
    """Return as many rows as fit into `MOST_BYTES`: all, else the worst ones and a random sample of the others."""
    explained = _explain_rows(report_data)
    # Those that are wanted most come first: explained ones, then the worst ones and random ones in turns.
    random = np.random.default_rng(_SEED).permutation(len(report_data.rows))
    mixed = np.stack([_sort_worst_first(report_data), random], axis=1).ravel()
    order = pd.unique(np.concatenate([np.fromiter(explained, np.int64, len(explained)), mixed]))
    n_rows = len(order)
    packed = _pack_places(report_data, np.sort(order), explained)
    while len(packed) > MOST_BYTES and n_rows > 1:
        n_rows = max(1, int(min(0.95 * n_rows * MOST_BYTES / len(packed), n_rows - 1)))
        packed = _pack_places(report_data, np.sort(order[:n_rows]), explained)
    return PackedRows(packed, n_rows, sum(place in explained for place in order[:n_rows].tolist()))


def _sort_worst_first(report_data: ReportData) -> Ints:
    """Return the places of the rows by the score that ranks, the lowest first; rows without a score come last."""
    return report_data.rows[report_data.rank_by].to_numpy(np.float64).argsort(kind="stable")  # NaN is last


# --- explanations


def _explain_rows(report_data: ReportData) -> dict[int, str]:
    """Return the explanations of the worst rows of each group and of some rows of each check, by place, as HTML.

    There are none where the frame does not say how its scores were made.
    """
    if report_data.known.metadata is None:
        return {}
    places = _choose_rows_to_explain(report_data, MOST_EXPLAINED)
    explanations = explain_rows(read_source(report_data.rows), places, report_data.known.metadata)
    # The page has the rules of their style once.
    return {each.position: as_element(describe(each, WIDTH)) for each in explanations}


def _choose_rows_to_explain(report_data: ReportData, most: int) -> list[int]:
    """Return the places of at most so many rows: some of each failed check, then those that a reader opens first.

    A reader opens the worst rows of each group, and all answers to the questions whose scores differ most; these take
    turns. Rows with long texts are left out, as a character takes a microsecond.
    """
    chosen: list[int] = []
    for check in report_data.checks or ():
        chosen += np.flatnonzero(rows_with(check))[:_OF_CHECK].tolist()
    worst = _sort_worst_first(report_data)
    groups = report_data.rows[report_data.columns.by].to_numpy(object)[worst]
    opened = [worst[groups == group][:most].tolist() for group in report_data.groups]
    opened.append(_sort_by_difference(report_data)[:most])
    chosen += [place for turn in itertools.zip_longest(*opened) for place in turn if place is not None]
    sizes = report_data.rows[[report_data.known.pred, report_data.known.gold]].map(lambda value: len(str(value)))
    is_short = (sizes <= _MOST_OF_TEXT).all(axis=1).to_numpy()
    return [place for place in dict.fromkeys(chosen) if is_short[place]][:most]


def _sort_by_difference(report_data: ReportData) -> list[int]:
    """Return the places of all rows, question by question, first the questions in whose scores groups differ most.

    The list is empty without columns of questions.
    """
    rows, questions = report_data.rows, report_data.columns.questions
    if not questions:
        return []
    of_question = rows.groupby(questions, sort=False, dropna=False, observed=True)
    scores = of_question[report_data.rank_by]
    keys = pd.DataFrame({"range": scores.transform("min") - scores.transform("max"), "question": of_question.ngroup()})
    return keys.sort_values(["range", "question"], kind="stable").index.tolist()


# --- packing


def _pack_places(report_data: ReportData, places: Ints, explained: dict[int, str]) -> str:
    """Return the rows at these places as JSON, compressed by gzip, in base64. explained: explanations by place."""
    content = json.dumps(_make_content(report_data, places, explained), ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(content.encode(), _LEVEL, mtime=0)).decode()


def _make_content(report_data: ReportData, places: Ints, explained: dict[int, str]) -> dict[str, Any]:
    """Return what the page's script reads: columns of equal length, with codes in place of repeated texts."""
    columns, known = report_data.columns, report_data.known
    rows = report_data.rows.iloc[places]
    if columns.on:  # a question's rows side by side compress best
        question = rows.groupby(columns.questions, sort=False, dropna=False, observed=True).ngroup()
        order = question.to_numpy().argsort(kind="stable")
        places, rows = places[order], rows.iloc[order]
    flags = {check.name: rows_with(check)[places] for check in report_data.checks or () if rows_with(check).any()}
    failed = np.array([*flags.values()], np.bool_).reshape(len(flags), len(places))
    return {
        "metrics": report_data.metrics,
        "rank_by": report_data.rank_by,
        "groups": [label(group) for group in report_data.groups],
        "checks": [*flags],
        "row": places.tolist(),
        "group": rows[columns.by].map({group: code for code, group in enumerate(report_data.groups)}).tolist(),
        "dataset": _encode_keys(rows, columns.datasets),
        "question": _encode_keys(rows, columns.questions),
        "text": None if columns.question is None else _encode_texts(rows[columns.question]),
        "response": None if known.pred is None else [_write_text(value) for value in rows[known.pred]],
        "golds": None if known.gold is None else [_write_golds(value) for value in rows[known.gold]],
        "scores": {name: [*map(_write_score, rows[name])] for name in report_data.metrics},
        "failed": [np.flatnonzero(of_row).tolist() for of_row in failed.T],
        "explained": {str(place): explained[place] for place in places.tolist() if place in explained},
    }


def _encode_keys(rows: pd.DataFrame, names: list[Hashable]) -> dict[str, Any] | None:
    """Return a key of several columns as distinct texts, and each row's place among them; None for no columns."""
    if not names:
        return None
    codes = rows.groupby(names, sort=False, dropna=False, observed=True).ngroup()
    distinct = rows.loc[~codes.duplicated(), names]
    return {
        "codes": codes.tolist(),
        "texts": [cut(label(key), 2 * MOST_OF_NAME) for key in distinct.itertuples(index=False, name=None)],
    }


def _encode_texts(column: pd.Series[Any]) -> dict[str, Any]:
    """Return a column of texts as distinct texts, "" for null, and each row's place among them."""
    codes, distinct = pd.factorize(np.array([_write_text(value) or "" for value in column], object))
    return {"codes": codes.tolist(), "texts": distinct.tolist()}


def _write_text(value: Any) -> str | None:
    """Return a value as text of at most `_MOST_OF_TEXT` characters; None for null."""
    return None if is_null(value) else cut(str(value), _MOST_OF_TEXT)


def _write_golds(value: Any) -> list[str] | None:
    """Return the golds of a row, without nulls, each at most `_MOST_OF_TEXT` characters long; None for null."""
    if is_null(value):
        return None
    golds = [value] if isinstance(value, str) else value
    return [cut(str(gold), _MOST_OF_TEXT) for gold in golds if not is_null(gold)]


def _write_score(score: float) -> float | None:
    """Return a score with `_DIGITS` decimals; None for NaN."""
    return None if is_null(score) else round(score, _DIGITS)
