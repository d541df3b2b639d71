"""Student's t, beside scipy's: quantiles, two-sided probabilities, and what few units do to a bootstrap."""

from __future__ import annotations

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from qa_frame.stats.bootstrap import expanded_tails
from qa_frame.stats.distributions import normal_quantile, t_above, t_quantiles, t_two_sided

LEVELS = [0.1, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.99999]
WHOLE = np.array([*range(1, 40), 99, 100, 250, 998, 999, 1000, 1001, 12345, 10**6, 10**9], float)
FRACTIONAL = np.r_[
    np.arange(1, 12, 0.37), 1.0001, 1.5, 2.999, 17.25, 123.456, 999.5, 999.999, 1000.001, 1234.5, 98765.4
]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("df", [WHOLE, FRACTIONAL], ids=["whole", "fractional"])
def test_quantiles_are_those_of_scipy(level, df):
    rtol = 1e-9 if level < 0.9999 else 5e-9
    np.testing.assert_allclose(t_quantiles(level, df), stats.t.ppf((1 + level) / 2, df), rtol=rtol)


@pytest.mark.parametrize("level", LEVELS)
def test_normal_quantiles_are_those_of_scipy(level):
    np.testing.assert_allclose(normal_quantile(level), stats.norm.ppf((1 + level) / 2), rtol=1e-12)


def test_quantiles_keep_the_shape():
    df = FRACTIONAL[:12].reshape(3, 4)
    np.testing.assert_array_equal(t_quantiles(0.9, df), t_quantiles(0.9, df.ravel()).reshape(3, 4))
    assert t_quantiles(0.9, np.zeros((2, 0))).shape == (2, 0)


def test_no_degrees_of_freedom():
    df = np.array([[-1, 0, 0.5, np.nan], [1, 1.5, 2, 1e9]])
    for found in (t_quantiles(0.95, df), t_two_sided(np.ones(df.shape), df)):
        np.testing.assert_array_equal(np.isnan(found), [[True] * 4, [False] * 4])


@given(level=st.sampled_from(LEVELS), df=st.lists(st.floats(1, 3000), min_size=1, max_size=12))
def test_a_quantile_does_not_depend_on_the_others(level, df):
    """To the last bit: else an interval would change with groups that it has nothing to do with."""
    alone = np.concatenate([t_quantiles(level, np.array([each])) for each in df])
    np.testing.assert_array_equal(t_quantiles(level, np.array(df)), alone)


@pytest.mark.parametrize("df", [WHOLE, FRACTIONAL], ids=["whole", "fractional"])
def test_two_sided_probabilities_are_those_of_scipy(df):
    df, t = df[df <= 1e6], np.array([0.0, 1e-9, 0.1, 0.5, 1, 1.96, 3, 6, 12.7, 40])[:, None]
    np.testing.assert_allclose(t_two_sided(t, df), 2 * stats.t.sf(t, df), rtol=0, atol=1e-9)


@pytest.mark.parametrize("df", [WHOLE, FRACTIONAL], ids=["whole", "fractional"])
def test_one_sided_probabilities_are_those_of_scipy(df):
    df, t = df[df <= 1e6], np.array([0.0, 1e-9, 0.1, 1, 1.96, 6, 40, 41, 1e3, 1e6, np.inf])[:, None]
    for sign in (1, -1):
        np.testing.assert_allclose(t_above(sign * t, df), stats.t.sf(sign * t, df), rtol=0, atol=1e-9)
    assert np.isnan(t_above(np.array([np.nan, 1.0]), np.array([5.0, 0.0]))).all()


# ----------------------------------------------------------------------------------------------- few units, bootstrap


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("n", [2, 3, 10, 50, 2000])
def test_tails_are_expanded_as_by_hesterberg(level, n):
    expected = stats.norm.cdf(-np.sqrt(n / (n - 1)) * stats.t.ppf((1 + level) / 2, n - 1))
    assert expanded_tails(level, np.array(n)) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("level", [0.99, 0.999, 0.99999])
def test_high_quantiles_to_the_last_digits(level):
    """With 250 degrees of freedom they were wrong by 1e-12 to 6e-10."""
    expected = -special.stdtrit(250, (1 - level) / 2)
    if tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 17):  # those of earlier versions are rounded earlier
        assert t_quantiles(level, np.array([250.0]))[0] == pytest.approx(expected, rel=1e-13)
    assert t_two_sided(t_quantiles(level, np.array([250.0])), np.array([250.0]))[0] == pytest.approx(
        1 - level, rel=1e-12
    )
