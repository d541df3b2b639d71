"""The sign test of wins and losses, which is McNemar's test for scores of 0 and 1.

A question is discordant where the two models have different scores. Given the number of discordant questions, the
number of losses is binomial with probability 1/2, if the models are equally good.
"""

from __future__ import annotations

import math

import numpy as np

from qa_frame.stats.distributions import binomial_cdf

_MOST_EXACT = 100
"""Ways to choose so many are counted as integers: p that is just a level is then not below it by rounding."""


def sign_test(n_won: int, n_discordant: int, *, mid_p: bool) -> float:
    """Return the two-sided p-value of `n_won` wins in `n_discordant` questions, if a fair coin decided each of them.

    For scores of 0 and 1 this is McNemar's exact test, or with mid_p that of Fagerland, Lydersen and Laake (2013).
    """
    fewer = min(n_won, n_discordant - n_won)
    if n_discordant <= _MOST_EXACT:
        ways = [math.comb(n_discordant, lost) for lost in range(fewer + 1)]
        below, up_to = sum(ways[:-1]) / (1 << n_discordant), sum(ways) / (1 << n_discordant)
    else:
        below, up_to = map(float, binomial_cdf(np.array([fewer - 1, fewer]), n_discordant, 0.5))
    of_this_result = (up_to - below) * (1 if 2 * fewer == n_discordant else 2)
    return min(1.0, 2 * up_to) - (of_this_result / 2 if mid_p else 0.0)
