"""`qa_frame.human_mean`: scores of all rows and people's verdicts on a few → the mean verdict over all."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import By, Floats, Frame
from qa_frame.errors import IntervalWarning, VerdictError, plural, show, warn
from qa_frame.ext.annotation.bounded import mean_of
from qa_frame.ext.annotation.prediction_powered import LEAST_LABELS, LabelledMean, labelled_mean
from qa_frame.ext.annotation.results import HUMAN_MEAN
from qa_frame.frames.names import name_reasons, name_rows
from qa_frame.frames.source import Source
from qa_frame.scoring.pair_metrics import PairMetric
from qa_frame.stats.grouping import make_group_columns
from qa_frame.tables.groups import describe, index_of, read_groups, warn_of_few_clusters
from qa_frame.tables.human_verdicts import read_any_verdicts
from qa_frame.tables.methods import says_what_fits
from qa_frame.tables.rows import Scoring, read_one_metric


@says_what_fits
def human_mean(
    data: Frame,
    by: By = None,
    *,
    human: Hashable = "human",
    metric: str | PairMetric = "f1",
    cluster: Hashable | Sequence[Hashable] | None = None,
    ci: float = 0.95,
) -> Frame:
    """Tell how many answers people would find right, from their verdicts on a few rows: one row per group.

    `df.qa.human_mean(...)` is `qa_frame.human_mean(df, ...)`.

    The few rows with a verdict show how verdicts follow scores. **They must be drawn at random** from their group, or
    the figure and its interval are wrong.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> verdicts = [1, 1, 0, 1, 0, 1, 1, 0, 1, 1] + [None] * 100
    >>> scores = [0.9, 0.8, 0.2, 0.7, 0.4, 0.6, 1, 0.1, 0.3, 0.9] + [0.2, 0.5, 0.6, 0.8, 0.9] * 20
    >>> table = qa_frame.human_mean(pd.DataFrame({"human": verdicts, "f1": scores}))
    >>> table[["n", "n_labelled", "human_mean", "human_mean_lo", "human_mean_hi"]].round(3)
           n  n_labelled  human_mean  human_mean_lo  human_mean_hi
    all  110          10       0.707          0.381          0.905

    Parameters
    ----------
    data
        A frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    human
        The column of verdicts: truth values, or numbers from 0 (wrong) to 1 (right). It is null where nobody has judged
        the row.
    metric
        The metric whose scores stand in for verdicts: a score column, or any column of numbers.
    by
        A column, an index level, or a list of them. Nulls are a group of their own.
    cluster
        A column or index level: rows with the same value are not independent, such as several answers to one question.
    ci
        The level of confidence intervals, as 0.95.

    Returns
    -------
    frame
        The kind of frame that was given, in pandas indexed by the groups. `n` counts the rows with a score,
        `n_labelled` those of them with a verdict, and `n_not_used` the others.

        - `human_mean`: the estimated mean verdict over all `n` rows, from 0 to 1.
        - `labels_alone`: the mean of the verdicts that are there, with the interval of `summary`.
        - `metric_mean`: the mean score over all `n` rows.
        - `slope`: how much the verdict rises with the score, by the rows that have both and six more that show no
          relation.

        The first two are followed by `<name>_lo` and `<name>_hi`. A group with fewer than 3 verdicts has no figure.

    Raises
    ------
    VerdictError
        Where a verdict is no number from 0 to 1, or no group has 3 verdicts.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used.

    Warns
    -----
    IntervalWarning
        Where a group has fewer than 3 verdicts, no slope, or fewer than ten clusters with verdicts.
    """
    from qa_frame.stats.grouping import list_keys  # noqa: PLC0415

    source, scoring = read_one_metric(data, metric)
    table = estimate_human_means(source, scoring, human=human, by=by, cluster=cluster, ci=float(ci))
    return source.like(table, has_keys=bool(list_keys(by)))


def estimate_human_means(
    source: Source, scoring: Scoring, *, human: Hashable, by: By, cluster: Hashable | None, ci: float
) -> pd.DataFrame:
    """Return one row per group."""
    scored = read_groups(source, scoring, make_group_columns(by, cluster=cluster), human=[human])
    ((metric, scores),) = scored.scores.items()
    verdicts = read_shares(scored.frame, human)
    found, rows = [], []
    for members in scored.members:
        used = members[~np.isnan(scores[members])]
        found.append(labelled_mean(scores[used], verdicts[used], scored.units_of(used), ci))
        n_labelled = int(np.count_nonzero(~np.isnan(verdicts[used])))
        row: dict[str, float] = {"n": len(used), "n_labelled": n_labelled, "n_not_used": len(members) - len(used)}
        for name, figure in zip(HUMAN_MEAN, (found[-1].mean, found[-1].labels_alone), strict=False):
            row |= dict(zip((name, f"{name}_lo", f"{name}_hi"), figure, strict=True))
        rows.append(row | {"metric_mean": mean_of(scores[used]), "slope": found[-1].slope})
    what = "labels" if cluster is None else "clusters with labels"
    _require_labels(max((each.n_units for each in found), default=0), human, metric, by, what)
    _warn_of_labels(scored.groups.labels.tolist(), found, metric, what)
    warn_of_few_clusters(scored, np.array([each.n_eff for each in found]), what)
    table = pd.DataFrame(rows, index=index_of(scored.groups))
    settings = {"human": human, "metric": metric, "cluster": cluster, "ci": ci}
    return describe(scored, table, "human_mean", HUMAN_MEAN, level=ci, **settings)


def read_shares(frame: pd.DataFrame, human: Hashable) -> Floats:
    """Return verdicts from 0 to 1, NaN for null, shape (rows,); VerdictError where one is beyond."""
    verdicts = read_any_verdicts(frame, human)
    is_outside = np.flatnonzero((verdicts < 0) | (verdicts > 1))
    if len(is_outside):
        raise VerdictError(
            f"human={show(human)} holds {verdicts[is_outside[0]]:g} at {name_rows(is_outside, frame.index)}, and a "
            "mean of verdicts needs numbers from 0 (wrong) to 1 (right); turn grades into shares first, as in "
            f"(df[{human!r}] - least) / (most - least)"
        )
    return verdicts


def _require_labels(most: int, human: Hashable, metric: str, by: By, what: str) -> None:
    """Raise VerdictError where no group has enough. most: how many the group with most has."""
    if most < LEAST_LABELS:
        noun, *rest = what.split(" ", 1)
        given = " ".join([plural(most, noun.removesuffix("s")), *rest])
        inside = "" if by is None else f", in the group of by={show(by)} that has most"
        raise VerdictError(
            f"human={show(human)} gives {given} on rows that have a score of metric={metric!r}{inside}; a mean of "
            f"verdicts needs {LEAST_LABELS} or more, and an interval of use needs dozens: label more rows, drawn at "
            "random"
        )


def _warn_of_labels(labels: Sequence[Any], found: Sequence[LabelledMean], metric: str, what: str) -> None:
    """Warn of groups without a figure, and without a slope."""
    is_few = np.array([each.n_units < LEAST_LABELS for each in found])
    is_flat = np.array([np.isnan(each.slope) for each in found]) & ~is_few
    reasons = {
        f"fewer than {LEAST_LABELS} {what}, so no figure,": is_few,
        f"{metric!r} does not vary among labelled rows, so the labels stand alone,": is_flat,
    }
    said = name_reasons(labels, reasons)
    if said:
        warn(f"means of verdicts rest on little: {said}; label more rows", IntervalWarning)
