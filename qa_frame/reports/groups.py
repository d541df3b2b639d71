"""Rows of a frame with their groups and clusters, and the index of a table of these groups."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import By, Ints
from qa_frame.errors import IntervalWarning, warn
from qa_frame.frames.kinds import Source
from qa_frame.frames.names import name_groups
from qa_frame.frames.provenance import describe_table
from qa_frame.reports.doubtful_groups import warn_of_mixed_rows, warn_of_places
from qa_frame.reports.rows import ReadRows, Scoring, kinds_of
from qa_frame.reports.same_questions import filters_left_out, telling_apart, warn_of_filters
from qa_frame.scoring.doubts import warn_of_texts
from qa_frame.stats.estimates import FEW_CLUSTERS
from qa_frame.stats.grouping import ALL, KeyCodes, group_by, group_rows, list_keys, read_level
from qa_frame.stats.pulls import Drawn
from qa_frame.stats.rows import require_finite


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GroupedRows:
    """Rows with their scores, in groups.

    Attributes
    ----------
    frame
        The rows in pandas: the columns that are named.
    rows
        Their scores, all of them finite or NaN.
    groups
        The group of each row.
    unit
        The cluster of each row, shape (rows,); None where each row is a unit.
    """

    frame: pd.DataFrame
    rows: ReadRows
    groups: KeyCodes
    unit: Ints | None

    @property
    def drawn(self) -> Drawn:
        """The groups and units of the rows."""
        return Drawn(self.groups.codes, len(self.groups), self.unit)

    @property
    def members(self) -> list[Ints]:
        """The rows of each group."""
        return self.drawn.members if len(self.groups) else []

    @property
    def labels(self) -> list[Any]:
        """What the groups are called."""
        labels: list[Any] = self.groups.labels.tolist()
        return labels

    def describe(
        self, table: pd.DataFrame, kind: str, figures: Sequence[str], *, level: float | None = None, **settings: object
    ) -> pd.DataFrame:
        """Return the table with its note, the settings that it was made by, and the signature of the scores.

        The keys are those of its index, unless there are neither groups nor a name.
        """
        names = list(table.index.names)
        keys = names if self.groups.columns or names != [None] else []
        metrics, signature = kinds_of(self.rows.scores), self.rows.signature
        table.attrs |= describe_table(
            kind, keys=keys, figures=figures, metrics=metrics, level=level, settings=settings, signature=signature
        )
        return table

    def warn_of_few_clusters(self, n_units: Ints, what: str = "clusters") -> None:
        """Warn of groups whose intervals rest on few clusters. n_units: the clusters of each group, shape (groups,)."""
        is_few = n_units < FEW_CLUSTERS
        if self.unit is not None and is_few.any():
            warn(
                f"intervals may hold less often than asked: fewer than {FEW_CLUSTERS} {what} "
                f"{name_groups(self.labels, is_few)}; gather more clusters, or do not rely on the bounds",
                IntervalWarning,
            )

    def units_of(self, places: Ints) -> Ints | None:
        """Return the units of these rows; None where each row is one."""
        return None if self.unit is None else self.unit[places]


def read_groups(
    source: Source, scoring: Scoring, *, by: By, cluster: Hashable | None = None, **columns: Sequence[Hashable]
) -> GroupedRows:
    """Read or score the rows, and warn of what makes their scores doubtful.

    columns: by argument, other columns to read.
    """
    named = {**columns, "by": list_keys(by), "cluster": [] if cluster is None else [cluster]}
    frame = source.as_pandas(named, [*scoring.names, *telling_apart(source.names)])
    warn_of_filters(filters_left_out(frame, {name: named[name] for name in ("by", "on") if name in named}))
    groups = group_by(frame, by)
    unit = None if cluster is None else group_rows(read_level(frame, [cluster], "cluster"), len(frame), "cluster")[0]
    rows = scoring.read(source, frame)
    warn_of_texts(rows.doubts, scoring.plan, pred=scoring.pred, gold=scoring.gold)
    warn_of_places(rows, [ALL], [np.arange(len(frame))])
    warn_of_mixed_rows(rows, groups)
    for metric, scores in rows.scores.items():
        require_finite(metric, scores)
    return GroupedRows(frame, rows, groups, unit)


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
