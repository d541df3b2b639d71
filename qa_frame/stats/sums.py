"""Exact sums of figures' variables by group and unit: all that a summary is made from, and that a Pool keeps.

Sums are simply added to each other, in any order, with the same result to the last bit.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import PoolMismatchError, QaFrameError
from qa_frame.stats.exact_sums import (
    SUM_UNIT,
    as_floats,
    as_integers,
    carry,
    divide,
    sum_integers,
    sum_products,
    sum_scores,
    sum_squares,
)
from qa_frame.stats.figures import POOLED, Figure, figure_of
from qa_frame.stats.grouping import KeyColumns, concatenate, group_rows, take_keys
from qa_frame.stats.rows import ScoredRows, is_any_scored

COUNTS = ("n", "n_scored", "n_missing", "n_not_extracted", "n_no_gold")

_MOST = 2.0**62


@dataclass(frozen=True, slots=True)
class Facts:
    """What holds for all rows of some sums.

    Attributes
    ----------
    metrics, pooled
        The figures: means of scores, and those that are pooled from statistics.
    signatures
        Of the scorings, None for one that is not known.
    are_counts_known
        Whether `n_missing`, `n_not_extracted` and `n_no_gold` are known.
    has_extraction
        Whether answers were looked for in responses, of any rows.
    """

    metrics: tuple[str, ...]
    pooled: tuple[str, ...]
    signatures: frozenset[str | None]
    are_counts_known: bool
    has_extraction: bool

    @property
    def signature(self) -> str | None:
        """The one signature of all rows, None where it is not known of all."""
        return next(iter(self.signatures)) if len(self.signatures) == 1 else None

    def merged(self, other: Facts, order: Sequence[str]) -> Facts:
        """Return what holds for the rows of both; PoolMismatchError where they must not be pooled together.

        order: of all metrics, for when the two name the same ones in different orders.
        """
        metrics = self.metrics
        if metrics != other.metrics:
            if set(metrics) != set(other.metrics):
                raise _mismatch("metrics", list(metrics), list(other.metrics), "name the metrics that both have")
            # The same, whichever comes first. The user's own metrics, which have no order, come last.
            metrics = tuple(metric for metric in (*order, *sorted({*metrics} - {*order})) if metric in metrics)
        if self.pooled != other.pooled:
            remedy = "score all with stats=True, or drop the statistics where they are"
            raise _mismatch("statistics", _statistics_of(self.pooled), _statistics_of(other.pooled), remedy)
        signatures = self.signatures | other.signatures
        known = sorted(filter(None, signatures))
        if len(known) > 1:
            raise _mismatch("signatures of the scoring", known[0], known[1], "score all rows in the same way")
        return Facts(
            metrics,
            self.pooled,
            signatures,
            self.are_counts_known and other.are_counts_known,
            self.has_extraction or other.has_extraction,
        )


@dataclass(frozen=True, slots=True)
class FigureSums:
    """A figure's sums by group. The last axis of each array is that of the groups.

    Attributes
    ----------
    n, n_outside
        Rows that it is scored on, and those of them whose score is not from 0 to 1; int64, shape (groups,).
    digits
        Of its variables' sums, int64, shape (variables, places, groups); see `exact_sums`.
    products
        Digits of the sums of products of every two variables, shape (pairs, places, groups). None where not kept.
    """

    n: Ints
    n_outside: Ints
    digits: Ints
    products: Ints | None

    def regrouped(self, regroup: Callable[[Ints], Ints]) -> FigureSums:
        """Return the sums of other groups, made by a function of an array's last axis."""
        return FigureSums(
            regroup(self.n),
            regroup(self.n_outside),
            _carried(regroup(self.digits)),
            None if self.products is None else _carried(regroup(self.products)),
        )

    def as_floats(self) -> Floats:
        """Return the sums as figures take them: shape (groups, variables + 1), with the number of rows last."""
        sums = as_floats(np.moveaxis(self.digits, 1, 0))
        return np.concatenate([sums, self.n[None].astype(np.float64)]).T

    def value(self, figure: Figure) -> Floats:
        """Return the figure, shape (groups,); NaN where there are no rows. A mean is rounded only once."""
        if figure.is_mean:
            return divide(as_integers(self.digits[0]), self.n.astype(object) * SUM_UNIT)
        return figure.value(self.as_floats())


