"""The picture of power: how often a difference is found, by the number of questions."""

from __future__ import annotations

from typing import Any

import numpy as np

from qa_frame._typing import Floats
from qa_frame.reports.result_tables import PLANNED, floats, read_table, require_columns
from qa_frame.view.plot import drawing, labels
from qa_frame.view.plot.fonts import Axes, inches, with_fonts

_POINTS = 80
_AT = 0.8
"""The power at which a pale line is drawn: it is what most people ask for."""


def power(table: Any, *, ax: Axes | None = None) -> Axes:
    """Draw how often a difference is found, against the number of questions: a curve per design of the table.

    Parameters
    ----------
    table
        A result of `qa_frame.power`; in pandas, polars or Arrow.
    ax
        Where to draw; None for a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The table's own n and power are points on the curves, with n beside them where there is room. The legend names
        the metric, and of each curve the difference and n. Where it comes from a pilot, a thin line is the curve at
        the upper bound of the variance. The number of questions is on a logarithmic scale. Of more than 40 curves the
        first and the last to rise are drawn, with a band for those between.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where the table is something else, or an argument has a value that is not allowed.
    MissingPackageError
        Without matplotlib, which `pip install "qa-frame[plot]"` installs.

    Warns
    -----
    PlotWarning
        Where there are more than eight curves.

    Examples
    --------
    >>> import qa_frame
    >>> ax = qa_frame.plot.power(qa_frame.power(difference=[0.02, 0.05], sd=0.5))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['difference 0.02: n = 4,906', 'difference 0.05: n = 785']
    """
    frame = read_table(table)
    require_columns(frame, PLANNED, "a result of qa_frame.power")
    n = floats(frame, "n")
    known = n[~np.isnan(n)]
    low, high = (known.min(), known.max()) if len(known) else (2.0, 100.0)
    grid = np.unique(np.round(np.geomspace(max(2.0, low / 20), 4 * high, _POINTS))).astype(np.int64)
    names = _names_of_curves(frame)
    series, n_curves = list(dict.fromkeys(names)), len(set(names))
    if n_curves > labels.MOST_NAMED:
        series = _first_and_last(frame, names)
        frame = frame[np.isin(names, series)]
        names, n = [name for name in names if name in series], floats(frame, "n")
    said = _say_needed(names, n)
    axes = drawing.require_axes(ax, **labels.size_beside([*said.values()]))
    axes.axhline(_AT, color=drawing.tone(axes, drawing.GREY), linewidth=1, linestyle=":", zorder=1)
    drawn, reached = list[Floats](), floats(frame, "power")
    sds = {"sd": 1.8} | ({"sd_upper": 0.8} if "sd_upper" in frame.columns else {})
    for row, name in enumerate(names):
        look = drawing.look_of_line(axes, series.index(name))
        for which, width in sds.items() if name not in names[:row] else ():
            curve = _power_of_each(frame.iloc[row], which, grid)
            if curve is not None:
                drawn += [curve] * (which == "sd")
                look_of_curve = {"color": look["color"], "linestyle": look["linestyle"], "linewidth": width}
                axes.plot(grid, curve, label=said[name] if which == "sd" else None, **look_of_curve)
        axes.plot(n[row], reached[row], marker=look["marker"], color=look["color"], zorder=3)
    if n_curves > len(series) and drawn:
        pale = {"color": drawing.tone(axes, drawing.PALE), "linewidth": 0, "zorder": 0.5}
        axes.fill_between(grid, drawn[0], drawn[-1], label=f"{n_curves - len(series)} between", **pale)
    axes.set_xscale("log")
    axes.set_xlim(grid[0], grid[-1])
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_ylim(0, 1.02)
    unit = ", ".join(dict.fromkeys(frame["unit"].astype(str))) or "questions"
    metric = ", ".join(dict.fromkeys(frame["metric"].astype(str))) if "metric" in frame else ""
    fewer, y = "keep some rows, as in table.head(8)", "power (0 to 1)"
    labels.finish_lines(axes, unit, y, n_series=len(series), title=metric, fewer=fewer, grid="both", least=1)
    _write_needed(axes, n, reached)
    return with_fonts(axes)


def _say_needed(names: list[str], n: Floats) -> dict[str, str]:
    """Return what the legend says of each curve: its name, and the numbers of questions at its dots."""
    of_name: dict[str, list[str]] = {}
    for name, each in zip(names, n.tolist(), strict=True):
        of_name.setdefault(name, []).extend([f"{each:,.0f}"] * (not np.isnan(each)))
    return {name: f"{name}: n = {', '.join(numbers)}" if numbers else name for name, numbers in of_name.items()}


def _write_needed(ax: Axes, n: Floats, power: Floats) -> None:
    """Write the number of questions left of each dot, where there is room."""
    low, high = np.log(ax.get_xlim())
    taken = dict[float, float]()
    room = 0.5 * labels.room_of(ax)[0]  # a legend may stand beside
    for place in np.argsort(n, kind="stable")[: np.count_nonzero(~np.isnan(n))].tolist():
        at, said = room * (np.log(n[place]) - low) / (high - low), f"n = {n[place]:,.0f}"
        before = max((other for height, other in taken.items() if abs(height - power[place]) < 0.1), default=0.0)
        if at - inches(said) - 0.1 > before:
            form = {"xytext": (-6, 2), "textcoords": "offset points", "ha": "right", "fontsize": labels.SIZE}
            ax.annotate(said, (n[place], power[place]), **form)
        taken[power[place]] = at


def _first_and_last(frame: Any, names: list[str]) -> list[str]:
    """Return the names of the curves that rise first and last: at one ci, all depend on sd / difference alone."""
    spread = floats(frame, "sd") / floats(frame, "difference")
    known = np.flatnonzero(spread > 0)
    order = known[np.argsort(spread[known], kind="stable")].tolist()
    return [names[place] for place in (order or [0])[:: max(1, len(order) - 1)]]


def _power_of_each(row: Any, which: str, grid: Any) -> Floats | None:
    """Return the power of each number of questions; None where the variance is not known."""
    from qa_frame.api.power import power as plan  # noqa: PLC0415  (the name here is that of the plot)

    difference, sd, ci = (float(row[name]) for name in ("difference", which, "ci"))
    if not (difference > 0 and sd > 0):
        return None
    found: Floats = plan(difference=difference, n=grid.tolist(), sd=sd, ci=ci)["power"].to_numpy(np.float64)
    return found


def _names_of_curves(frame: Any) -> list[str]:
    """Return what the curve of each row depends on: the pair of groups, the difference, and the number of samples."""
    has_pair = {"a", "b"} <= set(frame.columns)
    parts = [list(map(labels.name_pair, frame["a"], frame["b"]))] if has_pair else []
    for name in ("difference", "n_samples"):
        values = floats(frame, name)
        if name == "difference" or len(np.unique(values)) > 1:
            parts.append([f"{name} {value:.3g}" for value in values])
    return list(map(", ".join, zip(*parts, strict=True)))
