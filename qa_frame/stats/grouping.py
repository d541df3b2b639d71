"""The columns named by `by`, `macro`, `cluster` and `question` → a key per row → codes of groups → a pandas index."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import By, Ints
from qa_frame.checks import is_equal, is_hashable
from qa_frame.errors import (
    ColumnNotFoundError,
    ColumnTypeError,
    PairingError,
    QaFrameError,
    UnknownOptionError,
    plural,
    show,
)
from qa_frame.frames.arrow_types import plain_keys
from qa_frame.frames.diagnosis import code_without_nulls, refuse_odd_keys
from qa_frame.frames.names import error_of_keys, name_rows, require_column
from qa_frame.frames.source import Source

Names = tuple[Any, ...]
"""What an argument names: columns and index levels."""

KeySeries = tuple["pd.Series[Any]", ...]
"""The columns of a key: one Series each, with a value per row, or per group. Their index does not matter."""

_FILLINGS = {
    "macro": "one value for all of these",
    **dict.fromkeys(("cluster", "question"), "another value for each that stands alone"),
}
"""What nulls may be filled with, by argument."""

ALL = "all"
"""The only group where there is no `by`."""


@dataclass(frozen=True, slots=True)
class GroupValues:
    """The keys of rows or groups, by level. A level without columns has one key for all.

    Attributes
    ----------
    by
        The keys of the groups that a table has.
    stratum
        The keys of the strata inside a group, such as its datasets.
    unit
        The keys of the units that are independent of each other, such as clusters. Without columns, each row is a unit.
    question
        The keys of the questions that have several samples, each a row. Without columns, each row is a question.
    """

    by: KeySeries
    stratum: KeySeries = ()
    unit: KeySeries = ()
    question: KeySeries = ()

    @property
    def columns(self) -> KeySeries:
        """The columns of all levels."""
        return tuple(column for level in self.levels for column in level)

    @property
    def levels(self) -> tuple[KeySeries, ...]:
        """The levels from the outermost to the innermost."""
        return self.by, self.stratum, self.unit, self.question

    def take(self, places: Ints) -> GroupValues:
        """Return the keys at these places."""
        return GroupValues(*(take_keys(level, places) for level in self.levels))

    def require_nested(self) -> None:
        """Raise ColumnTypeError where a question or cluster of one group has two keys of a level above it."""
        levels = {"question": self.question, "cluster": self.unit, "macro": self.stratum}
        for inner, outer in (("question", "macro"), ("question", "cluster"), ("cluster", "macro")):
            inside, around = levels[inner], levels[outer]
            rows = find_split_keys(self.by, inside, around) if inside and around else np.zeros(0, np.int64)
            if len(rows):
                first = tuple(key.iloc[rows[:1]].tolist()[0] for key in inside)
                mine, above = (tuple(key.name for key in keys) for keys in (inside, around))
                named = f"{inner}={show(plain_names(mine))} stand under two of {outer}={show(plain_names(above))}"
                finding = f"{len(rows)} keys of {named} in one group, first {show(plain_names(first))}"
                remedy = f"where these are different ones, give {inner}={[*above, *mine]}"
                raise ColumnTypeError.of("", finding, remedy)

    @classmethod
    def join(cls, parts: Sequence[GroupValues]) -> GroupValues:
        """Return the keys of several sets of groups, one set after the other."""
        levels = zip(*(keys.levels for keys in parts), strict=True)
        return cls(*(concatenate_keys(level) for level in levels))


NO_GROUP_VALUES = GroupValues(())


@dataclass(frozen=True, slots=True)
class GroupColumns:
    """The names that each argument gives; a level without names has no keys. Fields are named as their arguments."""

    by: Names
    macro: Names = ()
    cluster: Names = ()
    question: Names = ()

    @property
    def named(self) -> dict[str, Names]:
        """The names of all levels, by argument."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def read(
        self, source: Source, columns: Mapping[str, Sequence[Any]], others: Sequence[str]
    ) -> tuple[pd.DataFrame, GroupValues]:
        """Return the frame in pandas with the columns that are needed, and the keys of each row.

        ColumnNotFoundError where a named column is not there. ColumnTypeError where a key other than `by` is null.

        columns: further columns that must be there, by the argument that names them. others: columns to take along if
        they are there.
        """
        frame = source.as_pandas({**self.named, **columns}, others)
        keys = {argument: read_keys(frame, names, argument) for argument, names in self.named.items()}
        for argument, filling in _FILLINGS.items():
            for column in keys[argument]:
                refuse_nulls(column, frame.index, argument, f", with {filling}", ColumnTypeError)
        return frame, GroupValues(*keys.values())

    def keys_of_no_rows(self) -> GroupValues:
        """Return the keys of no rows: an empty column for each name."""
        levels = self.named.values()
        return GroupValues(*(tuple(pd.Series([], dtype=object, name=name) for name in names) for names in levels))


