"""Random signs of units: each as often + as -, in sums of any number of units; the level and the share they give."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from qa_frame.stats import sign_flips
from qa_frame.stats.contrasts import Pairing, make_contrast
from qa_frame.stats.differences import plan_draws
from qa_frame.stats.permutation import sign_flip_test
from qa_frame.stats.statistic import Mean


def pair_of(differences):
    """Two groups whose scores differ by these."""
    scores = np.concatenate([np.maximum(differences, 0), np.maximum(-differences, 0)])
    n = len(differences)
    pairing = Pairing(pd.Series(["a", "b"]), np.array([0]), np.array([1]), np.arange(2 * n).reshape(2, n), np.arange(n))
    return make_contrast(Mean("f1"), scores[None], np.ones(2 * n, np.bool_), pairing)


def draw(lines, n_draws, seed=0):
    drawn = sign_flips.SignFlips(lines, seed)
    return np.concatenate([drawn.sums(part) for part in drawn.batches(0, n_draws)])


@pytest.mark.parametrize("n_units", [1, 9, 4096, 4097, 20_000])
def test_sums_have_the_moments_of_random_signs(n_units):
    random = np.random.default_rng(0)
    lines = random.random((n_units, 3))
    drawn = draw(lines, 4000)
    assert drawn.shape == (4000, 3)
    scale = np.sqrt((lines**2).sum(axis=0))
    assert (np.abs(drawn.mean(axis=0)) < 5 * scale / np.sqrt(4000)).all()
    np.testing.assert_allclose(drawn.std(axis=0), scale, rtol=0.08)
    np.testing.assert_allclose((drawn[:, 0] * drawn[:, 1]).mean(), (lines[:, 0] * lines[:, 1]).sum(), rtol=0.15)


@pytest.mark.parametrize("n_units", [100, 9000])
def test_signs_are_the_same_for_all_lines_and_in_all_parts(n_units):
    lines = np.random.default_rng(1).random((n_units, 4))
    every = draw(lines, 600)
    np.testing.assert_allclose(draw(lines[:, 2:3], 600), every[:, 2:3])
    np.testing.assert_allclose(draw(np.hstack([lines, -lines]), 600)[:, 4:], -every)
    later = sign_flips.SignFlips(lines, 0).batches(0, 600)[-1]
    np.testing.assert_array_equal(sign_flips.SignFlips(lines, 0).sums(later), every[later.start :])
    assert not np.array_equal(draw(lines, 600, seed=1), every)


def test_every_unit_has_signs_of_its_own_where_many_are_put_together():
    """Units of one block are not swapped as one: over the parts of the draws their signs do not go together."""
    n_units = 3 * 4096
    lines = np.zeros((n_units, 6))
    units = np.random.default_rng(0).permutation(n_units)[:6]
    lines[units, range(6)] = 1
    drawn = draw(lines, 20_000)
    assert set(np.unique(drawn)) == {-1.0, 1.0}
    assert np.abs(drawn.mean(axis=0)).max() < 6 / np.sqrt(20_000)


@pytest.mark.thorough
@pytest.mark.parametrize("shift", [0.0, 0.01, 0.02, 0.03])
def test_the_share_of_many_units_is_that_of_their_sum(shift):
    """Of so many units the sum is normal to within less than the error of the draws."""
    random = np.random.default_rng(5)
    differences = np.clip(random.normal(shift, 0.9, 9000), -1, 1).round(3)
    n_draws, n_seeds = 2000, 20
    found = [
        sign_flip_test(pair_of(differences), plan_draws(n_draws, n_tests=1, ci=0.95, seed=seed)).p[0]
        for seed in range(n_seeds)
    ]
    expected = 2 * stats.norm.sf(abs(differences.sum()) / np.sqrt((differences**2).sum()))
    expected = (1 + n_draws * expected) / (1 + n_draws)
    error = np.sqrt(max(expected * (1 - expected), 1e-6) / n_draws)
    assert abs(np.mean(found) - expected) < 5 * error / np.sqrt(n_seeds)
    assert np.std(found) < 1.7 * error  # hardly more than of independent draws; 20 seeds tell it to a sixth


@pytest.mark.thorough
def test_where_there_is_no_difference_the_test_seldom_finds_one():
    """More units than blocks; heavy tails; draws that are added where p is small."""
    random = np.random.default_rng(11)
    draws = plan_draws(199, n_tests=1, ci=0.95, seed=0)
    p = []
    for run in range(400):
        sizes = random.pareto(2.5, 4500) / 100
        differences = np.clip(sizes, 0, 1) * random.choice([-1, 1], 4500)
        p.append(sign_flip_test(pair_of(differences), plan_draws(199, n_tests=1, ci=0.95, seed=run)).p[0])
    assert draws.n_all == 199
    assert np.mean(np.array(p) <= 0.05) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


@pytest.mark.parametrize("n_tests", [1, 25, 26, 528, 10**6])
def test_draws_grow_with_the_tests(n_tests):
    draws = plan_draws(None, n_tests=n_tests, ci=0.95, seed=0)
    assert draws.n_first == 10_000
    assert draws.n_all == min(max(10_000, 400 * n_tests), 10_000_000)
    assert draws.n_enough == 400 * n_tests
    assert plan_draws(77, n_tests=n_tests, ci=0.95, seed=0).n_all == 77


def test_a_difference_that_no_swap_would_reach_is_not_drawn(monkeypatch):
    """Its p is what all draws would give."""
    differences = np.linspace(0.5, 1, 300)
    draws = plan_draws(None, n_tests=528, ci=0.95, seed=0)
    monkeypatch.setattr(sign_flips.SignFlips, "sums", None)
    found = sign_flip_test(pair_of(differences), draws)
    assert found.p.tolist() == [1 / 211_201]
    assert found.is_exhausted.tolist() == [True]


def test_all_signs():
    found = sign_flips.all_signs(3)
    assert found.shape == (8, 3)
    assert len({tuple(row) for row in found.tolist()}) == 8
    assert set(np.unique(found)) == {-1.0, 1.0}
