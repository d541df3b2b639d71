"""`qa_frame.worst` and `qa_frame.best`: the rows with the lowest and the highest scores."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from qa_frame._typing import By, Frame, Unpack
from qa_frame.api.methods import takes_rules
from qa_frame.errors import require_whole_number
from qa_frame.scoring.call_rules import RuleArguments
from qa_frame.scoring.pair_metrics import PairMetric


@takes_rules(after="gold")
def worst(
    data: Frame,
    n: int = 10,
    *,
    metric: str | PairMetric = "f1",
    by: By = None,
    pred: Hashable | None = None,
    gold: Hashable | None = None,
    prefix: str = "",
    seed: int = 0,
    **rules: Unpack[RuleArguments],
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
        The metric whose scores count: a score column of the frame, a metric that is scored now, or any column of
        numbers or truth values.
    by
        A column, an index level, a function of index labels, a Series or array with a value per row, or a list of
        these. Each group gives n rows, group after group in sorted order. Null is a group, too.
    pred, gold
        Given both, the rows are scored first, as by `score`. Without them, the frame's score column is used.
    {rules}
    prefix
        The text in front of the names of score columns.
    seed
        The seed of the order of rows that no score tells apart.

    Returns
    -------
    frame
        The kind of frame that was given, with its columns, and the score column where rows are scored now. Among
        rows with equal scores, the row that is worse by the other metrics comes first. These are the frame's other
        score columns, or where rows are scored now the default metrics of the convention, in the order of
        `qa_frame.metrics`. Rows that these do not tell apart come in a random order. It depends on the seed and on the
        rows' text, numbers and lists, not on the order of rows; only rows that hold the same come as `data` has them.
        Rows that are not scored (NaN or null) are left out. `attrs["qa_chosen"]` counts them as `n_not_scored`, beside
        `n` and `n_scored`. An Arrow table has it in its metadata, and a polars frame has no place for it.
        `qa_frame.style` shows the rows with the score first and golds quoted.

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
    columns = {"pred": pred, "gold": gold, "prefix": prefix}
    return _choose(data, n, metric, rules, by=by, seed=seed, is_highest=False, **columns)


@takes_rules(after="gold")
def best(
    data: Frame,
    n: int = 10,
    *,
    metric: str | PairMetric = "f1",
    by: By = None,
    pred: Hashable | None = None,
    gold: Hashable | None = None,
    prefix: str = "",
    seed: int = 0,
    **rules: Unpack[RuleArguments],
) -> Frame:
    """Return the n rows with the highest score, the highest first.

    `df.qa.best(...)` is `qa_frame.best(df, ...)`.

    Parameters
    ----------
    data
        A pandas or polars frame, a `pyarrow.Table`, or anything with `__arrow_c_stream__`.
    n
        How many rows, 1 or more; fewer are given where fewer are scored.
    metric
        The metric whose scores count: a score column of the frame, a metric that is scored now, or any column of
        numbers or truth values.
    by
        A column, an index level, a function of index labels, a Series or array with a value per row, or a list of
        these. Each group gives n rows, group after group in sorted order. Null is a group, too.
    pred, gold
        Given both, the rows are scored first, as by `score`. Without them, the frame's score column is used.
    {rules}
    prefix
        The text in front of the names of score columns.
    seed
        The seed of the order of rows that no score tells apart.

    Returns
    -------
    frame
        The kind of frame that was given, with its columns, and the score column where rows are scored now. Among rows
        with equal scores, the row that is better by the other metrics comes first; `worst` says which these are. Rows
        that these do not tell apart come in a random order, which depends on the seed. Rows that are not scored (NaN or
        null) are left out, and `attrs["qa_chosen"]` counts them.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used. Also all that `score` raises.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"model": ["x", "x", "y"], "f1": [0.5, 0.75, None]})
    >>> qa_frame.best(df, 1, by="model")
      model    f1
    1     x  0.75
    """
    columns = {"pred": pred, "gold": gold, "prefix": prefix}
    return _choose(data, n, metric, rules, by=by, seed=seed, is_highest=True, **columns)


def _choose(
    data: Frame,
    n: int,
    metric: str | PairMetric,
    rules: RuleArguments,
    *,
    by: By,
    seed: int,
    is_highest: bool,
    **columns: Any,
) -> Frame:
    from qa_frame.reports.chosen_rows import choose_rows  # noqa: PLC0415  (pandas' groups are rarely needed)
    from qa_frame.reports.scored_rows import read_one_metric  # noqa: PLC0415

    require_whole_number("n", n, least=1)
    require_whole_number("seed", seed, least=0, most=2**128 - 1)
    source, scoring = read_one_metric(data, metric, rules, **columns)
    chosen: Frame = choose_rows(source, scoring, int(n), by=by, is_highest=is_highest, seed=int(seed))
    return chosen
