"""What a scored frame remembers of its scoring → the columns, the rules and the scores that a view looks at."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import pandas as pd

from qa_frame.checks import is_equal
from qa_frame.errors import (
    ColumnNotFoundError,
    MixedScoresWarning,
    QaFrameError,
    UnknownOptionError,
    show,
    warn,
)
from qa_frame.frames.diagnosis import scoring_line
from qa_frame.frames.marks import FLAG, MARK, require_one_scoring
from qa_frame.frames.names import likely_columns, name_in
from qa_frame.frames.scoring_metadata import Origin, origins, own_scores, rename_noted
from qa_frame.frames.source import Source, noted
from qa_frame.scoring.call_rules import RuleArguments, Rules, make_rules, recall_arguments
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.plan import Metrics, Plan, ScoreColumns, as_items, make_plan, require_built_in
from qa_frame.tables.existing_scores import convention_of

NOT_KNOWN = "not known"
"""The signature of scores whose rules the frame does not say."""

_USUAL_NAMES = {"pred": "response", "gold": "answers"}


@dataclass(frozen=True, slots=True)
class ScoringMetadata:
    """The columns of a frame's texts, and how they are scored.

    Attributes
    ----------
    pred, gold
        The columns of predictions and golds.
    plan
        The metrics that a call names, else those that the frame has scores of, else those of the convention. The rules
        are those by which the frame was scored, with those in their place that the call gives.
    scored
        The names of the score columns that are there, and were made from these columns.
    differs
        How the rules differ from those of the frame's scores, as a sentence; empty where they do not.
    """

    pred: Hashable
    gold: Hashable
    plan: Plan
    scored: tuple[str, ...] = ()
    differs: str = ""


def without_prefix(source: Source, metrics: ScoreColumns = None) -> tuple[Source, dict[str, str]]:
    """Return the frame with its scores by the names of their metrics, and these names by column.

    It is the same frame, without names, unless one prefix stands before all scores that it remembers, or before those
    of them that `metrics` names.
    """
    own = own_scores(source.notes)
    columns = [name for name in origins(source.notes) if name in source.names]
    columns = [name for name in columns if name in _as_names(metrics)] or columns
    ends = {name: [own[name]] if name in own else [*filter(name.endswith, METRICS)] for name in columns}
    prefixes = [{name.removesuffix(end) for end in of_name} for name, of_name in ends.items() if of_name]
    prefix = min(set[str]().union(*prefixes[:1]).intersection(*prefixes), key=len, default="")
    names = {name: name.removeprefix(prefix) for name in columns}
    names |= {prefix + name: name for name in (MARK, FLAG) if prefix + name in source.names}
    if not prefix or {*names.values()} & {*source.names}:
        return source, {}
    frame = source.columns
    require_one_scoring(frame, columns)
    if isinstance(frame, pd.DataFrame):
        renamed: Any = frame.rename(columns=names)
    else:
        renamed = frame.rename_columns([names.get(name, name) for name in frame.column_names])
    return replace(source, columns=noted(renamed, rename_noted(source.notes, names))), {n: names[n] for n in columns}


def recall(
    source: Source,
    function: str,
    *,
    pred: Hashable | None = None,
    gold: Hashable | None = None,
    metrics: Metrics = None,
    given: RuleArguments,
    names: Sequence[str] | None = None,
) -> ScoringMetadata:
    """Return the columns, metrics and rules that a call names, or else those of the frame's scores.

    UnknownOptionError where neither says them. function: the name of the public function that is called.
    names: the score columns that count; None for all.
    """
    wanted = source.names if names is None else names
    known = {name: origin for name, origin in origins(source.notes).items() if name in wanted}
    origin = _choose_origin(known, given, is_named=pred is not None or gold is not None)
    columns = {"pred": pred, "gold": gold}
    for argument, column in columns.items():
        columns[argument] = getattr(origin, argument, None) if column is None else column
        if columns[argument] is None:
            likely = likely_columns(source.names).get(_USUAL_NAMES[argument])
            name, or_another = ("", "one") if likely is None else (repr(likely), "or another")
            raise UnknownOptionError(
                f"{argument} is not given, and the frame does not remember the column that it was scored from; give "
                f"{argument}={name} to {function}, {or_another} of its columns: {source.names}"
            )
    rules = make_rules(**(given if origin is None else recall_arguments(origin.rules, origin.choices, given)))
    scored = tuple(name for name, each in known.items() if origin is not None and each.identity == origin.identity)
    require_one_scoring(source.columns, scored)
    named: Any = [name for name in scored if name in METRICS] or None
    plan = make_plan(named if metrics is None else metrics, rules)
    require_built_in(plan)
    return ScoringMetadata(columns["pred"], columns["gold"], plan, scored, _say_difference(origin, rules, given))


def _choose_origin(known: dict[str, Origin], given: RuleArguments, *, is_named: bool) -> Origin | None:
    """Return what the frame's scores were made from: the only one, or that of the convention which is given."""
    made = list({origin.identity: origin for origin in known.values()}.values())
    if len(made) > 1 and "convention" in given:
        wanted = make_rules(**given).convention
        made = [each for each in made if convention_of(each) == wanted][:1]
    if len(made) > 1 and not is_named:
        columns = {origin.identity: name for name, origin in known.items()}
        raise UnknownOptionError(
            f"the frame was scored by several rules, as its columns {list(columns.values())} were; give convention= "
            "to choose one"
        )
    return made[0] if len(made) == 1 else None


