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
SCORING = ("convention", "reduce", "best_by", "missing", "extract", "choices", "progress", "n_jobs")
"""The parameters of `score` that choose the rules, and how it is done."""

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

    def scored(
        self, frame: pd.DataFrame, settings: dict[str, Any], *, scored: bool
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Return the frame with scores, and the settings that are left once it is scored.

        settings: the rules among them are taken, and `metrics` or `metric` says which scores are made.
        scored: whether the files' own scores are used, so that nothing is scored.
        """
        rules, asking = options.split(settings, SCORING)
        if scored:
            require_unscored([*self.settings.keys() & {"sep"}, *rules])
            return frame, asking
        named = listed(asking.get("metrics") or asking.get("metric") or [])
        metrics = [name for name in named if name in {*qa_frame.metrics, "math_verify", "all"}]
        metrics += [name.removeprefix("corpus_") for name in named if name in {"corpus_chrf", "corpus_chrf++"}]
        needs_scores = metrics or not named or not {*named} <= {*frame}
        if not needs_scores:
            return frame, asking
        pooled = {*named} - {*frame} - {*metrics}
        wanted: Any = "all" if metrics == ["all"] else metrics or None
        rules |= {"stats": bool(pooled), "prefix": asking.get("prefix", "")}
        return qa_frame.score(frame, **COLUMNS, metrics=wanted, **rules), asking

    def stream_or_read(
        self, stream: Callable[[], Result], read_first: Callable[[], Result], *, scored: bool = False
    ) -> Result:
        """Read piece by piece where the columns are named and there, else with `read_results`, and pipes always so.

        scored: the files' own score columns are used, so that pred and gold need not be named.
        """
        named = {"pred", "gold"} <= self.settings.keys()
        is_pipe = any(Path(path).is_fifo() for path in self.paths)  # which gives its rows only once
        if is_pipe or not (named or scored) or self.settings.keys() - {"pred", "gold"}:
            return read_first()
        try:
            return stream()
        except qa_frame.errors.ResultFileNotFoundError:
            raise
        except (qa_frame.errors.ColumnTypeError, qa_frame.errors.GoldFormatError):
            exits.say(
                "not all values are text or lists of text: files are read as a whole, as qa-frame convert reads them"
            )
            return read_first()
        except (qa_frame.errors.ColumnNotFoundError, qa_frame.errors.ResultFileError) as error:
            first = error
        try:
            return read_first()
        except qa_frame.errors.ResultFileError as error:
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


def takes_scoring(command: Command) -> Command:
    """Give a command the options of the rules that score rows first, and `--scored`, which uses the files' scores."""
    text = "Use the score columns that the files have, instead of scoring the rows."
    with_rules = options.options_of(qa_frame.score, only=SCORING)(command)
    return click.option("--scored", is_flag=True, help=text)(with_rules)


def listed(names: str | list[str]) -> list[str]:
    """Return names as a list, also one alone."""
    return [names] if isinstance(names, str) else names


def require_unscored(given: list[str]) -> None:
    """Raise UsageError where options are given that have no use with scores that are there."""
    names = [f"--{name.replace('_', '-')}" for name in given]
    if names:
        raise click.UsageError(
            f"--scored takes the scores as they are, and {' and '.join(names)} would score again; give one"
        )
