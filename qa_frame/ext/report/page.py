"""A report as one page of HTML."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pandas as pd

from qa_frame.errors import IntervalWarning, MissingPackageError, PlotWarning, StratumWarning
from qa_frame.ext.report.conclusions import first_sentences, other_cautions, starts_of_known_warnings
from qa_frame.ext.report.embedded_rows import PackedRows
from qa_frame.ext.report.pictures import write_bounds, write_mean
from qa_frame.ext.report.report_data import ANSWER_INSIDE, LEFT_OUT, ReportData, make_isolator, rows_with
from qa_frame.scoring.pooled import COUNTS, SAMPLE_COUNTS
from qa_frame.stats.differences import alpha_of
from qa_frame.tables.results import label
from qa_frame.tables.visible import number

_MINOR = (IntervalWarning, StratumWarning, PlotWarning)
"""Warnings that leave a table true, and are folded."""

_MOST_COLUMNS = 6
"""A table has at most so many metrics with intervals, which have room on a page of paper."""

_MOST_BESIDE, _MOST_INLINE = 10, 6
"""The leaderboard has other metrics up to so many columns with those of datasets. Beside more columns than the second
number, intervals stand below their figures.
"""

_MOST_OPEN = 10
"""The differences of all pairs of more groups are folded."""

_FOLDER = resources.files(__package__)
_EXPLANATION = resources.files("qa_frame.ext.explain").joinpath("explanation.css")


@cache
def load_template() -> Any:
    """Return the template of the page; MissingPackageError if the engine of templates is not installed."""
    try:
        import jinja2  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise MissingPackageError(
            'qa_frame.report needs Jinja2, which is not installed; pip install "qa-frame[report]"'
        ) from error
    made = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    return made.from_string(_read_own_file("page.html"))


def render(template: Any, report_data: ReportData, rows: PackedRows, **shown: Any) -> str:
    """Return the page. Its content policy allows its own script and nothing from elsewhere.

    shown: what the template shows unchanged: the title, the pictures, the files, and facts on how the page was made.
    """
    script = _read_own_file("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page: str = template.render(
        report_data=report_data,
        words=first_sentences(report_data),
        cautions=other_cautions(report_data),
        warned=_sort_warnings(report_data),
        isolated=make_isolator(report_data),
        leaderboard=_make_leaderboard(report_data),
        figures=_make_tables_of_means(report_data, report_data.overall, "All rows"),
        datasets=[
            (name, _make_tables_of_means(report_data, part, name, dataset=name))
            for name, part in _split_by_dataset(report_data).items()
        ],
        matrix=_make_tables_of_differences(report_data),
        are_pairs_open=len(report_data.groups) <= _MOST_OPEN,
        answer_inside=ANSWER_INSIDE,
        address=_link_to_rows,
        rows_with=rows_with,
        rows=rows,
        script=script,
        digest=digest,
        style=_read_own_file("page.css") + _EXPLANATION.read_text("utf-8"),
        **shown,
    )
    return page


def _read_own_file(name: str) -> str:
    """Return the text of a file of this folder."""
    return _FOLDER.joinpath(name).read_text("utf-8")


# --- parts


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell of a table, and where it leads to among the rows.

    text, interval: a figure, and its bounds. looks: classes of CSS. share: how dark it is, from 0 to 1.
    """

    text: str
    address: str = ""
    looks: str = ""
    share: float | None = None
    interval: str = ""


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of cells. key: what its rows are. rows: their names and cells. looks: its class of CSS.

    sorted_by: the column by which the rows are sorted; "" for none. n_minor: how many columns at the end a telephone
    has no room for.
    """

    caption: str
    key: str
    headings: Sequence[str]
    rows: Sequence[tuple[str, Sequence[_Cell]]]
    sorted_by: str = ""
    looks: str = ""
    n_minor: int = 0


def _link_to_rows(**filters: str) -> str:
    """Return the address of some rows on the page."""
    return f"#rows?{urlencode(filters)}"


def _sort_warnings(report_data: ReportData) -> tuple[list[str], list[str]]:
    """Return the warnings that may make tables untrue, and the minor ones.

    Warnings that the sentences of the page repeat are in neither list.
    """
    known, of_few = starts_of_known_warnings(report_data)
    heard = {text: category for text, category in report_data.warned.items() if not text.startswith(known)}
    are_minor = {
        text: issubclass(category, _MINOR) or text.startswith((LEFT_OUT, *of_few)) for text, category in heard.items()
    }
    return [text for text in heard if not are_minor[text]], [text for text in heard if are_minor[text]]


# --- figures


def _make_leaderboard(report_data: ReportData) -> _Table:
    """Return the first table: ranks, the metric that ranks and people's verdicts, then datasets and other metrics."""
    table, rank_by = report_data.overall, report_data.rank_by
    main = [rank_by, *([report_data.human] if report_data.human not in {None, rank_by} else [])]
    main_columns = {name: _make_column(table, name, has_interval=True) for name in main}
    datasets = _make_columns_of_datasets(report_data)
    others = [name for name in report_data.metrics if name not in main][: max(0, _MOST_BESIDE - len(datasets))]
    minor = [
        *datasets.items(),
        *((name, _make_column(table, name)) for name in others),
        *_make_columns_of_counts(table, rank_by, []).items(),
    ]
    looks = "first crowded" if len(minor) > _MOST_INLINE else "first"
    columns = [*_make_column_of_ranks(report_data).items(), *main_columns.items(), *minor]
    return _make_table(report_data, table, "All rows", columns, looks=looks, n_minor=len(minor))


