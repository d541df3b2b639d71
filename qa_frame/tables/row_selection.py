"""Rows worth a look: those with the lowest scores, and those whose scores moved between two runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import By, Ints
from qa_frame.errors import PairingError, PairingWarning, QaFrameError, show, warn
from qa_frame.frames.diagnosis import first_of_each
from qa_frame.frames.marks import FLAG, read_flags
from qa_frame.frames.names import name_rows, require_new
from qa_frame.frames.row_hashes import hash_rows
from qa_frame.frames.source import Source, read_source
from qa_frame.scoring.metrics import METRICS
from qa_frame.stats.grouping import (
    code_groups,
    concatenate,
    group_rows,
    list_keys,
    make_group_columns,
    read_codes,
    read_keys,
    rows_alike,
)
from qa_frame.stats.rows import without_rounding
from qa_frame.tables.existing_scores import existing_scores
from qa_frame.tables.rows import Scoring

_ROWS_NAMED = 3


def choose_rows(source: Source, scoring: Scoring, n: int, *, by: By, flag: str | None) -> Any:
    """Return the n rows of each group with the lowest score, as the caller's kind of frame.

    flag: where it is given, rows with it, and those with the shortest predictions.
    """
    named = (scoring.named or ("",))[0]
    prefix = min((named.removesuffix(name) for name in METRICS if named.endswith(name)), key=len, default="")
    rows = scoring.read(source, make_group_columns(by))
    group = rows.groups.codes
    ((metric, scores),) = rows.scores.items()
    is_scored = ~np.isnan(scores)
    note = {"metric": metric, "n_rows": rows.n_rows, "n": int(is_scored.sum()), "n_not_scored": int((~is_scored).sum())}
    if flag is not None:
        is_scored &= read_flags(source.columns, prefix + FLAG, [flag]).get(flag, False)
        scores = np.zeros(len(scores)) if rows.texts is None else rows.texts.pred_lengths
    scored = np.flatnonzero(is_scored)
    order = scored[np.lexsort((scores[scored], group[scored]))]
    ranks = pd.DataFrame({"group": group[order], "score": scores[order]})
    place = ranks.groupby("group")["score"].rank(method="min").to_numpy()
    reached = order[place <= n]  # with all that are equal to the last one
    if ranks.duplicated().any():
        labels, taken = [*scoring.names, *(prefix + name for name in METRICS)], source.take(reached)
        every = existing_scores(taken.as_pandas({}, labels), prefix)
        others = [every[name] for name in METRICS if name in every and prefix + name != metric]
        ties = [np.where(np.isnan(each), np.inf, each) for each in others]
        chance = hash_rows(taken, seed=0, without={*source.labels(labels)})
        reached = reached[np.lexsort((reached, chance, *ties[::-1], scores[reached], group[reached]))]
    chosen = reached[pd.Series(reached).groupby(group[reached]).cumcount().to_numpy() < n]
    return source.take(chosen).with_note("qa_chosen", note)


def draw_rows(source: Source, n: int, *, by: By, seed: int, note: Mapping[str, Any]) -> Any:
    """Return n rows of each group, drawn by their values, in their order, as the caller's kind of frame with a note."""
    keys = list_keys(by)
    frame = source.as_pandas({"by": keys})
    group = code_groups(read_keys(frame, keys), len(frame)).codes
    order = np.lexsort((np.arange(len(group)), hash_rows(source, seed=seed), group))
    is_drawn = pd.Series(order).groupby(group[order]).cumcount().to_numpy() < n
    return source.take(np.sort(order[is_drawn])).with_note("qa_drawn", note)


def changed_rows(source: Source, other: Any, scoring: Scoring, *, question: By) -> Any:
    """Return the rows of `source` whose score is another one in `other`, the largest change first."""
    if question is None:
        raise PairingError("question=None names no column; name those that tell which rows belong together")
    rows = scoring.read(source, question=list_keys(question))
    _require_unique(rows.frame, question)
    try:
        other_rows = scoring.read(read_source(other), question=list_keys(question))
        _require_unique(other_rows.frame, question)
    except QaFrameError as error:
        raise type(error)(f"other: {error}") from error
    ((metric, scores),), (other_scores,) = rows.scores.items(), other_rows.scores.values()
    changes = source.labels([f"{metric}_other", "diff"])
    require_new(changes, source.names, what="new column {!r}", remedy="rename the column of data first")
    here, there = _pair_rows(rows.frame, other_rows.frame, question)
    if rows.n_rows and other_rows.n_rows and not len(here):
        warn(
            f"data and other have no question in common; look at the values of question={show(question)}, and whether "
            "both are texts, or both numbers",
            PairingWarning,
            see="no-common-questions",
        )
    diff = scores[here] - other_scores[there]
    size = np.abs(without_rounding(diff))
    moved = np.flatnonzero(size > 0)
    moved = moved[np.lexsort((here[moved], -size[moved]))]
    new = {f"{metric}_other": other_scores[there][moved], "diff": diff[moved]}
    note = {
        "metric": metric,
        "n": int(np.count_nonzero(~np.isnan(diff))),
        "n_changed": len(moved),
        "n_only_data": rows.n_rows - len(here),
        "n_only_other": other_rows.n_rows - len(here),
        "n_not_scored": int(np.count_nonzero(np.isnan(diff))),
        "signature": rows.signature,
        "signature_other": other_rows.signature,
    }
    return source.take(here[moved]).with_note("qa_changed", note, new)


def _pair_rows(frame: pd.DataFrame, other: pd.DataFrame, question: By) -> tuple[Ints, Ints]:
    """Return the positions of the rows of both frames that have the same key, in the order of the first frame."""
    keys = concatenate([read_keys(each, list_keys(question), "question") for each in (frame, other)])
    codes, _ = group_rows(keys, len(frame) + len(other), "question")
    place = np.full(int(codes.max(initial=-1)) + 1, -1, np.int64)
    place[codes[len(frame) :]] = np.arange(len(other))
    there = place[codes[: len(frame)]]
    here: Ints = np.flatnonzero(there >= 0)
    return here, there[here]


def _require_unique(frame: pd.DataFrame, question: By) -> None:
    """Raise PairingError where a key is null, or there twice."""
    codes = read_codes(frame, question, "question").codes
    twice = rows_alike(codes)
    if len(twice):
        raise PairingError(
            f"{len(twice)} rows share their question={show(question)} with another, first "
            f"{name_rows(np.flatnonzero(codes == codes[twice[0]])[:_ROWS_NAMED], frame.index)}; let `question` name "
            "columns that tell rows apart, as in question=['model', 'question'], or keep one row each with "
            f"{first_of_each(list_keys(question))}"
        )
