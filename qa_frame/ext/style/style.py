"""`qa_frame.style`: a table of results → a table for a notebook or a paper."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from qa_frame.checks import (
    is_equal,
    require_text,
    require_whole_number,
    suggestion,
)
from qa_frame.errors import ColumnNotFoundError, PairingError, UnknownOptionError, show
from qa_frame.ext.style.layout import MEAN, NOTHING, Part, heading_of, join_parts
from qa_frame.ext.style.rows_shown import show_rows
from qa_frame.ext.style.styled_table import StyledTable
from qa_frame.frames.diagnosis import is_null
from qa_frame.frames.source import read_source
from qa_frame.stats.differences import alpha_of
from qa_frame.tables.methods import explains_wrong_calls
from qa_frame.tables.result_tables import floats, read_compared, result_kinds, same_key
from qa_frame.tables.results import (
    Result,
    is_numeric,
    label,
    read_compare_settings,
    read_frame_of_rows,
    read_once,
    read_result,
)
from qa_frame.tables.visible import number

_P_VALUES = ("p", "p_adj", "p_noninferior", "p_equivalent")
_BOUNDS_IN_THE_MARGIN = ("tost_lo", "tost_hi")
"""Bounds of `compare` that have columns of their own: the interval in the cell of `diff` has another level."""
_P, _LEAST_P = ".3f", 0.001
_OWN = ".6g"
"""The formats of p-values, and of keys, counts and the user's own columns."""
_MOST_DIGITS = 15
_USUAL_LEVEL = 0.95
"""The level of a comparison that does not say it, as one in polars."""


@explains_wrong_calls
def style(
    table: Any,
    *,
    compared: Any = None,
    within: str | Sequence[str] | None = None,
    columns: str | Sequence[str] | None = None,
    mean: Any = None,
    bold: bool = True,
    counts: bool | None = None,
    digits: int | None = None,
    caption: str = "",
) -> StyledTable:
    """Set a table of results for a notebook or a paper: figures rounded, intervals in their cells, the best in bold.

    The result shows itself in a notebook, prints as text as wide as the terminal, and has `to_markdown()` and
    `to_latex()`. `df.qa.style(...)` is `qa_frame.style(df, ...)`.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics=["f1", "recall"])
    >>> summed = scored.qa.summary(by="model", percent=True, ci=0.95)
    >>> compared = scored.qa.compare(by="model", question="question_id")
    >>> qa_frame.style(summed, compared=compared, counts=False)
    model                       F1              Recall
    ----------  ------------------  ------------------
    heron-7b    20.6 [15.2, 26.9]   18.0 [12.8, 24.1]
    lynx-70b    72.4 [66.1, 78.2]*  75.6 [69.0, 81.5]*
    otter-chat  33.9 [30.7, 37.2]   75.5 [68.9, 81.4]=
    <BLANKLINE>
    In brackets: 95 % confidence intervals. *: the highest. =: not significantly lower (adjusted p ≥
    0.05).

    Parameters
    ----------
    table
        Result of this package, such as that of `summary` or `compare`; or rows of answers, of which the first 50 are
        shown.
    compared
        Result of `compare` for the same groups. Figures that are not significantly lower than the best one are then
        marked (underlined).
    within
        Key(s) inside whose values the best is sought, such as "dataset" in a table by model and dataset. None seeks the
        best of the whole column.
    columns
        Key(s) whose values become columns, such as "dataset". The best is sought in each column.
    mean
        Table of means for the last columns: a `summary` by the keys of the rows alone. It needs `columns`.
    bold
        Whether the highest figure of a `summary` is in bold.
    counts
        Whether to show counts. None shows them unless `columns` is given.
    digits
        Number of digits after the point, from 0 to 15. None takes 3, or 1 for percent.
    caption
        Caption of the table, as plain text, which `to_latex()` escapes. With one, `to_latex()` gives a float.
        It is split where it is wider than 70 letters; `to_latex(width=80)` allows 80.

    Returns
    -------
    StyledTable
        Its `cells`, `marks` and `note` can be read. Bounds stand in the cells of their figures. In a comparison,
        `diff`, `p_adj` and `verdict` come first, after the names of the pair. `note` says how many rows there are if
        some are left out.

    Raises
    ------
    ColumnTypeError, ColumnNotFoundError
        Where `table`, `compared` or `mean` is something else.
    PairingError
        Where `compared` lacks a pair that is needed, or several rows of the table would stand in one cell.
    UnknownOptionError
        Where an argument has a value that is not allowed.
    """
    if digits is not None:
        require_whole_number("digits", digits, least=0, most=_MOST_DIGITS)
    require_text("caption", caption, "give the text of the caption")
    layout = {"compared": compared, "within": within, "columns": columns, "mean": mean}
    arguments = [argument for argument, value in layout.items() if value is not None]
    table = read_once(table)
    rows = read_frame_of_rows(table)
    if rows is not None:
        _refuse_layout(arguments)
        styled = show_rows(rows, 3 if digits is None else int(digits))
        return replace(styled, headings=_choose_headings(styled.cells, [*styled.cells]), caption=caption)
    result = read_result(table)
    if not len(result.frame.columns):
        raise ColumnNotFoundError("table has no columns; give what summary, compare or agreement returned")
    _refuse_layout(arguments if result.kind != "summary" else [])
    digits = (1 if result.is_percent else 3) if digits is None else int(digits)
    counts = columns is None if counts is None else counts
    look = _Look(_read_pairs(compared), bold=bold, counts=counts, digits=digits)
    keys = {argument: _read_keys(result, argument, layout[argument]) for argument in ("within", "columns")}
    styled = _lay_out(result, look, mean, **keys)
    note = " ".join(_explain_signs(result, look, styled.marks))
    return replace(styled, note=note, headings=_choose_headings(styled.cells, result.estimates), caption=caption)


