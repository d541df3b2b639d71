"""The picture of one figure by two keys: a map of coloured cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from qa_frame._typing import Floats
from qa_frame.errors import UnknownOptionError, is_number, require_choice, require_items, show
from qa_frame.view.plot import drawing
from qa_frame.view.plot.drawing import Axes
from qa_frame.view.plot.fonts import with_fonts
from qa_frame.view.plot.summaries import read_summary

_LEAST_SPAN = 0.1


def heatmap(
    table: Any,
    metric: str | None = None,
    *,
    percent: bool | None = None,
    limits: tuple[float, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one figure of a table by two keys as a map: the first key in rows, the second in columns.

    Parameters
    ----------
    table
        A result of `qa_frame.summary(by=[a, b])`, wide or long; in pandas, polars or Arrow.
    metric
        The figure to draw; None where the table has one only.
    percent
        Whether the figures are in percent. None: the table says it, or a figure above 1 shows it.
    limits
        The figures at the dark and at the bright end of the colours, such as (0, 1) for the same colours on several
        maps. None: the lowest and the highest figure, or a range of 0.1 (10 in percent) around them if they are closer.
    ax
        Where to draw; None for a new figure, which grows with the map.

    Returns
    -------
    matplotlib.axes.Axes
        Each cell has its figure written in it, and a colour from dark (low) to bright (high). A figure that is missing
        or not scored is a grey cell with a dash.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where the table is something else or is not by two keys, or an argument has a value that is not allowed.
    MissingPackageError
        Without matplotlib, which `pip install "qa-frame[plot]"` installs.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers")
    >>> ax = qa_frame.plot.heatmap(scored.qa.summary(by=["model", "dataset"], percent=True), "f1")
    >>> [text.get_text() for text in ax.texts]
    ['13.1', '28.3', '66.6', '78.2', '41.0', '26.8']
    """
    read = read_summary(table, None, percent)
    if metric is None and len(read.figures) > 1:
        raise UnknownOptionError(f"metric is not given, and the table has {list(read.figures)}; choose one of them")
    name = next(iter(read.figures)) if metric is None else metric
    require_choice("metric", name, list(read.figures))
    if len(read.key_names) != 2:
        raise UnknownOptionError(
            f"table is by {list(read.key_names)}, and a map needs two keys; give qa_frame.summary(data, by=[a, b])"
        )
    rows, series = read.split(name)
    columns = list(series)
    values = np.stack([each[:, 0] for each in series.values()], axis=1)
    widest = max(len(text) for text in columns)
    size = {"width": max(4.0, 2.6 + 0.75 * len(columns)), "height": drawing.height_of(rows) + min(0.07 * widest, 2.2)}
    axes = drawing.require_axes(ax, **size)
    drawing.name_rows(axes, rows, title=read.key_names[0], bands=False)
    _draw_map(axes, values, _range_of(values, limits, is_percent=read.is_percent), is_percent=read.is_percent)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    slant = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if widest > 9 else {"ha": "center"}
    names = [drawing.wrap(text) for text in columns]
    axes.set_xticks(np.arange(len(columns)), names, parse_math=False, fontsize="small", **slant)
    axes.set_xlabel(read.key_names[1], parse_math=False)
    axes.set_title(drawing.with_unit(name, values, is_percent=read.is_percent), parse_math=False, fontsize="medium")
    return with_fonts(axes)


def _range_of(values: Floats, limits: Any, *, is_percent: bool) -> tuple[float, float]:
    """Return the figures at both ends of the colours."""
    if limits is not None:
        ends = require_items("limits", limits, "two numbers, such as (0, 1)")
        if len(ends) != 2 or not all(map(is_number, ends)) or not ends[0] < ends[1]:
            raise UnknownOptionError(f"limits={show(limits)} is not a lower and a higher number; give two, as (0, 1)")
        return float(ends[0]), float(ends[1])
    found = values[~np.isnan(values)]
    if not len(found):
        return 0.0, 1.0
    low, high = float(found.min()), float(found.max())
    widen = max(0.0, _LEAST_SPAN * (100 if is_percent else 1) - (high - low)) / 2  # small differences are to look small
    return low - widen, high + widen


def _draw_map(axes: Axes, values: Floats, ends: tuple[float, float], *, is_percent: bool) -> None:
    absent = drawing.tone(axes, drawing.PALE)
    axes.set_facecolor(absent)
    axes.grid(visible=False, which="both")  # before the map: styles with a grid draw it over the cells
    drawn = axes.imshow(np.ma.masked_invalid(values), cmap="cividis", vmin=ends[0], vmax=ends[1], aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        text = "–" if np.isnan(value) else f"{value:.1f}" if is_percent else f"{value:.2f}"
        ink = drawing.ink_on(absent if np.isnan(value) else drawn.to_rgba(value))
        axes.text(column, row, text, ha="center", va="center", fontsize="small", color=ink)
    axes.spines[:].set_visible(False)
