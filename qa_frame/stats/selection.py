"""Answers in the order of their confidence: risk against coverage, and the confidence from which to answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.stats.rows import without_rounding


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


def area_under_risk(confidence: Floats, losses: Floats) -> float:
    """Return the area under the risk-coverage curve (AURC); NaN without answers.

    This is the mean over k of the mean loss of the k most confident answers (Geifman and El-Yaniv 2017). Answers of
    equal confidence share their mean loss, as if their order were drawn at random.

    losses: from 0 to 1, shape (answers,).
    """
    n = len(losses)
    if not n:
        return np.nan
    order = np.lexsort((losses, -confidence))
    _, starts = _find_ties(confidence[order])
    sizes = np.diff(np.append(starts, n))
    shared = np.repeat(np.add.reduceat(losses[order], starts) / sizes, sizes)
    risk = np.cumsum(shared) / np.arange(1, n + 1)
    return float(risk.sum() / n)


def best_threshold(confidence: Floats, gains: Floats, otherwise: float) -> tuple[float, float]:
    """Return the largest sum of scores that a threshold gives, and that threshold: answer from this confidence on.

    Answers of equal confidence are all given or all withheld, and of equally good thresholds the highest is taken.

    Parameters
    ----------
    confidence
        The confidence of each question's answer, shape (questions,).
    gains
        What each question gives more if its answer is given than if it is withheld, shape (questions,).
    otherwise
        The sum of scores where all answers are withheld. The threshold is infinite where no other is better.
    """
    order = np.lexsort((gains, -confidence))
    threshold, starts = _find_ties(confidence[order])
    sums = np.cumsum(np.append(otherwise, gains[order]))[np.append(starts, len(order))]
    place = int(np.argmax(without_rounding(sums)))
    return float(sums[place]), float(np.append(np.inf, threshold)[place])


def _find_ties(falling: Floats) -> tuple[Floats, Ints]:
    """Return the distinct values and the place where each begins."""
    starts = np.flatnonzero(np.append(True, falling[1:] != falling[:-1])) if len(falling) else np.zeros(0, np.int64)
    return falling[starts], starts
