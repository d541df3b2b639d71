"""Reading the tables that `summary` and `compare` give, of any kind and shape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np
import pandas as pd

from qa_frame._typing import Floats
from qa_frame.errors import (
    ColumnNotFoundError,
    ColumnTypeError,
    UnknownOptionError,
    is_choice,
    require_items,
    show,
    unknown_option,
)
from qa_frame.frames.arrow_types import is_list
from qa_frame.frames.kinds import read_source
from qa_frame.frames.provenance import TABLE, noted_columns
from qa_frame.reports.agreement import FIGURES
from qa_frame.scoring.metrics import METRICS
from qa_frame.stats.figures import POOLED
from qa_frame.stats.sums import COUNTS

MOST_ROWS = 1000
"""A table of more rows with columns of metrics, which does not say what it is, is taken for a scored frame."""

COMPARED = ("metric", "a", "b", "diff", "diff_lo", "diff_hi", "p_adj")
"""The columns by which a result of `compare` is known."""

KINDS = ("summary", "compare", "agreement", "audit")

_LONG = {"metric", "value"}
_NULL = "(null)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Result:
    """A table of results in pandas, and what it says of itself.

    Attributes
    ----------
    frame
        The table. Keys that were in its index are columns.
    kind
        The function that made it: `"summary"`, `"compare"`, `"agreement"` or `"audit"`.
    keys
        The columns that name its rows.
    figures
        The columns of figures, without their bounds. All other columns are counts, or somebody's own.
    is_percent
        Whether figures are in percent.
    """

    frame: pd.DataFrame
    kind: str
    keys: list[Any]
    figures: list[str]
    is_percent: bool

    @property
    def counts(self) -> list[str]:
        """The columns that count rows."""
        return [name for name in self.frame.columns if is_count(name) and name not in self.figures]

    @property
    def is_long(self) -> bool:
        """Whether it has a row for each metric."""
        return self.kind == "summary" and set(self.frame.columns) >= _LONG


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Summary:
    """A result of `summary`, or of a `Pool`.

    Attributes
    ----------
    key_names
        The columns of `by`; none where the rows were not grouped. The only group is then called "all".
    groups
        The keys of each group, in the table's order.
    figures
        By name the value, lower and upper bound of each group, shape (groups, 3). NaN for what is not there.
    is_percent
        Whether figures are in percent.
    """

    key_names: tuple[str, ...]
    groups: tuple[tuple[Any, ...], ...]
    figures: dict[str, Floats]
    is_percent: bool

    @property
    def labels(self) -> list[str]:
        """The groups as text."""
        return [", ".join(map(label, keys)) for keys in self.groups]


def label(key: Any) -> str:
    """A key as people read it, in one line."""
    if isinstance(key, tuple | list | np.ndarray):
        return ", ".join(map(label, key))
    if is_null(key):
        return _NULL
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in str(key))


def is_null(value: Any) -> bool:
    """Whether a value of a table is NaN or another null."""
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def same_key(key: Any) -> Any:
    """What is equal for equal keys, whatever kind of frame they were in."""
    if isinstance(key, tuple | list | np.ndarray):
        parts = tuple(map(same_key, key))
        return parts[0] if len(parts) == 1 else parts
    if is_null(key):
        return None
    return key.item() if isinstance(key, np.generic) else key


def read_table(table: Any) -> pd.DataFrame:
    """Return a table of results in pandas, the keys of its index as columns; ColumnTypeError where it is none."""
    try:
        source = read_source(table)
        frame = source.as_pandas({"table": list(source.names)})
    except ColumnTypeError as error:
        raise ColumnTypeError(
            f"table={show(table)} is not a table of results; give what summary, compare or agreement returned ({error})"
        ) from error
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise ColumnTypeError(f"table has two columns named {show(twice[0])}; rename one of them")
    if _is_without_keys(frame.index):
        return frame.reset_index(drop=True)
    names = _key_names(frame.index, taken=frame.columns)
    keys = {name: frame.index.get_level_values(level) for level, name in enumerate(names)}
    return pd.concat([pd.DataFrame(keys, index=range(len(frame))), frame.reset_index(drop=True)], axis=1)


def read_result(table: Any, argument: str = "table") -> Result:
    """Return a table of results, by what it says of itself; ColumnTypeError where it is none.

    A polars frame, or a table that was written to a file or made by hand, says nothing. Then figures are the columns
    that are named as metrics are or have bounds, and where there are none, all columns of floats.
    """
    frame = read_table(table)
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    notes = read_source(table).notes
    note = notes.get(TABLE)
    if not _is_note(note):
        _refuse_rows(frame, notes, argument)
        return _guess(frame)
    keys = [name for name in note["keys"] if name in frame.columns]
    keys = keys if len(keys) == len(note["keys"]) else key_columns(frame)
    figures = [name for name in note["figures"] if name in frame.columns] or _guess(frame).figures
    return Result(frame, note["kind"], keys, figures, note["percent"])


def _is_note(note: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether this is what `describe_table` gives, and not somebody else's."""
    if not isinstance(note, Mapping):
        return False
    lists = (note.get("keys"), note.get("figures"))
    return is_choice(note.get("kind"), KINDS) and all(isinstance(each, list) for each in lists) and "percent" in note


