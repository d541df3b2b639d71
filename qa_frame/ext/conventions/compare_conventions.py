"""`qa_frame.compare_conventions`: two or more conventions on the same rows → where and how far they disagree."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from qa_frame._names import ConventionName, MetricName
from qa_frame._typing import Floats, Unpack
from qa_frame.errors import UnknownOptionError, plural
from qa_frame.frames.names import require_new
from qa_frame.frames.source import Source, read_source
from qa_frame.rules.parts import Convention
from qa_frame.scoring.call_rules import GoldArguments, make_rules, require_metric
from qa_frame.scoring.pipeline import score_columns
from qa_frame.scoring.plan import Plan, make_plan
from qa_frame.scoring.predictions import prepare_predictions
from qa_frame.stats.rows import without_rounding
from qa_frame.tables.likely_columns import require_pred_and_gold
from qa_frame.tables.methods import takes_rules
from qa_frame.terminal import visible


@takes_rules(after="metric", of=GoldArguments)
def compare_conventions(
    data: Any,
    a: ConventionName | Convention,
    b: ConventionName | Convention,
    *others: ConventionName | Convention,
    pred: Hashable,
    gold: Hashable,
    metric: MetricName = "f1",
    **rules: Unpack[GoldArguments],
) -> ComparedConventions:
    """Show how conventions disagree on these rows, for one metric: why is my F1 not the paper's?

    `df.qa.compare_conventions(...)` is `qa_frame.compare_conventions(df, ...)`.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> raw = qa_frame.Convention(name="raw", overlap=qa_frame.rules.Overlap(text=qa_frame.rules.Text()))
    >>> lower = qa_frame.Convention(name="lower", overlap=qa_frame.rules.Overlap(text=qa_frame.rules.Text(("lower",))))
    >>> df = pd.DataFrame({"response": ["The Seine", "Rome"], "answers": [["the Seine"], ["Paris"]]})
    >>> qa_frame.compare_conventions(df, lower, raw, pred="response", gold="answers")
    f1: 1 of 2 rows change, 2 are scored by both
    <BLANKLINE>
                mean  n  mean_shared
    convention
    lower       0.50  2         0.50
    raw         0.25  2         0.25
    shift      -0.25  0        -0.25
    <BLANKLINE>
        response      answers  f1_lower  f1_raw  shift
    0  The Seine  [the Seine]       1.0     0.5   -0.5

    Several conventions. Those that score other rows have another mean, even if all other scores are the same:

    >>> df = qa_frame.sample()
    >>> found = qa_frame.compare_conventions(df, "squad", "squad2", "remem", pred="response", gold="answers")
    >>> found.means.round(3)
                 mean    n  mean_shared
    convention
    squad       0.423  345        0.423
    squad2      0.415  354        0.423
    remem       0.423  345        0.423

    Parameters
    ----------
    data
        Frame of any kind: pandas, polars or Arrow.
    a, b, *others
        Conventions to compare: names from `qa_frame.conventions`, or `Convention` objects.
    pred
        Column of predictions.
    gold
        Column of golds: texts, or lists of text.
    metric
        Metric to compute, for which all conventions have a rule.
    {arguments}

    Returns
    -------
    ComparedConventions
        It prints as its tables, which are of the kind of frame that was given. `means` has each convention's mean over
        the rows that it scores and over those that all score. `rows` has the rows whose score changes: first those that
        only some of the conventions score, then the largest change first; differences below nine decimals are no
        change. With two conventions, both tables have `shift`: the score by `b` less that by `a`. With three or more,
        `rows` has `spread`, the highest score less the lowest, and there are two tables with a row and a column for
        each convention: `shifts`, the mean by the column's less that by the row's, over the rows that both score, and
        `changed`, the share of all rows whose score differs between the two. `shift` and `spread` are NaN where not all
        score the row. `n_rows`, `n_shared` and `n_changed` count all rows, those that all conventions score, and those
        that change.

    Raises
    ------
    ColumnOverwriteError
        Where the frame has a column of its own with the name of one of the new ones, such as `shift`.
    UnknownOptionError
        Where a convention has no rule for the metric, two different ones have one name, or one of three or more is
        given twice.
    """
    require_metric("metric", metric)
    named = [("a", a), ("b", b), *(("others", convention) for convention in others)]
    plans = [
        make_plan([metric], make_rules(argument=argument, convention=convention, **rules), argument=argument)
        for argument, convention in named
    ]
    return compare_plans(read_source(data), plans, pred=pred, gold=gold)


_ROWS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class ComparedConventions:
    """How conventions disagree. Printed, or shown in a notebook, it is all its tables.

    Tables are of the kind of frame that was given. In other kinds than pandas the index is the first column.

    Attributes
    ----------
    metric
        The metric that is compared.
    means
        A row for each convention: `mean` over the rows that it scores, `n`, the number of these, and
        `mean_shared` over the rows that all conventions score. Of two conventions there follows `shift`: the second
        less the first in each column, so that `mean_shared` is what the rules change, and all else comes from rows that
        only one of them scores.
    rows
        The rows whose score changes, to nine decimals: first those that not all score, which have no `shift` or
        `spread`, then the largest change first, in the frame's order among equals. The frame's columns, the scores, and
        of two conventions `shift`, of more `spread`: the highest less the lowest. In pandas with the frame's index.
    n_rows, n_shared, n_changed
        Rows in all, rows that all conventions score, and rows whose score changes between any two of them.
    shifts
        If there are three conventions or more, a table with a row and a column for each: the mean
        of the column's less that of the row's, over the rows that both score. Else None.
    changed
        A table of the same shape: the share of all rows, from 0 to 1, whose score changes between the two.
    """

    metric: str
    means: Any
    rows: Any
    n_rows: int
    n_shared: int
    n_changed: int
    shifts: Any = None
    changed: Any = None

    def _parts(self) -> list[Any]:
        """Return the titles and tables that are shown, in their order."""
        who = "both" if self.shifts is None else "all"
        rows = plural(self.n_rows, "row")
        head = f"{self.metric}: {self.n_changed} of {rows} change, {self.n_shared} are scored by {who}"
        if self.shifts is None:
            return [head, self.means, self.rows]
        of_shifts = "shift from the row's convention to the column's, over the rows that both score"
        return [head, self.means, of_shifts, self.shifts, "share of rows that change", self.changed, self.rows]

    def __repr__(self) -> str:
        return visible("\n\n".join(map(str, self._parts())), keep="\n")

    def _repr_html_(self) -> str:
        return visible("".join(map(_as_html, self._parts())), keep="\n")


def _as_html(part: Any) -> str:
    """Return a title, or a table of any kind of frame, in HTML."""
    if isinstance(part, pd.DataFrame):
        return part.to_html(max_rows=_ROWS_SHOWN)
    tag = "p" if isinstance(part, str) else "pre"
    return f"<{tag}>{escape(str(part))}</{tag}>"


def compare_plans(source: Source, plans: Sequence[Plan], *, pred: Hashable, gold: Hashable) -> ComparedConventions:
    """Return how the scores of two or more plans of one metric differ."""
    (metric,) = plans[0].metrics
    conventions = [plan.convention.name for plan in plans]
    _require_distinct_names(plans)
    change = "shift" if len(plans) == 2 else "spread"
    names = [*(f"{metric}_{name}" for name in conventions), change]
    spans = all(plan.convention.spans for plan in plans)
    require_pred_and_gold(source, pred=pred, gold=gold)
    responses = source.texts(pred=pred, gold=gold, **plans[0].reading_arguments | {"spans": spans})
    require_new(source.labels(names), source.names, what="new column {!r}", remedy="rename the column of data first")
    columns = prepare_predictions(responses, plans[0])
    scores = np.stack([score_columns(columns, plan, progress=False)[metric] for plan in plans])
    is_scored = ~np.isnan(scores)
    is_shared = is_scored.all(axis=0)
    spread = np.ptp(np.nan_to_num(scores), axis=0)
    size = np.where(is_shared, without_rounding(spread), np.where(is_scored.any(axis=0), np.inf, 0.0))
    changed = np.flatnonzero(size)
    changed = changed[np.lexsort((changed, -size[changed]))]
    signed = scores[1] - scores[0] if change == "shift" else np.where(is_shared, spread, np.nan)
    shown = dict(zip(names, (*scores[:, changed], signed[changed]), strict=True))
    index = pd.Index(conventions, name="convention")
    matrices = {} if change == "shift" else _compare_each_pair(scores, index)
    return ComparedConventions(
        metric=metric,
        means=source.like(_mean_by_convention(scores, is_shared, index), has_keys=True),
        rows=source.take(changed).with_columns(shown),
        n_rows=len(columns),
        n_shared=int(np.count_nonzero(is_shared)),
        n_changed=len(changed),
        **{name: source.like(table, has_keys=True) for name, table in matrices.items()},
    )


def _require_distinct_names(plans: Sequence[Plan]) -> None:
    """Raise UnknownOptionError where different conventions have one name, or one of three or more is given twice."""
    known: dict[str, tuple[str, Plan]] = {}
    arguments = ["a", "b", *["others"] * (len(plans) - 2)]
    for argument, plan in zip(arguments, plans, strict=True):
        name = plan.convention.name
        before, same = known.setdefault(name, (argument, plan))
        if same is plan or (len(plans) == 2 and same.convention == plan.convention):
            continue
        if same.convention == plan.convention:
            raise UnknownOptionError(f"{argument}={name!r} is also given as {before}; name each convention once")
        raise UnknownOptionError(
            f"{before} and {argument} are both named {name!r}; rename one: "
            f"dataclasses.replace({argument if argument != 'others' else 'convention'}, name='other')"
        )


def _mean_by_convention(scores: NDArray[np.float64], is_shared: NDArray[np.bool_], index: pd.Index) -> pd.DataFrame:
    """Return `ComparedConventions.means`. scores: shape (conventions, rows). is_shared: the rows that all score.

    index: the names of the conventions.
    """
    table = pd.DataFrame(
        {
            "mean": [_mean_or_nan(each[~np.isnan(each)]) for each in scores],
            "n": [np.count_nonzero(~np.isnan(each)) for each in scores],
            "mean_shared": [_mean_or_nan(each[is_shared]) for each in scores],
        },
        index=index,
    )
    if len(index) > 2:
        return table
    shift = {name: [values.iloc[1] - values.iloc[0]] for name, values in table.items()}
    return pd.concat([table, pd.DataFrame(shift, index=pd.Index(["shift"], name=index.name))])


def _compare_each_pair(scores: NDArray[np.float64], index: pd.Index) -> dict[str, pd.DataFrame]:
    """Return the tables `shifts` and `changed` of `ComparedConventions`, by these names.

    scores: shape (conventions, rows). index: the names of the conventions.
    """
    shifts, changed = np.zeros((2, len(index), len(index)))
    for row, before in enumerate(scores):
        for column, after in enumerate(scores):
            shift = after - before
            shifts[row, column] = _mean_or_nan(shift[~np.isnan(shift)])
            is_other = (np.isnan(before) != np.isnan(after)) | (without_rounding(np.nan_to_num(shift)) != 0)
            changed[row, column] = _mean_or_nan(is_other)
    tables = {"shifts": shifts, "changed": changed}
    return {name: pd.DataFrame(values, index=index, columns=index.tolist()) for name, values in tables.items()}


def _mean_or_nan(scores: Floats | NDArray[np.bool_]) -> float:
    """Return the mean; NaN of no values."""
    return float(scores.mean()) if len(scores) else np.nan
