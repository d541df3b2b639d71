"""`qa_frame.agreement` and `qa_frame.disagreements`: scores beside people's verdicts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal

import numpy as np
import pandas as pd

from qa_frame._typing import Floats, Frame
from qa_frame.errors import ColumnTypeError, VerdictError, show
from qa_frame.ext.annotation.bounded import mean_of
from qa_frame.ext.annotation.concordance import (
    CELLS,
    best_threshold,
    compare_with_people,
    known_threshold,
    pair_with_verdicts,
    sort_into_cells,
)
from qa_frame.ext.annotation.results import AGREEMENT
from qa_frame.frames.diagnosis import code_adding
from qa_frame.frames.row_hashes import hash_rows
from qa_frame.scoring.metrics import THRESHOLD
from qa_frame.scoring.pair_metrics import PairMetric
from qa_frame.scoring.plan import ScoreColumns
from qa_frame.stats.grouping import NO_GROUP_COLUMNS, make_group_columns
from qa_frame.stats.rows import without_rounding
from qa_frame.tables.groups import add_note, index_of, read_groups
from qa_frame.tables.human_verdicts import read_verdicts
from qa_frame.tables.methods import explains_wrong_calls
from qa_frame.tables.options import read_threshold, require_reached
from qa_frame.tables.rows import read_metrics, read_one_metric


@explains_wrong_calls
def agreement(
    data: Frame,
    by: Hashable | Sequence[Hashable] | None = None,
    *,
    human: Hashable = "human",
    metrics: ScoreColumns = None,
    cluster: Hashable | Sequence[Hashable] | None = None,
    ci: float = 0.95,
) -> Frame:
    """Tell how well each metric agrees with people's verdicts: one row per group and metric.

    `df.qa.agreement(...)` is `qa_frame.agreement(df, ...)`.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"f1": [0.0, 0.2, 0.5, 0.8, 1.0, 1.0], "human": [False, False, True, False, True, True]})
    >>> qa_frame.agreement(df)[["n", "auc", "threshold", "precision", "recall", "kappa"]].round(3)
            n    auc  threshold  precision  recall  kappa
    metric
    f1      6  0.889        0.5      0.667   0.667  0.333

    Parameters
    ----------
    data
        Frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    human
        Column of verdicts: truth values, two numbers of which the larger means right, or grades.
    by
        Column(s) or index levels to group by. Nulls are a group of their own. None gives one row per metric.
    metrics
        Columns to compare with the verdicts: metrics, or other columns of numbers or truth values. None takes all
        scores.
    cluster
        Column(s) or index levels that rows share which are not independent, such as the question that several models
        answered.
    ci
        Confidence level of the intervals of `auc` and `kappa`, such as 0.95.

    Returns
    -------
    frame
        The kind of frame that was given, in pandas indexed by the groups and `metric`. `n` counts the rows used, and
        `n_not_used` those without a verdict or score. Of the rows used:

        - `human_mean`: the share of answers that people accept, or their mean grade. `metric_mean`: the mean score.
        - `auc`, `auc_lo`, `auc_hi`: how often a right answer scores higher than a wrong one, where ties count half; 0.5
          is chance. With grades, it is over all pairs of rows of different grade.
        - `threshold`: the minimum score of a right answer. It is 1 if all scores of the metric are 1 or 0, as those of
          a judge are. Else it is the score with the highest kappa; the lowest of equals.
        - `both_right`, `only_metric_right`, `only_people_right`, `both_wrong`: how many answers the metric and people
          call so.
        - `precision`: of the answers called right, the share that people accept. `recall`: of the answers that people
          accept, the share called right.
        - `kappa`, `kappa_lo`, `kappa_hi`: Cohen's kappa: the agreement beyond chance, which is 0.

        In a group whose verdicts are all the same, `auc` and `kappa` are NaN, and so is a `threshold` that kappa would
        choose. With grades, `threshold` and all figures listed below it are NaN, and also where all scores are the
        same, other than 1 or 0.

    Raises
    ------
    VerdictError
        Where verdicts are not numbers, or those of all rows together are the same or null.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used.

    Notes
    -----
    A threshold chosen by kappa is cross-validated: each answer is called right or wrong by a threshold that was chosen
    on other answers (ten random parts of the rows or clusters, the same in each call). Otherwise the figures from
    `both_right` on would be too good.

    The variance of `auc` is DeLong's, by cluster Obuchowski's. Even perfect agreement has an interval of some width.
    """
    source, scoring = read_metrics(data, metrics)
    scored = read_groups(source, scoring, make_group_columns(by, cluster=cluster), human=[human])
    verdicts = read_verdicts(scored.frame, human)
    distinct = np.unique(verdicts[~np.isnan(verdicts)])
    has_two = len(distinct) == 2
    if has_two:  # 0 and 1
        verdicts = (verdicts - distinct[0]) / (distinct[1] - distinct[0])
    rows, thresholds = [], {name: known_threshold(scores) for name, scores in scored.scores.items()}
    for members in scored.members:
        for name, scores in scored.scores.items():
            used = members[~np.isnan(scores[members]) & ~np.isnan(verdicts[members])]
            means = {"human_mean": mean_of(verdicts[used]), "metric_mean": mean_of(scores[used])}
            judged = pair_with_verdicts(scores[used], verdicts[used], scored.units_of(used))
            counts = {"n": len(used), "n_not_used": len(members) - len(used)}
            figures = compare_with_people(judged, thresholds[name], has_two=has_two, ci=float(ci))
            rows.append(counts | means | figures)
    table = pd.DataFrame(rows, index=index_of(scored.groups, list(scored.scores)))
    table = table.astype(dict.fromkeys(CELLS, "Int64"))
    settings = {"human": human, "cluster": cluster, "ci": float(ci)}
    return source.like(add_note(scored, table, "agreement", AGREEMENT, level=float(ci), **settings), has_keys=True)


@explains_wrong_calls
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
        Frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    human
        Column of verdicts: truth values, or two numbers of which the larger means right. It may be null.
    metric
        Column of scores that call answers right or wrong: a metric, or another column of numbers.
    threshold
        Minimum score of a right answer. `"best"` takes the one that agrees best with people on these rows. The figures
        are then a little too high, as on other rows another one may be best.

    Returns
    -------
    frame
        The kind of frame that was given, with its columns. The row whose score is farthest from the threshold comes
        first: with a low threshold, those that the metric alone calls right. Equal ones come in an order that depends
        on their values alone. Rows without a score or a verdict are left out. `attrs["qa_disagreements"]`, in an Arrow
        table the metadata, has the threshold and the number of rows in each cell: `both_right`, `only_metric_right`,
        `only_people_right` and `both_wrong`.

    Raises
    ------
    VerdictError
        Where verdicts are not numbers, are all the same, or are grades.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used.
    """
    source, scoring = read_one_metric(data, metric)
    is_best = isinstance(threshold, str) and threshold == _BEST
    remedy = f"give the score from which an answer is right, or {_BEST!r} for the one that agrees best with people"
    least = np.nan if is_best else read_threshold(threshold, remedy)
    rows = read_groups(source, scoring, NO_GROUP_COLUMNS, human=[human])
    require_reached(least, rows.scores)
    ((name, scores),) = rows.scores.items()
    verdicts = read_verdicts(rows.frame, human)
    _refuse_grades(verdicts, human)
    least = best_threshold(scores, verdicts) if is_best else least
    if np.isnan(least):
        raise ColumnTypeError(
            f"metric={show(name)} has no threshold on the rows with a verdict, as its scores or the verdicts are the "
            "same in all of them; choose another metric or more rows, or give threshold=..."
        )
    is_used = ~np.isnan(scores) & ~np.isnan(verdicts)
    says_right = without_rounding(np.nan_to_num(scores) - least) >= 0
    by_cell = sort_into_cells(says_right, verdicts == np.nanmax(verdicts))
    cells = {cell: is_used & is_in_cell for cell, is_in_cell in by_cell.items()}
    differs = np.flatnonzero(cells["only_metric_right"] | cells["only_people_right"])
    distance = without_rounding(np.abs(scores[differs] - least))
    chance = hash_rows(source.take(differs), without={*source.labels(scoring.names)})
    counts = {cell: int(is_in_cell.sum()) for cell, is_in_cell in cells.items()}
    note = {"metric": name, "threshold": least, "n": sum(counts.values()), **counts}
    differing = source.take(differs[np.lexsort((differs, chance, -distance))])
    with_note: Frame = differing.with_note("qa_disagreements", note)
    return with_note


_BEST = "best"
"""In place of a threshold: the one that agrees best with people on these rows."""


def _refuse_grades(verdicts: Floats, human: Hashable) -> None:
    """Raise VerdictError where verdicts have more than two distinct values. human: their column, for the message."""
    n_grades = len(np.unique(verdicts[~np.isnan(verdicts)]))
    if n_grades > 2:
        raise VerdictError(
            f"human={show(human)} holds {n_grades} grades, where right and wrong are needed; choose from which grade "
            f"on an answer is right, as in {code_adding('right', f'df[{human!r}] >= grade')}, and give human='right'"
        )
