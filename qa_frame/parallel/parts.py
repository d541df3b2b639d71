"""What parallel work is made of: parts, one after the other, and what became of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from qa_frame.errors import QaFrameError

T = TypeVar("T")
R = TypeVar("R")

REMEDY = (
    "Nothing was changed. Memory may have run out, or a function of yours stands in a module that workers cannot "
    "import; give fewer processes, or n_jobs=1 to work in this one"
)
"""What a user can do where workers fail."""


class Feed(Iterator[T]):
    """The parts of some work, until they are used up, fail or are no longer wanted.

    An error is kept in `error`, as results of earlier parts come first. joblib reads parts in threads of its own, where
    it would be lost.
    """

    def __init__(self, parts: Iterable[T]) -> None:
        self.is_open = True
        self.error: Exception | None = None
        self._parts = iter(parts)

    def __next__(self) -> T:
        if self.is_open:
            try:
                return next(self._parts)
            except StopIteration:
                pass
            except Exception as error:  # noqa: BLE001  (raised again by who reads the results)
                self.error = error
            self.is_open = False
        raise StopIteration


class Outcome(NamedTuple):
    """A result, or the error that there is instead; `trace` says where, if the error is not about the user's data."""

    result: Any
    error: BaseException | None = None
    trace: str | None = None

    def get(self) -> Any:
        """Return the result, or raise the error."""
        if self.error is None:
            return self.result
        if self.trace is not None:
            self.error.__cause__ = _RemoteError(self.trace)
        raise self.error


class _RemoteError(Exception):
    """Shows where in a worker an error came up."""

    def __str__(self) -> str:
        return f"in a worker process:\n{self.args[0]}"


def attempt(function: Callable[[T], R], part: T) -> Outcome:
    """Return the result of a part, or the error about the user's data."""
    try:
        return Outcome(function(part))
    except QaFrameError as error:
        return Outcome(None, error)


def to_bytes(value: Any) -> bytes:
    """Return what `pickle.loads` reads in another process. It takes functions that have no name there, too."""
    from joblib.externals.loky.backend.reduction import dumps  # noqa: PLC0415  (optional)

    return bytes(dumps(value))
