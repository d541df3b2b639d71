"""How independent pieces of work are run: in threads, and under a progress bar."""

from __future__ import annotations

import numbers
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from qa_frame.errors import UnknownOptionError

T = TypeVar("T")
R = TypeVar("R")

_SECONDS_WITHOUT_BAR = 2


def count_threads(threads: int | None) -> int:
    """The number of threads asked for, or that of processors this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(threads, bool) or not isinstance(threads, numbers.Integral) or threads < 1:
        raise UnknownOptionError(f"threads={threads!r} is not a number of threads; give 1 or more, or None for all")
    return int(threads)


class Threads:
    """A pool of threads that is only begun when used. An error stops the work not yet begun."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._executor: ThreadPoolExecutor | None = None

    def close(self) -> None:
        """Wait for the work begun."""
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)

    def map(self, function: Callable[[T], R], parts: Sequence[T]) -> Iterable[R]:
        """As the built-in `map`, in the threads where there are several of them and several parts."""
        if self._threads == 1 or len(parts) == 1:
            return map(function, parts)
        self._executor = self._executor or ThreadPoolExecutor(self._threads, thread_name_prefix="qa_frame")
        return self._executor.map(function, parts)


def follow(done: Iterable[int], *, total: int, progress: bool | None) -> None:
    """Run `done`, which gives numbers of rows, to its end under a progress bar.

    progress: True for a bar, False for none, None for one in a terminal and only once two seconds have passed.
    """
    start, rows, bar = time.monotonic(), 0, _bar(total) if progress else None
    for n_rows in done:
        rows += n_rows
        is_slow = rows < total and time.monotonic() - start > _SECONDS_WITHOUT_BAR
        if bar is None and progress is None and is_slow and sys.stderr.isatty():
            bar = _bar(total)
        if bar is not None:
            bar.update(rows - bar.n)
    if bar is not None:
        bar.close()


def _bar(total: int) -> Any:
    from tqdm import TqdmWarning  # noqa: PLC0415  (costs more to import than this whole package)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TqdmWarning)  # a notebook without widgets gets a bar of text, and no advice
        from tqdm.auto import tqdm  # noqa: PLC0415

    return tqdm(total=total, unit="row", unit_scale=True)
