"""A summary: its arguments, checked once, and the one road from rows to its table."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from qa_frame._typing import By
from qa_frame.errors import UnknownOptionError, require_flag
from qa_frame.frames.kinds import Source
from qa_frame.frames.provenance import noted_columns, own_scores
from qa_frame.reports.asked import Asked, make_asked, read_threshold
from qa_frame.reports.levels import make_levels
from qa_frame.reports.pool import Pool, Settings, make_pool
from qa_frame.reports.same_questions import FILTER, telling_apart
from qa_frame.reports.scored_rows import make_scoring
from qa_frame.reports.votes import require_votes
from qa_frame.stats.grouping import require_names
from qa_frame.stats.intervals import Interval, make_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryPlan(Settings):
    """The checked arguments of a summary: those of its Pools, and of its table.

    Rows go into a Pool, or one per part; the merged Pool makes the table.
    """

    interval: Interval
    asked: Asked
    percent: bool
    long: bool

    @property
    def has_keys(self) -> bool:
        """Whether the table's index holds the keys of groups."""
        return bool(self.levels.by) and not self.long

    @property
    def named_columns(self) -> list[tuple[str, Hashable]]:
        """The columns that the arguments name, each with its argument."""
        named: list[tuple[str, Hashable]] = [
            (argument, key) for argument, keys in self.levels.named.items() for key in keys
        ]
        if self.scoring.pred is not None:
            named += [("pred", self.scoring.pred), ("gold", self.scoring.gold)]
        if self.scoring.plan.choices is not None:
            named.append(("choices", self.scoring.plan.choices))
        return named

    def summarise(self, source: Source) -> pd.DataFrame:
        """Return the summary of one frame."""
        return self.table(make_pool(self)._add(source))  # noqa: SLF001  (one road for `summary` and `Pool`)

    def new_pool(self) -> Pool:
        """Return a Pool without rows, for parts of them. It keeps the rows or products that the interval needs."""
        require_names(self.levels.by)
        if self.has_votes:
            raise UnknownOptionError(
                "majority compares the answers to a question, which may stand in several parts of these rows; give "
                "qa_frame.summary a frame that holds all of them"
            )
        return make_pool(self)

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
        return pool._table(self.interval, self.asked, percent=self.percent, long=self.long)  # noqa: SLF001

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
        needed.update(self.looked_at(source))
        return [name for name in source.names if name in needed]

    def looked_at(self, source: Source) -> list[str]:
        """Return the columns that warnings need, which nobody may have named."""
        found = telling_apart(source.names)
        return found if FILTER in found or self.levels.samples else []


def plan_summary(by: By = None, **arguments: Any) -> SummaryPlan:
    """Check the arguments of `qa_frame.summary`; a wrong one raises UnknownOptionError.

    arguments: all of them but the frame, with the checked `rules` in place of those that choose them.
    """

    def take(*names: str) -> dict[str, Any]:
        return {name: arguments.pop(name) for name in names}

    interval = make_interval(**take("ci", "method", "n_resamples", "seed"))
    flags = take("percent", "observed", "dropna", "long")
    majority = arguments.pop("majority", False)  # files have no votes
    for argument, value in (flags | {"majority": majority}).items():
        require_flag(argument, value)
    levels = make_levels(by, **take("macro", "cluster", "samples"))
    figures = take("pass_at", "pass_all", "weights", "variance")
    asked = make_asked(levels, **figures, without_strata=interval.without_strata)
    threshold = arguments.pop("threshold")
    scoring = make_scoring(**arguments, takes_pooled=True, of_questions=bool(levels.samples))
    if majority:
        require_votes(scoring, has_samples=bool(levels.samples))
    has_bounds, has_units = interval.level is not None, bool(levels.cluster or levels.samples)
    return SummaryPlan(
        levels=levels,
        scoring=scoring,
        interval=interval,
        asked=asked,
        keep_rows=has_bounds and interval.method == "bootstrap" and not has_units,
        keep_products=asked.variance if levels.samples else has_bounds,
        threshold=read_threshold(threshold),
        has_votes=bool(majority),
        **flags,
    )
