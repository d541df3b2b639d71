"""The worker processes of this process, which stay ready for the next call.

They can be killed at any moment, whatever they do, and nobody waits for them. They are killed at Ctrl-C, which they do
not notice themselves. They end by themselves when the process that started them has ended, in whatever way.

Only the start of a process is joblib's (loky's), as it works from notebooks and from scripts without a guard.

loky's own executor would take fewer lines, and was tried with joblib 1.6. A call waits for ever where a worker has died
and a process that it had started lives on, as both hold the pipe by which loky notices the end. After some of 60 calls
that Ctrl-C ended at random moments, a thread of loky's ended with an error, which is printed.
"""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import multiprocessing.resource_tracker
import multiprocessing.util
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection
from typing import Any

from qa_frame.errors import WorkerError
from qa_frame.parallel.worker_main import serve

_SECONDS_TO_DIE = 10.0
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Variables of the environment of workers, as they share the processors."""
_AT_EXIT = 100
"""The priority at the end of a process. What is 0 or higher is done before multiprocessing waits for its processes."""

all_workers: set[Worker] = set()
"""The workers that this process has started and that have not ended."""

idle_workers: list[Worker] = []
"""The workers that no call uses. Calls in several threads take and give back, each at one stroke."""

_is_forked = False
"""Whether this process is a copy of one that had workers."""


class Worker:
    """A worker process, seen from this one.

    Attributes
    ----------
    is_up
        Whether it has said that it is there, since this call has it.
    was_idle
        Whether it was there before this call. It may have ended by itself since.
    number
        The task that it has been given and has not answered yet; else None.
    ends_at
        When it must have answered that task, by the clock of `time.monotonic`.
    has_answered
        Whether it has answered a task of this call.
    """

    def __init__(self) -> None:
        from joblib.externals.loky.backend import get_context  # noqa: PLC0415  (optional)

        self.is_up: bool = False
        self.was_idle: bool = False
        self.number: int | None = None
        self.ends_at: float = math.inf
        self.has_answered: bool = False
        self.pipe: Connection
        self.pipe, self._theirs = multiprocessing.Pipe()
        is_main = threading.current_thread() is threading.main_thread()
        arguments = (self._theirs, os.getpid(), is_main)
        self.process: Any = get_context("loky").Process(target=serve, args=arguments, env=_ONE_THREAD)

    def start(self) -> None:
        """Start the process. It sends an empty message when it is there."""
        if not all_workers:  # not at import: a child of multiprocessing forgets at its start what was registered before
            multiprocessing.util.Finalize(None, end_workers, exitpriority=_AT_EXIT)
        all_workers.add(self)
        with self._theirs:
            _start_trackers()
            with holding_interrupts():
                self.process.start()

    def ask(self) -> None:
        """Ask the worker, which was idle, whether it is still there, unless its answer is yet to come."""
        self.was_idle, self.has_answered = True, False
        with contextlib.suppress(OSError, EOFError):  # then its end is noticed when it is listened to
            if not self.is_up and self.pipe.poll():
                self.pipe.recv_bytes()  # it came while the worker was idle, which may have ended since
                self.is_up = True
            if self.is_up:
                self.is_up = False
                self.pipe.send_bytes(b"")

    def end(self) -> None:
        """Kill the process. `wait_for_end` is called later, so that many end at the same time."""
        self.pipe.close()
        if self.process.pid is not None and self.process.exitcode is None:
            with contextlib.suppress(OSError):  # it has just ended
                os.kill(self.process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))

    def wait_for_end(self) -> int | None:
        """Wait until the killed process has ended. Return its exit code; None where it has not ended."""
        if self.process.pid is not None:
            self.process.join(_SECONDS_TO_DIE)
        all_workers.discard(self)
        code: int | None = self.process.exitcode
        return code


def _start_trackers() -> None:
    """Start the resource trackers of multiprocessing and loky, whose start would let held interrupts through."""
    if hasattr(signal, "pthread_sigmask"):
        from joblib.externals.loky.backend import resource_tracker  # noqa: PLC0415  (optional)

        for tracker in (resource_tracker, multiprocessing.resource_tracker):
            tracker.ensure_running()


@contextlib.contextmanager
def holding_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back until the end of the block. A process that is started in the block does not notice Ctrl-C."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_all(workers: Iterable[Worker]) -> None:
    """Kill these workers, and wait until they have ended."""
    ended = list(workers)
    for worker in ended:
        worker.end()
    for worker in ended:
        worker.wait_for_end()


def end_workers() -> None:
    """Kill all workers of this process. Else multiprocessing would wait for them when the process ends.

    It runs as a finalizer of multiprocessing, whose own children do not run what is registered with `atexit`.
    """
    idle_workers.clear()
    end_all(all_workers)


def _forget_workers() -> None:
    """Forget the workers in a forked process, as they are not its own, and close its copies of their pipes.

    While a copy is open, a worker does not notice that its parent has closed the pipe.
    """
    global _is_forked  # noqa: PLW0603  (a process is forked once and for all)
    _is_forked = _is_forked or bool(all_workers)
    for worker in all_workers:
        worker.pipe.close()
    all_workers.clear()
    idle_workers.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_workers)


def require_no_fork() -> None:
    """Raise WorkerError in a copy of a process that had workers."""
    if _is_forked:
        raise WorkerError(
            "n_jobs: this process was forked from one that has worker processes, and cannot start its own safely; give "
            'n_jobs=1, or start it anew, as multiprocessing.get_context("spawn") does'
        )
