"""Statistics: functions of sums over rows. Each says how its sums come from rows, and what its value is.

All else in this room works on `Statistic` objects alone. Sums stand in arrays of shape (..., n_sums + 1): those of the
statistic, then the number of rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import ColumnTypeError
from qa_frame.stats.exact_sums import (
    LIMIT,
    SQUARE_UNIT,
    SUM_UNIT,
    as_floats,
    as_integers,
    carry,
    divide,
    score_digits,
    sum_integers,
    sum_products,
    sum_scores,
    sum_squares,
)
from qa_frame.stats.rows import ScoredRows


def divide_where(part: Floats, whole: Floats, otherwise: float) -> Floats:
    """Return part / whole, element by element, and `otherwise` where the whole is not above 0."""
    shape = np.broadcast_shapes(np.shape(part), np.shape(whole))
    return np.asarray(np.divide(part, whole, out=np.full(shape, otherwise), where=np.asarray(whole) > 0))


def count_flags(flags: Flags, group: Ints, n_groups: int) -> Ints:
    """Return how many rows of each group have the flag, int64, shape (groups,)."""
    return np.bincount(group[flags], minlength=n_groups).astype(np.int64, copy=False)


@dataclass(frozen=True, slots=True)
class StatisticSums:
    """The sums of a statistic by group. The last axis of each array is that of the groups.

    Attributes
    ----------
    n, n_outside
        How many rows the statistic is scored on, and how many of these have a score outside [0, 1]; int64, shape
        (groups,). For a statistic of counts, `n_outside` is 0.
    digits
        The sums, each as base-2**32 digits (see `exact_sums`), int64, shape (digits, sums, groups).
    products
        The sums of products that `Statistic.sum_products` returns, shape (digits, pairs, groups). None if they are not
        kept.
    """

    n: Ints
    n_outside: Ints
    digits: Ints
    products: Ints | None

    def as_floats(self) -> Floats:
        """Return the sums as `Statistic.value` takes them: shape (groups, sums + 1), with the number of rows last."""
        return np.concatenate([as_floats(self.digits), self.n[None].astype(np.float64)]).T


def add_sums(parts: Sequence[StatisticSums], add: Callable[[list[Ints]], Ints]) -> StatisticSums:
    """Return the sums of a statistic over the rows of all parts. `products` is None unless all parts have them.

    add: the function that puts arrays of the parts together, and adds up their last axis by group.
    """
    products = [part.products for part in parts if part.products is not None]
    return StatisticSums(
        add([part.n for part in parts]),
        add([part.n_outside for part in parts]),
        carry(add([part.digits for part in parts])),
        carry(add(products)) if len(products) == len(parts) else None,
    )


class Statistic(ABC):
    """A statistic: a function of a few sums over rows. Rows add whole numbers to them, unless methods are overridden.

    Attributes
    ----------
    name
        What tables call the statistic.
    rank
        Its place among other statistics, where frames have them in different orders.
    kind
        What errors call the columns that it reads: "metrics" or "statistics".
    columns
        The columns that it reads.
    n_sums
        How many sums it is made of.
    trusted_from
        The number of rows below which its intervals are not to be trusted.
    """

    __slots__ = ()
    name: str
    rank: int
    kind: ClassVar[str]
    trusted_from: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads: by default the one of its name."""
        return (self.name,)

    @property
    @abstractmethod
    def n_sums(self) -> int:
        """How many sums it is made of."""

    # --- rows → sums

    @abstractmethod
    def sums_per_row(self, rows: ScoredRows) -> tuple[Floats | Ints, Flags]:
        """Return what each row adds to the sums, shape (sums, rows), and whether it is scored, shape (rows,).

        Rows that are not scored add 0.

        Raises
        ------
        ColumnTypeError
            If scores cannot be summed exactly, or statistics contradict each other.
        """

    def digits_per_row(self, sums_per_row: Floats | Ints) -> Ints | Floats:
        """Return what each row adds to the exact sums, as whole numbers; shape (digits, sums, rows).

        A score is a fraction, and sums of floats are rounded. So each score is split into a few whole numbers, its
        digits; see `exact_sums`. Their sums over rows are exact, and give the same value as all rows at once. A count
        is its own only digit.
        """
        return sums_per_row[None]

    def _sum_digits(self, sums_per_row: Floats | Ints, group: Ints, n_groups: int) -> Ints:
        """Return the digits of the sums by group, shape (digits, sums, groups)."""
        return np.stack([sum_integers(each, group, n_groups) for each in sums_per_row.astype(np.int64)])[None]

    def sum_products(self, sums_per_row: Floats | Ints, group: Ints, n_groups: int) -> Ints:
        """Return sums of products by group, from which the variance follows, shape (digits, pairs, groups).

        A row adds one number to each of the statistic's sums. For every pair of sums, also for a sum with itself, the
        products of a row's two numbers are summed over rows. Pairs are in the order of `np.triu_indices`. Digits are of
        base 2**32, see `exact_sums`.
        """
        values = sums_per_row.astype(np.int64, copy=False)
        pairs = zip(*np.triu_indices(self.n_sums), strict=True)
        products = [sum_products(values[left], values[right], group, n_groups) for left, right in pairs]
        return carry(np.stack(products, axis=1))

    def _count_outside(self, sums_per_row: Floats | Ints, group: Ints, n_groups: int) -> Ints:  # noqa: ARG002
        """Return how many rows of each group have a score outside [0, 1], int64, shape (groups,).

        Here it is 0, as rows add counts. `Mean`, whose rows add scores, overrides this.
        """
        return np.zeros(n_groups, np.int64)

    def sums(
        self, sums_per_row: Floats | Ints, is_scored: Flags, group: Ints, n_groups: int, *, with_products: bool
    ) -> StatisticSums:
        """Return the sums of rows by group.

        sums_per_row, is_scored: what the method `sums_per_row` returns. group: the group of each row. with_products:
        whether the result has `products`, too.
        """
        return StatisticSums(
            count_flags(is_scored, group, n_groups),
            self._count_outside(sums_per_row, group, n_groups),
            carry(self._sum_digits(sums_per_row, group, n_groups)),
            self.sum_products(sums_per_row, group, n_groups) if with_products else None,
        )

    # --- sums → value

    @abstractmethod
    def value(self, sums: Floats) -> Floats:
        """Return the value, shape (...), of sums of shape (..., sums + 1). NaN if there are no rows."""

    def exact_value(self, sums: StatisticSums) -> Floats:
        """Return the value by group, shape (groups,); NaN if there are no rows. A mean is rounded only once."""
        return self.value(sums.as_floats())

    @abstractmethod
    def gradient(self, sums: Floats) -> Floats:
        """Return the derivatives of the value by each sum and by the number of rows, in the shape of the sums.

        All are 0 where the value has no derivative. If all sums are multiplied by one number, the value stays the same,
        so gradient · sums is 0.
        """

    def max_n(self, sums: Floats) -> Floats:
        """Return the largest number of rows that the value can rest on, shape (...): by default the number of rows.

        A corpus BLEU rests on fewer where many rows are too short to have an n-gram. Intervals are as wide as so few
        rows make them.
        """
        return sums[..., -1]

    def magnitude(self, unit_sums: Floats) -> Floats:
        """Return how large the numbers are from which the value is calculated, shape (...).

        The rounding error of the value is a share of this. By default it is the value itself. It is overridden where
        the sums of units may cancel each other, as in a mean.

        unit_sums: the sums of units, shape (..., sums + 1, units).
        """
        return self.value(unit_sums.sum(axis=-1))

    def variance_of_value(self, sums: StatisticSums) -> Floats:
        """Return the estimated variance of the value, where each row is a unit, shape (groups,).

        By default it is that of the delta method, with the factor n / (n - 1).
        """
        assert sums.products is not None
        gradient = self.gradient(sums.as_floats())[:, :-1]
        products = as_integers(sums.products).astype(np.float64).T  # (groups, pairs)
        left, right = np.triu_indices(self.n_sums)
        # Each group's terms lie side by side: else their sum would be rounded in another way beside other groups.
        n_times = np.where(left == right, 1, 2)
        terms = np.ascontiguousarray(products * (gradient[:, left] * gradient[:, right]) * n_times)
        form, size = terms.sum(axis=-1), np.abs(terms).sum(axis=-1)
        form = np.where(form > size * np.finfo(np.float64).eps * len(left), form, 0.0)  # what is left is rounding
        return form * sums.n / np.maximum(sums.n - 1, 1)


