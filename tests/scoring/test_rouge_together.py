"""ROUGE of all golds of a row together, and with a weight of recall: the plain formula of the COCO caption code."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_frame import Convention
from qa_frame.rules import RougeL, Text
from tests.reference.oracles_of_numbers import common_subsequence

words = st.lists(st.sampled_from("abcd"), max_size=6)
rows_of_golds = st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=4)), min_size=1, max_size=6)


def score(rule: RougeL, rows: list[tuple[list[str], list[list[str]]]], **options: object) -> pd.DataFrame:
    frame = pd.DataFrame(
        {"pred": [" ".join(pred) for pred, _ in rows], "golds": [[*map(" ".join, golds)] for _, golds in rows]},
    ).astype({"pred": "string"})
    metrics = ["rouge_l_precision", "rouge_l_recall", "rouge_l"]
    convention = Convention(name="own", rouge_l=rule)
    return frame.qa.score("pred", "golds", metrics=metrics, convention=convention, append=False, **options)


def parts(pred: list[str], gold: list[str]) -> tuple[float, float]:
    common = common_subsequence(pred, gold)
    return common / len(pred) if pred else 0.0, common / len(gold) if gold else 0.0


def weighted(precision: float, recall: float, beta: float) -> float:
    return (1 + beta**2) * precision * recall / (recall + beta**2 * precision) if precision else 0.0


@pytest.mark.parametrize("beta", [1.0, 1.2, 0.5])
@settings(deadline=None, max_examples=50)
@given(rows=rows_of_golds, reduction=st.sampled_from(["max", "min", "mean", "first"]))
def test_golds_together_have_the_highest_precision_and_recall(beta, rows, reduction):
    found = score(RougeL(text=Text(), beta=beta, references="together"), rows, reduce=reduction)
    for place, (pred, golds) in enumerate(rows):
        precision, recall = (max(of_golds) for of_golds in zip(*(parts(pred, gold) for gold in golds), strict=True))
        expected = [precision, recall, weighted(precision, recall, beta)]
        assert found.loc[place].to_list() == pytest.approx(expected, rel=0, abs=1e-12)


@settings(deadline=None, max_examples=50)
@given(rows=rows_of_golds)
def test_the_highest_f_measure_of_each_gold_is_lower_or_equal(rows):
    together, each = (score(RougeL(text=Text(), beta=1.2, references=how), rows) for how in ("together", "each"))
    assert (together["rouge_l"] >= each["rouge_l"] - 1e-12).all()
    expected = [max(weighted(*parts(pred, gold), 1.2) for gold in golds) for pred, golds in rows]
    assert each["rouge_l"].to_list() == pytest.approx(expected, rel=0, abs=1e-12)
