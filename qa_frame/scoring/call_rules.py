"""The rules of a call: the arguments that choose them, declared once, and these arguments as one checked value."""

from __future__ import annotations

import functools
import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from qa_frame._typing import Unpack
from qa_frame.errors import (
    UnknownConventionError,
    UnknownOptionError,
    is_choice,
    require_choice,
    show,
    unknown_option,
)
from qa_frame.rules.listing import DEFAULT, LISTED_BY, conventions
from qa_frame.rules.parts import FAMILIES, REDUCTIONS, Chrf, Convention, gold_texts_of, words_of_chrf
from qa_frame.rules.signature import digest
from qa_frame.scoring.metrics import METRICS, OTHER_NAMES
from qa_frame.scoring.pooled import POOLED
from qa_frame.scoring.reduction import Reduction, vectorised
from qa_frame.text.extraction import Extract, Step, describe_steps, make_steps, require_choice_step
from qa_frame.text.specification import Text
from qa_frame.text.steps import STEPS
from qa_frame.text.tokenisers import SPLITS

Missing = Literal["zero", "null", "raise"]

MISSING: tuple[Missing, ...] = ("zero", "null", "raise")


# --- the arguments


class _ResponseArguments(TypedDict, total=False):
    missing: Missing
    extract: Extract
    choices: Hashable | None


class GoldArguments(_ResponseArguments, total=False):
    """Those of `RuleArguments` that a function takes which is given its conventions in another way."""

    reduce: Reduction | None
    best_by: str | None


class AuditArguments(_ResponseArguments, total=False):
    """Those of `RuleArguments` that a function takes which looks at all golds."""

    convention: str | Convention


class RuleArguments(GoldArguments, total=False):
    """The arguments that every function takes which scores rows. `DEFAULTS` has their order and their defaults.

    Parameters
    ----------
    convention
        The rules: a name from `qa_frame.conventions`, or a `Convention`.
    reduce
        How a row's score is made from those of its golds: `"max"`, `"mean"` or `"min"` (each metric on its own),
        `"first"`, `"best"` (all metrics from the one gold with the best F1, the first of equals), `"leave_one_out"`
        (the mean, over the golds, of the maximum over the other ones; a single gold counts by itself), `"votes"` (the
        mean, over the golds, of a third of the sum of the others' scores, at most 1, as VQA has it), or a function
        that takes a 1-D array of floats, one per gold, and returns a number. None is the convention's own: `"max"`, if
        its source has no other.
    best_by
        The metric by which `reduce="best"` chooses the gold; None for F1, or the metric that the convention names.
    missing
        How a null prediction counts: `"zero"` (wrong: 0 in each metric), `"null"` (not scored) or `"raise"` (an error).
    extract
        The part of a response that is the answer, by default all of it: `"first_line"`, `"last_line"`, `"after_think"`,
        `"answer_tag"`, `"boxed"`, `"answer_is"`, `"choice"`, `"simple_evals"`, `"hashes"`, `"untex"`, or a pattern from
        `re.compile`. In a list, each is applied to the text that the one before has found: `["after_think", "boxed"]`.
        With `"boxed|all"`, a response without a box is taken whole. `qa_frame.extract_answers` says what each finds,
        and shows it. A response without answer counts as a null prediction; `summary` counts it as `n_not_extracted`.
    choices
        The column of the options' texts, for `extract="choice"`: in each row a list, of which the first text is option
        A. A response that writes out one option's text, as "The answer is Paris.", then chooses its letter, and letters
        beyond the last option do not count. A null stands for options that are not known.
    """

    convention: str | Convention


