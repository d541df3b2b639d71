"""Influence values of rows or clusters → the variance and the bounds of statistics.

The influence value of a row is how far the row moves the value of its group. Summaries have those of clusters, all
other tables those of rows. Nothing depends on the order of rows.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.stats.exact_sums import sum_floats
from qa_frame.stats.intervals import Spread, UnitSizes, measure_unit_sizes, spread_of_rows, unit_bounds
from qa_frame.stats.statistic import divide_where


@dataclass(frozen=True, eq=False, repr=False)
class ClusteredRows:
    """The rows or clusters of groups: independent rows, rows in clusters, or clusters of which only sums are known.

    Every interval rests on these, as on a sample from more of their kind. A unit is a cluster, or else a row.

    Attributes
    ----------
    group
        The group of each item, which is a row or the sum of a unit; int64, shape (items,).
    n_groups
        How many groups there are.
    unit
        The unit of each row, int64, shape (items,); None where each item is one. Groups may share a unit's number.
    n_in_item
        The rows that each item holds, int64, shape (items,); None where each is a row.
    """

    group: Ints
    n_groups: int
    unit: Ints | None = None
    n_in_item: Ints | None = None

    def take(self, rows: Flags) -> ClusteredRows:
        """Return some of the rows, in the same groups, where each item is a row. rows: whether each is among them."""
        return ClusteredRows(self.group[rows], self.n_groups, None if self.unit is None else self.unit[rows])

    @property
    def n_rows(self) -> Ints:
        """The number of rows in each group, int64, shape (groups,)."""
        return np.bincount(self.group, self.n_in_item, self.n_groups).astype(np.int64)

    @property
    def n_units(self) -> Ints:
        """The number of units in each group, int64, shape (groups,)."""
        return np.bincount(self._unit_codes[1], minlength=self.n_groups).astype(np.int64)

    @property
    def members(self) -> list[Ints]:
        """The places of the rows of each group, ascending. Only where each item is a row."""
        return np.split(np.argsort(self.group, kind="stable"), np.cumsum(self.n_rows)[:-1])

    def add_up(self, values: Floats) -> Floats:
        """Return the sums of values of items by group, shape (groups,)."""
        return sum_floats(values, self.group, self.n_groups)

    def with_bounds(self, value: Floats, influence: Floats, max_n: Floats, level: float | None) -> Floats:
        """Return a statistic from 0 to 1 by group with its lower and its upper bounds, shape (3, groups).

        An item is a row, or the sum of a unit where only sums are known. Bounds are NaN for fewer than two units, and
        where no level is given or there are no items at all.

        Parameters
        ----------
        value
            The values, shape (groups,).
        influence
            How far each item moves its group's value, shape (items,). Their sum over a group is 0.
        max_n
            The largest number of rows that each value can rest on, shape (groups,); see `Statistic.max_n`.
        level
            The level of the bounds; None for none.
        """
        if level is None or not len(influence):
            return np.stack([value, *np.full((2, self.n_groups), np.nan)])
        return np.stack([value, *unit_bounds(value, self.spread(influence), max_n, level)])

    def spread(self, influence: Floats) -> Spread:
        """Return the estimated variance of a statistic's values by group. influence: as in `with_bounds`."""
        if self.unit is None and self.n_in_item is None:
            return spread_of_rows(self.add_up(influence**2) * self.n_rows / np.maximum(self.n_rows - 1, 1), self.n_rows)
        unit, group_of_unit = self._unit_codes
        of_units = influence if self.unit is None else sum_floats(influence, unit, len(group_of_unit))
        return self.sizes.spread(of_units)

    @functools.cached_property
    def _unit_codes(self) -> tuple[Ints, Ints]:
        """The unit of each item, numbered over all groups from 0 on, and the group of each unit."""
        if self.unit is None:
            return np.arange(len(self.group)), self.group
        n_numbers = int(self.unit.max(initial=0)) + 1
        keys, unit = np.unique(self.group * n_numbers + self.unit, return_inverse=True)
        return unit.reshape(-1), keys // n_numbers

    @functools.cached_property
    def sizes(self) -> UnitSizes:
        """What follows from the sizes of units. It is the same for all statistics."""
        unit, group = self._unit_codes
        return measure_unit_sizes(
            np.bincount(unit, self.n_in_item, len(group)).astype(np.float64),
            add_up=functools.partial(sum_floats, group=group, n_groups=self.n_groups),
            of_unit=functools.partial(np.take, indices=group),
        )

    def ratios(self, parts: Floats, wholes: Floats, level: float | None) -> Floats:
        """Return sum(parts) / sum(wholes) by group, with bounds, shape (3, groups); NaN where the wholes are 0.

        parts, wholes: of each row, shape (rows,). No part exceeds its whole. level: of the bounds; None for none.
        """
        whole = self.add_up(wholes)
        value = divide_where(self.add_up(parts), whole, np.nan)
        influence = divide_where(parts - value[self.group] * wholes, whole[self.group], 0.0)
        return self.with_bounds(value, influence, self.n_rows.astype(np.float64), level)

    def means(self, values: Floats, level: float | None) -> Floats:
        """Return the means of values from 0 to 1 by group, with bounds, shape (3, groups); NaN where there are no rows.

        values: of each row, shape (rows,). level: of the bounds; None for none.
        """
        return self.ratios(values, np.ones(len(values)), level)


def sum_by_unit(values: Floats, unit: Ints | None) -> Floats:
    """Return the sums of values of rows by unit, shape (units,). unit: of each row; None where each row is a unit."""
    return values if unit is None else sum_floats(values, unit, int(unit.max(initial=-1)) + 1)
