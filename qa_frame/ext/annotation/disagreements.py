"""`qa_frame.disagreements`: where a threshold of a metric and people's verdicts differ."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from qa_frame._typing import Flags, Floats, Frame
from qa_frame.errors import ColumnTypeError, VerdictError, show
from qa_frame.ext.annotation.concordance import best_threshold
from qa_frame.frames.diagnosis import with_column
from qa_frame.frames.row_hashes import hash_rows
from qa_frame.frames.source import Source
from qa_frame.scoring.metrics import THRESHOLD
from qa_frame.scoring.pair_metrics import PairMetric
from qa_frame.stats.grouping import NO_GROUP_COLUMNS
from qa_frame.stats.rows import without_rounding
from qa_frame.tables.groups import read_groups
from qa_frame.tables.human_verdicts import read_verdicts
from qa_frame.tables.methods import says_what_fits
from qa_frame.tables.options import read_threshold, require_reached
from qa_frame.tables.rows import ReadRows, Scoring, read_one_metric


@says_what_fits
def disagreements(
    data: Frame,
    *,
    human: Hashable = "human",
    metric: str | PairMetric = "f1",
    threshold: float | Literal["best"] = THRESHOLD,
) -> Frame:
    """Return the rows that a metric and people judge differently: what to read before you trust the metric.

    `df.qa.disagreements(...)` is `qa_frame.disagreements(df, ...)`.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"f1": [0.0, 0.2, 0.5, 0.8, 1.0, 1.0], "human": [0, 0, 1, 0, 1, 1]})
    >>> qa_frame.disagreements(df, threshold="best")
        f1  human
    3  0.8      0

    Parameters
    ----------
    data
        A frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    human
        The column of verdicts: truth values, or two numbers of which the larger means right. It may be null.
    metric
        The metric that calls answers right or wrong: a score column, or any column of numbers.
    threshold
        The score from which the metric calls an answer right. `"best"` is the one that agrees best with people over all
        rows, which flatters: it was chosen on them.

    Returns
    -------
    frame
        The kind of frame that was given, with its columns. The row whose score is farthest from the threshold comes
        first. Among equals the order is random, but depends on the rows' text, numbers and lists alone. Rows without a
        score or a verdict are left out. `attrs["qa_disagreements"]`, in an Arrow table the metadata, has the threshold
        and how many rows are in each cell: `both_right`,
        `only_metric_right`, `only_people_right` and `both_wrong`.

    Raises
    ------
    VerdictError
        Where verdicts are not numbers, are all the same, or are grades.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used.
    """
    source, scoring = read_one_metric(data, metric)
    found: Frame = disagreeing_rows(source, scoring, human=human, threshold=threshold)
    return found


BEST = "best"
"""In place of a threshold: the one that agrees best with people on these rows."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Calls:
    """What a threshold calls right, beside the verdicts.

    Attributes
    ----------
    rows
        The rows.
    metric, scores, threshold
        The metric, its scores, and the score from which an answer is called right.
    cells
        Which rows are in each cell of score and verdict, shape (rows,); in none, where score or verdict is null.
    """

    rows: ReadRows
    metric: str
    scores: Floats
    threshold: float
    cells: dict[str, Flags]

    def count(self) -> dict[str, int]:
        """Return how many rows are in each cell, and in any as `n`."""
        counts = {name: int(cell.sum()) for name, cell in self.cells.items()}
        return {"n": sum(counts.values()), **counts}


def _call(source: Source, scoring: Scoring, *, human: Hashable, threshold: Any) -> Calls:
    is_best = isinstance(threshold, str) and threshold == BEST
    if not is_best:
        remedy = f"give the score from which an answer is right, or {BEST!r} for the one that agrees best with people"
        threshold = read_threshold(threshold, remedy)
    rows = read_groups(source, scoring, NO_GROUP_COLUMNS, human=[human])
    if not is_best:
        require_reached(threshold, rows.scores)
    ((metric, scores),) = rows.scores.items()
    verdicts = read_verdicts(rows.frame, human)
    known = np.unique(verdicts[~np.isnan(verdicts)])
    if len(known) > 2:
        raise VerdictError(
            f"human={show(human)} holds {len(known)} grades, where right and wrong are needed; choose from which grade "
            f"on an answer is right, as in {with_column('right', f'df[{human!r}] >= grade')}, and give human='right'"
        )
    if is_best:
        threshold = best_threshold(scores, verdicts)
    if np.isnan(threshold):
        raise ColumnTypeError(
            f"metric={show(metric)} has no threshold on the rows with a verdict, as its scores or the verdicts are the "
            "same in all of them; choose another metric or more rows, or give threshold=..."
        )
    is_used = ~np.isnan(scores) & ~np.isnan(verdicts)
    says_right = without_rounding(np.nan_to_num(scores) - threshold) >= 0
    is_right = verdicts == known[-1]
    cells = {
        "both_right": is_used & says_right & is_right,
        "only_metric_right": is_used & says_right & ~is_right,
        "only_people_right": is_used & ~says_right & is_right,
        "both_wrong": is_used & ~says_right & ~is_right,
    }
    return Calls(rows, metric, scores, threshold, cells)


def disagreeing_rows(source: Source, scoring: Scoring, *, human: Hashable, threshold: float | str) -> Any:
    """Return the rows whose call and verdict differ, as the caller's kind of frame."""
    calls = _call(source, scoring, human=human, threshold=threshold)
    differs = np.flatnonzero(calls.cells["only_metric_right"] | calls.cells["only_people_right"])
    distance = without_rounding(np.abs(calls.scores[differs] - calls.threshold))
    chance = hash_rows(source.take(differs), seed=0, without={*source.labels(scoring.names)})
    chosen = differs[np.lexsort((differs, chance, -distance))]
    note = {"metric": calls.metric, "threshold": calls.threshold, **calls.count()}
    return source.take(chosen).with_note("qa_disagreements", note)
