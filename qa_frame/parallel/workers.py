"""Worker processes of this machine, which stay ready for the next call.

Each worker has a pipe of its own. Workers share no queue and no lock, and this process has no thread for them. So any
of them can be killed at any moment, in whatever it does, and nobody waits for it. They are killed at Ctrl-C, which they
do not notice themselves. They end by themselves when the process that started them has ended, in whatever way.

Only the start of a process is joblib's (loky's), as it works from notebooks and from scripts without a guard.
"""

from __future__ import annotations

import atexit
import collections
import contextlib
import multiprocessing
import multiprocessing.resource_tracker
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from multiprocessing.connection import wait
from typing import Any, TypeVar

from qa_frame.errors import WorkerError
from qa_frame.parallel.memory_files import MemoryFile, MemoryFiles
from qa_frame.parallel.parts import REMEDY, Feed, Outcome, attempt, to_bytes
from qa_frame.parallel.serving import FUNCTION, PART, SECONDS_BETWEEN_LOOKS, serve

T = TypeVar("T")
R = TypeVar("R")

_FILES_PER_WORKER = 4
"""Parts that are read and whose results nobody has taken yet. Each has a file in memory, then with its result."""

_GIVEN_AT_ONCE = 2
"""Parts that a worker has at once, so that it need not wait for its next one."""

_BYTES_AHEAD = 4096
"""So much fits into a pipe whose other end is not read. A worker that may itself be writing is sent no more."""

_SECONDS_TO_DIE = 10.0

_MOST_WORKERS = 60 if sys.platform == "win32" else 4096
"""Windows waits for no more pipes at once."""


def run_in_workers(
    function: Callable[[T], R], parts: Iterable[T], n_workers: int, env: Mapping[str, str]
) -> Generator[R, None, None]:
    """Yield the results of all parts in order, from worker processes. An error ends the work.

    Parts are read a few at a time, when a result is asked for. After an error of a part, others that have begun are
    brought to their end, and the workers stay ready. After Ctrl-C, or where the reader of results stops early, the
    workers are killed.

    Parameters
    ----------
    env
        Variables of the environment that workers get besides those of this process.

    Raises
    ------
    WorkerError
        Where a worker process died, or cannot be started or given the work.
    """
    _require_no_fork()
    n_workers = min(n_workers, _MOST_WORKERS)
    crew = _Crew(n_workers, _to_bytes(function), env)
    with MemoryFiles(_FILES_PER_WORKER * n_workers) as files:
        try:
            yield from _run(function, parts, crew, files)
            crew.dismiss()
        except WorkerError:
            crew.kill()
            raise
        except Exception:
            crew.finish()
            raise
        except BaseException:
            crew.kill()
            raise


def _run(function: Callable[[T], R], parts: Iterable[T], crew: _Crew, files: MemoryFiles) -> Generator[R, None, None]:
    parts_left = Feed(map(files.put, parts))
    sent: dict[int, Any] = {}  # by number: a part, or the file that holds it
    found: dict[int, Outcome] = {}
    n_sent = n_yielded = 0
    while True:
        while crew.n_open < _GIVEN_AT_ONCE * crew.n_most and n_sent - n_yielded < files.most:
            try:
                sent[n_sent] = next(parts_left)
            except StopIteration:
                break
            crew.add(n_sent, sent[n_sent])
            n_sent += 1
        if n_yielded == n_sent:
            break
        for number, answer in crew.work(is_waiting=n_yielded not in found):
            found[number] = _open_answer(function, sent.pop(number), answer, files)
        if n_yielded in found:
            n_yielded += 1
            yield found.pop(n_yielded - 1).get()
    if parts_left.error is not None:
        raise parts_left.error


def _open_answer(function: Callable[[T], R], part: Any, answer: Any, files: MemoryFiles) -> Outcome:
    """Return the outcome of a part. Its file is then free for another part."""
    if isinstance(answer, MemoryFile):
        answer = files.take(answer)
        if not isinstance(answer, Outcome):  # the part still: workers may not open files of this process
            files.are_shared = False
            answer = attempt(function, answer)
    elif isinstance(part, MemoryFile):
        files.free(part)
    outcome: Outcome = answer
    return outcome


