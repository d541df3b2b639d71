"""The kinds of result tables, and how a table is read again, whatever kind of frame it is in.

Each function that makes a table registers its columns, its figures and its picture here.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Floats, Ints
from qa_frame.errors import ColumnNotFoundError, ColumnTypeError, PairingError, show
from qa_frame.extensions import import_modules
from qa_frame.frames.diagnosis import is_null
from qa_frame.frames.source import read_source


@dataclass(frozen=True, slots=True)
class ResultKind:
    """A kind of result table.

    Attributes
    ----------
    name
        The function that makes it.
    columns
        The columns by which a table is recognised that does not say what it is, as one that was read from a file.
    estimates
        Its columns of figures, without their bounds.
    has_picture
        Whether `qa_frame.plot` has a picture of the same name.
    long_texts
        The columns of long texts, which `style` sets below their row.
    deciding
        The columns that `style` sets first, after the keys.
    """

    name: str
    columns: frozenset[str]
    estimates: tuple[str, ...]
    has_picture: bool = False
    long_texts: tuple[str, ...] = ()
    deciding: tuple[str, ...] = ()


COMPARED = ("metric", "a", "b", "diff", "diff_lo", "diff_hi", "p_adj")
"""A result of `compare` has these columns."""

DECIDING = ("diff", "p_adj", "verdict")
"""Its columns that say which group is better."""

COMPARED_ESTIMATES = ("mean_a", "mean_b", "diff", "mdd", "tost_lo", "tost_hi")
"""Its columns of figures; the last two where a margin was tested."""

RANKED = ("metric", "group", "rank", "rank_lo", "rank_hi", "n_groups")
"""A result of `ranks` has these columns."""

_OF_THE_CORE = (
    ResultKind("compare", frozenset(COMPARED), COMPARED_ESTIMATES, has_picture=True, deciding=DECIDING),
    ResultKind("ranks", frozenset(RANKED), ("rank", "mean", "win_rate"), has_picture=True),
)


@functools.cache
def result_kinds() -> dict[str, ResultKind]:
    """Return the kinds of the core and of the extensions by their names.

    `summary` is not among them: it may have any columns.
    """
    added = (kind for module in import_modules("results.py") for kind in module.RESULTS)
    return {kind.name: kind for kind in (*_OF_THE_CORE, *added)}


def same_key(key: Any) -> Any:
    """Return a key in one form for all kinds of frames, so that equal keys are equal.

    A list or an array becomes a tuple, but its only item if it has one. Null becomes None, and a number of numpy one of
    Python.
    """
    if isinstance(key, tuple | list | np.ndarray):
        parts = tuple(map(same_key, key))
        return parts[0] if len(parts) == 1 else parts
    if is_null(key):
        return None
    return key.item() if isinstance(key, np.generic) else key


def read_table(table: Any, argument: str = "table") -> pd.DataFrame:
    """Return a table of results in pandas, with the keys of its index as columns; ColumnTypeError for another value."""
    try:
        source = read_source(table)
        frame = source.as_pandas({argument: source.names})
    except ColumnTypeError as error:
        remedy = f"give what summary, compare, ranks or agreement returned ({error})"
        raise ColumnTypeError.of(argument, "is not a table of results", remedy, value=table) from error
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise ColumnTypeError(f"{argument} has two columns named {show(twice[0])}; rename one of them")
    if _is_without_keys(frame.index):
        return frame.reset_index(drop=True)
    return frame.reset_index(names=_key_names(frame.index, taken=frame.columns))


def floats(frame: pd.DataFrame, name: Any, argument: str = "table") -> Floats:
    """Return a column as floats, NaN for null; ColumnTypeError where it holds something else."""
    try:
        values: Floats = frame[name].to_numpy(np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise ColumnTypeError(f"{argument} has the column {name!r} of {frame[name].dtype}, not of numbers") from error
    return values


def require_columns(frame: pd.DataFrame, names: Iterable[str], wanted: str, argument: str = "table") -> None:
    """Raise ColumnNotFoundError unless the frame has all of these columns. wanted: the tables that have them."""
    for name in names:
        if name not in frame.columns:
            remedy = f"give {wanted}. Columns: {list(frame.columns)}"
            raise ColumnNotFoundError.of(argument, f"has no column {name!r}", remedy)


def read_compared(table: Any, argument: str = "table") -> pd.DataFrame:
    """Return a result of `compare` in pandas; ColumnTypeError or ColumnNotFoundError where it is something else."""
    frame = read_table(table, argument)
    require_columns(frame, COMPARED, "a result of qa_frame.compare", argument)
    for name in COMPARED[3:]:
        floats(frame, name, argument)
    return frame


def places_of_groups(compared: pd.DataFrame, metric: str) -> tuple[list[Any], Ints, Ints]:
    """Return the groups of a metric's comparisons, and the places of both groups of each pair, shape (pairs,).

    Raises PairingError if two rows have the same pair, or a row compares a group with itself.

    compared: the rows of the metric alone. metric: its name, for the error.
    """
    sides = [[same_key(key) for key in compared[side].tolist()] for side in ("a", "b")]
    groups = list(dict.fromkeys(key for both in zip(*sides, strict=True) for key in both))
    place_of = {group: place for place, group in enumerate(groups)}
    first, second = (np.array([place_of[key] for key in side], np.int64) for side in sides)
    counts = np.zeros((len(groups), len(groups)), np.int64)
    np.add.at(counts, (np.minimum(first, second), np.maximum(first, second)), 1)
    extra = np.argwhere(counts > np.triu(np.ones_like(counts), k=1))
    if len(extra):
        one, other = (show(groups[place]) for place in extra[0].tolist())
        finding = f"has {counts[tuple(extra[0])]} rows of {metric!r} for the groups {one} and {other}"
        raise PairingError.of("data", finding, "give the result of one call of compare")
    return groups, first, second


def as_matrix(first: Ints, second: Ints, n_groups: int, values: Floats, *, sign: int = -1) -> Floats:
    """Return a matrix of the values of pairs, shape (groups, groups): `values` at (first, second), NaN for no pair.

    At (second, first) it has `sign` times the value. first, second: the places of the groups of each pair.
    """
    matrix = np.full((n_groups, n_groups), np.nan)
    matrix[first, second], matrix[second, first] = values, sign * values
    return matrix


def _is_without_keys(index: pd.Index) -> bool:
    """Whether an index counts rows, or is that of a summary without groups."""
    if index.nlevels > 1 or index.name is not None:
        return False
    return isinstance(index, pd.RangeIndex) or index.tolist() == ["all"]


def _key_names(index: pd.Index, taken: Iterable[Any]) -> list[str]:
    """Return a name for each level of the index: its own, or else "group". "_" is added to names in `taken`."""
    names: list[str] = []
    for level, name in enumerate(index.names):
        free_name = str(name) if name is not None else "group" if index.nlevels == 1 else f"group {level + 1}"
        while free_name in names or free_name in taken:
            free_name += "_"
        names.append(free_name)
    return names
