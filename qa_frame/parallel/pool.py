"""The work of one call in worker processes: which worker gets which task, and the results in order.

Each worker has a pipe of its own. Workers share no queue and no lock, and this process has no thread for them.
"""

from __future__ import annotations

import collections
import contextlib
import math
import pickle
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from multiprocessing.connection import wait
from typing import Any, TypeVar

from qa_frame.errors import WorkerError
from qa_frame.parallel.worker_main import FUNCTION, REMEDY, SECONDS_BETWEEN_LOOKS, TASK, Outcome, read_tasks, to_bytes
from qa_frame.parallel.workers import Worker, end_all, holding_interrupts, idle_workers, require_no_fork

T = TypeVar("T")
R = TypeVar("R")

_TASKS_PER_WORKER = 4
"""Tasks that are read and whose results nobody has taken yet."""

_OPEN_PER_WORKER = 2
"""Tasks that are read and not answered yet: one that the worker has, and one that is ready for it."""

_MOST_WORKERS = 60 if sys.platform == "win32" else 4096
"""Windows waits for no more pipes at once."""

SECONDS_TO_START = 120.0
"""What a worker's first task may take longer than its limit, as the worker imports what it needs."""


def run_in_workers(
    function: Callable[[T], R], tasks: Iterable[T], n_workers: int, *, seconds: float = math.inf
) -> Generator[R, None, None]:
    """Yield the result of `function` for each task, in order, from worker processes. An error ends the work.

    Tasks are read a few at a time, when a result is asked for. The workers stay ready for the next call. After an error
    or Ctrl-C, or where the reader of results stops early, they are killed.

    Parameters
    ----------
    seconds
        How long a task may take. Where there is a limit, the result of a task that takes longer, or that ends its
        worker, is None. So the function itself should not return None.

    Raises
    ------
    WorkerError
        If a worker process died, or cannot be started or given the work.
    """
    require_no_fork()
    with holding_interrupts():  # a module whose import is broken off would stay incomplete
        from joblib.externals.loky.backend import context, reduction  # noqa: F401, PLC0415  (optional)
    workers_pool = _WorkerPool(min(n_workers, _MOST_WORKERS), _to_bytes(function), seconds)
    try:
        yield from _hand_out_and_collect(tasks, workers_pool)
        workers_pool.dismiss()
    except BaseException:
        workers_pool.kill()
        raise


def _hand_out_and_collect(tasks: Iterable[Any], workers_pool: _WorkerPool) -> Generator[Any, None, None]:
    """Yield the results in order; read tasks and hand them out as long as workers are free."""
    most_ahead = _TASKS_PER_WORKER * workers_pool.n_most
    tasks_left = read_tasks(tasks)
    outcomes: dict[int, Outcome] = {}
    n_read = n_yielded = 0
    while True:
        while workers_pool.n_open < _OPEN_PER_WORKER * workers_pool.n_most and n_read - n_yielded < most_ahead:
            task = next(tasks_left, None)
            if task is None:
                break
            if task.error is None:
                workers_pool.add(n_read, task.result)
            else:
                outcomes[n_read] = task
            n_read += 1
        if n_yielded == n_read:
            return
        outcomes.update(workers_pool.work(is_waiting=n_yielded not in outcomes))
        if n_yielded in outcomes:
            n_yielded += 1
            yield outcomes.pop(n_yielded - 1).get()


def _to_bytes(value: Any) -> bytes:
    """Return the bytes of what a worker is sent; WorkerError where it cannot be pickled."""
    try:
        return to_bytes(value)
    except Exception as error:
        raise WorkerError(
            f"worker processes cannot be sent what they need: {type(error).__name__}: {error}. Give n_jobs=1 to work "
            "in this process"
        ) from error


