"""Sums by group → figures with their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import UnknownOptionError
from qa_frame.stats.bootstrap import ROUNDING, percentile_bounds
from qa_frame.stats.exact_sums import sum_floats
from qa_frame.stats.grouping import GroupValues
from qa_frame.stats.influence import ClusteredRows
from qa_frame.stats.intervals import (
    Adder,
    Bounds,
    Interval,
    Spread,
    add_strata,
    recovered_bounds,
    size_units,
    smooth_variance,
    smoothed_bounds,
    spread_of_rows,
    t_bounds,
    unit_bounds,
)
from qa_frame.stats.row_statistics import OfRows
from qa_frame.stats.rows import KeptUnits
from qa_frame.stats.statistic import Statistic, StatisticSums, divide_where
from qa_frame.stats.strata import GroupStrata, Weights, make_strata
from qa_frame.stats.student import t_quantiles
from qa_frame.stats.sums import Sums, regroup

FEW_CLUSTERS = 10

FEW_BEYOND = 100
"""Fewer rows with scores beyond [0, 1] may hold less often, as their least and largest value are not known.

In draws of grades from 1 to 5, 80 % of them 5, intervals held the truth in 76, 88 and 91 % of draws of 10, 20 and 50
rows, and in 93 % and more of 100. The same grades from 0 to 1 held in 95 % and more of 10 rows.
"""


LOW_MEAN = 0.2
SMALL_TOTAL = 7.0
"""Intervals of graded scores whose mean and whose sum are below these, or those of the misses, may hold too seldom.

A sample of such scores seldom has the rare high ones, or the rare low ones, that make up much of the mean. In
simulations, 95 % intervals of scores as sentence BLEU has them held the truth in 90 to 93 % of draws of 20 to 200 rows,
and in 88 % of 500 rows of which 97 % were 1 and one in 200 was below 0.3.
Scores of 0 and 1 alone are not meant: Wilson's interval is made for them. In clusters of several rows they are, with
the sum that as many independent rows would have as the clusters are worth: few clusters then show how much clusters
vary. Over strata, the mean and the rows that it is worth are those of all strata together.
"""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure per group, shape (groups,).

    Attributes
    ----------
    value, low, high
        The figure and its bounds, NaN if there is no interval.
    n
        The rows that it is scored on.
    spread
        What its bounds were made from; None where they have another source.
    """

    value: Floats
    low: Floats
    high: Floats
    n: Ints
    spread: Spread | None = None


@dataclass(frozen=True, slots=True)
class Grouped:
    """Sums by group, and by unit and stratum where keys have these levels.

    Attributes
    ----------
    by_group
        The sums by group.
    by_unit, group
        The sums by unit, and the group of each unit; None if each row is a unit.
    by_stratum, strata
        The sums by stratum of each group, and how much strata count; None if there are no strata.
    """

    by_group: Sums
    by_unit: Sums | None = None
    group: Ints | None = None
    by_stratum: Grouped | None = None
    strata: GroupStrata | None = None
    _drawn: dict[bytes, ClusteredRows] = field(default_factory=dict)

    @property
    def figures(self) -> tuple[Statistic, ...]:
        """The figures that were summed."""
        return self.by_group.facts.figures

    def n_units(self, name: str) -> Ints:
        """Return the units that a figure is scored on by group, shape (groups,)."""
        if self.by_unit is None or self.group is None:
            return self.by_group.figures[name].n
        return np.bincount(self.group[self.by_unit.figures[name].n > 0], minlength=self.by_group.n_groups)

    def drawn(self, n_in_unit: Ints) -> ClusteredRows:
        """Return the units, which hold so many rows each; the same for all figures that are scored on the same rows."""
        assert self.group is not None
        key = n_in_unit.tobytes()
        if key not in self._drawn:
            self._drawn[key] = ClusteredRows(self.group, self.by_group.n_groups, n_in_item=n_in_unit)
        return self._drawn[key]


def group_sums(sums: Sums, weights: Weights | None = None) -> Grouped:
    """Return the sums by group, with those by unit and stratum. weights: how much strata count, if there are any."""
    grouped = Grouped(sums)
    if sums.keys.unit:
        by_group, group = regroup(sums, GroupValues(sums.keys.by, sums.keys.stratum))
        grouped = Grouped(by_group, sums, group)
    if not sums.keys.stratum:
        return grouped
    assert weights is not None
    by_group, group = regroup(grouped.by_group, GroupValues(grouped.by_group.keys.by))
    group_of_unit = None if grouped.group is None else group[grouped.group]
    strata = make_strata(grouped.by_group.keys.stratum, group, by_group.n_groups, weights)
    return Grouped(by_group, grouped.by_unit, group_of_unit, grouped, strata)


