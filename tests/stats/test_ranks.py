"""Intervals of ranks, by counting; letters, by looking at all sets of groups."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa_frame.stats.ranks import chances_of_best, letters, rank_bounds, ranks_found


@st.composite
def differing(draw):
    """Which of up to seven groups differ: symmetric, no group from itself."""
    n = draw(st.integers(1, 7))
    upper = np.zeros((n, n), np.bool_)
    for one, other in itertools.combinations(range(n), 2):
        upper[one, other] = draw(st.booleans())
    return upper | upper.T


def largest_alike(differs):
    """All sets of groups none of which differ, less those that are part of another one."""
    n = len(differs)
    subsets = [set(each) for size in range(1, n + 1) for each in itertools.combinations(range(n), size)]
    alike = [each for each in subsets if not any(differs[a, b] for a, b in itertools.combinations(sorted(each), 2))]
    return sorted(sorted(each) for each in alike if not any(each < other for other in alike))


@given(differing())
def test_letters_are_the_largest_sets_of_groups_that_do_not_differ(differs):
    found = letters(differs)
    sets = {letter: [group for group, text in enumerate(found) if letter in text] for letter in "".join(found)}
    assert sorted(sets.values()) == largest_alike(differs)
    assert list(sets.values()) == sorted(sets.values())
    for a, b in itertools.combinations(range(len(differs)), 2):
        assert bool(set(found[a]) & set(found[b])) == (not differs[a, b])


def test_more_groups_than_letters():
    found = letters(~np.eye(54, dtype=np.bool_))
    assert found[:2] + found[25:27] + found[51:] == ["a", "b", "z", "A", "Z", "(53)", "(54)"]


@pytest.mark.parametrize("n_groups", [40, 70, 100])
@pytest.mark.parametrize("share", [0.02, 0.2, 0.5, 0.8, 0.95])
def test_any_differences_are_answered_soon(n_groups, share):
    differs = np.triu(np.random.default_rng(n_groups).random((n_groups, n_groups)) < share, k=1)
    differs |= differs.T
    started = time.process_time()
    found = letters(differs)
    assert time.process_time() - started < 10  # it took for ever
    assert (found is None) == (share < 0.8 or (n_groups, share) == (100, 0.8))
    for a, b in itertools.combinations(range(n_groups), 2) if found and n_groups == 40 and share > 0.9 else ():
        assert bool(set(found[a]) & set(found[b])) == (not differs[a, b])


@pytest.mark.thorough
def test_intervals_that_do_not_overlap_always_have_letters():
    random = np.random.default_rng(0)
    for n_groups in (5, 20, 80):
        for _ in range(20):
            low = np.sort(random.random(n_groups))
            high = low + random.random(n_groups) * random.choice([0.02, 0.1, 0.5])
            assert letters((low[:, None] > high) | (high[:, None] < low)) is not None


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
    found = ranks_found((place[None] - place[:, None]).astype(float))
    assert (found == 1 + place).all()
    assert (low <= found).all()
    assert (found <= high).all()


def test_equal_groups_share_a_rank_and_what_is_not_known_lowers_none():
    nan = np.nan
    differences = np.array([[nan, 0.0, 0.5], [0.0, nan, nan], [-0.5, nan, nan]])
    assert ranks_found(differences).tolist() == [1, 1, 2]


def test_the_chance_of_being_best_needs_every_difference_and_every_error():
    differences, errors = np.array([[0.0, 0.1], [-0.1, 0.0]]), np.array([[0.0, 0.1], [0.1, 0.0]])
    unknown = np.array([[0.0, np.nan], [np.nan, 0.0]])
    assert chances_of_best(differences, errors, seed=0).sum() == pytest.approx(1)
    assert np.isnan(chances_of_best(unknown, errors, seed=0)).all()
    assert np.isnan(chances_of_best(differences, unknown, seed=0)).all()