def _refuse_rows(frame: pd.DataFrame, notes: Mapping[str, Any], argument: str) -> None:
    """Raise ColumnTypeError for rows of predictions, where a table of results is needed."""
    has_texts = any(str(name) in frame.columns for name in noted_columns(notes))
    has_lists = any(_holds_lists(frame.iloc[:, at]) for at in range(frame.shape[1]))
    has_scores = len(frame) > MOST_ROWS and not {*METRICS}.isdisjoint(frame.columns)
    if has_texts or has_lists or has_scores:
        raise ColumnTypeError(
            f"{argument} has {len(frame)} rows of predictions or scores, and is not a table of results; give what "
            "summary, compare or agreement returns, as in qa_frame.style(qa_frame.summary(data, by='model'))"
        )


def _holds_lists(column: pd.Series[Any]) -> bool:
    kind = column.dtype
    if isinstance(kind, pd.ArrowDtype):
        return is_list(kind.pyarrow_dtype)
    return pd.api.types.is_object_dtype(kind) and any(isinstance(value, list | np.ndarray) for value in column)


def _guess(frame: pd.DataFrame) -> Result:
    """What a table is that does not say it."""
    names = set(frame.columns)
    if names >= set(COMPARED):
        return Result(frame, "compare", key_columns(frame), ["mean_a", "mean_b", "diff"], is_percent=False)
    if names >= {"auc", "threshold"}:
        figures = [name for name in FIGURES if name in names]
        return Result(frame, "agreement", key_columns(frame), figures, is_percent=False)
    keys = key_columns(frame)
    found = [
        name
        for name in frame.columns
        if name not in keys and is_numeric(frame[name]) and not is_bound(name, frame.columns)
    ]
    of_floats = [name for name in found if pd.api.types.is_float_dtype(frame[name])]
    known = [name for name in of_floats if name in {*METRICS, *POOLED, "value"} or bounds_of(name)[0] in names]
    figures = known or of_floats
    is_percent = any((floats(frame, name) > 1).any() for name in figures)
    return Result(frame, "summary", keys, figures, is_percent)


def _is_without_keys(index: pd.Index) -> bool:
    """Whether an index counts rows, or is that of a summary without groups."""
    if index.nlevels > 1 or index.name is not None:
        return False
    return isinstance(index, pd.RangeIndex) or index.tolist() == ["all"]


def _key_names(index: pd.Index, taken: Iterable[Any]) -> list[str]:
    """A name for each level, its own where it has one that is free."""
    names: list[str] = []
    for level, name in enumerate(index.names):
        found = str(name) if name is not None else "group" if index.nlevels == 1 else f"group {level + 1}"
        while found in names or found in taken:
            found += "_"
        names.append(found)
    return names


def is_bound(name: Any, columns: Iterable[Any]) -> bool:
    """Whether a column holds the bounds of another one's intervals."""
    if name in {"lo", "hi"}:
        return "value" in columns
    return isinstance(name, str) and name.endswith(("_lo", "_hi")) and name[:-3] in columns


def bounds_of(name: str) -> tuple[str, str]:
    """The names of the columns of a figure's bounds."""
    return ("lo", "hi") if name == "value" else (f"{name}_lo", f"{name}_hi")


def is_count(name: str) -> bool:
    """Whether a column of `summary` counts rows."""
    return name in COUNTS or name.startswith("n_scored_")


