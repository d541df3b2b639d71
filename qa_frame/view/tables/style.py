"""`qa_frame.style`: a table of results → a table for a notebook or a paper."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from qa_frame.errors import (
    ColumnNotFoundError,
    PairingError,
    UnknownOptionError,
    is_equal,
    require_choice,
    require_flag,
    require_number,
    require_whole_number,
    show,
    suggestion,
)
from qa_frame.reports.result_tables import floats, is_null, read_compared, same_key
from qa_frame.view.results import Result, is_numeric, label, read_result
from qa_frame.view.tables.styled_table import Mark, StyledTable

Interval = Literal["bounds", "half", "none"]
INTERVALS: tuple[Interval, ...] = ("bounds", "half", "none")

_P_VALUES = ("p", "p_adj", "p_noninferior", "p_equivalent")
_BOUNDS_IN_THE_MARGIN = ("tost_lo", "tost_hi")
"""Bounds of `compare` that have columns of their own: the interval in the cell of `diff` has another level."""
_P_DIGITS = 3
_OWN_DIGITS = 6
_MOST_DIGITS = 15
_NOTHING = "-"
_NOTES = {"bounds": "In brackets: confidence intervals.", "half": "±: half the width of the interval."}


def style(
    table: Any,
    *,
    compared: Any = None,
    within: str | Sequence[str] | None = None,
    interval: Interval = "bounds",
    bold: bool = True,
    counts: bool = True,
    alpha: float = 0.05,
    digits: int | None = None,
) -> StyledTable:
    """Set a table of results for a notebook or a paper: figures rounded, intervals in their cells, the best in bold.

    The result shows itself in a notebook, prints as text as wide as the terminal, and has `to_markdown()` and
    `to_latex()`.

    Parameters
    ----------
    table
        A result of `summary` (wide or long), `Pool.summary`, `compare`, `ranks`, `power`, `agreement`, `human_mean`,
        `confusion`, `abstention`, `risk_coverage` or `items`; in pandas, polars or Arrow.
    compared
        The result of `compare` for the same groups. Figures that are not significantly lower than the best of their
        column are then underlined: their paired difference from it is not above 0 with `p_adj` below `alpha`. A figure
        that could not be tested, as its `p_adj` is null, is not underlined. Every pair that is needed must be there, so
        compare without a baseline.
    within
        The keys within which the best is sought, such as "dataset" in a table by model and dataset. None seeks the best
        of the whole column.
    interval
        Where the table has bounds: `"bounds"` writes `0.612 [0.589, 0.634]`; `"half"` writes `0.612 ± 0.022`, half of
        the interval's width, which hides that these intervals are seldom symmetric; `"none"` writes `0.612`.
    bold
        Whether the highest figure is in bold. Only tables of `summary` have a highest one. Several are in bold if they
        are equal to the last bit. Columns that were added or renamed later are shown without bold: a table notes which
        of its columns are figures. A polars frame or a table from a file has no note. Its figures are the columns that
        have the name of a metric, or bounds.
    counts
        Whether `n`, `n_scored` and so on are shown, where the table has them in columns of their own.
    alpha
        The level below which `p_adj` is significant, from 0 to 1.
    digits
        Digits of figures after the point, from 0 to 15. None takes 3 digits, or 1 in percent. Other columns of floats
        have six digits in all.

    Returns
    -------
    StyledTable
        Its `cells`, `marks` and `note` can be read.

    Raises
    ------
    ColumnTypeError, ColumnNotFoundError
        Where `table` or `compared` is something else.
    PairingError
        Where `compared` lacks a pair that is needed.
    UnknownOptionError
        Where an argument has a value that is not allowed.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics=["f1", "recall"])
    >>> summed = scored.qa.summary(by="model", percent=True, ci=0.95)
    >>> compared = scored.qa.compare(by="model", on="question_id")
    >>> qa_frame.style(summed, compared=compared, counts=False)
    model                       f1              recall
    ----------  ------------------  ------------------
    heron-7b    20.6 [15.5, 27.0]   18.0 [13.1, 24.3]
    lynx-70b    72.4 [66.0, 77.9]*  75.6 [68.9, 81.3]*
    otter-chat  33.9 [30.7, 37.3]   75.5 [68.8, 81.1]=
    <BLANKLINE>
    In brackets: confidence intervals. Bold (* in text): the highest. Underlined (= in text): not
    significantly lower (p_adj >= 0.05).
    """
    require_choice("interval", interval, INTERVALS)
    require_flag("bold", bold)
    require_flag("counts", counts)
    require_number("alpha", alpha, most=1)
    if digits is not None:
        require_whole_number("digits", digits, least=0, most=_MOST_DIGITS)
    result = read_result(table)
    if not len(result.frame.columns):
        raise ColumnNotFoundError("table has no columns; give what summary, compare or agreement returned")
    if digits is None:
        digits = 1 if result.is_percent else 3
    is_summary = result.kind == "summary"
    rows = _rows_within(result, within)
    pairs = {} if compared is None else _read_pairs(compared)
    if not is_summary and (compared is not None or within is not None):
        raise UnknownOptionError("compared and within are of use for a table of summary alone; leave them out")
    marks = _marks(result, rows, pairs, float(alpha)) if bold and is_summary else {}
    hidden = result.counts if is_summary and not counts and not result.is_long else []
    left_out = {*hidden, *itertools.chain(*result.bounds.values())}  # bounds stand in the cells of their figures
    shown = [name for name in result.frame.columns if name not in left_out]
    cells = {name: _column(result, name, int(digits), interval) for name in shown}
    numbers = frozenset(name for name in cells if is_numeric(result.frame[name]))
    said = [_NOTES[interval]] if interval != "none" and result.bounds else []
    if marks:
        said.append("Bold (* in text): the highest.")
    if marks and compared is not None:
        said.append(f"Underlined (= in text): not significantly lower (p_adj >= {float(alpha):g}).")
    return StyledTable(cells, numbers, marks, " ".join(said))


def _rows_within(result: Result, within: Any) -> list[Any]:
    """Return a value per row. Rows with equal values are compared with each other."""
    frame, keys = result.frame, result.keys
    if within is None:
        return _keys_of_rows(frame, ())
    names = [within] if isinstance(within, str) else within
    if not isinstance(names, list | tuple) or not names:
        raise UnknownOptionError(f"within={show(within)} is not a name or a list of names; choose from {keys}")
    for name in names:
        if not any(is_equal(name, key) for key in keys):
            raise UnknownOptionError(
                f"within={show(name)} is not a key of the table{suggestion(name, keys)} Its keys: {keys}"
            )
    return _keys_of_rows(frame, map(str, names))


def _keys_of_rows(frame: pd.DataFrame, names: Iterable[str]) -> list[Any]:
    """Return the key that these columns make of each row; None per row without columns."""
    columns = [frame[name].tolist() for name in names]
    return [same_key(row) for row in zip(*columns, strict=True)] if columns else [None] * len(frame)


# --- the best figures, and those close to them


Pairs = Mapping[str, Mapping[tuple[Any, Any], tuple[float, float]]]
"""For each metric and pair of groups: how much higher the first is, and p_adj."""


def _read_pairs(compared: Any) -> Pairs:
    frame = read_compared(compared, "compared")
    pairs: dict[str, dict[tuple[Any, Any], tuple[float, float]]] = {}
    columns = (frame[name].tolist() for name in ("metric", "a", "b", "diff", "p_adj"))
    for metric, first, second, diff, p in zip(*columns, strict=True):
        a, b = same_key(first), same_key(second)
        of_metric = pairs.setdefault(str(metric), {})
        of_metric[a, b], of_metric[b, a] = (float(diff), float(p)), (-float(diff), float(p))
    return pairs


def _marks(result: Result, rows: Sequence[Any], pairs: Pairs, alpha: float) -> dict[str, list[Mark]]:
    """Return the marks of each column that has some. A figure that is compared with no other one has no mark."""
    groups = _keys_of_rows(result.frame, result.keys)
    marks: dict[str, list[Mark]] = {}
    for name in result.figures:
        metrics = result.frame["metric"].astype(str) if result.is_long else [name] * len(groups)
        values = floats(result.frame, name)
        of_column: list[Mark] = [""] * len(groups)
        together: dict[Any, list[int]] = {}
        for place, key in enumerate(zip(rows, metrics, strict=True)):
            if not np.isnan(values[place]):
                together.setdefault(key, []).append(place)
        for (_, metric), places in together.items():
            best = values[places].max()
            tops = [groups[place] for place in places if values[place] == best]
            for place in places if len(places) > 1 else ():
                if values[place] == best:
                    of_column[place] = "best"
                elif all(_is_close(pairs, metric, top, groups[place], alpha) for top in tops):
                    of_column[place] = "close"
        if any(of_column):
            marks[name] = of_column
    return marks


def _is_close(pairs: Pairs, metric: str, best: Any, other: Any, alpha: float) -> bool:
    """Return whether a group is not significantly lower than the best one; False where this was not tested."""
    if metric not in pairs:
        return False
    if (best, other) not in pairs[metric]:
        raise PairingError(
            f"compared has no row of metric {metric!r} for the groups {show(best)} and {show(other)}; compare with the "
            "same `by` as the table has, and without a baseline"
        )
    diff, p = pairs[metric][best, other]
    return not np.isnan(p) and not (diff > 0 and p < alpha)


# --- cells


def _column(result: Result, name: str, digits: int, interval: Interval) -> list[str]:
    """The texts of a column's cells, with the bounds of a figure."""
    frame = result.frame
    if result.kind == "compare" and name in _P_VALUES:
        form: Callable[[Any], str] = _p_value
    else:
        is_figure = name in result.figures or (result.kind == "compare" and name in _BOUNDS_IN_THE_MARGIN)
        form = functools.partial(_figure, digits=digits) if is_figure else _other
    column = [_NOTHING if is_null(value) else form(value) for value in frame[name].tolist()]
    if interval == "none" or name not in result.bounds:
        return column
    digits = 0 if pd.api.types.is_integer_dtype(frame[name]) else digits  # as those of ranks
    bounds = zip(column, *(floats(frame, end) for end in result.bounds[name]), strict=True)
    return [_with_bounds(cell, low, high, digits, interval) for cell, low, high in bounds]


def _figure(value: Any, digits: int) -> str:
    return f"{value:.{digits}f}" if isinstance(value, float) else label(value)


def _p_value(value: Any) -> str:
    least = 10**-_P_DIGITS
    return f"<{least:.{_P_DIGITS}f}" if isinstance(value, float) and value < least else _figure(value, _P_DIGITS)


def _other(value: Any) -> str:
    """A cell of a key, a count, or a column of the user's own."""
    return f"{value:.{_OWN_DIGITS}g}" if isinstance(value, float) else label(value)


def _with_bounds(cell: str, low: float, high: float, digits: int, interval: Interval) -> str:
    if np.isnan(low) and np.isnan(high):
        return cell
    sizes = [(high - low) / 2] if interval == "half" else [low, high]
    shown = [_NOTHING if np.isnan(size) else _figure(float(size), digits) for size in sizes]
    return f"{cell} ± {shown[0]}" if interval == "half" else f"{cell} [{', '.join(shown)}]"
