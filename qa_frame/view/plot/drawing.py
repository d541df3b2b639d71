"""Drawing for all plots: axes, colours with markers, and points with their intervals."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import MissingPackageError, PlotWarning, UnknownOptionError, show, warn
from qa_frame.view.plot.fonts import Axes, with_fonts
from qa_frame.view.results import label
from qa_frame.view.visible import isolate

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""The colours of Okabe and Ito (2008), which people with any colour vision tell apart, but for the pale yellow."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
LINES = ("-", "--", "-.", ":")
"""No two series have the same colour and the same marker, or line, until there are dozens."""

MOST_TOLD_APART = 8
"""Of more series than this, people cannot tell which is which."""

MOST_NAMED = 40
"""A legend has no more entries."""

GREY = 0.55
PALE = 0.15
BAND = 0.05
"""Shares of black in greys that lie on white. On other grounds they are shares of its ink: see `tone_on`."""

LEAST_SPAN = 0.1
"""Colours, and axes without a scale of their own, span at least so much."""

_WIDEST_LABEL = 40
_LETTERS_PER_INCH = 9
_NARROW = 3.2
"""Axes that are less wide, in inches, have their legend above and not beside them."""
_SIZE = "small"


def require_matplotlib() -> Any:
    """Return the class of Axes; MissingPackageError if matplotlib is not installed."""
    try:
        from matplotlib import axes  # noqa: PLC0415  (an extra, and slow to import)
    except ImportError as error:
        raise MissingPackageError(
            'qa_frame.plot needs matplotlib, which is not installed; pip install "qa-frame[plot]"'
        ) from error
    return axes.Axes


def require_axes(ax: Any, *, width: float = 6.4, height: float = 4.0) -> Axes:
    """Return the Axes that is given, or one in a new figure of this size in inches for None.

    Only then is `pyplot` touched, so that a notebook shows the figure.
    """
    given = require_matplotlib()
    if ax is None:
        from matplotlib import pyplot as plt  # noqa: PLC0415

        made: Axes = plt.subplots(figsize=(width, height), layout="constrained")[1]
        return made
    if not isinstance(ax, given):
        raise UnknownOptionError(f"ax={show(ax)} is not an Axes of matplotlib; give one, or None for a new figure")
    return ax


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
    """Return the grey of these axes, such as `tone(ax, PALE)`: dark axes have dark ones."""
    return tone_on(ground_of(ax), share)


def inches_of(ax: Axes) -> float:
    """Return the width of axes before their figure is laid out."""
    return float(ax.get_position(original=True).width * ax.figure.bbox.width / ax.figure.dpi)


def wrap(text: str, most: int = _WIDEST_LABEL) -> str:
    """Return a label on as many lines as it needs."""
    short = len(text) <= most
    return text if short else "\n".join(textwrap.wrap(text, most, break_on_hyphens=False))


def widest_label(ax: Axes) -> int:
    """Return how many letters a line of a label has beside axes, at most."""
    return min(_WIDEST_LABEL, round(_LETTERS_PER_INCH * inches_of(ax)))


def name_of(key: Any) -> str:
    """Return a key as a label. A name that is written from right to left leaves the order of its surroundings alone."""
    if isinstance(key, tuple | list | np.ndarray):
        return ", ".join(map(name_of, key))
    return isolate(label(key)) if _writes_both_ways() else label(key)


def name_pair(a: Any, b: Any) -> str:
    """Return the label of a difference."""
    return f"{name_of(a)} − {name_of(b)}"


def _writes_both_ways() -> bool:
    """Whether this matplotlib orders scripts of both directions (from 3.11 on). Others draw isolates as boxes."""
    try:
        from matplotlib import ft2font  # noqa: PLC0415
    except ImportError:  # `require_axes` will say so
        return False
    return hasattr(ft2font, "__libraqm_version__")


def height_of(labels: Sequence[str], *, n_series: int = 1, most: int = _WIDEST_LABEL) -> float:
    """Return the inches that rows with these labels need. All rows are as high as the highest one.

    most: the letters of a line, as `widest_label` gives them.
    """
    n_lines = max((wrap(text, most).count("\n") + 1 for text in labels), default=1)
    row = max(0.28, 0.1 + 0.15 * n_lines, 0.14 + 0.13 * n_series)
    return 0.8 + row * max(len(labels), 2)


def size_beside(series: Sequence[str]) -> dict[str, float]:
    """Return the inches that leave room for curves beside a legend of these series, as `require_axes` takes them."""
    longest = min(max(map(len, series), default=0), _WIDEST_LABEL)
    n_lines = sum(wrap(text).count("\n") + 1 for text in series[:MOST_NAMED]) + 1
    return {"width": max(6.4, 3 + 0.075 * longest), "height": max(4.0, 0.6 + 0.2 * n_lines)}


def look_of_line(ax: Axes, series: int) -> dict[str, Any]:
    """Return the colour, marker and line of a series, as `Axes.plot` takes them. On dark axes, black becomes white."""
    colour, marker, line = (each[series % len(each)] for each in (COLOURS, MARKERS, LINES))
    colour = ink_on(ground_of(ax)) if colour == COLOURS[-1] else colour
    return {"color": colour, "marker": marker, "linestyle": line, "markersize": 5}


Points: TypeAlias = tuple[Floats, Ints, Any]
"""The points of a series: values, rows and looks.

