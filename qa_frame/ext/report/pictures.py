"""The pictures of a report: SVG inside the page, in its own colours, light and dark."""

from __future__ import annotations

import io
import re
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any

import pandas as pd

from qa_frame.ext.plot.drawing import BAND, GREY, PALE, tone_on
from qa_frame.ext.plot.intervals import compare, ranks, summary
from qa_frame.ext.plot.labels import height_of, widest_label
from qa_frame.ext.report.report_data import ReportData
from qa_frame.tables.results import label
from qa_frame.tables.visible import number

_WIDTH = 4.0
"""Inches: as wide as a telephone, where it is read at its own size. A screen has room for two."""

_MOST_SERIES = 4
_MOST_COMPARED = 15
"""Where there are more differences than this, the ranks that they leave are drawn."""

_ONE_AT_A_TIME = threading.Lock()
"""Settings of matplotlib, and filters of warnings, are those of all threads. So reports draw one after the other."""

_MADE_OF = {0.0: "var(--page)", BAND: "var(--band)", PALE: "var(--line)", GREY: "var(--soft)", 1.0: "currentColor"}
"""Shares of black in the greys of plots, and the page's own colours that take the place of these greys."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture. svg: an element, named by the title, which stands above it. Its figures stand in the page's tables."""

    title: str
    svg: str


def draw_pictures(report_data: ReportData) -> list[Picture]:
    """Return the pictures of a report."""
    groups, rank_by = [label(group) for group in report_data.groups], report_data.rank_by
    level = f"{100 * report_data.ci:g} % intervals"
    alike = [
        name for name in report_data.metrics if (name in report_data.own) == (rank_by in report_data.own)
    ]  # of one unit
    metrics = sorted(alike, key=lambda name: name != rank_by)[:_MOST_SERIES]
    drawn = report_data.overall.copy()
    drawn.attrs["qa_table"] = drawn.attrs["qa_table"] | {"percent": rank_by not in report_data.own}
    title = f"Means of {', '.join(metrics)} with individual {level}"
    found = [_draw(title, lambda ax: summary(drawn, metrics, ax=ax), groups, n_series=len(metrics))]
    if report_data.compared is None:
        return found
    of_ranking = report_data.compared[report_data.compared["metric"] == rank_by]
    if len(of_ranking) <= _MOST_COMPARED:
        pairs = [f"{label(a)} − {label(b)}" for a, b in zip(of_ranking["a"], of_ranking["b"], strict=True)]
        title = f"Differences in {rank_by} on the same questions, with {level} that hold together"
        found.append(_draw(title, lambda ax: compare(of_ranking, percent=True, ax=ax), pairs))
    elif report_data.ranked is not None:
        ranked = report_data.ranked.reset_index()
        names = list(map(label, ranked["group"]))
        found.append(_draw(f"Ranks by {rank_by} on the same questions", lambda ax: ranks(ranked, ax=ax), names))
    return found


def points(difference: float) -> str:
    """Return a difference in points, with its sign."""
    return number(100 * difference, "+.1f")


def figure(row: pd.Series[Any], name: str) -> str:
    """Return a figure of a summary with its interval."""
    if pd.isna(row[name]):
        return "–"
    value, low, high = (number(row[f"{name}{end}"], ".1f") for end in ("", "_lo", "_hi"))
    return value if pd.isna(row[f"{name}_lo"]) else f"{value} [{low},\u00a0{high}]"  # no line ends inside bounds


def _draw(title: str, draw: Callable[[Any], Any], labels: list[str], *, n_series: int = 1) -> Picture:
    """Return what `draw` draws as an element of SVG. Its own text stays text, in any script."""
    import matplotlib as mpl  # noqa: PLC0415  (an extra)
    from matplotlib.figure import Figure  # noqa: PLC0415

    settings = {"svg.fonttype": "none", "svg.hashsalt": "qa_frame", "font.family": "sans-serif"}
    with _ONE_AT_A_TIME, mpl.rc_context({**mpl.rcParamsDefault, **settings}), warnings.catch_warnings():
        # matplotlib's own font only measures the text here; the browser draws it.
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from", UserWarning)
        made = Figure(figsize=(_WIDTH, 1), layout="constrained")
        axes = made.subplots()
        made.set_figheight(height_of(labels, n_series=n_series, most=widest_label(axes)))
        draw(axes)
        content = io.StringIO()
        made.savefig(content, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    return Picture(title, _make_element(content.getvalue(), title))


def _make_element(svg: str, title: str) -> str:
    """Return the element of an SVG file, in the colours of the page, as wide as there is room."""
    element = svg[svg.index("<svg") :]
    element = re.sub(r"<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    for share, own in _MADE_OF.items():
        element = element.replace(tone_on("white", share), own)
    element = re.sub(r'<svg ([^>]*?)width="[^"]*" height="[^"]*"|<svg ', r"<svg \1", element, count=1)
    return f'<svg role="img" aria-label="{escape(title)}" {element[5:]}'
