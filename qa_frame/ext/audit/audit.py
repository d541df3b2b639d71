"""`qa_frame.audit`: a prediction and a gold column → the hazards in them, which are likely to mislead."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from qa_frame._typing import By, Frame, Unpack
from qa_frame.frames.scoring_metadata import origins
from qa_frame.frames.source import read_source
from qa_frame.scoring.call_rules import AuditArguments
from qa_frame.scoring.plan import Metrics
from qa_frame.tables.methods import takes_rules
from qa_frame.tables.restored import recall, without_prefix


@takes_rules(after="metrics", of=AuditArguments)
def audit(
    data: Frame,
    by: By = None,
    question: By = None,
    *,
    pred: Hashable | None = None,
    gold: Hashable | None = None,
    metrics: Metrics = None,
    show_all: bool = False,
    **rules: Unpack[AuditArguments],
) -> Frame:
    """Find the hazards in these rows, which are likely to mislead the scores: one row per hazard, with its remedy.

    `df.qa.audit(...)` is `qa_frame.audit(df, ...)`.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> responses = ["<think>Who?</think> The Who", "about 314", "42"]
    >>> df = pd.DataFrame({"response": responses, "answers": [["The Who"], ["3.14"], ["42"]]})
    >>> found = df.qa.audit(pred="response", gold="answers")
    >>> found[["hazard", "count", "examples"]]
                   hazard  count examples
    0  lost_sign_or_point      1      [1]
    1          think_tags      1      [0]
    >>> print(found["remedy"][1])
    extract='after_think' takes what follows the thought, and all of other responses

    Parameters
    ----------
    data
        A frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    by
        The column that makes groups, such as the model, or a list of columns. Each remedy then names the groups that
        have the hazard in most of their rows.
    question
        A column or index level, or a list of these, that tells questions apart: for `duplicate_rows`.
    pred, gold
        The columns of predictions and golds. None takes those that the frame was scored from. Of a frame that was not
        scored, the result then says what it holds: which column is what, and the calls that this allows.
    metrics
        Names of metrics, or `"all"`. None takes those that the frame has, or else those of the convention.
    {arguments}
    show_all
        Whether to show all hazards, with a column `found` that says which are above their threshold.

    Returns
    -------
    frame
        The kind of frame that was given: `hazard` (the page "Looking at rows" has a table of them), `count` (int64, the
        rows that it concerns), `share` (float64, of all rows, from 0 to 1), `examples` (up to five labels of such rows;
        positions where the frame has no index) and `remedy` (what to do; `data` is the frame). It has no rows if there
        is no hazard. A pandas frame prints with each remedy whole; `qa_frame.style` shows the other kinds so.

    Raises
    ------
    QaFrameError
        All errors that `score` raises, but one: golds that are lists written out as text are a hazard here.
    """
    from qa_frame.ext.audit.describe_columns import tabulate_holdings  # noqa: PLC0415  (rarely needed)
    from qa_frame.ext.audit.table import look_at, make_table  # noqa: PLC0415  (rarely needed)

    source, _ = without_prefix(read_source(data))
    if pred is gold is None and not origins(source.notes):
        held: Frame = source.like(tabulate_holdings(source), has_keys=False)
        return held
    given: Any = {"reduce": "max", **rules}
    recalled = recall(source, "audit", pred=pred, gold=gold, metrics=metrics, given=given)
    audited = look_at(source, recalled, by=by, question=question)
    table: Frame = source.like(make_table(audited, show_all=show_all), has_keys=False)
    return table
