"""Plain twins of `stats.sign_test` and `stats.looks`: sums and integrals by scipy."""

from __future__ import annotations

import math

import numpy as np
from scipy import integrate, stats


def sign_test_power(n, win, loss, *, alpha, mid_p):
    """The sum over all numbers of wins and losses of n questions."""
    total = 0.0
    for differing in range(1, n + 1):
        lost = np.arange(differing + 1)
        p = np.array([stats.binomtest(int(each), differing).pvalue for each in lost])
        if mid_p:
            same = stats.binom.pmf(lost, differing, 0.5)
            p -= np.where(2 * lost == differing, same / 2, same)
        found = stats.binom.pmf(lost, differing, loss / (win + loss))[(p < alpha) & (2 * lost < differing)].sum()
        total += stats.binom.pmf(differing, n, win + loss) * found
    return float(total)


def crossing(bounds, shares, drift=0.0):
    """How often a Brownian motion leaves (-bound, bound) at the second look, and by its upper end; not at the first."""
    (first, second), (at, until) = bounds, shares
    step = math.sqrt(until - at)
    left, ends = -first * math.sqrt(at), second * math.sqrt(until)

    def density(place):
        return stats.norm.pdf(place, drift * at, math.sqrt(at))

    def above(place):
        return density(place) * stats.norm.sf((ends - place - drift * (until - at)) / step)

    def below(place):
        return density(place) * stats.norm.cdf((-ends - place - drift * (until - at)) / step)

    upper, lower = (integrate.quad(each, left, -left, epsabs=1e-13, epsrel=1e-13)[0] for each in (above, below))
    return upper + lower, upper
