"""The scores of a frame, the columns that they were made from, and the rules that made them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from qa_frame.errors import (
    ColumnNotFoundError,
    MixedScoresWarning,
    QaFrameError,
    UnknownOptionError,
    show,
    warn,
)
from qa_frame.frames.kinds import Source
from qa_frame.frames.names import name_in
from qa_frame.frames.provenance import Origin, origins, own_scores
from qa_frame.frames.steps_in_code import scoring_line
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.plan import Plan, ScoreColumns, as_items, make_plan
from qa_frame.view.recalled import Recalled, recall

NOT_KNOWN = "not known"
"""The signature of scores whose rules the frame does not say."""


@dataclass(frozen=True, slots=True)
class KnownScores:
    """The scores that a report shows.

    Attributes
    ----------
    names
        The score columns.
    pred, gold
        The columns of predictions and golds.
    recalled, plan
        The rules that made the scores, and the plan that makes those of this package again; None where the frame does
        not say them. Then rows have no explanations, and nothing is said of what may mislead.
    signature
        The line that names all settings of the scoring.
    """

    names: list[str]
    pred: Hashable
    gold: Hashable
    recalled: Recalled | None
    plan: Plan | None
    signature: str


def find_known_scores(source: Source, metrics: ScoreColumns) -> KnownScores:
    """Return the frame's own scores, or those that `metrics` names.

    Raises
    ------
    ColumnNotFoundError
        Where the frame has no scores, or not the ones that are named.
    UnknownOptionError
        Where they were made by several rules, or the columns that they were made from are not known.
    """
    own = [name for name, metric in own_scores(source.notes).items() if name == metric]
    there = [name for name in source.number_names if name in {*METRICS, *own}]
    if not there and metrics is None:
        raise ColumnNotFoundError(f"the frame has no scores; score it first with {scoring_line(source.names)}")
    names = _named(metrics, there, source.number_names)
    noted = origins(source.notes)
    scored = [name for name in names if name in there]
    made = [noted.get(name) for name in scored]
    first = made[0] if made and all(made) else None
    if len({origin.identity for origin in made if origin is not None}) > 1:
        raise UnknownOptionError(f"the scores {scored} were made by several rules; let metrics= name those of one")
    pred, gold = _texts(source, first)
    try:
        if first is None:
            raise UnknownOptionError(
                "the frame does not say how they were made; df.qa.recall(scored) gives its memory back"
            )
        recalled = recall(source, "report", pred=pred, gold=gold, given={}, names=scored)
        plan = make_plan([name for name in scored if name in METRICS] or None, recalled.rules)
        return KnownScores(names, pred, gold, recalled, plan, first.signature)
    except QaFrameError as error:
        warn(
            f"the report shows the scores without explanations and without doubtful texts: {error}", MixedScoresWarning
        )
        return KnownScores(names, pred, gold, None, None, NOT_KNOWN if first is None else first.signature)


def _named(metrics: ScoreColumns, there: list[str], columns: list[str]) -> list[str]:
    """Return the scores that are asked for, and other columns of numbers; UnknownOptionError where one is not there."""
    items = as_items(metrics)
    if items is None or items == "all":
        return there
    names = [items] if isinstance(items, str) else [str(getattr(item, "name", item)) for item in items]
    for name in names:
        if name not in columns:
            known = f"the scores of the frame, {there}, nor its other columns of numbers or truth values"
            raise UnknownOptionError(f"metrics={show(name)} is not among {known}; name these")
    return names


def _texts(source: Source, origin: Origin | None) -> tuple[Hashable, Hashable]:
    """Return the columns of predictions and golds: those of the scores, or those of usual names."""
    if origin is not None and origin.pred is not None:
        return origin.pred, origin.gold
    found = [name_in(source.names, column) for column in ("response", "answers")]
    if None in found:
        raise UnknownOptionError(
            "the frame does not remember from which columns it was scored; give it its memory back, as "
            "df.qa.recall(scored), or score it again"
        )
    return found[0], found[1]
