"""`qa_frame.abstention` and `qa_frame.risk_coverage`: questions that were declined, and answers by their confidence."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from qa_frame._typing import By, Flags, Floats, Frame
from qa_frame.checks import suggestion
from qa_frame.errors import ColumnNotFoundError, ColumnTypeError, UnknownOptionError, show
from qa_frame.ext.abstention.results import CURVE, RATES
from qa_frame.ext.abstention.statistics import Answers, mean_scores_by_threshold
from qa_frame.extraction.refusals import declines
from qa_frame.frames.conversions import read_numbers
from qa_frame.frames.names import name_rows
from qa_frame.frames.source import Source
from qa_frame.frames.text_columns import TextColumns
from qa_frame.scoring.pair_metrics import PairMetric
from qa_frame.scoring.plan import ScoreColumns
from qa_frame.scoring.pooled import NO_GOLD
from qa_frame.stats.grouping import list_keys, make_group_columns
from qa_frame.tables.groups import add_note, index_of, read_groups, warn_of_few_clusters
from qa_frame.tables.methods import explains_wrong_calls
from qa_frame.tables.rows import ReadRows, read_metrics, read_one_metric


@explains_wrong_calls
def abstention(
    data: Frame,
    by: By = None,
    *,
    declined: Hashable | re.Pattern[str],
    metrics: ScoreColumns = None,
    cluster: Hashable | Sequence[Hashable] | None = None,
    ci: float | None = None,
) -> Frame:
    """Tell how many questions were answered, and how well: one row per group and metric.

    `df.qa.abstention(...)` is `qa_frame.abstention(df, ...)`.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({
    ...     "response": ["Paris", "Rome", "I don't know.", "Oslo", "Bern"],
    ...     "answers": [["Paris"], ["Rome"], ["Lima"], ["Kyiv"], ["Lima"]],
    ... })
    >>> scored = qa_frame.score(df, pred="response", gold="answers", metrics="em")
    >>> table = qa_frame.abstention(scored, declined=qa_frame.rules.REFUSAL)
    >>> table[["n", "n_answered", "coverage", "answered", "overall", "harmonic"]].round(3)
            n  n_answered  coverage  answered  overall  harmonic
    metric
    em      5           4       0.8       0.5      0.4     0.444

    Parameters
    ----------
    data
        Frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    by
        Column(s) or index levels to group by. None gives one row for all.
    declined
        Column of truth values, without nulls, that says which rows give no answer; or a pattern from `re.compile`, such
        as `qa_frame.rules.REFUSAL`. The pattern is searched in the predictions that were scored, so after `extract`;
        null and blank ones decline, too. It needs a frame that `score` returned, or `with_scoring_of`.
    metrics
        Columns of scores: metrics, or other columns of numbers from 0 to 1 or truth values. None takes all scores.
    cluster
        Column(s) or index levels that rows share which are not independent.
    ci
        Confidence level of the intervals, such as 0.95. None gives no intervals.

    Returns
    -------
    frame
        The kind of frame that was given, in pandas indexed by the groups and `metric`. `n` counts the rows used: those
        with a score, and those that decline a question with golds. `n_answered` counts those of them that answer, and
        `n_not_used` the other rows. With `ci`, each of these has `<name>_lo` and `<name>_hi`:

        - `coverage`: the share of questions that are answered.
        - `answered`: the mean score of the answers.
        - `overall`: the mean score where a question that is declined scores 0.
        - `harmonic`: the harmonic mean of `answered` and `overall`, which SimpleQA calls F1; 0 where nothing is
          answered.
        - `has_ans`, `no_ans`: the mean score of questions with golds and of those without, which the SQuAD 2.0 script
          calls HasAns and NoAns. Only conventions such as "squad2" score questions without golds. Both are NaN where
          golds are not known.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used.

    Warns
    -----
    IntervalWarning
        Where a group has fewer than ten clusters, and intervals are asked for.

    Notes
    -----
    The figures are those of `simpleqa_eval.py` in openai/simple-evals and of `squad_metrics.py` in transformers.
    Intervals are made as in `summary`.
    """
    level = None if ci is None else float(ci)
    source, scoring = read_metrics(data, metrics)
    columns = _declined_columns(source, declined)
    rows = read_groups(source, scoring, make_group_columns(by, cluster=cluster), declined=columns)
    is_declined = read_declined(rows.frame, rows.texts, declined)
    has_answer = None if rows.texts is None else rows.texts.n_golds > 0
    if level is not None:
        warn_of_few_clusters(rows, rows.clustered.sizes.df + 1)
    parts = []
    for metric, scores in rows.scores.items():
        used = _find_usable_rows(rows, metric, is_declined)
        answers = Answers(
            rows.clustered.take(used),
            scores[used],
            is_declined[used],
            None if has_answer is None else has_answer[used],
        )
        parts.append(_tabulate_rates(answers, rows, level))
    # Rows of one group stand together: each metric's table has the groups in the same order.
    made = pd.concat(parts, ignore_index=True)
    n_groups = rows.clustered.n_groups
    made = made.iloc[np.arange(len(made)).reshape(len(parts), n_groups).T.ravel()]
    made.index = index_of(rows.groups, list(rows.scores))
    rates = [name for name in made.columns if name in RATES]
    pattern = getattr(declined, "pattern", declined)
    settings = {"declined": pattern, "cluster": cluster, "ci": level}
    return source.like(add_note(rows, made, "abstention", rates, level=level, **settings), has_keys=True)


@explains_wrong_calls
def risk_coverage(
    data: Frame,
    by: By = None,
    *,
    confidence: Hashable,
    metric: str | PairMetric = "f1",
    declined: Hashable | re.Pattern[str] | None = None,
) -> Frame:
    """Tell how good the answers are if those that are not sure enough are withheld: one row per confidence.

    `df.qa.risk_coverage(...)` is `qa_frame.risk_coverage(df, ...)`. `qa_frame.plot.risk_coverage` draws the result.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"sure": [0.9, 0.8, 0.7, 0.6], "em": [1, 1, 0, 0]})
    >>> qa_frame.risk_coverage(df, confidence="sure", metric="em").round(3)
       n  threshold  coverage  score   risk
    0  1        0.9      0.25  1.000  0.000
    1  2        0.8      0.50  1.000  0.000
    2  3        0.7      0.75  0.667  0.333
    3  4        0.6      1.00  0.500  0.500

    Parameters
    ----------
    data
        Frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    confidence
        Column of finite numbers. The higher it is, the surer is the answer.
    metric
        Column of scores: a metric, or another column of numbers from 0 to 1 or truth values.
    by
        Column(s) or index levels to group by. Nulls are a group of their own.
    declined
        Column of truth values that says which rows give no answer at any threshold; or a pattern from `re.compile`,
        which is searched in the predictions. With a pattern, null and blank predictions give no answer either.

    Returns
    -------
    frame
        The kind of frame that was given, in pandas indexed by the groups, where there are some. There is a row for each
        distinct confidence of a group's scored answers, the highest first:

        - `threshold`: this confidence. Answers of this confidence or more are given; `n` counts them.
        - `coverage`: their share of the group's questions that are scored or declined.
        - `score`: their mean score; `risk`: 1 - score.

        Without answers there is no row.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, UnknownOptionError
        Where a column or an argument cannot be used, as in `abstention`.
    """
    source, scoring = read_one_metric(data, metric)
    columns = {"declined": _declined_columns(source, declined), "confidence": [confidence]}
    read = read_groups(source, scoring, make_group_columns(by), **columns)
    ((name, scores),) = read.scores.items()
    is_declined = np.zeros(len(scores), np.bool_)
    if declined is not None:
        is_declined = read_declined(read.frame, read.texts, declined)
    used = _find_usable_rows(read, name, is_declined)
    confidences = read_confidence(read.frame, confidence, is_declined | ~used)
    parts = []
    # A frame without rows has no group, and its table still has all columns.
    for members in read.members or [np.zeros(0, np.int64)]:
        rows = members[used[members]]
        answered = rows[~is_declined[rows]]
        threshold, n, score = mean_scores_by_threshold(confidences[answered], scores[answered])
        values = (threshold, n / max(len(rows), 1), score, 1 - score)
        parts.append(pd.DataFrame({"n": n, **dict(zip(CURVE, values, strict=True))}))
    table = pd.concat(parts, ignore_index=True)
    if read.keys.by:
        table.index = index_of(read.groups).take(np.repeat(np.arange(len(parts)), [*map(len, parts)]))
    return source.like(add_note(read, table, "risk_coverage", CURVE), has_keys=bool(list_keys(by)))


def _tabulate_rates(answers: Answers, rows: ReadRows, ci: float | None) -> pd.DataFrame:
    """Return one row per group: its counts and `RATES`, each rate followed by its bounds where `ci` is a level.

    answers: the rows that are used. rows: all rows, from which `n_not_used` is counted.
    """
    n = answers.clustered.n_rows
    n_answered = answers.clustered.take(~answers.is_declined).n_rows
    columns: dict[str, Any] = {"n": n, "n_answered": n_answered, "n_not_used": rows.clustered.n_rows - n}
    for name, (value, low, high) in answers.rates(ci).items():
        columns |= {name: value} | ({} if ci is None else {f"{name}_lo": low, f"{name}_hi": high})
    return pd.DataFrame(columns)


# --- reading


def _declined_columns(source: Source, declined: Hashable | re.Pattern[str] | None) -> list[Hashable]:
    """Return the column that `declined` names, in a list; an empty list for a pattern or None.

    ColumnNotFoundError for a text that is no column, as it may be meant as a pattern.
    """
    if isinstance(declined, str) and declined not in source.names:
        raise ColumnNotFoundError(
            f"declined={show(declined)} is not a column{suggestion(declined, source.names)} To look for it in the "
            f"predictions, give a pattern: declined=re.compile({re.escape(declined)!r}). Columns: "
            f"{source.names}"
        )
    return [] if declined is None or isinstance(declined, re.Pattern) else [declined]


def read_declined(frame: pd.DataFrame, texts: TextColumns | None, declined: Hashable | re.Pattern[str]) -> Flags:
    """Return which rows give no answer, shape (rows,): as a column says, or as the pattern finds in predictions.

    With a pattern, null and blank predictions give no answer either. Raise ColumnTypeError where the column holds a
    null, or anything but truth values or the numbers 0 and 1; for a pattern, raise as `_find_refusals`.
    """
    if isinstance(declined, re.Pattern):
        return _find_refusals(texts, declined)
    values = read_numbers(frame, declined, "declined")
    is_other = np.flatnonzero((values != 0) & (values != 1))
    if len(is_other):
        first = "is null" if np.isnan(values[is_other[0]]) else f"holds {values[is_other[0]]:g}"
        raise ColumnTypeError(
            f"declined={show(declined)} {first} at {name_rows(is_other, frame.index)}, and not truth values; give a "
            "column of truth values, or a pattern from re.compile, such as qa_frame.rules.REFUSAL"
        )
    return np.asarray(values == 1)


def _find_refusals(texts: TextColumns | None, pattern: re.Pattern[str]) -> Flags:
    """Return in which predictions the pattern is found, or which are null or blank, shape (rows,).

    Raise UnknownOptionError for a pattern of bytes, and where predictions are not known or are lists of spans.
    """
    if not isinstance(pattern.pattern, str):
        raise UnknownOptionError(f"declined={show(pattern)} is a pattern of bytes; give one of text, or a column")
    if texts is None or texts.has_lists:
        reason = "are not known" if texts is None else "are lists of spans"
        remedy = "name a column of truth values" + ", or restore them by with_scoring_of" * (texts is None)
        raise UnknownOptionError(f"declined is a pattern, and the predictions {reason}; {remedy}")
    return declines(texts.pred, pattern)


def read_confidence(frame: pd.DataFrame, confidence: Hashable, is_declined: Flags) -> Floats:
    """Return the confidence of each row, shape (rows,); NaN where it is null or infinite.

    Raise ColumnTypeError where it is null or infinite in a row that `is_declined` does not flag, as this row needs one.
    """
    values = read_numbers(frame, confidence, "confidence")
    is_wrong = np.flatnonzero(~np.isfinite(values) & ~is_declined)
    if len(is_wrong):
        raise ColumnTypeError(
            f"confidence={show(confidence)} is null or infinite at {name_rows(is_wrong, frame.index)}, where an answer "
            "is given; give finite numbers, or drop these rows"
        )
    return np.where(np.isfinite(values), values, np.nan)


def _find_usable_rows(rows: ReadRows, metric: str, is_declined: Flags) -> Flags:
    """Return which rows are scored, or decline a question that can be scored, shape (rows,).

    ColumnTypeError where a score is below 0 or above 1. All questions can be scored where the frame does not say which
    rows have golds.
    """
    scores = rows.scores[metric]
    is_outside = np.flatnonzero((scores < 0) | (scores > 1))
    if len(is_outside):
        raise ColumnTypeError(
            f"the scores {metric!r} are from {np.nanmin(scores):g} to {np.nanmax(scores):g}, first beyond 0 and 1 at "
            f"{name_rows(is_outside, rows.frame.index)}; a share of right answers needs scores from 0 to 1: divide "
            "them by the largest one that is possible, also where a PairMetric or a function of reduce= gives them"
        )
    no_gold = rows.flags.get(NO_GOLD)
    can_be_scored = np.ones(len(scores), np.bool_) if no_gold is None else ~no_gold
    return ~np.isnan(scores) | (is_declined & can_be_scored)
