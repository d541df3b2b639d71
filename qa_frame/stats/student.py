"""Student's t distribution, for any number of degrees of freedom from 1 on, and the normal one.

T**2 / (df + T**2) has a beta distribution. So scipy's incomplete beta function and its inverse give both tails of T to
the last digits.
"""

from __future__ import annotations

import functools
import math
from statistics import NormalDist

import numpy as np

from qa_frame._typing import Floats

_LEAST_SHARE = 1e-300


def normal_quantile(level: float) -> float:
    """Return z with P(-z < Z < z) = level."""
    return -NormalDist().inv_cdf((1 - level) / 2)


def normal_distances(p: Floats) -> Floats:
    """Return z with P(|Z| > z) = p, shape of `p`."""
    normal = NormalDist()
    return np.array([-normal.inv_cdf(share / 2) for share in np.clip(p, _LEAST_SHARE, 1.0).ravel()]).reshape(p.shape)


def t_quantiles(level: float, df: Floats) -> Floats:
    """Return t with P(-t < T < t) = level for each number of degrees of freedom; NaN where that is below 1."""
    from scipy.special import betaincinv  # noqa: PLC0415  (not needed to import the package)

    half = np.asarray(df, np.float64) / 2
    half = np.where(half >= 0.5, half, np.nan)
    return np.asarray(np.sqrt(2 * half * betaincinv(0.5, half, level) / betaincinv(half, 0.5, 1 - level)))


def t_two_sided(t: Floats, df: Floats) -> Floats:
    """Return P(|T| >= t) for t from 0 on, shape of `t`; NaN where df is below 1."""
    from scipy.special import betainc  # noqa: PLC0415

    squares, df = np.asarray(t, np.float64) ** 2, np.where(np.asarray(df) >= 1, df, np.nan)
    with np.errstate(invalid="ignore"):
        near = 1 - betainc(0.5, df / 2, squares / (df + squares))
    return np.asarray(np.where(squares < df, near, betainc(df / 2, 0.5, df / (df + squares))))


def t_above(t: Floats, df: Floats) -> Floats:
    """Return P(T > t), shape of `t`; NaN where df is below 1."""
    two_sided = t_two_sided(np.abs(t), df)
    return np.where(np.asarray(t) > 0, two_sided / 2, 1 - two_sided / 2)


@functools.lru_cache(maxsize=4096)
def expanded_tail(level: float, n: int) -> float:
    """Return the share of resamples that lies beyond either bound of a bootstrap interval.

    The plain percentiles at (1 - level) / 2 are too narrow for few units, as if z and 1 / n stood in place of t and
    1 / (n - 1). They are widened accordingly (Hesterberg 2015, What Teachers Should Know About the Bootstrap).

    Parameters
    ----------
    n
        How many units are resampled, 2 or more.
    """
    t = float(t_quantiles(level, np.array([n - 1.0]))[0])
    return NormalDist().cdf(-math.sqrt(n / (n - 1)) * t)
