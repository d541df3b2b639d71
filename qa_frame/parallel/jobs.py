"""How independent tasks are done: in worker processes or threads, and under a progress bar."""

from __future__ import annotations

import collections
import contextlib
import importlib.util
import itertools
import numbers
import os
import sys
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from qa_frame.errors import MissingPackageError, UnknownOptionError
from qa_frame.parallel.pool import run_in_workers
from qa_frame.parallel.worker_main import read_tasks
from qa_frame.terminal import is_terminal

T = TypeVar("T")
R = TypeVar("R")

_SECONDS_WITHOUT_BAR = 2
_MOST_JOBS = 4096


def count_jobs(n_jobs: int | None) -> int:
    """Return how many tasks are done at once. `n_jobs` means the same as in joblib.

    Parameters
    ----------
    n_jobs
        A number of worker processes; -1 for one per processor, -2 for one less, and so on. None for 1.

    Raises
    ------
    UnknownOptionError
        If `n_jobs` is not such a number.
    MissingPackageError
        If `n_jobs` asks for more than one process and joblib is not installed.
    """
    if n_jobs is None:
        return 1
    is_number = isinstance(n_jobs, numbers.Integral) and not isinstance(n_jobs, bool)
    if not is_number or not 0 < abs(n_jobs) <= _MOST_JOBS:
        remedy = "give 1 or more, or -1 for one per processor, or None"
        raise UnknownOptionError.of("n_jobs", "is not a number of processes", remedy, value=n_jobs)
    if n_jobs == 1:
        return 1
    if not _has_joblib():
        remedy = 'install it with: pip install "qa-frame[parallel]", or give n_jobs=1'
        raise MissingPackageError.of("n_jobs", "needs the package joblib", remedy, value=n_jobs)
    import joblib  # noqa: PLC0415  (optional)

    return int(joblib.effective_n_jobs(int(n_jobs)))


def count_all_jobs(n_jobs: int | None) -> int:
    """Return how many tasks on files are done at once.

    None stands for one per processor where joblib is installed. Other values of `n_jobs` are those of `count_jobs`.
    """
    return count_jobs(-1 if n_jobs is None and _has_joblib() else n_jobs)


def _has_joblib() -> bool:
    return importlib.util.find_spec("joblib") is not None


def run_jobs(function: Callable[[T], R], tasks: Iterable[T], n_jobs: int) -> Generator[R, None, None]:
    """Yield the result of `function` for each task, in order, like the built-in `map`. An error ends the work.

    With `n_jobs=1`, or where there is one task, this process does all. Else worker processes do it, and stay ready for
    the next call. Tasks are then read a few at a time, so that memory stays bounded. Close the generator if you do not
    read it to its end: this ends the workers.

    Raises
    ------
    WorkerError
        If a worker process died.
    """
    read = read_tasks(tasks)
    first = [*itertools.islice(read, 0 if n_jobs == 1 else 2)]
    left = (each.get() for each in itertools.chain(first, read))
    yield from map(function, left) if len(first) < 2 else run_in_workers(function, left, n_jobs)


def run_in_threads(function: Callable[[T], object], tasks: Sequence[T]) -> None:
    """Call the function with each task, in threads, and drop the results. See `map_in_threads`."""
    collections.deque(map_in_threads(function, tasks), maxlen=0)


def map_in_threads(function: Callable[[T], R], tasks: Sequence[T]) -> Iterator[R]:
    """Yield the result of `function` for each task, in order, made in threads. An error ends the work.

    There is one thread per processor. Threads pay where numpy works for milliseconds at a time. Else they wait for the
    interpreter's lock.
    """
    n_threads = min(len(tasks), _count_processors())
    if n_threads < 2:
        yield from map(function, tasks)
        return
    executor = ThreadPoolExecutor(n_threads, thread_name_prefix="qa_frame")
    try:
        yield from executor.map(function, tasks)
    finally:
        executor.shutdown(cancel_futures=True)


def _count_processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def consume_with_progress(done: Generator[int, None, None], *, n_rows: int | None, progress: bool | None) -> None:
    """Go through `done` to its end, under a progress bar that counts rows.

    Parameters
    ----------
    done
        Yields the number of rows of each task of the work, when the task is done. It is closed at Ctrl-C, so that the
        work ends at once.
    n_rows
        The number of all rows; None if it is not known.
    progress
        Whether there is a bar; see `progress_bar`.
    """
    with contextlib.closing(done), progress_bar(n_rows, progress=progress) as advance:
        for n in done:
            advance(n)


@contextlib.contextmanager
def progress_bar(
    total: int | None, *, progress: bool | None = None, unit: str = "row"
) -> Iterator[Callable[[int], object]]:
    """Show a progress bar during the block. Its value is a function that moves the bar on by a number of units.

    Parameters
    ----------
    total
        The number of all units; None if it is not known.
    progress
        True shows a bar, and False does not. None shows one only in a terminal, after two seconds.
    unit
        The name of one unit.
    """
    delay = _SECONDS_WITHOUT_BAR if progress is None else 0
    is_shown = is_terminal(sys.stderr) if progress is None else progress
    if not is_shown or sys.stderr is None:  # as in a program without a console, where a bar has no place
        yield lambda _: None
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tqdm would advise to install widgets in a notebook that has none
        from tqdm.auto import tqdm  # noqa: PLC0415  (slow to import)
    with tqdm(total=total, unit=unit, unit_scale=True, delay=delay) as bar:
        yield bar.update
