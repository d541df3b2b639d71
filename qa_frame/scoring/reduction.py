"""Scores per pair → scores per row: the maximum over a row's golds, or another reduction.

Each reduction of a name is one function with the decorator `reducer`. A function of the user's becomes one of the same
kind.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.errors import ReductionError, show
from qa_frame.rules.parts import ReductionName

Reduction = ReductionName | Callable[[Floats], float]


@dataclass(frozen=True, slots=True)
class GoldsPerRow:
    """Which pairs are those of each row, for the rows that have golds.

    Attributes
    ----------
    starts
        The first pair of each row, shape (rows,).
    n_pairs
        The number of all pairs.
    best
        The pair that "best" takes of each row, shape (rows,); None if that is not asked for.
    """

    starts: Ints
    n_pairs: int
    best: Ints | None = None

    @property
    def n_golds(self) -> Ints:
        """The number of pairs of each row, shape (rows,)."""
        return np.diff(self.starts, append=self.n_pairs)


PerRow = Callable[[Floats, GoldsPerRow], Floats]
"""Gives a score per row, from the scores of all pairs."""


@dataclass(frozen=True, slots=True)
class Reducer:
    """A reduction over golds.

    Attributes
    ----------
    per_row
        Gives a score per row, from the scores of all pairs.
    is_of_one_gold
        Whether the score of a row is that of one of its golds.
    """

    per_row: PerRow
    is_of_one_gold: bool


REDUCERS: dict[str, Reducer] = {}
"""All reductions by name."""

_SAME: dict[object, ReductionName] = {}
"""Functions of a row's scores which give what a reduction of a name gives, to the last bit."""


def reducer(name: ReductionName, *same: object, is_of_one_gold: bool = False) -> Callable[[PerRow], PerRow]:
    """Make a function the reduction of this name. same: functions of a row's scores that give the same results."""

    def register(function: PerRow) -> PerRow:
        REDUCERS[name] = Reducer(function, is_of_one_gold)
        _SAME.update(dict.fromkeys(same, name))
        return function

    return register


def vectorised(reduction: Reduction) -> Reduction:
    """The name of a well-known function, which gives the same results to the last bit; else the reduction as given."""
    try:
        return _SAME.get(reduction, reduction)
    except Exception:  # noqa: BLE001  (a callable need not be hashable)
        return reduction


def reduce_over_golds(scores: Floats, pair_offsets: Ints, reduction: Reduction, *, best: Ints | None = None) -> Floats:
    """One score per row from the scores of its golds.

    Parameters
    ----------
    scores
        The score of each pair, row after row, shape (pairs,).
    pair_offsets
        Where the pairs of each row begin, shape (rows + 1,).
    reduction
        A name, or a callable. A callable gets the scores of one row as a 1-D array of its own.
    best
        For the reduction `"best"`: the pair to take of each row, from `best_pairs`.

    Returns
    -------
    array of float64, shape (rows,)
        NaN where a row has no golds.
    """
    has_gold = pair_offsets[1:] > pair_offsets[:-1]  # reduceat misreads empty segments
    golds = GoldsPerRow(pair_offsets[:-1][has_gold], len(scores), best)
    own: Any = reduction
    reduce = partial(_by_function, function=own) if callable(reduction) else REDUCERS[reduction].per_row
    if len(golds.starts) == len(has_gold) > 0:
        return reduce(scores, golds)
    per_row = np.full(len(has_gold), np.nan)
    if len(golds.starts):
        per_row[has_gold] = reduce(scores, golds)
    return per_row


@reducer("max", max, np.max, np.amax, is_of_one_gold=True)
def _highest_score_per_row(scores: Floats, golds: GoldsPerRow) -> Floats:
    highest: Floats = np.maximum.reduceat(scores, golds.starts)
    return highest


@reducer("min", min, np.min, np.amin, is_of_one_gold=True)
def _lowest_score_per_row(scores: Floats, golds: GoldsPerRow) -> Floats:
    lowest: Floats = np.minimum.reduceat(scores, golds.starts)
    return lowest


