"""`Pool`: a summary that grows, batch by batch."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from qa_frame.errors import PoolMismatchError, UnknownOptionError, require_flag
from qa_frame.frames.kinds import read_source
from qa_frame.reports.scored_rows import Scoring, make_scoring, read_rows, read_scored, require_both
from qa_frame.reports.summary import tabulate
from qa_frame.rules.listing import DEFAULT
from qa_frame.rules.signature import digest
from qa_frame.scoring.doubts import NO_DOUBTS, warn_of_golds
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.plan import Metrics
from qa_frame.scoring.predictions import extract_predictions
from qa_frame.stats.estimates import group_sums
from qa_frame.stats.grouping import (
    By,
    KeyColumns,
    have_same_categories,
    list_keys,
    read_cluster,
    read_keys,
    require_names,
)
from qa_frame.stats.intervals import Method, make_interval
from qa_frame.stats.rows import ScoredRows
from qa_frame.stats.sums import COUNTS, Facts, Sums, collect, combine
from qa_frame.text.extraction import Extract, make_steps

_ANY = DEFAULT
"""The default convention: a Pool takes scores by whatever rules they were made."""

_PENDING_GROUPS = 1 << 14
"""Sums are combined once the new ones have so many groups, or as many as the combined ones: that is rare then."""


@dataclass(frozen=True, slots=True)
class _Settings:
    """What a Pool was made with."""

    by: tuple[Any, ...]
    scoring: Scoring
    cluster: Hashable | None
    observed: bool
    dropna: bool
    keep_rows: bool

    def require_same(self, other: _Settings) -> None:
        """Raise PoolMismatchError where they would keep different things. The prefix may differ."""
        for name in ("by", "cluster", "observed", "dropna", "keep_rows"):
            mine, theirs = getattr(self, name), getattr(other, name)
            # A function of `by` that was sent to another process comes back as another object.
            if mine != theirs and not (name == "by" and digest(mine) == digest(theirs)):
                mine, theirs = (list(each) if name == "by" else each for each in (mine, theirs))
                raise PoolMismatchError(
                    f"{name}={mine!r} in this Pool, {name}={theirs!r} in the other; make both alike"
                )
        mine, theirs = self.scoring.named, other.scoring.named
        if mine and theirs and set(mine) != set(theirs):
            raise PoolMismatchError(f"metrics={list(mine)} in this Pool, {list(theirs)} in the other; make both alike")


class Pool:
    """A summary that grows: scored rows go in batch by batch, and only counts and exact sums are kept.

    Rows and pools may come together in any order, any batches and any nesting: the summary is the same to the last bit,
    and the same as that of `qa_frame.summary` on all rows at once. Pools can be pickled, if the functions in `by` can.

    Parameters
    ----------
    by
        Names of columns or index levels, or functions of index labels, or a list of these. None gives one row, `all`.
    metrics
        Which scores to pool, as in `qa_frame.summary`; by default the score columns of the first frame. Those of a
        `PairMetric` are named by it. Whether other names are columns shows with the first frame.
    cluster
        A column or index level. Rows with the same value of it are not independent of each other, such as several
        models' answers to one question. Sums are then kept for each cluster of each group.
    prefix
        What stands in front of the names of score columns and statistics.
    observed, dropna
        As in pandas' groupby. By default rows with a null in `by` are a group of their own.
    keep_rows
        Keep every row's scores. `method="bootstrap"` needs them unless there are clusters.

    Raises
    ------
    UnknownOptionError
        Where an argument has a value that is not allowed.

    Examples
    --------
    >>> import qa_frame
    >>> pool, df = qa_frame.Pool(by="model", metrics=["em", "f1"]), qa_frame.sample()
    >>> for start in range(0, len(df), 100):
    ...     scored = df[start : start + 100].qa.score(pred="response", gold="answers")
    ...     pool = pool.update(scored)
    >>> pool.summary(percent=True).round(1)
                  n  n_scored  n_missing  n_no_gold    em    f1
    model
    heron-7b    120       115          4          5   8.7  20.6
    lynx-70b    120       115          2          5  43.5  72.4
    otter-chat  120       115          2          5   0.0  33.9
    """

    def __init__(
        self,
        by: By = None,
        *,
        metrics: Metrics = None,
        cluster: Hashable | None = None,
        prefix: str = "",
        observed: bool = True,
        dropna: bool = False,
        keep_rows: bool = False,
    ) -> None:
        keys = list_keys(by)
        require_names(keys)
        require_names([] if cluster is None else [cluster], "cluster")
        for argument, value in (("observed", observed), ("dropna", dropna), ("keep_rows", keep_rows)):
            require_flag(argument, value)
        scoring = make_scoring(
            pred=None,
            gold=None,
            metrics=metrics,
            convention=_ANY,
            reduce="max",
            missing="zero",
            prefix=prefix,
            takes_pooled=True,
        )
        self._settings = _Settings(keys, scoring, cluster, observed, dropna, keep_rows)
        self.clear()

    def __repr__(self) -> str:
        keys = [key.__name__ if callable(key) and hasattr(key, "__name__") else key for key in self._settings.by]
        sums = group_sums(self._combined(), len(keys)).by_group
        metrics = sums.facts.metrics or self._settings.scoring.named or ()
        n_rows = int(sums.counts[COUNTS.index("n")].sum())
        return (
            f"Pool(by={keys}, {sums.n_groups} group{'s' * (sums.n_groups != 1)}, {n_rows} row{'s' * (n_rows != 1)}, "
            f"metrics: {' '.join(metrics) or 'those of the first frame'})"
        )

    def clear(self) -> Pool:
        """Forget all rows, and what they were scored by. Returns this Pool."""
        self._parts: list[Sums] = []
        self._doubts = NO_DOUBTS
        self._facts: Facts | None = None
        return self

    def update(
        self, data: Any, *, pred: Hashable | None = None, gold: Hashable | None = None, extract: Extract = None
    ) -> Pool:
        """Add scored rows.

        Parameters
        ----------
        data
            A frame with score columns, of any kind that `qa_frame.summary` takes. A score that is null is not scored.
        pred, gold
            The columns that the scores were made from, for `n_missing` and `n_no_gold`. By default they are those that
            the frame remembers. Where it does not, as in polars, these counts are `<NA>` from then on.
        extract
            With `pred` and `gold`, what part of the responses was scored, as `score` was told.

        Returns
        -------
        Pool
            This one.

        Raises
        ------
        ColumnNotFoundError, ColumnTypeError, UnknownOptionError
            Where the frame or an argument cannot be used.
        PoolMismatchError
            Where these rows were scored in another way than those before. After an error the Pool is as it was.
        """
        settings = self._settings
        require_both(pred, gold)
        steps = make_steps(extract)
        if steps and pred is None:
            raise UnknownOptionError("extract is given without pred and gold; give all three, or none")
        source = read_source(data)
        clusters = [] if settings.cluster is None else [settings.cluster]
        frame = source.as_pandas({"by": settings.by, "cluster": clusters}, settings.scoring.names)
        if pred is None:
            rows = read_rows(source, frame, settings.scoring)
        else:
            columns = extract_predictions(source.texts(pred=pred, gold=gold, spans=True), steps)
            rows = read_scored(source, frame, settings.scoring, columns=columns)
        keys = read_keys(frame, settings.by)
        if settings.cluster is not None:
            keys += read_cluster(frame, settings.cluster)
        self._absorb(collect(rows, keys, with_products=settings.cluster is None, with_rows=settings.keep_rows))
        self._doubts += rows.doubts
        return self

    def merge(self, other: Pool) -> Pool:
        """Add the rows of another Pool, which stays as it is.

        Returns
        -------
        Pool
            This one.

        Raises
        ------
        PoolMismatchError
            Where they differ in `by`, `cluster`, metrics, statistics or the scores' signature.
        """
        if not isinstance(other, Pool):
            raise UnknownOptionError(f"other is a {type(other).__name__}, not a Pool; for scored rows there is update")
        self._settings.require_same(other._settings)
        parts = other._parts
        wanted = self._settings.scoring.named
        there = (
            [*parts[0].facts.metrics, *((self._settings.scoring.pooled and parts[0].facts.pooled) or ())]
            if parts
            else []
        )
        if parts and wanted is not None and set(wanted) != set(there):
            raise PoolMismatchError(f"the metrics differ: {list(wanted)} here, {there} there; make both alike")
        if parts:
            self._absorb(combine(parts, tuple(METRICS)))
            self._doubts += other._doubts
        return self

    def summary(
        self,
        *,
        ci: float | None = None,
        method: Method = "normal",
        n_resamples: int = 1000,
        seed: int = 0,
        percent: bool = False,
        long: bool = False,
    ) -> pd.DataFrame:
        """Return the summary of all rows so far, as `qa_frame.summary` does.

        `method="bootstrap"` needs `keep_rows=True` or a `cluster`.
        """
        interval = make_interval(ci, method, n_resamples, seed)
        require_flag("percent", percent)
        require_flag("long", long)
        settings = self._settings
        warn_of_golds(self._doubts, settings.scoring.plan, settings.scoring.gold)
        return tabulate(
            self._combined(),
            len(settings.by),
            interval,
            percent=percent,
            observed=settings.observed,
            dropna=settings.dropna,
            long=long,
        )

    def _absorb(self, part: Sums) -> None:
        facts = part.facts if self._facts is None else self._facts.merged(part.facts, tuple(METRICS))
        if self._parts and not self._settings.observed:
            _require_same_categories(self._parts[0].keys, part.keys, len(self._settings.by))
        self._facts = facts
        self._parts.append(part)
        if sum(each.n_groups for each in self._parts[1:]) > max(self._parts[0].n_groups, _PENDING_GROUPS):
            self._combined()

    def _combined(self) -> Sums:
        """All rows as one part, which takes the place of the others."""
        if not self._parts:
            return _no_rows(self._settings)
        self._parts = [combine(self._parts, tuple(METRICS))]
        return self._parts[0]


def make_pool(
    by: By, scoring: Scoring, *, cluster: Hashable | None, observed: bool, dropna: bool, keep_rows: bool
) -> Pool:
    """Return a Pool without rows, which scores the rows that it is given if `scoring` says so."""
    pool = Pool(
        by,
        cluster=cluster,
        prefix=scoring.prefix,
        observed=observed,
        dropna=dropna,
        keep_rows=keep_rows,
    )
    pool._settings = replace(pool._settings, scoring=scoring)  # noqa: SLF001
    return pool


def _require_same_categories(mine: KeyColumns, theirs: KeyColumns, n_levels: int) -> None:
    """Raise PoolMismatchError where groups without rows could not be told."""
    for levels in zip(mine[:n_levels], theirs[:n_levels], strict=True):
        if not have_same_categories(levels):
            raise PoolMismatchError(
                f"the categories of by={levels[0].name!r} differ from those before; with observed=False give the same "
                "categories, in the same order, everywhere"
            )


def _no_rows(settings: _Settings) -> Sums:
    """What a Pool has before its first rows."""
    names = [*settings.by, *([] if settings.cluster is None else [settings.cluster])]
    keys = tuple(pd.Series([], dtype=object, name=None if callable(name) else name) for name in names)
    rows = ScoredRows(0, dict.fromkeys(settings.scoring.metrics or (), np.zeros(0)), {}, np.zeros(0, np.bool_))
    return collect(rows, keys, with_products=settings.cluster is None, with_rows=True)
