"""Frames of rows → Parquet, JSON Lines or CSV."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from qa_frame.ext.files import formats
from qa_frame.ext.shell import files
from qa_frame.ext.shell.files import format_of
from qa_frame.replacement import replacing

FORMATS = {
    ending: each for each in ("parquet", "jsonl", "csv") for ending, known in formats.FORMATS.items() if known == each
}
"""The formats in which rows are written, by the endings of files."""

_ROWS_AT_ONCE = 10_000
_NEEDS_QUOTES = re.compile(r'[",\r\n]|^\s|\s$')


def check_destination(path: str, inputs: Iterable[str], *, overwrite: bool) -> None:
    """Raise UsageError where rows cannot be written into this file. inputs: the files that are read."""
    format_of(path, FORMATS)
    files.check_destination(path, inputs, overwrite=overwrite)


def write_frame(frame: pd.DataFrame, path: str) -> None:
    """Write rows in the format that the file's ending tells."""
    kind = format_of(path, FORMATS)
    with replacing(path) as part:
        if kind == "parquet":
            frame.to_parquet(part, index=False)
        elif kind == "jsonl":
            _write_lines(frame, part, path)
        else:
            with part.open("w", encoding="utf-8", newline="") as file:
                file.writelines(csv_lines(frame))


def plain(value: Any) -> Any:
    """Return a value as JSON has it: null for NaN and nulls, a list for an array, text for any other value."""
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
    """Yield a frame as lines of CSV. Null is nothing, and empty text stands in quotes; lists are JSON.

    So `read_results` gives back the texts and lists that were there, and no reader takes one for the other.
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
    if value is None:
        return ""
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)
    needs_quotes = not text or _NEEDS_QUOTES.search(text)
    return '"' + text.replace('"', '""') + '"' if needs_quotes else text
