"""Levels of looks by integrals, by what is known of them, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from qa_frame.stats.looks import distance_for_looks, even_shares, levels_of_looks, power_of_looks
from qa_frame.stats.power import standard_errors
from tests.reference import looks as plain


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.2])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_two_looks_by_integrals(alpha, share):
    levels = levels_of_looks(alpha, (share, 1.0))
    assert abs(levels[0] - alpha * share**3) < 1e-12
    bounds = stats.norm.isf(levels / 2)
    crossed, _ = plain.crossing(bounds, (share, 1.0))
    assert abs(crossed - (alpha - levels[0])) < 1e-9


def test_power_of_two_looks_by_integrals():
    bounds = stats.norm.isf(levels_of_looks(0.05, (0.5, 1.0)) / 2)
    for distance in (0.5, 2.0, 3.0):
        _, second = plain.crossing(bounds, (0.5, 1.0), distance)
        first = stats.norm.sf(bounds[0] - distance * math.sqrt(0.5))
        assert abs(power_of_looks(distance, 0.05, 2) - first - second) < 1e-9
    assert abs(power_of_looks(distance_for_looks(0.05, 0.8, 2), 0.05, 2) - 0.8) < 1e-9


def test_one_look_is_none_more():
    assert abs(levels_of_looks(0.05, (1.0,))[0] - 0.05) < 1e-12
    assert abs(distance_for_looks(0.05, 0.8, 1) - standard_errors(0.05, 0.8)) < 1e-4  # but for the wrong direction


def test_later_looks_do_not_change_earlier_levels():
    some, more = levels_of_looks(0.05, (0.2, 0.5)), levels_of_looks(0.05, (0.2, 0.5, 1.0))
    np.testing.assert_allclose(some, more[:2], rtol=1e-12)


@pytest.mark.parametrize("n_looks", [3, 5, 10])
def test_all_looks_together_hold_the_level_and_the_power(n_looks):
    random, n_draws = np.random.default_rng(n_looks), 100_000
    steps = random.normal(size=(n_draws, n_looks)) / math.sqrt(n_looks)
    shares = np.array(even_shares(n_looks))
    bounds = stats.norm.isf(levels_of_looks(0.05, even_shares(n_looks)) / 2)
    walk = np.cumsum(steps, axis=1)
    rejected = (np.abs(walk) / np.sqrt(shares) > bounds).any(axis=1).mean()
    assert abs(rejected - 0.05) < 4 * math.sqrt(0.05 * 0.95 / n_draws)
    z = (walk + distance_for_looks(0.05, 0.8, n_looks) * shares) / np.sqrt(shares)
    first = np.argmax(np.abs(z) > bounds, axis=1)
    found = z[np.arange(n_draws), first] > bounds[first]
    assert abs(found.mean() - 0.8) < 4 * math.sqrt(0.16 / n_draws)
