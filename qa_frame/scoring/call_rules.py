"""The rules of a call: the arguments that choose them, declared once, and these arguments as one checked value."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, cast

from qa_frame._names import ConventionName, MetricName
from qa_frame._typing import Unpack
from qa_frame.checks import is_choice, require_choice, unknown_option
from qa_frame.errors import UnknownOptionError, show
from qa_frame.extraction.steps import (
    Extract,
    Step,
    describe_steps,
    gives_letters,
    make_steps,
    require_choice_step,
    spell_steps,
    steps_from_notes,
    steps_to_notes,
)
from qa_frame.frames.options import GOLD_IS, GoldIs
from qa_frame.rules.listing import DEFAULT, conventions
from qa_frame.rules.parts import FAMILIES, REDUCTIONS, Chrf, Convention, words_of_chrf
from qa_frame.rules.plain_data import convention_from_plain, convention_to_plain, function_to_plain, name_of_function
from qa_frame.rules.signature import digest
from qa_frame.scoring.metrics import METRICS, OTHER_NAMES
from qa_frame.scoring.pooled import POOLED
from qa_frame.scoring.reduction import Reduction, as_named_reduction
from qa_frame.text.specification import Text
from qa_frame.text.steps import STEPS
from qa_frame.text.tokenisers import SPLITS

Missing = Literal["zero", "null", "raise"]

MISSING: tuple[Missing, ...] = ("zero", "null", "raise")


# --- the arguments


class _ResponseArguments(TypedDict, total=False):
    """The arguments of `RuleArguments` that say how responses and golds are read."""

    missing: Missing
    extract: Extract
    choices: Hashable | None
    gold_is: GoldIs | None


class GoldArguments(_ResponseArguments, total=False):
    """The arguments of `RuleArguments` but `convention`, for functions that take conventions in another way."""

    reduce: Reduction | None
    best_by: MetricName | None


class AuditArguments(_ResponseArguments, total=False):
    """The arguments of `RuleArguments` but `reduce` and `best_by`, for functions that look at all golds of a row.

    Parameters
    ----------
    convention
        Rules of scoring: a name from `qa_frame.conventions`, such as `"squad2"`, or a `Convention` of your own. Left
        out, it is that by which the frame was scored, or else `"squad"`.
    missing
        Treatment of a null prediction: `"zero"` counts it as wrong, `"null"` does not score it, `"raise"` is an error.
        Left out, it is that by which the frame was scored.
    extract
        Step that takes the answer out of a response before it is scored: a name such as `"boxed"`, a pattern from
        `re.compile`, or a list of steps; see `extract_answers`. Left out, it is that by which the frame was scored.
    choices
        Column of the options of each question, as `score` takes it. Left out, it is that by which the frame was scored.
    gold_is
        Form of golds that name an option, as `score` takes it. Left out, it is that by which the frame was scored.
    """

    convention: ConventionName | Convention


class RuleArguments(GoldArguments, total=False):
    """The arguments that every function takes which scores rows. `DEFAULTS` has their order and their defaults.

    Parameters
    ----------
    convention
        Rules of scoring: a name from `qa_frame.conventions`, such as `"squad2"`, or a `Convention` of your own.
    reduce
        Way in which the scores of a row's golds become one. `"max"`, `"mean"`, `"min"` and `"first"` take each metric
        on its own. `"best"` takes all metrics from one gold: the one with the highest `best_by`, or the first of
        equals. `"leave_one_out"` leaves out each gold in turn, takes the maximum over the others, and averages these;
        with one gold, it is the plain score. `"votes"` is VQA's accuracy, for every metric: it leaves out each gold in
        turn, takes a third of the sum of the others' scores, at most 1, and averages these; with one gold, it is 0. A
        function gets a 1-D array, one score per gold, and returns a number. None takes the convention's own way, which
        is mostly `"max"`.
    best_by
        Metric by which `reduce="best"` chooses a gold. With another `reduce` it is an error. None takes the
        convention's own, which is mostly `"f1"`.
    missing
        Treatment of a null prediction: `"zero"` counts it as wrong, `"null"` does not score it, `"raise"` is an error.
    extract
        Step that takes the answer out of a response before it is scored: a name such as `"boxed"`, a pattern from
        `re.compile`, or a list of steps; see `extract_answers`. A response without an answer counts as a null
        prediction. None scores the whole response.
    choices
        Column of the options of each question: lists of text, or dicts such as `{"A": "Rhine", "B": "Seine"}`. It needs
        `extract="choice"` or `"letters"`. A response that gives the text of an option then counts as its letter.
    gold_is
        Form of golds that name an option, with `extract="choice"` or `"letters"`: `"letter"`, `"text"` (the option's
        text, which needs `choices`), `"index0"` or `"index1"` (its number, from 0 or from 1). None takes golds as they
        are.
    """

    convention: ConventionName | Convention


DEFAULTS = RuleArguments(
    convention=cast("ConventionName", DEFAULT.name),
    reduce=None,
    best_by=None,
    missing="zero",
    extract=None,
    choices=None,
    gold_is=None,
)


# --- their checked value


@dataclass(frozen=True, slots=True)
class Rules:
    """The checked rules by which rows are scored.

    Attributes
    ----------
    convention
        The rules of the metrics.
    reduce
        How the scores of a row's golds become one.
    best_by
        The metric by which the reduction "best" chooses among a row's golds.
    missing
        Whether a null prediction counts as wrong, is not scored, or is an error.
    extract
        The steps that find the answer in a response; empty where all of it is the answer.
    choices
        The column of the options' texts; None if they are not given.
    gold_is
        How golds name an option; None if they are taken as they are.
    """

    convention: Convention
    reduce: Reduction
    best_by: str
    missing: Missing
    extract: tuple[Step, ...]
    choices: Hashable | None = None
    gold_is: GoldIs | None = None

    @property
    def signature(self) -> str:
        """The signature of the convention, and then the other rules, in one line.

        The reduction and the treatment of null predictions are always named; `extract`, `choices` and `gold_is` if they
        are given.
        """
        reduction: object = self.reduce
        if callable(self.reduce):
            name = getattr(self.reduce, "__qualname__", type(self.reduce).__qualname__)
            reduction = f"{name}#{digest(self.reduce)}"
        elif self.reduce == "best" and self.best_by != "f1":
            reduction = f"best({self.best_by})"
        extraction = f"|extract:{describe_steps(self.extract)}" if self.extract else ""
        extraction += "" if self.choices is None else f"|choices:{self.choices!r}"
        extraction += "" if self.gold_is is None else f"|gold_is:{self.gold_is}"
        is_listed = conventions.lists(self.convention)
        convention = _listed_signature(self.convention.name) if is_listed else self.convention.signature
        return f"{convention}|reduce:{reduction}|missing:{self.missing}{extraction}"


@functools.cache
def _listed_signature(name: str) -> str:
    """Return the signature of a listed convention. It is kept, as making it takes as long as scoring tens of rows."""
    return conventions[name].signature


def make_rules(*, argument: str = "convention", **arguments: Unpack[RuleArguments]) -> Rules:
    """Return the rules that these arguments choose. `DEFAULTS` has those that are left out.

    Raises UnknownOptionError if a value is not allowed.

    argument: what the caller's argument for the convention is called, for messages.
    """
    known = DEFAULTS | arguments
    convention = find_convention(known["convention"], argument)
    if not isinstance(known["convention"], str):  # a listed one is right
        _check_convention(convention, argument)
    reduction = convention.reduce if known["reduce"] is None else known["reduce"]
    best_by = _find_best_by(reduction, known["best_by"], convention)
    require_choice("missing", known["missing"], MISSING)
    steps = make_steps(known["extract"])
    choices, gold_is = known["choices"], known["gold_is"]
    require_choice_step(choices, steps)
    if gold_is is not None:
        _check_gold_is(gold_is, choices, steps)
    return Rules(convention, as_named_reduction(reduction), best_by, known["missing"], steps, choices, gold_is)


def _check_gold_is(gold_is: object, choices: Hashable | None, steps: Sequence[Step]) -> None:
    """Raise UnknownOptionError for an unknown `gold_is`, for steps that find no letters, and "text" without choices."""
    require_choice("gold_is", gold_is, GOLD_IS)
    if not gives_letters(steps):
        spelled = spell_steps(steps) if steps else None
        finding = f"makes golds the letters that extract='choice' finds, and extract is {spelled}"
        raise UnknownOptionError.of("gold_is", finding, "leave gold_is out, or give extract='choice'", value=gold_is)
    if gold_is == "text" and choices is None:
        raise UnknownOptionError("gold_is='text' needs the texts of the options; name their column by choices=")


def rules_to_plain(rules: Rules) -> dict[str, Any]:
    """Return the arguments that chose the rules as plain data, without `choices` and without those at their defaults.

    Of a function, only its name is kept.
    """
    own = rules.convention
    plain: dict[str, Any] = {} if own is DEFAULT else {"convention": convention_to_plain(own)}
    if rules.reduce != as_named_reduction(own.reduce):
        plain["reduce"] = function_to_plain(rules.reduce) if callable(rules.reduce) else rules.reduce
    if rules.best_by != own.best_by:
        plain["best_by"] = rules.best_by
    if rules.missing != DEFAULTS["missing"]:
        plain["missing"] = rules.missing
    plain |= {"extract": steps_to_notes(rules.extract)} if rules.extract else {}
    return plain | ({} if rules.gold_is is None else {"gold_is": rules.gold_is})


def restore_arguments(plain: Mapping[str, Any], choices: Hashable | None, arguments: RuleArguments) -> RuleArguments:
    """Return the arguments that `rules_to_plain` kept, except where others are given now.

    A convention or a reduction that is given now drops the kept `reduce` and `best_by`.

    Raises UnknownOptionError for a kept argument that is needed and cannot be restored, such as the function of
    `reduce`, or a pattern of `extract` that was not given in this process.

    plain: what `rules_to_plain` returned. choices: the column of options, or None. arguments: those that are given now.
    """
    has_new_rules = not {"convention", "reduce"}.isdisjoint(arguments)  # which have their own
    own = {"reduce", "best_by"} if has_new_rules else set()
    kept: Any = {name: plain[name] for name in DEFAULTS if name in plain and name not in own | arguments.keys()}
    if "convention" in kept:
        kept["convention"] = convention_from_plain(kept["convention"])
    function = name_of_function(kept.get("reduce"))
    if function is not None:
        raise UnknownOptionError(f"the scores were reduced by the function {function}, which is not kept; give reduce=")
    if "extract" in kept:
        steps = steps_from_notes(kept["extract"])
        kept["extract"] = [[*step] if isinstance(step, tuple) else step for step in steps]
    restored: RuleArguments = {"choices": choices} | kept | arguments
    return restored


def find_convention(convention: str | Convention, argument: str) -> Convention:
    """Return the listed convention of a name, or a Convention as it is.

    Raises UnknownOptionError, which names the argument, for an unknown name and for any other value.
    """
    if isinstance(convention, str):
        return conventions.named(convention, argument)
    if not isinstance(convention, Convention):
        finding = "is neither a name from qa_frame.conventions nor a Convention"
        raise UnknownOptionError.of(argument, finding, "give one", value=convention)
    return convention


def _find_best_by(reduction: Reduction, best_by: str | None, convention: Convention) -> str:
    """Return the metric by which the reduction "best" chooses a gold: `best_by`, or else the convention's.

    Raises UnknownOptionError for an unknown reduction, for a `best_by` beside another reduction than "best", and, with
    "best", for a metric that is unknown or that the convention has no rule for.
    """
    if not callable(reduction) and not is_choice(reduction, REDUCTIONS):
        raise unknown_option("reduce", reduction, [*REDUCTIONS, "a callable"])
    if best_by is not None and reduction != "best":
        finding = f"chooses a row's gold for reduce='best', not for reduce={show(reduction)}"
        raise UnknownOptionError.of("best_by", finding, "leave best_by out, or give reduce='best'", value=best_by)
    metric = convention.best_by if best_by is None else best_by
    if reduction == "best":
        known = known_metrics(convention)
        require_metric("best_by", metric)
        if metric not in known:
            finding = f"needs {metric}, for which convention {convention.name!r} has no rule"
            raise UnknownOptionError.of("reduce", finding, f"give best_by= one of {list(known)}", value="best")
    return metric


def known_metrics(convention: Convention) -> tuple[str, ...]:
    """Return the names of the metrics that the convention has rules for."""
    return tuple(name for name, metric in METRICS.items() if metric.is_in(convention))


def require_metric(argument: str, name: object, known: Sequence[str] = tuple(METRICS)) -> None:
    """Raise UnknownOptionError unless `name` is one of the known names, by default those of all metrics.

    The remedy in the message depends on the value: a function, a figure of all rows, several names in one text, or
    another.

    argument: the argument that has the name, for the message.
    """
    if is_choice(name, known):
        return
    if callable(name):
        remedy = "score with metrics=qa_frame.PairMetric('my_metric', function), which calls it with a list of "
        remedy += "predictions and a list of golds"
        raise UnknownOptionError.of(argument, "is a function, where a name is needed", remedy, value=name)
    if is_choice(name, POOLED):
        remedy = f"summary makes it: df.qa.score(pred=..., gold=..., stats=True).qa.summary(metrics={name!r})"
        finding = "is a figure of all rows together, and not a score of each"
        raise UnknownOptionError.of(argument, finding, remedy, value=name)
    parts = [part.strip() for part in name.split(",")] if isinstance(name, str) and argument == "metrics" else []
    if len(parts) > 1 and all(part in known for part in parts):
        raise UnknownOptionError(f"{argument}={name!r} is several names in one text; give a list: {argument}={parts}")
    raise unknown_option(argument, name, known, OTHER_NAMES)


_TEXTS = ("text", "gold_text", "agreed_text", "item_text")
"""The fields of a rule that may hold a `Text`."""


def find_text_rules(convention: Convention) -> Iterator[tuple[str, str, Text]]:
    """Yield each `Text` by which a rule of the convention makes tokens, after its family and the rule's field.

    A `Text` that several fields of a rule have comes once, and that of the words of chrF++ comes as its `text`.
    """
    for family in FAMILIES:
        rule = getattr(convention, family)
        texts = {getattr(rule, field, None): field for field in reversed(_TEXTS)}  # of equal ones the first field
        yield from ((family, field, text) for text, field in texts.items() if text is not None)
        if isinstance(rule, Chrf) and rule.word_order:
            yield family, "text", words_of_chrf(rule.text)


def _check_convention(convention: Convention, argument: str) -> None:
    """Raise UnknownOptionError for a step, a split or a metric of the convention that is not known.

    argument: as in `make_rules`.
    """
    for family, field, text in find_text_rules(convention):
        for step in text.steps:
            if isinstance(step, str) and step not in STEPS:
                allowed = [*STEPS, "a Blank, Drop, Delete, Space or Replace", "a function str -> str"]
                raise unknown_option(f"{argument}.{family}.{field}.steps", step, allowed)
        if not callable(text.split) and text.split not in SPLITS:
            inner = {rule.without_crossing for rule in SPLITS.values()}
            allowed = [*(name for name in SPLITS if name not in inner), "a function str -> list[str]"]
            raise unknown_option(f"{argument}.{family}.{field}.split", text.split, allowed)
    known = known_metrics(convention)
    for name in convention.metrics or ():
        require_metric(f"{argument}.metrics", name, known)
