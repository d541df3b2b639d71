"""Any column of text, or of lists of text → checked Arrow; and score arrays → columns again.

Rows go by position throughout; an index is only read to name rows in errors.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from qa_frame.errors import (
    ColumnNotFoundError,
    ColumnOverwriteError,
    ColumnTypeError,
    GoldFormatError,
    InvalidTextError,
    MissingPredictionError,
    QaFrameError,
    UnknownOptionError,
    suggestion,
)

_WRITTEN_LIST = r"(?s)^\s*\[\s*(?:(?:'.*'|\".*\")\s*,?\s*)?\]\s*$"
_ROWS_NAMED = 5
_ATTRS_KEY = "qa_scored"
_COPIES_ON_WRITE = int(pd.__version__.split(".")[0]) >= 3


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TextColumns:
    """A prediction and a gold column, checked.

    pred: Arrow `large_string`. golds: Arrow `large_list<large_string>`, or `large_string` for one gold a row.
    Both chunked, of one length, with nulls anywhere. labels: the row labels, None for positions.
    """

    pred: pa.ChunkedArray
    golds: pa.ChunkedArray
    labels: pd.Index | None = None

    def __len__(self) -> int:
        return len(self.pred)

    @property
    def nbytes(self) -> int:
        """Bytes of text and offsets."""
        return int(self.pred.nbytes + self.golds.nbytes)

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """Whether the prediction is null, shape (rows,)."""
        is_null: NDArray[np.bool_] = pc.is_null(self.pred).to_numpy()
        return is_null

    @property
    def n_golds(self) -> NDArray[np.int64]:
        """Golds a row, nulls in a list not counted, shape (rows,)."""
        if not pa.types.is_large_list(self.golds.type):
            n_golds: NDArray[np.int64] = pc.is_valid(self.golds).to_numpy().astype(np.int64)
            return n_golds
        counts = [np.zeros(0, np.int64)]
        for chunk in self.golds.chunks:
            n_values = pc.list_value_length(chunk).fill_null(0).to_numpy(zero_copy_only=False)
            values = chunk.flatten()
            if values.null_count:
                n_valid_before = np.concatenate(([0], np.cumsum(pc.is_valid(values).to_numpy(zero_copy_only=False))))
                n_values = np.diff(n_valid_before[np.concatenate(([0], np.cumsum(n_values)))])
            counts.append(n_values)
        return np.concatenate(counts)


def read_columns(data: pd.DataFrame | pa.Table, *, pred: Hashable, gold: Hashable) -> TextColumns:
    """The prediction and gold columns of a frame or table, checked and as Arrow."""
    names = list(data.columns) if isinstance(data, pd.DataFrame) else data.column_names
    for argument, name in (("pred", pred), ("gold", gold)):
        require_column(name, names, argument)
    labels = data.index if isinstance(data, pd.DataFrame) else None
    return TextColumns(
        pred=_read_texts(data[pred], f"pred={pred!r}", labels),
        golds=_read_golds(data[gold], f"gold={gold!r}", labels),
        labels=labels,
    )


def read_table(data: Any, *, pred: Hashable, gold: Hashable) -> pa.Table:
    """`data` as an Arrow table, without a copy where it is one. pred, gold: for the error where it is not."""
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if not hasattr(data, "__arrow_c_stream__"):
        raise ColumnTypeError(
            f"data is a {type(data).__name__}; give a pyarrow Table or RecordBatch, or anything with "
            "__arrow_c_stream__ (a polars or pandas frame, a DuckDB relation)"
        )
    try:
        return pa.RecordBatchReader.from_stream(data).read_all()
    except (pa.ArrowException, UnicodeError, TypeError, ValueError) as error:
        if isinstance(data, pd.DataFrame):
            read_columns(data, pred=pred, gold=gold)  # says more, if it is one of these columns
        raise ColumnTypeError(
            f"data cannot be read as an Arrow table: {error}; give the needed columns alone"
        ) from error


def require_column(name: Hashable, names: Sequence[Hashable], argument: str) -> None:
    """Raise ColumnNotFoundError unless `name` stands exactly once in `names`."""
    if isinstance(name, pd.Series | pd.DataFrame | pd.Index | np.ndarray):
        kind = type(name).__name__
        raise ColumnNotFoundError(f"{argument} is a {kind}; give the name of a column. Columns: {list(names)}")
    found = names.count(name)
    if found == 0:
        close = suggestion(name, names)
        raise ColumnNotFoundError(f"{argument}={name!r} is not a column{close} Columns: {list(names)}")
    if found > 1:
        raise ColumnNotFoundError(f"{argument}={name!r} names {found} columns; rename them so that one is left")


def require_predictions(columns: TextColumns) -> None:
    """Raise MissingPredictionError if a prediction is null, naming the first rows."""
    missing = np.flatnonzero(columns.is_missing)
    if len(missing):
        raise MissingPredictionError(
            f"missing='raise', and {len(missing)} of {len(columns)} predictions are null, first at "
            f"{name_rows(missing, columns.labels)}; fill them, or choose missing='zero' (wrong) or 'null' (not scored)"
        )


def score_label(name: str, columns: pd.Index) -> Hashable:
    """The label of a score column among `columns`: the name itself, or its tuple where labels have several levels."""
    return (name, *[""] * (columns.nlevels - 1)) if isinstance(columns, pd.MultiIndex) else name


def require_prefix(prefix: object) -> None:
    """Raise UnknownOptionError unless it is text."""
    if not isinstance(prefix, str):
        raise UnknownOptionError(
            f"prefix={prefix!r} is not text; give what stands in front of the columns' names, or ''"
        )


def require_no_overwrite(new: Sequence[Hashable], *, pred: Hashable, gold: Hashable) -> None:
    """Raise ColumnOverwriteError if a new column has the label of the prediction or gold column."""
    for argument, name in (("pred", pred), ("gold", gold)):
        if name in new:
            raise ColumnOverwriteError(
                f"the score column {name!r} would take the place of {argument}={name!r}; choose another `prefix`, "
                "or append=False for the scores alone"
            )


def append_columns(frame: pd.DataFrame, scores: Mapping[str, NDArray[Any]], *, append: bool) -> pd.DataFrame:
    """A new frame with `frame`'s columns and index and then the scores; without append, the scores alone.

    A column that has a score's label already, from an earlier scoring, is replaced where it stands.
    """
    if not append:
        return pd.DataFrame(dict(scores), index=frame.index)
    out = frame.copy(deep=not _COPIES_ON_WRITE)
    labels = list(frame.columns)
    added = {}
    for name, values in scores.items():
        label = score_label(name, frame.columns)
        places = [place for place, known in enumerate(labels) if known == label]
        for place in places:
            out.isetitem(place, values)
        if not places:
            added[label] = values
    if added:
        out = pd.concat([out, pd.DataFrame(added, index=frame.index)], axis=1)
    out.columns.names = frame.columns.names
    out.attrs = copy.deepcopy(frame.attrs)
    return out


def append_to_table(table: pa.Table, scores: Mapping[str, NDArray[np.float64]], *, append: bool) -> pa.Table:
    """As `append_columns`, on an Arrow table: NaN becomes null."""
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


def remember_scoring(
    scored: pd.DataFrame, names: Sequence[str], *, pred: Hashable, gold: Hashable, signature: str
) -> pd.DataFrame:
    """Note in the frame's `attrs` what the score columns `names` were made from; returns the same frame."""
    source = {"pred": pred, "gold": gold} if _can_be_noted(pred) and _can_be_noted(gold) else {}
    earlier = scored.attrs.get(_ATTRS_KEY, {})
    new = {name: {**source, "signature": signature} for name in names}
    scored.attrs = {**scored.attrs, _ATTRS_KEY: {**earlier, **new}}
    return scored


