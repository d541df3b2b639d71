"""The plan of a scoring call: the metrics to compute, and the rules to compute them by."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Literal

from qa_frame._names import MetricName
from qa_frame.checks import is_choice, require_items
from qa_frame.errors import MissingPackageError, UnknownOptionError, show
from qa_frame.extensions import import_modules
from qa_frame.extraction.steps import gives_letters
from qa_frame.rules.listing import DEFAULT
from qa_frame.rules.parts import Convention, Empty, empties_of
from qa_frame.scoring.call_rules import Rules, find_text_rules, known_metrics, require_metric
from qa_frame.scoring.metrics import METRICS, ROW_STATISTICS
from qa_frame.scoring.metrics.definition import RowStatistics, Wanted, want_both
from qa_frame.scoring.pair_metrics import MetricOfRows, OwnMetric, PairMetric, prepare_for_call
from qa_frame.text.specification import Delete, Text
from qa_frame.text.tokenisers import need_no_words, packages_needed

Metrics = Iterable[MetricName | PairMetric] | MetricName | Literal["all"] | PairMetric | None
"""The metrics to compute: names, and the user's own."""

ScoreColumns = Iterable[str | PairMetric] | str | PairMetric | None
"""The scores to read: metrics, pooled figures, or any columns of numbers."""

Items = tuple[Any, ...] | Literal["all"] | None
"""What is read of `metrics`: the names and the metrics of the user's own, as they are given."""


