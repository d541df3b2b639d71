"""Any frame in, the same kind of frame out.

A pandas frame stays as it is. All else is read as an Arrow table. A result becomes the caller's kind of frame again:
a polars frame, or else a `pyarrow.Table`. Score arrays become columns of either.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import json
import os
import sys
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from qa_frame._typing import Floats, Frame, Ints
from qa_frame.errors import ColumnTypeError, UnknownOptionError
from qa_frame.frames.arrow_types import column_to_pandas, take_rows
from qa_frame.frames.conversions import as_floats, is_number_type
from qa_frame.frames.diagnosis import is_null
from qa_frame.frames.names import error_of_keys, require_column, score_label
from qa_frame.frames.row_rules import name_rules, require_one_scoring
from qa_frame.frames.scoring_metadata import NOTED, are_notes, notes_of_columns, origins, own_scores
from qa_frame.frames.text_columns import TextColumns, read_columns

_METADATA_KEY = b"qa_frame"
PANDAS_KEY = b"PANDAS_ATTRS"
"""The keys of a table's metadata for this package's notes, and for the `attrs` of a pandas frame."""
_POLARS_NAME = "_qa_frame_notes"
"""The attribute of a frame of polars that holds its notes."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Source:
    """A frame of any kind, in the form in which this package reads it.

    data: the caller's frame. columns: the frame itself if it is one of pandas, else an Arrow table of its columns.
    """

    data: Any
    columns: pd.DataFrame | pa.Table

    @property
    def names(self) -> list[Hashable]:
        """The names of its columns."""
        return list(self.columns.columns) if isinstance(self.columns, pd.DataFrame) else self.columns.column_names

    @property
    def column_labels(self) -> pd.Index:
        """The labels of its columns."""
        return self.columns.columns if isinstance(self.columns, pd.DataFrame) else pd.Index(self.columns.column_names)

    @property
    def number_names(self) -> list[str]:
        """The names of its columns of numbers or truth values.

        In a pandas frame, a name that is not text is left out.
        """
        if isinstance(self.columns, pd.DataFrame):
            columns = self.columns.items()
            return [name for name, column in columns if isinstance(name, str) and as_floats(column) is not None]
        return [field.name for field in self.columns.schema if is_number_type(field.type)]

    @property
    def notes(self) -> dict[str, Any]:
        """The notes of the frame, from the `attrs` of a pandas frame or the metadata of an Arrow table."""
        return notes_of(self.columns)

    def texts(self, *, pred: Hashable, gold: Hashable, **reading: Any) -> TextColumns:
        """Return the columns of predictions, golds and options, checked. The arguments are those of `read_columns`."""
        return read_columns(self.columns, pred=pred, gold=gold, **reading)

    def values(self, argument: str, name: Hashable) -> list[Any]:
        """Return the values of a column as Python objects, None for null.

        In a pandas frame, they need not have one type.

        argument: the argument that names the column. Raise ColumnNotFoundError unless there is one such column, and
        ColumnTypeError for a value that holds itself.
        """
        require_column(name, self.names, argument)
        column: Any = self.columns[name]
        if isinstance(column, pd.Series) and column.dtype == object:
            try:
                return list(map(_plain, column))
            except RecursionError as error:
                finding = "holds a value that holds itself, or lists and dicts inside each other beyond Python's limit"
                remedy = "give a column of texts in its place"
                raise ColumnTypeError.of(argument, finding, remedy, value=name) from error
        array = pa.array(column, from_pandas=True) if isinstance(column, pd.Series) else column
        values: list[Any] = array.to_pylist()
        return values

    def labels(self, names: Sequence[str]) -> list[Hashable]:
        """Return the labels that score columns of these names have, or would have, in the frame."""
        return [score_label(name, self.column_labels) for name in names]

    def with_columns(self, new: Mapping[str, Any], *, append: bool = True) -> Any:
        """Return a new frame of the caller's kind: this one's columns and then the new ones.

        new: arrays by name. One that has a column's name takes its place. append: False returns the new columns alone.
        """
        if isinstance(self.columns, pd.DataFrame):
            return append_columns(self.columns, new, append=append)
        if self.polars is not None and append:
            made = self.data.with_columns(self.polars.from_arrow(append_to_table(self.columns, new, append=False)))
            return set_notes(made, self.notes)
        return self._as_polars_or_arrow(append_to_table(self.columns, new, append=append))

    def with_scores(self, new: Mapping[str, Any], notes: Mapping[str, Any], *, append: bool) -> Any:
        """Return the frame of `with_columns` with the notes on its scoring, if its kind keeps notes.

        notes: the notes of this frame, in which the new scores have just been noted.
        """
        scored = self.with_columns(new, append=append)
        return set_notes(scored, {**notes_of(scored), NOTED: notes[NOTED]})

    def with_scoring_of(self, other: Source) -> Any:
        """Return the frame with the other frame's notes on the score columns that both have; None if there are none.

        Raise UnknownOptionError if the frame's own column of rules names other rules for such a score.
        """
        notes = notes_of_columns(other.notes, self.names)
        if notes is not None:
            rules = name_rules(notes)
            require_one_scoring(self.columns, rules, of=rules)
        return None if notes is None else set_notes(self.with_columns({}), {**self.notes, **notes})

    def with_note(self, name: str, note: Mapping[str, Any], new: Mapping[str, NDArray[Any]] | None = None) -> Any:
        """Return the frame with new columns, and with the note under the key `name` if its kind keeps notes."""
        made = self.with_columns(new or {})
        return set_notes(made, {**notes_of(made), name: dict(note)})

    def take(self, rows: Ints) -> Source:
        """Return the rows at these positions, as a source of the same kind of frame."""
        if isinstance(self.columns, pd.DataFrame):
            chosen = self.columns.iloc[rows]
            return Source(chosen, chosen)
        if self.polars is not None:
            return read_source(self.data[rows])
        taken = _take_from_table(self.columns, rows)
        return Source(taken, taken)

    def as_pandas(self, keys: Mapping[str, Sequence[Any]], others: Sequence[str] = ()) -> pd.DataFrame:
        """Return a pandas frame without notes. It has the needed columns, or all if the frame is one of pandas.

        Parameters
        ----------
        keys
            By argument, the columns that it names, which must be there.
        others
            Columns to take along if they are there. Scores of the user's own metrics are taken along, too.
        """
        if isinstance(self.columns, pd.DataFrame):
            return pd.DataFrame(self.columns, copy=False)  # pandas copies notes with each column that is taken
        for argument, named in keys.items():
            for name in named:
                require_column(name, self.names, argument)
        argument_of = {name: argument for argument, named in keys.items() for name in named}
        wanted = [name for name in self.names if name in {*argument_of, *others, *own_scores(self.notes)}]
        return _to_pandas(self.columns, {name: argument_of.get(name, "data") for name in wanted})

    def like(self, table: pd.DataFrame, *, has_keys: bool) -> Frame:  # type: ignore[type-var]
        """Return a table of results as the caller's kind of frame.

        has_keys: whether its index holds keys, which become columns unless the frame is one of pandas. Raise
        UnknownOptionError if such a column would have the name of another.
        """
        if isinstance(self.columns, pd.DataFrame):
            return cast("Frame", table)
        plain = _with_keys(table) if has_keys else table
        objects = {str(name): values for name, values in plain.items() if values.dtype == np.object_}
        texts = {name: values.map(_as_texts) for name, values in objects.items() if values.map(_is_mixed).any()}
        made = pa.Table.from_pandas(plain.assign(**texts), preserve_index=False).replace_schema_metadata(None)
        return cast("Frame", self._as_polars_or_arrow(with_notes(made, notes_of(table))))

    @property
    def polars(self) -> Any:
        """The module of polars, if the caller's frame is one of polars; else None."""
        polars = sys.modules.get("polars")
        return polars if polars is not None and isinstance(self.data, polars.DataFrame) else None

    def _as_polars_or_arrow(self, table: pa.Table) -> Any:
        return table if self.polars is None else set_notes(self.polars.from_arrow(table), notes_of(table))


