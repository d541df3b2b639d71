"""A pandas `groupby` in the place of a frame: its frame with its keys as `by`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from qa_frame.errors import UnknownOptionError, show
from qa_frame.frames.scoring_metadata import TABLE
from qa_frame.stats.grouping import plain_names, require_names

_SAID_BY_GROUPS = ("by", "observed", "dropna")
"""The arguments that a groupby says itself."""


def call_with_groups(
    function: Callable[..., Any], signature: inspect.Signature, arguments: tuple[Any, ...], settings: dict[str, Any]
) -> Any:
    """Call a function of frames, whose `data` is a groupby, with the frame of that, and its keys as `by`."""
    named = dict(zip(signature.parameters, arguments, strict=False)) | settings
    grouped = named.pop("data")
    for argument in named.keys() & _SAID_BY_GROUPS:
        finding = "stands beside a groupby, which says it itself"
        remedy = "leave it out, and name other arguments, as in question='question_id'"
        raise UnknownOptionError.of(argument, finding, remedy, value=named[argument])
    selected = grouped._selection  # noqa: SLF001  (pandas has no other name for it)
    if selected is not None:
        columns = show(selected)
        finding = f"is a groupby with the columns {columns} alone"
        raise UnknownOptionError.of("data", finding, f"give that of all columns, and metrics={columns}")
    frame, by = grouped.obj, plain_names(_names_of(grouped))
    frame = frame[grouped.ngroup().notna().to_numpy()]  # those with null keys go, unless the groupby keeps them
    observed = {"observed": grouped.observed} if "observed" in signature.parameters else {}
    table = function(frame, by=by, **named, **observed)
    return table if grouped.sort else _as_first_met(table, grouped.size().index)


def _names_of(grouped: Any) -> tuple[Any, ...]:
    """Return the keys of a groupby as `by` takes them."""
    keys = grouped.keys if grouped.level is None else grouped.level
    is_level = grouped.level is not None
    return tuple(_name_of(grouped.obj, key, is_level=is_level) for key in (keys if isinstance(keys, list) else [keys]))


def _name_of(frame: pd.DataFrame, key: Any, *, is_level: bool) -> Any:
    """Return the name of a key, or the function that it is; UnknownOptionError where it has no name in the frame."""
    if type(key) is pd.Grouper:  # one with a frequency has another type
        key, is_level = (key.key, False) if key.level is None else (key.level, True)
    if is_level:
        level = frame.index.get_level_values(key)
        is_known = level.name is not None and level.name not in frame.columns
        key = level.name if is_known else level
    elif isinstance(key, pd.Series) and key.name in frame.columns and frame[key.name].equals(key):
        key = key.name
    require_names([key])
    return key


def _as_first_met(table: Any, order: pd.Index) -> Any:
    """Return a table of results with its groups in this order; what is no such table, as it is."""
    names = list(order.names)
    if not isinstance(table, pd.DataFrame) or TABLE not in table.attrs:
        return table
    if {*names} <= {*table.columns}:
        index = table.set_index(names).index
    elif list(table.index.names[: order.nlevels]) == names:
        index = table.index.droplevel([*range(order.nlevels, table.index.nlevels)])
    else:  # one of pairs of groups, as that of `compare`
        return table
    return table.iloc[np.argsort(order.get_indexer(index), kind="stable")]
