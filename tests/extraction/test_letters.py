"""Several letters of options: what a response chooses, what a gold names, and how both are compared."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import qa_frame
from qa_frame.extraction.choices import stated_choice, stated_letters
from qa_frame.frames.options import in_letters, letters_alone
from tests.extraction.test_choices import MISSES, REAL, ROWS, texts

NAMED = {
    "b, e": "B, E",
    "B and E": "B, E",
    "BE": "B, E",
    "EB": "B, E",
    "(B), (E)": "B, E",
    "The answer is B and E.": "B, E",
    "Answer: A, C, D": "A, C, D",
    "ANSWER: A,C": "A, C",
    "Final answer: A & C": "A, C",
    "The correct answers are (A), (C) and (E).": "A, C, E",
    "The correct options are A, B, and D.": "A, B, D",
    r"\boxed{B, E}": "B, E",
    r"\boxed{BE}": "B, E",
    "B and E, because they hold": "B, E",
    "B and E are correct.": "B, E",
    "答案：ACD": "A, C, D",
    "答案是B和C": "B, C",
    "Réponse : A, C et E.": "A, C, E",
    "A. Rhine\nC. Seine": "A, C",
    "Correct options:\nA) Rhine\nD) Po": "A, D",
    "<think>A, maybe B</think>\n\nb, c": "B, C",
    "A. Incorrect: x\nB. Correct: y\nC. Correct: z": None,
    "The answer is (B).": "B",
    "The answer is A, not B.": "A",
    "A. False": "A",
    "bad": None,
    "The answer is Paris.": None,
    "<think>So B and C": None,
    "": None,
}


def test_what_responses_choose():
    assert {text: stated_letters(text) for text in NAMED} == NAMED


def test_one_letter_is_as_choice_gives_it():
    for row in (each for each in [*ROWS, *REAL] if each["response"] not in MISSES):
        letters, letter = stated_letters(row["response"]), stated_choice(row["response"])
        assert letters == letter or (letter is None and letters is not None and len(letters) > 1), row
        assert row["letter"] is None or letters == letter


FALSE = {
    "A. False": "A",
    "(B) False.": "B",
    "Answer: B. False": "B",
    "Answer: (B)False": "B",
    "E. Incorrect order": "E",
    "C. Cannot be determined.": "C",
    "J. cannot be determined": "J",
    "Let me see.\n\nD. Not enough information": "D",
    "A is false": None,
    "A. is not right": None,
    "(A) cannot be so": None,
    "A. Incorrect: x\nB. Incorrect: y": None,
    "B is wrong, so C": "C",
}


def test_the_text_of_an_option_may_be_a_denial():
    assert {text: stated_choice(text) for text in FALSE} == FALSE


@pytest.mark.parametrize("steps", ["choice", "letters", ["after_think|all", "choice"], ["after_think|all", "letters"]])
def test_a_thought_that_never_ends_has_no_letter(steps):
    responses = pd.Series(
        ["<think>So the answer is C", "[THINK]B", "<think>x</think> C<think>D", "<think>x</think> So it is (C)."]
    )
    found = qa_frame.extract_answers(responses, steps, choices=pd.Series([["x", "y", "D", "C"]] * 4))
    assert [letter if isinstance(letter, str) else None for letter in found] == [None, None, None, "C"]


MARKS = (", ", ",", " and ", "", "/", " & ", " ", ", and ", " + ")
AROUND = ("{}", "({})", "Answer: {}", "**{}**", "The answer is {}.", "{}.", "<think>A or J?</think>\n{}")
# "I," is the pronoun where a sentence goes on.
sets = st.sets(st.sampled_from("ABCDEFGHJ"), min_size=1)


@st.composite
def spelled(draw, letters, around=AROUND):
    """A text that names these letters, in any order, with any marks."""
    mark, form = draw(st.sampled_from(MARKS)), draw(st.sampled_from(around))
    order = draw(st.permutations(sorted(letters)))
    if form.startswith(("Answer", "The answer")) and mark in ("", " ", " + "):
        mark = ", "
    return form.format(mark.join(order))


@given(data=st.data(), letters=sets)
def test_order_and_marks_do_not_matter(data, letters):
    assert stated_letters(data.draw(spelled(letters))) == ", ".join(sorted(letters))


@given(data=st.data(), pred=sets, golds=st.lists(sets, min_size=1, max_size=3))
@pytest.mark.parametrize("convention", ["squad", "hotpotqa", "helm", "unicode", "triviaqa"])
def test_scores_are_those_of_sets(data, convention, pred, golds):
    names = ["em", "precision", "recall", "f1"]
    texts = [data.draw(spelled(gold, ("{}", "({})", "{}."))) for gold in golds]
    response = data.draw(spelled(pred))
    scores = qa_frame.score_one(response, texts, metrics=names, extract="letters", convention=convention)
    assert scores == pytest.approx({name: max(of_sets(pred, gold)[name] for gold in golds) for name in names})


def of_sets(pred, gold):
    """The scores of two sets of letters, in plain Python."""
    common = len(pred & gold)
    precision, recall = common / len(pred), common / len(gold)
    f1 = 2 * precision * recall / (precision + recall) if common else 0.0
    return {"em": float(pred == gold), "precision": precision, "recall": recall, "f1": f1}


GOLDS = {
    "b,e": "B, E",
    "EB": "B, E",
    "be": "B, E",
    "['A', 'C']": "A, C",
    "A and C": "A, C",
    "(B) the Seine": "B",
    "[b] the Seine": "B",
    "B. the Seine": "B",
    "B: the Seine": "B",
    "(b).": "B",
    " A ": "A",
    "答案：B": "B",
    "B和E": "B, E",
    "选B，因为A是错误的": "选B，因为A是错误的",
    "A|C": "A|C",
    "AA": "AA",
    "bad": "bad",
    "A river": "A river",
    "I am": "I am",
    "J. K. Rowling": "J. K. Rowling",
    "A or B": "A or B",
    "Paris": "Paris",
    "K": "K",
    "": "",
}


def test_what_golds_name():
    column = pa.chunked_array([list(GOLDS)], pa.large_string())
    assert in_letters(column, may_be_several=True).to_pylist() == list(GOLDS.values())
    one = [read if len(read) == 1 else gold for gold, read in GOLDS.items()]
    assert in_letters(column, may_be_several=False).to_pylist() == one
    lists = pa.chunked_array([[["EB", None, "Paris"], None, []]], pa.large_list(pa.large_string()))
    assert in_letters(lists, may_be_several=True).to_pylist() == [["B, E", None, "Paris"], None, []]


@given(text=st.text(alphabet="abcdeABCDEIJKand ,.()|", max_size=12))
def test_letters_alone_are_a_set_in_order(text):
    letters = letters_alone(text)
    assert letters == "".join(sorted(set(letters)))
    assert set(letters) <= {character.upper() for character in text}
    assert not letters or letters_alone(letters) == letters


@given(text=texts)
def test_any_text_gives_a_set_or_none(text):
    found = stated_letters(text)
    assert found is None or stated_letters(found) == found
    one = stated_choice(text)
    assert one is None or found is not None


CITIES = ("Rome", "Paris", "Lyon")


def test_letters_beyond_the_options_are_none():
    assert stated_letters("A and C", CITIES) == "A, C"
    assert stated_letters("A and D", CITIES) is None
    assert stated_letters("The answer is Paris.", CITIES) == "B"


@pytest.mark.parametrize("extract", ["choice", "letters"])
def test_golds_are_read_as_letters(extract):
    golds = [["(B) the Seine"], ["B"], ["A", "(b)"], ["A"], ["Seine"], None]
    frame = pd.DataFrame({"response": ["B", "B. the Seine", "(B)", "A", "B", "B"], "answers": golds})
    scored = frame.qa.score("response", "answers", metrics=["em", "f1", "contains"], extract=extract, append=False)
    for column in scored[["em", "f1", "contains"]].to_numpy().T:
        np.testing.assert_array_equal(column, [1, 1, 1, 1, 0, np.nan])


def test_options_and_golds_of_several_letters():
    frame = pd.DataFrame(
        {"response": ["C, A", "A", "AB"], "answers": ["AC", "A", "AD"], "choices": [["x", "y", "z"]] * 3}
    )
    rules = {"extract": "letters", "choices": "choices", "metrics": "em"}
    for gold_is in (None, "letter"):
        with pytest.warns(qa_frame.errors.GoldFormatWarning, match=r"none of the options in 1 of 3"):
            assert frame.qa.score("response", "answers", gold_is=gold_is, **rules)["em"].tolist() == [1.0, 1.0, 0.0]


def test_golds_beyond_the_options_are_told_where_a_step_may_give_texts():
    frame = pd.DataFrame({"response": ["A", "B"], "answers": ["(E)", "b"], "choices": [["x", "y"]] * 2})
    with pytest.warns(qa_frame.errors.GoldFormatWarning, match=r"none of the options in 1 of 2"):
        scores = frame.qa.score("response", "answers", metrics="em", extract="choice|all", choices="choices")
    assert scores["em"].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("golds", [pa.array([], pa.string()), pa.array([], pa.list_(pa.string())), pa.nulls(0)])
def test_no_rows(golds):
    table = pa.table({"response": pa.array([], pa.string()), "answers": golds})
    assert qa_frame.score(table, "response", "answers", metrics="em", extract="letters")["em"].to_pylist() == []


@pytest.mark.needs("explain")
def test_explanations_show_letters():
    frame = pd.DataFrame({"response": ["It is (E) and (B)."], "answers": ["b,e"]})
    explained = frame.qa.explain(0, pred="response", gold="answers", metrics=["em", "f1"], extract="letters")
    assert explained.prediction == "B, E"
    assert "'B, E'" in str(explained) or "B, E" in str(explained)


NUMBERS = {
    "It is 18.4": "18.4",
    "18.4.": "18.4",
    "It costs $1,234.50.": "1234.50",
    "= \u22123": "-3",
    "-$5": "-5",
    "$-5.20": "-5.20",
    "5-3": "3",
    "12 %": "12%",
    "1,2345": "2345",
    "18.4 g of CO2": "18.4",
    "1e-5": "1e-5",
    "答案是5": "5",
    "none": None,
}


def test_last_numbers():
    found = qa_frame.extract_answers(pa.array(list(NUMBERS)), "last_number").to_pylist()
    assert found == list(NUMBERS.values())


@pytest.mark.parametrize(
    ("convention", "golds"), [("squad", ["18.4", "1234", "5"]), ("gaia", ["18.40", "1234.0", "5.0"])]
)
def test_last_numbers_are_compared_as_the_convention_does(convention, golds):
    frame = pd.DataFrame({"response": ["So 18.4", "It is 1,234.", "First 3, then $5"], "answers": golds})
    scored = frame.qa.score("response", "answers", metrics="em", extract="last_number", convention=convention)
    assert scored["em"].tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("unit", ["A, ", "(A), ", "B and ", "1,234", "1,", "-$", "1e", ".5"])
@pytest.mark.thorough
def test_time_grows_with_the_length_alone(unit):
    start = time.process_time()
    text = unit * (100_000 // len(unit))
    for step in ("letters", "last_number"):
        qa_frame.extract_answers(pa.array([text]), step)
    assert time.process_time() - start < 20
