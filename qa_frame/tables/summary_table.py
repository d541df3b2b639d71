"""Sums by group → the table of a summary."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Ints
from qa_frame.errors import IntervalWarning, ScoringWarning, StratumWarning, UnknownOptionError, show, warn
from qa_frame.frames.names import name_reasons
from qa_frame.frames.scoring_metadata import describe_table
from qa_frame.scoring.pooled import MISSING, NO_GOLD, NOT_EXTRACTED, SAMPLE_COUNTS, TRUNCATED
from qa_frame.scoring.row_flag_warnings import warn_of_groups
from qa_frame.scoring.row_flags import LONG
from qa_frame.stats.estimates import Estimate, Grouped, doubtful, estimate, group_sums
from qa_frame.stats.grouping import GroupValues, order_groups, plain_names
from qa_frame.stats.rows import without_rounding
from qa_frame.stats.samples import Right, as_rows, count_samples
from qa_frame.stats.sums import Facts, Sums, regroup
from qa_frame.tables.groups import warn_of_mixed
from qa_frame.tables.rows import kinds_of
from qa_frame.tables.summary_plan import SummaryPlan

LONG_COLUMNS = ("metric", "value", "lo", "hi", "n")


def tabulate(sums: Sums, plan: SummaryPlan) -> pd.DataFrame:
    """Return the table of a summary, indexed by groups."""
    has_samples, wanted, level = bool(sums.keys.question), plan.table, plan.table.interval.level
    grouped = group_sums(as_rows(sums, wanted.passes) if has_samples else sums, wanted.weights)
    rows = regroup(sums, GroupValues(sums.keys.by))[0] if has_samples else grouped.by_group
    index, places = order_groups(rows.keys.by, observed=plan.observed, dropna=plan.dropna)
    found = estimate(grouped, wanted.interval)
    if sums.facts.signature is None:
        warn_of_mixed({name: np.append(each.n, 0)[places] for name, each in found.items()}, index.tolist())
    _warn_of_lacking(grouped, index, places)
    if level is not None:
        warn_of_doubtful(doubtful(grouped, found), index, places)
    of_groups = {"n": rows.n, "n_scored": rows.n_scored, **rows.counts}
    counts: dict[str, Any] = {name: np.append(values, 0)[places] for name, values in of_groups.items()}
    known = {
        name: each for name, each in counts.items() if name in (TRUNCATED, LONG) or name not in sums.facts.uncounted
    }
    warn_of_groups(index.tolist(), known, sums.facts.inputs("metrics"))
    del counts[LONG]
    if has_samples:
        of_samples = zip(SAMPLE_COUNTS, count_samples(sums), strict=True)
        counts |= {name: np.append(values, 0)[places] for name, values in of_samples}
    estimates = {name: _of_places(each, places, 100 if wanted.percent else 1) for name, each in found.items()}
    large = [name for name, each in found.items() if (without_rounding(np.abs(each.value) - 1) > 0).any()]
    if large and wanted.percent:
        most = np.nanmax(estimates[large[0]].value)
        warn(
            f"percent=True makes {most:.4g} of {large[0]!r}, whose scores pass 1; leave out percent, or such metrics",
            ScoringWarning,
        )
    if wanted.long:
        table = _one_row_a_figure(index, estimates, is_grouped=bool(sums.keys.by))
    else:
        _leave_out(counts, sums.facts)
        table = _one_row_a_group(index, counts, estimates, of_rows=found, has_bounds=level is not None)
    keys = index.names if sums.keys.by else []
    figures = ["value"] if wanted.long else [*found]
    metrics = _kinds_of_figures(found, sums.facts)
    notes = describe_table(
        "summary", keys=keys, figures=figures, metrics=metrics, level=level, percent=wanted.percent, long=wanted.long
    )
    table.attrs = notes if sums.facts.signature is None else {"qa": sums.facts.signature, **notes}  # type: ignore[assignment, dict-item]
    return table


def _kinds_of_figures(names: Iterable[str], facts: Facts) -> dict[str, str]:
    """Return what each figure is, where those of metrics' samples are a kind of their own."""
    metrics = {figure.of for figure in facts.figures if isinstance(figure, Right)}
    kinds = kinds_of(names)
    return kinds | {name: "samples" for name in kinds if metrics and name not in metrics}


def _of_places(figure: Estimate, places: Ints, factor: int) -> Estimate:
    """Return a figure of these groups, times the factor. places: one after the last is a group without rows."""
    value, low, high = (np.append(part, np.nan)[places] * factor for part in (figure.value, figure.low, figure.high))
    return Estimate(value, low, high, np.append(figure.n, 0)[places])


def _leave_out(counts: dict[str, Any], facts: Facts) -> None:
    """Put null for the counts that are not known, and take out that of extraction where nothing was extracted."""
    if MISSING in facts.uncounted:
        nulls = pd.array([pd.NA] * len(counts[MISSING]), dtype="Int64")
        counts |= dict.fromkeys((MISSING, NOT_EXTRACTED, NO_GOLD), nulls)
    for name in (NOT_EXTRACTED, TRUNCATED):
        if name not in facts.counted:
            del counts[name]


def _one_row_a_group(
    index: pd.Index,
    counts: dict[str, Any],
    estimates: Mapping[str, Estimate],
    *,
    of_rows: Collection[str],
    has_bounds: bool,
) -> pd.DataFrame:
    """Return one row per group. of_rows: the figures that may have bounds, and rows of their own."""
    n_scored = counts.get(SAMPLE_COUNTS[0], counts["n_scored"])
    own = {f"n_scored_{name}": estimates[name].n for name in of_rows if (estimates[name].n != n_scored).any()}
    columns = {"n": counts.pop("n")}
    for name, each in estimates.items():
        bounds = {f"{name}_lo": each.low, f"{name}_hi": each.high} if has_bounds and name in of_rows else {}
        columns |= {name: each.value, **bounds}
    return pd.DataFrame({**columns, **counts, **own}, index=index)


def warn_of_doubtful(reasons: Mapping[str, Ints], index: pd.Index, places: Ints) -> None:
    """Warn of intervals that rest on little, and name the groups."""
    said = name_reasons(index.tolist(), {reason: np.isin(places, groups) for reason, groups in reasons.items()})
    if said:
        warn(
            f"intervals may hold less often than asked: {said}; gather more rows or clusters, or do not rely on the "
            "bounds",
            IntervalWarning,
            see="coverage#means-of-other-scores",
        )


def _warn_of_lacking(grouped: Grouped, index: pd.Index, places: Ints) -> None:
    """Warn of groups that have no figure, as they lack the scores of some stratum."""
    if grouped.strata is None or grouped.by_stratum is None:
        return
    names = plain_names(tuple(key.name for key in grouped.by_stratum.by_group.keys.stratum))
    lacking = grouped.strata.lacking(grouped.by_stratum.by_group.n_scored)
    labels = index[np.isin(places, np.flatnonzero(lacking.any(axis=1)))]
    if len(labels):
        first = grouped.strata.names[int(np.argmax(lacking[lacking.any(axis=1)][0]))]
        warn(
            f"{len(labels)} of {len(index)} groups have no figures over macro={show(names)}, as "
            f"they have no scores of some of its values: first {show(labels[0])}, which has none of {show(first)}; add "
            "these rows, or drop those of the same value in all groups",
            StratumWarning,
        )


def _one_row_a_figure(index: pd.Index, estimates: Mapping[str, Estimate], *, is_grouped: bool) -> pd.DataFrame:
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
