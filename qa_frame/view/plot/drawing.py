"""Drawing for all plots: axes, colours with markers, and points with their intervals."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import MissingPackageError, UnknownOptionError, show

Axes: TypeAlias = Any
"""`matplotlib.axes.Axes`. matplotlib is an extra, so no module imports it before it is needed."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""The colours of Okabe and Ito (2008), which people with any colour vision tell apart, but for the pale yellow."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
LINES = ("-", "--", "-.", ":")
"""No two series have the same colour and the same marker, or line, until there are dozens."""

GREY = "0.45"
PALE = "0.85"
BAND = "0.95"

_WIDEST_LABEL = 40
_SIZE = "small"


def require_axes(ax: Any, *, width: float = 6.4, height: float = 4.0) -> Axes:
    """Return the Axes that is given, or one in a new figure of this size in inches for None.

    Only then is `pyplot` touched, so that a notebook shows the figure.
    """
    try:
        from matplotlib.axes import Axes as Given  # noqa: PLC0415  (an extra, and slow to import)
    except ImportError as error:
        raise MissingPackageError(
            'qa_frame.plot needs matplotlib, which is not installed; pip install "qa-frame[plot]"'
        ) from error
    if ax is None:
        from matplotlib import pyplot as plt  # noqa: PLC0415

        made: Axes = plt.subplots(figsize=(width, height), layout="constrained")[1]
        return made
    if not isinstance(ax, Given):
        raise UnknownOptionError(f"ax={show(ax)} is not an Axes of matplotlib; give one, or None for a new figure")
    return ax


def wrap(text: str) -> str:
    """Return a label on as many lines as it needs."""
    short = len(text) <= _WIDEST_LABEL
    return text if short else "\n".join(textwrap.wrap(text, _WIDEST_LABEL, break_on_hyphens=False))


def height_of(labels: Sequence[str], *, n_series: int = 1) -> float:
    """Return the inches that rows with these labels need. All rows are as high as the highest one."""
    n_lines = max((wrap(text).count("\n") + 1 for text in labels), default=1)
    row = max(0.28, 0.1 + 0.15 * n_lines, 0.14 + 0.13 * n_series)
    return 0.8 + row * max(len(labels), 2)


def size_beside(series: Sequence[str]) -> dict[str, float]:
    """Return the inches that leave room for curves beside a legend of these series, as `require_axes` takes them."""
    longest = max(map(len, series), default=0)
    return {"width": max(6.4, 3 + 0.075 * longest), "height": max(4.0, 0.8 + 0.2 * len(series))}


def look_of_line(series: int) -> dict[str, Any]:
    """Return the colour, marker and line of a series, as `Axes.plot` takes them."""
    colour, marker, line = (each[series % len(each)] for each in (COLOURS, MARKERS, LINES))
    return {"color": colour, "marker": marker, "linestyle": line, "markersize": 5}


Points: TypeAlias = tuple[Floats, Ints, Any]
"""The points of a series: values, rows and looks.

values: the value, lower and upper bound of each point, shape (points, 3). No point is drawn for NaN, and no interval
where a bound is NaN. rows: the row of each point, shape (points,); rows are 1 apart. looks: how each point looks, shape
(points,): 0 for a filled marker, 1 for an open one, 2 for a stroke; None where all are filled.
"""


def draw_intervals(ax: Axes, series: Mapping[str, Points], *, title: str = "") -> None:
    """Draw points and their intervals in rows, with a legend of this title if there are several series.

    The place of a series among all of them chooses its colour and its marker. The series of a row stand around its
    middle.
    """
    for place, (name, (values, rows, looks)) in enumerate(series.items()):
        style = {**look_of_line(place), "linestyle": "none", "markersize": 5.5, "zorder": 3}
        at = rows + shift_of_series(place, len(series))
        has_bounds = ~np.isnan(values).any(axis=1)
        _, low, high = values[has_bounds].T
        ax.hlines(at[has_bounds], low, high, colors=style["color"], linewidth=1.6, zorder=2)
        others = [{"label": name}, {"markerfacecolor": "white"}, {"marker": "|"}]
        for look, other in enumerate(others[:1] if looks is None else others):
            is_drawn = ~np.isnan(values[:, 0]) & (looks is None or looks == look)
            ax.plot(values[is_drawn, 0], at[is_drawn], **{**style, **other})
    if len(series) > 1:
        draw_legend(ax, title=title)


