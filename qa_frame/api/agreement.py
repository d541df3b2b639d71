"""`qa_frame.agreement`: scores beside people's verdicts → how well each metric agrees with them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from qa_frame._typing import Frame, Unpack
from qa_frame.api.methods import takes_rules
from qa_frame.scoring.call_rules import RuleArguments
from qa_frame.scoring.plan import Metrics


@takes_rules(after="gold")
def agreement(
    data: Frame,
    human: Hashable = "human",
    by: Hashable | Sequence[Hashable] | None = None,
    *,
    metrics: Metrics = None,
    pred: Hashable | None = None,
    gold: Hashable | None = None,
    cluster: Hashable | None = None,
    ci: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    prefix: str = "",
    **rules: Unpack[RuleArguments],
) -> Frame:
    """Tell how well each metric agrees with people's verdicts: one row per group and metric.

    `df.qa.agreement(...)` is `qa_frame.agreement(df, ...)`.

    Parameters
    ----------
    data
        A pandas or polars frame, a `pyarrow.Table`, or anything with `__arrow_c_stream__`.
    human
        The column of verdicts: booleans, two numbers of which the larger means right, or grades.
    by
        A column, an index level, or a list of them. Nulls are a group of their own.
    metrics
        The columns to judge: names of metrics, or of other columns of numbers or truth values. By default all score
        columns of the frame, or the default metrics if the rows are scored here. Figures that are pooled from
        statistics, such as `corpus_bleu`, cannot be judged.
    pred, gold
        Given both, the rows are scored first, as by `score`. Without them, the frame's score columns are used.
    {rules}
    prefix
        The text in front of the names of score columns.
    cluster
        A column or index level: rows with the same value are not independent, such as several models' answers to one
        question. Without it, give by="model" where several models answered the same questions.
    ci
        The level of confidence intervals, as 0.95.
    n_resamples
        The number of bootstrap samples, from which the intervals of the correlations come.
    seed
        The seed of the random draws and of the ten parts.

    Returns
    -------
    frame
        The kind of frame that was given, in pandas indexed by the groups and `metric`: `n` (rows used), `n_not_used`
        (without verdict or score), and as float64, all but the threshold followed by `<name>_lo` and `<name>_hi`:

        - `auc`: how often a right answer scores higher than a wrong one, equal scores counting half; 1/2 is chance.
          With grades, over all pairs of rows of different grade.
        - `pearson`, `spearman`, `kendall` (tau-b): correlations, as by `scipy.stats`.
        - `threshold`: the score from which calling an answer right agrees best with people, that is with the highest
          kappa; the lowest of equals. The lowest score of all is not a threshold: it would call every answer right.
        - `accuracy`, `balanced_accuracy` (the mean of the shares of right and of wrong answers that are called so) and
          `kappa` (Cohen's): how well a threshold does on rows that it was not chosen on. The rows, or the clusters, are
          put into ten random parts (fewer if there are fewer), and those of each part are called right or wrong by the
          best threshold of the others. At `threshold` itself, these figures would flatter: it was chosen on all rows.
          Where the others have but one score, rows are called as most rows are.

        NaN in a group whose verdicts are all the same. Grades have neither threshold nor a figure at it. Where all
        scores are the same, correlations and threshold are NaN. So are the last three figures where there is only one
        cluster.

    Raises
    ------
    VerdictError
        Where verdicts are not numbers, or are all the same.
    MissingPackageError
        Without scipy, which `pip install "qa-frame[stats]"` installs.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used. Also all that `score` raises.

    Notes
    -----
    `auc`, `accuracy`, `balanced_accuracy` and `kappa` have Wilson's interval with the effective sample size, as in
    `summary`; the variance of `auc` is DeLong's, by cluster Obuchowski's. So perfect agreement has an interval with a
    width. In simulations on the results of three models, 95 % intervals of `auc` held the truth in 92 % of draws and
    more from 50 rows on. The calls are taken as given. In simulations with 50 rows, a metric that says nothing had a
    mean kappa of .00 (.16 at the threshold that was chosen on the same rows), and one whose threshold has a kappa of
    .42 on new rows had .41 (.54). Correlations have percentiles of draws of rows or clusters, widened for few of them;
    draws in which one is not defined are left out.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"f1": [0.0, 0.2, 0.5, 0.8, 1.0, 1.0], "human": [False, False, True, False, True, True]})
    >>> qa_frame.agreement(df)[["n", "auc", "kendall", "threshold", "accuracy", "kappa"]].round(3)
            n    auc  kendall  threshold  accuracy  kappa
    metric
    f1      6  0.889    0.624        0.5     0.667  0.333
    """
    from qa_frame.reports.agreement import agree  # noqa: PLC0415  (statistics are slow to import)
    from qa_frame.reports.scored_rows import read_metrics  # noqa: PLC0415
    from qa_frame.stats.intervals import require_resampling  # noqa: PLC0415

    require_resampling(ci=ci, n_resamples=n_resamples, seed=seed)
    source, scoring = read_metrics(data, metrics, rules, pred=pred, gold=gold, prefix=prefix)
    table = agree(
        source, scoring, human=human, by=by, cluster=cluster, ci=float(ci), n_resamples=int(n_resamples), seed=int(seed)
    )
    return source.like(table, has_keys=True)
