"""Scores of questions of which some were not answered → how many were answered, and how well."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.ext.abstention.results import RATES
from qa_frame.stats.influence import ClusteredRows


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Answers:
    """Questions in groups. Shape (questions,) each.

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
        """Return `RATES` with their bounds, shape (3, groups) each; NaN where a figure is of no question."""
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
        return self.clustered.take(questions).means(self.scores[questions], level)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Curve:
    """What is answered from each confidence on, the highest first. Shape (thresholds,) each.

    Attributes
    ----------
    threshold
        The distinct confidences, falling. Answers of one confidence are all given or all withheld.
    n
        How many answers have this confidence or more.
    score
        Their mean score.
    """

    threshold: Floats
    n: Ints
    score: Floats


def selective_scores(confidence: Floats, scores: Floats) -> Curve:
    """Return the curve of answers with a confidence and a score each, shape (answers,)."""
    order = np.lexsort((scores, -confidence))
    threshold, starts = _find_ties(confidence[order])
    n = np.append(starts, len(order))[1:]
    return Curve(threshold, n, np.cumsum(scores[order])[n - 1] / n)


def _find_ties(falling: Floats) -> tuple[Floats, Ints]:
    """Return the distinct values and the place where each begins."""
    starts = np.flatnonzero(np.append(True, falling[1:] != falling[:-1])) if len(falling) else np.zeros(0, np.int64)
    return falling[starts], starts
