"""`qa_frame.items`: several models on the same questions → which questions are hard, and which golds look wrong."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from qa_frame._typing import Frame, Unpack
from qa_frame.api.methods import takes_rules
from qa_frame.scoring.call_rules import RuleArguments
from qa_frame.scoring.pair_metrics import PairMetric


@takes_rules(after="gold")
def items(
    data: Frame,
    by: Hashable | Sequence[Hashable],
    on: Hashable | Sequence[Hashable],
    *,
    metric: str | PairMetric = "f1",
    threshold: float = 0.5,
    pred: Hashable | None = None,
    gold: Hashable | None = None,
    prefix: str = "",
    **rules: Unpack[RuleArguments],
) -> Frame:
    """Tell how hard each question is, whether it tells models apart, and whether its golds look wrong.

    `df.qa.items(...)` is `qa_frame.items(df, ...)`.

    Parameters
    ----------
    data
        A pandas or polars frame, a `pyarrow.Table`, or anything with `__arrow_c_stream__`.
    by
        The column, index level or list of them that makes the groups, such as the model.
    on
        The column, index level or list of them that identifies a question. A group may have each question once.
    metric
        The metric whose scores count: a score column of the frame, a metric that is scored now, or any column of
        numbers or truth values.
    threshold
        An answer is wrong if its score is below this number.
    pred, gold
        Given both, the rows are scored first, as by `score`. Without them, the frame's score column is used.
    {rules}
    prefix
        The text in front of the names of score columns.

    Returns
    -------
    frame
        The kind of frame that was given, in pandas indexed by the questions in sorted order: one row per question.

        - `n`: how many models have a score; `n_not_scored`: how many have a row without one.
        - `difficulty`: the mean score over the models, float64. A low one is a hard question, as the term is used in
          the theory of tests. NaN where no model has a score.
        - `discrimination`: Pearson's correlation, over the models, of the score on this question and the mean score on
          all others, float64 from -1 to 1. Below 0, bad models do better than good ones. NaN where either is the same
          for all models.
        - `all_miss`: whether all models are wrong.
        - `n_wrong`: how many models are wrong. `n_same`: how many of them give `wrong_answer`, the wrong answer that
          most give, as `em` of the convention sees it; the first in order of equals. Null and blank predictions and
          what `qa_frame.REFUSAL` finds are no answers.
        - `gold_doubtful`: whether more than half of the wrong answers are the same one, and at least two. Models seldom
          make the same mistake, so the golds may be wrong or lack this answer: look at the question.

        The last three are null where the predictions are not known: give `pred` and `gold`, or a frame that remembers
        what it was scored from.

    Raises
    ------
    PairingError
        Where a group has a question twice, or a key is null in `on`.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used. Also all that `score` raises.

    Warns
    -----
    IntervalWarning
        Where there are fewer than ten models, as `discrimination` is then mostly chance.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> right = ["11110", "11010", "10010", "10000"] + ["11110"] * 6
    >>> rows = [(model, q, int(em)) for model, row in enumerate(right) for q, em in enumerate(row)]
    >>> table = qa_frame.items(pd.DataFrame(rows, columns=["model", "q", "em"]), by="model", on="q", metric="em")
    >>> table[["n", "difficulty", "discrimination", "all_miss", "n_wrong"]].round(3)
        n  difficulty  discrimination  all_miss  n_wrong
    q
    0  10         1.0             NaN     False        0
    1  10         0.8           0.829     False        2
    2  10         0.7           0.716     False        3
    3  10         0.9           0.620     False        1
    4  10         0.0             NaN      True       10

    Seven models of ten are wrong, and four of them give the same answer:

    >>> said = ["Lima", "Lima", "lima", "Cuzco", "cuzco.", "Cuzco", "the Cuzco", "Quito", "I don't know", None]
    >>> df = pd.DataFrame({"model": [*range(10)], "question": "Capital of the Incas?", "response": said})
    >>> df["answers"] = [["Lima"]] * 10
    >>> found = qa_frame.items(df, "model", "question", metric="em", pred="response", gold="answers")
    >>> found[["n_wrong", "n_same", "wrong_answer", "gold_doubtful"]]
                           n_wrong  n_same wrong_answer  gold_doubtful
    question
    Capital of the Incas?        7       4        cuzco           True
    """
    from qa_frame.reports.asked import read_threshold  # noqa: PLC0415
    from qa_frame.reports.items import judge_items  # noqa: PLC0415  (statistics are slow to import)
    from qa_frame.reports.scored_rows import read_one_metric  # noqa: PLC0415

    least = read_threshold(threshold, "an answer is wrong with a lower score")
    source, scoring = read_one_metric(data, metric, rules, pred=pred, gold=gold, prefix=prefix)
    return source.like(judge_items(source, scoring, by=by, on=on, threshold=least), has_keys=True)
