"""Rules of the overlap, of `contains` and of `em` that look at how tokens are spelled, against their plain words."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qa_frame import Convention
from qa_frame.rules import Contains, Delete, Empty, Exact, Overlap, Text
from qa_frame.text.numerals import number_of, numbers_in
from tests.strategies import texts_of

WORDS = Text(("lower",))
words = st.sampled_from(
    ["yes", "no", "Yes", "noanswer", "a", "b", "A", "3", "3.0", "-1e3", "nan", "inf", "x3", "", " ", "\n", "é"]
)
pairs = st.lists(st.tuples(texts_of(words), texts_of(words)), min_size=1, max_size=8)


def score(rule: Overlap | Contains | Exact, rows: Sequence[tuple[str, str]], *metrics: str) -> list[list[float]]:
    """The scores of each metric, in this order."""
    family = {Overlap: "overlap", Contains: "contains", Exact: "exact"}[type(rule)]
    frame = pd.DataFrame(rows, columns=["pred", "gold"], dtype="string")
    own = Convention(name="own", **{family: rule})
    found = frame.qa.score("pred", "gold", metrics=metrics, convention=own, append=False)
    return [found[metric].to_list() for metric in metrics]


def prf(common: int, n_pred: int, n_gold: int) -> tuple[float, float, float]:
    if not common:
        return 0.0, 0.0, 0.0
    precision, recall = common / n_pred, common / n_gold
    return precision, recall, 2 * precision * recall / (precision + recall)


def is_float(token: str) -> bool:
    try:
        float(token)
    except ValueError:
        return False
    return True


def distinct(pred: list[str], gold: list[str]) -> tuple[float, float, float]:
    return prf(len({*pred} & {*gold}), len({*pred}), len({*gold}))


def multiset(pred: list[str], gold: list[str]) -> tuple[float, float, float]:
    return prf(sum(min(pred.count(token), gold.count(token)) for token in {*pred}), len(pred), len(gold))


def with_answers(pred: list[str], gold: list[str]) -> tuple[float, float, float]:
    for side in (pred, gold):
        if side in (["yes"], ["no"], ["noanswer"]) and pred != gold:
            return 0.0, 0.0, 0.0
    return multiset(pred, gold)


def with_numbers(pred: list[str], gold: list[str]) -> tuple[float, float, float]:
    numbers = {token for token in gold if is_float(token)}
    return distinct(pred, gold) if not numbers or numbers & {*pred} else (0.0, 0.0, 0.0)


RULES: dict[str, tuple[Overlap, Callable[[list[str], list[str]], tuple[float, float, float]]]] = {
    "distinct": (Overlap(text=WORDS, counting="distinct"), distinct),
    "answers": (Overlap(text=WORDS, only_equal=("yes", "no", "noanswer")), with_answers),
    "numbers": (Overlap(text=WORDS, counting="distinct", numbers_must_match=True), with_numbers),
}


@pytest.mark.parametrize("name", RULES)
@settings(deadline=None, max_examples=40)
@given(rows=pairs)
@example(
    rows=[("yes", "yes it is"), ("yes it is", "yes"), ("Yes", "yes"), ("a 3 3", "3 b 3.0"), ("3.0", "3"), ("", "")]
)
def test_rules_of_the_overlap(name: str, rows: list[tuple[str, str]]):
    rule, expected = RULES[name]
    found = score(rule, rows, "precision", "recall", "f1")
    assert [*zip(*found, strict=True)] == [expected(pred.lower().split(), gold.lower().split()) for pred, gold in rows]


@pytest.mark.parametrize("rounding", ["python", "numpy"])
@pytest.mark.parametrize("digits", [0, 2])
@settings(deadline=None, max_examples=40)
@given(rows=pairs)
@example(rows=[("a " * 7 + "b " * 33, "a " * 7)])  # a precision of 0.175, between two decimals
def test_rounded_scores(digits: int, rounding: str, rows: list[tuple[str, str]]):
    exact = score(Overlap(text=WORDS), rows, "precision", "recall", "f1")
    found = score(Overlap(text=WORDS, digits=digits, rounding=rounding), rows, "precision", "recall", "f1")
    as_python = [[round(value, digits) for value in values] for values in exact]
    assert found == (as_python if rounding == "python" else np.round(exact, digits).tolist())


PLACES: dict[str, Callable[[str, str], bool]] = {
    "anywhere": lambda pred, gold: gold in pred,
    "words": lambda pred, gold: f" {gold} " in f" {pred} " or not gold,
    "start": str.startswith,
    "end": str.endswith,
}


@pytest.mark.parametrize("split", ["words", "none", "characters"])
@pytest.mark.parametrize("place", PLACES)
@settings(deadline=None, max_examples=40)
@given(rows=pairs)
@example(
    rows=[
        ("ab b", "b"),
        ("ab b", "a"),
        ("", ""),
        ("", "a"),
        ("a", ""),
        ("a b a", "a b"),
        ("b a b", "a b"),
        ("ab", "ab c"),
    ]
)
def test_places_of_the_gold(place: str, split: str, rows: list[tuple[str, str]]):
    splits = {"words": str.split, "characters": list, "none": lambda text: [text]}
    joined = [tuple(" ".join(splits[split](side.lower())) for side in row) for row in rows]
    expected = [float(PLACES[place](pred, gold)) for pred, gold in joined]
    if (split, place) == ("none", "words"):  # a text is then one token
        expected = [float(pred == gold or not gold) for pred, gold in joined]
    found = score(Contains(text=Text(("lower",), split), place=place), rows, "contains", "prefix")
    assert found == [expected, [float(pred.startswith(gold)) for pred, gold in joined]]


def by_bars(text: str) -> list[str]:
    return [part for part in text.split("|") if part]


@settings(deadline=None, max_examples=40)
@given(rows=st.lists(st.tuples(*[st.text(st.sampled_from("ab| \x1f"), max_size=9)] * 2), min_size=1, max_size=8))
@example(rows=[("a|b", "a b"), ("a b", "a|b"), ("a\x1fb", "a|b"), ("a| b", "a  b"), ("b|a b", "a|b")])
def test_tokens_that_hold_spaces_are_compared_as_text(rows: list[tuple[str, str]]):
    for place, is_at in PLACES.items():
        if place == "words":
            continue
        expected = [float(is_at(*(" ".join(by_bars(side)) for side in row))) for row in rows]
        assert score(Contains(text=Text(split=by_bars), place=place), rows, "contains") == [expected]


# --- numbers


def last_number(text: str) -> float | None:
    found = re.findall(r"(?<![\w.])[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\d)", text, re.ASCII)
    return float(found[-1].replace(",", "")) if found else None


def spell_last_number(text: str) -> str:
    found = last_number(text)
    return text if found is None else str(found)


with_numbers_in = texts_of(st.sampled_from(["$1,200.50", "12", "-3.5e1", "1e999", "x5", "(7)", "the", "0.99", ""]))


@pytest.mark.parametrize("tolerance", [0, 0.01, 1])
@settings(deadline=None, max_examples=40)
@given(rows=st.lists(st.tuples(with_numbers_in, with_numbers_in), min_size=1, max_size=8))
def test_numbers_within_a_tolerance(tolerance: float, rows: list[tuple[str, str]]):
    rule = Exact(text=Text((spell_last_number,), split="none"), tolerance=tolerance)
    expected = []
    for pred, gold in rows:
        found, wanted = last_number(pred), last_number(gold)
        if found is None or wanted is None:
            expected.append(float((pred if found is None else str(found)) == (gold if wanted is None else str(wanted))))
        elif math.isinf(found) or math.isinf(wanted):
            expected.append(float(found == wanted))
        else:
            expected.append(float(abs(found - wanted) <= tolerance * max(1.0, abs(wanted))))
    assert score(rule, rows, "em") == [expected]


def test_a_tolerance_needs_one_number_a_side():
    rule = Exact(text=WORDS, tolerance=0.5)
    rows = [("3 4", "3 4"), ("3 4", "3.1 4"), ("3", "3.2"), ("3", "9"), ("inf", "inf"), ("nan", "nan"), ("nan", "3")]
    assert score(rule, rows, "em") == [[1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0]]


# --- golds that are numbers, or have a text of their own

IS_AT = {
    "anywhere": (operator.contains, operator.contains),
    "start": (str.startswith, lambda numbers, number: numbers[:1] == [number]),
    "end": (str.endswith, lambda numbers, number: numbers[-1:] == [number]),
}


@pytest.mark.parametrize("place", IS_AT)
@pytest.mark.parametrize("split", ["none", "words"])
@settings(deadline=None, max_examples=40)
@given(rows=st.lists(st.tuples(with_numbers_in, with_numbers_in), min_size=1, max_size=8))
@example(rows=[("It costs $5.", "5.0"), ("15", "5"), ("5 or 6", "$5"), ("the", "$the"), ("the", ""), ("", "7")])
def test_golds_that_are_numbers(split: str, place: str, rows: list[tuple[str, str]]):
    rule = Contains(text=Text(("lower",), split), numbers=True, place=place, gold_text=Text((Delete("$"),), split))
    of_text, of_numbers = IS_AT[place]
    expected = []
    for pred, gold in rows:
        number = number_of(gold)
        pred_text, gold_text = pred.lower(), gold.replace("$", "")
        if split == "words":
            pred_text, gold_text = " ".join(pred_text.split()), " ".join(gold_text.split())
        found = of_text(pred_text, gold_text) if number is None else of_numbers([*numbers_in(pred)], number)
        expected.append(float(found))
    assert score(rule, rows, "contains") == [expected]


# --- empty sides


def test_of_several_rules_for_empty_sides_the_first_counts():
    empty = (Empty(of="white_space", gold=0.0, both=0.0), Empty(both=1.0, gold=0.25, pred=0.5))
    rule = Overlap(text=Text(("lower", "delete_ascii_punctuation")), empty=empty)
    rows = [("", ""), (".", " "), (".", "!"), ("a", "."), ("", "a"), ("a", "a")]
    assert score(rule, rows, "f1") == [[0.0, 0.0, 1.0, 0.25, 0.5, 1.0]]
