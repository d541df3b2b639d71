"""How many units find a difference, which difference so many find, and with what power; the variance from a pilot.

All by the normal distribution: a paired difference d of units with variance Var(d) is found by a two-sided test at
`alpha` with the power at which n = (z_(alpha/2) + z_power)**2 Var(d) / difference**2. A test that rejects in the wrong
direction finds nothing, so that does not count as power.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.stats.figures import divide_where
from qa_frame.stats.looks import distance_for_looks, least_enough, power_of_looks
from qa_frame.stats.pairing import Pairing
from qa_frame.stats.sign_test import sign_test_power
from qa_frame.stats.student import normal_quantile

_NORMAL = NormalDist()

POWER = 0.8
"""How often a difference shall be found, where nothing else is said."""

_SURE = _NORMAL.inv_cdf(0.8)
"""The upper bound of a variance is above it in 80 % of pilots."""


MOST_UNITS = 1 << 53
"""More units than these cannot be told from one another as floats."""

_MOST_FOR_SIGNS = 20
"""So many more units, and four times those of a normal sum, are enough for the sign test."""


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """The test that is planned for.

    Attributes
    ----------
    alpha
        The level of the two-sided test.
    n_looks
        How often it is made while questions come in; see `stats.looks`.
    is_sign_test, mid_p
        Whether it is the sign test of scores of 0 and 1, looked at once, and whether that takes mid-p-values.
    """

    alpha: float
    n_looks: int = 1
    is_sign_test: bool = False
    mid_p: bool = True

    def standard_errors(self, power: float) -> float:
        """Return how many standard errors a difference must be so that the test finds it with this power."""
        if self.n_looks > 1:
            return distance_for_looks(self.alpha, power, self.n_looks)
        return standard_errors(self.alpha, power)

    def power(self, n: float, difference: float, sd: float) -> float:
        """Return with what power n units find the difference. sd: the standard deviation of a unit's difference."""
        if self.is_sign_test:
            return sign_test_power(n, difference, sd, alpha=self.alpha, mid_p=self.mid_p)
        distance = difference * math.sqrt(n) / sd
        if self.n_looks > 1:
            return power_of_looks(distance, self.alpha, self.n_looks)
        return _NORMAL.cdf(distance - normal_quantile(1 - self.alpha))

    def units(self, difference: float, sd: float, power: float) -> float:
        """Return how many units find the difference with this power, not rounded unless by the sign test."""
        root = self.standard_errors(power) * sd / difference
        needed = root * root  # a power of a large float raises an error, and a product is infinite
        if not self.is_sign_test or needed >= MOST_UNITS:
            return needed
        most = 4 * needed + _MOST_FOR_SIGNS
        return math.ceil(least_enough(lambda n: self.power(math.ceil(n), difference, sd) >= power, 0.5, most))

    def difference(self, n: float, sd: float, power: float) -> float:
        """Return the least difference that n units find with this power; NaN where they find none."""
        if self.is_sign_test:
            if self.power(n, 1.0, sd) < power:
                return math.nan
            return least_enough(lambda difference: self.power(n, difference, sd) >= power, 0.0, 1.0)
        return self.standard_errors(power) * sd / math.sqrt(n)


def standard_errors(alpha: float, power: float) -> float:
    """Return how many standard errors a difference must be so that a test finds it with this power."""
    return normal_quantile(1 - alpha) + _NORMAL.inv_cdf(power)


# ---------------------------------------------------------------------------------------------------------- a pilot


@dataclass(frozen=True, slots=True)
class Cells:
    """The samples that each group has of each question. Shape (groups, questions) each.

    Attributes
    ----------
    n
        How many samples are scored.
    mean
        Their mean; 0 where there is none.
    squares
        The sum of their squares about that mean.
    """

    n: Ints
    mean: Floats
    squares: Floats


def gather_cells(cell: Ints, scores: Floats, cell_of: Ints) -> Cells:
    """Return the cells of rows. NaN is not scored. The order of rows does not matter, not even for rounding.

    Parameters
    ----------
    cell
        The number of the cell of each row, shape (rows,).
    cell_of
        That of each group and question, -1 for none, shape (groups, questions).
    """
    scored = np.flatnonzero(~np.isnan(scores))
    order = scored[np.lexsort((scores[scored], cell[scored]))]
    place, values, size = cell[order], scores[order], int(cell.max(initial=-1)) + 2  # the last one is empty
    n = np.bincount(place, minlength=size)
    mean = np.bincount(place, values, size) / np.maximum(n, 1)
    squares = np.asarray(np.bincount(place, (values - mean[place]) ** 2, size), np.float64)
    return Cells(n[cell_of], mean[cell_of], squares[cell_of])


