"""Intervals of ranks, by counting."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from qa_frame.stats.differences import observed_ranks, rank_bounds


@st.composite
def differing(draw):
    """Which of up to seven groups differ: symmetric, no group from itself."""
    n = draw(st.integers(1, 7))
    upper = np.zeros((n, n), np.bool_)
    for one, other in itertools.combinations(range(n), 2):
        upper[one, other] = draw(st.booleans())
    return upper | upper.T


@given(differing(), st.randoms(use_true_random=False))
def test_bounds_count_who_is_surely_better(differs, random):
    order = list(range(len(differs)))
    random.shuffle(order)
    is_better = differs & (np.argsort(order)[:, None] < np.argsort(order))
    low, high = rank_bounds(is_better)
    for group in range(len(differs)):
        assert low[group] == 1 + sum(is_better[other, group] for other in range(len(differs)))
        assert high[group] == len(differs) - sum(is_better[group, other] for other in range(len(differs)))
    # The order of which this is part agrees with it, and the ranks in that order are inside.
    place = np.argsort(order)
    found = observed_ranks((place[None] - place[:, None]).astype(float))
    assert (found == 1 + place).all()
    assert (low <= found).all()
    assert (found <= high).all()


def test_equal_groups_share_a_rank_and_what_is_not_known_lowers_none():
    nan = np.nan
    differences = np.array([[nan, 0.0, 0.5], [0.0, nan, nan], [-0.5, nan, nan]])
    assert observed_ranks(differences).tolist() == [1, 1, 2]
