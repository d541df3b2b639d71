"""`qa_frame.score`: the same as `df.qa.score`, on Arrow tables and whatever can be read as one."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from qa_frame.frames.kinds import read_source
from qa_frame.frames.names import require_no_overwrite, require_prefix
from qa_frame.frames.score_columns import append_to_table
from qa_frame.frames.text_columns import read_columns, require_predictions
from qa_frame.rules.parts import Convention
from qa_frame.scoring.pipeline import score_columns
from qa_frame.scoring.plan import Metrics, Missing, make_plan
from qa_frame.scoring.reduction import Reduction


def score(
    data: Any,
    pred: str,
    gold: str,
    *,
    metrics: Metrics = None,
    convention: str | Convention = "squad",
    reduce: Reduction = "max",
    missing: Missing = "zero",
    stats: bool = False,
    prefix: str = "",
    append: bool = True,
    progress: bool | None = None,
    threads: int | None = None,
) -> pa.Table:
    """Score each row of a table: a new `pa.Table` with its columns, and then one float64 column a metric.

    data: a `pa.Table`, a `pa.RecordBatch`, or anything with `__arrow_c_stream__`, such as a polars frame, a DuckDB
        relation or a pandas frame. A stream is read to its end.
    All else is as in `df.qa.score`, but a row that is not scored has null in place of NaN.

    >>> import pyarrow as pa, qa_frame
    >>> table = pa.table({"response": ["The Seine.", "Rome"], "answers": [["Seine"], []]})
    >>> qa_frame.score(table, pred="response", gold="answers", metrics="em", append=False).to_pydict()
    {'em': [1.0, None]}
    """
    plan = make_plan(metrics, convention, reduce, missing, stats=stats)
    table = read_source(data).columns
    require_prefix(prefix)
    names = [prefix + name for name in (*plan.metrics, *plan.statistics)]
    columns = read_columns(table, pred=pred, gold=gold)
    if append:
        require_no_overwrite(names, pred=pred, gold=gold)
    if plan.missing == "raise":
        require_predictions(columns)
    scores = score_columns(columns, plan, threads=threads, progress=progress)
    return append_to_table(table, dict(zip(names, scores.values(), strict=True)), append=append)
