"""One result file → its records, one after the other: JSON lines, a JSON document, CSV, Parquet, Arrow, or a zip.

What a file is, is read from its first bytes. Only a single JSON document is held in memory as a whole.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from qa_frame.errors import ResultFileError
from qa_frame.files.contents import BOM, Content, damage_named, is_utf_16, open_binary, parse_json, why_not_json
from qa_frame.files.csv_rows import read_rows
from qa_frame.files.streams.pieces import ROWS_DECODED_AT_ONCE, gathered

Container = Literal["jsonl", "json", "csv", "tsv", "parquet", "arrow", "zip"]
Place = int | str
"""Where a record stands: a line or a number counted from 1, or the name of a part of the file."""

_MAGIC: dict[bytes, Container] = {b"PK\x03\x04": "zip", b"PK\x05\x06": "zip", b"PAR1": "parquet", b"ARRO": "arrow"}
_DOCUMENT_STARTS = {b"{", b"[", b"[{"}
"""What the first line of a JSON document is that was written with an indent."""

_ROWS_A_BATCH, _BYTES_A_BATCH = 1024, 1 << 23


class UnusableRecordError(Exception):
    """A record cannot become a row; the message says why."""


class ResultFile:
    """A result file that was found, and what is wrong with its records.

    Parameters
    ----------
    content
        The file.
    on_bad_lines
        `"error"`, `"warn"` or `"skip"`: whether `reject` raises, or counts.
    """

    def __init__(self, content: Content, on_bad_lines: str = "error") -> None:
        self.content = content
        self.path = content.path
        self.n_rejected = 0
        self.first_rejected = ""
        self.remarks: list[str] = []
        self._raises = on_bad_lines == "error"
        with damage_named(self.path):
            self.container: Container = _find_container(content)

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

                with pq.ParquetFile(os.fspath(self.content)) as file:
                    batches = file.iter_batches(batch_size=ROWS_DECODED_AT_ONCE)
                    for some in gathered(batches, most_rows=_ROWS_A_BATCH, most_bytes=_BYTES_A_BATCH):
                        yield from pa.Table.from_batches(some).combine_chunks().to_batches()
            else:
                with pa.ipc.open_file(os.fspath(self.content)) as file:
                    for number in range(file.num_record_batches):
                        batch = file.get_batch(number)
                        batch.validate(full=True)  # Arrow trusts the offsets in such a file.
                        for start in range(0, len(batch), ROWS_DECODED_AT_ONCE):
                            yield batch.slice(start, ROWS_DECODED_AT_ONCE)

    @cached_property
    def document(self) -> Any:
        """The JSON document that the file is, as a whole."""
        with damage_named(self.path), open_binary(self.content) as stream:
            written = self.content.read(stream).removeprefix(BOM)
        try:
            return parse_json(written)
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
        trial = ResultFile(self.content, "skip")
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
        for number, line in enumerate(self.content.lines(), 1):
            try:
                record = parse_json(line)
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
        """Each row as a dict."""
        rows = read_rows(self.content, "," if self.container == "csv" else "\t")
        _, first = next(rows)
        if isinstance(first, csv.Error):
            raise ResultFileError(f"{self.path}: its heading is not valid CSV ({first}); write the file again")
        header = [name or "" for name in first]
        _require_distinct(header, self.path)
        for number, fields in rows:
            if isinstance(fields, csv.Error):
                self.reject(number, f"is not valid CSV ({fields})")
            elif len(fields) == len(header):
                yield number, dict(zip(header, fields, strict=True))
            elif fields:
                self.reject(number, f"has {len(fields)} fields, where the header has {len(header)}")


_UNITS = {"jsonl": "line", "json": "record", "csv": "line", "tsv": "line", "parquet": "row", "arrow": "row", "zip": ""}


def _find_container(content: Content) -> Container:
    with open_binary(content) as stream:
        start = stream.read(4)
    if start in _MAGIC:
        return _MAGIC[start]
    if is_utf_16(start):
        raise ResultFileError(f"{content.path} is written in UTF-16; write it again in UTF-8")
    line = next(filter(None, map(bytes.strip, content.lines())), None)
    if line is None:
        raise ResultFileError(f"{content.path} is empty: the run that should have written it may have failed")
    return _container_of_text(content.path, line)


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
        parse_json(text)
    except (ValueError, RecursionError):
        return False
    return True


def _require_distinct(header: list[str], path: Path) -> None:
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise ResultFileError(f"{path}: several columns are named {twice[0]!r}; rename all but one")
