"""Rows of points with their intervals: the pictures of summaries, paired differences, ranks and conventions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from qa_frame.errors import ColumnTypeError, require_flag, require_number, require_text
from qa_frame.reports.result_tables import RANKED, floats, read_compared, read_table, require_columns
from qa_frame.scoring.pooled import POOLED
from qa_frame.view.plot import drawing
from qa_frame.view.plot.fonts import Axes, with_fonts
from qa_frame.view.plot.summaries import choose_metrics, choose_rows, lay_out, read_summary
from qa_frame.view.results import columns_of_floats


def summary(
    table: Any,
    metrics: str | Sequence[str] | None = None,
    *,
    facet: str | None = None,
    sort: bool = False,
    top: int | None = None,
    percent: bool | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the figures of each group as points, with their intervals where the table has them.

    Each group is a row and each metric a series. A single metric of a table by two keys or more has a series for each
    value of the last key instead.

    Parameters
    ----------
    table
        A result of `qa_frame.summary` or `Pool.summary`, wide or long; in pandas, polars or Arrow.
    metrics
        The figures to draw; None for all of the table.
    facet
        A key of the table, such as `"dataset"`. Each of its values is a part of the picture with a heading, and its
        groups are the rows below.
    sort
        Whether the row with the highest figure comes first, in each part. It is the first figure drawn, or the mean of
        the row's series. Otherwise rows are in the order of the table.
    top
        At most so many rows are drawn, in each part, those with the highest figures; None for all.
    percent
        Whether the figures are in percent, for the label of the axis. None: the table says it. A table that does not,
        such as a polars frame, is in percent if a figure is greater than 1.
    ax
        Where to draw; None for a new figure, which grows with the number of rows.

    Returns
    -------
    matplotlib.axes.Axes
        It has one line of points per series. A figure that is NaN has no point. A row without points says "not scored".

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where the table is something else, or an argument has a value that is not allowed.
    MissingPackageError
        Without matplotlib, which `pip install "qa-frame[plot]"` installs.

    Warns
    -----
    PlotWarning
        Where there are more than eight series.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers")
    >>> ax = qa_frame.plot.summary(scored.qa.summary(by="model", ci=0.95), ["em", "f1"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['heron-7b', 'lynx-70b', 'otter-chat']
    >>> ax.get_xlabel()
    'mean (0 to 1)'
    """
    read = read_summary(table, metrics, percent)
    rows = lay_out(read, facet=facet, sort=sort, top=top)
    every = np.stack(list(rows.series.values()))
    axes = drawing.require_axes(ax, height=drawing.height_of(rows.labels, n_series=len(rows.series)))
    drawn = {name: (values, np.arange(len(rows.labels)), None) for name, values in rows.series.items()}
    fewer = "choose some with metrics="
    if rows.legend:
        fewer = f"keep fewer values of {rows.legend!r}" + f", or give facet={rows.legend!r}" * (facet is None)
    drawing.draw_intervals(axes, drawn, title=rows.legend, fewer=fewer)
    is_group = ~np.isin(np.arange(len(rows.labels)), rows.headings)
    drawing.write_absent(axes, np.all(np.isnan(every[..., 0]), axis=0) & is_group, "not scored")
    drawing.name_rows(axes, rows.labels, title=rows.title, headings=rows.headings)
    drawing.limit_to_scale(axes, every, is_percent=read.is_percent)
    what = "score" if POOLED.keys() & read.figures.keys() else "mean"
    what = next(iter(read.figures)) if len(read.figures) == 1 else what
    drawing.name_values(axes, drawing.with_unit(what, every, is_percent=read.is_percent))
    return with_fonts(axes)