def _to_bytes(value: Any) -> bytes:
    try:
        return to_bytes(value)
    except Exception as error:
        raise WorkerError(
            f"worker processes cannot be sent what they need: {type(error).__name__}: {error}. Give n_jobs=1 to work "
            "in this process"
        ) from error


# --- the workers of this process

_all: set[_Worker] = set()
"""All that this process has started and that have not ended."""

_idle: list[_Worker] = []
"""Those that no call uses. Calls in several threads take and give back, each at one stroke."""

_is_forked = False
"""Whether this process is a copy of one that had workers."""


class _Worker:
    """A worker process as this one sees it.

    Attributes
    ----------
    is_up
        Whether it has said that it is there, since this call has it.
    was_idle
        Whether it was there before this call. It may have ended by itself since.
    numbers
        The parts that it has been given and has not answered yet, in order.
    """

    def __init__(self, env: Mapping[str, str]) -> None:
        from joblib.externals.loky.backend import get_context  # noqa: PLC0415  (optional)

        self.env = dict(env)
        self.is_up = self.was_idle = False
        self.numbers: collections.deque[int] = collections.deque()
        self.pipe, self._theirs = multiprocessing.Pipe()
        is_main = threading.current_thread() is threading.main_thread()
        arguments = (self._theirs, os.getpid(), is_main)
        self.process = get_context("loky").Process(target=serve, args=arguments, env=self.env)

    def start(self) -> None:
        """Start the process. It says when it is there."""
        _all.add(self)
        with self._theirs, _holding_interrupts():
            self.process.start()

    def call(self) -> None:
        """Ask a worker that was idle whether it is there still, unless it has yet to say so anyway."""
        self.was_idle = True
        if self.is_up:
            self.is_up = False
            with contextlib.suppress(OSError):  # then its end is noticed when it is listened to
                self.pipe.send_bytes(b"")

    def end(self) -> None:
        """Kill it. `wait_for_end` comes later, so that many end at the same time."""
        self.pipe.close()
        if self.process.pid is not None and self.process.exitcode is None:
            with contextlib.suppress(OSError):  # it has just ended
                os.kill(self.process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))

    def wait_for_end(self) -> int | None:
        """Return its exit code."""
        if self.process.pid is not None:
            self.process.join(_SECONDS_TO_DIE)
        _all.discard(self)
        code: int | None = self.process.exitcode
        return code


