"""`df.qa`: arguments in, frame out. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

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
from qa_frame.differences import Differences, find_differences
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
        stats: bool = False,
        prefix: str = "",
        append: bool = True,
        progress: bool | None = None,
        threads: int | None = None,
    ) -> pd.DataFrame:
        """Score each row: a new frame with this one's columns and index, and then one column a metric.

        pred: the column of predictions: text of any pandas or Arrow type, categorical too.
        gold: the column of golds: lists, tuples, arrays or Arrow lists of text; or plain text, one gold a row.
        metrics: names of metrics, or `"all"`; by default the convention's own, under `squad` these:
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
        by: Hashable | Sequence[Hashable] | None = None,
        *,
        metrics: Metrics = None,
        pred: Hashable | None = None,
        gold: Hashable | None = None,
        convention: str | Convention = "squad",
        reduce: Reduction = "max",
        missing: Missing = "zero",
        percent: bool = False,
        prefix: str = "",
        observed: bool = True,
        dropna: bool = False,
    ) -> pd.DataFrame:
        """Pool the scores of each group of rows: one row a group, or one row `all`.

        by: a column, an index level, or a list of them.
        metrics: which to pool; by default all score columns of this frame, or the default metrics if it is scored here.
        pred, gold: given both, the rows are scored first, as by `score` with convention, reduce and missing. Without
            them, the frame's score columns are used.
        percent: means times 100. prefix: what stands in front of the names of the score columns.
        observed, dropna: as in pandas' groupby; by default rows with a null in `by` are a group of their own.

        Returns the columns `n` (rows), `n_scored`, `n_missing` (null predictions; under `missing="zero"` these are
        scored too, as wrong), `n_no_gold`, then the mean of each metric over the rows that it was scored on, float64,
        NaN where there are none. `n_missing` and `n_no_gold` are read from the prediction and gold columns that
        `score` used; where the frame no longer has them they are `<NA>`. `attrs["qa"]` holds the signature of the
        scoring, where it is known.

        Raises ColumnNotFoundError where a column is not there, and what `score` raises.

        >>> import qa_frame
        >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers")
        >>> scored.qa.summary(by="model", metrics=["em", "f1"]).round(3)
                      n  n_scored  n_missing  n_no_gold     em     f1
        model
        heron-7b    120       115          4          5  0.087  0.206
        lynx-70b    120       115          2          5  0.435  0.724
        otter-chat  120       115          2          5  0.000  0.339
        """
        return summarise(
            self._frame,
            by=by,
            metrics=metrics,
            pred=pred,
            gold=gold,
            plan=make_plan(metrics, convention, reduce, missing),
            percent=percent,
            prefix=prefix,
            observed=observed,
            dropna=dropna,
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
        >>> df = pd.DataFrame({"response": ["", "The U.S.", "Rome"], "answers": [[""], ["U.S."], ["Paris"]]})
        >>> df.qa.differences("squad", "squad2", pred="response", gold="answers")
        f1: 1 of 3 rows change
        <BLANKLINE>
                        mean  n_scored
        convention
        squad       0.333333         3
        squad2      0.666667         3
        shift       0.333333         3
        <BLANKLINE>
          response answers  f1_squad  f1_squad2  shift
        0               []       0.0        1.0    1.0
        """
        return find_differences(
            self._frame, (a, b), pred=pred, gold=gold, metric=metric, reduce=reduce, missing=missing
        )