def estimate(grouped: Grouped, interval: Interval) -> dict[str, Estimate]:
    """Return every figure by group, with bounds where a level is asked for."""
    if grouped.strata is not None:
        return {figure.name: _estimate_over_strata(figure, grouped, interval) for figure in grouped.figures}
    drawn: dict[str, Bounds] = {}
    if interval.level is not None and interval.method == "bootstrap":
        drawn = percentile_bounds(grouped.figures, _list_units(grouped), grouped.by_group.n_groups, interval)
    return {
        figure.name: _estimate_by_group(figure, grouped, interval, drawn.get(figure.name)) for figure in grouped.figures
    }


def _estimate_by_group(figure: Statistic, grouped: Grouped, interval: Interval, drawn: Bounds | None) -> Estimate:
    """Return a figure by group. drawn: its percentiles over draws of units, where the bootstrap is asked for."""
    sums, level = grouped.by_group.figures[figure.name], interval.level
    if isinstance(figure, OfRows):
        return _estimate_of_rows(figure, grouped, interval)
    value = figure.exact_value(sums)
    if level is None:
        nan = np.full(len(value), np.nan)
        return Estimate(value, nan, nan, sums.n)
    spread = _estimate_spread(figure, grouped)
    bounds = _bounds_within(figure, grouped, value, spread, level)
    if drawn is not None:
        bounds = _outer_bounds(drawn, bounds, spread, sums.n_outside == 0)
    return Estimate(value, *bounds, sums.n, spread)


def _estimate_of_rows(figure: OfRows, grouped: Grouped, interval: Interval) -> Estimate:
    """Return a figure that needs all rows, by group."""
    sums = grouped.by_group if grouped.by_unit is None else grouped.by_unit
    if sums.kept is None:
        raise UnknownOptionError(
            f"metrics={figure.name!r} is made of all rows, and this Pool kept only their sums; make it with "
            "Pool(keep_rows=True), or name other metrics"
        )
    is_scored = np.asarray(sums.kept.n_rows[figure.name], np.bool_)
    part = sums.kept.group[is_scored]
    group, unit = (part, None) if grouped.group is None else (grouped.group[part], part)
    scores = np.asarray(sums.kept.sums_per_row[figure.name][0, is_scored], np.float64)
    found = figure.by_group(scores, ClusteredRows(group, grouped.by_group.n_groups, unit), interval)
    return Estimate(found[0], found[1], found[2], grouped.by_group.figures[figure.name].n)


def _estimate_over_strata(figure: Statistic, grouped: Grouped, interval: Interval) -> Estimate:
    """Return a figure as a weighted sum over strata. NaN for a group with a stratum without scored rows."""
    assert grouped.by_stratum is not None
    assert grouped.strata is not None
    if isinstance(figure, OfRows):
        raise UnknownOptionError(f"{figure.name} is no mean of rows, so it has no mean over strata; name other metrics")
    strata, group = grouped.strata, grouped.strata.group
    n_groups, sums = strata.n_groups, grouped.by_stratum.by_group.figures[figure.name]
    n = grouped.by_group.figures[figure.name].n
    lacks = strata.lacking(sums.n).any(axis=1) | (n == 0)

    def add_up(values: Floats) -> Floats:
        is_known = ~np.isnan(values)
        total = sum_floats(np.where(is_known, values, 0.0), group, n_groups)
        return np.where(lacks | (np.bincount(group[~is_known], minlength=n_groups) > 0), np.nan, total)

    weights = strata.shares(sums.n)
    value = add_up(weights * figure.exact_value(sums))
    if interval.level is None:
        nan = np.full(n_groups, np.nan)
        return Estimate(value, nan, nan, n)
    spread, bounds = _bounds_over_strata(figure, grouped, value, weights=weights, add_up=add_up, level=interval.level)
    return Estimate(value, *bounds, n, spread)


