"""`qa_frame.summary`: scores → pooled figures by group, with intervals."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qa_frame._typing import By, Frame, Unpack
from qa_frame.api.methods import takes_rules
from qa_frame.frames.kinds import read_source
from qa_frame.scoring.call_rules import RuleArguments, make_rules
from qa_frame.scoring.plan import Metrics

if TYPE_CHECKING:
    from qa_frame.stats.intervals import Method
    from qa_frame.stats.strata import Shares


@takes_rules(after="gold")
def summary(
    data: Frame,
    by: By = None,
    *,
    metrics: Metrics = None,
    pred: Hashable | None = None,
    gold: Hashable | None = None,
    ci: float | None = None,
    method: Method = "normal",
    cluster: Hashable | None = None,
    samples: Hashable | Sequence[Hashable] | None = None,
    pass_at: int | Sequence[int] = (),
    pass_all: int | Sequence[int] = (),
    threshold: float = 1.0,
    majority: bool = False,
    variance: bool = False,
    macro: Hashable | Sequence[Hashable] | None = None,
    weights: Shares | Mapping[Any, float] = "equal",
    n_resamples: int = 1000,
    seed: int = 0,
    percent: bool = False,
    prefix: str = "",
    observed: bool = True,
    dropna: bool = False,
    long: bool = False,
    reuse_scores: bool = False,
    **rules: Unpack[RuleArguments],
) -> Frame:
    """Pool the scores of each group of rows: one row per group, or one row for all.

    `df.qa.summary(...)` is `qa_frame.summary(df, ...)`.

    Parameters
    ----------
    data
        A pandas or polars frame, a `pyarrow.Table`, or anything with `__arrow_c_stream__`.
    by
        A column, an index level, a function of index labels, a Series or array with a value per row, or a list of
        these.
    metrics
        The metrics to pool. By default these are all score columns of the frame, or the default metrics if it is scored
        here; and `corpus_bleu` and `f1_micro` where the frame has the statistics of `score(stats=True)`, or is scored
        here. There, `corpus_bleu1` to `corpus_bleu4` and `corpus_bleu_exp` can be named, too. A `PairMetric` of yours
        is named by itself where rows are scored. Any other name is that of a column of numbers or truth values, such as
        the verdicts of a judge; a null or NaN in it is not scored.
    pred, gold
        Given both, the rows are scored first, as by `score` with convention, reduce, best_by, missing and extract,
        whatever score columns the frame has; see `reuse_scores`. Without them, the frame's score columns are used.
        `pandas.concat` drops the notes of frames that were scored by different rules, and then nothing tells the rules
        of a column apart: keep a column `convention` and name it in `by`, or summarise each frame on its own.
    {rules}
    ci
        The level of confidence intervals, as 0.95. None gives no intervals.
    method
        How intervals are made. `"normal"`: Wilson's interval with the effective sample size and Student's t.
        `"bootstrap"`: percentiles of the figures of n_resamples draws of units within each group, the tails widened for
        few units (Hesterberg 2015). For scores from 0 to 1, and where all draws are alike, the bounds are
        at least as wide as those of `"normal"`. The same seed gives the same bounds, whatever the order of rows.
        `"exact"`: Clopper and Pearson's (1934), for columns of 0 and 1 without clusters; another one is an error. It
        needs scipy, which `pip install "qa-frame[stats]"` installs.
    cluster
        A column or index level: rows with the same value are not independent, such as several answers to one question.
        The units of the intervals then are clusters, else rows.
    samples
        A column, index level or list of them that identifies a question, where a group answers each several times. A
        figure is then a mean over questions, one value per question, and questions are the units of intervals, or
        `cluster`: the mean of the questions' means, however many samples each has. A question of two datasets that
        number their questions alike is told apart by both names, as `["dataset", "question_id"]`.
    pass_at
        With samples: numbers k for `<metric>_pass@k`, the chance that one or more of k samples of a question are right
        (Chen et al. 2021). A question with fewer than k scored samples is not scored for it.
    pass_all
        With samples: numbers k for `<metric>_pass^k`, the chance that all of k samples are right (Yao et al. 2024).
    threshold
        The score from which a sample is right.
    majority
        With samples, pred and gold: also `<metric>_majority`, the share that is right among the answers that most
        samples of a question give; answers that tie share it. Answers are equal if they are after normalisation, as
        `qa_frame.normalise` shows it; a null prediction is the empty answer. It needs all samples of a question at
        once, so files, lazy frames and a `Pool` do not have it.
    variance
        With samples: also the parts of each metric's variance, within and between questions.
    macro
        A column, index level or list of them, such as the dataset. A figure is then the weighted mean of the figures of
        its values, so that a large dataset does not outweigh a small one. All groups must have rows of all values.
    weights
        How much each value of `macro` counts: `"equal"`, `"size"` (by its scored rows, or questions with samples), or a
        mapping from each value to a number above 0, which sum to 1. A value is a tuple where `macro` is a list.
    n_resamples
        The number of bootstrap samples.
    seed
        The seed of the random draws.
    percent
        Whether figures and bounds are multiplied by 100.
    prefix
        The text in front of the names of score columns and statistics.
    observed
        Whether only categories that occur are groups, as in pandas' groupby; else all categories are.
    dropna
        Whether rows with a null in `by` are left out, as in pandas' groupby; else they are a group of their own.
    long
        Whether there is one row per group and metric. Its columns are those of `by`, then `metric value lo hi n`, where
        n is the number of rows that the metric is scored on.
    reuse_scores
        With `pred` and `gold`: use the frame's score columns. Nothing is scored; `pred` and `gold`, with `extract` as
        `score` was told, then give `n_missing` and `n_no_gold` alone. For a frame that has forgotten what it was scored
        from: a pandas frame after `merge` or `join`, or any polars frame.

    Returns
    -------
    frame
        The kind of frame that was given, in pandas indexed by the groups. Its columns are `n` (rows), `n_scored` (rows
        with a score of any of the metrics), `n_missing` (null predictions; under `missing="zero"` they are scored too,
        as wrong) and `n_no_gold` (rows that cannot be scored), then the mean of each metric over the rows that have it,
        NaN where no row has one. Where answers were extracted, `n_missing` counts responses without answer too, and
        `n_not_extracted` after it counts these alone. These counts are read from the columns that `score` used; where
        the frame no longer has them, or no longer knows them as after `merge`, they are `<NA>`; give these columns with
        `reuse_scores=True`. Where the frame has the statistics of `score(stats=True)`, there
        follow `corpus_bleu` (`sacrebleu`'s with smooth_method="none", over 100) and `f1_micro` (2 * overlap / tokens,
        summed over rows), or what `metrics` names instead: `corpus_bleu1` to `corpus_bleu4` are of n-grams up to that
        order, and `corpus_bleu_exp` is `sacrebleu`'s default, whose smoothing only changes it where no n-gram of some
        order matches; its interval is then [0, 1].
        A figure that is of other rows than `n_scored` counts has its own count, `n_scored_<name>`.
        With `samples`, the counts are followed by `n_questions`, those with a scored sample, and `n_samples_min` and
        `n_samples_max`, the fewest and most scored samples that one of them has; `n_scored_<name>` then counts
        questions, and there are no pooled figures, which are sums over rows.
        With `ci`, `<name>_lo` and `<name>_hi` follow each; NaN for fewer than two units.
        That makes many columns: `qa_frame.style` shows each figure with its bounds in one cell.
        `attrs["qa"]` holds the signature of the scoring where it is known, and `attrs["qa_table"]` says which columns
        are keys and figures, what each metric is, whether figures are in percent, whether the table is long, and the
        level of the intervals: `style` and `plot` read that. An Arrow table has both in its metadata; a polars frame
        has no place for them.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError
        Where a column is not there, holds something else than scores, or a cluster is null.
    UnknownOptionError
        Where an argument has a value that is not allowed. Also all that `score` raises.

    Warns
    -----
    IntervalWarning
        Where an interval rests on so little that it may not hold as often as asked; see Notes.
    PairingWarning
        Where samples of one question are of several values of a column `dataset`.
    StratumWarning
        Where groups have no scores of some value of `macro`. Their figures are NaN.
    MixedScoresWarning
        Where metrics of this package are means over different rows of one group, in a frame that does not remember its
        scoring: frames that were scored in several ways have been put together. That is not seen where both have all
        metrics, so let `by` tell them apart.

    Notes
    -----
    A group's figures and intervals depend on that group's rows alone.

    The variance of a figure comes from sums over units: of rows, or the CR2 variance of clusters with Bell and
    McCaffrey's degrees of freedom, by the delta method for `corpus_bleu` and `f1_micro`. The interval is Wilson's, with
    the sample size that 0/1 scores would need for that variance (Korn and Graubard 1998; Franco et al. 2019), and
    Student's t. A few rows or clusters often show too little variance. So the variance is first averaged with a larger
    one, which counts as much as half a row and half a cluster. For the half row, this is the largest variance that the
    figure allows. For the half cluster it is the same where each cluster is one row, and it comes nearer to the
    variance of single rows, the more rows the clusters have. The interval stays inside [0, 1] and has a width where all
    scores are 0. Where a group has scores beyond [0, 1], as in a column of grades, it is the mean ± t standard errors.

    For independent scores of 0 and 1, 95 % intervals hold a true share between 0.1 and 0.9 in 93 % of draws and more,
    counted over all results. Shares nearer to 0 or 1 are held in as few as 85 % (20 to 200 rows) or 91 % (from 500 on);
    `"exact"` holds each in 95 % and more. In simulations on the results of three models, 95 % intervals of 20 rows and
    more held the truth in 94 to 98 % of draws for `em`, `f1`, `contains` and `rouge_l`. They hold too seldom for scores
    that are mostly near 0, with rare high ones (sentence BLEU of chat models: 84 to 96 % of 20 rows, 89 to 91 of 50,
    94 of 200), and for `corpus_bleu` where answers are shorter than four words (92 % of 20 and 50 rows). In simulated
    clusters, five of ten rows held it in 97 % and more, twenty of 1 to 20 rows in 95 % and more, and in 90 % where nine
    scores of ten are 0. Twenty to 200 clusters in which 3 or 97 % of all rows are right, most of them in the same few
    clusters, held it in 86 to 91 %; Student's t does so in 65 to 86 %.

    A warning is given for `corpus_bleu` of fewer than 50 rows, fewer than ten clusters, one cluster with more than a
    third of the rows, and graded scores with a mean below 0.2 and a sum below 7. In clusters of several rows it is
    given for all scores with a mean below 0.2 or above 0.8, unless they are alike, where their sum, or that of the
    misses, is below 7 in as many independent rows as the clusters are worth. With `macro` this is asked of the mean
    over its values.

    With `macro` the variance is the sum of those of its values, each times its squared weight, with Satterthwaite's
    degrees of freedom. Each variance is first averaged with a larger one, as above; the half row and the half cluster
    are shared among the values. As a small dataset may show no variance at all, the bounds are at least those that
    follow from each dataset's own interval (Zou and Donner 2008). A value with a single unit has no variance, and
    there are then no bounds, which is warned of. The other methods are refused: they take the units of all values
    alike. In simulations of 2 and 12 datasets of very unequal size, 95 % intervals held the truth in 94 to 99 % of
    draws, also where 1 % of answers were right.

    With `variance=True` four columns follow each metric. `<metric>_within` is the mean over questions of the variance
    of a question's samples. `<metric>_between` is the variance of the questions' own means: that of the means found,
    less what a few samples add to it, and at least 0. `<metric>_icc` is between / (between + within): how alike the
    samples of a question are. `<metric>_design_effect` says how many times as large the variance of the mean is as if
    each sample were of a question of its own: 1 + (k - 1) * icc with k samples each. They are not in percent.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers")
    >>> qa_frame.summary(scored, by="model", metrics=["em", "f1"]).round(3)
                  n  n_scored  n_missing  n_no_gold     em     f1
    model
    heron-7b    120       115          4          5  0.087  0.206
    lynx-70b    120       115          2          5  0.435  0.724
    otter-chat  120       115          2          5  0.000  0.339
    >>> qa_frame.summary(scored, by="model", metrics="f1", ci=0.95, long=True).round(3)
            model metric  value     lo     hi    n
    0    heron-7b     f1  0.206  0.155  0.270  115
    1    lynx-70b     f1  0.724  0.660  0.779  115
    2  otter-chat     f1  0.339  0.307  0.373  115

    Any column of numbers or truth values can be named:

    >>> judged = qa_frame.summary(scored, by="model", metrics=["em", "human"])
    >>> judged[["n_scored", "n_scored_em", "n_scored_human", "em", "human"]].round(3)
                n_scored  n_scored_em  n_scored_human     em  human
    model
    heron-7b         117          115             114  0.087  0.167
    lynx-70b         118          115             117  0.435  0.991
    otter-chat       118          115             116  0.000  0.966

    Five samples of each of four questions, of which 0, 1, 3 and 5 are right:

    >>> import pandas as pd
    >>> right = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1]
    >>> answers = pd.DataFrame({"question": [q for q in "abcd" for _ in range(5)], "em": right})
    >>> sampled = qa_frame.summary(answers, samples="question", pass_at=2, pass_all=2)
    >>> sampled[["n", "n_questions", "em", "em_pass@2", "em_pass^2"]].round(3)
          n  n_questions    em  em_pass@2  em_pass^2
    all  20            4  0.45      0.575      0.325

    Two datasets, of which 12 of 20 and 90 of 100 answers are right, count alike:

    >>> right = [1] * 12 + [0] * 8 + [1] * 90 + [0] * 10
    >>> of_two = pd.DataFrame({"dataset": ["nq"] * 20 + ["drop"] * 100, "em": right})
    >>> qa_frame.summary(of_two, macro="dataset", ci=0.95).round(3)[["n", "em", "em_lo", "em_hi"]]
           n    em  em_lo  em_hi
    all  120  0.75  0.614   0.85

    After a merge a frame no longer knows what it was scored from:

    >>> merged = scored.merge(qa_frame.sample()[["question_id"]].drop_duplicates())
    >>> qa_frame.summary(merged, metrics="f1").round(3)
           n  n_scored  n_missing  n_no_gold     f1
    all  360       345       <NA>       <NA>  0.423
    >>> qa_frame.summary(merged, metrics="f1", pred="response", gold="answers", reuse_scores=True).round(3)
           n  n_scored  n_missing  n_no_gold     f1
    all  360       345          8         15  0.423
    """
    from qa_frame.reports.summary_plan import plan_summary  # noqa: PLC0415  (statistics are slow to import)

    plan = plan_summary(
        by,
        metrics=metrics,
        pred=pred,
        gold=gold,
        rules=make_rules(**rules),
        ci=ci,
        method=method,
        cluster=cluster,
        samples=samples,
        pass_at=pass_at,
        pass_all=pass_all,
        threshold=threshold,
        majority=majority,
        variance=variance,
        macro=macro,
        weights=weights,
        n_resamples=n_resamples,
        seed=seed,
        percent=percent,
        prefix=prefix,
        observed=observed,
        dropna=dropna,
        long=long,
        reuse_scores=reuse_scores,
    )
    source = read_source(data)
    return source.like(plan.summarise(source), has_keys=plan.has_keys)
