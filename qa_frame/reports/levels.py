"""The arguments that name the levels of keys: groups, datasets, clusters and questions with several samples."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import pandas as pd

from qa_frame._typing import By
from qa_frame.checks import is_equal
from qa_frame.errors import ColumnTypeError, UnknownOptionError, show
from qa_frame.frames.steps_in_code import with_column
from qa_frame.stats.grouping import Keys, list_keys, read_keys, read_level, require_names, rows_in_two

Names = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Levels:
    """What names the keys of each level; a level without names has no keys. Each field has the name of its argument."""

    by: Names
    macro: Names = ()
    cluster: Names = ()
    question: Names = ()

    @property
    def named(self) -> dict[str, Names]:
        """The names of all levels, by argument."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def read(self, frame: pd.DataFrame) -> Keys:
        """Return the keys of each row. A null raises ColumnTypeError, except in `by`."""
        levels = (
            read_level(frame, list(names), argument) for argument, names in self.named.items() if argument != "by"
        )
        return Keys(read_keys(frame, self.by), *levels)

    def no_rows(self) -> Keys:
        """Return the keys of no rows at all."""
        levels = ([None if callable(name) else name for name in names] for names in self.named.values())
        return Keys(*(tuple(pd.Series([], dtype=object, name=name) for name in names) for names in levels))

    def require_nested(self, keys: Keys) -> None:
        """Raise ColumnTypeError where a question or cluster of one group stands under two keys of a level above it."""
        keys_of = dict(zip(self.named, keys.levels, strict=True))
        for inner, outer in (("question", "macro"), ("question", "cluster"), ("cluster", "macro")):
            inside, around = keys_of[inner], keys_of[outer]
            if not (inside and around):
                continue
            rows = rows_in_two(keys.by, inside, around)
            if len(rows):
                raise self._in_two(inner, outer, tuple(key.iloc[rows[:1]].tolist()[0] for key in inside), len(rows))

    def _in_two(self, inner: str, outer: str, label: Names, n: int) -> ColumnTypeError:
        mine, above = self.named[inner], self.named[outer]
        both = [*above, *mine]
        remedy = f"where these are different ones, give {inner}={both}"
        if inner == "cluster":
            ways = f"df.groupby({both}, observed=True).ngroup()", f"polars.struct({both}).rank('dense')"
            remedy = (
                "where these are different ones, add a column of both, "
                f"{with_column('unit', *ways)}, and give cluster='unit'"
            )
        below, around = (f"{name}={show(plain_names(self.named[name]))}" for name in (inner, outer))
        return ColumnTypeError(
            f"{n} keys of {below} stand under two of {around} in one group, first {show(plain_names(label))}; {remedy}"
        )


NO_LEVELS = Levels(())


def make_levels(
    by: By,
    *,
    macro: Hashable | Sequence[Hashable] | None = None,
    cluster: Hashable | None = None,
    question: Hashable | Sequence[Hashable] | None = None,
) -> Levels:
    """Return the levels; UnknownOptionError where one beside `by` is not named by columns."""
    found = Levels(list_keys(by), list_keys(macro), () if cluster is None else (cluster,), list_keys(question))
    for argument, names in found.named.items():
        if argument != "by":
            require_names(names, argument)
    for name in found.macro:
        if any(is_equal(name, each) for each in found.by):
            raise UnknownOptionError(
                f"macro={show(name)} stands in by, too, so that each group has one value of it; leave one of them out"
            )
    return found


def plain_names(names: Names) -> Any:
    """Return the names of a level as an argument gives them: one, or a list, or None."""
    return names[0] if len(names) == 1 else list(names) or None
