"""Maps of coloured cells: the picture of one score by two keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from qa_frame._typing import Floats
from qa_frame.errors import UnknownOptionError
from qa_frame.ext.plot import drawing, labels
from qa_frame.ext.plot.fonts import Axes, inches, with_fonts
from qa_frame.ext.plot.summaries import choose_metric, lay_out, read_summary
from qa_frame.tables.visible import number

_MOST_WIDE = 16
"""Maps with more columns have narrow ones."""

_LINE = 0.15
"""The inches of a line of text."""

_LEAST_SPAN = 0.1
"""Colours span at least so much, or 10 in percent: small scores are to look small."""


def heatmap(table: Any, metric: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw one score of a table by two keys as a map: the first key in rows, the second in columns.

    Parameters
    ----------
    table
        Result of `qa_frame.summary(by=[a, b])`, wide or long; in pandas, polars or Arrow.
    metric
        Metric to draw; None where the table has one only.
    ax
        Axes of matplotlib to draw into. None makes a new figure, which grows with the map.

    Returns
    -------
    matplotlib.axes.Axes
        Each cell has its score written in it, and a colour from dark (low) to bright (high): from the lowest to the
        highest score, or over a range of 0.1 (10 in percent) around them if they are closer. For the same colours on
        several maps, call `ax.images[0].set_clim(0, 1)` on each. A score that is missing or not scored is a grey cell
        with a dash.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where the table is something else or is not by two keys, or an argument has a value that is not allowed.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers")
    >>> ax = qa_frame.plot.heatmap(scored.qa.summary(by=["model", "dataset"], percent=True), "f1")
    >>> [text.get_text() for text in ax.texts]
    ['13.1', '28.3', '66.6', '78.2', '41.0', '26.8']
    """
    read = read_summary(table, None)
    name = choose_metric(metric, list(read.series))
    if not read.groups:
        raise UnknownOptionError("table has no rows, and so no map; give one with rows")
    if len(read.key_names) != 2:
        raise UnknownOptionError(
            f"table is by {list(read.key_names)}, and a map needs two keys; give qa_frame.summary(data, by=[a, b])"
        )
    rows = lay_out(replace(read, series={name: read.series[name]}))
    values = np.stack([each[:, 0] for each in rows.series.values()], axis=1)
    names, ends = list(rows.series), _find_range(values, is_percent=read.is_percent)
    axes, room = _make_axes(ax, rows.labels, names)
    _draw_cells(axes, values, ends, room, digits=1 if read.is_percent else 2)
    axes.spines[:].set_visible(False)
    axes.set_ylim(len(rows.labels) - 0.5, -0.5)
    labels.name_axes(axes, rows.legend, rows.title, above=drawing.with_unit(name, values, is_percent=read.is_percent))
    return with_fonts(axes)


def _find_range(values: Floats, *, is_percent: bool) -> tuple[float, float]:
    """Return the two scores between which colours span: lowest and highest, or more to be `_LEAST_SPAN` apart.

    Without a score, 0 and 1 take their place.
    """
    known = values[~np.isnan(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    widen = max(0.0, _LEAST_SPAN * (100 if is_percent else 1) - (high - low)) / 2
    return low - widen, high + widen


def _make_axes(ax: Any, rows: Sequence[str], names: Sequence[str]) -> tuple[Axes, float]:
    """Return axes with the names of rows and columns, and about how many inches a cell is wide."""
    widest, widest_row = (max(map(inches, each), default=0.0) for each in (names, rows))
    cell = 0.75 if len(names) <= _MOST_WIDE else 0.28
    height = labels.height_of(rows) + min(widest, 2.2)
    width = max(2.6, 0.8 + min(widest_row, 2.6)) + cell * len(names)
    axes = drawing.require_axes(ax, width=max(4.0, width), height=height)
    of_rows = max((inches(labels.fit(row, labels.widest_label(axes))) for row in rows), default=0.0)
    room = (1.2 * labels.room_of(axes)[0] - 0.3 - of_rows) / max(1, len(names))
    form: dict[str, Any] = {"ha": "center"}
    if widest > room:
        is_slanted = room > 2 * _LINE
        form = {"rotation": 40 if is_slanted else 90, "ha": "right", "rotation_mode": "anchor"}
        form["va"] = "top" if is_slanted else "center"
    labels.name_rows(axes, rows, bands=False)
    fitted = [labels.fit(name, 2.4) for name in names]
    axes.set_xticks(np.arange(len(names)), fitted, parse_math=False, fontsize="small", **form)
    if "rotation" in form:
        axes.tick_params(axis="x", top=False, labeltop=False)  # they would lie on the map
    return axes, room


def _draw_cells(axes: Axes, values: Floats, ends: tuple[float, float], room: float, digits: int) -> None:
    """Draw the cells, with their scores where these have room; else with a bar of colours.

    values: shape (rows, columns). A cell of NaN is grey, with a dash. ends: the scores at both ends of the colours.
    room: the width of a cell in inches. digits: those of scores behind the point.
    """
    absent = drawing.tone(axes, drawing.PALE)
    axes.set_facecolor(absent)
    axes.grid(visible=False, which="both")  # before the map: styles with a grid draw it over the cells
    low, high = ends
    image = axes.imshow(np.ma.masked_invalid(values), "cividis", aspect="auto", vmin=low, vmax=high)
    texts = {place: "–" if np.isnan(value) else number(value, f".{digits}f") for place, value in np.ndenumerate(values)}
    if room < max(map(inches, texts.values()), default=0.0):
        bar = axes.figure.colorbar(image, ax=axes, fraction=0.05, pad=0.02, aspect=30)
        bar.ax.tick_params(labelsize="small")
        bar.outline.set_visible(False)
        return
    for (row, column), text in texts.items():
        value = values[row, column]
        ink = drawing.ink_on(absent if np.isnan(value) else image.to_rgba(value))
        axes.text(column, row, text, ha="center", va="center", fontsize="small", color=ink)
