"""The files into which scored rows go, and the checks of files that stand there already."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

import pyarrow as pa

from qa_frame.checks import is_unicode, require_path
from qa_frame.errors import QaFrameError, ResultFileError
from qa_frame.files.open_files import Content
from qa_frame.files.parquet_files import ParquetInput
from qa_frame.files.paths import Paths
from qa_frame.files.streams.inputs import InputFile, find_inputs
from qa_frame.files.streams.side_notes import read_note
from qa_frame.frames.kinds import read_source
from qa_frame.frames.provenance import NOTED
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
    files = find_inputs(source)
    for file in files:
        if not is_unicode(str(file.path)):
            raise ResultFileError(f"{file.path}: its name is not UTF-8; rename it")
    with naming_what_is_written(folder):
        if isinstance(source, str | os.PathLike) and Path(source).is_file() and folder.suffix and not folder.is_dir():
            if folder.suffix.lower() != files[0].path.suffix.lower():
                raise ResultFileError(
                    f"destination={str(folder)!r} ends in {folder.suffix!r}, and the source in "
                    f"{files[0].path.suffix!r}; a file is written as its source is"
                )
            found = [(files[0], folder)]
        else:
            _require_outside(files, folder)
            found = [(file, folder / file.below) for file in files]
        _check_targets(found)
    return found


def _require_outside(files: list[InputFile], destination: Path) -> None:
    """Raise ResultFileError if a source stands below a destination that lies in the folder of the sources."""
    real = real_path(destination)
    for file in files:
        folder = real_path(file.path.parents[len(file.below.parts) - 1])
        if real in real_path(file.path).parents and folder in real.parents:
            raise ResultFileError(
                f"destination: {file.path}, one of the sources, stands below it; give a folder outside that of the "
                "sources"
            )


def _check_targets(found: list[tuple[InputFile, Path]]) -> None:
    """Raise ResultFileError if a target is a source or not a file, or if two files would become one."""
    sources = {_identity_of_file(file.path) for file, _ in found} - {None}
    first_of: dict[Path, Path] = {}
    for file, target in found:
        where = real_path(target)
        if _identity_of_file(target) in sources:
            raise ResultFileError(
                f"destination: {target} is a source itself, which is never changed; give another folder"
            )
        if target.exists() and not target.is_file():
            raise ResultFileError(f"destination: {target} is there and is no file; give another destination")
        if where in first_of:
            raise ResultFileError(
                f"destination: {first_of[where]} and {file.path} would both become {target}; score them in two calls"
            )
        first_of[where] = file.path


def _identity_of_file(path: Path) -> tuple[int, int] | None:
    """Return the identity of a file, equal for every path and link to it; None if the file does not exist."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_dev, status.st_ino


# --- files that stand there already


def made_by(path: Path, *, is_parquet: bool) -> tuple[int | None, list[str], dict[str, Any]]:
    """Return what is known of a file that stands there: its rows (None in JSON lines), its columns and its notes.

    Raise ResultFileError if score_files has not made it.
    """
    with contextlib.suppress(QaFrameError):
        made = ParquetInput(Content(path)) if is_parquet else None
        notes = notes_of(made.own_schema) if made else read_note(path) or {}
        if notes.get(NOTED):
            return (made.n_rows, made.own_schema.names, notes) if made else (None, notes.pop("columns"), notes)
    raise ResultFileError(
        f"destination: {path} is there, and has no note that score_files made it as it is; give another "
        "destination, or overwrite=True to replace it"
    )


def notes_of(schema: pa.Schema) -> dict[str, Any]:
    """Return the notes of a table that has this schema."""
    return read_source(schema.empty_table()).notes
