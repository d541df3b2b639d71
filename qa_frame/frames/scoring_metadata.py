"""Notes of frames: scored ones note their columns and rules, tables of results note their contents.

Notes are plain dicts, lists and text, so that Parquet can keep them: pandas has them in `attrs`, Arrow in the metadata.
Those of a scored frame are `{"scorings": [...], "columns": {...}}`: each scoring once, and which one each column is of.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qa_frame.errors import QaFrameError
from qa_frame.frames.text_columns import TextColumns

NOTED = "qa_scored"
"""The key of the notes on scoring in the `attrs` of a frame."""
TABLE = "qa_table"
"""The key of the note of a table of results."""
_SCORINGS, _COLUMNS = "scorings", "columns"
_NAMED = ("pred", "gold", "choices")


@dataclass(frozen=True, slots=True)
class Origin:
    """What score columns were made from.

    Attributes
    ----------
    pred, gold, choices
        The columns of predictions, golds and options; None where they are not known.
    rules
        The arguments that chose the rules, as plain data.
    signature
        One line that names every setting.
    """

    pred: Any
    gold: Any
    choices: Any
    rules: Mapping[str, Any]
    signature: str

    def __post_init__(self) -> None:
        are_labels = all(each is None or _can_be_noted(each) for each in (self.pred, self.gold, self.choices))
        if not (are_labels and isinstance(self.signature, str) and isinstance(self.extract, list)):
            raise ValueError("these are not the notes of a scoring")

    @property
    def identity(self) -> str:
        """A text that is the same for scores that were made from the same columns by the same rules."""
        return repr((self.pred, self.gold, self.choices, dict(self.rules)))

    @property
    def extract(self) -> list[Any]:
        """The noted steps that found the answers in the responses."""
        steps: list[Any] = self.rules.get("extract", [])
        return steps


def note_scoring(
    notes: Mapping[str, Any],
    names: Sequence[str],
    *,
    pred: Hashable,
    gold: Hashable,
    choices: Hashable | None,
    rules: Mapping[str, Any],
    signature: str,
    own: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the notes with the columns and rules that the score columns `names` were made from.

    Parameters
    ----------
    rules
        The arguments that chose the rules, as plain data.
    own
        The name of the user's own metric in each column that has one.
    """
    named = {"pred": pred, "gold": gold} | ({} if choices is None else {"choices": choices})
    origin: dict[str, Any] = {"rules": dict(rules), "signature": signature}
    origin |= named if all(map(_can_be_noted, named.values())) else {}
    before = copy.deepcopy(notes.get(NOTED, {}))  # two frames must not share what one of them may change
    kept = {name: each for name, each in before.get(_COLUMNS, {}).items() if name not in names}
    columns = {name: {**each, "scoring": before[_SCORINGS][each["scoring"]]} for name, each in kept.items()}
    for name in names:
        columns[name] = {"scoring": origin} | ({"metric": own[name]} if own and name in own else {})
    scorings: list[Any] = []
    for each in columns.values():
        if each["scoring"] not in scorings:
            scorings.append(each["scoring"])
        each["scoring"] = scorings.index(each["scoring"])
    return {**notes, NOTED: {_SCORINGS: scorings, _COLUMNS: columns}}


def describe_table(
    kind: str,
    *,
    keys: Sequence[Hashable],
    estimates: Sequence[str],
    metrics: Mapping[str, str],
    level: float | None = None,
    percent: bool = False,
    long: bool = False,
    settings: Mapping[str, object] | None = None,
    signature: str | None = None,
) -> dict[str, Any]:
    """Return the notes of a table of results.

    Parameters
    ----------
    kind
        The function that made it, such as `"summary"` or `"compare"`.
    keys
        The names of the columns or index levels that name its rows.
    estimates
        The columns of estimates, without their bounds, which have these names with `_lo` and `_hi` (`lo` and `hi` in a
        long table).
    metrics
        The kind of each metric, by name: `"metric"`, a metric of this package; `"pooled"`, a figure that is computed
        from the summed statistics of all rows; `"samples"`, one that is made of several samples of a question; `"own"`,
        a column or a function of the user's.
    level
        The level of the intervals; None for a table without intervals.
    percent
        Whether figures are times 100.
    long
        Whether the table has a row per group and metric.
    settings
        The arguments that it was made by, which have a note of their own.
    signature
        The signature of its scores, if it is known.
    """
    names = [None if name is None else str(name) for name in keys]
    what = {"figures": [*estimates], "metrics": {**metrics}, "percent": bool(percent), "long": bool(long)}
    notes: dict[str, Any] = {TABLE: {"kind": kind, "keys": names, **what}}
    notes[TABLE]["level"] = None if level is None else float(level)
    if settings:
        notes[f"qa_{kind}"] = _as_json(settings)
    return notes if signature is None else notes | {"qa": signature}


