"""The difference that a test finds with a wanted power, in standard errors."""

from __future__ import annotations

from statistics import NormalDist

from qa_frame.stats.student import normal_quantile

POWER = 0.8
"""How often a difference shall be found, where nothing else is said."""


def standard_errors(alpha: float, power: float) -> float:
    """Return how many standard errors a difference must be so that a test finds it with this power."""
    return normal_quantile(1 - alpha) + NormalDist().inv_cdf(power)
