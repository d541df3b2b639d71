"""A report as one page of HTML."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pandas as pd

from qa_frame.errors import IntervalWarning, MissingPackageError, PlotWarning, StratumWarning
from qa_frame.ext.report.conclusions import first_words, say_what_is_found
from qa_frame.ext.report.embedded_rows import PackedRows
from qa_frame.ext.report.pictures import figure, points
from qa_frame.ext.report.report_data import LEFT_OUT, ReportData, isolating, rows_with
from qa_frame.scoring.pooled import COUNTS, SAMPLE_COUNTS
from qa_frame.stats.differences import alpha_of
from qa_frame.tables.results import label
from qa_frame.tables.visible import number

_MINOR = (IntervalWarning, StratumWarning, PlotWarning)
"""Warnings that leave a table true, and are folded."""

_MOST_COLUMNS = 6
"""A table has at most so many metrics, which have room on a page of paper."""

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


def render(template: Any, report_data: ReportData, rows: PackedRows, **said: Any) -> str:
    """Return the page. Its content policy allows its own script and nothing from elsewhere.

    said: what the template shows as it is given: the title, the pictures, the files, and facts on how it was made.
    """
    script = _read_own_file("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page: str = template.render(
        report_data=report_data,
        words=first_words(report_data),
        warned=_sort_warnings(report_data),
        isolated=isolating(report_data),
        leaderboard=_make_tables_of_figures(report_data, report_data.overall, "All rows", is_first=True),
        map=_make_map_of_datasets(report_data),
        datasets=_make_tables_of_datasets(report_data),
        matrix=_make_tables_of_differences(report_data),
        address=_link_to_rows,
        rows_with=rows_with,
        parts_of=_split_remedy,
        rows=rows,
        script=script,
        digest=digest,
        style=_read_own_file("page.css") + _EXPLANATION.read_text("utf-8"),
        **said,
    )
    return page


def _read_own_file(name: str) -> str:
    return _FOLDER.joinpath(name).read_text("utf-8")


# --- parts


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell of a table, and where it leads to among the rows. share: how dark it is, from 0 to 1."""

    text: str
    address: str = ""
    looks: str = ""
    share: float | None = None


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of cells. key: what its rows are. rows: their names and cells. looks: its class of CSS."""

    caption: str
    key: str
    heads: Sequence[str]
    rows: Sequence[tuple[str, Sequence[_Cell]]]
    sorted_by: str = ""
    looks: str = ""


def _link_to_rows(**filters: str) -> str:
    """Return the address of some rows on the page."""
    return f"#rows?{urlencode(filters)}"


def _sort_warnings(report_data: ReportData) -> tuple[list[str], list[str]]:
    """Return the warnings that may make tables untrue, and others. What the first paragraph says is in neither."""
    said = tuple(doubt.text for doubt in report_data.doubts)
    told = {text: category for text, category in report_data.warned.items() if not text.startswith(said)}
    minor = [text for text, category in told.items() if issubclass(category, _MINOR) or text.startswith(LEFT_OUT)]
    return [text for text in told if text not in minor], minor


def _make_tables_of_figures(
    report_data: ReportData, table: pd.DataFrame, caption: str, *, is_first: bool = False, **inside: str
) -> list[_Table]:
    """Return tables of figures by group, each of so few metrics that it is not too wide to read, or to print.

    is_first: whether it has ranks, or the verdicts beside the baseline. inside: what the rows are besides, to which the
    figures lead.
    """
    best = {name: table[name].max() for name in report_data.metrics if table[name].max() > table[name].min()}
    # The metric that leads stands first, and people's verdicts beside it.
    names = sorted(report_data.metrics, key=lambda name: (name != report_data.rank_by, name != report_data.human))
    parts = [names[start : start + _MOST_COLUMNS] for start in range(0, len(names), _MOST_COLUMNS)]
    decided = _make_decided_column(report_data) if is_first else {}
    found = []
    for metrics in parts:
        of_part = decided if metrics is parts[0] else {}
        counts = _choose_counts(report_data, table, metrics, is_first=metrics is parts[0])
        rows = []
        for (group, row), counted in zip(table.iterrows(), counts.itertuples(index=False, name=None), strict=True):
            cells = [of_group[group] for of_group in of_part.values()]
            for metric in metrics:
                address = _link_to_rows(group=label(group), metric=metric, sort="lowest", **inside)
                cells.append(_Cell(figure(row, metric), address, "best" if row[metric] == best.get(metric) else ""))
            cells += [_Cell("–" if pd.isna(count) else f"{count:,.0f}") for count in counted]
            rows.append((label(group), cells))
        part = caption if len(parts) == 1 else f"{caption}, {' to '.join(dict.fromkeys((metrics[0], metrics[-1])))}"
        found.append(
            _Table(part, str(report_data.columns.by), [*of_part, *metrics, *counts], rows, report_data.rank_by)
        )
    return found


def _make_decided_column(report_data: ReportData) -> dict[str, dict[Any, _Cell]]:
    """Return the column of ranks, or that of verdicts where groups are compared with a baseline; none without pairs."""
    if report_data.compared is None:
        return {}
    cells = {group: _Cell("–") for group in report_data.groups}
    if report_data.ranked is None:
        pairs = report_data.pairs(report_data.rank_by)
        pairs = pairs[pairs["b"] == report_data.baseline]
        verdicts = zip(pairs["a"], pairs["verdict"], pairs["mdd"], strict=True)
        cells |= {a: _Cell(f"{verdict}{say_what_is_found([mdd])}") for a, verdict, mdd in verdicts}
        return {f"beside {label(report_data.baseline)}": cells}
    for group, low, high in report_data.ranked[["rank_lo", "rank_hi"]].itertuples(name=None):
        cells[group] = _Cell(str(low) if low == high else f"{low}–\u2060{high}")  # no line ends after this dash
    return {"rank": cells}


def _choose_counts(
    report_data: ReportData, table: pd.DataFrame, metrics: Sequence[str], *, is_first: bool
) -> pd.DataFrame:
    """Return the columns of counts that say something, so that each figure shows how many rows it rests on.

    These are the rows that the leading metric scores, or all questions; and those of each of `metrics` that scores
    others. is_first: whether all rows, where these are more, and those of other counts are there, too.
    """
    n, n_rows = COUNTS[:2]
    whole = SAMPLE_COUNTS[0] if SAMPLE_COUNTS[0] in table else n
    scored = {name: table.get(f"n_{name}", table[whole]) for name in {report_data.rank_by, *metrics}}
    base = scored[report_data.rank_by] if whole == n else table[whole]
    counts = {whole: base, n_rows: table[n_rows]} if is_first else {}
    if base.eq(table[n_rows]).all():
        counts.pop(n_rows, None)
    counts |= {f"n_{name}": scored[name] for name in metrics if scored[name].ne(base).any()}
    counts |= {name: table[name] for name in COUNTS[2:] if is_first and name in table and table[name].ne(0).any()}
    return pd.DataFrame(counts, index=table.index)


def _split_by_dataset(report_data: ReportData) -> dict[str, pd.DataFrame]:
    """Return the figures of each dataset, by group."""
    table = report_data.by_dataset
    if table is None:
        return {}
    levels: list[Any] = list(range(table.index.nlevels - 1))
    level = levels[0] if len(levels) == 1 else levels  # as pandas 2.2 asks
    parts = table.groupby(level=level, sort=False, observed=True)
    return {label(key): part.droplevel(levels) for key, part in parts}


def _make_tables_of_datasets(report_data: ReportData) -> list[tuple[str, list[_Table]]]:
    """Return the tables of each dataset, best group first."""
    found = []
    for name, part in _split_by_dataset(report_data).items():
        inside = part.sort_values(report_data.rank_by, ascending=False, kind="stable")
        found.append((name, _make_tables_of_figures(report_data, inside, name, dataset=name)))
    return found


def _make_map_of_datasets(report_data: ReportData) -> _Table | None:
    """Return the means of each group in each dataset by the leading metric, the higher the darker."""
    parts, rank_by = _split_by_dataset(report_data), report_data.rank_by
    if len(parts) < 2:
        return None
    values = pd.DataFrame({name: part[rank_by] for name, part in parts.items()}).reindex(report_data.groups)
    least, most = (end.reduce(values.to_numpy(np.float64), axis=None) for end in (np.fmin, np.fmax))  # NaN says nothing
    span = most - least if most > least else 1.0
    rows = []
    for group, row in values.iterrows():
        cells = []
        for dataset, value in row.items():
            address = _link_to_rows(group=label(group), dataset=str(dataset), metric=rank_by, sort="lowest")
            share = round((value - least) / span, 2)
            cells.append(_Cell("–") if pd.isna(value) else _Cell(number(value, ".1f"), address, share=share))
        rows.append((label(group), cells))
    return _Table(f"Mean {rank_by} by dataset", str(report_data.columns.by), [*parts], rows, looks="pairs map")


def _make_tables_of_differences(report_data: ReportData) -> list[tuple[str, _Table]]:
    """Return, for each metric, the differences of all pairs: the row's group less the column's, in points."""
    if report_data.compared is None:
        return []
    names = [label(group) for group in report_data.groups]
    heads = names if report_data.baseline is None else [label(report_data.baseline)]
    found = []
    for metric in sorted(report_data.metrics, key=lambda name: name != report_data.rank_by):
        pairs = report_data.pairs(metric).to_dict("records")
        made = (_make_cell_of_pair(pair, metric, alpha_of(report_data.ci)) for pair in pairs)
        cells = {(label(pair["a"]), label(pair["b"])): cell for pair, cell in zip(pairs, made, strict=True)}
        rows = [(a, [cells.get((a, b), _Cell("")) for b in heads]) for a in names if [a] != heads]
        key = f"{report_data.columns.by}, less"
        found.append((metric, _Table(f"Differences in {metric}", key, heads, rows, looks="pairs")))
    return found


def _make_cell_of_pair(pair: dict[Any, Any], metric: str, alpha: float) -> _Cell:
    if pd.isna(pair["diff"]):
        return _Cell("–")
    is_decided = pair["p_adj"] < alpha  # False for a p that is not known
    looks = ("higher" if pair["diff"] > 0 else "lower") if is_decided else ""
    address = _link_to_rows(group=label(pair["a"]), against=label(pair["b"]), metric=metric, sort="difference")
    return _Cell(f"{points(pair['diff'])}{'*' * is_decided}", address, looks)


# --- code in remedies

_CODE = re.compile(
    r"(\b(?:data\b(?:\[| = )|text = |qa_frame\.|Text\(|summary\(|(?:extract|metrics|convention)=).*?)"
    r"(?=,? (?:takes|keeps|or|and|which|but) |; |, ?on all|$)"
)
"""Code in a remedy, up to the words that follow code in remedies."""


def _split_remedy(remedy: str) -> list[tuple[str, bool]]:
    """Return a remedy in parts, each with whether it is code, which the page shows as such."""
    return [(part, place % 2 == 1) for place, part in enumerate(_CODE.split(remedy)) if part]
