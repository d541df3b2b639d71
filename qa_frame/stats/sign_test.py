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
"""With more questions that tell the two apart, the normal distribution with a correction of continuity is as good."""

MOST_EXACT = 100
"""Ways to choose so many are counted as integers: p that is just a level is then not below it by rounding."""

_FAR = 10.0
"""Counts that are so many standard deviations from their mean do not occur."""


def sign_test(n_up: int, n_differing: int, *, mid_p: bool) -> float:
    """Return the p-value of all 2**n_differing swaps where all differences have one size: how a fair coin would fall.

    For scores of 0 and 1 this is McNemar's exact test, or with mid_p that of Fagerland, Lydersen and Laake (2013).
    """
    fewer = np.arange(min(n_up, n_differing - n_up) + 1)
    if n_differing <= MOST_EXACT:
        shares = np.array([math.comb(n_differing, lost) / 2**n_differing for lost in fewer.tolist()])
    else:
        shares = np.exp(log_ways(n_differing, fewer) - n_differing * math.log(2))
    as_found = float(shares[-1]) * (1 if 2 * fewer[-1] == n_differing else 2)
    return min(1.0, 2 * float(shares.sum())) - (as_found / 2 if mid_p else 0.0)


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
    found = _power_by_count(alpha, (1 - difference / differing) / 2)[counts]
    return float((_binomial(round(n), counts, differing) * found).sum())


@functools.lru_cache(maxsize=64)
def _power_by_count(alpha: float, share_lost: float) -> Floats:
    """Return how often the test rejects for the better model, by how many questions tell the two apart.

    With D such questions it does where c_D or fewer are lost. Step by step, P(lost <= c) with D + 1 questions is that
    with D, less share_lost * P(lost = c), and more by P(lost = c + 1) where c rises by 1.
    """
    most = _most_lost(alpha)
    counts = np.arange(len(most))
    lower = np.where(most >= 0, _binomial(counts, np.maximum(most, 0), share_lost), 0.0)
    steps = np.where(np.diff(most) > 0, lower[1:], 0.0) - share_lost * lower[:-1]
    return np.asarray(np.clip(np.concatenate([[0.0], np.cumsum(steps)]), 0.0, 1.0))


@functools.lru_cache(maxsize=16)
def _most_lost(alpha: float) -> Ints:
    """Return how many of 0, 1, 2, ... questions that tell the two apart may be lost at most; -1 where none is enough.

    It rises by 0 or 1 with each question.
    """
    found = np.full(_MOST_DIFFERING + 1, -1, np.int64)
    most, below = -1, 0.0  # P(lost <= most), of a fair coin
    log_factorials = _log_factorials(_MOST_DIFFERING).tolist()
    for n in range(1, _MOST_DIFFERING + 1):
        log_half, of_n = n * math.log(2), log_factorials[n]

        def share(lost: int, of_n: float = of_n, log_half: float = log_half, n: int = n) -> float:
            return math.exp(of_n - log_factorials[lost] - log_factorials[n - lost] - log_half)

        if most >= 0:  # from the shares of n - 1
            below -= share(most) * (n - most) / n
        more = share(most + 1) if 2 * (most + 1) < n else math.inf
        if 2 * (below + more) - more < alpha:
            most, below = most + 1, below + more
        found[n] = most
    return found


def _binomial(n: int | Ints, counts: Ints, share: float) -> Floats:
    """Return the probability of these counts among n, shape of `counts`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(counts > 0, counts * np.log(share), 0.0)
        logs = logs + np.where(n - counts > 0, (n - counts) * np.log1p(-share), 0.0)
    return np.asarray(np.exp(log_ways(n, counts) + logs))


def log_ways(n: int | Ints, counts: Ints) -> Floats:
    """Return the logarithm of how many ways there are to choose so many of n, shape of `counts`."""
    logs = _log_factorials(int(np.max(n, initial=0)))
    return np.asarray(logs[n] - logs[counts] - logs[n - counts])


def _log_factorials(most: int) -> Floats:
    """Return the logarithms of 0!, 1!, ... and `most`!."""
    return np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, most + 1)))))
