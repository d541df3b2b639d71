"""Scored rows in groups, as the reports of single rows read them."""

from __future__ import annotations

import polars as pl
import pytest

import qa_frame

SCORED = qa_frame.sample().qa.score("response", "answers", metrics="f1")
CALLS = {
    "abstention": lambda data, by: qa_frame.abstention(data, by, declined=qa_frame.rules.REFUSAL),
    "agreement": qa_frame.agreement,
    "human_mean": qa_frame.human_mean,
    "summary": qa_frame.summary,
}


@pytest.mark.parametrize("name", CALLS)
def test_no_names_are_one_group_of_all_rows(name):
    for data in (SCORED, qa_frame.with_scoring_of(pl.from_pandas(SCORED), SCORED)):
        one, other = (CALLS[name](data, by) for by in (None, []))
        assert one.equals(other)
