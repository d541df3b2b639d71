"""Exact sums over rows by group: all that the statistics of a summary are made from, and that a Pool keeps.

Sums are simply added to each other, in any order, with the same result to the last bit.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qa_frame._typing import Ints
from qa_frame.errors import PoolMismatchError, QaFrameError
from qa_frame.stats.grouping import GroupValues, group_rows
from qa_frame.stats.rows import KeptUnits, ScoredRows, is_any_scored
from qa_frame.stats.statistic import Statistic, StatisticSums, add_sums, count_flags

_MOST = 2.0**62

_REMEDIES = {
    "metrics": "name the metrics that both have",
    "statistics": "score all with stats=True, or drop the statistics where they are",
}
"""The remedy if parts have different statistics, by their kind."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of the rows that some sums were made from.

    Attributes
    ----------
    statistics
        The statistics that were summed.
    signatures
        The signatures of the scorings, None for one that is not known.
    counted, uncounted
        The flags that were counted in some of the rows, and those that were not known in some of them.
    """

    statistics: tuple[Statistic, ...]
    signatures: frozenset[str | None]
    counted: frozenset[str]
    uncounted: frozenset[str]

    @property
    def signature(self) -> str | None:
        """The one signature of all rows; None if it is not known of all."""
        return next(iter(self.signatures)) if len(self.signatures) == 1 else None

    def columns_of_kind(self, kind: str) -> list[str]:
        """Return the columns that the statistics of a kind read."""
        return [*dict.fromkeys(name for each in self.statistics if each.kind == kind for name in each.columns)]

    def merge(self, other: Facts) -> Facts:
        """Return the facts of the rows of both.

        PoolMismatchError if these rows must not be pooled together: they have different statistics, or different
        signatures.
        """
        statistics = self.statistics
        if [each.name for each in statistics] != [each.name for each in other.statistics]:
            for kind, remedy in _REMEDIES.items():
                mine, theirs = (
                    {each.name for each in facts.statistics if each.kind == kind} for facts in (self, other)
                )
                if mine != theirs:
                    raise _error_of_mismatch(kind, self.columns_of_kind(kind), other.columns_of_kind(kind), remedy)
            statistics = tuple(sorted(statistics, key=lambda each: (each.rank, each.name)))  # whichever comes first
        signatures = self.signatures | other.signatures
        known = sorted(filter(None, signatures))
        if len(known) > 1:
            raise _error_of_mismatch("signatures of the scoring", known[0], known[1], "score all rows in the same way")
        return Facts(statistics, signatures, self.counted | other.counted, self.uncounted | other.uncounted)


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over rows by group. A group has one key of each level, so it may be the rows of one cluster.

    Attributes
    ----------
    facts
        What is known of the rows that were summed.
    keys
        The keys of the groups. Each combination stands once.
    n_groups
        How many groups there are.
    n_rows, n
        All rows, and those that have any score; int64, shape (groups,).
    counts
        How many rows have each flag, by its name; int64, shape (groups,).
    statistics
        The sums of each statistic, by its name.
    kept
        The rows themselves, for resampling; None if they are not kept.
    """

    facts: Facts
    keys: GroupValues
    n_groups: int
    n_rows: Ints
    n: Ints
    counts: Mapping[str, Ints]
    statistics: Mapping[str, StatisticSums]
    kept: KeptUnits | None = None


def sum_by_group(
    rows: ScoredRows,
    statistics: Sequence[Statistic],
    keys: GroupValues,
    *,
    with_products: bool,
    with_rows: bool,
    groups: Any = None,
) -> Sums:
    """Return the sums of rows by group.

    ColumnTypeError where scores cannot be summed exactly, or pandas cannot group by the keys.

    Parameters
    ----------
    keys
        The keys of each row.
    with_products
        Also sum products of what rows add, from which the variance follows where each row is a unit. They are left out
        where there are clusters: sums by cluster tell how clusters vary. Samples of questions have them all the same.
    with_rows
        Also keep the rows themselves, which resampling needs.
    groups
        The result of `group_rows` for the columns of the keys, if it is known; None to find it.
    """
    group, first = groups or group_rows(keys.columns, rows.n_rows)
    n_groups = len(first)
    sums_per_row = {each: each.sums_per_row(rows) for each in statistics}
    facts = Facts(
        tuple(statistics),
        frozenset([rows.signature] if rows.n_rows or rows.signature else []),
        frozenset(name for name, flags in rows.flags.items() if flags is not None),
        frozenset(name for name, flags in rows.flags.items() if flags is None and rows.n_rows),
    )
    kept = None
    if with_rows:
        values = {each.name: of_rows for each, (of_rows, _) in sums_per_row.items()}
        kept = KeptUnits(group, values, {each.name: is_scored for each, (_, is_scored) in sums_per_row.items()})
    has_products = with_products and bool(keys.question or not keys.unit)
    return Sums(
        facts,
        keys.take(first),
        n_groups,
        np.bincount(group, minlength=n_groups).astype(np.int64),
        count_flags(is_any_scored(rows.scores, rows.n_rows), group, n_groups),
        {
            name: np.zeros(n_groups, np.int64) if flags is None else count_flags(flags, group, n_groups)
            for name, flags in rows.flags.items()
        },
        {
            each.name: each.sums(values, is_scored, group, n_groups, with_products=has_products)
            for each, (values, is_scored) in sums_per_row.items()
        },
        kept,
    )


