"""Figures: the gradient of each by numeric derivatives, and what all have in common."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from qa_frame.stats.statistic import Mean, divide_where
from qa_frame.tables.pooled import POOLED_STATISTICS as POOLED
from tests.stats.frames import statistics, sums_of

FIGURES = {"mean": Mean("mean"), **POOLED}

ORDERS = {"corpus_bleu": 4, "corpus_bleu_exp": 4, **{f"corpus_bleu{order}": order for order in (1, 2, 3, 4)}}
"""The highest order of n-grams."""


def test_a_mean_is_a_mean():
    np.testing.assert_array_equal(FIGURES["mean"].value(np.array([[3.0, 4], [0, 2], [0, 0]])), [0.75, 0, np.nan])


@pytest.mark.parametrize("name", FIGURES)
def test_no_rows_have_no_figure(name):
    sums = np.zeros((2, FIGURES[name].n_sums + 1))
    sums[1, -1] = 3  # rows, but nothing in them
    values = FIGURES[name].value(sums)
    np.testing.assert_array_equal(values, [np.nan, 0.0])
    np.testing.assert_array_equal(FIGURES[name].gradient(sums)[0], 0.0)


# ---------------------------------------------------------------------------------------- what holds for every figure


@pytest.mark.parametrize("name", FIGURES)
@given(data=st.data())
def test_gradients_are_derivatives(name, data):
    figure, sums = FIGURES[name], sums_of(name, data.draw(statistics()))
    if name in ORDERS:  # away from 0 and from the brevity's edge
        assume((sums[: ORDERS[name]] > 2).all())
        assume(abs(sums[-2]) > 0.5)
    if name.startswith("corpus_chrf"):  # away from orders that a side has not reached, which then count for nothing
        assume((np.add.outer(sums[0:-1:3], [0, 0]) + np.stack([sums[1:-1:3], sums[2:-1:3]], axis=1) > 0.5).all())
    step = 1e-5
    steps = np.eye(len(sums)) * step
    numeric = (figure.value(sums + steps) - figure.value(sums - steps)) / (2 * step)
    np.testing.assert_allclose(figure.gradient(sums), numeric, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", FIGURES)
@given(data=st.data(), factor=st.sampled_from([2, 3, 10, 0.5]))
def test_values_do_not_change_when_all_sums_are_multiplied(name, data, factor):
    figure, sums = FIGURES[name], sums_of(name, data.draw(statistics()))
    assume(name != "corpus_bleu_exp" or (sums[:4] > 0).all())  # half a match is less of more n-grams
    assert figure.value(factor * sums) == pytest.approx(figure.value(sums), rel=1e-14)
    gradient = figure.gradient(sums)
    assert gradient @ sums == pytest.approx(0, abs=1e-12 * np.abs(gradient * sums).sum() + 1e-300)


@pytest.mark.parametrize("name", FIGURES)
@given(data=st.data())
def test_many_at_once_as_each_alone(name, data):
    """To the last bit: a group's figure does not depend on other groups."""
    figure = FIGURES[name]
    sums = np.stack([sums_of(name, data.draw(statistics())) for _ in range(data.draw(st.integers(1, 6)))])
    alone = [(figure.value(each), figure.gradient(each), figure.max_n(each)) for each in sums]
    for together, each in zip((figure.value, figure.gradient, figure.max_n), zip(*alone, strict=True), strict=True):
        np.testing.assert_array_equal(together(sums), np.stack(each))
        np.testing.assert_array_equal(together(np.asfortranarray(sums)), np.stack(each))


@pytest.mark.parametrize("name", FIGURES)
@given(data=st.data())
def test_figures_are_from_0_to_1_and_rest_on_their_rows(name, data):
    sums = sums_of(name, data.draw(statistics()))
    assert 0 <= FIGURES[name].value(sums) <= 1
    assert 0 <= FIGURES[name].max_n(sums) <= sums[-1]


def test_division_where_there_is_something_to_divide_by():
    found = divide_where(np.array([1.0, 2.0, 3.0]), np.array([[4.0], [0.0], [-1.0]]), -9.0)
    np.testing.assert_array_equal(found, [[0.25, 0.5, 0.75], [-9.0] * 3, [-9.0] * 3])
