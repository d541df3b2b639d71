"""Agreement: variances by all pairs, all orders and numeric derivatives, and the highest kappa."""

from __future__ import annotations

import itertools
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import stats

from qa_frame.ext.annotation import concordance as agreement_module
from qa_frame.ext.annotation.concordance import CORRELATIONS, CUT, figures, judge
from tests.reference.statistics import cr2, cross_fitted_calls, placements, wilson_bounds

SCORES = [0, 0.2, 1 / 3, 0.5, 2 / 3, 1]


@st.composite
def judged_rows(draw, n_verdicts=2, n_clusters=None):
    """Scores, verdicts of which there are two or more, and clusters of which there are two or more."""
    n = draw(st.integers(4, 25))
    rows = st.tuples(st.sampled_from(SCORES), st.integers(0, n_verdicts - 1), st.integers(0, (n_clusters or n) - 1))
    scores, verdicts, clusters = zip(*draw(st.lists(rows, min_size=n, max_size=n)), strict=True)
    assume(len(set(verdicts)) == n_verdicts)
    assume(len(set(clusters)) > 1)
    return np.array(scores, float), np.array(verdicts, float), np.array(clusters) if n_clusters else np.arange(n)


def found(scores, verdicts, clusters, **options):
    judged = judge(scores, verdicts, clusters)
    settings = {"has_two": True, "ci": 0.95, "seed": 0} | options
    return figures(judged, **settings)


def bounds_from_pulls(value, pulls, clusters, max_n, level=0.95):
    """By how far each row moves the figure: the CR2 variance of sums of pulls by cluster."""
    n = len(pulls)
    sizes = np.array([(clusters == cluster).sum() for cluster in np.unique(clusters)])
    sums = np.array([pulls[clusters == cluster].sum() for cluster in np.unique(clusters)])
    _, df = cr2(np.zeros(n), clusters)
    variance = float((sums**2 / (1 - sizes / n)).sum())
    return wilson_bounds(value, variance, df, level=level, max_n=max_n, n_units=df + 1, n_rows=n)


def numeric_pulls(figure, n):
    """Derivatives of a figure of weighted rows by the weight of each."""
    step = 1e-5
    steps = np.eye(n) * step
    return np.array([(figure(1 + each) - figure(1 - each)) / (2 * step) for each in steps])


# ----------------------------------------------------------------------------------------------------------------- AUC


def weighted_auc(scores, verdicts, weights):
    """Over all pairs of rows with different verdicts."""
    pairs = np.outer(weights, weights) * (np.subtract.outer(verdicts, verdicts) > 0)
    difference = np.subtract.outer(scores, scores)
    return float((pairs * ((difference > 0) + (difference == 0) / 2)).sum() / pairs.sum())


@settings(max_examples=25)
@given(rows=judged_rows())
def test_variance_of_the_auc_is_that_of_delong(rows):
    """DeLong has a factor m / (m - 1) for the right rows and one for the wrong ones; here is n / (n - 1) for both."""
    scores, verdicts, _ = rows
    is_right = verdicts == 1
    auc, of_right, of_wrong = placements(scores, is_right)
    n, n_right, n_wrong = len(scores), is_right.sum(), (~is_right).sum()
    parts = of_right.var() / n_right + of_wrong.var() / n_wrong
    expected = wilson_bounds(
        auc, parts * n / (n - 1), n - 1, n_units=n, n_rows=n, level=0.95, max_n=min(n_right, n_wrong)
    )
    row = found(*rows)
    assert row["auc"] == pytest.approx(auc, abs=1e-12)
    np.testing.assert_allclose([row["auc_lo"], row["auc_hi"]], expected, rtol=1e-7, atol=1e-9)
    if min(n_right, n_wrong) > 1:
        delong = of_right.var(ddof=1) / n_right + of_wrong.var(ddof=1) / n_wrong
        fewer = min(n_right, n_wrong)
        assert parts * n / (n - 1) <= delong * (1 + 1e-9) <= (parts + 1e-15) * fewer / (fewer - 1) * (1 + 1e-6)


