"""Files that are written, never over one that is read, and lines that are printed."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from qa_frame.checks import is_unicode, resolved
from qa_frame.ext.files.formats import format_of_name
from qa_frame.replacement import is_stream, naming_what_is_written
from qa_frame.terminal import visible


class OutputPath(click.Path):
    """The type of `-o`: a path, as the system finds the file that is written."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the path."""
        return str(resolved(Path(os.fsdecode(super().convert(value, param, ctx)))))


def format_of(path: str, formats: Mapping[str, str]) -> str:
    """Return the format that a file's ending tells.

    Raises
    ------
    click.UsageError
        Where it tells none.
    """
    ending = Path(path).suffix.lower()
    if ending not in formats:
        raise click.UsageError(f"-o {path}: files that end in {ending!r} cannot be written; use {', '.join(formats)}")
    return formats[ending]


def check_destination(path: str, inputs: Iterable[str], *, overwrite: bool) -> None:
    """Raise UsageError where this file is not to be written: it is read, is a folder, or is there and shall stay."""
    check_not_read(path, _files_of(inputs))
    if Path(path).is_dir():
        raise click.UsageError(f"-o {path} is a folder; give a file")
    if Path(path).is_file() and not overwrite and not is_stream(path):
        raise click.UsageError(f"-o {path} is there; give another file, or --overwrite to replace it")


def check_not_read(path: str, files: Iterable[str]) -> None:
    """Raise UsageError where the file is one of those that are read, by whatever path or link."""
    # Unlike pathlib's, these functions say False of names that are too long and of folders that may not be read.
    if os.path.isfile(path) and any(os.path.exists(each) and os.path.samefile(path, each) for each in files):  # noqa: PTH110, PTH113, PTH121
        raise click.UsageError(f"-o {path} is one of the files to read, which are never changed; give another file")


def _files_of(inputs: Iterable[str]) -> Iterator[str]:
    """Yield the files that paths and patterns name, and those of folders that are rows by their names."""
    for path in inputs:
        is_there = os.path.exists(path)  # noqa: PTH110  (False for a name that is too long)
        for file in [path] if is_there else glob.glob(path, recursive=True):  # noqa: PTH207  (it may be absolute)
            below = (str(each) for each in Path(file).rglob("*") if format_of_name(each)[0] in {"parquet", "jsonl"})
            yield from below if Path(file).is_dir() else [file]


def is_stdout(path: str) -> bool:
    """Return whether this is the standard output, as /dev/stdout is."""
    return os.path.exists(path) and os.path.samestat(os.stat(path), os.fstat(1))  # noqa: PTH110, PTH116


def name_of(path: str) -> str:
    """Return the path as text that can be written: bytes that are not UTF-8 become escapes."""
    return path if is_unicode(path) else visible(path)


def print_text(text: str, *, keep: str = "") -> None:
    """Print lines. Characters that a terminal would obey are shown as escapes, but for those to keep."""
    with naming_what_is_written("standard output", "free some space or choose another place"):
        click.echo(visible(text, keep=f"\n\r\t{keep}"))