def is_numeric(column: pd.Series[Any]) -> bool:
    """Whether a column holds numbers. Truth values are none."""
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def key_columns(frame: pd.DataFrame) -> list[Any]:
    """The columns that name the rows of a table: those before its counts or, in a long one, before `metric`."""
    names = list(frame.columns)
    stop = "metric" if frame.columns.isin(_LONG).sum() == len(_LONG) else "n"
    if stop in names:
        return names[: names.index(stop)]
    return names[: next((place for place, name in enumerate(names) if is_numeric(frame[name])), len(names))]


def read_summary(table: Any, metrics: str | Sequence[str] | None) -> Summary:
    """Return a result of `summary`, wide or long, with the figures that are asked for; all for None."""
    result = read_result(table)
    if result.kind != "summary":
        other = ", or call qa_frame.plot.compare" if result.kind == "compare" else ""
        raise ColumnTypeError(f"table is a result of {result.kind}; give one of summary{other}")
    rows, figures = _long_figures(result.frame, result.keys) if result.is_long else _wide_figures(result)
    wanted = _wanted(metrics, list(figures))
    groups = tuple(tuple(row) for row in rows) if result.keys else tuple(("all",) for _ in rows)
    chosen = {name: figures[name] for name in wanted}
    return Summary(tuple(map(str, result.keys)), groups, chosen, result.is_percent)


def _wide_figures(result: Result) -> tuple[list[list[Any]], dict[str, Floats]]:
    frame = result.frame
    if not result.figures:
        raise ColumnNotFoundError(
            f"table has no column of figures; give a result of qa_frame.summary. Columns: {list(frame.columns)}"
        )
    return _rows(frame, result.keys), {name: _three(frame, [name, *bounds_of(name)]) for name in result.figures}


def _long_figures(frame: pd.DataFrame, keys: list[Any]) -> tuple[list[list[Any]], dict[str, Floats]]:
    if not is_numeric(frame["value"]):
        raise ColumnTypeError(f"table has the column 'value' of {frame['value'].dtype}, not of figures")
    places: dict[Any, int] = {}
    rows = _rows(frame, keys)
    of_row = [places.setdefault(tuple(map(_hashable, row)), len(places)) for row in rows]
    groups = [rows[of_row.index(place)] for place in range(len(places))]
    figures: dict[str, Floats] = {}
    values = _three(frame, ["value", "lo", "hi"])
    for name, place, value in zip(frame["metric"].astype(str), of_row, values, strict=True):
        of_metric = figures.setdefault(name, np.full((len(groups), 3), np.nan))
        of_metric[place] = value
    return groups, figures


def _hashable(key: Any) -> Any:
    found = same_key(key)
    return type(found).__name__, repr(found)


def _rows(frame: pd.DataFrame, keys: list[Any]) -> list[list[Any]]:
    columns = [frame[key].tolist() for key in keys]
    return [list(row) for row in zip(*columns, strict=True)] if keys else [[] for _ in range(len(frame))]


def _three(frame: pd.DataFrame, names: list[Any]) -> Floats:
    """The columns of these names as floats, shape (rows, 3); NaN where there is none."""
    nothing = np.full(len(frame), np.nan)
    columns = [floats(frame, name) if name in frame.columns else nothing for name in names]
    return np.stack(columns, axis=1)


def floats(frame: pd.DataFrame, name: Any) -> Floats:
    """A column as floats, NaN for null; ColumnTypeError where it holds something else."""
    try:
        found: Floats = frame[name].to_numpy(np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise ColumnTypeError(f"table has the column {name!r} of {frame[name].dtype}, not of numbers") from error
    return found


def _wanted(metrics: Any, there: list[str]) -> list[str]:
    if metrics is None:
        return there
    names = (
        [metrics] if isinstance(metrics, str) else list(require_items("metrics", metrics, "a name, or a list of them"))
    )
    for name in names:
        if not is_choice(name, there):
            raise unknown_option("metrics", name, there)
    if not names:
        raise UnknownOptionError(f"metrics is empty; choose from {there}, or give None for all")
    return list(dict.fromkeys(names))


def read_compared(table: Any, argument: str = "table") -> pd.DataFrame:
    """Return a result of `compare` in pandas; an error where it is something else."""
    try:
        frame = read_table(table)
    except ColumnTypeError as error:
        raise ColumnTypeError(str(error).replace("table", argument, 1)) from error
    missing = [name for name in COMPARED if name not in frame.columns]
    if missing:
        raise ColumnNotFoundError(
            f"{argument} has no column {missing[0]!r}; give a result of qa_frame.compare. "
            f"Columns: {list(frame.columns)}"
        )
    for name in COMPARED[3:]:
        floats(frame, name)
    return frame
