"""A plain twin of `stats.sign_test`: sums by scipy."""

from __future__ import annotations

import numpy as np
from scipy import stats


def sign_test_power(n, win, loss, *, alpha):
    """The sum over all numbers of wins and losses of n questions, with mid-p."""
    total = 0.0
    for differing in range(1, n + 1):
        lost = np.arange(differing + 1)
        p = np.array([stats.binomtest(int(each), differing).pvalue for each in lost])
        same = stats.binom.pmf(lost, differing, 0.5)
        p -= np.where(2 * lost == differing, same / 2, same)
        found = stats.binom.pmf(lost, differing, loss / (win + loss))[(p < alpha) & (2 * lost < differing)].sum()
        total += stats.binom.pmf(differing, n, win + loss) * found
    return float(total)
