"""`qa_frame.agreement`: scores beside people's verdicts → how well each metric agrees with them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd

from qa_frame._typing import By, Frame
from qa_frame.ext.annotation.concordance import figures, judge
from qa_frame.ext.annotation.results import AGREEMENT
from qa_frame.frames.source import Source
from qa_frame.scoring.plan import ScoreColumns
from qa_frame.stats.grouping import make_group_columns
from qa_frame.tables.groups import describe, index_of, read_groups
from qa_frame.tables.human_verdicts import read_verdicts
from qa_frame.tables.methods import says_what_fits
from qa_frame.tables.rows import Scoring, read_metrics


@says_what_fits
def agreement(
    data: Frame,
    by: Hashable | Sequence[Hashable] | None = None,
    *,
    human: Hashable = "human",
    metrics: ScoreColumns = None,
    cluster: Hashable | Sequence[Hashable] | None = None,
    ci: float = 0.95,
    seed: int = 0,
) -> Frame:
    """Tell how well each metric agrees with people's verdicts: one row per group and metric.

    `df.qa.agreement(...)` is `qa_frame.agreement(df, ...)`.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"f1": [0.0, 0.2, 0.5, 0.8, 1.0, 1.0], "human": [False, False, True, False, True, True]})
    >>> qa_frame.agreement(df)[["n", "auc", "kendall", "threshold", "accuracy", "kappa"]].round(3)
            n    auc  kendall  threshold  accuracy  kappa
    metric
    f1      6  0.889    0.624        0.5     0.667  0.333

    Parameters
    ----------
    data
        A frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    human
        The column of verdicts: booleans, two numbers of which the larger means right, or grades.
    by
        A column, an index level, or a list of them. Nulls are a group of their own.
    metrics
        The columns to judge: names of metrics, or of other columns of numbers or truth values.
    cluster
        A column or index level: rows with the same value are not independent, such as several models' answers to one
        question.
    ci
        The level of confidence intervals, as 0.95.
    seed
        The seed of the ten parts of the rows, each of which is judged by the threshold of the others.

    Returns
    -------
    frame
        The kind of frame that was given, in pandas indexed by the groups and `metric`: `n` (rows used), `n_not_used`
        (without verdict or score), and as float64, all but the threshold followed by `<name>_lo` and `<name>_hi`:

        - `auc`: how often a right answer scores higher than a wrong one, equal scores counting half; 1/2 is chance.
        - `pearson`, `spearman`, `kendall` (tau-b): correlations, as by `scipy.stats`.
        - `threshold`: the score from which calling an answer right agrees best with people, that is with the highest
          kappa; the lowest of equals.
        - `accuracy`, `balanced_accuracy` (the mean of the shares of right and of wrong answers that are called so) and
          `kappa` (Cohen's): how well a threshold does on rows that it was not chosen on.

        NaN in a group whose verdicts are all the same. Grades have neither threshold nor a figure at it.

    Raises
    ------
    VerdictError
        Where verdicts are not numbers, or are all the same.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used.
    """
    source, scoring = read_metrics(data, metrics)
    table = agree(
        source,
        scoring,
        human=human,
        by=by,
        cluster=cluster,
        ci=float(ci),
        seed=int(seed),
    )
    return source.like(table, has_keys=True)


def agree(
    source: Source,
    scoring: Scoring,
    *,
    human: Hashable,
    by: By,
    cluster: Hashable | None,
    ci: float,
    seed: int,
) -> pd.DataFrame:
    """Return one row per group and metric."""
    scored = read_groups(source, scoring, make_group_columns(by, cluster=cluster), human=[human])
    verdicts = read_verdicts(scored.frame, human)
    has_two = len(np.unique(verdicts[~np.isnan(verdicts)])) == 2
    rows = []
    for members in scored.members:
        for scores in scored.scores.values():
            judged = judge(scores[members], verdicts[members], scored.units_of(members))
            row: dict[str, float] = {"n": judged.n, "n_not_used": len(members) - judged.n}
            rows.append(row | figures(judged, has_two=has_two, ci=ci, seed=seed))
    agreement = pd.DataFrame(rows, index=index_of(scored.groups, list(scored.scores)))
    settings = {"human": human, "cluster": cluster, "ci": ci, "seed": seed}
    return describe(scored, agreement, "agreement", AGREEMENT, level=ci, **settings)
