"""A pandas `groupby` in the place of a frame: its frame with its keys as `by`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from qa_frame.errors import UnknownOptionError, show
from qa_frame.frames.scoring_metadata import TABLE
from qa_frame.stats.grouping import plain_names


def call_with_groups(
    function: Callable[..., Any], signature: inspect.Signature, arguments: tuple[Any, ...], settings: dict[str, Any]
) -> Any:
    """Call a function with the frame of a pandas groupby as `data`, and the keys of the groupby as `by`.

    Return the result, with its rows in the order of the groups. Raise UnknownOptionError where the groupby selects
    columns, or where `by`, `observed` or `dropna` stands beside it.

    arguments, settings: the arguments of the call by place and by name; `data` is the groupby.
    """
    named = dict(zip(signature.parameters, arguments, strict=False)) | settings
    grouped = named.pop("data")
    for argument in named.keys() & {"by", "observed", "dropna"}:
        finding = "stands beside a groupby, which says it itself"
        remedy = "leave it out, and name other arguments, as in question='question_id'"
        raise UnknownOptionError.of(argument, finding, remedy, value=named[argument])
    is_column = isinstance(grouped.obj, pd.Series)
    selected = grouped.obj.name if is_column else grouped._selection  # noqa: SLF001  (pandas has no other name for it)
    if is_column or selected is not None:
        remedy = f"give that of all columns, and metrics={show(selected)}"
        raise UnknownOptionError.of("data", "is a groupby with some columns alone", remedy)
    sizes, codes = grouped.size(), grouped.ngroup()
    # With as_index=False, the keys are columns before that of the sizes.
    groups = sizes.index if grouped.as_index else sizes.set_index([*sizes.columns[:-1]]).index
    if "observed" in signature.parameters:
        named["observed"] = grouped.observed
    # Rows with null keys go, unless the groupby keeps them.
    table = function(grouped.obj[codes.notna().to_numpy()], by=_name_keys(grouped, groups, codes), **named)
    return table if grouped.sort else _in_order(table, groups)


def _name_keys(grouped: Any, groups: pd.Index, codes: pd.Series[Any]) -> Any:
    """Return the keys of a groupby as `by` takes them; UnknownOptionError where they are no names.

    groups: the keys of the groups. codes: for each row, the place of its group among them; null for a null key.
    """
    frame, names, settings = grouped.obj, list(groups.names), ("sort", "dropna", "observed")
    if all((name in frame.columns) != (name in frame.index.names) and name is not None for name in names):
        of_names = frame.groupby(names, **{name: getattr(grouped, name) for name in settings})
        if of_names.size().index.equals(groups) and of_names.ngroup().equals(codes):
            return plain_names(tuple(names))
    finding = "is a groupby by values that are neither a column nor a named level of the index"
    raise UnknownOptionError.of("data", finding, "add the values as a column, and group by that")


def _in_order(table: Any, groups: pd.Index) -> Any:
    """Return a table of results with its rows in the order of these groups; what is no such table, as it is."""
    names = list(groups.names)
    keys = table.index.to_frame() if {*names} <= {*table.index.names} else table
    if TABLE not in table.attrs or not {*names} <= {*keys.columns}:
        return table
    return table.iloc[np.argsort(groups.get_indexer(keys.set_index(names).index), kind="stable")]
