"""The code of steps that errors advise, for frames of pandas and of polars.

An error often does not know the kind of the caller's frame: it comes from a part that reads all kinds as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qa_frame.frames.names import likely_columns


def first_item(column: str) -> tuple[str, str]:
    """Take the first item of each list, in pandas and in polars. column: the code that stands for it."""
    return f"{column}.str[0]", f"{column}.list.get(0, null_on_oob=True)"


def field(column: str, name: str = "key") -> tuple[str, str]:
    """Take one value out of each dict, in pandas and in polars. column: the code that stands for it."""
    return f"{column}.map(lambda value: value[{name!r}])", f"{column}.struct.field({name!r})"


def either(pandas: str, polars: str) -> str:
    """Return the code of one step for either kind of frame."""
    return f"{pandas} in pandas, {polars} in polars"


def _of_frame_in_either(pandas: str, polars: str) -> str:
    return either(f"df.{pandas}", f"df.{polars}")


def scoring_line(names: Any, metrics: str | None = None) -> str:
    """Score a frame, by those of its columns whose names look like predictions and golds. names: those it has."""
    found = likely_columns(names)
    pred, gold = (repr(found[column]) if column in found else "'...'" for column in ("response", "answers"))
    return f"df.qa.score(pred={pred}, gold={gold}{'' if metrics is None else f', metrics={metrics!r}'})"


def renamed(name: str) -> str:
    """Give a column a name that is free."""
    names = f"{{{name!r}: {f'my_{name}'!r}}}"
    return _of_frame_in_either(f"rename(columns={names})", f"rename({names})")


def without_nulls(name: object) -> str:
    """Leave out the rows that have null in a column."""
    return _of_frame_in_either(f"dropna(subset=[{name!r}])", f"drop_nulls([{name!r}])")


def first_of_each(names: Sequence[object]) -> str:
    """Keep the first row for each value of some columns."""
    return _of_frame_in_either(
        f"drop_duplicates({[*names]!r})", f"unique({[*names]!r}, keep='first', maintain_order=True)"
    )


def with_column(name: str, pandas: str, polars: str | None = None) -> str:
    """Add a column. polars: how polars computes it, if that is not the same."""
    return _of_frame_in_either(f"assign({name}={pandas})", f"with_columns({name}={polars or pandas})")


def mean_of_each(names: Sequence[object], of: str) -> str:
    """Take the mean of a column for each value of others."""
    keys = [*names]
    in_polars = f"group_by({keys!r}).agg(polars.col({of!r}).mean())"
    return _of_frame_in_either(f"groupby({keys!r}, as_index=False)[[{of!r}]].mean()", in_polars)
