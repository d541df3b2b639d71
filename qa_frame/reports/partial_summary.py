"""A summary of rows that come in parts: its arguments, checked once, and what each part needs of them."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from qa_frame.frames.kinds import Source
from qa_frame.frames.provenance import noted_columns, own_scores
from qa_frame.reports.pool import Pool, make_pool
from qa_frame.reports.scored_rows import Scoring, make_scoring, require_columns
from qa_frame.rules.parts import Convention
from qa_frame.scoring.plan import Metrics, Missing
from qa_frame.scoring.reduction import Reduction
from qa_frame.stats.grouping import By, list_keys
from qa_frame.stats.intervals import Interval, Method, make_interval
from qa_frame.text.extraction import Extract


@dataclass(frozen=True, slots=True)
class PartialSummary:
    """The checked arguments of a summary. Each part's rows go into a Pool, and the merged Pool makes the table."""

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

    def new_pool(self) -> Pool:
        """Return a Pool without rows. It keeps rows where the bootstrap has to draw them."""
        is_bootstrap = self.interval.level is not None and self.interval.method == "bootstrap"
        return make_pool(
            self.by,
            self.scoring,
            cluster=self.cluster,
            observed=self.observed,
            dropna=self.dropna,
            keep_rows=is_bootstrap and self.cluster is None,
        )

    def pool(self, parts: Iterable[Any], *, empty: Any) -> Pool:
        """Return a Pool of the rows of these frames.

        empty: a frame without rows, which says where there are no parts what columns they would have.
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
        return pool.summary(
            ci=self.interval.level,
            method=self.interval.method,
            n_resamples=self.interval.n_resamples,
            seed=self.interval.seed,
            percent=self.percent,
            long=self.long,
        )

    def needed_columns(self, source: Source) -> list[Hashable]:
        """Return the columns of a frame that the summary reads, in the frame's order.

        Raises UnknownOptionError where the frame lacks a column that is named beside metrics.
        """
        require_columns(self.scoring, source)
        needed = {key for _, key in self.named_columns if isinstance(key, Hashable)}
        prefix, columns = self.scoring.prefix, self.scoring.columns
        needed |= {*columns, *(prefix + name for name in columns)}
        if not self.scoring.is_now:
            needed |= {*self.scoring.names, *noted_columns(source.notes), *own_scores(source.notes)}
        return [name for name in source.names if name in needed]


def plan_summary(
    by: By,
    *,
    metrics: Metrics,
    pred: Hashable | None,
    gold: Hashable | None,
    convention: str | Convention,
    reduce: Reduction | None,
    best_by: str | None = None,
    missing: Missing,
    extract: Extract,
    ci: float | None,
    method: Method,
    cluster: Hashable | None,
    n_resamples: int,
    seed: int,
    percent: bool,
    prefix: str,
    observed: bool,
    dropna: bool,
    long: bool,
    reuse_scores: bool = False,
) -> PartialSummary:
    """Check the arguments of `qa_frame.summary`; a wrong one raises UnknownOptionError."""
    interval = make_interval(ci, method, n_resamples, seed)
    scoring = make_scoring(
        pred=pred,
        gold=gold,
        metrics=metrics,
        convention=convention,
        reduce=reduce,
        best_by=best_by,
        missing=missing,
        extract=extract,
        prefix=prefix,
        takes_pooled=True,
        reuse_scores=reuse_scores,
    )
    return PartialSummary(by, scoring, interval, cluster, percent, observed, dropna, long)
