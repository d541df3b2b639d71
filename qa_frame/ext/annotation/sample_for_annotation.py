"""`qa_frame.sample_for_annotation`: a frame → the rows of each group that people should label."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import By, Frame
from qa_frame.checks import is_number, require_whole_number
from qa_frame.errors import UnknownOptionError, show
from qa_frame.frames.row_hashes import hash_rows
from qa_frame.frames.source import Source, read_source
from qa_frame.stats.grouping import code_groups, list_keys, read_keys
from qa_frame.tables.methods import says_what_fits


@says_what_fits
def sample_for_annotation(
    data: Frame,
    n: int | None = None,
    by: By = None,
    *,
    width: float | None = None,
    ci: float = 0.95,
    seed: int = 0,
) -> Frame:
    """Draw the rows of each group that people should label, at random, and say how wide the interval will be.

    `df.qa.sample_for_annotation(...)` is `qa_frame.sample_for_annotation(df, ...)`. Put the verdicts
    beside all rows, null elsewhere, and `human_mean` reads them.

    Examples
    --------
    >>> import qa_frame
    >>> drawn = qa_frame.sample_for_annotation(qa_frame.sample(), width=0.25, by="model")
    >>> drawn.groupby("model").size().tolist(), drawn.attrs["qa_drawn"]
    ([58, 58, 58], {'n': 58, 'width': 0.249, 'ci': 0.95, 'seed': 0})

    Parameters
    ----------
    data
        A frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    n
        How many rows of each group; smaller groups are taken whole.
    by
        A column, an index level, or a list of them. None: all rows are one group.
    width
        In place of n: the widest interval of a group's mean verdict that is wanted, above 0 and below 1.
    ci
        The level of confidence of that interval.
    seed
        Another number draws other rows.

    Returns
    -------
    frame
        The kind of frame that was given: the drawn rows in their order, with all columns.
        `attrs["qa_drawn"]`, in an Arrow table the metadata, has `n` and `width`: that of Wilson's interval where half
        of the answers are right, which is the widest case. The metric's scores make it narrower where they agree with
        people. Which rows are drawn depends on the values of the rows, and not on their order.

    Raises
    ------
    ColumnNotFoundError, UnknownOptionError
        Where a column or an argument cannot be used; also where n and width are both given, or neither.

    See Also
    --------
    human_mean : The mean verdict over all rows, from the labels.
    """
    from qa_frame.ext.annotation.prediction_powered import labels_for_width, width_of_labels  # noqa: PLC0415

    if (n is None) == (width is None):
        raise UnknownOptionError(f"n={show(n)} and width={show(width)}; give one of them, and not the other")
    if width is not None:
        if not is_number(width) or not 0 < width < 1:
            raise UnknownOptionError(f"width={show(width)} is not a number above 0 and below 1; give one, such as 0.2")
        n = labels_for_width(float(width), ci)
    require_whole_number("n", n, least=1, most=sys.maxsize)
    note = {"n": int(n or 0), "width": round(width_of_labels(int(n or 0), ci), 3), "ci": float(ci), "seed": int(seed)}
    drawn: Frame = _draw_rows(read_source(data), int(n or 0), by=by, seed=int(seed), note=note)
    return drawn


def _draw_rows(source: Source, n: int, *, by: By, seed: int, note: Mapping[str, Any]) -> Any:
    """Return n rows of each group, drawn by their values, in their order, as the caller's kind of frame with a note."""
    keys = list_keys(by)
    frame = source.as_pandas({"by": keys})
    group = code_groups(read_keys(frame, keys), len(frame)).codes
    order = np.lexsort((np.arange(len(group)), hash_rows(source, seed=seed), group))
    is_drawn = pd.Series(order).groupby(group[order]).cumcount().to_numpy() < n
    return source.take(np.sort(order[is_drawn])).with_note("qa_drawn", note)
