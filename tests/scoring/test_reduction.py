"""Each reduction over golds is one function in a table."""

from __future__ import annotations

import numpy as np
import pytest

from qa_frame.rules.parts import REDUCTIONS
from qa_frame.scoring.reduction import OF_ONE_GOLD, REDUCERS, as_named_reduction, best_pairs, reduce_over_golds

SCORES, OFFSETS = np.array([0.5, 1.0, 0.25, 0.25, 0.75]), np.array([0, 2, 2, 3, 5])


def test_each_name_has_a_function():
    assert {*REDUCERS, "best"} == {*REDUCTIONS}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_the_score_is_that_of_one_gold_where_the_entry_says_so(name):
    best = best_pairs(SCORES, OFFSETS)
    per_row = reduce_over_golds(SCORES, OFFSETS, name, best=best)
    are_scores = [score in SCORES[start:end] for score, start, end in zip(per_row, OFFSETS, OFFSETS[1:], strict=False)]
    several = [are_scores[0], are_scores[3]]
    assert several == [name in OF_ONE_GOLD] * 2
    assert np.isnan(per_row).tolist() == [False, True, False, False]


@pytest.mark.parametrize(("function", "name"), [(max, "max"), (np.min, "min"), (np.mean, "mean")])
def test_a_known_function_gives_what_its_name_does(function, name):
    assert as_named_reduction(function) == name
    by_function = reduce_over_golds(SCORES, OFFSETS, function)
    np.testing.assert_array_equal(by_function, reduce_over_golds(SCORES, OFFSETS, name))
