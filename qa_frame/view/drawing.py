"""What all plots share: axes, colours with markers, and points with their intervals."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from qa_frame._typing import Floats
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
    """A label on as many lines as it needs."""
    if len(text) <= _WIDEST_LABEL:
        return text
    return "\n".join(textwrap.wrap(text, _WIDEST_LABEL, break_on_hyphens=False))


def height_of(labels: Sequence[str], *, n_series: int = 1) -> float:
    """Inches that rows with these labels need. All rows are as high as the highest one."""
    n_lines = max((wrap(text).count("\n") + 1 for text in labels), default=1)
    row = max(0.28, 0.1 + 0.15 * n_lines, 0.14 + 0.13 * n_series)
    return 0.8 + row * max(len(labels), 2)


def colour(series: int) -> str:
    """The colour of a series."""
    return COLOURS[series % len(COLOURS)]


def offsets(n_series: int) -> Floats:
    """Where the series of a row stand around the middle of it, which is 0; rows are 1 apart."""
    reach = 0.36 * (1 - 1 / n_series)
    return np.linspace(-reach, reach, n_series)


def draw_intervals(
    ax: Axes, values: Floats, at: Floats, *, series: int, name: str | None, filled: Any = None, tested: Any = True
) -> None:
    """Draw points and their intervals in rows.

    Parameters
    ----------
    values
        The value, lower and upper bound of each point, shape (points, 3). No point is drawn for NaN, and no interval
        where a bound is NaN.
    at
        Heights, shape (points,).
    series
        Chooses colour and marker.
    name
        What the legend calls the series; None for no entry.
    filled
        Which markers are filled, shape (points,); None for all.
    tested
        Which points have a marker, shape (points,); the others have a stroke.
    """
    tone, marker = colour(series), MARKERS[series % len(MARKERS)]
    has_bounds = ~np.isnan(values).any(axis=1)
    ax.hlines(at[has_bounds], values[has_bounds, 1], values[has_bounds, 2], colors=tone, linewidth=1.6, zorder=2)
    is_there = ~np.isnan(values[:, 0])
    is_filled = is_there if filled is None else is_there & filled
    style: dict[str, Any] = {"linestyle": "none", "marker": marker, "markersize": 5.5, "color": tone, "zorder": 3}
    ax.plot(values[is_filled, 0], at[is_filled], label=name, **style)
    if filled is not None:
        is_open = is_there & ~is_filled & tested
        ax.plot(values[is_open, 0], at[is_open], markerfacecolor="white", **style)
        is_plain = is_there & ~is_filled & ~np.broadcast_to(tested, is_there.shape)
        ax.plot(values[is_plain, 0], at[is_plain], **{**style, "marker": "|"})


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
    legend = ax.legend(
        frameon=False, fontsize=_SIZE, title=title or None, title_fontsize=_SIZE, borderaxespad=0, **place
    )
    for text in [*legend.get_texts(), legend.get_title()]:
        text.set_parse_math(False)


def write_absent(ax: Axes, rows: Sequence[float], what: str) -> None:
    """Write at the left end of rows what is not there, so that no row is empty without a word."""
    for row in rows:
        ax.text(
            0.01, row, what, transform=ax.get_yaxis_transform(), color=GREY, fontsize=_SIZE, va="center", style="italic"
        )


def with_unit(what: str, values: Floats, *, is_percent: bool) -> str:
    """The label of an axis: what it shows, and the unit where there is one."""
    if is_percent:
        return f"{what} (%)"
    return f"{what} (0 to 1)" if scale_of(values, is_percent=False) == (0.0, 1.0) else what


def scale_of(values: Floats, *, is_percent: bool) -> tuple[float, float]:
    """From where to where figures may go: from 0 to 1 or 100; where one is beyond, from the lowest to the highest."""
    found = values[~np.isnan(values)]
    most = 100.0 if is_percent else 1.0
    if not len(found) or (found.min() >= 0 and found.max() <= most):
        return 0.0, most
    return float(found.min()), float(found.max())


def limit_to_scale(ax: Axes, values: Floats, *, is_percent: bool) -> None:
    """Let the x axis show all figures, and nothing beyond 0 and 1 (or 100) unless a figure is there."""
    found = values[~np.isnan(values)]
    most = 100.0 if is_percent else 1.0
    if not len(found) or found.min() < 0 or found.max() > most:
        return
    low, high = found.min(), found.max()
    gap = max(0.06 * (high - low), 0.02 * most)
    ax.set_xlim(max(low - gap, -0.02 * most), min(high + gap, 1.02 * most))
