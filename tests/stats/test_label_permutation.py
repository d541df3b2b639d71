"""The permutation test of labels over all labels in plain Python, by sums, and in simulations."""

from __future__ import annotations

import itertools
import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from qa_frame.stats.differences import plan_draws
from qa_frame.stats.label_permutation import LabelledUnits, label_test, recovered_difference, too_few_labels, welch_df

DRAWS = plan_draws(None, n_tests=1, ci=0.95, seed=0)


def p_of(first, second, sizes=None, *, draws=DRAWS):
    totals = np.concatenate([first, second]).astype(float)
    sizes = np.ones(len(totals)) if sizes is None else np.array(sizes, float)
    units = LabelledUnits(totals, sizes, len(first))
    return label_test(units, draws, df=float(len(totals) - 2))[0]


def plain_t(first, second):
    """Welch's t of fractions; 0 where means are equal, infinite where nothing else varies."""
    difference = statistics.mean(first) - statistics.mean(second)
    variance = statistics.variance(first) / len(first) + statistics.variance(second) / len(second)
    if difference == 0:
        return 0.0
    return abs(difference) / math.sqrt(variance) if variance else math.inf


scores = st.lists(st.integers(0, 50), min_size=2, max_size=5)


@given(scores, scores)
def test_few_units_by_all_labels_in_plain_python(first, second):
    if len({*first, *second}) < 3:
        return
    every = [Fraction(each, 50) for each in (*first, *second)]
    least, n_extreme, n_ways = plain_t(every[: len(first)], every[len(first) :]), 0, 0
    for chosen in itertools.combinations(range(len(every)), len(first)):
        others = [each for place, each in enumerate(every) if place not in chosen]
        n_extreme += plain_t([every[place] for place in chosen], others) >= least * (1 - 1e-10)
        n_ways += 1
    assert p_of(np.array(first) / 50, np.array(second) / 50) == pytest.approx(n_extreme / n_ways, abs=1e-9)


def test_a_p_that_is_just_the_level_is_not_below_it():
    one, none = np.ones(3), np.zeros(3)
    assert p_of(one, none) == 0.05
    assert p_of(one, [0, 0, 1]) == 0.2


@pytest.mark.parametrize(
    ("right", "n"), [((24, 15), (30, 25)), ((97, 44), (100, 50)), ((3, 0), (60, 40)), ((50, 50), (50, 60))]
)
def test_two_scores_by_sums_over_all_tables(right, n):
    first, second = (np.arange(size) < hits for hits, size in zip(right, n, strict=True))
    total = sum(right)
    counts = np.arange(max(0, total - n[1]), min(total, n[0]) + 1)
    shares = stats.hypergeom.pmf(counts, sum(n), total, n[0])

    def statistic(hits):
        rates = np.array([hits / n[0], (total - hits) / n[1]])
        variance = (rates * (1 - rates) / (np.array(n)[:, None] - 1)).sum(axis=0)
        with np.errstate(divide="ignore"):
            return np.abs(rates[0] - rates[1]) / np.sqrt(variance)

    found, least = statistic(counts.astype(float)), statistic(np.array([float(right[0])]))[0]
    is_same = np.isclose(found, least, rtol=1e-9)
    expected = shares[(found > least) & ~is_same].sum() + shares[is_same].sum() / 2
    assert p_of(first, second) == pytest.approx(expected, abs=1e-9)


def test_drawn_labels_agree_with_all_labels():
    random = np.random.default_rng(3)
    first, second = random.random(9), random.random(8) + 0.2
    every = p_of(first, second, draws=plan_draws(100_000, n_tests=1, ci=0.95, seed=0))
    drawn = p_of(first, second, draws=plan_draws(20_000, n_tests=1, ci=0.95, seed=0))
    assert abs(every - drawn) < 0.015
    assert drawn != every


def test_many_units_by_students_distribution():
    random = np.random.default_rng(4)
    first, second = random.random(1500), random.random(1200) + 0.02
    found = stats.ttest_ind(first, second, equal_var=False)
    assert p_of(first, second) == pytest.approx(2 * stats.t.sf(abs(found.statistic), 2698), abs=1e-9)


def test_groups_that_are_alike():
    assert p_of([1, 1, 1], [1, 1, 1]) == 1
    assert p_of([0.2, 0.4], [0.4, 0.2]) == 1
    assert np.isnan(p_of([0.2], [0.4, 0.2, 0.3]))
    assert p_of([1, 1, 1, 1], [0, 0, 0, 0]) == pytest.approx(1 / 70)


def test_clusters_of_one_row_are_rows():
    random = np.random.default_rng(5)
    first, second = random.random(30), random.random(40)
    assert p_of(first, second) == p_of(first, second, np.ones(70))
    assert p_of(3 * first, 3 * second, np.full(70, 3)) == p_of(first, second)


@pytest.mark.parametrize("shares", [(0.05, 0.05), (0.5, 0.5), (0.95, 0.95)])
@pytest.mark.parametrize("sizes", [(20, 20), (20, 200)])
def test_it_holds_its_level_on_both_sides(shares, sizes):
    random = np.random.default_rng(6)
    rejected = np.mean(
        [p_of(*(random.random(n) < share for n, share in zip(sizes, shares, strict=True))) < 0.05 for _ in range(400)]
    )
    assert rejected <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400) + 0.01  # mid-p may be a little above


def test_recovered_bounds_are_newcombes():
    # Newcombe (1998), method 10: 56/70 - 48/80 has the 95 % interval 0.0524 to 0.3339.
    sides = []
    for hits, n in ((56, 70), (48, 80)):
        low, high = stats.binomtest(hits, n).proportion_ci(method="wilson")
        sides.append(([hits / n], [low], [high]))
    low, high = recovered_difference(*(np.array(each) for each in zip(*sides, strict=True)))
    np.testing.assert_allclose([low[0], high[0]], [0.0524, 0.3339], atol=5e-5)


def test_degrees_of_freedom():
    random = np.random.default_rng(7)
    first, second = random.random(10), 3 * random.random(25)
    variances = np.array([[first.var(ddof=1) / 10], [second.var(ddof=1) / 25]])
    found = welch_df(variances, np.array([[9.0], [24.0]]))
    assert found[0] == pytest.approx(stats.ttest_ind(first, second, equal_var=False).df, rel=1e-9)
    assert welch_df(np.zeros((2, 1)), np.array([[9.0], [24.0]]))[0] == 33


def test_too_few():
    assert too_few_labels(3, 3, 0.05)
    assert too_few_labels(3, 3, 0.1)  # 2 of 20 ways are as far from 0
    assert not too_few_labels(3, 4, 0.05)
    assert not too_few_labels(5, 5000, 0.05)
