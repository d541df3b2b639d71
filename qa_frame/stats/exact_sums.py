"""Sums that do not depend on the order of what is added: numbers cut into digits, summed as integers.

A score is rounded to a multiple of 2**-64 (an error of 3e-20 at most) and cut into base-2**32 digits, most significant
first; digits of the same place are added up as int64, which is exact below 2**31 rows per group. Such sums may be
added to each other in any order: nothing is rounded until a statistic is asked for. In all functions, `group` is the
group of each row, shape (rows,).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from qa_frame._typing import BigInts, Floats, Ints

BASE = 2.0**32
LIMIT = 2.0**31
"""Floats, and the counts that are multiplied with each other, must be smaller than this in absolute value."""

SUM_PLACES = 3
SUM_UNIT = 2**64
"""A score of 1, in units of the last place of a sum of scores."""

SQUARE_PLACES = 6
SQUARE_UNIT = 2**128

PRODUCT_PLACES = 2

_CHUNK_ROWS = 1 << 15
_MAX_CHUNK_ROWS = 1 << 20  # a digit is below 2**32: float64 adds up so many of them exactly


def sum_integers(values: Ints, group: Ints, n_groups: int) -> Ints:
    """Return the sums of integers by group, int64, shape (groups,).

    values: integers below 2**32 in absolute value, shape (rows,).
    """
    return np.asarray(_sum_digits(lambda rows: [values[rows]], group, n_groups, places=1)[0])


def sum_scores(values: Floats, group: Ints, n_groups: int) -> Ints:
    """Return the sum of scores of each group as base-2**32 digits, shape (SUM_PLACES, groups).

    The digits make a whole number in units of 1 / SUM_UNIT. Digits may be larger than the base; see `carry`.

    values: the scores, shape (rows,), finite and below LIMIT in absolute value.
    """
    first = int(np.abs(values).max(initial=0.0) <= 1)

    def digits(rows: slice) -> Iterator[Floats | None]:
        """Return the digits of the scores of these rows, place by place; None for zeros."""
        return _split_digits(_round_to_unit(values[rows]), SUM_PLACES, first)

    return _sum_digits(digits, group, n_groups, places=SUM_PLACES)


def score_digits(values: Floats) -> Floats:
    """Return each score as base-2**32 digits, whole numbers as float64, shape (SUM_PLACES, rows).

    The digits make a whole number in units of 1 / SUM_UNIT. Digits of one place may be added up as int64, in any order.

    values: the scores, as for `sum_scores`.
    """
    digits = np.zeros((SUM_PLACES, len(values)))
    for place, digit in enumerate(_split_digits(_round_to_unit(values), SUM_PLACES)):
        digits[place] = digit
    return digits


def sum_squares(values: Floats, group: Ints, n_groups: int) -> Ints:
    """Return the sum of squared scores of each group as base-2**32 digits, shape (SQUARE_PLACES, groups).

    The digits make a whole number in units of 1 / SQUARE_UNIT. values: the scores, as for `sum_scores`.
    """
    # The first places stay empty for scores up to 1, as good as all there are; an error is 2**-53 of its square.
    first_of_square, first_of_error = (2, 3) if np.abs(values).max(initial=0.0) <= 1 else (0, 0)

    def digits(rows: slice) -> Iterator[Floats | None]:
        """Yield the digits of the squares of these rows' scores, place by place; None for zeros."""
        squares, errors = (part / BASE for part in _square_exactly(_round_to_unit(values[rows])))
        of_squares = _split_digits(squares, SQUARE_PLACES, first_of_square)
        of_errors = _split_digits(errors, SQUARE_PLACES, first_of_error)
        for some, others in itertools.zip_longest(of_squares, of_errors):
            yield some if others is None else others if some is None else some + others

    return _sum_digits(digits, group, n_groups, places=SQUARE_PLACES)


def sum_products(left: Ints, right: Ints, group: Ints, n_groups: int) -> Ints:
    """Return the sum of left * right of each group as base-2**32 digits, shape (PRODUCT_PLACES, groups).

    left, right: integers below LIMIT in absolute value, shape (rows,) each.
    """

    def digits(rows: slice) -> list[Any]:
        """Return the two digits of the products of these rows."""
        products = left[rows] * right[rows]
        return [products >> 32, products & 0xFFFFFFFF]

    return _sum_digits(digits, group, n_groups, places=PRODUCT_PLACES)


