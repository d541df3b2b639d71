"""`qa_frame.power`: how many questions a difference needs, or what so many questions find."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from qa_frame._typing import Shares
from qa_frame.api.methods import says_what_fits
from qa_frame.errors import ColumnTypeError, UnknownOptionError, show
from qa_frame.frames.kinds import read_source


@says_what_fits
def power(
    pilot: Any = None,
    by: Hashable | Sequence[Hashable] | None = None,
    question: Hashable | Sequence[Hashable] | None = None,
    *,
    metric: str | None = None,
    difference: float | Sequence[float] | None = None,
    n: int | Sequence[int] | None = None,
    power: float | Sequence[float] | None = None,
    sd: float | None = None,
    win_rate: float | None = None,
    loss_rate: float | None = None,
    within_sd: float | tuple[float, float] | None = None,
    n_samples: int | Sequence[int] = 1,
    ci: float = 0.95,
    cluster: Hashable | Sequence[Hashable] | None = None,
    baseline: Hashable | None = None,
    macro: Hashable | Sequence[Hashable] | None = None,
    weights: Shares | Mapping[Any, float] = "equal",
    margin: float | None = None,
    looks: int = 1,
    mid_p: bool = True,
) -> Any:
    """Tell how many questions a comparison needs, which difference n questions detect, or with what power.

    Two of `difference`, `n` and `power` give the third. A pilot, `sd`, or `win_rate` and `loss_rate` say how scores
    differ. A list gives a row per value.

    Examples
    --------
    A model that wins 15 % of questions and loses 10 %:

    >>> import qa_frame
    >>> qa_frame.power(win_rate=0.15, loss_rate=0.10).round(4)
       difference    n  power      sd  n_samples    ci       unit
    0        0.05  779    0.8  0.4975          1  0.95  questions

    Parameters
    ----------
    pilot
        Scored rows of two groups or more.
    by
        What makes the pilot's groups, such as the model.
    question
        What identifies a question of the pilot.
    metric
        The score column of the pilot; None where it has one only.
    difference
        The smallest difference that matters, above 0. With a margin the true one, by default 0.
    n
        How many questions there are, or clusters, 2 or more.
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
    cluster
        The column of questions that belong together.
    baseline
        The group of the pilot that others are compared with.
    macro
        The pilot's datasets whose means are averaged.
    weights
        How much each dataset counts, as in `summary`.
    margin
        How much worse is still as good, which shall be shown.
    looks
        How many times one looks while questions come in.
    mid_p
        Whether the test of scores of 0 and 1 takes mid-p, as in `compare`.

    Returns
    -------
    frame
        A row per pair of groups and design: with a pilot `metric a b n_pilot`; then `difference` (null where n finds
        none), `n`, `power`; with a pilot `n_at_upper`, at the variance's upper bound; `sd`, `margin` and `looks`
        where given, `n_samples`, `ci`, `unit`.

    Raises
    ------
    UnknownOptionError
        Where an argument is not allowed.
    PairingError
        Where the pilot has too few groups or questions, or `compare` refuses it.
    ColumnNotFoundError, ColumnTypeError
        Where a column of the pilot cannot be used.

    Warns
    -----
    IntervalWarning
        Where the pilot lacks variance.
    PairingWarning, MixedScoresWarning
        As in `compare`.
    """
    given = locals()
    from qa_frame.reports.designs import STATED, make_designs, make_spread  # noqa: PLC0415  (they are slow to import)
    from qa_frame.reports.pairing import make_keys  # noqa: PLC0415
    from qa_frame.reports.power import plan_design, plan_from_pilot  # noqa: PLC0415
    from qa_frame.reports.scored_rows import make_scoring, require_one_metric  # noqa: PLC0415

    said = {name: given[name] for name in STATED}
    of_pilot = {name: given[name] for name in ("by", "question", "metric", "cluster", "baseline", "macro")}
    spread = None
    if pilot is None:
        of_pilot["weights"] = None if weights == "equal" else weights
        _require_none(of_pilot, "needs a pilot; leave it out, or give a pilot")
        spread = make_spread(given)
        given["difference"] = spread.agreed(difference)
    designs = make_designs(given)
    if spread is not None:
        return plan_design(designs, spread)
    _require_none(said, "says how scores vary, and so does the pilot; leave one of them out")
    for name in ("by", "question"):
        if of_pilot[name] is None:
            raise UnknownOptionError(f"{name} is not given, and the pilot needs it; name the column, as in compare")
    try:
        source = read_source(pilot)
    except ColumnTypeError as error:
        raise ColumnTypeError(f"pilot: {error}") from error
    if metric is not None:
        require_one_metric(metric, source)
    scoring = make_scoring(metrics=metric, source=source)
    table = plan_from_pilot(source, scoring, designs, make_keys(given | {"samples": True}))
    return source.like(table, has_keys=False)


def _require_none(arguments: dict[str, Any], why: str) -> None:
    for name, found in arguments.items():
        if found is not None:
            raise UnknownOptionError(f"{name}={show(found)} {why}")