@reducer("first", is_of_one_gold=True)
def _score_of_first_gold_per_row(scores: Floats, golds: GoldsPerRow) -> Floats:
    return scores[golds.starts]


@reducer("best", is_of_one_gold=True)
def _score_of_best_gold_per_row(scores: Floats, golds: GoldsPerRow) -> Floats:
    return scores[golds.best]


@reducer("mean", np.mean)
def _mean_score_per_row(scores: Floats, golds: GoldsPerRow) -> Floats:
    """The mean of each row's scores, equal to `np.mean` of them to the last bit."""
    # With a zero in front of each row's scores, reduceat adds them up in the same order as np.mean.
    rank, n_golds = np.arange(len(golds.starts)), golds.n_golds
    with_zeros = np.zeros(len(scores) + len(rank))
    with_zeros[np.arange(len(scores)) + np.repeat(rank + 1, n_golds)] = scores
    means: Floats = np.add.reduceat(with_zeros, golds.starts + rank) / n_golds
    return means


@reducer("leave_one_out")
def _mean_without_one_gold_per_row(scores: Floats, golds: GoldsPerRow) -> Floats:
    """The mean, over each row's golds, of the maximum over the other golds; a single gold counts by itself."""
    # The maximum without a gold is the row's maximum, but the second highest score without the gold that has it.
    starts, n_golds = golds.starts, golds.n_golds
    highest = np.maximum.reduceat(scores, starts)
    others = scores.copy()
    others[_first_equal(scores, highest, starts, n_golds)] = -np.inf
    second = np.where(n_golds > 1, np.maximum.reduceat(others, starts), highest)
    means: Floats = ((n_golds - 1) * highest + second) / n_golds
    return means


@reducer("votes")
def _mean_of_votes_per_row(scores: Floats, golds: GoldsPerRow) -> Floats:
    """The mean, over each row's golds, of a third of the sum of the other golds' scores, which counts as 1 at most."""
    others = np.repeat(np.add.reduceat(scores, golds.starts), golds.n_golds) - scores
    return _mean_score_per_row(np.minimum(others / 3, 1.0), golds)


def _by_function(scores: Floats, golds: GoldsPerRow, function: Callable[[Floats], object]) -> Floats:
    """The results of a function of the user's, which is called with each row's scores."""
    return np.array([_apply(function, of_row) for of_row in np.split(scores.copy(), golds.starts[1:])])


def best_pairs(scores: Floats, pair_offsets: Ints) -> Ints:
    """Return the pair with the highest score, the first of equals, of each row that has golds; int64, ascending."""
    n_golds = np.diff(pair_offsets)
    starts = pair_offsets[:-1][n_golds > 0]
    if not len(starts):
        return starts
    return _first_equal(scores, np.maximum.reduceat(scores, starts), starts, n_golds[n_golds > 0])


def _first_equal(scores: Floats, wanted: Floats, starts: Ints, n_golds: Ints) -> Ints:
    """Return the first pair of each row that has the wanted score. Each row must have one."""
    pairs = np.where(scores == np.repeat(wanted, n_golds), np.arange(len(scores)), len(scores))
    return np.minimum.reduceat(pairs, starts)


def _apply(reduction: Callable[[Floats], object], scores: Floats) -> float:
    """Return a callable's result for a row's scores. ReductionError if it raises an error or gives no single number."""
    try:
        value = reduction(scores)
    except Exception as error:
        raise _refused(reduction, f"raised {type(error).__name__}: {error}") from error
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, numbers.Real | np.bool_):
        raise _refused(reduction, f"returned {show(value)} ({type(value).__name__})")
    try:
        return float(value)
    except OverflowError as error:
        raise _refused(reduction, f"returned {show(value)}, which no float can hold,") from error


def _refused(reduction: Callable[..., object], what: str) -> ReductionError:
    name = getattr(reduction, "__name__", None) or show(reduction)
    return ReductionError(
        f"reduce={name} {what} for a row's scores; it takes a 1-D array of floats, one a gold, and must return one "
        "number"
    )
