"""Summaries as pictures need them: by figure, the value and bounds of each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.errors import (
    ColumnNotFoundError,
    ColumnTypeError,
    UnknownOptionError,
    require_choice,
    require_flag,
    require_items,
    require_whole_number,
    show,
)
from qa_frame.view.plot.drawing import name_of
from qa_frame.view.results import Result, columns_of_floats, read_result

_DRAWN = ("compare", "ranks", "power", "risk_coverage")
"""Kinds of tables that have a picture of their own name."""


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

    def split(self, name: str) -> tuple[list[tuple[Any, ...]], dict[str, Floats]]:
        """Return rows by all keys but the last, and the figure in a series for each value of the last key."""
        firsts = [name_of(keys[:-1]) for keys in self.groups]
        lasts = [name_of(keys[-1]) for keys in self.groups]
        rows = {first: keys[:-1] for first, keys in zip(firsts, self.groups, strict=True)}
        place_of = {row: place for place, row in enumerate(rows)}
        series = {last: np.full((len(rows), 3), np.nan) for last in lasts}
        for first, last, three in zip(firsts, lasts, self.figures[name], strict=True):
            series[last][place_of[first]] = three
        return list(rows.values()), series

    def led_by(self, key: str) -> Summary:
        """Return the summary with one of its keys in front of the others."""
        place = self.key_names.index(key)
        names, *groups = ((keys[place], *keys[:place], *keys[place + 1 :]) for keys in (self.key_names, *self.groups))
        return replace(self, key_names=names, groups=tuple(groups))


def read_summary(table: Any, metrics: str | Sequence[str] | None, percent: Any) -> Summary:
    """Return a result of `summary`, wide or long, with the figures that are asked for; all for None."""
    result = read_result(table)
    if result.kind != "summary":
        other = f", or call qa_frame.plot.{result.kind}" if result.kind in _DRAWN else ""
        raise ColumnTypeError(f"table is a result of {result.kind}; give one of summary{other}")
    if percent is not None:
        require_flag("percent", percent)
    groups, figures = _long_figures(result) if result.is_long else _wide_figures(result)
    chosen = {name: figures[name] for name in choose_metrics(metrics, list(figures))}
    is_percent = result.is_percent if percent is None else bool(percent)
    return Summary(tuple(map(str, result.keys)), tuple(groups), chosen, is_percent)


def choose_metrics(metrics: Any, there: list[str], argument: str = "metrics") -> list[str]:
    """Return the metrics that are asked for, each once; all for None."""
    if metrics is None:
        return there
    names = [metrics] if isinstance(metrics, str) else require_items("metrics", metrics, "a name, or a list of them")
    for name in names:
        require_choice(argument, name, there)
    if not names:
        raise UnknownOptionError(f"metrics is empty; choose from {there}, or give None for all")
    return list(dict.fromkeys(names))


def choose_metric(metric: Any, there: list[str]) -> str:
    """Return the metric that is asked for; for None, the only one there is."""
    if metric is None and len(there) > 1:
        raise UnknownOptionError(f"metric is not given, and the table has {there}; choose one of them")
    if not there:
        raise UnknownOptionError("table has no rows, and so no metric to draw; give one with rows")
    return choose_metrics(metric if metric is None else [metric], there, "metric")[0]


def choose_rows(values: Floats, *, sort: Any, top: Any, by_size: bool = False) -> Ints:
    """Return the places of the rows to draw: for sort=True the highest first, else in their order; NaN comes last.

    values: what the order is by, shape (rows,). by_size: whether the `top` rows are the farthest from 0, and not the
    highest.
    """
    require_flag("sort", sort)
    if top is not None:
        require_whole_number("top", top, least=1)
    kept = np.argsort(-np.abs(values) if by_size else -values, kind="stable")[:top]
    return kept[np.argsort(-values[kept], kind="stable")] if sort else np.sort(kept)


def mean_of_known(values: Floats) -> Floats:
    """Return the mean along the last axis, without what is NaN; NaN where nothing is known."""
    found: Floats = np.ma.filled(np.ma.masked_invalid(values).mean(axis=-1), np.nan)
    return found


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rows:
    """Figures in rows, as a picture has them from top to bottom.

    Attributes
    ----------
    labels
        The name of each row.
    series
        By name the value, lower and upper bound in each row, shape (rows, 3).
    headings
        The rows that name those below them, and have no figures.
    title, legend
        The keys that name rows, and the one that names series; "" where series are metrics.
    """

    labels: list[str]
    series: dict[str, Floats]
    headings: list[int]
    title: str
    legend: str


def lay_out(read: Summary, *, facet: Any, sort: Any, top: Any) -> Rows:
    """Return the rows of a summary: its groups, or those of all keys but the last if there is one figure.

    facet: the key that parts the rows; None for one part. sort, top: as in `choose_rows`, in each part.
    """
    n_facets = 0 if facet is None else 1
    if n_facets and len(read.key_names) < 2:
        raise UnknownOptionError(
            f"facet={show(facet)} needs a table by two keys or more, and this one is by {list(read.key_names)}; give "
            "a result such as qa_frame.summary(data, by=['model', 'dataset'])"
        )
    if n_facets:
        require_choice("facet", facet, read.key_names)
        read = read.led_by(facet)
    names, legend, rows, series = list(read.key_names), "", list(read.groups), read.figures
    is_split = len(series) == 1 and len(names) > 1 + n_facets and len(rows) > 0
    if is_split:
        rows, series = read.split(*series)
        *names, legend = names
    every = np.stack(list(series.values()))
    size = mean_of_known(every[..., 0].T) if is_split else every[0, :, 0]
    parts: dict[str, list[int]] = {}
    for place, keys in enumerate(rows):
        parts.setdefault(name_of(keys[:n_facets]), []).append(place)
    labels, places, headings = list[str](), list[int](), list[int]()
    for part, members in parts.items():
        if n_facets:
            headings.append(len(labels))
            labels.append(f"{read.key_names[0]}: {part}")
            places.append(-1)
        kept = np.array(members)[choose_rows(size[members], sort=sort, top=top)].tolist()
        labels += [name_of(rows[place][n_facets:]) for place in kept]
        places += kept
    with_blank = np.pad(every, [(0, 0), (0, 1), (0, 0)], constant_values=np.nan)  # at -1, for headings
    found = with_blank[:, np.array(places, np.int64)]
    return Rows(labels, dict(zip(series, found, strict=True)), headings, ", ".join(names[n_facets:]), legend)


def _wide_figures(result: Result) -> tuple[list[tuple[Any, ...]], dict[str, Floats]]:
    if not result.figures:
        raise ColumnNotFoundError(
            f"table has no column of figures; give a result of qa_frame.summary. Columns: {list(result.frame.columns)}"
        )
    return _groups(result), {name: _figure(result, name) for name in result.figures}


def _long_figures(result: Result) -> tuple[list[tuple[Any, ...]], dict[str, Floats]]:
    rows = _groups(result)
    groups = {repr(row): row for row in rows}  # two NaN are one key
    place_of = {name: place for place, name in enumerate(groups)}
    figures: dict[str, Floats] = {}
    for metric, row, three in zip(result.frame["metric"], rows, _figure(result, "value"), strict=True):
        figures.setdefault(str(metric), np.full((len(groups), 3), np.nan))[place_of[repr(row)]] = three
    return list(groups.values()), figures


def _groups(result: Result) -> list[tuple[Any, ...]]:
    """Return the keys of each row."""
    columns = [result.frame[key].tolist() for key in result.keys]
    return list(zip(*columns, strict=True)) if columns else [("all",)] * len(result.frame)


def _figure(result: Result, name: str) -> Floats:
    """Return the value, lower and upper bound of each row, shape (rows, 3)."""
    return columns_of_floats(result.frame, name, *result.bounds.get(name, ("", "")))
