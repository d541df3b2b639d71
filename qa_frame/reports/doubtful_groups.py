"""Groups whose scores say little: their predictions are mostly not there, or their means mix rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Ints
from qa_frame.errors import MixedScoresWarning, ScoringWarning, show, warn
from qa_frame.reports.rows import MISSING, NO_GOLD, NOT_EXTRACTED, TRUNCATED, ReadRows
from qa_frame.scoring.doubt_warnings import (
    are_uneven,
    name_metrics,
    say_who_is_long,
    show_share,
    warn_of_cut,
    warn_of_groups,
)
from qa_frame.scoring.doubts import are_long
from qa_frame.scoring.metrics import METRICS
from qa_frame.stats.grouping import KeyCodes, KeyColumns

_TOLD = MISSING, NOT_EXTRACTED, NO_GOLD


def warn_of_places(rows: ReadRows, labels: Sequence[Any], places_per_group: Sequence[Ints]) -> None:
    """Warn as `warn_of_groups` and `warn_of_cut` do, of groups whose rows stand at these places."""
    cut = rows.flags.get(TRUNCATED)
    if cut is not None:
        n_cut = np.array([np.count_nonzero(cut[places]) for places in places_per_group])
        warn_of_cut(labels, n_cut, np.array([*map(len, places_per_group)]))
    if rows.flags[MISSING] is None:
        return
    flags = [np.zeros(rows.n_rows, np.bool_) if (found := rows.flags[name]) is None else found for name in _TOLD]
    if not np.any(flags):
        return
    counts = [(len(places), *(np.count_nonzero(each[places]) for each in flags)) for places in places_per_group]
    warn_of_groups(labels, *np.array(counts).reshape(-1, 1 + len(_TOLD)).T)


# --- responses that are longer in some groups

_LEAST_ROWS = 20
"""Shares of long responses in groups of fewer rows are mostly chance."""


def count_long(rows: ReadRows, by: KeyColumns, groups: tuple[Ints, Ints]) -> pd.DataFrame | None:
    """Return by group the rows with a response far longer than its golds, and all; None where texts are not known.

    groups: the group of each row, and the first row of each; they may be finer than those of `by`.
    """
    if rows.texts is None or not by:
        return None
    codes, first = groups
    keys = [column.iloc[first].to_numpy(object) for column in by]
    counts = {"n_long": np.bincount(codes, are_long(rows.texts), len(first)).astype(np.int64), "n": np.bincount(codes)}
    return add_long(pd.DataFrame(counts, keys[0] if len(keys) == 1 else pd.MultiIndex.from_arrays(keys)), None)


def add_long(counts: pd.DataFrame | None, more: pd.DataFrame | None) -> pd.DataFrame | None:
    """Return the sums of two results of `count_long`, with one row per group."""
    known = [each for each in (counts, more) if each is not None]
    if not known:
        return None
    every = pd.concat(known)
    return every.groupby(level=[*range(every.index.nlevels)], sort=False, dropna=False).sum()


def warn_of_long(found: pd.DataFrame | None, metrics: Sequence[str]) -> None:
    """Warn where groups differ in how many responses are far longer than their golds. found: by `count_long`."""
    if found is not None:
        found = found[found["n"] >= _LEAST_ROWS]
        n_long, n = found["n_long"].to_numpy(), found["n"].to_numpy()
        said = say_who_is_long(found.index.tolist(), n_long, n, metrics)
        if said and are_uneven(n_long / n):
            warn(said, ScoringWarning, see="long-responses")


# --- means that mix rules


def warn_of_mixed(n_scored: Mapping[str, Ints], groups: Sequence[Any]) -> None:
    """Warn where metrics of this package are means over different rows of one group.

    One scoring scores all of them on the same rows. So these rows were scored in several ways, and put together since.

    Parameters
    ----------
    n_scored
        How many rows of each group a figure is scored on, by figure, shape (groups,).
    groups
        What the groups are called.
    """
    names = [name for name in n_scored if name in METRICS]
    if len(names) < 2:
        return
    counts = np.stack([n_scored[name] for name in names])
    fewest = np.where(counts > 0, counts, np.iinfo(np.int64).max).min(axis=0)
    mixed = np.flatnonzero(fewest < counts.max(axis=0))
    if not len(mixed):
        return
    of_group = {n: name for name, n in zip(names[::-1], counts[::-1, mixed[0]].tolist(), strict=True)}
    said = ", ".join(f"{name} over {n}" for n, name in list(of_group.items())[:-3:-1])
    warn(
        f"metrics are means over different rows in {len(mixed)} of {len(groups)} groups, first in "
        f"{show(groups[mixed[0]])}: {said}; they seem to be scored in several ways and put together",
        MixedScoresWarning,
        see="mixed-scores",
    )


def warn_of_mixed_rows(rows: ReadRows, groups: KeyCodes) -> None:
    """Warn as `warn_of_mixed` does, by the scores of rows. groups: the group of each row."""
    if rows.signature is None:
        is_scored = {name: ~np.isnan(scores) for name, scores in rows.scores.items()}
        counts = {name: np.bincount(groups.codes[scored], minlength=len(groups)) for name, scored in is_scored.items()}
        warn_of_mixed(counts, groups.labels.tolist())


def warn_of_unknown_rules(rows: ReadRows, labels: pd.Index) -> None:
    """Warn where a frame seems to be put together from frames that were scored in different ways.

    `pandas.concat` then drops what they remember, and repeats labels of rows unless it is told to make new ones.
    """
    names = [name for name in rows.scores if name in METRICS]
    if rows.signature is None and names and not labels.is_unique:
        warn(
            f"the frame does not say by which rules {name_metrics(names)} were scored, and repeats labels in "
            f"{show_share(int(labels.duplicated().sum()), len(labels))} rows, as frames do that were put together",
            MixedScoresWarning,
            see="mixed-scores",
        )
