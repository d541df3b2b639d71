"""Notes of frames: scored ones note their columns and rules, tables of results note their contents.

Notes are plain dicts, lists and text, so that Parquet can keep them: pandas has them in `attrs`, Arrow in the metadata.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from qa_frame.errors import QaFrameError
from qa_frame.frames.text_columns import TextColumns

NOTED = "qa_scored"
"""The key of the notes on scoring in the `attrs` of a frame."""
TABLE = "qa_table"
"""The key of the note of a table of results."""
_NAMED = ("pred", "gold", "choices")
_COLUMNS = ("pred", "gold", "extract", "choices")


def note_scoring(
    notes: Mapping[str, Any],
    names: Sequence[str],
    *,
    pred: Hashable,
    gold: Hashable,
    signature: str,
    extract: Sequence[Any] = (),
    choices: Hashable | None = None,
    own: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the notes with the columns and rules that the score columns `names` were made from.

    Parameters
    ----------
    extract
        The steps that found the answers in the responses, as they can be noted.
    choices
        The column of options that they chose among.
    own
        The name of the user's own metric in each column that has one.
    """
    named = {"pred": pred, "gold": gold} | ({} if choices is None else {"choices": choices})
    columns: dict[str, Any] = named if all(map(_can_be_noted, named.values())) else {}
    if columns and extract:
        columns["extract"] = [*extract]
    new: dict[str, dict[str, Any]] = {name: {**columns, "signature": signature} for name in names}
    for name, metric in (own or {}).items():
        new[name]["metric"] = metric
    return {**notes, NOTED: {**notes.get(NOTED, {}), **new}}


def describe_table(
    kind: str,
    *,
    keys: Sequence[Hashable],
    figures: Sequence[str],
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
    figures
        The columns of figures, without their bounds, which have these names with `_lo` and `_hi` (`lo` and `hi` in a
        long table).
    metrics
        The kind of each metric, by name: `"metric"`, one of this package; `"pooled"`, made of statistics;
        `"samples"`, made of several samples of a question; `"own"`, a
        column or a function of the user's.
    level
        The level of the intervals; None for a table without intervals.
    percent
        Whether figures are times 100.
    long
        Whether the table has a row per group and metric.
    settings
        The arguments that it was made by, which a note of their own holds as text.
    signature
        That of its scores, if it is known.
    """
    names = [None if name is None else str(name) for name in keys]
    what = {"figures": [*figures], "metrics": {**metrics}, "percent": bool(percent), "long": bool(long)}
    notes: dict[str, Any] = {TABLE: {"kind": kind, "keys": names, **what}}
    notes[TABLE]["level"] = None if level is None else float(level)
    if settings:
        notes[f"qa_{kind}"] = "|".join(f"{name}:{value}" for name, value in settings.items())
    return notes if signature is None else notes | {"qa": signature}


def are_notes(notes: object) -> bool:
    """Whether the notes on scoring, if there are any, have the form that `note_scoring` writes."""
    noted = notes.get(NOTED, {}) if isinstance(notes, Mapping) else None
    return isinstance(noted, Mapping) and all(
        isinstance(name, str)
        and isinstance(entry, Mapping)
        and isinstance(entry.get("signature"), str)
        and all(_can_be_noted(as_label(entry.get(side, ""))) for side in _NAMED)
        and isinstance(entry.get("extract", []), list)
        for name, entry in noted.items()
    )


def recall_scoring(
    notes: Mapping[str, Any],
    names: Sequence[str],
    read: Callable[[Hashable, Hashable, Hashable | None, list[Any]], TextColumns],
) -> tuple[TextColumns | None, str | None]:
    """Return the columns that the score columns `names` were made from, and their signature.

    Score columns that were made from different texts have no common columns, and a signature that names each. Both
    are None if the notes do not say them; the columns are also None if the frame no longer has them.

    Parameters
    ----------
    read
        Reads the columns of predictions, golds and options of these names from the frame, with the noted steps of
        extraction.
    """
    noted = notes.get(NOTED, {})
    known = {name: noted[name] for name in names if name in noted}
    if len(known) < len(names):
        return None, None
    first, *others = known.values()
    is_one = all(as_label(other.get(key)) == as_label(first.get(key)) for other in others for key in _COLUMNS)
    signatures = {entry["signature"]: name for name, entry in known.items()}
    signature = " & ".join(f"{name}={line}" for line, name in signatures.items())
    pred, gold, choices = (as_label(first.get(side)) for side in _NAMED)
    try:
        columns = read(pred, gold, choices, first.get("extract", [])) if pred is not None and is_one else None
    except QaFrameError:  # columns of these names were put to other use since
        columns = None
    return columns, next(iter(signatures)) if len(signatures) == 1 else signature


def noted_extractions(notes: Mapping[str, Any]) -> list[Any]:
    """Return the noted steps that found the answers of any scores."""
    return [step for entry in notes.get(NOTED, {}).values() for step in entry.get("extract", [])]


def without_sources(notes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the notes without the columns that scores were made from."""
    entries = notes.get(NOTED, {}).items()
    kept = {name: {key: value for key, value in entry.items() if key not in _COLUMNS} for name, entry in entries}
    return {**notes, NOTED: kept}


def own_scores(notes: Mapping[str, Any]) -> dict[str, str]:
    """Return the score columns that come from metrics of the user's own: by column, the metric's name."""
    noted = notes.get(NOTED, {})
    return {name: entry["metric"] for name, entry in noted.items() if isinstance(entry.get("metric"), str)}


def noted_columns(notes: Mapping[str, Any]) -> set[Hashable]:
    """Return the prediction and gold columns that any scores in the frame were made from."""
    entries = notes.get(NOTED, {}).values()
    return {as_label(entry[side]) for entry in entries for side in _NAMED if side in entry}


def _can_be_noted(label: Hashable) -> bool:
    """Whether a label can stand in notes, which Parquet keeps as JSON."""
    parts = label if isinstance(label, tuple) else (label,)
    return all(isinstance(part, str | int) for part in parts)


def as_label(noted: Any) -> Any:
    """Return a label as the frame has it: a tuple comes back from JSON as a list."""
    return tuple(noted) if isinstance(noted, list) else noted
