"""Power by statsmodels."""

from __future__ import annotations

import math

import numpy as np
import pytest

from qa_frame.ext.power.statistics import PlannedTest
from qa_frame.stats import sign_test
from qa_frame.stats.distributions import detectable_standard_errors
from tests.ext.power.test_power_of_signs import RATES, spread

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
    assert round(detectable_standard_errors(0.05, 0.8), 6) == 2.801585


@pytest.mark.parametrize(("win", "loss"), RATES)
def test_the_number_has_the_power_and_one_less_has_not(win, loss):
    test, (difference, sd) = PlannedTest(0.05, is_sign_test=True), spread(win, loss)
    if not sd:
        return
    n = test.units(difference, sd, 0.8)
    assert test.power(n - 1, difference, sd) < 0.8 <= test.power(n, difference, sd)


def test_simulated_power():
    random = np.random.default_rng(0)
    for win, loss in ((0.15, 0.1), (0.2, 0.02)):
        difference, sd = spread(win, loss)
        n = int(PlannedTest(0.05, is_sign_test=True).units(difference, sd, 0.8))
        counts = random.multinomial(n, [win, loss, 1 - win - loss], 4000)
        found = [
            up > down and sign_test.sign_test(int(up), int(up + down), mid_p=True) < 0.05 for up, down, _ in counts
        ]
        assert np.mean(found) > 0.8 - 3 * math.sqrt(0.16 / 4000)
