"""Agreement: variances by all pairs and numeric derivatives, and the highest kappa."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from qa_frame.ext.annotation.concordance import CELLS, compare_with_people, pair_with_verdicts
from tests.reference.statistics import cr2, cross_fitted_calls, mean_bounds, placements

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
    judged = pair_with_verdicts(scores, verdicts, clusters)
    settings = {"has_two": True, "ci": 0.95} | options
    return compare_with_people(judged, **settings)


def bounds_from_pulls(value, pulls, clusters, max_n, level=0.95):
    """By how far each row moves the figure: the CR2 variance of sums of pulls by cluster."""
    n = len(pulls)
    sizes = np.array([(clusters == cluster).sum() for cluster in np.unique(clusters)])
    sums = np.array([pulls[clusters == cluster].sum() for cluster in np.unique(clusters)])
    _, df = cr2(np.zeros(n), clusters)
    variance = float((sums**2 / (1 - sizes / n)).sum())
    return mean_bounds(value, variance, df, level=level, max_n=max_n, n_units=df + 1, n_rows=n)


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
    expected = mean_bounds(
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
    expected = mean_bounds(auc, variance, df, level=0.95, max_n=min(n_right, n_wrong), **counted)
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
    """That of half as many rows that are all 1."""
    verdicts = np.repeat([0.0, 1.0], n // 2)
    row = found(verdicts / 2 + 0.1, verdicts, None)
    for name in ("auc", "kappa"):
        assert row[name] == row[f"{name}_hi"] == 1
    low, _ = mean_bounds(1, 0, n - 1, n_units=n, n_rows=n, level=0.95, max_n=n / 2)
    assert low < 0.95
    assert row["auc_lo"] == pytest.approx(low)
    assert row["kappa_lo"] == pytest.approx(2 * low - 1)


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
        assert np.isnan([row[name] for name in ("threshold", "precision", "recall", "kappa")]).all()
        assert [row[name] for name in CELLS] == [None] * 4
        return
    best = max(candidates, key=lambda threshold: (exact_kappa(scores, verdicts, threshold), -threshold))
    assert row["threshold"] == best


@settings(max_examples=40)
@given(rows=judged_rows(n_clusters=20))
def test_rows_are_called_by_the_threshold_of_others(rows):
    scores, verdicts, _ = rows
    row = found(*rows)
    if len(set(scores)) > 1:
        says, is_right = cross_fitted_calls(*rows, 0), verdicts == 1
        assert [row[name] for name in CELLS] == [
            sum(says & is_right),
            sum(says & ~is_right),
            sum(~says & is_right),
            sum(~says & ~is_right),
        ]
        assert row["kappa"] == pytest.approx(kappa_of(np.ones(len(scores)), says, is_right), abs=1e-12)


@pytest.mark.thorough
@pytest.mark.parametrize("n", [20, 50])
def test_a_useless_metric_has_no_kappa(n):
    """On average; the threshold that is chosen on the same rows shows one of 0.15 of 50 rows."""
    random = np.random.default_rng(n)
    kappas = []
    for _ in range(150):
        verdicts = random.permutation(np.repeat([0.0, 1.0], n // 2))
        kappas.append(found(random.random(n), verdicts, None)["kappa"])
    assert abs(np.mean(kappas)) < 4 * np.std(kappas) / len(kappas) ** 0.5
    assert np.mean(kappas) < 0.05


def test_two_rows_are_called_as_most_are():
    row = found(np.array([0.1, 0.9]), np.array([0.0, 1.0]), None)
    assert (row["threshold"], row["both_right"], row["only_metric_right"], row["kappa"]) == (0.9, 1, 1, 0)


def kappa_of(weights, says, is_right):
    """Kappa of weighted rows."""
    weights = weights / weights.sum()
    accuracy = weights[says == is_right].sum()
    n_right, n_wrong = weights[is_right].sum(), weights[~is_right].sum()
    chance = weights[says].sum() * n_right + weights[~says].sum() * n_wrong
    return (accuracy - chance) / (1 - chance)


@settings(max_examples=25)
@given(rows=judged_rows(n_clusters=6))
@example(rows=(np.array([0, 0, 0, 0.2]), np.array([0.0, 0, 1, 0]), np.array([0, 1, 0, 1])))
def test_kappa_moves_with_each_row_as_its_derivative_says(rows):
    scores, verdicts, clusters = rows
    assume(len(set(scores)) > 1)
    row = found(*rows)
    says, is_right = cross_fitted_calls(scores, verdicts, clusters, 0), verdicts == 1
    kappa = kappa_of(np.ones(len(scores)), says, is_right)
    influence = numeric_pulls(lambda weights: kappa_of(weights, says, is_right), len(scores)) / 2
    fewer = min(is_right.sum(), (~is_right).sum())
    assert row["kappa"] == pytest.approx(kappa, abs=1e-12)
    # Kappa is moved into [0, 1] and back. A value of exactly 0 or 1 has an interval of its own kind.
    if np.abs(np.bincount(clusters, influence)).max() < 1e-6:  # clusters that are alike but for rounding
        influence = np.zeros(len(influence))
    bounds = bounds_from_pulls((round(kappa, 12) + 1) / 2, influence, clusters, fewer)
    np.testing.assert_allclose([row["kappa_lo"], row["kappa_hi"]], 2 * np.array(bounds) - 1, rtol=1e-5, atol=1e-5)


# -------------------------------------------------------------------------------------------------------------- order


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
    judged = pair_with_verdicts(scores, np.zeros(10), np.array([7, 7, 7, 3, 3, 3, 5, 5, 5, 9]))
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


@settings(max_examples=25)
@given(rows=judged_rows(n_clusters=5))
def test_intervals_enclose_what_they_are_of(rows):
    row = found(*rows)
    for name in ("auc", "kappa"):
        if not np.isnan(row[name]):
            least = -1 if name == "kappa" else 0
            assert least <= row[f"{name}_lo"] <= row[name] <= row[f"{name}_hi"] <= 1
            assert row[f"{name}_lo"] < row[f"{name}_hi"]


def test_one_cluster_has_no_interval():
    row = found(np.array([0.1, 0.9, 0.5]), np.array([0.0, 1, 1]), np.zeros(3, int))
    assert not np.isnan(row["auc"])
    assert np.isnan([row[name] for name in ("auc_lo", "auc_hi", "kappa", "precision")]).all()  # no other cluster
    assert row["both_right"] is None
    assert row["threshold"] == 0.5
