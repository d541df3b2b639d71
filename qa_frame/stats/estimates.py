"""Sums by group → figures with their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import UnknownOptionError
from qa_frame.stats.bootstrap import Units, resample
from qa_frame.stats.exact_sums import BASE, SQUARE_UNIT, SUM_UNIT, as_floats, as_integers, divide, sum_floats
from qa_frame.stats.grouping import Keys
from qa_frame.stats.intervals import Bounds, Interval, around, degrees_of_freedom, normal_quantile, t_quantiles, wilson
from qa_frame.stats.ratios import RATIOS, Ratio
from qa_frame.stats.sums import COUNTS, Part, Span, add_up, select_groups

_LEAST_VARIANCE = 1e-5
"""Of less, the sums of fourth powers tell nothing for their rounding."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure a group, shape (groups,). n: rows it was pooled over. low, high: NaN where there is no interval."""

    value: Floats
    low: Floats
    high: Floats
    n: Ints


@dataclass(frozen=True, slots=True)
class Groups:
    """Sums by group, and by cluster where there are clusters.

    codes: the group of each cluster, None without clusters. by_cluster: their totals; else those of the groups.
    """

    keys: Keys
    n_groups: int
    totals: Mapping[str, Ints]
    codes: Ints | None
    by_cluster: Mapping[str, Ints]


def group(part: Part, n_levels: int) -> Groups:
    """The groups of a part; a key beyond `n_levels` is that of clusters."""
    if len(part.keys) == n_levels:
        return Groups(part.keys, part.n_groups, part.totals, None, part.totals)
    keys, codes = select_groups(part, n_levels)
    n_groups = len(keys[0]) if keys else 1
    totals = {name: add_up(values, codes, n_groups) for name, values in part.totals.items()}
    return Groups(keys, n_groups, totals, codes, part.totals)


def count(groups: Groups) -> dict[str, Ints]:
    """The counts by group."""
    return {name: groups.totals[name][0] for name in COUNTS}


def estimate(part: Part, groups: Groups, interval: Interval) -> dict[str, Estimate]:
    """The mean of each metric and the ratios, each by group, with intervals where a level is asked for."""
    means = {metric: _mean(groups.totals, metric) for metric in part.facts.metrics}
    ratios = {ratio: _ratio(groups.totals, ratio) for ratio in part.facts.ratios}
    values = {**means, **ratios}
    ns = {**{metric: _n(groups, metric) for metric in means}, **dict.fromkeys(ratios, groups.totals["n_any"][0])}
    if interval.level is None:
        nan = np.full(groups.n_groups, np.nan)
        bounds = dict.fromkeys(values, (nan, nan))
    elif interval.method == "bootstrap":
        bounds = _resampled_bounds(part, groups, ns, interval)
    else:
        level, spans = interval.level, part.facts.spans
        bounds = {
            **{metric: _mean_bounds(groups, metric, value, spans[metric], level) for metric, value in means.items()},
            **{ratio: _ratio_bounds(groups, ratio, value, level) for ratio, value in ratios.items()},
        }
    return {name: Estimate(value, *bounds[name], ns[name]) for name, value in values.items()}


# ------------------------------------------------------------------------------------------------------------ values


def _n(groups: Groups, metric: str) -> Ints:
    n: Ints = groups.totals[f"{metric} n"][0]
    return n


def _mean(totals: Mapping[str, Ints], metric: str) -> Floats:
    wholes = totals[f"{metric} n"][0].astype(object) * SUM_UNIT
    return divide(as_integers(totals[f"{metric} sum"]), wholes)


def _ratio(totals: Mapping[str, Ints], ratio: str) -> Floats:
    """NaN where no row was scored."""
    return np.where(totals["n_any"][0] > 0, RATIOS[ratio].value(totals[f"{ratio} sum"].T.astype(np.float64)), np.nan)


# --------------------------------------------------------------------------------------- normal: means of one metric


def _mean_bounds(groups: Groups, metric: str, mean: Floats, span: Span, level: float) -> Bounds:
    """The t interval, or Wilson's where the whole column holds only 0 and 1; NaN for less than two rows or clusters."""
    n = _n(groups, metric)
    if groups.codes is None:
        if span.is_binary:
            return _hide(n < 2, wilson(mean, n, normal_quantile(level)))
        df = degrees_of_freedom(n, _kurtosis(groups.totals, metric)) if span.is_unit else n - 1
        bounds = around(mean, _standard_error(groups.totals, metric), t_quantiles(level, df))
    else:
        residuals, n_clusters = _residuals(groups, metric, mean)
        error = _clustered_error(groups, metric, residuals, n_clusters)
        df = degrees_of_freedom(n_clusters, _kurtosis_of_residuals(groups, residuals, n_clusters))
        quantiles = t_quantiles(level, n_clusters - 1 if span.is_binary else df)
        if span.is_binary:
            return wilson(mean, _effective_n(mean, error, n, n_clusters), quantiles)
        bounds = around(mean, error, quantiles)
    return _clip(bounds) if span.is_unit else bounds


