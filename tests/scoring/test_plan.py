"""Which metrics a convention gives, by default and on request."""

from __future__ import annotations

import pandas as pd
import pytest

import qa_frame
from qa_frame import Convention, conventions
from qa_frame.rules import Bleu, Exact, Overlap, RougeL, Text
from qa_frame.scoring.metrics import METRICS

WORDS = Text(("lower",))


def score_one(convention: object, **options: object) -> pd.DataFrame:
    frame = pd.DataFrame({"pred": ["a cat"], "golds": [["cat"]]})
    return frame.qa.score("pred", "golds", convention=convention, append=False, **options)


@pytest.mark.parametrize("name", conventions)
def test_default_and_all_metrics(name):
    convention = conventions[name]
    known = [metric for metric in METRICS if METRICS[metric].is_in(convention)]
    assert list(score_one(name)) == list(score_one(convention)) == list(convention.metrics)
    assert set(convention.metrics) <= set(known)
    assert list(score_one(name, metrics="all")) == known


@pytest.mark.parametrize("name", conventions)
def test_a_metric_without_a_rule_is_refused(name):
    known = set(score_one(name, metrics="all"))
    for metric in METRICS.keys() - known:
        with pytest.raises(qa_frame.errors.UnknownOptionError) as caught:
            score_one(name, metrics=metric)
        message = str(caught.value)
        assert f"metrics={metric!r} is not part of convention {name!r}" in message
        assert all(repr(other) in message for other in known)


@pytest.mark.parametrize("counting", ["run", "union"])
def test_rouge_1_goes_with_subsequences_alone(counting):
    text = Text(split="sentences") if counting == "union" else WORDS
    rouge_l = RougeL(text=text, counting=counting)
    names = ["rouge_l", "rouge_l_precision", "rouge_l_recall"]
    assert list(score_one(Convention(name="own", rouge_l=rouge_l), metrics="all")) == names
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="metrics='rouge_1' is not part of convention 'own'"):
        score_one(Convention(name="own", rouge_l=rouge_l), metrics="rouge_1")


@pytest.mark.parametrize(
    ("rules", "metrics"),
    [
        ({"exact": Exact(text=WORDS)}, ["em"]),
        ({"overlap": Overlap(text=WORDS)}, ["f1", "recall"]),
        ({"bleu_n": Bleu(text=WORDS)}, ["bleu1", "bleu2", "bleu3", "bleu4"]),
        ({"rouge_l": RougeL(text=WORDS), "exact": Exact(text=WORDS)}, ["em", "rouge_l"]),
        ({"exact": Exact(text=WORDS), "overlap": Overlap(text=WORDS), "metrics": ("recall",)}, ["recall"]),
    ],
    ids=["exact", "overlap", "bleu_n", "two", "its own"],
)
def test_default_metrics_of_ones_own_convention(rules, metrics):
    assert list(score_one(Convention(name="own", **rules))) == metrics


@pytest.mark.parametrize("wrong", ["math_verifyy", "nope", 3, []])
def test_wrong_metrics_are_told_all_that_may_be_named(wrong):
    with pytest.raises(
        qa_frame.errors.UnknownOptionError, match=r"Choose from \[.*'edit_similarity'(, 'math_verify')?, 'all'\]"
    ):
        qa_frame.score_one("a", "b", metrics=wrong)