def _refuse_layout(arguments: list[str]) -> None:
    """Raise UnknownOptionError if any of these arguments is given, as they need a table of `summary`.

    arguments: the names of those that are given.
    """
    if arguments:
        are, them = ("is", "it") if len(arguments) == 1 else ("are", "them")
        raise UnknownOptionError(
            f"{' and '.join(arguments)} {are} of use for a table of summary alone; leave {them} out"
        )


@dataclass(frozen=True, slots=True)
class _Look:
    """The arguments of `style` that say how figures look."""

    pairs: Pairs
    bold: bool
    counts: bool
    digits: int


def _read_keys(result: Result, argument: str, value: Any) -> list[str]:
    """Return the keys of the table that an argument names; none for None. UnknownOptionError where it names another."""
    names = [value] if isinstance(value, str) else value
    if value is None:
        return []
    if not isinstance(names, list | tuple) or not names:
        raise UnknownOptionError(f"{argument}={show(value)} is not a name or a list of names: {result.keys}")
    for name in names:
        if not any(is_equal(name, key) for key in result.keys):
            raise UnknownOptionError(
                f"{argument}={show(name)} is not a key of the table{suggestion(name, result.keys)} Its keys: "
                f"{result.keys}"
            )
    return [str(name) for name in names]


def _lay_out(result: Result, look: _Look, mean: Any, *, within: list[str], columns: list[str]) -> StyledTable:
    """Return the table with its cells and marks in their places. within, columns: the keys of these arguments."""
    frame = result.frame
    cells, marks = _make_cells_and_marks(result, look, [*columns, *within])
    if columns:
        rows = [name for name in result.keys if name not in columns]
        if result.is_long:
            raise UnknownOptionError(f"columns={columns} needs a wide summary; make the summary without long=True")
        if not rows:
            raise UnknownOptionError(f"columns={columns} leaves no key for the rows; give a summary by one more key")
        estimates = {name: column for name, column in cells.items() if name not in result.keys}
        parts = [Part(estimates, marks, _read_keys_of_rows(frame, rows), _read_keys_of_rows(frame, columns))]
        if mean is not None:
            parts.append(_make_part_of_mean(mean, result, rows, look))
        row_keys, cells, marks = join_parts(parts)
        values = [key if len(rows) > 1 else (key,) for key in row_keys]
        keys = {name: [_write_value(value[place], _OWN) for value in values] for place, name in enumerate(rows)}
        cells = {**keys, **cells}
    elif mean is not None:
        raise UnknownOptionError("mean stands beside columns of a key; give columns too, as in columns='dataset'")
    known = {name for name, column in frame.items() if is_numeric(column)}
    numbers = frozenset(name for name in cells if (name[1] if isinstance(name, tuple) else name) in known)
    kind = result_kinds().get(result.kind)
    below = [name for name in (kind.long_texts if kind else ()) if name in cells]
    return StyledTable(cells, numbers, marks, below=below)


def _make_part_of_mean(mean: Any, result: Result, rows: list[str], look: _Look) -> Part:
    """Return the figures of the argument `mean`; UnknownOptionError where it has other keys or units than the rows."""
    other = read_result(mean, "mean")
    if other.kind != "summary" or other.is_long or sorted(other.keys) != sorted(rows):
        raise UnknownOptionError(f"mean is not a wide summary by the keys of the rows; give summary(by={rows}, ...)")
    if other.is_percent != result.is_percent:
        raise UnknownOptionError("mean and table are not both in percent; give the same percent= to both summaries")
    cells, marks = _make_cells_and_marks(other, look, [])
    shown = {name: column for name, column in cells.items() if name in result.estimates}
    if not shown:
        raise UnknownOptionError(f"mean has none of the figures of table; give a summary of one of {result.estimates}")
    return Part(shown, marks, _read_keys_of_rows(other.frame, rows), [MEAN] * len(other.frame))


