"""Quantiles and tail probabilities of the normal, Student's t and the binomial distribution.

They are those of `scipy.special`. For Student's t with df degrees of freedom, T**2 / (df + T**2) has a beta
distribution. So the incomplete beta function and its inverse give both tails of T to the last digits.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from qa_frame._typing import Floats, Ints

POWER = 0.8
"""The power of a test, where the user gives none."""

_LEAST_P = 1e-300


def normal_quantile(level: float) -> float:
    """Return z with P(-z < Z < z) = level, where Z is standard normal."""
    return -NormalDist().inv_cdf((1 - level) / 2)


def z_values(p: Floats) -> Floats:
    """Return z with P(|Z| > z) = p for each two-sided p-value, shape of `p`. Z is standard normal.

    A p-value below 1e-300 counts as 1e-300, so that z is finite.
    """
    from scipy.special import ndtri  # noqa: PLC0415  (not needed to import the package)

    return np.asarray(-ndtri(np.clip(p, _LEAST_P, 1.0) / 2))


def detectable_standard_errors(alpha: float, power: float) -> float:
    """Return how many standard errors a difference must have, so that a two-sided z-test finds it with this power.

    alpha: the level of the test.
    """
    return normal_quantile(1 - alpha) + NormalDist().inv_cdf(power)


def t_quantiles(level: float | Floats, df: Floats) -> Floats:
    """Return t with P(-t < T < t) = level for each number of degrees of freedom; NaN where it is below 1."""
    from scipy.special import betaincinv  # noqa: PLC0415

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


def binomial_cdf(counts: Ints, n: int | Ints, share: float) -> Floats:
    """Return the probability of each of `counts` successes or fewer in n trials, shape of `counts`.

    It is 0 for counts below 0. share: the probability of a success in one trial.
    """
    from scipy.special import betainc  # noqa: PLC0415

    inner = np.clip(counts, 0, np.maximum(np.asarray(n) - 1, 0))
    probability = betainc(np.maximum(n - inner, 1), inner + 1, 1 - share)
    return np.where(counts < 0, 0.0, np.where(counts >= n, 1.0, probability))
