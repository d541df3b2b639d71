"""The checked arguments that say how differences are tested: the level, the correction and the margin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from qa_frame.checks import Correction, above_range, is_number
from qa_frame.errors import UnknownOptionError, show
from qa_frame.scoring.call_rules import require_metric
from qa_frame.stats.differences import alpha_of
from qa_frame.tables.rows import ReadRows, kinds_of


@dataclass(frozen=True, slots=True)
class Testing:
    """The arguments that say how differences are tested. They always travel together, each under its name.

    alpha: the level of the test, 1 - ci without its rounding error. margin: of all statistics, or by name; None for no
    test of it. n_resamples: None for as many as the correction needs. hold_together: whether all intervals of a metric
    hold at once.
    """

    correction: Correction
    ci: float
    alpha: float
    n_resamples: int | None
    seed: int
    margin: float | Mapping[str, float] | None
    hold_together: bool = False

    def level(self, n_pairs: int) -> float:
        """Return the level of each interval, by Bonferroni where all are to hold together."""
        return 1 - (1 - self.ci) / n_pairs if self.hold_together else self.ci

    def margin_of(self, name: str) -> float | None:
        """Return the margin of a figure; None where there is none."""
        return self.margin.get(name) if isinstance(self.margin, Mapping) else self.margin

    def require_margins_in_range(self, names: tuple[str, ...], rows: ReadRows) -> None:
        """Raise UnknownOptionError for the margin of another figure, or one that no difference could exceed.

        That is a margin of 1 or more of figures from 0 to 1.
        """
        for name in self.margin if isinstance(self.margin, Mapping) else ():
            require_metric("margin", name, names)
        for name, kind in kinds_of(names).items():
            margin = self.margin_of(name)
            if margin is None or margin < 1 or kind == "own" or (rows.scores.get(name, np.zeros(1)) > 1).any():
                continue
            said = f"{{{show(name)}: {margin:g}}}" if isinstance(self.margin, Mapping) else f"{margin:g}"
            raise wide_margin(f"margin={said}", name, margin)


def make_testing(
    correction: Correction,
    *,
    ci: float,
    n_resamples: int | None,
    seed: int,
    margin: float | Mapping[str, float] | None,
    hold_together: bool = False,
) -> Testing:
    """Check the arguments of `qa_frame.compare`; UnknownOptionError where one is wrong."""
    require_margin(margin, ci)
    draws = None if n_resamples is None else int(n_resamples)
    return Testing(correction, float(ci), alpha_of(ci), draws, int(seed), margin, hold_together)


def require_margin(margin: Any, ci: float) -> None:
    """Raise UnknownOptionError unless it is None, a number of 0 or more, or such numbers by name."""
    if margin is None:
        return
    for name, each in margin.items() if isinstance(margin, Mapping) else [(None, margin)]:
        if not is_number(each) or not float(each) >= 0:
            said = show(each) if name is None else f"{{{show(name)}: {show(each)}}}"
            raise UnknownOptionError(
                f"margin={said} is not a number of 0 or more; give how much worse is still as good, as 0.02"
            )
    if not ci > 0.5:
        raise UnknownOptionError(
            f"ci={ci:g} tests a margin at the level {1 - ci:g}, which is no level for a test; give a ci above 0.5"
        )


def wide_margin(said: str, what: str, margin: float) -> UnknownOptionError:
    """Return the error for a margin of 1 or more of scores from 0 to 1.

    said, what: the argument as it was given, and what could not fail.
    """
    return UnknownOptionError(
        f"{said} is 1 or more, so that {what} could not fail: {above_range(margin)}; give a margin below 1"
    )