def _make_table(
    report_data: ReportData,
    table: pd.DataFrame,
    caption: str,
    columns: Sequence[tuple[str, dict[Any, _Cell]]],
    **looks: Any,
) -> _Table:
    """Return a table of these columns, with a row for each group of `table`.

    columns: the heading of each, and its cells by group. looks: further fields of `_Table`.
    """
    rows = [(label(group), [cells[group] for _, cells in columns]) for group in table.index]
    sorted_by = report_data.rank_by if len(rows) > 1 else ""
    return _Table(caption, str(report_data.columns.by), [name for name, _ in columns], rows, sorted_by, **looks)


def _make_column(table: pd.DataFrame, metric: str, *, has_interval: bool = False, **inside: str) -> dict[Any, _Cell]:
    """Return the cells of a metric by group, each with a link to its rows. inside: more filters of these rows."""
    best = table[metric].max() if table[metric].max() > table[metric].min() else None
    cells = {}
    for group, row in table.iterrows():
        address = _link_to_rows(group=label(group), metric=metric, sort="lowest", **inside)
        looks = "best" if row[metric] == best else ""
        interval = write_bounds(row, metric) if has_interval else ""
        cells[group] = _Cell(write_mean(row, metric, has_interval=False), address, looks, None, interval)
    return cells


