"""Confidence intervals: what is asked for, quantiles of the normal and of Student's distribution, bounds."""

from __future__ import annotations

import functools
import math
import numbers
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.errors import UnknownOptionError, unknown_option

Bounds = tuple[Floats, Floats]

Method = Literal["normal", "bootstrap"]
METHODS: tuple[Method, ...] = ("normal", "bootstrap")

_SERIES_DF = 1000
"""From so many degrees of freedom the expansion about the normal quantile is better than 1e-11."""


@dataclass(frozen=True, slots=True)
class Interval:
    """What intervals are asked for. level: None for none."""

    level: float | None
    method: Method
    n_resamples: int
    seed: int


def make_interval(ci: Any, method: Any, n_resamples: Any, seed: Any) -> Interval:
    """Check the arguments; a wrong one raises UnknownOptionError."""
    if method not in METHODS:
        raise unknown_option("method", method, METHODS)
    check_resampling(ci=0.95 if ci is None else ci, n_resamples=n_resamples, seed=seed)
    return Interval(None if ci is None else float(ci), method, int(n_resamples), int(seed))


def check_resampling(*, ci: Any, n_resamples: Any, seed: Any) -> None:
    """Raise UnknownOptionError unless these are a share, a number of resamples and a seed."""
    if isinstance(ci, bool) or not isinstance(ci, numbers.Real) or not 0 < float(ci) < 1:
        raise UnknownOptionError(f"ci={ci!r} is not a number between 0 and 1; give 0.95 for 95 % intervals")
    for argument, value, least in (("n_resamples", n_resamples, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
            raise UnknownOptionError(f"{argument}={value!r} is not a whole number of {least} or more; give one")


def normal_quantile(level: float) -> float:
    """z with P(-z < Z < z) = level."""
    return -NormalDist().inv_cdf((1 - level) / 2)


def t_quantiles(level: float, df: Ints) -> Floats:
    """t with P(-t < T < t) = level for each number of degrees of freedom, shape of `df`; NaN below 1."""
    distinct, places = np.unique(df, return_inverse=True)
    return np.array([_t_quantile(level, int(each)) for each in distinct])[places].reshape(df.shape)


def degrees_of_freedom(n: Ints, kurtosis: Floats) -> Ints:
    """How many degrees of freedom the variance of n values has: n - 1, fewer where their tails are heavy.

    A variance has as many as make its own variance that of a chi-squared one (Satterthwaite 1946): 2 / ((kurtosis - 3)
    / n + 2 / (n - 1)), rounded down; at least 1 where n is 2 or more. So intervals hold scores such as sentence BLEU,
    most of which are nearly 0. NaN as kurtosis changes nothing, nor does one of up to 3, that of the normal.
    """
    excess = np.maximum(np.nan_to_num(kurtosis - 3, nan=0.0), 0.0)
    usual = n - 1
    fewer = np.floor(2 / (excess / np.maximum(n, 1) + 2 / np.maximum(usual, 1))).astype(np.int64)
    return np.where(excess > 0, np.minimum(usual, np.maximum(fewer, 1)), usual)


def around(value: Floats, error: Floats, quantile: Floats | float) -> Bounds:
    """value ± quantile * standard error."""
    return value - quantile * error, value + quantile * error


def wilson(share: Floats, n: Floats | Ints, quantile: Floats | float) -> Bounds:
    """Bounds of a proportion (Wilson 1927): inside [0, 1] and never of no width. NaN where n is 0."""
    n = np.where(n > 0, n, np.nan)
    shrink = quantile**2 / n
    middle = (share + shrink / 2) / (1 + shrink)
    half = np.sqrt(share * (1 - share) * shrink + shrink**2 / 4) / (1 + shrink)
    return np.clip(middle - half, 0, share), np.clip(middle + half, share, 1)


def expanded_tail(level: float, n: int) -> float:
    """The share of resamples beyond either bound, n being what is resampled, 2 or more.

    Percentiles at (1 - level) / 2 are too narrow, as if z and 1 / n stood in place of t and 1 / (n - 1); these are
    widened accordingly (Hesterberg 2015, What Teachers Should Know About the Bootstrap).
    """
    return NormalDist().cdf(-math.sqrt(n / (n - 1)) * _t_quantile(level, n - 1))


@functools.lru_cache(maxsize=4096)
def _t_quantile(level: float, df: int) -> float:
    if df < 1:
        return math.nan
    return _t_by_series(normal_quantile(level), df) if df >= _SERIES_DF else _t_by_angle(level, df)


def _t_by_series(z: float, df: int) -> float:
    """Abramowitz and Stegun 26.7.5."""
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum(term / float(df) ** power for power, term in enumerate(terms, start=1))


def _t_by_angle(level: float, df: int) -> float:
    """t = sqrt(df) tan(angle), where P(-t < T < t) is a finite series in the angle (26.7.3 and 26.7.4).

    It rises ever more slowly with the angle, so that Newton's steps from below come nearer and never go too far; the
    normal quantile is below.
    """
    slope = 2 / math.sqrt(math.pi) * math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2))
    angle = math.atan(normal_quantile(level) / math.sqrt(df))
    for _ in range(200):
        step = (level - _t_level(angle, df)) / (slope * math.cos(angle) ** (df - 1))
        angle += step
        if step <= 1e-15 * angle:
            break
    return math.sqrt(df) * math.tan(angle)


def _t_level(angle: float, df: int) -> float:
    """P(-t < T < t) for t = sqrt(df) tan(angle)."""
    cosine, is_odd = math.cos(angle), df % 2
    term = cosine if is_odd else 1.0
    total = term if df > 1 else 0.0
    for order in range(1 + is_odd, df - 2, 2):
        term *= cosine**2 * order / (order + 1)
        total += term
    total *= math.sin(angle)
    return 2 / math.pi * (angle + total) if is_odd else total
