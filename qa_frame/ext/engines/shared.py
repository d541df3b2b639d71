"""The parts of all engines: a scoring that is checked before any row is there, and packages that may be missing."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import inspect
import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from qa_frame._typing import Frame
from qa_frame.errors import MissingPackageError, QaFrameError, hearing_warnings, warn
from qa_frame.frames.row_rules import MARK
from qa_frame.frames.source import read_source
from qa_frame.scoring.call_rules import DEFAULTS, Rules, make_rules
from qa_frame.scoring.plan import ScoreColumns, make_plan
from qa_frame.tables import score as scoring
from qa_frame.tables.methods import binder, fill_in, read_descriptions
from qa_frame.tables.row_sums import RowSums, SumsPlan, sums_of_parts
from qa_frame.tables.summary import TablePlan, plan_summary, summarise

OF_ONE_PROCESS = ("progress", "n_jobs")
"""Arguments of `score` that an engine does not take: it has its own workers."""


def require_package(package: str, *, extra: str) -> None:
    """Raise MissingPackageError, which names the extra that installs it, unless the package is installed."""
    if importlib.util.find_spec(package) is None:
        raise MissingPackageError(
            f'qa_frame.engines.{extra} needs the package {package}; install it with: pip install "qa-frame[{extra}]"'
        )


def score_no_rows(empty: Frame, *, metrics: ScoreColumns, rules: Rules, stats: bool, **settings: Any) -> Frame:
    """Score a frame without rows by the arguments of a call. It gets the columns of the result.

    Raises the errors of arguments, and of the names and types of columns.
    """
    return scoring.score_no_rows(make_plan(metrics, rules, stats=stats), empty, **settings)


def text_columns(*, pred: Hashable, gold: Hashable, rules: Rules, **_: Any) -> list[Any]:
    """Return the columns that are read where rows are scored by the arguments of a call, each once."""
    return [name for name in dict.fromkeys((pred, gold, rules.choices)) if name is not None]


def read_alone(known: Sequence[Any], *, append: bool, **arguments: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return the columns that scores are made of, and the arguments of `part_scorer` for parts of these columns alone.

    known: all columns of the frame. append: whether the scores stand beside them, with marks and flags.
    """
    read, mark = text_columns(**arguments), arguments["prefix"] + MARK
    if append and mark in known:
        read.append(mark)
    return read, {**arguments, "append": False, "names_of_all": known if append else None}


def plan_parts(empty: Any, **arguments: Any) -> tuple[SumsPlan, TablePlan, list[Any]]:
    """Return which sums a summary keeps, how they become its table, and the columns that it needs.

    Errors come before anything is read.

    empty: a frame without rows that has the columns of all parts.
    """
    plan, table = plan_summary(**arguments)
    sum_parts(plan, [], empty=empty)
    return plan, table, plan.needed_columns(read_source(empty))


def part_scorer(*, metrics: ScoreColumns, rules: Rules, stats: bool, **settings: Any) -> Callable[[Frame], Frame]:
    """Return the function that scores the rows of a part. It makes its plan once, for all parts that it gets.

    No part shows a bar, or warns, as none sees all rows.
    """
    plan = make_plan(metrics, rules, stats=stats)

    def score_part(part: Frame) -> Frame:
        return scoring.score_by(plan, part, **settings, progress=False)[0]

    return score_part


@contextlib.contextmanager
def saying_part(part: str) -> Iterator[None]:
    """Add to errors that name rows that these are rows of one part of the frame. part: what an engine calls it."""
    try:
        yield
    except QaFrameError as error:
        if " row" not in str(error):
            raise
        raise type(error)(f"{error}. Rows are counted from 0 in one {part}, not in the whole frame") from error


def sum_parts(plan: SumsPlan, parts: Iterable[Any], *, empty: Any) -> RowSums:
    """Return the sums of the rows of these frames.

    empty: a frame without rows. It has the columns of the parts, of which there may be none.
    """
    sums, parts = sums_of_parts(plan), iter(parts)
    for part in itertools.chain([next(parts, empty)], parts):
        sums.add(read_source(part))
    return sums


def merge_sums(plan: SumsPlan, parts: Iterable[RowSums]) -> RowSums:
    """Return new sums of all rows of these, which stay as they are."""
    merged = sums_of_parts(plan)
    for part in parts:
        merged.merge(part)
    return merged


@dataclass(frozen=True, slots=True)
class Summarised:
    """The table of a summary that another process made, or its error, and the warnings that it gave: by text, a class.

    All sums stay there, which may be those of every question or cluster. The table alone is sent.
    """

    table: pd.DataFrame | None
    error: QaFrameError | None
    warnings: dict[str, type[Warning]]

    def take(self) -> pd.DataFrame:
        """Return the table, or raise the error, and give the warnings here."""
        for message, category in self.warnings.items():
            warn(message, category)
        if self.table is None:
            raise self.error or AssertionError
        return self.table


def summarise_parts(plan: SumsPlan, parts: Iterable[RowSums], wanted: TablePlan) -> Summarised:
    """Merge the sums of all parts and make their table, for another process."""
    with hearing_warnings() as warnings:
        try:
            return Summarised(summarise(merge_sums(plan, parts), wanted), None, warnings)
        except QaFrameError as error:
            return Summarised(None, error, warnings)


def takes_arguments_of(
    function: Callable[..., Any], *, without: tuple[str, ...] = ()
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function with the arguments of a public function, less its frame and those `without`.

    It gets its frame, or itself, as the first argument, and all others by keyword, with the function's
    defaults; `rules` holds those that choose the rules, checked, if the function takes them. Keyword arguments that it
    names itself are added to the signature. `{arguments}` in its docstring becomes the function's descriptions.
    """

    def decorate(decorated: Callable[..., Any]) -> Callable[..., Any]:
        first, *added = inspect.signature(decorated).parameters.values()
        _frame, *others = inspect.signature(function).parameters.values()
        taken = [each for each in others if each.name not in without]
        names = [each.name for each in taken]
        added = [each for each in added if each.kind is each.KEYWORD_ONLY and each.name not in names]
        signature = inspect.signature(decorated).replace(parameters=[first, *taken, *added])
        bind = binder(f"{'df.qa' if first.name == 'self' else 'qa_frame'}.{decorated.__name__}", signature)

        @functools.wraps(decorated)
        def wrapper(*arguments: Any, **settings: Any) -> Any:
            bound = bind(arguments, settings)
            if choosing := {name: bound.pop(name) for name in DEFAULTS if name in bound}:
                bound["rules"] = make_rules(**choosing)
            return decorated(bound.pop(first.name), **bound)

        wrapper.__signature__ = signature  # type: ignore[attr-defined]
        return describes_arguments_of(function)(wrapper)

    return decorate


def describes_arguments_of(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a decorator that fills in `{arguments}` in a docstring with the descriptions from another function.

    Only arguments of both functions are filled in. Arguments that the docstring itself describes are left out.
    """

    def decorate(decorated: Callable[..., Any]) -> Callable[..., Any]:
        names = {*inspect.signature(decorated).parameters} - {*", ".join(read_descriptions(decorated)).split(", ")}
        decorated.__doc__ = fill_in(decorated, names, read_descriptions(function))
        return decorated

    return decorate
