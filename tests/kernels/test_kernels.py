"""Counts of pairs equal their slow twins exactly, for every size of text and number of pairs."""

from __future__ import annotations

import functools
import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_frame.kernels import buckets, long_pairs, sentences, several_golds
from qa_frame.kernels.pair_counts import PairCounts, Wanted, count_matches
from qa_frame.kernels.sentences import UnionCounts, count_union
from qa_frame.kernels.several_golds import clipped_over_golds, closest_lengths
from qa_frame.kernels.tokens import Pairs, Tokens
from tests.reference import kernels as twins

Text = tuple[int, ...]

ORDERS = 5
"""One order more than any metric asks for."""

ALL = Wanted(equal=True, orders=ORDERS, distinct=True, lcs=True, longest_common_substring=True, contains_gold=True)
BORDERS = (7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 191, 192, 193, 200)
SINGLE_FUNCTIONS = {
    "clipped_matches": functools.partial(long_pairs.clipped_matches, orders=ORDERS),
    "longest_common_subsequence": long_pairs.longest_common_subsequence,
    "longest_common_substring": long_pairs.longest_common_substring,
    "contains_gold": long_pairs.contains_gold,
}


# --- what the tests work on


def make_tokens(texts: list[Text]) -> Tokens:
    ids = np.array(list(itertools.chain.from_iterable(texts)), np.int32)
    return Tokens(ids, np.cumsum([0, *map(len, texts)], dtype=np.int64))


def make_pairs(pairs: list[tuple[int, int]]) -> Pairs:
    pred, gold = np.array(pairs, np.int64).reshape(-1, 2).T
    return Pairs(pred.copy(), gold.copy())


def count_all(texts: list[Text], pairs: list[tuple[int, int]], wanted: Wanted = ALL) -> PairCounts:
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
def twin_counts(pred: Text, gold: Text) -> tuple[int, int, bool, tuple[int, ...], int, int, int, bool]:
    """What the twins give for one pair, in the order of the fields of `PairCounts`."""
    left, right = list(pred), list(gold)
    return (
        len(left),
        len(right),
        twins.equal(left, right),
        tuple(twins.clipped_matches(left, right, orders=ORDERS)),
        twins.distinct(left, right),
        twins.longest_common_subsequence(left, right),
        twins.longest_common_substring(left, right),
        twins.contains_gold(left, right),
    )


def assert_as_twins(counts: PairCounts, texts: list[Text], pairs: list[tuple[int, int]], wanted: Wanted = ALL) -> None:
    """Each count that was wanted equals its twin's, all others are 0."""
    expected = [twin_counts(texts[pred], texts[gold]) for pred, gold in pairs]
    n_pred, n_gold, equal, clipped, distinct, lcs, longest, contains = (
        zip(*expected, strict=True) if expected else ((),) * 8
    )
    nothing = [0] * len(pairs)
    assert counts.n_pred.tolist() == list(n_pred)
    assert counts.n_gold.tolist() == list(n_gold)
    assert counts.equal.tolist() == (list(equal) if wanted.equal else nothing)
    assert counts.clipped.tolist() == [[pair[order] for pair in clipped] for order in range(wanted.orders)]
    assert counts.distinct.tolist() == (list(distinct) if wanted.distinct else nothing)
    assert counts.lcs.tolist() == (list(lcs) if wanted.lcs else nothing)
    assert counts.longest_common_substring.tolist() == (list(longest) if wanted.longest_common_substring else nothing)
    assert counts.contains_gold.tolist() == (list(contains) if wanted.contains_gold else nothing)


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
    names = ("equal", "distinct", "lcs", "longest_common_substring", "contains_gold")
    each = [Wanted(**dict(zip(names, flags, strict=True))) for flags in itertools.product((False, True), repeat=5)]
    return [wanted | Wanted(orders=place % (ORDERS + 1)) for place, wanted in enumerate(each)] + [
        Wanted(orders=orders) for orders in range(ORDERS + 1)
    ]


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
    for name in ("n_pred", "n_gold", "distinct", "lcs", "longest_common_substring"):
        assert (getattr(counts, name).dtype, getattr(counts, name).shape) == (np.int64, (3,))
    for name in ("equal", "contains_gold"):
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
    some, other = Wanted(equal=True, orders=1), Wanted(orders=4, contains_gold=True)
    assert some | other == other | some == Wanted(equal=True, orders=4, contains_gold=True)
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
        _, _, _, clipped, _, lcs, longest, contains = twin_counts(texts[pred], texts[gold])
        assert alone == {
            "clipped_matches": list(clipped),
            "longest_common_subsequence": lcs,
            "longest_common_substring": longest,
            "contains_gold": contains,
        }
        assert alone == {
            "clipped_matches": batch.clipped[:, place].tolist(),
            "longest_common_subsequence": int(batch.lcs[place]),
            "longest_common_substring": int(batch.longest_common_substring[place]),
            "contains_gold": bool(batch.contains_gold[place]),
        }


