"""Files that are written, never over one that is read, and lines that are printed."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from qa_frame.checks import is_unicode, resolve_path
from qa_frame.ext.files import formats
from qa_frame.ext.files.formats import format_of_name
from qa_frame.replacement import is_stream, naming_what_is_written, replacing
from qa_frame.terminal import visible


class OutputPath(click.Path):
    """The type of the option `-o`: the path of a file to write, without parts such as `new/..` that do not exist."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the path, as text, by which the system finds the file that is written; see `resolve_path`."""
        return str(resolve_path(Path(os.fsdecode(super().convert(value, param, ctx)))))


def format_of(path: str, formats: Mapping[str, str]) -> str:
    """Return the format that a file's ending tells. formats: the format by ending.

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
    """Raise UsageError if the file `path` must not be written.

    It must not if it is one of the files that `inputs` name, which are read; if it is a folder; or if it is there and
    may not be overwritten.
    """
    check_not_read(path, _files_of(inputs))
    if Path(path).is_dir():
        raise click.UsageError(f"-o {path} is a folder; give a file")
    if Path(path).is_file() and not overwrite and not is_stream(path):
        raise click.UsageError(f"-o {path} is there; give another file, or --overwrite to replace it")


def check_not_read(path: str, files: Iterable[str]) -> None:
    """Raise UsageError if the file `path` is one of the files that are read, by whatever path or link."""
    # Unlike pathlib's, these functions say False of names that are too long and of folders that may not be read.
    if os.path.isfile(path) and any(os.path.exists(each) and os.path.samefile(path, each) for each in files):  # noqa: PTH110, PTH113, PTH121
        raise click.UsageError(f"-o {path} is one of the files to read, which are never changed; give another file")


def _files_of(inputs: Iterable[str]) -> Iterator[str]:
    """Yield the files that paths and patterns name, and the Parquet and JSON Lines files below a folder."""
    for path in inputs:
        is_there = os.path.exists(path)  # noqa: PTH110  (False for a name that is too long)
        for file in [path] if is_there else glob.glob(path, recursive=True):  # noqa: PTH207  (it may be absolute)
            below = (str(each) for each in Path(file).rglob("*") if format_of_name(each)[0] in {"parquet", "jsonl"})
            yield from below if Path(file).is_dir() else [file]


def is_stdout(path: str) -> bool:
    """Return whether this is the path of the standard output, as /dev/stdout is."""
    return os.path.exists(path) and os.path.samestat(os.stat(path), os.fstat(1))  # noqa: PTH110, PTH116


def name_of(path: str) -> str:
    """Return the path as text that can be written: bytes that are not UTF-8 become escapes."""
    return path if is_unicode(path) else visible(path)


def print_text(text: str, *, keep: str = "") -> None:
    """Print lines to standard output. Characters that a terminal would obey become escapes, except those in `keep`."""
    with naming_what_is_written("standard output", "free some space or choose another place"):
        click.echo(visible(text, keep=f"\n\r\t{keep}"))


# --- frames of rows as Parquet, JSON Lines or CSV


FORMATS_OF_ROWS = {
    ending: each for each in ("parquet", "jsonl", "csv") for ending, known in formats.FORMATS.items() if known == each
}
"""The formats in which rows are written, by the endings of files."""

_ROWS_AT_ONCE = 10_000
_NEEDS_QUOTES = re.compile(r'[",\r\n]|^\s|\s$')


def check_rows_destination(path: str, inputs: Iterable[str], *, overwrite: bool) -> None:
    """Raise UsageError where rows cannot be written into this file. inputs: the files that are read."""
    format_of(path, FORMATS_OF_ROWS)
    check_destination(path, inputs, overwrite=overwrite)


def write_frame(frame: pd.DataFrame, path: str) -> None:
    """Write rows in the format that the file's ending tells. Raise UsageError if the format cannot hold them."""
    kind = format_of(path, FORMATS_OF_ROWS)
    with replacing(path) as part:
        if kind == "parquet":
            frame.to_parquet(part, index=False)
        elif kind == "jsonl":
            _write_lines(frame, part, path)
        else:
            with part.open("w", encoding="utf-8", newline="") as file:
                file.writelines(csv_lines(frame))


def plain(value: Any) -> Any:
    """Return a value as JSON has it: null for NaN and nulls, a list for an array, text where JSON has no such value."""
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value is pd.NA or value is pd.NaT or value != value:  # noqa: PLR0124  (only NaN differs from itself)
        return None
    return value if isinstance(value, str | int | float) else str(value)


def _write_lines(frame: pd.DataFrame, path: Path, target: str) -> None:
    """Write rows as JSON Lines into `path`. Raise UsageError, which names `target`, for an infinite number.

    target: the file that the user named, whose place the written one takes.
    """
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for start in range(0, len(frame), _ROWS_AT_ONCE):
            for record in frame.iloc[start : start + _ROWS_AT_ONCE].to_dict("records"):
                line = {str(name): plain(value) for name, value in record.items()}
                try:
                    file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")
                except ValueError as error:
                    name = next(name for name, value in line.items() if "Infinity" in json.dumps(value))
                    raise click.UsageError(
                        f"-o {target}: {name} holds {line[name]!r:.60}, and JSON has no infinite numbers; write "
                        ".parquet or .csv"
                    ) from error


def csv_lines(frame: pd.DataFrame) -> Iterator[str]:
    """Yield a frame as lines of CSV, the names of its columns first.

    A null is an empty field, an empty text is `""`, and a list is JSON. So `read_results` gives back the texts and
    lists that were there, and no reader takes null for empty text.
    """
    yield _csv_line(map(str, frame.columns))
    for start in range(0, len(frame), _ROWS_AT_ONCE):
        yield from map(_csv_line, frame.iloc[start : start + _ROWS_AT_ONCE].itertuples(index=False, name=None))


def _csv_line(values: Iterable[Any]) -> str:
    fields = [_csv_field(plain(value)) for value in values]
    if fields == [""]:
        fields = ['""']  # an empty line would be no row
    return ",".join(fields) + "\n"


def _csv_field(value: Any) -> str:
    """Return one value as a field of CSV: nothing for null, JSON for lists and dicts, in quotes where it needs them."""
    if value is None:
        return ""
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)
    needs_quotes = not text or _NEEDS_QUOTES.search(text)
    return '"' + text.replace('"', '""') + '"' if needs_quotes else text
