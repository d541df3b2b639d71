"""One result file → its records, one after the other: JSON lines, a JSON document, CSV, Parquet, Arrow, or a zip.

What a file is, is read from its first bytes. Only a single JSON document is held in memory as a whole.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

import pyarrow as pa

from qa_frame.errors import ResultFileError
from qa_frame.files.streams.pieces import ROWS_DECODED_AT_ONCE, gathered

Container = Literal["jsonl", "json", "csv", "tsv", "parquet", "arrow", "zip"]
Place = int | str
"""Where a record stands: a line or a number counted from 1, or the name of a part of the file."""

_MAGIC: dict[bytes, Container] = {b"PK\x03\x04": "zip", b"PK\x05\x06": "zip", b"PAR1": "parquet", b"ARRO": "arrow"}
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_BOM, _BOMS_OF_UTF_16 = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")
_DOCUMENT_STARTS = {b"{", b"[", b"[{"}
"""What the first line of a JSON document is that was written with an indent."""

_ROWS_A_BATCH, _BYTES_A_BATCH = 1024, 1 << 23


class UnusableRecordError(Exception):
    """A record cannot become a row; the message says why."""


class ResultFile:
    """A result file that was found, and what is wrong with its records.

    Parameters
    ----------
    path
        The file.
    on_bad_lines
        `"error"`, `"warn"` or `"skip"`: whether `reject` raises, or counts.
    """

    def __init__(self, path: Path, on_bad_lines: str = "error") -> None:
        self.path = path
        self.n_rejected = 0
        self.first_rejected = ""
        self.remarks: list[str] = []
        self._raises = on_bad_lines == "error"
        with damage_named(path):
            self.container: Container = _find_container(path)

    def reject(self, place: Place, reason: object) -> None:
        """Count a record that cannot be read, or raise ResultFileError."""
        where = place if isinstance(place, str) else f"{_UNITS[self.container]} {place}"
        if self._raises:
            raise ResultFileError(
                f"{self.path}, {where}: {reason}; give on_bad_lines='warn' to leave out and count such records"
            )
        self.n_rejected += 1
        self.first_rejected = self.first_rejected or f"{where}: {reason}"

    def records(self) -> Iterator[tuple[Place, Any]]:
        """Each record and its place; a JSON document that is no list is one record."""
        with damage_named(self.path):
            if self.container == "jsonl":
                yield from self._json_lines()
            elif self.container == "json":
                document = self.document
                yield from enumerate(document if isinstance(document, list) else [document], 1)
            elif self.container in {"csv", "tsv"}:
                yield from self._csv_rows()
            else:
                rows = (row for batch in self.batches() for row in batch.to_pylist())
                yield from enumerate(rows, 1)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The batches of a Parquet or Arrow file."""
        with damage_named(self.path):
            if self.container == "parquet":
                import pyarrow.parquet as pq  # noqa: PLC0415  (slow to import)

                with pq.ParquetFile(self.path) as file:
                    batches = file.iter_batches(batch_size=ROWS_DECODED_AT_ONCE)
                    for some in gathered(batches, most_rows=_ROWS_A_BATCH, most_bytes=_BYTES_A_BATCH):
                        yield from pa.Table.from_batches(some).combine_chunks().to_batches()
            else:
                with pa.ipc.open_file(str(self.path)) as file:
                    for number in range(file.num_record_batches):
                        batch = file.get_batch(number)
                        batch.validate(full=True)  # Arrow trusts the offsets in such a file.
                        for start in range(0, len(batch), ROWS_DECODED_AT_ONCE):
                            yield batch.slice(start, ROWS_DECODED_AT_ONCE)

    @cached_property
    def document(self) -> Any:
        """The JSON document that the file is, as a whole."""
        with damage_named(self.path), open_binary(self.path) as stream:
            content = stream.read().removeprefix(_BOM)
        try:
            return json.loads(content.decode())
        except (ValueError, RecursionError) as error:
            raise ResultFileError(f"{self.path}: {why_not_json(error)}; write the file again") from error

    @cached_property
    def first(self) -> Any:
        """The first record that can be read, or the JSON document; None if there is none, or the file is a zip."""
        if self.container == "zip":
            return None
        if self.container == "json":
            document = self.document
            return document[0] if isinstance(document, list) and document else document
        trial = ResultFile(self.path, "skip")
        for _, record in trial.records():
            return record
        if trial.n_rejected:
            raise ResultFileError(f"{self.path}, {trial.first_rejected}; no record of the file can be read")
        return None

    @property
    def names(self) -> frozenset[str]:
        """The names of the first record's values."""
        return frozenset(self.first) if isinstance(self.first, Mapping) else frozenset()

    def _json_lines(self) -> Iterator[tuple[int, Any]]:
        loads = json.loads
        with open_binary(self.path) as stream:
            for number, raw in enumerate(stream, 1):
                line = raw.removeprefix(_BOM) if number == 1 else raw
                try:
                    record = loads(line.decode())
                except (ValueError, RecursionError) as error:
                    if line.strip():
                        cut = "" if line.endswith(b"\n") else "; the file ends here, it may have been cut off"
                        self.reject(number, why_not_json(error) + cut)
                    continue
                if isinstance(record, dict):
                    yield number, record
                else:
                    self.reject(number, f"is a JSON {type(record).__name__}, where an object is needed")

    def _csv_rows(self) -> Iterator[tuple[int, dict[str, str | None]]]:
        """Each row as a dict; an empty field is null. Bytes that are not UTF-8 become lone surrogates, found later."""
        delimiter = "," if self.container == "csv" else "\t"
        limit = csv.field_size_limit(2**31 - 1)
        try:
            with open_binary(self.path) as stream:
                text = io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="")
                reader = csv.reader(text, delimiter=delimiter, strict=True)
                header = next(reader)
                _require_distinct(header, self.path)
                while (fields := self._next_row(reader)) is not None:
                    if len(fields) == len(header):
                        yield reader.line_num, {name: field or None for name, field in zip(header, fields, strict=True)}
                    elif fields:
                        found = f"has {len(fields)} fields, where the header has {len(header)}"
                        self.reject(reader.line_num, found)
        finally:
            csv.field_size_limit(limit)

    def _next_row(self, reader: Any) -> list[str] | None:
        """The next row that is CSV, or None at the end."""
        while True:
            try:
                return cast("list[str] | None", next(reader, None))
            except csv.Error as error:  # noqa: PERF203  (each row may be damaged on its own)
                self.reject(reader.line_num, f"is not valid CSV ({error})")


