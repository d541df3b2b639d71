"""Each reduction over golds is one registered function."""

from __future__ import annotations

import numpy as np
import pytest

from qa_frame.rules.parts import REDUCTIONS
from qa_frame.scoring.reduction import REDUCERS, best_pairs, reduce_over_golds, reducer, vectorised

SCORES, OFFSETS = np.array([0.5, 1.0, 0.25, 0.25, 0.75]), np.array([0, 2, 2, 3, 5])


def test_each_name_has_a_function():
    assert {*REDUCERS} == {*REDUCTIONS}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_the_score_is_that_of_one_gold_where_the_entry_says_so(name):
    best = best_pairs(SCORES, OFFSETS)
    per_row = reduce_over_golds(SCORES, OFFSETS, name, best=best)
    are_scores = [score in SCORES[start:end] for score, start, end in zip(per_row, OFFSETS, OFFSETS[1:], strict=False)]
    several = [are_scores[0], are_scores[3]]
    assert several == [REDUCERS[name].is_of_one_gold] * 2
    assert np.isnan(per_row).tolist() == [False, True, False, False]


def test_a_new_reduction_is_one_function(monkeypatch):
    monkeypatch.setattr("qa_frame.scoring.reduction.REDUCERS", {**REDUCERS})
    monkeypatch.setattr("qa_frame.scoring.reduction._SAME", {})

    @reducer("sum", sum)
    def total(scores, golds):
        return np.add.reduceat(scores, golds.starts)

    assert vectorised(sum) == "sum"
    np.testing.assert_array_equal(reduce_over_golds(SCORES, OFFSETS, "sum"), [1.5, np.nan, 0.25, 1.0])
