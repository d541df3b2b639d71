"""The files into which scored rows go: where they stand, what is known of them, and how Parquet is written."""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from qa_frame.checks import is_unicode, require_path, resolve_path
from qa_frame.errors import QaFrameError, ResultFileError, ResultFileWarning, UnknownOptionError, warn
from qa_frame.ext.files.inputs import InputFile, find_inputs
from qa_frame.ext.files.open_files import Content, digest_of
from qa_frame.ext.files.parquet_files import ParquetInput
from qa_frame.ext.files.paths import Paths
from qa_frame.frames.scoring_metadata import NOTED
from qa_frame.frames.source import read_source
from qa_frame.replacement import Replacement, naming_what_is_written, real_path, shorten_name

# --- where scored rows go


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
            raise ResultFileError.of("", f"{file.path}: its name is not UTF-8", "rename it")
    with naming_what_is_written(folder):
        if isinstance(source, str | os.PathLike) and Path(source).is_file() and folder.suffix and not folder.is_dir():
            if folder.suffix.lower() != files[0].path.suffix.lower():
                finding = f"ends in {folder.suffix!r}, and the source in {files[0].path.suffix!r}"
                remedy = "a file is written as its source is"
                raise ResultFileError.of("destination", finding, remedy, value=str(folder))
            targets = [(files[0], folder)]
        else:
            targets = [(file, resolve_path(folder / file.below)) for file in _without_own_results(files, folder)]
        _check_targets(targets)
    if isinstance(source, str | os.PathLike) and real_path(Path(source)) in real_path(folder).parents:
        finding = f"destination={str(folder)!r} stands inside the folder of the sources"
        remedy = "give a folder beside it, as other calls that read this folder count its rows twice"
        warn(f"{finding}; {remedy}", ResultFileWarning)
    return targets


def _without_own_results(files: list[InputFile], destination: Path) -> list[InputFile]:
    """Return the files without those that an earlier call wrote into a destination inside the folder of the sources.

    Raise ResultFileError if the destination holds another file, as this would be a source in the place of the results.
    """
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
    """Return whether a file stands below the destination, which itself stands below the file's folder.

    The file's folder is the one that the caller named, or the part of a pattern before any wildcard.
    """
    folder = real_path(file.path.parents[len(file.below.parts) - 1])
    return destination in real_path(file.path).parents and folder in destination.parents


def _is_made_by_us(file: InputFile) -> bool:
    """Return whether the file has a note that `score_files` made it."""
    with contextlib.suppress(ResultFileError):
        return bool(open_scored_parquet(file.path) if file.is_parquet else require_note(file.path))
    return False


def _check_targets(targets: list[tuple[InputFile, Path]]) -> None:
    """Raise ResultFileError if a target is a source or not a file, or if two files would become one."""
    sources = {_identity_of_file(file.path) for file, _ in targets} - {None}
    first_of: dict[Path, Path] = {}
    for file, target in targets:
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
    """Return the device and the inode of a file, equal for every path and link to it; None if it does not exist."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_dev, status.st_ino


# --- files that stand there already


def open_scored_parquet(path: Path) -> tuple[ParquetInput, dict[str, Any]]:
    """Return the existing Parquet file and its notes. Raise ResultFileError if `score_files` did not make it."""
    try:
        made = ParquetInput(Content(path))
        notes = notes_of(made.own_schema)
    except QaFrameError as error:
        raise _error_of_foreign_target(path) from error
    if not notes.get(NOTED):
        raise _error_of_foreign_target(path)
    return made, notes


def require_note(path: Path) -> dict[str, Any]:
    """Return the columns and rules of the call that made an existing file of JSON lines, from its note.

    Raise ResultFileError if `read_note` finds none.
    """
    if (note := read_note(path)) is None:
        raise _error_of_foreign_target(path)
    return note


def plain_fields(schema: pa.Schema) -> list[pa.Field]:
    """Return the fields of a schema; a dictionary-encoded field has the type of its values.

    So schemas can be compared, although old versions of PyArrow read another type of codes than was written.
    """
    return [field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field for field in schema]


def notes_of(schema: pa.Schema) -> dict[str, Any]:
    """Return the notes, such as the scoring metadata, of a table with this schema."""
    return read_source(schema.empty_table()).notes


SOURCE = "qa_source"
"""The key of a written file's note of its source."""


def stamp_of(source: Path) -> str:
    """Return the size of a file and when it was last changed, by which another file in its place is known."""
    status = source.stat()
    return f"{status.st_size} {status.st_mtime_ns}"


def error_of_differing_target(target: Path) -> ResultFileError:
    """Return the error for an existing target that this call would make with other rows, columns or rules."""
    return _error_of_existing_target(target, "this call would not make it so: its rows, columns or rules differ")


def _error_of_foreign_target(target: Path) -> ResultFileError:
    """Return the error for an existing target without a note that `score_files` made it."""
    return _error_of_existing_target(target, "has no note that score_files made it as it is")


