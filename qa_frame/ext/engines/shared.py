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
from qa_frame.frames.row_rules import RULES_LABEL
from qa_frame.frames.source import read_source
from qa_frame.scoring.call_rules import DEFAULTS, Rules, make_rules
from qa_frame.scoring.plan import ScoreColumns, make_plan
from qa_frame.tables import score as scoring
from qa_frame.tables.methods import fill_in, make_bind, read_descriptions
from qa_frame.tables.row_sums import RowSums, SumsPlan, start_row_sums
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
    """Return what scoring makes of a frame without rows: the columns of the result, with their types and no rows.

    The arguments are those of a call of `score`. Raises the errors of arguments, and of the names and types of columns.
    """
    return scoring.score_no_rows(make_plan(metrics, rules, stats=stats), empty, **settings)


def text_columns(*, pred: Hashable, gold: Hashable, rules: Rules, **_: Any) -> list[Any]:
    """Return the names of the columns that a call of `score` reads: predictions, golds and options, each once."""
    return [name for name in dict.fromkeys((pred, gold, rules.choices)) if name is not None]


def plan_scoring(known: Sequence[Any], *, append: bool, **arguments: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return the columns that a call of `score` reads, and the arguments with which `part_scorer` scores these alone.

    known: all columns of the frame. append: whether the frame keeps its columns, and also gets those of rules and
    flags. Then the column of rules that the frame has already is read, too. arguments: those of the call.
    """
    read, rules_label = text_columns(**arguments), arguments["prefix"] + RULES_LABEL
    if append and rules_label in known:
        read.append(rules_label)
    return read, {**arguments, "append": False, "names_of_all": known if append else None}


def plan_parts(empty: Any, **arguments: Any) -> tuple[SumsPlan, TablePlan, list[Any]]:
    """Return which sums a summary keeps, how they become its table, and the names of the columns that it needs.

    Raises the errors of arguments and columns before anything is read.

    empty: a frame without rows that has the columns of all parts. arguments: those of a call of `summary`.
    """
    plan, table = plan_summary(**arguments)
    sum_parts(plan, [], empty=empty)
    return plan, table, plan.needed_columns(read_source(empty))


def part_scorer(*, metrics: ScoreColumns, rules: Rules, stats: bool, **settings: Any) -> Callable[[Frame], Frame]:
    """Return the function that scores the rows of a part. One plan is made, for all parts that it gets.

    No part shows a progress bar, or warns, as none sees all rows. settings: the other arguments of `score_by_plan`.
    """
    plan = make_plan(metrics, rules, stats=stats)

    def score_part(part: Frame) -> Frame:
        return scoring.score_by_plan(plan, part, **settings, progress=False)[0]

    return score_part


@contextlib.contextmanager
def saying_part(part: str) -> Iterator[None]:
    """Add to errors that name rows that these are counted in one part of the frame.

    part: what the engine calls a part, such as "partition of dask".
    """
    try:
        yield
    except QaFrameError as error:
        if " row" not in str(error):
            raise
        raise type(error)(f"{error}. Rows are counted from 0 in one {part}, not in the whole frame") from error


def sum_parts(plan: SumsPlan, parts: Iterable[Any], *, empty: Any) -> RowSums:
    """Return the sums of the rows of these frames.

    empty: a frame without rows that has the columns of the parts, for the case that there are no parts.
    """
    sums, parts = start_row_sums(plan), iter(parts)
    for part in itertools.chain([next(parts, empty)], parts):
        sums.add(read_source(part))
    return sums


def merge_sums(plan: SumsPlan, parts: Iterable[RowSums]) -> RowSums:
    """Return new sums of the rows of all parts. The parts' own sums stay as they are."""
    merged = start_row_sums(plan)
    for part in parts:
        merged.merge(part)
    return merged


@dataclass(frozen=True, slots=True)
class Summarised:
    """The table of a summary that another process made, or its error, and the warnings that it gave.

    The sums of all questions or clusters stay in that process; the table alone is sent. table, error: one of them is
    None. warnings: the class of each warning, by its text.
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
    """Merge the sums of all parts, and return their table or the error, to be sent to another process."""
    with hearing_warnings() as warnings:
        try:
            return Summarised(summarise(merge_sums(plan, parts), wanted), None, warnings)
        except QaFrameError as error:
            return Summarised(None, error, warnings)


def takes_arguments_of(
    function: Callable[..., Any], *, without: tuple[str, ...] = ()
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that gives a function the arguments of a public one, except its frame and those `without`.

    The decorated function gets its frame, or itself, as the first argument, and all others by keyword, with the
    defaults of the public function. It gets the arguments that choose the rules as one checked `rules`. Keyword
    arguments that it names itself are added to the signature. `{arguments}` in its docstring becomes the public
    function's descriptions.
    """

    def decorate(decorated: Callable[..., Any]) -> Callable[..., Any]:
        first, *added = inspect.signature(decorated).parameters.values()
        _frame, *others = inspect.signature(function).parameters.values()
        taken = [each for each in others if each.name not in without]
        names = [each.name for each in taken]
        added = [each for each in added if each.kind is each.KEYWORD_ONLY and each.name not in names]
        signature = inspect.signature(decorated).replace(parameters=[first, *taken, *added])
        bind = make_bind(f"{'df.qa' if first.name == 'self' else 'qa_frame'}.{decorated.__name__}", signature)

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
    """Return a decorator that fills in `{arguments}` in a docstring with the descriptions from another function.

    Only arguments of both functions are filled in. Arguments that the docstring itself describes are left out.
    """

    def decorate(decorated: Callable[..., Any]) -> Callable[..., Any]:
        names = {*inspect.signature(decorated).parameters} - {*", ".join(read_descriptions(decorated)).split(", ")}
        decorated.__doc__ = fill_in(decorated, names, read_descriptions(function))
        return decorated

    return decorate
