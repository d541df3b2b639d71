"""Answers as numbers, as lists and as votes: what the rules of `em` compare besides texts."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qa_frame
from qa_frame import Convention
from qa_frame.rules import Contains, Exact, Numbers, Space, Text
from tests.reference.oracles_of_answers import gaia_score, relaxed_correctness, votes

WHOLE = Text(("lower",), "none")


def em(exact: Exact, pairs: list[tuple[str, list[str]]], **options: object) -> list[float]:
    frame = pd.DataFrame({"pred": [pred for pred, _ in pairs], "golds": [golds for _, golds in pairs]})
    own = Convention(name="own", exact=exact, **options)
    return frame.astype({"pred": "string"}).qa.score("pred", "golds", convention=own, append=False)["em"].tolist()


numbers = st.sampled_from(
    ("5", "5%", "0.05", "4.75", "0", "-0.0", "inf", "nan", "1e400", "1,5", "$5", " 5 ", "x", "", "٣")
)
pairs_of_numbers = st.lists(st.tuples(numbers, st.lists(numbers, min_size=1, max_size=3)), min_size=1, max_size=8)


@settings(deadline=None, max_examples=100)
@given(pairs=pairs_of_numbers)
def test_numbers_of_both_sides(pairs):
    rule = Exact(text=WHOLE, numbers=Numbers(tolerance=0.05, percent=True))
    assert em(rule, pairs) == [max(relaxed_correctness(pred, gold) for gold in golds) for pred, golds in pairs]


items = st.lists(numbers | st.sampled_from(("St. Ives", "st ives", "Σ a")), max_size=4)
lists = st.tuples(items, st.sampled_from((",", ";", ", "))).map(lambda drawn: drawn[1].join(drawn[0]))


@settings(deadline=None, max_examples=100)
@given(pairs=st.lists(st.tuples(lists, st.lists(lists, min_size=1, max_size=3)), min_size=1, max_size=8))
def test_lists_of_numbers_and_texts(pairs):
    rule = qa_frame.conventions["gaia"].exact
    assert em(rule, pairs) == [max(gaia_score(pred, gold) for gold in golds) for pred, golds in pairs]


def test_a_rule_of_numbers_is_no_equality_of_texts():
    assert Exact(text=WHOLE).is_equality
    for setting in ({"numbers": Numbers()}, {"separators": ","}, {"agreed_text": WHOLE}, {"tolerance": 0.0}):
        rule = Exact(text=WHOLE, **setting)
        assert not rule.is_equality
        with pytest.raises(qa_frame.errors.UnknownOptionError, match="em is no equality"):
            qa_frame.normalise(pd.Series(["a"]), Convention(name="own", exact=rule))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Numbers(of="pred"),
        lambda: Numbers(tolerance=-1.0),
        lambda: Numbers(percent="yes"),
        lambda: Exact(text=WHOLE, numbers=0.1),
        lambda: Exact(text=WHOLE, item_text="lower"),
    ],
)
def test_bad_settings_are_refused(make):
    with pytest.raises(qa_frame.errors.UnknownOptionError):
        make()


def test_golds_that_all_agree_have_a_text_of_their_own():
    rule = Exact(text=WHOLE, agreed_text=Text(("strip",), "none"))
    rows = [("A", ["a"]), ("A", ["A", " A "]), ("A", ["a", "A"]), ("A", ["a", "b"])]
    assert em(rule, rows) == [0.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("text", [Text(("floats",), "words"), Text(("stem_all",), "words"), Text(("numbers",))])
def test_golds_that_agree_may_be_split_where_others_stay_whole(text):
    rows = [("3", ["3.0"]), ("runs", ["run"]), ("two", ["2"]), ("a  b", ["a b"])]
    assert em(Exact(text=WHOLE, agreed_text=text), rows) == em(Exact(text=text), rows)


letters = st.sampled_from("ab")


@settings(deadline=None, max_examples=50)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("ab"), st.lists(st.sampled_from("ab"), min_size=1, max_size=11)), min_size=1
    )
)
def test_votes(rows):
    expected = [votes([float(pred == gold) for gold in golds]) for pred, golds in rows]
    assert em(Exact(text=WHOLE), rows, reduce="votes") == pytest.approx(expected, rel=0, abs=1e-12)


@pytest.mark.needs("explain")
def test_either_side_may_hold_the_other():
    frame = pd.DataFrame({"pred": ["a b c", "b", "b  c", "x", ""], "gold": ["b c", "A B", "a b c", "y", "z"]})
    for text, expected in ((WHOLE, [1, 1, 0, 0, 1]), (Text(("lower",)), [1, 1, 1, 0, 1])):
        own = Convention(name="own", contains=Contains(text=text, place="either"))
        assert frame.qa.score("pred", "gold", convention=own, append=False)["contains"].tolist() == expected
    shown = qa_frame.explain(frame, 3, pred="pred", gold="gold", convention=own)
    assert "'y' is not in or around 'x'" in str(shown) or '"y" is not in or around "x"' in str(shown)


@pytest.mark.needs("explain")
def test_an_explanation_says_that_answers_are_compared_as_numbers():
    frame = pd.DataFrame({"pred": ["105", "1,2", "Yes"], "golds": [["100"], ["1.0,2"], ["yes", "yes"]]})
    for row, convention, said in ((0, "chartqa", "as numbers"), (1, "gaia", "item by item"), (2, "vqa", "agree")):
        assert said in str(qa_frame.explain(frame, row, pred="pred", gold="golds", convention=convention))


MARKED = st.lists(st.sampled_from(["a", "B", "b", "é", "1", "01", "1.0", ".", " ", "\n"]), max_size=6).map("".join)


@pytest.mark.needs("explain")
@settings(deadline=None, max_examples=60)
@given(pred=MARKED, gold=MARKED)
def test_golds_become_tokens_in_their_own_way(pred, gold):
    """They are compared as texts are that were changed beforehand."""
    steps, plain, own = (Space("."), "lower"), {}, {}
    for split in ("words", "characters", "none"):
        text, as_it_is = Text(steps, split), Text(split=split)
        for made, golds in ((plain, None), (own, as_it_is)):
            of_preds = text if golds else as_it_is
            made[split] = Convention(
                name="own",
                exact=Exact(text=of_preds, gold_text=golds, tolerance=0.0),
                contains=Contains(text=of_preds, gold_text=golds, place="words"),
            )
        metrics = ["em", "contains"]
        changed = pred.replace(".", " ").lower()
        expected = qa_frame.score_one(changed, gold, metrics=metrics, convention=plain[split])
        assert qa_frame.score_one(pred, gold, metrics=metrics, convention=own[split]) == expected
        shown = qa_frame.explain(pd.DataFrame({"p": [pred], "g": [gold]}), 0, pred="p", gold="g", convention=own[split])
        assert shown.metrics["em"].score == expected["em"]


def test_a_beginning_and_golds_of_their_own_text():
    rule = Contains(text=Text(("lower",)), gold_text=Text(), place="words")
    own = Convention(name="own", contains=rule)
    found = qa_frame.score_one("Elbe River", "elbe", metrics=["contains", "prefix"], convention=own)
    assert found == {"contains": 1.0, "prefix": 1.0}
    assert qa_frame.score_one("elbe", "Elbe", metrics=["contains", "prefix"], convention=own)["prefix"] == 0.0


def test_no_warning_of_scripts_where_a_part_of_the_prediction_is_meant(recwarn):
    frame = pd.DataFrame({"pred": ["答え"], "gold": ["1"]})
    frame.qa.score("pred", "gold", convention="infinitebench_number")
    assert not recwarn