DEFAULTS = RuleArguments(convention=DEFAULT.name, reduce=None, best_by=None, missing="zero", extract=None, choices=None)


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
    """

    convention: Convention
    reduce: Reduction
    best_by: str
    missing: Missing
    extract: tuple[Step, ...]
    choices: Hashable | None = None

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
        extraction += "" if self.choices is None else f"|choices:{self.choices!r}"
        convention = _default_signature() if self.convention is DEFAULT else self.convention.signature
        return f"{convention}|reduce:{reduction}|missing:{self.missing}{extraction}"

    @property
    def is_default(self) -> bool:
        """Whether the rules are those of a call without any argument for them."""
        is_default = self.convention == DEFAULT and self.reduce == "max" and self.missing == "zero"
        return is_default and not self.extract


@functools.cache
def _default_signature() -> str:
    """Return the signature of the default convention. Making it takes as long as scoring tens of rows."""
    return DEFAULT.signature


def make_rules(*, argument: str = "convention", **given: Unpack[RuleArguments]) -> Rules:
    """Return the rules that these arguments choose. UnknownOptionError if a value is not allowed.

    argument: the name by which the caller gives the convention.
    """
    arguments = DEFAULTS | given
    convention = find_convention(arguments["convention"], argument)
    if not isinstance(arguments["convention"], str):  # a listed one is right
        _check_convention(convention, argument)
    reduction = convention.reduce if arguments["reduce"] is None else arguments["reduce"]
    best_by = _check_reduction(reduction, arguments["best_by"], convention)
    require_choice("missing", arguments["missing"], MISSING)
    steps = make_steps(arguments["extract"])
    require_choice_step(arguments["choices"], steps)
    return Rules(convention, vectorised(reduction), best_by, arguments["missing"], steps, arguments["choices"])


_CHOSEN = re.compile(r"convention:([^|]*)\|.*\|reduce:(\w+)(?:\((\w+)\))?\|missing:(\w+)(?:\|extract:|$)", re.DOTALL)
"""What a signature says of the arguments that chose the rules."""


def recall_rules(signature: str, extract: Sequence[Step], choices: Hashable | None = None) -> Rules | None:
    """Return the rules of a signature; None where these arguments do not name them, as a convention of the user's own.

    extract, choices: the steps that found the answers, and the column of options that they chose among.
    """
    found = _CHOSEN.match(signature)
    if found is None or found[1] not in conventions or not is_choice(found[2], REDUCTIONS):
        return None
    steps = [[*step] if isinstance(step, tuple) else step for step in extract] or None
    settings: Any = {"convention": found[1], "reduce": found[2], "best_by": found[3], "missing": found[4]}
    rules = make_rules(**settings, extract=steps, choices=choices)
    return rules if rules.signature == signature else None


def find_convention(convention: str | Convention, argument: str) -> Convention:
    """Return the convention of a name. UnknownOptionError, which names the argument, if it is not known."""
    if isinstance(convention, str):
        try:
            return conventions[convention]
        except UnknownConventionError:
            raise unknown_option(argument, convention, conventions, listed_by=LISTED_BY) from None
    if not isinstance(convention, Convention):
        raise UnknownOptionError(
            f"{argument}={show(convention)} is neither a name from qa_frame.conventions nor a Convention; give one"
        )
    return convention


def _check_reduction(reduction: Reduction, best_by: str | None, convention: Convention) -> str:
    """Return the metric by which "best" chooses; raise UnknownOptionError for a value that is not allowed."""
    if not callable(reduction) and not is_choice(reduction, REDUCTIONS):
        raise unknown_option("reduce", reduction, [*REDUCTIONS, "a callable"])
    if best_by is not None and reduction != "best":
        raise UnknownOptionError(
            f"best_by={show(best_by)} chooses a row's gold for reduce='best', not for reduce={show(reduction)}; leave "
            "best_by out, or give reduce='best'"
        )
    metric = convention.best_by if best_by is None else best_by
    if reduction == "best":
        known = known_metrics(convention)
        require_metric("best_by", metric)
        if metric not in known:
            raise UnknownOptionError(
                f"reduce='best' needs {metric}, for which convention {convention.name!r} has no rule; give best_by= "
                f"one of {list(known)}"
            )
    return metric


def known_metrics(convention: Convention) -> tuple[str, ...]:
    """Return the metrics that the convention has rules for."""
    return tuple(name for name, metric in METRICS.items() if metric.is_in(convention))


def require_metric(argument: str, name: object, known: Sequence[str] = tuple(METRICS)) -> None:
    """Raise UnknownOptionError unless it is one of the known names."""
    if is_choice(name, known):
        return
    if is_choice(name, POOLED):
        raise UnknownOptionError(
            f"{argument}={name!r} is a figure of all rows together, and not a score of each; summary makes it: "
            f"df.qa.summary(metrics={name!r}, pred=..., gold=...)"
        )
    parts = [part.strip() for part in name.split(",")] if isinstance(name, str) and argument == "metrics" else []
    if len(parts) > 1 and all(part in known for part in parts):
        raise UnknownOptionError(f"{argument}={name!r} is several names in one text; give a list: {argument}={parts}")
    raise unknown_option(argument, name, known, OTHER_NAMES)


def texts_of(convention: Convention) -> Iterator[tuple[str, Text]]:
    """Yield, for each family that has a rule, its name, and how texts become tokens."""
    for family in FAMILIES:
        rule = getattr(convention, family)
        if rule is not None:
            yield family, rule.text
            yield from ((family, text) for text in gold_texts_of(rule) if text != rule.text)
            if isinstance(rule, Chrf) and rule.word_order:
                yield family, words_of_chrf(rule.text)


def _check_convention(convention: Convention, argument: str) -> None:
    """Raise UnknownOptionError for a step, a split or a metric that is not known."""
    for family, text in texts_of(convention):
        for step in text.steps:
            if isinstance(step, str) and step not in STEPS:
                allowed = [*STEPS, "a Blank, Drop, Delete, Space or Replace", "a function str -> str"]
                raise unknown_option(f"{argument}.{family}.text.steps", step, allowed)
        if not callable(text.split) and text.split not in SPLITS:
            inner = {rule.without_crossing for rule in SPLITS.values()}
            allowed = [*(name for name in SPLITS if name not in inner), "a function str -> list[str]"]
            raise unknown_option(f"{argument}.{family}.text.split", text.split, allowed)
    known = known_metrics(convention)
    for name in convention.metrics or ():
        require_metric(f"{argument}.metrics", name, known)
