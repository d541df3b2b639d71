"""Figures that are no functions of sums, such as a median: all rows make them, and draws of units give their bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qa_frame._typing import Floats
from qa_frame.stats.bootstrap import draw_rows, order_by_unit, percentiles
from qa_frame.stats.influence import ClusteredRows
from qa_frame.stats.intervals import Interval
from qa_frame.stats.statistic import Mean
from qa_frame.stats.student import expanded_tail

ROW_STATISTICS: dict[str, Callable[[Floats], Any]] = {"median": np.median}
"""Each statistic as a function of the scores of some rows, one or more. `<metric>_<name>` names its figure."""


@dataclass(frozen=True, slots=True)
class OfRows(Mean):
    """A figure of a score that needs every row. Of its sums, only the number of rows is of use."""

    of: str = ""
    statistic: str = ""
    trusted_from: int = 20

    def by_group(self, scores: Floats, drawn: ClusteredRows, interval: Interval) -> Floats:
        """Return the figure with its bounds, shape (3, groups); NaN for a group without rows, or with one unit.

        scores: of the rows that are drawn, none of them NaN.
        """
        function, found = ROW_STATISTICS[self.statistic], np.full((3, drawn.n_groups), np.nan)
        for group, rows in enumerate(drawn.members):
            if not len(rows):
                continue
            distinct, rank = np.unique(scores[rows], return_inverse=True)
            order, unit = np.argsort(rank, kind="stable"), np.arange(len(rows))
            if drawn.unit is not None:
                order, unit = order_by_unit(drawn.unit[rows], rank)
            own, n_units = distinct[rank[order]], int(unit[-1]) + 1
            found[0, group] = function(own)
            if interval.level is not None and n_units > 1:
                draws = [function(own[those]) for those in draw_rows(unit, interval.n_resamples, interval.seed)]
                found[1:, group] = percentiles(np.array(draws), expanded_tail(interval.level, n_units))
        return found


def statistics_among(names: Sequence[Any]) -> tuple[OfRows, ...]:
    """Return the figures among these names: `<metric>_<statistic>`, where the metric is named, too."""
    found = []
    for name in names:
        of, _, statistic = name.rpartition("_") if isinstance(name, str) else ("", "", "")
        if of in names and statistic in ROW_STATISTICS:
            found.append(OfRows(name, of=of, statistic=statistic))
    return tuple(found)
