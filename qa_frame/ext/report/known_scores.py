"""The scores that a report shows, and how they were made."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from qa_frame.checks import is_equal
from qa_frame.errors import (
    ColumnNotFoundError,
    MixedScoresWarning,
    QaFrameError,
    UnknownOptionError,
    show,
    warn,
)
from qa_frame.frames.names import name_in
from qa_frame.frames.row_rules import require_one_scoring
from qa_frame.frames.scoring_metadata import origins, own_scores
from qa_frame.frames.source import Source
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.plan import ScoreColumns, as_items
from qa_frame.tables.likely_columns import scoring_line
from qa_frame.tables.restored import (
    USUAL_NAMES,
    ScoringMetadata,
    names_of_metrics,
    require_one_level,
    restore_metadata,
)

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
        The columns of predictions and golds; None where the frame has none.
    metadata
        How the scores were made; None where the frame does not say it, or has no texts. Then rows have no explanations,
        and nothing is said of what may mislead.
    signature
        The line that names all settings of the scoring.
    """

    names: list[str]
    pred: Hashable | None
    gold: Hashable | None
    metadata: ScoringMetadata | None
    signature: str


def find_known_scores(source: Source, metrics: ScoreColumns, keys: Sequence[Hashable] = ()) -> KnownScores:
    """Return the frame's own scores, or those that `metrics` names.

    keys: the columns that make groups. They cannot be scores of these groups, too.

    Raises
    ------
    ColumnNotFoundError
        Where the frame has no scores.
    UnknownOptionError
        Where a named score is not there or makes groups, or scores have several prefixes or were made by several rules.

    Warns
    -----
    MixedScoresWarning
        Where the frame has texts, but does not say how its scores were made, or these rules cannot be restored.
    """
    require_one_level(source, "report")
    own = [name for name, metric in own_scores(source.notes).items() if name == metric]
    numbers = without_keys(source.number_names, keys)
    there = [name for name in numbers if name in {*METRICS, *own}]
    if metrics is None and not there and (others := [*origins(source.notes).keys() & {*source.names}]):
        raise UnknownOptionError(f"the scores {sorted(others)} have several prefixes; let metrics= name those of one")
    if not there and metrics is None:
        raise ColumnNotFoundError(
            f"the frame has no scores; score it first with {scoring_line(source)}, or let "
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
        pred, gold = (name_in(source.names, name) for name in USUAL_NAMES.values())
    pred, gold = (name if name in source.names else None for name in (pred, gold))
    signature = NOT_KNOWN if first is None else first.signature
    if pred is None or gold is None:  # as of scores that people gave, or a tool whose texts were not kept
        return KnownScores(names, pred, gold, None, signature)
    try:
        if first is None:
            raise UnknownOptionError(
                "the frame does not say how they were made; df.qa.with_scoring_of(scored) restores it"
            )
        metadata = restore_metadata(source, "report", pred=pred, gold=gold, rules={}, names=scored)
    except QaFrameError as error:
        warn(
            f"the report shows the scores without explanations and without doubtful texts: {error}", MixedScoresWarning
        )
        metadata = None
    return KnownScores(names, pred, gold, metadata, signature)


def without_keys(names: Sequence[str], keys: Sequence[Hashable]) -> list[str]:
    """Return the names that are not among `keys`, the columns that make groups. A key may be of any type."""
    return [name for name in names if not any(is_equal(name, key) for key in keys)]


def refuse_key(argument: str, name: Hashable | None, keys: Sequence[Hashable]) -> None:
    """Raise UnknownOptionError where the column that an argument names is one of `keys`, which make the groups."""
    if name is not None and any(is_equal(name, key) for key in keys):
        raise UnknownOptionError(
            f"{argument}={show(name)} makes the groups, as by= or within= names it, and so has no figures; name another"
        )


def _name_scores(metrics: ScoreColumns, there: list[str], columns: list[str], keys: Sequence[Hashable]) -> list[str]:
    """Return the names that `metrics` gives; the scores `there` for None or "all".

    UnknownOptionError where a name is not among `columns`, which are those of numbers, or makes groups.
    """
    items = as_items(metrics)
    if items is None or items == "all":
        return there
    names = names_of_metrics(items)
    for name in names:
        refuse_key("metrics", name, keys)
        if name not in columns:
            known = f"the scores of the frame, {there}, nor its other columns of numbers or truth values"
            raise UnknownOptionError(f"metrics={show(name)} is not among {known}; name these")
    return names
