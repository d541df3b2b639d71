"""How hard questions are, and whether they tell models apart: by hand, and by numpy's own correlation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_frame.ext.items.item_analysis import discrimination, mean_per_item

values = st.sampled_from([0.0, 0.1, 0.7, 1.0, np.nan])


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 6).flatmap(lambda n: st.lists(st.lists(values, min_size=n, max_size=n), min_size=1, max_size=8)))
def test_each_question_by_itself(rows):
    scores = np.array(rows)
    found, hard = discrimination(scores), mean_per_item(scores)
    for place, own in enumerate(scores.T):
        others = np.delete(scores, place, axis=1)
        has_both = ~np.isnan(own) & ~np.isnan(others).all(axis=1)
        known = own[~np.isnan(own)]
        assert hard[place] == pytest.approx(known.mean() if len(known) else np.nan, nan_ok=True)
        rest = np.array([row[~np.isnan(row)].mean() for row in others[has_both]])
        if has_both.sum() < 2 or np.ptp(own[has_both]) == 0 or np.ptp(rest) < 1e-12:
            assert np.isnan(found[place])
        else:
            assert found[place] == pytest.approx(np.corrcoef(own[has_both], rest)[0, 1], abs=1e-9)
