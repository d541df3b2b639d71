"""Which files the caller means, where each stands, and what the names of its folders say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

from qa_frame.errors import ResultFileError, is_unicode
from qa_frame.files.contents import MAX_RECORD_BYTES, Content, require_max_record_bytes
from qa_frame.files.paths import FoundFile, Paths, find_files

Format = Literal["parquet", "jsonl"]

_FORMATS: dict[str, Format] = {".parquet": "parquet", ".pq": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl"}
_NULL = "__HIVE_DEFAULT_PARTITION__"
_COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file of rows.

    Attributes
    ----------
    path
        Where it is.
    below
        Its path below the folder that the caller named, or below the part of a glob that holds no wildcard.
    format
        How it is written.
    compression
        How JSON lines are compressed; None for those that are not, and for Parquet, which compresses inside.
    keys
        What the names of its folders say, as `{"year": "2024"}` for `year=2024/part-0.parquet` below a folder that the
        caller named. It is text, so that 01 and 1 are two.
    max_record_bytes
        How large a line may be, decompressed.
    """

    path: Path
    below: Path
    format: Format
    compression: str | None
    keys: Mapping[str, str | None] = field(default_factory=dict)
    max_record_bytes: int = MAX_RECORD_BYTES

    @property
    def content(self) -> Content:
        """What it holds. Of a pipe, one of these must be kept."""
        return Content(self.path, self.max_record_bytes)


def find_inputs(source: Paths, max_record_bytes: int = MAX_RECORD_BYTES) -> list[InputFile]:
    """Return the files that a path, a pattern, a folder or a list of these names.

    Raises
    ------
    UnknownOptionError
        Where `source` is none of these, or `max_record_bytes` no whole number.
    ResultFileNotFoundError
        Where there is no such file.
    ResultFileError
        Where a file is neither Parquet nor JSON Lines.
    """
    require_max_record_bytes(max_record_bytes)
    found, _ = find_files(source, argument="source")
    keys = _partition_keys([file for file in found if file.is_in_folder])
    return [_as_input(file, keys.get(file.path, {}), max_record_bytes) for file in found]


def _as_input(file: FoundFile, keys: Mapping[str, str | None], max_record_bytes: int) -> InputFile:
    kind, compression = _format_of(file.path)
    if kind is None:
        raise ResultFileError(
            f"{file.path}: is neither Parquet nor JSON Lines by its name (.parquet, .jsonl, .jsonl.gz, .jsonl.zst); "
            "read other files with qa_frame.read_results, and write the frame with to_parquet"
        )
    return InputFile(file.path, file.path.relative_to(file.folder), kind, compression, keys, max_record_bytes)


def _format_of(path: Path) -> tuple[Format | None, str | None]:
    compression = _COMPRESSIONS.get(path.suffix.lower())
    ending = path.suffixes[-2:][0].lower() if compression and len(path.suffixes) > 1 else path.suffix.lower()
    kind = _FORMATS.get(ending)
    if compression and kind != "jsonl":
        kind = None
    return kind, compression


def _partition_keys(files: list[FoundFile]) -> dict[Path, dict[str, str | None]]:
    """What the folders' names say of each file, as hive writes it: `year=2024`. All files of a folder have its keys."""
    keys = {file: _keys_of(file.path.relative_to(file.folder).parent) for file in files}
    names: dict[Path, dict[str, None]] = {}
    for file, own in keys.items():
        if not is_unicode("".join(own)) or not is_unicode("".join(filter(None, own.values()))):
            raise ResultFileError(f"{file.path}: the names of its folders are not UTF-8; rename them")
        names.setdefault(file.folder, {}).update(dict.fromkeys(own))
    return {file.path: {name: own.get(name) for name in names[file.folder]} for file, own in keys.items()}


def _keys_of(parent: Path) -> dict[str, str | None]:
    """What the names of the folders of a path say."""
    pairs = (part.partition("=") for part in parent.parts)
    return {_decoded(name): None if value == _NULL else _decoded(value) for name, is_key, value in pairs if is_key}


def _decoded(part: str) -> str:
    """A part of a folder's name without percent signs; as it is written where these say nothing in UTF-8."""
    try:
        return unquote(part, errors="strict")
    except UnicodeDecodeError:
        return part