@dataclass(frozen=True, slots=True)
class Mean(Statistic):
    """The mean of a score over the rows that have one. Its only sum is that of the scores."""

    name: str
    rank: int = 0
    kind: ClassVar[str] = "metrics"
    n_sums: ClassVar[int] = 1

    def sums_per_row(self, rows: ScoredRows) -> tuple[Floats | Ints, Flags]:
        """Return the scores, shape (1, rows), 0 where a row has none, and which rows have one, shape (rows,).

        ColumnTypeError where a score is infinite, or 2**31 or more in absolute value.
        """
        scores = rows.scores[self.name]
        is_scored = ~np.isnan(scores)
        values = scores if is_scored.all() else np.where(is_scored, scores, 0.0)
        largest = max(values.max(initial=0.0), -values.min(initial=0.0))
        if not largest < LIMIT:
            remedy = (
                "only finite numbers below 2**31 can be summed exactly: scale them, or put null in place of infinity"
            )
            raise ColumnTypeError.of("", f"the scores {self.name!r} are as large as {largest}", remedy)
        return values[None], is_scored

    def digits_per_row(self, sums_per_row: Floats | Ints) -> Ints | Floats:
        """Return what each row adds to the exact sum: the digits of its score, shape (digits, 1, rows)."""
        return score_digits(sums_per_row[0].astype(np.float64, copy=False))[:, None]

    def _sum_digits(self, sums_per_row: Floats | Ints, group: Ints, n_groups: int) -> Ints:
        """Return the digits of the sums of scores by group, shape (digits, 1, groups)."""
        return sum_scores(sums_per_row[0].astype(np.float64, copy=False), group, n_groups)[:, None]

    def sum_products(self, sums_per_row: Floats | Ints, group: Ints, n_groups: int) -> Ints:
        """Return the digits of the sums of squares, shape (digits, 1, groups)."""
        return carry(sum_squares(sums_per_row[0].astype(np.float64, copy=False), group, n_groups)[:, None])

    def _count_outside(self, sums_per_row: Floats | Ints, group: Ints, n_groups: int) -> Ints:
        """Return how many rows of each group have a score outside [0, 1]."""
        (scores,) = sums_per_row
        return count_flags((scores < 0) | (scores > 1), group, n_groups)

    def value(self, sums: Floats) -> Floats:
        """Return the mean, shape (...); NaN if there are no rows."""
        return divide_where(sums[..., 0], sums[..., -1], np.nan)

    def exact_value(self, sums: StatisticSums) -> Floats:
        """Return the mean by group, shape (groups,), rounded once; NaN if there are no rows."""
        return divide(as_integers(sums.digits)[0], sums.n.astype(object) * SUM_UNIT)

    def gradient(self, sums: Floats) -> Floats:
        """Return the derivatives of the mean by the sum and by the number of rows, in the shape of the sums."""
        by_total = divide_where(np.ones(sums.shape[:-1]), sums[..., -1], 0.0)
        return np.stack([by_total, -sums[..., 0] * by_total**2], axis=-1)

    def magnitude(self, unit_sums: Floats) -> Floats:
        """Return the sum of the absolute values of units' sums, divided by the number of rows; shape (...)."""
        return self.value(np.abs(unit_sums).sum(axis=-1))

    def variance_of_value(self, sums: StatisticSums) -> Floats:
        """Return the variance of the mean, where each row is a unit, shape (groups,), rounded once.

        NaN for fewer than two rows.
        """
        assert sums.products is not None
        n, total, squares = sums.n.astype(object), as_integers(sums.digits)[0], as_integers(sums.products)[0]
        return divide(n * squares - total * total, n * n * (n - 1) * SQUARE_UNIT)
