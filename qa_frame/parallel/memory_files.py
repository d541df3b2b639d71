"""Files in memory through which large objects go to worker processes of this machine and back, where Linux has them.

A pipe takes 64 KB at a time, and both its ends wait for each other meanwhile. Here it carries the path of a file only.
The files belong to one process, and are gone when it ends in whatever way.
"""

from __future__ import annotations

import contextlib
import os
import pickle
from dataclasses import dataclass
from typing import Any, BinaryIO

CANNOT_WRITE = (OSError, pickle.PicklingError, AttributeError, TypeError)
"""What `write` raises where memory runs out, or for what pickle does not know, such as a function without a name."""


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A file in memory that a process holds open, as other processes of the same user can find it.

    Attributes
    ----------
    path
        Where it is found as long as it is open.
    identity
        What tells it from a file that has the same path later.
    """

    path: str
    identity: tuple[int, int]

    def open(self) -> BinaryIO:
        """Return a stream at the file's beginning, to read and write; OSError where it cannot be opened."""
        stream = open(self.path, "r+b")  # noqa: PTH123, SIM115  (the caller closes it)
        if _identity(stream.fileno()) == self.identity:
            return stream
        stream.close()
        raise FileNotFoundError(f"{self.path} is another file now")


class MemoryFiles(contextlib.AbstractContextManager["MemoryFiles"]):
    """Files in memory that this process holds open, until the end of a `with` statement.

    They are used again and again, as the system clears each page of a new file first.

    Attributes
    ----------
    most
        How many there may be.
    are_shared
        Whether other processes can open them.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.are_shared = hasattr(os, "memfd_create")
        self._descriptors: list[int] = []
        self._free: list[MemoryFile] = []

    def __exit__(self, *_: object) -> None:
        for descriptor in self._descriptors:
            os.close(descriptor)

    def put(self, value: Any) -> Any:
        """Return a file that holds the value, or the value itself where there is no file for it."""
        if not self.are_shared:
            return value
        try:
            file = self._free.pop() if self._free else self._make()
        except OSError:
            return value
        try:
            with file.open() as stream:
                write(value, stream)
        except CANNOT_WRITE:
            self.free(file)
            return value
        return file

    def take(self, file: MemoryFile) -> Any:
        """Return what the file holds. The file is then free for another value."""
        with file.open() as stream:
            value = read(stream)
        self.free(file)
        return value

    def free(self, file: MemoryFile) -> None:
        """Let the file be used for another value."""
        self._free.append(file)

    def _make(self) -> MemoryFile:
        if len(self._descriptors) >= self.most:
            raise OSError("as many files are open as may be")
        descriptor = os.memfd_create("qa_frame")
        self._descriptors.append(descriptor)
        return MemoryFile(f"/proc/{os.getpid()}/fd/{descriptor}", _identity(descriptor))


def read(stream: BinaryIO) -> Any:
    """Return the object that `write` has written here."""
    return pickle.load(stream)  # noqa: S301  (this package's own)


def write(value: Any, stream: BinaryIO) -> None:
    """Write an object at the stream's beginning."""
    stream.seek(0)
    pickle.dump(value, stream, protocol=5)


def _identity(descriptor: int) -> tuple[int, int]:
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino
