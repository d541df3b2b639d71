"""Intervals from a figure's variance, beside scipy, statsmodels, plain Python, and what must always hold."""

from __future__ import annotations

import math
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from qa_frame.stats.intervals import (
    Spread,
    StudentInterval,
    measure_unit_sizes,
    satterthwaite,
    spread_of_rows,
    student_interval,
    unit_bounds,
)
from tests.reference.statistics import cr2, mean_bounds

LEVELS = [0.1, 0.5, 0.9, 0.95, 0.999]


def spread_of_units(influence, n_in_unit):
    """Of units of one group."""
    units = measure_unit_sizes(
        np.array([n_in_unit], float), add_up=lambda each: each.sum(axis=-1), of_unit=lambda each: each[:, None]
    )
    return units.spread(np.array([influence], float))


def spread_of_mean(scores, clusters):
    """Of the mean of these scores, in clusters."""
    _, place, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    influence = np.bincount(place, weights=scores - scores.mean()) / len(scores)
    return spread_of_units(influence, sizes)


def make_spread(variance, df, n_units, n_rows):
    return Spread(*(np.array([each], float) for each in (variance, df, n_units, n_rows)))


# ------------------------------------------------------------------------------------------------- spread of clusters


@st.composite
def clustered_scores(draw):
    sizes = draw(st.lists(st.integers(1, 9), min_size=2, max_size=8))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    clusters = random.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return random.random(len(clusters)).round(2), clusters


@given(rows=clustered_scores())
def test_cluster_variance_is_cr2_with_the_degrees_of_freedom_of_bell_and_mccaffrey(rows):
    found = spread_of_mean(*rows)
    variance, df = cr2(*rows)
    assert found.variance[0] == pytest.approx(variance, rel=1e-9, abs=1e-15)
    assert found.df[0] == pytest.approx(df, rel=1e-9)
    assert found.n_units[0] == pytest.approx(df + 1, rel=1e-9)
    assert found.n_rows[0] == len(rows[1])


@pytest.fixture(scope="module")
def clustered():
    """Statsmodels' variance of a mean in clusters, by CR1."""
    api = pytest.importorskip("statsmodels.api", reason="in the extra dev")

    def variance(scores, clusters):
        fit = api.OLS(scores, np.ones(len(scores))).fit(cov_type="cluster", cov_kwds={"groups": clusters})
        return fit.cov_params().item()

    return variance


@pytest.mark.thorough
@pytest.mark.parametrize(("n_clusters", "size"), [(2, 3), (10, 1), (12, 8)])
def test_clusters_of_equal_size_as_by_statsmodels(clustered, n_clusters, size):
    """Then CR2 is CR1, and there are as many degrees of freedom as clusters, less one."""
    scores = np.random.default_rng(size).random(n_clusters * size)
    clusters = np.repeat(np.arange(n_clusters), size)
    found = spread_of_mean(scores, clusters)
    assert found.variance[0] == pytest.approx(clustered(scores, clusters), rel=1e-10)
    assert found.df[0] == pytest.approx(n_clusters - 1, rel=1e-10)


@pytest.mark.thorough
@given(rows=clustered_scores())
def test_cluster_variance_beside_that_of_statsmodels(clustered, rows):
    """CR1 has one factor for all clusters, CR2 one for each: none is less than 1 or more than the largest."""
    scores, clusters = rows
    n_clusters, largest = len(set(clusters)), np.bincount(clusters).max() / len(clusters)
    plain = clustered(scores, clusters) * (n_clusters - 1) / n_clusters
    variance = spread_of_mean(scores, clusters).variance[0]
    assert plain * (1 - 1e-9) <= variance <= plain / (1 - largest) * (1 + 1e-9)


