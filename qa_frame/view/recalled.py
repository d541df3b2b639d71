"""What a scored frame remembers of its scoring → the columns and rules by which a view looks at its texts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from qa_frame.errors import QaFrameError, UnknownOptionError, show
from qa_frame.frames.kinds import Source
from qa_frame.frames.names import likely_columns
from qa_frame.frames.provenance import Origin, origins
from qa_frame.reports.existing_scores import convention_of
from qa_frame.scoring.call_rules import RuleArguments, Rules, make_rules, recall_arguments
from qa_frame.scoring.metrics import METRICS


@dataclass(frozen=True, slots=True)
class Recalled:
    """The columns of a frame's texts, and the rules of a call.

    Attributes
    ----------
    pred, gold
        The columns of predictions and golds.
    rules
        The rules by which the frame was scored, with those in their place that the call gives.
    arguments
        The arguments that choose them.
    scored
        The names of the score columns that are there, and were made from these columns.
    differs
        How the rules differ from those of the frame's scores, as a sentence; empty where they do not.
    """

    pred: Hashable
    gold: Hashable
    rules: Rules
    arguments: RuleArguments
    scored: tuple[str, ...] = ()
    differs: str = ""

    @property
    def named(self) -> list[str] | None:
        """The metrics that the frame has scores of; None where it has none."""
        return [name for name in self.scored if name in METRICS] or None


def recall(
    source: Source,
    function: str,
    *,
    pred: Hashable | None,
    gold: Hashable | None,
    given: RuleArguments,
    names: Sequence[str] | None = None,
) -> Recalled:
    """Return the columns and rules that a call names, or else those of the frame's scores.

    UnknownOptionError where neither says them. function: the name of the public function that is called.
    names: the score columns that count; None for all.
    """
    wanted = source.names if names is None else names
    known = {name: origin for name, origin in origins(source.notes).items() if name in wanted}
    origin = _choose(known, given, is_named=pred is not None or gold is not None)
    columns = {"pred": pred, "gold": gold}
    for argument, column in columns.items():
        if column is None and getattr(origin, argument, None) is None:
            likely = likely_columns(source.names).get({"pred": "response", "gold": "answers"}[argument])
            raise UnknownOptionError(
                f"{argument} is not given, and the frame does not remember the column that it was scored from; give "
                f"{argument}={likely!r} to {function}, or another of its columns: {source.names}"
            )
        if column is None:
            columns[argument] = getattr(origin, argument)
    if origin is None:
        return Recalled(columns["pred"], columns["gold"], make_rules(**given), given)
    arguments = recall_arguments(origin.rules, origin.choices, given)
    rules = make_rules(**arguments)
    scored = tuple(name for name, each in known.items() if each.identity == origin.identity)
    return Recalled(columns["pred"], columns["gold"], rules, arguments, scored, _difference(origin, rules, given))


def _choose(known: dict[str, Origin], given: RuleArguments, *, is_named: bool) -> Origin | None:
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


def _difference(origin: Origin, rules: Rules, given: RuleArguments) -> str:
    """Say in which of the rules that are given now the frame's scores were made otherwise."""
    try:
        before = make_rules(**recall_arguments(origin.rules, origin.choices, {}))
    except QaFrameError:  # a function, which the call gives again
        return ""
    names = [field.name for field in fields(rules) if getattr(rules, field.name) != getattr(before, field.name)]
    said = [f"{name}={_shown(getattr(before, name))}, and not {_shown(getattr(rules, name))}" for name in names]
    return f"the frame was scored with {'; '.join(said)}" if said and given else ""


def _shown(value: Any) -> str:
    return show(getattr(value, "name", value))
