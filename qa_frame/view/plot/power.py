"""The picture of power: how often a difference is found, by the number of questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from qa_frame._typing import Floats
from qa_frame.frames.kinds import read_source
from qa_frame.reports.result_tables import PLANNED, floats, read_table, require_columns
from qa_frame.stats.p_values import alpha_of
from qa_frame.stats.power import PlannedTest
from qa_frame.view.plot import drawing, labels
from qa_frame.view.plot.fonts import SIZE, Axes, inches, with_fonts
from qa_frame.view.plot.lines import draw_curves
from qa_frame.view.results import read_once, read_settings

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
        A dot on a curve is an n of the table, which stands beside it where there is room. What all curves share, such
        as the metric and the difference, stands above, and the legend names what they differ in. The band of a pilot
        reaches down to the curve at the upper bound of the variance. The number of questions is on a logarithmic scale.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where the table is something else, or an argument has a value that is not allowed.
    MissingPackageError
        Without matplotlib, which `pip install "qa-frame[plot]"` installs.

    Warns
    -----
    PlotWarning
        Where there are more than eight curves, which then have no bands.

    Examples
    --------
    >>> import qa_frame
    >>> ax = qa_frame.plot.power(qa_frame.power(difference=[0.02, 0.05], sd=0.5))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['difference 0.02: n = 4,906', 'difference 0.05: n = 785']
    """
    table = read_once(table)
    frame, noted = read_table(table), read_settings(read_source(table), "power")
    require_columns(frame, PLANNED, "a result of qa_frame.power")
    n = floats(frame, "n")
    known = n[~np.isnan(n)]
    low, high = (known.min(), known.max()) if len(known) else (2.0, 100.0)
    grid = np.union1d(np.round(np.geomspace(max(2.0, low / 20), 4 * high, _POINTS)), known)
    names, shared = _name_curves(frame, n)
    rows_of = {name: np.flatnonzero([each == name for each in names]) for name in dict.fromkeys(names)}
    found = {name: _power_of_each(frame.iloc[rows], grid, noted) for name, rows in rows_of.items()}
    curves = {name: (grid, values) for name, values in found.items()}
    unit = ", ".join(dict.fromkeys(frame["unit"].astype(str))) or "questions"
    form: Any = {"title": shared, "has_bands": True, "grid": "both", "fewer": "keep some rows, as in table.head(8)"}
    axes = draw_curves(ax, curves, x=unit, y="power (0 to 1)", **form)
    for line, name in zip(list(axes.lines)[-len(found) :], found, strict=False):
        line.set_markevery(np.flatnonzero(np.isin(grid, n[rows_of[name]])).tolist())
    if len(rows_of) == 1:
        labels.name_axes(axes, above=shared)
    axes.axhline(_AT, color=drawing.tone(axes, drawing.GREY), linewidth=1, linestyle=":", zorder=1)
    axes.set(xscale="log", xlim=(grid[0], grid[-1]), ylim=(0, 1.02))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    dots = {(each, name) for each, name in zip(n.tolist(), names, strict=True) if each > 0}
    _write_needed(axes, sorted((each, found[name][grid == each, 0][0]) for each, name in dots))
    return with_fonts(axes)


def _write_needed(ax: Axes, dots: list[tuple[float, float]]) -> None:
    """Write the number of questions left of each dot, where there is room. dots: the n and power of each, rising."""
    low, high = np.log(ax.get_xlim())
    width, before = labels.room_of(ax)[0], 0.0
    for n, power in dots:
        at, said = width * (np.log(n) - low) / (high - low), f"n = {n:,.0f}"
        if at - inches(said) - 0.1 > before:
            form = {"xytext": (-6, 2), "textcoords": "offset points", "ha": "right", "fontsize": SIZE}
            ax.annotate(said, (n, power), **form)
        before = at


def _name_curves(frame: Any, n: Floats) -> tuple[list[str], str]:
    """Return the name of each row's curve, with what curves differ in and n, and the name of what all of them share."""
    columns = set(frame.columns)
    parts = [frame["metric"].astype(str).tolist()] if "metric" in columns else []
    parts += [list(map(labels.name_pair, frame["a"], frame["b"]))] if {"a", "b"} <= columns else []
    for name in ("difference", "margin", "n_samples", "looks"):
        values = floats(frame, name) if name in columns else np.ones(1)
        if name == "difference" or (values != 1).any():
            parts.append([f"{name} {value:.3g}" for value in values])
    shared = [part[0] for part in parts if len(set(part)) == 1]
    differing = [part for part in parts if len(set(part)) > 1] or parts
    names, of_name = list(map(", ".join, zip(*differing, strict=True))), dict[str, list[str]]()
    for name, each in zip(names, n.tolist(), strict=True):
        of_name.setdefault(name, []).extend([f"{each:,.0f}"] * (each > 0))
    return [f"{name}: n = {', '.join(of_name[name])}" if of_name[name] else name for name in names], ", ".join(shared)


def _power_of_each(rows: Any, grid: Floats, noted: Mapping[str, str]) -> Floats:
    """Return the power of each number of questions, and the bounds that a pilot gives, shape (numbers, 3)."""
    row = rows.iloc[0]
    difference, sd, upper, margin = (float(row.get(name, 0)) for name in ("difference", "sd", "sd_upper", "margin"))
    found = np.full((len(grid), 3), np.nan)
    difference += margin
    if difference > 0 and sd > 0:
        test = _find_test(rows, noted, difference, sd)
        found[:, 0] = found[:, 2] = [test.power(n, difference, sd) for n in grid.tolist()]
        if upper:
            found[:, 1] = [test.power(n, difference, upper) for n in grid.tolist()]
    return found


def _find_test(rows: Any, noted: Mapping[str, str], difference: float, sd: float) -> PlannedTest:
    """Return the planned test.

    noted: what the table's note says of it. Without one, the sign test is taken where it is nearer to the dots.
    """
    row, dots = rows.iloc[0], np.stack([floats(rows, "n"), floats(rows, "power")], axis=1).tolist()
    tests = [PlannedTest(alpha_of(float(row["ci"])) * (2 if "margin" in row else 1), int(row.get("looks", 1)))]
    if noted:
        is_sign_test = noted.get("sign_test") == "True" and row["n_samples"] == 1
        return replace(tests[0], is_sign_test=is_sign_test, mid_p=noted.get("mid_p") == "True")
    if tests[0].n_looks == 1 and "margin" not in row and sd**2 + difference**2 <= 1:
        tests += [replace(tests[0], is_sign_test=True, mid_p=mid_p) for mid_p in (True, False)]
    return min(tests, key=lambda test: sum(abs(test.power(n, difference, sd) - power) for n, power in dots))
