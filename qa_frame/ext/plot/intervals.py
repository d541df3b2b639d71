"""Rows of points with their intervals: the pictures of summaries, paired differences, ranks and conventions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qa_frame._typing import Ints
from qa_frame.checks import require_flag
from qa_frame.errors import UnknownOptionError
from qa_frame.ext.plot import drawing, labels
from qa_frame.ext.plot.fonts import Axes, with_fonts
from qa_frame.ext.plot.summaries import IntervalRows, lay_out, read_metrics, read_summary
from qa_frame.frames.source import read_source
from qa_frame.stats.differences import alpha_of
from qa_frame.tables.result_tables import RANKED, read_compared, read_table, require_columns
from qa_frame.tables.results import read_compare_settings, read_once, say_intervals

_MOST_ROWS = 100
"""More rows than these are higher than any page."""


def summary(table: Any, metrics: str | Sequence[str] | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the scores of each group as points, with their intervals where the table has them.

    Each group is a row and each metric a series. A single metric of a table by two keys or more has a series for each
    value of the last key instead.

    Parameters
    ----------
    table
        Result of `qa_frame.summary` or `Pool.summary`, wide or long; in pandas, polars or Arrow.
    metrics
        Metric(s) to draw; None for all of the table.
    ax
        Axes of matplotlib to draw into. None makes a new figure, which grows with the number of rows.

    Returns
    -------
    matplotlib.axes.Axes
        It has one line of points per series. A score that is NaN has no point. A row without points says "not scored".

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where the table is something else, or an argument has a value that is not allowed.
    PairingError
        Where a row would have two points of a series.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers")
    >>> ax = qa_frame.plot.summary(scored.qa.summary(by="model", ci=0.95), ["em", "f1"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['heron-7b', 'lynx-70b', 'otter-chat']
    >>> ax.get_xlabel()
    'score (0 to 1)'
    """
    read = read_summary(table, metrics)
    rows = lay_out(read)
    fewer = f"keep fewer values of {rows.legend!r}" if rows.legend else "choose some with metrics="
    axes = _draw_rows(ax, rows, fewer=fewer)
    every = np.stack(list(rows.series.values()))
    what = next(iter(read.series)) if len(read.series) == 1 else "score"
    labels.name_axes(axes, drawing.with_unit(what, every, is_percent=read.is_percent))
    return with_fonts(axes)


def _draw_rows(
    ax: Any,
    rows: IntervalRows,
    *,
    looks: Ints | None = None,
    absent: str = "not scored",
    fewer: str = "choose some with metrics=",
    few: str = "give fewer, as in table.head(40)",
) -> Axes:
    """Return the axes with points and intervals in rows.

    looks: the marker of each point, shape (series, rows), as in `draw_intervals`; None: all alike. absent: what a row
    without points says. fewer, few: how the caller gets fewer series and fewer rows, for the errors of too many.
    """
    height = labels.height_of(rows.labels, n_series=len(rows.series))
    if ax is None and len(rows.labels) > _MOST_ROWS:
        raise UnknownOptionError(
            f"table has {len(rows.labels)} rows to draw, a picture that is {height:.0f} inches high; {few}, or give "
            "ax=, axes that are high enough"
        )
    labels.require_few(len(rows.series), fewer)
    axes = drawing.require_axes(ax, height=height)
    drawing.draw_intervals(axes, rows.series, looks=looks)
    is_absent = np.array([np.isnan(values[:, 0]) for values in rows.series.values()]).all(axis=0)
    labels.write_absent(axes, np.flatnonzero(is_absent), absent)
    labels.name_rows(axes, rows.labels, title=rows.title)
    if len(rows.series) > 1:
        labels.draw_legend(axes, fewer=fewer, title=rows.legend)
    return axes


