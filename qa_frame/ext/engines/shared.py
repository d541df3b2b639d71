"""The parts of all engines: a scoring that is checked before any row is there, and packages that may be missing."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Hashable, Iterator
from typing import Any

from qa_frame._typing import Frame
from qa_frame.errors import MissingPackageError, QaFrameError
from qa_frame.frames.source import read_source
from qa_frame.scoring.call_rules import Rules
from qa_frame.scoring.plan import ScoreColumns, make_plan
from qa_frame.tables import score as scoring
from qa_frame.tables.row_sums import SumsPlan, sum_parts
from qa_frame.tables.summary import TablePlan, plan_summary

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


def plan_parts(empty: Any, **arguments: Any) -> tuple[SumsPlan, TablePlan, list[Any]]:
    """Return which sums a summary keeps, how they become its table, and the columns that it needs.

    Errors come before anything is read.

    empty: a frame without rows that has the columns of all parts.
    """
    plan, table = plan_summary(**arguments)
    sum_parts(plan, [], empty=empty)
    return plan, table, plan.needed_columns(read_source(empty))


def score_part(part: Frame, *, metrics: ScoreColumns, rules: Rules, stats: bool, **settings: Any) -> Frame:
    """Score the rows of one part. No part shows a bar, or warns, as none sees all rows."""
    return scoring.score_by(make_plan(metrics, rules, stats=stats), part, **settings, progress=False)[0]


@contextlib.contextmanager
def saying_part(part: str) -> Iterator[None]:
    """Add to errors that name rows that these are rows of one part of the frame. part: what an engine calls it."""
    try:
        yield
    except QaFrameError as error:
        if " row" not in str(error):
            raise
        raise type(error)(f"{error}. Rows are counted from 0 in one {part}, not in the whole frame") from error
