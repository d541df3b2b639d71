"""How many units find a difference, which difference so many find, and with what power.

All by the normal distribution: a paired difference d of units with variance Var(d) is found by a two-sided test at
`alpha` with the power at which n = (z_(alpha/2) + z_power)**2 Var(d) / difference**2. A test that rejects in the wrong
direction finds nothing, so that does not count as power.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from qa_frame._typing import Ints
from qa_frame.stats.distributions import binomial_cdf, detectable_standard_errors, normal_quantile

_NORMAL = NormalDist()

MOST_UNITS = 1 << 53
"""More units than these cannot be told from one another as floats."""

_MOST_FOR_SIGNS = 20
"""So many more units, and four times those of a normal sum, are enough for the sign test."""

_HALVINGS = 60


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """The test that is planned for.

    Attributes
    ----------
    alpha
        The level of the two-sided test.
    is_sign_test
        Whether it is the sign test of scores of 0 and 1.
    """

    alpha: float
    is_sign_test: bool = False

    def power(self, n: float, difference: float, sd: float) -> float:
        """Return with what power n units find the difference. sd: the standard deviation of a unit's difference."""
        if self.is_sign_test:
            return sign_test_power(n, difference, sd, alpha=self.alpha)
        return _NORMAL.cdf(difference * math.sqrt(n) / sd - normal_quantile(1 - self.alpha))

    def units(self, difference: float, sd: float, power: float) -> float:
        """Return how many units find the difference with this power. sd: as in `power`.

        It is a whole number for the sign test, and not rounded for others.
        """
        root = detectable_standard_errors(self.alpha, power) * sd / difference
        needed = root * root  # a power of a large float raises an error, and a product is infinite
        if not self.is_sign_test or needed >= MOST_UNITS:
            return needed
        most = 4 * needed + _MOST_FOR_SIGNS
        return math.ceil(least_enough(lambda n: self.power(math.ceil(n), difference, sd) >= power, 0.5, most))

    def difference(self, n: float, sd: float, power: float) -> float:
        """Return the least difference that n units find with this power. It is for other tests than the sign test."""
        return detectable_standard_errors(self.alpha, power) * sd / math.sqrt(n)


def least_enough(is_enough: Callable[[float], bool], low: float, high: float) -> float:
    """Return the least number between `low` and `high` that is enough, by halving. `high` must be enough.

    All numbers above one that is enough must be enough, too.
    """
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


# ------------------------------------------------------------------------------------------------------ the sign test

_MOST_DISCORDANT = 20_000
"""With more discordant questions than these, the normal distribution is as good."""

_ROUNDING = 1e-12
_FAR = 10.0
"""Counts that are so many standard deviations from their mean do not occur."""


def sign_test_power(n: float, difference: float, sd: float, *, alpha: float) -> float:
    """Return how often the sign test, with mid-p, finds the better of two models, on n questions scored 0 and 1.

    sd: the standard deviation of a question's difference, which with the difference gives the shares won and lost.
    alpha: the level of the test.
    """
    share = min(1.0, max(sd**2 + difference**2, difference))  # of discordant questions
    error = math.sqrt(n * share * (1 - share))
    most = math.ceil(min(n, n * share + _FAR * error + 1))
    if most > _MOST_DISCORDANT:
        distance = n * difference - normal_quantile(1 - alpha) * math.sqrt(n * share)
        return _NORMAL.cdf(distance / (math.sqrt(n) * sd))
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