def compare(
    table: Any, metrics: str | Sequence[str] | None = None, *, percent: bool = False, ax: Axes | None = None
) -> Axes:
    """Draw paired differences with their intervals, as a forest: a point right of 0 favours the first group.

    Parameters
    ----------
    table
        Result of `qa_frame.compare`; in pandas, polars or Arrow.
    metrics
        Metric(s) to draw, each a series; None for all of the table.
    percent
        Whether to draw percentage points: differences times 100.
    ax
        Axes of matplotlib to draw into. None makes a new figure, which grows with the number of pairs.

    Returns
    -------
    matplotlib.axes.Axes
        Each pair is a row, "a - b". A point is filled if its difference is significant at the level of the table, open
        if it is not, and a stroke if nothing could be tested. The label of the x axis says what intervals are. A pair
        without questions in common says "nothing paired".

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where the table is something else, or an argument has a value that is not allowed.
    PairingError
        Where a row would have two points of a series.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics=["em", "f1"])
    >>> ax = qa_frame.plot.compare(scored.qa.compare(by="model", question="question_id", baseline="heron-7b"))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['lynx-70b − heron-7b', 'otter-chat − heron-7b']
    """
    require_flag("percent", percent)
    table = read_once(table)
    frame, of_intervals = read_compared(table), say_intervals(table)
    alpha = alpha_of(read_compare_settings(read_source(table)).get("ci", _USUAL_LEVEL))
    pairs = [" − ".join(map(labels.name_of, pair)) for pair in zip(frame["a"], frame["b"], strict=True)]
    names, wanted, columns = read_metrics(frame, metrics, pairs, ("diff", "diff_lo", "diff_hi", "p_adj"))
    values, p_adj = columns[..., :3] * (100 if percent else 1), columns[..., 3]
    looks = np.where(np.isnan(p_adj), 2, p_adj >= alpha)
    rows = IntervalRows(names, dict(zip(wanted, values, strict=True)))
    axes = _draw_rows(ax, rows, looks=looks, absent="nothing paired", few=_FEWER_PAIRS)
    axes.axvline(0, color=drawing.tone(axes, drawing.GREY), linewidth=1, zorder=1)
    is_shown = ~np.isnan(values[..., 0])
    what = wanted[0] if len(wanted) == 1 else "score"
    is_unit = not (np.abs(values[is_shown, 0]) > 1).any()
    unit = " (percentage points)" if percent else " (0 to 1)" if is_unit else ""
    untested = "" if (looks[is_shown] < 2).all() else "; |: not tested"
    bars = f"; bars: {of_intervals} intervals" if of_intervals else ""
    labels.name_axes(axes, f"difference in {what}{unit}; filled: p_adj < {alpha:g}{untested}{bars}")
    return with_fonts(axes)


_USUAL_LEVEL = 0.95
"""The level of a comparison that does not say it, as one in polars."""

_FEWER_PAIRS = (
    "give fewer, as in table.head(40), a comparison with baseline= for those with one group, or draw the ranks, "
    "with qa_frame.plot.ranks(qa_frame.ranks(table))"
)


def ranks(table: Any, metrics: str | Sequence[str] | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the ranks that each group may have as bars, with the rank that it was found at as a point.

    The order of two groups is significant where their bars do not overlap.

    Parameters
    ----------
    table
        Result of `qa_frame.ranks`; in pandas, polars or Arrow.
    metrics
        Metric(s) to draw, each a series; None for all of the table.
    ax
        Axes of matplotlib to draw into. None makes a new figure, which grows with the number of groups.

    Returns
    -------
    matplotlib.axes.Axes
        Each group is a row, in the order of the table.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where the table is something else, or an argument has a value that is not allowed.
    PairingError
        Where a row would have two points of a series.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics="recall")
    >>> ax = qa_frame.plot.ranks(scored.qa.compare(by="model", question="question_id").qa.ranks())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['lynx-70b', 'otter-chat', 'heron-7b']
    """
    frame = read_table(table)
    require_columns(frame, RANKED, "a result of qa_frame.ranks")
    groups = list(map(labels.name_of, frame["group"].tolist()))
    names, wanted, values = read_metrics(frame, metrics, groups, ("rank", "rank_lo", "rank_hi"))
    axes = _draw_rows(ax, IntervalRows(names, dict(zip(wanted, values, strict=True))))
    axes.set_xlim(0.7, float(np.nanmax(values, initial=1.0)) + 0.3)
    drawing.set_ticks(axes.xaxis, are_whole=True)
    what = f" by {wanted[0]}" if len(wanted) == 1 else ""
    labels.name_axes(axes, f"rank{what}, 1 is the best; bar: the ranks that a group may have")
    return with_fonts(axes)
