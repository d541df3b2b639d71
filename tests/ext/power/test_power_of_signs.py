"""The sign test's power against plain sums over all numbers of wins and losses."""

from __future__ import annotations

import math

import pytest

from qa_frame.ext.power import statistics
from tests.reference import sign_test as plain

RATES = [(0.15, 0.1), (0.05, 0.0), (0.5, 0.1), (1.0, 0.0), (0.9, 0.1), (0.02, 0.01)]


def spread(win, loss):
    return win - loss, math.sqrt(win + loss - (win - loss) ** 2)


@pytest.mark.parametrize(("win", "loss"), RATES)
def test_power_by_all_numbers_of_wins_and_losses(win, loss):
    for n in (2, 7, 25):
        found = statistics.sign_test_power(n, *spread(win, loss), alpha=0.05)
        assert abs(found - plain.sign_test_power(n, win, loss, alpha=0.05)) < 1e-9


def test_many_questions_by_the_normal_distribution(monkeypatch):
    exact = statistics.sign_test_power(60_000, *spread(0.128, 0.122), alpha=0.05)
    monkeypatch.setattr(statistics, "_MOST_DISCORDANT", 1000)
    assert abs(exact - statistics.sign_test_power(60_000, *spread(0.128, 0.122), alpha=0.05)) < 1e-3