def _standard_error(totals: Mapping[str, Ints], metric: str) -> Floats:
    """sqrt(variance / n), the variance with n - 1, of exact sums; NaN where n is less than 2."""
    n = totals[f"{metric} n"][0].astype(object)
    sums, squares = as_integers(totals[f"{metric} sum"]), as_integers(totals[f"{metric} square"])
    return np.sqrt(divide(n * squares - sums * sums, n * n * (n - 1) * SQUARE_UNIT))


def _kurtosis(totals: Mapping[str, Ints], metric: str) -> Floats:
    """The fourth central moment over the squared variance, of scores from 0 to 1; NaN where they hardly vary."""
    n = np.maximum(totals[f"{metric} n"][0], 1)
    mean, third, fourth = (as_floats(totals[f"{metric} {name}"]) / n for name in ("sum", "cube", "fourth"))
    second = as_floats(totals[f"{metric} square"]) * BASE / n  # its first place is worth 2**32
    variance = second - mean**2
    moment = fourth - 4 * mean * third + 6 * mean**2 * second - 3 * mean**4
    kurtosis: Floats = np.divide(moment, variance**2, out=np.full(len(n), np.nan), where=variance > _LEAST_VARIANCE)
    return kurtosis


def _residuals(groups: Groups, metric: str, mean: Floats) -> tuple[Floats, Ints]:
    """The sum of what each cluster's scores differ from their group's mean, and the number of clusters scored."""
    assert groups.codes is not None
    n_by_cluster = groups.by_cluster[f"{metric} n"][0]
    sums = as_floats(groups.by_cluster[f"{metric} sum"])
    residuals = np.where(n_by_cluster > 0, sums - mean[groups.codes] * n_by_cluster, 0.0)
    return residuals, np.bincount(groups.codes[n_by_cluster > 0], minlength=groups.n_groups)


def _clustered_error(groups: Groups, metric: str, residuals: Floats, n_clusters: Ints) -> Floats:
    """The standard error from sums of residuals by cluster, with the factor G / (G - 1) for G clusters."""
    return np.sqrt(_sum_squares_by_group(groups, residuals, n_clusters)) / np.maximum(_n(groups, metric), 1)


def _sum_squares_by_group(groups: Groups, residuals: Floats, n_clusters: Ints) -> Floats:
    assert groups.codes is not None
    squares = sum_floats(residuals**2, groups.codes, groups.n_groups)
    return squares * n_clusters / np.maximum(n_clusters - 1, 1)


def _kurtosis_of_residuals(groups: Groups, residuals: Floats, n_clusters: Ints) -> Floats:
    """As `_kurtosis`, of the clusters' residuals, whose mean is 0."""
    assert groups.codes is not None
    second, fourth = (sum_floats(residuals**power, groups.codes, groups.n_groups) for power in (2, 4))
    kurtosis: Floats = np.divide(fourth * n_clusters, second**2, out=np.full(len(second), np.nan), where=second > 0)
    return kurtosis


def _effective_n(mean: Floats, error: Floats, n: Ints, n_clusters: Ints) -> Floats:
    """As many independent rows as would give this standard error, n at most (Korn and Graubard 1998).

    Where all rows agree there is none to go by: then a cluster counts as one row.
    """
    variance = mean * (1 - mean)
    by_error = np.divide(variance, error**2, out=n.astype(np.float64), where=error > 0)
    return np.where(variance > 0, np.minimum(by_error, n), n_clusters)


# --------------------------------------------------------------------------------------------- normal: delta method


def _ratio_bounds(groups: Groups, name: str, value: Floats, level: float) -> Bounds:
    """The t interval, with the standard error of the ratio made linear: NaN where the ratio is 0 or 1, and that 0."""
    ratio, inside = RATIOS[name], (value > 0) & (value < 1)
    gradient = np.zeros((groups.n_groups, ratio.n_variables))
    gradient[inside] = ratio.log_gradient(groups.totals[f"{name} sum"].T[inside].astype(np.float64))
    if groups.codes is None:
        n = groups.totals["n_any"][0]
        squares, df = _quadratic_form(gradient, groups.totals, name, ratio) * n / np.maximum(n - 1, 1), n - 1
    else:
        residuals = (gradient[groups.codes] * groups.by_cluster[f"{name} sum"].T).sum(axis=1)
        n_clusters = np.bincount(groups.codes[groups.by_cluster["n_any"][0] > 0], minlength=groups.n_groups)
        squares, df = _sum_squares_by_group(groups, residuals, n_clusters), n_clusters - 1
    return _hide(~inside, _clip(around(value, value * np.sqrt(squares), t_quantiles(level, df))))


