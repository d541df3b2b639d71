"""Looking at a comparison several times while questions come in → the level of each look, and what it costs in power.

After a share t of the planned questions, alpha * t**3 of the error of the first kind has been spent in all (Kim and
DeMets 1987). So a look may come at any time, and all of them together reject a true equality with a probability of at
most alpha (Lan and DeMets 1983). The sum of differences is a Brownian motion, whose density among those that did not
stop is found from look to look (Armitage, McPherson and Rowe 1969).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np

from qa_frame._typing import Floats

_POWER_OF_TIME = 3
"""Near O'Brien and Fleming's bounds at the end. Early levels are such that 400,000 draws can show them in ten looks."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(256)
_HALVINGS, _FAR = 60, 40.0


def levels_of_looks(alpha: float, shares: Sequence[float]) -> Floats:
    """Return the level of a two-sided test at each look, shape (looks,).

    shares: of the planned questions at each look so far, rising, from 0 to 1.
    """
    return 2 * _normal_above(_bounds(alpha, tuple(shares)))


def power_of_looks(distance: float, alpha: float, n_looks: int) -> float:
    """Return how often any of some looks, equally far apart, finds a difference.

    distance: of the difference from 0, in standard errors of all planned questions.
    """
    return float(_walk(alpha, even_shares(n_looks), distance)[1].sum())


@functools.lru_cache(maxsize=256)
def distance_for_looks(alpha: float, power: float, n_looks: int) -> float:
    """Return the distance at which looks have this power."""
    return least_enough(lambda distance: power_of_looks(distance, alpha, n_looks) >= power, 0.0, _FAR)


def least_enough(is_enough: Callable[[float], bool], low: float, high: float) -> float:
    """Return the least number between these that is enough, where all larger ones are, by halving what is between."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def even_shares(n_looks: int) -> tuple[float, ...]:
    """Return the shares of the questions at looks that are equally far apart, the last one at all of them."""
    return tuple(look / n_looks for look in range(1, n_looks + 1))


def _walk(alpha: float, shares: tuple[float, ...], drift: float) -> tuple[Floats, Floats]:
    """Return what happens at each look to a sum that has this mean and the variance 1 once all questions are in.

    How many standard errors from 0 stop there, and how often the upper bound is first crossed there. Shape (looks,).
    """
    bounds = _bounds(alpha, shares) if drift else None
    upper, found = [], []
    places, density, spent, before = np.zeros(1), np.ones(1), 0.0, 0.0
    for look, share in enumerate(shares):
        step = share - before
        center = places + drift * step
        if bounds is None:
            level = alpha * share**_POWER_OF_TIME - spent
            bound = _find_bound(center, density, math.sqrt(step), level)
        else:
            level, bound = 0.0, float(bounds[look]) * math.sqrt(share)
        upper.append(float(density @ _normal_above((bound - center) / math.sqrt(step))))
        found.append(bound / math.sqrt(share))
        nodes = bound * _NODES
        kernel = np.exp(-((nodes[:, None] - center) ** 2) / (2 * step)) / math.sqrt(2 * math.pi * step)
        places, density = nodes, (kernel @ density) * bound * _WEIGHTS
        spent, before = spent + level, share
    return np.array(found), np.array(upper)


@functools.lru_cache(maxsize=256)
def _bounds(alpha: float, shares: tuple[float, ...]) -> Floats:
    return _walk(alpha, shares, 0.0)[0]


def _find_bound(center: Floats, density: Floats, deviation: float, level: float) -> float:
    """Return the bound that is crossed on either side with this probability."""

    def is_enough(bound: float) -> bool:
        crossed = _normal_above((bound - center) / deviation) + _normal_above((bound + center) / deviation)
        return float(density @ crossed) <= level

    return least_enough(is_enough, 0.0, _FAR)


def _normal_above(z: Floats) -> Floats:
    return np.array([math.erfc(each / math.sqrt(2)) / 2 for each in z.tolist()])
