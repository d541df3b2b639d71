"""The tasks of parallel work, the outcome of each, and the loop of a worker process.

A worker takes tasks from its pipe and answers each with its outcome. It ends by itself when the process that started it
has ended, in whatever way, or when nothing has come for a while.
"""

from __future__ import annotations

import contextlib
import faulthandler
import functools
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from qa_frame.errors import QaFrameError, WorkerError

REMEDY = (
    "Nothing was changed. Memory may have run out, or a function of yours stands in a module that workers cannot "
    "import; give fewer processes, or n_jobs=1 to work in this one"
)
"""The advice for a user where workers fail."""


class Outcome(NamedTuple):
    """The result of a task, or the error that came in its place.

    trace: where the error came up; None for errors about the user's data, and for an error of reading a task.
    """

    result: Any
    error: BaseException | None = None
    trace: str | None = None

    def get(self) -> Any:
        """Return the result, or raise the error."""
        if self.error is None:
            return self.result
        if self.trace is not None:
            self.error.__cause__ = RuntimeError(f"in a worker process:\n{self.trace}")
        raise self.error


def read_tasks(tasks: Iterable[Any]) -> Iterator[Outcome]:
    """Yield each task as the result of an `Outcome`. An error of reading tasks is the last outcome, and is not raised.

    So it comes after the results of all tasks that were read before it.
    """
    try:
        for task in tasks:
            yield Outcome(task)
    except Exception as error:  # noqa: BLE001  (raised again by who reads the results)
        yield Outcome(None, error)


def to_bytes(value: Any) -> bytes:
    """Return a value as bytes for `pickle.loads` in another process, also a function that has no name there."""
    from joblib.externals.loky.backend.reduction import dumps  # noqa: PLC0415  (optional)

    return bytes(dumps(value))


FUNCTION, TASK = b"f", b"p"
"""How a message begins that holds the function, or a task. An empty one asks whether the worker is there."""

SECONDS_BETWEEN_LOOKS = 1.0
"""How often a process looks whether another one is alive."""

_IDLE_SECONDS = 300.0
_PR_SET_PDEATHSIG = 1


def serve(pipe: Connection, parent: int, is_of_main_thread: bool) -> None:  # noqa: FBT001  (sent as a tuple)
    """Answer the tasks that come through the pipe, until none comes for a while or the other end is closed.

    parent: the id of the process that started this one. is_of_main_thread: whether its main thread did.
    """
    _ignore_interrupts()
    _end_with_parent(parent, is_of_main_thread=is_of_main_thread)
    with contextlib.suppress(Exception):  # a crash then shows where it happened, if there is a place to show it
        faulthandler.enable()
    with contextlib.suppress(EOFError, OSError):
        pipe.send_bytes(b"")
        load: Callable[[], Callable[[Any], Any]]
        while pipe.poll(_IDLE_SECONDS):
            message = pipe.recv_bytes()
            if message[:1] == FUNCTION:
                load = functools.lru_cache(functools.partial(_load_function, message[1:]))
            else:
                pipe.send_bytes(_answer_task(load, message[1:]) if message else b"")


def _ignore_interrupts() -> None:
    """Ignore Ctrl-C in this process. The process that started it ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _end_with_parent(parent: int, *, is_of_main_thread: bool) -> None:
    """End this process when its parent ends, whatever this process does at that moment.

    On Linux the system does this, even while a regular expression keeps the interpreter to itself. It would do so at
    the end of the thread that started this process, too, so that it is not asked where that may end first.
    """
    threading.Thread(target=_end_when_parent_ends, args=(parent,), daemon=True, name="qa_frame_watch").start()
    if is_of_main_thread and sys.platform == "linux":
        import ctypes  # noqa: PLC0415  (not every Python has it)

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _end_when_parent_ends(parent: int) -> None:
    """Wait until the process that started this one has ended, and then end, too."""
    if sys.platform == "win32":
        of_parent = multiprocessing.parent_process()
        if of_parent is None:
            return
        of_parent.join()
    else:
        while os.getppid() == parent:
            time.sleep(SECONDS_BETWEEN_LOOKS)
    os._exit(1)


def _load_function(function: bytes) -> Callable[[Any], Any]:
    """Return the function that a worker calls, from its bytes; WorkerError where it cannot be loaded."""
    try:
        loaded: Callable[[Any], Any] = pickle.loads(function)  # noqa: S301  (this package's own)
    except Exception as error:
        raise WorkerError(
            f"a worker process cannot load what it is to do: {type(error).__name__}: {error}. {REMEDY}"
        ) from error
    return loaded


def _answer_task(load: Callable[[], Callable[[Any], Any]], task: bytes) -> bytes:
    """Return the bytes of the `Outcome` of a task.

    load: gives the function that is called with the task. task: its bytes.
    """
    try:
        return to_bytes(Outcome(load()(pickle.loads(task))))  # noqa: S301  (this package's own)
    except BaseException as error:  # noqa: BLE001  (raised again by who reads the results)
        trace = None if isinstance(error, QaFrameError) else traceback.format_exc()
        try:
            pickle.loads(to_bytes(error))  # noqa: S301
        except Exception:  # noqa: BLE001  (an error of the user's that cannot travel)
            error = RuntimeError(f"{type(error).__name__}: {error}")
        return to_bytes(Outcome(None, error, trace))
