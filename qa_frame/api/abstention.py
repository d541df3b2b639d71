"""`qa_frame.abstention` and `qa_frame.risk_coverage`: questions that were declined, and answers by their confidence."""

from __future__ import annotations

import re
from collections.abc import Hashable

from qa_frame._typing import By, Frame, Unpack
from qa_frame.api.methods import takes_rules
from qa_frame.scoring.call_rules import RuleArguments
from qa_frame.scoring.pair_metrics import PairMetric
from qa_frame.scoring.plan import Metrics


@takes_rules(after="gold")
def abstention(
    data: Frame,
    by: By = None,
    *,
    declined: Hashable | re.Pattern[str],
    confidence: Hashable | None = None,
    metrics: Metrics = None,
    pred: Hashable | None = None,
    gold: Hashable | None = None,
    cluster: Hashable | None = None,
    ci: float | None = None,
    prefix: str = "",
    **rules: Unpack[RuleArguments],
) -> Frame:
    """Tell how many questions were answered, and how well: one row per group and metric.

    `df.qa.abstention(...)` is `qa_frame.abstention(df, ...)`.

    Parameters
    ----------
    data
        A pandas or polars frame, a `pyarrow.Table`, or anything with `__arrow_c_stream__`.
    by
        A column, an index level, or a list of them. Nulls are a group of their own.
    declined
        Which rows give no answer: a column of truth values, or a pattern from `re.compile` that is looked for in the
        predictions. With a pattern, null and blank predictions give no answer either. `qa_frame.REFUSAL` is the pattern
        of what `audit` calls refusals: "I don't know", "The passage does not say".
    confidence
        A column of finite numbers: the higher, the surer is the answer. It may be null where a row declines. The
        probability that a question has no answer, as in files for SQuAD 2.0, is turned round first: 1 - probability.
    metrics
        Score columns, or other columns of numbers from 0 to 1, or truth values. By default all score columns of the
        frame, or the default metrics if the rows are scored here.
    pred, gold
        Given both, the rows are scored first, as by `score`. Without them, the frame's score columns are used.
    {rules}
    cluster
        A column or index level: rows with the same value are not independent, such as several answers to one question.
    ci
        The level of confidence intervals, as 0.95. None gives no intervals.
    prefix
        The text in front of the names of score columns.

    Returns
    -------
    frame
        The kind of frame that was given, in pandas indexed by the groups and `metric`. `n` counts the rows used: those
        that are scored, and those that decline a question with golds. `n_answered` counts those of them that answer,
        and `n_not_used` the other rows. The figures are float64, NaN where they are of no row; with `ci` each of the
        first seven is followed by `<name>_lo` and `<name>_hi`:

        - `coverage`: the share of questions that are answered.
        - `answered`: the mean score of the answers.
        - `overall`: the mean score where a question that is declined scores 0.
        - `harmonic`: the harmonic mean of these two, which SimpleQA calls F1. It is 0 where nothing is answered.
        - `has_ans`, `no_ans`: the mean score of questions with golds and of those without, as the SQuAD 2.0 script
          prints HasAns and NoAns. Questions without golds are scored by conventions such as "squad2" alone. Both are
          NaN where the golds are not known.
        - `aurc`: with `confidence`, the area under the risk-coverage curve of the answers: the mean loss (1 - score) of
          the k surest, averaged over k. Lower is better; see Notes.
        - `best`, `best_threshold`: with `confidence`, the best mean score if answers below a threshold of confidence
          are withheld, and that threshold. Where a question has no golds, to withhold the answer scores 1. Answers of
          equal confidence are all given or all withheld. The threshold is infinite where it is best to answer nothing.
        - `best_script`, `best_script_threshold`: the same as the SQuAD 2.0 script finds them (best_exact, best_f1). It
          takes answers of equal confidence one by one, in the order of rows, so that no threshold may give its score.
          It prints 1 - confidence as the threshold, and 0 where this one is infinite.

        Thresholds are chosen on the rows that they are judged on, which flatters. Choose them on other rows.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used: `declined` is null or no truth value, `confidence` is null or
        infinite where an answer is given, scores are not from 0 to 1. Also all that `score` raises.

    Warns
    -----
    IntervalWarning
        Where a group has fewer than ten clusters, and intervals are asked for.

    Notes
    -----
    Sources: `simpleqa_eval.py` of openai/simple-evals; `squad_metrics.py` of transformers. With the losses l_(1), l_(2)
    and so on by falling confidence, and the harmonic numbers H, `aurc` is (1/n) sum_j l_(j) (H_n - H_(j-1)) (Geifman
    and El-Yaniv 2017). Answers of equal confidence share their mean loss, so that their order does not count.

    Intervals are Wilson's with the effective sample size, as in `summary`. The variance of `aurc` is that of the
    influence of each answer: through its own loss, and through the ranks of all answers that are less sure. The surest
    answers have most of the weight, so that the variance from 50 answers counts as one from 11. In simulations with 20
    to 200 answers, 95 % intervals of `aurc` held the truth in 95 % of draws on average, and in 88 to 92 % where one
    answer in twenty is wrong and the confidence has five levels.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({
    ...     "response": ["Paris", "Rome", "I don't know.", "Oslo", "Bern"],
    ...     "answers": [["Paris"], ["Rome"], ["Lima"], ["Kyiv"], ["Lima"]],
    ...     "sure": [0.9, 0.8, None, 0.7, 0.6],
    ... })
    >>> table = qa_frame.abstention(
    ...     df, declined=qa_frame.REFUSAL, confidence="sure", metrics="em", pred="response", gold="answers"
    ... )
    >>> table[["n", "n_answered", "coverage", "answered", "overall", "harmonic", "aurc"]].round(3)
            n  n_answered  coverage  answered  overall  harmonic   aurc
    metric
    em      5           4       0.8       0.5      0.4     0.444  0.208
    """
    from qa_frame.reports.abstention import abstain  # noqa: PLC0415  (statistics are slow to import)
    from qa_frame.reports.scored_rows import read_metrics  # noqa: PLC0415
    from qa_frame.stats.intervals import make_interval  # noqa: PLC0415

    level = make_interval(ci, "normal", 1, 0).level
    source, scoring = read_metrics(data, metrics, rules, pred=pred, gold=gold, prefix=prefix)
    table = abstain(source, scoring, declined=declined, confidence=confidence, by=by, cluster=cluster, ci=level)
    return source.like(table, has_keys=True)


