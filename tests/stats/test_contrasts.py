"""Differences of two groups: intervals by their textbook, tests by enumeration, and neither ever against the other."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from qa_frame.errors import UnknownOptionError
from qa_frame.stats.contrasts import Pairing, Strata, make_contrast
from qa_frame.stats.decisions import Family
from qa_frame.stats.differences import adjust_p_values, plan_draws
from qa_frame.stats.distributions import t_quantiles
from qa_frame.stats.intervals import StudentInterval
from qa_frame.stats.p_function import HalfMeans, StudentsPFunction, make_p_function
from qa_frame.stats.permutation import sign_flip_test
from qa_frame.stats.sign_test import sign_test
from qa_frame.stats.statistic import Mean
from qa_frame.tables.pooled import POOLED_STATISTICS as POOLED
from tests.reference.p_function import Oracle
from tests.reference.statistics import p_by_enumeration

LEVELS = [0.05, 0.5, 0.8, 0.95, 0.99, 0.999]


def make_pairing(n, clusters=None):
    """Two groups, the rows of the first before those of the second. clusters: of each question, rising."""
    starts = np.arange(n) if clusters is None else np.unique(clusters, return_index=True)[1]
    return Pairing(pd.Series(["a", "b"]), np.array([0]), np.array([1]), np.arange(2 * n).reshape(2, n), starts)


def of_scores(a, b, clusters=None):
    """The contrast of two groups' means."""
    scores = np.concatenate([a, b]).astype(float)
    return make_contrast(Mean("f1"), np.nan_to_num(scores)[None], ~np.isnan(scores), make_pairing(len(a), clusters))


def of_counts(name, columns):
    """The contrast of a pooled figure. columns: statistics of both groups' rows."""
    sums_per_row = POOLED[name].summands_per_row(columns)
    n_rows = sums_per_row.shape[1]
    return make_contrast(POOLED[name], sums_per_row, np.ones(n_rows, np.bool_), make_pairing(n_rows // 2))


def draws_of(n_resamples, seed=0):
    return plan_draws(n_resamples, n_tests=1, ci=0.95, seed=seed)


def swap_p(pairs, *, n_resamples, seed):
    return sign_flip_test(pairs, draws_of(n_resamples, seed)).p


def bounds_of(pairs, ci):
    """The bounds, as `compare` gives them."""
    low, high, _ = bounds_and_p(pairs, ci)
    return np.array([low]), np.array([high])


def bounds_and_p(pairs, ci, seed=0):
    """The bounds and the p-value, as `compare` gives them."""
    p, alpha = swap_p(pairs, n_resamples=200, seed=seed), round(1 - ci, 12)
    p_function = make_p_function(pairs, p, draws_of(200, seed), tail=alpha / 2, margin=None)
    columns = Family([p_function], "none", alpha).difference_columns()
    return columns["diff_lo"][0], columns["diff_hi"][0], p[0]


scores = st.lists(st.tuples(*[st.sampled_from([0, 0.1, 0.25, 1 / 3, 0.5, 0.9, 1.0])] * 2), min_size=2, max_size=25)
binary = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=40)


def sides(rows):
    return (np.array(side, float) for side in zip(*rows, strict=True))


# ------------------------------------------------------------------------------------------------------ what is summed


def test_sums_and_counts():
    pairs = of_scores([1, 0.5, np.nan, 0.2], [0, 0.5, 1, 0.3], clusters=[0, 0, 1, 1])
    assert pairs.counts["n"].tolist() == [3]
    assert [pairs.counts[name][0] for name in ("wins", "ties", "losses", "n_not_scored")] == [1, 1, 1, 1]
    np.testing.assert_allclose(pairs.first[0], [[1.5, 0.2], [2, 1]])
    np.testing.assert_allclose(pairs.second[0], [[0.5, 0.3], [2, 1]])
    np.testing.assert_allclose(pairs.side_values[:, 0], [1.7 / 3, 0.8 / 3])
    assert pairs.units(np.ones(1))[0].tolist() == [2]
    assert pairs.is_bounded.tolist() == [True]
    assert HalfMeans.of(pairs).noise[0] == pytest.approx(
        np.sqrt(5) * np.sqrt((2 * 0.5**4 + 0.1**4) / (2 * 0.5**2 + 0.1**2))
    )


@pytest.mark.parametrize(
    ("a", "b", "is_bounded"), [([1.5, 0], [0, 0], False), ([0.5, 0], [0, -1], False), ([1], [0], True)]
)
def test_scores_beyond_0_and_1_are_told(a, b, is_bounded):
    assert of_scores(a, b).is_bounded.tolist() == [is_bounded]


@given(rows=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20))
def test_means_are_exact(rows):
    """Of the scores as multiples of 2**-64, rounded once."""
    exact = [[Fraction(round(Fraction(score) * 2**64), 2**64) for score in side.tolist()] for side in sides(rows)]
    expected = [float(sum(side) / len(side)) for side in exact]
    assert of_scores(*sides(rows)).side_values[:, 0].tolist() == expected