def _error_of_existing_target(target: Path, finding: str) -> ResultFileError:
    """Return the error for an existing target. finding: why it is not kept."""
    remedy = "give another destination, or overwrite=True to replace it"
    return ResultFileError.of("destination", f": {target} is there, and {finding}", remedy)


# --- Notes beside files that cannot hold notes, such as JSON Lines: by which call a file was made.
#
# The note of `a.jsonl` is `.a.jsonl.qa_frame.json` in the same folder. It knows the file by its content, so that a file
# that somebody else put there, or changed, is not taken for ours. It is written just before the file gets its name, and
# still knows the file that had the name before: a run may be killed between the two.


_MOST_FILES = 4
"""How many of the last files that had the name a note knows."""


def write_note(path: Path, made_by: Mapping[str, Any], written: Path) -> None:
    """Add to the note of `path` by which call the file was made that is about to get this name.

    made_by: the columns and the rules of the call. written: the complete file, still under another name.
    """
    status = written.stat()
    file = {"size": status.st_size, "changed_ns": status.st_mtime_ns, "digest": digest_of(written), "made_by": made_by}
    with Replacement(note_path(path), looks_for_parts=False) as note, note.naming_the_file():
        note.stream.write(json.dumps({"files": [*_noted_files(path), file][-_MOST_FILES:]}, indent=1).encode())


def read_note(path: Path) -> dict[str, Any] | None:
    """Return the columns and rules of the call that made a file, from its note.

    None if there is no note, or the file is not one that the note describes, as after a change.
    """
    status = path.stat()
    alike = [each for each in reversed(_noted_files(path)) if each.get("size") == status.st_size]
    known = next((each for each in alike if each.get("changed_ns") == status.st_mtime_ns), None)
    if known is None and alike:  # the file may be a copy
        digest = digest_of(path)
        known = next((each for each in alike if each.get("digest") == digest), None)
    made_by = None if known is None else known.get("made_by")
    return made_by if isinstance(made_by, dict) else None


def note_path(path: Path) -> Path:
    """Return the path of the note beside a file."""
    real = real_path(path)
    return real.with_name(f".{shorten_name(real.name)}.qa_frame.json")


def _noted_files(path: Path) -> list[dict[str, Any]]:
    """Return the entries of the note of `path`: one for each of the last files under this name, the newest last.

    An entry is a dict of the file's size, time of change, digest and call (see `write_note`). [] if the note cannot be
    read.
    """
    try:
        files = json.loads(note_path(path).read_bytes())["files"]
        return [each for each in files if isinstance(each, dict)]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return []


# --- Parquet that is written table by table


_MOST_ROWS = 1 << 20
_MOST_BYTES = 128 << 20
"""The most rows and bytes that are held in memory for a row group."""

_CODECS = {"UNCOMPRESSED": "NONE", "LZ4_RAW": "LZ4"}
"""The names that pyarrow's writer has for codecs that a file names otherwise."""


@contextlib.contextmanager
def parquet_output(
    replacement: Replacement, *, like: pq.FileMetaData, schema: pa.Schema
) -> Iterator[Callable[[pa.Table], None]]:
    """Yield a function that adds the rows of a table to a Parquet file, which is complete at the end.

    A row group is written when it is full, or holds more than 128 MiB.

    Parameters
    ----------
    replacement
        The replacement whose stream is written to.
    like
        The footer of the file whose usual compression and size of row groups it takes over.
    schema
        Its columns.
    """
    most_rows, pending = _rows_a_group(like), list[pa.Table]()
    writer = pq.ParquetWriter(replacement.stream, schema, compression=_usual_codec(like))

    def write_group() -> None:
        if pending:
            writer.write_table(pa.concat_tables(pending), row_group_size=most_rows)
            pending.clear()

    def write(table: pa.Table) -> None:
        while len(table):
            n_free = most_rows - sum(map(len, pending))
            pending.append(table.slice(0, n_free))
            if len(table) >= n_free or sum(each.nbytes for each in pending) > _MOST_BYTES:
                with replacement.naming_the_file():
                    write_group()
            table = table.slice(n_free)

    try:
        yield write
    except BaseException:
        with contextlib.suppress(OSError, pa.ArrowException):
            writer.close()
        raise
    with replacement.naming_the_file():
        write_group()
        writer.close()


def _rows_a_group(like: pq.FileMetaData) -> int:
    """Return the number of rows of the largest row group, at most `_MOST_ROWS`; that many for a file without any."""
    sizes = [like.row_group(number).num_rows for number in range(like.num_row_groups)]
    return min(max(sizes, default=_MOST_ROWS), _MOST_ROWS)


def _usual_codec(like: pq.FileMetaData) -> str:
    """Return the compression of most columns in the first row group, as pyarrow names it; SNAPPY if there is none."""
    group = like.row_group(0) if like.num_row_groups else None
    codecs = Counter(group.column(number).compression for number in range(like.num_columns)) if group else Counter()
    codec = codecs.most_common(1)[0][0] if codecs else "SNAPPY"
    return _CODECS.get(codec, codec)
