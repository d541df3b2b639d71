"""`qa_frame.disagreements`: where a threshold of a metric and people's verdicts differ."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal

from qa_frame._typing import Frame
from qa_frame.api.methods import says_what_fits
from qa_frame.scoring.metrics import THRESHOLD
from qa_frame.scoring.pair_metrics import PairMetric


@says_what_fits
def disagreements(
    data: Frame,
    *,
    human: Hashable = "human",
    metric: str | PairMetric = "f1",
    threshold: float | Literal["best"] = THRESHOLD,
) -> Frame:
    """Return the rows that a metric and people judge differently: what to read before you trust the metric.

    `df.qa.disagreements(...)` is `qa_frame.disagreements(df, ...)`.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"f1": [0.0, 0.2, 0.5, 0.8, 1.0, 1.0], "human": [0, 0, 1, 0, 1, 1]})
    >>> qa_frame.disagreements(df, threshold="best")
        f1  human
    3  0.8      0

    Parameters
    ----------
    data
        A frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    human
        The column of verdicts: truth values, or two numbers of which the larger means right. It may be null.
    metric
        The metric that calls answers right or wrong: a score column, or any column of numbers.
    threshold
        The score from which the metric calls an answer right. `"best"` is the one that agrees best with people over all
        rows, which flatters: it was chosen on them.

    Returns
    -------
    frame
        The kind of frame that was given, with its columns. The row whose score is farthest from the threshold comes
        first. Among equals the order is random, but depends on the rows' text, numbers and lists alone. Rows without a
        score or a verdict are left out. `attrs["qa_disagreements"]`, in an Arrow table the metadata, has the threshold
        and how many rows are in each cell: `both_right`,
        `only_metric_right`, `only_people_right` and `both_wrong`.

    Raises
    ------
    VerdictError
        Where verdicts are not numbers, are all the same, or are grades.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used.
    """
    from qa_frame.reports.disagreements import disagreeing_rows  # noqa: PLC0415  (statistics are slow to import)
    from qa_frame.reports.scored_rows import read_one_metric  # noqa: PLC0415

    source, scoring = read_one_metric(data, metric)
    found: Frame = disagreeing_rows(source, scoring, human=human, threshold=threshold)
    return found
