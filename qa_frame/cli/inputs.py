"""The files that a command is given → the arguments of its Python function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click
import pandas as pd

import qa_frame
from qa_frame.cli import exits, options
from qa_frame.cli.files import check_not_read

Command = Callable[..., Any]
Result = TypeVar("Result")

COLUMNS: dict[str, Any] = {"pred": "response", "gold": "answers"}
"""The columns of `read_results` that are scored."""

_READING = [*inspect.signature(qa_frame.read_results).parameters, "sep"]
"""The settings of reading. With pred and gold, they name columns or other values of the files."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The files to read, and the settings of reading that were given."""

    paths: tuple[str, ...]
    settings: dict[str, Any]

    @property
    def source(self) -> str | list[str]:
        """The files. A single path is handed on as such, so that its rows need not tell their file."""
        return self.paths[0] if len(self.paths) == 1 else list(self.paths)

    def read(self, output: str | None) -> pd.DataFrame:
        """Return the rows of the files.

        output: the file that shall be written. It may not be one of the files that are read.
        """
        cutting, reading = options.split(self.settings, ["sep"])
        frame = qa_frame.read_results(self.source, **reading)
        if output is not None:
            check_not_read(output, frame.attrs["qa_files"])
        if cutting:
            frame[COLUMNS["gold"]] = qa_frame.to_golds(frame[COLUMNS["gold"]], **cutting)
        return frame

    def columns(self, *, scored: bool, but: Iterable[str] = ("sep",)) -> dict[str, Any]:
        """Return the columns to score. Return no columns if the files' own scores are used.

        Raises UsageError where settings `but` are given, which say how to score.
        """
        names = [f"--{name}" for name in but if name in self.settings]
        if scored and names:
            raise click.UsageError(
                f"--scored takes the scores as they are, and {' and '.join(names)} would score again; give one"
            )
        return {} if scored else COLUMNS

    def stream_or_read(
        self, stream: Callable[[], Result], read_first: Callable[[], Result], *, scored: bool = False
    ) -> Result:
        """Read piece by piece where the columns are named and there, else with `read_results`, and pipes always so.

        scored: the files' own score columns are used, so that pred and gold need not be named.
        """
        named = {"pred", "gold"} <= self.settings.keys()
        is_pipe = any(Path(path).is_fifo() for path in self.paths)  # which gives its rows only once
        if is_pipe or not (named or scored) or self.settings.keys() - {"pred", "gold", "max_record_bytes"}:
            return read_first()
        try:
            return stream()
        except qa_frame.ResultFileNotFoundError:
            raise
        except (qa_frame.ColumnTypeError, qa_frame.GoldFormatError):
            exits.say(
                "not all values are text or lists of text: files are read as a whole, as qa-frame convert reads them"
            )
            return read_first()
        except (qa_frame.ColumnNotFoundError, qa_frame.ResultFileError) as error:
            first = error
        try:
            return read_first()
        except qa_frame.ResultFileError as error:
            raise first from error


def takes_rows(*, without: Iterable[str] = (), required: bool = True) -> Callable[[Command], Command]:
    """Give a command FILES and the options of reading them, as `Rows`, and all other options that were given."""

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_rows(paths: tuple[str, ...], **settings: Any) -> Any:
            reading, others = options.split(options.given(settings), _READING)
            return command(Rows(tuple("/dev/stdin" if path == "-" else path for path in paths), reading), **others)

        found: Command = options.options_of(qa_frame.to_golds, without=["column"])(with_rows)
        found = options.options_of(qa_frame.read_results, without=["path", *without])(found)
        metavar = "FILES..." if required else "[FILES]..."
        return click.argument("paths", metavar=metavar, nargs=-1, required=required, type=click.Path())(found)

    return decorate


takes_scored: Callable[[Command], Command] = click.option(
    "--scored", is_flag=True, help="Use the score columns that the files have, instead of scoring the rows."
)
