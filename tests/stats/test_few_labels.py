"""A mean of verdicts from few labels: PPI++ as its own package gives it, and an interval from lines without a unit."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_frame.stats.few_labels import _line, labelled_mean
from tests.reference.record_decisions import LABELLED

LABELS = [1, 1, 0, 1, 0, 1, 1, 0, 1, 1]
SCORES = [0.9, 0.8, 0.2, 0.7, 0.4, 0.6, 1, 0.1, 0.3, 0.9]
OTHERS = [0.2, 0.5, 0.6, 0.8, 0.9] * 20


def estimate(labels, scores, others, unit=None):
    verdicts = np.concatenate([labels, np.full(len(others), np.nan)])
    return labelled_mean(np.array([*scores, *others], float), verdicts, unit, 0.95)


def test_the_example():
    found = estimate(LABELS, SCORES, OTHERS)
    assert [round(each, 3) for each in found.mean] == [0.710, 0.425, 0.891]
    assert [round(each, 3) for each in found.labels_alone] == [0.700, 0.343, 0.913]


def test_ppi_python():
    cases = [json.loads(line) for line in LABELLED.read_text("utf-8").splitlines()]
    assert len(cases) == 100
    for case in cases:
        found = estimate(case["labels"], case["scores"], case["others"])
        assert found.mean[0] == pytest.approx(np.clip(case["value"], 0, 1), abs=1e-9)


rows_with_units = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.integers(0, 1), st.integers(0, 4)), min_size=6, max_size=20
)


@settings(max_examples=100, deadline=None)
@given(rows_with_units)
def test_each_unit_is_held_against_the_line_without_it(rows):
    f, labels, unit = (np.array(column) for column in zip(*rows, strict=True))
    unit = np.unique(unit, return_inverse=True)[1].reshape(-1)
    slope, residuals, unseen = _line(f, labels.astype(float), unit)
    if any(np.ptp(f[unit != each]) == 0 if (unit != each).any() else True for each in range(unit.max() + 1)):
        assert np.isnan(slope)
        return
    line = np.polyfit(f, labels, 1)
    assert slope == pytest.approx(line[0], abs=1e-9)
    np.testing.assert_allclose(residuals, labels - np.polyval(line, f), atol=1e-9)
    for each in range(unit.max() + 1):
        own = unit == each
        without = np.polyfit(f[~own], labels[~own], 1)
        assert unseen[each] == pytest.approx((labels - np.polyval(without, f))[own].sum(), abs=1e-7)


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


@pytest.mark.parametrize("scores", [[0.5] * 10, [0.5] * 9 + [1.0]])
def test_where_the_score_tells_nothing_the_labels_stand_alone(scores):
    found = estimate(LABELS, scores, OTHERS)
    assert np.isnan(found.slope)
    assert found.mean == found.labels_alone


def test_where_all_rows_have_labels():
    found = estimate(LABELS, SCORES, [])
    assert found.mean == found.labels_alone
    assert found.slope > 1


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
