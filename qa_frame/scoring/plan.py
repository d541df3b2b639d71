"""What a scoring call computes: its arguments, checked."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from qa_frame.errors import (
    MissingPackageError,
    UnknownConventionError,
    UnknownOptionError,
    is_choice,
    require_choice,
    require_comparable,
    require_flag,
    require_items,
    show,
    unknown_option,
)
from qa_frame.rules.listing import DEFAULT, conventions
from qa_frame.rules.parts import FAMILIES, REDUCTIONS, Chrf, Contains, Convention, words_of_chrf
from qa_frame.rules.signature import digest
from qa_frame.scoring.metrics import BLEU_STATISTICS, METRICS, OTHER_NAMES, OVERLAP_STATISTICS
from qa_frame.scoring.pair_metrics import PairMetric, for_one_call
from qa_frame.scoring.reduction import Reduction, vectorised
from qa_frame.text.extraction import Extract, Step, describe_steps, make_steps
from qa_frame.text.specification import Text
from qa_frame.text.steps import STEPS
from qa_frame.text.tokenisers import SPLITS, calls_python, packages_needed, takes_whole_texts

Metrics = Iterable[str | PairMetric] | str | PairMetric | None
Missing = Literal["zero", "null", "raise"]

MISSING: tuple[Missing, ...] = ("zero", "null", "raise")


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
    extract
        The steps that find the answer in a response; none where all of it is the answer.
    best_by
        The metric by which the reduction "best" chooses among a row's golds.
    own
        Those metrics that are functions of the user's.
    """

    metrics: tuple[str, ...]
    convention: Convention
    reduce: Reduction
    missing: Missing
    stats: bool = False
    extract: tuple[Step, ...] = ()
    best_by: str = "f1"
    own: tuple[PairMetric, ...] = ()

    @property
    def signature(self) -> str:
        """One line that names every setting on which the scores depend."""
        reduction: object = self.reduce
        if callable(self.reduce):
            name = getattr(self.reduce, "__qualname__", type(self.reduce).__qualname__)
            reduction = f"{name}#{digest(self.reduce)}"
        elif self.reduce == "best" and self.best_by != "f1":
            reduction = f"best({self.best_by})"
        extraction = f"|extract:{describe_steps(self.extract)}" if self.extract else ""
        extraction += "".join(f"|metric:{metric.signature}" for metric in self.own)
        convention = _default_signature() if self.convention is DEFAULT else self.convention.signature
        return f"{convention}|reduce:{reduction}|missing:{self.missing}{extraction}"

    @property
    def is_default(self) -> bool:
        """Whether the rules are those of a call without any argument for them."""
        is_default = self.convention == DEFAULT and self.reduce == "max" and self.missing == "zero"
        return is_default and not self.extract

    @property
    def statistics(self) -> tuple[str, ...]:
        """The statistics to give: those for which the convention has rules."""
        if not self.stats or self.convention.spans:
            return ()
        overlap = OVERLAP_STATISTICS if self.convention.overlap else ()
        return (*overlap, *(BLEU_STATISTICS if self.convention.bleu or self.convention.bleu_n else ()))

    @property
    def computed_metrics(self) -> tuple[str, ...]:
        """The metrics to count for each pair: those to give but the user's own, and those that choose a row's gold."""
        choosing = [self.best_by] if self.reduce == "best" else []
        choosing += ["f1"] if "overlap" in self.statistics else []
        own = {metric.name for metric in self.own}
        return tuple(name for name in dict.fromkeys((*self.metrics, *choosing)) if name not in own)

    @property
    def most_rows(self) -> int | None:
        """The most rows to score at once, None for no bound: few where a function of the user's may be slow."""
        return min((metric.batch_size for metric in self.own), default=None)

    @property
    def takes_whole_texts(self) -> bool:
        """Whether no rule that is applied works word by word."""
        return all(takes_whole_texts(text) for _, text in self.texts)

    @property
    def calls_python(self) -> bool:
        """Whether slow functions of Python are called for each text, by a rule or as a metric of the user's."""
        return bool(self.own) or any(
            calls_python(text) or (family == "contains" and text.split == "none") for family, text in self.texts
        )

    @property
    def texts(self) -> list[tuple[str, Text]]:
        """How texts become tokens by the rules that are applied, each with the name of its family."""
        families = {METRICS[name].family for name in self.computed_metrics}
        if self.convention.no_answer:
            families.add("overlap")  # by it, a gold is empty
        if BLEU_STATISTICS[0] in self.statistics:
            families.add("bleu" if self.convention.bleu else "bleu_n")
        return [(family, text) for family, text in _texts(self.convention) if family in families]


