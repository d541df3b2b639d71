"""The answers that most samples of a question give, and the share of them that is right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qa_frame.errors import UnknownOptionError
from qa_frame.reports.rows import ReadRows
from qa_frame.scoring.normalised import number_answers
from qa_frame.stats.figures import Mean
from qa_frame.stats.grouping import group_rows
from qa_frame.stats.samples import name_of_vote, votes


def with_votes(rows: ReadRows, threshold: float) -> ReadRows:
    """Return the rows with a score more for each mean: 1 or 0 where the row has the answer that most samples give.

    Answers are equal if the convention's exact match would say so. A null prediction is the answer "".
    """
    if rows.texts is None or rows.convention is None:
        raise UnknownOptionError(
            "majority compares the predictions, and the frame does not know how it was scored; give it its "
            "memory back with df.qa.recall(scored), or score it again"
        )
    question, _ = group_rows(rows.keys.columns, rows.n_rows)
    answers = number_answers(rows.texts.pred, rows.convention)
    scores = dict(rows.scores)
    for figure in rows.figures:
        if isinstance(figure, Mean):
            of_figure = rows.scores[figure.name]
            has_vote = votes(answers, question, ~np.isnan(of_figure))
            scores[name_of_vote(figure.name)] = np.where(has_vote, of_figure >= threshold, np.nan)
    return replace(rows, scores=scores)