values: the value, lower and upper bound of each point, shape (points, 3). No point is drawn for NaN, and no interval
where a bound is NaN. rows: the row of each point, shape (points,); rows are 1 apart. looks: how each point looks, shape
(points,): 0 for a filled marker, 1 for an open one, 2 for a stroke; None where all are filled.
"""


def draw_intervals(
    ax: Axes, series: Mapping[str, Points], *, title: str = "", fewer: str = "choose some with metrics="
) -> None:
    """Draw points and their intervals in rows, with a legend of this title if there are several series.

    The place of a series among all of them chooses its colour and its marker. The series of a row stand around its
    middle.
    """
    for place, (name, (values, rows, looks)) in enumerate(series.items()):
        style = {**look_of_line(ax, place), "linestyle": "none", "markersize": 5.5, "zorder": 3}
        at = rows + shift_of_series(place, len(series))
        has_bounds = ~np.isnan(values).any(axis=1)
        _, low, high = values[has_bounds].T
        ax.hlines(at[has_bounds], low, high, colors=style["color"], linewidth=1.6, zorder=2)
        others = [{"label": name}, {"markerfacecolor": ground_of(ax)}, {"marker": "|"}]
        for look, other in enumerate(others[:1] if looks is None else others):
            is_drawn = ~np.isnan(values[:, 0]) & (looks is None or looks == look)
            ax.plot(values[is_drawn, 0], at[is_drawn], **{**style, **other})
    if len(series) > 1:
        draw_legend(ax, fewer=fewer, title=title)


def shift_of_series(place: int, n_series: int) -> float:
    """Return how far from the middle of its row a series stands."""
    reach = 0.36 * (1 - 1 / n_series)
    return float(np.linspace(-reach, reach, n_series)[place])


def write_beside(ax: Axes, x: float, row: float, what: str) -> None:
    """Write a few words right of a place in a row."""
    place = {"xytext": (4, 0), "textcoords": "offset points"}
    ax.annotate(what, (x, row), va="center", color=tone(ax, GREY), fontsize=_SIZE, parse_math=False, **place)


def name_rows(
    ax: Axes, labels: Sequence[str], *, title: str = "", bands: bool = True, headings: Sequence[int] = ()
) -> None:
    """Give rows 0, 1, ... their labels, the first one at the top.

    bands: whether every second row has a pale band, which shows the points that are of one row. headings: the rows that
    name those below them.
    """
    names = [wrap(text, widest_label(ax)) for text in labels]
    ax.set_yticks(np.arange(len(labels)), names, parse_math=False, fontsize=_SIZE)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    for row in range(1, len(labels), 2) if bands else ():
        ax.axhspan(row - 0.5, row + 0.5, color=tone(ax, BAND), linewidth=0, zorder=0)
    for row in headings:
        ax.get_yticklabels()[row].set_fontweight("bold")
        ax.axhline(row - 0.5, color=tone(ax, GREY), linewidth=0.8, zorder=1)
    ax.tick_params(axis="y", length=0)
    ax.set_ylabel(title, parse_math=False)
    set_ticks(ax)
    plain(ax, "x")


def set_ticks(ax: Axes, *, integer: bool = False) -> None:
    """Have as many ticks on the x axis as there is room for their labels, at most 8."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    n_steps = min(7, max(3, int(2 * inches_of(ax)) - 2))
    ax.xaxis.set_major_locator(MaxNLocator(n_steps, integer=integer, steps=[1, 2, 2.5, 5, 10]))
    if _is_narrow(ax):
        ax.tick_params(axis="x", labelsize=_SIZE)