def compare(
    table: Any,
    metrics: str | Sequence[str] | None = None,
    *,
    alpha: float = 0.05,
    percent: bool = False,
    sort: bool = False,
    top: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw paired differences with their intervals, as a forest: a point right of 0 favours the first group.

    Parameters
    ----------
    table
        A result of `qa_frame.compare`; in pandas, polars or Arrow.
    metrics
        The metrics to draw, each a series; None for all of the table.
    alpha
        From 0 to 1. Points are filled if `p_adj` is below it, else open. A point is a stroke if `p_adj` is null, as
        nothing could be tested. Each interval has its level for itself. So where a point is open and its interval
        leaves out 0, its `p`, which is not corrected for the number of pairs, is written beside it.
    percent
        Whether to draw percentage points: differences times 100.
    sort
        Whether the pair with the highest difference comes first, by the first metric drawn. Otherwise pairs are in the
        order of the table.
    top
        At most so many pairs are drawn, those with the largest differences either way; None for all.
    ax
        Where to draw; None for a new figure, which grows with the number of pairs.

    Returns
    -------
    matplotlib.axes.Axes
        Each pair is a row, "a - b". A pair without questions in common says "nothing paired".

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where the table is something else, or an argument has a value that is not allowed.
    MissingPackageError
        Without matplotlib, which `pip install "qa-frame[plot]"` installs.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics=["em", "f1"])
    >>> ax = qa_frame.plot.compare(scored.qa.compare(by="model", on="question_id", baseline="heron-7b"))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['lynx-70b − heron-7b', 'otter-chat − heron-7b']
    """
    require_number("alpha", alpha, most=1)
    require_flag("percent", percent)
    frame = read_compared(table)
    names = frame["metric"].astype(str)
    wanted = choose_metrics(metrics, names.unique().tolist())
    frame, names = frame[names.isin(wanted)], names[names.isin(wanted)]
    pairs = np.array(list(map(drawing.name_pair, frame["a"].tolist(), frame["b"].tolist())), object)
    rows = list(dict.fromkeys(pairs))
    first = pd.Series(floats(frame, "diff"), pairs)[names.isin(wanted[:1]).to_numpy()]
    size = np.asarray(first[~first.index.duplicated()].reindex(rows), np.float64)
    rows = [rows[place] for place in choose_rows(size, sort=sort, top=top, by_size=True).tolist()]
    is_kept = np.isin(pairs, rows)
    frame, names, pairs = frame[is_kept], names[is_kept], pairs[is_kept]
    values = columns_of_floats(frame, "diff", "diff_lo", "diff_hi") * (100 if percent else 1)
    place_of_row = pd.Index(rows, dtype=object).get_indexer(pairs)
    p = floats(frame, "p_adj")
    looks = np.where(np.isnan(p), 2, p >= float(alpha))
    axes = drawing.require_axes(ax, height=drawing.height_of(rows, n_series=len(wanted)))
    axes.axvline(0, color=drawing.tone(axes, drawing.GREY), linewidth=1, zorder=1)
    points = {name: (names == name).to_numpy() for name in wanted}
    drawing.draw_intervals(axes, {name: (values[at], place_of_row[at], looks[at]) for name, at in points.items()})
    leaves_zero = (looks == 1) & ((values[:, 1] > 0) | (values[:, 2] < 0)) & ("p" in frame)
    for series, at in enumerate(points.values()):
        for row in np.flatnonzero(at & leaves_zero).tolist():
            height = place_of_row[row] + drawing.shift_of_series(series, len(points))
            drawing.write_beside(axes, values[row, 2], height, f"p = {floats(frame, 'p')[row]:.2g}")
    drawn = ~np.isnan(values[:, 0])
    drawing.write_absent(axes, ~np.isin(np.arange(len(rows)), place_of_row[drawn]), "nothing paired")
    drawing.name_rows(axes, rows)
    what = wanted[0] if len(wanted) == 1 else "score"
    is_unit = not (np.abs(values[drawn, 0]) > 1).any()
    unit = " (percentage points)" if percent else " (0 to 1)" if is_unit else ""
    untested = "" if (looks[drawn] < 2).all() else "; |: not tested"
    drawing.name_values(axes, f"difference in {what}{unit}; filled: p_adj < {alpha:g}{untested}")
    return with_fonts(axes)


def ranks(
    table: Any, metrics: str | Sequence[str] | None = None, *, top: int | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the ranks that each group may have as bars, with the rank that it was found at as a point.

    The order of two groups is significant where their bars do not overlap.

    Parameters
    ----------
    table
        A result of `qa_frame.ranks`; in pandas, polars or Arrow.
    metrics
        The metrics to draw, each a series; None for all of the table.
    top
        At most so many groups are drawn, the first ones of the table; None for all.
    ax
        Where to draw; None for a new figure, which grows with the number of groups.

    Returns
    -------
    matplotlib.axes.Axes
        Each group is a row, in the order of the table. Where there is one metric, the letters of the groups stand
        beside their bars.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where the table is something else, or an argument has a value that is not allowed.
    MissingPackageError
        Without matplotlib, which `pip install "qa-frame[plot]"` installs.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics="recall")
    >>> ax = qa_frame.plot.ranks(scored.qa.compare(by="model", on="question_id").qa.ranks())
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['lynx-70b', 'otter-chat', 'heron-7b']
    >>> [text.get_text() for text in ax.texts]
    ['a', 'a', 'b']
    """
    frame = read_table(table)
    require_columns(frame, RANKED, "a result of qa_frame.ranks")
    names = frame["metric"].astype(str)
    wanted = choose_metrics(metrics, names.unique().tolist())
    frame = frame[names.isin(wanted)]
    groups = list(map(drawing.name_of, frame["group"].tolist()))
    rows = list(dict.fromkeys(groups))
    rows = [rows[place] for place in choose_rows(np.zeros(len(rows)), sort=False, top=top).tolist()]
    is_kept = np.isin(groups, rows)
    frame, groups = frame[is_kept], [group for group in groups if group in rows]
    of_row = np.array([rows.index(group) for group in groups], np.int64)
    values = columns_of_floats(frame, "rank", "rank_lo", "rank_hi")
    points = {name: np.flatnonzero(frame["metric"].astype(str) == name) for name in wanted}
    axes = drawing.require_axes(ax, height=drawing.height_of(rows, n_series=len(wanted)))
    drawing.draw_intervals(axes, {name: (values[at], of_row[at], None) for name, at in points.items()})
    for point in points[wanted[0]].tolist() if len(wanted) == 1 else ():
        at = (values[point, 2], of_row[point])
        axes.annotate(str(frame["letters"].iloc[point]), at, (7, 0), textcoords="offset points", va="center")
    drawing.name_rows(axes, rows)
    most = float(np.nanmax(values, initial=1.0))
    axes.set_xlim(0.7, most + 0.6)
    drawing.set_ticks(axes, integer=True)
    what = f" by {wanted[0]}" if len(wanted) == 1 else ""
    drawing.name_values(axes, f"rank{what}, 1 is the best; bar: the ranks that a group may have")
    return with_fonts(axes)