# ------------------------------------------------------------------------------------------------------------- strata


def in_strata(a, b, of_question, weights, clusters=None):
    """The contrast of two groups' means over strata. of_question: the stratum of each, rising."""
    scores = np.concatenate([a, b]).astype(float)
    pairing = replace(make_pairing(len(a), clusters), strata=Strata(np.array(of_question), np.array(weights)))
    return make_contrast(Mean("f1"), np.nan_to_num(scores)[None], ~np.isnan(scores), pairing)


@given(rows=scores, seed=st.integers(0, 100))
def test_strata_of_their_own_sizes_are_as_good_as_none(rows, seed):
    """Their difference and its test; the interval leaves out how the strata differ from one another."""
    a, b = sides(rows)
    of_question = np.sort(np.random.default_rng(seed).integers(0, 3, len(a)))
    assume(len(set(of_question)) == 3)
    found = in_strata(a, b, of_question, np.bincount(of_question) / len(a))
    expected = of_scores(a, b)
    np.testing.assert_allclose(found.side_values, expected.side_values, rtol=1e-12)
    np.testing.assert_allclose(found.delta, expected.delta, atol=1e-12)
    assert swap_p(found, n_resamples=500, seed=0) == pytest.approx(swap_p(expected, n_resamples=500, seed=0))


def test_a_stratum_moves_the_total_by_its_weight():
    sizes, weights = np.array([2, 3, 5]), np.array([0.5, 0.2, 0.3])
    a, b = np.random.default_rng(1).random((2, 10))
    (unit_weights,) = in_strata(a, b, np.repeat(np.arange(3), sizes), weights).unit_weights
    np.testing.assert_allclose(unit_weights, np.repeat(10 * weights / sizes, sizes), rtol=1e-12)


@pytest.mark.parametrize("are_equal", [True, False])
def test_bounds_over_strata_are_those_of_weighted_questions(are_equal):
    random = np.random.default_rng(3)
    sizes, weights = np.array([8, 30, 15]), np.array([0.5, 0.2, 0.3])
    of_question = np.repeat(np.arange(3), sizes)
    a, b = random.random((2, 53)).round(2)
    if are_equal:
        a[:8] = b[:8]
    found = in_strata(a, b, of_question, weights)
    n = np.repeat(53 * weights / sizes, sizes)
    p = swap_p(found, n_resamples=200, seed=0)[0]
    oracle = Oracle(((a - b) * n).tolist(), n.tolist(), p, n_draws=200)
    assert found.difference[0] == pytest.approx(oracle.found)
    np.testing.assert_allclose(np.ravel(bounds_of(found, 0.95)), oracle.bounds(0.025), rtol=1e-9)


def test_a_stratum_without_a_pair_leaves_no_difference():
    pairs = in_strata([1, 0, np.nan], [0, 0, 1], [0, 0, 1], [0.5, 0.5])
    assert np.isnan(pairs.difference).all()
    assert np.isnan(bounds_of(pairs, 0.95)).all()
    assert np.isnan(swap_p(pairs, n_resamples=100, seed=0)).all()
    assert pairs.counts["n"].tolist() == [2]


def test_pooled_figures_have_no_strata():
    name = "f1_micro"
    sums_per_row = POOLED[name].summands_per_row({each: np.ones(6, np.int64) for each in POOLED[name].statistics})
    pairing = replace(make_pairing(3), strata=Strata(np.zeros(3, np.int64), np.ones(1)))
    with pytest.raises(UnknownOptionError, match="f1_micro is no mean of rows"):
        make_contrast(POOLED[name], sums_per_row, np.ones(6, np.bool_), pairing)


# ---------------------------------------------------------------------------------------------------------- intervals


@given(rows=scores, levels=st.tuples(st.floats(0.01, 0.999), st.floats(0.01, 0.999)).map(sorted))
def test_bounds_enclose_the_difference_and_a_higher_level_is_never_narrower(rows, levels):
    pairs = of_scores(*sides(rows))
    (inner_low, inner_high), (low, high) = (bounds_of(pairs, level) for level in levels)
    assert -1 <= low[0] <= inner_low[0] + 1e-12
    assert inner_low[0] <= pairs.difference[0] <= inner_high[0]
    assert inner_high[0] - 1e-12 <= high[0] <= 1
    assert low[0] < high[0]


