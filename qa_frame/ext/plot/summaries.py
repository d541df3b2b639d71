"""Summaries as pictures need them: by metric, the value and bounds of each group."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Floats
from qa_frame.checks import require_choice, require_items
from qa_frame.errors import ColumnNotFoundError, ColumnTypeError, PairingError, UnknownOptionError
from qa_frame.ext.plot.labels import name_of
from qa_frame.tables.result_tables import result_kinds
from qa_frame.tables.results import columns_of_floats, read_result


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Summary:
    """A result of `summary`, or of a `Pool`.

    Attributes
    ----------
    key_names
        The columns of `by`. Without any, there is one group, which is called "all".
    groups
        The keys of each group, in the table's order.
    series
        By metric the value, lower and upper bound per group, shape (groups, 3). NaN if the table has no number.
    is_percent
        Whether values are in percent.
    """

    key_names: tuple[str, ...]
    groups: tuple[tuple[Any, ...], ...]
    series: dict[str, Floats]
    is_percent: bool


def read_summary(table: Any, metrics: str | Sequence[str] | None) -> Summary:
    """Return a result of `summary`, wide or long, with the metrics of these names; all for None."""
    result = read_result(table)
    if result.kind != "summary":
        other = f", or call qa_frame.plot.{result.kind}" if result_kinds()[result.kind].has_picture else ""
        raise ColumnTypeError(f"table is a result of {result.kind}; give one of summary{other}")
    columns = [result.frame[key].tolist() for key in result.keys]
    groups: list[Any] = list(zip(*columns, strict=True)) if columns else [("all",)] * len(result.frame)
    series = {
        name: columns_of_floats(result.frame, name, *result.bounds.get(name, ("", ""))) for name in result.estimates
    }
    if result.is_long:
        groups, series = _spread_over_rows(groups, result.frame["metric"].astype(str).tolist(), series["value"])
    elif not series:
        raise ColumnNotFoundError(
            f"table has no column of figures; give a result of qa_frame.summary. Columns: {list(result.frame.columns)}"
        )
    chosen = {name: series[name] for name in choose_metrics(metrics, list(series))}
    return Summary(tuple(map(str, result.keys)), tuple(groups), chosen, result.is_percent)


def choose_metrics(metrics: Any, there: list[str], argument: str = "metrics") -> list[str]:
    """Return the metrics of these names, each once; all for None. there: the metrics of the table.

    UnknownOptionError where a name is none of them, or there are no names. argument: what the error calls the argument.
    """
    if metrics is None:
        return there
    names = [metrics] if isinstance(metrics, str) else require_items("metrics", metrics, "a name, or a list of them")
    for name in names:
        require_choice(argument, name, there)
    if not names:
        raise UnknownOptionError(f"metrics is empty; choose from {there}, or give None for all")
    return list(dict.fromkeys(names))


def choose_metric(metric: Any, there: list[str]) -> str:
    """Return the metric of this name; for None, the only one there is. there: the metrics of the table.

    UnknownOptionError where it is none of them, or None and there are several or none.
    """
    if metric is None and len(there) > 1:
        raise UnknownOptionError(f"metric is not given, and the table has {there}; choose one of them")
    if not there:
        raise UnknownOptionError("table has no rows, and so no metric to draw; give one with rows")
    return choose_metrics(metric if metric is None else [metric], there, "metric")[0]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IntervalRows:
    """Values in rows, as a picture has them from top to bottom.

    Attributes
    ----------
    labels
        The name of each row.
    series
        By name the value, lower and upper bound in each row, shape (rows, 3).
    title, legend
        The keys that name rows, and the one that names series; "" where series are metrics.
    """

    labels: list[str]
    series: dict[str, Floats]
    title: str = ""
    legend: str = ""


def lay_out(read: Summary) -> IntervalRows:
    """Return the rows of a summary: its groups, with a series for each metric.

    If it has one metric and several keys, each value of the last key is a series, and the other keys make the rows.
    UnknownOptionError without a series.
    """
    names, legend, rows, series = list(read.key_names), "", list(read.groups), read.series
    if len(series) == 1 and len(names) > 1 and rows:
        (values,) = series.values()
        rows, series = _spread_over_rows([row[:-1] for row in rows], [name_of(row[-1]) for row in rows], values)
        *names, legend = names
    if not series:
        raise UnknownOptionError("table has no rows, and so no figure to draw; give one with rows")
    return IntervalRows(list(map(name_of, rows)), series, ", ".join(names), legend)


def _spread_over_rows(
    rows: Sequence[Any], series: Sequence[str], values: Floats
) -> tuple[list[Any], dict[str, Floats]]:
    """Return the distinct rows, and by series the values in each of them, shape (rows, columns); NaN where it has none.

    rows, series: those that each of the values belongs to, shape (values, columns). A row that has two values in a
    series raises PairingError.
    """
    names = list(map(repr, rows))  # two NaN are one row
    (row, name), n = Counter(zip(names, series, strict=True)).most_common(1)[0] if names else (("", ""), 0)
    if n > 1:
        raise PairingError(
            f"table has {n} rows of {name!r} for {row}, which a picture cannot tell apart; give the result of one call"
        )
    place_of = {each: place for place, each in enumerate(dict.fromkeys(names))}
    of_each = {each: np.full((len(place_of), values.shape[1]), np.nan) for each in series}
    for each, of_series, of_row in zip(names, series, values, strict=True):
        of_each[of_series][place_of[each]] = of_row
    return list(dict(zip(names, rows, strict=True)).values()), of_each


def read_metrics(
    frame: pd.DataFrame, metrics: Any, rows: Sequence[str], columns: Sequence[str]
) -> tuple[list[str], list[str], Floats]:
    """Return the names of rows, the metrics, and the values of a long table, such as one of `compare`.

    metrics: those to read; None for all. rows: the name of each row of the table, which has a row for each name and
    metric. columns: those of the values, which have the shape (metrics, names, columns), and NaN where the table has
    none.
    """
    names = frame["metric"].astype(str).tolist()
    wanted = choose_metrics(metrics, list(dict.fromkeys(names)))
    is_wanted = np.isin(names, wanted)
    of_rows, of_metrics = (list(itertools.compress(each, is_wanted)) for each in (rows, names))
    labels, of_series = _spread_over_rows(of_rows, of_metrics, columns_of_floats(frame[is_wanted], *columns))
    values = [of_series[name] for name in wanted]
    return labels, wanted, np.array(values).reshape(len(wanted), len(labels), len(columns))
