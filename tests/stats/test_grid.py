"""A small run of the grid of designs: intervals hold, are not needlessly wide, and tests hold their level."""

from __future__ import annotations

import numpy as np
import pytest

from tests.benchmarks import grid

pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore::qa_frame.IntervalWarning")]

N_DRAWS = 400


@pytest.mark.parametrize("part", grid.PARTS, ids=[part.__name__ for part in grid.PARTS])
def test_intervals_hold_and_are_not_needlessly_wide(part):
    """Of 400 draws with a coverage of 90 %, 5 standard errors less are 82 %."""
    outcomes = list(part(N_DRAWS))
    held = np.array([each.coverage for each in outcomes])
    assert held.mean() >= 0.94
    seldom_seen = [each.design for each in outcomes if each.coverage < 0.82]
    assert set(seldom_seen) <= {"difference: graded, seldom and large"}
    for each in outcomes:
        assert each.width / each.t_width < 1.5 or np.isnan(each.t_width), each


def test_clusters_of_scores_that_vary_little_are_as_narrow_as_the_formula_says():
    """Near .8 with sd .06: five clusters of ten had a width of .41, twenty of ten one of .09."""
    found = {each.layout: each for each in grid.means(N_DRAWS) if each.design == "graded, sd .06"}
    assert 0.11 < found["5 clusters of 10"].width < 0.13
    assert found["20 clusters of 10"].width < 0.04


def test_tests_hold_their_level_and_find_more_than_the_exact_one():
    n_runs = 200
    rows = list(grid.results_of_tests(n_runs))
    slack = 5 * (grid.ALPHA * (1 - grid.ALPHA) / n_runs) ** 0.5
    assert max(float(row[3]) for row in rows) < 100 * (grid.ALPHA + slack)
    power = {(row[0], row[1], row[2]): float(row[4]) for row in rows}
    for (name, n, test), reached in power.items():
        if test == "permutation":
            assert reached >= power[name, n, "permutation, mid_p=False"]