@given(rows=scores, level=st.sampled_from(LEVELS))
def test_bounds_of_the_groups_turned_round(rows, level):
    a, b = sides(rows)
    (low, high), (turned_low, turned_high) = (bounds_of(of_scores(*pair), level) for pair in ((a, b), (b, a)))
    np.testing.assert_allclose([turned_low, turned_high], [-high, -low], rtol=1e-12, atol=1e-15)


def test_no_difference_at_all_has_a_width():
    (low,), (high,) = bounds_of(of_scores([1, 0.3, 0], [1, 0.3, 0]), 0.95)
    assert -1 <= low < 0 < high <= 1
    assert low == -high


def test_scores_beyond_0_and_1_have_bounds_beyond_1():
    (low,), (high,) = bounds_of(of_scores([5, 9, 1], [1, 0, 2]), 0.95)
    assert low < -1
    assert high > 5


# --------------------------------------------------------------------------------------------- one against the other


def assert_agree(low, high, p, ci):
    assert low <= high
    assert (low <= 0 <= high) == (not p < round(1 - ci, 12)), (low, high, p)


@pytest.mark.parametrize("ci", LEVELS)
@settings(max_examples=25)
@given(rows=scores | binary, seed=st.integers(0, 3))
def test_0_is_inside_the_interval_just_where_the_test_does_not_reject_it(ci, rows, seed):
    pairs = of_scores(*sides(rows))
    assume(ci > 0.25 or pairs.difference[0] != 0)  # the mid-p-value of equal sides may be 0.75
    assert_agree(*bounds_and_p(pairs, ci, seed=seed), ci)


@pytest.mark.parametrize("ci", [0.5, 0.95])
@settings(max_examples=20)
@given(rows=scores, clusters=st.lists(st.integers(0, 4), min_size=25, max_size=25))
def test_also_in_clusters(ci, rows, clusters):
    a, b = sides(rows)
    clusters = sorted(clusters[: len(a)])
    low, high, p = bounds_and_p(of_scores(a, b, clusters), ci)
    if len(set(clusters)) < 2:
        assert np.isnan([low, high]).all()
    else:
        assert_agree(low, high, p, ci)


@pytest.mark.parametrize("ci", [0.5, 0.95])
@settings(max_examples=20)
@given(data=st.data())
def test_also_for_micro_f1(ci, data):
    n = 2 * data.draw(st.integers(2, 20))
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    n_pred, n_gold = random.integers(1, 30, (2, n))
    overlap = random.integers(0, np.minimum(n_pred, n_gold) + 1)
    overlap[: n // 2] = (overlap[: n // 2] * data.draw(st.sampled_from([0.0, 0.5, 1.0]))).astype(int)
    pairs = of_counts("f1_micro", {"overlap": overlap, "pred_len": n_pred, "gold_len": n_gold})
    low, high, p = bounds_and_p(pairs, ci)
    if not np.isnan(low):
        assert_agree(low, high, p, ci)


away_from_0 = st.floats(1e-6, 1) | st.floats(-1, -1e-6)
DF = np.array([9.0])


def by_student(low, high, found, p):
    """The bounds of a difference whose own interval is from low to high."""
    scale = (high - low) / 2 / t_quantiles(0.95, DF)
    p_function = StudentsPFunction(found, np.array([p]), np.array([np.inf]), scale, (low + high) / 2, DF)
    columns = Family([p_function], "none", 0.05).difference_columns()
    return columns["diff_lo"][0], columns["diff_hi"][0]


@given(low=away_from_0, width=st.floats(1e-6, 1), place=st.floats(0, 1))
def test_bounds_of_student_exclude_0_just_where_its_own_test_rejects_it(low, width, place):
    low, high = np.array([low]), np.array([low + width])
    assume(abs(high) > 1e-9)
    found = low + place * (high - low)
    interval = StudentInterval(found, (low + high) / 2, ((high - low) / 2 / t_quantiles(0.95, DF)) ** 2, DF)
    (p,) = interval.p
    new_low, new_high = by_student(low, high, found, p)
    np.testing.assert_allclose((new_low, new_high), np.ravel(interval.bounds(0.95)), atol=1e-12)
    assert_agree(new_low, new_high, p, 0.95)


def test_what_is_not_known_stays_so():
    nothing = np.array([np.nan])
    assert np.isnan(by_student(nothing, nothing, nothing, 0.5)).all()
    assert np.isnan(by_student(nothing, nothing, np.array([0.3]), np.nan)).all()


# -------------------------------------------------------------------------------------------------- permutation tests


twelfths = st.integers(0, 12)


@settings(max_examples=60)
@given(st.lists(st.tuples(twelfths, twelfths), min_size=1, max_size=9))
def test_exact_p_values(pairs):
    """Thirds and twelfths: their sums are seldom the same float, and must be ties all the same."""
    a, b = ([twelfth / 12 for twelfth in side] for side in zip(*pairs, strict=True))
    p = swap_p(of_scores(a, b), n_resamples=10_000, seed=0)
    differences = [Fraction(one - other, 12) for one, other in pairs]
    assert p[0] == pytest.approx(p_by_enumeration(differences, takes_mid=True), abs=1e-12)


@pytest.mark.thorough
@settings(max_examples=15)
@given(st.integers(0, 2**32), st.integers(5, 9))
def test_sampled_p_values_are_near_exact_ones(seed, n):
    """Fewer resamples than swaps there are: then they are drawn."""
    a, b = np.random.default_rng(seed).integers(0, 13, (2, n)) / 12
    n_resamples = 2**4
    assume(2 ** np.count_nonzero(a != b) > n_resamples)
    pairs = of_scores(a, b)
    (exact,) = swap_p(pairs, n_resamples=2**n, seed=0)
    draws = [swap_p(pairs, n_resamples=n_resamples, seed=each)[0] for each in range(200)]
    expected = (1 + n_resamples * exact) / (1 + n_resamples)
    assert abs(np.mean(draws) - expected) < 5 * max(np.sqrt(exact * (1 - exact) / n_resamples / 200), 1e-12)


@pytest.mark.parametrize(("n_up", "n_differing"), [(0, 0), (0, 1), (3, 3), (7, 10), (60, 100), (1300, 2500)])
def test_one_size_of_difference_is_a_coin(n_up, n_differing):
    expected = stats.binomtest(n_up, n_differing).pvalue if n_differing else 1.0
    assert sign_test(n_up, n_differing, mid_p=False) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("n_up", "n_down"), [(0, 1), (3, 0), (7, 3), (4, 4), (60, 41), (1300, 1200)])
