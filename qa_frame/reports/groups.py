"""Rows of a frame with their groups and clusters, and the index of a table of these groups."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import pandas as pd

from qa_frame._typing import Floats
from qa_frame.errors import IntervalWarning, warn
from qa_frame.frames.kinds import Source
from qa_frame.frames.names import name_groups
from qa_frame.frames.provenance import describe_table
from qa_frame.reports.doubtful_groups import warn_of_rows
from qa_frame.reports.rows import ReadRows, Scoring, kinds_of
from qa_frame.reports.same_questions import warn_of_filters
from qa_frame.stats.estimates import FEW_CLUSTERS
from qa_frame.stats.grouping import ALL, KeyCodes, Levels
from qa_frame.stats.rows import require_finite


def read_groups(source: Source, scoring: Scoring, levels: Levels, **columns: Sequence[Hashable]) -> ReadRows:
    """Return the rows in groups, and warn of what makes their scores doubtful. See `Scoring.read`."""
    rows = scoring.read(source, levels, **columns)
    warn_of_filters(rows.filters)
    warn_of_rows(rows, rows.groups)
    for metric, scores in rows.scores.items():
        require_finite(metric, scores)
    return rows


def describe(
    rows: ReadRows,
    table: pd.DataFrame,
    kind: str,
    figures: Sequence[str],
    *,
    level: float | None = None,
    **settings: object,
) -> pd.DataFrame:
    """Return the table with its note, the settings that it was made by, and the signature of the scores.

    The keys are those of its index, unless there are neither groups nor a name.
    """
    names = list(table.index.names)
    keys = names if rows.keys.by or names != [None] else []
    metrics, signature = kinds_of(rows.scores), rows.signature
    table.attrs |= describe_table(
        kind, keys=keys, figures=figures, metrics=metrics, level=level, settings=settings, signature=signature
    )
    return table


def warn_of_few_clusters(rows: ReadRows, n_worth: Floats, what: str = "clusters") -> None:
    """Warn of groups whose intervals rest on few clusters, or on unequal ones.

    n_worth: how many equal clusters those of each group are worth, shape (groups,): their degrees of freedom and 1.
    """
    is_few = n_worth < FEW_CLUSTERS - 1e-6
    if rows.keys.unit and is_few.any():
        warn(
            f"intervals may hold less often than asked: fewer than {FEW_CLUSTERS} {what}, or so unequal that they are "
            f"worth fewer, {name_groups(rows.groups.labels.tolist(), is_few)}; gather more clusters, or do not rely on "
            "the bounds",
            IntervalWarning,
        )


def index_of(groups: KeyCodes, metrics: Sequence[str] | None = None) -> pd.Index:
    """Return a level for each column of `by`, and one for the metric where there are `metrics`."""
    if not groups.columns:
        return pd.Index([ALL]) if metrics is None else pd.Index(metrics, name="metric")
    n_metrics = 1 if metrics is None else len(metrics)
    levels: list[Any] = [column.repeat(n_metrics).array for column in groups.columns]
    names: list[Any] = [column.name for column in groups.columns]
    if metrics is not None:
        levels, names = [*levels, list(metrics) * len(groups)], [*names, "metric"]
    if len(levels) == 1:
        index: pd.Index = pd.Index(levels[0], name=names[0])
        return index
    return pd.MultiIndex.from_arrays(levels, names=names)
