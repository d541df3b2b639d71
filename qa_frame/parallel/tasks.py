"""The parts of parallel work, one after the other, and the outcome of each."""

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
"""The advice for a user where workers fail."""


class Outcome(NamedTuple):
    """A result, or an error in its place; `trace` says where it came up, if it is not about the user's data."""

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


def attempt(function: Callable[[T], R], part: T) -> Outcome:
    """Return the result of a part, or the error about the user's data."""
    try:
        return Outcome(function(part))
    except QaFrameError as error:
        return Outcome(None, error)


def attempt_each(parts: Iterable[Any]) -> Iterator[Outcome]:
    """Yield each part. An error of reading one comes last, as the results of earlier parts come first."""
    try:
        for part in parts:
            yield Outcome(part)
    except Exception as error:  # noqa: BLE001  (raised again by who reads the results)
        yield Outcome(None, error)


def to_bytes(value: Any) -> bytes:
    """Return bytes for `pickle.loads` in another process. Functions may be without a name that it knows."""
    from joblib.externals.loky.backend.reduction import dumps  # noqa: PLC0415  (optional)

    return bytes(dumps(value))
