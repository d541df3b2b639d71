"""`qa_frame.confusion` and `qa_frame.disagreements`: where a threshold of a metric and people's verdicts differ."""

from __future__ import annotations

from collections.abc import Hashable

from qa_frame._typing import By, Frame, Unpack
from qa_frame.api.methods import takes_rules
from qa_frame.scoring.call_rules import RuleArguments
from qa_frame.scoring.pair_metrics import PairMetric


@takes_rules(after="gold")
def confusion(
    data: Frame,
    human: Hashable = "human",
    metric: str | PairMetric = "f1",
    by: By = None,
    *,
    threshold: float | None = None,
    pred: Hashable | None = None,
    gold: Hashable | None = None,
    prefix: str = "",
    **rules: Unpack[RuleArguments],
) -> Frame:
    """Count how often a metric and people call the same answers right: one row per group.

    `df.qa.confusion(...)` is `qa_frame.confusion(df, ...)`.

    Parameters
    ----------
    data
        A pandas or polars frame, a `pyarrow.Table`, or anything with `__arrow_c_stream__`.
    human
        The column of verdicts: truth values, or two numbers of which the larger means right. It may be null.
    metric
        The metric that calls answers right or wrong: a score column of the frame, a metric that is scored now, or any
        column of numbers or truth values.
    by
        A column, an index level, or a list of them. Nulls are a group of their own.
    threshold
        The score from which the metric calls an answer right. None is the one that agrees best with people over all
        rows, as `agreement` without `by` finds it. It was chosen on these rows, which flatters.
    pred, gold
        Given both, the rows are scored first, as by `score`. Without them, the frame's score column is used.
    {rules}
    prefix
        The text in front of the names of score columns.

    Returns
    -------
    frame
        The kind of frame that was given, in pandas indexed by the groups: `n` (rows with a score and a verdict),
        `n_not_used` (the others), `threshold`, and how many rows are in each cell: `both_right`, `only_metric_right`,
        `only_people_right`, `both_wrong`.

    Raises
    ------
    VerdictError
        Where verdicts are not numbers, are all the same, or are grades.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used. Also all that `score` raises.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"f1": [0.0, 0.2, 0.5, 0.8, 1.0, 1.0], "human": [0, 0, 1, 0, 1, 1]})
    >>> table = qa_frame.confusion(df)
    >>> table[["threshold", "both_right", "only_metric_right", "only_people_right", "both_wrong"]]
         threshold  both_right  only_metric_right  only_people_right  both_wrong
    all        0.5           3                  1                  0           2
    """
    from qa_frame.reports.disagreements import count_cells  # noqa: PLC0415  (statistics are slow to import)
    from qa_frame.reports.scored_rows import read_one_metric  # noqa: PLC0415

    source, scoring = read_one_metric(data, metric, rules, pred=pred, gold=gold, prefix=prefix)
    table = count_cells(source, scoring, human=human, threshold=threshold, by=by)
    return source.like(table, has_keys=by is not None)


@takes_rules(after="gold")
def disagreements(
    data: Frame,
    human: Hashable = "human",
    metric: str | PairMetric = "f1",
    *,
    threshold: float | None = None,
    pred: Hashable | None = None,
    gold: Hashable | None = None,
    prefix: str = "",
    **rules: Unpack[RuleArguments],
) -> Frame:
    """Return the rows that a metric and people judge differently: what to read before you trust the metric.

    `df.qa.disagreements(...)` is `qa_frame.disagreements(df, ...)`.

    Parameters
    ----------
    data
        A pandas or polars frame, a `pyarrow.Table`, or anything with `__arrow_c_stream__`.
    human
        The column of verdicts: truth values, or two numbers of which the larger means right. It may be null.
    metric
        The metric that calls answers right or wrong: a score column of the frame, a metric that is scored now, or any
        column of numbers or truth values.
    threshold
        The score from which the metric calls an answer right. None is the one that agrees best with people over all
        rows, as `agreement` without `by` finds it.
    pred, gold
        Given both, the rows are scored first, as by `score`. Without them, the frame's score column is used.
    {rules}
    prefix
        The text in front of the names of score columns.

    Returns
    -------
    frame
        The kind of frame that was given, with its columns, and the score column where rows are scored now. The row
        whose score is farthest from the threshold comes first, in the order of `data` among equals. Rows without a
        score or a verdict are left out. `attrs["qa_disagreements"]`, in an Arrow table the metadata, has the threshold
        and the counts of `confusion`; a polars frame has no place for it.

    Raises
    ------
    VerdictError
        Where verdicts are not numbers, are all the same, or are grades.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used. Also all that `score` raises.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"f1": [0.0, 0.2, 0.5, 0.8, 1.0, 1.0], "human": [0, 0, 1, 0, 1, 1]})
    >>> qa_frame.disagreements(df)
        f1  human
    3  0.8      0
    """
    from qa_frame.reports.disagreements import disagreeing_rows  # noqa: PLC0415  (statistics are slow to import)
    from qa_frame.reports.scored_rows import read_one_metric  # noqa: PLC0415

    source, scoring = read_one_metric(data, metric, rules, pred=pred, gold=gold, prefix=prefix)
    found: Frame = disagreeing_rows(source, scoring, human=human, threshold=threshold)
    return found