NO_GROUP_COLUMNS = GroupColumns(())


@dataclass(frozen=True, slots=True)
class GroupCodes:
    """The key of each row as a code, where several columns may make the key.

    Attributes
    ----------
    codes
        int64, shape (rows,). Equal keys have equal codes, which follow the sorted order of the keys.
    columns
        The distinct keys in that order: a column for each that makes the key. Empty where all rows are one group.
    """

    codes: Ints
    columns: KeySeries

    def __len__(self) -> int:
        """Return the number of distinct keys, which is 1 where all rows are one group."""
        return len(self.columns[0]) if self.columns else 1

    @property
    def labels(self) -> pd.Series[Any]:
        """The distinct keys; tuples where several columns make the key, and `ALL` where no column does."""
        if not self.columns:
            return pd.Series([ALL])
        if len(self.columns) == 1:
            return self.columns[0]
        return pd.Series(list(zip(*(column.tolist() for column in self.columns), strict=True)), dtype=object)


# ------------------------------------------------------------------------------------------------------- reading keys


def list_keys(by: By) -> tuple[Any, ...]:
    """Return the names that an argument gives as a tuple.

    It is empty for None. The argument itself is the one name, unless it is a list or an index of pandas.
    """
    if by is None:
        return ()
    return tuple(by) if isinstance(by, list | pd.Index) else (by,)


def make_group_columns(
    by: By,
    *,
    macro: Hashable | Sequence[Hashable] | None = None,
    cluster: Hashable | Sequence[Hashable] | None = None,
    question: Hashable | Sequence[Hashable] | None = None,
) -> GroupColumns:
    """Return the names that these arguments give.

    UnknownOptionError where an argument holds something else than names, where `cluster` is an empty list, and where
    `macro` names a column that `by` names, too.
    """
    levels = GroupColumns(list_keys(by), list_keys(macro), list_keys(cluster), list_keys(question))
    if cluster is not None and not levels.cluster:
        raise UnknownOptionError("cluster=[] names no column; give one or more, or None")
    for argument, names in levels.named.items():
        require_names(names, argument)
    for name in levels.macro:
        if any(is_equal(name, each) for each in levels.by):
            finding = "stands in by, too, so that each group has one value of it"
            raise UnknownOptionError.of("macro", finding, "leave one of them out", value=name)
    return levels


def plain_names(names: Names) -> Any:
    """Return names as an argument would give them: one name alone, several in a list, and None for none."""
    return names[0] if len(names) == 1 else list(names) or None


def require_names(keys: Sequence[Any], argument: str = "by") -> None:
    """Raise UnknownOptionError if a key is not a name but, for example, an array of values."""
    for key in keys:
        if not is_hashable(key):
            finding = f"holds a {type(key).__name__}, where the name of a column is needed"
            raise UnknownOptionError.of(argument, f"{finding}: add the values as a column, and name that")


def read_keys(frame: pd.DataFrame, keys: Sequence[Any], argument: str = "by") -> KeySeries:
    """Return the columns that make the key of each row: one Series of shape (rows,) for each name in `keys`.

    ColumnNotFoundError where the frame has no column or index level of this name. ColumnTypeError or InvalidTextError
    where pandas cannot group by its values.

    argument: the one that gives the names, for errors.
    """
    return tuple(_as_groupable(_read_key(frame, key, argument).reset_index(drop=True), argument) for key in keys)