def as_integers(digits: Ints) -> BigInts:
    """Return the numbers that have these digits as Python integers, shape (...), in units of the last place.

    digits: shape (places, ...).
    """
    numbers = np.zeros(digits.shape[1:], object)
    for digit in digits:
        numbers = (numbers << 32) + digit.astype(object)
    return numbers


def as_floats(digits: Ints) -> Floats:
    """Return the numbers that have these digits as floats, shape (...), in units of the first place.

    digits: shape (places, ...).
    """
    numbers = np.zeros(digits.shape[1:])
    for digit in digits[::-1]:
        numbers = numbers / BASE + digit
    return numbers


def divide(parts: BigInts, wholes: BigInts) -> Floats:
    """Return parts / wholes of Python integers, each quotient rounded once; NaN where the whole is 0."""
    quotients = np.full(parts.shape, np.nan)
    is_defined = wholes != 0
    quotients[is_defined] = (parts[is_defined] / wholes[is_defined]).astype(np.float64)
    return quotients


def sum_floats(values: Floats, group: Ints, n_groups: int) -> Floats:
    """Return the sums of values by group, shape (groups,). They do not depend on the order of the rows.

    The error is at most 2**-64 of the group's largest absolute value for each row. values: shape (rows,), finite.
    """
    largest = np.zeros(n_groups)
    np.maximum.at(largest, group, np.abs(values))
    _, exponent = np.frexp(largest)
    return np.asarray(np.ldexp(as_floats(sum_scores(np.ldexp(values, -exponent[group]), group, n_groups)), exponent))


def _sum_digits(digits: Callable[[slice], Any], group: Ints, n_groups: int, *, places: int) -> Ints:
    """Return the sums of digits by group, shape (places, groups).

    digits: the function that returns or yields the digits of a slice of rows, place by place; None stands for zeros.
    """
    sums = np.zeros((places, n_groups), np.int64)
    # Pieces stay in the cache, but are not few beside the groups.
    step = min(max(_CHUNK_ROWS, 4 * n_groups), _MAX_CHUNK_ROWS)
    for rows in (slice(start, start + step) for start in range(0, len(group), step)):
        own = group[rows]
        for place, digit in enumerate(digits(rows)):
            if digit is not None:
                by_group = digit.sum() if n_groups == 1 else np.bincount(own, digit, n_groups)
                sums[place] += by_group.astype(np.int64)
    return sums


def _split_digits(values: Floats, places: int, first: int = 0) -> Iterator[Floats | None]:
    """Yield base-2**32 digits of values, the most significant place first, until nothing is left or there are `places`.

    Place 0 counts units of 1, place k units of 2**(-32 k). first: the first place that is filled. None is yielded for
    the places before it, and the digit of place `first` holds what belongs to them, too.
    """
    yield from [None] * first
    values = values * BASE**first
    for place in range(first, places):
        digit = np.trunc(values)
        yield digit
        values = (values - digit) * BASE
        if place + 1 < places and not values.any():
            return


def _round_to_unit(values: Floats) -> Floats:
    """Return the values, rounded to multiples of 1 / SUM_UNIT."""
    return np.rint(values * SUM_UNIT) / SUM_UNIT


def _square_exactly(values: Floats) -> tuple[Floats, Floats]:
    """Return the squares as float64, and their rounding errors (Dekker 1971). Both together are the exact squares."""
    squares = values * values
    scaled = 134217729.0 * values  # 2**27 + 1
    high = scaled - (scaled - values)
    low = values - high
    return squares, ((high * high - squares) + 2 * high * low) + low * low


def carry(digits: Ints) -> Ints:
    """Return the digits of the same numbers, with every digit but the first from 0 to 2**32 - 1.

    Each number then has one form. Without this, more than 2**31 rows per group would overflow in silence.
    digits: shape (places, ...).
    """
    out = digits.copy()
    for place in range(len(out) - 1, 0, -1):
        out[place - 1] += out[place] >> 32
        out[place] &= 0xFFFFFFFF
    return out
