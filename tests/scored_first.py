"""Options of a scoring and of a function that reads scores, in one dict: the frame is scored first."""

from __future__ import annotations

import qa_frame
from qa_frame.scoring.metrics import METRICS

SCORING = {"pred", "gold", "convention", "reduce", "best_by", "missing", "extract", "choices"}


def scored_first(frame, options, *, stats=False):
    """Return the frame, scored where the options name its texts, and the other options."""
    scoring = {name: value for name, value in options.items() if name in SCORING}
    others = {name: value for name, value in options.items() if name not in SCORING}
    if not scoring:
        return frame, others
    named = options.get("metrics", options.get("metric"))
    names = [named] if isinstance(named, str) else named
    made = None if names is None else [name for name in names if not isinstance(name, str) or name in {*METRICS, "all"}]
    if made == ["all"]:
        others.pop("metrics")
    pooled = stats and names is None
    metrics = made[0] if made == ["all"] else made or None
    return qa_frame.score(frame, **scoring, metrics=metrics, stats=pooled), others
