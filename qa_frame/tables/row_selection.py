"""Rows worth a look: those with the lowest scores, and those whose scores moved between two runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import By
from qa_frame.frames.marks import FLAG, read_flags
from qa_frame.frames.row_hashes import hash_rows
from qa_frame.frames.source import Source
from qa_frame.scoring.metrics import METRICS
from qa_frame.stats.grouping import (
    make_group_columns,
)
from qa_frame.tables.existing_scores import existing_scores
from qa_frame.tables.rows import Scoring


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