def _as_json(value: Any) -> Any:
    """Return a value as JSON gives it back: lists for tuples, and the text of a value that JSON does not have."""
    if isinstance(value, Mapping):
        return {str(name): _as_json(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(each) for each in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def are_notes(notes: Any) -> bool:
    """Return whether the notes on scoring have the form that `note_scoring` writes. It is True if there are none."""
    try:
        noted = notes.get(NOTED, {})
        return len(noted) == (2 if noted else 0) and all(isinstance(name, str) for name in origins({NOTED: noted}))
    except (AttributeError, LookupError, TypeError, ValueError):  # they are of another form
        return False


def origins(notes: Mapping[str, Any]) -> dict[str, Origin]:
    """Return what each noted score column was made from, by the column's name."""
    noted = notes.get(NOTED, {})
    made = []
    for each in noted.get(_SCORINGS, []):
        pred, gold, choices = (as_label(each.get(name)) for name in _NAMED)
        made.append(Origin(pred, gold, choices, each["rules"], each["signature"]))
    places = dict(enumerate(made))
    return {name: places[of_column["scoring"]] for name, of_column in noted.get(_COLUMNS, {}).items()}


def signatures(notes: Mapping[str, Any]) -> dict[str, str]:
    """Return the signature of each noted score column, by the column's name."""
    noted = notes.get(NOTED, {})
    return {name: noted[_SCORINGS][each["scoring"]]["signature"] for name, each in noted.get(_COLUMNS, {}).items()}


def restore_scoring(
    notes: Mapping[str, Any], names: Sequence[str], read: Callable[[Origin], TextColumns]
) -> tuple[TextColumns | None, str | None]:
    """Return the columns that the score columns `names` were made from, and the signature of these scores.

    Scores that were made from different texts have no common columns: then None stands in their place. If the scores
    differ in their rules, the signature names each with its scores. Both are None if the notes lack one of the scores.
    The columns are also None if the frame no longer has them.

    Parameters
    ----------
    read
        Reads the columns of predictions, golds and options from the frame, with the noted steps of extraction.
    """
    known = origins(notes)
    if not {*names} <= {*known}:
        return None, None
    made = [known[name] for name in names]
    signatures = {origin.signature: name for name, origin in zip(names, made, strict=True)}
    signature = " & ".join(f"{name}={line}" for line, name in signatures.items())
    texts = [(origin.pred, origin.gold, origin.choices, origin.rules.get("gold_is"), origin.extract) for origin in made]
    try:
        columns = read(made[0]) if made[0].pred is not None and all(each == texts[0] for each in texts) else None
    except QaFrameError:  # columns of these names were put to other use since
        columns = None
    return columns, made[0].signature if len(signatures) == 1 else signature


def notes_of_columns(notes: Mapping[str, Any], names: Sequence[Hashable]) -> dict[str, Any] | None:
    """Return the notes on scoring for those noted score columns alone that are among `names`; None if none is."""
    noted = notes.get(NOTED, {})
    columns = {name: each for name, each in noted.get(_COLUMNS, {}).items() if name in names}
    return {NOTED: {_SCORINGS: noted[_SCORINGS], _COLUMNS: columns}} if columns else None


def rename_noted(notes: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return the notes with other names for score columns.

    names: the new name by the one that is noted. A column that is not in it keeps its name.
    """
    noted = notes[NOTED]
    columns = {names.get(name, name): each for name, each in noted[_COLUMNS].items()}
    return {**notes, NOTED: {**noted, _COLUMNS: columns}}


def without_sources(notes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the notes with the signatures of the scores, but without their source columns and rules."""
    noted = notes.get(NOTED, {})
    scorings = [{"rules": {}, "signature": each["signature"]} for each in noted.get(_SCORINGS, [])]
    return {**notes, NOTED: {_SCORINGS: scorings, _COLUMNS: noted.get(_COLUMNS, {})}}


def own_scores(notes: Mapping[str, Any]) -> dict[str, str]:
    """Return the name of the user's own metric by the score column that it made."""
    noted = notes.get(NOTED, {}).get(_COLUMNS, {})
    return {name: each["metric"] for name, each in noted.items() if isinstance(each.get("metric"), str)}


def noted_columns(notes: Mapping[str, Any]) -> set[Hashable]:
    """Return the columns of predictions, golds and options that any noted scores were made from."""
    named = (getattr(origin, side) for origin in origins(notes).values() for side in _NAMED)
    return {name for name in named if name is not None}


def _can_be_noted(label: Hashable) -> bool:
    """Return whether a label, or each part of one, is text or a whole number: notes are kept as JSON in Parquet."""
    parts = label if isinstance(label, tuple) else (label,)
    return all(isinstance(part, str | int) for part in parts)


def as_label(noted: Any) -> Any:
    """Return a label as the frame has it: a tuple comes back from JSON as a list."""
    return tuple(noted) if isinstance(noted, list) else noted
