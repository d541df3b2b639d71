"""`df.qa.differences`: the shift between two conventions, and the rows that it comes from."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

import qa_frame

ROWS = [
    ("The U.S.", ["U.S."]),
    ("", [""]),
    ("an apple, the pear", ["apple pear", "pear"]),
    ("x", []),
    (None, ["y"]),
    ("z", None),
]


@pytest.fixture
def frame():
    return pd.DataFrame(ROWS, columns=["response", "answers"], index=[7, 7, -1, 0, 3, 3])


def differ(frame, a, b, **options):
    return frame.qa.differences(a, b, pred="response", gold="answers", **options)


@pytest.mark.parametrize(("a", "b"), [("squad", "squad2"), ("squad", "context_bench"), ("squad2", "continuous_eval")])
def test_means_and_rows_are_those_of_score(frame, a, b):
    found = differ(frame, a, b)
    scores = [
        frame.qa.score("response", "answers", metrics="f1", convention=name, append=False).f1.to_numpy()
        for name in (a, b)
    ]
    shift = scores[1] - scores[0]
    both = ~np.isnan(shift)
    assert found.means.loc[a, "mean"] == pytest.approx(scores[0][both].mean())
    assert found.means.loc[b, "mean"] == pytest.approx(scores[1][both].mean())
    assert found.means.loc["shift", "mean"] == pytest.approx(shift[both].mean())
    assert found.means["n_scored"].tolist() == [*(int((~np.isnan(s)).sum()) for s in scores), int(both.sum())]
    changed = [row for row in range(len(frame)) if shift[row] != 0 and not np.isnan(scores[0][row] + scores[1][row])]
    changed += [row for row in range(len(frame)) if np.isnan(scores[0][row]) != np.isnan(scores[1][row])]
    assert found.n_changed == len(changed)
    assert sorted(found.rows.index) == sorted(frame.index[changed])
    assert found.n == len(frame)


def test_rows_only_one_scores_come_first_then_the_largest_change(frame):
    rows = differ(frame, "squad", "squad2").rows
    assert rows["f1_squad2"].tolist() == [0.0, 1.0]  # "x" without golds is wrong in v2.0, two empty sides are right
    assert np.isnan(rows["f1_squad"].iloc[0])
    assert rows["shift"].iloc[1] == 1.0
    assert rows.index.tolist() == [0, 7]
    shifts = differ(qa_frame.sample(), "squad", "continuous_eval").rows["shift"].abs()
    assert shifts.is_monotonic_decreasing
    assert len(shifts) > 20


def test_a_convention_does_not_differ_from_itself(frame):
    found = differ(frame, "squad", "squad")
    assert found.n_changed == 0
    assert found.means.iloc[-1]["mean"] == 0.0


def test_the_frame_is_not_changed(frame):
    before = frame.copy(deep=True)
    differ(frame, "squad", "remem", metric="em")
    pd.testing.assert_frame_equal(frame, before)


def test_own_conventions(frame):
    squad = qa_frame.conventions["squad"]
    raw = dataclasses.replace(squad, name="raw", overlap=qa_frame.Overlap(text=qa_frame.Text()))
    assert differ(frame, squad, raw).n_changed == 2


def test_printed(frame):
    found = differ(frame, "squad", "squad2")
    assert repr(found).startswith("f1: 2 of 6 rows change")
    assert "f1_squad2" in repr(found)
    assert "<table" in found._repr_html_()


def test_errors(frame):
    squad = qa_frame.conventions["squad"]
    other = dataclasses.replace(squad, overlap=qa_frame.Overlap(text=qa_frame.Text()))
    with pytest.raises(qa_frame.UnknownOptionError, match="both named 'squad'"):
        differ(frame, squad, other)
    with pytest.raises(qa_frame.UnknownOptionError, match="metrics='rouge_l' is not part of convention 'mindformers'"):
        differ(frame, "squad", "mindformers", metric="rouge_l")
    with pytest.raises(qa_frame.ColumnNotFoundError, match="gold='answer'"):
        frame.qa.differences("squad", "squad2", pred="response", gold="answer")
    with pytest.raises(qa_frame.MissingPredictionError, match="1 of 6"):
        differ(frame, "squad", "squad2", missing="raise")
    renamed = frame.rename(columns={"answers": "shift"})
    with pytest.raises(qa_frame.ColumnOverwriteError, match="shift"):
        renamed.qa.differences("squad", "squad2", pred="response", gold="shift")
