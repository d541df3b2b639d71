"""The files that a command is given → the arguments of its Python function."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click
import pandas as pd

import qa_frame
from qa_frame.checks import require_allowed
from qa_frame.errors import hearing_warnings, plural
from qa_frame.ext.shell import exits, options
from qa_frame.ext.shell.files import check_not_read
from qa_frame.scoring.call_rules import DEFAULTS

Command = Callable[..., Any]
Result = TypeVar("Result")

COLUMNS: dict[str, Any] = {"pred": "response", "gold": "answers"}
"""The columns of `read_results` that are scored."""
SCORING = (*DEFAULTS, "progress", "n_jobs")
"""The parameters of `score` that choose the rules, and how it is done."""

FILTER = "filter"
"""The column of `read_results` that has the filters of lm-evaluation-harness."""


_READING = [*inspect.signature(qa_frame.read_results).parameters, "sep"]
"""The settings of reading. With pred and gold, they name columns or other values of the files."""


@dataclass(frozen=True, slots=True)
class InputFiles:
    """The files to read, and the settings of reading that were given."""

    paths: tuple[str, ...]
    settings: dict[str, Any]

    @property
    def source(self) -> str | list[str]:
        """The files. A single path is handed on as such, so that its rows need not tell their file."""
        return self.paths[0] if len(self.paths) == 1 else list(self.paths)

    def read(self, output: str | None) -> pd.DataFrame:
        """Return the rows of the files. If the user gives `--sep`, it cuts golds that are one text into several.

        output: the file that shall be written. Raise UsageError if it is one of the files that are read.
        """
        cutting, reading = options.split(self.settings, ["sep"])
        frame = qa_frame.read_results(self.source, **reading)
        not_read = frame.attrs.get("qa_files_not_read", [])
        if not_read:
            which = f"{not_read[0]}{', ...' * (len(not_read) > 1)}"
            exits.say(f"{plural(len(not_read), 'file')} without results that are recognised: not read, first {which}")
        if output is not None:
            check_not_read(output, [*frame.attrs["qa_files"], *filter(None, [reading.get("golds")])])
        if cutting:
            frame[COLUMNS["gold"]] = qa_frame.to_golds(frame[COLUMNS["gold"]], **cutting)
        return frame

    def score(
        self, frame: pd.DataFrame, settings: dict[str, Any], *, scored: bool
    ) -> tuple[pd.DataFrame, dict[str, Any]]:
        """Return the frame with scores, and the settings that scoring does not use.

        settings: those of the command. `metrics` or `metric` among them says which scores are made; if all are columns
        of the frame already, none is. scored: whether the files' own scores are used, so that nothing is scored. Raise
        UsageError if the user then gave settings of scoring.
        """
        rules, others = options.split(settings, SCORING)
        if scored:
            refuse_scoring_options([*self.settings.keys() & {"sep"}, *rules])
            return frame, others
        named = listed(others.get("metrics") or others.get("metric") or [])
        metrics = [name for name in named if name in {*qa_frame.metrics, "math_verify", "all"}]
        metrics += [name.removeprefix("corpus_") for name in named if name in {"corpus_chrf", "corpus_chrf++"}]
        if named and not metrics and {*named} <= {*frame}:
            return frame, others
        pooled = {*named} - {*frame} - {*metrics}
        wanted: Any = "all" if metrics == ["all"] else metrics or None
        rules |= {"stats": bool(pooled), "prefix": others.get("prefix", "")}
        return qa_frame.score(frame, **COLUMNS, metrics=wanted, **rules), others

    def tabulate(
        self, frame: pd.DataFrame, settings: dict[str, Any], make: Callable[..., Result], *, scored: bool
    ) -> Result:
        """Score the frame, call `make` with the scored frame and the remaining settings, and return its result.

        Both steps may warn of the same thing. Then only the warning of `make` is shown, as it names the groups.

        settings, scored: as in the method `InputFiles.score`.
        """
        with hearing_warnings() as of_rows:
            frame, others = self.score(frame, settings, scored=scored)
        with exits.warning_once(of_rows):
            return make(frame, **others)

    def stream_or_read(
        self, stream: Callable[[], Result], read_first: Callable[[], Result], *, scored: bool = False
    ) -> Result:
        """Return what `stream` returns, which reads files in chunks, or `read_first`, which reads them as a whole.

        `stream` is called if pred and gold are named, or `scored` is True, no other setting of reading is given, and no
        file is a pipe. If it fails because of a file, a missing column or the type of a column, `read_first` is called.
        If this cannot read the files either, the error of `stream` is raised, except one about types. A file that does
        not exist is an error at once.

        scored: whether the files' own score columns are used, so that pred and gold need not be named.
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