def combine(parts: Sequence[Sums]) -> Sums:
    """Return the sums of all parts' rows, one part or more. Which part comes first makes no difference to any sum.

    PoolMismatchError where the parts must not be pooled together. QaFrameError where sums are too large to add to. One
    part is returned as it is.
    """
    if len(parts) == 1:
        return parts[0]
    return _require_countable(_add_up(parts, GroupValues.join([part.keys for part in parts]))[0])


def regroup(sums: Sums, keys: GroupValues) -> tuple[Sums, Ints]:
    """Return the sums by new groups, and to which of them each group of `sums` belongs.

    keys: the key that each group of `sums` is given, such as its own keys without a level.
    """
    return _add_up([sums], keys)


def _add_up(parts: Sequence[Sums], keys: GroupValues) -> tuple[Sums, Ints]:
    """Return the sums of all parts by new groups, and the new group of each old one, the parts one after the other.

    keys: the key that each old group is given.
    """
    starts = np.cumsum([0, *(part.n_groups for part in parts)])
    group, first = group_rows(keys.columns, int(starts[-1]))
    add = functools.partial(_add_by_group, group=group, n_groups=len(first))
    facts = functools.reduce(Facts.merge, (part.facts for part in parts))
    kept = [(part.kept, start) for part, start in zip(parts, starts[:-1], strict=True) if part.kept is not None]
    sums = Sums(
        facts,
        keys.take(first),
        len(first),
        add([part.n_rows for part in parts]),
        add([part.n for part in parts]),
        {name: add([part.counts[name] for part in parts]) for name in parts[0].counts},
        {each.name: add_sums([part.statistics[each.name] for part in parts], add) for each in facts.statistics},
        _join_kept(kept, group) if kept else None,
    )
    return sums, group


def _add_by_group(arrays: list[Ints], group: Ints, n_groups: int) -> Ints:
    """Put arrays together along their last axis, and return the sums of that axis by group, shape (..., groups).

    group: the group of each place of the last axis, the arrays one after the other.
    """
    array = np.concatenate(arrays, axis=-1)
    sums = np.zeros((math.prod(array.shape[:-1]), n_groups), np.int64)
    for line, total in zip(array.reshape(len(sums), len(group)), sums, strict=True):
        np.add.at(total, group, line)
    return sums.reshape(*array.shape[:-1], n_groups)


def _require_countable(sums: Sums) -> Sums:
    """Return the sums; QaFrameError where they are so large that further rows could overflow in silence."""
    digits = [each.digits[0] for each in sums.statistics.values()]
    products = [each.products[0] for each in sums.statistics.values() if each.products is not None]
    if any(np.abs(each.astype(np.float64)).max(initial=0) >= _MOST for each in (sums.n_rows, *digits, *products)):
        raise QaFrameError("the sums of a group are beyond 2**62; pool fewer rows, or keep groups apart with `by`")
    return sums


def _join_kept(kept: Sequence[tuple[KeptUnits, int]], group: Ints) -> KeptUnits:
    """Return the kept rows of all parts together, in their new groups.

    kept: for each part, its rows and the number of groups in the parts before it. group: the new group of each old one,
    the parts one after the other.
    """
    names = kept[0][0].sums_per_row
    return KeptUnits(
        group[np.concatenate([rows.group + start for rows, start in kept])],
        {name: np.concatenate([rows.sums_per_row[name] for rows, _ in kept], axis=1) for name in names},
        {name: np.concatenate([rows.n_rows[name] for rows, _ in kept]) for name in names},
    )


def _error_of_mismatch(what: str, mine: object, theirs: object, remedy: str) -> PoolMismatchError:
    """Return the error for parts that differ in something, which is `mine` in one of them and `theirs` in the other."""
    return PoolMismatchError(f"the {what} differ: {mine!r} here, {theirs!r} there; {remedy}")
