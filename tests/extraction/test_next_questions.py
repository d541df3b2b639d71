"""Responses that run on into a new question are cut before it."""

from __future__ import annotations

import unicodedata

import pandas as pd
import pytest

import qa_frame
from qa_frame.extraction import phrases
from qa_frame.extraction.phrases import before_next_question

RUN_ON = [
    "Question: Who?",
    "Question:\nWho?",
    "question : Who?",
    "Question 2: Who?",
    "Question #2. Who?",
    "**Question:** Who?",
    "**Question 2**\nWho?",
    "### Question 2\nWho?",
    "Q: Who?",
    "Q2. Who?",
    "Problem:\n2 + 2",
    "Frage: Wer?",
    "Question\xa0: Qui ?",
    "问题：谁？",
]
NO_QUESTION = [
    "Questions of this kind are hard.",
    "Question marks abound: here is one.",
    "The question: who?",
    "Q.E.D.",
    "Q = 5 J",
    "* Q: heat",
    "Problematic: yes",
    "QA: a shorthand",
]


@pytest.mark.parametrize("between", ["\n", "\n\n", "\r\n\r\n", " \n\n\n"])
@pytest.mark.parametrize("question", RUN_ON)
def test_what_follows_the_heading_of_a_question_is_cut(question, between):
    assert before_next_question(f"Paris{between}{question}\nAnswer: Rome") == "Paris"
    assert before_next_question(f"**Paris**{between}{question}") == "**Paris**"


@pytest.mark.parametrize("text", NO_QUESTION)
def test_other_lines_stay(text):
    assert before_next_question(f"Paris\n\n{text}\nRome") == f"Paris\n\n{text}\nRome"


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("word", phrases._QUESTIONS.split("|"))
def test_each_word_for_a_question(word, form):
    text = unicodedata.normalize(form, f"Paris\n\n{word.capitalize()}: x")
    assert before_next_question(text) == "Paris"


@pytest.mark.parametrize(
    "text",
    [
        "Question: Who?\nAnswer: Rome",
        "\n\nQuestion: Who?\nAnswer: Rome",
        "Here is the question:\n\nQuestion: Who?\nAnswer: Rome",
        "**Here it is:**\n\nQuestion: Who?\nAnswer: Rome",
        "<think>Well.\nQuestion: Who?</think>\nQuestion: Who?\nRome",
    ],
)
def test_the_question_that_the_response_answers_stays(text):
    assert before_next_question(text) == text


def test_the_step():
    responses = pd.Series(["Paris\n\nQuestion: Who?\nAnswer: Rome", "Paris\nFrance", None, ""])
    found = qa_frame.extract_answers(responses, "before_next_question")
    assert found.fillna("none").tolist() == ["Paris", "Paris\nFrance", "none", ""]
    assert qa_frame.extract_answers(responses, ["before_next_question", "last_line"])[0] == "Paris"
