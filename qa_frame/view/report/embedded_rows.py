"""The rows of a report: which ones it holds, and how they are packed into its page."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Ints
from qa_frame.errors import UnknownOptionError
from qa_frame.frames.kinds import read_source
from qa_frame.reports.result_tables import is_null
from qa_frame.scoring.plan import Plan
from qa_frame.view.explain.html import as_html
from qa_frame.view.explain.one_row import explain_row
from qa_frame.view.report.gathered import Gathered, rows_with
from qa_frame.view.results import label

_OF_HAZARD = 3
"""So many rows of each hazard are explained."""

_DIGITS = 4
_LEVEL = 6
"""Of compression: the highest one, 9, takes three times as long for 3 % less."""
_TRIES = 20


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


def pack_rows(gathered: Gathered, plan: Plan, *, max_bytes: int, n_explained: int, seed: int) -> PackedRows:
    """Return as many rows as fit into `max_bytes`: all, else the worst ones and a random sample of the others."""
    explained = _explain(gathered, plan, n_explained)
    order = _order(gathered, explained, seed)
    n_rows = len(order)
    for _ in range(_TRIES):
        packed = _pack(gathered, np.sort(order[:n_rows]), explained)
        if len(packed) <= max_bytes:
            return PackedRows(packed, n_rows, sum(place in explained for place in order[:n_rows].tolist()))
        n_rows = int(min(0.95 * n_rows * max_bytes / len(packed), n_rows - 1))
        if n_rows <= 0:
            break
    raise UnknownOptionError(f"max_bytes={max_bytes} holds not even one row; give more, such as 20_000_000")


def _order(gathered: Gathered, explained: dict[int, str], seed: int) -> Ints:
    """Return the places of the rows, most wanted first: explained ones, then worst and random ones in turns."""
    random = np.random.default_rng(seed).permutation(len(gathered.rows))
    mixed = np.stack([_worst_first(gathered), random], axis=1).ravel()
    order: Ints = pd.unique(np.concatenate([np.fromiter(explained, np.int64, len(explained)), mixed]))
    return order


def _worst_first(gathered: Gathered) -> Ints:
    """Return the places of the rows by the score that ranks, the lowest first; rows without a score come last."""
    return gathered.rows[gathered.lead].to_numpy(np.float64).argsort(kind="stable")  # NaN is last


# --- explanations


def _explain(gathered: Gathered, plan: Plan, n_explained: int) -> dict[int, str]:
    """Return the explanations of the worst rows of each group and of some rows of each hazard, by place, as HTML."""
    source, columns = read_source(gathered.rows), gathered.columns
    found = {}
    for place in _rows_to_explain(gathered, n_explained):
        row = source.take(np.array([place]))
        made = explain_row(row, plan, pred=columns.pred, gold=columns.gold, label=place, position=place)
        found[place] = as_html(made).partition("</style>")[2]  # the page has these rules once
    return found


def _rows_to_explain(gathered: Gathered, most: int) -> list[int]:
    """Return the places of rows: first some of each hazard, then the worst of each group in turns."""
    chosen: list[int] = []
    for hazard in gathered.hazards:
        chosen += np.flatnonzero(rows_with(hazard))[:_OF_HAZARD].tolist()
    worst = _worst_first(gathered)
    groups = gathered.rows[gathered.columns.by].to_numpy(object)[worst]
    turn = pd.Series(groups).groupby(groups, sort=False).cumcount().to_numpy()
    chosen += worst[np.argsort(turn, kind="stable")].tolist()
    return list(dict.fromkeys(chosen))[:most]


# --- packing


def _pack(gathered: Gathered, places: Ints, explained: dict[int, str]) -> str:
    content = json.dumps(_content(gathered, places, explained), ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(content.encode(), _LEVEL, mtime=0)).decode()


def _content(gathered: Gathered, places: Ints, explained: dict[int, str]) -> dict[str, Any]:
    """Return what the page's script reads: columns of equal length, with codes in place of texts that come again."""
    columns = gathered.columns
    rows = gathered.rows.iloc[places]
    if columns.on:  # a question's rows side by side compress best
        order = rows.groupby(columns.questions, sort=False, dropna=False).ngroup().to_numpy().argsort(kind="stable")
        places, rows = places[order], rows.iloc[order]
    shown = [hazard for hazard in gathered.hazards if rows_with(hazard).any()]
    flags = np.array([rows_with(hazard)[places] for hazard in shown], np.bool_).reshape(len(shown), len(places))
    return {
        "metrics": gathered.metrics,
        "lead": gathered.lead,
        "groups": [label(group) for group in gathered.groups],
        "hazards": [hazard.name for hazard in shown],
        "row": places.tolist(),
        "group": rows[columns.by].map({group: code for code, group in enumerate(gathered.groups)}).tolist(),
        "dataset": _coded(rows, columns.within),
        "question": _coded(rows, columns.questions),
        "text": None if columns.question is None else _coded_texts(rows[columns.question]),
        "response": [_text(value) for value in rows[columns.pred]],
        "golds": [_golds(value) for value in rows[columns.gold]],
        "scores": {name: _numbers(rows[name]) for name in gathered.metrics},
        "found": _places_of_flags(flags),
        "explained": {str(place): explained[place] for place in places.tolist() if place in explained},
    }


def _coded(rows: pd.DataFrame, names: list[Hashable]) -> dict[str, Any] | None:
    """Return a key of several columns as distinct texts, and each row's place among them; None for no columns."""
    if not names:
        return None
    codes = rows.groupby(names, sort=False, dropna=False).ngroup()
    distinct = rows.loc[~codes.duplicated(), names]
    return {"codes": codes.tolist(), "texts": [label(key) for key in distinct.itertuples(index=False, name=None)]}


def _coded_texts(column: pd.Series[Any]) -> dict[str, Any]:
    """Return a column of texts as distinct texts, and each row's place among them."""
    codes, distinct = pd.factorize(column.astype(object), use_na_sentinel=False)
    return {"codes": codes.tolist(), "texts": [_text(value) or "" for value in distinct]}


def _text(value: Any) -> str | None:
    return value if type(value) is str else None if is_null(value) else str(value)


def _golds(value: Any) -> list[str] | None:
    if is_null(value):
        return None
    return [value] if isinstance(value, str) else [str(gold) for gold in value if not is_null(gold)]


def _numbers(column: pd.Series[Any]) -> list[float | None]:
    values = np.round(column.to_numpy(np.float64), _DIGITS)
    return [None if value != value else value for value in values.tolist()]  # noqa: PLR0124  (NaN is not itself)


def _places_of_flags(flags: Flags) -> list[list[int]]:
    """Return the hazards of each row, from flags of shape (hazards, rows)."""
    found: list[list[int]] = [[] for _ in range(flags.shape[1])]
    for row, hazard in zip(*(axis.tolist() for axis in np.nonzero(flags.T)), strict=True):
        found[row].append(hazard)
    return found
