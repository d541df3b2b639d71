"""Frames of rows → Parquet, JSON Lines or CSV."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from qa_frame.cli import files
from qa_frame.cli.files import format_of, replacing

FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
}
"""The formats of rows by the endings of files."""

_ROWS_AT_ONCE = 10_000


def check_destination(path: str, inputs: Iterable[str], *, overwrite: bool) -> None:
    """Raise UsageError where rows cannot be written into this file. inputs: what is read."""
    format_of(path, FORMATS)
    files.check_destination(path, inputs, overwrite=overwrite)


def write_frame(frame: pd.DataFrame, path: str) -> None:
    """Write rows in the format that the file's ending tells."""
    kind = format_of(path, FORMATS)
    with replacing(path) as part:
        if kind == "parquet":
            frame.to_parquet(part, index=False)
        elif kind == "jsonl":
            _write_lines(frame, part)
        else:
            frame.apply(_with_written_lists).to_csv(part, index=False)


def plain(value: Any) -> Any:
    """Return a value as JSON has it: null for NaN and nulls, a list for an array, text for what JSON has not."""
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value is pd.NA or value is pd.NaT or value != value:  # noqa: PLR0124  (only NaN differs from itself)
        return None
    return value if isinstance(value, str | int | float | dict) else str(value)


def _write_lines(frame: pd.DataFrame, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for start in range(0, len(frame), _ROWS_AT_ONCE):
            for record in frame.iloc[start : start + _ROWS_AT_ONCE].to_dict("records"):
                line = {str(name): plain(value) for name, value in record.items()}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _has_lists(column: pd.Series[Any]) -> bool:
    return bool(column.map(lambda value: isinstance(value, np.ndarray | list)).any())


def _with_written_lists(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column whose lists are JSON texts, as `read_results` reads them from CSV."""
    if not _has_lists(column):
        return column
    texts = [None if (each := plain(value)) is None else json.dumps(each, ensure_ascii=False) for value in column]
    return pd.Series(texts, index=column.index, dtype=object)
