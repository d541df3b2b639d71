"""Files are opened here: decompressed, a line or a document at a time, and no record larger than is allowed."""

from __future__ import annotations

import contextlib
import functools
import gzip
import hashlib
import io
import os
import select
import shutil
import stat
import struct
import sys
import tempfile
import weakref
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeVar, cast

import pyarrow as pa

from qa_frame.checks import suggestion
from qa_frame.errors import ColumnNotFoundError, QaFrameError, ResultFileError, ResultFileWarning, plural, show, warn

BOM = b"\xef\xbb\xbf"
_BOMS_OF_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_GZIP, _ZSTD, _ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
_OF_TEXT = {".json", ".jsonl", ".ndjson", ".csv", ".tsv"}
_BYTES_AT_ONCE, _BUFFER_BYTES = 1 << 16, 1 << 18
_RECORD_BYTES, _RECORD_TIMES = 32 << 20, 20
"""A record may always have so many bytes, and so many times those of its file."""
_TIMES = 100
"""All of a file may become so many times its size. Texts become about ten times as much, and repeated ones more."""
_SMALLER = "with smaller records, as JSON Lines or Parquet"
_PATIENCE = 2.0
"""For how many seconds an empty pipe may wait for something to write into it."""


class Content(os.PathLike[str]):
    """A file that can be opened several times. The bytes of a pipe are kept in a temporary file for this.

    Parameters
    ----------
    path
        The file, or the pipe.

    Attributes
    ----------
    max_record_bytes
        How large a line, a row of CSV, a JSON document or a member of a zip may be in any file, decompressed.
    lone_surrogates
        The number of lone surrogates in each record that was read and has any, by its place.
    """

    max_record_bytes: int = 1 << 30

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lone_surrogates: dict[int | str, int] = {}
        self._copy: IO[bytes] | None = None

    def __fspath__(self) -> str:
        """Return the path to open: the file, or the copy of a pipe. Raise ResultFileError if it is neither."""
        if self._copy is None:
            mode = self.path.stat().st_mode
            if stat.S_ISREG(mode):
                return str(self.path)
            if not stat.S_ISFIFO(mode):
                raise ResultFileError.of("", f"{self.path} is neither a file nor a pipe", "give one of them")
            self._copy = _copy_of_pipe(self.path)
            weakref.finalize(self, self._copy.close)  # also where this is part of a cycle, in whatever order that ends
        return self._copy.name

    @functools.cached_property
    def n_bytes(self) -> int:
        """The size of the file as it is stored."""
        return os.stat(self).st_size  # noqa: PTH116  (of the copy of a pipe)

    @functools.cached_property
    def most_record_bytes(self) -> int:
        """The most bytes that a record of this file may have, decompressed.

        A small file with a larger record was made to fill the memory. A record takes up to 25 times as much in memory:
        an empty JSON list has two bytes, and 56 as an object.
        """
        return min(self.max_record_bytes, max(_RECORD_BYTES, _RECORD_TIMES * self.n_bytes))

    def too_large(self, what: str) -> ResultFileError:
        """Return the error for a record that is larger than is allowed.

        what: the record, such as "line 3"; "" for the file as a whole.
        """
        again = _SMALLER
        if self.most_record_bytes < self.max_record_bytes:
            again = f"without compression, as it has only {self.n_bytes:,} bytes, or {_SMALLER}"
        size = f"takes more than {self.most_record_bytes:,} bytes, the most that one record may have"
        return ResultFileError.of("", f"{self.path}{what and ', '}{what} {size}", f"write the file again {again}")

    def require_size(self, size: int, *, least: int = 128 << 20, unit: str = "bytes") -> None:
        """Raise ResultFileError if so much was read that the file was probably made to fill the memory.

        size: what was read so far. least: what any file may become; a large file may become 100 times its size. unit:
        the unit of both.
        """
        most = max(least, _TIMES * self.n_bytes)
        if size > most:
            becomes = f"becomes more than {most:,} {unit}, the most that a file of its size may"
            remedy = "if it is what you mean to read, write it again without compression, as JSON Lines"
            raise ResultFileError.of("", f"{self.path} has {self.n_bytes:,} bytes and {becomes}", remedy)

    def warn_of_surrogates(self) -> None:
        """Warn of the lone surrogates that were read, if there were any."""
        if self.lone_surrogates:
            first = next(iter(self.lone_surrogates))
            place = f"line {first}" if isinstance(first, int) else first
            n_lone, n_records = sum(self.lone_surrogates.values()), len(self.lone_surrogates)
            counted = f"{plural(n_lone, 'lone surrogate')} in {plural(n_records, 'record')} (first {place})"
            cut = "as half of an emoji that was cut is one: read as U+FFFD"
            warn(f"{self.path}: {counted}, {cut}", ResultFileWarning)

    def read(self, stream: Any, what: str = "") -> bytes:
        """Return all bytes of a stream. Raise ResultFileError if they are more than a record may have.

        what: how the error names the record, such as the member of a zip.
        """
        parts, n_bytes = [], 0
        while part := stream.read(_BYTES_AT_ONCE):
            parts.append(part)
            n_bytes += len(part)
            if n_bytes > self.most_record_bytes:
                raise self.too_large(what)
        return b"".join(parts)

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of the file as decompressed bytes with their line ends, without a byte order mark.

        Raise ResultFileError if a line or the whole file is larger than is allowed.
        """
        with open_binary(self) as stream:
            number, n_bytes, n_stored, most = 1, 0, self.n_bytes, self.most_record_bytes
            while line := stream.readline(most + 1):
                n_bytes += len(line)
                if len(line) > most:
                    raise self.too_large(f"line {number}")
                if n_bytes > n_stored:
                    self.require_size(n_bytes)
                yield line.removeprefix(BOM) if number == 1 else line
                number += 1


def _copy_of_pipe(path: Path) -> IO[bytes]:
    """Return a temporary file with all bytes of a pipe; closing it removes it.

    Raise ResultFileError if the pipe is empty and nothing writes into it.
    """
    # Without O_NONBLOCK, this would wait for ever where nobody writes.
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with open(handle, "rb", buffering=0) as pipe:  # noqa: PTH123  (it is open already)
        select.select([pipe], [], [], _PATIENCE)
        first = pipe.read(_BYTES_AT_ONCE)
        if first == b"":  # it is None if another process has it open but has not written yet
            remedy = "start what writes into it before, or give a file"
            raise ResultFileError.of("", f"{path} is a pipe that is empty, and nothing writes into it", remedy)
        os.set_blocking(handle, True)
        copy = tempfile.NamedTemporaryFile(prefix="qa_frame-")  # noqa: SIM115  (it is open as long as its Content)
        copy.write(first or b"")
        shutil.copyfileobj(pipe, copy)
        copy.flush()
    return copy


def open_binary(content: Content) -> BinaryIO:
    """Open a file to read bytes. It is decompressed if it is gzip, zstd or a zip of one text file.

    The caller checks the size of what it reads with `Content.require_size`.
    """
    path = os.fspath(content)
    with open(path, "rb") as stream:  # noqa: PTH123
        start = stream.read(4)
    if start.startswith(_GZIP):
        return io.BufferedReader(gzip.open(path, "rb"), _BUFFER_BYTES)
    if start == _ZSTD:
        return io.BufferedReader(pa.CompressedInputStream(path, "zstd"), _BUFFER_BYTES)
    if start == _ZIP and (only := _only_member(path)) is not None:
        return cast("BinaryIO", zipfile.ZipFile(path).open(only))
    return open(path, "rb")  # noqa: PTH123


def _only_member(path: str) -> zipfile.ZipInfo | None:
    """Return the one text file in a zip; None if the zip has other files, is damaged, or needs another decompressor."""
    with contextlib.suppress(OSError, ValueError, RuntimeError, struct.error, zipfile.BadZipFile):
        every = zipfile.ZipFile(path).infolist()
        members = [each for each in every if not each.is_dir() and not each.filename.startswith("__MACOSX/")]
        is_read = {each.compress_type for each in members} <= {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
        if len(members) == 1 and is_read and {*endings_of(members[0].filename)[-1:]} & _OF_TEXT:
            return members[0]
    return None


def endings_of(path: str | Path) -> list[str]:
    """Return the endings of a file's name in lower case, such as [".jsonl", ".gz"]."""
    return [ending.lower() for ending in Path(path).suffixes]


