"""Sums by group → the table of a summary: one implementation for `summary` and for `Pool`."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Floats, Ints
from qa_frame.errors import IntervalWarning, UnknownOptionError, show
from qa_frame.frames.kinds import Source
from qa_frame.frames.provenance import describe_table
from qa_frame.reports.scored_rows import Scoring, kinds_of, read_rows, warn_of_mixed
from qa_frame.reports.unanswered import warn_of_groups
from qa_frame.scoring.doubts import warn_of_golds
from qa_frame.stats.estimates import Estimate, Grouped, doubtful, estimate, group_sums
from qa_frame.stats.grouping import By, list_keys, order_groups, read_cluster, read_keys
from qa_frame.stats.intervals import Interval
from qa_frame.stats.sums import COUNTS, Facts, Sums, collect

LONG_COLUMNS = ("metric", "value", "lo", "hi", "n")

_GROUPS_NAMED = 3


def summarise(
    source: Source,
    scoring: Scoring,
    *,
    by: By,
    interval: Interval,
    cluster: Hashable | None,
    percent: bool,
    observed: bool,
    dropna: bool,
    long: bool,
) -> pd.DataFrame:
    """Return the summary of one frame, indexed by its groups."""
    keys = list_keys(by)
    clusters = [] if cluster is None else [cluster]
    frame = source.as_pandas({"by": keys, "cluster": clusters}, scoring.names)
    columns = read_keys(frame, keys) + (() if cluster is None else read_cluster(frame, cluster))
    rows = read_rows(source, frame, scoring)
    warn_of_golds(rows.doubts, scoring.plan, scoring.gold)
    needs_rows = interval.level is not None and cluster is None
    sums = collect(
        rows,
        columns,
        with_products=needs_rows and interval.method == "normal",
        with_rows=needs_rows and interval.method == "bootstrap",
    )
    return tabulate(sums, len(keys), interval, percent=percent, observed=observed, dropna=dropna, long=long)


def tabulate(
    sums: Sums, n_levels: int, interval: Interval, *, percent: bool, observed: bool, dropna: bool, long: bool
) -> pd.DataFrame:
    """Return the table of a summary, indexed by groups. A key of the sums beyond `n_levels` is that of clusters."""
    grouped = group_sums(sums, n_levels)
    index, places = order_groups(grouped.by_group.keys, observed=observed, dropna=dropna)
    found = estimate(grouped, interval)
    if sums.facts.signature is None:
        warn_of_mixed({name: np.append(each.n, 0)[places] for name, each in found.items()}, index.tolist())
    if interval.level is not None:
        _warn_of(doubtful(grouped, found), index, places)
    if sums.facts.are_counts_known:
        wanted = [grouped.by_group.counts[COUNTS.index(name)] for name in ("n", "n_missing", "n_not_extracted")]
        warn_of_groups(index.tolist(), *(np.append(counts, 0)[places] for counts in wanted))
    estimates = {name: _put_in_order(each, places, 100 if percent else 1) for name, each in found.items()}
    if long:
        table = _long(index, estimates, is_grouped=bool(n_levels))
    else:
        counts = _counts_in_order(grouped.by_group.counts, places, sums.facts) | _own_counts(estimates, grouped, places)
        table = pd.DataFrame({**counts, **_wide(estimates, with_bounds=interval.level is not None)}, index=index)
    keys = index.names if n_levels else []
    figures = ["value"] if long else [*estimates]
    notes = describe_table("summary", keys=keys, figures=figures, metrics=kinds_of(estimates), percent=percent)
    table.attrs = notes if sums.facts.signature is None else {"qa": sums.facts.signature, **notes}  # type: ignore[assignment, dict-item]
    return table


def _warn_of(reasons: Mapping[str, Ints], index: pd.Index, places: Ints) -> None:
    """Warn of intervals that rest on little, naming the groups."""
    said = []
    for reason, groups in reasons.items():
        labels = index[np.isin(places, groups)]
        if len(labels):
            first = ", ".join(map(show, labels[:_GROUPS_NAMED].tolist()))
            said.append(
                f"{reason} in {len(labels)} of {len(index)} groups ({first}{', ...' * (len(labels) > _GROUPS_NAMED)})"
            )
    if said:
        warnings.warn(
            f"intervals may hold less often than asked: {'; '.join(said)}. The notes in help(qa_frame.summary) say how "
            "often they held in simulations; gather more rows or clusters, or do not rely on the bounds",
            IntervalWarning,
            stacklevel=2,
        )


def _put_in_order(estimate: Estimate, places: Ints, factor: int) -> Estimate:
    """As the index has them. A place after the last is a group without rows."""
    value, low, high = (
        np.append(each, np.nan)[places] * factor for each in (estimate.value, estimate.low, estimate.high)
    )
    return Estimate(value, low, high, np.append(estimate.n, 0)[places])


def _counts_in_order(counts: Ints, places: Ints, facts: Facts) -> dict[str, Any]:
    ordered: dict[str, Any] = {name: np.append(values, 0)[places] for name, values in zip(COUNTS, counts, strict=True)}
    if not facts.are_counts_known:
        unknown = pd.array([pd.NA] * len(places), dtype="Int64")
        ordered.update(n_missing=unknown, n_not_extracted=unknown, n_no_gold=unknown)
    if not facts.has_extraction:
        del ordered["n_not_extracted"]
    return ordered


def _own_counts(estimates: Mapping[str, Estimate], grouped: Grouped, places: Ints) -> dict[str, Ints]:
    """The rows that each figure is scored on, of those for which it is not `n_scored`."""
    n_scored = np.append(grouped.by_group.counts[COUNTS.index("n_scored")], 0)[places]
    return {f"n_scored_{name}": each.n for name, each in estimates.items() if (each.n != n_scored).any()}


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

    def column(field: str) -> Any:
        return np.stack([getattr(each, field) for each in estimates.values()], axis=1).ravel()

    columns = {
        "metric": np.tile(np.array(list(estimates), dtype=object), len(index)),
        "value": column("value"),
        "lo": column("low"),
        "hi": column("high"),
        "n": column("n"),
    }
    table = pd.DataFrame(columns, index=index.take(np.repeat(np.arange(len(index)), len(estimates))))
    return table.reset_index(drop=not is_grouped)
