"""How independent pieces of work are done: in several threads, and under a progress bar."""

from __future__ import annotations

import numbers
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from qa_frame.errors import UnknownOptionError

T = TypeVar("T")
R = TypeVar("R")

_SECONDS_WITHOUT_BAR = 2


def count_threads(threads: int | None) -> int:
    """The number of threads that is asked for; for None, the number of processors that this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(threads, bool) or not isinstance(threads, numbers.Integral) or threads < 1:
        raise UnknownOptionError(f"threads={threads!r} is not a number of threads; give 1 or more, or None for all")
    return int(threads)


class Threads:
    """A pool of threads. It starts no thread before it is used, and none at all where there is nothing to share."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="qa_frame")

    def close(self) -> None:
        """Wait for the parts that have begun, and drop those that have not."""
        self._executor.shutdown(cancel_futures=True)

    def map(self, function: Callable[[T], R], parts: Sequence[T]) -> Iterable[R]:
        """The results for all parts in order, as the built-in `map` gives them. An error ends the work."""
        if self._threads == 1 or len(parts) == 1:
            return map(function, parts)
        return self._executor.map(function, parts)


def consume_with_progress(done: Iterable[object], *, n_rows: Sequence[int], progress: bool | None) -> None:
    """Go through `done` to its end, under a progress bar that counts rows.

    Parameters
    ----------
    done
        Gives one item for each part of the work, when the part is done.
    n_rows
        The number of rows in each part.
    progress
        True shows a bar, False shows none. None shows one in a terminal only, and not in the first two seconds.
    """
    delay = 0
    if progress is None:
        delay = _SECONDS_WITHOUT_BAR
        progress = sys.stderr.isatty() and len(n_rows) > 1  # a single part has no progress to show
    if not progress:
        for _ in done:
            pass
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tqdm would advise to install widgets in a notebook that has none
        from tqdm.auto import tqdm  # noqa: PLC0415  (slow to import)
    with tqdm(total=sum(n_rows), unit="row", unit_scale=True, delay=delay) as bar:
        for n, _ in zip(n_rows, done, strict=True):
            bar.update(n)
