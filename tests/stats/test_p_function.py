"""One function of p-values: against plain Python, and so that nothing made of it contradicts anything else."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from qa_frame.stats.contrasts import Pairing, make_contrast
from qa_frame.stats.decisions import Family
from qa_frame.stats.differences import adjust_p_values, levels_of_steps, plan_draws
from qa_frame.stats.p_function import StudentsPFunction, make_p_function
from qa_frame.stats.permutation import sign_flip_test
from qa_frame.stats.statistic import Mean
from tests.benchmarks.decisions import contradictions
from tests.reference.p_function import Oracle

DRAWS = 300


def p_function_of(differences, sizes=None, *, n_draws=DRAWS, margin=0.1, seed=0, tail=0.2):
    """P of pairs whose differences of questions are these, shape (pairs, questions). sizes: of clusters."""
    differences = np.atleast_2d(differences)
    n_pairs, n = differences.shape
    starts = np.arange(n) if sizes is None else np.cumsum(sizes) - sizes
    scores = np.concatenate([np.maximum(differences, 0), np.maximum(-differences, 0)])
    groups = np.arange(2 * n_pairs).reshape(2, n_pairs)
    row_of = np.arange(scores.size).reshape(scores.shape)
    pairing = Pairing(pd.Series(groups.ravel()), groups[0], groups[1], row_of, np.asarray(starts))
    made = make_contrast(Mean("f1"), scores.reshape(1, -1), np.ones(scores.size, np.bool_), pairing)
    draws = plan_draws(n_draws, n_tests=1, ci=0.95, seed=seed)
    p = sign_flip_test(made, draws).p
    return make_p_function(made, p, draws, tail=tail, margin=margin)


def draw(kind, random, n):
    if kind == "0/1":
        return random.choice([1.0, 0.0, -1.0], n, p=[0.2, 0.7, 0.1])
    if kind == "graded":
        return np.clip(random.normal(0.1, 0.3, n), -1, 1)
    return np.zeros(n)


@pytest.mark.parametrize("kind", ["0/1", "graded", "none"])
@pytest.mark.parametrize("sizes", [None, [1, 5, 2, 9, 3, 3, 7]])
@pytest.mark.parametrize("margin", [0.0, 0.05, 0.4])
def test_as_in_plain_python(kind, sizes, margin):
    random = np.random.default_rng(len(kind))
    for seed in range(3):
        differences = random.choice([-1, 1]) * draw(kind, random, 30)
        p_function = p_function_of(differences, sizes, margin=margin, seed=seed)
        if kind == "none":  # of which only its draws are no part
            np.testing.assert_allclose(np.add(*p_function.bounds(np.array([0.05]), np.array([False]))), 0, atol=1e-15)
            continue
        n = np.ones(30) if sizes is None else np.array(sizes, float)
        d = differences if sizes is None else np.add.reduceat(differences, np.cumsum(sizes) - sizes)
        oracle = Oracle(d.tolist(), n.tolist(), p_function.p[0], n_draws=DRAWS, seed=seed)
        found = np.ravel(p_function.p_beyond(margin))
        np.testing.assert_allclose(found, [oracle.p_below(margin), oracle.p_above(margin)], rtol=1e-9)
        np.testing.assert_allclose(p_function.error, oracle.error, rtol=1e-9)
        for tail in (0.2, 0.05, 0.01):
            bounds = np.ravel(p_function.bounds(np.array([tail]), p_function.p / 2 < tail))
            np.testing.assert_allclose(bounds, oracle.bounds(tail), rtol=1e-9, atol=1e-12)


def test_many_units_have_the_normal_distribution_that_draws_come_near():
    random = np.random.default_rng(2)
    differences = random.choice([1.0, 0.0, -1.0], 501, p=[0.1, 0.82, 0.08])
    many, few = (p_function_of(differences[:n], margin=0.01, n_draws=4000) for n in (501, 500))
    low, high = many._quantiles(np.array([0.025]))
    for delta, side in ((low, 1), (high, -1)):
        z = (differences.sum() - delta * 502) / np.sqrt(((differences - delta) ** 2).sum() + 2)
        np.testing.assert_allclose(stats.norm.sf(side * z), 0.025, rtol=0.005)
    np.testing.assert_allclose(np.subtract(*few._quantiles(np.array([0.025]))), low - high, rtol=0.05)


@pytest.mark.parametrize("n", [30, 600])
@pytest.mark.parametrize("kind", ["0/1", "graded", "none"])
@pytest.mark.parametrize("margin", [0.0, 0.03, 0.1])
def test_the_means_beyond_a_margin_are_those_that_tails_hold(n, kind, margin):
    differences = draw(kind, np.random.default_rng(n), n) - 0.2 * (kind == "graded")
    p_function = p_function_of(differences, margin=margin, tail=1.0)
    counts = [(p_function.least[0] <= -margin).sum(), (p_function.greatest[0] >= margin).sum()]
    assert p_function.n_outside[:, 0].tolist() == counts
    np.testing.assert_array_equal(p_function.least[0, ::-1], p_function.greatest[0])


def test_levels_that_draws_cannot_show_have_a_normal_tail():
    differences = np.clip(np.random.default_rng(4).normal(0.1, 0.3, 60), -1, 1)
    p_function = p_function_of(differences, n_draws=99)
    wide = [p_function.bounds(np.array([tail]), np.array([False])) for tail in (0.005, 1e-3, 1e-5, 1e-7)]
    lows, highs = np.array(wide)[..., 0].T
    assert (np.diff(lows) < 0).all()
    assert (np.diff(highs) > 0).all()
    z = stats.norm.isf([0.005, 1e-3, 1e-5, 1e-7])
    np.testing.assert_allclose((p_function.difference - lows) / (p_function.difference - lows[0]), z / z[0], rtol=1e-9)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("df", [1.0, 1.7, 30.0, 2000.0])
def test_students_interval_as_by_scipy(level, df):
    one, p = np.ones(1), np.array([stats.t.sf(3.5 / 0.2, df) * 2])
    p_function = StudentsPFunction(-3.5 * one, p, np.inf * one, 0.2 * one, -3.5 * one, df * one)
    bounds = np.ravel(p_function._quantiles(np.array([(1 - level) / 2])))
    np.testing.assert_allclose(bounds, stats.t.interval(level, df, -3.5, 0.2), rtol=1e-8)
    below, above = p_function.p_beyond(3.4)
    np.testing.assert_allclose(
        [below[0], above[0]], [1 - p[0] / 2, min(p[0] / 2, stats.t.sf(6.9 / 0.2, df))], rtol=1e-8, atol=1e-150
    )


def test_fewer_than_two_units_have_no_bounds():
    p_function = p_function_of([0.5])
    assert np.isnan(p_function.bounds(np.array([0.025]), np.array([False]))).all()
    assert np.isnan(p_function.p_beyond(0.1)).any()
    assert np.isnan(p_function.error).all()


# --- steps


@pytest.mark.parametrize("correction", ["holm", "none"])
def test_each_pair_has_the_level_of_its_step(correction):
    random = np.random.default_rng(3)
    for n in (1, 2, 5, 12):
        p = np.where(random.random(n) < 0.5, random.random(n) / 50, random.random(n))
        p[random.random(n) < 0.2] = np.nan
        p[-1] = p[0]
        adjusted = adjust_p_values(p, correction)
        levels = levels_of_steps(p, adjusted, correction, 0.05)
        known = ~np.isnan(p)
        np.testing.assert_array_equal((p < levels)[known], (adjusted < 0.05)[known])
        k, n_rejected = known.sum(), (adjusted < 0.05).sum()
        for place in np.flatnonzero(known):
            rank = min((p < p[place]).sum(), n_rejected)
            assert levels[place] == (0.05 if correction == "none" else 0.05 / (k - rank))


def test_families_never_contradict_themselves():
    random = np.random.default_rng(48)
    for _ in range(150):
        n_pairs, n, alpha = random.integers(1, 9), random.integers(2, 50), random.choice([0.01, 0.05, 0.2])
        rate = random.random()
        differences = random.choice([1.0, -1.0, 0.25, 1.0], (n_pairs, n)) * (random.random((n_pairs, n)) < rate)
        if random.random() < 0.3:
            differences = np.clip(random.normal(random.choice([0, 0.1, 0.4]), 0.3, (n_pairs, n)), -1, 1)
        margin = float(random.choice([0, 0.01, 0.1, 0.3]))
        p_function = p_function_of(differences, n_draws=int(random.choice([9, 59, 99, 499])), margin=margin)
        family = Family([p_function], random.choice(["holm", "none"]), float(alpha))
        columns = family.difference_columns() | family.margin_columns(margin)
        found = contradictions(columns, p_function.difference, margin, alpha)
        assert not any(found.values()), found
