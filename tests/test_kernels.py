"""Counts of pairs equal their slow twins exactly, for every size of text and number of pairs."""

from __future__ import annotations

import functools
import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_frame.kernels import single
from qa_frame.kernels.counts import Counts, Wanted, count_matches
from qa_frame.kernels.tokens import Pairs, Tokens
from tests.reference import kernels as twins

Text = tuple[int, ...]

ORDERS = 5
"""One order more than any metric asks for."""

ALL = Wanted(equal=True, orders=ORDERS, lcs=True, run=True)
BORDERS = (7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 191, 192, 193, 200)
SINGLE_FUNCTIONS = {
    "clipped_matches": functools.partial(single.clipped_matches, orders=ORDERS),
    "longest_common_subsequence": single.longest_common_subsequence,
    "whole_gold_run": single.whole_gold_run,
}


# --- what the tests work on


def make_tokens(texts: list[Text]) -> Tokens:
    ids = np.array(list(itertools.chain.from_iterable(texts)), np.int32)
    return Tokens(ids, np.cumsum([0, *map(len, texts)], dtype=np.int64))


def make_pairs(pairs: list[tuple[int, int]]) -> Pairs:
    pred, gold = np.array(pairs, np.int64).reshape(-1, 2).T
    return Pairs(pred.copy(), gold.copy())


def count_all(texts: list[Text], pairs: list[tuple[int, int]], wanted: Wanted = ALL) -> Counts:
    return count_matches(make_tokens(texts), make_pairs(pairs), wanted)


def random_text(rng: np.random.Generator, length: int, vocabulary: int) -> Text:
    return tuple(rng.integers(vocabulary, size=length).tolist())


def related_text(rng: np.random.Generator, text: Text, length: int, vocabulary: int) -> Text:
    """A text of that length that shares a long run with another one."""
    other = list(random_text(rng, length, vocabulary))
    n_shared = min(len(text), length) * 3 // 4
    start, at = rng.integers(len(text) - n_shared + 1), rng.integers(length - n_shared + 1)
    other[at : at + n_shared] = text[start : start + n_shared]
    return tuple(other)


@functools.cache
def twin_counts(pred: Text, gold: Text) -> tuple[int, int, bool, tuple[int, ...], int, bool]:
    """What the twins give for one pair, in the order of the fields of `Counts`."""
    left, right = list(pred), list(gold)
    return (
        len(left),
        len(right),
        twins.equal(left, right),
        tuple(twins.clipped_matches(left, right, orders=ORDERS)),
        twins.longest_common_subsequence(left, right),
        twins.whole_gold_run(left, right),
    )


def assert_as_twins(counts: Counts, texts: list[Text], pairs: list[tuple[int, int]], wanted: Wanted = ALL) -> None:
    """Each count that was wanted equals its twin's, all others are 0."""
    expected = [twin_counts(texts[pred], texts[gold]) for pred, gold in pairs]
    n_pred, n_gold, equal, clipped, lcs, run = zip(*expected, strict=True) if expected else ((),) * 6
    nothing = [0] * len(pairs)
    assert counts.n_pred.tolist() == list(n_pred)
    assert counts.n_gold.tolist() == list(n_gold)
    assert counts.equal.tolist() == (list(equal) if wanted.equal else nothing)
    assert counts.clipped.tolist() == [[pair[order] for pair in clipped] for order in range(wanted.orders)]
    assert counts.lcs.tolist() == (list(lcs) if wanted.lcs else nothing)
    assert counts.run.tolist() == (list(run) if wanted.run else nothing)


