"""What all engines share: a scoring that is checked before any row is there, and packages that may be missing."""

from __future__ import annotations

import importlib.util
from collections.abc import Hashable
from typing import Any, TypeVar

from qa_frame.api.score import score, score_by
from qa_frame.errors import MissingPackageError
from qa_frame.frames.kinds import read_source
from qa_frame.frames.text_columns import require_text_types
from qa_frame.rules.listing import DEFAULT
from qa_frame.rules.parts import Convention
from qa_frame.scoring.plan import Metrics, Missing, find_convention, make_plan
from qa_frame.scoring.reduction import Reduction

Frame = TypeVar("Frame")

OF_ONE_PROCESS = ("progress", "n_jobs")
"""Arguments of `score` that an engine does not take: it has its own workers."""


def require_package(package: str, *, extra: str) -> None:
    """Raise MissingPackageError, which names the extra that installs it, unless the package is installed."""
    if importlib.util.find_spec(package) is None:
        raise MissingPackageError(
            f'qa_frame.engines.{extra} needs the package {package}; install it with: pip install "qa-frame[{extra}]"'
        )


def score_no_rows(empty: Frame, **arguments: Any) -> Frame:
    """Score a frame without rows, which has the columns of the result.

    Raises what is wrong with the arguments, and with the names and types of columns.
    """
    scored = score(empty, **arguments)
    spans = find_convention(arguments.get("convention", DEFAULT), "convention").spans
    columns = read_source(empty).columns
    require_text_types(columns, pred=arguments["pred"], gold=arguments["gold"], spans=spans)
    return scored


def score_part(
    part: Frame,
    *,
    pred: Hashable,
    gold: Hashable,
    metrics: Metrics,
    convention: str | Convention,
    reduce: Reduction | None,
    missing: Missing,
    prefix: str,
    append: bool,
    **rules: Any,
) -> Frame:
    """Score the rows of one part. No part shows a bar, or warns: only `summary` sees all rows."""
    plan = make_plan(metrics, convention, reduce, missing, **rules)
    return score_by(plan, part, pred=pred, gold=gold, prefix=prefix, append=append, progress=False)[0]
