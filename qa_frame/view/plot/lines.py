"""Lines of figures along numbers: how all pictures of curves are drawn."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from qa_frame._typing import Floats
from qa_frame.view.plot import drawing, labels
from qa_frame.view.plot.fonts import Axes, with_fonts
from qa_frame.view.plot.summaries import choose_rows, mean_of_known

Curves: TypeAlias = Mapping[tuple[str, str], Mapping[str, tuple[Any, Floats]]]
"""By metric and kind ("@" or "^" for figures of several samples, else ""), and by group: the numbers along the x axis,
and the value and bounds at each of them, shape (numbers, 3)."""


def draw_curves(
    ax: Any,
    curves: Curves,
    *,
    x: str,
    y: str = "",
    title: str,
    sort: Any = False,
    top: Any = None,
    is_percent: bool = False,
    has_bands: bool = False,
    grid: str = "y",
    fewer: str = "",
    is_lower_better: bool = False,
) -> Axes:
    """Draw a line for each group, metric and kind, and name axes and lines.

    x, y: what the axes show; "" for the figures and their unit. title: the names of the keys. sort, top: as in
    `choose_rows`, by the first curves, the lowest first where that is better. has_bands: whether intervals are bands,
    as long as there are few lines, and not strokes. fewer: as in `draw_legend`; "" where the caller has top= and
    metrics=.
    """
    metrics, kinds = (list(dict.fromkeys(names)) for names in zip(*curves, strict=True))
    first, several = next(iter(curves.values())), [f"pass{kind}k" for kind in kinds if kind]
    several[1:] = [f"dotted {name}" for name in several[1:]]
    size = np.array([mean_of_known(values[:, 0]) for _, values in first.values()]) * (-1 if is_lower_better else 1)
    kept = [list(first)[group] for group in choose_rows(size, sort=sort, top=top).tolist()]
    drawn = {
        (series, metric, group): ", ".join([group] * (len(kept) > 1) + [metric] * (len(metrics) > 1)) or metric
        for series, (metric, group) in enumerate(itertools.product(metrics, kept))
    }
    axes = drawing.require_axes(ax, **labels.size_beside([*drawn.values()]))
    interval = "stroke" if not has_bands else "band" if len(drawn) <= drawing.MOST_TOLD_APART else "none"
    looks: dict[str, dict[str, Any]] = {"^": {"linestyle": ":", "markerfacecolor": drawing.ground_of(axes)}}
    for (series, metric, group), name in drawn.items():
        there = [kind for kind in kinds if (metric, kind) in curves]
        for kind in there:
            look = looks.get(kind, {}) | {"label": name if kind == there[0] else None}
            _draw_line(axes, series, *curves[metric, kind][group], interval=interval, **look)
    every = np.concatenate([[], *(values.ravel() for found in curves.values() for _, values in found.values())])
    what = (metrics[0] if len(metrics) == 1 else "score") + (f", {' and '.join(several)}" if several else "")
    most, taken = drawing.MOST_TOLD_APART, 0.0
    fewer = fewer or (f"give top={most // len(metrics)}" if len(metrics) <= most else "choose some with metrics=")
    if len(drawn) > 1:
        taken = labels.draw_legend(axes, fewer=fewer, title=title if len(metrics) == 1 else "")
    labels.name_axes(axes, x, y or drawing.with_unit(what, every, is_percent=is_percent), taken=taken)
    drawing.plain(axes, grid)
    return with_fonts(axes)


_MOST_MARKED, _MARKED_OF_MANY = 20, 8
"""Of a line with more points than the first, about as many as the second have markers."""


def _draw_line(ax: Axes, series: int, at: Any, values: Floats, *, interval: str, **look: Any) -> None:
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
