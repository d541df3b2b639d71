"""Scored rows of several models → the table of questions: how hard they are, and what most wrong answers are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import By, Flags
from qa_frame.errors import IntervalWarning, PairingError, plural, show, warn
from qa_frame.frames.kinds import Source
from qa_frame.frames.steps_in_code import mean_of_each
from qa_frame.reports.asked import require_reached
from qa_frame.reports.groups import describe, index_of, read_groups
from qa_frame.reports.pairing import require_once
from qa_frame.reports.rows import ReadRows, Scoring
from qa_frame.reports.same_questions import Naming, find_mixed, refuse_mixed
from qa_frame.scoring.normalised import normalised_answers
from qa_frame.stats.grouping import KeyCodes, list_keys, make_levels, read_codes
from qa_frame.stats.items import FEW_MODELS, discrimination, mean_per_item
from qa_frame.stats.rows import without_rounding
from qa_frame.text.answers.refusals import REFUSAL, declines

FIGURES = ("mean", "discrimination")


def judge_items(source: Source, scoring: Scoring, *, by: By, question: By, threshold: float) -> pd.DataFrame:
    """Return one row per question, in the order of its keys."""
    if by is None:
        raise PairingError("by=None names no column; name what tells the groups apart, such as the model")
    scored = read_groups(source, scoring, make_levels(by), question=list_keys(question))
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
        **_same_answers(scored, is_wrong, questions),
    }
    if len(models) < FEW_MODELS and len(questions):
        warn(
            f"discrimination is a correlation over {plural(len(models), 'group')} of by={show(by)}, and below "
            f"{FEW_MODELS} it is mostly chance",
            IntervalWarning,
            see="result_tables#items",
        )
    items = pd.DataFrame(columns, index=index_of(questions))
    return describe(scored, items, "items", FIGURES, metric=metric, by=by, threshold=threshold)


def _same_answers(rows_read: ReadRows, is_wrong: Flags, questions: KeyCodes) -> Mapping[str, Any]:
    """Return by question the wrong answer that most give, and how many give it."""
    n_questions = len(questions)
    texts, convention = rows_read.texts, rows_read.convention
    if texts is None or convention is None or texts.has_spans:
        unknown = pd.array([pd.NA] * n_questions, dtype="Int64")
        return {"n_same": unknown, "wrong_answer": [None] * n_questions}
    wrong = np.flatnonzero(is_wrong & ~texts.is_missing)
    answers = texts.pred.take(wrong)
    normalised = normalised_answers(answers, convention)
    rows = pd.DataFrame({"question": questions.codes[wrong], "answer": normalised.to_pandas()})
    rows = rows[(rows["answer"] != "").to_numpy() & ~declines(answers, REFUSAL)]
    counts = rows.groupby(["question", "answer"], sort=True).size().rename("n").reset_index()
    most = counts.sort_values(["n", "question", "answer"], ascending=[False, True, True]).drop_duplicates("question")
    n_same = np.zeros(n_questions, np.int64)
    answer = np.full(n_questions, None, object)
    places = most["question"].to_numpy()
    n_same[places], answer[places] = most["n"].to_numpy(), most["answer"].to_numpy(object)
    return {"n_same": pd.array(n_same, dtype="Int64"), "wrong_answer": answer}


def require_unique(frame: pd.DataFrame, models: KeyCodes, questions: KeyCodes, *, by: By, question: By) -> None:
    """Raise PairingError where a model has a question twice."""
    keys = list(dict.fromkeys([*list_keys(by), *list_keys(question)]))
    of_samples = f"keep their mean, as in {mean_of_each(keys, 'f1')}"
    require_once(frame, models, questions, by=by, question=question, of_samples=of_samples)
