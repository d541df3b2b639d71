"""Exact match alone is the same as beside other metrics, though long texts are not read to their end."""

from __future__ import annotations

import itertools

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import qa_frame
from qa_frame.frames.text_columns import read_columns
from qa_frame.scoring import pipeline
from qa_frame.scoring import prefix_filter as heads
from qa_frame.scoring.batches import make_batch
from qa_frame.scoring.call_rules import make_rules
from qa_frame.scoring.plan import make_plan
from tests.benchmarks import synth
from tests.strategies import each_convention

BEGINNINGS = (
    "",
    "the ",
    "The  ",
    "  \t\n ",
    "... --- ... --- ... --- ... --- ",
    "Seine",
    "seine river ",
    "a an the a an the a an the a an the ",
    "x" * 40,
    "x" * 23 + " ",
    "İstanbul\u2003ΟΔΟΣ. ",
    "塞纳河在巴黎的塞纳河在巴黎的塞纳河在巴黎的",
    "\u3000塞 纳 ",
)
REST = " which flows through the city of Paris" * 5
ENDINGS = ("", REST, REST + ".", REST + " too", REST.upper())
TEXTS = [beginning + ending for beginning, ending in itertools.product(BEGINNINGS, ENDINGS)]
SHIFTS = (0, 1, 5, 13, 31, 47)


def frame_of(shift: int) -> pd.DataFrame:
    """Each text, with the text that stands `shift` places behind it as its gold. Few texts have two counterparts."""
    return pd.DataFrame({"response": TEXTS, "answers": [[gold] for gold in TEXTS[shift:] + TEXTS[:shift]]})


FRAMES = {
    **{f"shifted by {shift}": frame_of(shift) for shift in SHIFTS},
    "many golds": pd.DataFrame(
        {"response": TEXTS, "answers": [[*TEXTS[start::7], None] for start in range(len(TEXTS))]}
    ),
}
WITH_EXACT = [name for name in qa_frame.conventions if qa_frame.conventions[name].exact is not None]


@pytest.mark.parametrize("convention", each_convention(WITH_EXACT))
def test_alone_and_beside_others(monkeypatch, convention):
    options = {"metrics": "em", "convention": convention, "append": False}
    alone = {name: frame.qa.score("response", "answers", **options) for name, frame in FRAMES.items()}
    monkeypatch.setattr(pipeline, "shorten_texts", lambda batch, _: batch)
    for name, frame in FRAMES.items():
        whole = frame.qa.score("response", "answers", **options)
        pd.testing.assert_frame_equal(alone[name], whole, obj=name)


def test_what_makes_a_side_empty_is_asked_of_whole_texts(monkeypatch):
    """A head may hold nothing but marks where the text does not."""
    marks = "--- " * 12
    frame = pd.DataFrame({"response": [marks + REST, marks], "answers": [[REST], [REST]]})
    for of in ("text", "white_space", "punctuation", "tokens"):
        exact = qa_frame.rules.Exact(
            text=qa_frame.rules.Text(), empty=qa_frame.rules.Empty(of=of, pred=0.25, both=0.5, gold=0.75)
        )
        own = qa_frame.Convention(name="own", exact=exact)
        alone = frame.qa.score("response", "answers", convention=own, append=False)
        with monkeypatch.context() as context:
            context.setattr(pipeline, "shorten_texts", lambda batch, _: batch)
            whole = frame.qa.score("response", "answers", convention=own, append=False)
        pd.testing.assert_frame_equal(alone, whole)


def test_texts_are_shortened():
    batch = make_batch(read_columns(synth.make_table("long", 200), pred="response", gold="answers"))
    shortened = heads.shorten_texts(batch, make_plan("em", make_rules()))
    n_before, n_after = (pc.sum(pc.utf8_length(texts)).as_py() for texts in (batch.texts, shortened.texts))
    assert n_after < n_before / 2, (n_after, n_before)


@pytest.mark.parametrize("metrics", ["f1", ["em", "f1"], "all"])
def test_texts_are_whole_for_other_metrics(metrics):
    batch = make_batch(read_columns(frame_of(13), pred="response", gold="answers"))
    assert heads.shorten_texts(batch, make_plan(metrics, make_rules())) is batch


def test_heads_end_with_a_word():
    texts = ["a" * 30, "one two three four five six seven", "short", "", "塞纳河 " * 10]
    found = heads._heads(pa.array(texts, pa.large_string())).to_pylist()
    assert [head.rstrip() for head in found] == ["", "one two three four five", "short", "", ("塞纳河 " * 6).rstrip()]
