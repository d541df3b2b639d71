"""Questions that a group has under several ids: intervals are too narrow, and it is said where they are made."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import qa_frame
from qa_frame.errors import IntervalWarning


def repeated(seed=0, *, n=40, times=5, models=("a", "b"), share=0.6):
    """Questions that are asked several times under other ids, with one answer of each model."""
    drawn = np.random.default_rng(seed)
    rows = [
        (model, f"{place}-{copy}", f"Which is number {place}?", f"{'gold' if is_right else 'other'} {place}", place)
        for model in models
        for place, is_right in enumerate(drawn.random(n) < share)
        for copy in range(times)
    ]
    frame = pd.DataFrame(rows, columns=["model", "question_id", "question", "response", "place"])
    answers = [[f"gold {place}"] for place in frame.pop("place")]
    return frame.assign(answers=answers).qa.score("response", "answers", metrics="em")


FRAME = repeated()
CALLS = {
    "summary": lambda frame, **settings: qa_frame.summary(frame, by="model", ci=0.95, **settings),
    "samples": lambda frame, **settings: qa_frame.summary(frame, "model", "question_id", ci=0.95, **settings),
    "compare": lambda frame, **settings: qa_frame.compare(frame, "model", "question_id", **settings),
    "apart": lambda frame, **settings: qa_frame.compare(frame, "model", **settings),
}


def said(call):
    """Return what warnings of narrow intervals say."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in caught if "too narrow" in str(each.message)]


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_repeated_texts_are_said_and_the_remedy_works(call):
    (message,) = said(lambda: call(FRAME))
    assert "320 of 400 (80 %) rows repeat the text in 'question'" in message
    assert "give cluster='question'" in message
    assert said(lambda: call(FRAME, cluster="question")) == []


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_without_texts_equal_golds_and_responses_are_said(call):
    frame = FRAME.drop(columns="question")
    (message,) = said(lambda: call(frame))
    assert "320 of 400 (80 %) rows repeat the golds and response" in message
    assert said(lambda: call(frame[frame["question_id"].str.endswith("-0")])) == []  # the remedy


@pytest.mark.parametrize("left_out", [[], ["question"]], ids=["texts", "golds"])
def test_samples_that_count_as_questions_are_said(left_out):
    samples = FRAME.assign(question_id=FRAME["question_id"].str.partition("-")[0]).drop(columns=left_out)
    (message,) = said(lambda: samples.qa.summary("model", ci=0.95))
    assert "320 of 400 (80 %) rows repeat the 'question_id'" in message
    assert "give question='question_id'" in message
    assert said(lambda: samples.qa.summary("model", "question_id", ci=0.95)) == []
    (message,) = said(lambda: samples.qa.compare("model"))
    assert "give cluster='question_id'" in message
    assert said(lambda: samples.qa.compare("model", cluster="question_id")) == []
    once = samples.drop_duplicates(["model", "question_id"])
    assert said(lambda: once.qa.summary(ci=0.95)) == []  # of several models


def test_tables_of_arrow_are_read_alike():
    table = qa_frame.score(pa.Table.from_pandas(FRAME[["model", "question_id", "question", "response", "answers"]]),
                           "response", "answers", metrics="em")  # fmt: skip
    assert said(lambda: qa_frame.summary(table, by="model", ci=0.95)) == said(lambda: CALLS["summary"](FRAME))
    assert said(lambda: qa_frame.compare(table, "model", "question_id")) == said(lambda: CALLS["compare"](FRAME))


def test_large_frames_are_looked_at_in_a_few_rows_first():
    drawn = np.random.default_rng(0)
    texts = [f"What is {'so ' * drawn.integers(1, 20)}{place}?" for place in range(4_000)]
    frame = pd.DataFrame({"question": texts * 2, "em": drawn.random(8_000) < 0.5})
    (message,) = said(lambda: qa_frame.summary(frame, metrics="em", ci=0.95))
    assert "4,000 of 8,000 (50 %)" in message
    assert said(lambda: qa_frame.summary(frame[:4_000], metrics="em", ci=0.95)) == []


@pytest.mark.parametrize(
    "frame",
    [
        FRAME.drop_duplicates(["model", "question"]),
        repeated(times=1),
        repeated(n=100, times=1).assign(question=[f"Which? {min(place, 95)}" for place in range(100)] * 2),
    ],
    ids=["once", "as made", "five of a hundred"],
)
def test_nothing_is_said_where_few_are_repeated(frame):
    assert said(lambda: CALLS["summary"](frame)) == []


@pytest.mark.parametrize("kind", ["letters", "numbers"])
def test_short_answers_that_are_equal_by_chance_are_no_repeated_questions(kind):
    drawn = np.random.default_rng(1)
    values = list("ABCD") if kind == "letters" else [str(each) for each in range(1, 200)]
    golds, responses = drawn.choice(values, 400), drawn.choice(values, 400)
    responses = np.where(drawn.random(400) < 0.7, golds, responses)
    frame = pd.DataFrame({"response": responses, "answers": [[each] for each in golds]})
    scored = frame.qa.score("response", "answers", metrics="em", convention="helm")
    assert said(lambda: qa_frame.summary(scored, ci=0.95)) == []


def test_no_interval_no_warning():
    assert said(lambda: qa_frame.summary(FRAME, by="model")) == []
    assert said(lambda: qa_frame.summary(FRAME, by="model", question="question", ci=0.95)) == []


def test_a_remedy_that_would_fail_is_not_given():
    with_null = FRAME.assign(question=FRAME["question"].mask(FRAME["question"].str.contains("39")))
    (message,) = said(lambda: CALLS["compare"](with_null))
    assert "cluster" not in message
    assert "keep one row of each question" in message


@pytest.mark.thorough
def test_coverage_with_and_without_clusters():
    held = np.zeros(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IntervalWarning)
        for seed in range(150):
            scored = repeated(seed, models=("a",))
            tables = (scored.qa.summary(ci=0.95), scored.qa.summary(ci=0.95, cluster="question"))
            held += [bool((table["em_lo"] <= 0.6).all() and (table["em_hi"] >= 0.6).all()) for table in tables]
    assert held[0] / 150 < 0.75
    assert held[1] / 150 > 0.9