def _make_tables_of_means(report_data: ReportData, table: pd.DataFrame, caption: str, **inside: str) -> list[_Table]:
    """Return tables of figures by group, each of so few metrics that it is not too wide to read, or to print.

    inside: more filters of the rows to which the figures lead, such as their dataset.
    """
    # The metric that leads stands first, and people's verdicts beside it.
    names = sorted(report_data.metrics, key=lambda name: (name != report_data.rank_by, name != report_data.human))
    n_tables = -(-len(names) // _MOST_COLUMNS)
    parts = [part.tolist() for part in np.array_split(np.array(names, object), n_tables)]
    tables = []
    for metrics in parts:
        columns = {name: _make_column(table, name, has_interval=True, **inside) for name in metrics}
        columns |= _make_columns_of_counts(table, report_data.rank_by, metrics, has_all=metrics is parts[0])
        title = caption if len(parts) == 1 else f"{caption}, {' to '.join(dict.fromkeys((metrics[0], metrics[-1])))}"
        tables.append(_make_table(report_data, table, title, [*columns.items()]))
    return tables


def _make_column_of_ranks(report_data: ReportData) -> dict[str, dict[Any, _Cell]]:
    """Return the column of ranks by its heading, or with a baseline that of verdicts; no column without comparisons."""
    if report_data.compared is None:
        return {}
    cells = {group: _Cell("–") for group in report_data.groups}
    if report_data.ranked is None:
        pairs = report_data.judged_pairs()
        pairs = pairs[pairs["b"] == report_data.arguments.baseline]
        cells |= {a: _Cell(verdict) for a, verdict in zip(pairs["a"], pairs["verdict"], strict=True)}
        return {f"than {label(report_data.arguments.baseline)}": cells}
    for group, low, high in report_data.ranked[["rank_lo", "rank_hi"]].itertuples(name=None):
        cells[group] = _Cell(str(low) if low == high else f"{low}–\u2060{high}")  # no line ends after this dash
    return {"rank": cells}


def _make_columns_of_counts(
    table: pd.DataFrame, rank_by: str, metrics: Sequence[str], *, has_all: bool = False
) -> dict[str, dict[Any, _Cell]]:
    """Return the columns of counts by their headings, so that each figure shows how many rows it rests on.

    The first counts the rows that `rank_by` scores, or all questions where groups have samples. The counts of `metrics`
    follow, and with `has_all` all other counts of rows. Of these, a column is left out where each group's count is that
    of the first, or 0.
    """
    whole = SAMPLE_COUNTS[0] if SAMPLE_COUNTS[0] in table else COUNTS[0]
    base = table.get(f"n_{rank_by}", table[whole]) if whole == COUNTS[0] else table[whole]
    others = {name: table[name] for name in COUNTS[1:] if has_all and name in table}
    others |= {f"n_{name}": table.get(f"n_{name}", table[whole]) for name in metrics}
    counts = {whole: base} | {name: n for name, n in others.items() if not (n.eq(base) | n.eq(0)).all()}
    return {
        name: {group: _Cell("–" if pd.isna(n) else f"{n:,.0f}") for group, n in column.items()}
        for name, column in counts.items()
    }


def _split_by_dataset(report_data: ReportData) -> dict[str, pd.DataFrame]:
    """Return the figures of each dataset by its name, the best group first; nothing where there are no datasets."""
    table = report_data.by_dataset
    if table is None:
        return {}
    levels: list[Any] = list(range(table.index.nlevels - 1))
    level = levels[0] if len(levels) == 1 else levels  # as pandas 2.2 asks
    parts = table.groupby(level=level, sort=False, observed=True)
    tables = {label(key): part.droplevel(levels) for key, part in parts}
    best_first: dict[str, Any] = {"by": report_data.rank_by, "ascending": False, "kind": "stable"}
    return {name: part.sort_values(**best_first) for name, part in tables.items()}


def _make_columns_of_datasets(report_data: ReportData) -> dict[str, dict[Any, _Cell]]:
    """Return the means of each group in each dataset by the metric that ranks, the higher the darker.

    There are no columns for a single dataset.
    """
    parts, rank_by = _split_by_dataset(report_data), report_data.rank_by
    if len(parts) < 2:
        return {}
    values = pd.DataFrame({name: part[rank_by] for name, part in parts.items()}).reindex(report_data.groups)
    least, most = (end.reduce(values.to_numpy(np.float64), axis=None) for end in (np.fmin, np.fmax))  # NaN says nothing
    shares = ((values - least) / (most - least if most > least else 1.0)).round(2)
    columns: dict[str, dict[Any, _Cell]] = {}
    for name, part in values.items():
        columns[str(name)] = {}
        for group, value in part.items():
            address = _link_to_rows(group=label(group), dataset=str(name), metric=rank_by, sort="lowest")
            cell = _Cell(number(value, ".1f"), address, "shaded", shares.loc[group, name])
            columns[str(name)][group] = _Cell("–") if pd.isna(value) else cell
    return columns


# --- pairs


def _make_tables_of_differences(report_data: ReportData) -> list[tuple[str, _Table]]:
    """Return, for each metric, the differences of all pairs: the row's group less the column's, in points."""
    if report_data.compared is None:
        return []
    names = [label(group) for group in report_data.groups]
    headings = names if report_data.arguments.baseline is None else [label(report_data.arguments.baseline)]
    tables = []
    for metric in sorted(report_data.metrics, key=lambda name: name != report_data.rank_by):
        pairs = report_data.pairs(metric).to_dict("records")
        made = (_make_cell_of_pair(pair, metric, alpha_of(report_data.arguments.ci)) for pair in pairs)
        cells = {(label(pair["a"]), label(pair["b"])): cell for pair, cell in zip(pairs, made, strict=True)}
        rows = [(a, [cells.get((a, b), _Cell("")) for b in headings]) for a in names if [a] != headings]
        key = f"{report_data.columns.by}, less"
        tables.append((metric, _Table(f"Differences in {metric}", key, headings, rows, looks="pairs")))
    return tables


def _make_cell_of_pair(pair: dict[Any, Any], metric: str, alpha: float) -> _Cell:
    """Return the cell of a difference in points, with a star if it is significant; a dash where it is NaN.

    pair: a row of `ReportData.pairs`. alpha: the level of significance.
    """
    if pd.isna(pair["diff"]):
        return _Cell("–")
    is_decided = pair["p_adj"] < alpha  # False for a p that is not known
    looks = ("higher" if pair["diff"] > 0 else "lower") if is_decided else ""
    address = _link_to_rows(group=label(pair["a"]), against=label(pair["b"]), metric=metric, sort="difference")
    return _Cell(f"{number(100 * pair['diff'], '+.1f')}{'*' * is_decided}", address, looks)
