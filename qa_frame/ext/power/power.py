"""`qa_frame.power`: how many questions a difference needs, or what so many questions find."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from qa_frame.ext.power.power_arguments import Designs, StatedSpread
from qa_frame.ext.power.results import PLANNED_FIGURES
from qa_frame.frames.scoring_metadata import describe_table
from qa_frame.tables.methods import says_what_fits


@says_what_fits
def power(
    *,
    difference: float | Sequence[float] | None = None,
    n: int | Sequence[int] | None = None,
    power: float | Sequence[float] | None = None,
    sd: float | None = None,
    win_rate: float | None = None,
    loss_rate: float | None = None,
    within_sd: float | tuple[float, float] | None = None,
    n_samples: int | Sequence[int] = 1,
    ci: float = 0.95,
    margin: float | None = None,
) -> Any:
    """Tell how many questions a comparison needs, which difference n questions detect, or with what power.

    Two of `difference`, `n` and `power` give the third. `sd`, or `win_rate` and `loss_rate`, say how scores differ. A
    list gives a row per value.

    Examples
    --------
    A model that wins 15 % of questions and loses 10 %:

    >>> import qa_frame
    >>> qa_frame.power(win_rate=0.15, loss_rate=0.10).round(4)
       difference    n  power      sd  n_samples    ci       unit
    0        0.05  779    0.8  0.4975          1  0.95  questions

    Parameters
    ----------
    difference
        The smallest difference that matters, above 0. With a margin the true one, by default 0.
    n
        How many questions there are, 2 or more.
    power
        How often it shall be found.
    sd
        The standard deviation, over questions, of the difference of one answer each.
    win_rate
        For scores of 0 and 1, in place of `sd`: the share of questions on which the better model alone is right.
    loss_rate
        The share on which the other model alone is right.
    within_sd
        The standard deviation among samples of one question: one number, or one per model.
    n_samples
        The samples of each question that are planned.
    ci
        The two-sided test has the level 1 - ci.
    margin
        How much worse is still as good, which shall be shown.

    Returns
    -------
    pandas.DataFrame
        A row per design: `difference` (null where n finds none), `n`, `power`, `sd`, `margin` where given, `n_samples`,
        `ci`, `unit`.

    Raises
    ------
    UnknownOptionError
        Where an argument is not allowed.
    """
    from qa_frame.ext.power.power_arguments import make_designs, make_spread  # noqa: PLC0415  (they are slow to import)

    spread = make_spread(sd=sd, win_rate=win_rate, loss_rate=loss_rate, within_sd=within_sd, margin=margin)
    designs = make_designs(
        difference=spread.agreed(difference), n=n, power=power, n_samples=n_samples, ci=float(ci), margin=margin
    )
    return plan_design(designs, spread)


def plan_design(designs: Designs, spread: StatedSpread) -> pd.DataFrame:
    """Return one row per design.

    Scores whose differences have a standard deviation above 1 have another range than 0 to 1.
    """
    if spread.sd <= 1:
        designs.require_in_range()
    if spread.is_binary:
        designs = designs.of_binary_scores()
    sds = {samples: spread.of(samples) for samples in designs.samples}
    table = pd.DataFrame([row | {"sd": sds[k], "n_samples": k} for k in sds for row in designs.rows(sds[k], k)])
    table = table.astype({"n": "Int64"})
    table = table.assign(**designs.told, n_samples=table.pop("n_samples"), ci=designs.ci, unit="questions")
    settings = {"sign_test": designs.test.is_sign_test}
    table.attrs |= describe_table(
        "power", keys=[], figures=PLANNED_FIGURES, metrics={}, level=designs.ci, settings=settings
    )
    return table
