"""Score arrays → columns of a frame, and back."""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from qa_frame._typing import Floats
from qa_frame.frames.names import score_label

_COPIES_ON_WRITE = int(pd.__version__.split(".")[0]) >= 3


def append_columns(frame: pd.DataFrame, scores: Mapping[str, NDArray[Any]], *, append: bool) -> pd.DataFrame:
    """Return a new frame with `frame`'s columns and index and then the scores; without append, the scores alone.

    A column that has a score's label already, from an earlier scoring, is replaced where it stands.
    """
    if not append:
        return _as_frame(scores, frame.index.view())
    labels = list(frame.columns)
    added: dict[Any, NDArray[Any]] = {}
    replaced: dict[int, NDArray[Any]] = {}
    for name, values in scores.items():
        label = score_label(name, frame.columns)
        if label in labels:
            replaced |= {place: values for place, known in enumerate(labels) if known == label}
        else:
            added[label] = values
    out = frame
    if replaced or not added:  # else pandas copies what must be copied below
        out = frame.copy(deep=not _COPIES_ON_WRITE)
    for place, values in replaced.items():
        out.isetitem(place, values)
    if added:
        out = pd.concat([out, _as_frame(added, frame.index)], axis=1, ignore_index=True)
        out.columns = _append_labels(frame.columns, tuple(added))
    out.index = frame.index.view()  # a view has names of its own
    out.columns.names = frame.columns.names
    out.attrs = copy.deepcopy(frame.attrs)
    return out


@functools.lru_cache(maxsize=64)
def _labels_of_names(names: tuple[Any, ...]) -> pd.Index:
    """Return the labels as pandas has them. They are kept: to make them takes as long as the rest of a small frame."""
    labels: pd.Index = pd.Index(list(names))
    return labels


def _append_labels(known: pd.Index, names: tuple[Any, ...]) -> pd.Index:
    """Return the labels of a frame with others behind them."""
    labels, of_names = list(known), _labels_of_names(names)
    if {*map(type, labels)} == {str} and known.dtype == of_names.dtype:
        return _labels_of_names((*labels, *names)).view()
    return known.append(of_names)


def _as_frame(columns: Mapping[Any, NDArray[Any]], index: pd.Index) -> pd.DataFrame:
    is_one_type = len({values.dtype for values in columns.values()}) == 1
    data: Any = np.array([*columns.values()]).T if is_one_type else dict(enumerate(columns.values()))
    frame = pd.DataFrame(data, index=index)  # pandas takes a table sooner than columns, and these sooner without labels
    frame.columns = _labels_of_names(tuple(columns)).view()  # a view has a name of its own
    return frame


def append_to_table(table: pa.Table, scores: Mapping[str, Floats], *, append: bool) -> pa.Table:
    """Append columns to an Arrow table, or replace those of the same names. NaN becomes null."""
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