def digest_of(content: os.PathLike[str]) -> str:
    """Return the SHA-256 of a file's stored bytes as hexadecimal text."""
    digest = hashlib.sha256()
    with open(content, "rb") as file:  # noqa: PTH123
        while part := file.read(_BYTES_AT_ONCE):
            digest.update(part)
    return digest.hexdigest()


def is_utf_16(start: bytes) -> bool:
    """Return whether bytes begin with the byte order mark of UTF-16."""
    return start.startswith(_BOMS_OF_UTF_16)


# --- damage


class UnusableRecordError(Exception):
    """A record cannot become a row; the message says why. remedy: what mends the file, where that is known."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy: str = remedy


def not_utf8(error: UnicodeDecodeError) -> UnusableRecordError:
    """Return the error for a record whose bytes are not UTF-8."""
    again = "write the file again in UTF-8"
    if is_utf_16(error.object):
        return UnusableRecordError("is written in UTF-16", again)
    finding = f"is not UTF-8 (byte {error.start} is {error.object[error.start]:#04x})"
    return UnusableRecordError(finding, f"{again}, as `iconv -f cp1252 -t utf-8` does for most files of Windows")


class NameNotFoundError(UnusableRecordError):
    """A record has no value at the place that the caller named.

    argument: the argument as in messages, such as `pred='respons'`. name: the part of the place that is missing. names:
    the names that the record has there, or the type of a value without names.
    """

    def __init__(self, argument: str, name: str, names: Sequence[str] | str) -> None:
        super().__init__(f"{argument}: there is no {show(name)} in {names!s:.200}")
        self.argument: str = argument
        self.name: str = name
        self.names: Sequence[str] | str = names

    def of_file(self, path: Path) -> ColumnNotFoundError:
        """Return the error for a file in which no record has the place."""
        close = suggestion(self.name, self.names) if not isinstance(self.names, str) else "."
        finding = f"{path}: {self.argument} is in no record{close}"
        return ColumnNotFoundError(f"{finding} The first has {self.names!s:.200}; give one of these")


class UsualNameNotFoundError(NameNotFoundError):
    """A record of a plain table has no usual name of a column.

    argument: the argument by which the caller may name the column, such as "gold". name: the column.
    """

    def __str__(self) -> str:
        return f"has no {show(self.name)}, nor another usual name of it"

    def of_file(self, path: Path) -> ColumnNotFoundError:
        """Return the error for a file in which no record has a usual name of the column."""
        finding = f"{path}: no record has {show(self.name)} or another usual name of it"
        elsewhere = ", or give the file that has it as golds=" * (self.argument == "gold")
        remedy = f"name it with {self.argument}=..., where the first has {self.names!s:.200}{elsewhere}"
        return ColumnNotFoundError.of("", finding, remedy)


@contextlib.contextmanager
def damage_named(path: Path) -> Iterator[None]:
    """Turn the errors of damaged or unreadable files into ResultFileError, which names the file."""
    try:
        yield
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, pa.ArrowException) as error:
        raise ResultFileError(f"{path} cannot be read: {error}; it may have been cut off or be damaged") from error
    except MemoryError as error:
        finding = f"{path} cannot be read: memory does not hold one of its records"
        raise ResultFileError.of("", finding, f"write it again {_SMALLER}") from error


@contextlib.contextmanager
def errors_naming_file(path: Path) -> Iterator[None]:
    """Put the path of a file in front of the message of any QaFrameError, unless it begins with it already."""
    try:
        yield
    except QaFrameError as error:
        if str(error.args[0]).startswith(str(path)):
            raise
        raise type(error)(f"{path}: {error}") from error


# --- rows, lines or batches that follow each other, as many as memory is to hold at once


T = TypeVar("T")


def chunked(
    items: Iterable[T], size: Callable[[T], int], most_size: int, most_items: int = sys.maxsize
) -> Iterator[list[T]]:
    """Yield lists of consecutive items. Each has as many items as the limits allow, and at least one.

    Parameters
    ----------
    size
        Returns the size of an item, such as its bytes.
    most_size
        How much the sizes of the items of one list may add up to.
    most_items
        The most items of one list.
    """
    chunk: list[T] = []
    total = 0
    for item in items:
        own = size(item)
        if chunk and (total + own > most_size or len(chunk) == most_items):
            yield chunk
            chunk, total = [], 0
        chunk.append(item)
        total += own
    if chunk:
        yield chunk
