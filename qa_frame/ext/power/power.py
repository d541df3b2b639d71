"""`qa_frame.power`: how many questions a difference needs, or what so many questions find."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from qa_frame.checks import is_number, require_items, require_number, require_whole_number, say_above_range
from qa_frame.errors import UnknownOptionError, show
from qa_frame.ext.power.results import PLANNED_ESTIMATES
from qa_frame.ext.power.statistics import MOST_UNITS, PlannedTest
from qa_frame.frames.scoring_metadata import describe_table
from qa_frame.stats.differences import alpha_of
from qa_frame.stats.distributions import POWER
from qa_frame.tables.methods import explains_wrong_calls
from qa_frame.tables.options import error_of_wide_margin, require_margin

_ROUNDING = 1e-12
_LARGEST = 1e100
"""The squares of standard deviations below it are floats."""


@explains_wrong_calls
def power(
    *,
    difference: float | Sequence[float] | None = None,
    n: int | Sequence[int] | None = None,
    power: float | Sequence[float] | None = None,
    sd: float | None = None,
    win_rate: float | None = None,
    within_sd: float | tuple[float, float] | None = None,
    n_samples: int | Sequence[int] = 1,
    ci: float = 0.95,
    margin: float | None = None,
) -> Any:
    """Tell how many questions a comparison needs, which difference n questions detect, or with what power.

    Give `difference` to learn n, `n` to learn the difference, or both to learn the power; and `sd`, or for scores of 0
    and 1 `win_rate`, which say how much scores differ. Lists of values give a row for each combination.

    Examples
    --------
    A model that wins 15 % of questions and loses 10 %:

    >>> import qa_frame
    >>> qa_frame.power(win_rate=0.15, difference=0.05).round(4)
       difference    n  power      sd  n_samples    ci       unit
    0        0.05  779    0.8  0.4975          1  0.95  questions

    Parameters
    ----------
    difference
        Smallest difference of the means that matters to you, above 0. With `margin`, it is the true difference that you
        expect, above `-margin`. Left out, it is then 0, unless `n` is given without `win_rate`.
    n
        Number of questions, 2 or more.
    power
        Chance that the test finds the difference. It is 0.8 unless it is what you look for.
    sd
        Standard deviation, over questions, of the difference of two models' scores, with one answer each. Earlier
        results give it.
    win_rate
        Share of questions on which the better model alone is right, for scores of 0 and 1, in place of `sd`. The other
        model alone is right on `win_rate - difference`. So it needs `difference` as one number, unless there is a
        `margin`.
    within_sd
        Standard deviation among samples of one question: one number, or one per model. More than one sample needs it.
    n_samples
        Number of samples of each question that you plan, from each model.
    ci
        Confidence level of the comparison: its two-sided test has the level 1 - ci.
    margin
        Largest loss that still counts as equally good, if the comparison is to show that a model is as good.

    Returns
    -------
    pandas.DataFrame
        One row per design: `difference`, `n` (rounded up), `power`, `sd` (of the difference
        of a question's mean scores, so that `sd / sqrt(n)` is the standard error), `margin` where given, `n_samples`,
        `ci`, and `unit`, which is always "questions".

    Raises
    ------
    UnknownOptionError
        Where an argument is not allowed.

    Notes
    -----
    With normal quantiles z, n is (z of (1 - ci) / 2 + z of power)² · Var(d) / difference². For scores of 0 and 1,
    Var(d) = w + l - (w - l)² with the rates w of wins and l of losses; n is then counted out for the sign test that
    `compare` makes. With K samples, Var(d) = σ² + (s_a² + s_b²) / K, where σ² is the variance of the true difference
    over questions and s² that among samples. With a margin, the test is one-sided at the level 1 - ci, and difference +
    margin takes the place of the difference. A difference in the wrong direction does not count as found. With fewer
    than some 30 questions, a test needs a little more.
    """
    test, is_binary = _make_test(float(ci), margin), win_rate is not None
    if margin is not None and difference is None and (n is None or is_binary):
        difference = 0.0
    sd = _read_sd(sd, win_rate, difference)
    values_by_argument = _read_planned_values(difference, n, power, test, margin)
    if sd <= 1:
        _require_below_one(values_by_argument["difference"], margin)
    variance_within = _read_variance_within(within_sd, sd)
    solved = next(name for name, values in values_by_argument.items() if not values)
    rows = []
    for samples in _read_whole_numbers("n_samples", [None] if n_samples is None else n_samples, least=1):
        of_means = _sd_of_means(sd, variance_within, samples)
        # Means of several samples are not 0 and 1.
        test = replace(test, is_sign_test=is_binary and margin is None and samples == 1)
        for values in itertools.product(*(values or (None,) for values in values_by_argument.values())):
            row: dict[str, Any] = dict(zip(values_by_argument, values, strict=True))
            row[solved] = _solve(test, of_means, margin or 0.0, **row)
            stated = {} if margin is None else {"margin": float(margin)}
            rows.append({**row, "sd": of_means, **stated, "n_samples": samples, "ci": float(ci), "unit": "questions"})
    table = pd.DataFrame(rows).astype({"n": "Int64"})
    settings = {"sign_test": is_binary and margin is None}
    table.attrs |= describe_table(
        "power", keys=[], estimates=PLANNED_ESTIMATES, metrics={}, level=float(ci), settings=settings
    )
    return table


def _solve(test: PlannedTest, sd: float, margin: float, *, difference: Any, n: Any, power: Any) -> Any:
    """Return the one of difference, n and power that is None, from the other two. n is rounded up, to 2 at least.

    UnknownOptionError where n would be too large for a float to be exact. sd: of the difference of a question's means.
    """
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


# --- what is planned


def _make_test(ci: float, margin: Any) -> PlannedTest:
    """Return the test that is planned: two-sided at the level 1 - ci, or that of a margin, which is one-sided.

    Raise UnknownOptionError for a margin that is no number above 0, or not allowed.
    """
    if margin is None:
        return PlannedTest(alpha_of(ci))
    _read_number("margin", margin)
    require_margin(margin, ci)
    return PlannedTest(2 * alpha_of(ci))


def _read_planned_values(
    difference: Any, n: Any, power: Any, test: PlannedTest, margin: float | None
) -> dict[str, tuple[Any, ...]]:
    """Return the values of `difference`, `n` and `power` by name; an empty tuple for the one that is looked for.

    Raise UnknownOptionError where too many or too few are given, or a power is no higher than without any question.
    """
    powers, counts = _read_numbers("power", power, most=1), _read_whole_numbers("n", n, least=2)
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
    return {"difference": differences, "n": counts, "power": powers}


def _require_below_one(differences: Sequence[float], margin: float | None) -> None:
    """Raise UnknownOptionError for a difference or a margin of 1 or more, which scores from 0 to 1 do not have.

    It is for such scores alone: where differences have a standard deviation above 1, scores have another range.
    """
    if margin is not None and margin >= 1:
        raise error_of_wide_margin(f"margin={margin:g}", "a model", margin)
    wide = next((each for each in differences if each >= 1), None)
    if wide is not None:
        raise UnknownOptionError(
            f"difference={wide:g} is 1 or more, which no two models differ by: {say_above_range(wide)}; give a "
            "difference below 1. Divide scores of another range by their range first, and sd by the same"
        )


# --- how far scores differ


def _read_sd(sd: Any, win_rate: Any, difference: Any) -> float:
    """Return the standard deviation, over questions, of the difference of one sample each: `sd`, or by `win_rate`.

    UnknownOptionError where both are given or neither, or the win rate does not go with the difference.
    """
    if win_rate is None:
        if sd is None:
            raise UnknownOptionError(
                "sd is not given: say how much the scores of a question differ, by sd=..., or by win_rate=..."
            )
        return _read_number("sd", sd, most=_LARGEST)
    if sd is not None:
        raise UnknownOptionError(f"sd={show(sd)} is given beside win_rate, which tells it; leave one out")
    require_number("win_rate", win_rate, most=1)
    if not is_number(difference):
        raise UnknownOptionError(
            f"difference={show(difference)} is not a number, which win_rate needs: it is less than that by the share "
            "on which the other model alone is right; give one, as win_rate=0.15 and difference=0.05"
        )
    win, loss = float(win_rate), float(win_rate) - float(difference)
    if win == 1:
        raise UnknownOptionError(
            "win_rate=1 says that one model alone is right on every question, so that there is no number to look for; "
            "give a share below 1"
        )
    if not -_ROUNDING <= loss <= 1 - win + _ROUNDING:
        raise UnknownOptionError(
            f"win_rate={win:g} and difference={difference:g} leave {loss:g} as the share on which the other model "
            f"alone is right, which is not from 0 to {1 - win:g}; give another difference"
        )
    return math.sqrt(win + loss - (win - loss) ** 2)


def _read_variance_within(within_sd: Any, sd: float) -> float | None:
    """Return the sum of both models' variances among the samples of a question; None where it is not known.

    One number in `within_sd` stands for both models. Raise UnknownOptionError where the sum is larger than sd squared.
    """
    parts = _read_numbers("within_sd", within_sd, most=_LARGEST)
    if len(parts) > 2:
        raise UnknownOptionError(f"within_sd={show(within_sd)} holds {len(parts)} numbers; give one, or one a model")
    within = sum(part**2 for part in (parts * 2)[:2]) if parts else None
    if within is not None and within > sd**2 * (1 + 1e-9):
        raise UnknownOptionError(
            f"within_sd={show(within_sd)} makes differences of one sample each vary by {math.sqrt(within):.4g}, which "
            f"is more than their standard deviation of {sd:.4g} in all; give a smaller one"
        )
    return within


def _sd_of_means(sd: float, variance_within: float | None, samples: int) -> float:
    """Return the standard deviation of the difference of means over so many samples each.

    Raise UnknownOptionError for more than one sample where the variance among samples is not known.
    """
    if samples == 1:
        return sd
    if variance_within is None:
        raise UnknownOptionError(
            f"n_samples={samples} needs the standard deviation among samples of one question; give within_sd"
        )
    return math.sqrt(sd**2 - variance_within * (1 - 1 / samples))


# --- numbers


def _read_items(argument: str, value: Any) -> tuple[Any, ...]:
    """Return one value or several as a tuple, which is empty for None. UnknownOptionError for an empty list."""
    if value is None:
        return ()
    is_one = isinstance(value, str | bytes) or not hasattr(value, "__iter__")
    items = (value,) if is_one else require_items(argument, value, "a number, or a list of numbers; give one")
    if not items:
        raise UnknownOptionError(f"{argument} is empty; give a number, or a list of numbers")
    return items


def _read_numbers(argument: str, value: Any, *, above: float = 0.0, most: float = math.inf) -> tuple[float, ...]:
    """Return one number or several as a tuple, empty for None; UnknownOptionError as in `_read_number`."""
    return tuple(_read_number(argument, each, above=above, most=most) for each in _read_items(argument, value))


def _read_number(argument: str, value: Any, *, above: float = 0.0, most: float = math.inf) -> float:
    """Return a number as a float; UnknownOptionError unless it lies above `above` and below `most`."""
    if not is_number(value) or not above < float(value) < most:
        wanted = f"a number above {above:g}" if math.isinf(most) else f"a number between 0 and {most:g}"
        raise UnknownOptionError(f"{argument}={show(value)} is not {wanted}; give one")
    return float(value)


def _read_whole_numbers(argument: str, value: Any, *, least: int) -> tuple[int, ...]:
    """Return one or several whole numbers as a tuple; UnknownOptionError for others, and for one below `least`."""
    items = _read_items(argument, value)
    for each in items:
        require_whole_number(argument, each, least=least, most=MOST_UNITS)
    return tuple(map(int, items))
