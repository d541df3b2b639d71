"""Paths, patterns and folders → the files to read."""

from __future__ import annotations

import fnmatch
import glob
import itertools
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from qa_frame.checks import require_items, text_of_path
from qa_frame.errors import ResultFileError, ResultFileNotFoundError
from qa_frame.ext.files.formats import FORMATS, format_of_name

Paths: TypeAlias = "str | os.PathLike[str] | Iterable[str | os.PathLike[str]]"
"""A path, a pattern such as `logs/*.jsonl`, a folder, or several of these."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read.

    Attributes
    ----------
    path
        The path of the file.
    is_in_folder
        Whether it was found in a folder, where other files than result files may stand.
    folder
        The folder that was given, or the part of a pattern that stands before any wildcard.
    """

    path: Path
    is_in_folder: bool
    folder: Path


def find_files(paths: Paths, *, argument: str = "path") -> tuple[list[SourceFile], bool]:
    """Return the files that paths name, each once, and whether rows need a column for their file.

    They need none if the paths are one path of one file. argument: the argument by which the caller gives the paths.
    Raise ResultFileNotFoundError if a path names no file, and ResultFileError if a folder cannot be read.
    """
    is_path = isinstance(paths, str | os.PathLike)
    each: Any = [paths] if is_path else require_items(argument, paths, "a path; give text, a pathlib.Path, or a list")
    files = [file for path in each for file in _files_of(path, argument)]
    is_one = is_path and len(files) == 1 and files[0].path == Path(each[0])
    if not files:
        raise ResultFileNotFoundError.of(argument, "names no file", "give at least one path", value=[])
    distinct: dict[Path, SourceFile] = {}
    for file in files:
        distinct.setdefault(file.path.resolve(), file)
    return list(distinct.values()), not is_one


def _files_of(path: str | os.PathLike[str], argument: str) -> list[SourceFile]:
    """Return the files that one path, pattern or folder names; at least one, or else raise ResultFileNotFoundError."""
    text = text_of_path(argument, path, "give text or a pathlib.Path")
    here = _say_working_folder(text, argument)
    if os.path.exists(text):  # noqa: PTH110  (False for "" and for a name that is too long)
        return _files_at(path := Path(text), path if path.is_dir() else path.parent, argument)
    if not glob.has_magic(text):
        raise ResultFileNotFoundError.of(argument, f"is no file{here}", value=path)
    matches = sorted(glob.glob(text, recursive=True))  # noqa: PTH207  (a pattern may be absolute)
    parts = Path(text).parts
    fixed = Path(*itertools.takewhile(lambda part: not glob.has_magic(part), parts))
    if fixed.is_dir():
        _require_readable(fixed, parts[len(fixed.parts) :])
    if not matches:
        raise ResultFileNotFoundError.of(argument, f"matches no file{here}", value=path)
    return [file for match in matches for file in _files_at(Path(match), fixed, argument)]


def _say_working_folder(text: str, argument: str) -> str:
    """Return the words by which errors name the working folder; "" for an absolute path.

    Raise ResultFileNotFoundError if the working folder was removed.
    """
    try:
        return "" if os.path.isabs(text) else f"; the folder is {os.getcwd()!r}"  # noqa: PTH109, PTH117
    except FileNotFoundError as error:
        finding = "is looked for in the working folder, which was removed"
        remedy = "change to one that is there, or give a whole path"
        raise ResultFileNotFoundError.of(argument, finding, remedy, value=text) from error


def _files_at(path: Path, folder: Path, argument: str) -> list[SourceFile]:
    """Return the file at a path, or, if it is a folder, all files below it with the ending of a result file.

    Raise ResultFileNotFoundError for a folder without such files. folder: the `SourceFile.folder` of these files.
    """
    if not path.is_dir():
        return [SourceFile(path, is_in_folder=False, folder=folder)]
    files = [file for file in sorted(_all_below(path)) if format_of_name(file)[0] is not None]
    if not files:
        finding = f"is a folder without result files; they end in {tuple(FORMATS)}"
        raise ResultFileNotFoundError.of(argument, finding, value=str(path))
    return [SourceFile(file, is_in_folder=True, folder=folder) for file in files]


def _all_below(folder: Path) -> list[Path]:
    """Return all files below a folder, also through links to folders. Names that begin with `.` or `_` are left out.

    No folder comes twice. Raise ResultFileError for a folder that cannot be listed and for a link that leads nowhere,
    as nobody would know that files are missing.
    """
    files: list[Path] = []
    links, seen = [folder], {*folder.resolve().parents}
    while links:  # a folder comes by its own name, where it has one, before it comes by that of a link
        for root, folders, names in os.walk(links.pop(0), onerror=_refuse_unreadable):
            if (real := Path(root).resolve()) in seen:
                folders.clear()
                continue
            seen.add(real)
            folders[:] = sorted(filter(_is_shown, folders))
            links += filter(Path.is_symlink, map(Path(root).joinpath, folders))
            files += map(Path(root).joinpath, filter(_is_shown, names))
    for file in files:
        if file.is_symlink() and not os.path.exists(file):  # noqa: PTH110  (False for links in a circle, too)
            finding = f"{file} is a link to nothing that can be read: {os.readlink(file)!r}"  # noqa: PTH115
            raise ResultFileError.of("", finding, "remove the link, or give a list of the files to read")
    return files


def _is_shown(name: str) -> bool:
    return not name.startswith((".", "_"))


def _refuse_unreadable(error: OSError) -> None:
    """Raise ResultFileError for a folder that cannot be listed."""
    why = f"({error.strerror or error}), and may hold files that are meant"
    remedy = "make it readable, or give a list of the files to read"
    raise ResultFileError.of("", f"{error.filename} cannot be looked into {why}", remedy) from error


def _require_readable(folder: Path, parts: tuple[str, ...]) -> None:
    """Raise ResultFileError if a pattern goes through a folder that cannot be listed, as `glob` passes over it.

    folder: the part of the pattern before any wildcard. parts: the other parts.
    """
    n_levels = parts.index("**") if "**" in parts else len(parts) - 1
    seen: set[tuple[Path, int]] = set()
    for root, folders, _ in os.walk(folder, onerror=_refuse_unreadable, followlinks=True):
        level = min(len(Path(root).relative_to(folder).parts), n_levels)
        place, part = (Path(root).resolve(), level), parts[level]
        goes_on = place not in seen and (level < n_levels or part == "**")
        takes_hidden = any(each.startswith(".") for each in (parts if part == "**" else [part]))
        seen_by_glob = [name for name in folders if takes_hidden or not name.startswith(".")]
        folders[:] = fnmatch.filter(seen_by_glob, part) if goes_on else []
        seen.add(place)
