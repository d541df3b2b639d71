"""Pictures of scores along numbers: those of a key, such as the step of training, and any curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from qa_frame._typing import Floats
from qa_frame.checks import is_choice, is_number
from qa_frame.errors import UnknownOptionError, show
from qa_frame.ext.plot import drawing, labels
from qa_frame.ext.plot.fonts import Axes, with_fonts
from qa_frame.ext.plot.summaries import Summary, read_summary
from qa_frame.frames.diagnosis import is_null

Curves: TypeAlias = Mapping[str, tuple[Any, Floats]]
"""By name the numbers along the x axis, and the value and bounds at each of them, shape (numbers, 3)."""


def trend(
    table: Any, metrics: str | Sequence[str] | None = None, *, over: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw scores along a key of numbers, such as the checkpoint, step or shots, with bands for their intervals.

    Parameters
    ----------
    table
        Result of `qa_frame.summary` or `Pool.summary` by a key of numbers, and by others if you like, wide or long;
        in pandas, polars or Arrow.
    metrics
        Metric(s) to draw; None for all of the table.
    over
        Key along the x axis. None where only one key holds numbers. All other keys make groups.
    ax
        Axes of matplotlib to draw into. None makes a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        It has a line per group and metric, with a point for each number. A score that is NaN is a gap. More than eight
        lines have no bands. Groups whose key is null are left out, and the label of the x axis counts them.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where the table is something else or has no key of numbers, or an argument has a value that is not allowed.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics="f1")
    >>> scored["shots"] = scored["question_id"].str[-2:].astype(int) % 3
    >>> ax = qa_frame.plot.trend(scored.qa.summary(by=["model", "shots"], metrics="f1"))
    >>> [line.get_label() for line in ax.lines], ax.get_xlabel(), ax.get_ylabel()
    (['heron-7b', 'lynx-70b', 'otter-chat'], 'shots', 'f1 (0 to 1)')
    """
    read = read_summary(table, metrics)
    key = _find_key_of_numbers(read, over)
    at = read.key_names.index(key)
    others = [*read.key_names[:at], *read.key_names[at + 1 :]]
    numbers = np.array([np.nan if is_null(keys[at]) else float(keys[at]) for keys in read.groups])
    names = [labels.name_of([*keys[:at], *keys[at + 1 :]]) for keys in read.groups]
    rows_of: dict[str, list[int]] = {name: [] for name in names}
    for row in np.argsort(numbers, kind="stable")[: np.count_nonzero(~np.isnan(numbers))].tolist():
        rows_of[names[row]].append(row)
    curves = {
        metric: {name: (numbers[rows], values[rows]) for name, rows in rows_of.items()}
        for metric, values in read.series.items()
    }
    n_null = np.count_nonzero(np.isnan(numbers))
    x = f"{key} ({n_null} of {len(numbers)} groups left out)" if n_null else key
    every = np.concatenate([values.ravel() for values in read.series.values()])
    y = drawing.with_unit(next(iter(curves)) if len(curves) == 1 else "score", every, is_percent=read.is_percent)
    fewer = "keep fewer groups of the table, or choose some with metrics="
    title = ", ".join(others) if len(curves) == 1 else ""
    axes = draw_curves(ax, _name_curves(curves), x=x, y=y, title=title, fewer=fewer, has_bands=True)
    if (numbers[~np.isnan(numbers)] % 1 == 0).all():
        drawing.set_ticks(axes.xaxis, are_whole=True)
    return axes


def _find_key_of_numbers(read: Summary, over: Any) -> str:
    """Return the key along the x axis. over: the key that the call names; None takes the only one of numbers.

    UnknownOptionError where `over` is no key of numbers, or is None and there is no such key or more than one.
    """
    keys = zip(read.key_names, zip(*read.groups, strict=True), strict=False)
    numeric = [
        name
        for name, values in keys
        if all(is_null(value) or is_number(value) for value in values) and not all(map(is_null, values))
    ]
    if over is None and len(numeric) > 1:
        raise UnknownOptionError(f"over is not given, and table has the keys of numbers {numeric}; choose one of them")
    if not numeric or not (over is None or is_choice(over, numeric)):
        raise UnknownOptionError(
            f"over={show(over)}: of the keys {list(read.key_names)} of table, {numeric or 'none'} hold numbers; make a "
            "column of numbers, as in df.assign(step=df['checkpoint'].str.extract(r'(\\d+)', expand=False)"
            ".astype(float)), and give qa_frame.summary(df, by=['model', 'step'])"
        )
    return numeric[0] if over is None else str(over)


def _name_curves(curves: Mapping[str, Curves]) -> Curves:
    """Return the curves by their names: the group if there are several, the metric if there are several, or the metric.

    curves: by metric, then by group.
    """
    groups = {group for of_metric in curves.values() for group in of_metric}
    return {
        ", ".join([group] * (len(groups) > 1) + [metric] * (len(curves) > 1)) or metric: curve
        for metric, of_metric in curves.items()
        for group, curve in of_metric.items()
    }


def draw_curves(
    ax: Any, curves: Curves, *, x: str, y: str, fewer: str, title: str = "", has_bands: bool = False, grid: str = "y"
) -> Axes:
    """Draw a line for each curve, and name axes and lines.

    x, y: what the axes show. fewer: as in `draw_legend`. title: that of the legend. has_bands: whether intervals are
    bands, and not strokes; more than `MOST_SERIES` lines then have no intervals. grid: as in `simplify_frame`.
    """
    labels.require_few(len(curves), fewer)
    axes = drawing.require_axes(ax, height=labels.height_of_curves([*curves]))
    interval = "stroke" if not has_bands else "band" if len(curves) <= drawing.MOST_SERIES else "none"
    for series, (name, (at, values)) in enumerate(curves.items()):
        draw_line(axes, series, at, values, interval=interval, label=name)
    if len(curves) > 1:
        labels.draw_legend(axes, fewer=fewer, title=title)
    labels.name_axes(axes, x, y)
    drawing.simplify_frame(axes, grid)
    return with_fonts(axes)


_MOST_MARKED, _MARKED_OF_MANY = 20, 8
"""Of a line with more points than the first, about as many as the second have markers."""


def draw_line(ax: Axes, series: int, at: Any, values: Floats, *, interval: str, **look: Any) -> None:
    """Draw one line. at: the x of each point. values: its value, lower and upper bound, shape (points, 3).

    series: the line's number, which chooses its colour and marker. interval: "stroke", "band", or "none" for no
    intervals. A point between gaps has a stroke, as a band has no width there. look: further arguments of `Axes.plot`.
    """
    step = 1 if len(values) <= _MOST_MARKED else len(values) // _MARKED_OF_MANY
    look = drawing.look_of_line(ax, series) | {"markevery": step} | look
    at, (_, low, high) = np.asarray(at), values.T
    has_bounds = ~np.isnan(values).any(axis=1) & np.array(interval != "none")
    if interval == "band" and has_bounds.any():
        ax.fill_between(at, low, high, where=has_bounds, color=look["color"], alpha=0.15, linewidth=0)
        has_bounds &= ~np.append(has_bounds[1:], False) & ~np.append(False, has_bounds[:-1])
    if has_bounds.any():
        ax.vlines(at[has_bounds], low[has_bounds], high[has_bounds], colors=look["color"], linewidth=1.2)
    ax.plot(at, values[:, 0], **look)
