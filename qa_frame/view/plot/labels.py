"""The words of all plots: names of groups and axes, legends and notes, on as many lines as their room asks for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from qa_frame._typing import Flags
from qa_frame.errors import PlotWarning, warn
from qa_frame.terminal import wrap
from qa_frame.view.plot import drawing
from qa_frame.view.plot.fonts import Axes, inches
from qa_frame.view.results import label
from qa_frame.view.visible import isolate

MOST_NAMED = 40
"""A legend has no more entries."""

SIZE = "small"
"""The size of names, as matplotlib calls it. What names an axis is larger where there is room."""

_USUAL_SLOT = 4.96
"""The inches that `room_of` gives for a new figure, which is 6.4 inches wide."""

_NARROW = 3.2
"""Axes that are less wide, in inches, have their legend above and not beside them."""

_TALL = 8.0
"""Axes that are higher, in inches, have ticks at the top, too."""

_TOGETHER = re.compile(r"\([^()]{1,12}\)|^\d+\. |p_adj < |\bn = ")
"""What stands in one line: a unit, the number before a name, what a mark means, and a number of questions."""

_LINE = 0.145
_HANDLE = 0.5
"""The inches of a line of text, and of what stands before a name in a legend."""


def room_of(ax: Axes) -> tuple[float, float]:
    """Return the width and height of axes, in inches, before their figure is laid out: texts have a fifth more."""
    place, figure = ax.get_position(original=True), ax.figure
    return float(place.width * figure.bbox.width / figure.dpi), float(place.height * figure.bbox.height / figure.dpi)


def is_narrow(ax: Axes) -> bool:
    """Return whether axes are as narrow as in a column of a paper."""
    return room_of(ax)[0] < _NARROW


def room_beside_names(ax: Axes) -> float:
    """Return the inches that the names of rows leave."""
    widest = max((inches(text.get_text(), SIZE) for text in ax.get_yticklabels()), default=0.0)
    return max(0.8, room_of(ax)[0] - widest)


def widest_label(ax: Axes) -> float:
    """Return how many inches the name of a row has beside axes, at most."""
    return _find_widest_line(room_of(ax)[0])


def _find_widest_line(slot: float) -> float:
    return min(max(2.6, 0.3 * slot), 0.58 * slot)


def fit(text: str, room: float, size: str = SIZE) -> str:
    """Return a text on as many lines as it needs to be so many inches wide. A difference ends a line at its minus."""
    if inches(text, size) <= room:
        return text
    glued = _TOGETHER.sub(lambda found: found[0].replace(" ", "\u00a0"), text).replace(" − ", "\u00a0−\n").split("\n")
    lines = [line for part in glued for line in wrap(part, "", "", width=room, size_of=partial(inches, size=size))]
    return "\n".join(lines).replace("\u00a0", " ")


def height_of(labels: Sequence[str], *, n_series: int = 1, most: float = _find_widest_line(_USUAL_SLOT)) -> float:
    """Return the inches that rows with these labels need. All rows are as high as the highest one.

    most: the inches of a line, as `widest_label` gives them.
    """
    n_lines = max((fit(text, most).count("\n") + 1 for text in labels), default=1)
    row = max(0.28, 0.1 + 0.15 * n_lines, 0.14 + 0.13 * n_series)
    return 0.8 + row * max(len(labels), 2)


def size_beside(series: Sequence[str]) -> dict[str, float]:
    """Return the inches that leave room for curves beside a legend of these series, as `require_axes` takes them."""
    most = _find_widest_line(_USUAL_SLOT)
    names = [fit(text, most) for text in series[:MOST_NAMED]]
    longest, n_lines = max(map(inches, names), default=0.0), sum(text.count("\n") + 1 for text in names) + 1
    return {"width": max(6.4, 4.0 + longest), "height": max(4.0, 0.6 + 0.2 * n_lines)}


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


def write_beside(ax: Axes, said: Mapping[tuple[float, float], str], *, share: float = 1.0) -> None:
    """Write a few words right of places (x, row), inside the axes. share: that of ink in their colour."""
    low, high = ax.get_xlim()
    room = room_beside_names(ax)
    for (x, row), what in said.items():
        place = {"xytext": (6, 0), "textcoords": "offset points"}
        colour = drawing.tone(ax, share)
        ax.annotate(what, (x, row), va="center", color=colour, fontsize=SIZE, parse_math=False, **place)
        beside = max(0.2 * room, room - inches(what) - 0.15)
        high = max(high, low + (x - low) * room / beside)
    ax.set_xlim(low, high)


def write_absent(ax: Axes, is_absent: Flags, what: str) -> None:
    """Write at the left end of each empty row why it is empty. is_absent: shape (rows,)."""
    form = {"transform": ax.get_yaxis_transform(), "color": drawing.tone(ax, drawing.GREY), "style": "italic"}
    for row in np.flatnonzero(is_absent).tolist():
        ax.text(0.01, row, what, va="center", fontsize=SIZE, **form)


def name_rows(
    ax: Axes, labels: Sequence[str], *, title: str = "", bands: bool = True, headings: Sequence[int] = ()
) -> None:
    """Give rows 0, 1, ... their labels, the first one at the top.

    bands: whether every second row has a pale band, which shows the points that are of one row. headings: the rows that
    name those below them.
    """
    names = [fit(text, widest_label(ax) * (0.9 if row in headings else 1)) for row, text in enumerate(labels)]
    ax.set_yticks(np.arange(len(labels)), names, parse_math=False, fontsize=SIZE)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    n_lines, height = sum(name.count("\n") + 1 for name in names), 1.2 * room_of(ax)[1]
    if _LINE * n_lines > height:
        warn(
            f"{n_lines} lines of names do not fit into axes of {height:.1f} inches; give higher ones in ax=",
            PlotWarning,
        )
    for row in range(1, len(labels), 2) if bands else ():
        ax.axhspan(row - 0.5, row + 0.5, color=drawing.tone(ax, drawing.BAND), linewidth=0, zorder=0)
    for row in headings:
        ax.get_yticklabels()[row].set_fontweight("bold")
        ax.axhline(row - 0.5, color=drawing.tone(ax, drawing.GREY), linewidth=0.8, zorder=1)
    ax.tick_params(axis="y", length=0)
    name_axes(ax, y=title)
    set_ticks(ax)
    if room_of(ax)[1] > _TALL:
        ax.tick_params(axis="x", top=True, labeltop=True)
    drawing.plain(ax, "x")


def set_ticks(ax: Axes, *, integer: bool = False, most: float | None = None) -> None:
    """Have as many ticks on the x axis as there is room for their labels, at most 8. most: where the last may be."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    n_steps = min(7, max(2, int(2 * room_beside_names(ax)) - 1))
    locator = MaxNLocator(n_steps, integer=integer, steps=[1, 2, 2.5, 5, 10])
    ax.xaxis.set_major_locator(locator)
    if most is not None:
        low = ax.get_xlim()[0]
        ax.set_xticks([place for place in locator.tick_values(low, most) if low <= place <= most])
    if is_narrow(ax):
        ax.tick_params(axis="x", labelsize=SIZE)


