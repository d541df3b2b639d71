"""Answers in the order of their confidence: how many are given from each confidence on, and how good they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Floats, Ints


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
