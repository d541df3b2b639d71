"""What to compute: the arguments of a scoring call, checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from qa_frame.conventions import Convention, conventions
from qa_frame.errors import UnknownOptionError, unknown_option
from qa_frame.metrics import DEFAULT_METRICS, FAMILIES, METRICS
from qa_frame.reduction import REDUCTIONS, Reduction, vectorised
from qa_frame.text.tokenisers import TOKENISERS

Metrics = Iterable[str] | str | None
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
    for family in FAMILIES:
        if getattr(convention, family) not in TOKENISERS:
            raise unknown_option(f"convention.{family}", getattr(convention, family), TOKENISERS)
    if not callable(reduction) and reduction not in REDUCTIONS:
        raise unknown_option("reduce", reduction, [*REDUCTIONS, "a callable"])
    if missing not in MISSING:
        raise unknown_option("missing", missing, MISSING)
    return Plan(_metric_names(metrics), convention, vectorised(reduction), missing)


def _metric_names(metrics: Metrics) -> tuple[str, ...]:
    if metrics is None:
        return DEFAULT_METRICS
    if isinstance(metrics, str):
        if metrics not in METRICS and metrics != "all":
            raise unknown_option("metrics", metrics, [*METRICS, "all"])
        metrics = METRICS if metrics == "all" else [metrics]
    if not isinstance(metrics, Iterable):
        raise unknown_option("metrics", metrics, [*METRICS, "all"])
    names = tuple(metrics)
    for name in names:
        if not isinstance(name, str) or name not in METRICS:
            raise unknown_option("metrics", name, METRICS)
    if not names:
        raise UnknownOptionError(f"metrics={metrics!r} names no metric. Choose from {[*METRICS, 'all']}")
    return tuple(dict.fromkeys(names))
