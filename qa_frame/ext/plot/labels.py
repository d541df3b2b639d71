"""The words of all plots: names of groups and axes, legends and notes, on as many lines as their room asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from qa_frame._typing import Ints
from qa_frame.errors import PlotWarning, UnknownOptionError, warn
from qa_frame.ext.plot import drawing
from qa_frame.ext.plot.fonts import SIZE, Axes, inches
from qa_frame.tables.results import label
from qa_frame.tables.visible import isolate
from qa_frame.terminal import wrap

MOST_NAMED = 40
"""A legend has no more entries."""

_USUAL_SLOT = 4.96
"""The inches that `room_of` gives for a new figure, which is 6.4 inches wide."""

_TALL = 8.0
"""Axes that are higher, in inches, have ticks at the top, too."""

_TOGETHER = re.compile(r"\([^()]{1,12}\)|^\d+\. |p_adj < |\bn = ")
"""What stands in one line: a unit, the number before a name, what a mark means, and a number of questions."""

_LINE = 0.145
_HANDLE = 0.5
"""The inches of a line of text, and of what stands before a name in a legend."""


def room_of(ax: Axes) -> tuple[float, float]:
    """Return the width and height of axes, in inches, before their figure is laid out.

    The layout then gives the axes and their texts about a fifth more.
    """
    place, figure = ax.get_position(original=True), ax.figure
    return float(place.width * figure.bbox.width / figure.dpi), float(place.height * figure.bbox.height / figure.dpi)


def widest_label(ax: Axes) -> float:
    """Return how many inches the name of a row has beside axes, at most."""
    return min(2.8, 0.58 * room_of(ax)[0])


def fit(text: str, room: float) -> str:
    """Return a text on as many lines as it needs to be at most `room` inches wide. A difference breaks at its minus."""
    if inches(text) <= room:
        return text
    glued = _TOGETHER.sub(lambda match: match[0].replace(" ", "\u00a0"), text).replace(" − ", "\u00a0−\n").split("\n")
    lines = [line for part in glued for line in wrap(part, "", "", width=int(room / inches("0")))]
    return "\n".join(lines).replace("\u00a0", " ")


def height_of(labels: Sequence[str], *, n_series: int = 1, most: float = 2.8) -> float:
    """Return the inches that rows with these labels need. All rows are as high as the highest one.

    n_series: how many points a row has. most: the inches of a line, as `widest_label` gives them.
    """
    n_lines = max((fit(text, most).count("\n") + 1 for text in labels), default=1)
    row = max(0.28, 0.1 + 0.15 * n_lines, 0.14 + 0.13 * n_series)
    return 0.8 + row * max(len(labels), 2)


def height_of_curves(names: Sequence[str]) -> float:
    """Return the inches that curves need below a legend of these names."""
    return max(4.0, 3.4 + _LINE * sum(fit(text, _USUAL_SLOT - _HANDLE).count("\n") + 1 for text in names))


def name_of(key: Any) -> str:
    """Return a key as a label. A name that is written from right to left leaves the order of its surroundings alone."""
    if isinstance(key, tuple | list | np.ndarray):
        return ", ".join(map(name_of, key))
    return isolate(label(key)) if _writes_both_ways() else label(key)


def _writes_both_ways() -> bool:
    """Whether this matplotlib orders scripts of both directions (from 3.11 on). Others draw isolates as boxes."""
    try:
        from matplotlib import ft2font  # noqa: PLC0415
    except ImportError:  # `require_axes` will say so
        return False
    return hasattr(ft2font, "__libraqm_version__")


def write_absent(ax: Axes, rows: Ints, what: str) -> None:
    """Write at the left end of empty rows why they are empty. rows: their places, shape (empty rows,)."""
    form = {"transform": ax.get_yaxis_transform(), "color": drawing.tone(ax, drawing.GREY), "style": "italic"}
    for row in rows.tolist():
        ax.text(0.01, row, what, va="center", fontsize=SIZE, **form)


def name_rows(ax: Axes, labels: Sequence[str], *, title: str = "", bands: bool = True) -> None:
    """Give rows 0, 1, ... their labels, the first one at the top. Warn where they do not fit.

    title: the name of the y axis. bands: whether every second row has a pale band, which shows the points of one row.
    """
    names = [fit(text, widest_label(ax)) for text in labels]
    ax.set_yticks(np.arange(len(labels)), names, parse_math=False)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    n_lines, height = sum(name.count("\n") + 1 for name in names), 1.2 * room_of(ax)[1]
    if _LINE * n_lines > height:
        warn(
            f"{n_lines} lines of names do not fit into axes of {height:.1f} inches; give higher ones in ax=",
            PlotWarning,
        )
    for row in range(1, len(labels), 2) if bands else ():
        ax.axhspan(row - 0.5, row + 0.5, color=drawing.tone(ax, drawing.BAND), linewidth=0, zorder=0)
    ax.tick_params(axis="y", length=0)
    drawing.set_ticks(ax.xaxis)
    name_axes(ax, y=title)
    if room_of(ax)[1] > _TALL:
        ax.tick_params(axis="x", top=True, labeltop=True)
    drawing.simplify_frame(ax, "x")


def name_axes(ax: Axes, x: str | None = None, y: str | None = None, *, above: str | None = None) -> None:
    """Name the axes, and what a map shows above it, on as many lines as each needs. None leaves a name as it is.

    A text of the x axis or above that is wider than half of the axes ends at their right side, as it may begin below
    long names of rows.
    """
    width, height = room_of(ax)
    form: dict[str, Any] = {"fontsize": SIZE, "parse_math": False}
    for text, name in ((x, ax.set_xlabel), (above, ax.set_title)):
        if text is not None:
            name(fit(text, width), loc="right" if inches(text) > width / 2 else "center", **form)
    if y is not None:
        ax.set_ylabel(fit(y, 0.8 * height), **form)


def require_few(n_series: int, fewer: str) -> None:
    """Raise UnknownOptionError for more series than a legend can name. fewer: as in `draw_legend`."""
    if n_series > MOST_NAMED:
        raise UnknownOptionError(f"table has {n_series} series to draw, where a legend names {MOST_NAMED}; {fewer}")


def draw_legend(ax: Axes, *, fewer: str = "", title: str = "") -> None:
    """Draw a legend above the axes, where it hides nothing.

    fewer: how the caller gets fewer series, for the warning that there are too many; "" where there are few.
    """
    handles, names = ax.get_legend_handles_labels()
    if fewer and len(names) > drawing.MOST_SERIES:
        warn(f"{len(names)} series are hard to tell apart in a picture; {fewer}", PlotWarning)
    width = 1.1 * room_of(ax)[0]
    title, *names = (fit(name, width - _HANDLE) for name in (title, *names))
    n_columns = max(1, min(len(names), int(width / (max(map(inches, names), default=0.0) + _HANDLE))))
    place = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "ncols": n_columns, "frameon": False}
    gap = 2.0 if room_of(ax)[1] > _TALL else 0.3  # in letters, as high axes have ticks at the top
    form = {"fontsize": SIZE, "title_fontsize": SIZE, "handlelength": 1.6, "columnspacing": 1.0, "borderaxespad": gap}
    legend = ax.legend(handles, names, title=title or None, **place, **form)
    for text in [*legend.get_texts(), legend.get_title()]:
        text.set_parse_math(False)
