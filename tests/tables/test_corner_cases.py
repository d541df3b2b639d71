"""Corner cases of summaries and pools."""

from __future__ import annotations

import pandas as pd
import pytest

import qa_frame


@pytest.fixture(scope="module")
def scored():
    return qa_frame.sample().qa.score("response", "answers", stats=True)


def test_groups_by_functions_that_give_tuples(scored):
    found = scored.qa.summary(lambda label: (label % 2, "x"), metrics="f1")
    assert found["n_rows"].tolist() == [180, 180]


def test_a_name_twice_in_a_tidy_summary(scored):
    with pytest.raises(qa_frame.errors.UnknownOptionError, match="twice"):
        scored.qa.summary(["model", "model"], long=True)


def test_a_pool_of_some_metrics_takes_no_others(scored):
    with pytest.raises(qa_frame.errors.PoolMismatchError, match="metrics differ"):
        qa_frame.Pool(metrics="f1").merge(qa_frame.Pool().update(scored))


def test_text_is_no_score():
    frame = pd.DataFrame({"em": ["1", "0", "1"], "f1": [0.5, 0.5, 1.0]})
    assert "em" not in frame.qa.summary()
    with pytest.raises(qa_frame.errors.ColumnTypeError, match="'em'"):
        frame.qa.summary(metrics="em")