@st.composite
def texts_and_pairs(draw: st.DrawFn) -> tuple[list[Text], list[tuple[int, int]]]:
    """A few texts over a small vocabulary, and pairs of them, some of them repeated often."""
    vocabulary = draw(st.integers(1, 7))
    token = st.integers(0, vocabulary - 1)
    texts = draw(st.lists(st.lists(token, max_size=12).map(tuple), min_size=1, max_size=8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    lengths = draw(st.lists(st.integers(0, 80) | st.sampled_from((127, 128, 129, 200)), max_size=4))
    for length in lengths:
        texts.append(related_text(rng, texts[0], length, vocabulary))
    place = st.integers(0, len(texts) - 1)
    pairs = draw(st.lists(st.tuples(place, place), max_size=20))
    return texts, pairs * draw(st.sampled_from((1, 1, 2, 30)))


def all_wanted() -> list[Wanted]:
    flags = (False, True)
    combinations = itertools.product(flags, range(ORDERS + 1), flags, flags)
    return [Wanted(equal=equal, orders=orders, lcs=lcs, run=run) for equal, orders, lcs, run in combinations]


# --- as the twins


@settings(deadline=None, max_examples=30)
@given(case=texts_and_pairs())
def test_counts_equal_the_twins_whatever_is_wanted(case):
    texts, pairs = case
    for wanted in all_wanted():
        assert_as_twins(count_all(texts, pairs, wanted), texts, pairs, wanted)


@settings(deadline=None, max_examples=100)
@given(case=texts_and_pairs())
def test_counts_equal_the_twins(case):
    texts, pairs = case
    assert_as_twins(count_all(texts, pairs), texts, pairs)


def test_types_and_shapes():
    counts = count_all([(1, 2), ()], [(0, 0), (0, 1), (1, 1)])
    for name in ("n_pred", "n_gold", "lcs"):
        assert (getattr(counts, name).dtype, getattr(counts, name).shape) == (np.int64, (3,))
    for name in ("equal", "run"):
        assert (getattr(counts, name).dtype, getattr(counts, name).shape) == (np.bool_, (3,))
    assert (counts.clipped.dtype, counts.clipped.shape) == (np.int64, (ORDERS, 3))


@pytest.mark.parametrize("texts", [[], [()], [(1, 2, 3), ()]], ids=["no text", "an empty text", "two texts"])
def test_no_pairs(texts):
    assert_as_twins(count_all(texts, []), texts, [])


def test_empty_texts():
    texts: list[Text] = [(), (), (4,)]
    pairs = list(itertools.product(range(3), repeat=2))
    assert_as_twins(count_all(texts, pairs), texts, pairs)


def test_wanted_joins_to_what_either_wants():
    some, other = Wanted(equal=True, orders=1), Wanted(orders=4, run=True)
    assert some | other == other | some == Wanted(equal=True, orders=4, run=True)
    assert some | Wanted(lcs=True) | Wanted() == Wanted(equal=True, orders=1, lcs=True)


# --- sizes


@pytest.mark.parametrize("copies", [1, 200], ids=["alone", "many alike"])
@pytest.mark.parametrize("vocabulary", [2, 40])
@pytest.mark.parametrize("length", BORDERS)
def test_lengths_around_the_widths_of_masks(length, vocabulary, copies):
    rng = np.random.default_rng(length * vocabulary)
    text = random_text(rng, length, vocabulary)
    others = [related_text(rng, text, n, vocabulary) for n in (1, 3, length // 2, length - 1, length, length + 1)]
    texts = [text, *others]
    pairs = [pair for other in range(len(texts)) for pair in ((0, other), (other, 0))] * copies
    assert_as_twins(count_all(texts, pairs), texts, pairs)


@pytest.mark.parametrize("length", BORDERS)
def test_what_differs_only_at_the_border(length):
    same = tuple(range(length))
    texts = [same, (*same[:-1], 999), (999, *same[1:]), (*same, 999), (999, *same), (*same, *same)]
    pairs = list(itertools.product(range(len(texts)), repeat=2)) * 20
    assert_as_twins(count_all(texts, pairs), texts, pairs)


def test_one_call_with_very_different_lengths():
    rng = np.random.default_rng(1)
    base = random_text(rng, 150, 9)
    lengths = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 300]
    texts = [related_text(rng, base, length, 9) for length in lengths]
    pairs = list(itertools.product(range(len(texts)), repeat=2))
    rng.shuffle(pairs)
    pairs = [(int(pred), int(gold)) for pred, gold in pairs]
    assert_as_twins(count_all(texts, pairs), texts, pairs)
    assert_as_twins(count_all(texts, pairs * 12), texts, pairs * 12)


@pytest.mark.parametrize("n_pairs", [1, 2, 11, 5_000, 70_000])
def test_few_and_many_pairs(n_pairs):
    rng = np.random.default_rng(n_pairs)
    texts = [random_text(rng, length, 5) for length in rng.poisson(9, size=60)]
    pairs = [(int(pred), int(gold)) for pred, gold in rng.integers(len(texts), size=(n_pairs, 2))]
    assert_as_twins(count_all(texts, pairs), texts, pairs)


def test_the_largest_ids():
    ids = (0, 1, 2**8, 2**16, 2**24, 2**31 - 2, 2**31 - 1)
    rng = np.random.default_rng(2)
    texts = [tuple(ids[place] for place in random_text(rng, length, len(ids))) for length in range(1, 25)]
    pairs = list(itertools.product(range(len(texts)), repeat=2))
    assert_as_twins(count_all(texts, pairs), texts, pairs)


# --- one pair at a time


def single_counts(pred: Text, gold: Text) -> dict[str, object]:
    sides = np.array(pred, np.int32), np.array(gold, np.int32)
    return {name: function(*sides) for name, function in SINGLE_FUNCTIONS.items()}


@settings(deadline=None, max_examples=100)
@given(case=texts_and_pairs())
def test_single_functions_equal_the_twins_and_the_batch(case):
    texts, pairs = case
    pairs = [(pred, gold) for pred, gold in dict.fromkeys(pairs) if texts[gold]]
    batch = count_all(texts, pairs * 50)
    for place, (pred, gold) in enumerate(pairs):
        alone = single_counts(texts[pred], texts[gold])
        _, _, _, clipped, lcs, run = twin_counts(texts[pred], texts[gold])
        assert alone == {
            "clipped_matches": list(clipped),
            "longest_common_subsequence": lcs,
            "whole_gold_run": run,
        }
        assert alone == {
            "clipped_matches": batch.clipped[:, place].tolist(),
            "longest_common_subsequence": int(batch.lcs[place]),
            "whole_gold_run": bool(batch.run[place]),
        }


def test_a_run_is_not_found_across_the_bytes_of_two_ids():
    ones, gold = (1, 256, 65536, 2**24) * 3, (256,)
    assert single_counts(ones, gold)["whole_gold_run"]
    assert not single_counts((1, 1, 1), gold)["whole_gold_run"]
    assert not single_counts((65536, 2**24), gold)["whole_gold_run"]
    assert not single_counts((1, 0, 0), (2**24, 0))["whole_gold_run"]
    assert single_counts((2**24, 2**16, 0, 2**24, 0), (2**24, 0))["whole_gold_run"]


@pytest.mark.parametrize("orders", range(1, ORDERS + 1))
def test_single_orders_beyond_the_text(orders):
    pred, gold = np.array([3, 3], np.int32), np.array([3], np.int32)
    for left, right in itertools.product((pred, gold, gold[:0]), repeat=2):
        expected = twins.clipped_matches(left.tolist(), right.tolist(), orders=orders)
        assert single.clipped_matches(left, right, orders=orders) == expected


@settings(deadline=None, max_examples=60)
@given(case=texts_and_pairs())
def test_the_two_twins_of_the_longest_common_subsequence_agree(case):
    texts, pairs = case
    for pred, gold in set(pairs):
        quick = twins.longest_common_subsequence_of_long_texts(list(texts[pred]), list(texts[gold]))
        assert quick == twin_counts(texts[pred], texts[gold])[4]


@pytest.mark.parametrize(("n_pred", "n_gold"), [(3_000, 2_900), (40_000, 20_000), (17_000, 33_000), (33_000, 300)])
def test_texts_of_thousands_of_tokens(n_pred, n_gold):
    rng = np.random.default_rng(n_pred)
    pred = random_text(rng, n_pred, 15_000)
    gold = related_text(rng, pred, n_gold, 15_000)
    counts = count_all([pred, gold], [(0, 1), (1, 0)])
    lcs = twins.longest_common_subsequence_of_long_texts(list(pred), list(gold))
    clipped = twins.clipped_matches(list(pred), list(gold), orders=ORDERS)
    assert counts.lcs.tolist() == [lcs, lcs]
    assert counts.clipped.tolist() == [[count, count] for count in clipped]
    assert counts.equal.tolist() == counts.run.tolist() == [False, False]


# --- laws


@settings(deadline=None, max_examples=60)
@given(case=texts_and_pairs())
def test_swapping_sides_changes_no_symmetric_count(case):
    texts, pairs = case
    forth, back = count_all(texts, pairs), count_all(texts, [(gold, pred) for pred, gold in pairs])
    np.testing.assert_array_equal(forth.clipped, back.clipped)
    np.testing.assert_array_equal(forth.lcs, back.lcs)
    np.testing.assert_array_equal(forth.equal, back.equal)
    np.testing.assert_array_equal(forth.n_pred, back.n_gold)


@settings(deadline=None, max_examples=60)
@given(case=texts_and_pairs())
def test_a_text_matches_itself_wholly(case):
    texts, _ = case
    counts = count_all(texts, [(text, text) for text in range(len(texts))])
    n_tokens = np.array([len(text) for text in texts])
    assert counts.equal.all()
    np.testing.assert_array_equal(counts.lcs, n_tokens)
    np.testing.assert_array_equal(counts.run, n_tokens > 0)
    for order in range(ORDERS):
        np.testing.assert_array_equal(counts.clipped[order], np.maximum(n_tokens - order, 0))


@settings(deadline=None, max_examples=60)
@given(case=texts_and_pairs(), seed=st.integers(0, 2**32 - 1))
def test_only_equality_of_ids_counts(case, seed):
    texts, pairs = case
    names = np.random.default_rng(seed).choice(2**31 - 1, size=10, replace=False).tolist()
    renamed = [tuple(names[token] for token in text) for text in texts]
    plain, other = count_all(texts, pairs), count_all(renamed, pairs)
    for name in ("equal", "clipped", "lcs", "run"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(other, name))


# --- how it is called


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


@pytest.mark.parametrize(
    ("ids", "offsets"),
    [([1, 2], [0, 1]), ([1, 2], [1, 2]), ([1, 2], [0, 3]), ([], [])],
    ids=["too few", "not from 0", "too many", "none"],
)
def test_tokens_check_their_offsets(ids, offsets):
    with pytest.raises(ValueError, match="offsets of Tokens must begin with 0 and end with the number of ids"):
        Tokens(np.array(ids, np.int32), np.array(offsets, np.int64))


@pytest.mark.parametrize(("ids", "offsets"), [(np.int64, np.int64), (np.int32, np.int32)])
def test_tokens_check_their_types(ids, offsets):
    with pytest.raises(TypeError, match="int32 ids and int64 offsets"):
        Tokens(np.array([1], ids), np.array([0, 1], offsets))


def test_pairs_check_their_shapes():
    with pytest.raises(ValueError, match=r"not \(2,\) and \(3,\)"):
        Pairs(np.zeros(2, np.int64), np.zeros(3, np.int64))
