"""Golds that name an option become letters, in whatever form the options stand."""

from __future__ import annotations

import math
import warnings

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import qa_frame
from qa_frame.errors import ColumnTypeError, GoldFormatWarning, UnknownOptionError

TEXTS = ["Rhine", "Seine", "Po", "Don"]
FORMS = {
    "lists": TEXTS,
    "dicts": dict(zip("ABCD", TEXTS, strict=True)),
    "small letters": dict(zip("abcd", TEXTS, strict=True)),
    "ARC": {"text": TEXTS, "label": ["A", "B", "C", "D"]},
    "lists of dicts without labels": [{"text": text} for text in TEXTS],
    "lists of dicts": [{"label": label, "text": text} for label, text in zip("ABCD", TEXTS, strict=True)],
}
GOLDS = {"letter": ["B", "(c)", "d."], "text": ["Seine", " Po", "Don"], "index0": [1, 2, 3], "index1": [2, 3, 4]}
RULES = {"extract": "choice", "choices": "choices", "metrics": "em"}
KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": lambda rows: pa.table(dict(rows))}


def em(frame, **settings):
    scores = qa_frame.score(frame, "response", "gold", **RULES | settings)["em"]
    return scores.to_pylist() if isinstance(scores, pa.ChunkedArray) else scores.to_list()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("gold_is", GOLDS)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_options_and_of_golds(kind, gold_is, form):
    responses = ["The answer is (B).", "It is the Po.", "A"]
    frame = KINDS[kind]({"response": responses, "gold": GOLDS[gold_is], "choices": [FORMS[form]] * 3})
    assert em(frame, gold_is=gold_is) == [1.0, 1.0, 0.0]
    scored = qa_frame.score(frame, "response", "gold", **RULES, gold_is=gold_is)
    again = qa_frame.summary(scored)["em"]
    assert math.isclose(again.to_pylist()[0] if kind == "arrow" else next(iter(again)), 2 / 3)


@given(
    labels=st.sampled_from([["A", "B", "C", "D"], ["1", "2", "3", "4"], ["A", "B", "C"]]),
    place=st.integers(0, 3),
    chosen=st.integers(0, 3),
)
def test_arc_as_lm_evaluation_harness_reads_it(labels, place, chosen):
    """`arc_easy.yaml` of lm-evaluation-harness 0.4.9: `doc_to_target: "{{choices.label.index(answerKey)}}"`."""
    place, chosen = place % len(labels), chosen % len(labels)
    row = {"answerKey": labels[place], "choices": {"text": TEXTS[: len(labels)], "label": labels}}
    target = row["choices"]["label"].index(row["answerKey"])
    frame = pd.DataFrame([{"response": f"The answer is {'ABCD'[chosen]}.", "gold": row["answerKey"], **row}])
    assert em(frame, gold_is="letter") == [float(target == chosen)]
    assert em(frame.assign(gold=target), gold_is="index0") == [float(target == chosen)]


def test_rows_stand_for_themselves():
    """What a row's options are does not depend on the other rows, which give Arrow's dicts more names."""
    dicts = [
        {"A": "Rhine", "C": "Po"},
        {"B": "Seine", "A": "Rhine"},
        {"C": "Po", "A": "Rhine", "B": "Seine", "D": "Don"},
    ]
    frame = pd.DataFrame({"response": ["It is the Po."] * 3, "gold": ["C", "C", "C"], "choices": dicts})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert em(frame) == [em(frame[place : place + 1])[0] for place in range(3)] == [1.0, 0.0, 1.0]


def test_options_of_the_same_text_are_both_right():
    frame = pd.DataFrame({"response": ["A", "C", "B"], "gold": "Po", "choices": [["Po", "Don", "Po"]] * 3})
    assert em(frame, gold_is="text") == [1.0, 1.0, 0.0]


