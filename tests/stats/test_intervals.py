"""Intervals from a figure's variance, beside scipy, statsmodels, matrices of rows, and what must always hold."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from qa_frame.stats.intervals import (
    Spread,
    add_strata,
    size_units,
    smooth_variance,
    smoothed_bounds,
    spread_of_rows,
    unit_bounds,
    wilson,
)
from tests.reference.statistics import cr2, wilson_bounds

LEVELS = [0.1, 0.5, 0.9, 0.95, 0.999]


def spread_of_units(influence, n_in_unit):
    """Of units of one group."""
    units = size_units(
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


@given(rows=clustered_scores(), n_copies=st.integers(2, 5))
def test_copies_of_rows_in_clusters_change_no_spread(rows, n_copies):
    once, often = spread_of_mean(*rows), spread_of_mean(*(np.repeat(side, n_copies) for side in rows))
    np.testing.assert_allclose([often.variance, often.df], [once.variance, once.df], rtol=1e-9, atol=1e-15)


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


def test_one_large_cluster_leaves_few_degrees_of_freedom():
    """The spread then hangs on that one."""
    even, uneven = (spread_of_units(np.zeros(len(sizes)), sizes).df[0] for sizes in ([10] * 10, [91] + [1] * 9))
    assert even == pytest.approx(9)
    assert 1 <= uneven < 1.2


@pytest.mark.parametrize("n", [0, 1, 2])
def test_rows(n):
    found = spread_of_rows(np.array([0.25]), np.array([n]))
    assert found.df[0] == n - 1
    assert np.isnan(found.variance[0]) == (n < 2)


# ------------------------------------------------------------------------------------------------------------- Wilson


@pytest.mark.parametrize("level", LEVELS)
@given(n_right=st.integers(0, 40), n_wrong=st.integers(0, 40))
def test_wilson_as_by_scipy(level, n_right, n_wrong):
    n = n_right + n_wrong
    if not n:
        return
    found = wilson(np.array([n_right / n]), np.array([n]), stats.norm.ppf((1 + level) / 2))
    expected = stats.binomtest(n_right, n).proportion_ci(level, "wilson")
    np.testing.assert_allclose(np.ravel(found), expected, rtol=1e-9, atol=1e-12)


def test_wilson_of_nothing():
    assert np.isnan(wilson(np.array([0.5]), np.array([0]), np.array([1.96]))).all()


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_wilson_where_all_agree(share):
    low, high = wilson(np.array([share]), np.array([20]), 1.96)
    assert 0 <= low[0] <= share <= high[0] <= 1
    assert high[0] - low[0] > 0.1


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
    expected = wilson_bounds(
        value,
        spread.variance[0],
        spread.df[0],
        n_units=spread.n_units[0],
        n_rows=spread.n_rows[0],
        level=level,
        max_n=max_n[0],
    )
    np.testing.assert_allclose(np.ravel(found), expected, rtol=1e-7, atol=1e-9)


@given(case=spreads(), level=st.floats(0.001, 0.9999))
def test_bounds_are_from_0_to_1_enclose_the_value_and_have_a_width(case, level):
    value, spread, max_n = case
    (low,), (high,) = unit_bounds(np.array([value]), spread, max_n, level)
    assert 0 <= low <= value <= high <= 1
    assert low < high


@given(case=spreads(), levels=st.tuples(st.floats(0.01, 0.999), st.floats(0.01, 0.999)).map(sorted))
def test_a_higher_level_is_never_narrower(case, levels):
    value, spread, max_n = case
    (inner_low, inner_high), (low, high) = (unit_bounds(np.array([value]), spread, max_n, each) for each in levels)
    slack = 1e-12  # of rounding
    assert low[0] <= inner_low[0] + slack
    assert high[0] >= inner_high[0] - slack


@given(case=spreads(), factor=st.floats(1, 10))
def test_a_larger_variance_is_never_narrower(case, factor):
    value, spread, max_n = case
    larger = replace(spread, variance=spread.variance * factor)
    (inner_low, inner_high), (low, high) = (unit_bounds(np.array([value]), s, max_n, 0.95) for s in (spread, larger))
    assert low[0] <= inner_low[0] + 1e-12
    assert high[0] >= inner_high[0] - 1e-12


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", [2, 3, 20, 1000])
def test_zeros_have_the_interval_of_as_many_rows(level, n):
    """1 - the share that n zeros leave possible, with Student's t: t² / (n + t²)."""
    t = stats.t.ppf((1 + level) / 2, n - 1)
    low, high = unit_bounds(np.zeros(1), make_spread(0, n - 1, n, n), np.array([float(n)]), level)
    assert low[0] == 0
    assert high[0] == pytest.approx(t**2 / (n + t**2), rel=1e-9)
    low, high = unit_bounds(np.ones(1), make_spread(0, n - 1, n, n), np.array([float(n)]), level)
    assert high[0] == 1
    assert low[0] == pytest.approx(n / (n + t**2), rel=1e-9)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("n_right", "n"), [(1, 3), (5, 40), (99, 100)])
def test_single_right_and_wrong_rows_are_wilson(level, n_right, n):
    """With n (n - 1/2) / (n + 1/2) rows, a little more than n - 1, and the normal quantile that is as large."""
    share, t = n_right / n, stats.t.ppf((1 + level) / 2, n - 1)
    spread = make_spread(share * (1 - share) / (n - 1), n - 1, n, n)
    found = unit_bounds(np.array([share]), spread, np.array([float(n)]), level)
    effective = n * (n - 1 / 2) / (n + 1 / 2)
    expected = wilson(np.array([share]), np.array([effective]), t)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-12)


