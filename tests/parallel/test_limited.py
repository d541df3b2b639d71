"""Parts that may take so long at most."""

import os
import time

import pytest

from qa_frame.parallel import pool as crew
from qa_frame.parallel.workers import all_workers, idle_workers


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


@pytest.mark.parametrize("n_workers", [1, 2])
@pytest.mark.thorough
def test_parts_in_order_without_those_that_are_late_or_end_their_worker(n_workers, monkeypatch):
    monkeypatch.setattr(crew, "SECONDS_TO_START", 15.0)
    parts = ["a", "slow", "b", "dies", "c"]
    found = crew.run_in_workers(make_function(), parts, n_workers, seconds=1.0)
    assert list(found) == ["A", None, "B", None, "C"]
    assert all_workers == set(idle_workers)


def test_no_parts():
    assert list(crew.run_in_workers(make_function(), [], 2, seconds=1.0)) == []


def test_errors_are_raised_and_no_worker_is_left():
    with pytest.raises(ZeroDivisionError, match="by hand"):
        list(crew.run_in_workers(make_function(), ["a", "fails", "b"], 1, seconds=5.0))
    assert not all_workers
