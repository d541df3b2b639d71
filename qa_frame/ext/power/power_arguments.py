"""The checked arguments of a design: what is given, what is looked for, and how far scores are said to differ."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from qa_frame.checks import above_range, is_number, require_items, require_number, require_whole_number
from qa_frame.errors import UnknownOptionError, show
from qa_frame.ext.power.statistics import MOST_UNITS, PlannedTest
from qa_frame.stats.differences import alpha_of
from qa_frame.stats.distributions import POWER
from qa_frame.tables.options import require_margin, wide_margin

SOLVED = ("difference", "n", "power")
"""What a design is made of: two of these give the third."""

_ROUNDING = 1e-12
_LARGEST = 1e100
"""The squares of standard deviations below it are floats."""


@dataclass(frozen=True, slots=True)
class Designs:
    """The arguments that say what is planned. Each combination is a design, of which one of `SOLVED` is empty.

    Attributes
    ----------
    difference, n, power
        The values of each; empty for the one that is looked for.
    samples
        How many samples of each question are to be drawn.
    ci
        The level of confidence.
    test
        The test that shall find the difference.
    margin
        How much worse is still as good; None where a difference is to be found.
    """

    difference: tuple[float, ...]
    n: tuple[int, ...]
    power: tuple[float, ...]
    samples: tuple[int, ...]
    ci: float
    test: PlannedTest
    margin: float | None

    def require_in_range(self) -> None:
        """Raise UnknownOptionError for a difference or a margin of 1 or more, where scores are from 0 to 1."""
        if self.margin is not None and self.margin >= 1:
            raise wide_margin(f"margin={self.margin:g}", "a model", self.margin)
        wide = next((each for each in self.difference if each >= 1), None)
        if wide is not None:
            raise UnknownOptionError(
                f"difference={wide:g} is 1 or more, which no two models differ by: {above_range(wide)}; give a "
                "difference below 1. Divide scores of another range by their range first, and sd by the same"
            )

    @property
    def told(self) -> dict[str, Any]:
        """The columns of what is not usual."""
        return {} if self.margin is None else {"margin": self.margin}

    @property
    def solved(self) -> str:
        """What is looked for."""
        return next(name for name in SOLVED if not getattr(self, name))

    def of_binary_scores(self) -> Designs:
        """Return the designs where scores are 0 and 1 and a unit is one question, so that the test is the sign test."""
        return replace(self, test=replace(self.test, is_sign_test=self.margin is None))

    def rows(self, sd: float, samples: int) -> Iterator[dict[str, Any]]:
        """Yield each combination of the values, with what is looked for where this is the standard deviation.

        samples: how many of a question are drawn; means of several are not 0 and 1.
        """
        test = self.test if samples == 1 else replace(self.test, is_sign_test=False)
        for values in itertools.product(*(getattr(self, name) or (None,) for name in SOLVED)):
            design = dict(zip(SOLVED, values, strict=True))
            yield design | {self.solved: self._solve(test, sd, **design)}

    def _solve(self, test: PlannedTest, sd: float, *, difference: Any, n: Any, power: Any) -> Any:
        margin = self.margin or 0.0
        if power is None:
            return test.power(n, difference + margin, sd)
        if difference is None:
            return test.difference(n, sd, power) - margin
        needed = test.units(difference + margin, sd, power)
        if not needed < MOST_UNITS:
            raise UnknownOptionError(
                f"difference={difference!r} is too small beside sd={sd:.4g} to be found; give a larger one"
            )
        return max(2, math.ceil(needed * (1 - _ROUNDING)))


def make_designs(*, difference: Any, n: Any, power: Any, n_samples: Any, ci: float, margin: Any) -> Designs:
    """Check the arguments of `qa_frame.power` that say what is planned.

    UnknownOptionError where one is wrong, or where they do not leave one thing to look for.
    """
    test = _make_test(ci, margin)
    powers, counts = _read_numbers("power", power, most=1), _read_whole_numbers("n", n, least=2)
    every = _read_whole_numbers("n_samples", n_samples, least=1)
    if not every:
        raise UnknownOptionError("n_samples=None is not a whole number of 1 or more; give one")
    if margin is not None and not counts and difference is None:
        difference = 0.0
    differences = _read_numbers("difference", difference, above=0.0 if margin is None else -float(margin))
    if not differences and not counts:
        raise UnknownOptionError(
            "difference is not given: name the smallest difference that would matter to you, as difference=0.02, or "
            "give n to learn which difference so many questions find"
        )
    if differences and counts and powers:
        raise UnknownOptionError(
            "difference, n and power: n is given beside the others, and nothing is left to look for; leave one out"
        )
    if not ((differences and counts) or powers):
        powers = (POWER,)
    low = next((each for each in powers if each <= test.alpha / 2), None)
    if low is not None:
        level = "(1 - ci) / 2" if margin is None else "1 - ci"
        raise UnknownOptionError(
            f"power={low:g} is not above {level} = {test.alpha / 2:g}, which is the power without any "
            "question; give more"
        )
    return Designs(differences, counts, powers, every, ci, test, None if margin is None else float(margin))


def _make_test(ci: float, margin: Any) -> PlannedTest:
    """Return the test that is planned; that of a margin is one-sided, at the level of `compare`."""
    if margin is None:
        return PlannedTest(alpha_of(ci))
    _read_number("margin", margin)
    require_margin(margin, ci)
    return PlannedTest(2 * alpha_of(ci))


@dataclass(frozen=True, slots=True)
class StatedSpread:
    """How far the scores of two models differ on one question.

    Attributes
    ----------
    sd
        The standard deviation, over questions, of the difference of one sample each.
    within
        The variance among the samples of a question, of both models together; None where it is not known.
    difference
        The difference of the means, where win and loss rates tell it; else None.
    """

    sd: float
    within: float | None
    difference: float | None

    @property
    def is_binary(self) -> bool:
        """Whether scores are 0 and 1, as win and loss rates say."""
        return self.difference is not None

    def agreed(self, difference: Any) -> Any:
        """Return the difference that is planned for; UnknownOptionError where the rates say another one."""
        if self.difference is None or difference is None:
            return difference if self.difference is None else self.difference
        if not is_number(difference) or not math.isclose(difference, self.difference, rel_tol=1e-9):
            raise UnknownOptionError(
                f"difference={show(difference)} is not win_rate - loss_rate = {self.difference:g}; leave it out, or "
                f"give sd={self.sd:.4f} instead of the rates"
            )
        return self.difference

    def of(self, samples: int) -> float:
        """Return the standard deviation of the difference of means over so many samples each."""
        if samples == 1:
            return self.sd
        if self.within is None:
            raise UnknownOptionError(
                f"n_samples={samples} needs the standard deviation among samples of one question; give within_sd"
            )
        return math.sqrt(self.sd**2 - self.within * (1 - 1 / samples))


def make_spread(*, sd: Any, win_rate: Any, loss_rate: Any, within_sd: Any, margin: Any) -> StatedSpread:
    """Check the arguments of `qa_frame.power` that say how scores differ.

    UnknownOptionError where one is wrong, or where they say too much or too little.
    """
    n_rates = (win_rate is not None) + (loss_rate is not None)
    if n_rates == 1:
        raise UnknownOptionError("win_rate and loss_rate belong together, and one is not given; give both")
    if sd is None and not n_rates:
        raise UnknownOptionError(
            "sd is not given: say how much the scores of a question differ, by sd=..., or by win_rate=... and "
            "loss_rate=..."
        )
    if sd is not None and n_rates:
        raise UnknownOptionError(f"sd={show(sd)} is given beside win_rate and loss_rate, which tell it; leave one out")
    difference = None
    if n_rates:
        sd, difference = _spread_of_rates(win_rate, loss_rate, margin)
    sd = _read_number("sd", sd, most=_LARGEST)
    parts = _read_numbers("within_sd", within_sd, most=_LARGEST)
    if len(parts) > 2:
        raise UnknownOptionError(f"within_sd={show(within_sd)} holds {len(parts)} numbers; give one, or one a model")
    within = sum(part**2 for part in (parts * 2)[:2]) if parts else None
    if within is not None and within > sd**2 * (1 + 1e-9):
        raise UnknownOptionError(
            f"within_sd={show(within_sd)} makes differences of one sample each vary by {math.sqrt(within):.4g}, which "
            f"is more than their standard deviation of {sd:.4g} in all; give a smaller one"
        )
    return StatedSpread(sd, within, difference)


def _spread_of_rates(win_rate: Any, loss_rate: Any, margin: Any) -> tuple[float, float]:
    """Return the standard deviation and the mean of a difference that is 1 and -1 with these rates, and else 0."""
    require_number("win_rate", win_rate, most=1)
    require_number("loss_rate", loss_rate, most=1)
    win, loss = float(win_rate), float(loss_rate)
    if win + loss > 1:
        raise UnknownOptionError(
            f"win_rate={win:g} and loss_rate={loss:g} sum to {win + loss:g}, and are shares of the same questions; "
            "give shares that sum to 1 at most"
        )
    if win == 1:
        raise UnknownOptionError(
            "win_rate=1 says that one model alone is right on every question, so that there is no number to look for; "
            "give a share below 1"
        )
    if win - loss + (float(margin) if is_number(margin) else 0.0) <= _ROUNDING:
        least = "" if margin is None else f" - margin = {loss - float(margin):g}"
        raise UnknownOptionError(
            f"win_rate={win:g} is not above loss_rate={loss:g}{least}, so that there is nothing to find; name "
            "first the model that wins more"
        )
    return math.sqrt(win + loss - (win - loss) ** 2), win - loss


def _read_items(argument: str, found: Any) -> tuple[Any, ...]:
    if found is None:
        return ()
    is_one = isinstance(found, str | bytes) or not hasattr(found, "__iter__")
    items = (found,) if is_one else require_items(argument, found, "a number, or a list of numbers; give one")
    if not items:
        raise UnknownOptionError(f"{argument} is empty; give a number, or a list of numbers")
    return items


def _read_numbers(argument: str, found: Any, *, above: float = 0.0, most: float = math.inf) -> tuple[float, ...]:
    """Return one number or several, all above `above` and below `most`."""
    return tuple(_read_number(argument, each, above=above, most=most) for each in _read_items(argument, found))


def _read_number(argument: str, found: Any, *, above: float = 0.0, most: float = math.inf) -> float:
    if not is_number(found) or not above < float(found) < most:
        wanted = f"a number above {above:g}" if math.isinf(most) else f"a number between 0 and {most:g}"
        raise UnknownOptionError(f"{argument}={show(found)} is not {wanted}; give one")
    return float(found)


def _read_whole_numbers(argument: str, found: Any, *, least: int) -> tuple[int, ...]:
    items = _read_items(argument, found)
    for each in items:
        require_whole_number(argument, each, least=least, most=MOST_UNITS)
    return tuple(map(int, items))
