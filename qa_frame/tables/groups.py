"""Rows of a frame with their groups and clusters, and the index of a table of these groups."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Floats, Ints
from qa_frame.errors import IntervalWarning, MixedScoresWarning, show, warn
from qa_frame.frames.names import name_groups, name_reasons
from qa_frame.frames.scoring_metadata import describe_table
from qa_frame.frames.source import Source
from qa_frame.scoring.metrics import METRICS
from qa_frame.stats.estimates import FEW_CLUSTERS
from qa_frame.stats.grouping import ALL, GroupCodes, GroupColumns
from qa_frame.stats.rows import require_finite
from qa_frame.stats.statistic import count_flags
from qa_frame.tables.metric_fit import find_fit
from qa_frame.tables.rows import ReadRows, Scoring, kinds_of
from qa_frame.tables.same_questions import warn_of_filters


def read_groups(source: Source, scoring: Scoring, levels: GroupColumns, **columns: Sequence[Hashable]) -> ReadRows:
    """Return the rows in groups, and warn of what makes their scores doubtful. See `Scoring.read`.

    Raises ColumnTypeError for an infinite score, too.
    """
    rows = scoring.read(source, levels, **columns)
    warn_of_filters(rows.filters)
    warn_of_rows(rows, rows.groups)
    for metric, scores in rows.scores.items():
        require_finite(metric, scores)
    return rows


def add_note(
    rows: ReadRows,
    table: pd.DataFrame,
    kind: str,
    estimates: Sequence[str],
    *,
    level: float | None = None,
    **settings: object,
) -> pd.DataFrame:
    """Write the note of a table of results into its `attrs`, and return the table.

    The note has the kind of the table, its columns of figures (`estimates`), the level of its intervals, the settings
    that it was made by, and the signature of the scores. It also has the names of the index as keys, unless the rows
    have no groups and the index no name.
    """
    names = list(table.index.names)
    keys = names if rows.keys.by or names != [None] else []
    metrics, signature = kinds_of(rows.scores), rows.signature
    table.attrs |= describe_table(
        kind, keys=keys, estimates=estimates, metrics=metrics, level=level, settings=settings, signature=signature
    )
    return table


def warn_of_few_clusters(rows: ReadRows, n_eff: Floats, what: str = "clusters") -> None:
    """Warn of groups whose intervals rest on few clusters, or on unequal ones.

    n_eff: the effective number of clusters of each group (degrees of freedom plus 1), shape (groups,). what: what the
    warning calls the clusters.
    """
    is_few = n_eff < FEW_CLUSTERS - 1e-6
    if rows.keys.unit and is_few.any():
        finding = f"fewer than {FEW_CLUSTERS} {what}, or so unequal that they are worth fewer"
        _warn_of_coverage(f"{finding}, {name_groups(rows.groups.labels.tolist(), is_few)}", "clusters")


def warn_of_doubtful(reasons: Mapping[str, Ints], index: pd.Index, places: Ints) -> None:
    """Warn of intervals that rest on too few rows or clusters, and name the groups.

    reasons: by reason, places of groups. index: the labels of groups. places: the place of each label's group.
    """
    message = name_reasons(index.tolist(), {reason: np.isin(places, groups) for reason, groups in reasons.items()})
    if message:
        _warn_of_coverage(message, "rows or clusters", see="coverage#means-of-other-scores")


def _warn_of_coverage(why: str, units: str, see: str = "") -> None:
    finding = f"coverage may be below the level asked for: {why}"
    warn(f"{finding}; gather more {units}, or do not rely on the bounds", IntervalWarning, see=see)


def index_of(groups: GroupCodes, metrics: Sequence[str] | None = None) -> pd.Index:
    """Return the index of a table of groups: the columns of `by`, and then a level `metric` if metrics are given.

    Each group is then repeated for each metric. Without `by` and metrics, the only label is `all`.
    """
    n_metrics = 1 if metrics is None else len(metrics)
    levels: list[tuple[Any, Any]] = [(column.name, column.repeat(n_metrics).array) for column in groups.columns]
    if metrics is not None:
        levels.append(("metric", [*metrics] * len(groups)))
    if len(levels) > 1:
        names, values = zip(*levels, strict=True)
        return pd.MultiIndex.from_arrays(values, names=names)
    name, keys = levels[0] if levels else (None, [ALL])
    index: pd.Index = pd.Index(keys, name=name)
    return index


def warn_of_rows(rows: ReadRows, groups: GroupCodes) -> None:
    """Warn of what makes the scores of groups say less, as a summary does. groups: the group of each row."""
    find_fit(rows, groups).warn()
    if rows.signature is None:
        is_scored = {name: ~np.isnan(scores) for name, scores in rows.scores.items()}
        n_scored = {name: count_flags(each, groups.codes, len(groups)) for name, each in is_scored.items()}
        warn_of_mixed(n_scored, groups.labels.tolist())


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
    message = ", ".join(f"{name} over {n}" for n, name in list(of_group.items())[:-3:-1])
    shown = f"{len(mixed)} of {len(groups)} groups, first in {show(groups[mixed[0]])}: {message}"
    finding = f"metrics are means over different rows in {shown}"
    warn(f"{finding}; they seem to be scored in several ways and put together", MixedScoresWarning, see="mixed-scores")
