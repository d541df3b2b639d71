"""Files are opened here: decompressed, a line or a document at a time, and no record larger than is allowed."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import os
import shutil
import stat
import struct
import tempfile
import weakref
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO, cast

import pyarrow as pa

from qa_frame.errors import QaFrameError, ResultFileError

BOM = b"\xef\xbb\xbf"
_GZIP, _ZSTD, _ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
_OF_TEXT = {".json", ".jsonl", ".ndjson", ".csv", ".tsv"}
_BYTES_AT_ONCE = 1 << 16


class Content(os.PathLike[str]):
    """A file that can be opened as often as is needed. The bytes of a pipe are kept in a temporary file for this.

    Parameters
    ----------
    path
        The file, or the pipe.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._copy: IO[bytes] | None = None

    def __fspath__(self) -> str:
        if self._copy is None:
            mode = self.path.stat().st_mode
            if stat.S_ISREG(mode):
                return str(self.path)
            if not stat.S_ISFIFO(mode):
                raise ResultFileError(f"{self.path} is neither a file nor a pipe; give one of them")
            self._copy = _copy_of_pipe(self.path)
            weakref.finalize(self, self._copy.close)  # also where this is part of a cycle, in whatever order that ends
        return self._copy.name

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of the file, decompressed, without the mark that may stand before the first; one at least."""
        with open_binary(self) as stream:
            yield stream.readline().removeprefix(BOM)
            yield from stream


def _copy_of_pipe(path: Path) -> IO[bytes]:
    """Return a temporary file with all bytes of the pipe. It is removed when it is closed."""
    with path.open("rb") as pipe:
        copy = tempfile.NamedTemporaryFile(prefix="qa_frame-")  # noqa: SIM115  (it is open as long as its Content)
        shutil.copyfileobj(pipe, copy)
        copy.flush()
    return copy


def open_binary(content: os.PathLike[str]) -> BinaryIO:
    """Open a file to read bytes, and decompress gzip, zstd and a zip of one file on the way."""
    path = os.fspath(content)
    with open(path, "rb") as stream:  # noqa: PTH123
        start = stream.read(4)
    if start.startswith(_GZIP):
        return cast("BinaryIO", gzip.open(path, "rb"))
    if start == _ZSTD:
        return cast("BinaryIO", io.BufferedReader(pa.CompressedInputStream(path, "zstd"), 1 << 20))
    if start == _ZIP and (only := _only_member(path)) is not None:
        return cast("BinaryIO", zipfile.ZipFile(path).open(only))
    return open(path, "rb")  # noqa: PTH123


def _only_member(path: str) -> zipfile.ZipInfo | None:
    """Return the one file of text in a zip; None where it has others, or where the zip is damaged."""
    with contextlib.suppress(OSError, ValueError, RuntimeError, struct.error, zipfile.BadZipFile):
        every = zipfile.ZipFile(path).infolist()
        members = [each for each in every if not each.is_dir() and not each.filename.startswith("__MACOSX/")]
        is_read = {each.compress_type for each in members} <= {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
        if len(members) == 1 and is_read and {*endings_of(members[0].filename)[-1:]} & _OF_TEXT:
            return members[0]
    return None


def endings_of(path: str | Path) -> list[str]:
    """Return the endings of a name, in lower case."""
    return [ending.lower() for ending in Path(path).suffixes]


def digest_of(content: os.PathLike[str]) -> str:
    """Return the SHA-256 of the bytes of a file, as they are stored."""
    digest = hashlib.sha256()
    with open(content, "rb") as file:  # noqa: PTH123
        while part := file.read(_BYTES_AT_ONCE):
            digest.update(part)
    return digest.hexdigest()


# --- damage


class UnusableRecordError(Exception):
    """A record cannot become a row; the message says why. remedy: what mends the file, where that is known."""

    remedy: str = ""


class NotUtf8Error(UnusableRecordError):
    """The bytes of a record are not UTF-8."""

    remedy: str = (
        "write the file again in UTF-8, as `iconv -f cp1252 -t utf-8` does for most files of Windows, and `iconv -f "
        "utf-16 -t utf-8` for those whose first byte is 0xff"
    )

    def __init__(self, error: UnicodeDecodeError) -> None:
        super().__init__(f"is not UTF-8 (byte {error.start} is {error.object[error.start]:#04x})")


class NameNotFoundError(UnusableRecordError):
    """A record has no value of a name. in_no_record: what is said of a file where no record has it."""

    def __init__(self, said: str, in_no_record: str) -> None:
        super().__init__(said)
        self.in_no_record: str = in_no_record


@contextlib.contextmanager
def damage_named(path: Path) -> Iterator[None]:
    """Raise ResultFileError, with the file's name, where a file cannot be read or is damaged."""
    try:
        yield
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, pa.ArrowException) as error:
        raise ResultFileError(f"{path} cannot be read: {error}; it may have been cut off or be damaged") from error
    except MemoryError as error:
        raise ResultFileError(
            f"{path} cannot be read: memory does not hold one of its records; write it again "
            "with smaller records, as JSON Lines or Parquet"
        ) from error


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Put the file's name in front of the message of an error of this package."""
    try:
        yield
    except QaFrameError as error:
        if str(error.args[0]).startswith(str(path)):
            raise
        raise type(error)(f"{path}: {error}") from error