def _quadratic_form(gradient: Floats, totals: Mapping[str, Ints], name: str, ratio: Ratio) -> Floats:
    """The sum over rows of (gradient · variables) squared, shape (groups,), from sums of products of variables."""
    products = as_integers(np.stack([totals[f"{name} high"], totals[f"{name} low"]])).astype(np.float64)
    left, right = np.triu_indices(ratio.n_variables)
    terms = products * (gradient[:, left] * gradient[:, right]).T * np.where(left == right, 1, 2)[:, None]
    form, size = terms.sum(axis=0), np.abs(terms).sum(axis=0)
    rounding = size * np.finfo(np.float64).eps * len(terms)
    return np.where(form > rounding, form, 0.0)


def _clip(bounds: Bounds) -> Bounds:
    return np.clip(bounds[0], 0, 1), np.clip(bounds[1], 0, 1)


def _hide(places: Flags, bounds: Bounds) -> Bounds:
    return np.where(places, np.nan, bounds[0]), np.where(places, np.nan, bounds[1])


# --------------------------------------------------------------------------------------------------------- bootstrap


@dataclass(frozen=True, slots=True)
class _Sums:
    """What is resampled: for each metric sums by unit and how many scores they are of, for each ratio its variables."""

    scores: dict[str, Floats]
    ns: dict[str, Ints]
    variables: dict[str, Ints]
    codes: Ints


def _resampled_bounds(part: Part, groups: Groups, ns: Mapping[str, Ints], interval: Interval) -> dict[str, Bounds]:
    """Percentile intervals of all figures at once; NaN for fewer than two rows or clusters."""
    sums = _sums_by_row(part) if groups.codes is None else _sums_by_cluster(part, groups.codes)
    largest = int(np.bincount(sums.codes, minlength=1).max())
    columns: list[Floats] = []
    scales = []
    for metric, scores in sums.scores.items():
        digits, scale = _two_digits(scores, largest)
        columns += [sums.ns[metric].astype(np.float64), *digits]
        scales.append(scale)
    for variables in sums.variables.values():
        columns += list(variables.astype(np.float64))

    def estimator(resampled: Floats) -> Floats:
        figures, place = [], 0
        for high_unit, low_unit in scales:
            n, high, low = resampled[place : place + 3]
            totals = high * high_unit + low * low_unit
            figures.append(np.divide(totals, n, out=np.full(n.shape, np.nan), where=n > 0))
            place += 3
        for ratio in sums.variables:
            stop = place + RATIOS[ratio].n_variables
            figures.append(RATIOS[ratio].value(np.moveaxis(resampled[place:stop], 0, -1)))
            place = stop
        return np.stack(figures)

    units = Units(np.stack(columns), sums.codes, _ranks(sums))
    names = [*sums.scores, *sums.variables]
    low, high = resample(units, estimator, len(names), groups.n_groups, interval)
    return {name: _hide(ns[name] < 2, (low[place], high[place])) for place, name in enumerate(names)}


def _sums_by_row(part: Part) -> _Sums:
    """The rows that any metric was scored on."""
    rows = part.rows
    if rows is None:
        raise UnknownOptionError(
            "method='bootstrap' resamples rows, and this Pool kept only their sums; make it with Pool(keep_rows=True), "
            "or name a cluster, or choose method='normal'"
        )
    scores = np.stack(list(rows.scores.values()))
    is_scored = ~np.isnan(scores)
    kept = is_scored.any(axis=0)
    scores, is_scored = np.where(is_scored, scores, 0.0)[:, kept], is_scored[:, kept].astype(np.int64)
    return _Sums(
        dict(zip(rows.scores, scores, strict=True)),
        dict(zip(rows.scores, is_scored, strict=True)),
        {ratio: variables[:, kept] for ratio, variables in rows.variables.items()},
        rows.codes[kept],
    )


def _sums_by_cluster(part: Part, codes: Ints) -> _Sums:
    """The clusters that any metric was scored in."""
    kept = part.totals["n_any"][0] > 0
    return _Sums(
        {metric: as_floats(part.totals[f"{metric} sum"][:, kept]) for metric in part.facts.metrics},
        {metric: part.totals[f"{metric} n"][0][kept] for metric in part.facts.metrics},
        {ratio: part.totals[f"{ratio} sum"][:, kept] for ratio in part.facts.ratios},
        codes[kept],
    )


def _two_digits(values: Floats, n_units: int) -> tuple[tuple[Floats, Floats], tuple[float, float]]:
    """Values as two whole numbers, the units of which are returned after them: sums over `n_units` are exact."""
    bits = min(31, 51 - n_units.bit_length())
    _, exponent = np.frexp(np.abs(values).max(initial=0))
    scaled = np.ldexp(values, bits - int(exponent))  # below 2**bits
    high = np.rint(scaled)
    low = np.rint(np.ldexp(scaled - high, bits))
    return (high, low), (float(np.ldexp(1.0, int(exponent) - bits)), float(np.ldexp(1.0, int(exponent) - 2 * bits)))


def _ranks(sums: _Sums) -> list[NDArray[np.generic]]:
    """All that tells units apart."""
    ranks: list[NDArray[np.generic]] = [*sums.scores.values(), *sums.ns.values()]
    for variables in sums.variables.values():
        ranks += list(variables)
    return [rank for rank in ranks if len(rank) and rank.min() != rank.max()]
