"""Rows of points with their intervals: the pictures of summaries, of paired differences and of conventions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qa_frame.errors import ColumnTypeError, require_flag, require_number, require_text
from qa_frame.reports.result_tables import floats, read_compared, read_table, require_columns
from qa_frame.scoring.pooled import POOLED
from qa_frame.view.plot import drawing
from qa_frame.view.plot.drawing import Axes
from qa_frame.view.plot.fonts import with_fonts
from qa_frame.view.plot.summaries import choose_metrics, read_summary
from qa_frame.view.results import columns_of_floats

_LEAST_SPAN = 0.1


def summary(
    table: Any, metrics: str | Sequence[str] | None = None, *, percent: bool | None = None, ax: Axes | None = None
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
    row_keys, legend = list(read.key_names), ""
    rows, series = read.labels, read.figures
    if len(series) == 1 and len(row_keys) > 1:
        rows, series = read.split(*series)
        *row_keys, legend = row_keys
    axes = drawing.require_axes(ax, height=drawing.height_of(rows, n_series=len(series)))
    drawn = {name: (values, np.arange(len(rows)), None) for name, values in series.items()}
    drawing.draw_intervals(axes, drawn, title=legend)
    every = np.stack(list(series.values()))
    drawing.write_absent(axes, np.all(np.isnan(every[..., 0]), axis=0), "not scored")
    drawing.name_rows(axes, rows, title=", ".join(row_keys))
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
    pairs = list(map(drawing.name_pair, frame["a"].tolist(), frame["b"].tolist()))
    rows = list(dict.fromkeys(pairs))
    names = frame["metric"].astype(str)
    wanted = choose_metrics(metrics, names.unique().tolist())
    values = columns_of_floats(frame, "diff", "diff_lo", "diff_hi") * (100 if percent else 1)
    place_of_row = np.array([rows.index(pair) for pair in pairs], dtype=np.int64)
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
    drawn = names.isin(wanted).to_numpy() & ~np.isnan(values[:, 0])
    drawing.write_absent(axes, ~np.isin(np.arange(len(rows)), place_of_row[drawn]), "nothing paired")
    drawing.name_rows(axes, rows)
    what = wanted[0] if len(wanted) == 1 else "score"
    is_unit = not (np.abs(values[drawn, 0]) > 1).any()
    unit = " (percentage points)" if percent else " (0 to 1)" if is_unit else ""
    untested = "" if (looks[drawn] < 2).all() else "; |: not tested"
    drawing.name_values(axes, f"difference in {what}{unit}; filled: p_adj < {alpha:g}{untested}")
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
    low, high = axes.get_xlim()
    widen = max(0.0, _LEAST_SPAN * (100 if is_percent else 1) - (high - low)) / 2  # small shifts are to look small
    axes.set_xlim(low - widen, high + widen)
    drawing.name_values(axes, drawing.with_unit(f"mean {metric or 'score'}", means, is_percent=is_percent))
    return with_fonts(axes)
