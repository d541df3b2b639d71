"""Scores of questions of which some were not answered → how many were answered, and how well."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.ext.abstention.results import RATES
from qa_frame.stats.influence import ClusteredRows


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Answers:
    """Questions in groups, with their scores. Each array has the shape (questions,).

    Attributes
    ----------
    clustered
        The groups of the questions, and their units.
    scores
        From 0 to 1; NaN where a question that was declined has no score.
    is_declined
        Whether no answer was given.
    has_answer
        Whether the question can be answered; None if that is not known.
    """

    clustered: ClusteredRows
    scores: Floats
    is_declined: Flags
    has_answer: Flags | None

    def rates(self, level: float | None) -> dict[str, Floats]:
        """Return each of `RATES` by its name, with its lower and upper bound, shape (3, groups).

        A mean over no question is NaN, and so are `has_ans` and `no_ans` where `has_answer` is None. level: the
        confidence level; None makes the bounds NaN.
        """
        answered = ~self.is_declined
        correct, count = np.where(answered, self.scores, 0.0), answered.astype(np.float64)
        bounded = dict.fromkeys(RATES, np.full((3, self.clustered.n_groups), np.nan))
        bounded["coverage"] = self.clustered.means(count, level)
        bounded["answered"] = self._mean_of(answered, level)
        bounded["overall"] = self.clustered.means(correct, level)
        bounded["harmonic"] = self.clustered.ratios(2 * correct, 1 + count, level)
        if self.has_answer is not None:
            is_scored = ~np.isnan(self.scores)
            bounded["has_ans"] = self._mean_of(is_scored & self.has_answer, level)
            bounded["no_ans"] = self._mean_of(is_scored & ~self.has_answer, level)
        return bounded

    def _mean_of(self, questions: Flags, level: float | None) -> Floats:
        """Return the mean score of some questions with its bounds, shape (3, groups). questions: shape (questions,)."""
        return self.clustered.take(questions).means(self.scores[questions], level)


def mean_scores_by_threshold(confidence: Floats, scores: Floats) -> tuple[Floats, Ints, Floats]:
    """Return the distinct confidences, the highest first, how many answers reach each, and the mean score of these.

    Answers of one confidence are all given or all withheld. confidence, scores: those of each answer, shape (answers,).
    """
    order = np.lexsort((scores, -confidence))
    falling = confidence[order]
    n = np.flatnonzero(np.diff(falling, append=np.nan)) + 1
    return falling[n - 1], n, np.cumsum(scores[order])[n - 1] / n
