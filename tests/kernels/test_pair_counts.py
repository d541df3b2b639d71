"""The counts of pairs equal those of the slow twins exactly, for each number of pairs."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_frame.kernels.pair_counts import (
    CLIPPED,
    EDITS,
    N_DISTINCT,
    SUBSEQUENCE,
    count_matches,
    count_sets,
)
from tests.kernels.shared import (
    ALL,
    ORDERS,
    Text,
    Wanted,
    assert_as_twins,
    count_all,
    make_pairs,
    make_tokens,
    random_text,
    texts_and_pairs,
)


def all_wanted() -> list[Wanted]:
    others = [kernel for kernel in ALL if kernel is not CLIPPED]
    each = [
        {kernel: 1 for kernel, is_wanted in zip(others, flags, strict=True) if is_wanted}
        for flags in itertools.product((False, True), repeat=len(others))
    ]
    return [{**wanted, CLIPPED: 1 + place % ORDERS} for place, wanted in enumerate(each)] + [
        {CLIPPED: orders} for orders in range(1, ORDERS + 1)
    ]


@settings(deadline=None, max_examples=30)
@given(case=texts_and_pairs())
def test_counts_equal_the_twins_whatever_is_wanted(case):
    texts, pairs = case
    for wanted in all_wanted():
        assert_as_twins(count_all(texts, pairs, wanted), texts, pairs, wanted)


@settings(deadline=None, max_examples=30)
@given(case=texts_and_pairs(), place=st.integers(0, len(all_wanted()) - 1))
def test_sets_that_are_counted_at_once_have_the_counts_of_each(case, place):
    texts, pairs = case
    sets = [texts, texts[::-1], [text[: len(text) // 2] for text in texts]]
    wanted = all_wanted()[place]
    counts = count_sets(make_tokens([*itertools.chain(*sets)]), len(sets), make_pairs(pairs), wanted)
    for found, some in zip(counts, sets, strict=True):
        assert_as_twins(found, some, pairs, wanted)


def test_types_and_shapes():
    counts = count_all([(1, 2), ()], [(0, 0), (0, 1), (1, 1)])
    for found in (counts.n_pred, counts.n_gold, counts["distinct"], counts["subsequence"], counts["run"]):
        assert (found.dtype, found.shape) == (np.int64, (3,))
    for name in ("equal", "contains_gold"):
        assert (counts[name].dtype, counts[name].shape) == (np.bool_, (3,))
    assert (counts["clipped"].dtype, counts["clipped"].shape) == (np.int64, (ORDERS, 3))


@pytest.mark.parametrize("texts", [[], [()], [(1, 2, 3), ()]], ids=["no text", "an empty text", "two texts"])
def test_no_pairs(texts):
    assert_as_twins(count_all(texts, []), texts, [])


@pytest.mark.parametrize("n_pairs", [1, 11, 70_000])
def test_few_and_many_pairs(n_pairs):
    rng = np.random.default_rng(n_pairs)
    texts = [random_text(rng, length, 5) for length in rng.poisson(9, size=60)]
    pairs = [(int(pred), int(gold)) for pred, gold in rng.integers(len(texts), size=(n_pairs, 2))]
    assert_as_twins(count_all(texts, pairs), texts, pairs)


@pytest.mark.parametrize("n_pairs", [1, 400])
def test_long_texts_with_few_tokens_of_the_other(n_pairs):
    rng = np.random.default_rng(n_pairs)
    short = [random_text(rng, length, 60) for length in rng.integers(1, 12, size=40)]
    long = [random_text(rng, length, 60) for length in (60, 64, 65, 66, 90, 130, 500, 1023, 1024, 1025, 1500)]
    same = [(7,) * 70, (7, 8) * 40, (7, 9, 8) * 64, (7, 9, 9) * 40, (8,) * 63 + (9, 9, 7)]  # some fill a mask or more
    texts = [*short, (7,), (7, 8), (8, 7, 7), *long, *same]
    n_short = len(texts) - len(long) - len(same)
    sides = zip(rng.integers(n_short, len(texts), n_pairs), rng.integers(n_short, size=n_pairs), strict=True)
    pairs = [pair if rng.random() < 0.5 else pair[::-1] for pair in ((int(pred), int(gold)) for pred, gold in sides)]
    pairs += [(len(texts) - 1 - place, n_short - 1 - other) for place in range(5) for other in range(3)]
    assert_as_twins(count_all(texts, pairs), texts, pairs)
    assert_as_twins(count_all(texts, pairs, {SUBSEQUENCE: 1}), texts, pairs, {SUBSEQUENCE: 1})


def test_the_largest_ids():
    ids = (0, 1, 2**8, 2**16, 2**24, 2**31 - 2, 2**31 - 1)
    rng = np.random.default_rng(2)
    texts = [tuple(ids[place] for place in random_text(rng, length, len(ids))) for length in range(1, 25)]
    pairs = list(itertools.product(range(len(texts)), repeat=2))
    assert_as_twins(count_all(texts, pairs), texts, pairs)


def mixed_case() -> tuple[list[Text], list[tuple[int, int]]]:
    rng = np.random.default_rng(3)
    texts = [random_text(rng, length, 6) for length in (0, 1, 4, 9, 40, 70, 200, 900)]
    return texts, list(itertools.product(range(len(texts)), repeat=2)) * 3


def test_inputs_are_not_written_to():
    texts, pairs = mixed_case()
    tokens, places = make_tokens(texts), make_pairs(pairs)
    arrays = (tokens.ids, tokens.offsets, places.pred, places.gold)
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    assert_as_twins(count_matches(tokens, places, ALL), texts, pairs)
    for array, copy in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_threads_may_count_the_same_texts_at_once():
    texts, pairs = mixed_case()
    tokens, places = make_tokens(texts), make_pairs(pairs)
    with ThreadPoolExecutor(4) as pool:
        for counts in pool.map(lambda _: count_matches(tokens, places, ALL), range(8)):
            assert_as_twins(counts, texts, pairs)


def test_counts_of_some_pairs():
    tokens = make_tokens([(1, 2, 3), (2, 3), (), (3, 3, 1)])
    pairs = make_pairs(list(itertools.product(range(4), repeat=2)))
    places = np.array([15, 0, 3, 3, 9])
    wanted = {**ALL, N_DISTINCT: 1, EDITS: 1.0}
    taken = count_matches(tokens, pairs, wanted).take(places)
    expected = count_matches(tokens, pairs[places], wanted)
    for name, found in {**taken.by_name, "n_pred": taken.n_pred, "n_gold": taken.n_gold}.items():
        other = {**expected.by_name, "n_pred": expected.n_pred, "n_gold": expected.n_gold}[name]
        np.testing.assert_array_equal(found, other)
        assert found.dtype == other.dtype
