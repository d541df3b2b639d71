"""Verdicts of comparisons: what the p-values decide."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import qa_frame

pytestmark = pytest.mark.filterwarnings("ignore::qa_frame.errors.IntervalWarning")


def won_and_lost(n: int, wins: int, losses: int, *, models: str = "ab") -> pd.DataFrame:
    """Scores of 0 and 1 of n questions, of which each of the first two models alone is right on so many."""
    a, b = np.ones(n), np.ones(n)
    a[wins : wins + losses], b[:wins] = 0, 0
    scores = {"a": a, "b": b} | dict.fromkeys(models[2:], b)
    parts = [pd.DataFrame({"model": name, "q": range(n), "em": each}) for name, each in scores.items()]
    return pd.concat(parts, ignore_index=True)


def only(frame: pd.DataFrame, **options: object) -> pd.Series:
    return frame.qa.compare("model", "q", **options).iloc[0]


@pytest.mark.parametrize(
    ("wins", "losses", "margin", "verdict"),
    [
        (30, 5, None, "better"),
        (5, 30, None, "worse"),
        (12, 10, None, "undecided"),
        (12, 10, 0.05, "equivalent"),
        (30, 5, 0.3, "equivalent"),
        (5, 30, 0.3, "equivalent"),
        (40, 5, 0.1, "better"),
        (5, 60, 0.1, "worse"),
        (25, 12, 0.05, "better"),
        (24, 13, 0.05, "as good"),
        (12, 16, 0.02, "undecided"),
    ],
)
def test_words(wins, losses, margin, verdict):
    row = only(won_and_lost(300, wins, losses), margin=margin)
    assert row["verdict"] == verdict


def test_the_corrected_p_decides():
    frame = won_and_lost(300, 20, 8, models="abcdefgh")
    assert only(frame, correction="none")["verdict"] == "better"
    row = only(frame)
    assert row["p"] < 0.05 < row["p_adj"]
    assert row["verdict"] == "undecided"


def test_nothing_is_decided_where_nothing_differs_or_is_paired():
    row = only(won_and_lost(300, 5, 5))
    assert row["verdict"] == "undecided"
    with pytest.warns(qa_frame.errors.PairingWarning):
        row = only(won_and_lost(10, 2, 1).assign(q=range(20)))
    assert row["verdict"] == "undecided"
