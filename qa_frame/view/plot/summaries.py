"""Summaries as pictures need them: by figure, the value and bounds of each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qa_frame._typing import Floats
from qa_frame.errors import (
    ColumnNotFoundError,
    ColumnTypeError,
    UnknownOptionError,
    require_choice,
    require_flag,
    require_items,
)
from qa_frame.view.plot.drawing import name_of
from qa_frame.view.results import Result, columns_of_floats, read_result


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Summary:
    """A result of `summary`, or of a `Pool`.

    Attributes
    ----------
    key_names
        The columns of `by`. Without any, there is one group, which is called "all".
    groups
        The keys of each group, in the table's order.
    figures
        For each name the value, lower and upper bound per group, shape (groups, 3). NaN if the table has no number.
    is_percent
        Whether figures are in percent.
    """

    key_names: tuple[str, ...]
    groups: tuple[tuple[Any, ...], ...]
    figures: dict[str, Floats]
    is_percent: bool

    @property
    def labels(self) -> list[str]:
        """The groups as text."""
        return [name_of(keys) for keys in self.groups]

    def split(self, name: str) -> tuple[list[str], dict[str, Floats]]:
        """Return rows by all keys but the last, and the figure in a series for each value of the last key."""
        firsts = [name_of(keys[:-1]) for keys in self.groups]
        lasts = [name_of(keys[-1]) for keys in self.groups]
        rows = list(dict.fromkeys(firsts))
        series = {last: np.full((len(rows), 3), np.nan) for last in lasts}
        for first, last, three in zip(firsts, lasts, self.figures[name], strict=True):
            series[last][rows.index(first)] = three
        return rows, series


def read_summary(table: Any, metrics: str | Sequence[str] | None, percent: Any) -> Summary:
    """Return a result of `summary`, wide or long, with the figures that are asked for; all for None."""
    result = read_result(table)
    if result.kind != "summary":
        other = ", or call qa_frame.plot.compare" if result.kind == "compare" else ""
        raise ColumnTypeError(f"table is a result of {result.kind}; give one of summary{other}")
    if percent is not None:
        require_flag("percent", percent)
    groups, figures = _long_figures(result) if result.is_long else _wide_figures(result)
    chosen = {name: figures[name] for name in choose_metrics(metrics, list(figures))}
    is_percent = result.is_percent if percent is None else bool(percent)
    return Summary(tuple(map(str, result.keys)), tuple(groups), chosen, is_percent)


def choose_metrics(metrics: Any, there: list[str]) -> list[str]:
    """Return the metrics that are asked for, each once; all for None."""
    if metrics is None:
        return there
    names = [metrics] if isinstance(metrics, str) else require_items("metrics", metrics, "a name, or a list of them")
    for name in names:
        require_choice("metrics", name, there)
    if not names:
        raise UnknownOptionError(f"metrics is empty; choose from {there}, or give None for all")
    return list(dict.fromkeys(names))


def _wide_figures(result: Result) -> tuple[list[tuple[Any, ...]], dict[str, Floats]]:
    if not result.figures:
        raise ColumnNotFoundError(
            f"table has no column of figures; give a result of qa_frame.summary. Columns: {list(result.frame.columns)}"
        )
    return _groups(result), {name: _figure(result, name) for name in result.figures}


def _long_figures(result: Result) -> tuple[list[tuple[Any, ...]], dict[str, Floats]]:
    place_of: dict[str, int] = {}
    rows = _groups(result)
    places = [place_of.setdefault(repr(row), len(place_of)) for row in rows]
    figures: dict[str, Floats] = {}
    for metric, place, three in zip(result.frame["metric"], places, _figure(result, "value"), strict=True):
        figures.setdefault(str(metric), np.full((len(place_of), 3), np.nan))[place] = three
    return [rows[places.index(place)] for place in range(len(place_of))], figures


def _groups(result: Result) -> list[tuple[Any, ...]]:
    """Return the keys of each row."""
    columns = [result.frame[key].tolist() for key in result.keys]
    return list(zip(*columns, strict=True)) if columns else [("all",)] * len(result.frame)


def _figure(result: Result, name: str) -> Floats:
    """Return the value, lower and upper bound of each row, shape (rows, 3)."""
    return columns_of_floats(result.frame, name, *result.bounds.get(name, ("", "")))