@settings(max_examples=25)
@given(rows=judged_rows(n_clusters=6))
def test_variance_of_the_auc_in_clusters_is_that_of_obuchowski(rows):
    """Sums by cluster of what each row adds to either part; each cluster's over 1 - its share of the rows."""
    scores, verdicts, clusters = rows
    is_right = verdicts == 1
    auc, of_right, of_wrong = placements(scores, is_right)
    n_right, n_wrong, n = is_right.sum(), (~is_right).sum(), len(scores)
    right_clusters, wrong_clusters = clusters[is_right], clusters[~is_right]
    variance = 0.0
    for cluster in np.unique(clusters):
        right, wrong = of_right[right_clusters == cluster], of_wrong[wrong_clusters == cluster]
        part_of_right, part_of_wrong = right.sum() - len(right) * auc, wrong.sum() - len(wrong) * auc
        squares = (part_of_right / n_right) ** 2 + (part_of_wrong / n_wrong) ** 2
        squares += 2 * part_of_right * part_of_wrong / (n_right * n_wrong)
        variance += squares / (1 - (clusters == cluster).sum() / n)
    _, df = cr2(np.zeros(n), clusters)
    counted = {"n_units": df + 1, "n_rows": n}
    expected = wilson_bounds(auc, variance, df, level=0.95, max_n=min(n_right, n_wrong), **counted)
    row = found(*rows)
    np.testing.assert_allclose([row["auc_lo"], row["auc_hi"]], expected, rtol=1e-7, atol=1e-9)


