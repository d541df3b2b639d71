"""Rows worth a look: those with the lowest or highest scores, and those whose scores moved between two runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import By, Floats, Ints
from qa_frame.errors import MissingPackageError, PairingError, QaFrameError, show
from qa_frame.frames.kinds import Source, read_source
from qa_frame.frames.names import name_rows, require_new, require_no_overwrite
from qa_frame.frames.row_hashes import hash_rows
from qa_frame.frames.steps_in_code import first_of_each
from qa_frame.reports.existing_scores import existing_scores
from qa_frame.reports.rows import ReadRows, Scoring
from qa_frame.scoring.call_rules import make_rules
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.pipeline import score_columns
from qa_frame.scoring.plan import make_plan
from qa_frame.scoring.predictions import prepare_predictions
from qa_frame.stats.grouping import concatenate, group_by, group_rows, list_keys, read_codes, read_keys, rows_alike
from qa_frame.stats.rows import without_rounding

_ROWS_NAMED = 3


def choose_rows(source: Source, scoring: Scoring, n: int, *, by: By, is_highest: bool, seed: int) -> Any:
    """Return the n rows of each group with the lowest or the highest score, as the caller's kind of frame."""
    frame = source.as_pandas({"by": list_keys(by)}, scoring.names)
    group = group_by(frame, by).codes
    metric, scores, _ = _scores(source, frame, scoring)
    scored = np.flatnonzero(~np.isnan(scores))
    rank = -scores if is_highest else scores
    order = scored[np.lexsort((rank[scored], group[scored]))]
    ranks = pd.DataFrame({"group": group[order], "rank": rank[order]})
    place = ranks.groupby("group")["rank"].rank(method="min").to_numpy()
    reached = order[place <= n]  # with all that are equal to the last one
    if ranks.duplicated().any():
        others = _other_scores(source, frame, scoring, metric, reached)
        ties = [np.where(np.isnan(each), np.inf, -each if is_highest else each) for each in others]
        chance = hash_rows(source.take(reached), seed=seed, without={*source.labels(scoring.names)})
        reached = reached[np.lexsort((reached, chance, *ties[::-1], rank[reached], group[reached]))]
    chosen = reached[pd.Series(reached).groupby(group[reached]).cumcount().to_numpy() < n]
    taken = source.take(chosen)
    new = {scoring.prefix + metric: scores[chosen]} if scoring.makes(metric) else {}
    note = {"metric": metric, "n": len(frame), "n_scored": len(scored), "n_not_scored": len(frame) - len(scored)}
    return taken.with_columns_and_note(new, "qa_chosen", note)


def _other_scores(source: Source, frame: pd.DataFrame, scoring: Scoring, metric: str, rows: Ints) -> list[Floats]:
    """Return the other scores of these rows, in the order in which `qa_frame.metrics` has them."""
    if not scoring.is_now:
        every = existing_scores(frame.iloc[rows], scoring.prefix)
        return [every[name] for name in METRICS if name in every and name != metric]
    try:
        plan = make_plan(None, make_rules(convention=scoring.plan.convention, missing="null"))
    except MissingPackageError:  # for a metric that nobody asked for
        return []
    others = tuple(name for name in METRICS if name in plan.metrics and name != metric)
    if not others:
        return []
    plan = replace(scoring.plan, metrics=others, own=(), stats=False)
    found = score_columns(prepare_predictions(scoring.texts_of(source.take(rows)), plan), plan, progress=False)
    return [found[name] for name in others]


def changed_rows(source: Source, other: Any, scoring: Scoring, *, on: By) -> Any:
    """Return the rows of `source` whose score is another one in `other`, the largest change first."""
    if on is None:
        raise PairingError("on=None names no column; name those that tell which rows belong together")
    keys = {"on": list_keys(on)}
    frame = source.as_pandas(keys, scoring.names)
    metric, scores, rows = _scores(source, frame, scoring)
    _require_unique(frame, on)
    try:
        other_source = read_source(other)
        other_frame = other_source.as_pandas(keys, scoring.names)
        _, other_scores, other_rows = _scores(other_source, other_frame, scoring)
        _require_unique(other_frame, on)
    except QaFrameError as error:
        raise type(error)(f"other: {error}") from error
    name = scoring.prefix + metric
    is_new = scoring.makes(metric)
    new_names = [*([name] if is_new else []), f"{name}_other", "diff"]
    if is_new:
        require_no_overwrite(source.labels([name]), pred=scoring.pred, gold=scoring.gold)
    changes = source.labels(new_names[-2:])
    require_new(changes, source.names, what="new column {!r}", remedy="rename the column of data first")
    here, there = _pair_rows(frame, other_frame, on)
    diff = scores[here] - other_scores[there]
    size = np.abs(without_rounding(diff))
    moved = np.flatnonzero(size > 0)
    moved = moved[np.lexsort((here[moved], -size[moved]))]
    values = (*([scores[here]] if is_new else []), other_scores[there], diff)
    new = {label: column[moved] for label, column in zip(new_names, values, strict=True)}
    note = {
        "metric": metric,
        "n": int(np.count_nonzero(~np.isnan(diff))),
        "n_changed": len(moved),
        "n_only_data": len(frame) - len(here),
        "n_only_other": len(other_frame) - len(here),
        "n_not_scored": int(np.count_nonzero(np.isnan(diff))),
        "signature": rows.signature,
        "signature_other": other_rows.signature,
    }
    return source.take(here[moved]).with_columns_and_note(new, "qa_changed", note)


def _scores(source: Source, frame: pd.DataFrame, scoring: Scoring) -> tuple[str, Floats, ReadRows]:
    """Return the only metric that is asked for, its scores, and the rows that they are from."""
    rows = scoring.read(source, frame)
    ((metric, scores),) = rows.scores.items()
    return metric, scores, rows


def _pair_rows(frame: pd.DataFrame, other: pd.DataFrame, on: By) -> tuple[Ints, Ints]:
    """Return the positions of the rows of both frames that have the same key, in the order of the first frame."""
    keys = concatenate([read_keys(each, list_keys(on), "on") for each in (frame, other)])
    codes, _ = group_rows(keys, len(frame) + len(other), "on")
    place = np.full(int(codes.max(initial=-1)) + 1, -1, np.int64)
    place[codes[len(frame) :]] = np.arange(len(other))
    there = place[codes[: len(frame)]]
    here: Ints = np.flatnonzero(there >= 0)
    return here, there[here]


def _require_unique(frame: pd.DataFrame, on: By) -> None:
    """Raise PairingError where a key is null, or there twice."""
    codes = read_codes(frame, on, "on").codes
    twice = rows_alike(codes)
    if len(twice):
        raise PairingError(
            f"{len(twice)} rows share their on={show(on)} with another, first "
            f"{name_rows(np.flatnonzero(codes == codes[twice[0]])[:_ROWS_NAMED], frame.index)}; let `on` name columns "
            "that tell rows apart, as in on=['model', 'question'], or keep one row each with "
            f"{first_of_each(list_keys(on))}"
        )