def test_a_value_that_rests_on_nothing_may_be_anything():
    found = unit_bounds(np.zeros(1), make_spread(0, 4, 5, 5), np.zeros(1), 0.95)
    assert np.ravel(found).tolist() == [0, 1]
    assert np.isnan(unit_bounds(np.array([np.nan]), make_spread(np.nan, 0, 0, 0), np.zeros(1), 0.95)).all()


@given(case=spreads(), level=st.sampled_from(LEVELS))
def test_misses_have_the_mirror_image_of_the_bounds_of_hits(case, level):
    value, spread, max_n = case
    assume(1 - (1 - value) == value)  # else the mirrored value is another one
    (low,), (high,) = unit_bounds(np.array([value]), spread, max_n, level)
    (mirrored_low,), (mirrored_high,) = unit_bounds(np.array([1 - value]), spread, max_n, level)
    assert (low, high) == (pytest.approx(1 - mirrored_high, abs=1e-12), pytest.approx(1 - mirrored_low, abs=1e-12))


def test_misses_in_one_row_of_many_leave_nearly_the_width_of_rows_of_0_and_1():
    """Nearly: 49 rows show their variance, 36.75 more that of rows of 0 and 1. The half row alone gave 0.009."""
    scores = np.r_[np.ones(49), 0.94]
    spread = spread_of_rows(np.array([scores.var(ddof=1) / 50]), np.array([50]))
    (low,), (high,) = unit_bounds(np.array([scores.mean()]), spread, spread.n_rows, 0.95)
    assert high < 1
    assert 0.03 < 1 - low < stats.binomtest(50, 50).proportion_ci(0.95, "wilson").high


def test_scores_that_vary_little_have_narrow_bounds_in_clusters():
    """As five rows of 0 and 1 the clusters would have a width of 0.41."""
    random = np.random.default_rng(0)
    clusters = np.repeat(np.arange(5), 10)
    scores = 0.8 + 0.057 * random.standard_normal(50)
    spread = spread_of_mean(scores, clusters)
    low, high = unit_bounds(np.array([scores.mean()]), spread, spread.n_rows, 0.95)
    assert 0.05 < high[0] - low[0] < 0.15


# ------------------------------------------------------------------------------------------------------------- strata


def spread_of_strata(n_right, n):
    """Of single rows of 0 and 1."""
    share = np.array(n_right) / np.array(n, float)
    spread = spread_of_rows(share * (1 - share) / np.maximum(np.array(n) - 1, 1), np.array(n))
    return spread, smooth_variance(share, spread, spread.n_rows)


def add_up(values):
    return values.sum(keepdims=True)


def test_two_strata_of_equal_weight():
    """12 of 20 and 90 of 100."""
    strata = spread_of_strata([12, 90], [20, 100])
    spread, smoothed = add_strata(*strata, np.array([0.5, 0.5]), add_up)
    low, high = smoothed_bounds(np.array([0.75]), smoothed, 0.95)
    found = [f"{spread.variance[0] ** 0.5:.4f}", f"{smoothed.df[0]:.1f}", f"{low[0]:.3f}", f"{high[0]:.3f}"]
    assert found == ["0.0582", "21.8", "0.614", "0.850"]


@given(n_right=st.integers(0, 30), n_wrong=st.integers(0, 30), level=st.sampled_from(LEVELS))
def test_one_stratum_is_as_good_as_none(n_right, n_wrong, level):
    n = n_right + n_wrong + 2
    value = np.array([n_right / n])
    stratum, of_stratum = spread_of_strata([n_right], [n])
    spread, smoothed = add_strata(stratum, of_stratum, np.ones(1), add_up)
    expected = unit_bounds(value, stratum, stratum.n_rows, level)
    np.testing.assert_allclose(smoothed_bounds(value, smoothed, level), expected, rtol=1e-12)
    np.testing.assert_allclose([spread.variance, spread.df], [stratum.variance, stratum.df], rtol=1e-12)


def test_strata_without_spread_are_worth_what_their_weights_say():
    """All of 10 and all of 40 are right: 1 / (1/4/10 + 1/4/40) = 32 rows, with Satterthwaite's degrees of freedom."""
    _, smoothed = add_strata(*spread_of_strata([10, 40], [10, 40]), np.array([0.5, 0.5]), add_up)
    assert smoothed.is_alike.all()
    assert smoothed.n_if_alike[0] == pytest.approx(32)
    assert smoothed.df[0] == pytest.approx((1 / 10 + 1 / 40) ** 2 / (1 / 10**2 / 9 + 1 / 40**2 / 39))
    low, high = smoothed_bounds(np.ones(1), smoothed, 0.95)
    t = stats.t.ppf(0.975, smoothed.df[0])
    assert (low[0], high[0]) == (pytest.approx(32 / (32 + t**2)), 1)


def test_a_stratum_of_one_row_leaves_no_variance():
    spread, smoothed = add_strata(*spread_of_strata([5, 1], [10, 1]), np.array([0.5, 0.5]), add_up)
    assert np.isnan([spread.variance, smoothed.variance]).all()
    assert np.isnan(smoothed_bounds(np.array([0.75]), smoothed, 0.95)).all()


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
