"""A function of many parts, in worker processes that are killed where a part takes too long."""

from __future__ import annotations

import collections
import contextlib
import pickle
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import wait
from typing import Any, TypeVar

from qa_frame.parallel.parts import Outcome, to_bytes
from qa_frame.parallel.serving import FUNCTION, PART
from qa_frame.parallel.workers import Worker, end_all, require_no_fork

T = TypeVar("T")

_SECONDS_TO_START = 120.0
"""What a worker's first part may take longer, as it imports what it needs."""


class _Timed:
    """A worker, and when it must have done the part that it has."""

    def __init__(self, function: bytes, seconds_to_start: float) -> None:
        self.worker = Worker({})
        self.worker.start()
        with contextlib.suppress(OSError):  # its end is noticed when it is listened to
            self.worker.pipe.send_bytes(FUNCTION + function)
        self.ends_at = 0.0
        self.allowed = seconds_to_start

    def give(self, number: int, part: bytes, seconds: float) -> None:
        self.worker.number = number
        self.ends_at, self.allowed = time.monotonic() + self.allowed + seconds, 0.0
        with contextlib.suppress(OSError):  # its end is noticed when it is listened to
            self.worker.pipe.send_bytes(PART + part)


def map_with_limit(
    function: Callable[[T], Any],
    parts: Sequence[T],
    *,
    seconds: float,
    n_workers: int,
    seconds_to_start: float = _SECONDS_TO_START,
) -> list[Any]:
    """Return the result of each part, in order; None where it took longer than `seconds`, or ended its worker.

    A worker's first part may take `seconds_to_start` longer. Errors of the function are raised. joblib must be
    installed. The workers end with the call.
    """
    require_no_fork()
    sent, results = to_bytes(function), [None] * len(parts)
    waiting = collections.deque(enumerate(parts))
    crew: list[_Timed] = []
    try:
        while waiting or any(each.worker.number is not None for each in crew):
            while len(crew) < min(n_workers, len(parts)) and waiting:
                crew.append(_Timed(sent, seconds_to_start))
            for each in crew:
                if each.worker.number is None and waiting:
                    number, part = waiting.popleft()
                    each.give(number, to_bytes(part), seconds)
            busy = {each.worker.pipe: each for each in crew if each.worker.number is not None}
            first_end = min(each.ends_at for each in busy.values())
            for pipe in wait([*busy], max(0.0, first_end - time.monotonic())):
                if not _listen(busy[pipe], results):  # type: ignore[index]
                    busy[pipe].ends_at = 0.0  # type: ignore[index]
            for late in [each for each in busy.values() if each.worker.number is not None]:
                if late.ends_at <= time.monotonic():
                    crew.remove(late)
                    end_all([late.worker])
    finally:
        end_all(each.worker for each in crew)
    return results


def _listen(each: _Timed, results: list[Any]) -> bool:
    """Take what the worker says. Return whether it is alive."""
    try:
        message = each.worker.pipe.recv_bytes()
    except (EOFError, OSError):
        return False
    if message:  # an empty one says that the worker is there
        outcome: Outcome = pickle.loads(message)  # noqa: S301  (this package's own)
        number, each.worker.number = each.worker.number, None
        results[number or 0] = outcome.get()
    return True
