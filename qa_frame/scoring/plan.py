"""What a scoring call computes: its arguments, checked."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from qa_frame.errors import MissingPackageError, UnknownOptionError, unknown_option
from qa_frame.rules.listing import conventions
from qa_frame.rules.parts import FAMILIES, Convention
from qa_frame.rules.signature import digest
from qa_frame.scoring.metrics import BLEU_STATISTICS, METRICS, OVERLAP_STATISTICS
from qa_frame.scoring.reduction import REDUCTIONS, Reduction, vectorised
from qa_frame.text.specification import Blank, Delete, Text
from qa_frame.text.steps import STEPS
from qa_frame.text.tokenisers import SPLITS, packages_needed, takes_whole_texts

Metrics = Iterable[str] | str | None
Missing = Literal["zero", "null", "raise"]

MISSING: tuple[Missing, ...] = ("zero", "null", "raise")

_DEFAULT_CONVENTION = next(iter(conventions.values()))


@dataclass(frozen=True, slots=True)
class Plan:
    """The checked arguments of a scoring call.

    Attributes
    ----------
    metrics
        The metrics to give.
    convention
        The rules to score by.
    reduce
        How the scores of a row's golds become one.
    missing
        What a null prediction counts as.
    stats
        Whether to give the sufficient statistics, too.
    """

    metrics: tuple[str, ...]
    convention: Convention
    reduce: Reduction
    missing: Missing
    stats: bool = False

    @property
    def signature(self) -> str:
        """One line that names every setting on which the scores depend."""
        reduction: object = self.reduce
        if callable(self.reduce):
            name = getattr(self.reduce, "__qualname__", type(self.reduce).__qualname__)
            reduction = f"{name}#{digest(self.reduce)}"
        return f"{self.convention.signature}|reduce:{reduction}|missing:{self.missing}"

    @property
    def is_default(self) -> bool:
        """Whether the rules are those of a call without any argument for them."""
        return self.convention == _DEFAULT_CONVENTION and self.reduce == "max" and self.missing == "zero"

    @property
    def statistics(self) -> tuple[str, ...]:
        """The statistics to give: those for which the convention has rules."""
        if not self.stats:
            return ()
        overlap = OVERLAP_STATISTICS if self.convention.overlap else ()
        return (*overlap, *(BLEU_STATISTICS if self.convention.bleu or self.convention.bleu_n else ()))

    @property
    def computed_metrics(self) -> tuple[str, ...]:
        """The metrics to compute for each pair: those to give, and F1 if it chooses a row's gold."""
        f1_chooses = self.reduce == "best" or "overlap" in self.statistics
        return tuple(dict.fromkeys((*self.metrics, "f1"))) if f1_chooses else self.metrics

    @property
    def takes_whole_texts(self) -> bool:
        """Whether no rule of the convention works word by word."""
        return all(takes_whole_texts(text) for _, text in _texts(self.convention))

    @property
    def calls_python(self) -> bool:
        """Whether a function of the caller's takes part. It need not be thread-safe."""
        return callable(self.reduce) or any(callable(text.split) for _, text in _texts(self.convention))


def make_plan(
    metrics: Metrics, convention: str | Convention, reduction: Reduction, missing: Missing, *, stats: bool = False
) -> Plan:
    """Check the arguments of a scoring call. UnknownOptionError if a value is not one of those allowed."""
    if isinstance(convention, str):
        if convention not in conventions:
            raise unknown_option("convention", convention, conventions)
        convention = conventions[convention]
    elif not isinstance(convention, Convention):
        raise UnknownOptionError(
            f"convention={convention!r} is neither a name from {list(conventions)} nor a Convention"
        )
    _check_texts(convention)
    _check_metrics(convention)
    if not callable(reduction) and reduction not in REDUCTIONS:
        raise unknown_option("reduce", reduction, [*REDUCTIONS, "a callable"])
    if reduction == "best" and convention.overlap is None:
        raise UnknownOptionError(f"reduce='best' needs F1, for which convention {convention.name!r} has no rule")
    if missing not in MISSING:
        raise unknown_option("missing", missing, MISSING)
    return Plan(_metric_names(metrics, convention), convention, vectorised(reduction), missing, stats)


