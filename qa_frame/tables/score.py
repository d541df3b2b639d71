"""`qa_frame.score`: a frame with predictions and golds → the same frame with score columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from qa_frame._names import MetricName
from qa_frame._typing import Frame, Unpack
from qa_frame.frames.marks import MARK
from qa_frame.frames.names import require_new, require_no_overwrite, require_prefix
from qa_frame.frames.scoring_metadata import note_scoring, own_scores
from qa_frame.frames.source import read_source
from qa_frame.frames.text_columns import read_columns, require_text_types
from qa_frame.parallel.jobs import count_jobs
from qa_frame.scoring.call_rules import RuleArguments, make_rules, rules_to_plain
from qa_frame.scoring.pair_metrics import MetricOfRows, PairMetric, score_by_columns
from qa_frame.scoring.pipeline import score_with_doubts
from qa_frame.scoring.plan import Metrics, Plan, make_plan
from qa_frame.scoring.predictions import prepare_predictions
from qa_frame.scoring.row_flag_warnings import warn_of
from qa_frame.scoring.row_flags import RowFlags
from qa_frame.tables.methods import takes_rules


@takes_rules(after="metrics")
def score(
    data: Frame,
    pred: Hashable,
    gold: Hashable,
    *,
    metrics: Metrics | MetricOfRows | Iterable[MetricName | PairMetric | MetricOfRows] = None,
    stats: bool = False,
    prefix: str = "",
    append: bool = True,
    progress: bool | None = None,
    n_jobs: int | None = None,
    **rules: Unpack[RuleArguments],
) -> Frame:
    """Score each row: a new frame with the columns of `data`, and then one column per metric.

    `df.qa.score(...)` is `qa_frame.score(df, ...)`.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"response": ["in Paris", None], "answers": [["Paris", "Paris, France"], ["Rome"]]})
    >>> qa_frame.score(df, "response", "answers", metrics=["f1", "contains"], append=False)
             f1  contains
    0  0.666667       1.0
    1  0.000000       0.0

    Parameters
    ----------
    data
        A frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    pred
        The column of predictions: text of any pandas or Arrow type, categorical too. Whole numbers and truth values
        are read as their texts, "42" and "True". Floats are an error: 2.0 may be "2.0" or "2".
    gold
        The column of golds: lists, tuples, arrays or Arrow lists of what `pred` takes; or one gold per row; or
        SQuAD's dicts, `{"text": [...], "answer_start": [...]}`.
    metrics
        Names of metrics, `"math_verify"`, `PairMetric` and `RowMetric`, or `"all"`. None: those of the convention.
    {arguments}
    stats
        Whether to add the sufficient statistics, too.
    prefix
        The text in front of the new names.
    append
        False: the new columns alone.
    progress
        True shows a bar, False none. None: in a terminal, after two seconds.
    n_jobs
        How many worker processes score at once, as in joblib (extra `parallel`): -1 for one per processor.

    Returns
    -------
    frame
        The kind of frame that was given; else a `pyarrow.Table`.
        The score columns are float64 in [0, 1], or what a function given as `reduce` or a `PairMetric` returns; the
        statistics are int64, 0 in a row that is not scored. Behind them stands the category `qa_rules`, of one byte
        per row: by which rules each row has its scores. It tells rows of several scorings that are put together
        later, which all that reads scores then refuses. `append=False` gives no such column.

    Raises
    ------
    QaFrameError
        For a column that is not there or holds something else, an argument that is not allowed, a null prediction under
        `missing="raise"`, or a function of yours that fails. Its classes are in `qa_frame.errors`.

    Warns
    -----
    ExtractionWarning, GoldFormatWarning, ScoringWarning
        Where many scores may be untrue. The page of warnings has remedies.
    """
    plan = make_plan(metrics, make_rules(**rules), stats=stats, takes_rows=True)
    jobs = count_jobs(n_jobs)
    scored, doubts = score_by(
        plan, data, pred=pred, gold=gold, prefix=prefix, append=append, progress=progress, n_jobs=jobs, marks=True
    )
    warn_of(doubts, plan, gold=gold)
    return scored


def score_by(
    plan: Plan,
    data: Frame,
    *,
    pred: Hashable,
    gold: Hashable,
    prefix: str,
    append: bool,
    progress: bool | None,
    n_jobs: int = 1,
    marks: bool = False,
) -> tuple[Frame, RowFlags]:
    """Score a frame, or a part of one. Return the scored frame and its doubts, without a warning of them."""
    require_prefix(prefix)
    source = read_source(data)
    responses = read_columns(source.columns, pred=pred, gold=gold, **plan.reading)
    names = name_scores(plan, prefix)
    own = {prefix + metric.name: metric.name for metric in plan.functions}
    if append:
        require_no_overwrite(source.labels([*names, MARK]), pred=pred, gold=gold)
    if append and own:
        require_new(own, source.names, own_scores(source.notes))
    columns = prepare_predictions(responses, plan)
    scores, doubts = score_with_doubts(columns, plan, n_jobs=n_jobs, progress=progress)
    of_rows = [
        score_by_columns(
            metric, [source.values("RowMetric.columns", name) for name in metric.columns], progress=progress
        )
        for metric in plan.by_row
    ]
    new = dict(zip(names, [*scores.values(), *of_rows], strict=True))
    notes = note_scoring(
        source.notes if append else {},
        names,
        pred=pred,
        gold=gold,
        choices=plan.rules.choices,
        rules=rules_to_plain(plan.rules),
        signature=plan.signature,
        own=own,
    )
    scored: Frame = source.with_scores(new, notes, append=append, marks=marks)
    return scored, doubts


def name_scores(plan: Plan, prefix: str) -> list[str]:
    """Return the names of the new columns."""
    return [prefix + name for name in (*plan.metrics, *plan.statistics, *(metric.name for metric in plan.by_row))]


def score_no_rows(plan: Plan, empty: Frame, *, pred: Hashable, gold: Hashable, prefix: str, append: bool) -> Frame:
    """Score a frame without rows: it gets the columns and the notes of the result.

    Raises the errors of arguments, and of the names and types of columns.
    """
    scored, _ = score_by(plan, empty, pred=pred, gold=gold, prefix=prefix, append=append, progress=False)
    require_text_types(read_source(empty).columns, pred=pred, gold=gold, spans=plan.convention.spans)
    return scored
