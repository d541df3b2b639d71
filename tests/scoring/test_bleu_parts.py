"""The settings of BLEU for several golds, other weights and the smoothing of HF equal those of their packages."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import bleuscore
import numpy as np
import pandas as pd
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import sentence_bleu
from sacrebleu.metrics import BLEU

import qa_frame
from tests.reference.oracles import mteval_tokens
from tests.strategies import Row, frames, ordinary_texts

ATOL = 1e-9

BY_HAND: list[Row] = [
    ("the cat sat on the mat", ["the cat sat", "sat on the mat"]),
    ("the cat sat on the mat", ["the cat is on the mat", "there is a cat on the mat"]),
    ("the the the the the", ["the cat", "the the mat"]),
    ("cat", ["cat", "the cat sat on the mat"]),
    ("cat sat", ["", "sat cat on"]),
    ("", ["cat", ""]),
    ("dog", ["cat", "the cat"]),
    ("one two three four five", ["one two three four", "two three four five six seven eight"]),
    ("one two three four five", ["one two three four five six"]),
]


def bleu_of(rows: Sequence[Row], metric: str = "bleu", *, reduce: str = "max", **options: object) -> list[float]:
    frame = pd.DataFrame({"pred": [pred for pred, _ in rows], "golds": [golds for _, golds in rows]})
    rule = qa_frame.rules.Bleu(**{"text": qa_frame.rules.Text(split="13a"), **options})
    own = qa_frame.Convention(name="own", **{"bleu" if metric == "bleu" else "bleu_n": rule})
    scored = frame.astype({"pred": "string"}).qa.score("pred", "golds", convention=own, metrics=metric, reduce=reduce)
    return scored[metric].to_list()


texts = st.lists(st.sampled_from(["cat", "sat", "on", "mat", "The", "cat."]), max_size=9).map(" ".join)
plain_rows = st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=4)), min_size=1, max_size=5)
any_rows = plain_rows | frames()

# --- all golds of a row together

SMOOTHED = {"exp": (None, 0.0), "floor": (0.2, 0.2), "add-k": (1, 1.0), "none": (None, 0.0)}


@pytest.mark.parametrize("effective_order", [True, False], ids=["effective", "all four"])
@pytest.mark.parametrize("smoothing", SMOOTHED)
@settings(deadline=None, max_examples=30)
@given(rows=any_rows)
def test_golds_together_are_those_of_sacrebleu(smoothing, effective_order, rows):
    value, own_value = SMOOTHED[smoothing]
    scorer = BLEU(smooth_method=smoothing, smooth_value=value, effective_order=effective_order)
    rows = [*rows, *BY_HAND]
    found = bleu_of(
        rows,
        references="together",
        smoothing=smoothing.replace("-", "_"),
        smoothing_value=own_value,
        effective_order=effective_order,
    )
    expected = [scorer.sentence_score(pred, golds).score / 100 for pred, golds in rows]
    assert found == pytest.approx(expected, rel=0, abs=ATOL)


@settings(deadline=None, max_examples=40)
@given(rows=plain_rows)
def test_golds_together_are_those_of_nltk(rows):
    rows = [*rows, *BY_HAND]
    found = bleu_of(rows, references="together", smoothing="least", text=qa_frame.rules.Text())
    assert found == pytest.approx([nltk_bleu(pred, golds) for pred, golds in rows], rel=0, abs=ATOL)


def nltk_bleu(pred: str, golds: list[str], weights: tuple[float, ...] = (0.25, 0.25, 0.25, 0.25)) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of every order without a match
        return float(sentence_bleu([gold.split() for gold in golds], pred.split(), weights))


def hf_bleu(pred: str, golds: list[str], *, max_order: int = 4, smooth: bool = False) -> float:
    """HF `evaluate`'s BLEU of one row, by a package that computes the same from the same tokens."""
    tokens = [" ".join(mteval_tokens(text)) for text in (pred, *golds)]
    if not all(tokens):
        return 0.0  # as HF has it, where the length of the prediction or of the shortest gold is 0
    options = {"max_order": max_order, "smooth": smooth}
    return float(bleuscore.compute(references=[tokens[1:]], predictions=[tokens[0]], **options)["bleu"])


