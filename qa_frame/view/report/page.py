"""A report as one page of HTML."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pandas as pd

from qa_frame.errors import MissingPackageError
from qa_frame.scoring.pooled import COUNTS
from qa_frame.view.report.embedded_rows import PackedRows
from qa_frame.view.report.gathered import Gathered, rows_with
from qa_frame.view.report.pictures import figure
from qa_frame.view.results import label

_MOST_NAMED = 4
_MOST_COLUMNS = 6
"""A table has at most so many metrics, which have room on a page of paper."""

_FOLDER = resources.files(__package__)
_EXPLANATION = resources.files("qa_frame.view.explain").joinpath("explanation.css")


def load_template() -> Any:
    """Return the template of the page; MissingPackageError if the engine of templates is not installed."""
    try:
        import jinja2  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise MissingPackageError(
            'qa_frame.report needs Jinja2, which is not installed; pip install "qa-frame[report]"'
        ) from error
    made = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    return made.from_string(_read("page.html"))


def render(template: Any, gathered: Gathered, rows: PackedRows, **said: Any) -> str:
    """Return the page. Its content policy allows its own script and nothing from elsewhere.

    said: what the template shows as it is given: the title, the pictures, the files, and facts on how it was made.
    """
    script, columns = _read("page.js"), gathered.columns
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page: str = template.render(
        gathered=gathered,
        level=f"{100 * gathered.ci:g} %",
        alpha=f"{1 - gathered.ci:g}",
        verdict=_verdict(gathered),
        n_rows=len(gathered.rows),
        n_questions=len(gathered.rows[columns.questions].drop_duplicates()) if columns.on else None,
        leaderboard=_figures(gathered, gathered.overall, "All rows", has_ranks=gathered.ranked is not None),
        datasets=_datasets(gathered),
        matrix=_matrix(gathered),
        hazards=_hazards(gathered),
        rows=rows,
        script=script,
        digest=digest,
        style=_read("page.css") + _EXPLANATION.read_text("utf-8"),
        **said,
    )
    return page


def _read(name: str) -> str:
    return _FOLDER.joinpath(name).read_text("utf-8")


# --- parts


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell of a table, and where it leads to among the rows."""

    text: str
    address: str = ""
    looks: str = ""


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of cells. key: what its rows are. rows: their names and cells. looks: its class of CSS."""

    caption: str
    key: str
    heads: Sequence[str]
    rows: Sequence[tuple[str, Sequence[_Cell]]]
    sorted_by: str = ""
    looks: str = ""


def _address(**filters: str) -> str:
    """Return the address of some rows on the page."""
    return f"#rows?{urlencode(filters)}"


def _figures(
    gathered: Gathered, table: pd.DataFrame, caption: str, *, has_ranks: bool = False, **inside: str
) -> list[_Table]:
    """Return tables of figures by group, each of so few metrics that it is not too wide to read, or to print.

    inside: what the rows are besides, to which the figures lead.
    """
    best = {name: table[name].max() for name in gathered.metrics}
    counts = _counts(gathered)
    n_metrics = len(gathered.metrics)
    found = []
    for start in range(0, n_metrics, _MOST_COLUMNS):
        metrics = gathered.metrics[start : start + _MOST_COLUMNS]
        is_first = start == 0
        rows = []
        for group, row in table.iterrows():
            name = label(group)
            cells = [_rank(gathered, group)] if has_ranks and is_first else []
            for metric in metrics:
                address = _address(group=name, metric=metric, sort="lowest", **inside)
                cells.append(_Cell(figure(row, metric), address, "best" if row[metric] == best[metric] else ""))
            cells += [_Cell(_count(row[each])) for each in counts if is_first]
            rows.append((name, cells))
        part = caption if n_metrics <= _MOST_COLUMNS else f"{caption}, {metrics[0]} to {metrics[-1]}"
        heads = [*(["rank"] if has_ranks and is_first else []), *metrics, *(counts if is_first else [])]
        found.append(_Table(part, str(gathered.columns.by), heads, rows, gathered.lead))
    return found


def _rank(gathered: Gathered, group: Any) -> _Cell:
    """Return the ranks that a group may have, and the letters that it shares with those it cannot be told from."""
    assert gathered.ranked is not None
    if group not in gathered.ranked.index:
        return _Cell("–")
    low, high, letters = gathered.ranked.loc[group, ["rank_lo", "rank_hi", "letters"]]
    ranks = str(low) if low == high else f"{low}–\u2060{high}"  # no line ends after this dash
    return _Cell(f"{ranks} {letters}")


def _verdict(gathered: Gathered) -> str:
    """Return in some sentences which group is best by the leading metric, how sure that is, and who is by others."""
    table, lead = gathered.overall, gathered.lead
    known = table[table[lead].notna()]
    if gathered.ranked is None or known.empty:
        return ""
    best = known.index[0]
    told = f"{label(best)} has the highest {lead}: {figure(known.iloc[0], lead)}."
    letters = set(gathered.ranked["letters"].get(best, ""))
    close = [label(group) for group, own in gathered.ranked["letters"].items() if group != best and letters & set(own)]
    several = f"{len(close)} others" if len(close) > _MOST_NAMED else " and ".join(close)
    sure = f"cannot be told from {several}" if close else "is surely better than all others"
    first_by = {name: known[name].idxmax() for name in gathered.metrics if (known[name] > known[name].iloc[0]).any()}
    named = ", ".join(f"{label(group)} by {metric}" for metric, group in first_by.items())
    return f"{told} By {lead} it {sure}." + (f" Other metrics have another first: {named}." if named else "")


def _counts(gathered: Gathered) -> list[str]:
    """Return the columns of counts that say something: all rows, and others where a row is in them or out of them."""
    table = gathered.overall
    names = [name for name in COUNTS if name in table and name != "n"]
    return ["n", *(name for name in names if table[name].ne(table["n"] if name == "n_scored" else 0).any())]


def _count(value: Any) -> str:
    return "–" if pd.isna(value) else f"{int(value):,}"


def _datasets(gathered: Gathered) -> list[_Table]:
    """Return the tables of each dataset, best group first."""
    table = gathered.by_dataset
    if table is None:
        return []
    levels: list[Any] = list(range(table.index.nlevels - 1))
    found = []
    for key, part in table.groupby(level=levels[0] if len(levels) == 1 else levels, sort=False):  # as pandas 2.2 asks
        name = label(key)
        inside = part.droplevel(levels).sort_values(gathered.lead, ascending=False, kind="stable")
        found += _figures(gathered, inside, name, dataset=name)
    return found


def _matrix(gathered: Gathered) -> list[tuple[str, _Table]]:
    """Return, for each metric, the differences of all pairs: the row's group less the column's, in points."""
    compared = gathered.compared
    if compared is None:
        return []
    names, alpha = [label(group) for group in gathered.groups], 1 - gathered.ci
    found = []
    for metric in sorted(gathered.metrics, key=lambda name: name != gathered.lead):
        cells = {}
        for pair in compared[compared["metric"] == metric].to_dict("records"):
            a, b = label(pair["a"]), label(pair["b"])
            cells[a, b] = _difference(pair, a, b, metric, sign=1, alpha=alpha)
            cells[b, a] = _difference(pair, b, a, metric, sign=-1, alpha=alpha)
        rows = [(a, [cells.get((a, b), _Cell("")) for b in names]) for a in names]
        found.append((metric, _Table(f"Differences in {metric}", "", names, rows, looks="pairs")))
    return found


def _difference(pair: dict[Any, Any], a: str, b: str, metric: str, *, sign: int, alpha: float) -> _Cell:
    if pd.isna(pair["diff"]):
        return _Cell("–")
    is_sure = pair["p_adj"] < alpha  # False for a p that is not known
    diff = sign * pair["diff"]
    looks = ("higher" if diff > 0 else "lower") if is_sure else ""
    address = _address(group=a, against=b, metric=metric, sort="difference")
    return _Cell(f"{100 * diff:+.1f}{'*' * is_sure}", address, looks)


def _hazards(gathered: Gathered) -> list[dict[str, Any]]:
    n_rows = len(gathered.rows)
    return [
        {
            "name": hazard.name,
            "count": int(np.count_nonzero(hazard.flags)),
            "share": f"{100 * np.count_nonzero(hazard.flags) / n_rows:.1f}\u00a0%",
            "remedy": hazard.remedy,
            "address": _address(hazard=hazard.name) if rows_with(hazard).any() else "",
        }
        for hazard in gathered.hazards
    ]
