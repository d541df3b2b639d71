"""`qa_frame.items`: several models on the same questions → which questions are hard, and how most are wrong."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from qa_frame._typing import Frame
from qa_frame.api.methods import says_what_fits
from qa_frame.scoring.metrics import THRESHOLD
from qa_frame.scoring.pair_metrics import PairMetric


@says_what_fits
def items(
    data: Frame,
    by: Hashable | Sequence[Hashable],
    question: Hashable | Sequence[Hashable],
    *,
    metric: str | PairMetric = "f1",
    threshold: float = THRESHOLD,
) -> Frame:
    """Tell how hard each question is, whether it tells models apart, and which wrong answer most give.

    `df.qa.items(...)` is `qa_frame.items(df, ...)`.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> right = ["11110", "11010", "10010", "10000"] + ["11110"] * 6
    >>> rows = [(model, q, int(em)) for model, row in enumerate(right) for q, em in enumerate(row)]
    >>> table = qa_frame.items(pd.DataFrame(rows, columns=["model", "q", "em"]), by="model", question="q", metric="em")
    >>> table[["n", "mean", "discrimination", "all_miss", "n_wrong"]].round(3)
        n  mean  discrimination  all_miss  n_wrong
    q
    0  10         1.0             NaN     False        0
    1  10         0.8           0.829     False        2
    2  10         0.7           0.716     False        3
    3  10         0.9           0.620     False        1
    4  10         0.0             NaN      True       10

    Parameters
    ----------
    data
        A frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    by
        The column, index level or list of them that makes the groups, such as the model.
    question
        The column, index level or list of them that identifies a question. A group may have each question once.
    metric
        The metric whose scores count: a score column of the frame, or any column of numbers or truth values.
    threshold
        An answer is wrong if its score is below this number.

    Returns
    -------
    frame
        The kind of frame that was given, in pandas indexed by the questions in sorted order: one row per question.

        - `n`: how many models have a score
        - `mean`: the mean score over the models, float64.
        - `discrimination`
        - `all_miss`: whether all models are wrong.
        - `n_wrong`: how many models are wrong.
        - `wrong_answer`, `n_same`: the wrong answer that most models give, and how many give it.

        The last two are null where the predictions are not known: give `pred` and `gold`, or a frame that remembers
        what it was scored from.

    Raises
    ------
    PairingError
        Where a group has a question twice, a key is null, or, where the golds are known, rows of one question have
        different golds, in more than a tenth of the questions.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used.

    Warns
    -----
    IntervalWarning
        Where there are fewer than ten models, as `discrimination` is then mostly chance.
    PairingWarning
        Where rows of fewer questions have different golds, or rows of one question have different texts in the column
        `question`.
    """
    from qa_frame.reports.asked import read_threshold  # noqa: PLC0415
    from qa_frame.reports.items import judge_items  # noqa: PLC0415  (statistics are slow to import)
    from qa_frame.reports.scored_rows import read_one_metric  # noqa: PLC0415

    least = read_threshold(threshold, "an answer is wrong with a lower score")
    source, scoring = read_one_metric(data, metric)
    return source.like(judge_items(source, scoring, by=by, question=question, threshold=least), has_keys=True)
