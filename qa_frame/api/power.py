"""`qa_frame.power`: how many questions a difference needs, or what so many questions find."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from qa_frame.api.methods import says_what_fits
from qa_frame.errors import ColumnTypeError, UnknownOptionError, show
from qa_frame.frames.kinds import read_source


@says_what_fits
def power(
    pilot: Any = None,
    by: Hashable | Sequence[Hashable] | None = None,
    on: Hashable | Sequence[Hashable] | None = None,
    metric: str | None = None,
    *,
    difference: float | Sequence[float] | None = None,
    n: int | Sequence[int] | None = None,
    power: float | Sequence[float] | None = None,
    sd: float | None = None,
    win_rate: float | None = None,
    loss_rate: float | None = None,
    within_sd: float | tuple[float, float] | None = None,
    samples: int | Sequence[int] = 1,
    alpha: float = 0.05,
    cluster: Hashable | Sequence[Hashable] | None = None,
    prefix: str = "",
) -> Any:
    """Tell how many questions find a difference of two models, which difference n questions find, or with what power.

    Give two of `difference`, `n` and `power`, and the third is found. Say how much the models' scores of one question
    differ: by a pilot, by `sd`, or by `win_rate` and `loss_rate`. Where a list is given, there is a row per value.

    Parameters
    ----------
    pilot
        Scored rows of two groups or more on the same questions: a pandas or polars frame, a `pyarrow.Table`, or
        anything with `__arrow_c_stream__`. A group may have a question several times, as samples of it.
    by
        The column, index level or list of them that makes the groups of the pilot, such as the model.
    on
        The column, index level or list of them that identifies a question of the pilot.
    metric
        The score column of the pilot, or any column of numbers or truth values; None where it has one only.
    difference
        The smallest difference of the two means that would matter to you, above 0. Scores of this package are from 0
        to 1, so 0.02 is two percentage points, and 1 or more is refused. It is never taken from the pilot; see Notes.
    n
        How many questions there are, 2 or more. With `cluster`, how many clusters like those of the pilot.
    power
        How often the difference shall be found: a number above alpha / 2 and below 1. None: 0.8, or looked for where
        both `difference` and `n` are given.
    sd
        The standard deviation, over questions, of the difference between one answer of each model. For scores of 0 and
        1 it is close to the root of the share of questions on which exactly one model is right.
    win_rate
        For scores of 0 and 1, in place of `sd`: the share of questions on which the better model alone is right.
    loss_rate
        The share of questions on which the other model alone is right. `difference` is win_rate - loss_rate.
    within_sd
        The standard deviation of one model's scores among samples of one question: one number, or one a model. It is
        needed for `samples` above 1 without a pilot.
    samples
        How many samples of each question are planned for each model. Their mean is the question's score.
    alpha
        The level of the two-sided test. For m comparisons that are corrected by Holm's method, 0.05 / m is on the safe
        side.
    cluster
        The column of the pilot that identifies questions that belong together.
    prefix
        The text in front of the names of score columns.

    Returns
    -------
    frame
        The kind of frame that the pilot is, else one of pandas, with a row per pair of groups and design: with a pilot
        `metric a b n_pilot`; then `difference` (float64), `n` (whole numbers, rounded up), `power` (float64); with a
        pilot what was looked for once more, at the upper bound of the variance, as `n_at_upper`; `sd`, with a pilot
        `sd_upper`; `samples`, `alpha`, and `unit`: what `n` counts, "questions" or "clusters". `sd` is the standard
        deviation of a question's difference with so many samples; with clusters, it is that of a cluster's part, so
        that sd / sqrt(n) is the standard error.

    Raises
    ------
    UnknownOptionError
        Where an argument has a value that is not allowed: a difference that is not above 0 and below 1, rates
        that sum to more than 1.
    PairingError
        Where the pilot has one group only, or fewer than two questions in common.
    ColumnNotFoundError, ColumnTypeError
        Where a column of the pilot cannot be used.

    Warns
    -----
    IntervalWarning
        Where two groups of the pilot differ by the same on all questions. What rests on their variance is null.

    Notes
    -----
    The difference that a pilot shows is no basis for its successor's size. It is far too uncertain: where 2,441
    questions are needed, the differences of pilots of 100 questions ask for 221 to 24,569 (the 10 and 90 % quantiles).
    So name the difference that would matter. The variance that a pilot shows is of use, and `n_at_upper` is on the safe
    side: the variance is below its upper bound in about 80 % of pilots (Bonett 2006).

    n = (z_(alpha/2) + z_power)^2 Var(d) / difference^2, with normal quantiles z, and for scores of 0 and 1
    Var(d) = win_rate + loss_rate - (win_rate - loss_rate)^2. With K samples Var(d) = w^2 + (s_a^2 + s_b^2) / K, where
    w^2 is the variance of the true difference over questions and s^2 that among samples: more samples are of use where
    the second part is large. To find a difference in the wrong direction does not count as power. With fewer than some
    30 questions, a test needs a little more.

    Examples
    --------
    A model that wins 15 % of questions and loses 10 %:

    >>> import qa_frame
    >>> qa_frame.power(win_rate=0.15, loss_rate=0.10).round(4)
       difference    n  power      sd  samples  alpha       unit
    0        0.05  778    0.8  0.4975        1   0.05  questions

    The least difference that 1,000 questions find:

    >>> qa_frame.power(n=1000, sd=0.5).round(4)[["difference", "n", "power", "sd"]]
       difference     n  power   sd
    0      0.0443  1000    0.8  0.5

    From a pilot:

    >>> scored = qa_frame.sample().qa.score(pred="response", gold="answers", metrics="f1")
    >>> planned = qa_frame.power(scored, "model", "question_id", difference=0.05)
    >>> planned[["a", "b", "n_pilot", "difference", "n", "n_at_upper"]]
              a           b  n_pilot  difference    n  n_at_upper
    0  heron-7b    lynx-70b      115        0.05  481         586
    1  heron-7b  otter-chat      115        0.05  423         500
    2  lynx-70b  otter-chat      115        0.05  416         487
    """
    from qa_frame.reports.designs import make_designs, make_spread  # noqa: PLC0415  (statistics are slow to import)
    from qa_frame.reports.power import plan_design, plan_from_pilot  # noqa: PLC0415
    from qa_frame.reports.scored_rows import make_scoring, require_one_metric  # noqa: PLC0415
    from qa_frame.scoring.call_rules import make_rules  # noqa: PLC0415

    said = {"sd": sd, "win_rate": win_rate, "loss_rate": loss_rate, "within_sd": within_sd}
    of_pilot = {"by": by, "on": on, "metric": metric, "cluster": cluster}
    if pilot is None:
        _require_none(of_pilot, "is of use with a pilot alone")
        spread = make_spread(**said)
        difference = spread.agreed(difference)
        designs = make_designs(difference=difference, n=n, power=power, samples=samples, alpha=alpha)
        return plan_design(designs, spread)
    _require_none(said, "says how scores vary, and so does the pilot")
    for name in ("by", "on"):
        if of_pilot[name] is None:
            raise UnknownOptionError(f"{name} is not given, and the pilot needs it; name the column, as in compare")
    designs = make_designs(difference=difference, n=n, power=power, samples=samples, alpha=alpha)
    try:
        source = read_source(pilot)
    except ColumnTypeError as error:
        raise ColumnTypeError(f"pilot: {error}") from error
    if metric is not None:
        require_one_metric(metric, source, prefix)
    columns: dict[str, Any] = {"pred": None, "gold": None, "remedy": ""}  # a pilot takes no columns to score
    scoring = make_scoring(metrics=metric, rules=make_rules(), prefix=prefix, source=source, **columns)
    return source.like(plan_from_pilot(source, scoring, designs, by=by, on=on, cluster=cluster), has_keys=False)


def _require_none(arguments: dict[str, Any], why: str) -> None:
    for name, found in arguments.items():
        if found is not None:
            raise UnknownOptionError(f"{name}={show(found)} {why}; leave one of them out")
