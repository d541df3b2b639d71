"""Risk against coverage: areas by the definition and in all orders of ties, and the best thresholds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_frame.stats.selection import area_under_risk, best_threshold, selective_scores

answers = st.lists(
    st.tuples(st.sampled_from([0.1, 0.2, 0.3]), st.sampled_from([0.0, 0.25, 1.0])), min_size=1, max_size=6
)
many_answers = st.lists(st.tuples(st.integers(0, 9), st.floats(0, 1)), min_size=2, max_size=30)


def columns(rows):
    return tuple(np.array(column, float) for column in zip(*rows, strict=True))


def area_in_order(losses):
    """The mean over k of the mean loss of the first k."""
    return np.mean([np.mean(losses[: k + 1]) for k in range(len(losses))])


def test_the_example():
    confidence, scores = np.array([0.9, 0.8, 0.7, 0.6]), np.array([1.0, 1.0, 0.0, 0.0])
    assert round(area_under_risk(confidence, 1 - scores), 4) == 0.2083
    curve = selective_scores(confidence, scores)
    assert curve.threshold.tolist() == [0.9, 0.8, 0.7, 0.6]
    assert curve.n.tolist() == [1, 2, 3, 4]
    assert curve.score.tolist() == [1, 1, 2 / 3, 1 / 2]


@settings(max_examples=100, deadline=None)
@given(answers)
def test_ties_are_as_if_their_order_were_drawn(rows):
    confidence, losses = columns(rows)
    orders = [order for order in itertools.permutations(range(len(rows))) if (np.diff(confidence[[*order]]) <= 0).all()]
    expected = np.mean([area_in_order(losses[[*order]]) for order in orders])
    assert area_under_risk(confidence, losses) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(many_answers)
def test_the_formula_with_harmonic_numbers(rows):
    confidence, losses = columns(rows)
    confidence += np.linspace(0, 0.5, len(rows))  # no ties
    harmonic = np.append(0, np.cumsum(1 / np.arange(1, len(rows) + 1)))
    expected = (losses[np.argsort(-confidence)] * (harmonic[-1] - harmonic[:-1])).sum() / len(rows)
    assert area_under_risk(confidence, losses) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(many_answers, st.randoms(use_true_random=False))
def test_order_makes_no_difference(rows, random):
    order = list(range(len(rows)))
    random.shuffle(order)
    confidence, losses = columns(rows)
    assert area_under_risk(confidence, losses) == area_under_risk(confidence[order], losses[order])
    gains = np.where(losses > 0.5, -1.0, losses)
    assert best_threshold(confidence, gains, 2.0) == best_threshold(confidence[order], gains[order], 2.0)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from([-1.0, 0.0, 0.25, 1.0])), max_size=12), st.integers(0, 5))
def test_the_best_threshold_is_the_best_of_all(rows, otherwise):
    confidence, gains = columns(rows) if rows else (np.zeros(0), np.zeros(0))
    sums = {np.inf: otherwise} | {each: otherwise + gains[confidence >= each].sum() for each in confidence.tolist()}
    found, threshold = best_threshold(confidence, gains, float(otherwise))
    assert found == max(sums.values())
    assert threshold == max(each for each, total in sums.items() if total == found)
