"""What a comparison decides, in words: better, worse, as good, equivalent or undecided; and how many questions would.

The words are made here alone, for tables, reports, pictures and the command line.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import Floats
from qa_frame.stats.power import MOST_UNITS, POWER, standard_errors

BETTER, WORSE, AS_GOOD, EQUIVALENT, UNDECIDED = "better", "worse", "as good", "equivalent", "undecided"


def verdicts_of(compared: pd.DataFrame, alpha: float) -> list[str]:
    """Return the verdict on `a` of each row of a comparison, at this level.

    A margin says which differences do not matter, so that *equivalent* goes before *better* and *worse*. Then those go
    by `p_adj`; *as good* is not worse by the margin or more.
    """
    diff, p = (compared[name].to_numpy(np.float64) for name in ("diff", "p_adj"))
    said = np.where(p < alpha, np.where(diff > 0, BETTER, WORSE), UNDECIDED)
    if "p_noninferior" in compared:
        not_worse, same = (compared[name].to_numpy(np.float64) for name in ("p_noninferior", "p_equivalent"))
        said = np.where((said == UNDECIDED) & (not_worse < alpha), AS_GOOD, said)
        said = np.where(same < alpha, EQUIVALENT, said)
    found: list[str] = said.tolist()
    return found


def questions_needed(
    compared: pd.DataFrame, *, alpha: float, n_tests: int, margin: float | None, least: Floats | float = 0.0
) -> Any:
    """Return how many questions like these would decide each difference found, with a power of 0.8; as Int64.

    That is n (z / z_found)**2 rounded up, where z_found is the distance from what is to be excluded, in standard
    errors. To be called better or worse, that is 0, and the test has the level alpha / n_tests, which any correction
    allows. To be called as good it is -margin, by a one-sided test. Whichever takes fewer questions counts. Null where
    there is a verdict, or where no number would do.

    least: with fewer questions, the test of 0 has no p below its level.
    """
    n, diff = (compared[name].to_numpy(np.float64) for name in ("n", "diff"))
    error = compared["mdd"].to_numpy(np.float64) / standard_errors(alpha, POWER)
    needed = n * _ratio(standard_errors(alpha / max(n_tests, 1), POWER) * error, np.abs(diff))
    needed = np.maximum(needed, least)
    if margin is not None:
        needed = np.fmin(needed, n * _ratio(standard_errors(2 * alpha, POWER) * error, diff + margin))
    is_open = (compared["verdict"] == UNDECIDED).to_numpy() & (needed < MOST_UNITS)
    more = np.maximum(np.ceil(np.where(is_open, needed, 0.0)), n + 1)
    return pd.array([int(each) if known else None for each, known in zip(more, is_open, strict=True)], dtype="Int64")


def _ratio(least: Floats, distance: Floats) -> Floats:
    """Return how many times as many questions find the distance; NaN where none do."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(distance > 0, (least / distance) ** 2, np.nan))


def round_up(number: int) -> int:
    """Return the number rounded up to two digits."""
    unit: int = 10 ** max(0, int(math.log10(number)) - 1)
    return -(-number // unit) * unit