@given(scores=st.lists(st.sampled_from([0.0, 0.25, 0.7, 1.0]), min_size=2, max_size=30))
def test_units_of_one_row_are_rows(scores):
    scores = np.array(scores)
    n = len(scores)
    found = spread_of_mean(scores, np.arange(n))
    expected = spread_of_rows(np.array([scores.var(ddof=1) / n]), np.array([n]))
    assert found.variance[0] == pytest.approx(expected.variance[0], rel=1e-12, abs=1e-18)
    assert found.df[0] == pytest.approx(expected.df[0], rel=1e-12)
    assert found.n_units[0] == pytest.approx(n, rel=1e-12)
    assert found.n_rows[0] == expected.n_rows[0] == expected.n_units[0] == n


@given(rows=clustered_scores())
def test_units_without_scored_rows_do_not_count(rows):
    scores, clusters = rows
    sizes = np.bincount(clusters)
    influence = np.bincount(clusters, weights=scores - scores.mean()) / len(scores)
    found = spread_of_units(np.r_[0, influence, 0], np.r_[0, sizes, 0])
    expected = spread_of_units(influence, sizes)
    for name in ("variance", "df", "n_units", "n_rows"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-13)


@pytest.mark.parametrize("sizes", [[5], [0, 5], [0], []])
def test_fewer_than_two_units_have_no_spread(sizes):
    found = spread_of_units(np.zeros(len(sizes)), sizes)
    assert np.isnan(found.variance).all()
    assert found.n_units[0] == sum(size > 0 for size in sizes)
    assert np.isnan(unit_bounds(np.array([0.5]), found, found.n_rows, 0.95)).all()
    assert np.isnan(unit_bounds(np.array([5.0]), found, found.n_rows, 0.95, 0.0)).all()


@pytest.mark.parametrize("n", [0, 1, 2])
def test_rows(n):
    found = spread_of_rows(np.array([0.25]), np.array([n]))
    assert found.df[0] == n - 1
    assert np.isnan(found.variance[0]) == (n < 2)


# -------------------------------------------------------------------------------------------------------- unit_bounds

values = st.floats(0, 1, allow_subnormal=False) | st.sampled_from([0.0, 1.0, 0.5, 1e-300, 1 - 2.0**-53])


@st.composite
def spreads(draw):
    """Of figures from 0 to 1: a variance that such a figure can have, but for rounding."""
    n_units = draw(st.integers(2, 60))
    n_rows = n_units * draw(st.integers(1, 5))
    value = draw(values)
    variance = value * (1 - value) * draw(st.floats(0, 2)) / n_units
    df = draw(st.floats(1, n_units - 1))
    max_n = draw(st.integers(1, n_rows))
    return value, make_spread(variance, df, n_units, n_rows), np.array([float(max_n)])


@given(case=spreads(), level=st.sampled_from(LEVELS))
def test_bounds_by_the_formula(case, level):
    value, spread, max_n = case
    found = unit_bounds(np.array([value]), spread, max_n, level)
    expected = mean_bounds(
        value,
        spread.variance[0],
        spread.df[0],
        n_units=spread.n_units[0],
        n_rows=spread.n_rows[0],
        level=level,
        max_n=max_n[0],
    )
    np.testing.assert_allclose(np.ravel(found), expected, rtol=1e-9, atol=1e-9)


scores_of_rows = st.lists(
    st.sampled_from([0.0, 1.0, 0.25, 0.9, 1 / 3]) | st.floats(0, 1, width=16), min_size=2, max_size=40
)


def coverage_of_shares(n, shares):
    """By all possible numbers of hits; of 95 % intervals."""
    hits = np.arange(n + 1)
    value = hits / n
    spread = spread_of_rows(value * (1 - value) / (n - 1), np.full(n + 1, n))
    low, high = unit_bounds(value, spread, spread.n_rows, 0.95)
    holds = (low <= shares[:, None]) & (shares[:, None] <= high)
    return (stats.binom.pmf(hits, n, shares[:, None]) * holds).sum(axis=1)


@pytest.mark.parametrize("n", [20, 50, 200])
def test_intervals_of_right_and_wrong_hold_in_93_of_100(n):
    """Exactly, for all true shares."""
    shares = np.concatenate([np.geomspace(1e-6, 0.1, 800), np.linspace(0.1, 0.5, 800)])
    assert coverage_of_shares(n, shares).min() >= 0.93
    assert coverage_of_shares(n, 1 - shares).min() >= 0.93