def test_a_run_is_not_found_across_the_bytes_of_two_ids():
    ones, gold = (1, 256, 65536, 2**24) * 3, (256,)
    assert single_counts(ones, gold)["contains_gold"]
    assert not single_counts((1, 1, 1), gold)["contains_gold"]
    assert not single_counts((65536, 2**24), gold)["contains_gold"]
    assert not single_counts((1, 0, 0), (2**24, 0))["contains_gold"]
    assert single_counts((2**24, 2**16, 0, 2**24, 0), (2**24, 0))["contains_gold"]


@pytest.mark.parametrize("orders", range(1, ORDERS + 1))
def test_single_orders_beyond_the_text(orders):
    pred, gold = np.array([3, 3], np.int32), np.array([3], np.int32)
    for left, right in itertools.product((pred, gold, gold[:0]), repeat=2):
        expected = twins.clipped_matches(left.tolist(), right.tolist(), orders=orders)
        assert long_pairs.clipped_matches(left, right, orders=orders) == expected


@settings(deadline=None, max_examples=60)
@given(case=texts_and_pairs())
def test_the_twins_of_long_texts_agree_with_the_others(case):
    texts, pairs = case
    for pred, gold in set(pairs):
        quick = twins.longest_common_subsequence_of_long_texts(list(texts[pred]), list(texts[gold]))
        assert quick == twins.longest_common_subsequence(list(texts[pred]), list(texts[gold]))
        quick = twins.longest_common_substring_of_long_texts(list(texts[pred]), list(texts[gold]))
        assert quick == twins.longest_common_substring(list(texts[pred]), list(texts[gold]))


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
    assert counts.distinct.tolist() == [twins.distinct(list(pred), list(gold))] * 2
    assert (
        counts.longest_common_substring.tolist()
        == [twins.longest_common_substring_of_long_texts(list(pred), list(gold))] * 2
    )
    assert counts.equal.tolist() == counts.contains_gold.tolist() == [False, False]


# --- sentences

END = 0
"""The token that ends a sentence."""


def union_of(texts: list[Text], pairs: list[tuple[int, int]], end: int | None = END) -> list[tuple[int, int, int]]:
    counts = count_union(make_tokens(texts), make_pairs(pairs), sentence_end=end)
    return list(zip(counts.common.tolist(), counts.n_pred.tolist(), counts.n_gold.tolist(), strict=True))


def union_of_twins(texts: list[Text], pairs: list[tuple[int, int]], end: int = END) -> list[tuple[int, int, int]]:
    per_pair = {(pred, gold): twins.union(list(texts[pred]), list(texts[gold]), end) for pred, gold in set(pairs)}
    return [per_pair[pair] for pair in pairs]


@settings(deadline=None, max_examples=150)
@given(case=texts_and_pairs())
def test_union_equals_its_twin(case):
    texts, pairs = case
    assert union_of(texts, pairs) == union_of_twins(texts, pairs)