@functools.cache
def _default_signature() -> str:
    """The signature of the default convention. To make it takes as long as to score tens of rows."""
    return DEFAULT.signature


def make_plan(
    metrics: Metrics,
    convention: str | Convention,
    reduction: Reduction | None,
    missing: Missing,
    *,
    best_by: str | None = None,
    extract: Extract = None,
    stats: bool = False,
    argument: str = "convention",
) -> Plan:
    """Check the arguments of a scoring call. UnknownOptionError if a value is not one of those allowed.

    Parameters
    ----------
    reduction, best_by
        None stands for the convention's own.
    argument
        By which the convention is given.
    """
    metrics = as_items(metrics)
    convention = find_convention(convention, argument)
    _check_texts(convention, argument)
    _check_metrics(convention, argument)
    reduction = convention.reduce if reduction is None else reduction
    best_by = _check_reduction(reduction, best_by, convention)
    require_choice("missing", missing, MISSING)
    require_flag("stats", stats)
    plan = Plan(
        _metric_names(metrics, convention),
        convention,
        vectorised(reduction),
        missing,
        bool(stats),
        make_steps(extract),
        best_by,
        tuple(map(for_one_call, own_metrics(metrics))),
    )
    _check_packages(plan, argument)
    return plan


def find_convention(convention: str | Convention, argument: str) -> Convention:
    """Return the convention of a name; UnknownOptionError, which names the argument, where there is none."""
    if isinstance(convention, str):
        try:
            return conventions[convention]
        except UnknownConventionError:
            raise unknown_option(argument, convention, tuple(conventions)) from None
    if not isinstance(convention, Convention):
        raise UnknownOptionError(
            f"{argument}={show(convention)} is neither a name from {list(conventions)} nor a Convention"
        )
    return convention


def _check_reduction(reduction: Reduction, best_by: str | None, convention: Convention) -> str:
    """Return the metric by which "best" chooses; raise UnknownOptionError for what is not allowed."""
    if not callable(reduction) and not is_choice(reduction, REDUCTIONS):
        raise unknown_option("reduce", reduction, [*REDUCTIONS, "a callable"])
    require_comparable("reduce", reduction)
    if best_by is not None and reduction != "best":
        raise UnknownOptionError(
            f"best_by={show(best_by)} chooses a row's gold for reduce='best', not for reduce={show(reduction)}; leave "
            "best_by out, or give reduce='best'"
        )
    metric = convention.best_by if best_by is None else best_by
    if reduction == "best":
        known = _known_metrics(convention)
        require_metric("best_by", metric)
        if metric not in known:
            raise UnknownOptionError(
                f"reduce='best' needs {metric}, for which convention {convention.name!r} has no rule; give best_by= "
                f"one of {list(known)}"
            )
    return metric


# --- metrics


def _known_metrics(convention: Convention) -> tuple[str, ...]:
    """The metrics that the convention has rules for."""
    return tuple(name for name, metric in METRICS.items() if metric.is_in(convention))


def as_items(metrics: Metrics) -> tuple[str | PairMetric, ...] | str | None:
    """Return a name, None or `"all"` as it is, and all else as a tuple, which can be read more than once."""
    if metrics is None or isinstance(metrics, str):
        return metrics
    if isinstance(metrics, PairMetric):
        return (metrics,)
    known = f"Choose from {[*METRICS, 'all']}"
    items = require_items("metrics", metrics, f"a name, a PairMetric, nor several of them. {known}")
    if not items:
        raise UnknownOptionError(f"metrics={show(metrics)} names no metric. {known}")
    return items


def own_metrics(metrics: tuple[str | PairMetric, ...] | str | None) -> tuple[PairMetric, ...]:
    """The user's own among the metrics. UnknownOptionError where two have one name."""
    if metrics is None or isinstance(metrics, str):
        return ()
    own = {id(metric): metric for metric in metrics if isinstance(metric, PairMetric)}
    names = [metric.name for metric in own.values()]
    for name in names:
        if names.count(name) > 1:
            raise UnknownOptionError(f"metrics names two different PairMetrics {name!r}; give one another name")
    return tuple(own.values())