def _is_mixed(key: Any) -> bool:
    """Return whether a key is a tuple of values of several types, for which Arrow has no type."""
    return isinstance(key, tuple) and len({type(part) for part in key}) > 1


def _as_texts(key: Any) -> Any:
    return [str(part) for part in key] if isinstance(key, tuple) else key


def read_source(data: Any) -> Source:
    """Return the source for a frame of any kind; ColumnTypeError if the data are not a frame.

    Parameters
    ----------
    data
        A pandas or polars frame, a `pyarrow.Table` or `RecordBatch`, or anything else with `__arrow_c_stream__`, such
        as a DuckDB relation. A stream is read to its end.
    """
    if isinstance(data, pd.DataFrame | pa.Table):
        columns = data
    elif isinstance(data, pa.RecordBatch):
        columns = pa.Table.from_batches([data])
    elif isinstance(data, type | pd.Series) or not hasattr(data, "__arrow_c_stream__"):
        kinds = "a pandas or polars frame, a pyarrow Table or RecordBatch, or anything with __arrow_c_stream__"
        remedy = f"give {kinds} (a DuckDB relation){_remedy_for(data)}"
        raise ColumnTypeError.of("data", f"is a {type(data).__name__}", remedy)
    else:
        try:
            columns = pa.RecordBatchReader.from_stream(data).read_all()
        except Exception as error:  # each library raises its own errors
            finding = f"cannot be read as an Arrow table: {error}"
            raise ColumnTypeError.of("data", finding, "give the needed columns alone") from error
    source = Source(data, columns)
    if source.polars is not None:
        source = Source(data, with_notes(columns, notes_of(data)))
    _require_valid_notes(source.columns)
    return source