def _bounds_over_strata(
    figure: Statistic, grouped: Grouped, value: Floats, *, weights: Floats, add_up: Adder, level: float
) -> tuple[Spread, Bounds]:
    """Return the spread of a weighted sum over strata, and its bounds, shape (groups,).

    Where strata are drawn, they are units themselves. Else the bounds are the outer ones of two approximations, as
    single strata may show too little variance. Where none shows any, they are those of Wilson's interval alone.
    """
    assert grouped.by_stratum is not None
    assert grouped.strata is not None
    group, sums = grouped.strata.group, grouped.by_stratum.by_group.figures[figure.name]
    values = figure.exact_value(sums)
    if grouped.strata.weights.are_drawn:
        sizes = size_units(weights, add_up=add_up, of_unit=lambda by_group: by_group[group])
        n_rows = grouped.by_group.figures[figure.name].n.astype(np.float64)
        spread = replace(sizes.spread(weights * (values - value[group])), n_rows=n_rows)
        return spread, _bounds_within(figure, grouped, value, spread, level)
    spread = _estimate_spread(figure, grouped.by_stratum)
    of_strata = smooth_variance(
        values, spread, figure.max_n(sums.as_floats()), np.bincount(group)[group].astype(np.float64)
    )
    spread, smoothed = add_strata(spread, of_strata, weights, add_up)
    is_outside = grouped.by_group.figures[figure.name].n_outside > 0
    low, high = smoothed_bounds(np.where(is_outside, np.nan, value), smoothed, level)
    values, quantile = np.where(is_outside[group], np.nan, values), t_quantiles(level, smoothed.df)[group]
    lowest, highest = recovered_bounds(values, of_strata, weights, add_up, quantile)
    low = np.where(smoothed.is_alike, low, np.minimum(low, lowest))
    high = np.where(smoothed.is_alike, high, np.maximum(high, highest))
    bounds = low, high
    return spread, _replace_outside(bounds, is_outside, value, spread, level) if is_outside.any() else bounds


def _replace_outside(bounds: Bounds, is_outside: Flags, value: Floats, spread: Spread, level: float) -> Bounds:
    """Return bounds of scores from 0 to 1, and Student's for groups that have others, shape (groups,)."""
    low, high = (np.where(is_outside, *sides) for sides in zip(t_bounds(value, spread, level), bounds, strict=True))
    return low, high


def doubtful(grouped: Grouped, estimates: Mapping[str, Estimate]) -> dict[str, Ints]:
    """Return the reasons not to trust intervals, each with the groups it holds for, if there are any."""
    found = {}
    for figure in grouped.figures:
        name, made = figure.name, estimates[figure.name]
        is_few = (made.n > 0) & (made.n < figure.trusted_from)  # without rows there is no interval
        found[f"{name} of fewer than {figure.trusted_from} rows"] = np.flatnonzero(is_few)
        is_rare, is_low = _are_rare(grouped.by_group.figures[name], made), made.value < 0.5
        total = "sum" if grouped.by_unit is None else "clusters worth a sum"
        found[f"{name} low (mean below {LOW_MEAN:g}, {total} below {SMALL_TOTAL:g})"] = np.flatnonzero(is_rare & is_low)
        high = f"{name} high (mean above {1 - LOW_MEAN:g}, {total} of misses below {SMALL_TOTAL:g})"
        found[high] = np.flatnonzero(is_rare & ~is_low)
        is_beyond = (grouped.by_group.figures[name].n_outside > 0) & (made.n < FEW_BEYOND)
        scaled = "scale them first, as in (grade - 1) / 4 for grades from 1 to 5"
        found[f"{name} of fewer than {FEW_BEYOND} rows, some beyond [0, 1] ({scaled})"] = np.flatnonzero(is_beyond)
        if grouped.strata is not None and grouped.by_stratum is not None:
            are_drawn, is_lone = grouped.strata.weights.are_drawn, ~np.isnan(made.value) & np.isnan(made.low)
            alone = "which has one stratum alone" if are_drawn else "of which a stratum has one unit alone"
            found[f"no bounds for {name}, {alone},"] = np.flatnonzero(is_lone)
            has_two = grouped.by_stratum.n_units(name) == 2
            two = np.setdiff1d(grouped.strata.group[has_two], np.flatnonzero(is_lone | are_drawn))
            found[f"{name}, of which a stratum has two units alone,"] = two
    if grouped.by_unit is not None and grouped.group is not None:
        units = grouped.drawn(grouped.by_unit.n).sizes
        is_few, is_uneven = (units.n_units > 0) & (units.n_units < FEW_CLUSTERS), units.df + 1 < FEW_CLUSTERS - 1e-6
        found[f"fewer than {FEW_CLUSTERS} clusters"] = np.flatnonzero(is_few)
        uneven = f"clusters so unequal that they are worth fewer than {FEW_CLUSTERS}"
        found[uneven] = np.flatnonzero(is_uneven & (units.n_units >= FEW_CLUSTERS))
    return {reason: groups for reason, groups in found.items() if len(groups)}