def takes_rows(*, without: Iterable[str] = ()) -> Callable[[Command], Command]:
    """Return a decorator that adds the argument FILES, and the options of reading files, to a command.

    The command gets the files and these options as one `InputFiles`. It gets all its other options that the user gave
    as keywords.

    without: the options of `read_results` that the command does not get.
    """

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_rows(paths: tuple[str, ...], **settings: Any) -> Any:
            settings = {name: value for name, value in settings.items() if value is not None}
            reading, others = options.split(settings, _READING)
            require_allowed(others, {})  # before files are read
            return command(
                InputFiles(tuple("/dev/stdin" if path == "-" else path for path in paths), reading), **others
            )

        decorated: Command = options.options_of(qa_frame.to_golds, without=["column"], home="convert")(with_rows)
        decorated = options.options_of(qa_frame.read_results, without=["path", *without], home="convert")(decorated)
        return click.argument("paths", metavar="FILES...", nargs=-1, required=True, type=click.Path())(decorated)

    return decorate


def takes_scoring(command: Command) -> Command:
    """Give a command the options of the rules that score rows first, and `--scored`, which uses the files' scores."""
    text = "Use the scores that the files have."
    with_rules = options.options_of(qa_frame.score, only=SCORING, home="score")(command)
    return click.option("--scored", is_flag=True, help=text)(with_rules)


def listed(names: str | list[str]) -> list[str]:
    """Return one name or several as a list."""
    return [names] if isinstance(names, str) else names


def refuse_scoring_options(options: list[str]) -> None:
    """Raise UsageError if the user gives options, beside `--scored`, that would score the rows again.

    options: the names of these options as parameters of Python; none if the list is empty.
    """
    names = [f"--{name.replace('_', '-')}" for name in options]
    if names:
        raise click.UsageError(
            f"--scored takes the scores as they are, and {' and '.join(names)} would score again; give one"
        )


def take_keys(frame: pd.DataFrame, settings: dict[str, Any]) -> tuple[Any, Any]:
    """Return `by` and `question`, and take them out of the settings. One that is not given is found among the columns.

    Raise UsageError if it is not found.
    """
    by = settings.pop("by", None) or _find_group_column(frame)
    only_groups = {*listed(by)} - {*listed(settings.get("within", []))}
    question = settings.pop("question", None)
    return by, question or [name for name in _find_question_columns(frame) if name not in only_groups]


def with_short_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with paths in its column `file` that begin below the common folder of all files.

    With one file, or without the column, it stays as it is.
    """
    if not _has_several(frame, "file"):
        return frame
    files = frame["file"].unique().tolist()
    common = os.path.commonpath([os.path.dirname(os.path.abspath(file)) for file in files])  # noqa: PTH100, PTH120
    names = {file: Path(os.path.relpath(file, common)).as_posix() for file in files}
    return frame.assign(file=frame["file"].map(names))


def _find_group_column(frame: pd.DataFrame) -> str:
    """Return the column that tells models apart; UsageError if no such column has several values."""
    for name in ("model", "file", FILTER):
        if _has_several(frame, name):
            return name
    raise click.UsageError("the rows are all of one model; give another file, or --by with the column of groups")


def must_compare_inside_filters(frame: pd.DataFrame, by: Any, within: list[str]) -> bool:
    """Return whether models must be compared inside each filter of lm-evaluation-harness.

    They must if an answer has a row for each filter, unless `by` or `within` name the column of filters already.
    """
    if FILTER in [by, *within]:
        return False
    answer = [name for name in ("question_id", "model", "dataset", "file", "sample") if name in frame]
    return _has_several(frame, FILTER) and bool(frame[[*answer, FILTER]].drop_duplicates().duplicated(answer).any())


def add_filter_to_groups(frame: pd.DataFrame, by: str, within: list[str]) -> str:
    """Return the name of the column of groups: `by`, or a new one of `by` and filter if answers have a row per filter.

    The new column is added to `frame` itself. within: the columns inside whose values groups are compared.
    """
    if not must_compare_inside_filters(frame, by, within):
        return by
    made = f"{by}, {FILTER}"
    frame[made] = frame[by].astype(str) + ", " + frame[FILTER].astype(str)
    return made


def _find_question_columns(frame: pd.DataFrame) -> list[str]:
    """Return the columns that identify a question; UsageError if there are none."""
    names = [name for name in ("question_id", "question") if name in frame and frame[name].notna().all()]
    if not names:
        raise click.UsageError("the files do not tell which question a row answers; name the column with --question")
    return ["dataset", names[0]] if _has_several(frame, "dataset") else names[:1]


def _has_several(frame: pd.DataFrame, name: str) -> bool:
    """Return whether the column exists, has no nulls, and has more than one value."""
    return name in frame and bool(frame[name].notna().all()) and len(frame[name].unique()) > 1
