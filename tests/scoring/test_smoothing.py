"""BLEU under every smoothing equals `sacrebleu`'s sentence score under the same."""

from __future__ import annotations

import logging
import math
from functools import lru_cache

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from sacrebleu.metrics import BLEU

import qa_frame
from tests.reference.oracles_of_conventions import character_bleu
from tests.strategies import Row, frames

ATOL = 1e-9

# Our names and values, and sacrebleu's.
SMOOTHINGS = {
    "none": (("none", 0.0), ("none", None)),
    "exp": (("exp", 0.0), ("exp", None)),
    "floor 0.1": (("floor", 0.1), ("floor", 0.1)),
    "add_k 0.3": (("add_k", 0.3), ("add-k", 0.3)),
}

BY_HAND: list[Row] = [
    (" ".join("abcde"[:n_pred]), [" ".join(gold)])
    for n_pred in range(6)
    for gold in ("", "a", "x", "ab", "axc", "abc", "abxde", "abcde", "xbcdefg", "edcba")
]


@lru_cache(maxsize=32)
def peer(smoothing: str, *, effective_order: bool) -> BLEU:
    method, value = SMOOTHINGS[smoothing][1]
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)  # it has an opinion on effective order
    return BLEU(smooth_method=method, smooth_value=value, effective_order=effective_order)


def bleu_of(rows: list[Row], **settings_: object) -> list[float]:
    rule = qa_frame.rules.Bleu(text=qa_frame.rules.Text(split="13a"), **settings_)
    convention = qa_frame.Convention(name="own", bleu=rule, bleu_n=rule)
    frame = pd.DataFrame(rows, columns=["pred", "golds"]).astype({"pred": "string"})
    return frame.qa.score("pred", "golds", convention=convention, metrics="bleu")["bleu"].to_list()


def check(rows: list[Row], smoothing: str, *, effective_order: bool) -> None:
    name, value = SMOOTHINGS[smoothing][0]
    found = bleu_of(rows, smoothing=name, smoothing_value=value, effective_order=effective_order)
    scorer = peer(smoothing, effective_order=effective_order)
    expected = [max(scorer.sentence_score(pred, [gold]).score / 100 for gold in golds) for pred, golds in rows]
    assert found == pytest.approx(expected, rel=0, abs=ATOL)


@pytest.mark.parametrize("effective_order", [True, False], ids=["effective", "all four"])
@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@settings(deadline=None, max_examples=25)
@given(rows=frames())
def test_each_smoothing(smoothing: str, effective_order: bool, rows: list[Row]):  # noqa: FBT001
    check([*rows, *BY_HAND], smoothing, effective_order=effective_order)


@settings(deadline=None, max_examples=25)
@given(rows=frames(max_golds=1))
def test_the_least_float_is_that_of_nltk(rows: list[Row]):
    """Over tokens that are all of one character, so that NLTK gets them from a string."""
    spaced = [(" ".join("".join(pred.split())), [" ".join("".join(golds[0].split()))]) for pred, golds in rows]
    rule = qa_frame.rules.Bleu(text=qa_frame.rules.Text(), smoothing="least")
    frame = pd.DataFrame(spaced, columns=["pred", "golds"]).astype({"pred": "string"})
    convention = qa_frame.Convention(name="own", bleu=rule)
    found = frame.qa.score("pred", "golds", convention=convention)["bleu"].to_list()
    expected = [character_bleu(pred.replace(" ", ""), golds[0].replace(" ", "")) for pred, golds in spaced]
    assert found == pytest.approx(expected, rel=0, abs=ATOL)


NLTK_SMOOTHINGS = {
    "method1": {"smoothing": "floor", "smoothing_value": 0.1},
    "method2": {"smoothing": "add_k", "smoothing_value": 1.0},
    "method3": {"smoothing": "exp"},
    **{name: {"smoothing": name} for name in ("method4", "method5", "method7")},
}
short_texts = st.lists(st.sampled_from("abcd"), max_size=7).map(" ".join)
rows_of_short_texts = st.tuples(short_texts, st.lists(short_texts, min_size=1, max_size=3))


@pytest.mark.parametrize("method", NLTK_SMOOTHINGS)
@settings(deadline=None, max_examples=25)
@given(rows=st.lists(rows_of_short_texts, min_size=1, max_size=8))
@example(rows=[("Frank Harris", ["Frank Harris"])])
def test_smoothing_is_that_of_nltk(method: str, rows: list[Row]):
    """Of golds together, also where a prediction is too short for an order."""
    rows, smooth = [*rows, *BY_HAND], getattr(SmoothingFunction(), method)
    rule = qa_frame.rules.Bleu(
        text=qa_frame.rules.Text(), references="together", pad_orders=True, **NLTK_SMOOTHINGS[method]
    )
    frame = pd.DataFrame(rows, columns=["pred", "golds"]).astype({"pred": "string"})
    found = frame.qa.score("pred", "golds", convention=qa_frame.Convention(name="own", bleu=rule), append=False)
    expected = [
        float(sentence_bleu([gold.split() for gold in golds], pred.split(), smoothing_function=smooth))
        for pred, golds in rows
    ]
    assert found["bleu"].to_list() == pytest.approx(expected, rel=0, abs=ATOL)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_without_brevity_only_the_penalty_is_missing(smoothing: str):
    name, value = SMOOTHINGS[smoothing][0]
    rows = [(pred, golds) for pred, golds in BY_HAND if pred]
    options = {"smoothing": name, "smoothing_value": value, "effective_order": True}
    with_penalty, without = bleu_of(rows, **options), bleu_of(rows, **options, brevity=False)
    penalties = [math.exp(min(0.0, 1 - len(golds[0].split()) / len(pred.split()))) for pred, golds in rows]
    assert with_penalty == pytest.approx(
        [score * penalty for score, penalty in zip(without, penalties, strict=True)], rel=0, abs=ATOL
    )
    assert with_penalty != without


@pytest.mark.parametrize("smoothing", ["method5", "method7"])
def test_means_of_orders_without_those_that_are_too_long(smoothing: str):
    """A prediction of one token has one order, whose precision is the mean of 1 + 1, 1 and 0."""
    (found,) = bleu_of([("Elbe", ["Elbe"])], smoothing=smoothing, smoothing_value=0.1, effective_order=True)
    assert found == pytest.approx(1.0, rel=0, abs=ATOL)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_smoothing_of_lower_orders(order: int):
    """As sacrebleu's with that maximal order."""
    scorer = BLEU(max_ngram_order=order, smooth_method="floor", smooth_value=0.2, effective_order=True)
    rule = qa_frame.rules.Bleu(
        text=qa_frame.rules.Text(split="13a"), smoothing="floor", smoothing_value=0.2, effective_order=True
    )
    frame = pd.DataFrame(BY_HAND, columns=["pred", "golds"])
    convention = qa_frame.Convention(name="own", bleu_n=rule)
    found = frame.qa.score("pred", "golds", convention=convention, metrics=f"bleu{order}")[f"bleu{order}"].to_list()
    expected = [scorer.sentence_score(pred, golds).score / 100 for pred, golds in BY_HAND]
    assert found == pytest.approx(expected, rel=0, abs=ATOL)
