"""What to compute: the arguments of a scoring call, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from qa_frame.conventions import Convention, conventions
from qa_frame.errors import UnknownOptionError, unknown_option
from qa_frame.metrics import DEFAULT_METRICS, METRICS
from qa_frame.reduction import REDUCTIONS, Reduction, vectorised

Metrics = Sequence[str] | str | None
Missing = Literal["zero", "null", "raise"]

MISSING: tuple[Missing, ...] = ("zero", "null", "raise")


@dataclass(frozen=True, slots=True)
class Plan:
    """The checked arguments of a scoring call."""

    metrics: tuple[str, ...]
    convention: Convention
    reduce: Reduction
    missing: Missing

    @property
    def signature(self) -> str:
        """One line that names every setting on which the scores depend."""
        reduction = self.reduce if isinstance(self.reduce, str) else getattr(self.reduce, "__name__", repr(self.reduce))
        return f"{self.convention.signature}|reduce:{reduction}|missing:{self.missing}"


def make_plan(metrics: Metrics, convention: str | Convention, reduction: Reduction, missing: Missing) -> Plan:
    """Check the arguments of a scoring call; an unknown name raises UnknownOptionError."""
    if isinstance(convention, str):
        if convention not in conventions:
            raise unknown_option("convention", convention, conventions)
        convention = conventions[convention]
    elif not isinstance(convention, Convention):
        raise UnknownOptionError(
            f"convention={convention!r} is neither a name from {list(conventions)} nor a Convention"
        )
    if not callable(reduction) and reduction not in REDUCTIONS:
        raise unknown_option("reduce", reduction, [*REDUCTIONS, "a callable"])
    if missing not in MISSING:
        raise unknown_option("missing", missing, MISSING)
    return Plan(_metric_names(metrics), convention, vectorised(reduction), missing)


def _metric_names(metrics: Metrics) -> tuple[str, ...]:
    if metrics is None:
        return DEFAULT_METRICS
    if isinstance(metrics, str):
        metrics = list(METRICS) if metrics == "all" else [metrics]
    for name in metrics:
        if name not in METRICS:
            raise unknown_option("metrics", name, [*METRICS, "all"])
    if not metrics:
        raise UnknownOptionError(f"metrics={metrics!r} names no metric. Choose from {[*METRICS, 'all']}")
    return tuple(dict.fromkeys(metrics))