@dataclass(frozen=True)
class Plan:
    """The checked plan of a scoring call: all that it computes.

    Attributes
    ----------
    metrics
        The names of the metrics that the call gives for each row, but those of `by_row`.
    rules
        The rules to score by.
    stats
        Whether to give the sufficient statistics, too; or the names of those that are needed.
    own
        The `PairMetric`s of the user's. Their names are among `metrics`.
    by_row
        The user's metrics of whole rows. Their names are not among `metrics`.
    """

    metrics: tuple[str, ...]
    rules: Rules
    stats: bool | frozenset[str] = False
    own: tuple[PairMetric, ...] = ()
    by_row: tuple[MetricOfRows, ...] = ()

    @cached_property
    def convention(self) -> Convention:
        """The rules of the metrics; where `extract` gives letters of options, rules that compare letters."""
        own = self.rules.convention
        return rules_of_letters(own) if gives_letters(self.rules.extract) else own

    @property
    def reading_arguments(self) -> dict[str, Any]:
        """The arguments of `Source.texts` that say how the columns of texts are read, by name."""
        return {"choices": self.rules.choices, "gold_is": self.rules.gold_is, "spans": self.convention.spans}

    @property
    def signature(self) -> str:
        """One line that names every setting on which the scores depend."""
        return self.rules.signature + "".join(f"|metric:{metric.signature}" for metric in self.own_metrics)

    @property
    def own_metrics(self) -> tuple[OwnMetric, ...]:
        """The user's own metrics: first those of pairs, then those of rows."""
        return (*self.own, *self.by_row)

    @property
    def row_statistics(self) -> list[RowStatistics]:
        """The sufficient statistics to give: those that `stats` asks for and the convention has rules for.

        Where `stats` is True, some are given only beside their metric. There are none if the convention takes lists of
        spans.
        """
        if not self.stats or self.convention.spans:
            return []
        defined = [each for each in ROW_STATISTICS if each.family_in(self.convention)]
        if self.stats is True:
            return [each for each in defined if not each.with_metric or each.best_by in self.metrics]
        return [each for each in defined if not self.stats.isdisjoint(each.names)]

    @cached_property
    def statistics(self) -> tuple[str, ...]:
        """The names of the columns of sufficient statistics to give."""
        return tuple(name for each in self.row_statistics for name in each.names)

    @cached_property
    def computed_metrics(self) -> tuple[str, ...]:
        """The metrics to score each pair by, but the user's own: those to give, and those that choose a row's gold."""
        choosing = [self.rules.best_by] if self.rules.reduce == "best" else []
        choosing += [each.best_by for each in self.row_statistics if each.best_by]
        own = {metric.name for metric in self.own}
        return tuple(name for name in dict.fromkeys((*self.metrics, *choosing)) if name not in own)

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: all but `needs`, which hold functions and are found again."""
        return {name: value for name, value in vars(self).items() if name != "needs"}

    @cached_property
    def needs(self) -> Needs:
        """What is counted for each pair, and what that needs (see `Needs`)."""
        families = ["overlap"] if self.convention.no_answer else []  # by it, a gold is empty
        families += filter(None, (each.family_in(self.convention) for each in self.row_statistics))
        return _find_needs(self.convention, self.computed_metrics, *families)


@lru_cache(maxsize=256)
def rules_of_letters(convention: Convention) -> Convention:
    """Return the convention with rules for letters of options: they are compared as a set, and "A" is no article."""
    rules = {family: getattr(convention, family) for family in ("exact", "overlap", "contains")}
    text = Text((Delete(","),))
    own: Any = {family: type(rule)(text=text, empty=rule.empty) for family, rule in rules.items() if rule is not None}
    return replace(convention, prediction="whole", **own)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Needs:
    """What the rules of a plan need.

    Attributes
    ----------
    wanted
        The counts that each family of metrics needs, by family.
    empties
        What each family's rule says of empty sides, as `empties_of` has it, by family.
    packages
        For each optional package: the part of the convention that needs it, its name, and the extra that installs it.
    takes_whole_texts
        Whether texts need not be cut into words.
    """

    wanted: Mapping[str, Wanted]
    empties: Mapping[str, Sequence[Empty]]
    packages: Sequence[tuple[str, str, str]]
    takes_whole_texts: bool


@lru_cache(maxsize=256)
def _find_needs(convention: Convention, metrics: tuple[str, ...], *others: str) -> Needs:
    """Return the needs of the metrics.

    `packages` and `takes_whole_texts` also regard the families in `others`. Results are cached, as to find them takes
    as long as to score a few rows.
    """
    wanted: dict[str, Wanted] = {}
    for metric in (METRICS[name] for name in metrics):
        of_metric = metric.wanted(getattr(convention, metric.family))
        wanted[metric.family] = want_both(wanted.get(metric.family, {}), of_metric)
    exact, overlap = convention.exact, convention.overlap
    em_is_of_tokens = "exact" in wanted and exact is not None and overlap is not None and exact.text == overlap.text
    if overlap is not None and (em_is_of_tokens or "overlap" in wanted):
        # Recall and F1 tell a wrong answer from a long one, which is flagged; other metrics alone do not.
        wanted["overlap"] = want_both(wanted.get("overlap", {}), METRICS["f1"].wanted(overlap))
    texts = [each for each in find_text_rules(convention) if each[0] in {*wanted, *others}]
    return Needs(
        wanted,
        {family: empties_of(getattr(convention, family)) for family in wanted},
        [(f"{family}.{field}", *package) for family, field, text in texts for package in packages_needed(text)],
        need_no_words(text for _, _, text in texts),
    )


def make_plan(
    metrics: Any, rules: Rules, *, stats: bool = False, argument: str = "convention", takes_rows: bool = False
) -> Plan:
    """Return the plan of a scoring call.

    Raises UnknownOptionError if a value is not allowed, and MissingPackageError if a package is needed and not
    installed.

    argument: as in `make_rules`. takes_rows: whether `metrics` may have a MetricOfRows.
    """
    items, convention = with_added_metrics(as_items(metrics)), rules.convention
    if items is None or items == "all":
        plan = Plan(_choose_metrics(convention, takes_all=items == "all"), rules, bool(stats))
    else:
        named = index_metrics(items, others=(*added_metrics(),), takes_rows=takes_rows)
        _require_rules(named, convention)
        own = tuple(prepare_for_call(metric) for metric in named.values() if isinstance(metric, PairMetric))
        by_row = tuple(metric for metric in named.values() if isinstance(metric, MetricOfRows))
        names = tuple(name for name, metric in named.items() if not isinstance(metric, MetricOfRows))
        plan = Plan(names, rules, bool(stats), own, by_row)
    _check_packages(plan, argument)
    return plan


# --- metrics


def as_items(metrics: Any) -> Items:
    """Return None or `"all"` as it is, one metric as a tuple, and several as a tuple, which can be read more than once.

    Raises UnknownOptionError for a value that cannot be read as metrics, or that is empty. Names are not checked here.
    """
    if metrics is None:
        return None
    if is_choice(metrics, ("all",)):
        return "all"
    if isinstance(metrics, str | OwnMetric):
        return (metrics,)
    if callable(metrics):
        require_metric("metrics", metrics)
    known = f"Choose from {[*METRICS, *added_metrics(), 'all']}"
    items = require_items("metrics", metrics, f"a name, a PairMetric, nor several of them. {known}")
    if not items:
        raise UnknownOptionError(f"metrics={show(metrics)} names no metric. {known}")
    return items


@functools.cache
def added_metrics() -> dict[str, Callable[[], PairMetric]]:
    """Return, by name, a function that makes each metric which an extension adds, as `math_verify`."""
    return {name: make for module in import_modules("metrics.py") for name, make in module.METRICS.items()}


def with_added_metrics(items: Items) -> Items:
    """Return the items of `as_items`, with a `PairMetric` in place of each name of a metric that an extension adds."""
    if not isinstance(items, tuple):
        return items
    added = added_metrics()
    return tuple(added[each]() if is_choice(each, added) else each for each in items)


def index_metrics(items: Items, *, others: Sequence[str] = (), takes_rows: bool = False) -> dict[str, str | OwnMetric]:
    """Return the metrics by name, each once: the metric of the user's own, or else the name again.

    All metrics of `METRICS` stand for "all", and none for None. Raises UnknownOptionError for an unknown name, for
    "all" beside others, for a name of two different metrics, and for a MetricOfRows that is not allowed.

    Parameters
    ----------
    items
        The result of `as_items`.
    others
        More names that are allowed.
    takes_rows
        Whether a MetricOfRows is allowed.
    """
    if not isinstance(items, tuple):
        return {name: name for name in METRICS} if items else {}
    kinds = OwnMetric if takes_rows else PairMetric
    known = [*METRICS, *others, *(metric.name for metric in items if isinstance(metric, kinds))]
    known += ["all"] * (len(items) == 1)  # it stands for all of them by itself
    by_name: dict[str, str | OwnMetric] = {}
    for item in items:
        name = item.name if isinstance(item, kinds) else item
        if isinstance(name, OwnMetric):
            finding = "scores rows, which qa_frame.score of a frame in memory takes"
            raise UnknownOptionError.of("metrics", finding, "score one first", value=name)
        if is_choice(name, ("all",)):
            finding = ": 'all' stands for all of them by itself"
            raise UnknownOptionError.of("metrics", finding, "give metrics='all'", value=list(items))
        require_metric("metrics", name, known)
        before = by_name.setdefault(name, item)
        if isinstance(before, str):
            by_name[name] = item
        elif isinstance(item, kinds) and item is not before:
            raise UnknownOptionError(f"metrics names two different metrics {name!r}; give one another name")
    return by_name


def require_built_in(plan: Plan) -> None:
    """Raise UnknownOptionError if one of the plan's metrics is a `PairMetric`."""
    if plan.own:
        finding = f": {plan.own[0]!r} is a function, of which only scores are known"
        raise UnknownOptionError.of("metrics", finding, "leave it out")


