"""The scores that a frame has before a report, and the rules that made them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qa_frame.errors import UnknownOptionError, show
from qa_frame.frames.kinds import Source
from qa_frame.frames.provenance import NOTED, as_label, own_scores
from qa_frame.reports.existing_scores import refuse_unused, without_own
from qa_frame.scoring.call_rules import Rules, recall_rules
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.plan import Metrics, Plan, as_items, make_plan
from qa_frame.text.extraction import steps_from_notes

_ANEW = "give pred= and gold= to score the rows anew"


Notes = Mapping[str, Mapping[str, Any]]
"""How score columns were made, by column."""


def find_known_scores(source: Source, metrics: Metrics, rules: Rules) -> tuple[Notes, Plan]:
    """Return the notes of the frame's own scores, or of those that `metrics` names; none if it has no scores.

    With them comes the plan by which this package makes such scores, without the user's own metrics.

    Raises
    ------
    UnknownOptionError
        Where a metric is not there, or it is not known by which rules the scores were made, or by several ones.
    """
    noted = {name: note for name, note in source.notes.get(NOTED, {}).items() if name in source.names}
    scores = [*METRICS, *(name for name, metric in own_scores(source.notes).items() if name == metric)]
    known = [name for name in source.number_names if name in scores]
    if not known and not noted:
        return {}, make_plan(metrics, rules)
    names = _named(metrics, known)
    lacking = [name for name in [*known, *noted] if name not in noted or name not in known]
    unsure = [name for name in names if name in lacking] if names else lacking
    if unsure:
        raise UnknownOptionError(
            f"the frame has scores, and does not say for {show(unsure[0])} how they were made, or has a prefix there; "
            f"{_ANEW}, or drop such columns first"
        )
    notes = {name: noted[name] for name in names}
    return notes, _plan_of(notes, rules)


def _named(metrics: Metrics, known: list[str]) -> list[str]:
    """Return the scores that are asked for; UnknownOptionError where one is not there."""
    items = as_items(metrics)
    if items is None or items == "all":
        return known
    names = [items] if isinstance(items, str) else [*items]
    for name in names:
        if name not in known:
            raise UnknownOptionError(f"metrics={show(name)} is not among the scores of the frame, {known}; {_ANEW}")
    return [str(name) for name in names]


def _plan_of(notes: Notes, rules: Rules) -> Plan:
    """Return the plan that makes these scores; UnknownOptionError where the rules are not known."""
    signatures = {without_own(str(note["signature"])): name for name, note in notes.items()}
    if len(signatures) > 1:
        raise UnknownOptionError(
            f"the scores {list(signatures.values())} were made by different rules; let metrics= name those of one, or "
            f"{_ANEW}"
        )
    signature = next(iter(signatures))
    refuse_unused(rules, signature)
    first = next(iter(notes.values()))
    steps, choices = steps_from_notes(first.get("extract", [])), as_label(first.get("choices"))
    recalled = rules if rules.signature == signature else recall_rules(signature, steps, choices)
    if recalled is None:
        raise UnknownOptionError(
            "the rules that made the scores have no names here; give the same ones, as convention= or reduce=, or "
            f"{_ANEW}. The scores were made by {signature}"
        )
    return make_plan([name for name in notes if name in METRICS] or None, recalled)
