"""Files of rows that are read in a stream: their paths, formats, and the keys in the names of their folders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from qa_frame.checks import is_unicode
from qa_frame.errors import ResultFileError
from qa_frame.ext.files.formats import format_of_name
from qa_frame.ext.files.json_lines import TO_PARQUET
from qa_frame.ext.files.open_files import Content
from qa_frame.ext.files.paths import Paths, SourceFile, find_files

_NULL = "__HIVE_DEFAULT_PARTITION__"
_FEWEST_ROWS = 2000
_PIECES_PER_JOB = 4


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file of rows.

    Attributes
    ----------
    content
        The file. It must be kept, as a pipe is read only once.
    below
        Its path below the folder that the caller named, or below the part of a glob before any wildcard.
    is_parquet
        Whether it is Parquet; else it holds JSON lines.
    compression
        How JSON lines are compressed; None for those that are not, and for Parquet, which compresses inside.
    keys
        The values in the names of its folders, as `{"year": "2024"}` for `year=2024/part-0.parquet` below a folder that
        the caller named. They are text, so that 01 and 1 are two.
    """

    content: Content
    below: Path
    is_parquet: bool
    compression: str | None
    keys: Mapping[str, str | None]

    @property
    def path(self) -> Path:
        """The path of the file."""
        return self.content.path


def find_inputs(source: Paths) -> list[InputFile]:
    """Return the files that a path, a pattern, a folder or a list of these names.

    Raises
    ------
    UnknownOptionError
        If `source` is something else.
    ResultFileNotFoundError
        If a path names no file.
    ResultFileError
        If a file is neither Parquet nor JSON Lines.
    """
    files, _ = find_files(source, argument="source")
    keys = _partition_keys([file for file in files if file.is_in_folder])
    return [_as_input(file, keys.get(file.path, {})) for file in files]


def _as_input(file: SourceFile, keys: Mapping[str, str | None]) -> InputFile:
    """Return a found file as an `InputFile`. Raise ResultFileError if its name is neither of Parquet nor of JSON Lines.

    keys: the keys in the names of its folders.
    """
    name, compression = format_of_name(file.path)
    if name not in {"parquet", "jsonl"} or (name == "parquet" and compression):
        endings = "(.parquet, .jsonl, .jsonl.gz, .jsonl.zst)"
        finding = f"{file.path}: is neither Parquet nor JSON Lines by its name {endings}"
        raise ResultFileError.of("", finding, f"read other files {TO_PARQUET}")
    content = Content(file.path)
    return InputFile(content, file.path.relative_to(file.folder), name == "parquet", compression, keys)


def _partition_keys(files: list[SourceFile]) -> dict[Path, dict[str, str | None]]:
    """Return by path the keys that each file has from the names of its folders, as hive writes them: `year=2024`.

    All files below one folder have the same keys; a file whose own folders lack a key has None for it. Raise
    ResultFileError if a name is not UTF-8.
    """
    keys = {file: _keys_of(file.path.relative_to(file.folder).parent) for file in files}
    names: dict[Path, dict[str, None]] = {}
    for file, own in keys.items():
        if not is_unicode("".join(own)) or not is_unicode("".join(filter(None, own.values()))):
            raise ResultFileError.of("", f"{file.path}: the names of its folders are not UTF-8", "rename them")
        names.setdefault(file.folder, {}).update(dict.fromkeys(own))
    return {file.path: {name: own.get(name) for name in names[file.folder]} for file, own in keys.items()}


def _keys_of(parent: Path) -> dict[str, str | None]:
    """Return the keys and values in the names of a path's folders; None for a value that is hive's mark of a null."""
    pairs = [part.split("=", 1) for part in parent.parts if "=" in part]
    return {_without_escapes(name): None if value == _NULL else _without_escapes(value) for name, value in pairs}


def _without_escapes(part: str) -> str:
    """Return a part of a folder's name with percent escapes decoded; unchanged if they are not UTF-8."""
    try:
        return unquote(part, errors="strict")
    except UnicodeDecodeError:
        return part


def plan_chunks(n_rows: Iterable[int | None], n_jobs: int) -> tuple[int | None, int]:
    """Return the number of rows in all files, and the most rows that a chunk of a file should have.

    Chunks are so small that all jobs have work. With one job, or if a file does not tell its number of rows, a chunk
    may have any number. n_rows: the number of rows of each file, or None if the file does not tell it; the number of
    all rows is None then, too.
    """
    counts = list(n_rows)
    total = None if None in counts else sum(filter(None, counts))
    if total is None or n_jobs == 1:
        return total, 1 << 40
    return total, max(_FEWEST_ROWS, -(-total // (_PIECES_PER_JOB * n_jobs)))
