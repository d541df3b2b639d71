"""Over a row's golds: scores a pair → scores a row."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Literal

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.errors import ReductionError

ReductionName = Literal["max", "mean", "min", "first", "best"]
Reduction = ReductionName | Callable[[Floats], float]

REDUCTIONS: tuple[ReductionName, ...] = ("max", "mean", "min", "first", "best")

_VECTORISED: dict[object, ReductionName] = {
    max: "max", np.max: "max", np.amax: "max", min: "min", np.min: "min", np.amin: "min", np.mean: "mean",
}  # fmt: skip


def vectorised(reduction: Reduction) -> Reduction:
    """The name of a well-known function that has one, with the same results to the last bit; else what was given."""
    try:
        return _VECTORISED.get(reduction, reduction)
    except TypeError:  # a callable need not be hashable
        return reduction


def reduce_over_golds(scores: Floats, gold_offsets: Ints, reduction: Reduction) -> Floats:
    """One score a row from the scores of its golds, float64 of shape (rows,); NaN where a row has no golds.

    scores: shape (pairs,), row after row. gold_offsets: shape (rows + 1,). reduction: any but `"best"`, for which see
    `best_pairs`; a callable gets each row's scores as a 1-D array of its own.
    """
    per_row = np.full(len(gold_offsets) - 1, np.nan)
    has_gold = np.diff(gold_offsets) > 0  # reduceat misreads empty segments
    starts = gold_offsets[:-1][has_gold]
    if not len(starts):
        return per_row
    if callable(reduction):
        golds = np.split(scores.copy(), starts[1:])
        per_row[has_gold] = [_checked(reduction(of_row), reduction) for of_row in golds]
    elif reduction == "max":
        per_row[has_gold] = np.maximum.reduceat(scores, starts)
    elif reduction == "min":
        per_row[has_gold] = np.minimum.reduceat(scores, starts)
    elif reduction == "mean":
        per_row[has_gold] = _means(scores, starts, np.diff(gold_offsets)[has_gold])
    else:
        per_row[has_gold] = scores[starts]
    return per_row


def _means(scores: Floats, starts: Ints, n_golds: Ints) -> Floats:
    """The mean of each run of scores, equal to `np.mean` of it to the last bit."""
    # With a zero in front of each run, reduceat adds up in the same order as np.mean.
    run = np.arange(len(starts))
    with_zeros = np.zeros(len(scores) + len(starts))
    with_zeros[np.arange(len(scores)) + np.repeat(run + 1, n_golds)] = scores
    means: Floats = np.add.reduceat(with_zeros, starts + run) / n_golds
    return means


def best_pairs(f1: Floats, gold_offsets: Ints) -> Ints:
    """The pair with each row's highest F1, the first of equals, for the rows that have golds; int64, ascending."""
    n_golds = np.diff(gold_offsets)
    starts = gold_offsets[:-1][n_golds > 0]
    if not len(starts):
        return starts
    highest = np.repeat(np.maximum.reduceat(f1, starts), n_golds[n_golds > 0])
    pairs = np.where(f1 == highest, np.arange(len(f1)), len(f1))
    return np.minimum.reduceat(pairs, starts)


def _checked(value: object, reduction: Callable[..., object]) -> float:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, numbers.Real | np.bool_):
        name = getattr(reduction, "__name__", repr(reduction))
        raise ReductionError(
            f"reduce={name} returned {value!r} ({type(value).__name__}) for a row's scores; it takes a 1-D array "
            "of floats, one a gold, and must return one number"
        )
    return float(value)