class _Crew:
    """The workers of one call, and the parts that wait for them."""

    def __init__(self, n_most: int, function: bytes, env: Mapping[str, str]) -> None:
        self.n_most = n_most
        self._function = function
        self._env = dict(env)
        self._workers: list[_Worker] = []
        self._waiting: collections.deque[tuple[int, bytes]] = collections.deque()

    @property
    def n_open(self) -> int:
        """Parts that are not answered yet."""
        return len(self._waiting) + sum(len(worker.numbers) for worker in self._workers)

    def add(self, number: int, part: Any) -> None:
        """Take a part, which the next worker that is free gets."""
        self._waiting.append((number, _to_bytes(part)))

    def work(self, *, is_waiting: bool) -> list[tuple[int, Any]]:
        """Hand out parts. Return the answers that have come, with their numbers.

        is_waiting: whether to wait for one, or for news of a worker.
        """
        while len(self._workers) < min(self.n_most, self.n_open):
            self._hire()
        while self._waiting and (worker := self._find_worker(len(self._waiting[0][1]))) is not None:
            self._give(worker, *self._waiting.popleft())
        pipes: dict[Any, _Worker] = {
            worker.pipe: worker for worker in self._workers if worker.numbers or not worker.is_up
        }
        ready = wait(list(pipes), SECONDS_BETWEEN_LOOKS if is_waiting else 0)
        if not ready and is_waiting:  # what a function of the user's has started may hold a dead worker's pipe open
            ready = [pipe for pipe, worker in pipes.items() if worker.process.exitcode is not None]
        return [answer for pipe in ready for answer in self._listen(pipes[pipe])]

    def finish(self) -> None:
        """Bring to its end what workers have begun. Then nobody needs them."""
        self._waiting.clear()
        try:
            while any(worker.numbers for worker in self._workers):
                self.work(is_waiting=True)
        except WorkerError:
            self.kill()
        except BaseException:
            self.kill()
            raise
        self.dismiss()

    def dismiss(self) -> None:
        """Let the workers wait for another call."""
        _idle.extend(self._workers)
        self._workers.clear()

    def kill(self) -> None:
        """Kill the workers, and those that wait."""
        with contextlib.suppress(IndexError):
            while True:
                self._workers.append(_idle.pop())
        _end_all(self._workers)
        self._workers.clear()

    def _hire(self) -> None:
        """Take a worker that is idle, or start one."""
        for worker in _idle.copy():
            if worker.env == self._env:
                self._workers.append(worker)  # first of all: wherever Ctrl-C comes, no worker is forgotten
                try:
                    _idle.remove(worker)
                except ValueError:  # another thread has taken it
                    self._workers.pop()
                    continue
                worker.call()
                return
        try:
            self._workers.append(_Worker(self._env))
            self._workers[-1].start()
        except OSError as error:
            if self._workers and self._workers[-1].process.pid is None:
                self._lose(self._workers[-1])
            if not self._workers:
                raise WorkerError(f"no worker process can be started: {error}. {REMEDY}") from error
            self.n_most = len(self._workers)  # the system gives no more

    def _find_worker(self, n_bytes: int) -> _Worker | None:
        """The worker that is to get a part of this size; None where all have enough to do."""
        most = _GIVEN_AT_ONCE if n_bytes <= _BYTES_AHEAD else 1
        free = [worker for worker in self._workers if worker.is_up and len(worker.numbers) < most]
        return min(free, key=lambda worker: len(worker.numbers), default=None)

    def _give(self, worker: _Worker, number: int, part: bytes) -> None:
        worker.numbers.append(number)
        with contextlib.suppress(OSError):  # its end is noticed when it is listened to
            worker.pipe.send_bytes(PART + part)

    def _listen(self, worker: _Worker) -> Iterator[tuple[int, Any]]:
        """Yield the answer that a worker gives, with its number; nothing where it says that it is there."""
        try:
            if worker.process.exitcode is not None and not worker.pipe.poll():
                worker.pipe.close()  # nothing comes any more
            message = worker.pipe.recv_bytes()
            if not message:
                worker.is_up = True
                worker.pipe.send_bytes(FUNCTION + self._function)
                return
        except (EOFError, OSError) as error:
            code = self._lose(worker)
            if worker.was_idle and not worker.is_up:
                return
            raise WorkerError(f"the worker processes failed: one ended, with exit code {code}. {REMEDY}") from error
        yield worker.numbers.popleft(), pickle.loads(message)  # noqa: S301  (this package's own)

    def _lose(self, worker: _Worker) -> int | None:
        """Go on without a worker. Return its exit code."""
        worker.end()
        self._workers.remove(worker)
        return worker.wait_for_end()


@contextlib.contextmanager
def _holding_interrupts() -> Iterator[None]:
    """Ctrl-C comes after the block. A process that is started in it does not notice Ctrl-C."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from joblib.externals.loky.backend import resource_tracker  # noqa: PLC0415  (optional)

    for tracker in (resource_tracker, multiprocessing.resource_tracker):
        tracker.ensure_running()  # helpers of multiprocessing: their start would let interrupts through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_all(workers: Iterable[_Worker]) -> None:
    ended = list(workers)
    for worker in ended:
        worker.end()
    for worker in ended:
        worker.wait_for_end()


@atexit.register
def end_workers() -> None:
    """Kill all workers of this process. At its end multiprocessing would wait for them."""
    _idle.clear()
    _end_all(_all)


def _forget() -> None:
    """In a forked process: the workers are not its own. With its copies of pipes they would not notice their end."""
    global _is_forked  # noqa: PLW0603  (a process is forked once and for all)
    _is_forked = _is_forked or bool(_all)
    for worker in _all:
        worker.pipe.close()
    _all.clear()
    _idle.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _require_no_fork() -> None:
    if _is_forked:
        raise WorkerError(
            "n_jobs: this process was forked from one that has worker processes, and cannot start its own safely; give "
            'n_jobs=1, or start it anew, as multiprocessing.get_context("spawn") does'
        )