@dataclass(frozen=True, slots=True)
class PilotVariance:
    """What a pilot says of the difference of two groups.

    Attributes
    ----------
    variance
        The variance of a unit's difference. The variance of the mean difference is this by the number of units.
    upper
        The bound that is above the true variance in 80 % of pilots.
    n_units
        The units of the pilot.
    """

    variance: float
    upper: float
    n_units: int


def pilot_variance(cells: Cells, pair: tuple[int, int], pairing: Pairing, samples: int) -> PilotVariance | None:
    """Return the variance of the difference of two groups with so many samples of each question.

    The variance of what was seen is that between units, and that among a question's samples by their number. The
    latter is put on the number of samples that is asked for. None where the pilot has a question once only, and so
    does not tell it. NaN where there are too few units, or a stratum has fewer than two. Each stratum is to have its
    share of the questions of the pilot.

    pairing: the units and strata of the questions.
    """
    n, strata = cells.n[list(pair)], pairing.strata
    is_paired = np.asarray((n > 0).all(axis=0))
    _, first, units = np.unique(pairing.unit_of[is_paired], return_index=True, return_inverse=True)
    difference = (cells.mean[pair[0]] - cells.mean[pair[1]])[is_paired]
    n_in_unit = np.bincount(units).astype(np.float64)
    nothing = PilotVariance(math.nan, math.nan, len(n_in_unit))
    if len(n_in_unit) < 2:
        return nothing
    stratum, weight = np.zeros(len(difference), np.int64), np.ones(len(difference))
    if strata is not None:
        stratum = strata.of_question[is_paired]
        shares = np.bincount(stratum, minlength=len(strata.weights)) / len(stratum)
        weight = divide_where(strata.weights, shares, np.nan)[stratum]
    mean = (np.bincount(stratum, difference) / np.maximum(np.bincount(stratum), 1))[stratum]
    pull = np.bincount(units, weight * (difference - mean)) / n_in_unit.mean()
    n_units = np.bincount(stratum[first])
    if (n_units < 2).any() or (strata is not None and len(n_units) < len(strata.weights)):
        return nothing
    of_unit = n_units[stratum[first]]
    seen = float((pull**2 * of_unit / (of_unit - 1)).sum() / len(pull))
    more, least = 0.0, 0.0
    for side, of_side in zip(pair, n, strict=True):
        if (of_side[is_paired] != samples).any():
            among = _among_samples(cells, side, is_paired) / n_in_unit.mean()
            more += among * (weight**2 * (1 / samples - 1 / of_side[is_paired])).mean()
            least += among * (weight**2).mean() / samples
    if math.isnan(more):
        return None
    variance = max(seen + more, least)
    upper = _upper_variance(pull, np.bincount(units, weight * difference) / n_in_unit, n_in_unit)
    return PilotVariance(variance, upper * variance / seen if seen else upper + variance, len(pull))


def _among_samples(cells: Cells, group: int, is_paired: Flags) -> float:
    """Return the mean variance among the samples of a question; NaN if no question has two."""
    n, squares = cells.n[group, is_paired], cells.squares[group, is_paired]
    has_two = n > 1
    return float((squares[has_two] / (n[has_two] - 1)).mean()) if has_two.any() else math.nan


def _upper_variance(pull: Floats, means: Floats, n_in_unit: Floats) -> float:
    """Return the upper 80 % bound of the variance of units: Bonett's (2006), which needs no normal distribution.

    A win and a loss of typical size are added to the differences first, as for their interval: so there is a bound
    where few questions, or none, tell the two apart.
    """
    squares = (n_in_unit * means**2).sum()
    win = math.sqrt((n_in_unit * means**4).sum() / squares) if squares else 1.0
    values = np.concatenate([pull, [win, -win]])
    n, total = len(values), (values**2).sum()
    kurtosis = n * (values**4).sum() / total**2
    factor = n / (n - _SURE)
    error = factor * math.sqrt(max(0.0, kurtosis - (n - 3) / n) / (n - 1))
    return float(factor * total / (n - 1) * math.exp(_SURE * error))
