"""Which of several groups is better than which → the ranks that each may have."""

from __future__ import annotations

import numpy as np

from qa_frame._typing import Flags, Floats, Ints


def rank_bounds(is_better: Flags) -> tuple[Ints, Ints]:
    """Return the best and the worst rank that each group may have, shape (groups,); 1 is the best.

    If all of `is_better` is right, as it is with the probability that the correction of p-values promises, then each
    group's rank lies between its bounds, of all groups at once (Holm 2012; Klein, Wright and Wieczorek 2020).

    Parameters
    ----------
    is_better
        Whether the group of the row is better than that of the column, shape (groups, groups).
    """
    return 1 + np.count_nonzero(is_better, axis=0), len(is_better) - np.count_nonzero(is_better, axis=1)


def ranks_found(differences: Floats) -> Ints:
    """Return the rank that each group was found at: 1 and the number of groups that it is lower than; shape (groups,).

    Equal groups have equal ranks. differences: the group of the row minus that of the column, NaN where it is not
    known; shape (groups, groups).
    """
    return np.asarray(1 + np.count_nonzero(differences < 0, axis=1))
