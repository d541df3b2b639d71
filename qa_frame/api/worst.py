"""`qa_frame.worst` and `qa_frame.best`: the rows with the lowest and the highest scores."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, TypeVar

from qa_frame.errors import require_whole_number
from qa_frame.frames.kinds import read_source
from qa_frame.rules.parts import Convention
from qa_frame.scoring.pair_metrics import PairMetric
from qa_frame.scoring.plan import Missing
from qa_frame.scoring.reduction import Reduction
from qa_frame.text.extraction import Extract

if TYPE_CHECKING:
    from qa_frame.stats.grouping import By

Frame = TypeVar("Frame")


def worst(
    data: Frame,
    n: int = 10,
    *,
    metric: str | PairMetric = "f1",
    by: By = None,
    pred: Hashable | None = None,
    gold: Hashable | None = None,
    convention: str | Convention = "squad",
    reduce: Reduction | None = None,
    best_by: str | None = None,
    missing: Missing = "zero",
    extract: Extract = None,
    prefix: str = "",
    seed: int = 0,
) -> Frame:
    """Return the n rows with the lowest score, the lowest first: what to read first.

    `df.qa.worst(...)` is `qa_frame.worst(df, ...)`.

    Parameters
    ----------
    data
        A pandas or polars frame, a `pyarrow.Table`, or anything with `__arrow_c_stream__`.
    n
        How many rows, 1 or more; fewer are given where fewer are scored.
    metric
        The metric whose scores count: a score column of the frame, what is scored now, or any column of numbers or
        truth values.
    by
        As in `summary`: then n rows of each group, group after group in sorted order. Null is a group, too.
    pred, gold, convention, reduce, best_by, missing, extract
        As in `score`: given pred and gold, the rows are scored first. Without them, the frame's score column is used.
    prefix
        What stands in front of the names of score columns.
    seed
        Of the order of rows that no score tells apart.

    Returns
    -------
    frame
        The kind of frame that was given, with its columns, and the score column where rows are scored now. Of rows with
        equal scores, that comes first which is worse by the other metrics: by the frame's other score columns, or where
        rows are scored now by the default metrics of the convention, in the order of `qa_frame.metrics`. Rows that
        these do not tell apart come in a random order, which depends on the seed and on what the rows hold in columns
        of text, numbers and lists, not on the order of rows; only rows that hold the same come as `data` has them. Rows
        that are not scored (NaN or null) are left out:
        `attrs["qa_chosen"]` says how many, as `n_not_scored` beside `n` and `n_scored`, and an Arrow table has it in
        its metadata. A polars frame has no place for it.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used. Also all that `score` raises.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"response": ["Rome", "Seine", "no"], "answers": [["Roma"], ["the Seine"], []]})
    >>> found = qa_frame.worst(df, 1, metric="f1", pred="response", gold="answers")
    >>> found
      response answers   f1
    0     Rome  [Roma]  0.0
    >>> found.attrs["qa_chosen"]
    {'metric': 'f1', 'n': 3, 'n_scored': 2, 'n_not_scored': 1}
    """
    given = (metric, by, pred, gold, convention, reduce, best_by, missing, extract, prefix, seed)
    found: Frame = _choose(data, n, *given, is_highest=False)
    return found


def best(
    data: Frame,
    n: int = 10,
    *,
    metric: str | PairMetric = "f1",
    by: By = None,
    pred: Hashable | None = None,
    gold: Hashable | None = None,
    convention: str | Convention = "squad",
    reduce: Reduction | None = None,
    best_by: str | None = None,
    missing: Missing = "zero",
    extract: Extract = None,
    prefix: str = "",
    seed: int = 0,
) -> Frame:
    """Return the n rows with the highest score, the highest first.

    `df.qa.best(...)` is `qa_frame.best(df, ...)`.

    Parameters
    ----------
    data, n, metric, by, pred, gold, convention, reduce, best_by, missing, extract, prefix, seed
        As in `worst`.

    Returns
    -------
    frame
        As from `worst`.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        As from `worst`.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"model": ["x", "x", "y"], "f1": [0.5, 0.75, None]})
    >>> qa_frame.best(df, 1, by="model")
      model    f1
    1     x  0.75
    """
    given = (metric, by, pred, gold, convention, reduce, best_by, missing, extract, prefix, seed)
    found: Frame = _choose(data, n, *given, is_highest=True)
    return found


def _choose(  # noqa: PLR0917
    data: Any,
    n: int,
    metric: str | PairMetric,
    by: By,
    pred: Hashable | None,
    gold: Hashable | None,
    convention: str | Convention,
    reduce: Reduction | None,
    best_by: str | None,
    missing: Missing,
    extract: Extract,
    prefix: str,
    seed: int,
    *,
    is_highest: bool,
) -> Any:
    from qa_frame.reports.chosen_rows import choose_rows  # noqa: PLC0415  (pandas' groups are rarely needed)
    from qa_frame.reports.scored_rows import make_scoring, require_one_metric  # noqa: PLC0415

    require_whole_number("n", n, least=1)
    require_whole_number("seed", seed, least=0, most=2**128 - 1)
    source = read_source(data)
    require_one_metric(metric, source, prefix)
    scoring = make_scoring(
        pred=pred,
        gold=gold,
        metrics=metric,
        convention=convention,
        reduce=reduce,
        best_by=best_by,
        missing=missing,
        extract=extract,
        prefix=prefix,
        source=source,
    )
    return choose_rows(source, scoring, int(n), by=by, is_highest=is_highest, seed=int(seed))