@settings(max_examples=25)
@given(rows=judged_rows(n_verdicts=3, n_clusters=7))
def test_auc_of_grades_moves_with_each_row_as_its_derivative_says(rows):
    scores, verdicts, clusters = rows
    pulls = numeric_pulls(lambda weights: weighted_auc(scores, verdicts, weights), len(scores))
    auc = weighted_auc(scores, verdicts, np.ones(len(scores)))
    max_n = np.sort(np.bincount(verdicts.astype(int)))[-2]
    row = found(*rows, has_two=False)
    assert row["auc"] == pytest.approx(auc, abs=1e-12)
    expected = bounds_from_pulls(auc, pulls, clusters, max_n)
    np.testing.assert_allclose([row["auc_lo"], row["auc_hi"]], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("n", [4, 60])
def test_perfect_agreement_has_an_interval_with_a_width(n):
    verdicts = np.repeat([0.0, 1.0], n // 2)
    row = found(verdicts / 2 + 0.1, verdicts, None)
    t = stats.t.ppf(0.975, n - 1)
    for name in ("auc", *CUT):
        assert row[name] == row[f"{name}_hi"] == 1
    for name in ("auc", "balanced_accuracy"):
        assert row[f"{name}_lo"] == pytest.approx(n / 2 / (n / 2 + t**2))
    assert row["accuracy_lo"] == pytest.approx(n / (n + t**2))
    assert row["kappa_lo"] == pytest.approx(2 * n / 2 / (n / 2 + t**2) - 1)


# -------------------------------------------------------------------------------------------------- with a threshold


def exact_kappa(scores, verdicts, threshold):
    says, is_right = scores >= threshold, verdicts == 1
    n = len(scores)
    agrees = Fraction(int((says == is_right).sum()), n)
    shares = Fraction(int(says.sum()), n), Fraction(int(is_right.sum()), n)
    chance = shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
    return (agrees - chance) / (1 - chance)


@settings(max_examples=25)
@given(rows=judged_rows())
def test_threshold_has_the_highest_kappa(rows):
    """The lowest of equals, but not the lowest of all, from which on every answer would be called right."""
    scores, verdicts, _ = rows
    candidates = sorted(set(scores.tolist()))[1:]
    row = found(*rows)
    if not candidates:
        assert np.isnan([row[name] for name in ("threshold", *CUT)]).all()
        return
    best = max(candidates, key=lambda threshold: (exact_kappa(scores, verdicts, threshold), -threshold))
    assert row["threshold"] == best


@settings(max_examples=40)
@given(rows=judged_rows(n_clusters=20), seed=st.integers(0, 5))
def test_rows_are_called_by_the_threshold_of_others(rows, seed):
    scores, verdicts, _ = rows
    row = found(*rows, seed=seed)
    if len(set(scores)) > 1:
        says = cross_fitted_calls(*rows, seed)
        expected = at_threshold(np.ones(len(scores)), says, verdicts == 1)
        np.testing.assert_allclose([row[name] for name in CUT], expected, atol=1e-12)


@pytest.mark.thorough
@pytest.mark.parametrize("n", [20, 50])
def test_a_useless_metric_has_no_kappa(n):
    """On average; the threshold that is chosen on the same rows shows one of 0.15 of 50 rows."""
    random = np.random.default_rng(n)
    kappas = []
    for seed in range(150):
        verdicts = random.permutation(np.repeat([0.0, 1.0], n // 2))
        kappas.append(figures_of_calls(random.random(n), verdicts, seed)["kappa"])
    assert abs(np.mean(kappas)) < 4 * np.std(kappas) / len(kappas) ** 0.5
    assert np.mean(kappas) < 0.05


def figures_of_calls(scores, verdicts, seed):
    """Without the correlations, which take long."""
    judged = judge(scores, verdicts, None)
    found = agreement_module._of_calls(judged, agreement_module._cross_fitted_calls(judged, seed), 0.95)
    return {name: value for name, (value, _, _) in found.items()}


def test_two_rows_are_called_as_most_are():
    row = found(np.array([0.1, 0.9]), np.array([0.0, 1.0]), None)
    assert (row["threshold"], row["accuracy"], row["kappa"]) == (0.9, 0.5, 0)


def at_threshold(weights, says, is_right):
    """Accuracy, balanced accuracy and kappa of weighted rows."""
    weights = weights / weights.sum()
    accuracy = weights[says == is_right].sum()
    n_right, n_wrong = weights[is_right].sum(), weights[~is_right].sum()
    recalls = weights[says & is_right].sum() / n_right, weights[~says & ~is_right].sum() / n_wrong
    chance = weights[says].sum() * n_right + weights[~says].sum() * n_wrong
    return np.array([accuracy, sum(recalls) / 2, (accuracy - chance) / (1 - chance)])


@settings(max_examples=25)
@given(rows=judged_rows(n_clusters=6))
@example(rows=(np.array([0, 0, 0, 0.2]), np.array([0.0, 0, 1, 0]), np.array([0, 1, 0, 1])))
def test_figures_at_the_threshold_move_with_each_row_as_their_derivatives_say(rows):
    scores, verdicts, clusters = rows
    assume(len(set(scores)) > 1)
    row = found(*rows)
    says, is_right = cross_fitted_calls(scores, verdicts, clusters, 0), verdicts == 1
    values = at_threshold(np.ones(len(scores)), says, is_right)
    pulls = numeric_pulls(lambda weights: at_threshold(weights, says, is_right), len(scores))
    fewer = min(is_right.sum(), (~is_right).sum())
    for place, (name, max_n) in enumerate(zip(CUT, (len(scores), fewer, fewer), strict=True)):
        assert row[name] == pytest.approx(values[place], abs=1e-12)
        # Kappa is moved into [0, 1] and back. A value of exactly 0 or 1 has an interval of its own kind.
        shift, scale = (1, 2) if name == "kappa" else (0, 1)
        value, influence = (round(values[place], 12) + shift) / scale, pulls[:, place] / scale
        if np.abs(np.bincount(clusters, influence)).max() < 1e-6:  # clusters that are alike but for rounding
            influence = np.zeros(len(influence))
        expected = np.array(bounds_from_pulls(value, influence, clusters, max_n)) * scale - shift
        np.testing.assert_allclose([row[f"{name}_lo"], row[f"{name}_hi"]], expected, rtol=1e-5, atol=1e-5)


# ------------------------------------------------------------------------------------------------------- correlations


def by_scipy(scores, verdicts):
    return [by(scores, verdicts).statistic for by in (stats.pearsonr, stats.spearmanr, stats.kendalltau)]


def weighted_correlations(scores, verdicts, weights):
    """Pearson's, Spearman's with middle ranks, and tau-b over all pairs, of weighted rows."""

    def pearson(left, right):
        left, right = (side - np.average(side, weights=weights) for side in (left, right))
        return (weights * left * right).sum() / np.sqrt((weights * left**2).sum() * (weights * right**2).sum())

    signs = [np.sign(np.subtract.outer(side, side)) for side in (scores, verdicts)]
    tau = [
        np.einsum("i,ij,j", weights, left * right, weights) for left, right in (signs, *([each] * 2 for each in signs))
    ]
    return np.array(
        [pearson(scores, verdicts), pearson(*(each @ weights for each in signs)), tau[0] / np.sqrt(tau[1] * tau[2])]
    )


@settings(max_examples=25)
@given(rows=judged_rows(n_verdicts=3, n_clusters=6))
def test_correlations_have_fishers_bounds(rows):
    """With the variance by how far each row moves them, by cluster too, and at least that without a relation."""
    scores, verdicts, clusters = rows
    n = len(scores)
    assume(len(set(scores)) > 1)
    values = by_scipy(scores, verdicts)
    assume(np.abs(values).max() < 1 - 1e-6)
    pulls = numeric_pulls(lambda weights: weighted_correlations(scores, verdicts, weights), n)
    row = found(*rows, has_two=False)
    _, df = cr2(np.zeros(n), clusters)
    for place, name in enumerate(CORRELATIONS):
        influence, unrelated = (
            pulls[:, place],
            (
                1 / (n - 1),
                1 / (n - 1),
                agreement_module._variance_of_unrelated(
                    *(np.unique(side, return_counts=True)[1] for side in (scores, verdicts))
                ),
            )[place],
        )
        of_rows = (influence**2).sum() * n / (n - 1)
        sizes = np.unique(clusters, return_counts=True)[1]
        variance = float(
            (np.array([influence[clusters == each].sum() for each in np.unique(clusters)]) ** 2 / (1 - sizes / n)).sum()
        )
        least = unrelated * (n - 1) / (n - 3) * max(1, variance / of_rows)
        half = stats.t.ppf(0.975, df) * max(variance / (1 - values[place] ** 2) ** 2, least) ** 0.5
        expected = np.tanh(np.arctanh(values[place]) + np.array([-half, half]))
        np.testing.assert_allclose([row[f"{name}_lo"], row[f"{name}_hi"]], expected, atol=1e-4)


@pytest.mark.thorough
@pytest.mark.parametrize("verdicts", [[0, 1, 1, 0, 1, 1], [0, 1, 2, 3, 4, 5], [0, 1, 1, 2, 2, 2]])
@pytest.mark.parametrize("scores", [[0, 0, 1, 2, 2, 3], [0, 1, 2, 3, 4, 5], [0, 0, 0, 0, 0, 1]])
def test_the_variance_of_tau_without_a_relation_is_that_over_all_orders(scores, verdicts):
    taus = [stats.kendalltau(order, verdicts).statistic for order in itertools.permutations(scores)]
    counts = (np.unique(side, return_counts=True)[1] for side in (scores, verdicts))
    assert agreement_module._variance_of_unrelated(*counts) == pytest.approx(np.mean(np.square(taus)), rel=1e-9)


def test_bounds_by_fisher_of_untied_rows_are_those_of_scipy():
    """Where rows show less variance than there is without a relation, but for the normal quantile in place of t."""
    scores = np.arange(40.0)
    verdicts = scores + 3 * np.random.default_rng(0).standard_normal(40)
    row = found(scores, verdicts, None, has_two=False)
    fisher = stats.pearsonr(scores, verdicts).confidence_interval(0.95)
    middle = np.arctanh(row["pearson"])
    factor = (np.arctanh(row["pearson_hi"]) - middle) / (np.arctanh(fisher.high) - middle)
    assert factor == pytest.approx(stats.t.ppf(0.975, 39) / stats.norm.ppf(0.975), rel=1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize("n", [20, 30])
def test_correlations_hold_where_few_verdicts_differ(n):
    """Percentiles of draws held in 79 of 100 draws and less."""
    random = np.random.default_rng(0)
    held = []
    for _ in range(300):
        row = found(random.beta(0.5, 0.5, n), (random.random(n) < 0.9).astype(float), None, has_two=False)
        held += [[row[f"{name}_lo"] <= 0 <= row[f"{name}_hi"] for name in CORRELATIONS]] * (
            not np.isnan(row["pearson"])
        )
    assert (np.mean(held, axis=0) > 0.93).all()


@settings(max_examples=60)
@given(rows=judged_rows(n_verdicts=3, n_clusters=6), seed=st.integers(0, 9))
def test_neither_the_order_of_rows_nor_the_names_of_clusters_matter(rows, seed):
    """All figures and bounds are the same to the last bit."""
    scores, verdicts, clusters = rows
    random = np.random.default_rng(seed)
    order, names = random.permutation(len(scores)), random.permutation(6)
    expected = found(scores, verdicts, clusters, has_two=False)
    again = found(scores[order], verdicts[order], names[clusters[order]], has_two=False)
    np.testing.assert_equal(again, expected)


def test_clusters_that_hold_as_many_rows_are_told_apart_by_their_last_one():
    scores = np.array([0, 1, 2, 0, 1, 1, 0, 0, 0, 5.0])
    judged = judge(scores, np.zeros(10), np.array([7, 7, 7, 3, 3, 3, 5, 5, 5, 9]))
    contents = [judged.scores[judged.score_of_row[judged.unit_of_row == unit]].tolist() for unit in range(4)]
    assert contents == [[0, 0, 0], [0, 1, 1], [0, 1, 2], [5]]


@pytest.mark.parametrize("in_clusters", [False, True])
def test_memory_grows_as_the_rows_do(in_clusters):
    """Where every score and every verdict is another one, and where clusters hold two rows each."""
    random = np.random.default_rng(0)
    peaks = []
    for n in (2000, 8000):
        scores = random.random(n)
        verdicts = random.integers(0, 2, n).astype(float) if in_clusters else random.random(n)
        clusters = np.arange(n) // 2 if in_clusters else None
        tracemalloc.start()
        found(scores, verdicts, clusters, has_two=in_clusters)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 6 * peaks[0]
    assert peaks[1] < 8000 * 4000


def test_correlations_of_copies_in_clusters_are_as_wide():
    random = np.random.default_rng(3)
    scores, verdicts = random.random(20).round(1), random.integers(0, 2, 20).astype(float)
    once = found(scores, verdicts, np.arange(20))
    copied = found(*(np.repeat(side, 4) for side in (scores, verdicts, np.arange(20))))
    naive = found(*(np.repeat(side, 4) for side in (scores, verdicts)), None)
    for name in CORRELATIONS:
        width, of_copies, of_naive = (each[f"{name}_hi"] - each[f"{name}_lo"] for each in (once, copied, naive))
        assert of_copies == pytest.approx(width, rel=0.1)
        assert of_naive < 0.7 * width


@pytest.mark.parametrize("levels", [(0, 1), (0.1, 0.7), (1 / 3, 0.9), (0.123, 0.456)])
def test_perfect_correlations_have_an_interval_with_a_width(levels):
    row = found(np.repeat(levels, 3), np.repeat([0.0, 1.0], 3), None)
    t = stats.t.ppf(0.975, 5)
    for name in CORRELATIONS:
        assert row[name] == pytest.approx(1)
        assert row[f"{name}_hi"] <= 1
        assert row[f"{name}_hi"] == pytest.approx(1)
        assert row[f"{name}_lo"] == pytest.approx(2 * 6 / (6 + t**2) - 1)


@settings(max_examples=25)
@given(rows=judged_rows(n_clusters=5))
def test_intervals_enclose_what_they_are_of(rows):
    row = found(*rows)
    for name in ("auc", *CUT):
        if not np.isnan(row[name]):
            least = -1 if name == "kappa" else 0
            assert least <= row[f"{name}_lo"] <= row[name] <= row[f"{name}_hi"] <= 1
            assert row[f"{name}_lo"] < row[f"{name}_hi"]


def test_one_cluster_has_no_interval():
    row = found(np.array([0.1, 0.9, 0.5]), np.array([0.0, 1, 1]), np.zeros(3, int))
    for name in ("auc", *CORRELATIONS):
        assert not np.isnan(row[name])
        assert np.isnan([row[f"{name}_lo"], row[f"{name}_hi"]]).all()
    assert np.isnan([row[name] for name in CUT]).all()  # there is no other cluster to choose a threshold on
    assert row["threshold"] == 0.5


def test_rows_in_any_order():
    random = np.random.default_rng(0)
    rows = random.random(40).round(1), random.integers(0, 2, 40).astype(float), random.integers(0, 9, 40)
    expected = found(*rows)
    order = random.permutation(40)
    assert found(*(side[order] for side in rows)) == expected
