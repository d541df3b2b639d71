"""Sums by group → the table of a summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Ints
from qa_frame.errors import IntervalWarning, UnknownOptionError, show, warn
from qa_frame.frames.provenance import describe_table
from qa_frame.reports.mixed_scores import warn_of_mixed
from qa_frame.reports.rows import MISSING, NO_GOLD, NOT_EXTRACTED, kinds_of
from qa_frame.reports.unanswered import warn_of_groups
from qa_frame.scoring.pooled import COUNTS
from qa_frame.stats.estimates import Estimate, doubtful, estimate, group_sums
from qa_frame.stats.grouping import order_groups
from qa_frame.stats.intervals import Interval
from qa_frame.stats.sums import Sums

LONG_COLUMNS = ("metric", "value", "lo", "hi", "n")

_GROUPS_NAMED = 3


def tabulate(
    sums: Sums, interval: Interval, *, percent: bool, observed: bool, dropna: bool, long: bool
) -> pd.DataFrame:
    """Return the table of a summary, indexed by groups."""
    grouped = group_sums(sums)
    index, places = order_groups(grouped.by_group.keys.by, observed=observed, dropna=dropna)
    found = estimate(grouped, interval)
    if sums.facts.signature is None:
        warn_of_mixed({name: np.append(each.n, 0)[places] for name, each in found.items()}, index.tolist())
    if interval.level is not None:
        _warn_of(doubtful(grouped, found), index, places)
    rows = grouped.by_group
    of_groups = zip(COUNTS, (rows.n, rows.n_scored, *rows.counts.values()), strict=True)
    counts: dict[str, Any] = {name: np.append(values, 0)[places] for name, values in of_groups}
    if MISSING not in sums.facts.uncounted:
        warn_of_groups(index.tolist(), *(counts[name] for name in ("n", MISSING, NOT_EXTRACTED)))
    estimates = {name: _put_in_order(each, places, 100 if percent else 1) for name, each in found.items()}
    if long:
        table = _long(index, estimates, is_grouped=bool(sums.keys.by))
    else:
        own = {f"n_scored_{name}": each.n for name, each in estimates.items() if (each.n != counts["n_scored"]).any()}
        if MISSING in sums.facts.uncounted:
            counts |= dict.fromkeys((MISSING, NOT_EXTRACTED, NO_GOLD), pd.array([pd.NA] * len(places), dtype="Int64"))
        if NOT_EXTRACTED not in sums.facts.counted:
            del counts[NOT_EXTRACTED]
        columns = {**counts, **own}
        for name, each in estimates.items():
            bounds = {f"{name}_lo": each.low, f"{name}_hi": each.high} if interval.level is not None else {}
            columns |= {name: each.value, **bounds}
        table = pd.DataFrame(columns, index=index)
    keys = index.names if sums.keys.by else []
    figures = ["value"] if long else [*estimates]
    metrics, level = kinds_of(estimates), interval.level
    notes = describe_table(
        "summary", keys=keys, figures=figures, metrics=metrics, level=level, percent=percent, long=long
    )
    table.attrs = notes if sums.facts.signature is None else {"qa": sums.facts.signature, **notes}  # type: ignore[assignment, dict-item]
    return table


def _warn_of(reasons: Mapping[str, Ints], index: pd.Index, places: Ints) -> None:
    """Warn of intervals that rest on little, and name the groups."""
    said = []
    for reason, groups in reasons.items():
        labels = index[np.isin(places, groups)]
        if len(labels):
            first = ", ".join(map(show, labels[:_GROUPS_NAMED].tolist()))
            said.append(
                f"{reason} in {len(labels)} of {len(index)} groups ({first}{', ...' * (len(labels) > _GROUPS_NAMED)})"
            )
    if said:
        warn(
            f"intervals may hold less often than asked: {'; '.join(said)}. The notes in help(qa_frame.summary) say how "
            "often they held in simulations; gather more rows or clusters, or do not rely on the bounds",
            IntervalWarning,
        )


def _put_in_order(estimate: Estimate, places: Ints, factor: int) -> Estimate:
    """Return the figure in the order of the index. A place after the last is a group without rows."""
    value, low, high = (
        np.append(each, np.nan)[places] * factor for each in (estimate.value, estimate.low, estimate.high)
    )
    return Estimate(value, low, high, np.append(estimate.n, 0)[places])


def _long(index: pd.Index, estimates: Mapping[str, Estimate], *, is_grouped: bool) -> pd.DataFrame:
    """Return one row per group and metric."""
    names = list(index.names) if is_grouped else []
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise UnknownOptionError(
            f"by names {repeated[0]!r} twice, which long=True cannot have as columns; name it once"
        )
    taken = [name for name in names if name in LONG_COLUMNS]
    if taken:
        raise UnknownOptionError(f"by={taken[0]!r} has the name of a column of long=True; rename it first")

    columns = {"metric": np.tile(np.array(list(estimates), dtype=object), len(index))}
    for name, field in zip(LONG_COLUMNS[1:], ("value", "low", "high", "n"), strict=True):
        columns[name] = np.stack([getattr(each, field) for each in estimates.values()], axis=1).ravel()
    table = pd.DataFrame(columns, index=index.take(np.repeat(np.arange(len(index)), len(estimates))))
    return table.reset_index(drop=not is_grouped)