@pytest.mark.parametrize("smooth", [False, True], ids=["plain", "smooth"])
@pytest.mark.parametrize("max_order", [1, 2, 3, 4])
@settings(deadline=None, max_examples=30)
@given(rows=plain_rows)
def test_golds_together_with_the_shortest_length_are_those_of_hf(max_order, smooth, rows):
    rows = [*rows, *BY_HAND]
    smoothing = {"smoothing": "add_k", "smoothing_value": 1.0, "smooth_from": 1} if smooth else {}
    found = bleu_of(
        rows,
        f"bleu{max_order}",
        text=qa_frame.rules.Text(split="13a-hf"),
        references="together",
        reference_length="shortest",
        **smoothing,
    )
    expected = [hf_bleu(pred, golds, max_order=max_order, smooth=smooth) for pred, golds in rows]
    assert found == pytest.approx(expected, rel=0, abs=ATOL)


@settings(deadline=None, max_examples=30)
@given(rows=plain_rows)
def test_smoothing_from_the_first_order_is_that_of_hf_for_one_gold(rows):
    rows = [(pred, golds[:1]) for pred, golds in (*rows, *BY_HAND)]
    found = bleu_of(rows, smoothing="add_k", smoothing_value=1.0, smooth_from=1)
    assert found == pytest.approx([hf_bleu(pred, golds, smooth=True) for pred, golds in rows], rel=0, abs=ATOL)


@settings(deadline=None, max_examples=30)
@given(rows=frames(), reduce=st.sampled_from(["min", "mean", "first", "max"]))
def test_any_reduction_gives_the_score_of_all_golds(rows, reduce):
    options = {"references": "together", "smoothing": "exp", "effective_order": True}
    assert bleu_of(rows, reduce=reduce, **options) == pytest.approx(bleu_of(rows, **options), rel=1e-15)


def test_golds_together_beside_golds_each_with_the_same_tokens():
    """Both families have the same tokens, and different counts."""
    text = qa_frame.rules.Text(split="13a")
    each = qa_frame.rules.Bleu(text=text, smoothing="exp", effective_order=True)
    together = qa_frame.rules.Bleu(text=text, references="together")
    own = qa_frame.Convention(name="own", overlap=qa_frame.rules.Overlap(text=text), bleu=each, bleu_n=together)
    frame = pd.DataFrame(BY_HAND, columns=["pred", "golds"]).astype({"pred": "string"})
    both = frame.qa.score("pred", "golds", convention=own, metrics="all", append=False)
    assert both["bleu"].to_list() == bleu_of(BY_HAND, smoothing="exp", effective_order=True)
    for order in (1, 2, 3, 4):
        assert both[f"bleu{order}"].to_list() == bleu_of(BY_HAND, f"bleu{order}", references="together")


# --- weights

WEIGHTS = [(0, 0, 0, 1), (1, 0, 0, 0), (0.5, 0.5), (0.1, 0.2, 0.3, 0.4), (0, 1), (1 / 3, 1 / 3, 1 / 3), (0.2,) * 5]


@pytest.mark.parametrize("weights", WEIGHTS, ids=str)
@pytest.mark.parametrize("references", ["each", "together"])
@settings(deadline=None, max_examples=25)
@given(rows=plain_rows)
def test_weights_are_those_of_nltk(references, weights, rows):
    rows = [*rows, *BY_HAND]
    found = bleu_of(rows, text=qa_frame.rules.Text(), smoothing="least", weights=weights, references=references)
    expected = [
        nltk_bleu(pred, golds, weights)
        if references == "together"
        else max(nltk_bleu(pred, [gold], weights) for gold in golds)
        for pred, golds in rows
    ]
    assert found == pytest.approx(expected, rel=0, abs=ATOL)


@settings(deadline=None, max_examples=25)
@given(rows=plain_rows, order=st.integers(1, 4))
def test_the_highest_order_alone(rows, order):
    options = {"text": qa_frame.rules.Text(), "smoothing": "least"}
    found = bleu_of([*rows, *BY_HAND], f"bleu{order}", weights="highest", **options)
    assert found == bleu_of([*rows, *BY_HAND], weights=(0,) * (order - 1) + (1,), **options)