@settings(deadline=None, max_examples=80)
@given(
    texts=st.lists(st.lists(st.sampled_from((END, END, 1, 2, 3)), max_size=30).map(tuple), min_size=1, max_size=6),
    copies=st.sampled_from((1, 40)),
)
def test_union_of_many_short_sentences_equals_its_twin(texts, copies):
    pairs = list(itertools.product(range(len(texts)), repeat=2)) * copies
    assert union_of(texts, pairs) == union_of_twins(texts, pairs)


def test_union_where_no_sentence_ends():
    texts = [(1, 2, 3), (3, 1, 2), (), (2,)]
    pairs = list(itertools.product(range(len(texts)), repeat=2))
    assert union_of(texts, pairs, end=None) == union_of_twins(texts, pairs, end=99)


@pytest.mark.parametrize("texts", [[()], [(END,)], [(END, END)], [(END, END, END)], [(1, END)], [(END, 1)]], ids=str)
def test_union_of_nearly_nothing(texts):
    assert union_of([*texts, (1,), (END, END)], [(0, 0), (0, 1), (1, 0), (0, 2), (2, 0)]) == union_of_twins(
        [*texts, (1,), (END, END)], [(0, 0), (0, 1), (1, 0), (0, 2), (2, 0)]
    )


def test_union_without_pairs():
    counts = count_union(make_tokens([(1, END, 2)]), make_pairs([]), sentence_end=END)
    assert isinstance(counts, UnionCounts)
    for part in (counts.common, counts.n_pred, counts.n_gold):
        assert (part.dtype, part.shape) == (np.int64, (0,))


@pytest.mark.parametrize("copies", [1, 60], ids=["alone", "many alike"])
@pytest.mark.parametrize("vocabulary", [3, 40])
@pytest.mark.parametrize("length", BORDERS)
def test_union_around_the_widths_of_masks(length, vocabulary, copies):
    """Sentences of such lengths on either side: as steps, and as bits."""
    rng = np.random.default_rng(length + vocabulary)
    text = tuple(token + 1 for token in random_text(rng, length, vocabulary))
    others = [related_text(rng, text, n, vocabulary) for n in (5, length, length + 1)]  # with ends in them
    texts = [text, *others, (*text, END, *text[::-1])]
    pairs = [pair for other in range(len(texts)) for pair in ((0, other), (other, 0))]
    assert union_of(texts, pairs * copies) == union_of_twins(texts, pairs) * copies


def test_union_is_the_same_in_any_parts(monkeypatch):
    rng = np.random.default_rng(5)
    texts = [random_text(rng, length, 6) for length in rng.integers(0, 70, size=25)]
    pairs = list(itertools.product(range(len(texts)), repeat=2))
    expected = union_of_twins(texts, pairs)
    assert union_of(texts, pairs) == expected
    for cells in (1, 1_000, 20_000):
        monkeypatch.setattr(sentences, "_CELLS_AT_ONCE", cells)
        assert union_of(texts, pairs) == expected


@settings(deadline=None, max_examples=100)
@given(case=texts_and_pairs())
def test_the_subsequence_of_a_long_pair_equals_its_twin(case):
    texts, pairs = case
    for pred, gold in set(pairs):
        found = long_pairs.backtrack_lcs(np.array(texts[pred], np.int32), np.array(texts[gold], np.int32))
        assert found.tolist() == twins.chosen_subsequence(list(texts[pred]), list(texts[gold]))


@pytest.mark.parametrize("per_pair", [0, 1 << 30], ids=["pair by pair", "in buckets"])
def test_one_by_one_and_in_buckets_alike(monkeypatch, per_pair):
    """Every pair goes the one way or the other, whatever its size."""
    rng = np.random.default_rng(6)
    texts = [random_text(rng, length, 7) for length in (1, 2, 5, 9, 17, 33, 65, 130, 140)]
    pairs = list(itertools.product(range(len(texts)), repeat=2)) * 2
    monkeypatch.setattr(buckets, "_STEPS_PER_PAIR", per_pair)
    assert_as_twins(count_all(texts, pairs), texts, pairs)
    assert union_of(texts, pairs) == union_of_twins(texts, pairs)
    golds = [[pred, (pred + 1) % 9, 3] for pred, _ in pairs]
    assert_clipped_as_twins(texts, [(pred, of_row) for (pred, _), of_row in zip(pairs, golds, strict=True)])


