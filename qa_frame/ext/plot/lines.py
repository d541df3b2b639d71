"""Lines of figures along numbers: how all pictures of curves are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from qa_frame._typing import Floats
from qa_frame.ext.plot import drawing, labels
from qa_frame.ext.plot.fonts import Axes, with_fonts

Curves: TypeAlias = Mapping[str, tuple[Any, Floats]]
"""By name the numbers along the x axis, and the value and bounds at each of them, shape (numbers, 3)."""


def draw_curves(
    ax: Any, curves: Curves, *, x: str, y: str, fewer: str, title: str = "", has_bands: bool = False, grid: str = "y"
) -> Axes:
    """Draw a line for each curve, and name axes and lines.

    x, y: what the axes show. fewer: as in `draw_legend`. title: that of the legend. has_bands: whether intervals are
    bands, as long as there are few lines, and not strokes.
    """
    labels.require_few(len(curves), fewer)
    axes = drawing.require_axes(ax, height=labels.height_of_curves([*curves]))
    interval = "stroke" if not has_bands else "band" if len(curves) <= drawing.MOST_TOLD_APART else "none"
    for series, (name, (at, values)) in enumerate(curves.items()):
        draw_line(axes, series, at, values, interval=interval, label=name)
    if len(curves) > 1:
        labels.draw_legend(axes, fewer=fewer, title=title)
    labels.name_axes(axes, x, y)
    drawing.plain(axes, grid)
    return with_fonts(axes)


_MOST_MARKED, _MARKED_OF_MANY = 20, 8
"""Of a line with more points than the first, about as many as the second have markers."""


def draw_line(ax: Axes, series: int, at: Any, values: Floats, *, interval: str, **look: Any) -> None:
    """Draw one line. values: the value, lower and upper bound of each point, shape (points, 3). look: of `Axes.plot`.

    interval: "stroke", "band", or "none" for no intervals. A point between gaps has a stroke, as a band has no width
    there.
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
