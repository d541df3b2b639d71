"""The files that a command is given → what its Python function takes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

import qa_frame
from qa_frame.cli import options
from qa_frame.cli.files import check_not_read

Result = TypeVar("Result")

COLUMNS: dict[str, Any] = {"pred": "response", "gold": "answers"}
"""The columns of `read_results` that are scored."""

READING = [*options.names_of(qa_frame.read_results), "sep"]
"""The settings of reading. With pred and gold, they name columns or other values of the files."""


def read(paths: tuple[str, ...], reading: dict[str, Any], output: str | None) -> pd.DataFrame:
    """Return the rows of the files. A single path is handed on as such, so that its rows need not tell their file.

    output: what shall be written. It may be none of the files that are read.
    """
    cutting, reading = options.split(reading, ["sep"])
    frame = qa_frame.read_results(paths[0] if len(paths) == 1 else list(paths), **reading)
    if output is not None:
        check_not_read(output, frame.attrs["qa_files"])
    if cutting:
        frame[COLUMNS["gold"]] = qa_frame.to_golds(frame[COLUMNS["gold"]], **cutting)
    return frame


def stream_or_read(
    paths: tuple[str, ...],
    reading: dict[str, Any],
    stream: Callable[[], Result],
    read_first: Callable[[], Result],
    *,
    scored: bool = False,
) -> Result:
    """Read piece by piece where the columns are named and there, else with `read_results`, and pipes always so.

    scored: the files' own score columns are used, so that no other column need be named.
    """
    named = {"pred", "gold"} <= reading.keys()
    is_pipe = any(Path(path).is_fifo() for path in paths)  # which gives its rows only once
    if is_pipe or not (named or scored) or reading.keys() - {"pred", "gold", "max_record_bytes"}:
        return read_first()
    try:
        return stream()
    except qa_frame.ResultFileNotFoundError:
        raise
    except (qa_frame.ColumnNotFoundError, qa_frame.ResultFileError) as error:
        first = error
    try:
        return read_first()
    except qa_frame.ResultFileError as error:
        raise first from error
