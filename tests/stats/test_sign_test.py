"""The sign test's power against plain sums over all numbers of wins and losses."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from qa_frame.stats import sign_test
from tests.reference import sign_test as plain

RATES = [(0.15, 0.1), (0.05, 0.0), (0.5, 0.1), (1.0, 0.0), (0.9, 0.1), (0.02, 0.01)]


def spread(win, loss):
    return win - loss, math.sqrt(win + loss - (win - loss) ** 2)


@pytest.mark.parametrize(("win", "loss"), RATES)
def test_power_by_all_numbers_of_wins_and_losses(win, loss):
    for n in (2, 7, 25):
        found = sign_test.sign_test_power(n, *spread(win, loss), alpha=0.05)
        assert abs(found - plain.sign_test_power(n, win, loss, alpha=0.05)) < 1e-9


def test_a_p_that_is_just_the_level_is_not_below_it():
    found = [sign_test.sign_test(n_up, n, mid_p=False) for n_up, n in ((0, 3), (7, 7), (1, 7), (14, 15))]
    assert found == [2**-2, 2**-6, 2**-3, 2**-10]
    assert sign_test.sign_test(0, 4, mid_p=True) == 2**-4


def test_many_questions_by_the_normal_distribution(monkeypatch):
    exact = sign_test.sign_test_power(60_000, *spread(0.128, 0.122), alpha=0.05)
    monkeypatch.setattr(sign_test, "_MOST_DISCORDANT", 1000)
    assert abs(exact - sign_test.sign_test_power(60_000, *spread(0.128, 0.122), alpha=0.05)) < 1e-3


def test_many_wins_and_losses_to_the_last_digits():
    """Sums of logarithms were wrong by 1e-11 here, and by 5e-8 of 300,000."""
    below, same = sum(math.comb(2500, lost) for lost in range(1249)), math.comb(2500, 1249)
    expected = float(Fraction(2 * below + same, 2**2500))
    assert sign_test.sign_test(1249, 2500, mid_p=True) == pytest.approx(expected, rel=1e-14)
