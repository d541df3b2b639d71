"""The sign test: p-values that are just a level, and those of many wins and losses."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from qa_frame.stats import sign_test


def test_a_p_that_is_just_the_level_is_not_below_it():
    found = [sign_test.sign_test(n_up, n, mid_p=False) for n_up, n in ((0, 3), (7, 7), (1, 7), (14, 15))]
    assert found == [2**-2, 2**-6, 2**-3, 2**-10]
    assert sign_test.sign_test(0, 4, mid_p=True) == 2**-4


def test_many_wins_and_losses_to_the_last_digits():
    """Sums of logarithms were wrong by 1e-11 here, and by 5e-8 of 300,000."""
    below, same = sum(math.comb(2500, lost) for lost in range(1249)), math.comb(2500, 1249)
    expected = float(Fraction(2 * below + same, 2**2500))
    assert sign_test.sign_test(1249, 2500, mid_p=True) == pytest.approx(expected, rel=1e-14)