def _say_difference(origin: Origin | None, rules: Rules, given: RuleArguments) -> str:
    """Say in which of the rules that are given now the frame's scores were made otherwise."""
    try:
        before = rules if origin is None else make_rules(**recall_arguments(origin.rules, origin.choices, {}))
    except QaFrameError:  # a function, which the call gives again
        return ""
    names = [field.name for field in fields(rules) if getattr(rules, field.name) != getattr(before, field.name)]
    said = [f"{name}={_show_rule(getattr(before, name))}, and not {_show_rule(getattr(rules, name))}" for name in names]
    return f"the frame was scored with {'; '.join(said)}" if said and given else ""


def _show_rule(value: Any) -> str:
    return show(getattr(value, "name", value))


# --- the scores of a report


@dataclass(frozen=True, slots=True)
class KnownScores:
    """The scores that a report shows.

    Attributes
    ----------
    names
        The score columns.
    pred, gold
        The columns of predictions and golds; None where the frame has none.
    recalled
        How the scores were made; None where the frame does not say it, or has no texts. Then rows have no explanations,
        and nothing is said of what may mislead.
    signature
        The line that names all settings of the scoring.
    """

    names: list[str]
    pred: Hashable | None
    gold: Hashable | None
    recalled: ScoringMetadata | None
    signature: str


def find_known_scores(source: Source, metrics: ScoreColumns, keys: Sequence[Hashable] = ()) -> KnownScores:
    """Return the frame's own scores, or those that `metrics` names.

    keys: the columns that make groups, which are no figures of these.

    Raises
    ------
    ColumnNotFoundError
        Where the frame has no scores.
    UnknownOptionError
        Where it has not the ones that are named, or they make groups, or were made by several rules.
    """
    own = [name for name, metric in own_scores(source.notes).items() if name == metric]
    numbers = without_keys(source.number_names, keys)
    there = [name for name in numbers if name in {*METRICS, *own}]
    if metrics is None and not there and (others := [*origins(source.notes).keys() & {*source.names}]):
        raise UnknownOptionError(f"the scores {sorted(others)} have several prefixes; let metrics= name those of one")
    if not there and metrics is None:
        raise ColumnNotFoundError(
            f"the frame has no scores; score it first with {scoring_line(source.names)}, or let "
            "metrics= name columns of numbers"
        )
    names = _name_scores(metrics, there, numbers, keys)
    scored = [name for name in names if name in there]
    require_one_scoring(source.columns, scored)
    made = [origins(source.notes).get(name) for name in scored]
    if len({origin.identity for origin in made if origin is not None}) > 1:
        raise UnknownOptionError(f"the scores {scored} were made by several rules; let metrics= name those of one")
    first = made[0] if made and all(made) else None
    if first is not None and first.pred is not None:
        pred, gold = first.pred, first.gold
    else:
        pred, gold = (name_in(source.names, name) for name in _USUAL_NAMES.values())
    pred, gold = (name if name in source.names else None for name in (pred, gold))
    signature = NOT_KNOWN if first is None else first.signature
    if pred is None or gold is None:  # as of scores that people gave, or a tool whose texts were not kept
        return KnownScores(names, pred, gold, None, signature)
    try:
        if first is None:
            raise UnknownOptionError(
                "the frame does not say how they were made; df.qa.with_scoring_of(scored) gives its memory back"
            )
        recalled = recall(source, "report", pred=pred, gold=gold, given={}, names=scored)
    except QaFrameError as error:
        warn(
            f"the report shows the scores without explanations and without doubtful texts: {error}", MixedScoresWarning
        )
        recalled = None
    return KnownScores(names, pred, gold, recalled, signature)


def without_keys(names: Sequence[str], keys: Sequence[Hashable]) -> list[str]:
    """Return the names of columns that do not make groups. A key may be anything that a caller gives."""
    return [name for name in names if not any(is_equal(name, key) for key in keys)]


def refuse_key(argument: str, name: Hashable | None, keys: Sequence[Hashable]) -> None:
    """Raise UnknownOptionError where a column of figures makes the groups of these figures."""
    if name is not None and any(is_equal(name, key) for key in keys):
        raise UnknownOptionError(
            f"{argument}={show(name)} makes the groups, as by= or within= names it, and so has no figures; name another"
        )


def _as_names(metrics: ScoreColumns) -> list[str]:
    """Return the names of metrics that are given; none for None and "all"."""
    items = as_items(metrics)
    return [str(getattr(item, "name", item)) for item in items] if isinstance(items, tuple) else []


def _name_scores(metrics: ScoreColumns, there: list[str], columns: list[str], keys: Sequence[Hashable]) -> list[str]:
    """Return the scores that are asked for, and other columns of numbers; UnknownOptionError where one is not there."""
    items = as_items(metrics)
    if items is None or items == "all":
        return there
    names = _as_names(items)
    for name in names:
        refuse_key("metrics", name, keys)
        if name not in columns:
            known = f"the scores of the frame, {there}, nor its other columns of numbers or truth values"
            raise UnknownOptionError(f"metrics={show(name)} is not among {known}; name these")
    return names