@pytest.mark.parametrize("gold_is", ["text", "index0"])
def test_golds_of_which_a_few_are_letters_already(gold_is):
    """As in MMAU's test-mini of 2025-05 (2dcf44d): texts of options, "(B)" in two rows, and 144 that are no option."""
    golds = {"text": ["Po", "(B)", "T,a"], "index0": ["2", "B", "7"]}[gold_is]
    frame = pd.DataFrame({"response": ["C", "B", "B"], "gold": golds, "choices": [TEXTS] * 3})
    with pytest.warns(GoldFormatWarning, match="none of the options in 1 of 3"):
        assert em(frame, gold_is=gold_is) == [1.0, 1.0, 0.0]


def test_several_golds_and_nulls():
    golds = [[0, 2], [None, 1], None, []]
    frame = pd.DataFrame({"response": ["C", "B", "A", "A"], "gold": golds, "choices": [TEXTS, TEXTS, TEXTS, None]})
    assert [None if math.isnan(each) else each for each in em(frame, gold_is="index0")] == [1.0, 1.0, None, None]


@pytest.mark.needs("audit")
@pytest.mark.parametrize(
    ("gold", "gold_is"),
    [
        ("E", "letter"),
        ("E", None),
        (4, "index0"),
        (0, "index1"),
        ("Nile", "text"),
        ("x", "index0"),
        ("AB", "letter"),
        ("1" * 5000, "index0"),
    ],
)
def test_a_gold_beyond_the_options_is_told(gold, gold_is):
    golds = [{"letter": "A", None: "A", "index0": 0, "index1": 1, "text": "Rhine"}[gold_is]] * 9 + [gold]
    frame = pd.DataFrame({"response": ["A"] * 10, "gold": pd.Series(golds, dtype=str), "choices": [TEXTS] * 10})
    with pytest.warns(GoldFormatWarning, match=r"gold='gold' is none of the options in 1 of 10 \(10 %\) rows"):
        assert em(frame, gold_is=gold_is) == [1.0] * 9 + [0.0]
    found = qa_frame.audit(frame, pred="response", gold="gold", **RULES, gold_is=gold_is).set_index("finding")
    assert found.loc["no_option", "examples"] == [9]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"gold_is": "index"}, "gold_is='index' is not known"),
        ({"gold_is": "letter", "extract": None, "choices": None}, "extract is None; leave gold_is out"),
        ({"gold_is": "letter", "extract": "boxed", "choices": None}, "extract is 'boxed'; leave gold_is out"),
        ({"gold_is": "text", "choices": None}, "name their column by choices="),
    ],
)
def test_what_cannot_be_is_refused(settings, message):
    frame = pd.DataFrame({"response": ["A"], "gold": ["A"], "choices": [TEXTS]})
    with pytest.raises(UnknownOptionError, match=message):
        em(frame, **settings)


def test_options_that_are_no_texts_are_refused():
    frame = pd.DataFrame({"response": ["A"], "gold": ["A"], "choices": [{"A": ["x"], "B": ["y"]}]})
    with pytest.raises(ColumnTypeError, match="choices='choices' holds struct"):
        em(frame)


@pytest.mark.needs("audit", "explain")
def test_scored_rows_remember_what_golds_are():
    frame = pd.DataFrame({"response": ["B", "A"], "gold": [1, 1], "choices": [TEXTS] * 2})
    scored = frame.qa.score("response", "gold", **RULES, gold_is="index0")
    assert "'B'" in str(scored.qa.explain(0))
    assert scored.qa.audit().empty
    assert "|gold_is:index0" in scored.qa.summary().attrs["qa"]


def test_one_row():
    options = {"text": TEXTS, "label": ["1", "2", "3", "4"]}
    for gold, gold_is in [("2", "letter"), ("Seine", "text"), ("1", "index0")]:
        found = qa_frame.score_one("the Seine", gold, metrics="em", extract="choice", choices=options, gold_is=gold_is)
        assert found == {"em": 1.0}
