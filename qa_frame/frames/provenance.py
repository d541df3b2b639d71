"""What a frame remembers of its scoring, in its `attrs`: which columns were scored, and by which rules."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import pandas as pd

from qa_frame.errors import QaFrameError
from qa_frame.frames.text_columns import TextColumns, read_columns

_ATTRS_KEY = "qa_scored"


def remember_scoring(
    scored: pd.DataFrame, names: Sequence[str], *, pred: Hashable, gold: Hashable, signature: str
) -> pd.DataFrame:
    """Note in the frame's `attrs` what the score columns `names` were made from; returns the same frame."""
    source = {"pred": pred, "gold": gold} if _can_be_noted(pred) and _can_be_noted(gold) else {}
    earlier = scored.attrs.get(_ATTRS_KEY, {})
    new = {name: {**source, "signature": signature} for name in names}
    scored.attrs = {**scored.attrs, _ATTRS_KEY: {**earlier, **new}}
    return scored


def _can_be_noted(label: Hashable) -> bool:
    """Whether a label can stand in `attrs`, which Parquet keeps as JSON; a tuple comes back as a list."""
    parts = label if isinstance(label, tuple) else (label,)
    return all(isinstance(part, str | int) for part in parts)


def _as_noted(label: Any) -> Any:
    return tuple(label) if isinstance(label, list) else label


def recall_scoring(frame: pd.DataFrame, names: Sequence[str]) -> tuple[TextColumns | None, str | None]:
    """The columns that the score columns `names` were made from, and their signature; None where unknown or gone.

    Columns scored in different ways have no common source unless it is the same, and each its own signature.
    """
    noted = frame.attrs.get(_ATTRS_KEY, {})
    known = {name: noted[name] for name in names if name in noted}
    if len(known) < len(names):
        return None, None
    sources = {(_as_noted(entry.get("pred")), _as_noted(entry.get("gold"))) for entry in known.values()}
    signatures = {entry["signature"]: name for name, entry in known.items()}
    signature = " & ".join(f"{name}={line}" for line, name in signatures.items())
    (pred, gold), *others = sources
    try:
        source = read_columns(frame, pred=pred, gold=gold) if pred is not None and not others else None
    except QaFrameError:  # columns of these names were put to other use since
        source = None
    return source, next(iter(signatures)) if len(signatures) == 1 else signature
