"""`qa_frame.style`: a table of results → what stands in a notebook or a paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from qa_frame._typing import Floats
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
from qa_frame.view.result_tables import (
    Result,
    bounds_of,
    floats,
    is_bound,
    is_null,
    is_numeric,
    label,
    read_compared,
    read_result,
    same_key,
)
from qa_frame.view.tables import Cells, Mark, StyledTable

Interval = Literal["bounds", "half", "none"]
INTERVALS: tuple[Interval, ...] = ("bounds", "half", "none")

_P_VALUES = ("p", "p_adj")
_P_DIGITS = 3
_OWN_DIGITS = 6
_MOST_DIGITS = 15
_NOTHING = "-"


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

    The result shows itself in a notebook, prints as text of at most 100 columns, and has `to_markdown()` and
    `to_latex()`.

    Parameters
    ----------
    table
        What `summary` returned, wide or long, or `Pool.summary`, `compare` or `agreement`; in pandas, polars or Arrow.
    compared
        What `compare` returned for the same groups. Figures that are not significantly lower than the best of their
        column are then underlined: their paired difference from it is not above 0 with `p_adj` below `alpha`. What
        could not be tested, as its `p_adj` is null, is not. Every pair that is needed must be there, so compare
        without a baseline.
    within
        The keys within which the best is sought, such as "dataset" in a table by model and dataset. By default it is
        sought in the whole column.
    interval
        Where the table has bounds: `"bounds"` writes `0.612 [0.589, 0.634]`; `"half"` writes `0.612 ± 0.022`, half of
        the interval's width, which hides that these intervals are seldom symmetric; `"none"` writes `0.612`.
    bold
        Whether the highest figure is in bold. Only tables of `summary` have a highest one; equals are all in bold,
        where they are equal to the last bit. Columns that were added or renamed since are shown, and have none: a table
        says of itself which columns are figures. A polars frame or a table from a file does not. There, figures are the
        columns that are named as metrics, or have bounds.
    counts
        Whether `n`, `n_scored` and so on are shown, where the table has them in columns of their own.
    alpha
        The level below which `p_adj` is significant, from 0 to 1.
    digits
        Digits of figures after the point, from 0 to 15. By default 3, and 1 in percent. Other columns of floats have
        six digits in all.

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
    frame = result.frame
    if not len(frame.columns):
        raise ColumnNotFoundError("table has no columns; give what summary, compare or agreement returned")
    if digits is None:
        digits = 1 if result.is_percent else 3
    is_summary = result.kind == "summary"
    rows = _rows_within(result, within)
    pairs = None if compared is None else _read_pairs(compared)
    if not is_summary and (pairs is not None or within is not None):
        raise UnknownOptionError("compared and within are of use for a table of summary alone; leave them out")
    marks = _marks(result, rows, pairs, float(alpha)) if bold and is_summary else {}
    is_hidden = not counts and is_summary and not result.is_long
    hidden = [name for name in result.counts if is_hidden]
    cells = _cells(frame.drop(columns=hidden), result.figures, int(digits), interval)
    numbers = frozenset(name for name in cells if is_numeric(frame[name]))
    note = _note(frame, marks, interval, has_pairs=pairs is not None, alpha=float(alpha))
    return StyledTable(cells, numbers, marks, note)


def _rows_within(result: Result, within: Any) -> list[Any]:
    """What tells for each row with which others it is compared."""
    frame, keys = result.frame, result.keys
    if within is None:
        return [None] * len(frame)
    names = [within] if isinstance(within, str) else within
    if not isinstance(names, list | tuple) or not names:
        raise UnknownOptionError(f"within={show(within)} is not a name or a list of names; choose from {keys}")
    for name in names:
        if not any(is_equal(name, key) for key in keys):
            raise UnknownOptionError(
                f"within={show(name)} is not a key of the table{suggestion(name, keys)} Its keys: {keys}"
            )
    columns = [frame[str(name)].tolist() for name in names]
    return [tuple(map(same_key, row)) for row in zip(*columns, strict=True)]


# --- the best, and what is close to it


OfMetric = Mapping[tuple[Any, Any], tuple[float, float]]
"""By pair of groups: how much the first is higher, and p_adj."""

Pairs = Mapping[str, OfMetric]
"""The same by metric."""


def _read_pairs(compared: Any) -> Pairs:
    frame = read_compared(compared, "compared")
    pairs: dict[str, dict[tuple[Any, Any], tuple[float, float]]] = {}
    columns = (frame[name].tolist() for name in ("metric", "a", "b", "diff", "p_adj"))
    for metric, first, second, diff, p in zip(*columns, strict=True):
        a, b = same_key(first), same_key(second)
        of_metric = pairs.setdefault(str(metric), {})
        of_metric[a, b], of_metric[b, a] = (float(diff), float(p)), (-float(diff), float(p))
    return pairs


def _marks(result: Result, rows: Sequence[Any], pairs: Pairs | None, alpha: float) -> dict[str, list[Mark]]:
    """The marks of each column that has some."""
    frame, keys = result.frame, [name for name in result.keys if name != "metric"]
    columns = [frame[name].tolist() for name in keys]
    groups = [same_key(row) for row in zip(*columns, strict=True)] if keys else [None] * len(frame)
    marks: dict[str, list[Mark]] = {}
    for name in ["value"] if result.is_long else result.figures:
        metrics = frame["metric"].astype(str).tolist() if result.is_long else [name] * len(frame)
        values, of_column = floats(frame, name), np.full(len(frame), "", dtype=object)
        together = list(zip(rows, metrics, strict=True))
        for one in dict.fromkeys(together):
            members = np.flatnonzero(np.array([each == one for each in together]) & ~np.isnan(values))
            of_metric = None if pairs is None else pairs.get(one[1])
            of_column[members] = _marks_of(values[members], [groups[row] for row in members], of_metric, alpha, one[1])
        if of_column.any():
            marks[name] = of_column.tolist()
    return marks


def _marks_of(values: Floats, groups: Sequence[Any], pairs: OfMetric | None, alpha: float, metric: str) -> list[Mark]:
    """The marks of figures of which the highest is the best: none where there is only one."""
    if len(values) < 2:
        return [""] * len(values)
    is_best = values == values.max()
    if pairs is None:
        return ["best" if best else "" for best in is_best]
    tops = [group for group, best in zip(groups, is_best, strict=True) if best]
    return [
        "best" if best else "close" if all(_is_close(pairs, top, group, alpha, metric) for top in tops) else ""
        for group, best in zip(groups, is_best, strict=True)
    ]


def _is_close(pairs: OfMetric, best: Any, other: Any, alpha: float, metric: str) -> bool:
    if (best, other) not in pairs:
        raise PairingError(
            f"compared has no row of metric {metric!r} for the groups {show(best)} and {show(other)}; compare with the "
            "same `by` as the table has, and without a baseline"
        )
    diff, p = pairs[best, other]
    return not np.isnan(p) and not (diff > 0 and p < alpha)  # null: nothing could be tested


# --- cells


def _cells(frame: pd.DataFrame, figures: Sequence[str], digits: int, interval: Interval) -> Cells:
    """The texts of all cells by column, bounds joined to their figure."""
    cells: Cells = {}
    for name in frame.columns:
        if is_bound(name, frame.columns):
            continue
        form = _p_value if name in _P_VALUES else _figure if name in figures else _other
        column = [_NOTHING if is_null(value) else form(value, digits) for value in frame[name].tolist()]
        low, high = bounds_of(name)
        if interval != "none" and low in frame and high in frame:
            bounds = zip(column, floats(frame, low), floats(frame, high), strict=True)
            column = [_with_bounds(cell, lo, hi, digits, interval) for cell, lo, hi in bounds]
        cells[name] = column
    return cells


def _figure(value: Any, digits: int) -> str:
    return f"{value:.{digits}f}" if isinstance(value, float) else label(value)


def _p_value(value: Any, digits: int) -> str:
    del digits
    least = 10**-_P_DIGITS
    return f"<{least:.{_P_DIGITS}f}" if isinstance(value, float) and value < least else _figure(value, _P_DIGITS)


def _other(value: Any, digits: int) -> str:
    """A cell of a column that is no figure: a key, a count, or something of the user's own."""
    del digits
    return f"{value:.{_OWN_DIGITS}g}" if isinstance(value, float) else label(value)


def _with_bounds(cell: str, low: float, high: float, digits: int, interval: Interval) -> str:
    if np.isnan(low) and np.isnan(high):
        return cell
    if interval == "half":
        return f"{cell} ± {_bound((high - low) / 2, digits)}"
    return f"{cell} [{_bound(low, digits)}, {_bound(high, digits)}]"


def _bound(value: float, digits: int) -> str:
    return _NOTHING if np.isnan(value) else _figure(float(value), digits)


def _note(frame: pd.DataFrame, marks: Mapping[str, Any], interval: Interval, *, has_pairs: bool, alpha: float) -> str:
    """What the brackets and marks mean."""
    said = []
    if interval != "none" and any(is_bound(name, frame.columns) for name in frame.columns):
        said.append(
            "In brackets: confidence intervals." if interval == "bounds" else "±: half the width of the interval."
        )
    if marks:
        said.append("Bold (* in text): the highest.")
        if has_pairs:
            said.append(f"Underlined (= in text): not significantly lower (p_adj >= {alpha:g}).")
    return " ".join(said)
