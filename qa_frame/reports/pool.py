"""Scored rows → summaries, all at once or bit by bit: one implementation for `df.qa.summary` and every engine."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from qa_frame._typing import Floats, Ints
from qa_frame.errors import ColumnTypeError, PoolMismatchError, UnknownOptionError
from qa_frame.frames.kinds import read_source
from qa_frame.frames.names import require_column
from qa_frame.frames.provenance import recall_scoring
from qa_frame.frames.text_columns import TextColumns, read_columns, require_predictions
from qa_frame.reports.scored_rows import are_both_given, existing_scores, existing_statistics, refuse_unused
from qa_frame.scoring.metrics import METRICS, STATISTICS
from qa_frame.scoring.pipeline import score_columns
from qa_frame.scoring.plan import Metrics, Plan, list_metrics
from qa_frame.stats.estimates import Estimate, count, estimate, group
from qa_frame.stats.exact_sums import LIMIT
from qa_frame.stats.grouping import By, Keys, have_same_categories, list_keys, order_groups, read_keys, require_names
from qa_frame.stats.intervals import Method, make_interval
from qa_frame.stats.ratios import RATIOS
from qa_frame.stats.sums import Facts, Part, Scored, combine, make_part

_PENDING_GROUPS = 1 << 14
"""Groups of parts not yet combined, or as many as are combined already: combining then is rare."""

LONG_COLUMNS = ("metric", "value", "lo", "hi", "n")


@dataclass(frozen=True, slots=True)
class _Settings:
    """What a Pool was made with. with_spread: keep what standard errors are made from."""

    by: tuple[Any, ...]
    metrics: tuple[str, ...] | None
    cluster: Hashable | None
    prefix: str
    observed: bool
    dropna: bool
    keep_rows: bool
    with_spread: bool

    def require_same(self, other: _Settings) -> None:
        """Raise PoolMismatchError where they would keep different things. The prefix may differ."""
        for name in ("by", "cluster", "observed", "dropna", "keep_rows"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                mine, theirs = (list(each) if name == "by" else each for each in (mine, theirs))
                raise PoolMismatchError(
                    f"{name}={mine!r} in this Pool, {name}={theirs!r} in the other; make both alike"
                )
        if self.metrics and other.metrics and set(self.metrics) != set(other.metrics):
            raise PoolMismatchError(
                f"metrics={list(self.metrics)} in this Pool, {list(other.metrics)} in the other; make both alike"
            )


class Pool:
    """A summary that grows: scored rows go in batch by batch, and only counts and exact sums are kept.

    Whatever the order, the batches and the nesting in which rows and pools come together, the summary is the same to
    the last bit, and the same as that of `df.qa.summary` on all rows at once.

    by: names of columns or index levels, or functions of index labels, or a list of these; None for one row `all`.
    metrics: which to pool; by default the score columns of the first frame.
    cluster: a column or index level: rows with the same value of it are not independent of each other, as the same
        question asked of several models. Sums are then kept for each cluster of each group.
    prefix: what stands in front of the names of score columns and statistics.
    observed, dropna: as in pandas' groupby; by default rows with a null in `by` are a group of their own.
    keep_rows: keep every row's scores, which method="bootstrap" needs unless there are clusters.

    Pools can be pickled, if the functions in `by` can.

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
        names = None if metrics is None else list_metrics(metrics)
        require_names([] if cluster is None else [cluster], "cluster")
        self._settings = _Settings(keys, names, cluster, prefix, observed, dropna, keep_rows, with_spread=True)
        self.clear()

    def clear(self) -> Pool:
        """Forget all rows, and what they were scored by; returns this Pool."""
        self._parts: list[Part] = []
        self._facts: Facts | None = None
        return self

    def update(self, data: Any, *, pred: Hashable | None = None, gold: Hashable | None = None) -> Pool:
        """Add scored rows: a pandas frame, a pyarrow Table, or anything with `__arrow_c_stream__`. Returns this Pool.

        pred, gold: the columns that the scores were made from, for `n_missing` and `n_no_gold`. By default they are
            those that the frame remembers; where it does not, as an Arrow table, these counts are `<NA>` from then on.
        A score that is null in Arrow is NaN: not scored.

        Raises ColumnNotFoundError, ColumnTypeError or UnknownOptionError, and PoolMismatchError if these rows were
        scored in another way than those before. After an error the Pool is as it was.
        """
        source = data if isinstance(data, pd.DataFrame) else read_source(data).columns
        frame = data if isinstance(data, pd.DataFrame) else self._as_frame(source)
        given = read_columns(source, pred=pred, gold=gold) if are_both_given(pred, gold) else None
        self._add(frame, _read_scored(frame, self._settings, given))
        return self

    def merge(self, other: Pool) -> Pool:
        """Add the rows of another Pool, which stays as it is; returns this one.

        Raises PoolMismatchError where they differ in `by`, `cluster`, metrics, statistics or the scores' signature.
        """
        if not isinstance(other, Pool):
            raise UnknownOptionError(f"other is a {type(other).__name__}, not a Pool; for scored rows there is update")
        self._settings.require_same(other._settings)
        parts = other._parts
        wanted = self._settings.metrics
        if parts and wanted is not None and set(wanted) != set(parts[0].facts.metrics):
            raise PoolMismatchError(
                f"the metrics differ: {list(wanted)} here, {list(parts[0].facts.metrics)} there; make both alike"
            )
        if parts:
            self._absorb(combine(parts))
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
        """As `df.qa.summary`, of all rows so far. `method="bootstrap"` needs `keep_rows=True` or a `cluster`."""
        interval = make_interval(ci, method, n_resamples, seed)
        settings, part = self._settings, self._combined()
        groups = group(part, len(settings.by))
        index, places = order_groups(groups.keys, observed=settings.observed, dropna=settings.dropna)
        estimates = {
            name: _put_in_order(each, places, 100 if percent else 1)
            for name, each in estimate(part, groups, interval).items()
        }
        if long:
            table = _long(index, estimates, is_grouped=bool(settings.by))
        else:
            counts = _counts_in_order(count(groups), places, are_known=part.facts.are_counts_known)
            table = pd.DataFrame({**counts, **_wide(estimates, with_bounds=ci is not None)}, index=index)
        signature = part.facts.signature
        table.attrs = {} if signature is None else {"qa": signature}
        return table

    def _as_frame(self, table: pa.Table) -> pd.DataFrame:
        """Those columns of a table that are needed."""
        settings = self._settings
        keys = [*settings.by, *([] if settings.cluster is None else [settings.cluster])]
        for key in keys:
            if callable(key):
                raise UnknownOptionError(
                    f"by={key!r} is a function of index labels, and an Arrow table has no index; name a column"
                )
            require_column(key, table.column_names, "cluster" if key == settings.cluster else "by")
        names = {*keys, *(settings.prefix + name for name in (*METRICS, *STATISTICS))}
        places = [place for place, name in enumerate(table.column_names) if name in names]
        frame: pd.DataFrame = table.select(places).to_pandas(ignore_metadata=True)
        return frame

    def _add(self, frame: pd.DataFrame, scored: Scored) -> None:
        """Add rows that stand in the frame and are scored."""
        settings = self._settings
        keys = read_keys(frame, settings.by)
        if settings.cluster is not None:
            keys += _read_cluster(frame, settings.cluster)
        with_spread = settings.with_spread and settings.cluster is None
        self._absorb(make_part(scored, keys, with_spread=with_spread, with_rows=settings.keep_rows))

    def _absorb(self, part: Part) -> None:
        facts = part.facts if self._facts is None else self._facts | part.facts
        if self._parts and not self._settings.observed:
            _require_same_categories(self._parts[0].keys, part.keys, len(self._settings.by))
        self._facts = facts
        self._parts.append(part)
        if sum(each.n_groups for each in self._parts[1:]) > max(self._parts[0].n_groups, _PENDING_GROUPS):
            self._combined()

    def _combined(self) -> Part:
        """All rows as one part, which takes the place of the others."""
        if not self._parts:
            return _no_rows(self._settings)
        self._parts = [combine(self._parts)]
        return self._parts[0]


