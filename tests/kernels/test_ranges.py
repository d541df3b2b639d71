"""Ranges and slices equal those of plain Python."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from qa_frame.kernels.tokens import bounded_slices, concatenated_ranges

numbers = st.integers(0, 9)


@given(ranges=st.lists(st.tuples(numbers, numbers), max_size=9))
def test_concatenated_ranges(ranges):
    starts, lengths = np.array(ranges, np.int64).reshape(-1, 2).T
    expected = [place for start, length in ranges for place in range(start, start + length)]
    assert concatenated_ranges(starts, lengths).tolist() == expected


@given(sizes=st.lists(numbers, max_size=12), limit=st.integers(1, 20))
@example(sizes=[1, 1], limit=1)
def test_slices_are_as_long_as_the_limit_allows(sizes, limit):
    slices = list(bounded_slices(np.array(sizes, np.int64), limit))
    assert [place for part in slices for place in range(part.start, part.stop)] == list(range(len(sizes)))
    for part in slices:
        assert sum(sizes[part]) <= limit or part.stop - part.start == 1
        assert part.stop == len(sizes) or sum(sizes[part.start : part.stop + 1]) > limit
