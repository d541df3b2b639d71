"""The checked arguments that say how differences are tested: the level, the looks and the margin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from qa_frame.checks import Correction, Test, above_range, is_number, require_items
from qa_frame.errors import UnknownOptionError, show
from qa_frame.reports.rows import ReadRows, kinds_of
from qa_frame.scoring.call_rules import require_metric
from qa_frame.stats.looks import levels_of_looks
from qa_frame.stats.p_values import alpha_of

_LEAST_STEP = 0.01
"""The least share of the planned questions before the first look and between looks: such steps have exact levels."""


@dataclass(frozen=True, slots=True)
class Testing:
    """The arguments that say how differences are tested. They always travel together, each under its name.

    mid_p, simultaneous: see `qa_frame.compare`. margin: of all figures, or by name; None for no test of it.
    n_resamples: None for as many as the correction needs. looks: the shares of the planned questions at each look so
    far; None for one look.
    """

    test: Test
    correction: Correction
    mid_p: bool
    ci: float
    simultaneous: bool
    n_resamples: int | None
    seed: int
    margin: float | Mapping[str, float] | None
    looks: tuple[float, ...] | None = None

    @property
    def alpha(self) -> float:
        """The level of the test at this look."""
        whole = alpha_of(self.ci)
        return whole if self.looks is None else float(levels_of_looks(whole, self.looks)[-1])

    @property
    def is_early(self) -> bool:
        """Whether other looks are to come."""
        return self.looks is not None and self.looks[-1] < 1

    def level(self, n_pairs: int) -> float:
        """Return the level of each interval, by Bonferroni where all are to hold together."""
        ci = self.ci if self.looks is None else 1 - self.alpha
        return 1 - (1 - ci) / n_pairs if self.simultaneous else ci

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


def make_testing(given: Mapping[str, Any]) -> Testing:
    """Check the arguments of `qa_frame.compare`, by their names; UnknownOptionError where one is wrong."""
    require_margin(given["margin"], given["ci"])
    n_resamples, looks = given["n_resamples"], _read_looks(given["looks"], given["margin"])
    read = {"ci": float(given["ci"]), "seed": int(given["seed"]), "looks": looks}
    read["n_resamples"] = None if n_resamples is None else int(n_resamples)
    return Testing(**{field.name: given[field.name] for field in fields(Testing)} | read)


def _read_looks(looks: Any, margin: Any) -> tuple[float, ...] | None:
    """Return the shares of the planned questions at each look; UnknownOptionError where they are none."""
    if looks is None:
        return None
    shares = require_items("looks", looks, "the shares of the planned questions at each look so far, as (0.5, 1.0)")
    are_numbers = len(shares) > 0 and all(map(is_number, shares))
    steps = np.diff((0, *shares)) if are_numbers else np.zeros(1)
    if not (steps >= _LEAST_STEP - 1e-12).all() or shares[-1] > 1:
        raise UnknownOptionError(
            f"looks={show(looks)} is not what was looked at so far; give the share of the planned questions at each "
            f"look, each {_LEAST_STEP:g} or more above the one before, to 1 at most, as (0.5, 1.0) at the second of two"
        )
    if margin is not None:
        raise looks_with_margin(looks)
    return tuple(map(float, shares))


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


def looks_with_margin(looks: Any) -> UnknownOptionError:
    """Return the error for looks beside a margin, as their levels are those of a test of 0."""
    return UnknownOptionError(f"looks={show(looks)} cannot be combined with a margin; leave one of them out")