def _require_valid_notes(columns: pd.DataFrame | pa.Table) -> None:
    """Raise ColumnTypeError if the frame has notes on scoring that do not have the form that `score` writes."""
    with contextlib.suppress(ValueError):  # metadata that is not JSON
        if are_notes(notes_of(columns)):
            return
    what, remedy = f"metadata {_METADATA_KEY!r}", "data = data.replace_schema_metadata(None)"
    if isinstance(columns, pd.DataFrame):
        what, remedy = "attrs['qa_scored']", "data.attrs.pop('qa_scored')"
    raise ColumnTypeError(f"data has {what} that score did not write; remove it: {remedy}")


def _with_keys(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with its index as columns; UnknownOptionError if two columns would have one name."""
    names = [*table.index.names, *table.columns]
    twice = next((name for name in table.index.names if names.count(name) > 1), None)
    if twice is not None:
        remedy = "rename it in the frame first, or name it once"
        raise UnknownOptionError.of("by", "is also the name of another column of the result", remedy, value=twice)
    return table.reset_index()


_CALLS = {"to_arrow_table": "data.to_arrow_table()", "with_format": 'data.with_format("arrow")[:]'}
_LAZY = "data.collect(), or it stays lazy: import qa_frame.engines.polars, then call data.qa.score and data.qa.summary"
_CALLS |= {"to_table": "data.to_table()", "collect_schema": _LAZY, "collect": "data.collect()"}
"""The calls that make a frame of an object of another library, by a method that the object has."""


def _remedy_for(data: Any) -> str:
    """Return the remedy that names the call which makes a frame of the data; "" if none is known."""
    if isinstance(data, str | os.PathLike):
        return "; read the file first, as in pandas.read_parquet(data)"
    if isinstance(data, list | dict):
        return "; make it a frame by pandas.DataFrame(data)"
    if isinstance(data, pd.Series):
        return "; give the whole frame, and name the column by an argument"
    if isinstance(data, pd.api.typing.DataFrameGroupBy):
        return "; this takes no groups: give the frame, which is data.obj"
    calls = [call for method, call in _CALLS.items() if hasattr(data, method)]
    return f"; it becomes one by {calls[0]}" if calls else ""


def set_notes(frame: Any, notes: dict[str, Any]) -> Any:
    """Return the frame with these notes in place of its own. A pandas or polars frame is itself changed.

    A polars frame keeps them as an attribute, and so its next change loses them. Empty notes are set for a pandas frame
    alone; other frames then keep their own.
    """
    if isinstance(frame, pa.Table):
        return with_notes(frame, notes)
    if isinstance(frame, pd.DataFrame):
        frame.attrs = notes  # type: ignore[assignment]
    elif notes:
        setattr(frame, _POLARS_NAME, notes)
    return frame


def notes_of(frame: Any) -> dict[str, Any]:
    """Return the notes of a frame: from `attrs`, from metadata, or from where one of polars holds them."""
    if isinstance(frame, pd.DataFrame):
        return dict(frame.attrs)  # type: ignore[arg-type]
    if not isinstance(frame, pa.Table):
        return dict(getattr(frame, _POLARS_NAME, {}))
    metadata = frame.schema.metadata or {}
    if _METADATA_KEY not in metadata:
        attrs = pandas_attrs(metadata)
        return {NOTED: attrs[NOTED]} if NOTED in attrs else {}
    notes: dict[str, Any] = json.loads(metadata[_METADATA_KEY])
    return notes


def noted_scores(frame: Any) -> list[str]:
    """Return the names of the score columns in a frame's notes; none if `score` did not write these."""
    notes = notes_of(frame)
    return [*origins(notes)] if are_notes(notes) else []


def pandas_attrs(metadata: Mapping[bytes, bytes]) -> dict[str, Any]:
    """Return the `attrs` of a frame that pandas wrote to a file, from the file's metadata; empty if there are none."""
    attrs = None
    with contextlib.suppress(ValueError):
        attrs = json.loads(metadata.get(PANDAS_KEY, b"{}"))
    return attrs if isinstance(attrs, dict) else {}


def _take_from_table(table: pa.Table, rows: Ints) -> pa.Table:
    """Return the rows of a table at these positions.

    If Arrow cannot take them, as from views of text and from more than 2 GiB, all columns become plain first.
    """
    try:
        return table.take(pa.array(rows))
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        columns = [take_rows(column, rows) for column in table.columns]
        return pa.Table.from_arrays(columns, table.column_names, metadata=table.schema.metadata)


def with_notes(table: Any, notes: Mapping[str, Any]) -> Any:
    """Return an Arrow table with the notes in place of its own, or a pandas frame with the notes added to its `attrs`.

    The pandas frame is itself changed. Empty notes leave a table's own.
    """
    if isinstance(table, pd.DataFrame):
        table.attrs.update(notes)
        return table
    metadata = dict(table.schema.metadata or {})
    if notes:
        metadata[_METADATA_KEY] = json.dumps(notes).encode()
    return table.replace_schema_metadata(metadata or None)


def _to_pandas(table: pa.Table, arguments: Mapping[Hashable, str]) -> pd.DataFrame:
    """Return columns of a table as a pandas frame; ColumnTypeError if pandas cannot have one of them.

    Whole numbers and truth values with nulls keep their Arrow type. arguments: by column, the argument that names it.
    """
    columns: dict[Any, Any] = {}
    for name, argument in arguments.items():
        require_column(name, table.column_names, argument)
        try:
            columns[name] = column_to_pandas(table[name])
        except Exception as error:  # Arrow and pandas raise many kinds
            raise error_of_keys(argument, name, table[name].type, error) from error
    return pd.DataFrame(columns, index=pd.RangeIndex(table.num_rows))


def _plain(value: Any) -> Any:
    """Return a value, and all that it holds, as Python objects: None for null, lists for arrays, tuples and sets."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, set | frozenset):
        value = sorted(value, key=repr)  # the order of its items differs from process to process
    if isinstance(value, list | tuple):
        return list(map(_plain, value))
    return None if is_null(value) else value


_COPIES_ON_WRITE = int(pd.__version__.split(".")[0]) >= 3


def append_columns(frame: pd.DataFrame, scores: Mapping[str, NDArray[Any]], *, append: bool) -> pd.DataFrame:
    """Return a new frame with `frame`'s columns and index and then the scores; without append, the scores alone.

    A column that has a score's label already, from an earlier scoring, is replaced where it stands.
    """
    if not append:
        return _as_frame(scores, frame.index.view())
    labels = list(frame.columns)
    added: dict[Any, NDArray[Any]] = {}
    replaced: dict[int, NDArray[Any]] = {}
    for name, values in scores.items():
        label = score_label(name, frame.columns)
        if label in labels:
            replaced |= {place: values for place, known in enumerate(labels) if known == label}
        else:
            added[label] = values
    out = frame
    if replaced or not added:  # else pandas copies what must be copied below
        out = frame.copy(deep=not _COPIES_ON_WRITE)
    for place, values in replaced.items():
        out.isetitem(place, values)
    if added:
        out = pd.concat([out, _as_frame(added, frame.index)], axis=1, ignore_index=True)
        out.columns = frame.columns.append(_labels_of_names(tuple(added)))
    out.index = frame.index.view()  # a view has names of its own
    out.columns.names = frame.columns.names
    out.attrs = copy.deepcopy(frame.attrs)
    return out


@functools.lru_cache(maxsize=64)
def _labels_of_names(names: tuple[Any, ...]) -> pd.Index:
    """Return the labels as pandas has them. They are kept: to make them takes as long as the rest of a small frame."""
    labels: pd.Index = pd.Index(list(names))
    return labels


def _as_frame(columns: Mapping[Any, NDArray[Any]], index: pd.Index) -> pd.DataFrame:
    """Return a pandas frame of these columns with this index."""
    is_one_type = len({values.dtype for values in columns.values()}) == 1
    data: Any = np.array([*columns.values()]).T if is_one_type else dict(enumerate(columns.values()))
    frame = pd.DataFrame(data, index=index)  # pandas takes a table sooner than columns, and these sooner without labels
    frame.columns = _labels_of_names(tuple(columns)).view()  # a view has a name of its own
    return frame


def append_to_table(table: pa.Table, scores: Mapping[str, Floats], *, append: bool) -> pa.Table:
    """Return an Arrow table with these columns appended, or in place of those of their names. NaN becomes null.

    append: False returns the new columns alone.
    """
    arrays = {name: pa.array(values, from_pandas=True) for name, values in scores.items()}
    if not append:
        return pa.table(arrays)
    for name, array in arrays.items():
        places = table.schema.get_all_field_indices(name)
        for place in places:
            table = table.set_column(place, name, array)
        if not places:
            table = table.append_column(name, array)
    return table