def read_codes(
    frame: pd.DataFrame, names: Hashable | Sequence[Hashable], argument: str, *, has_nulls: bool = False
) -> GroupCodes:
    """Return the codes of the key that one or more columns or index levels make.

    ColumnNotFoundError where no column is named, or one is not there.

    Parameters
    ----------
    names, argument
        The names of the columns or index levels, and the argument that gave them, which errors name.
    has_nulls
        Whether nulls are a key of their own, after the others. Else they raise PairingError.
    """
    keys = list_keys(names)
    if not keys:
        raise ColumnNotFoundError(f"{argument}=[] names no column; give one or more")
    columns = read_keys(frame, keys, argument)
    for column in () if has_nulls else columns:
        refuse_nulls(column, frame.index, argument)
    return code_groups(columns, len(frame), argument)


def code_groups(columns: KeySeries, n_rows: int, argument: str = "by") -> GroupCodes:
    """Return the codes of the keys of rows, where nulls are one key. Without columns all rows are one group."""
    codes, first = group_rows(columns, n_rows, argument)
    if not columns:
        return GroupCodes(codes, ())
    distinct = take_keys(columns, first)
    order = np.lexsort([_rank_keys(column, argument) for column in distinct[::-1]])
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return GroupCodes(place[codes], take_keys(distinct, order))


def _read_key(frame: pd.DataFrame, key: Any, argument: str) -> pd.Series[Any]:
    """Return the column or index level of this name, one value per row; ColumnNotFoundError where there is none."""
    require_names([key], argument)
    known: list[Hashable] = list(frame.columns)
    if not any(is_equal(label, key) for label in known):
        levels = [level for level, name in enumerate(frame.index.names) if is_equal(name, key)]
        if levels:
            return pd.Series(frame.index.get_level_values(levels[0]), name=key)
        if isinstance(key, tuple) and set(key) <= set(known):
            remedy = f"for several columns give a list. Columns: {known}"
            raise ColumnNotFoundError.of(argument, "is not a column", remedy, value=key)
    require_column(key, known, argument)
    column: pd.Series[Any] = frame[key]
    return column


def _as_groupable(column: pd.Series[Any], argument: str) -> pd.Series[Any]:
    """Return the keys as pandas can group by them; ColumnTypeError or InvalidTextError if it cannot."""
    refuse_odd_keys(column, f"{argument}={show(column.name)}")
    try:
        return plain_keys(column)
    except Exception as error:  # what pandas and Arrow raise depends on the type
        raise error_of_keys(argument, column.name, column.dtype, error) from error


def refuse_nulls(
    column: pd.Series[Any],
    index: pd.Index,
    argument: str,
    filling: str = "",
    error: type[QaFrameError] = PairingError,
) -> None:
    """Raise an error where a key is null.

    index: the index of the frame, whose labels the error shows. filling: the words that say what nulls may be filled
    with. error: the class of the error.
    """
    is_null = np.flatnonzero(column.isna())
    if len(is_null):
        finding = f"is null in {len(is_null)} of {plural(len(column), 'row')}, first at {name_rows(is_null, index)}"
        remedy = f"fill them{filling}, or drop these rows with {code_without_nulls(column.name)}"
        raise error.of(argument, finding, remedy, value=column.name)


# ------------------------------------------------------------------------------------------------------------- groups


def group_rows(keys: KeySeries, n_rows: int, argument: str = "by") -> tuple[Ints, Ints]:
    """Return the group of each row, shape (rows,), and the first row of each group, shape (groups,).

    Groups are numbered in the order in which they first occur. Nulls are one key. Without keys, all rows are one group,
    and there is one even if there are no rows. ColumnTypeError where pandas cannot group by the keys.
    """
    if not keys:
        return np.zeros(n_rows, np.int64), np.zeros(1, np.int64)
    columns = pd.DataFrame(dict(enumerate(keys)), copy=False)
    try:
        grouped = columns.groupby(list(columns), sort=False, dropna=False, observed=True)
        codes = grouped.ngroup().to_numpy().astype(np.int64)
    except Exception as error:  # what comparing objects raises is theirs
        raise _error_of_keys(keys, argument, error) from error
    first = np.zeros(int(codes.max(initial=-1)) + 1, np.int64)
    first[codes[::-1]] = np.arange(n_rows - 1, -1, -1)  # of repeated places the last assignment stays
    return codes, first


def find_repeated_keys(key: Ints) -> Ints:
    """Return the places of the rows that share their key with another row. key: a code per row, shape (rows,)."""
    _, place, counts = np.unique(key, return_inverse=True, return_counts=True)
    return np.flatnonzero(counts[place.reshape(-1)] > 1)