def _are_rare(sums: StatisticSums, made: Estimate) -> Flags:
    """Return whether graded scores, or those of clusters, have a mean near 0 or 1 that few of them move, per group."""
    spread, rarer = made.spread, np.minimum(made.value, 1 - made.value)
    if spread is None:
        return np.zeros(len(sums.n), np.bool_)
    n_eff = np.minimum(divide_where(made.value * (1 - made.value), spread.variance, np.inf), sums.n)
    is_rare = (rarer > 0) & (rarer < LOW_MEAN) & (rarer * n_eff < SMALL_TOTAL) & (sums.n_outside == 0)
    # Where all clusters are alike, the interval takes each for one row, and holds often enough.
    varies_in_clusters = (spread.n_units < spread.n_rows - 0.5) & (spread.variance > 0)
    return np.asarray(is_rare & (varies_in_clusters | (sums.n_graded > 0)))


# -------------------------------------------------------------------------------------------------------- by variance


def _estimate_spread(figure: Statistic, grouped: Grouped) -> Spread:
    """Return the spread of a figure by group."""
    sums = grouped.by_group.figures[figure.name]
    if grouped.by_unit is None or grouped.group is None:
        return spread_of_rows(figure.row_variance(sums), sums.n)
    units = grouped.by_unit.figures[figure.name]
    influence = (figure.gradient(sums.as_floats())[grouped.group] * units.as_floats()).sum(axis=1)
    return grouped.drawn(units.n).spread(influence)


def _bounds_within(figure: Statistic, grouped: Grouped, value: Floats, spread: Spread, level: float) -> Bounds:
    """Return bounds for scores from 0 to 1, as all metrics give, or for others, as each group's own rows have them."""
    sums = grouped.by_group.figures[figure.name]
    is_outside = sums.n_outside > 0
    bounds = unit_bounds(np.where(is_outside, np.nan, value), spread, figure.max_n(sums.as_floats()), level)
    return _replace_outside(bounds, is_outside, value, spread, level) if is_outside.any() else bounds


# ------------------------------------------------------------------------------------------------------- by bootstrap


def _outer_bounds(drawn: Bounds, other: Bounds, spread: Spread, is_unit: Flags) -> Bounds:
    """Return percentiles of draws, those of figures from 0 to 1 at least as wide as the other method's bounds.

    Resamples of few rows, of which hardly any are right or wrong, hold too few of these. If all resamples are alike, or
    there are fewer than two units, they say nothing, and the bounds are the other method's.
    """
    low, high = drawn
    is_alike = (high - low <= ROUNDING * np.abs(high)) | (spread.n_units < 2)
    outer = np.where(is_unit, (np.fmin(low, other[0]), np.fmax(high, other[1])), drawn)
    low, high = np.where(is_alike, other, outer)
    return low, high


def _list_units(grouped: Grouped) -> KeptUnits:
    """Return the units, or else the rows, that any figure is scored on."""
    units = grouped.by_group.kept
    if grouped.by_unit is not None and grouped.group is not None:
        sums = {name: figure.as_floats().T for name, figure in grouped.by_unit.figures.items()}
        sums_per_row = {name: values[:-1] for name, values in sums.items()}
        units = KeptUnits(grouped.group, sums_per_row, {name: values[-1] for name, values in sums.items()})
    if units is None:
        raise UnknownOptionError(
            "method='bootstrap' resamples rows, and this Pool kept only their sums; make it with "
            "Pool(keep_rows=True), or name a cluster, or choose method='normal'"
        )
    wanted = np.logical_or.reduce([n > 0 for n in units.n_rows.values()])
    return KeptUnits(
        units.group[wanted],
        {name: values[:, wanted] for name, values in units.sums_per_row.items()},
        {name: n[wanted] for name, n in units.n_rows.items()},
    )