def test_mid_p_by_fagerland_lydersen_and_laake(n_up, n_down):
    """2 (P(X < fewer) + P(X = fewer) / 2), and 1 - P(X = fewer) / 2 where as many are up as down."""
    coin, fewer = stats.binom(n_up + n_down, 0.5), min(n_up, n_down)
    expected = 2 * coin.cdf(fewer - 1) + coin.pmf(fewer) if n_up != n_down else 1 - coin.pmf(fewer) / 2
    assert sign_test(n_up, n_up + n_down, mid_p=True) == pytest.approx(expected, rel=1e-9)


def test_swaps_count_half_for_single_questions_alone():
    """Five clusters that all show the same difference have p = 2 / 32; five questions, half of it."""
    ones, zeros = np.ones(10), np.zeros(10)
    clustered = of_scores(ones, zeros, clusters=np.repeat(np.arange(5), 2))
    single = of_scores(ones[:5], zeros[:5])
    for pairs, expected in ((clustered, 1 / 16), (single, 1 / 32)):
        assert sign_flip_test(pairs, draws_of(10)).p[0] == pytest.approx(expected)


def test_nothing_paired():
    pairs = of_scores([np.nan, 0.5], [1, np.nan])
    assert pairs.counts["n"].tolist() == [0]
    assert np.isnan(bounds_and_p(pairs, 0.95)).all()


# --------------------------------------------------------------------------------------------------------- correction


def holm(p):
    order = np.argsort(p)
    raised = [
        min(1, max((len(p) - earlier) * p[order[earlier]] for earlier in range(rank + 1))) for rank in range(len(p))
    ]
    return np.array(raised)[np.argsort(order)]


probabilities = st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=12).map(np.array)


@given(probabilities)
def test_corrections(p):
    np.testing.assert_allclose(adjust_p_values(p, "holm"), holm(p), rtol=1e-12)
    assert adjust_p_values(p, "none").tolist() == p.tolist()


@pytest.mark.parametrize("correction", ["holm", "none"])
def test_what_was_not_tested_does_not_count(correction):
    p = np.array([0.01, np.nan, 0.03])
    expected = adjust_p_values(p[[0, 2]], correction)
    np.testing.assert_array_equal(adjust_p_values(p, correction), [expected[0], np.nan, expected[1]])
    assert np.isnan(adjust_p_values(np.array([np.nan]), correction)).all()


def test_how_far_is_far_is_found_once_for_all_draws(monkeypatch):
    """It costs as much as a step of the draws, of which there are hundreds where many groups are compared."""
    rows = pd.MultiIndex.from_product([list("abcd"), range(300)], names=["model", "q"]).to_frame(index=False)
    frame = rows.assign(f1=np.random.default_rng(0).random(len(rows)))
    asked, least = [], Mean.magnitude
    monkeypatch.setattr(Mean, "magnitude", lambda *given: asked.append(1) or least(*given))
    found = [frame.qa.compare("model", "q", n_resamples=n) is not None and len(asked) for n in (2_000, 60_000)]
    assert found[1] == 2 * found[0]
