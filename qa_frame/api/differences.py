"""`qa_frame.differences`: two or more conventions on the same rows → where and how far they disagree."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from qa_frame._names import ConventionName, MetricName
from qa_frame._typing import Unpack
from qa_frame.api.methods import takes_rules
from qa_frame.frames.kinds import read_source
from qa_frame.rules.parts import Convention
from qa_frame.scoring.call_rules import GoldArguments, make_rules, require_metric
from qa_frame.scoring.plan import make_plan

if TYPE_CHECKING:
    from qa_frame.reports.differences import Differences


@takes_rules(after="metric", of=GoldArguments)
def differences(
    data: Any,
    a: ConventionName | Convention,
    b: ConventionName | Convention,
    *others: ConventionName | Convention,
    pred: Hashable,
    gold: Hashable,
    metric: MetricName = "f1",
    **rules: Unpack[GoldArguments],
) -> Differences:
    """Show how conventions disagree on these rows, for one metric: why is my F1 not the paper's?

    `df.qa.differences(...)` is `qa_frame.differences(df, ...)`.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> raw = qa_frame.Convention(name="raw", overlap=qa_frame.rules.Overlap(text=qa_frame.rules.Text()))
    >>> lower = qa_frame.Convention(name="lower", overlap=qa_frame.rules.Overlap(text=qa_frame.rules.Text(("lower",))))
    >>> df = pd.DataFrame({"response": ["The Seine", "Rome"], "answers": [["the Seine"], ["Paris"]]})
    >>> qa_frame.differences(df, lower, raw, pred="response", gold="answers")
    f1: 1 of 2 rows change, 2 are scored by both
    <BLANKLINE>
                mean  n_scored  mean_shared
    convention
    lower       0.50         2         0.50
    raw         0.25         2         0.25
    shift      -0.25         0        -0.25
    <BLANKLINE>
        response      answers  f1_lower  f1_raw  shift
    0  The Seine  [the Seine]       1.0     0.5   -0.5

    Several conventions. Those that score other rows have another mean, even if no score changes:

    >>> found = qa_frame.differences(qa_frame.sample(), "squad", "squad2", "remem", pred="response", gold="answers")
    >>> found.means.round(3)
                 mean  n_scored  mean_shared
    convention
    squad       0.423       345        0.423
    squad2      0.415       354        0.423
    remem       0.423       345        0.423

    Parameters
    ----------
    data
        A frame of any kind.
    a, b, *others
        Names from `qa_frame.conventions`, or objects of `Convention`.
    pred
        The column of predictions.
    gold
        The column of golds: lists of text, or text.
    metric
        The name of a metric for which all have a rule.
    {arguments}

    Returns
    -------
    Differences
        It prints as its tables, of the kind of frame that was given: `means` (each convention's mean over the rows that
        it scores, and over those that all score, and the shift from a to b) and `rows` (those whose score
        changes, the largest change first). Scores are compared to nine decimals. Three and more conventions have two
        tables: `shifts`, and `changed`, the share of rows whose score changes. `n`, `n_shared` and `n_changed` count
        all rows, those that all conventions score, and those that change.

    Raises
    ------
    ColumnOverwriteError
        Where the frame has a column of its own with the name of one of the new ones, such as `shift`.
    UnknownOptionError
        Where a convention has no rule for the metric, or two have one name.
    """
    from qa_frame.reports.differences import find_differences  # noqa: PLC0415  (rarely needed)

    require_metric("metric", metric)
    named = [("a", a), ("b", b), *(("others", convention) for convention in others)]
    plans = [
        make_plan([metric], make_rules(argument=argument, convention=convention, **rules), argument=argument)
        for argument, convention in named
    ]
    return find_differences(read_source(data), plans, pred=pred, gold=gold)
