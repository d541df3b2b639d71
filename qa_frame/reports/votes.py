"""The answers that most samples of a question give, and the share of them that is right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qa_frame.errors import UnknownOptionError
from qa_frame.reports.asked import needs_samples
from qa_frame.reports.rows import ReadRows, Scoring
from qa_frame.rules.parts import Convention
from qa_frame.scoring.normalised import number_answers
from qa_frame.stats.figures import Mean
from qa_frame.stats.grouping import Keys, group_rows
from qa_frame.stats.samples import name_of_vote, votes


def require_votes(scoring: Scoring, *, has_samples: bool) -> None:
    """Raise UnknownOptionError unless there are texts that can vote."""
    if not has_samples:
        raise needs_samples("majority")
    if scoring.pred is None:
        raise UnknownOptionError(
            "majority compares texts; give pred and gold too, with reuse_scores=True where the frame has its scores"
        )


def with_votes(rows: ReadRows, keys: Keys, convention: Convention, threshold: float) -> ReadRows:
    """Return the rows with a score more for each mean: 1 or 0 where the row has the answer that most samples give.

    Answers are equal if the convention's exact match would say so. A null prediction is the answer "".
    """
    assert rows.texts is not None
    question, _ = group_rows(keys.columns, rows.n_rows)
    answers = number_answers(rows.texts.pred, convention)
    scores = dict(rows.scores)
    for figure in rows.figures:
        if isinstance(figure, Mean):
            of_figure = rows.scores[figure.name]
            has_vote = votes(answers, question, ~np.isnan(of_figure))
            scores[name_of_vote(figure.name)] = np.where(has_vote, of_figure >= threshold, np.nan)
    return replace(rows, scores=scores)
