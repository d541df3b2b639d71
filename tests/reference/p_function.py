"""The p-function of paired differences in plain Python, one draw and one unit at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from qa_frame.stats.sign_flips import SignFlips

NORMAL = NormalDist()


class Oracle:
    """P of one pair of groups.

    d, n: the sum of differences and the questions of each unit. p: the two-sided p-value that the difference is 0.
    """

    def __init__(self, d: Sequence[float], n: Sequence[float], p: float, *, n_draws: int, seed: int = 0) -> None:
        self.found = math.fsum(d) / math.fsum(n)
        self.p = p
        self.n_means = 2 * n_draws
        means = [total / size if size else 0.0 for total, size in zip(d, n, strict=True)]
        squares = math.fsum(size * mean**2 for size, mean in zip(n, means, strict=True))
        fourth = math.fsum(size * mean**4 for size, mean in zip(n, means, strict=True))
        win = math.sqrt(fourth / squares) if squares else 1.0
        added = math.sqrt(math.fsum(size**2 for size in n) / sum(size > 0 for size in n))
        self.means = []
        flips = SignFlips(np.eye(len(d)), seed)
        for batch in flips.batches(0, n_draws):
            noise = np.random.default_rng([seed, batch.start, 1]).normal(size=len(batch))
            orientation = next((math.copysign(1, x) for x in d if x), 1.0)
            for signs, normal in zip(flips.sums(batch).tolist(), (orientation * noise).tolist(), strict=True):
                part = normal * win * added / math.sqrt(2)
                for side, sign in ((1, 1), (-1, -1)):
                    units = [unit for unit, each in enumerate(signs) if each == side]
                    total = math.fsum(d[unit] for unit in units) + sign * part
                    self.means.append(total / (math.fsum(n[unit] for unit in units) + added / 2))
        self.means.sort()
        variance = math.fsum((x - self.found * size) ** 2 for x, size in zip(d, n, strict=True))
        self.error = math.sqrt(variance + 2 * (win * added) ** 2) / (math.fsum(n) + added)

    def share_below(self, delta: float) -> float:
        return (1 + sum(mean <= delta for mean in self.means)) / (self.n_means + 2)

    def share_above(self, delta: float) -> float:
        return (1 + sum(mean >= delta for mean in self.means)) / (self.n_means + 2)

    def p_below(self, margin: float) -> float:
        """The p-value of "the difference is -margin or less"."""
        if self.found < 0:
            return 1 - self.p / 2 if margin < -self.found else self.share_below(-margin)
        return self.p / 2 if margin == 0 else min(self.p / 2, self.share_below(-margin))

    def p_above(self, margin: float) -> float:
        """The p-value of "the difference is margin or more"."""
        if self.found >= 0:
            return 1 - self.p / 2 if margin < self.found else self.share_above(margin)
        return self.p / 2 if margin == 0 else min(self.p / 2, self.share_above(margin))

    def bounds(self, tail: float) -> tuple[float, float]:
        """The differences between which P is between tail and 1 - tail, inside [-1, 1]."""
        low = next(mean for mean in self.means if self.share_below(mean) >= tail)
        high = next(mean for mean in reversed(self.means) if self.share_above(mean) >= tail)
        low, high = max(low, -1), min(high, 1)
        if self.p / 2 < tail:
            near = 1 - NORMAL.inv_cdf(1 - tail) / NORMAL.inv_cdf(1 - self.p / 2)
            low, high = (max(low, self.found * near), high) if self.found > 0 else (low, min(high, self.found * near))
        elif self.found < 0:
            high = max(high, 0.0)
        else:
            low = min(low, 0.0)
        return min(low, self.found), max(high, self.found)