class _WorkerPool:
    """The workers of one call, and the tasks that wait for them.

    Parameters
    ----------
    n_most
        The number of workers at most.
    function
        The bytes of the function that workers call.
    seconds
        How long a task may take.
    """

    def __init__(self, n_most: int, function: bytes, seconds: float) -> None:
        self.n_most = n_most
        self._function = function
        self._seconds = seconds
        self._workers: list[Worker] = []
        self._waiting: collections.deque[tuple[int, bytes]] = collections.deque()

    @property
    def n_open(self) -> int:
        """The number of tasks that are not answered yet."""
        return len(self._waiting) + sum(worker.number is not None for worker in self._workers)

    def add(self, number: int, task: Any) -> None:
        """Take a task, which the next worker that is free gets. number: its place among all tasks."""
        self._waiting.append((number, _to_bytes(task)))

    def work(self, *, is_waiting: bool) -> list[tuple[int, Outcome]]:
        """Hand out tasks, and return the outcomes that have come, each with the number of its task.

        is_waiting: whether to wait until an outcome comes, a worker starts or ends, or some time has passed.
        """
        while len(self._workers) < min(self.n_most, self.n_open):
            self._hire()
        # A worker has one task at most. Given another while it answers, both ends of the pipe could wait for ever.
        free = [worker for worker in self._workers if worker.is_up and worker.number is None]
        for worker in free[: len(self._waiting)]:
            self._send_task(worker, *self._waiting.popleft())
        pipes: dict[Any, Worker] = {
            worker.pipe: worker for worker in self._workers if worker.number is not None or not worker.is_up
        }
        left = min((worker.ends_at for worker in pipes.values()), default=math.inf) - time.monotonic()
        ready = wait(list(pipes), max(0.0, min(SECONDS_BETWEEN_LOOKS, left)) if is_waiting else 0)
        if not ready and is_waiting:  # a process that a user's function has started may hold a dead worker's pipe open
            ready = [pipe for pipe, worker in pipes.items() if worker.process.exitcode is not None]
        late = [pipe for pipe, worker in pipes.items() if worker.ends_at <= time.monotonic() and pipe not in ready]
        for pipe in late:
            pipes[pipe].end()
        return [answer for pipe in (*ready, *late) for answer in self._listen(pipes[pipe])]

    def dismiss(self) -> None:
        """Keep the workers idle for another call."""
        idle_workers.extend(self._workers)
        self._workers.clear()

    def kill(self) -> None:
        """Kill the workers of this call and the idle ones."""
        with contextlib.suppress(IndexError):
            while True:
                self._workers.append(idle_workers.pop())
        end_all(self._workers)
        self._workers.clear()

    def _hire(self) -> None:
        """Take an idle worker, or start one. If none can be started, go on with those that the call has.

        WorkerError if it has none.
        """
        for worker in idle_workers.copy():
            self._workers.append(worker)  # first of all: wherever Ctrl-C comes, no worker is forgotten
            try:
                idle_workers.remove(worker)
            except ValueError:  # another thread has taken it
                self._workers.pop()
                continue
            worker.ask()
            return
        try:
            self._workers.append(Worker())
            self._workers[-1].start()
        except OSError as error:
            if self._workers and self._workers[-1].process.pid is None:
                self._drop_worker(self._workers[-1])
            if not self._workers:
                raise WorkerError(f"no worker process can be started: {error}. {REMEDY}") from error
            self.n_most = len(self._workers)  # the system gives no more

    def _send_task(self, worker: Worker, number: int, task: bytes) -> None:
        """Send a task to a worker, and note when it must have answered."""
        worker.number = number
        worker.ends_at = time.monotonic() + self._seconds + SECONDS_TO_START * (not worker.has_answered)
        with contextlib.suppress(OSError):  # its end is noticed when it is listened to
            worker.pipe.send_bytes(TASK + task)

    def _listen(self, worker: Worker) -> Iterator[tuple[int, Outcome]]:
        """Read what a worker has sent. Yield the number of its task and the outcome, if it is an outcome.

        A worker that says that it is there is sent the function. A worker that has ended is dropped. Its task has the
        result None if there is a time limit, else WorkerError is raised. An idle worker may have ended by itself.
        """
        try:
            if worker.process.exitcode is not None and not worker.pipe.poll():
                worker.pipe.close()  # nothing comes any more
            message = worker.pipe.recv_bytes()
            if not message:
                worker.is_up = True
                worker.pipe.send_bytes(FUNCTION + self._function)
                return
        except (EOFError, OSError) as error:
            code = self._drop_worker(worker)
            if worker.was_idle and not worker.is_up:
                return
            if worker.number is not None and self._seconds < math.inf:
                yield worker.number, Outcome(None)
                return
            raise WorkerError(f"the worker processes failed: one ended, with exit code {code}. {REMEDY}") from error
        number, worker.number = worker.number, None
        worker.ends_at, worker.has_answered = math.inf, True
        if number is not None:
            yield number, pickle.loads(message)  # noqa: S301  (this package's own)

    def _drop_worker(self, worker: Worker) -> int | None:
        """End a worker, and go on without it. Return its exit code."""
        worker.end()
        self._workers.remove(worker)
        return worker.wait_for_end()