def require_built_in(plan: Plan) -> None:
    """Raise UnknownOptionError if one of the plan's metrics is the user's own."""
    if plan.own:
        raise UnknownOptionError(
            f"metrics: {plan.own[0]!r} is a function, of which only scores are known; leave it out"
        )


def _metric_names(metrics: tuple[str | PairMetric, ...] | str | None, convention: Convention) -> tuple[str, ...]:
    known = _known_metrics(convention)
    if metrics is None:
        return convention.metrics or tuple(name for name in DEFAULT.metrics or () if name in known) or known
    names = list_metrics(metrics, of_all=known)
    own = {metric.name for metric in own_metrics(metrics)}
    for name in names:
        if name not in known and name not in own:
            raise UnknownOptionError(
                f"metrics={name!r} is not part of convention {convention.name!r}, which has {list(known)}; choose from "
                "these, or another convention"
            )
    return names


def list_metrics(
    metrics: tuple[str | PairMetric, ...] | str, *, of_all: Iterable[str] = METRICS, others: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """The names of the metrics, each once. UnknownOptionError if a name is not known, or there is none.

    Parameters
    ----------
    metrics
        What `as_items` gives.
    of_all
        What `"all"` stands for.
    others
        More names that are allowed, but are not part of `"all"`.
    """
    known = [*METRICS, *others]
    if is_choice(metrics, ("all",)):
        return tuple(of_all)
    if isinstance(metrics, str):
        require_metric("metrics", metrics, [*known, "all"])
        return (metrics,)
    names = tuple(metric.name if isinstance(metric, PairMetric) else metric for metric in metrics)
    known += [metric.name for metric in own_metrics(metrics)]
    if any(is_choice(name, ("all",)) for name in names):
        raise UnknownOptionError(
            f"metrics={show(list(names))}: 'all' stands for all of them by itself; give metrics='all'"
        )
    for name in names:
        require_metric("metrics", name, known)
    return tuple(dict.fromkeys(names))


def require_metric(argument: str, name: object, known: Sequence[str] = tuple(METRICS)) -> None:
    """Raise UnknownOptionError unless it is one of the known names."""
    if not is_choice(name, known):
        raise unknown_option(argument, name, known, OTHER_NAMES)


# --- the rules of a convention


def _texts(convention: Convention) -> Iterator[tuple[str, Text]]:
    """For each family that has a rule: its name, and how texts become tokens."""
    for family in FAMILIES:
        rule = getattr(convention, family)
        if rule is not None:
            yield family, rule.text
            if isinstance(rule, Contains) and rule.gold_text is not None:
                yield family, rule.gold_text
            if isinstance(rule, Chrf) and rule.word_order:
                yield family, words_of_chrf(rule.text)


def _check_texts(convention: Convention, argument: str) -> None:
    """Raise UnknownOptionError for a step or split that is not known."""
    for family, text in _texts(convention):
        for step in text.steps:
            if isinstance(step, str) and step not in STEPS:
                allowed = [*STEPS, "a Blank, Drop, Delete, Space or Replace", "a function str -> str"]
                raise unknown_option(f"{argument}.{family}.text.steps", step, allowed)
        if not callable(text.split) and text.split not in SPLITS:
            inner = {rule.without_crossing for rule in SPLITS.values()}
            allowed = [*(name for name in SPLITS if name not in inner), "a function str -> list[str]"]
            raise unknown_option(f"{argument}.{family}.text.split", text.split, allowed)


def _check_packages(plan: Plan, argument: str) -> None:
    """Raise MissingPackageError if what is computed needs a package that is not installed."""
    for family, text in plan.texts:
        for package, extra in packages_needed(text):
            if importlib.util.find_spec(package) is None:
                raise MissingPackageError(
                    f"{argument}.{family}.text of {plan.convention.name!r} needs the package {package}; install it "
                    f'with: pip install "qa-frame[{extra}]"'
                )


def _check_metrics(convention: Convention, argument: str) -> None:
    """Raise UnknownOptionError if the convention has no rule for one of its own default metrics."""
    known = _known_metrics(convention)
    for name in convention.metrics or ():
        require_metric(f"{argument}.metrics", name, known)
