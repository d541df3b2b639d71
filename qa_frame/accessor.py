"""`df.qa`: arguments in, frame out. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Literal

import pandas as pd

from qa_frame.frames.names import require_no_overwrite, require_prefix, score_label
from qa_frame.frames.provenance import remember_scoring
from qa_frame.frames.score_columns import append_columns
from qa_frame.frames.text_columns import read_columns, require_predictions
from qa_frame.rules.parts import Convention
from qa_frame.scoring.pipeline import score_columns
from qa_frame.scoring.plan import Metrics, Missing, make_plan
from qa_frame.scoring.reduction import Reduction

if TYPE_CHECKING:
    from qa_frame.reports.differences import Differences
    from qa_frame.stats.grouping import By
    from qa_frame.stats.intervals import Method


@pd.api.extensions.register_dataframe_accessor("qa")
class QAAccessor:
    """Question-answering scores of a frame that holds predictions and lists of acceptable answers.

    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"response": ["The Seine.", "Rome"], "answers": [["Seine", "the Seine"], ["Paris"]]})
    >>> df.qa.score(pred="response", gold="answers", metrics=["em", "f1"])
         response             answers   em   f1
    0  The Seine.  [Seine, the Seine]  1.0  1.0
    1        Rome             [Paris]  0.0  0.0
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def score(
        self,
        pred: Hashable,
        gold: Hashable,
        *,
        metrics: Metrics = None,
        convention: str | Convention = "squad",
        reduce: Reduction = "max",
        missing: Missing = "zero",
        stats: bool = False,
        prefix: str = "",
        append: bool = True,
        progress: bool | None = None,
        threads: int | None = None,
    ) -> pd.DataFrame:
        """Score each row: a new frame with this one's columns and index, and then one column a metric.

        pred: the column of predictions: text of any pandas or Arrow type, categorical too.
        gold: the column of golds: lists, tuples, arrays or Arrow lists of text; or plain text, one gold a row.
        metrics: names of metrics, or `"all"`; by default the convention's own, as
            `em f1 recall contains rouge_l bleu`.
        convention: whose rules: a name from `qa_frame.conventions`, or a `Convention`.
        reduce: over a row's golds: `"max"`, `"mean"` or `"min"` (each metric on its own), `"first"`, `"best"` (all
            metrics from the one gold with the best F1, the first of equals), or a function that takes a 1-D array of
            floats, one a gold, and returns a number.
        missing: a null prediction is `"zero"` (wrong: 0 in each metric), `"null"` (not scored) or an error: `"raise"`.
        stats: also add the sufficient statistics, int64, 0 in a row that is not scored, which can be added up over any
            rows: `overlap pred_len gold_len` (tokens that both have, and tokens, of the gold with the best F1, or of
            the first gold with `reduce="first"`) give the micro F1; `bleu_match1` to `bleu_match4` (n-gram matches
            clipped by the largest count in any one gold), `bleu_pred_len` and `bleu_ref_len` (the closest gold's
            length) give corpus BLEU. Those for which the convention has no rule are left out.
        prefix: put in front of the names of the new columns.
        append: False returns the new columns alone.
        progress: True shows a bar, False none; None shows one in a terminal if scoring takes more than two seconds.
        threads: at most so many, None for one a processor; little text is scored in one. Scores never depend on it.

        Returns float64 columns in [0, 1] (a function given as `reduce` may return anything), by position: any index
        is kept, duplicates too. A row whose gold list is null, empty or holds only nulls cannot be scored: NaN.
        A column that already has a score's name is replaced. This frame is never changed.

        Raises ColumnNotFoundError, ColumnTypeError, GoldFormatError, InvalidTextError, UnknownOptionError,
        ColumnOverwriteError, MissingPredictionError, ReductionError or TokeniserError, all of them QaFrameError; and
        ImportError where a convention needs a package that is not installed.

        >>> import pandas as pd, qa_frame
        >>> df = pd.DataFrame({"response": ["in Paris", None], "answers": [["Paris", "Paris, France"], ["Rome"]]})
        >>> df.qa.score("response", "answers", metrics=["f1", "contains"], append=False)
                 f1  contains
        0  0.666667       1.0
        1  0.000000       0.0
        """
        plan = make_plan(metrics, convention, reduce, missing, stats=stats)
        require_prefix(prefix)
        names = [prefix + name for name in (*plan.metrics, *plan.statistics)]
        columns = read_columns(self._frame, pred=pred, gold=gold)
        if append:
            require_no_overwrite([score_label(name, self._frame.columns) for name in names], pred=pred, gold=gold)
        if plan.missing == "raise":
            require_predictions(columns)
        scores = score_columns(columns, plan, threads=threads, progress=progress)
        scored = append_columns(self._frame, dict(zip(names, scores.values(), strict=True)), append=append)
        return remember_scoring(scored, names, pred=pred, gold=gold, signature=plan.signature)

    def summary(
        self,
        by: By = None,
        *,
        metrics: Metrics = None,
        pred: Hashable | None = None,
        gold: Hashable | None = None,
        convention: str | Convention = "squad",
        reduce: Reduction = "max",
        missing: Missing = "zero",
        ci: float | None = None,
        method: Method = "normal",
        cluster: Hashable | None = None,
        n_resamples: int = 1000,
        seed: int = 0,
        percent: bool = False,
        prefix: str = "",
        observed: bool = True,
        dropna: bool = False,
        long: bool = False,
    ) -> pd.DataFrame:
        """Pool the scores of each group of rows: one row a group, or one row `all`.

        by: a column, an index level, a function of index labels, a Series or array with a value a row, or a list of
            these.
        metrics: which to pool; by default all score columns of this frame, or the default metrics if it is scored here.
        pred, gold: given both, the rows are scored first, as by `score` with convention, reduce and missing. Without
            them, the frame's score columns are used.
        ci: the level of confidence intervals, as 0.95; None for none.
        method: `"normal"`: from the standard error of the mean and Student's t, with fewer than n - 1 degrees of
            freedom where the scores' tails are heavier than the normal's (Satterthwaite 1946); Wilson's interval where
            a whole column holds only 0 and 1; the delta method for `corpus_bleu` and `f1_micro`. `"bootstrap"`:
            percentiles of n_resamples means of rows drawn anew within each group, the tails somewhat widened for small
            groups (Hesterberg 2015). The same seed gives the same bounds, whatever the order of rows.
        cluster: a column or index level; rows with the same value are not taken as independent of each other, as
            answers to the same question: clustered standard errors, or whole clusters are resampled.
        percent: scores and bounds times 100. prefix: what stands in front of the names of the score columns.
        observed, dropna: as in pandas' groupby; by default rows with a null in `by` are a group of their own.
        long: one row a group and metric: the columns of `by`, then `metric value lo hi n`, n being the rows on which
            the metric was scored.

        Returns the columns `n` (rows), `n_scored`, `n_missing` (null predictions; under `missing="zero"` these are
        scored too, as wrong), `n_no_gold`, then the mean of each metric over the rows that it was scored on, float64,
        NaN where there are none. `n_missing` and `n_no_gold` are read from the prediction and gold columns that
        `score` used; where the frame no longer has them they are `<NA>`. Where the frame has the statistics that
        `score(stats=True)` gives, there follow `corpus_bleu` (`sacrebleu`'s, smooth_method="none", over 100) and
        `f1_micro` (2 * overlap / tokens, summed over rows). With ci, each is followed by `<name>_lo` and `<name>_hi`:
        NaN for fewer than two rows or clusters, and, by the delta method, where the ratio is 0 or 1. `attrs["qa"]`
        holds the signature of the scoring, where it is known.

        Raises ColumnNotFoundError where a column is not there, ColumnTypeError where it holds other than scores or a
        cluster is null, UnknownOptionError, and what `score` raises.

        >>> import qa_frame
        >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers")
        >>> scored.qa.summary(by="model", metrics=["em", "f1"]).round(3)
                      n  n_scored  n_missing  n_no_gold     em     f1
        model
        heron-7b    120       115          4          5  0.087  0.206
        lynx-70b    120       115          2          5  0.435  0.724
        otter-chat  120       115          2          5  0.000  0.339
        >>> scored.qa.summary(by="model", metrics="f1", ci=0.95, long=True).round(3)
                model metric  value     lo     hi    n
        0    heron-7b     f1  0.206  0.148  0.265  115
        1    lynx-70b     f1  0.724  0.663  0.784  115
        2  otter-chat     f1  0.339  0.307  0.372  115
        """
        from qa_frame.reports.pool import summarise  # noqa: PLC0415  (statistics cost as much to import as scoring)

        return summarise(
            self._frame,
            by=by,
            metrics=metrics,
            pred=pred,
            gold=gold,
            plan=make_plan(metrics, convention, reduce, missing),
            ci=ci,
            method=method,
            cluster=cluster,
            n_resamples=n_resamples,
            seed=seed,
            percent=percent,
            prefix=prefix,
            observed=observed,
            dropna=dropna,
            long=long,
        )

    def differences(
        self,
        a: str | Convention,
        b: str | Convention,
        *,
        pred: Hashable,
        gold: Hashable,
        metric: str = "f1",
        reduce: Reduction = "max",
        missing: Missing = "zero",
    ) -> Differences:
        """How two conventions disagree on these rows, for one metric: why is my F1 not the paper's?

        a, b: names from `qa_frame.conventions`, or `Convention`s. All else is as for `score`.

        Returns a `Differences`: `means` (each convention's mean over the rows that both score, and the shift from a to
        b), `rows` (those whose score changes, the largest change first) and `n_changed`.

        Raises UnknownOptionError where a convention has no rule for the metric, and what `score` raises.

        >>> import pandas as pd, qa_frame
        >>> raw = qa_frame.Convention(name="raw", overlap=qa_frame.Overlap(text=qa_frame.Text()))
        >>> lower = qa_frame.Convention(name="lower", overlap=qa_frame.Overlap(text=qa_frame.Text(("lower",))))
        >>> df = pd.DataFrame({"response": ["The Seine", "Rome"], "answers": [["the Seine"], ["Paris"]]})
        >>> df.qa.differences(lower, raw, pred="response", gold="answers")
        f1: 1 of 2 rows change
        <BLANKLINE>
                        mean  n_scored
        convention
        lower       0.50         2
        raw         0.25         2
        shift      -0.25         2
        <BLANKLINE>
            response      answers  f1_lower  f1_raw  shift
        0  The Seine  [the Seine]       1.0     0.5   -0.5
        """
        from qa_frame.reports.differences import find_differences  # noqa: PLC0415  (rarely needed)

        return find_differences(
            self._frame, (a, b), pred=pred, gold=gold, metric=metric, reduce=reduce, missing=missing
        )

    def compare(
        self,
        by: Hashable | Sequence[Hashable],
        on: Hashable | Sequence[Hashable],
        *,
        baseline: Hashable | None = None,
        pred: Hashable | None = None,
        gold: Hashable | None = None,
        metrics: Metrics = None,
        convention: str | Convention = "squad",
        reduce: Reduction = "max",
        missing: Missing = "zero",
        test: Literal["permutation", "bootstrap"] = "permutation",
        correction: Literal["holm", "bh", "none"] = "holm",
        cluster: Hashable | Sequence[Hashable] | None = None,
        ci: float = 0.95,
        n_resamples: int = 10_000,
        seed: int = 0,
        prefix: str = "",
    ) -> pd.DataFrame:
        """Compare groups on the questions that both of a pair answered: one row a metric and pair of groups.

        by: the column, index level or list of them that makes the groups, such as the model. on: what identifies a
            question, likewise; a group may have each question once.
        baseline: a group that each other is compared with; by default each is compared with each.
        metrics: score columns; also `corpus_bleu` and `f1_micro`, where the frame has the statistics of
            `score(stats=True)`. By default all that are there, or the default metrics if the rows are scored here.
        pred, gold: given both, the rows are scored first, as by `score` with convention, reduce and missing.
        test: `"permutation"` swaps the two groups' answers to each question at random. p is the share of swaps that
            give a difference as far from 0 as the one found: over all swaps, so exact, where the differences have
            one size (scores of 0 and 1: McNemar's exact test) or where there are no more than n_resamples; else over
            n_resamples random ones and the one found, p = (1 + extreme) / (1 + n_resamples).
            `"bootstrap"` draws questions with replacement. p is the share of draws, the one found with them, whose
            difference is as far from the one found as that is from 0 (Riezler and Maxwell 2005, as in `sacrebleu`).
        correction: of p for the number of pairs, within each metric: `"holm"`, `"bh"` (Benjamini and Hochberg) or
            `"none"`. Metrics are not corrected for one another.
        cluster: what identifies questions that belong together, such as their document: swapped and drawn as one.
        ci: how often the interval of the difference should contain the true one. It is Student's, of the paired
            differences (cluster-robust with `cluster`; by the delta method for `corpus_bleu` and `f1_micro`), or with
            `test="bootstrap"` between the quantiles of the draws.
        n_resamples, seed: one set of swaps or draws serves all metrics and pairs. Results depend on the seed, not on
            the order of rows. prefix: what stands in front of the names of the score columns.

        Returns the columns `metric a b`, `n` (questions paired), `mean_a mean_b` (or the pooled figure),
        `diff` (mean_a - mean_b), `diff_lo diff_hi p p_adj` (float64), `wins ties losses` (questions on which a scores
        higher, the same or lower; Int64, `<NA>` for pooled figures), then the questions that could not be paired:
        `n_only_a`, `n_only_b`, and `n_not_scored`, which both have but one has no score for. With a baseline, it is
        `b`. NaN: p where nothing is paired, by bootstrap also for one question; the interval for fewer than two, and
        that of `corpus_bleu` by the delta method where a side's is 0. `attrs["qa"]` holds the signature of the scoring,
        where it is known; `attrs["qa_compare"]` the settings of the test.

        Raises PairingError for a group that has a question twice, a null in by, on or cluster, or fewer than two
        groups; ColumnNotFoundError, UnknownOptionError, and what `score` raises.

        >>> import qa_frame
        >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics=["em", "f1"])
        >>> compared = scored.qa.compare(by="model", on="question_id", baseline="heron-7b")
        >>> compared[["metric", "a", "n", "diff", "diff_lo", "diff_hi", "p_adj", "wins", "ties", "losses"]].round(3)
          metric           a    n   diff  diff_lo  diff_hi  p_adj  wins  ties  losses
        0     em    lynx-70b  115  0.348    0.256    0.440  0.000    41    73       1
        1     em  otter-chat  115 -0.087   -0.139   -0.035  0.002     0   105      10
        2     f1    lynx-70b  115  0.517    0.445    0.589  0.000    92    19       4
        3     f1  otter-chat  115  0.133    0.065    0.201  0.001    83     9      23
        """
        from qa_frame.reports.compare import compare_groups  # noqa: PLC0415  (as above)

        return compare_groups(
            self._frame,
            by=by,
            on=on,
            baseline=baseline,
            pred=pred,
            gold=gold,
            metrics=metrics,
            convention=convention,
            reduce=reduce,
            missing=missing,
            test=test,
            correction=correction,
            cluster=cluster,
            ci=ci,
            n_resamples=n_resamples,
            seed=seed,
            prefix=prefix,
        )

    def agreement(
        self,
        human: Hashable = "human",
        by: Hashable | Sequence[Hashable] | None = None,
        *,
        metrics: Metrics = None,
        pred: Hashable | None = None,
        gold: Hashable | None = None,
        convention: str | Convention = "squad",
        reduce: Reduction = "max",
        missing: Missing = "zero",
        ci: float = 0.95,
        n_resamples: int = 1000,
        seed: int = 0,
        prefix: str = "",
    ) -> pd.DataFrame:
        """Tell how well each metric agrees with people's verdicts: one row a group and metric.

        human: the column of verdicts: booleans, two numbers of which the larger means right, or grades.
        by: a column, an index level, or a list of them; nulls are a group of their own.
        metrics, pred, gold, convention, reduce, missing, prefix: as in `summary`.
        ci: how often an interval should contain the true value. It lies between the quantiles of n_resamples draws of
            rows with replacement, within the group, from the seed; draws in which a figure is not defined are left out.
            Rows are taken as independent: where several models answered the same questions, give by="model".

        Returns, indexed by the groups and `metric`: `n` (rows used), `n_not_used` (without verdict or score), and as
        float64, all but the threshold followed by `<name>_lo` and `<name>_hi`:

        - `auc`: how often a right answer scores higher than a wrong one, equal scores counting half; 1/2 is chance.
          With grades, over all pairs of rows of different grade.
        - `pearson`, `spearman`, `kendall` (tau-b): correlations, as by `scipy.stats`.
        - `threshold`: the score from which calling an answer right agrees with people most often; the lowest of
          equals; infinite where it is best to call none right. NaN with grades, and so is all that follows.
        - `accuracy`, `balanced_accuracy` (mean of the shares of right and of wrong answers that are called so) and
          `kappa` (Cohen's) at that threshold. Chosen on the rows that it is judged on, it flatters; the intervals
          take it as given. Choose it on some rows and use it on others.

        NaN in a group whose verdicts are all the same; correlations also where the scores are.

        Raises VerdictError where verdicts are no numbers or all the same, ColumnNotFoundError, UnknownOptionError,
        MissingPackageError without scipy (`pip install "qa-frame[stats]"`), and what `score` raises.

        >>> import pandas as pd, qa_frame
        >>> df = pd.DataFrame({"f1": [0.0, 0.2, 0.5, 0.8, 1.0, 1.0], "human": [False, False, True, False, True, True]})
        >>> df.qa.agreement()[["n", "auc", "kendall", "threshold", "accuracy", "kappa"]].round(3)
                n    auc  kendall  threshold  accuracy  kappa
        metric
        f1      6  0.889    0.624        0.5     0.833  0.667
        """
        from qa_frame.reports.agreement import agree  # noqa: PLC0415  (likewise)

        return agree(
            self._frame,
            human=human,
            by=by,
            metrics=metrics,
            pred=pred,
            gold=gold,
            convention=convention,
            reduce=reduce,
            missing=missing,
            ci=ci,
            n_resamples=n_resamples,
            seed=seed,
            prefix=prefix,
        )