def _make_cells_and_marks(
    result: Result, look: _Look, within: list[str]
) -> tuple[dict[Any, list[str]], dict[Any, list[str]]]:
    """Return the cells of a table and the marks of its figures, by column. within: where the best is sought."""
    is_summary = result.kind == "summary"
    hidden = result.counts if is_summary and not look.counts and not result.is_long else []
    left_out = {*hidden, *itertools.chain(*result.bounds.values())}  # bounds stand in the cells of their figures
    kind = result_kinds().get(result.kind)
    first = [*result.keys, *kind.deciding] if kind and kind.deciding else []
    names = dict.fromkeys([*(name for name in first if name in result.frame), *result.frame.columns])
    cells = {name: _write_column(result, name, look) for name in names if name not in left_out}
    return cells, _mark_the_best(result, within, look) if is_summary else {}


def _explain_signs(result: Result, look: _Look, marks: Mapping[Any, Any]) -> Iterator[str]:
    """Yield the sentences that explain intervals and marks."""
    if result.bounds:
        level = result.level
        if result.kind == "ranks":
            by = "" if level is None else f", by differences with adjusted p < {1 - level:g}"
            yield f"In brackets: the ranks that a group may have{by}."
        else:
            of_level = result.intervals or ("" if level is None else f"{100 * level:g} %")
            yield f"In brackets: {f'{of_level} '.lstrip()}confidence intervals."
    if marks and look.bold:
        yield "Bold: the highest."
    if marks and look.pairs.alphas:
        alphas = " or ".join(f"{alpha:g}" for alpha in look.pairs.alphas)
        yield f"Underlined: not significantly lower (adjusted p ≥ {alphas})."


def _choose_headings(cells: Mapping[Any, Any], estimates: list[Any]) -> dict[Any, tuple[str, str]]:
    """Return the upper heading of each column, which may be "", and its own below that.

    Of columns by a key, the upper one is the value; or the figure, where all of them have the same.
    """
    headings = {key: ("", heading_of(key, estimates)) for key in cells if not isinstance(key, tuple)}
    spread = {
        key: ("Mean" if key[0] == MEAN else label(key[0]), heading_of(key[1], estimates))
        for key in cells
        if key not in headings
    }
    if len({name for _, name in spread}) == 1:
        spread = {key: both[::-1] for key, both in spread.items()}
    return headings | spread


def _read_keys_of_rows(frame: pd.DataFrame, names: Iterable[str]) -> list[Any]:
    """Return the key that these columns make of each row; None per row without columns."""
    columns = [frame[name].tolist() for name in names]
    return [same_key(row) for row in zip(*columns, strict=True)] if columns else [None] * len(frame)


# --- the best figures, and those close to them


@dataclass(frozen=True, slots=True)
class Pairs:
    """What comparisons say of two groups.

    Attributes
    ----------
    is_higher
        For each metric and pair of groups, whether the first is significantly higher; None where it was not tested.
    alphas
        The levels of significance of the comparisons; none where there are none.
    """

    is_higher: Mapping[str, Mapping[tuple[Any, Any], bool | None]]
    alphas: Sequence[float]


def _read_pairs(compared: Any) -> Pairs:
    """Return which group of each compared pair is better, from tables of `compare`."""
    tables = compared if isinstance(compared, list | tuple) else [compared] * (compared is not None)
    is_higher: dict[str, dict[tuple[Any, Any], bool | None]] = {}
    alphas = set[float]()
    for table in map(read_once, tables):
        frame = read_compared(table, "compared")
        alpha = alpha_of(read_compare_settings(read_source(table)).get("ci", _USUAL_LEVEL))
        columns = (frame[name].tolist() for name in ("metric", "a", "b", "diff", "p_adj"))
        for metric, first, second, diff, p in zip(*columns, strict=True):
            a, b = same_key(first), same_key(second)
            of_metric = is_higher.setdefault(str(metric), {})
            of_metric[a, b], of_metric[b, a] = (
                None if is_null(p) else sign * diff > 0 and p < alpha for sign in (1, -1)
            )
        alphas.add(alpha)
    return Pairs(is_higher, sorted(alphas))


