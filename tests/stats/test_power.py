"""Power by statsmodels; variances of a pilot by plain Python, by CR0 sums, and in simulations."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_frame.stats.pairing import Pairing
from qa_frame.stats.power import PlannedTest, gather_cells, pilot_variance, standard_errors

DESIGNS = [(0.05, 0.4975, 0.05, 0.8), (0.01, 0.3, 0.01, 0.9), (0.2, 1.0, 0.1, 0.5), (3.0, 1.7, 0.05, 0.975)]


@pytest.mark.parametrize(("difference", "sd", "alpha", "power"), DESIGNS)
def test_by_statsmodels(difference, sd, alpha, power):
    solver = pytest.importorskip("statsmodels.stats.power").NormalIndPower()
    # A two-sided test at alpha finds a difference in its own direction as often as a one-sided one at alpha / 2.
    given, test = {"alpha": alpha / 2, "ratio": 0, "alternative": "larger"}, PlannedTest(alpha)
    n = test.units(difference, sd, power)
    np.testing.assert_allclose(solver.power(difference / sd, n, **given), power, rtol=1e-9)
    for count in (10, 500):
        expected = solver.power(difference / sd, count, **given)
        np.testing.assert_allclose(test.power(count, difference, sd), expected, rtol=1e-9)
    least = test.difference(500, sd, power)
    np.testing.assert_allclose(test.power(500, least, sd), power, rtol=1e-9)


def test_examples():
    assert math.ceil(PlannedTest(0.05).units(0.05, math.sqrt(0.25 - 0.05**2), 0.8)) == 778
    assert round(PlannedTest(0.05).difference(1000, 0.5, 0.8), 4) == 0.0443
    assert round(standard_errors(0.05, 0.8), 6) == 2.801585


# --------------------------------------------------------------------------------------------------------- a pilot


def pilot(rows, *, n_questions, samples=1, unit_of=None):
    """The variance from rows of group, question and score."""
    groups, questions, scores = (np.array(column) for column in zip(*rows, strict=True))
    return variance_of(groups * n_questions + questions, scores.astype(np.float64), n_questions, samples, unit_of)


def variance_of(cell, scores, n_questions, samples=1, unit_of=None):
    """The variance from scores and the cell of each, those of the first group before those of the second."""
    starts = np.arange(n_questions) if unit_of is None else np.unique(unit_of, return_index=True)[1]
    cell_of = np.arange(2 * n_questions).reshape(2, n_questions)
    cell_of[~np.isin(cell_of, cell)] = -1
    pairing = Pairing(pd.Series(["a", "b"]), np.array([0]), np.array([1]), cell_of, starts)
    return pilot_variance(gather_cells(cell, scores, cell_of), (0, 1), pairing, samples)


scores = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=2, max_size=12)


@given(scores)
def test_of_one_sample_it_is_the_variance_of_differences(pairs):
    rows = [(group, place, score / 8) for place, both in enumerate(pairs) for group, score in enumerate(both)]
    found = pilot(rows, n_questions=len(pairs))
    expected = statistics.variance([(a - b) / 8 for a, b in pairs])
    np.testing.assert_allclose(found.variance, expected, rtol=1e-9, atol=1e-15)
    assert found.upper > found.variance
    assert found.n_units == len(pairs)


@given(scores, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(pairs, random):
    rows = [(group, place // 2, score / 7) for place, both in enumerate(pairs * 2) for group, score in enumerate(both)]
    shuffled = random.sample(rows, len(rows))
    assert pilot(rows, n_questions=len(pairs), samples=3) == pilot(shuffled, n_questions=len(pairs), samples=3)


def test_parts_between_and_among_samples():
    # Means .5 and .5, .75 and .25, 1 and 0; variances among two samples 0, .125, 0 (a) and .5, .125, 0 (b).
    of_a, of_b = [(0.5, 0.5), (0.5, 1.0), (1.0, 1.0)], [(0.0, 1.0), (0.0, 0.5), (0.0, 0.0)]
    rows = [
        (group, place, score)
        for group, side in enumerate((of_a, of_b))
        for place, both in enumerate(side)
        for score in both
    ]
    seen, among = statistics.variance([0.0, 0.5, 1.0]), 0.125 / 3 + 0.625 / 3
    for samples in (1, 2, 5):
        found = pilot(rows, n_questions=3, samples=samples)
        np.testing.assert_allclose(found.variance, seen - among / 2 + among / samples, rtol=1e-12)
    two = pilot(rows, n_questions=3, samples=2)
    np.testing.assert_allclose(pilot(rows, n_questions=3).upper, two.upper / seen * (seen + among / 2), rtol=1e-12)


def test_noise_alone_leaves_nothing_between_questions():
    rows = [(group, place, score) for group in (0, 1) for place in range(5) for score in (0.0, 1.0)]
    assert pilot(rows, n_questions=5, samples=4).variance == 2 * 0.5 / 4


def test_samples_that_the_pilot_does_not_tell():
    rows = [(group, place, place * group / 4) for group in (0, 1) for place in range(4)]
    assert pilot(rows, n_questions=4, samples=2) is None
    assert pilot([*rows, (0, 3, 1.0)], n_questions=4, samples=1) is not None


def test_clusters_by_hand():
    # Two clusters of one and three questions: the pull of each is its total less what its size explains.
    differences, unit_of = [0.5, 0.25, 0.0, 0.5], np.array([0, 1, 1, 1])
    rows = [(group, place, score if group == 0 else 0) for place, score in enumerate(differences) for group in (0, 1)]
    found = pilot(rows, n_questions=4, unit_of=unit_of)
    mean = 1.25 / 4
    pulls = [(0.5 - mean) / 2, (0.75 - 3 * mean) / 2]
    np.testing.assert_allclose(found.variance, sum(pull**2 for pull in pulls), rtol=1e-12)
    assert found.n_units == 2


def test_only_questions_that_both_have():
    rows = [(0, 0, 1.0), (1, 0, 0.5), (0, 1, 0.0), (1, 1, 0.5), (0, 2, 1.0), (1, 3, np.nan), (0, 3, 1.0)]
    found = pilot(rows, n_questions=4)
    assert found.n_units == 2
    np.testing.assert_allclose(found.variance, statistics.variance([0.5, -0.5]))
    assert math.isnan(pilot(rows[:2], n_questions=4).variance)


def test_nothing_varies():
    rows = [(group, place, 0.5) for group in (0, 1) for place in range(50)]
    found = pilot(rows, n_questions=50)
    assert found.variance == 0
    assert 0.02 < found.upper < 0.2


@pytest.mark.parametrize(("win", "loss"), [(0.02, 0.02), (0.15, 0.1), (0.3, 0.3)])
def test_the_upper_bound_is_above_the_variance_in_eighty_of_a_hundred_pilots(win, loss):
    random = np.random.default_rng(0)
    true, above = win + loss - (win - loss) ** 2, 0
    for _ in range(200):
        drawn = random.random(60)
        a, b = (drawn < win).astype(float), ((drawn >= win) & (drawn < win + loss)).astype(float)
        above += variance_of(np.arange(120), np.concatenate([a, b]), 60).upper >= true
    assert above >= 0.8 * 200
