"""A mean of verdicts from few labels: PPI++ as its own package gives it, and an interval that they do not mislead."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_frame.ext.annotation.prediction_powered import _fit_line, labelled_mean
from tests.reference.record_decisions import LABELLED

LABELS = [1, 1, 0, 1, 0, 1, 1, 0, 1, 1]
SCORES = [0.9, 0.8, 0.2, 0.7, 0.4, 0.6, 1, 0.1, 0.3, 0.9]
OTHERS = [0.2, 0.5, 0.6, 0.8, 0.9] * 20


def estimate(labels, scores, others, unit=None):
    verdicts = np.concatenate([labels, np.full(len(others), np.nan)])
    return labelled_mean(np.array([*scores, *others], float), verdicts, unit, 0.95)


def test_ppi_python():
    cases = [json.loads(line) for line in LABELLED.read_text("utf-8").splitlines()]
    assert len(cases) == 100
    for case in cases:
        found = estimate(case["labels"], case["scores"], case["others"])
        # The package was given the slope of least squares; its estimate moves from the mean as the slope does.
        share = found.slope / np.polyfit(case["scores"], case["labels"], 1)[0] if np.ptp(case["labels"]) else 0.0
        mean = np.mean(case["labels"])
        assert found.mean[0] == pytest.approx(np.clip(mean + share * (case["value"] - mean), 0, 1), abs=1e-9)


rows_with_units = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.integers(0, 1), st.integers(0, 4)), min_size=6, max_size=20
)


def ridge(f, labels, unrelated):
    """The intercept and the slope with the least squares, where one row more holds the slope against 0."""
    rows = np.column_stack([np.ones(len(f)), f - f.mean()])
    penalty = [[0.0, np.sqrt(unrelated)]]
    intercept, slope = np.linalg.lstsq(np.vstack([rows, penalty]), np.append(labels, 0.0))[0]
    return intercept - slope * f.mean(), slope


@settings(max_examples=100, deadline=None)
@given(rows_with_units, st.sampled_from([0.1, 1.0, 10.0]))
def test_each_unit_is_held_against_the_line_without_it(rows, unrelated):
    f, labels, unit = (np.array(column, float) for column in zip(*rows, strict=True))
    unit = np.unique(unit, return_inverse=True)[1].reshape(-1)
    if len(set(unit)) == 1:
        return
    slope, pseudo_units = _fit_line(f, labels, unit, unrelated)
    assert slope == pytest.approx(ridge(f, labels, unrelated)[1], abs=1e-9)
    for each in range(unit.max() + 1):
        own = unit == each
        without, slope_without = ridge(f[~own], labels[~own], unrelated)
        assert pseudo_units[each] == pytest.approx((labels - without - slope_without * f)[own].sum(), abs=1e-7)


def test_six_labels_more_show_no_relation():
    """Their scores vary as those of all rows do; the mean verdict is theirs, too."""
    every = np.array([*SCORES, *OTHERS])
    f, labels = np.repeat(SCORES, 2), np.repeat(LABELS, 2)
    more = f.mean() + every.std() * np.array([-1, 1, -1, 1, -1, 1])
    line = np.polyfit([*f, *more], [*labels, *np.full(6, labels.mean())], 1)
    found = estimate(labels, f, [*OTHERS, *OTHERS])
    assert found.slope == pytest.approx(line[0])
    assert 0 < found.slope < np.polyfit(f, labels, 1)[0]


def test_labels_that_follow_the_score_by_chance_do_not_settle_it():
    """A fifth of the answers that score 0 are right, and with six of them one draw in four does not show it."""
    scores = [0.0] * 6 + [1.0] * 6
    found = estimate(scores, scores, [0.0] * 600 + [1.0] * 400)
    assert found.mean[1] <= 0.4 + 0.6 * 0.2 <= found.mean[2]
    assert found.mean[2] - found.mean[1] < found.labels_alone[2] - found.labels_alone[1]


@pytest.mark.thorough
@pytest.mark.parametrize(("n", "n_draws"), [(15, 200), pytest.param(25, 1000, marks=pytest.mark.thorough)])
def test_intervals_hold_where_a_few_right_answers_score_0(n, n_draws):
    """With a coverage of 95 %, 3 standard errors less are 90.4 % of 200 draws and 92.9 % of 1000; it was 76 and 91 %."""
    random = np.random.default_rng(n)
    scores = (random.random((n_draws, n + 1000)) < 0.4).astype(float)
    is_right = (scores == 1) | (random.random(scores.shape) < 0.15)
    verdicts = np.where(np.arange(n + 1000) < n, is_right, np.nan)
    found = [labelled_mean(*each, None, 0.95) for each in zip(scores, verdicts, strict=True)]
    (low, high), alone = np.transpose([each.mean[1:] for each in found]), [each.labels_alone for each in found]
    truth = 0.4 + 0.6 * 0.15
    assert ((low <= truth) & (truth <= high)).mean() >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / n_draws)
    assert (high - low).mean() < 0.85 * np.mean([each[2] - each[1] for each in alone])


def test_a_unit_of_one_row_is_a_row():
    random = np.random.default_rng(3)
    order = random.permutation(110)
    np.testing.assert_array_equal(
        estimate(LABELS, SCORES, OTHERS, unit=order).mean, estimate(LABELS, SCORES, OTHERS).mean
    )


def test_copies_in_clusters_tell_no_more():
    """The same label three times over is one label, where clusters say so."""
    once = estimate(LABELS, SCORES, OTHERS)
    unit = np.repeat(np.arange(110), 3)
    found = estimate(np.repeat(LABELS, 3), np.repeat(SCORES, 3), np.repeat(OTHERS, 3), unit=unit)
    alone = estimate(np.repeat(LABELS, 3), np.repeat(SCORES, 3), np.repeat(OTHERS, 3))
    assert found.mean[0] == pytest.approx(once.mean[0])
    width, of_once, of_alone = (each.mean[2] - each.mean[1] for each in (found, once, alone))
    assert width == pytest.approx(of_once, rel=0.05)
    assert of_alone < 0.7 * width


@settings(max_examples=50, deadline=None)
@given(rows_with_units, st.randoms(use_true_random=False))
def test_order_makes_no_difference(rows, random):
    f, labels, unit = (np.array(column) for column in zip(*rows, strict=True))
    verdicts = np.where(np.arange(len(f)) % 3 == 0, np.nan, labels)
    order = list(range(len(f)))
    random.shuffle(order)
    for units in (None, unit):
        one = labelled_mean(f, verdicts, units, 0.95)
        other = labelled_mean(f[order], verdicts[order], None if units is None else units[order], 0.95)
        assert repr(one) == repr(other)


def test_where_the_score_tells_nothing_the_labels_stand_alone():
    found = estimate(LABELS, [0.1] * 10, OTHERS)
    assert np.isnan(found.slope)
    assert found.mean == found.labels_alone


def test_where_all_rows_have_labels():
    found = estimate(LABELS, SCORES, [])
    assert found.mean == found.labels_alone
    assert found.slope == pytest.approx(np.polyfit(SCORES, LABELS, 1)[0] * 10 / 16)


def test_too_few_labels():
    found = estimate(LABELS[:2], SCORES[:2], OTHERS)
    assert np.isnan([*found.mean, found.slope]).all()
    assert found.labels_alone[0] == 1
    in_clusters = estimate(LABELS, SCORES, OTHERS, unit=np.arange(110) // 5)
    assert np.isnan(in_clusters.mean[0])


def test_no_mean_is_beyond_0_and_1():
    found = estimate([1, 1, 1, 0], [0.9, 0.8, 0.7, 0.0], [1.0] * 50)
    assert found.mean[0] == found.mean[2] == 1
    assert found.mean[1] < 0.7


def test_a_score_that_is_too_small_to_be_squared_says_nothing():
    scores, verdicts = np.arange(40) * 1e-200, np.where(np.arange(40) < 20, np.arange(40) % 2, np.nan)
    found = labelled_mean(scores, verdicts, None, 0.95)
    assert np.isnan(found.slope)
    expected = labelled_mean(np.zeros(40), verdicts, None, 0.95)
    np.testing.assert_equal(asdict(found), asdict(expected))  # Pythons differ in whether fields of NaN are equal