def _mark_the_best(result: Result, within: list[str], look: _Look) -> dict[Any, list[str]]:
    """Return the marks of each column that has some, as in `StyledTable.marks`.

    A figure that is compared with no other one has no mark. within: as in `style`.
    """
    rows = _read_keys_of_rows(result.frame, within)
    groups = _name_groups_as_compared(result, within, look.pairs)
    marks: dict[Any, list[str]] = {}
    for name in result.estimates:
        metrics = result.frame["metric"].astype(str) if result.is_long else [name] * len(groups)
        values = floats(result.frame, name)
        of_column = [""] * len(groups)
        together: dict[Any, list[int]] = {}
        for place, key in enumerate(zip(rows, metrics, strict=True)):
            if not np.isnan(values[place]):
                together.setdefault(key, []).append(place)
        for (_, metric), places in together.items():
            best = values[places].max()
            tops = [groups[place] for place in places if values[place] == best]
            for place in places if len(places) > 1 else ():
                if values[place] == best:
                    of_column[place] = "best" * look.bold
                elif all(_is_not_significantly_lower(look.pairs, metric, top, groups[place]) for top in tops):
                    of_column[place] = "close"
        if any(of_column):
            marks[name] = of_column
    return marks


def _name_groups_as_compared(result: Result, within: list[str], pairs: Pairs) -> list[Any]:
    """Return the group of each row, as `compare` names it: by the keys in their order, or those of `within` first."""
    known = {group for of_metric in pairs.is_higher.values() for pair in of_metric for group in pair}
    orders = (result.keys, list(dict.fromkeys([*within, *result.keys])))
    as_keys, as_within = (_read_keys_of_rows(result.frame, order) for order in orders)
    return as_within if not known.issuperset(as_keys) and known.issuperset(as_within) else as_keys


def _is_not_significantly_lower(pairs: Pairs, metric: str, best: Any, other: Any) -> bool:
    """Return whether a group is not significantly lower than the best one; False where this was not tested.

    PairingError where the metric was compared, but not for these two groups.
    """
    if metric not in pairs.is_higher:
        return False
    if (best, other) not in pairs.is_higher[metric]:
        raise PairingError(
            f"compared has no row of metric {metric!r} for the groups {show(best)} and {show(other)}; compare with the "
            "same `by` as the table has, and without a baseline"
        )
    return pairs.is_higher[metric][best, other] is False


# --- cells


def _write_column(result: Result, name: str, look: _Look) -> list[str]:
    """Return the texts of a column's cells, with the bounds of a figure."""
    frame, form, least = result.frame, _OWN, -np.inf
    if result.kind == "compare" and name in _P_VALUES:
        form, least = _P, _LEAST_P
    elif name in result.estimates or (result.kind == "compare" and name in _BOUNDS_IN_THE_MARGIN):
        form = f".{look.digits}f"
    nothing = label(None) if name in result.keys else NOTHING  # a group of its own, as pictures name it
    column = [nothing if is_null(value) else _write_value(value, form, least) for value in frame[name].tolist()]
    if name not in result.bounds:
        return column
    digits = 0 if pd.api.types.is_integer_dtype(frame[name]) else look.digits  # as those of ranks
    bounds = np.stack([floats(frame, end) for end in result.bounds[name]], axis=1)
    shown = [[_write_bound(end, f".{digits}f") for end in row] for row in bounds.tolist()]
    rows = zip(column, shown, strict=True)
    return [cell if low == high == NOTHING else f"{cell} [{low}, {high}]" for cell, (low, high) in rows]


def _write_bound(end: float, form: str) -> str:
    """Return a bound in a cell. One just below 0 keeps its minus, as it tells whether 0 is inside the interval."""
    if np.isnan(end):
        return NOTHING
    text = number(end, form)
    return f"−{text}" if end < 0 and not text.startswith("−") else text


def _write_value(value: Any, form: str, least: float = -np.inf) -> str:
    """Return a value as a cell. form: the format of a float. least: a lower float is written as "<" and this number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return number(value, "d")
    if not isinstance(value, float):
        return label(value)
    return f"<{least:{form}}" if value < least else number(value, form)


# --- tables that print themselves so


_NO_ROWS = "This table lists no finding of the data checks of audit."
"""Rows may also have been taken out of it."""


def printed_whole(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of `audit` so that it prints as `style` shows it, as pandas would cut each remedy or call."""
    return _TableOfLongTexts(table)


class _TableOfLongTexts(pd.DataFrame):
    """The table of `audit` in pandas.

    What pandas makes of it is of this class, too, and prints as any frame once it lacks a column of an audit.
    """

    @property
    def _constructor(self) -> type[_TableOfLongTexts]:
        return _TableOfLongTexts

    def __repr__(self) -> str:
        if not self._is_whole():
            return super().__repr__()
        return repr(style(self.reset_index(drop=True))) if len(self) else _NO_ROWS

    def _repr_html_(self) -> Any:
        if not self._is_whole():
            return super()._repr_html_()  # type: ignore[misc]
        return style(self.reset_index(drop=True))._repr_html_() if len(self) else f"<p>{_NO_ROWS}</p>"

    def _is_whole(self) -> bool:
        """Return whether the table still has all columns of a table of `audit`."""
        return any(kind.columns <= {*self.columns} for kind in result_kinds().values() if kind.long_texts)