@pytest.mark.parametrize(("n", "most"), [(20, 0.063), (200, 0.0172)])
def test_narrow_grades_have_nearly_students_width(n, most):
    """Grades near 0.8 with a deviation of 0.06: Student's are 0.055 and 0.0167 wide."""
    x = stats.norm.ppf((np.arange(n) + 0.5) / n)
    x = 0.8 + 0.06 * x / x.std(ddof=1)
    spread = spread_of_rows(np.array([x.var(ddof=1) / n]), np.array([n]))
    (low,), (high,) = unit_bounds(np.array([x.mean()]), spread, spread.n_rows, 0.95)
    student = 2 * stats.t.ppf(0.975, n - 1) * 0.06 / math.sqrt(n)
    assert student < high - low < most


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", [2, 3, 20, 1000])
def test_zeros_have_a_zero_and_a_one_beside_them(level, n):
    x = [0.0] * (n + 1) + [1.0]
    low, high = unit_bounds(np.zeros(1), make_spread(0, n - 1, n, n), np.array([float(n)]), level)
    expected = stats.t.interval(level, n + 1, np.mean(x), stats.sem(x))[1]
    assert (low[0], high[0]) == (0, pytest.approx(min(expected, 1)))
    low, high = unit_bounds(np.ones(1), make_spread(0, n - 1, n, n), np.array([float(n)]), level)
    assert (low[0], high[0]) == (pytest.approx(max(1 - expected, 0)), 1)


def test_a_value_that_rests_on_nothing_may_be_anything():
    found = unit_bounds(np.zeros(1), make_spread(0, 4, 5, 5), np.zeros(1), 0.95)
    assert np.ravel(found).tolist() == [0, 1]
    assert np.isnan(unit_bounds(np.array([np.nan]), make_spread(np.nan, 0, 0, 0), np.zeros(1), 0.95)).all()


# ------------------------------------------------------------------------------------------------------------- strata


def add_up(values):
    return values.sum(keepdims=True)


def bounds_over_strata(strata, weights, level):
    """Of strata of independent rows, one after the other: each gets its part of the units that it would get alone.

    That is the part of the variance that it would have, were all rows to vary alike.
    """
    alike = math.fsum(weight**2 / len(scores) for scores, weight in zip(strata, weights, strict=True))
    center, total, value, freedom = 0.0, 0.0, 0.0, 0.0
    for scores, weight in zip(strata, weights, strict=True):
        n, mean = len(scores), math.fsum(scores) / len(scores)
        squares = math.fsum((score - mean) ** 2 for score in scores)
        w = 1.0
        if 0 < mean < 1 and squares > 1e-20:
            shown, squared_cv = squares / (n * mean * (1 - mean)), squares / (n - 1) / min(mean, 1 - mean) ** 2
            w = min(squared_cv / 2, 1) * (1 + min(shown, 1)) / 2
        w *= weight**2 / n / alike
        middle = (math.fsum(scores) + w) / (n + 2 * w)
        around = math.fsum((score - middle) ** 2 for score in scores) + w * middle**2 + w * (1 - middle) ** 2
        part = weight**2 * around / (n + 2 * w - 1) / (n + 2 * w)
        center, value, total = center + weight * middle, value + weight * mean, total + part
        freedom += part**2 / (n - 1 + 2 * w)
    half = stats.t.ppf((1 + level) / 2, total**2 / freedom) * math.sqrt(total)
    return max(min(center - half, value), 0.0), min(max(center + half, value), 1.0)


@pytest.mark.parametrize("level", LEVELS)
@given(strata=st.lists(scores_of_rows, min_size=1, max_size=5), is_equal=st.booleans())
def test_strata_by_a_loop_over_them(level, strata, is_equal):
    sizes = np.array([len(scores) for scores in strata])
    weights = np.full(len(strata), 1 / len(strata)) if is_equal else sizes / sizes.sum()
    values = np.array([np.mean(scores) for scores in strata])
    spread = spread_of_rows(np.array([np.var(scores, ddof=1) / len(scores) for scores in strata]), sizes)
    alike = weights**2 / sizes
    parts = student_interval(values, spread, spread.n_rows, alike / alike.sum())
    found = np.clip(parts.add_up(weights, add_up).bounds(level), 0, 1)
    np.testing.assert_allclose(np.ravel(found), bounds_over_strata(strata, weights, level), rtol=1e-8, atol=1e-8)