# --- several golds

Rows = list[tuple[int, list[int]]]
"""For each row the text of its prediction and those of its golds."""


def assert_clipped_as_twins(texts: list[Text], rows: Rows) -> None:
    tokens = make_tokens(texts)
    pairs = make_pairs([(pred, gold) for pred, golds in rows for gold in golds])
    offsets = np.cumsum([0, *(len(golds) for _, golds in rows)], dtype=np.int64)
    matches = clipped_over_golds(tokens, pairs, offsets, orders=ORDERS)
    lengths = closest_lengths(tokens, pairs, offsets)
    assert (matches.dtype, matches.shape) == (np.int64, (ORDERS, len(rows)))
    assert (lengths.dtype, lengths.shape) == (np.int64, (len(rows),))
    expected = [twin_of_row(texts[pred], tuple(texts[gold] for gold in golds)) for pred, golds in rows]
    assert matches.T.tolist() == [of_row for of_row, _ in expected]
    assert lengths.tolist() == [length for _, length in expected]


@functools.lru_cache(maxsize=1 << 12)
def twin_of_row(pred: Text, golds: tuple[Text, ...]) -> tuple[list[int], int]:
    """What the twins give for one row."""
    left, right = list(pred), [list(gold) for gold in golds]
    return twins.clipped_over_golds(left, right, orders=ORDERS), twins.closest_length(left, right)


@st.composite
def texts_and_rows(draw: st.DrawFn) -> tuple[list[Text], Rows]:
    texts, _ = draw(texts_and_pairs())
    place = st.integers(0, len(texts) - 1)
    rows = draw(st.lists(st.tuples(place, st.lists(place, max_size=5)), max_size=12))
    return texts, rows * draw(st.sampled_from((1, 1, 2, 30)))


@settings(deadline=None, max_examples=150)
@given(case=texts_and_rows())
def test_clipping_over_golds_equals_its_twin(case):
    assert_clipped_as_twins(*case)