def name_axes(
    ax: Axes, x: str | None = None, y: str | None = None, *, above: str | None = None, taken: float = 0.0
) -> None:
    """Name the axes, and what a map shows above it, on as many lines as each needs. None leaves a name as it is.

    What is too wide for axes beside long names of rows begins below these. taken: the inches of a legend above.
    """
    size, (slot, height) = SIZE if is_narrow(ax) else "medium", room_of(ax)
    for text, name in ((x, partial(ax.set_xlabel, fontsize=size)), (above, partial(ax.set_title, fontsize=size))):
        if text is not None:
            found = fit(text, room_beside_names(ax), size)
            is_long = found.count("\n") > 1
            name(fit(text, slot, size) if is_long else found, loc="right" if is_long else "center", parse_math=False)
    if y is not None:
        ax.set_ylabel(fit(y, max(0.8, height - taken), size), parse_math=False, fontsize=size)


def draw_legend(ax: Axes, *, fewer: str = "", title: str = "") -> float:
    """Draw a legend that hides nothing: beside the axes, or above, if these are narrow.

    fewer: how the caller gets fewer series, for the warning that there are too many; "" for no warning. Returns the
    inches that it takes above the axes.
    """
    handles, names = ax.get_legend_handles_labels()
    if fewer and len(names) > drawing.MOST_TOLD_APART:
        warn(f"{len(names)} series are hard to tell apart in a picture; {fewer}", PlotWarning)
    if len(names) > MOST_NAMED:
        from matplotlib.lines import Line2D  # noqa: PLC0415

        n_left = len(names) - MOST_NAMED + 1
        handles, names = [*handles[:-n_left], Line2D([], [], linestyle="none")], [*names[:-n_left], f"… {n_left} more"]
    slot, n_columns, is_above = room_of(ax)[0], 1, is_narrow(ax)
    title, *names = (fit(name, 1.1 * slot - _HANDLE if is_above else 0.5 * slot) for name in (title, *names))
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)}
    if is_above:
        widest = max(map(inches, names), default=0.0) + _HANDLE
        n_columns = max(1, min(len(names), int(slot / widest)))
        side = "right" if n_columns * widest > room_beside_names(ax) else "left"
        place = {"loc": f"lower {side}", "bbox_to_anchor": (float(side == "right"), 1.0), "ncols": n_columns}
    gap = 2.0 if is_above and room_of(ax)[1] > _TALL else 0.5 * is_above  # in letters, as axes may be high
    form = {"fontsize": SIZE, "title_fontsize": SIZE, "handlelength": 1.6, "columnspacing": 1.0}
    legend = ax.legend(handles, names, frameon=False, title=title or None, borderaxespad=gap, **form, **place)
    for text in [*legend.get_texts(), legend.get_title()]:
        text.set_parse_math(False)
    n_lines = sum(name.count("\n") + 1.4 for name in names) / n_columns + bool(title) * (title.count("\n") + 1)
    return _LINE * n_lines if is_above else 0.0
