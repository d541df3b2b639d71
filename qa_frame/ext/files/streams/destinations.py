"""The files into which scored rows go, and the checks of files that stand there already."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

import pyarrow as pa

from qa_frame.checks import is_unicode, require_path, resolved
from qa_frame.errors import QaFrameError, ResultFileError, UnknownOptionError
from qa_frame.ext.files.open_files import Content
from qa_frame.ext.files.parquet_files import ParquetInput
from qa_frame.ext.files.paths import Paths
from qa_frame.ext.files.streams.inputs import InputFile, find_inputs
from qa_frame.ext.files.streams.sidecar import read_note
from qa_frame.frames.scoring_metadata import NOTED
from qa_frame.frames.source import read_source
from qa_frame.replacement import naming_what_is_written, real_path


def find_targets(source: Paths, destination: str | os.PathLike[str]) -> list[tuple[InputFile, Path]]:
    """Return the files to read, each with the path where its scored rows go.

    Raises
    ------
    UnknownOptionError
        If `destination` is not a path.
    ResultFileNotFoundError, ResultFileError
        If a source does not exist, a target is a source or not a file, or two files would become one.
    """
    folder = require_path("destination", destination, "give a file or a folder")
    if str(destination) == "-":
        remedy = "give a file or a folder, as './-' for one of that name"
        raise UnknownOptionError.of("destination", "is no place for files", remedy, value=destination)
    files = find_inputs(source)
    for file in files:
        if not is_unicode(str(file.path)):
            raise ResultFileError(f"{file.path}: its name is not UTF-8; rename it")
    with naming_what_is_written(folder):
        if isinstance(source, str | os.PathLike) and Path(source).is_file() and folder.suffix and not folder.is_dir():
            if folder.suffix.lower() != files[0].path.suffix.lower():
                finding = f"ends in {folder.suffix!r}, and the source in {files[0].path.suffix!r}"
                remedy = "a file is written as its source is"
                raise ResultFileError.of("destination", finding, remedy, value=str(folder))
            found = [(files[0], folder)]
        else:
            found = [(file, resolved(folder / file.below)) for file in _without_own_results(files, folder)]
        _check_targets(found)
    return found


def _without_own_results(files: list[InputFile], destination: Path) -> list[InputFile]:
    """Return the files that an earlier call did not make of the others, in a destination inside their folder."""
    real = real_path(destination)
    inside = {file.path for file in files if _is_inside(file, real)}
    sources = [file for file in files if file.path not in inside]
    results = {real_path(destination / file.below) for file in sources}
    foreign = [
        file for file in files if file.path in inside and not (real_path(file.path) in results and _is_made_by_us(file))
    ]
    if foreign:
        finding = f": {foreign[0].path} stands below it and is no result of score_files"
        raise ResultFileError.of("destination", finding, "give a folder that holds no source")
    return sources


def _is_inside(file: InputFile, destination: Path) -> bool:
    """Return whether a file stands below the destination, inside the folder in which the file was found."""
    folder = real_path(file.path.parents[len(file.below.parts) - 1])
    return destination in real_path(file.path).parents and folder in destination.parents


def _is_made_by_us(file: InputFile) -> bool:
    with contextlib.suppress(ResultFileError):
        return bool(made_parquet(file.path) if file.is_parquet else made_lines(file.path))
    return False


def _check_targets(found: list[tuple[InputFile, Path]]) -> None:
    """Raise ResultFileError if a target is a source or not a file, or if two files would become one."""
    sources = {_identity_of_file(file.path) for file, _ in found} - {None}
    first_of: dict[Path, Path] = {}
    for file, target in found:
        where = real_path(target)
        if _identity_of_file(target) in sources:
            finding = f": {target} is a source itself, which is never changed"
            raise ResultFileError.of("destination", finding, "give another folder")
        if target.exists() and not target.is_file():
            raise ResultFileError.of("destination", f": {target} is there and is no file", "give another destination")
        if where in first_of:
            finding = f": {first_of[where]} and {file.path} would both become {target}"
            raise ResultFileError.of("destination", finding, "score them in two calls")
        first_of[where] = file.path


def _identity_of_file(path: Path) -> tuple[int, int] | None:
    """Return the identity of a file, equal for every path and link to it; None if the file does not exist."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_dev, status.st_ino


# --- files that stand there already


def made_parquet(path: Path) -> tuple[ParquetInput, dict[str, Any]]:
    """Return the Parquet file that stands there, and its notes. Raise ResultFileError if it is not ours."""
    try:
        made = ParquetInput(Content(path))
        notes = notes_of(made.own_schema)
    except QaFrameError as error:
        raise _not_ours(path) from error
    if not notes.get(NOTED):
        raise _not_ours(path)
    return made, notes


def made_lines(path: Path) -> dict[str, Any]:
    """Return by which call the lines that stand there were made. Raise ResultFileError if they are not ours."""
    if (note := read_note(path)) is None:
        raise _not_ours(path)
    return note


def notes_of(schema: pa.Schema) -> dict[str, Any]:
    """Return the notes of a table that has this schema."""
    return read_source(schema.empty_table()).notes


def is_older(target: Path, source: Path) -> bool:
    """Return whether the target was made before its source."""
    return target.stat().st_mtime_ns < source.stat().st_mtime_ns


def made_otherwise(target: Path) -> ResultFileError:
    """Return the error for a target that this call would make otherwise."""
    return _is_there(target, "this call would not make it so: its rows, columns or rules differ")


def _not_ours(target: Path) -> ResultFileError:
    return _is_there(target, "has no note that score_files made it as it is")


def _is_there(target: Path, finding: str) -> ResultFileError:
    remedy = "give another destination, or overwrite=True to replace it"
    return ResultFileError.of("destination", f": {target} is there, and {finding}", remedy)