def summarise(
    frame: pd.DataFrame,
    *,
    by: By,
    metrics: Metrics,
    pred: Hashable | None,
    gold: Hashable | None,
    plan: Plan,
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
) -> pd.DataFrame:
    """What `df.qa.summary` returns; see there."""
    interval = make_interval(ci, method, n_resamples, seed)
    pool = Pool(
        metrics=metrics,
        cluster=cluster,
        prefix=prefix,
        observed=observed,
        dropna=dropna,
        keep_rows=ci is not None and method == "bootstrap" and cluster is None,
    )
    # A Series or an array is no use to a Pool of many frames, but is to a Pool of one.
    keys = read_keys(frame, list_keys(by))
    pool._settings = dataclasses.replace(  # noqa: SLF001
        pool._settings,  # noqa: SLF001
        by=tuple(key.set_axis(frame.index) for key in keys),
        with_spread=interval.level is not None and interval.method == "normal",
    )
    if are_both_given(pred, gold):
        scored = _score(read_columns(frame, pred=pred, gold=gold), plan)
    else:
        scored = _read_scored(frame, pool._settings, None)  # noqa: SLF001
        refuse_unused(plan, scored.signature)
    pool._add(frame, scored)  # noqa: SLF001
    return pool.summary(ci=ci, method=method, n_resamples=n_resamples, seed=seed, percent=percent, long=long)


