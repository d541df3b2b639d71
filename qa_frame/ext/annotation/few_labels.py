"""`qa_frame.human_mean` and `qa_frame.sample_for_annotation`: the mean of all verdicts from a few, and which few."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import By, Floats, Frame
from qa_frame.checks import is_number, require_whole_number
from qa_frame.errors import IntervalWarning, UnknownOptionError, VerdictError, plural, show, warn
from qa_frame.ext.annotation.bounded import mean_of
from qa_frame.ext.annotation.prediction_powered import (
    LEAST_LABELS,
    LabelledMean,
    labelled_mean,
    labels_for_width,
    width_of_labels,
)
from qa_frame.ext.annotation.results import HUMAN_MEAN
from qa_frame.frames.names import name_reasons, name_rows
from qa_frame.frames.row_hashes import hash_rows
from qa_frame.frames.source import Source, read_source
from qa_frame.scoring.pair_metrics import PairMetric
from qa_frame.stats.grouping import code_groups, list_keys, make_group_columns, read_keys
from qa_frame.tables.groups import add_note, index_of, read_groups, warn_of_few_clusters
from qa_frame.tables.human_verdicts import read_any_verdicts
from qa_frame.tables.methods import explains_wrong_calls
from qa_frame.tables.rows import read_one_metric


@explains_wrong_calls
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
    all  110          10       0.707          0.399          0.958

    Parameters
    ----------
    data
        Frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    human
        Column of verdicts: truth values, or numbers from 0 (wrong) to 1 (right). It is null where nobody has judged the
        row.
    metric
        Column of scores from which verdicts are predicted: a metric that was scored before, by its name or its
        `PairMetric`, or another column of numbers.
    by
        Column(s) or index levels to group by. Nulls are a group of their own. None gives one row for all.
    cluster
        Column(s) or index levels that rows share which are not independent, such as a question with several answers.
    ci
        Confidence level of the intervals, such as 0.95.

    Returns
    -------
    frame
        The kind of frame that was given, in pandas indexed by the groups. `n` counts the rows with a score,
        `n_labelled` those of them with a verdict, and `n_not_used` the rows without a score.

        - `human_mean`: the estimated mean verdict over all `n` rows, from 0 to 1. It is the mean verdict where every
          row has one.
        - `labels_alone`: the mean verdict of the `n_labelled` rows.
        - `metric_mean`: the mean score over all `n` rows. It is no estimate of the mean verdict.
        - `slope`: how much the verdict rises with the score, in the rows that have both. It is pulled towards 0, as if
          six rows without any relation were added. It is NaN where all these rows have the same score; `human_mean` is
          then that of the labels alone.

        The first two have bounds, `<name>_lo` and `<name>_hi`. With fewer than 3 verdicts in a group, or with
        `cluster` fewer than 3 clusters that have verdicts, `human_mean` and `slope` are NaN.

    Raises
    ------
    VerdictError
        Where a verdict is no number from 0 to 1, or no group has 3 verdicts, or 3 clusters with verdicts.
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used.

    Warns
    -----
    IntervalWarning
        Where a group has fewer than 3 verdicts, no slope, or fewer than ten clusters with verdicts.

    Notes
    -----
    The estimate is PPI++ (Angelopoulos, Duchi and Zrnic 2023): the mean verdict of the labelled rows, plus the slope
    times the difference of the mean score of all rows and that of the labelled ones, clipped to [0, 1]. The labelled
    rows may have scored low by chance, and the slope corrects for it. Its interval is made as in `summary`,
    from the variance that this gives. The page "What would people say?" says more.
    """
    source, scoring = read_one_metric(data, metric)
    scored = read_groups(source, scoring, make_group_columns(by, cluster=cluster), human=[human])
    ((name, scores),) = scored.scores.items()
    verdicts = _read_shares(scored.frame, human)
    estimates, rows = [], []
    for members in scored.members:
        used = members[~np.isnan(scores[members])]
        estimates.append(labelled_mean(scores[used], verdicts[used], scored.units_of(used), float(ci)))
        n_labelled = int(np.count_nonzero(~np.isnan(verdicts[used])))
        row: dict[str, float] = {"n": len(used), "n_labelled": n_labelled, "n_not_used": len(members) - len(used)}
        for column, bounded in zip(HUMAN_MEAN, (estimates[-1].mean, estimates[-1].labels_alone), strict=False):
            row |= dict(zip((column, f"{column}_lo", f"{column}_hi"), bounded, strict=True))
        rows.append(row | {"metric_mean": mean_of(scores[used]), "slope": estimates[-1].slope})
    what = "labels" if cluster is None else "clusters with labels"
    _require_labels(max((each.n_units for each in estimates), default=0), human, name, by, what)
    _warn_of_labels(scored.groups.labels.tolist(), estimates, name, what)
    warn_of_few_clusters(scored, np.array([each.n_eff for each in estimates]), what)
    table = pd.DataFrame(rows, index=index_of(scored.groups))
    settings = {"human": human, "metric": name, "cluster": cluster, "ci": float(ci)}
    described = add_note(scored, table, "human_mean", HUMAN_MEAN, level=float(ci), **settings)
    return source.like(described, has_keys=bool(list_keys(by)))


