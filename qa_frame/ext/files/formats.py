"""The format of a file, from the endings of its name or from its first bytes."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Literal

from qa_frame.errors import ResultFileError
from qa_frame.ext.files.json_lines import parse_json
from qa_frame.ext.files.open_files import Content, UnusableRecordError, endings_of, is_utf_16, open_binary

Format = Literal["jsonl", "json", "csv", "tsv", "parquet", "arrow", "zip"]

FORMATS: dict[str, Format] = {
    ".jsonl": "jsonl",
    ".json": "json",
    ".ndjson": "jsonl",
    ".eval": "zip",
    ".zip": "zip",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".csv": "csv",
    ".tsv": "tsv",
}
"""The formats by the endings of names."""

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
"""The compressions by the endings of names."""

_FIRST_BYTES: dict[bytes, Format] = {b"PK\x03\x04": "zip", b"PK\x05\x06": "zip", b"PAR1": "parquet", b"ARRO": "arrow"}
_PICKLE, _PROTOCOLS = b"\x80", {b"\x02", b"\x03", b"\x04", b"\x05"}
"""How a pickle begins."""
_DOCUMENT_STARTS = {b"{", b"[", b"[{"}
"""The first lines of JSON documents that were written with an indent."""


def format_of_name(path: str | Path) -> tuple[Format | None, str | None]:
    """Return the format and the compression that the endings of a name tell, such as ("jsonl", "gzip").

    Each is None if no ending tells it.
    """
    endings = endings_of(path)
    compression = COMPRESSIONS.get(endings[-1]) if endings else None
    names = endings[:-1] if compression else endings
    return FORMATS.get(names[-1]) if names else None, compression


def format_of_content(content: Content) -> Format:
    """Return the format of a file, by its first bytes or its first line; its name decides where the line fits several.

    The first line of a text is its first that is not blank.

    Raises
    ------
    ResultFileError
        If the file is empty, a pickle, written in UTF-16, or a pointer of Git LFS.
    """
    with open_binary(content) as stream:
        start = stream.read(4)
    if start in _FIRST_BYTES:
        return _FIRST_BYTES[start]
    if start[:1] == _PICKLE and start[1:2] in _PROTOCOLS:
        finding = f"{content.path} is a pickle, which is not read, as it may run any code"
        raise ResultFileError.of("", finding, "if you trust it, load it yourself, and write it with to_parquet")
    if is_utf_16(start):
        raise ResultFileError.of("", f"{content.path} is written in UTF-16", "write it again in UTF-8")
    line = next(filter(None, map(bytes.strip, content.lines())), None)
    if line is None:
        raise ResultFileError(f"{content.path} is empty: the run that should have written it may have failed")
    return _format_of_text(content.path, line)


def _format_of_text(path: Path, first_line: bytes) -> Format:
    """Return the format of a text file by its first line and its name.

    Raise ResultFileError for a pointer of Git LFS.
    """
    if first_line.startswith(b"version https://git-lfs"):
        finding = f"{path} is a pointer of Git LFS and not the file itself"
        raise ResultFileError.of("", finding, "fetch that with: git lfs pull")
    suffixes = endings_of(path)
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
    with contextlib.suppress(UnusableRecordError):
        parse_json(text, checks_names=False)
        return True
    return False
