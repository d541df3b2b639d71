"""Points of a plane → how many of them lie lower in both coordinates, in memory that grows as the points do."""

from __future__ import annotations

import numpy as np

from qa_frame._typing import Ints


def count_lower(x: Ints, y: Ints, counts: Ints, x_below: Ints, y_below: Ints) -> Ints:
    """Return for each bound how many points have both x < x_below and y < y_below, shape of the bounds.

    The points, in order of x, are parted again and again by a binary digit of y, the highest first. Each bound goes
    with the half that it lies in, and counts the lower half where it lies in the upper one (the wavelet matrix of
    Claude, Navarro and Ordóñez 2015). This takes as many steps as y has binary digits.

    Parameters
    ----------
    x, y
        Coordinates from 0 on, shape (points,).
    counts
        How many points there are at each place, shape (points,).
    x_below, y_below
        The bounds, from 0 on, shape (bounds,).
    """
    order = np.argsort(x, kind="stable")
    y, counts = y[order], counts[order]
    first, last = np.zeros(len(x_below), np.int64), np.searchsorted(x[order], x_below)
    found = np.zeros(len(x_below), np.int64)
    n_digits = int(max(y.max(initial=0), y_below.max(initial=0))).bit_length()
    for digit in reversed(range(n_digits)):
        is_low = (y >> digit) & 1 == 0
        n_low, sum_low = (np.concatenate(([0], np.cumsum(each))) for each in (is_low, np.where(is_low, counts, 0)))
        is_upper = (y_below >> digit) & 1 == 1
        found += np.where(is_upper, sum_low[last] - sum_low[first], 0)
        first, last = (np.where(is_upper, n_low[-1] + end - n_low[end], n_low[end]) for end in (first, last))
        parted = np.concatenate((np.flatnonzero(is_low), np.flatnonzero(~is_low)))
        y, counts = y[parted], counts[parted]
    return found
