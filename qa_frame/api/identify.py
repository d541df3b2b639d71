"""`qa_frame.identify`: texts and a column of scores → the rules that made the column."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Literal

from qa_frame._names import MetricName
from qa_frame._typing import Frame
from qa_frame.api.methods import says_what_fits
from qa_frame.checks import require_whole_number
from qa_frame.frames.kinds import read_source
from qa_frame.frames.number_columns import read_numbers
from qa_frame.scoring.plan import as_items, name_metrics


@says_what_fits
def identify(
    data: Frame,
    pred: Hashable,
    gold: Hashable,
    score: Hashable,
    *,
    metrics: Iterable[MetricName] | MetricName | Literal["all"] = "all",
    n: int = 5,
) -> Frame:
    """Find the rules that made a column of scores: the convention, metric, reduction and extraction, best first.

    `df.qa.identify(...)` is `qa_frame.identify(df, ...)`. It answers whose F1 a column holds, and shows whether a port
    gives the numbers of its source: `n_equal` is then `n`.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> rows = [("The Seine", ["Seine"], 1.0), ("in Rome", ["Rome", "Roma"], 0.667), ("A cat, a cat", ["cat"], 0.667)]
    >>> df = pd.DataFrame(rows, columns=["response", "answers", "harness_f1"])
    >>> found = df.qa.identify("response", "answers", score="harness_f1", metrics="f1", n=2)
    >>> found[["convention", "metric", "reduce", "n", "n_equal", "apart"]]
            convention metric reduce  n  n_equal  apart
    0            squad     f1    max  3        3      1
    1  continuous_eval     f1   mean  3        2      1

    Parameters
    ----------
    data
        A frame of any kind.
    pred
        The column of predictions, as in `score`.
    gold
        The column of golds, as in `score`.
    score
        The column of scores: from 0 to 1 or from 0 to 100, rounded or not, or truth values. Rows without one are left
        out.
    metrics
        The names of the metrics to try. All of them take longer.
    n
        The most rows of the table.

    Returns
    -------
    frame
        The kind of frame that was given. A row holds rules that can be given to `score`.

        - `convention`, `metric`, `reduce`, `extract`: the rules; `extract` is null for the whole response.
        - `n`: rows with a recorded score; `n_equal`: those of them that have the same score by these rules, as far as
          the column is rounded.
        - `max_diff`: the largest difference, from 0 to 1.
        - `apart`: the label of a row that these rules score otherwise than the best ones, and in the first row,
          otherwise than the second best. It is null where there is none.
        - `alike`: all other conventions that were found to give each row the same score, each with some reduction and
          extraction; the best known first, then by the alphabet.

        `attrs["qa_identified"]` names in `not_tried` the conventions that need a package which is not installed.

    Raises
    ------
    ColumnTypeError
        Where the column holds no numbers, or numbers that are neither shares nor percentages.
    ColumnNotFoundError, UnknownOptionError
        Where a column or an argument cannot be used.

    Warns
    -----
    ScoringWarning
        Where no rules that were tried give all scores of the column.

    Notes
    -----
    All conventions are tried on 200 rows, with one reduction or extraction after the other until all scores are equal;
    the best of these on 2,000 rows, and the best of these on all rows. So rules that differ in few rows alone may be
    missed.
    """
    from qa_frame.reports.identified import identify_rules, read_recorded  # noqa: PLC0415  (rarely needed)

    require_whole_number("n", n, least=1, most=100)
    names = tuple(name_metrics(as_items(metrics) or "all"))
    source = read_source(data)
    recorded = read_recorded(read_numbers(source.as_pandas({"score": [score]}), score, "score"), f"score={score!r}")
    found: Frame = source.like(
        identify_rules(source, recorded, pred=pred, gold=gold, metrics=names, most=n), has_keys=False
    )
    return found