def _can_be_noted(label: Hashable) -> bool:
    """Whether a label can stand in `attrs`, which Parquet keeps as JSON; a tuple comes back as a list."""
    parts = label if isinstance(label, tuple) else (label,)
    return all(isinstance(part, str | int) for part in parts)


def _as_noted(label: Any) -> Any:
    return tuple(label) if isinstance(label, list) else label


def recall_scoring(frame: pd.DataFrame, names: Sequence[str]) -> tuple[TextColumns | None, str | None]:
    """The columns that the score columns `names` were made from, and their signature; None where unknown or gone.

    Columns scored in different ways have no common source unless it is the same, and each its own signature.
    """
    noted = frame.attrs.get(_ATTRS_KEY, {})
    known = {name: noted[name] for name in names if name in noted}
    if len(known) < len(names):
        return None, None
    sources = {(_as_noted(entry.get("pred")), _as_noted(entry.get("gold"))) for entry in known.values()}
    signatures = {entry["signature"]: name for name, entry in known.items()}
    signature = " & ".join(f"{name}={line}" for line, name in signatures.items())
    (pred, gold), *others = sources
    try:
        source = read_columns(frame, pred=pred, gold=gold) if pred is not None and not others else None
    except QaFrameError:  # columns of these names were put to other use since
        source = None
    return source, next(iter(signatures)) if len(signatures) == 1 else signature


