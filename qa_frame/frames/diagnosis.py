"""Why a column cannot be read as text or as lists of text: the errors, each with its remedy.

`described` is the column as errors name it, such as `pred='response'`. The code of remedies is for frames of pandas and
of polars: an error often does not know the kind of the caller's frame, as it comes from a part that reads all kinds as
one.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import numbers
import re
from collections.abc import Iterable, KeysView, Sequence, ValuesView
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from qa_frame._typing import Ints
from qa_frame.checks import is_unicode
from qa_frame.errors import (
    ColumnTypeError,
    GoldFormatError,
    GoldFormatWarning,
    InvalidTextError,
    QaFrameError,
    show,
    warn,
)
from qa_frame.frames.arrow_types import is_list, is_text
from qa_frame.frames.names import name_rows
from qa_frame.frames.stringified_lists import NULL

_FIRST, _LAST = r"""(?:np\.str_\()?['"]""", r"""['"]\)?"""
_NO_TEXT = rf"(?:{NULL}|(?:np\.\w+\()?[-+]?(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][-+]?\d+)?\)?)"
WRITTEN_ANSWERS = r"""\{(?:[^{]*,)?\s*['"]text['"]\s*:.*\}"""
"""Answers as Hugging Face's datasets have them."""
WRITTEN_GOLDS = (
    rf"(?s)^\s*(?:\[\s*(?:(?:{_FIRST}.*(?:{_LAST}|,\s*{_NO_TEXT}|\s{NULL})"  # a list
    rf"|(?:{_NO_TEXT}\s*,|{NULL}\s).*{_LAST})\s*,?\s*)?\]"
    rf"|\(\s*{_FIRST}.*{_LAST}\s*,.*\)"  # a tuple
    rf"|\{{\s*{_FIRST}[^:]*{_LAST}\s*\}}"  # a set
    rf"|{WRITTEN_ANSWERS}|\[\s*{WRITTEN_ANSWERS}\s*\]|array\(\[\s*{_FIRST}.*\](?:, dtype=[<>|'\w]+)?\))\s*$"
)
SEPARATORS = ("|", ";", " / ")
"""Marks that may stand between golds that were joined to one text."""

_BRACKETS = pa.array([b"[", b"(", b"{", b" ", b"\n", b"\t", b"\r"], pa.large_binary())
WRITTEN_NUMBERS = r"^\s*\[\s*[-+.\d][-+.\deE,\s]*\]\s*$"


def rows_not_utf8(array: pa.ChunkedArray) -> Ints:
    """Return the positions of the rows of a decoded column whose text, or a text of whose list, is not UTF-8, int64."""
    return np.array([row for row, value in enumerate(array) if not _is_utf8(value)], np.int64)


def _is_utf8(value: pa.Scalar) -> bool:
    """Return whether a text, or each text of a list, is valid UTF-8."""
    if not value.is_valid:
        return True
    if not isinstance(value, pa.BinaryScalar):
        return all(map(_is_utf8, value.values))
    with contextlib.suppress(UnicodeDecodeError):
        value.as_buffer().to_pybytes().decode()
        return True
    return False


_CLEANED = "text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
WITHOUT_SURROGATES = f"clean each such text first, as {_CLEANED} does"
"""The remedy for lone surrogates. Each becomes U+FFFD, as in files, and not "?": some rules delete punctuation."""

_ANSWERS = {"value", "text", "answer"}
"""The usual names of an answer's text beside others of it, as in TriviaQA."""

_SPANS = (
    "a convention for lists of spans scores them, such as convention='drop', but explain, audit and report take none"
)


def wrong_type(kind: pa.DataType, described: str, *, wanted: str) -> ColumnTypeError:
    """Return the error for a column of an Arrow type that is not the wanted one. The remedy depends on the type.

    described: the column as errors name it, such as `pred='response'`. wanted: the types that are needed, as the error
    words them: "text is", or "lists of text, or text, are".
    """
    is_pred, is_gold, column = described.startswith("pred"), described.startswith("gold"), column_of(described)
    converted = f"{_name_of_converter(described)}({column})"
    if is_list(kind) and is_text(kind.value_type):
        remedy = f"{_SPANS}; or take one text from each list first, as in {either(*code_of_first_item(column))}"
    elif pa.types.is_map(kind) or (pa.types.is_struct(kind) and (not is_gold or kind.get_field_index("text") < 0)):
        fields = [*kind] if pa.types.is_struct(kind) else []
        lists = [each.name for each in fields if is_gold and is_list(each.type) and is_text(each.type.value_type)]
        texts = sorted((each.name for each in fields if is_text(each.type)), key=lambda name: name not in _ANSWERS)
        code = code_of_field(column, *[*lists, *texts, *(each.name for each in fields)][:1])
        if lists and texts and texts[0] in _ANSWERS:  # others may be empty
            code = _code_of_text_and_list(column, texts[0], lists[0])
        remedy = f"take the text out of each dict first, as in {either(*code)}"
    elif is_list(kind) and is_list(kind.value_type):
        remedy = f"{_SPANS}; or make each a flat list of the texts in it first"
    elif is_list(kind) and is_pred:
        made = (f"qa_frame.to_text({item})" for item in code_of_first_item(column))
        remedy = f"take one item from each list and make it text first: {either(*made)}"
    elif is_list(kind) and is_gold:
        remedy = f"convert them first: {converted}, if each number is an answer by itself; {code_if_one_answer(column)}"
    elif isinstance(kind, pa.BaseExtensionType):
        remedy = f"make each a text first, as in {column}.map(str, na_action='ignore')"
    else:
        remedy = f"convert them first: {converted}"
    if pa.types.is_floating(kind):
        whole = either(f"{column}.astype('Int64')", f"{column}.cast(int)")
        reason = "the text of 2.0 may be '2.0' or '2'. Where nulls made floats of whole numbers, make them whole again"
        remedy = f"{reason}: {whole}. Else {remedy}, which writes 2.0 as '2'"
    return ColumnTypeError(f"{described} holds {kind}, where {wanted} needed; {remedy}")


def code_if_one_answer(column: str) -> str:
    """Return the phrase of a remedy with the code that makes one gold of each list of numbers.

    column: the code that stands for the column, such as `df['answers']`.
    """
    made = f"qa_frame.to_golds({column})"
    joined = either(f"{made}.map(' '.join, na_action='ignore')", f"{made}.list.join(' ')")
    return f"if each list is one answer, {joined}"


def _remedy_for_object(item: object, described: str, *, is_in_list: bool) -> str:
    """Return the remedy for an object that is no text.

    described: the column as errors name it, such as `pred='response'`. is_in_list: whether it is an item of a list.
    """
    if isinstance(item, dict):
        return f"take the text out of each dict first, as in {either(*code_of_field(column_of(described)))}"
    if isinstance(item, np.ndarray):  # with two dimensions
        flat = f"{column_of(described)}.map(lambda value: value.ravel().tolist(), na_action='ignore')"
        return f"make each a flat list of its texts first, as in {flat}"
    if isinstance(item, numbers.Real | Decimal | dt.date | dt.time | dt.timedelta | pd.Series | KeysView | ValuesView):
        return f"turn the column into strings first: {_name_of_converter(described)}({column_of(described)})"
    made = "lambda items: [*map(str, items)]" if is_in_list else "str"
    if isinstance(item, Iterable) and not isinstance(item, type):
        if is_in_list:
            return "make each a flat list of the texts in it first"
        made = "lambda items: [*map(str, items)]"
    return f"make each a text first, as in {column_of(described)}.map({made}, na_action='ignore')"


def _clean_column(described: str, *, are_lists: bool) -> str:
    """Return the code that puts U+FFFD in the place of lone surrogates. It is for pandas: polars has no such column.

    described: the column as errors name it, such as `pred='response'`. are_lists: whether it holds lists of texts.
    """
    column = column_of(described)
    made = f"texts: [text and {_CLEANED} for text in texts]" if are_lists else f"text: {_CLEANED}"
    return f"{column} = {column}.map(lambda {made}, na_action='ignore')"


def column_of(described: str) -> str:
    """Return the code that stands for a column: `df['response']`, or `column` where no argument names it.

    described: the column as errors name it, such as `pred='response'`.
    """
    name = described.partition("=")[2]
    return f"df[{name}]" if name else "column"


def _name_of_converter(described: str) -> str:
    """Return the name of the public function that makes text, or golds, of a column.

    described: the column as errors name it, such as `pred='response'`.
    """
    return "qa_frame.to_golds" if described.startswith(("gold", "choices")) else "qa_frame.to_text"


def diagnose_objects(values: Iterable[Any], described: str, labels: pd.Index | None) -> QaFrameError:
    """Return the error for a column of Python objects that Arrow cannot read. It names the first bad row if it can.

    values: the objects, with whole numbers, truth values and dicts already replaced by `text_of_object`. described: the
    column as errors name it, such as `pred='response'`. labels: the names of rows; None names them by position.
    """
    are_lists = set()
    for row, value in enumerate(values):
        place = name_rows(np.array([row]), labels)
        row_is_list = isinstance(value, list | tuple | set) or (isinstance(value, np.ndarray) and value.ndim == 1)
        for item in value if row_is_list else [value]:
            if not isinstance(item, str | bytes) and not is_null(item):
                finding = f"holds {type(item).__name__} {show(item)} at {place}, where text or lists of text are needed"
                remedy = _remedy_for_object(item, described, is_in_list=row_is_list)
                return ColumnTypeError.of(described, finding, remedy)
            if isinstance(item, str) and not is_unicode(item):
                finding = f"holds a lone surrogate, which is not valid text, at {place}"
                remedy = f"put U+FFFD in its place first: {_clean_column(described, are_lists=row_is_list)}"
                return InvalidTextError.of(described, finding, remedy)
        if row_is_list or not is_null(value):
            are_lists.add(row_is_list)
        if len(are_lists) > 1:
            remedy = f"make all lists, as qa_frame.to_golds({column_of(described)}) does"
            if described.startswith("pred"):
                remedy = "take one text from each list first"
            return ColumnTypeError(f"{described} mixes lists and single texts, first at {place}; {remedy}")
    return ColumnTypeError(f"{described} holds objects that Arrow cannot read as text; make them text first")


def is_null(value: Any) -> bool:
    """Whether a value is None, NaN, or another null of pandas, numpy or Python."""
    if isinstance(value, str) or value is np.ma.masked:
        return not isinstance(value, str)
    try:
        return bool(pd.api.types.is_scalar(value) and pd.isna(value))
    except ArithmeticError:  # a signalling NaN among decimals, which Arrow reads as null, too
        return True


def refuse_odd_keys(column: pd.Series[Any], described: str) -> None:
    """Raise an error if a column of keys holds lone surrogates or signalling NaNs, which pandas may not group by.

    It is InvalidTextError for a surrogate and ColumnTypeError for a NaN. described: the column as errors name it.
    """
    keys = column.cat.categories if isinstance(column.dtype, pd.CategoricalDtype) else column
    if keys.dtype not in (object, "string"):
        return
    try:
        are_texts = not pa.array(keys, pa.large_string(), from_pandas=True).null_count
    except Exception:  # noqa: BLE001  (it holds other objects, too)
        are_texts = False
    for value in () if are_texts else keys:
        if isinstance(value, str) and not is_unicode(value):
            finding = f"holds {show(value)}, with a lone surrogate, which is not valid text"
            raise InvalidTextError.of(described, finding, WITHOUT_SURROGATES)
        if isinstance(value, Decimal) and value.is_snan():
            finding = f"holds {value!r}, which cannot be compared"
            raise ColumnTypeError.of(described, finding, "make them text, as in df[column].map(str)")


def refuse_sets(values: NDArray[Any], described: str, labels: pd.Index | None) -> None:
    """Raise ColumnTypeError that names the rows with sets: the order of a set differs from process to process.

    values: the objects of a column, of which at least one is a set. described: the column as errors name it, such as
    `pred='response'`. labels: the names of rows; None names them by position.
    """
    rows = np.flatnonzero([isinstance(value, set | frozenset) for value in values])
    finding = f"holds sets at {name_rows(rows, labels)}, whose order is not defined"
    made = f"{column_of(described)}.map(lambda texts: sorted(map(str, texts)), na_action='ignore')"
    raise ColumnTypeError.of(described, finding, f"make them lists, as in {made}")


def find_written_golds(texts: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return those of the texts that are golds written out, such as `"['a', 'b']"`."""
    candidates = _in_brackets(texts)
    return candidates.filter(pc.match_substring_regex(candidates, WRITTEN_GOLDS)) if len(candidates) else candidates


def _in_brackets(texts: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return the valid texts that begin with a bracket or white space. A regular expression takes ten times as long."""
    first = pc.binary_slice(texts.cast(pa.large_binary()), 0, 1)
    is_array = pc.fill_null(pc.starts_with(texts, "array(["), False)
    return texts.filter(pc.or_(pc.is_in(first, value_set=_BRACKETS), is_array))  # False for null


def has_separator(texts: pa.Array, sep: str) -> pa.Array:
    """Return whether `sep` stands between two other texts in each text, as a boolean array; null for null."""
    return pc.match_substring_regex(texts, rf"\S\s*{re.escape(sep)}\s*\S")


def refuse_written_lists(texts: pa.ChunkedArray, described: str) -> None:
    """Raise GoldFormatError if most of the texts are golds that were written out, such as `"['a', 'b']"`.

    If most are lists of numbers, such as `"[0, 1]"`, which may be answers, give a GoldFormatWarning. described: the
    column as errors name it, such as `pred='response'`.
    """
    n_valid = len(texts) - texts.null_count
    in_brackets = _in_brackets(texts)
    if 2 * len(in_brackets) <= n_valid:
        return
    written = find_written_golds(in_brackets)
    if 2 * len(written) > n_valid:
        finding = f"holds golds written out as text, such as {written[0].as_py()!r:.60}, as they come back from CSV"
        remedy = f"read them first: qa_frame.to_golds({column_of(described)}), or keep results in Parquet"
        raise GoldFormatError.of(described, finding, remedy)
    numbers = in_brackets.filter(pc.match_substring_regex(in_brackets, WRITTEN_NUMBERS))
    if 2 * len(numbers) > n_valid:
        finding = f"{described} has texts such as {numbers[0].as_py()!r:.30} in {len(numbers):,} of {n_valid:,} rows, "
        finding += "which are scored as they stand"
        remedy = f"if they are lists, read the column first: qa_frame.to_golds({column_of(described)})"
        warn(f"{finding}; {remedy}", GoldFormatWarning, see="written-lists")


def code_of_first_item(column: str) -> tuple[str, str]:
    """Return the code that takes the first item of each list, for pandas and for polars.

    column: the code that stands for the column.
    """
    return f"{column}.str[0]", f"{column}.list.get(0, null_on_oob=True)"


def code_of_field(column: str, name: str = "key") -> tuple[str, str]:
    """Return the code that takes the value `name` out of each dict, for pandas and for polars.

    column: the code that stands for the column.
    """
    in_pandas = f"{column}.map(lambda value: value[{name!r}], na_action='ignore')"
    return in_pandas, f"{column}.struct.field({name!r})"


def _code_of_text_and_list(column: str, text: str, texts: str) -> tuple[str, str]:
    """Return the code that joins a text and a list of texts of each dict, for pandas and for polars.

    column: the code that stands for the column. text, texts: their names in a dict.
    """
    in_pandas = f"{column}.map(lambda value: [value[{text!r}], *value[{texts!r}]], na_action='ignore')"
    fields = ", ".join(f"{column}.struct.field({name!r})" for name in (text, texts))
    return in_pandas, f"polars.select(polars.concat_list({fields})).to_series()"


def either(pandas: str, polars: str) -> str:
    """Return a phrase with the code of one step in pandas and in polars, for an error message."""
    return f"{pandas} in pandas, {polars} in polars"


def _of_frame_in_either(pandas: str, polars: str) -> str:
    """Return a phrase with the calls of these methods on `df`, for pandas and for polars."""
    return either(f"df.{pandas}", f"df.{polars}")


def code_renaming(name: str) -> str:
    """Return the code that puts `my_` before the name of a column, in pandas and in polars, for an error message."""
    names = f"{{{name!r}: {f'my_{name}'!r}}}"
    return _of_frame_in_either(f"rename(columns={names})", f"rename({names})")


def code_without_nulls(name: object) -> str:
    """Return the code that leaves out the rows with null in a column, for an error message."""
    return _of_frame_in_either(f"dropna(subset=[{name!r}])", f"drop_nulls([{name!r}])")


def code_for_first(names: Sequence[object]) -> str:
    """Return the code that keeps the first row for each value of these columns, for an error message."""
    return _of_frame_in_either(
        f"drop_duplicates({[*names]!r})", f"unique({[*names]!r}, keep='first', maintain_order=True)"
    )


def code_adding(name: str, pandas: str, polars: str | None = None) -> str:
    """Return the code that adds a column, for an error message.

    pandas, polars: the code that computes it; without `polars`, that of `pandas` holds for both.
    """
    return _of_frame_in_either(f"assign({name}={pandas})", f"with_columns({name}={polars or pandas})")


def code_of_mean(names: Sequence[object], of: str) -> str:
    """Return the code for the mean of the column `of` for each value of the columns `names`, for an error message."""
    keys = [*names]
    in_polars = f"group_by({keys!r}).agg(polars.col({of!r}).mean())"
    return _of_frame_in_either(f"groupby({keys!r}, as_index=False)[[{of!r}]].mean()", in_polars)
