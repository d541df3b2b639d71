"""Scores of questions of which some were not answered → how many were answered, and how well."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.stats.pulls import NOT_KNOWN, Bounded, add_up, mean_with_bounds, ratio_with_bounds
from qa_frame.stats.selection import area_under_risk, best_threshold, best_threshold_of_script

RATES = ("coverage", "answered", "overall", "harmonic", "has_ans", "no_ans", "aurc")
"""The figures that have bounds."""

BEST = ("best", "best_threshold", "best_script", "best_script_threshold")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Answers:
    """The questions of a group. Shape (questions,) each.

    Attributes
    ----------
    scores
        From 0 to 1; NaN where a question that was declined has no score.
    is_declined
        Whether no answer was given.
    has_answer
        Whether the question can be answered; None if that is not known.
    confidence
        Finite numbers, NaN only where no answer was given; None if there is none.
    unit
        The unit of each question; None where each is one.
    """

    scores: Floats
    is_declined: Flags
    has_answer: Flags | None
    confidence: Floats | None
    unit: Ints | None

    def rates(self, level: float | None) -> dict[str, Bounded]:
        """Return `RATES`. A figure of no question is NaN."""
        answered, unit = ~self.is_declined, self.unit
        correct = np.where(answered, self.scores, 0.0)
        found = dict.fromkeys(RATES, NOT_KNOWN)
        found["coverage"] = mean_with_bounds(answered.astype(np.float64), unit, level)
        found["answered"] = self._mean_of(answered, level)
        found["overall"] = mean_with_bounds(correct, unit, level)
        found["harmonic"] = ratio_with_bounds(2 * correct, 1 + answered.astype(np.float64), unit, level)
        if self.has_answer is not None:
            is_scored = ~np.isnan(self.scores)
            found["has_ans"] = self._mean_of(is_scored & self.has_answer, level)
            found["no_ans"] = self._mean_of(is_scored & ~self.has_answer, level)
        if self.confidence is not None:
            units = None if unit is None else unit[answered]
            found["aurc"] = area_under_risk(self.confidence[answered], 1 - self.scores[answered], units, level)
        return found

    def _mean_of(self, questions: Flags, level: float | None) -> Bounded:
        return mean_with_bounds(self.scores[questions], None if self.unit is None else self.unit[questions], level)

    def best(self) -> dict[str, float]:
        """Return `BEST`, as shares of all questions; NaN without confidence, or where has_answer is not known."""
        n = len(self.scores)
        if self.confidence is None or self.has_answer is None or not n:
            return dict.fromkeys(BEST, np.nan)
        confidence = np.where(np.isnan(self.confidence), -np.inf, self.confidence)
        withheld = (~self.has_answer).astype(np.float64)  # to withhold an answer is right where there is none
        gains = np.nan_to_num(self.scores) - withheld
        # The script takes any answer for wrong there, even one of which nothing is left after normalisation.
        gains_of_script = np.where(self.has_answer, gains, np.where(self.is_declined, 0.0, -1.0))
        otherwise = add_up(withheld)
        total, threshold = best_threshold(confidence, gains, otherwise)
        of_script, threshold_of_script = best_threshold_of_script(confidence, gains_of_script, otherwise)
        return dict(zip(BEST, (total / n, threshold, of_script / n, threshold_of_script), strict=True))
