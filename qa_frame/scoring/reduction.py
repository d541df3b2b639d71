"""Scores per pair → scores per row: the maximum over a row's golds, or another reduction."""

from __future__ import annotations

import numbers
from collections.abc import Callable

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.errors import ReductionError, show
from qa_frame.rules.parts import ReductionName

Reduction = ReductionName | Callable[[Floats], float]


def as_named_reduction(reduction: Reduction) -> Reduction:
    """Return the name of the reduction that does what a well-known function does, as "max" for `max` and `np.max`.

    The results are the same to the last bit. Other functions, and names, are returned as they are.
    """
    try:
        return _SAME.get(reduction, reduction)
    except Exception:  # noqa: BLE001  (a callable need not be hashable)
        return reduction


def reduce_over_golds(scores: Floats, pair_offsets: Ints, reduction: Reduction, *, best: Ints | None = None) -> Floats:
    """Return one score per row from the scores of its (prediction, gold) pairs.

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
        NaN where a row has no pairs.
    """
    has_gold = pair_offsets[1:] > pair_offsets[:-1]  # reduceat misreads empty segments
    starts, per_row = pair_offsets[:-1][has_gold], np.full(len(has_gold), np.nan)
    if not len(starts):
        return per_row
    if reduction == "best":
        per_row[has_gold] = scores[best]
    elif callable(reduction):
        per_row[has_gold] = [_reduce_row(reduction, of_row) for of_row in np.split(scores.copy(), starts[1:])]
    else:
        per_row[has_gold] = REDUCERS[reduction](scores, starts)
    return per_row


def _first(scores: Floats, starts: Ints) -> Floats:
    return scores[starts]


def _mean(scores: Floats, starts: Ints) -> Floats:
    """Return the mean of each row's scores, equal to `np.mean` of them to the last bit."""
    # With a zero in front of each row's scores, reduceat adds them up in the same order as np.mean.
    rank, n_golds = np.arange(len(starts)), np.diff(starts, append=len(scores))
    with_zeros = np.zeros(len(scores) + len(rank))
    with_zeros[np.arange(len(scores)) + np.repeat(rank + 1, n_golds)] = scores
    return np.asarray(np.add.reduceat(with_zeros, starts + rank) / n_golds)


def _leave_one_out(scores: Floats, starts: Ints) -> Floats:
    """Return, for each row, the mean over its golds of the maximum over the other golds; of one gold, its score."""
    # The maximum without a gold is the row's maximum, but the second highest score without the gold that has it.
    n_golds = np.diff(starts, append=len(scores))
    highest = np.maximum.reduceat(scores, starts)
    others = scores.copy()
    others[_find_first_equal(scores, highest, starts, n_golds)] = -np.inf
    second = np.where(n_golds > 1, np.maximum.reduceat(others, starts), highest)
    return np.asarray(((n_golds - 1) * highest + second) / n_golds)


def _votes(scores: Floats, starts: Ints) -> Floats:
    """Return, for each row, the mean over its golds of a third of the sum of the other golds' scores, 1 at most."""
    n_golds = np.diff(starts, append=len(scores))
    others = np.repeat(np.add.reduceat(scores, starts), n_golds) - scores
    return _mean(np.minimum(others / 3, 1.0), starts)


REDUCERS: dict[str, Callable[[Floats, Ints], Floats]] = {
    "max": np.maximum.reduceat,
    "min": np.minimum.reduceat,
    "first": _first,
    "mean": _mean,
    "leave_one_out": _leave_one_out,
    "votes": _votes,
}
"""The reductions but "best", by name: of the scores of all pairs and the first pair of each row, a score per row."""

OF_ONE_GOLD = ("max", "min", "first", "best")
"""The reductions by which the score of a row is that of one of its golds."""

_SAME: dict[object, ReductionName] = {
    **dict.fromkeys((max, np.max, np.amax), "max"),
    **dict.fromkeys((min, np.min, np.amin), "min"),
    np.mean: "mean",
}
"""Functions of a row's scores which give what a reduction of a name gives, to the last bit."""


def best_pairs(scores: Floats, pair_offsets: Ints) -> Ints:
    """Return the pair with the highest score, the first of equals, of each row that has golds; int64, ascending."""
    n_golds = np.diff(pair_offsets)
    starts = pair_offsets[:-1][n_golds > 0]
    if not len(starts):
        return starts
    return _find_first_equal(scores, np.maximum.reduceat(scores, starts), starts, n_golds[n_golds > 0])


def _find_first_equal(scores: Floats, wanted: Floats, starts: Ints, n_golds: Ints) -> Ints:
    """Return the first pair of each row whose score is the row's `wanted` one. Each row must have one.

    starts, n_golds: the first pair of each row, and its number of pairs, shape (rows,), as `wanted`.
    """
    pairs = np.where(scores == np.repeat(wanted, n_golds), np.arange(len(scores)), len(scores))
    return np.minimum.reduceat(pairs, starts)


def _reduce_row(reduction: Callable[[Floats], object], scores: Floats) -> float:
    """Return a callable's result for a row's scores. ReductionError if it raises an error or gives no single number."""
    try:
        value = reduction(scores)
    except Exception as error:
        raise _make_error(reduction, f"raised {type(error).__name__}: {error}") from error
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, numbers.Real | np.bool_):
        raise _make_error(reduction, f"returned {show(value)} ({type(value).__name__})")
    try:
        return float(value)
    except OverflowError as error:
        raise _make_error(reduction, f"returned {show(value)}, which no float can hold,") from error


def _make_error(reduction: Callable[..., object], what: str) -> ReductionError:
    """Return the error for what a callable did with a row's scores."""
    name = getattr(reduction, "__name__", None) or show(reduction)
    remedy = "it takes a 1-D array of floats, one a gold, and must return one number"
    return ReductionError.of(f"reduce={name}", f"{what} for a row's scores", remedy)