@takes_rules(after="gold")
def risk_coverage(
    data: Frame,
    confidence: Hashable,
    metric: str | PairMetric = "f1",
    by: By = None,
    *,
    declined: Hashable | re.Pattern[str] | None = None,
    pred: Hashable | None = None,
    gold: Hashable | None = None,
    prefix: str = "",
    **rules: Unpack[RuleArguments],
) -> Frame:
    """Tell how good the answers are if those that are not sure enough are withheld: one row per confidence.

    `df.qa.risk_coverage(...)` is `qa_frame.risk_coverage(df, ...)`. `qa_frame.plot.risk_coverage` draws the result.

    Parameters
    ----------
    data
        A pandas or polars frame, a `pyarrow.Table`, or anything with `__arrow_c_stream__`.
    confidence
        A column of finite numbers: the higher, the surer is the answer.
    metric
        The metric whose scores count: a score column of the frame, a metric that is scored now, or any column of
        numbers from 0 to 1, or truth values.
    by
        A column, an index level, or a list of them. Nulls are a group of their own.
    declined
        Which rows give no answer at any threshold: a column of truth values, or a pattern from `re.compile`, which is
        looked for in the predictions; with a pattern, null and blank predictions give no answer either. By default
        every row gives one.
    pred, gold
        Given both, the rows are scored first, as by `score`. Without them, the frame's score column is used.
    {rules}
    prefix
        The text in front of the names of score columns.

    Returns
    -------
    frame
        The kind of frame that was given, in pandas indexed by the groups, where there are some. There is a row for each
        distinct confidence of a group, the highest first:

        - `threshold`: this confidence. Answers of this confidence or more are given; `n` counts them.
        - `coverage`: their share of the group's questions that are scored or declined.
        - `score`: their mean score; `risk`: 1 - score.

        Without answers there is no row. `abstention` has the area under the curve, `aurc`.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used, as in `abstention`. Also all that `score` raises.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"sure": [0.9, 0.8, 0.7, 0.6], "em": [1, 1, 0, 0]})
    >>> qa_frame.risk_coverage(df, "sure", "em").round(3)
       n  threshold  coverage  score   risk
    0  1        0.9      0.25  1.000  0.000
    1  2        0.8      0.50  1.000  0.000
    2  3        0.7      0.75  0.667  0.333
    3  4        0.6      1.00  0.500  0.500
    """
    from qa_frame.reports.abstention import curves  # noqa: PLC0415  (statistics are slow to import)
    from qa_frame.reports.scored_rows import read_one_metric  # noqa: PLC0415

    source, scoring = read_one_metric(data, metric, rules, pred=pred, gold=gold, prefix=prefix)
    table = curves(source, scoring, confidence=confidence, declined=declined, by=by)
    return source.like(table, has_keys=by is not None)