def conventions(table: Any, *, metric: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw one metric on the same rows by several conventions, with the difference of each from the first.

    Parameters
    ----------
    table
        A result of `qa_frame.differences`, whose means over the rows that all conventions score are drawn. Or a table
        with the columns `convention` (or an index of that name) and `mean`, in pandas, polars or Arrow.
    metric
        The name of the metric, for the label of the axis; a result of `differences` knows it.
    ax
        Where to draw; None for a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Each convention is a row, with its mean and the shift from the first one's written beside it.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where the table is something else.
    MissingPackageError
        Without matplotlib, which `pip install "qa-frame[plot]"` installs.

    Examples
    --------
    >>> import qa_frame
    >>> found = qa_frame.sample().qa.differences("squad", "context_bench", pred="response", gold="answers")
    >>> ax = qa_frame.plot.conventions(found)
    >>> [label.get_text() for label in ax.get_yticklabels()], ax.get_xlabel()
    (['squad', 'context_bench'], 'mean f1 (0 to 1)')
    """
    from qa_frame.reports.differences import Differences  # noqa: PLC0415  (rarely needed)

    is_result = isinstance(table, Differences)
    if metric is not None:
        require_text("metric", metric, "give the name of the metric, or None")
    frame = read_table(table.means if is_result else table)
    of = "mean_shared" if is_result else "mean"
    wanted = "a result of qa_frame.differences, or a table with the columns 'convention' and 'mean'"
    require_columns(frame, ("convention", of), wanted)
    if is_result:
        frame = frame.iloc[:-1] if table.shifts is None else frame  # the last row of two conventions is their shift
        metric = metric or table.metric
    names, means = list(map(drawing.name_of, frame["convention"].tolist())), floats(frame, of)
    if not names:
        raise ColumnTypeError("table has no rows; give one a convention")
    axes = drawing.require_axes(ax, height=drawing.height_of(names))
    drawing.draw_intervals(axes, {"_mean": (columns_of_floats(frame, of, None, None), np.arange(len(names)), None)})
    axes.axvline(means[0], color=drawing.tone(axes, drawing.GREY), linewidth=1, linestyle="--", zorder=1)
    is_percent = not is_result and bool((means > 1).any())
    digits = 1 if is_percent else 3
    for row, mean in enumerate(means):
        if not np.isnan(mean):
            shift = "" if row == 0 or np.isnan(means[0]) else f" ({mean - means[0]:+.{digits}f})"
            said = f"{mean:.{digits}f}{shift}"
            axes.annotate(said, (mean, row), (7, 0), textcoords="offset points", va="center", fontsize="small")
    drawing.write_absent(axes, np.isnan(means), "not scored")
    drawing.name_rows(axes, names, title="convention")
    axes.margins(x=0.35)
    axes.set_xlim(drawing.widened(*axes.get_xlim(), is_percent=is_percent))
    drawing.name_values(axes, drawing.with_unit(f"mean {metric or 'score'}", means, is_percent=is_percent))
    return with_fonts(axes)
