"""A file that appears under its name when it is complete, or not at all."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
import shutil
import sys
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, final

from qa_frame.errors import QaFrameError, ResultWriteError

try:
    import fcntl
except ImportError:  # Windows, where no open file can be removed
    fcntl = None  # type: ignore[assignment]

_FULL = {errno.ENOSPC, errno.EDQUOT}
_OPEN_FILE = re.compile(r"/dev/(?P<name>stdout|stderr)|(?:/dev/fd|/proc/self/fd)/(?P<number>\d+)")
_LONGEST_NAME = 200
"""The most bytes of a name. File systems take 255, and a part has a longer name than its file."""


@final
class Replacement:
    """Write a new file beside `path`, the part, and rename it to `path` when all is written.

    A run that is killed leaves its part, which the next run removes. A lock shows that the run of a part still goes on.

    Parameters
    ----------
    path
        The final name. Its folder is made where it is missing. If it is a link, the file behind it is replaced.
    looks_for_parts
        Whether parts that killed runs have left of this file are looked for. Where many files are written, a call of
        `remove_left_parts` for all of them lists a folder once, and not for each of them.

    Attributes
    ----------
    part
        The path of the file that gets the final name.
    stream
        The open part, to write bytes.
    """

    def __init__(self, path: Path, *, looks_for_parts: bool = True) -> None:
        self.path = path
        with self.naming_the_file():
            self._final = real_path(path)
            folder, name = self._final.parent, shorten_name(self._final.name)
            folder.mkdir(parents=True, exist_ok=True)
            if looks_for_parts:
                remove_left_parts([path])
            self._open_part(folder, name)

    def _open_part(self, folder: Path, name: str) -> None:
        """Open a new part in the folder, and lock it. Open another one if another run removes it before that."""
        while True:
            self.part: Path = folder / f".{name}.{secrets.token_hex(4)}.part"
            # Wherever Ctrl-C comes, the part is removed, at the latest when Python ends.
            weakref.finalize(self, _remove_own, self.part, os.getpid())
            self.stream: BinaryIO = self.part.open("xb")
            if _lock(self.stream) and self.part.exists():
                return
            self.discard()

    def __enter__(self) -> Replacement:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            if kind is None:
                self.commit()
        finally:
            self.discard()

    def commit(self) -> None:
        """Give the part the final name, so that it replaces a file of this name. ResultWriteError if that fails."""
        with self.naming_the_file():
            self.stream.flush()
            os.fsync(self.stream.fileno())
            if fcntl is None:
                self.stream.close()  # Windows renames no open file
            self.part.replace(self._final)
            self.stream.close()

    def discard(self) -> None:
        """Close and remove the part, unless it has got the final name."""
        with contextlib.suppress(OSError):  # a full disk refuses the bytes that are still in memory
            self.stream.close()
        _remove_own(self.part, os.getpid())

    def naming_the_file(self) -> contextlib.AbstractContextManager[None]:
        """Return a context that turns an OSError into a ResultWriteError that names the file."""
        return naming_what_is_written(self.path)


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the path of a new file beside `path`. At the end of the block it replaces `path`, but not after an error.

    Where `path` is a stream (see `is_stream`), the bytes of the new file are written into the stream at the end.
    """
    target = Path(path)
    with naming_what_is_written(target):
        if is_stream(target):
            with tempfile.TemporaryDirectory(prefix="qa_frame-") as folder:  # a pipe cannot be sought, as Parquet is
                yield (part := Path(folder, "part"))
                with part.open("rb") as written, _open_stream(target) as stream:
                    shutil.copyfileobj(written, stream)
            return
        with Replacement(target) as replacement:
            yield replacement.part


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Return whether this is a pipe, a device, or an open file by its number, such as /dev/stdout: none is replaced."""
    if not os.path.exists(path):  # noqa: PTH110  (False for a name that is too long)
        return False
    return _OPEN_FILE.fullmatch(os.fspath(path)) is not None or not (os.path.isfile(path) or os.path.isdir(path))  # noqa: PTH112, PTH113


def _open_stream(path: Path) -> BinaryIO:
    """Open a stream to write bytes. An open file, as /dev/stdout, is written on from where it is."""
    is_open_file = _OPEN_FILE.fullmatch(os.fspath(path))
    if is_open_file is None:
        return path.open("wb")
    for each in (sys.stdout, sys.stderr):
        each.flush()
    number = is_open_file["number"] or {"stdout": "1", "stderr": "2"}[is_open_file["name"]]
    return os.fdopen(os.dup(int(number)), "wb")


@contextlib.contextmanager
def naming_what_is_written(what: Path | str, remedy: str = "") -> Iterator[None]:
    """Turn an OSError inside into a ResultWriteError that names the file.

    Errors of this package stay as they are, and so does a BrokenPipeError: that nobody reads a pipe is no fault.

    what: the path, or a text for the message. remedy: what to do, if not to free space or choose another destination.
    """
    try:
        yield
    except (BrokenPipeError, QaFrameError):
        raise
    except OSError as error:
        choose = "Free some space or choose" if error.errno in _FULL else "Choose"
        usual = f"nothing is left of it. {choose} another destination, and call again: what is complete is kept"
        is_below_file = isinstance(error, FileExistsError | NotADirectoryError)
        why = "a file stands where it needs a folder" if is_below_file else error.strerror or error
        finding = f"{what} cannot be written: {why}"
        raise ResultWriteError.of("", finding, remedy or usual) from error


def remove_left_parts(paths: Iterable[Path]) -> None:
    """Remove the parts of these files that killed runs have left. Each folder is listed once."""
    finals = {(each.parent, shorten_name(each.name)) for each in map(real_path, paths)}
    for folder in {folder for folder, _ in finals}:
        for part in folder.glob(".*.part"):
            if (folder, part.name[1:].rsplit(".", 2)[0]) in finals:
                _remove_if_left(part)


def real_path(path: Path) -> Path:
    """Return the path without links. OSError if links go round in a circle."""
    real = Path(os.path.realpath(path))
    if real.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return real


def shorten_name(name: str) -> str:
    """Return a file name of at most `_LONGEST_NAME` bytes: the same, or its beginning and a digest of all of it."""
    raw = os.fsencode(name)
    return name if len(raw) <= _LONGEST_NAME else f"{name[:40]}~{hashlib.sha256(raw).hexdigest()[:16]}"


def _lock(stream: BinaryIO) -> bool:
    """Lock the open part that is being written. Return False where another run has locked it to remove it.

    Return True, too, where there are no locks: on Windows and on some file systems.
    """
    if fcntl is not None:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # some file systems have no locks
            pass
    return True


def _remove_own(part: Path, pid: int) -> None:
    """Remove a part, if this is the process `pid`, which has made it, and not a fork of that."""
    if os.getpid() == pid:
        with contextlib.suppress(OSError):
            part.unlink()


def _remove_if_left(part: Path) -> None:
    """Remove a part that a killed run has left. It stays if another run has locked it, or if it cannot be locked.

    On Windows, which has no such locks, the system does not remove a part that is open.
    """
    with contextlib.suppress(OSError), contextlib.ExitStack() as stack:  # it is locked, or another run has removed it
        if fcntl is not None:
            fcntl.flock(stack.enter_context(part.open("rb")), fcntl.LOCK_EX | fcntl.LOCK_NB)
        part.unlink()  # while it is locked: else its run could lock it in between, and write into nothing
