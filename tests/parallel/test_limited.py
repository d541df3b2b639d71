"""Parts that take too long, in workers of their own."""

import os
import time

import pytest

from qa_frame.parallel.limited import map_with_limit
from qa_frame.parallel.workers import all_workers


def make_function():
    """A function that no module holds, so that it is sent as it is."""

    def function(part):
        if part == "dies":
            os._exit(3)
        if part == "fails":
            raise ZeroDivisionError("by hand")
        time.sleep(60 * (part == "slow"))
        return part.upper()

    return function


@pytest.mark.parametrize("n_workers", [pytest.param(1, marks=pytest.mark.thorough), 2])
def test_parts_in_order_without_those_that_are_late_or_end_their_worker(n_workers):
    before = set(all_workers)
    parts = ["a", "slow", "b", "dies", "c"]
    found = map_with_limit(make_function(), parts, seconds=1.0, n_workers=n_workers, seconds_to_start=15.0)
    assert found == ["A", None, "B", None, "C"]
    assert all_workers == before


def test_no_parts():
    assert map_with_limit(make_function(), [], seconds=1.0, n_workers=2) == []


def test_errors_are_raised_and_no_worker_is_left():
    before = set(all_workers)
    with pytest.raises(ZeroDivisionError, match="by hand"):
        map_with_limit(make_function(), ["a", "fails", "b"], seconds=5.0, n_workers=1)
    assert all_workers == before
