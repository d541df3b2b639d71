"""`df.qa`: arguments in, frame out. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Hashable

import pandas as pd

from qa_frame.columns import (
    append_columns,
    read_columns,
    remember_scoring,
    require_no_overwrite,
    require_predictions,
    score_label,
)
from qa_frame.conventions import Convention
from qa_frame.groups import By
from qa_frame.intervals import Method
from qa_frame.pipeline import score_columns
from qa_frame.plan import Metrics, Missing, make_plan
from qa_frame.pool import summarise
from qa_frame.reduction import Reduction


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
        prefix: str = "",
        append: bool = True,
        progress: bool | None = None,
        threads: int | None = None,
    ) -> pd.DataFrame:
        """Score each row: a new frame with this one's columns and index, and then one column a metric.

        pred: the column of predictions: text of any pandas or Arrow type, categorical too.
        gold: the column of golds: lists, tuples, arrays or Arrow lists of text; or plain text, one gold a row.
        metrics: names of metrics, or `"all"`; by default `em f1 recall contains rouge_l bleu`.
        convention: whose rules: a name from `qa_frame.conventions`, or a `Convention`.
        reduce: over a row's golds: `"max"`, `"mean"` or `"min"` (each metric on its own), `"first"`, `"best"` (all
            metrics from the one gold with the best F1, the first of equals), or a function that takes a 1-D array of
            floats, one a gold, and returns a number.
        missing: a null prediction is `"zero"` (wrong: 0 in each metric), `"null"` (not scored) or an error: `"raise"`.
        prefix: put in front of the names of the new columns.
        append: False returns the new columns alone.
        progress: True shows a bar, False none; None shows one in a terminal if scoring takes more than two seconds.
        threads: at most so many, None for one a processor; little text is scored in one. Scores never depend on it.

        Returns float64 columns in [0, 1] (a function given as `reduce` may return anything), by position: any index
        is kept, duplicates too. A row whose gold list is null, empty or holds only nulls cannot be scored: NaN.
        A column that already has a score's name is replaced. This frame is never changed.

        Raises ColumnNotFoundError, ColumnTypeError, GoldFormatError, InvalidTextError, UnknownOptionError,
        ColumnOverwriteError, MissingPredictionError or ReductionError, all of them QaFrameError.

        >>> import pandas as pd, qa_frame
        >>> df = pd.DataFrame({"response": ["in Paris", None], "answers": [["Paris", "Paris, France"], ["Rome"]]})
        >>> df.qa.score("response", "answers", metrics=["f1", "contains"], append=False)
                 f1  contains
        0  0.666667       1.0
        1  0.000000       0.0
        """
        plan = make_plan(metrics, convention, reduce, missing)
        names = [prefix + metric for metric in plan.metrics]
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
        method: `"normal"`: from the standard error of the mean and Student's t; Wilson's interval where a whole column
            holds only 0 and 1; the delta method for `corpus_bleu` and `f1_micro`. `"bootstrap"`: percentiles of
            n_resamples means of rows drawn anew within each group, the tails somewhat widened for small groups
            (Hesterberg 2015). The same seed gives the same bounds, whatever the order of rows.
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
        0    heron-7b     f1  0.206  0.146  0.266  115
        1    lynx-70b     f1  0.724  0.662  0.786  115
        2  otter-chat     f1  0.339  0.298  0.380  115
        """
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
