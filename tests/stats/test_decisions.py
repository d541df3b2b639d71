"""A small run of the benchmark of decisions: levels at the margin, power reached, and ranks that hold."""

from __future__ import annotations

import argparse

import pytest

from tests.benchmarks import decisions

pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")]


def shares(part, runs):
    """The rows of a table: the name and the numbers of each."""
    rows = list(part(argparse.Namespace(runs=runs, seed=1)))
    return {(row[0], int(row[1])): [float(share) for share in row[2:]] for row in rows}


def test_so_many_questions_find_the_difference():
    """Five standard errors of 100 runs are .2."""
    for (name, n), (reached, by_t, mdd) in shares(decisions.powers, 100).items():
        assert 0.9 <= mdd <= 1.15, (name, n)
        assert reached >= 0.8 - 0.2, (name, n)
        assert by_t >= 0.8 - 0.2, (name, n)


def test_intervals_of_ranks_hold_all_at_once():
    """Of 8 runs each, with 20 designs. Percentiles of ranks, beside them, do not."""
    found = shares(decisions.coverages, 80).values()
    assert sum(held for held, *_ in found) / len(found) >= 0.9
    assert sum(percentiles for _, percentiles, *_ in found) / len(found) <= 0.75
