"""Scores of questions of which some were not answered → how many were answered, and how well."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Flags, Floats
from qa_frame.stats.pulls import Drawn
from qa_frame.stats.selection import area_under_risk, best_threshold, best_threshold_of_script

RATES = ("coverage", "answered", "overall", "harmonic", "has_ans", "no_ans", "aurc")
"""The figures that have bounds."""

BEST = ("best", "best_threshold", "best_script", "best_script_threshold")


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

    def with_scores(self, scores: Floats, rows: Flags) -> Answers:
        """Return these rows alone, with other scores. scores: of all rows."""
        has_answer, confidence = self.has_answer, self.confidence
        return Answers(
            self.drawn.take(rows),
            scores[rows],
            self.is_declined[rows],
            None if has_answer is None else has_answer[rows],
            None if confidence is None else confidence[rows],
        )

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
        if self.confidence is not None:
            found["aurc"] = self._areas(answered, self.confidence, level)
        return found

    def _mean_of(self, questions: Flags, level: float | None) -> Floats:
        return self.drawn.take(questions).means(self.scores[questions], level)

    def _areas(self, answered: Flags, confidence: Floats, level: float | None) -> Floats:
        drawn, losses, confidence = self.drawn.take(answered), 1 - self.scores[answered], confidence[answered]
        value, support = np.full((2, drawn.n_groups), np.nan)
        pull = np.zeros(len(losses))
        for group, rows in enumerate(drawn.members):
            area = area_under_risk(confidence[rows], losses[rows])
            value[group], support[group], pull[rows] = area.value, area.support, area.pull
        units_per_row = drawn.n_units / np.maximum(drawn.n_rows, 1)
        return drawn.bounded(value, pull, support * units_per_row, level)

    def best(self) -> dict[str, Floats]:
        """Return `BEST`, as shares of all questions of a group, shape (groups,) each.

        NaN for a group without questions, without confidence, or where has_answer is not known.
        """
        found = np.full((len(BEST), self.drawn.n_groups), np.nan)
        if self.confidence is not None and self.has_answer is not None:
            confidence = np.where(np.isnan(self.confidence), -np.inf, self.confidence)
            withheld = (~self.has_answer).astype(np.float64)  # to withhold an answer is right where there is none
            gains = np.nan_to_num(self.scores) - withheld
            # The script takes any answer for wrong there, even one of which nothing is left after normalisation.
            gains_of_script = np.where(self.has_answer, gains, np.where(self.is_declined, 0.0, -1.0))
            for group, rows in enumerate(self.drawn.members):
                if len(rows):
                    otherwise = float(withheld[rows].sum())
                    total, threshold = best_threshold(confidence[rows], gains[rows], otherwise)
                    of_script, at = best_threshold_of_script(confidence[rows], gains_of_script[rows], otherwise)
                    found[:, group] = total / len(rows), threshold, of_script / len(rows), at
        return dict(zip(BEST, found, strict=True))