# ------------------------------------------------------------------------------------------------------ rows → scores


def _score(columns: TextColumns, plan: Plan) -> Scored:
    """Rows scored now, with their statistics."""
    plan = dataclasses.replace(plan, stats=True)
    if plan.missing == "raise":
        require_predictions(columns)
    found = score_columns(columns, plan, progress=False)
    scores = {name: values for name, values in found.items() if name in METRICS}
    statistics = {name: values.astype(np.int64) for name, values in found.items() if name in STATISTICS}
    return _scored(scores, statistics, columns, plan.signature)


def _read_scored(frame: pd.DataFrame, settings: _Settings, given: TextColumns | None) -> Scored:
    """Rows scored before. given: the columns that they were scored from, where they are not to be recalled."""
    scores = existing_scores(frame, settings.prefix, settings.metrics)
    is_scored = ~np.logical_and.reduce([np.isnan(values) for values in scores.values()])
    statistics = existing_statistics(frame, settings.prefix, is_scored)
    remembered, signature = recall_scoring(frame, [settings.prefix + metric for metric in scores])
    return _scored(scores, statistics, remembered if given is None else given, signature)


def _scored(
    scores: Mapping[str, Floats], statistics: Mapping[str, Ints], columns: TextColumns | None, signature: str | None
) -> Scored:
    # A convention may score rows without golds; those are not counted as such.
    is_scored = np.logical_and.reduce([~np.isnan(values) for values in scores.values()])
    counts = (
        {} if columns is None else {"n_missing": columns.is_missing, "n_no_gold": (columns.n_golds == 0) & ~is_scored}
    )
    for name, values in scores.items():
        _require_summable(name, values)
    variables = {
        name: _variables(name, statistics)
        for name, ratio in RATIOS.items()
        if all(statistic in statistics for statistic in ratio.statistics)
    }
    return Scored(scores, variables, counts, signature, len(next(iter(scores.values()))))


def _require_summable(metric: str, scores: Floats) -> None:
    with np.errstate(invalid="ignore"):
        largest = np.fmax.reduce(np.abs(scores), initial=0.0)
    if not largest < LIMIT:
        raise ColumnTypeError(
            f"the scores {metric!r} are as large as {largest}; only finite numbers below 2**31 can be summed exactly: "
            "scale them, or put null in place of infinity"
        )


