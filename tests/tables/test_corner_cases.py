"""Corner cases of summaries and pools."""

from __future__ import annotations

import pytest

import qa_frame


@pytest.fixture(scope="module")
def scored():
    return qa_frame.sample().qa.score("response", "answers", stats=True)


def test_a_name_twice_in_a_tidy_summary(scored):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="twice"):
        scored.qa.summary(["model", "model"], long=True)