# --- metrics


def _known_metrics(convention: Convention) -> tuple[str, ...]:
    """The metrics that the convention has rules for."""
    return tuple(name for name, metric in METRICS.items() if metric.is_in(convention))


def _metric_names(metrics: Metrics, convention: Convention) -> tuple[str, ...]:
    known = _known_metrics(convention)
    if metrics is None:
        return convention.metrics or tuple(name for name in _DEFAULT_CONVENTION.metrics or () if name in known) or known
    names = list_metrics(metrics, of_all=known)
    for name in names:
        if name not in known:
            raise UnknownOptionError(
                f"metrics={name!r} is not part of convention {convention.name!r}, which has {list(known)}; choose from "
                "these, or another convention"
            )
    return names


def list_metrics(
    metrics: Iterable[str] | str, *, of_all: Iterable[str] = METRICS, others: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """The metrics named, each once. UnknownOptionError if a name is not known, or there is none.

    Parameters
    ----------
    metrics
        A name, several names, or `"all"`.
    of_all
        What `"all"` stands for.
    others
        More names that are allowed, but are not part of `"all"`.
    """
    known = [*METRICS, *others]
    if isinstance(metrics, str):
        if metrics == "all":
            return tuple(of_all)
        if metrics not in known:
            raise unknown_option("metrics", metrics, [*known, "all"])
        return (metrics,)
    if not isinstance(metrics, Iterable):
        raise unknown_option("metrics", metrics, [*known, "all"])
    names = tuple(metrics)
    if not names:
        raise UnknownOptionError(f"metrics={metrics!r} names no metric. Choose from {[*known, 'all']}")
    if "all" in names:
        raise UnknownOptionError(f"metrics={list(names)!r}: 'all' stands for all of them by itself; give metrics='all'")
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise unknown_option("metrics", name, known)
    return tuple(dict.fromkeys(names))


# --- the rules of a convention


def _texts(convention: Convention) -> Iterator[tuple[str, Text]]:
    """For each family that has a rule: its name, and how texts become tokens."""
    for family in FAMILIES:
        rule = getattr(convention, family)
        if rule is not None:
            yield family, rule.text


def _check_texts(convention: Convention) -> None:
    """Raise UnknownOptionError for a step or split that is not known, MissingPackageError if one cannot be used."""
    for family, text in _texts(convention):
        for step in text.steps:
            if isinstance(step, str) and step not in STEPS:
                allowed = [*STEPS, "a Blank, Drop or Delete"]
                raise unknown_option(f"convention.{family}.text.steps", step, allowed)
        if not callable(text.split) and text.split not in SPLITS:
            inner = {rule.without_crossing for rule in SPLITS.values()}
            allowed = [*(name for name in SPLITS if name not in inner), "a function str -> list[str]"]
            raise unknown_option(f"convention.{family}.text.split", text.split, allowed)
        _check_white_space(family, text)
        for package, extra in packages_needed(text):
            if importlib.util.find_spec(package) is None:
                raise MissingPackageError(
                    f"convention.{family}.text of {convention.name!r} needs the package {package}; install it with: "
                    f'pip install "qa-frame[{extra}]"'
                )


def _check_white_space(family: str, text: Text) -> None:
    """Raise UnknownOptionError if a step looks for white space, which a split into words has removed before."""
    if takes_whole_texts(text):
        return
    for step in text.steps:
        parts = step.characters if isinstance(step, Delete) else step.words if isinstance(step, Blank) else ()
        if any(character.isspace() for part in parts for character in part):
            raise UnknownOptionError(
                f"convention.{family}.text.steps: {step!r:.60} holds white space, at which the split {text.split!r} "
                "cuts before any step; leave it out, or split by 'characters', 'none' or a function"
            )


def _check_metrics(convention: Convention) -> None:
    """Raise UnknownOptionError if the convention has no rule for one of its own default metrics."""
    known = _known_metrics(convention)
    for name in convention.metrics or ():
        if name not in known:
            raise unknown_option("convention.metrics", name, known)