def take_keys(keys: KeySeries, places: Ints) -> KeySeries:
    """Return the keys at these places."""
    return tuple(key.iloc[places].reset_index(drop=True) for key in keys)


def concatenate_keys(keys: Sequence[KeySeries]) -> KeySeries:
    """Return the keys of several sets of groups, one set after the other.

    Categories that differ become plain values.
    """
    by_column = ([part for part in parts if len(part)] or parts[:1] for parts in zip(*keys, strict=True))
    return tuple(_concatenate_column(parts) for parts in by_column)


def find_split_keys(by: KeySeries, inner: KeySeries, outer: KeySeries) -> Ints:
    """Return one row of each key of `inner` that has several keys of `outer` in one group of `by`, shape (keys,)."""
    n_rows = len(inner[0])
    codes, _ = group_rows((*by, *inner), n_rows)
    _, first = group_rows((*by, *inner, *outer), n_rows)
    _, at, count = np.unique(codes[first], return_index=True, return_counts=True)
    return first[at[count > 1]]


def order_groups(keys: KeySeries, *, observed: bool, dropna: bool) -> tuple[pd.Index, Ints]:
    """Return the index that pandas' groupby would give, and for each of its labels the place of the group in `keys`.

    A label without rows, of a category that is not observed, has the place after the last. observed, dropna: as in
    pandas' groupby.
    """
    if not keys:
        return pd.Index([ALL]), np.zeros(1, np.int64)
    n_groups = len(keys[0])
    # Where pandas cannot sort, as truth values with nulls, it takes the order in which keys come.
    order = np.lexsort([_rank_keys(key) for key in keys[::-1]])
    by = [key.rename(None).iloc[order].reset_index(drop=True) for key in keys]
    try:
        places = pd.Series(order).groupby(by, observed=observed, dropna=dropna).max()
    except Exception as error:  # what comparing objects raises is theirs
        raise _error_of_keys(keys, "by", error) from error
    index = places.index
    index.names = [key.name for key in keys]
    return index, places.fillna(n_groups).to_numpy(np.int64)


def have_same_categories(columns: Sequence[pd.Series[Any]]) -> bool:
    """Return whether all are categorical with the same categories, or none is categorical."""
    first, *others = columns
    if not is_categorical(first):
        return not any(map(is_categorical, others))
    same = (each.dtype == first.dtype and each.cat.categories.equals(first.cat.categories) for each in others)
    return all(same)


def _rank_keys(key: pd.Series[Any], required: str | None = None) -> Ints:
    """Return the rank of each value, shape (rows,), nulls last; by first appearance if pandas cannot sort the values.

    pandas sorts texts beside numbers, too: numbers first. required: the argument whose values pandas must be able to
    sort: else ColumnTypeError. None where it need not.
    """
    try:
        codes, distinct = pd.factorize(key, sort=True)
    except Exception as error:  # what comparing objects raises is theirs
        if required is not None:
            raise error_of_keys(required, key.name, "values", error) from error
        codes, distinct = pd.factorize(key)
    return np.where(codes < 0, len(distinct), codes)


def _error_of_keys(keys: KeySeries, argument: str, error: Exception) -> ColumnTypeError:
    """Return the error for keys that cannot be grouped by. Where pandas cannot sort one of them, raise its error."""
    for key in keys:
        _rank_keys(key, argument)
    return error_of_keys(argument, keys[0].name, "values", error)


def _concatenate_column(columns: Sequence[pd.Series[Any]]) -> pd.Series[Any]:
    """Return one column of several sets of groups; categories that differ become plain values."""
    if len(columns) == 1:
        return columns[0]
    if not have_same_categories(columns):  # pandas would keep those of the first, in its order, if all are the same
        columns = [_without_categories(column) for column in columns]
    return pd.concat(columns, ignore_index=True)


def _without_categories(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return the column with plain values in the place of categories."""
    if not is_categorical(column):
        return column
    try:
        return column.astype(column.cat.categories.dtype)
    except ValueError:  # integers have no null
        return pd.Series(np.asarray(column), name=column.name)


def is_categorical(column: pd.Series[Any]) -> bool:
    """Return whether the values of a column are categories."""
    return isinstance(column.dtype, pd.CategoricalDtype)
