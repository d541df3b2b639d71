"""`qa_frame.changed`: two runs of the same questions → the rows whose scores moved."""

from __future__ import annotations

from typing import Any

from qa_frame._typing import By, Frame
from qa_frame.scoring.pair_metrics import PairMetric
from qa_frame.tables.methods import says_what_fits


@says_what_fits
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
        One run: a pandas or polars frame, a `pyarrow.Table`, or anything with `__arrow_c_stream__`.
    other
        The other run, such as the one before: any of these kinds.
    question
        One or more columns that both frames have, and that identify a question.
    metric
        The metric whose scores count: a score column, or any column of numbers or truth values, that both frames
        have.

    Returns
    -------
    frame
        The kind of frame that `data` is: its rows that moved with all its columns, then `<metric>_other`, the score in
        `other`, and `diff`, the score in `data` less that. The largest `diff` in size comes first, in the order of
        `data` among equals. Scores are compared to nine decimals: less is the rounding of floats, and no change.
        `attrs["qa_changed"]`, in an Arrow table the metadata, counts `n` (rows that both have and score), `n_changed`,
        and those that could not be paired: `n_only_data`, `n_only_other`, and `n_not_scored`, which both have but one
        has no score for. It also has the `signature` of the scores in `data` and `signature_other`, None where they are
        not known. `qa_frame.style` shows the rows with the scores first and golds quoted.

    Raises
    ------
    ColumnOverwriteError
        Where `data` has a column `diff` or `<metric>_other` of its own.
    PairingError
        Where a key is null, or is there twice in one frame.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used.
    """
    from qa_frame.tables.row_selection import changed_rows  # noqa: PLC0415  (rarely needed)
    from qa_frame.tables.rows import read_one_metric  # noqa: PLC0415

    source, scoring = read_one_metric(data, metric)
    moved: Frame = changed_rows(source, other, scoring, question=question)
    return moved
