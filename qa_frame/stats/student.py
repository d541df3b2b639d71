"""Student's t distribution, for any number of degrees of freedom from 1 on, whole or not.

With t = sqrt(df) tan(angle), P(-t < T < t) is a constant times the integral of cos(x)**(df - 1) from 0 to the angle.
The integrand is smooth, so Gauss's rule gives the integral to the last digits. For many degrees of freedom the
expansions about the normal distribution are as good.
"""

from __future__ import annotations

import functools
import math
from statistics import NormalDist

import numpy as np

from qa_frame._typing import Floats

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)
_SERIES_DF = 1000.0
"""With so many degrees of freedom or more, the expansion about the normal quantile is better than 1e-11."""

_FEW_DF, _FAR = 100.0, 40.0
"""With so many degrees of freedom, what lies beyond so far is nothing that a float beside 1 could hold."""

_MOST_STEPS = 100
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
    df = np.asarray(df, np.float64)
    distinct, places = np.unique(df, return_inverse=True)
    return _distinct_quantiles(level, distinct)[places].reshape(df.shape)


def t_two_sided(t: Floats, df: Floats) -> Floats:
    """Return P(|T| >= t) for t from 0 to 40, shape of `t`; NaN where df is below 1."""
    t, df = np.broadcast_arrays(np.asarray(t, np.float64), np.asarray(df, np.float64))
    known = np.maximum(df, 1.0)
    inside = _share_within(np.arctan(t / np.sqrt(known)), known, _scale_of_integral(known))
    return np.where(df >= 1, np.clip(1 - inside, 0.0, 1.0), np.nan)


def t_above(t: Floats, df: Floats) -> Floats:
    """Return P(T > t), shape of `t`; NaN where df is below 1."""
    far = np.where(np.asarray(df) < _FEW_DF, np.inf, _FAR)
    two_sided = t_two_sided(np.minimum(np.abs(t), far), df)
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


def expanded_p_values(p: Floats, n: Floats) -> Floats:
    """Return bootstrap p-values as they are for few units: the inverse of what `expanded_tail` does to a level.

    Parameters
    ----------
    p
        Two-sided shares of resamples, in (0, 1].
    n
        How many units were resampled, shape of `p`. With fewer than 2 the result is NaN.
    """
    return t_two_sided(normal_distances(p) * np.sqrt(np.maximum(n - 1, 0) / np.maximum(n, 1)), n - 1)


def _distinct_quantiles(level: float, df: Floats) -> Floats:
    """Return quantiles by Newton's steps from the normal quantile, which is below: they never go too far."""
    quantiles = np.full(len(df), np.nan)
    z = normal_quantile(level)
    is_large = df >= _SERIES_DF
    quantiles[is_large] = _quantiles_by_series(z, df[is_large])
    is_small = (df >= 1) & ~is_large
    df = df[is_small]
    angle, scale = np.arctan(z / np.sqrt(df)), _scale_of_integral(df)
    goes_on = np.ones(len(df), np.bool_)  # each by itself: no quantile depends on what else is asked for
    for _ in range(_MOST_STEPS):
        step = (level - _share_within(angle, df, scale)) / (scale * np.cos(angle) ** (df - 1))
        angle += np.where(goes_on, step, 0.0)
        goes_on &= step > 1e-9 * angle  # else the next step would be far below what a float holds
        if not goes_on.any():
            break
    quantiles[is_small] = np.sqrt(df) * np.tan(angle)
    return quantiles


def _share_within(angle: Floats, df: Floats, scale: Floats) -> Floats:
    """Return P(-t < T < t) for t = sqrt(df) tan(angle)."""
    # A low power that is not whole is not smooth at a right angle. So take one higher by 4, and go down by recursion.
    cosines = np.cos(angle[..., None] / 2 * (1 + _NODES))
    integral = (cosines ** (df[..., None] + 3) * _WEIGHTS).sum(axis=-1) * angle / 2
    for power in (df + 3, df + 1):
        integral = (power * integral - np.cos(angle) ** (power - 1) * np.sin(angle)) / (power - 1)
    return np.asarray(scale * integral)


def _scale_of_integral(df: Floats) -> Floats:
    """Return 2 / sqrt(pi) * gamma((df + 1) / 2) / gamma(df / 2)."""
    few = np.minimum(df, _SERIES_DF)
    logarithms = [math.lgamma((each + 1) / 2) - math.lgamma(each / 2) for each in few.ravel().tolist()]
    by_gamma = np.exp(np.array(logarithms)).reshape(df.shape)
    by_series = np.sqrt(df / 2) * (1 - 1 / (4 * df) + 1 / (32 * df**2) + 5 / (128 * df**3))
    return 2 / math.sqrt(math.pi) * np.where(df < _SERIES_DF, by_gamma, by_series)


def _quantiles_by_series(z: float, df: Floats) -> Floats:
    """Return quantiles by Abramowitz and Stegun 26.7.5."""
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    quantiles = np.full(len(df), z)
    for power, term in enumerate(terms, start=1):
        quantiles += term / df**power
    return quantiles