def shift_of_series(place: int, n_series: int) -> float:
    """Return how far from the middle of its row a series stands."""
    reach = 0.36 * (1 - 1 / n_series)
    return float(np.linspace(-reach, reach, n_series)[place])


def write_beside(ax: Axes, x: float, row: float, what: str) -> None:
    """Write a few words right of a place in a row."""
    place = {"xytext": (4, 0), "textcoords": "offset points"}
    ax.annotate(what, (x, row), va="center", color=GREY, fontsize=_SIZE, parse_math=False, **place)


def name_rows(ax: Axes, labels: Sequence[str], *, title: str = "", bands: bool = True) -> None:
    """Give rows 0, 1, ... their labels, the first one at the top.

    bands: whether every second row has a pale band, which shows the points that are of one row.
    """
    ax.set_yticks(np.arange(len(labels)), [wrap(text) for text in labels], parse_math=False, fontsize=_SIZE)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    for row in range(1, len(labels), 2) if bands else ():
        ax.axhspan(row - 0.5, row + 0.5, color=BAND, linewidth=0, zorder=0)
    ax.tick_params(axis="y", length=0)
    ax.set_ylabel(title, parse_math=False)
    ax.locator_params(axis="x", nbins=7)
    plain(ax, "x")


def plain(ax: Axes, grid: str) -> None:
    """Take away the frame's upper and right side, and draw a pale grid behind."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis=grid, color=PALE, linewidth=0.8)
    ax.set_axisbelow(True)


def draw_legend(ax: Axes, *, title: str = "", outside: bool = True) -> None:
    """Draw a legend that hides nothing: beside the axes, or where there is room in them."""
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)} if outside else {"loc": "best"}
    size = {"fontsize": _SIZE, "title_fontsize": _SIZE}
    legend = ax.legend(frameon=False, title=title or None, borderaxespad=0, **size, **place)
    for text in [*legend.get_texts(), legend.get_title()]:
        text.set_parse_math(False)


def write_absent(ax: Axes, is_absent: Flags, what: str) -> None:
    """Write at the left end of each empty row why it is empty. is_absent: shape (rows,)."""
    form = {"transform": ax.get_yaxis_transform(), "color": GREY, "fontsize": _SIZE, "style": "italic"}
    for row in np.flatnonzero(is_absent).tolist():
        ax.text(0.01, row, what, va="center", **form)


def with_unit(what: str, values: Floats, *, is_percent: bool) -> str:
    """Return the label of an axis: the name of its figures, with the unit if they have one."""
    is_unit = scale_of(values, is_percent=False) == (0.0, 1.0)
    return what + (" (%)" if is_percent else " (0 to 1)" if is_unit else "")


def scale_of(values: Floats, *, is_percent: bool) -> tuple[float, float]:
    """Return the bounds of figures: 0 and 1 (or 100). If a figure is beyond them, the lowest and the highest figure."""
    found = values[~np.isnan(values)]
    most = 100.0 if is_percent else 1.0
    if not len(found) or (found.min() >= 0 and found.max() <= most):
        return 0.0, most
    return float(found.min()), float(found.max())


def limit_to_scale(ax: Axes, values: Floats, *, is_percent: bool) -> None:
    """Let the x axis show all figures, and nothing beyond 0 and 1 (or 100) unless a figure is there."""
    most = 100.0 if is_percent else 1.0
    if not np.isnan(values).all() and scale_of(values, is_percent=is_percent) == (0.0, most):
        low, high = np.nanmin(values), np.nanmax(values)
        gap = max(0.06 * (high - low), 0.02 * most)
        ax.set_xlim(max(low - gap, -0.02 * most), min(high + gap, 1.02 * most))
