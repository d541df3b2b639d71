"""Scores of questions of which some were not answered → how many were answered, and how well."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Flags, Floats
from qa_frame.stats.pulls import Drawn
from qa_frame.stats.selection import area_under_risk, best_threshold

RATES = ("coverage", "answered", "overall", "harmonic", "has_ans", "no_ans")
"""The figures that have bounds."""

BY_CONFIDENCE = ("aurc", "best", "best_threshold")
"""The figures that need a confidence, and have no bounds."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Answers:
    """Questions in groups. Shape (questions,) each.

    Attributes
    ----------
    drawn
        The groups of the questions, and their units.
    scores
        From 0 to 1; NaN where a question that was declined has no score.
    is_declined
        Whether no answer was given.
    has_answer
        Whether the question can be answered; None if that is not known.
    confidence
        Finite numbers, NaN only where no answer was given; None if there is none.
    """

    drawn: Drawn
    scores: Floats
    is_declined: Flags
    has_answer: Flags | None
    confidence: Floats | None

    def rates(self, level: float | None) -> dict[str, Floats]:
        """Return `RATES` with their bounds, shape (3, groups) each; NaN where a figure is of no question."""
        answered = ~self.is_declined
        correct, count = np.where(answered, self.scores, 0.0), answered.astype(np.float64)
        found = dict.fromkeys(RATES, np.full((3, self.drawn.n_groups), np.nan))
        found["coverage"] = self.drawn.means(count, level)
        found["answered"] = self._mean_of(answered, level)
        found["overall"] = self.drawn.means(correct, level)
        found["harmonic"] = self.drawn.ratios(2 * correct, 1 + count, level)
        if self.has_answer is not None:
            is_scored = ~np.isnan(self.scores)
            found["has_ans"] = self._mean_of(is_scored & self.has_answer, level)
            found["no_ans"] = self._mean_of(is_scored & ~self.has_answer, level)
        return found

    def _mean_of(self, questions: Flags, level: float | None) -> Floats:
        return self.drawn.take(questions).means(self.scores[questions], level)

    def by_confidence(self) -> dict[str, Floats]:
        """Return `BY_CONFIDENCE`, shape (groups,) each, NaN for a group without answers; nothing without a confidence.

        The best score is a share of all questions of a group; NaN where has_answer is not known.
        """
        confidence = self.confidence
        if confidence is None:
            return {}
        found = np.full((len(BY_CONFIDENCE), self.drawn.n_groups), np.nan)
        for group, rows in enumerate(self.drawn.members):
            answered = rows[~self.is_declined[rows]]
            found[0, group] = area_under_risk(confidence[answered], 1 - self.scores[answered])
            if self.has_answer is not None and len(rows):
                withheld = (~self.has_answer[rows]).astype(np.float64)  # to withhold is right where there is no answer
                gains, otherwise = np.nan_to_num(self.scores[rows]) - withheld, float(withheld.sum())
                given = np.nan_to_num(confidence[rows], nan=-np.inf)
                total, threshold = best_threshold(given, gains, otherwise)
                found[1:, group] = total / len(rows), threshold
        return dict(zip(BY_CONFIDENCE, found, strict=True))