def test_a_stratum_of_one_row_leaves_no_bounds():
    shares, sizes = np.array([0.5, 1.0]), np.array([10, 1])
    spread = spread_of_rows(np.array([0.25 / 9, 0]), sizes)
    parts = student_interval(shares, spread, spread.n_rows, 0.5)
    assert np.isnan(parts.add_up(np.array([0.5, 0.5]), add_up).bounds(0.95)).all()


def test_degrees_of_freedom_of_a_sum():
    """Satterthwaite's, and the sum of all where no variance is larger than 0."""
    variances, dfs = np.array([0.3, 0.1]), np.array([4.0, 9.0])
    assert satterthwaite(variances, dfs, add_up)[0] == pytest.approx(0.4**2 / (0.3**2 / 4 + 0.1**2 / 9))
    assert satterthwaite(0 * variances, dfs, add_up)[0] == 13


# ------------------------------------------------------------------------------------------------------------- groups


@given(cases=st.lists(spreads(), min_size=2, max_size=5), level=st.sampled_from(LEVELS))
def test_bounds_do_not_depend_on_other_groups(cases, level):
    """To the last bit."""
    alone = np.concatenate(
        [unit_bounds(np.array([value]), spread, max_n, level) for value, spread, max_n in cases], axis=1
    )
    names = (field.name for field in fields(Spread))
    together = Spread(*(np.concatenate([getattr(spread, name) for _, spread, _ in cases]) for name in names))
    max_n = np.concatenate([each for *_, each in cases])
    found = unit_bounds(np.array([value for value, *_ in cases]), together, max_n, level)
    np.testing.assert_array_equal(found, alone)


# ------------------------------------------------------------------------------------------------------------ Student


def plain_interval(value, variance, df, middle=None):
    value, middle, variance, df = (
        np.array([float(each)]) for each in (value, value if middle is None else middle, variance, df)
    )
    return StudentInterval(value, middle, variance, df)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("df", [1, 1.7, 30, 2000])
def test_students_interval_as_by_scipy(level, df):
    found = plain_interval(-3.5, 0.04, df).bounds(level)
    np.testing.assert_allclose(np.ravel(found), stats.t.interval(level, df, -3.5, 0.2), rtol=1e-8)
    outside = unit_bounds(np.array([-3.5]), make_spread(0.04, df, 9, 9), np.array([9.0]), level, 0.0)
    np.testing.assert_allclose(np.ravel(outside), stats.t.interval(level, df, -3.5, 0.2), rtol=1e-8)


@given(
    value=st.floats(-1, 1),
    middle=st.floats(-1, 1),
    error=st.floats(0.01, 1),
    df=st.floats(1, 50),
    level=st.sampled_from([0.5, 0.9, 0.95]),
)
def test_p_is_below_alpha_just_where_the_interval_lacks_0(value, middle, error, df, level):
    interval = plain_interval(value, error**2, df, middle)
    (low,), (high,) = interval.bounds(level)
    assert low <= value <= high
    assume(min(abs(low), abs(high)) > 1e-9 or value == 0)
    assert (interval.p[0] < 1 - level) == (low > 0 or high < 0)
    if value * middle > 0:
        assert interval.p[0] == pytest.approx(2 * stats.t.sf(abs(middle) / error, df), abs=1e-12)


def test_values_without_variance():
    """They are certain, as far as one can see."""
    same = plain_interval(0.0, 0.0, 5)
    assert np.ravel(same.bounds(0.95)).tolist() == [0, 0]
    assert same.p.tolist() == [1]
    assert plain_interval(0.2, 0.0, 5).p.tolist() == [0]
    assert np.isnan(plain_interval(0.2, np.nan, 0).p).all()
