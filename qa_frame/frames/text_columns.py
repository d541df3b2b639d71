"""A prediction and a gold column of any type → checked Arrow arrays."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pandas.api.extensions import ExtensionDtype

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.checks import require_items, require_text
from qa_frame.errors import (
    ColumnTypeError,
    GoldFormatError,
    InvalidTextError,
    MissingPredictionError,
    UnknownOptionError,
)
from qa_frame.frames.arrow_types import (
    as_chunked,
    decode_chunks,
    is_list,
    is_text,
    text_of_object,
    valid_items,
    with_items,
    with_texts,
)
from qa_frame.frames.diagnosis import (
    column_of,
    diagnose_objects,
    either,
    find_written_golds,
    refuse_sets,
    refuse_written_lists,
    rows_not_utf8,
    wrong_type,
)
from qa_frame.frames.names import name_rows, require_column
from qa_frame.frames.options import GoldIs, letters_of_golds, options_of_dicts, options_of_one

_TEXT, _LISTS_OR_TEXT = "text is", "lists of text, or text, are"
"""The words of errors for the types that are needed."""

_LISTS_OR_NULLS = {list, tuple, np.ndarray, float, type(None), type(pd.NA)}
"""Types of objects of which Arrow can make lists. It would also make lists of letters of texts."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TextColumns:
    """A prediction and a gold column, checked. Both have the same length; nulls may be anywhere.

    Attributes
    ----------
    pred
        The predictions, Arrow `large_string`.
    golds
        The golds, Arrow `large_list<large_string>`, or `large_string` where each row has one gold. Where answers are
        lists of spans, either has one level of lists more, or both.
    labels
        The labels of the rows; None if the rows have none.
    is_not_extracted
        Whether the prediction is null as no answer was found in the response, shape (rows,). None if the predictions
        are the responses as they are.
    choices
        The texts of the options that a response chooses among, `large_list<large_string>`; None if they are not given.
    is_no_option
        Whether the row has golds, and none is the letter of one of its options, shape (rows,). None where golds name no
        options.
    """

    pred: pa.ChunkedArray
    golds: pa.ChunkedArray
    labels: pd.Index | None = None
    is_not_extracted: Flags | None = None
    choices: pa.ChunkedArray | None = None
    is_no_option: Flags | None = None

    def __len__(self) -> int:
        return len(self.pred)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle these rows alone, as an Arrow stream. A slice of an Arrow array would take its whole buffers along."""
        named = {"pred": self.pred, "golds": self.golds, "choices": self.choices}
        table = pa.table({name: column for name, column in named.items() if column is not None})
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        return _read_stream, (sink.getvalue(), self.labels)

    def slice(self, start: int, stop: int) -> TextColumns:
        """Return the predictions, golds and options of the rows from `start` to before `stop`. Labels are left out."""
        choices = None if self.choices is None else self.choices.slice(start, stop - start)
        return TextColumns(self.pred.slice(start, stop - start), self.golds.slice(start, stop - start), choices=choices)

    @property
    def nbytes(self) -> int:
        """The size of the predictions and golds in bytes."""
        return int(self.pred.nbytes + self.golds.nbytes)

    @property
    def has_lists(self) -> bool:
        """Whether each prediction is a list of spans."""
        return is_list(self.pred.type)

    @property
    def has_spans(self) -> bool:
        """Whether each prediction or each gold is a list of spans."""
        return self.has_lists or (is_list(self.golds.type) and is_list(self.golds.type.value_type))

    def in_lists(self) -> TextColumns:
        """Return the columns with a list of spans for each prediction and gold. A text becomes a list of one."""
        return replace(self, pred=_nest(self.pred, 1), golds=_nest(self.golds, 2))

    @property
    def is_missing(self) -> Flags:
        """Whether the prediction is null, shape (rows,)."""
        return np.asarray(pc.is_null(self.pred))

    @property
    def pred_lengths(self) -> Floats:
        """The number of characters of each prediction, float64, shape (rows,); 0 for null and for lists of spans."""
        texts = pa.chunked_array([pa.nulls(len(self), pa.large_string())]) if self.has_lists else self.pred
        return np.asarray(pc.fill_null(pc.utf8_length(texts), 0), np.float64)

    @property
    def n_golds(self) -> Ints:
        """The number of golds of each row, without nulls, shape (rows,)."""
        counts = [np.zeros(0, np.int64)]
        for _, bounds in map(valid_items, self.golds.chunks):
            counts.append(bounds[1:] - bounds[:-1])
        return np.concatenate(counts)

    def lack_gold(self, *, no_answer: bool) -> Flags:
        """Return whether each row has no gold, shape (rows,).

        no_answer: whether an empty list of golds counts as a gold: the response should give no answer.
        """
        return np.asarray(pc.is_null(self.golds)) if no_answer else self.n_golds == 0


def _read_stream(buffer: pa.Buffer, labels: pd.Index | None) -> TextColumns:
    """Return the columns from the bytes in which `TextColumns.__reduce__` sent them to another process."""
    table = pa.ipc.open_stream(buffer).read_all()
    choices = table["choices"] if "choices" in table.column_names else None
    return TextColumns(table["pred"], table["golds"], labels, choices=choices)


def read_columns(
    data: pd.DataFrame | pa.Table,
    *,
    pred: Hashable,
    gold: Hashable,
    labels: pd.Index | None = None,
    choices: Hashable | None = None,
    gold_is: GoldIs | None = None,
    spans: bool = False,
) -> TextColumns:
    """Return the prediction and gold columns of a frame or table, checked.

    ColumnNotFoundError for a column that is not there; for its values, the errors of `read_texts`.

    Parameters
    ----------
    pred, gold
        The names of the two columns.
    labels
        The names of rows in errors, for a table, which has no labels of its own.
    choices
        The column of options, if there is one.
    gold_is
        How golds name an option: they become letters. None leaves them as they are.
    spans
        Whether an answer may be a list of spans.
    """
    names = list(data.columns) if isinstance(data, pd.DataFrame) else data.column_names
    for argument, name in (("pred", pred), ("gold", gold), *([] if choices is None else [("choices", choices)])):
        require_column(name, names, argument)
    labels = data.index if isinstance(data, pd.DataFrame) else labels
    preds = read_texts(data[pred], f"pred={pred!r}", labels, levels=int(spans))
    golds = read_texts(data[gold], f"gold={gold!r}", labels, levels=1 + spans, are_golds=True)
    options, named = (None, None) if choices is None else read_choices(data[choices], f"choices={choices!r}", labels)
    if gold_is is not None:
        golds = letters_of_golds(golds, gold_is, options, named)
    return TextColumns(preds, golds, labels, choices=options)


def read_choices(
    column: Any, described: str, labels: pd.Index | None = None
) -> tuple[pa.ChunkedArray, list[Any] | None]:
    """Return a column of options as Arrow lists of texts, and the labels of each row's options.

    The labels are None if the column has none, and None for a row without labels. Raise ColumnTypeError if the column
    holds texts in place of lists or dicts. described: the column as errors name it. labels: the names of rows in
    errors.
    """
    split = options_of_dicts(decode_chunks(_to_arrow(column, described, labels, 1)))
    if split is not None:
        return split
    options = read_texts(column, described, labels, levels=1)
    if not is_list(options.type):
        if options.null_count < len(options):
            raise wrong_type(options.type, described, wanted="lists of text are")
        options = _nest(options, 1)
    return options, None


def columns_of_one(
    pred: str | None,
    gold: str | Iterable[str | None] | Mapping[str, Any] | None,
    choices: Iterable[str | None] | None = None,
    gold_is: GoldIs | None = None,
) -> TextColumns:
    """Return the columns of a single row from its texts. UnknownOptionError if something else than text is given.

    gold: one text, several, or SQuAD's dict of answers. GoldFormatError for a list that was written out as text.
    """
    wanted = "give text, or None for a missing one"
    lists = "text, nor several; give text, a list of texts, or None"
    squad = "SQuAD's {'text': [...], 'answer_start': [...]}"
    if isinstance(gold, set | frozenset) or (isinstance(gold, Mapping) and "text" not in gold):
        raise UnknownOptionError.of("gold", f"is not {lists}, or {squad}", value=gold)
    of_gold = gold.get("text") if isinstance(gold, Mapping) else gold
    golds = [of_gold] if of_gold is None or isinstance(of_gold, str) else [*require_items("gold", of_gold, lists)]
    several = "several texts, one for each option; give a list of them"
    options = choices if choices is None or isinstance(choices, dict) else [*require_items("choices", choices, several)]
    for argument, texts in (("pred", [pred]), ("gold", golds), ("choices", options_of_one(options)[0] or ())):
        for text in texts:
            if text is not None:
                require_text(argument, text, wanted)
    if isinstance(gold, str) and len(find_written_golds(pa.array([gold], pa.large_string()))):
        raise GoldFormatError.of("gold", "holds golds written out as text", "give the list itself", value=gold)
    lists_of_text = pa.large_list(pa.large_string())
    columns = [pa.array([pred], pa.large_string()), pa.array([None if of_gold is None else golds], lists_of_text)]
    table = pa.table([*columns, pa.array([options])], names=["pred", "gold", "choices"])
    named = None if choices is None else "choices"
    return read_columns(table, pred="pred", gold="gold", choices=named, gold_is=gold_is)


def require_text_types(data: pd.DataFrame | pa.Table, *, pred: Hashable, gold: Hashable, spans: bool = False) -> None:
    """Raise ColumnTypeError unless the types of both columns are those of text, or of lists of text for golds.

    It checks frames without rows, of which only the types are known. A column of nulls alone may stand for any type,
    and so may a pandas column of objects without rows. With `spans`, an answer may be a list of spans.
    """
    for argument, name, levels, wanted in (("pred", pred, 0, _TEXT), ("gold", gold, 1, _LISTS_OR_TEXT)):
        array = _to_arrow(data[name], repr(name), None)
        if _decode_texts(array, levels + spans, dicts=argument == "gold")[1] is None:
            raise wrong_type(array.type, f"{argument}={name!r}", wanted=wanted)


def _decode_texts(
    array: pa.ChunkedArray, levels: int, *, dicts: bool
) -> tuple[pa.ChunkedArray, pa.DataType | None, int]:
    """Return the column decoded, the type to which it is cast (None if it is not text), and its levels of lists.

    levels: how many levels of lists are allowed. Whole numbers and truth values in the column are replaced by texts,
    and so are dicts if `dicts`; see `with_texts`.
    """
    plain = decode_chunks(array)
    if _text_target(plain.type, levels)[0] is None:
        plain = pa.chunked_array([with_texts(chunk, levels, dicts=dicts) for chunk in plain.chunks])
    return plain, *_text_target(plain.type, levels)


def _text_target(kind: pa.DataType, levels: int) -> tuple[pa.DataType | None, int]:
    """Return the type to which a column of this type is cast to hold text, and how many levels of lists it has.

    The type is None if the column may hold something else than text, or lists of text in at most `levels` levels.
    """
    if levels and is_list(kind):
        target, depth = _text_target(kind.value_type, levels - 1)
        return None if target is None else pa.large_list(target), depth + 1
    return pa.large_string() if is_text(kind) or pa.types.is_null(kind) else None, 0


def require_predictions(columns: TextColumns, extraction: str | None = None) -> None:
    """Raise MissingPredictionError if a prediction is null.

    extraction: how answers were looked for in the responses; None if these are not extracted yet.
    """
    missing = np.flatnonzero(columns.is_missing)
    if len(missing):
        finding, remedy = f"{len(missing)} of {len(columns)} predictions are null", "fill them"
        if extraction is not None:
            finding = f"extract ({extraction}) finds no answer in {len(missing)} of {len(columns)} responses"
            remedy = "extract another way"
        finding = f"missing='raise', and {finding}, first at {name_rows(missing, columns.labels)}"
        others = "missing='zero' (wrong) or 'null' (not scored)"
        raise MissingPredictionError.of("", finding, f"{remedy}, or choose {others}")


def read_texts(
    column: Any, described: str, labels: pd.Index | None, *, levels: int = 0, are_golds: bool = False
) -> pa.ChunkedArray:
    """Return a column of text as Arrow `large_string`, or of lists of text as `large_list<large_string>`.

    Whole numbers and truth values are read as their texts. A column of nulls alone may have any type, but not lists of
    something else than text where `levels` allows lists. Raise ColumnTypeError for anything but text, InvalidTextError
    for text that is not UTF-8.

    Parameters
    ----------
    described
        The column as errors name it, such as `pred='response'`.
    labels
        The names of rows in errors; None names them by position.
    levels
        How many levels of lists the texts may stand in. 2 allows `large_list<large_list<large_string>>`.
    are_golds
        Whether dicts stand for their `text`, and GoldFormatError is raised for lists that were written out as text.
    """
    array = _to_arrow(column, described, labels, levels, dicts=are_golds)
    plain, target, depth = _decode_texts(array, levels, dicts=are_golds)
    if target is None:
        if depth or plain.null_count < len(plain):
            wanted = _LISTS_OR_TEXT if depth or are_golds else _TEXT
            raise wrong_type(array.type, described, wanted=wanted)
        plain, target = pa.chunked_array([pa.nulls(len(plain))]), pa.large_string()
    is_of_objects = isinstance(column, pd.Series) and column.dtype == object
    is_checked = is_of_objects and plain.type == target  # Arrow checks the texts that it makes of objects
    texts = plain if is_checked else _checked_cast(plain, target, described, labels)
    if are_golds and not depth:
        refuse_written_lists(texts, described)
    return texts


def _nest(column: pa.ChunkedArray, levels: int) -> pa.ChunkedArray:
    """Return a column with this many levels of lists. Each value that has fewer becomes a list of one; nulls stay."""
    chunks = column.chunks or [pa.array([], column.type)]
    return pa.chunked_array([_nest_chunk(chunk, levels) for chunk in chunks])


def _nest_chunk(chunk: pa.Array, levels: int) -> pa.Array:
    """Return an array with this many levels of lists; see `_nest`."""
    if not levels:
        return chunk
    if not is_list(chunk.type):  # the innermost level is missing
        mask = chunk.is_null() if chunk.null_count else None
        offsets = pa.array(np.append(0, np.cumsum(pc.is_valid(chunk).to_numpy(zero_copy_only=False), dtype=np.int64)))
        lists = pa.LargeListArray.from_arrays(offsets, chunk.drop_null(), mask=mask)
        return _nest_chunk(lists, levels)
    return with_items(chunk, _nest_chunk(chunk.flatten(), levels - 1))


def _to_arrow(
    column: Any, described: str, labels: pd.Index | None, levels: int = 0, *, dicts: bool = False
) -> pa.ChunkedArray:
    """Return any pandas or Arrow column as a chunked array.

    ColumnTypeError for sets, and the error of `diagnose_objects` for other objects that Arrow cannot read.

    described, labels: as in `read_texts`. levels, dicts: as `with_texts` has them; they are of use where a pandas
    column holds objects of several types.
    """
    if isinstance(column, pd.Series):
        # Arrow takes the values ten times as fast as the column.
        values: Any = column.array if isinstance(column.dtype, ExtensionDtype) else column.to_numpy()
        kinds = {*map(type, values)} if column.dtype == object else set()
        if any(issubclass(kind, set | frozenset) for kind in kinds):
            refuse_sets(values, described, labels)
        if any(issubclass(kind, pa.Scalar) for kind in kinds):  # of which Arrow would make texts such as "['a']"
            column = pd.Series([v.as_py() if isinstance(v, pa.Scalar) else v for v in values], dtype=object)
            return _to_arrow(column, described, labels, levels, dicts=dicts)
        try:
            column = _values_to_arrow(values, are_lists=levels > 0 and bool(kinds) and kinds <= _LISTS_OR_NULLS)
        except Exception:  # noqa: BLE001  (what Arrow raises depends on the objects)
            objects = [text_of_object(value, levels, dicts=dicts) for value in column]
            try:
                column = pa.array(objects, from_pandas=True)
            except Exception as error:
                raise diagnose_objects(objects, described, labels) from error
    return as_chunked(column)


def _values_to_arrow(values: Any, *, are_lists: bool) -> pa.Array | pa.ChunkedArray:
    """Return the values of a pandas column as an Arrow array. Arrow may raise anything if they are objects.

    are_lists: whether all values are lists, arrays and nulls.
    """
    if are_lists:
        with contextlib.suppress(Exception):  # they hold something else than text
            # Half the time, and lists may hold more text than offsets of 32 bits count.
            return pa.array(values, pa.large_list(pa.large_string()), from_pandas=True)
    return pa.array(values, from_pandas=True)


def _checked_cast(
    array: pa.ChunkedArray, target: pa.DataType, described: str, labels: pd.Index | None
) -> pa.ChunkedArray:
    """Return the column cast to `target`; InvalidTextError if a text in it is not UTF-8.

    ColumnTypeError if Arrow finds another fault in the column. described, labels: as in `read_texts`.
    """
    try:
        cast = array if array.type == target else array.cast(target)
        cast.validate(full=True)
    except pa.ArrowInvalid as error:
        rows = rows_not_utf8(array)
        if not len(rows):
            raise ColumnTypeError(f"{described} is not a valid Arrow column: {error}; make it again") from error
        column = column_of(described)
        in_pandas = f"{column}.str.decode('latin-1')"
        in_polars = f"{column}.map_elements(lambda value: value.decode('latin-1'), return_dtype=polars.String)"
        finding = f"holds bytes that are not UTF-8 at {name_rows(rows, labels)}"
        remedy = f"decode the column with its real encoding first, as in {either(in_pandas, in_polars)}"
        raise InvalidTextError.of(described, finding, remedy) from error
    return cast
