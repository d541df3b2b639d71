"""`qa_frame.item_analysis`: several models on the same questions → which questions are hard, and how most are wrong."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import By, Flags, Floats, Frame
from qa_frame.errors import IntervalWarning, PairingError, plural, show, warn
from qa_frame.ext.items.results import ESTIMATES
from qa_frame.extraction.refusals import REFUSAL, declines
from qa_frame.frames.source import Source
from qa_frame.scoring.metrics import THRESHOLD
from qa_frame.scoring.normalised import normalise_answers
from qa_frame.scoring.pair_metrics import PairMetric
from qa_frame.stats.grouping import GroupCodes, list_keys, make_group_columns, read_codes
from qa_frame.stats.rows import without_rounding
from qa_frame.stats.statistic import divide_where
from qa_frame.tables.groups import add_note, index_of, read_groups
from qa_frame.tables.methods import explains_wrong_calls
from qa_frame.tables.options import read_threshold, require_reached
from qa_frame.tables.pairs import require_unique
from qa_frame.tables.rows import ReadRows, Scoring, read_one_metric
from qa_frame.tables.same_questions import Naming, find_mixed, refuse_mixed


@explains_wrong_calls
def item_analysis(
    data: Frame,
    by: Hashable | Sequence[Hashable],
    question: Hashable | Sequence[Hashable],
    *,
    metric: str | PairMetric = "f1",
    threshold: float = THRESHOLD,
) -> Frame:
    """Tell how hard each question is, whether it tells models apart, and which wrong answer most give.

    `df.qa.item_analysis(...)` is `qa_frame.item_analysis(df, ...)`.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> right = ["11110", "11010", "10010", "10000"] + ["11110"] * 6
    >>> rows = [(model, q, int(em)) for model, row in enumerate(right) for q, em in enumerate(row)]
    >>> df = pd.DataFrame(rows, columns=["model", "q", "em"])
    >>> table = df.qa.item_analysis(by="model", question="q", metric="em")
    >>> table[["n", "mean", "discrimination", "all_miss", "n_wrong"]].round(3)
        n  mean  discrimination  all_miss  n_wrong
    q
    0  10         1.0             NaN     False        0
    1  10         0.8           0.829     False        2
    2  10         0.7           0.716     False        3
    3  10         0.9           0.620     False        1
    4  10         0.0             NaN      True       10

    Parameters
    ----------
    data
        Frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    by
        Column(s) or index levels that make the groups, such as the model.
    question
        Column(s) or index levels that identify a question. A group may have each question once.
    metric
        Column of scores: a metric, or another column of numbers or truth values.
    threshold
        Minimum score of a right answer.

    Returns
    -------
    frame
        The kind of frame that was given, with one row per question in sorted order; in pandas, questions are the index.

        - `n`: how many models have a score. `n_not_scored`: how many have a row without one.
        - `mean`: the mean score over the models. A low one is a hard question.
        - `discrimination`: Pearson's correlation, over the models, of the score on this question and the mean score on
          all others. Below 0, bad models do better than good ones. It is NaN where either is the same for all models.
        - `all_miss`: whether all models that have a score are wrong. `n_wrong`: how many are.
        - `wrong_answer`: the most frequent wrong answer, in the normalised form that `em` compares; the first in
          alphabetical order of equals. `n_same`: how many models give it. Null or blank predictions and refusals
          (`qa_frame.rules.REFUSAL`) are no answers. Both are null where the frame does not know its predictions: see
          `with_scoring_of`.

    Raises
    ------
    PairingError
        Where a group has a question twice, a key is null, or, where the golds are known, rows of one question have
        different golds, in more than a tenth of the questions.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used.

    Warns
    -----
    IntervalWarning
        Where there are fewer than ten models, as `discrimination` is then mostly chance.
    PairingWarning
        Where rows of fewer questions have different golds, or rows of one question have different texts in the column
        `question`.
    """
    least = read_threshold(threshold, "an answer is wrong with a lower score")
    source, scoring = read_one_metric(data, metric)
    return source.like(tabulate_questions(source, scoring, by=by, question=question, threshold=least), has_keys=True)


def tabulate_questions(source: Source, scoring: Scoring, *, by: By, question: By, threshold: float) -> pd.DataFrame:
    """Return a table with one row per question: how hard it is, and how well it tells strong models from weak ones.

    threshold: the minimum score of a right answer. Raise PairingError as `item_analysis` does.
    """
    if by is None:
        raise PairingError("by=None names no column; name what tells the groups apart, such as the model")
    scored = read_groups(source, scoring, make_group_columns(by), question=list_keys(question))
    questions, models = read_codes(scored.frame, question, "question"), scored.groups
    ((metric, scores),) = scored.scores.items()
    require_reached(threshold, scored.scores)
    table = np.full((len(models), len(questions)), np.nan)
    require_unique(scored.frame, models, questions, by=by, question=question)
    naming = Naming(list_keys(question))
    refuse_mixed([find_mixed(scored.frame, scored.golds, questions.codes, naming)], naming)
    table[models.codes, questions.codes] = scores
    n_rows = np.bincount(questions.codes, minlength=len(questions))
    n_models = (~np.isnan(table)).sum(axis=0)
    is_wrong = without_rounding(scores - threshold) < 0
    n_wrong = np.bincount(questions.codes[is_wrong], minlength=len(questions))
    columns: dict[str, Any] = {
        "n": n_models,
        "n_not_scored": n_rows - n_models,
        "mean": mean_per_item(table),
        "discrimination": discrimination(table),
        "all_miss": (n_models > 0) & (n_wrong == n_models),
        "n_wrong": n_wrong,
        **_find_wrong_answers(scored, is_wrong, questions),
    }
    if len(models) < FEW_MODELS and len(questions):
        warn(
            f"discrimination is a correlation over {plural(len(models), 'group')} of by={show(by)}, and below "
            f"{FEW_MODELS} it is mostly chance",
            IntervalWarning,
        )
    items = pd.DataFrame(columns, index=index_of(questions))
    return add_note(scored, items, "item_analysis", ESTIMATES, metric=metric, by=by, threshold=threshold)


def _find_wrong_answers(rows_read: ReadRows, is_wrong: Flags, questions: GroupCodes) -> Mapping[str, Any]:
    """Return the columns `wrong_answer` and `n_same`: by question the most frequent wrong answer, and how many give it.

    They are None and 0 for a question without a wrong answer. Both are null for all questions where the frame does not
    know its predictions, or these are lists of spans.
    """
    n_questions = len(questions)
    texts, convention = rows_read.texts, rows_read.convention
    if texts is None or convention is None or texts.has_spans:
        unknown = pd.array([pd.NA] * n_questions, dtype="Int64")
        return {"n_same": unknown, "wrong_answer": [None] * n_questions}
    wrong = np.flatnonzero(is_wrong & ~texts.is_missing)
    answers = texts.pred.take(wrong)
    normalised = normalise_answers(answers, convention)
    rows = pd.DataFrame({"question": questions.codes[wrong], "answer": normalised.to_pandas()})
    rows = rows[(rows["answer"] != "").to_numpy() & ~declines(answers, REFUSAL)]
    counts = rows.groupby(["question", "answer"], sort=True).size().rename("n").reset_index()
    most = counts.sort_values(["n", "question", "answer"], ascending=[False, True, True]).drop_duplicates("question")
    by_question = most.set_index("question").reindex(range(n_questions))
    answer = by_question["answer"].astype(object).where(by_question["answer"].notna(), None).to_numpy()
    return {"n_same": by_question["n"].fillna(0).astype("Int64").array, "wrong_answer": answer}


FEW_MODELS = 10
"""With fewer models, a correlation over them is mostly chance."""


def mean_per_item(scores: Floats) -> Floats:
    """Return the mean score of each question over the models that have one, shape (questions,); NaN without any.

    scores: shape (models, questions), NaN where a model has none.
    """
    is_scored = ~np.isnan(scores)
    total = np.where(is_scored, scores, 0.0).sum(axis=0)
    return divide_where(total, is_scored.sum(axis=0).astype(np.float64), np.nan)


def discrimination(scores: Floats) -> Floats:
    """Return the correlation of each question with the rest, shape (questions,), from -1 to 1.

    It is Pearson's, over the models, of a model's score on the question and its mean score on all others that it has.
    NaN where either is the same for all models, or fewer than two have both. scores: as in `mean_per_item`.
    """
    is_scored = ~np.isnan(scores)
    known = np.where(is_scored, scores, 0.0)
    n_others = is_scored.sum(axis=1, keepdims=True) - 1.0
    rest = divide_where(known.sum(axis=1, keepdims=True) - known, n_others, np.nan)
    has_both = is_scored & ~np.isnan(rest)
    n_models = np.maximum(has_both.sum(axis=0), 1)
    own, others = (_centre(values, has_both, n_models) for values in (known, rest))
    together = (own * others).sum(axis=0)
    alone = np.sqrt((own**2).sum(axis=0) * (others**2).sum(axis=0))
    return np.clip(divide_where(together, alone, np.nan), -1.0, 1.0)


def _centre(values: Floats, is_used: Flags, n_models: Floats) -> Floats:
    """Return each value less its question's mean, shape (models, questions); 0 where it is not used.

    It is 0, too, for a question whose values are all the same but for rounding. n_models: how many values of each
    question are used, at least 1.
    """
    used = np.where(is_used, values, 0.0)
    distance = np.where(is_used, used - used.sum(axis=0) / n_models, 0.0)
    varies = (without_rounding(distance) != 0).any(axis=0)
    return np.where(varies, distance, 0.0)