def name_values(ax: Axes, text: str) -> None:
    """Name the x axis, on as many lines as its width asks for. Below narrow axes, these use the room of row names."""
    side = "right" if _is_narrow(ax) else "center"
    ax.set_xlabel(wrap(text, max(24, round(14 * inches_of(ax)))), parse_math=False, loc=side)


def name_map(ax: Axes, text: str) -> None:
    """Write a title above the axes, on as many lines as their width asks for."""
    size, letters = (_SIZE, 13) if _is_narrow(ax) else ("medium", 11)
    ax.set_title(wrap(text, max(24, round(letters * inches_of(ax)))), parse_math=False, fontsize=size)


def _is_narrow(ax: Axes) -> bool:
    return inches_of(ax) < _NARROW


def plain(ax: Axes, grid: str) -> None:
    """Take away the frame's upper and right side, and draw a pale grid behind."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(visible=False, which="both")  # styles draw lines along the other axis, too
    ax.grid(axis=grid, color=tone(ax, PALE), linewidth=0.8, linestyle="-")
    ax.set_axisbelow(True)


def draw_legend(ax: Axes, *, fewer: str = "", title: str = "", outside: bool = True) -> None:
    """Draw a legend that hides nothing: beside the axes (above, if these are narrow), or where they have room.

    fewer: how the caller gets fewer series, for the warning that there are too many; "" for no warning.
    """
    handles, names = ax.get_legend_handles_labels()
    if fewer and len(names) > MOST_TOLD_APART:
        warn(f"{len(names)} series are hard to tell apart in a picture; {fewer}", PlotWarning)
    if len(names) > MOST_NAMED:
        from matplotlib.lines import Line2D  # noqa: PLC0415

        n_left = len(names) - MOST_NAMED + 1
        handles, names = [*handles[:-n_left], Line2D([], [], linestyle="none")], [*names[:-n_left], f"… {n_left} more"]
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)} if outside else {"loc": "best"}
    most, gap = widest_label(ax), 0.0
    if outside and _is_narrow(ax):
        is_short = max(map(len, names), default=0) < most / 2
        place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "ncols": 2 if is_short else 1}
        gap = 0.5  # in letters: a share of the axes' height is much where they are high
    names = [wrap(name, most) for name in names]
    size = {"fontsize": _SIZE, "title_fontsize": _SIZE}
    legend = ax.legend(handles, names, frameon=False, title=title or None, borderaxespad=gap, **size, **place)
    for text in [*legend.get_texts(), legend.get_title()]:
        text.set_parse_math(False)


def finish_lines(
    ax: Axes, x: str, y: str, *, n_series: int, title: str = "", per_group: int = 1, fewer: str = "", grid: str = "y"
) -> Axes:
    """Name the axes of a picture of lines, draw its grid, and its legend if there are several lines.

    per_group: how many lines a group has, for the warning that there are too many. fewer: as in `draw_legend`, where
    `top=` cannot be given. Returns the axes with fonts for all their texts.
    """
    ax.set_xlabel(x, parse_math=False)
    ax.set_ylabel(y, parse_math=False)
    plain(ax, grid)
    if n_series > 1:
        is_possible = per_group <= MOST_TOLD_APART
        remedy = f"give top={MOST_TOLD_APART // per_group}" if is_possible else "choose some with metrics="
        draw_legend(ax, fewer=fewer or remedy, title=title)
    return with_fonts(ax)


def write_absent(ax: Axes, is_absent: Flags, what: str) -> None:
    """Write at the left end of each empty row why it is empty. is_absent: shape (rows,)."""
    form = {"transform": ax.get_yaxis_transform(), "color": tone(ax, GREY), "fontsize": _SIZE, "style": "italic"}
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


def widened(low: float, high: float, *, is_percent: bool) -> tuple[float, float]:
    """Return the bounds, or such around them that are 0.1 apart (10 in percent): small figures are to look small."""
    widen = max(0.0, LEAST_SPAN * (100 if is_percent else 1) - (high - low)) / 2
    return low - widen, high + widen


def limit_to_scale(ax: Axes, values: Floats, *, is_percent: bool) -> None:
    """Let the x axis show all figures, and nothing beyond 0 and 1 (or 100) unless a figure is there."""
    most = 100.0 if is_percent else 1.0
    if not np.isnan(values).all() and scale_of(values, is_percent=is_percent) == (0.0, most):
        low, high = np.nanmin(values), np.nanmax(values)
        gap = max(0.06 * (high - low), 0.02 * most)
        ax.set_xlim(max(low - gap, -0.02 * most), min(high + gap, 1.02 * most))
