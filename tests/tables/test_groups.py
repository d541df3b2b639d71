"""Scored rows in groups, as the reports of single rows read them."""

from __future__ import annotations

import polars as pl
import pytest

import qa_frame
from tests.features import with_needs

SCORED = qa_frame.sample().qa.score("response", "answers", metrics="f1")
CALLS = {
    "abstention": lambda data, by: qa_frame.abstention(data, by, declined=qa_frame.rules.REFUSAL),
    "agreement": lambda data, by: qa_frame.agreement(data, by=by),
    "human_mean": lambda data, by: qa_frame.human_mean(data, by=by),
    "summary": lambda data, by: qa_frame.summary(data, by=by),
}


NEEDS = {"abstention": "abstention", "agreement": "annotation", "human_mean": "annotation"}


@pytest.mark.parametrize("name", with_needs(CALLS, NEEDS))
def test_no_names_are_one_group_of_all_rows(name):
    for data in (SCORED, qa_frame.with_scoring_of(pl.from_pandas(SCORED), SCORED)):
        one, other = (CALLS[name](data, by) for by in (None, []))
        assert one.equals(other)
