"""The sign test of wins and losses, which is McNemar's test for scores of 0 and 1: its p-value and its power.

A question is discordant where the two models have different scores. Given the number of discordant questions, the
number of losses is binomial: with probability 1/2 if the models are equally good, and with a smaller one if the first
model is better.
"""

from __future__ import annotations

import functools
import math
from statistics import NormalDist

import numpy as np

from qa_frame._typing import Ints
from qa_frame.stats.distributions import binomial_cdf, normal_quantile

_MOST_DISCORDANT = 20_000
"""With more discordant questions than these, the normal distribution is as good."""

MOST_EXACT = 100
"""Ways to choose so many are counted as integers: p that is just a level is then not below it by rounding."""

_ROUNDING = 1e-12
_FAR = 10.0
"""Counts that are so many standard deviations from their mean do not occur."""


def sign_test(n_won: int, n_discordant: int, *, mid_p: bool) -> float:
    """Return the two-sided p-value of `n_won` wins in `n_discordant` questions, if a fair coin decided each of them.

    For scores of 0 and 1 this is McNemar's exact test, or with mid_p that of Fagerland, Lydersen and Laake (2013).
    """
    fewer = min(n_won, n_discordant - n_won)
    if n_discordant <= MOST_EXACT:
        ways = [math.comb(n_discordant, lost) for lost in range(fewer + 1)]
        below, up_to = sum(ways[:-1]) / (1 << n_discordant), sum(ways) / (1 << n_discordant)
    else:
        below, up_to = map(float, binomial_cdf(np.array([fewer - 1, fewer]), n_discordant, 0.5))
    of_this_result = (up_to - below) * (1 if 2 * fewer == n_discordant else 2)
    return min(1.0, 2 * up_to) - (of_this_result / 2 if mid_p else 0.0)


def sign_test_power(n: float, difference: float, sd: float, *, alpha: float) -> float:
    """Return how often the test, with mid-p, finds the better of two models, on n questions scored 0 and 1.

    sd: the standard deviation of a question's difference, which with the difference gives the shares won and lost.
    alpha: the level of the test.
    """
    share = min(1.0, max(sd**2 + difference**2, difference))  # of discordant questions
    error = math.sqrt(n * share * (1 - share))
    most = math.ceil(min(n, n * share + _FAR * error + 1))
    if most > _MOST_DISCORDANT:
        distance = n * difference - normal_quantile(1 - alpha) * math.sqrt(n * share)
        return NormalDist().cdf(distance / (math.sqrt(n) * sd))
    counts = np.arange(max(0, math.floor(n * share - _FAR * error - 1)), most + 1)
    power = binomial_cdf(_most_losses(alpha)[counts], counts, (1 - difference / share) / 2)
    probability = np.diff(binomial_cdf(np.append(counts[0] - 1, counts), round(n), share))
    return float((probability * power).sum())


@functools.lru_cache(maxsize=16)
def _most_losses(alpha: float) -> Ints:
    """Return the most losses with which the test rejects at level alpha, for 0, 1, 2, ... discordant questions.

    It is -1 where no number of losses is small enough. The normal distribution is wrong by one at most, so that its
    number and two on either side are tried by the binomial distribution.
    """
    n = np.arange(_MOST_DISCORDANT + 1)
    first = np.maximum(np.floor((n - normal_quantile(1 - alpha) * np.sqrt(n)) / 2).astype(np.int64) - 2, 0)
    tried = first + np.arange(5)[:, None]
    mid_p = binomial_cdf(tried, n, 0.5) + binomial_cdf(tried - 1, n, 0.5)
    return np.asarray(first - 1 + np.count_nonzero((mid_p < alpha * (1 - _ROUNDING)) & (2 * tried < n), axis=0))
