"""A summary: its arguments, checked once, and the one road from rows to its table."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from qa_frame.errors import require_flag
from qa_frame.frames.kinds import Source
from qa_frame.frames.provenance import noted_columns, own_scores
from qa_frame.reports.pool import Pool, Settings, make_pool
from qa_frame.reports.rows import Scoring
from qa_frame.reports.scored_rows import make_scoring
from qa_frame.stats.grouping import By, list_keys, require_names
from qa_frame.stats.intervals import Interval, Method, make_interval


@dataclass(frozen=True, slots=True)
class SummaryPlan:
    """The checked arguments of a summary. Rows go into a Pool, or one per part; the merged Pool makes the table."""

    by: By
    scoring: Scoring
    interval: Interval
    cluster: Hashable | None
    percent: bool
    observed: bool
    dropna: bool
    long: bool

    @property
    def has_keys(self) -> bool:
        """Whether the table's index holds the keys of groups."""
        return self.by is not None and not self.long

    @property
    def named_columns(self) -> list[tuple[str, Hashable]]:
        """The columns that the arguments name, each with its argument."""
        named: list[tuple[str, Hashable]] = [("by", key) for key in list_keys(self.by)]
        if self.cluster is not None:
            named.append(("cluster", self.cluster))
        if self.scoring.pred is not None:
            named += [("pred", self.scoring.pred), ("gold", self.scoring.gold)]
        return named

    def _new_pool(self) -> Pool:
        has_bounds = self.interval.level is not None
        return make_pool(
            Settings(
                list_keys(self.by),
                self.scoring,
                self.cluster,
                self.observed,
                self.dropna,
                keep_rows=has_bounds and self.interval.method == "bootstrap" and self.cluster is None,
                keep_products=has_bounds,
            )
        )

    def summarise(self, source: Source) -> pd.DataFrame:
        """Return the summary of one frame."""
        return self.table(self._new_pool()._add(source))  # noqa: SLF001  (one road for `summary` and `Pool`)

    def new_pool(self) -> Pool:
        """Return a Pool without rows, for parts of them. It keeps the rows or products that the interval needs."""
        require_names(list_keys(self.by))
        return self._new_pool()

    def pool(self, parts: Iterable[Any], *, empty: Any) -> Pool:
        """Return a Pool of the rows of these frames.

        empty: a frame without rows. It has the columns of the parts, of which there may be none.
        """
        pool = self.new_pool()
        parts = iter(parts)
        for part in itertools.chain([next(parts, empty)], parts):
            pool.update(part)
        return pool

    def merged(self, pools: Iterable[Pool]) -> Pool:
        """Return a new Pool of all rows of these Pools, which stay as they are."""
        merged = self.new_pool()
        for pool in pools:
            merged.merge(pool)
        return merged

    def table(self, pool: Pool) -> pd.DataFrame:
        """Return the summary of all rows of a Pool, as `qa_frame.summary` does."""
        return pool._table(self.interval, percent=self.percent, long=self.long)  # noqa: SLF001

    def needed_columns(self, source: Source) -> list[Hashable]:
        """Return the columns of a frame that the summary reads, in the frame's order.

        Raises UnknownOptionError where the frame lacks a column that is named beside metrics.
        """
        self.scoring.require_columns(source)
        needed = {key for _, key in self.named_columns if isinstance(key, Hashable)}
        prefix, columns = self.scoring.prefix, self.scoring.columns
        needed |= {*columns, *(prefix + name for name in columns)}
        if not self.scoring.is_now:
            needed |= {*self.scoring.names, *noted_columns(source.notes), *own_scores(source.notes)}
        return [name for name in source.names if name in needed]


def plan_summary(
    by: By,
    *,
    ci: float | None,
    method: Method,
    cluster: Hashable | None,
    n_resamples: int,
    seed: int,
    percent: bool,
    observed: bool,
    dropna: bool,
    long: bool,
    **scores: Any,
) -> SummaryPlan:
    """Check the arguments of `qa_frame.summary`; a wrong one raises UnknownOptionError.

    scores: the arguments of `make_scoring`.
    """
    interval = make_interval(ci, method, n_resamples, seed)
    for argument, value in (("percent", percent), ("observed", observed), ("dropna", dropna), ("long", long)):
        require_flag(argument, value)
    scoring = make_scoring(**scores, takes_pooled=True)
    return SummaryPlan(by, scoring, interval, cluster, percent, observed, dropna, long)
