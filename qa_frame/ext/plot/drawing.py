"""Drawing for all plots: axes, colours with markers, points with their intervals, and lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.errors import UnknownOptionError, show
from qa_frame.ext.plot.fonts import SIZE, Axes, require_matplotlib

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""The colours of Okabe and Ito (2008), which people with any colour vision tell apart, but for the pale yellow."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
LINES = ("-", "--", "-.", ":")
"""No two series have the same colour and the same marker, or line, until there are dozens."""

MOST_SERIES = 8
"""Of more series than this, people cannot tell which is which."""

GREY = 0.55
PALE = 0.15
BAND = 0.05
"""Shares of black in greys that lie on white. On other grounds they are shares of its ink: see `tone_on`."""


def require_axes(ax: Any, *, width: float = 6.4, height: float = 4.0) -> Axes:
    """Return the Axes that is given, or one in a new figure of this size in inches for None.

    Only then is `pyplot` touched, so that a notebook shows the figure. A size that the user chose for all figures, as
    `rcParams["figure.figsize"]`, is kept. Raise UnknownOptionError where `ax` is something else.
    """
    axes_class = require_matplotlib()
    if ax is None:
        from matplotlib import pyplot as plt  # noqa: PLC0415
        from matplotlib import rcParams, rcParamsDefault  # noqa: PLC0415

        chosen, usual = (tuple(each["figure.figsize"]) for each in (rcParams, rcParamsDefault))
        made: Axes = plt.subplots(figsize=(width, height) if chosen == usual else chosen, layout="constrained")[1]
        return made
    if not isinstance(ax, axes_class):
        raise UnknownOptionError(f"ax={show(ax)} is not an Axes of matplotlib; give one, or None for a new figure")
    _give_room(ax)
    return ax


def _give_room(ax: Axes) -> None:
    """Let the figure of these axes make room for their names, which it else cuts, unless the user laid it out.

    It gets the tight layout, as a later call of `tight_layout` or `subplots_adjust` may follow that. A subfigure needs
    the constrained layout.
    """
    from matplotlib import rcParams  # noqa: PLC0415  (it is there: there are axes)

    figure = ax.figure.figure  # of a part of a figure, the whole
    sides = ("left", "right", "bottom", "top", "wspace", "hspace")
    is_laid_out = any(getattr(figure.subplotpars, side) != rcParams[f"figure.subplot.{side}"] for side in sides)
    if figure.get_layout_engine() is None and not is_laid_out and all(each.get_subplotspec() for each in figure.axes):
        figure.set_layout_engine("tight" if figure is ax.figure else "constrained")


def ground_of(ax: Axes) -> str:
    """Return the colour that the axes are drawn on, which a style or the user chose."""
    from matplotlib.colors import to_hex, to_rgba  # noqa: PLC0415

    grounds = (to_rgba(ax.get_facecolor()), to_rgba(ax.figure.get_facecolor()))
    return str(to_hex(next((each for each in grounds if each[3] > 0), "white")))


def ink_on(ground: Any) -> str:
    """Return black or white: the one that has more contrast to a colour, by WCAG's relative luminance."""
    from matplotlib.colors import to_rgb  # noqa: PLC0415

    parts = np.array(to_rgb(ground))
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    luminance = linear @ (0.2126, 0.7152, 0.0722)
    return "#000000" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "#ffffff"


def tone_on(ground: Any, share: float) -> str:
    """Return the colour between a ground and its ink, in hexadecimal digits. share: that of the ink, from 0 to 1."""
    from matplotlib.colors import to_hex, to_rgb  # noqa: PLC0415

    below, above = np.array(to_rgb(ground)), np.array(to_rgb(ink_on(ground)))
    return str(to_hex((1 - share) * below + share * above))


def tone(ax: Axes, share: float) -> str:
    """Return a grey between the background of the axes and its ink (black or white).

    share: how much ink it has, from 0 (the background) to 1 (the ink), such as PALE.
    """
    return tone_on(ground_of(ax), share)


def look_of_line(ax: Axes, series: int) -> dict[str, Any]:
    """Return the colour, marker and line of a series, as `Axes.plot` takes them. On dark axes, black becomes white."""
    colour, marker, line = (each[series % len(each)] for each in (COLOURS, MARKERS, LINES))
    colour = ink_on(ground_of(ax)) if colour == COLOURS[-1] else colour
    return {"color": colour, "marker": marker, "linestyle": line, "markersize": 5}


def draw_intervals(ax: Axes, series: Mapping[str, Floats], *, looks: Ints | None = None) -> None:
    """Draw points and their intervals in rows.

    The place of a series among all of them chooses its colour and its marker. The series of a row stand around its
    middle.

    series: by name the value, lower and upper bound in each row, shape (rows, 3). No point is drawn for NaN, and no
    interval where a bound is NaN. looks: how each point looks, shape (series, rows): 0 for a filled marker, 1 for an
    open one, 2 for a stroke; None where all are filled.
    """
    reach = 0.36 * (1 - 1 / max(len(series), 1))
    shifts = np.linspace(-reach, reach, len(series))
    for place, (name, values) in enumerate(series.items()):
        style = {**look_of_line(ax, place), "linestyle": "none", "markersize": 5.5, "zorder": 3}
        at = np.arange(len(values)) + shifts[place]
        has_bounds = ~np.isnan(values).any(axis=1)
        _, low, high = values[has_bounds].T
        ax.hlines(at[has_bounds], low, high, colors=style["color"], linewidth=1.6, zorder=2)
        others = [{"label": name}, {"markerfacecolor": ground_of(ax)}, {"marker": "|"}]
        for look, other in enumerate(others[:1] if looks is None else others):
            is_shown = ~np.isnan(values[:, 0]) & (looks is None or looks[place] == look)
            ax.plot(values[is_shown, 0], at[is_shown], **{**style, **other})


def simplify_frame(ax: Axes, grid: str) -> None:
    """Hide the upper and right side of the axes' frame, and draw a pale grid behind. grid: "x", "y" or "both"."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(visible=False, which="both")  # styles draw lines along the other axis, too
    ax.grid(axis=grid, color=tone(ax, PALE), linewidth=0.8, linestyle="-")
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=SIZE)


def set_ticks(axis: Any, *, are_whole: bool = False) -> None:
    """Let an axis have ticks with short labels, fewer on a narrow axis. are_whole: whether only at whole numbers."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415  (it is there: there are axes)

    axis.set_major_locator(MaxNLocator("auto", integer=are_whole, steps=[1, 2, 5, 10]))


def with_unit(what: str, values: Floats, *, is_percent: bool) -> str:
    """Return the label of an axis: the name `what`, with "(%)", with "(0 to 1)" if no value lies outside, or alone."""
    is_share = not ((values < 0) | (values > 1)).any()
    return what + (" (%)" if is_percent else " (0 to 1)" if is_share else "")
