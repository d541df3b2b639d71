"""`qa_frame.compare`: groups on the questions that both answered → paired differences with p-values."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from qa_frame._typing import Frame, Unpack
from qa_frame.api.methods import describes_arguments_of, takes_rules
from qa_frame.api.summary import summary
from qa_frame.errors import require_choice, require_flag
from qa_frame.parallel.jobs import count_jobs, require_progress
from qa_frame.scoring.call_rules import RuleArguments
from qa_frame.scoring.plan import Metrics

if TYPE_CHECKING:
    from qa_frame.stats.strata import Shares


@takes_rules(after="metrics")
@describes_arguments_of(summary)
def compare(
    data: Frame,
    by: Hashable | Sequence[Hashable],
    on: Hashable | Sequence[Hashable] | None = None,
    *,
    within: Hashable | Sequence[Hashable] | None = None,
    baseline: Hashable | None = None,
    pred: Hashable | None = None,
    gold: Hashable | None = None,
    metrics: Metrics = None,
    test: Literal["permutation", "bootstrap"] = "permutation",
    correction: Literal["holm", "bh", "none"] = "holm",
    mid_p: bool = True,
    cluster: Hashable | Sequence[Hashable] | None = None,
    samples: Hashable | Sequence[Hashable] | None = None,
    pass_at: int | Sequence[int] = (),
    pass_all: int | Sequence[int] = (),
    threshold: float = 1.0,
    macro: Hashable | Sequence[Hashable] | None = None,
    weights: Shares | Mapping[Any, float] = "equal",
    ci: float = 0.95,
    simultaneous: bool = False,
    margin: float | Mapping[str, float] | None = None,
    n_resamples: int | None = None,
    seed: int = 0,
    prefix: str = "",
    progress: bool | None = None,
    n_jobs: int | None = None,
    **rules: Unpack[RuleArguments],
) -> Frame:
    """Compare groups on the questions that both of a pair answered: one row per metric and pair of groups.

    `df.qa.compare(...)` is `qa_frame.compare(df, ...)`.

    Parameters
    ----------
    data
        A pandas or polars frame, a `pyarrow.Table`, or anything with `__arrow_c_stream__`.
    by
        The column, index level or list of them that makes the groups, such as the model.
    on
        The column, index level or list of them that identifies a question. A group may have each question once; where
        it has several samples of each, give `samples` instead.
    within
        The column, index level or list of them inside whose values groups are compared, such as the dataset. Question
        17 of one dataset is then never paired with question 17 of another. It is part of the groups' and questions'
        keys; what `by` does not name of it comes first in `a` and `b`. p is corrected for all pairs of all values.
    baseline
        A group that each other group is compared with. By default each is compared with each. With `within`, it is
        called by the other keys alone, and is compared with the groups of each value.
    pred, gold
        Given both, the rows are scored first, as by `score` with convention, reduce, best_by, missing and extract.
    metrics
        Score columns, and any other columns of numbers or truth values; also `corpus_bleu`, `f1_micro` and the other
        pooled figures of `summary`, where the frame has the statistics of `score(stats=True)`. By default all score
        columns that are there and these two, or the default metrics and these two if the rows are scored here.
    {rules}
    test
        How p is found. `"permutation"` swaps the two groups' answers to each question at random. p is the share of
        swaps that give a difference as far from 0 as the one found: over all swaps where the differences have one size
        (scores of 0 and 1: McNemar's test) or where there are no more than n_resamples (10,000 for None); else over
        random ones and the one found, p = (1 + extreme) / (1 + drawn). `"bootstrap"` draws questions
        with replacement. p is the share of draws, with the one found, whose difference is as far from the one found as
        that is from 0 (Riezler and Maxwell 2005), widened for few questions as the percentiles are.
    correction
        The correction of p for the number of pairs, within each metric: `"holm"`, `"bh"` (Benjamini and Hochberg) or
        `"none"`. Metrics are not corrected for one another. By Holm, `p_adj` is the least level at which this pair is
        still told apart while the chance of any false finding among all pairs stays below that level. By Benjamini and
        Hochberg it is the expected share of false ones among the pairs with a `p_adj` as low.
    mid_p
        Whether swaps that give just the difference found count half, where differences have one size and there are no
        clusters: McNemar's mid-p test (Fagerland, Lydersen and Laake 2013). False: they count whole, McNemar's exact
        test, which holds its level in all cases and finds less; see Notes.
    cluster
        The column, index level or list of them that identifies questions that belong together, such as their document.
        They are swapped and drawn as one.
    samples
        In place of `on`: what identifies a question that a group may answer several times. The mean of a question's
        samples is paired, and so are the chances that `pass_at` and `pass_all` name.
    {arguments}
    macro
        The column, index level or list of them, such as the dataset, that the figures of its values are averaged over,
        so that a large one does not outweigh a small one. A question's difference counts w * N / n times, where its
        value has the weight w and n of the N questions that are paired. A value without a paired question makes the
        difference NaN. Test with permutations.
    weights
        How much each value of `macro` counts: `"equal"`, `"size"` (by its questions, scored or not), or a mapping from
        each value to a number above 0, which sum to 1. A value is a tuple where `macro` is a list.
    ci
        The level of the confidence interval of the difference, as 0.95; see Notes.
    simultaneous
        Whether all intervals of a metric hold together at that level, by Bonferroni: each then has the level 1 - (1 -
        ci) / pairs. By default each interval has the level for itself, and 0 may be outside it where `p_adj` is not
        below 1 - ci: `p` is what goes with it.
    margin
        How much worse is still as good, 0 or more: one number for all metrics, or numbers by metric. Scores of this
        package are from 0 to 1, so 0.02 is two percentage points, and 1 or more is refused. Then there are
        tests of whether `a` is not worse than `b`, or as good as it; see Returns. `diff` and p do not depend on it.
    n_resamples
        The number of swaps or draws. By default 10,000, and where p is then below 1 - ci (or 0.001) as many as the
        correction needs: 20 * pairs / (1 - ci), so that p_adj can be a twentieth of 1 - ci; at most ten million.
    seed
        The seed of the random draws. One set of swaps or draws serves all metrics and pairs (of one value of `within`).
        Results depend on the seed, not on the order of rows.
    prefix
        The text in front of the names of score columns and statistics.
    progress
        A progress bar. By default in a terminal, after two seconds.
    n_jobs
        The number of worker processes where rows are scored (extra `parallel`; -1 for one per processor), and of
        threads for swaps and draws. None: one process, and one thread per processor. Results do not depend on it.

    Returns
    -------
    frame
        The kind of frame that was given, with the columns `metric a b`, `n` (questions paired), `mean_a mean_b` (or the
        pooled figure), `diff` (mean_a - mean_b), `diff_lo diff_hi p p_adj` (float64), `mdd` (the difference that so
        many questions find with a power of 0.8 at the level 1 - ci, without correction), `wins ties losses` (questions
        on which a scores higher, the same or lower; null for pooled figures), then those that could not be paired:
        `n_only_a`, `n_only_b`, and `n_not_scored`, which both have but one has no score for. With `samples` follow
        `n_samples_a` and `n_samples_b`, the scored samples of the questions paired. With a baseline, it is
        `b`. NaN: p where nothing is paired, by bootstrap also for one question; p_adj where the draws are too few to
        tell it (see Warns); the interval for fewer than two units,
        and that of a `corpus_bleu` of 0 by permutation. With a margin, behind `mdd`: `p_noninferior` (of the test that
        a is worse than b by the margin or more: where it is below 1 - ci, a is not worse by so much), `p_equivalent`
        (that the two are apart by the margin or more, either way) and `tost_lo tost_hi`, the interval of the level
        2 * ci - 1, which lies above -margin, or inside the margins, exactly where these are below 1 - ci. They are not
        corrected for the number of pairs. `attrs["qa"]` holds the signature of the scoring where it is
        known, `attrs["qa_compare"]` the settings of the test.

    Raises
    ------
    PairingError
        For a group that has a question twice, a null in a key, fewer than two groups, or a question or cluster in two
        values of `macro`.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used. Also all that `score` raises.

    Warns
    -----
    IntervalWarning
        Where a given n_resamples is too few: no draw was as far from 0 as a difference, and yet p_adj would not be
        below 1 - ci. It names the number that would do, and p_adj is NaN. Also where a pair rests on so few questions
        or clusters that all swaps of them show p >= 1 - ci (five at 0.95), on fewer than ten clusters, or where
        a corpus BLEU rests on fewer than 50 questions.
    PairingWarning
        Where rows of one question have different golds, or different texts in the column `question`; and where groups
        have no question in common, such as those of two datasets, see `within`.

    Notes
    -----
    Figures are those that `summary` gives of the rows that are paired.

    The permutation test assumes that questions (or clusters) are independent, and that without a difference each has
    its two answers in either order equally often. The interval assumes independence, too, and that means of differences
    are nearly normal. By permutation, the interval of a mean's difference is Student's, with the CR2 variance for
    clusters. Two differences are added to those of the questions or clusters, one win and one loss of typical size, as
    Bonett and Price (2012) do for 0/1 scores. The interval of `corpus_bleu` and `f1_micro` is by the delta method. By
    bootstrap it lies between percentiles, widened for few units as in `summary`. As these are different approximations,
    the interval is widened to hold 0 where p >= 1 - ci. It is never narrowed: where p is below 1 - ci it may hold 0 all
    the same.

    Tests of a margin are one-sided tests by Student's t, whatever `test` is: with the middle m and the standard error s
    of the interval by permutation, p_noninferior = P(T > (m + margin) / s), and p_equivalent is the larger of it and
    P(T > (margin - m) / s) (Schuirmann 1987). mdd is 2.80 s at a ci of 0.95 (the sum of the normal quantiles of both
    error rates). It says what the questions could show, not what they showed: `qa_frame.power` plans by it. In
    simulations, a model that is worse by just the margin had a p_noninferior below 0.05 in 0 to 6 % of runs, and in up
    to 9 % where it is better on no question and worse on few.

    In simulations on the results of three models, 95 % intervals of differences by permutation held the truth in 93 to
    100 % of draws of 20 questions and more for `em` (Student's: 65 to 95), and in 94 to 100 % for `f1` and `contains`.
    They hold too seldom for sentence BLEU of chat models (85 % of 20 questions, 94 of 50). Where there was no
    difference, the bootstrap's p was below 0.05 in 4 to 6 % of runs from ten questions on, and in fewer where hardly
    any question tells the two apart. With scores of 0 and 1 the chance of a p below 0.05 can be counted over all
    results. Without a difference, where up to six questions in ten tell the two apart, it is at most 5.0 % for mid-p
    and 4.4 % for the exact p; where nearly all do, up to 7 % and 4.7 %. Where one model wins 15 % and loses 5 % of 50
    questions, it is 33 and 24 %.

    Examples
    --------
    >>> import qa_frame
    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics=["em", "f1"])
    >>> compared = qa_frame.compare(scored, by="model", on="question_id", baseline="heron-7b")
    >>> compared[["metric", "a", "n", "diff", "diff_lo", "diff_hi", "p_adj", "wins", "ties", "losses"]].round(3)
      metric           a    n   diff  diff_lo  diff_hi  p_adj  wins  ties  losses
    0     em    lynx-70b  115  0.348    0.249    0.435  0.000    41    73       1
    1     em  otter-chat  115 -0.087   -0.142   -0.029  0.001     0   105      10
    2     f1    lynx-70b  115  0.517    0.434    0.583  0.000    92    19       4
    3     f1  otter-chat  115  0.133    0.063    0.199  0.000    83     9      23
    """
    from qa_frame.reports.compare import (  # noqa: PLC0415  (statistics are slow to import)
        TESTS,
        Testing,
        compare_groups,
        require_margin,
    )
    from qa_frame.reports.paired_rows import make_keys  # noqa: PLC0415
    from qa_frame.reports.scored_rows import read_metrics  # noqa: PLC0415
    from qa_frame.stats.intervals import require_resampling  # noqa: PLC0415
    from qa_frame.stats.p_values import CORRECTIONS  # noqa: PLC0415

    require_choice("test", test, TESTS)
    require_choice("correction", correction, CORRECTIONS)
    require_flag("mid_p", mid_p)
    require_flag("simultaneous", simultaneous)
    require_resampling(ci=ci, n_resamples=1 if n_resamples is None else n_resamples, seed=seed)
    require_margin(margin, float(ci))
    require_progress(progress)
    jobs = count_jobs(n_jobs)
    keys = make_keys(
        by,
        on,
        within=within,
        baseline=baseline,
        cluster=cluster,
        samples=samples,
        threshold=threshold,
        macro=macro,
        pass_at=pass_at,
        pass_all=pass_all,
        weights=weights,
        without_strata="test='bootstrap'" if test == "bootstrap" else None,
    )
    of_questions = keys.has_samples or macro is not None
    source, scoring = read_metrics(
        data, metrics, rules, pred=pred, gold=gold, prefix=prefix, takes_pooled=True, of_questions=of_questions
    )
    testing = Testing(
        test,
        correction,
        mid_p=mid_p,
        ci=float(ci),
        simultaneous=simultaneous,
        n_resamples=None if n_resamples is None else int(n_resamples),
        seed=int(seed),
        n_threads=None if n_jobs is None else jobs,
        progress=progress,
        margin=margin,
    )
    table = compare_groups(source, scoring, testing, keys, n_jobs=jobs)
    return source.like(table, has_keys=False)
