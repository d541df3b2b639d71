"""What `by` names → one key a row → group codes, and back to an index as pandas' groupby gives it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Ints
from qa_frame.errors import ColumnNotFoundError, ColumnTypeError, UnknownOptionError
from qa_frame.frames.names import require_column

By = Any
"""A column's label, an index level's name, a function of index labels, a Series or an array, or a list of these."""

Keys = tuple["pd.Series[Any]", ...]
"""One Series a level, with a key a row, or a key a group; the index is of no account."""

ALL = "all"
"""The only group where there is no `by`."""


def list_keys(by: By) -> tuple[Any, ...]:
    """The single keys of `by`, none for None."""
    if by is None:
        return ()
    return tuple(by) if isinstance(by, list | pd.Index) else (by,)


def require_names(keys: Sequence[Any], argument: str = "by") -> None:
    """Raise UnknownOptionError if one of them is neither a name nor a function: it would fit one frame only."""
    for key in keys:
        if _is_values(key) or not isinstance(key, Hashable) or (argument == "cluster" and callable(key)):
            raise UnknownOptionError(
                f"{argument} holds a {type(key).__name__}, where the name of a column is needed, to be found in each "
                "frame: add the values as a column, as in frame.assign(group=...), and name that"
            )


def read_keys(frame: pd.DataFrame, keys: Sequence[Any], argument: str = "by") -> Keys:
    """The keys of each row, by position."""
    return tuple(_read_key(frame, key, argument).reset_index(drop=True) for key in keys)


def factorise(keys: Keys, n_rows: int) -> tuple[Ints, Ints]:
    """Group codes a row, and the first row of each group, in the order of those.

    Nulls are one key. Without keys, all rows are one group, and there is one even if there are no rows.
    """
    codes, n_codes = np.zeros(n_rows, np.int64), 1
    for key in keys:
        try:
            found, distinct = pd.factorize(key)
        except TypeError as error:
            raise ColumnTypeError(
                f"by={key.name!r} holds values that cannot be compared ({error}); turn them into text or numbers first"
            ) from error
        codes, n_codes = _compress(codes * (len(distinct) + 1) + found + 1, n_codes * (len(distinct) + 1))
    first = np.zeros(n_codes, np.int64)
    first[codes[::-1]] = np.arange(n_rows - 1, -1, -1)  # of repeated places the last assignment stays
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(n_codes)
    return rank[codes], first[order]


def concatenate(keys: Sequence[Keys]) -> Keys:
    """The keys of several sets of groups, one set after the other. Categories that differ become plain values."""
    return tuple(_concatenate_level([level for level in levels if len(level)] or levels[:1]) for levels in _turn(keys))


def order_groups(keys: Keys, *, observed: bool, dropna: bool) -> tuple[pd.Index, Ints]:
    """The index that pandas' groupby would give, and for each of its labels the place of the group in `keys`.

    A label without rows, of a category that is not observed, has the place after the last.
    """
    if not keys:
        return pd.Index([ALL]), np.zeros(1, np.int64)
    n_groups = len(keys[0])
    # Where pandas cannot sort, as truth values with nulls, it takes the order in which keys come.
    order = np.lexsort([_rank(key) for key in keys[::-1]])
    by = [key.rename(None).iloc[order].reset_index(drop=True) for key in keys]
    places = pd.Series(order).groupby(by, observed=observed, dropna=dropna).max()
    index = places.index
    index.names = [key.name for key in keys]
    return index, places.fillna(n_groups).to_numpy(np.int64)


def _read_key(frame: pd.DataFrame, key: Any, argument: str) -> pd.Series[Any]:
    if _is_values(key):
        return _read_values(frame, key, argument)
    if not isinstance(key, Hashable):
        require_names([key], argument)
    if key in frame.index.names and key not in frame.columns:
        return pd.Series(frame.index.get_level_values(frame.index.names.index(key)), name=key)
    known: list[Hashable] = list(frame.columns)
    if callable(key) and key not in known:
        return pd.Series([key(label) for label in frame.index])  # `Index.map` would make several levels of tuples
    if isinstance(key, tuple) and key not in known and set(key) <= set(known):
        raise ColumnNotFoundError(
            f"{argument}={key!r} is not a column; for several columns give a list. Columns: {known}"
        )
    require_column(key, known, argument)
    column: pd.Series[Any] = frame[key]
    return column


def _read_values(frame: pd.DataFrame, values: Any, argument: str) -> pd.Series[Any]:
    """As pandas' groupby: a Series goes by label unless it has the frame's index, all else by position."""
    if isinstance(values, pd.DataFrame) or getattr(values, "ndim", 1) != 1:
        raise ColumnNotFoundError(
            f"{argument} is a {type(values).__name__} of {values.ndim} dimensions; give names of columns, or one "
            f"dimension. Columns: {list(frame.columns)}"
        )
    if isinstance(values, pd.Series):
        if values.index.equals(frame.index):
            return values
        if values.index.is_unique:
            return values.reindex(frame.index)
        raise UnknownOptionError(
            f"{argument} is a Series whose index has duplicates and is not the frame's; give it as an array, "
            "series.to_numpy(), if it has one value a row"
        )
    if len(values) != len(frame):
        raise UnknownOptionError(
            f"{argument} holds {len(values)} values for {len(frame)} rows; give one a row, or the name of a column"
        )
    return pd.Series(values)


def _is_values(key: Any) -> bool:
    """Whether it holds the keys, where else it names them."""
    kinds = (pd.DataFrame, pd.Series, pd.Index, np.ndarray, pd.api.extensions.ExtensionArray)
    return isinstance(key, kinds)


def _compress(codes: Ints, n_codes: int) -> tuple[Ints, int]:
    """The same codes without those that no row has, and how many are left."""
    if n_codes > 4 * len(codes) + 1024:
        found, distinct = pd.factorize(codes)
        return found.astype(np.int64), len(distinct)
    is_used = np.bincount(codes, minlength=n_codes) > 0
    places = np.cumsum(is_used) - 1
    return places[codes], int(is_used.sum())


def _rank(key: pd.Series[Any]) -> Ints:
    """Ranks of the values, nulls last; the order of appearance where they cannot be compared."""
    try:
        codes, distinct = pd.factorize(key, sort=True)
    except TypeError:
        codes, distinct = pd.factorize(key)
    return np.where(codes < 0, len(distinct), codes)


def _turn(keys: Sequence[Keys]) -> list[list[pd.Series[Any]]]:
    return [list(levels) for levels in zip(*keys, strict=True)]


def _concatenate_level(levels: list[pd.Series[Any]]) -> pd.Series[Any]:
    if len(levels) == 1:
        return levels[0]
    if not have_same_categories(levels):
        levels = [_plain(level) for level in levels]
    return pd.concat(levels, ignore_index=True)


def have_same_categories(levels: Sequence[pd.Series[Any]]) -> bool:
    """True, too, where none is categorical."""
    kinds = [level.dtype for level in levels]
    categorical = [kind for kind in kinds if isinstance(kind, pd.CategoricalDtype)]
    return not categorical or (
        len(categorical) == len(kinds)
        and all(kind == kinds[0] and kind.categories.equals(categorical[0].categories) for kind in categorical)
    )


def _plain(level: pd.Series[Any]) -> pd.Series[Any]:
    if not isinstance(level.dtype, pd.CategoricalDtype):
        return level
    try:
        return level.astype(level.cat.categories.dtype)
    except ValueError:  # integers have no null
        return pd.Series(np.asarray(level), name=level.name)
