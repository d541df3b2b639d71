"""What all engines share: a scoring that is checked before any row is there, and packages that may be missing."""

from __future__ import annotations

import importlib.util
from collections.abc import Hashable
from typing import Any

from qa_frame._typing import Frame
from qa_frame.api.score import score_by
from qa_frame.errors import MissingPackageError
from qa_frame.frames.kinds import read_source
from qa_frame.frames.text_columns import require_text_types
from qa_frame.scoring.call_rules import Rules
from qa_frame.scoring.plan import Metrics, make_plan

OF_ONE_PROCESS = ("progress", "n_jobs")
"""Arguments of `score` that an engine does not take: it has its own workers."""


def require_package(package: str, *, extra: str) -> None:
    """Raise MissingPackageError, which names the extra that installs it, unless the package is installed."""
    if importlib.util.find_spec(package) is None:
        raise MissingPackageError(
            f'qa_frame.engines.{extra} needs the package {package}; install it with: pip install "qa-frame[{extra}]"'
        )


def score_no_rows(empty: Frame, *, pred: Hashable, gold: Hashable, rules: Rules, **arguments: Any) -> Frame:
    """Score a frame without rows, which has the columns of the result.

    Raises the errors of arguments, and of the names and types of columns.
    """
    scored = score_part(empty, pred=pred, gold=gold, rules=rules, **arguments)
    require_text_types(read_source(empty).columns, pred=pred, gold=gold, spans=rules.convention.spans)
    return scored


def score_part(part: Frame, *, metrics: Metrics, rules: Rules, stats: bool, **settings: Any) -> Frame:
    """Score the rows of one part. No part shows a bar, or warns: only `summary` sees all rows."""
    return score_by(make_plan(metrics, rules, stats=stats), part, **settings, progress=False)[0]