def _variables(ratio: str, statistics: Mapping[str, Ints]) -> Ints:
    variables = RATIOS[ratio].variables_per_row(statistics)
    if (variables[: RATIOS[ratio].n_counts] < 0).any():
        raise ColumnTypeError(
            f"the statistics {list(RATIOS[ratio].statistics)} have more matches than there are tokens; score the rows "
            "again with stats=True, or drop these columns"
        )
    return variables


def _read_cluster(frame: pd.DataFrame, cluster: Hashable) -> Keys:
    (key,) = read_keys(frame, [cluster], "cluster")
    n_null = int(key.isna().sum())
    if n_null:
        raise ColumnTypeError(
            f"cluster={cluster!r} is null in {n_null} of {len(key)} rows; fill it, with a value of its own for each "
            "row that stands alone, or drop these rows"
        )
    return (key,)


def _require_same_categories(mine: Keys, theirs: Keys, n_levels: int) -> None:
    """Raise PoolMismatchError where groups without rows could not be told."""
    for levels in zip(mine[:n_levels], theirs[:n_levels], strict=True):
        if not have_same_categories(levels):
            raise PoolMismatchError(
                f"the categories of by={levels[0].name!r} differ from those before; with observed=False give the same "
                "categories, in the same order, everywhere"
            )


def _no_rows(settings: _Settings) -> Part:
    """What a Pool has before its first rows."""
    names = [*settings.by, *([] if settings.cluster is None else [settings.cluster])]
    keys = tuple(pd.Series([], dtype=object, name=None if callable(name) else name) for name in names)
    scored = Scored(dict.fromkeys(settings.metrics or (), np.zeros(0)), {}, {}, None, 0)
    return make_part(scored, keys, with_spread=settings.cluster is None, with_rows=True)


# -------------------------------------------------------------------------------------------------- estimates → table


def _put_in_order(estimate: Estimate, places: Ints, factor: int) -> Estimate:
    """As the index has them; a place after the last is a group without rows."""
    value, low, high = (
        np.append(each, np.nan)[places] * factor for each in (estimate.value, estimate.low, estimate.high)
    )
    return Estimate(value, low, high, np.append(estimate.n, 0)[places])


def _counts_in_order(counts: Mapping[str, Ints], places: Ints, *, are_known: bool) -> dict[str, Any]:
    ordered: dict[str, Any] = {name: np.append(values, 0)[places] for name, values in counts.items()}
    if not are_known:
        unknown = pd.array([pd.NA] * len(places), dtype="Int64")
        ordered.update(n_missing=unknown, n_no_gold=unknown)
    return ordered


def _wide(estimates: Mapping[str, Estimate], *, with_bounds: bool) -> dict[str, Floats]:
    columns = {}
    for name, each in estimates.items():
        columns[name] = each.value
        if with_bounds:
            columns[f"{name}_lo"], columns[f"{name}_hi"] = each.low, each.high
    return columns


def _long(index: pd.Index, estimates: Mapping[str, Estimate], *, is_grouped: bool) -> pd.DataFrame:
    """One row a group and metric."""
    names = list(index.names) if is_grouped else []
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise UnknownOptionError(
            f"by names {repeated[0]!r} twice, which long=True cannot have as columns; name it once"
        )
    taken = [name for name in names if name in LONG_COLUMNS]
    if taken:
        raise UnknownOptionError(f"by={taken[0]!r} has the name of a column of long=True; rename it first")
    shape = len(index), len(estimates)
    columns = {
        "metric": np.tile(np.array(list(estimates), dtype=object), len(index)),
        **{
            name: np.array([getattr(each, field) for each in estimates.values()], kind).reshape(shape[::-1]).T.ravel()
            for name, field, kind in (
                ("value", "value", np.float64),
                ("lo", "low", np.float64),
                ("hi", "high", np.float64),
                ("n", "n", np.int64),
            )
        },
    }
    table = pd.DataFrame(columns, index=index.take(np.repeat(np.arange(len(index)), len(estimates))))
    return table.reset_index(drop=not is_grouped)
