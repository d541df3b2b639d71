"""Points that lie lower in both coordinates: all pairs, compared."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from qa_frame.ext.annotation.concordance import count_lower

places = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 3)), max_size=30)
bounds = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 17)), max_size=20)


@given(points=places, below=bounds)
@example(points=[], below=[(1, 1)])
@example(points=[(0, 0, 1)], below=[(0, 0), (1, 0), (0, 1), (1, 1)])
@example(points=[(2, 7, 1), (1, 8, 2)], below=[(3, 8), (3, 9), (2, 16)])
def test_count_lower(points, below):
    x, y, counts = np.array(points, np.int64).reshape(-1, 3).T
    x_below, y_below = np.array(below, np.int64).reshape(-1, 2).T
    expected = [sum(n for a, b, n in points if a < one and b < other) for one, other in below]
    assert count_lower(x, y, counts, x_below, y_below).tolist() == expected
