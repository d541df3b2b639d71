"""What only the conventions of harnesses look at equals their twins: articles, spaces, numbers, and CANNOTANSWER."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.oracles_of_harnesses import CANNOTANSWER, ORACLES_PER_CONVENTION, OVER_GOLDS, quac_f1, quac_golds
from tests.strategies import Row, frames, golds_like

ATOL = 1e-9
PIECES = (
    "the ", "The ", "THE", "an ", "An", "a ", "cat", "-", ".", "'", " ", "  ", "\t", "\n", "\u3000", "\x1f", "1", "1.0",
    "1,0", "1e3", "\t7", "7\n", "2 ", "inf", "nan", "\u0663", "1_0", "yes", CANNOTANSWER, "cannotanswer",
)  # fmt: skip
REDUCTIONS: dict[str, Callable[[Sequence[float]], float]] = {
    "max": max,
    "min": min,
    "mean": statistics.fmean,
    "first": lambda scores: scores[0],
    "leave_one_out": OVER_GOLDS["quac"],
}


def score(name: str, rows: Sequence[Row], metrics: Sequence[str], **options: object) -> pd.DataFrame:
    frame = pd.DataFrame({"pred": [pred for pred, _ in rows], "golds": [golds for _, golds in rows]})
    frame = frame.astype({"pred": "string"})
    return frame.qa.score("pred", "golds", metrics=list(metrics), convention=name, append=False, **options)


def assert_close(found: Sequence[float], expected: Sequence[float]) -> None:
    assert list(found) == pytest.approx(list(expected), rel=0, abs=ATOL)


@pytest.mark.parametrize("name", [name for name, oracles in ORACLES_PER_CONVENTION.items() if oracles])
@settings(deadline=None, max_examples=30)
@given(rows=frames(pieces=st.sampled_from(PIECES)))
def test_articles_spaces_and_numbers(name: str, rows: list[Row]):
    rows = [(pred, [gold]) for pred, golds in rows for gold in golds]
    oracles = ORACLES_PER_CONVENTION[name]
    found = score(name, rows, [*oracles])
    for metric, oracle in oracles.items():
        assert_close(found[metric], [oracle(pred, gold) for pred, (gold,) in rows])


# --- a gold that says that there is no answer ---

answers = st.sampled_from((CANNOTANSWER, CANNOTANSWER, "cat", "the cat", "", "cannotanswer", f"{CANNOTANSWER}."))
rows_of_answers = answers.flatmap(
    lambda pred: st.tuples(st.just(pred), st.lists(answers | golds_like(pred, answers), min_size=1, max_size=6))
)


@settings(deadline=None, max_examples=80)
@given(rows=st.lists(rows_of_answers, min_size=1, max_size=8), reduce=st.sampled_from(sorted(REDUCTIONS)))
def test_golds_that_say_no_answer(rows: list[Row], reduce: str):
    expected = [REDUCTIONS[reduce]([quac_f1(pred, gold) for gold in quac_golds(golds)]) for pred, golds in rows]
    assert_close(score("quac", rows, ["f1"], reduce=reduce)["f1"], expected)


def test_half_of_the_golds_say_no_answer():
    golds = [[CANNOTANSWER, "cat"], [CANNOTANSWER, "cat", "cat"], [CANNOTANSWER, "cat", CANNOTANSWER]]
    rows = [(pred, each) for each in golds for pred in (CANNOTANSWER, "cat", "cannotanswer")]
    assert score("quac", rows, ["f1", "recall"])["f1"].to_list() == [1, 0, 0, 0, 1, 0, 1, 0, 0]


@pytest.mark.parametrize("missing", ["zero", "null"])
def test_rows_without_a_prediction_or_golds_stay_so(missing: str):
    frame = pd.DataFrame({"pred": [None, "cat", "cat"], "golds": [[CANNOTANSWER], None, []]})
    found = frame.qa.score("pred", "golds", metrics="f1", convention="quac", missing=missing, append=False)["f1"]
    assert found.isna().to_list() == [missing == "null", True, True]
