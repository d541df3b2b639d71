"""What only these conventions look at equals their twins: answers of one word, marks, blank texts, lines, all golds."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.oracles_of_multihop import ORACLES_OF_ROWS, ORACLES_PER_CONVENTION
from tests.strategies import Row, frames

ATOL = 1e-9
WORDS_THAT_STAND_ALONE = ("yes", "No", "noanswer", "no-answer", "no answer", "YES.", "the", "a", "cat", " ", "-", "")
MARKS = ("‘", "’", "´", "`", "'", "_", "-", ".", ",", "“", "–", "the", "The", "an", "cat", "Σ", "1", " ", "\u3000")
BLANKS = ("", " ", "\n", "\t", "\u3000", "\x1c", "\x85", "\u200b", "the", ".", "cat", "Cat", "cat. ", " .")
LINES = ("\n", "\n", "\r\n", "running cats", "run", "cities ", "the city ", " ", ".", "runs ", "cat", "-")
GOLDS = ("the cat ", "sat ", "on ", "the mat", ". ", ", ", "&amp; ", "-\n", "\n", "1.5 ", "a ", "cat-", "sat on the ")


def assert_equals_twins(name: str, rows: Sequence[Row]) -> None:
    frame = pd.DataFrame({"pred": [pred for pred, _ in rows], "golds": [golds for _, golds in rows]})
    oracles, of_rows = ORACLES_PER_CONVENTION[name], ORACLES_OF_ROWS.get(name, {})
    found = frame.astype({"pred": "string"}).qa.score(
        "pred", "golds", metrics=[*oracles, *of_rows], convention=name, append=False
    )
    for metric, oracle in oracles.items():
        expected = [max(oracle(pred, gold) for gold in golds) for pred, golds in rows]
        assert found[metric].to_list() == pytest.approx(expected, rel=0, abs=ATOL)
    for metric, of_row in of_rows.items():
        assert found[metric].to_list() == pytest.approx([of_row(*row) for row in rows], rel=0, abs=ATOL)


@pytest.mark.parametrize("name", ["hotpotqa", "flashrag", "helmet", "musique", "search_r1"])
@settings(deadline=None, max_examples=30)
@given(rows=frames(pieces=st.sampled_from(WORDS_THAT_STAND_ALONE)))
def test_answers_that_are_right_only_as_a_whole(name: str, rows: list[Row]):
    assert_equals_twins(name, rows)


@settings(deadline=None, max_examples=60)
@given(rows=frames(pieces=st.sampled_from(MARKS)))
def test_marks_that_become_spaces(rows: list[Row]):
    assert_equals_twins("triviaqa", rows)


@pytest.mark.parametrize("name", ["kilt", "kilt_accuracy"])
@settings(deadline=None, max_examples=60)
@given(rows=frames(pieces=st.sampled_from(BLANKS)))
def test_texts_of_white_space_alone(name: str, rows: list[Row]):
    assert_equals_twins(name, rows)


@settings(deadline=None, max_examples=60)
@given(rows=frames(pieces=st.sampled_from(LINES)))
def test_stems_in_several_lines(rows: list[Row]):
    assert_equals_twins("helmet", rows)


@settings(deadline=None, max_examples=60)
@given(rows=frames(pieces=st.sampled_from(GOLDS)))
def test_bleu_of_all_golds_together(rows: list[Row]):
    assert_equals_twins("flashrag", rows)


def test_the_empty_sides_of_each():
    frame = pd.DataFrame({"pred": ["", " ", "the", "Elbe"], "golds": [[""], ["the"], [" ", "a"], ["", "Elbe"]]})
    em = {
        name: frame.qa.score("pred", "golds", metrics="em", convention=name, append=False)["em"].to_list()
        for name in ("hotpotqa", "musique", "kilt", "kilt_accuracy")
    }
    assert em["hotpotqa"] == em["musique"] == [1, 1, 1, 1]
    assert em["kilt"] == [0, 0, 1, 1]
    assert em["kilt_accuracy"] == [0, 0, 0, 1]
    f1 = frame.qa.score("pred", "golds", metrics="f1", convention="musique", append=False)["f1"]
    assert f1.to_list() == [1, 1, 1, 1]