@settings(deadline=None, max_examples=25)
@given(rows=plain_rows)
def test_orders_without_weight_need_no_match(rows):
    """Unsmoothed, only orders that count must match."""
    assert bleu_of([*rows, *BY_HAND], weights=(1, 0, 0, 0)) == bleu_of([*rows, *BY_HAND], "bleu1")
    even = bleu_of([*rows, *BY_HAND], weights=(0.25,) * 4)
    assert even == pytest.approx(bleu_of([*rows, *BY_HAND]), rel=0, abs=ATOL)


def test_weights_define_the_metric_of_their_number_alone():
    rule = qa_frame.rules.Bleu(text=qa_frame.rules.Text(), weights=(0, 0, 1))
    frame = pd.DataFrame({"pred": ["a b c"], "golds": [["a b c"]]})
    scored = frame.qa.score("pred", "golds", convention=qa_frame.Convention(name="own", bleu_n=rule), append=False)
    assert scored.to_dict("list") == {"bleu3": [1.0]}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"weights": (0, 0)}, "Bleu.weights"),
        ({"weights": ()}, "Bleu.weights"),
        ({"weights": "last"}, "Bleu.weights='last'"),
        ({"weights": (0.5, 2)}, "Bleu.weights=2"),
        ({"weights": (0.5, "a")}, "Bleu.weights"),
        ({"weights": (0.1,) * 9}, "1 to 8 numbers"),
        ({"weights": (1,), "effective_order": True}, "effective_order=False"),
        ({"pad_orders": True, "effective_order": True}, "Bleu.pad_orders"),
        ({"references": "all"}, "Bleu.references='all'"),
        ({"reference_length": "longest"}, "Bleu.reference_length='longest'"),
        ({"smooth_from": 3}, "Bleu.smooth_from=3"),
        ({"references": "together", "empty": qa_frame.rules.Empty(gold=0.0)}, "Empty(gold=...)"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_settings_that_are_refused(options, named):
    with pytest.raises(qa_frame.errors.UnknownOptionError) as error:
        qa_frame.rules.Bleu(text=qa_frame.rules.Text(), **options)
    assert named in str(error.value)


def test_any_iterable_of_weights_is_kept_as_a_tuple():
    assert qa_frame.rules.Bleu(text=qa_frame.rules.Text(), weights=[0.5, 0.5]).weights == (0.5, 0.5)


# --- statistics


@settings(deadline=None, max_examples=30)
@given(rows=st.lists(st.tuples(ordinary_texts, st.lists(ordinary_texts, min_size=1, max_size=4)), min_size=1))
def test_the_statistics_have_the_length_that_the_rule_says(rows):
    frame = pd.DataFrame(rows, columns=["pred", "golds"]).astype({"pred": "string"})
    for kind, choose in (("closest", None), ("shortest", min)):
        rule = qa_frame.rules.Bleu(text=qa_frame.rules.Text(split="13a-hf"), reference_length=kind)
        own = qa_frame.Convention(name="own", bleu=rule)
        lengths = frame.qa.score("pred", "golds", convention=own, stats=True)["bleu_ref_len"].to_list()
        if choose is not None:
            assert lengths == [choose(len(mteval_tokens(gold)) for gold in golds) for _, golds in rows]
        else:
            found = [sacrebleu.corpus_bleu([pred], [[gold] for gold in golds]).ref_len for pred, golds in rows]
            assert lengths == found


def test_pooled_statistics_are_the_corpus_bleu_of_hf():
    golds = [["the cat is on the mat", "there is a cat on the mat now"], ["a dog", "a dog runs in the park today"]]
    preds = ["the cat sat on the mat", "a dog runs in a park"]
    rule = qa_frame.rules.Bleu(text=qa_frame.rules.Text(split="13a-hf"), reference_length="shortest")
    own = qa_frame.Convention(name="own", bleu=rule)
    frame = pd.DataFrame({"pred": preds, "golds": golds})
    found = frame.qa.score(pred="pred", gold="golds", convention=own, stats=True).qa.summary()["corpus_bleu"].item()
    peer = bleuscore.compute(references=golds, predictions=preds, max_order=4, smooth=False)["bleu"]
    assert found == pytest.approx(peer, rel=0, abs=ATOL)
    assert not np.isclose(found, sacrebleu.corpus_bleu(preds, [*zip(*golds, strict=True)]).score / 100)