@dataclass(frozen=True, slots=True)
class KeptRows:
    """Rows as they were, for resampling.

    Attributes
    ----------
    group
        The place of each row's group in `Sums.keys`, int64, shape (rows,).
    variables, is_scored
        Of each figure, as from `ScoredRows.variables`.
    """

    group: Ints
    variables: Mapping[str, Floats | Ints]
    is_scored: Mapping[str, Flags]


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums by group. A group may be that of a cluster, whose key then is the last.

    Attributes
    ----------
    keys
        For each level a key a group. Each combination stands once.
    n_groups
        How many groups there are.
    counts
        int64, shape (5, groups): those of COUNTS.
    figures
        The sums of each figure.
    """

    facts: Facts
    keys: KeyColumns
    n_groups: int
    counts: Ints
    figures: Mapping[str, FigureSums]
    kept: KeptRows | None = None


def collect(rows: ScoredRows, keys: KeyColumns, *, with_products: bool, with_rows: bool) -> Sums:
    """Return the sums of rows by group.

    Parameters
    ----------
    keys
        Of each row.
    with_products
        Also sum products of variables, from which the spread of single rows follows.
    with_rows
        Also keep the rows themselves, which resampling needs.
    """
    group, first = group_rows(keys, rows.n_rows)
    n_groups = len(first)
    variables = {name: rows.variables(name) for name in rows.figures}
    figures = {
        name: _sum_figure(figure_of(name), values, is_scored, group, n_groups, with_products=with_products)
        for name, (values, is_scored) in variables.items()
    }
    flags = (is_any_scored(rows.scores, rows.n_rows), rows.is_missing, rows.is_not_extracted, rows.has_no_gold)
    counts = [np.bincount(group, minlength=n_groups).astype(np.int64), *(_count(f, group, n_groups) for f in flags)]
    facts = Facts(
        tuple(name for name in variables if name not in POOLED),
        tuple(name for name in variables if name in POOLED),
        frozenset([rows.signature] if rows.n_rows or rows.signature else []),
        rows.is_missing is not None or not rows.n_rows,
        rows.is_not_extracted is not None,
    )
    kept = None
    if with_rows:
        values = {name: of_rows for name, (of_rows, _) in variables.items()}
        kept = KeptRows(group, values, {name: is_scored for name, (_, is_scored) in variables.items()})
    return Sums(facts, take_keys(keys, first), n_groups, np.stack(counts), figures, kept)


def combine(parts: Sequence[Sums], order: Sequence[str]) -> Sums:
    """Return the sums of all parts' rows. Which part comes first makes no difference to any sum.

    order: of all metrics, as in `Facts.merged`.
    """
    if len(parts) == 1:
        return parts[0]
    facts = functools.reduce(lambda one, other: one.merged(other, order), (part.facts for part in parts))
    every_key = concatenate([part.keys for part in parts])
    group, first = group_rows(every_key, sum(part.n_groups for part in parts))
    ends = np.cumsum([part.n_groups for part in parts])
    groups = np.split(group, ends[:-1])

    def add_up(arrays: Sequence[Ints]) -> Ints:
        total = np.zeros((*arrays[0].shape[:-1], len(first)), np.int64)
        for array, codes in zip(arrays, groups, strict=True):
            total[..., codes] += array  # no code stands twice in one part
        return total

    figures = {
        name: _add_figures([part.figures[name] for part in parts], add_up) for name in (*facts.metrics, *facts.pooled)
    }
    counts = add_up([part.counts for part in parts])
    kept = _keep_all(parts, groups)
    return _require_countable(Sums(facts, take_keys(every_key, first), len(first), counts, figures, kept))


def coarsen(sums: Sums, n_levels: int) -> tuple[Sums, Ints]:
    """Return the sums by the first levels of the keys alone, and to which group each group of `sums` belongs."""
    keys = sums.keys[:n_levels]
    group, first = group_rows(keys, sums.n_groups)

    def regroup(array: Ints) -> Ints:
        total = np.zeros((*array.shape[:-1], len(first)), np.int64)
        for line in np.ndindex(array.shape[:-1]):
            np.add.at(total[line], group, array[line])
        return total

    figures = {name: figure.regrouped(regroup) for name, figure in sums.figures.items()}
    return replace(
        sums, keys=take_keys(keys, first), n_groups=len(first), counts=regroup(sums.counts), figures=figures, kept=None
    ), group


def _count(flags: Flags | None, group: Ints, n_groups: int) -> Ints:
    return np.zeros(n_groups, np.int64) if flags is None else sum_integers(flags.astype(np.int64), group, n_groups)


def _sum_figure(
    figure: Figure, values: Floats | Ints, is_scored: Flags, group: Ints, n_groups: int, *, with_products: bool
) -> FigureSums:
    n_outside = np.zeros(n_groups, np.int64)
    products = None
    if figure.is_mean:
        score = values[0].astype(np.float64, copy=False)
        digits = sum_scores(score, group, n_groups)[None]
        if len(score) and (score.min() < 0 or score.max() > 1):
            n_outside = _count((score < 0) | (score > 1), group, n_groups)
        if with_products:
            products = sum_squares(score, group, n_groups)[None]
    else:
        digits = np.stack([sum_integers(variable, group, n_groups)[None] for variable in values.astype(np.int64)])
        if with_products:
            pairs = zip(*np.triu_indices(figure.n_variables), strict=True)
            products = np.stack([sum_products(values[left], values[right], group, n_groups) for left, right in pairs])
    n = _count(is_scored, group, n_groups)
    return FigureSums(n, n_outside, _carried(digits), None if products is None else _carried(products))


def _add_figures(figures: Sequence[FigureSums], add_up: Callable[[Sequence[Ints]], Ints]) -> FigureSums:
    products = [figure.products for figure in figures if figure.products is not None]
    return FigureSums(
        add_up([figure.n for figure in figures]),
        add_up([figure.n_outside for figure in figures]),
        _carried(add_up([figure.digits for figure in figures])),
        _carried(add_up(products)) if len(products) == len(figures) else None,
    )


def _require_countable(sums: Sums) -> Sums:
    """Return the sums; QaFrameError where they are so large that further rows could overflow in silence."""
    digits = [figure.digits[:, 0] for figure in sums.figures.values()]
    products = [figure.products[:, 0] for figure in sums.figures.values() if figure.products is not None]
    if any(np.abs(each.astype(np.float64)).max(initial=0) >= _MOST for each in (sums.counts, *digits, *products)):
        raise QaFrameError("the sums of a group are beyond 2**62; pool fewer rows, or keep groups apart with `by`")
    return sums


def _carried(digits: Ints) -> Ints:
    """Shape (items, places, groups)."""
    return np.moveaxis(carry(np.moveaxis(digits, 1, 0)), 0, 1)


def _keep_all(parts: Sequence[Sums], groups: Sequence[Ints]) -> KeptRows | None:
    kept = [(part.kept, codes) for part, codes in zip(parts, groups, strict=True) if part.kept is not None]
    if not kept:
        return None
    names = kept[0][0].variables
    return KeptRows(
        np.concatenate([codes[rows.group] for rows, codes in kept]),
        {name: np.concatenate([rows.variables[name] for rows, _ in kept], axis=1) for name in names},
        {name: np.concatenate([rows.is_scored[name] for rows, _ in kept]) for name in names},
    )


def _mismatch(what: str, mine: object, theirs: object, remedy: str) -> PoolMismatchError:
    return PoolMismatchError(f"the {what} differ: {mine!r} here, {theirs!r} there; {remedy}")


def _statistics_of(pooled: Sequence[str]) -> list[Any]:
    return [*dict.fromkeys(name for figure in pooled for name in POOLED[figure].statistics)]