def _read_texts(column: Any, described: str, labels: pd.Index | None) -> pa.ChunkedArray:
    """A column of text as Arrow `large_string`."""
    array = _to_arrow(column, described, labels)
    if not _is_text(array.type):
        if array.null_count < len(array):
            raise _not_text(array.type, described, wanted="text is")
        array = pa.chunked_array([pa.nulls(len(array))])
    return _checked_cast(array, pa.large_string(), described, labels)


def _read_golds(column: Any, described: str, labels: pd.Index | None) -> pa.ChunkedArray:
    """A column of lists of text, or of text, as Arrow `large_list<large_string>` or `large_string`."""
    array = _to_arrow(column, described, labels)
    if _is_list(array.type):
        if not _is_text(array.type.value_type) and not pa.types.is_null(array.type.value_type):
            raise _not_text(array.type, described, wanted="lists of text, or text, are")
        lists = pa.chunked_array(
            [_as_large_list(chunk) for chunk in array.chunks], pa.large_list(array.type.value_type)
        )
        return _checked_cast(lists, pa.large_list(pa.large_string()), described, labels)
    if not _is_text(array.type):
        if array.null_count < len(array):
            raise _not_text(array.type, described, wanted="lists of text, or text, are")
        array = pa.chunked_array([pa.nulls(len(array))])
    texts = _checked_cast(array, pa.large_string(), described, labels)
    _refuse_written_lists(texts, described)
    return texts


def _to_arrow(column: Any, described: str, labels: pd.Index | None) -> pa.ChunkedArray:
    """Any pandas or Arrow column as a chunked array of a plain type: decoded from run-ends, without extension type."""
    if isinstance(column, pd.Series):
        try:
            column = pa.array(column, from_pandas=True)
        except (pa.ArrowException, UnicodeEncodeError, TypeError, ValueError) as error:
            raise _diagnose_objects(column.to_numpy(dtype=object), described, labels) from error
    array = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    if isinstance(array.type, pa.BaseExtensionType):
        storage = array.type.storage_type
        array = pa.chunked_array([chunk.storage for chunk in array.chunks], storage)
    if pa.types.is_run_end_encoded(array.type):
        array = pa.chunked_array([pc.run_end_decode(chunk) for chunk in array.chunks], array.type.value_type)
    return array


def _as_large_list(lists: pa.Array) -> pa.Array:
    """Any kind of Arrow list as `large_list`, put together anew: Arrow's own casts misread list views."""
    lengths = pc.list_value_length(lists).fill_null(0).to_numpy(zero_copy_only=False)
    offsets = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    mask = lists.is_null() if lists.null_count else None
    return pa.LargeListArray.from_arrays(pa.array(offsets), lists.flatten(), mask=mask)


def _checked_cast(
    array: pa.ChunkedArray, target: pa.DataType, described: str, labels: pd.Index | None
) -> pa.ChunkedArray:
    """Cast to `target` and check that every text is UTF-8."""
    try:
        cast = array.cast(target)
        cast.validate(full=True)
    except pa.ArrowInvalid as error:
        rows = _rows_not_utf8(array)
        if not len(rows):
            raise ColumnTypeError(f"{described} is not a valid Arrow column: {error}; make it anew") from error
        raise InvalidTextError(
            f"{described} holds bytes that are not UTF-8 at {name_rows(rows, labels)}; decode the column with its "
            "real encoding first, as in df[column].str.decode('latin-1')"
        ) from error
    return cast


def _rows_not_utf8(array: pa.ChunkedArray) -> NDArray[np.int64]:
    """The rows with text that is not UTF-8."""
    return np.array([row for row, value in enumerate(array) if not _is_utf8(value)], np.int64)


def _is_utf8(value: pa.Scalar) -> bool:
    if not value.is_valid:
        return True
    if isinstance(value, pa.DictionaryScalar):
        value = value.value
    if not isinstance(value, pa.BinaryScalar):
        return all(map(_is_utf8, value.values))
    try:
        value.as_buffer().to_pybytes().decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    tests = ("is_string", "is_large_string", "is_string_view", "is_binary", "is_large_binary", "is_binary_view")
    return any(getattr(pa.types, test)(kind) for test in tests)


