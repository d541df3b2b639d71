"""Scored rows: on which rows a figure is scored, and what it is made of there."""

from __future__ import annotations

import numpy as np
import pytest

from qa_frame.errors import ColumnTypeError
from qa_frame.stats.rows import ScoredRows, is_any_scored
from qa_frame.stats.statistic import Mean
from qa_frame.tables.pooled import POOLED_STATISTICS as POOLED

NAN = np.nan
EM, F1_MICRO = Mean("em"), POOLED["f1_micro"]


def make_rows(em, *, has_score=None, **statistics):
    scores = {"em": np.array(em, float)}
    every = is_any_scored(scores, len(em)) if has_score is None else np.array(has_score)
    return ScoredRows(len(em), scores, {name: np.array(values) for name, values in statistics.items()}, every, {})


def test_a_mean_is_scored_where_its_score_is_not_nan():
    values, is_scored = EM.sums_per_row(make_rows([0.5, NAN, 0.0]))
    assert values.tolist() == [[0.5, 0.0, 0.0]]
    assert is_scored.tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("em", "has_score", "overlap", "pred_len", "expected"),
    [
        ([1.0], None, [1], [2], True),
        ([NAN], None, [1], [2], True),  # as where a metric is there for some datasets only
        ([NAN], [True], [0], [0], True),  # it has a score of another metric
        ([0.0], None, [0], [0], True),  # a missing prediction beside an empty gold
        ([NAN], [False], [0], [0], False),
    ],
    ids=["score", "statistics", "other-score", "no-tokens", "nothing"],
)
def test_a_pooled_figure_is_scored_with_any_score_or_any_token(em, has_score, overlap, pred_len, expected):
    rows = make_rows(em, has_score=has_score, overlap=overlap, pred_len=pred_len, gold_len=pred_len)
    sums_per_row, is_scored = F1_MICRO.sums_per_row(rows)
    assert is_scored.tolist() == [expected]
    assert sums_per_row.tolist() == [overlap, [2 * (pred_len[0] - overlap[0])]]


def test_statistics_that_contradict_each_other():
    rows = make_rows([1.0], overlap=[3], pred_len=[2], gold_len=[3])
    with pytest.raises(ColumnTypeError, match="more matches than there are tokens"):
        F1_MICRO.sums_per_row(rows)


def test_any_score():
    scores = {"em": np.array([1.0, NAN, NAN]), "f1": np.array([NAN, 0.0, NAN])}
    assert is_any_scored(scores, 3).tolist() == [True, True, False]
    assert is_any_scored({}, 2).tolist() == [False, False]