_UNITS = {"jsonl": "line", "json": "record", "csv": "line", "tsv": "line", "parquet": "row", "arrow": "row", "zip": ""}


def open_binary(path: Path) -> BinaryIO:
    """Open a file to read bytes; one that gzip or zstd compressed is decompressed on the way."""
    with path.open("rb") as stream:
        start = stream.read(4)
    if start.startswith(_GZIP):
        return cast("BinaryIO", gzip.open(path, "rb"))
    if start == _ZSTD:
        return cast("BinaryIO", io.BufferedReader(pa.CompressedInputStream(str(path), "zstd"), 1 << 20))
    return path.open("rb")


def _find_container(path: Path) -> Container:
    with open_binary(path) as stream:
        start = stream.read(4)
    if start in _MAGIC:
        return _MAGIC[start]
    if start.startswith(_BOMS_OF_UTF_16):
        raise ResultFileError(f"{path} is written in UTF-16; write it again in UTF-8")
    with open_binary(path) as stream:
        line = next((line for line in stream if line.removeprefix(_BOM).strip()), None)
    if line is None:
        raise ResultFileError(f"{path} is empty: the run that should have written it may have failed")
    return _container_of_text(path, line.removeprefix(_BOM).strip())


def _container_of_text(path: Path, first_line: bytes) -> Container:
    if first_line.startswith(b"version https://git-lfs"):
        raise ResultFileError(f"{path} is a pointer of Git LFS and not the file itself; fetch that with: git lfs pull")
    suffixes = set(path.suffixes)
    if ".csv" in suffixes or ".tsv" in suffixes:
        return "tsv" if ".tsv" in suffixes else "csv"
    if first_line.startswith(b"["):
        return "json"
    if first_line.startswith(b"{"):
        is_document = first_line in _DOCUMENT_STARTS or (".json" in suffixes and not _is_json(first_line))
        return "json" if is_document else "jsonl"
    if ".jsonl" in suffixes or ".json" in suffixes:
        return "jsonl"
    return "tsv" if b"\t" in first_line else "csv"


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def why_not_json(error: Exception) -> str:
    """Return what is wrong with a text that `json.loads` refused, or whose bytes are not UTF-8."""
    if isinstance(error, UnicodeDecodeError):
        return f"is not UTF-8 (byte {error.start} is {error.object[error.start]:#04x})"
    return f"is not valid JSON ({error})" if isinstance(error, ValueError) else "is nested too deeply"


def _require_distinct(header: list[str], path: Path) -> None:
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise ResultFileError(f"{path}: several columns are named {twice[0]!r}; rename all but one")


@contextmanager
def damage_named(path: Path) -> Iterator[None]:
    """Raise ResultFileError, with the file's name, where a file cannot be read or is damaged."""
    try:
        yield
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, pa.ArrowException) as error:
        raise ResultFileError(f"{path} cannot be read: {error}; it may have been cut off or be damaged") from error
