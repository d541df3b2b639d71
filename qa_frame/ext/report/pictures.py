"""The pictures of a report: SVG inside the page, in its own colours, light and dark."""

from __future__ import annotations

import io
import re
import threading
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from html import escape
from typing import Any

import pandas as pd

from qa_frame.ext.plot.drawing import BAND, GREY, PALE, tone_on
from qa_frame.ext.plot.intervals import compare, ranks, summary
from qa_frame.ext.plot.labels import height_of, widest_label
from qa_frame.ext.report.report_data import ReportData
from qa_frame.tables.results import label, say_intervals
from qa_frame.tables.visible import number

_WIDTH = 4.0
"""Inches: as wide as a telephone, where it is read at its own size. A screen has room for two."""

_MOST_SERIES = 4
_MOST_COMPARED = 15
"""Where there are more differences than this, the ranks that they leave are drawn."""

_MOST_OF_SEVERAL, _MOST_ROWS, _MOST_GROUPS = 10, 20, 60
"""More groups than the first number have one series. A picture has at most so many rows, which have room on a page of
paper, and all pictures of a kind so many groups.
"""

_ONE_AT_A_TIME = threading.Lock()
"""Settings of matplotlib, and filters of warnings, are those of all threads. So reports draw one after the other."""

_MADE_OF = {0.0: "var(--page)", BAND: "var(--band)", PALE: "var(--line)", GREY: "var(--soft)", 1.0: "currentColor"}
"""Shares of black in the greys of plots, and the page's own colours that take the place of these greys."""


Picture = tuple[str, str]
"""A title, and an element of SVG that it names. Its figures stand in the page's tables."""


def draw_pictures(report_data: ReportData) -> list[Picture]:
    """Return the pictures of a report: means; the differences if pairs are few, else the ranks if there are some."""
    rank_by, level = report_data.rank_by, f"{100 * report_data.arguments.ci:g} % intervals"
    is_own = rank_by in report_data.own
    alike = [name for name in report_data.metrics if (name in report_data.own) == is_own]  # of one unit
    n_series = _MOST_SERIES if len(report_data.groups) <= _MOST_OF_SEVERAL else 1
    metrics = sorted(alike, key=lambda name: name != rank_by)[:n_series]
    shown = report_data.overall.copy()
    shown.attrs["qa_table"] = shown.attrs["qa_table"] | {"percent": not is_own}
    title = f"Means of {', '.join(metrics)} with individual {level}"
    pictures = [
        _draw(name, partial(summary, part, metrics), part.index, len(metrics)) for name, part in _split(title, shown)
    ]
    if report_data.compared is None:
        return pictures
    of_ranking = report_data.compared[report_data.compared["metric"] == rank_by]
    if len(of_ranking) <= _MOST_COMPARED:
        pairs = [f"{label(a)} − {label(b)}" for a, b in zip(of_ranking["a"], of_ranking["b"], strict=True)]
        title = f"Differences in {rank_by} on the same questions, with {say_intervals(of_ranking)} intervals"
        pictures.append(_draw(title, partial(compare, of_ranking, percent=True), pairs))
    elif report_data.ranked is not None:
        title = f"Ranks by {rank_by} on the same questions"
        parts = _split(title, report_data.ranked.reset_index())
        pictures += [_draw(name, partial(ranks, part), part["group"]) for name, part in parts]
    return pictures


def _split(title: str, table: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return the first `_MOST_GROUPS` rows of a table in parts of about equal size, each with its title.

    The title of one part of several says which rows the part has.
    """
    n = min(len(table), _MOST_GROUPS)
    if n <= _MOST_ROWS:
        return [(title, table)]
    size = -(-n // -(-n // _MOST_ROWS))
    parts = [(start, table.iloc[start : min(start + size, n)]) for start in range(0, n, size)]
    return [(f"{title}: {start + 1} to {start + len(part)} of {len(table)}", part) for start, part in parts]


def write_mean(row: pd.Series[Any], name: str, *, has_interval: bool = True) -> str:
    """Return a mean in a row of a summary as text, with its interval; a dash where it is NaN. name: the metric."""
    interval = write_bounds(row, name) if has_interval else ""
    return "–" if pd.isna(row[name]) else f"{number(row[name], '.1f')} {interval}".rstrip()


def write_bounds(row: pd.Series[Any], name: str) -> str:
    """Return the interval of a mean in a row of a summary as text; "" where it has none. name: the metric."""
    if pd.isna(row[f"{name}_lo"]):
        return ""
    low, high = (number(row[f"{name}{end}"], ".1f") for end in ("_lo", "_hi"))
    return f"[{low},\u00a0{high}]"  # no line ends inside bounds


def _draw(title: str, draw: Callable[..., Any], keys: Iterable[Any], n_series: int = 1) -> Picture:
    """Return the title, and what `draw` draws into `ax` as an element of SVG. Its text stays text, in any script.

    keys: the names of the rows, which with n_series give the height.
    """
    import matplotlib as mpl  # noqa: PLC0415  (an extra)
    from matplotlib.figure import Figure  # noqa: PLC0415

    settings = {"svg.fonttype": "none", "svg.hashsalt": "qa_frame", "font.family": "sans-serif"}
    with _ONE_AT_A_TIME, mpl.rc_context({**mpl.rcParamsDefault, **settings}), warnings.catch_warnings():
        # matplotlib's own font only measures the text here; the browser draws it.
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from", UserWarning)
        drawing = Figure(figsize=(_WIDTH, 1), layout="constrained")
        axes = drawing.subplots()
        drawing.set_figheight(height_of([label(key) for key in keys], n_series=n_series, most=widest_label(axes)))
        draw(ax=axes)
        content = io.StringIO()
        drawing.savefig(content, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    return title, _make_element(content.getvalue(), title)


def _make_element(svg: str, title: str) -> str:
    """Return the element of an SVG file, in the colours of the page, as wide as there is room."""
    element = svg[svg.index("<svg") :]
    element = re.sub(r"<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    for share, own in _MADE_OF.items():
        element = element.replace(tone_on("white", share), own)
    element = re.sub(r'<svg ([^>]*?)width="[^"]*" height="[^"]*"|<svg ', r"<svg \1", element, count=1)
    return f'<svg role="img" aria-label="{escape(title)}" {element[5:]}'
