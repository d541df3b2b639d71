"""`qa_frame.changed`: two runs of the same questions → the rows whose scores moved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import By, Frame, Ints
from qa_frame.errors import PairingError, PairingWarning, QaFrameError, show, warn
from qa_frame.frames.diagnosis import code_for_first
from qa_frame.frames.names import name_rows, require_new
from qa_frame.frames.source import read_source
from qa_frame.scoring.pair_metrics import PairMetric
from qa_frame.stats.grouping import (
    concatenate_keys,
    find_repeated_keys,
    group_rows,
    list_keys,
    read_codes,
    read_keys,
)
from qa_frame.stats.rows import without_rounding
from qa_frame.tables.methods import explains_wrong_calls
from qa_frame.tables.rows import read_one_metric

_ROWS_NAMED = 3


@explains_wrong_calls
def changed(
    data: Frame,
    other: Any,
    question: By,
    *,
    metric: str | PairMetric = "f1",
) -> Frame:
    """Return the rows whose score differs between two runs of the same questions, the largest change first.

    `df.qa.changed(...)` is `qa_frame.changed(df, ...)`.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> new = pd.DataFrame({"question": [1, 2, 3], "f1": [1.0, 0.25, 0.5]})
    >>> old = pd.DataFrame({"question": [2, 1, 4], "f1": [0.5, 1.0, 0.0]})
    >>> moved = qa_frame.changed(new, old, "question")
    >>> moved
       question    f1  f1_other  diff
    1         2  0.25       0.5 -0.25
    >>> [moved.attrs["qa_changed"][name] for name in ("n", "n_changed", "n_only_data", "n_only_other")]
    [2, 1, 1, 1]

    Parameters
    ----------
    data
        Frame of one run, of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    other
        Frame of the other run, such as the one before, of any of these kinds.
    question
        Column(s) that both frames have and that identify a question.
    metric
        Column of scores that both frames have: a metric, or another column of numbers or truth values.

    Returns
    -------
    frame
        The kind of frame that `data` is, with those of its rows whose score differs. After its columns stand
        `<metric>_other`, the score in `other`, and `diff`, the score in `data` less that. The largest change comes
        first; equal ones keep the order of `data`. Differences below nine decimals are rounding, and no change.

        `attrs["qa_changed"]`, in an Arrow table the metadata, has the counts `n` (questions with a score in both
        frames), `n_changed`, `n_only_data`, `n_only_other`, and `n_not_scored` (questions of both frames without a
        score in at least one). It also has the `signature` of the scores in `data` and `signature_other`; None where
        they are not known. polars has no `attrs`.

    Raises
    ------
    ColumnOverwriteError
        Where `data` has a column `diff` or `<metric>_other` of its own.
    PairingError
        Where a key is null, or is there twice in one frame.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used.

    Warns
    -----
    PairingWarning
        Where the frames have no question in common.
    """
    source, scoring = read_one_metric(data, metric)
    if question is None:
        raise PairingError("question=None names no column; name those that tell which rows belong together")
    rows = scoring.read(source, question=list_keys(question))
    _require_unique(rows.frame, question)
    try:
        other_rows = scoring.read(read_source(other), question=list_keys(question))
        _require_unique(other_rows.frame, question)
    except QaFrameError as error:
        raise type(error)(f"other: {error}") from error
    ((name, scores),), (other_scores,) = rows.scores.items(), other_rows.scores.values()
    changes = source.labels([f"{name}_other", "diff"])
    require_new(changes, source.names, what="new column {!r}", remedy="rename the column of data first")
    here, there = _pair_rows(rows.frame, other_rows.frame, question)
    if rows.n_rows and other_rows.n_rows and not len(here):
        remedy = f"look at the values of question={show(question)}, and whether both are texts, or both numbers"
        warn(f"data and other have no question in common; {remedy}", PairingWarning, see="no-common-questions")
    diff = scores[here] - other_scores[there]
    size = np.abs(without_rounding(diff))
    moved = np.flatnonzero(size > 0)
    moved = moved[np.lexsort((here[moved], -size[moved]))]
    new = {f"{name}_other": other_scores[there][moved], "diff": diff[moved]}
    note = {
        "metric": name,
        "n": int(np.count_nonzero(~np.isnan(diff))),
        "n_changed": len(moved),
        "n_only_data": rows.n_rows - len(here),
        "n_only_other": other_rows.n_rows - len(here),
        "n_not_scored": int(np.count_nonzero(np.isnan(diff))),
        "signature": rows.signature,
        "signature_other": other_rows.signature,
    }
    selected: Frame = source.take(here[moved]).with_note("qa_changed", note, new)
    return selected


def _pair_rows(frame: pd.DataFrame, other: pd.DataFrame, question: By) -> tuple[Ints, Ints]:
    """Return the positions of the rows that share a key, in `frame` and in `other`, both in the order of `frame`."""
    keys = concatenate_keys([read_keys(each, list_keys(question), "question") for each in (frame, other)])
    codes, _ = group_rows(keys, len(frame) + len(other), "question")
    there: Ints = pd.Index(codes[len(frame) :]).get_indexer(pd.Index(codes[: len(frame)]))
    here: Ints = np.flatnonzero(there >= 0)
    return here, there[here]


def _require_unique(frame: pd.DataFrame, question: By) -> None:
    """Raise PairingError where a row of the frame has a null key of `question`, or the key of another row."""
    codes = read_codes(frame, question, "question").codes
    twice = find_repeated_keys(codes)
    if len(twice):
        rows_alike_first = name_rows(np.flatnonzero(codes == codes[twice[0]])[:_ROWS_NAMED], frame.index)
        finding = f"{len(twice)} rows share their question={show(question)} with another, first {rows_alike_first}"
        remedy = "let `question` name columns that tell rows apart, as in question=['model', 'question']"
        raise PairingError.of("", finding, f"{remedy}, or keep one row each with {code_for_first(list_keys(question))}")
