"""`qa_frame.human_mean`: scores of all rows and people's verdicts on a few → the mean verdict over all."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from qa_frame._typing import By, Frame
from qa_frame.api.methods import says_what_fits
from qa_frame.scoring.pair_metrics import PairMetric


@says_what_fits
def human_mean(
    data: Frame,
    by: By = None,
    *,
    human: Hashable = "human",
    metric: str | PairMetric = "f1",
    cluster: Hashable | Sequence[Hashable] | None = None,
    ci: float = 0.95,
) -> Frame:
    """Tell how many answers people would find right, from their verdicts on a few rows: one row per group.

    `df.qa.human_mean(...)` is `qa_frame.human_mean(df, ...)`.

    The few rows with a verdict show how verdicts follow scores. **They must be drawn at random** from their group, or
    the figure and its interval are wrong.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> verdicts = [1, 1, 0, 1, 0, 1, 1, 0, 1, 1] + [None] * 100
    >>> scores = [0.9, 0.8, 0.2, 0.7, 0.4, 0.6, 1, 0.1, 0.3, 0.9] + [0.2, 0.5, 0.6, 0.8, 0.9] * 20
    >>> table = qa_frame.human_mean(pd.DataFrame({"human": verdicts, "f1": scores}))
    >>> table[["n", "n_labelled", "human_mean", "human_mean_lo", "human_mean_hi"]].round(3)
           n  n_labelled  human_mean  human_mean_lo  human_mean_hi
    all  110          10       0.707          0.381          0.905

    Parameters
    ----------
    data
        A frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    human
        The column of verdicts: truth values, or numbers from 0 (wrong) to 1 (right). It is null where nobody has judged
        the row.
    metric
        The metric whose scores stand in for verdicts: a score column, or any column of numbers.
    by
        A column, an index level, or a list of them. Nulls are a group of their own.
    cluster
        A column or index level: rows with the same value are not independent, such as several answers to one question.
    ci
        The level of confidence intervals, as 0.95.

    Returns
    -------
    frame
        The kind of frame that was given, in pandas indexed by the groups. `n` counts the rows with a score,
        `n_labelled` those of them with a verdict, and `n_not_used` the others.

        - `human_mean`: the estimated mean verdict over all `n` rows, from 0 to 1.
        - `labels_alone`: the mean of the verdicts that are there, with the interval of `summary`.
        - `metric_mean`: the mean score over all `n` rows.
        - `slope`: how much the verdict rises with the score, by the rows that have both and six more that show no
          relation.

        The first two are followed by `<name>_lo` and `<name>_hi`. A group with fewer than 3 verdicts has no figure.

    Raises
    ------
    VerdictError
        Where a verdict is no number from 0 to 1, or no group has 3 verdicts.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used.

    Warns
    -----
    IntervalWarning
        Where a group has fewer than 3 verdicts, no slope, or fewer than ten clusters with verdicts.
    """
    from qa_frame.reports.human_mean import estimate_human_means  # noqa: PLC0415  (statistics are slow to import)
    from qa_frame.reports.scored_rows import read_one_metric  # noqa: PLC0415
    from qa_frame.stats.grouping import list_keys  # noqa: PLC0415

    source, scoring = read_one_metric(data, metric)
    table = estimate_human_means(source, scoring, human=human, by=by, cluster=cluster, ci=float(ci))
    return source.like(table, has_keys=bool(list_keys(by)))
