"""`qa_frame.abstention` and `qa_frame.risk_coverage`: questions that were declined, and answers by their confidence."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence

from qa_frame._typing import By, Frame
from qa_frame.api.methods import says_what_fits
from qa_frame.scoring.pair_metrics import PairMetric
from qa_frame.scoring.plan import ScoreColumns


@says_what_fits
def abstention(
    data: Frame,
    by: By = None,
    *,
    declined: Hashable | re.Pattern[str],
    metrics: ScoreColumns = None,
    cluster: Hashable | Sequence[Hashable] | None = None,
    ci: float | None = None,
) -> Frame:
    """Tell how many questions were answered, and how well: one row per group and metric.

    `df.qa.abstention(...)` is `qa_frame.abstention(df, ...)`.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({
    ...     "response": ["Paris", "Rome", "I don't know.", "Oslo", "Bern"],
    ...     "answers": [["Paris"], ["Rome"], ["Lima"], ["Kyiv"], ["Lima"]],
    ... })
    >>> scored = qa_frame.score(df, pred="response", gold="answers", metrics="em")
    >>> table = qa_frame.abstention(scored, declined=qa_frame.rules.REFUSAL)
    >>> table[["n", "n_answered", "coverage", "answered", "overall", "harmonic"]].round(3)
            n  n_answered  coverage  answered  overall  harmonic
    metric
    em      5           4       0.8       0.5      0.4     0.444

    Parameters
    ----------
    data
        A frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    by
        A column, an index level, or a list of them.
    declined
        Which rows give no answer: a column of truth values, or a pattern from `re.compile` that is looked for in the
        predictions.
    metrics
        Score columns, or other columns of numbers from 0 to 1, or truth values.
    cluster
        A column or index level: rows with the same value are not independent.
    ci
        The level of confidence intervals, as 0.95. None gives no intervals.

    Returns
    -------
    frame
        The kind of frame that was given, in pandas indexed by the groups and `metric`. `n` counts the rows used: those
        that are scored, and those that decline a question with golds. `n_answered` counts those that answer, and
        `n_not_used` the other rows. The page "Models that decline to answer" defines each.

        - `coverage`: the share of questions that are answered.
        - `answered`: the mean score of the answers.
        - `overall`: the mean score where a question that is declined scores 0.
        - `harmonic`: the harmonic mean of these two, which SimpleQA calls F1.
        - `has_ans`, `no_ans`: the mean score of questions with golds and without, as the SQuAD 2.0 script.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used.

    Warns
    -----
    IntervalWarning
        Where a group has fewer than ten clusters, and intervals are asked for.
    """
    from qa_frame.reports.abstention import abstain  # noqa: PLC0415  (statistics are slow to import)
    from qa_frame.reports.scored_rows import read_metrics  # noqa: PLC0415

    level = None if ci is None else float(ci)
    source, scoring = read_metrics(data, metrics)
    table = abstain(source, scoring, declined=declined, by=by, cluster=cluster, ci=level)
    return source.like(table, has_keys=True)


@says_what_fits
def risk_coverage(
    data: Frame,
    by: By = None,
    *,
    confidence: Hashable,
    metric: str | PairMetric = "f1",
    declined: Hashable | re.Pattern[str] | None = None,
) -> Frame:
    """Tell how good the answers are if those that are not sure enough are withheld: one row per confidence.

    `df.qa.risk_coverage(...)` is `qa_frame.risk_coverage(df, ...)`. `qa_frame.plot.risk_coverage` draws the result.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"sure": [0.9, 0.8, 0.7, 0.6], "em": [1, 1, 0, 0]})
    >>> qa_frame.risk_coverage(df, confidence="sure", metric="em").round(3)
       n  threshold  coverage  score   risk
    0  1        0.9      0.25  1.000  0.000
    1  2        0.8      0.50  1.000  0.000
    2  3        0.7      0.75  0.667  0.333
    3  4        0.6      1.00  0.500  0.500

    Parameters
    ----------
    data
        A frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    confidence
        A column of finite numbers: the higher, the surer is the answer.
    metric
        The metric whose scores count: a score column of the frame, or any column of numbers from 0 to 1, or truth
        values.
    by
        A column, an index level, or a list of them. Nulls are a group of their own.
    declined
        Which rows give no answer at any threshold: a column of truth values, or a pattern from `re.compile`, which is
        looked for in the predictions; with a pattern, null and blank predictions give no answer either.

    Returns
    -------
    frame
        The kind of frame that was given, in pandas indexed by the groups, where there are some. There is a row for each
        distinct confidence of a group, the highest first:

        - `threshold`: this confidence. Answers of this confidence or more are given; `n` counts them.
        - `coverage`: their share of the group's questions that are scored or declined.
        - `score`: their mean score; `risk`: 1 - score.

        Without answers there is no row.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used, as in `abstention`.
    """
    from qa_frame.reports.abstention import curves  # noqa: PLC0415  (statistics are slow to import)
    from qa_frame.reports.scored_rows import read_one_metric  # noqa: PLC0415
    from qa_frame.stats.grouping import list_keys  # noqa: PLC0415

    source, scoring = read_one_metric(data, metric)
    table = curves(source, scoring, confidence=confidence, declined=declined, by=by)
    return source.like(table, has_keys=bool(list_keys(by)))
