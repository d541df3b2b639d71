"""The sign test of wins and losses, which is McNemar's for scores of 0 and 1 → its p-value and its power.

Given how many questions tell two models apart, the losses are binomial: with a share of a half without a difference,
and with a smaller one where the first model is better. Sums over these questions give the power without simulation.
"""

from __future__ import annotations

import functools
import math
from statistics import NormalDist

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.stats.student import normal_quantile

_MOST_DIFFERING = 20_000
"""With more questions that tell the two apart, the normal distribution is as good."""

MOST_EXACT = 100
"""Ways to choose so many are counted as integers: p that is just a level is then not below it by rounding."""

_ROUNDING = 1e-12
_FAR = 10.0
"""Counts that are so many standard deviations from their mean do not occur."""


def sign_test(n_up: int, n_differing: int, *, mid_p: bool) -> float:
    """Return the p-value of all 2**n_differing swaps where all differences have one size: how a fair coin would fall.

    For scores of 0 and 1 this is McNemar's exact test, or with mid_p that of Fagerland, Lydersen and Laake (2013).
    """
    fewer = min(n_up, n_differing - n_up)
    if n_differing <= MOST_EXACT:
        ways = [math.comb(n_differing, lost) for lost in range(fewer + 1)]
        below, up_to = sum(ways[:-1]) / (1 << n_differing), sum(ways) / (1 << n_differing)
    else:
        below, up_to = map(float, _share_up_to(np.array([fewer - 1, fewer]), n_differing, 0.5))
    as_found = (up_to - below) * (1 if 2 * fewer == n_differing else 2)
    return min(1.0, 2 * up_to) - (as_found / 2 if mid_p else 0.0)


def sign_test_power(n: float, difference: float, sd: float, *, alpha: float) -> float:
    """Return how often the test, with mid-p, finds the better of two models, on n questions scored 0 and 1.

    sd: the standard deviation of a question's difference, which with the difference gives the shares won and lost.
    """
    differing = min(1.0, max(sd**2 + difference**2, difference))
    error = math.sqrt(n * differing * (1 - differing))
    most = math.ceil(min(n, n * differing + _FAR * error + 1))
    if most > _MOST_DIFFERING:
        distance = n * difference - normal_quantile(1 - alpha) * math.sqrt(n * differing)
        return NormalDist().cdf(distance / (math.sqrt(n) * sd))
    counts = np.arange(max(0, math.floor(n * differing - _FAR * error - 1)), most + 1)
    found = _share_up_to(_most_lost(alpha)[counts], counts, (1 - difference / differing) / 2)
    shares = np.diff(_share_up_to(np.append(counts[0] - 1, counts), round(n), differing))
    return float((shares * found).sum())


@functools.lru_cache(maxsize=16)
def _most_lost(alpha: float) -> Ints:
    """Return how many of 0, 1, 2, ... questions that tell the two apart may be lost at most; -1 where none is enough.

    The normal distribution is wrong by one at most, from which the count goes on by the binomial one.
    """
    n = np.arange(_MOST_DIFFERING + 1)
    most = np.maximum(np.floor((n - normal_quantile(1 - alpha) * np.sqrt(n)) / 2).astype(np.int64), -1)
    for step in (-1, 1):
        moved = True
        while moved:
            tried = most if step < 0 else most + 1
            p = _share_up_to(tried, n, 0.5) + _share_up_to(tried - 1, n, 0.5)
            is_enough = (p < alpha * (1 - _ROUNDING)) & (2 * tried < n)
            changes = ~is_enough & (most >= 0) if step < 0 else is_enough
            most = most + step * changes
            moved = bool(changes.any())
    return most


def _share_up_to(counts: Ints, n: int | Ints, share: float) -> Floats:
    """Return the probability of these counts or fewer among n, shape of `counts`; 0 where they are below 0."""
    from scipy.special import betainc  # noqa: PLC0415  (not needed to import the package)

    known = np.clip(counts, 0, np.maximum(np.asarray(n) - 1, 0))
    inside = betainc(np.maximum(n - known, 1), known + 1, 1 - share)
    return np.where(counts < 0, 0.0, np.where(counts >= n, 1.0, inside))
