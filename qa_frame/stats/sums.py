"""Exact sums of figures' variables by group and unit: all that a summary is made from, and that a Pool keeps.

Sums are simply added to each other, in any order, with the same result to the last bit.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qa_frame._typing import Ints
from qa_frame.errors import PoolMismatchError, QaFrameError
from qa_frame.stats.exact_sums import BASE, sum_integers
from qa_frame.stats.grouping import GroupValues, group_rows
from qa_frame.stats.rows import KeptUnits, ScoredRows, is_any_scored
from qa_frame.stats.statistic import Statistic, StatisticSums, add_statistic_sums, count_flags

_MOST = 2.0**62

_REMEDIES = {
    "metrics": "name the metrics that both have",
    "statistics": "score all with stats=True, or drop the statistics where they are",
}
"""The remedy if parts have different figures, by their kind."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts that hold for all rows of some sums.

    Attributes
    ----------
    figures
        The figures that were summed.
    signatures
        The signatures of the scorings, None for one that is not known.
    counted, uncounted
        The flags that were counted in some of the rows, and those that were not known in some of them.
    """

    figures: tuple[Statistic, ...]
    signatures: frozenset[str | None]
    counted: frozenset[str]
    uncounted: frozenset[str]

    @property
    def signature(self) -> str | None:
        """The one signature of all rows; None if it is not known of all."""
        return next(iter(self.signatures)) if len(self.signatures) == 1 else None

    def inputs(self, kind: str) -> list[str]:
        """Return the columns that figures of a kind read."""
        return [*dict.fromkeys(name for figure in self.figures if figure.kind == kind for name in figure.columns)]

    def merged(self, other: Facts) -> Facts:
        """Return what holds for the rows of both; PoolMismatchError if they must not be pooled together."""
        figures = self.figures
        if [figure.name for figure in figures] != [figure.name for figure in other.figures]:
            for kind, remedy in _REMEDIES.items():
                mine, theirs = ({each.name for each in facts.figures if each.kind == kind} for facts in (self, other))
                if mine != theirs:
                    raise _mismatch(kind, self.inputs(kind), other.inputs(kind), remedy)
            figures = tuple(sorted(figures, key=lambda figure: (figure.rank, figure.name)))  # whichever comes first
        signatures = self.signatures | other.signatures
        known = sorted(filter(None, signatures))
        if len(known) > 1:
            raise _mismatch("signatures of the scoring", known[0], known[1], "score all rows in the same way")
        return Facts(figures, signatures, self.counted | other.counted, self.uncounted | other.uncounted)


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums by group. A group has one key of each level, so it may be the rows of one unit.

    Attributes
    ----------
    keys
        The keys of the groups. Each combination stands once.
    n_groups
        How many groups there are.
    n_rows, n
        All rows, and those that have any score; int64, shape (groups,).
    counts
        How many rows have each flag, by its name; int64, shape (groups,).
    figures
        The sums of each figure, by its name.
    kept
        The rows themselves, for resampling; None if they are not kept.
    """

    facts: Facts
    keys: GroupValues
    n_groups: int
    n_rows: Ints
    n: Ints
    counts: Mapping[str, Ints]
    figures: Mapping[str, StatisticSums]
    kept: KeptUnits | None = None


def collect(
    rows: ScoredRows,
    figures: Sequence[Statistic],
    keys: GroupValues,
    *,
    with_products: bool,
    with_rows: bool,
    groups: Any = None,
) -> Sums:
    """Return the sums of rows by group.

    Parameters
    ----------
    keys
        The keys of each row.
    with_products
        Also sum products of variables, from which the spread of single rows follows. Clusters have none, as their sums
        tell how they vary, but those of a question's samples are summed by question.
    with_rows
        Also keep the rows themselves, which resampling needs.
    groups
        What `group_rows` gives of the keys, where it is known.
    """
    group, first = groups or group_rows(keys.columns, rows.n_rows)
    n_groups = len(first)
    sums_per_row = {figure: figure.sums_per_row(rows) for figure in figures}
    facts = Facts(
        tuple(figures),
        frozenset([rows.signature] if rows.n_rows or rows.signature else []),
        frozenset(name for name, flags in rows.flags.items() if flags is not None),
        frozenset(name for name, flags in rows.flags.items() if flags is None and rows.n_rows),
    )
    kept = None
    if with_rows:
        values = {figure.name: of_rows for figure, (of_rows, _) in sums_per_row.items()}
        kept = KeptUnits(group, values, {figure.name: is_scored for figure, (_, is_scored) in sums_per_row.items()})
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
            figure.name: figure.sums(values, is_scored, group, n_groups, with_products=has_products)
            for figure, (values, is_scored) in sums_per_row.items()
        },
        kept,
    )


