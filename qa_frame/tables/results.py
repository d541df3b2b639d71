"""Tables of results, of any kind and shape, as `style` and `plot` read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Flags, Floats
from qa_frame.checks import is_choice
from qa_frame.errors import ColumnTypeError, QaFrameError
from qa_frame.frames.arrow_types import is_list
from qa_frame.frames.diagnosis import is_null
from qa_frame.frames.scoring_metadata import TABLE, noted_columns
from qa_frame.frames.source import Source, read_source
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.pooled import COUNTS, POOLED, SAMPLE_COUNTS
from qa_frame.tables.result_tables import floats, read_table, result_kinds

MOST_ROWS = 1000
"""A table with columns of metrics and without a note is taken for a scored frame if it has more rows."""

CHOSEN = ("qa_chosen", "qa_changed")
"""The notes of the rows that `worst` and `changed` chose."""

_NOTED = {"kind", "keys", "figures", "percent", "long"}
"""The entries of a note that are read here."""

_LONG = {"metric", "value"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Result:
    """A table of results in pandas, with the kind, the keys and the figures that it names.

    Attributes
    ----------
    frame
        The table. Keys that were in its index are columns.
    kind
        The function that made it: `summary`, or a name of `result_kinds`.
    keys
        The columns that name its rows.
    estimates
        The columns of figures, without their bounds. All other columns are counts, or the user's own.
    is_percent
        Whether figures are in percent.
    is_long
        Whether it has a row per group and metric.
    level
        The level of its intervals; None where it has none or does not say it.
    intervals
        What the intervals of a comparison are, as `say_intervals` returns it; "" for other tables.
    """

    frame: pd.DataFrame
    kind: str
    keys: list[Any]
    estimates: list[str]
    is_percent: bool = False
    is_long: bool = False
    level: float | None = None
    intervals: str = ""

    @property
    def counts(self) -> list[str]:
        """The columns that count rows, questions or samples."""
        known = {*COUNTS, *SAMPLE_COUNTS, *(f"n_{name}" for name in self.estimates)}
        return [name for name in self.frame.columns if name in known and name not in self.estimates]

    @property
    def bounds(self) -> dict[str, tuple[str, str]]:
        """For each figure with intervals, the columns of the lower and upper bounds."""
        ends = {name: ("lo", "hi") if self.is_long else (f"{name}_lo", f"{name}_hi") for name in self.estimates}
        return {name: both for name, both in ends.items() if self.frame.columns.isin(both).sum() == len(both)}


def label(key: Any) -> str:
    """Return a key as people read it, in one line: several values with commas between, "(null)" for null."""
    if isinstance(key, tuple | list | np.ndarray):
        return ", ".join(map(label, key))
    if is_null(key):
        return "(null)"
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in str(key))


def read_result(table: Any, argument: str = "table") -> Result:
    """Return a table of results by its note; ColumnTypeError where it is something else.

    A polars frame, a table that was written to a file and a table made by hand have no note. These are recognised by
    the columns that every result of its kind has.
    """
    table = read_once(table)
    frame = read_table(table, argument)
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    if read_frame_of_rows(table) is not None:
        finding = f"has {len(frame)} rows of predictions or scores, and is not a table of results"
        remedy = "give what summary, compare or agreement returns, as in "
        raise ColumnTypeError.of(argument, finding, f"{remedy}qa_frame.style(qa_frame.summary(data, by='model'))")
    note = _read_note(read_source(table))
    if note is None:
        return _recognise_result(frame)
    keys, estimates = ([name for name in note[part] if name in frame.columns] for part in ("keys", "figures"))
    if len(keys) < len(note["keys"]) or not estimates:  # renamed since
        recognised = _recognise_result(frame)
        keys, estimates = keys if len(keys) == len(note["keys"]) else recognised.keys, estimates or recognised.estimates
    intervals = say_intervals(table) if note["kind"] == "compare" else ""
    return Result(frame, note["kind"], keys, estimates, note["percent"], note["long"], note.get("level"), intervals)


def say_intervals(table: Any) -> str:
    """Return what the intervals of a comparison are, as "Holm-corrected 95 %"; "" where it does not say it."""
    source = read_source(table)
    note, settings = _read_note(source), read_compare_settings(source)
    how = "individual" if settings.get("correction") == "none" else "Holm-corrected"
    return f"{how} {100 * note['level']:g} %" if note and note.get("level") and settings else ""


def read_compare_settings(source: Source) -> dict[str, Any]:
    """Return the arguments by which `compare` made a table; none where it has no note of them."""
    noted = source.notes.get("qa_compare")
    return noted if isinstance(noted, dict) else {}


def _read_note(source: Source) -> Mapping[str, Any] | None:
    """Return the note of a table of results; None for a frame without a whole note of a known kind."""
    note = source.notes.get(TABLE)
    kinds = ["summary", *result_kinds()]
    return note if isinstance(note, Mapping) and note.keys() >= _NOTED and is_choice(note["kind"], kinds) else None


def read_once(table: Any) -> Any:
    """Return a table as a frame of pandas or Arrow, since a stream can be read only once.

    A value that is no table is returned as it is.
    """
    try:
        return read_source(table).columns
    except QaFrameError:
        return table


def read_frame_of_rows(table: Any) -> Source | None:
    """Return a frame of predictions or scores as a source; None for a table of results, and for what is no frame."""
    try:
        source = read_source(table)
        names = {str(name) for name in source.names}
        has_columns = any(names >= kind.columns for kind in result_kinds().values() if kind.long_texts)
        if has_columns or _read_note(source) is not None:
            return None
        head = source.take(np.arange(min(len(source.columns), MOST_ROWS)))
        frame = head.as_pandas({"table": head.names})
    except QaFrameError:
        return None
    has_texts = not names.isdisjoint(map(str, noted_columns(source.notes)))
    has_scores = len(source.columns) > MOST_ROWS and not METRICS.keys().isdisjoint(names)
    is_chosen = not source.notes.keys().isdisjoint(CHOSEN)
    holds_lists = any(_holds_lists(column) for _, column in frame.items())
    return source if has_texts or has_scores or is_chosen or holds_lists else None


def _holds_lists(column: pd.Series[Any]) -> bool:
    """Return whether a column holds lists, as of golds."""
    kind = column.dtype
    if isinstance(kind, pd.ArrowDtype):
        return is_list(kind.pyarrow_dtype)
    return pd.api.types.is_object_dtype(kind) and any(isinstance(value, list | np.ndarray) for value in column)


def _recognise_result(frame: pd.DataFrame) -> Result:
    """Return the result that the columns of a table without a note show.

    The figures of a summary are the columns of floats that have the name of a metric, or bounds. If no column has, the
    figures are all columns of floats. They are in percent if a figure of this package is greater than 1.
    """
    names, keys = set(frame.columns), find_key_columns(frame)
    for kind in result_kinds().values():
        if names >= kind.columns:
            return Result(frame, kind.name, keys, [name for name in kind.estimates if name in names])
    if names >= _LONG and is_numeric(frame["value"]):
        is_known = frame["metric"].isin([*METRICS, *POOLED]).to_numpy()
        values = floats(frame, "value")
        return Result(frame, "summary", keys, ["value"], _is_percent(values, is_known), is_long=True)
    ends = {f"{name}{end}" for name in names for end in ("_lo", "_hi")}
    of_floats = [name for name in frame.columns if pd.api.types.is_float_dtype(frame[name])]
    candidates = [name for name in of_floats if name not in keys and name not in ends]
    known = [name for name in candidates if name in METRICS or name in POOLED or f"{name}_lo" in names]
    estimates = known or candidates
    is_known = np.array([name in METRICS or name in POOLED for name in estimates])
    return Result(frame, "summary", keys, estimates, _is_percent(columns_of_floats(frame, *estimates), is_known))


def _is_percent(values: Floats, is_known: Flags) -> bool:
    """Whether a figure is greater than 1, so that all are in percent. The user's own count only if there are no others.

    values: figures, of shape (..., figures). is_known: which of these are of metrics of this package.
    """
    return bool((values[..., is_known if is_known.any() else slice(None)] > 1).any())


def is_numeric(column: pd.Series[Any]) -> bool:
    """Whether a column holds numbers, and not truth values."""
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def find_key_columns(frame: pd.DataFrame) -> list[Any]:
    """Return the columns that name the rows of a table: those before `n`, or before `metric` in a long one.

    In a table without these, they are the columns before the first one of numbers.
    """
    names = list(frame.columns)
    stop = "metric" if frame.columns.isin(_LONG).sum() == len(_LONG) else "n"
    if stop in names:
        return names[: names.index(stop)]
    return names[: next((place for place, name in enumerate(names) if is_numeric(frame[name])), len(names))]


def columns_of_floats(frame: pd.DataFrame, *names: Any) -> Floats:
    """Return the columns of these names as floats, shape (rows, names); NaN where the frame lacks a column."""
    nothing = np.full(len(frame), np.nan)
    columns = [floats(frame, name) if name in frame.columns else nothing for name in names]
    return np.stack(columns, axis=1) if columns else np.empty((len(frame), 0))
