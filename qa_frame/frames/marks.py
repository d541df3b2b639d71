"""The mark of each row of a scored frame: by which rules its scores were made. It is a column, as only columns survive.

`pandas.concat` drops the notes of frames that differ, Arrow keeps those of the first, polars has none. The mark is a
category, a byte per row in pandas and Arrow: `{"squad 8d3f01c2": ["em", "f1"]}`, the score columns by their rules.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Collection, Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from qa_frame.errors import UnknownOptionError
from qa_frame.frames.names import score_label
from qa_frame.frames.scoring_metadata import origins, own_scores

MARK = "qa_rules"
"""The name of the column that marks the rows."""


def mark_rows(frame: Any, notes: Mapping[str, Any], new: Collection[str]) -> pd.Categorical | pa.DictionaryArray:
    """Return the marks of the rows of a frame of pandas, or of an Arrow table, as a column for it.

    notes: those of the frame, in which the score columns `new` have just been noted.
    """
    rules = name_rules(notes)
    before = _column(frame)
    if before is None:
        return _as_column(frame, np.zeros(len(frame), np.int8), (_write(rules),))
    codes, kinds = pd.factorize(before, use_na_sentinel=False)
    made = {name: rules[name] for name in new}
    marks = [_write({**_read(kind), **made}) for kind in kinds]
    distinct = tuple(dict.fromkeys(marks))
    places = np.array([distinct.index(mark) for mark in marks], np.int64)
    return _as_column(frame, places[codes].astype(np.int8 if len(distinct) < 128 else np.int32), distinct)


def without_mark(frame: Any, names: Any) -> Any:
    """Return a frame of any kind without its marks, which would be wrong after a scoring that does not mark rows.

    names: those of its columns.
    """
    label = score_label(MARK, names)
    if label not in names:
        return frame
    return frame.drop(columns=[label]) if isinstance(frame, pd.DataFrame) else frame.drop([label])


def require_one_scoring(frame: Any, names: Collection[Hashable], of: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the rules of the scores of these names, by the marks of rows; UnknownOptionError where rows differ.

    Parameters
    ----------
    frame
        A frame of pandas or an Arrow table, with or without marks.
    of
        The rules by which the scores are said to be made, by their names.
    """
    marked = {name: rules for name, rules in marked_rules(frame).items() if name in names}
    for name, rules in marked.items():
        said = (of or {}).get(name)
        if len(rules) > 1:
            raise UnknownOptionError(
                f"the column {MARK!r} says that rows have {name!r} by different rules: {', '.join(rules)}; score all "
                "rows in one call, keep the rows of one value of that column, or name it in by="
            )
        if said not in {None, *rules}:
            raise UnknownOptionError(
                f"the column {MARK!r} says that {name!r} was made by {rules[0]}, and not by {said} as in scored; give "
                "the frame that these rows are from"
            )
    return {name: rules[0] for name, rules in marked.items()}


def marked_rules(frame: Any) -> dict[str, list[str]]:
    """Return the rules by which the rows have each score, by its column; those of rows without a mark are not known."""
    column = _column(frame)
    found: dict[str, list[str]] = {}
    for mark in [] if column is None else _kinds(column):
        for name, rule in _read(mark).items():
            found[name] = [*dict.fromkeys([*found.get(name, ()), rule])]
    return found


def _kinds(column: pd.Series[Any]) -> list[Any]:
    """Return the distinct values. Those of a category are found by their numbers, which takes no time."""
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return list(column.unique())
    n_rows = np.bincount(column.cat.codes.to_numpy() + 1, minlength=1)
    return list(column.cat.categories[np.flatnonzero(n_rows[1:])])


def name_rules(notes: Mapping[str, Any]) -> dict[str, str]:
    """Return the name of the rules of each noted score column: the convention, and a digest of all settings."""
    own = own_scores(notes)
    return {name: _name_rule(origin.signature, is_own=name in own) for name, origin in origins(notes).items()}


@functools.lru_cache(maxsize=64)
def _name_rule(signature: str, *, is_own: bool) -> str:
    of_all = signature if is_own else signature.partition("|metric:")[0]
    convention = of_all.partition("|")[0].removeprefix("convention:")
    return f"{convention} {hashlib.blake2b(of_all.encode(), digest_size=4).hexdigest()}"


def _write(rules: Mapping[str, str]) -> str:
    names: dict[str, list[str]] = {}
    for name, rule in sorted(rules.items()):
        names.setdefault(rule, []).append(name)
    return json.dumps(names, ensure_ascii=False)


def _read(mark: Any) -> dict[str, str]:
    """Return the rules by score column; none for what is no mark."""
    try:
        return {name: rule for rule, names in json.loads(mark).items() for name in names}
    except (AttributeError, TypeError, ValueError):
        return {}


def _column(frame: Any) -> pd.Series[Any] | None:
    """Return the marks of a frame; None if it has none."""
    if isinstance(frame, pa.Table):
        return _to_pandas(frame[MARK]) if frame.column_names.count(MARK) == 1 else None
    label = score_label(MARK, frame.columns)
    found = frame[label] if label in frame.columns else None
    return found if isinstance(found, pd.Series) else None


def _to_pandas(marks: pa.ChunkedArray) -> pd.Series[Any]:
    """Return marks in pandas. PyArrow 18 gives it no dictionary with unsigned indices, such as polars makes."""
    if pa.types.is_dictionary(marks.type):
        chunks = [
            pa.DictionaryArray.from_arrays(each.indices.cast(pa.int32()), each.dictionary) for each in marks.chunks
        ]
        marks = pa.chunked_array(chunks, pa.dictionary(pa.int32(), marks.type.value_type))
    found: pd.Series[Any] = marks.to_pandas()
    return found


def _as_column(frame: Any, codes: Any, marks: tuple[str, ...]) -> pd.Categorical | pa.DictionaryArray:
    if isinstance(frame, pa.Table):
        return pa.DictionaryArray.from_arrays(codes, [*marks])
    return pd.Categorical.from_codes(codes, dtype=_dtype(marks))


@functools.lru_cache(maxsize=64)
def _dtype(marks: tuple[str, ...]) -> pd.CategoricalDtype:
    return pd.CategoricalDtype([*marks])