def _is_list(kind: pa.DataType) -> bool:
    tests = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")
    return any(getattr(pa.types, test)(kind) for test in tests)


def _not_text(kind: pa.DataType, described: str, *, wanted: str) -> ColumnTypeError:
    """The error for a column of another Arrow type, with a remedy where the type suggests one."""
    if pa.types.is_struct(kind) and kind.get_field_index("text") >= 0:
        remedy = "take the answers out first, as in df[column].map(lambda answer: answer['text'])"
    elif pa.types.is_struct(kind) or pa.types.is_map(kind):
        remedy = "take the text out of each dict first, as in df[column].map(lambda value: value['key'])"
    elif _is_list(kind):
        remedy = _remedy_for_lists(kind.value_type)
    else:
        remedy = "turn them into strings first, as in df[column].astype('string')"
    return ColumnTypeError(f"{described} holds {kind}, where {wanted} needed; {remedy}")


def _remedy_for_lists(kind: pa.DataType) -> str:
    if _is_text(kind):
        return "take one text from each list first, as in df[column].str[0]"
    if pa.types.is_struct(kind) and kind.get_field_index("text") >= 0:
        return "take the answers out first, as in df[column].map(lambda golds: [gold['text'] for gold in golds])"
    if _is_list(kind) or pa.types.is_struct(kind):
        return "make each a flat list of the texts in it first"
    return "turn the items into strings first, as in df[column].map(lambda items: [str(i) for i in items])"


def _diagnose_objects(values: NDArray[Any], described: str, labels: pd.Index | None) -> QaFrameError:
    """Why a column of Python objects is neither text nor lists of text."""
    kinds = []
    for row, value in enumerate(values):
        place = name_rows(np.array([row]), labels)
        is_list = isinstance(value, list | tuple | set) or (isinstance(value, np.ndarray) and value.ndim == 1)
        for item in value if is_list else [value]:
            if not isinstance(item, str | bytes) and not _is_null(item):
                return ColumnTypeError(
                    f"{described} holds {type(item).__name__} {item!r:.40} at {place}, where text or lists of text are "
                    "needed; turn it into strings first"
                )
            if isinstance(item, str) and not _is_unicode(item):
                return InvalidTextError(
                    f"{described} holds a lone surrogate, which is not valid text, at {place}; clean it first, as in "
                    "df[column].map(lambda text: text.encode('utf-8', 'replace').decode())"
                )
        if is_list or not _is_null(value):
            kinds.append(is_list)
        if any(kinds) and not all(kinds):
            remedy = (
                "take one text from each list first"
                if described.startswith("pred")
                else "make all lists, as in df[column].map(lambda gold: [gold] if isinstance(gold, str) else gold)"
            )
            return ColumnTypeError(f"{described} mixes lists and single texts, first at {place}; {remedy}")
    return ColumnTypeError(f"{described} holds objects that Arrow cannot read as text; turn them into strings first")


def _is_null(value: Any) -> bool:
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse_written_lists(texts: pa.ChunkedArray, described: str) -> None:
    """Raise GoldFormatError if most of the texts are lists written out, as `"['a', 'b']"`."""
    valid = texts.drop_null()
    if not len(valid) or not pc.any(pc.starts_with(pc.utf8_ltrim_whitespace(valid.slice(0, 1000)), "[")).as_py():
        return
    looks_written = pc.match_substring_regex(valid, _WRITTEN_LIST, options=None)
    if pc.sum(looks_written).as_py() * 2 > len(valid):
        example = valid.filter(looks_written)[0].as_py()
        raise GoldFormatError(
            f"{described} holds lists written out as text, such as {example!r:.60}, as they come back from CSV; parse "
            "them first, as in df[column].map(ast.literal_eval) or .map(json.loads), or keep results in Parquet"
        )


def name_rows(rows: NDArray[np.int64], labels: pd.Index | None) -> str:
    """The first of `rows`, by label where there are labels."""
    shown = rows[:_ROWS_NAMED]
    names = shown.tolist() if labels is None else [_plain(labels[row]) for row in shown]
    what = "row" if labels is None else "index label"
    more = ", ..." if len(rows) > len(shown) else ""
    return f"{what}{'s' if len(rows) > 1 else ''} {', '.join(map(repr, names))}{more}"


def _plain(label: object) -> object:
    """A label as it is written, not as numpy's type."""
    return label.item() if isinstance(label, np.generic) else label