def combine(parts: Sequence[Sums]) -> Sums:
    """Return the sums of all parts' rows. Which part comes first makes no difference to any sum."""
    if len(parts) == 1:
        return parts[0]
    return _require_countable(_add_up(parts, GroupValues.join([part.keys for part in parts]))[0])


def regroup(sums: Sums, keys: GroupValues) -> tuple[Sums, Ints]:
    """Return the sums by new groups, and to which of them each group of `sums` belongs.

    keys: the key that each group of `sums` is given, such as its own keys without a level.
    """
    return _add_up([sums], keys)


def _add_up(parts: Sequence[Sums], keys: GroupValues) -> tuple[Sums, Ints]:
    """Return the sums of all parts by these keys, which each group of one part after the other has; and its group."""
    starts = np.cumsum([0, *(part.n_groups for part in parts)])
    group, first = group_rows(keys.columns, int(starts[-1]))
    add_up, facts = adder(group, len(first)), functools.reduce(Facts.merged, (part.facts for part in parts))

    def add(arrays: list[Ints]) -> Ints:
        return add_up(arrays[0] if len(arrays) == 1 else np.concatenate(arrays, axis=-1))

    kept = [(part.kept, start) for part, start in zip(parts, starts[:-1], strict=True) if part.kept is not None]
    sums = Sums(
        facts,
        keys.take(first),
        len(first),
        add([part.n_rows for part in parts]),
        add([part.n for part in parts]),
        {name: add([part.counts[name] for part in parts]) for name in parts[0].counts},
        {each.name: add_statistic_sums([part.figures[each.name] for part in parts], add) for each in facts.figures},
        _keep_all(kept, group) if kept else None,
    )
    return sums, group


def adder(group: Ints, n_groups: int) -> Callable[[Ints], Ints]:
    """Return the function that adds up an array's last axis by group."""

    @functools.cache
    def order() -> tuple[Ints, Ints]:
        places = np.argsort(group, kind="stable")
        return places, np.flatnonzero(np.diff(group[places], prepend=-1))

    def add_up(array: Ints) -> Ints:
        lines = array.reshape(math.prod(array.shape[:-1]), len(group))
        if max(lines.max(initial=0), -lines.min(initial=0)) < BASE:
            sums = [sum_integers(line, group, n_groups) for line in lines]
        else:
            sums = [np.add.reduceat(line[order()[0]], order()[1]) for line in lines]
        return np.array(sums, np.int64).reshape(*array.shape[:-1], n_groups)

    return add_up


def _require_countable(sums: Sums) -> Sums:
    """Return the sums; QaFrameError where they are so large that further rows could overflow in silence."""
    digits = [figure.digits[:, 0] for figure in sums.figures.values()]
    products = [figure.products[:, 0] for figure in sums.figures.values() if figure.products is not None]
    if any(np.abs(each.astype(np.float64)).max(initial=0) >= _MOST for each in (sums.n_rows, *digits, *products)):
        raise QaFrameError("the sums of a group are beyond 2**62; pool fewer rows, or keep groups apart with `by`")
    return sums


def _keep_all(kept: Sequence[tuple[KeptUnits, int]], group: Ints) -> KeptUnits:
    """Return the rows of all parts, each with the place where its groups start, in their new groups."""
    names = kept[0][0].sums_per_row
    return KeptUnits(
        group[np.concatenate([rows.group + start for rows, start in kept])],
        {name: np.concatenate([rows.sums_per_row[name] for rows, _ in kept], axis=1) for name in names},
        {name: np.concatenate([rows.n_rows[name] for rows, _ in kept]) for name in names},
    )


def _mismatch(what: str, mine: object, theirs: object, remedy: str) -> PoolMismatchError:
    return PoolMismatchError(f"the {what} differ: {mine!r} here, {theirs!r} there; {remedy}")
