"""Scored rows of several models → the table of questions: how hard they are, and which golds look wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import By, Flags, Ints
from qa_frame.errors import IntervalWarning, PairingError, plural, show, warn
from qa_frame.frames.kinds import Source
from qa_frame.frames.names import name_rows
from qa_frame.frames.steps_in_code import first_of_each, mean_of_each
from qa_frame.frames.text_columns import TextColumns
from qa_frame.reports.groups import index_of, read_groups
from qa_frame.reports.rows import Scoring
from qa_frame.rules.parts import Convention
from qa_frame.scoring.normalised import normalised_answers
from qa_frame.stats.grouping import KeyCodes, list_keys, read_codes, rows_alike
from qa_frame.stats.items import FEW_MODELS, difficulty, discrimination
from qa_frame.stats.rows import without_rounding
from qa_frame.text.refusals import REFUSAL, declines

FIGURES = ("difficulty", "discrimination")

LEAST_SAME = 2
"""So many wrong answers at least must be equal to one another."""

_ROWS_NAMED = 3


def judge_items(source: Source, scoring: Scoring, *, by: By, on: By, threshold: float) -> pd.DataFrame:
    """Return one row per question, in the order of its keys."""
    if by is None:
        raise PairingError("by=None names no column; name what tells the groups apart, such as the model")
    read = read_groups(source, scoring, by=by, on=list_keys(on))
    questions = read_codes(read.frame, on, "on")
    models = read.groups
    ((metric, scores),) = read.rows.scores.items()
    table = np.full((len(models), len(questions)), np.nan)
    require_unique(read.frame, models, questions, by=by, on=on)
    table[models.codes, questions.codes] = scores
    n_rows = np.bincount(questions.codes, minlength=len(questions))
    n_models = (~np.isnan(table)).sum(axis=0)
    is_wrong = without_rounding(scores - threshold) < 0
    n_wrong = np.bincount(questions.codes[is_wrong], minlength=len(questions))
    columns: dict[str, Any] = {
        "n": n_models,
        "n_not_scored": n_rows - n_models,
        "difficulty": difficulty(table),
        "discrimination": discrimination(table),
        "all_miss": (n_models > 0) & (n_wrong == n_models),
        "n_wrong": n_wrong,
        **_same_answers(read.rows.texts, scoring.plan.convention, is_wrong, questions, n_wrong),
    }
    if len(models) < FEW_MODELS and len(questions):
        warn(
            f"discrimination is a correlation over {plural(len(models), 'group')} of by={show(by)}, and "
            f"below {FEW_MODELS} it is mostly chance; add models, or leave that column out",
            IntervalWarning,
        )
    items = pd.DataFrame(columns, index=index_of(questions))
    return read.describe(items, "items", FIGURES, metric=metric, by=by, threshold=threshold)


def _same_answers(
    texts: TextColumns | None, convention: Convention, is_wrong: Flags, questions: KeyCodes, n_wrong: Ints
) -> Mapping[str, Any]:
    """Return by question the wrong answer that most give, how many give it, and whether the golds look wrong so."""
    n_questions = len(questions)
    if texts is None or texts.has_spans:
        unknown = pd.array([pd.NA] * n_questions, dtype="Int64")
        return {"n_same": unknown, "wrong_answer": [None] * n_questions, "gold_doubtful": unknown.astype("boolean")}
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
    return {
        "n_same": pd.array(n_same, dtype="Int64"),
        "wrong_answer": answer,
        "gold_doubtful": pd.array((n_same >= LEAST_SAME) & (2 * n_same > n_wrong), dtype="boolean"),
    }


def require_unique(frame: pd.DataFrame, models: KeyCodes, questions: KeyCodes, *, by: By, on: By) -> None:
    """Raise PairingError where a model has a question twice."""
    key = models.codes * max(len(questions), 1) + questions.codes
    twice = rows_alike(key)
    if len(twice):
        first = np.flatnonzero(key == key[twice].min())
        keys = list(dict.fromkeys([*list_keys(by), *list_keys(on)]))
        raise PairingError(
            f"{len(twice)} rows share their by={show(by)} and on={show(on)} with another, first at "
            f"{name_rows(first[:_ROWS_NAMED], frame.index)}; if they are samples of one question, keep their mean, as "
            f"in {mean_of_each(keys, 'f1')}; if they are other questions, let `on` name what tells them apart, such as "
            f"the dataset; if they are copies, keep one each with {first_of_each(keys)}"
        )
