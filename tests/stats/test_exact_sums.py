"""Exact sums, beside Python's own fractions: whatever is added, in any order, as often as wanted."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from qa_frame.stats import exact_sums

floats = hnp.arrays(
    np.float64, st.integers(0, 30), elements=st.floats(0, 1) | st.floats(-(2.0**30), 2.0**30) | st.sampled_from([0, 1])
)


def as_fractions(digits, unit):
    return [Fraction(int(number), unit) for number in exact_sums.as_integers(digits)]


def rounded(values):
    """To multiples of 2**-64."""
    return [Fraction(round(Fraction(value) * 2**64), 2**64) for value in values.tolist()]


@given(values=floats)
def test_sums_and_squares_are_exact(values):
    """Of the values as multiples of 2**-64."""
    codes = np.arange(len(values)) % 3
    exact = rounded(values)
    sums, squares = exact_sums.sum_scores(values, codes, 3), exact_sums.sum_squares(values, codes, 3)
    assert as_fractions(sums, exact_sums.SUM_UNIT) == [sum(exact[group::3]) for group in range(3)]
    assert as_fractions(squares, exact_sums.SQUARE_UNIT) == [sum(x * x for x in exact[group::3]) for group in range(3)]


whole = st.integers(-(2**31) + 1, 2**31 - 1) | st.integers(-50, 50)


@given(pairs=st.lists(st.tuples(whole, whole), max_size=30))
def test_products_are_exact(pairs):
    left, right = np.array(pairs, np.int64).reshape(-1, 2).T
    codes = np.arange(len(pairs)) % 2
    found = exact_sums.as_integers(exact_sums.sum_products(left, right, codes, 2)).tolist()
    assert found == [sum(a * b for a, b in pairs[group::2]) for group in range(2)]


@pytest.mark.parametrize("n_groups", [1, 2, 7])
def test_sums_of_many_chunks(monkeypatch, n_groups):
    """Also where groups are few, which then have several sums each."""
    values = np.random.default_rng(0).random(1000)
    codes = np.arange(1000) % n_groups
    whole = exact_sums.sum_squares(values, codes, n_groups)
    for name, rows in (("_CHUNK_ROWS", 13), ("_MAX_CHUNK_ROWS", 17)):
        monkeypatch.setattr(exact_sums, name, rows)
    np.testing.assert_array_equal(exact_sums.sum_squares(values, codes, n_groups), whole)


@given(values=floats)
def test_digits_of_single_scores_add_up(values):
    digits = exact_sums.score_digits(values).astype(np.int64)
    assert as_fractions(digits, exact_sums.SUM_UNIT) == rounded(values)
    total = exact_sums.sum_scores(values, np.zeros(len(values), np.int64), 1)
    assert as_fractions(digits.sum(axis=1, keepdims=True), exact_sums.SUM_UNIT) == as_fractions(
        total, exact_sums.SUM_UNIT
    )


# ------------------------------------------------------------------------------------------------------------- carry

any_digits = hnp.arrays(np.int64, (4, 3), elements=st.integers(-(2**62), 2**62) | st.integers(-5, 5))


@given(digits=any_digits)
def test_carrying_keeps_the_numbers(digits):
    carried = exact_sums.carry(digits)
    assert exact_sums.as_integers(carried).tolist() == exact_sums.as_integers(digits).tolist()
    assert (carried[1:] >= 0).all()
    assert (carried[1:] < 2**32).all()


@given(digits=any_digits, shift=st.integers(-(2**20), 2**20))
def test_each_number_has_one_form(digits, shift):
    """Digits that stand for the same number become the same digits."""
    other = digits.copy()
    other[1] += shift
    other[2] -= shift << 32
    np.testing.assert_array_equal(exact_sums.carry(other), exact_sums.carry(digits))


@pytest.mark.parametrize("value", [1 / 3, -0.7, 2.0**-64, 12345.678])
def test_doubled_far_beyond_what_digits_alone_could_hold(value):
    """Digits below 2**32, doubled 45 times, are beyond int64 in every place but the first."""
    digits = exact_sums.sum_scores(np.array([value]), np.zeros(1, np.int64), 1)
    (expected,) = as_fractions(digits, exact_sums.SUM_UNIT)
    for _ in range(45):
        digits = exact_sums.carry(digits + digits)
        expected *= 2
    assert as_fractions(digits, exact_sums.SUM_UNIT) == [expected]


# ---------------------------------------------------------------------------------------------- floats and quotients


@given(values=hnp.arrays(np.float64, st.integers(0, 20), elements=st.floats(-1e9, 1e9) | st.floats(-1e-9, 1e-9)))
def test_sums_of_floats_are_near_and_in_any_order_the_same(values):
    codes = np.arange(len(values)) % 2
    found = exact_sums.sum_floats(values, codes, 2)
    for group in range(2):
        members = values[codes == group]
        bound = len(members) * np.abs(members).max(initial=0.0) * 2.0**-52
        assert found[group] == pytest.approx(math.fsum(members), rel=0, abs=bound)
    order = np.random.default_rng(0).permutation(len(values))
    np.testing.assert_array_equal(exact_sums.sum_floats(values[order], codes[order], 2), found)


@given(values=floats, others=floats)
def test_a_sum_of_floats_does_not_depend_on_other_groups(values, others):
    """To the last bit, however large the others are."""
    alone = exact_sums.sum_floats(values, np.zeros(len(values), np.int64), 1)
    codes = np.r_[np.zeros(len(values), np.int64), np.ones(len(others), np.int64)]
    together = exact_sums.sum_floats(np.r_[values, 1e5 * others], codes, 2)
    np.testing.assert_array_equal(together[:1], alone)


def test_quotients_are_rounded_once():
    parts, wholes = np.array([10**40, 1, 0, 5], object), np.array([3 * 10**40, 3, 0, 0], object)
    np.testing.assert_array_equal(exact_sums.divide(parts, wholes), [1 / 3, 1 / 3, np.nan, np.nan])