def _read_shares(frame: pd.DataFrame, human: Hashable) -> Floats:
    """Return verdicts from 0 to 1, NaN for null, shape (rows,); VerdictError where one is below 0 or above 1."""
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
    """Raise VerdictError where no group has `LEAST_LABELS` labels.

    most: how many labels, or clusters with labels, the group with most of them has. what: the words for these.
    """
    if most < LEAST_LABELS:
        noun, *rest = what.split(" ", 1)
        labels = " ".join([plural(most, noun.removesuffix("s")), *rest])
        inside = "" if by is None else f", in the group of by={show(by)} that has most"
        raise VerdictError(
            f"human={show(human)} gives {labels} on rows that have a score of metric={metric!r}{inside}; a mean of "
            f"verdicts needs {LEAST_LABELS} or more, and an interval of use needs dozens: label more rows, drawn at "
            "random"
        )


def _warn_of_labels(labels: Sequence[Any], estimates: Sequence[LabelledMean], metric: str, what: str) -> None:
    """Warn of groups with too few labels for an estimate, and of those whose metric cannot narrow the interval.

    labels: the names of the groups. estimates: one for each group. what: the words for what is counted, such as
    "clusters with labels".
    """
    is_few = np.array([each.n_units < LEAST_LABELS for each in estimates])
    is_flat = np.array([np.isnan(each.slope) for each in estimates]) & ~is_few
    reasons = {
        f"fewer than {LEAST_LABELS} {what}, so no figure,": is_few,
        f"{metric!r} does not vary among labelled rows, so the labels stand alone,": is_flat,
    }
    named = name_reasons(labels, reasons)
    if named:
        warn(f"means of verdicts rest on little: {named}; label more rows", IntervalWarning)


@explains_wrong_calls
def sample_for_annotation(
    data: Frame,
    n: int | None = None,
    by: By = None,
    *,
    width: float | None = None,
    ci: float = 0.95,
) -> Frame:
    """Draw the rows of each group that people should label, at random, and say how wide the interval will be.

    `df.qa.sample_for_annotation(...)` is `qa_frame.sample_for_annotation(df, ...)`. Write the verdicts into a column
    `human` of the whole frame, with null in all other rows; `human_mean` reads it.

    Examples
    --------
    >>> import qa_frame
    >>> drawn = qa_frame.sample_for_annotation(qa_frame.sample(), width=0.25, by="model")
    >>> drawn.groupby("model").size().tolist(), drawn.attrs["qa_drawn"]
    ([58, 58, 58], {'n': 58, 'width': 0.249, 'ci': 0.95})

    Parameters
    ----------
    data
        Frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    n
        Number of rows to draw from each group. Smaller groups are taken whole.
    by
        Column(s) or index levels to group by. None takes all rows as one group.
    width
        Largest width of the interval of a group's mean verdict, above 0 and below 1, from which `n` is calculated. Give
        it or `n`.
    ci
        Confidence level of that interval.

    Returns
    -------
    frame
        The kind of frame that was given: the drawn rows in their order, with all columns. `attrs["qa_drawn"]`, in an
        Arrow table the metadata, has `n` and `width`; polars has none. `width` is that of Wilson's interval for `n`
        labels where half of the answers are right, which is the widest case. A smaller group has a wider interval. The
        metric's scores make intervals narrower where they agree with people. Which rows are drawn depends on the values
        of the rows, and not on their order.

    Raises
    ------
    ColumnNotFoundError, UnknownOptionError
        Where a column or an argument cannot be used; also where n and width are both given, or neither.

    See Also
    --------
    human_mean : The mean verdict over all rows, from the labels.
    """
    if (n is None) == (width is None):
        raise UnknownOptionError(f"n={show(n)} and width={show(width)}; give one of them, and not the other")
    if width is not None:
        if not is_number(width) or not 0 < width < 1:
            raise UnknownOptionError(f"width={show(width)} is not a number above 0 and below 1; give one, such as 0.2")
        n = labels_for_width(float(width), ci)
    require_whole_number("n", n, least=1, most=sys.maxsize)
    note = {"n": int(n or 0), "width": round(width_of_labels(int(n or 0), ci), 3), "ci": float(ci)}
    chosen: Frame = _draw_rows(read_source(data), int(n or 0), by=by, note=note)
    return chosen


def _draw_rows(source: Source, n: int, *, by: By, note: Mapping[str, Any]) -> Any:
    """Return n rows of each group, chosen by a hash of their values, in the frame's order; all rows of a smaller group.

    The result is of the caller's kind of frame. note: what `attrs["qa_drawn"]` holds.
    """
    keys = list_keys(by)
    frame = source.as_pandas({"by": keys})
    group = code_groups(read_keys(frame, keys), len(frame)).codes
    order = np.lexsort((np.arange(len(group)), hash_rows(source), group))
    is_chosen = pd.Series(order).groupby(group[order]).cumcount().to_numpy() < n
    return source.take(np.sort(order[is_chosen])).with_note("qa_drawn", note)