@pytest.mark.parametrize("copies", [1, 60], ids=["alone", "many alike"])
@pytest.mark.parametrize("vocabulary", [2, 40])
@pytest.mark.parametrize("length", BORDERS)
def test_clipping_over_golds_around_the_widths_of_masks(length, vocabulary, copies):
    rng = np.random.default_rng(length * vocabulary + 1)
    text = random_text(rng, length, vocabulary)
    others = [related_text(rng, text, n, vocabulary) for n in (1, 3, length // 2, length - 1, length, length + 1)]
    texts = [text, *others, ()]
    places = list(range(len(texts)))
    rows = [(pred, places[first:stop]) for pred in places for first, stop in ((0, 2), (1, 4), (2, 8), (7, 8), (3, 3))]
    assert_clipped_as_twins(texts, rows * copies)


def test_clipping_over_golds_in_any_parts(monkeypatch):
    rng = np.random.default_rng(7)
    texts = [random_text(rng, length, 4) for length in rng.integers(0, 40, size=20)]
    rows = [(int(pred), rng.integers(20, size=n_golds).tolist()) for pred, n_golds in rng.integers(20, size=(60, 2))]
    for flags in (1, 100, 1 << 22):
        monkeypatch.setattr(several_golds, "_FLAGS_AT_ONCE", flags)
        assert_clipped_as_twins(texts, rows)


def test_clipping_of_long_texts():
    rng = np.random.default_rng(8)
    pred = random_text(rng, 9_000, 900)
    texts = [pred, *(related_text(rng, pred, length, 900) for length in (10, 500, 6_000, 9_000)), (1, 2)]
    assert_clipped_as_twins(texts, [(0, [1, 2, 3, 4]), (0, [4, 5]), (5, [0, 1]), (4, [0, 4])])


def test_an_ngram_counts_as_often_as_in_the_one_gold_that_has_most_of_it():
    texts: list[Text] = [(1, 1, 1, 1), (1, 1, 2), (1, 2, 1, 1), (2,)]
    tokens = make_tokens(texts)
    pairs, offsets = make_pairs([(0, 1), (0, 2), (0, 3)]), np.array([0, 3], np.int64)
    assert clipped_over_golds(tokens, pairs, offsets, orders=2).T.tolist() == [[3, 1]]


@pytest.mark.parametrize(
    ("n_pred", "n_golds", "closest"), [(5, [4, 6], 4), (5, [6, 4], 4), (5, [9, 1, 5], 5), (0, [3, 2], 2), (3, [0], 0)]
)
def test_the_closest_length_is_the_shorter_on_ties(n_pred, n_golds, closest):
    texts: list[Text] = [tuple(range(length)) for length in (n_pred, *n_golds)]
    pairs = make_pairs([(0, place + 1) for place in range(len(n_golds))])
    assert closest_lengths(make_tokens(texts), pairs, np.array([0, len(n_golds)], np.int64)).tolist() == [closest]


@settings(deadline=None, max_examples=80)
@given(case=texts_and_pairs(), order=st.integers(1, ORDERS))
def test_matched_ngrams_of_a_long_pair_equal_their_twin(case, order):
    texts, pairs = case
    for pred, gold in set(pairs):
        sides = np.array(texts[pred], np.int32), np.array(texts[gold], np.int32)
        *_, flags = long_pairs.matched_ngrams(*sides, orders=order)
        assert flags.tolist() == twins.matched_ngrams(list(texts[pred]), list(texts[gold]), order=order)


# --- laws


@settings(deadline=None, max_examples=60)
@given(case=texts_and_pairs())
def test_swapping_sides_changes_no_symmetric_count(case):
    texts, pairs = case
    forth, back = count_all(texts, pairs), count_all(texts, [(gold, pred) for pred, gold in pairs])
    np.testing.assert_array_equal(forth.clipped, back.clipped)
    np.testing.assert_array_equal(forth.distinct, back.distinct)
    np.testing.assert_array_equal(forth.lcs, back.lcs)
    np.testing.assert_array_equal(forth.longest_common_substring, back.longest_common_substring)
    np.testing.assert_array_equal(forth.equal, back.equal)
    np.testing.assert_array_equal(forth.n_pred, back.n_gold)


@settings(deadline=None, max_examples=60)
@given(case=texts_and_pairs())
def test_a_text_matches_itself_wholly(case):
    texts, _ = case
    counts = count_all(texts, [(text, text) for text in range(len(texts))])
    n_tokens = np.array([len(text) for text in texts])
    assert counts.equal.all()
    np.testing.assert_array_equal(counts.distinct, [len(set(text)) for text in texts])
    np.testing.assert_array_equal(counts.lcs, n_tokens)
    np.testing.assert_array_equal(counts.longest_common_substring, n_tokens)
    np.testing.assert_array_equal(counts.contains_gold, n_tokens > 0)
    for order in range(ORDERS):
        np.testing.assert_array_equal(counts.clipped[order], np.maximum(n_tokens - order, 0))


@settings(deadline=None, max_examples=60)
@given(case=texts_and_pairs(), seed=st.integers(0, 2**32 - 1))
def test_only_equality_of_ids_counts(case, seed):
    texts, pairs = case
    names = np.random.default_rng(seed).choice(2**31 - 1, size=10, replace=False).tolist()
    renamed = [tuple(names[token] for token in text) for text in texts]
    plain, other = count_all(texts, pairs), count_all(renamed, pairs)
    for name in ("equal", "clipped", "distinct", "lcs", "longest_common_substring", "contains_gold"):
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