def _choose_metrics(convention: Convention, *, takes_all: bool) -> tuple[str, ...]:
    """Return the metrics of a call that names none: all that the convention has rules for if the caller gave "all".

    Else return the convention's own choice; without one, those of the default convention's choice for which it has
    rules, or all if there are none.

    takes_all: whether the caller gave "all".
    """
    if convention.metrics and not takes_all:
        return convention.metrics
    known = known_metrics(convention)
    defaults = () if takes_all else DEFAULT.metrics or ()
    return tuple(name for name in defaults if name in known) or known


def _require_rules(names: Iterable[str], convention: Convention) -> None:
    """Raise UnknownOptionError for a metric that the convention does not define. The user's own metrics pass."""
    for name in names:
        if name in METRICS and not METRICS[name].is_in(convention):
            finding = f"is not part of convention {convention.name!r}, which has {list(known_metrics(convention))}"
            raise UnknownOptionError.of("metrics", finding, "choose from these, or another convention", value=name)


def _check_packages(plan: Plan, argument: str) -> None:
    """Raise MissingPackageError if the plan needs a package that is not installed. argument: as in `make_plan`."""
    for part, package, extra in plan.needs.packages:
        if importlib.util.find_spec(package) is None:
            finding = f"of {plan.convention.name!r} needs the package {package}"
            remedy = f'install it with: pip install "qa-frame[{extra}]"'
            raise MissingPackageError.of(f"{argument}.{part}", finding, remedy)
