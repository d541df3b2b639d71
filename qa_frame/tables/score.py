"""`qa_frame.score`: a frame with predictions and golds → the same frame with score columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from qa_frame._names import MetricName
from qa_frame._typing import Frame, Unpack
from qa_frame.errors import ColumnNotFoundError
from qa_frame.frames.names import require_new, require_no_overwrite, require_prefix
from qa_frame.frames.row_rules import FLAG, MARK, as_column, make_column_of_rules
from qa_frame.frames.scoring_metadata import note_scoring, own_scores
from qa_frame.frames.source import read_source
from qa_frame.frames.text_columns import read_columns, require_text_types
from qa_frame.parallel.jobs import count_jobs
from qa_frame.scoring.call_rules import RuleArguments, make_rules, rules_to_plain
from qa_frame.scoring.metrics import ALL_STATISTICS, METRICS
from qa_frame.scoring.pair_metrics import MetricOfRows, PairMetric, score_by_columns
from qa_frame.scoring.pipeline import score_and_count
from qa_frame.scoring.plan import Metrics, Plan, make_plan
from qa_frame.scoring.predictions import prepare_predictions
from qa_frame.scoring.row_flag_warnings import warn_of
from qa_frame.scoring.row_flags import FLAG_VALUES, Codes, RowFlags
from qa_frame.tables.likely_columns import require_scored_columns
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
        statistics are int64, 0 in a row that is not scored. Behind them stand two categories of one byte per row,
        which `append=False` does not give. Their names begin with the prefix, too.
        `qa_rules` says by which rules each row has its scores, as "squad 35a89cdf"; JSON, `{rules: [scores]}`, where
        several rules or functions made them. So rows of several scorings that are put together later are refused.
        `qa_flags` has the names of the row's flags, with a space between, or "": `gold_in_longer_answer` (all tokens
        of a gold and at least twice as many others; em is 0, and f1 at most .5), `gold_without_tokens` and
        `gold_without_ngrams` (nothing is left of a gold), `uncut_script` (0 for want of spaces between words).
        `scored[scored["qa_flags"].str.contains("gold_in_longer_answer")]` are the rows where em is 0, but the answer is
        there; `worst(scored, flag="gold_in_longer_answer")` gives the shortest of them.

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
    scored, counts = score_by(
        plan, data, pred=pred, gold=gold, prefix=prefix, append=append, progress=progress, n_jobs=jobs
    )
    warn_of(counts, plan, gold=gold)
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
    names_of_all: Sequence[Hashable] | None = None,
) -> tuple[Frame, RowFlags]:
    """Score a frame, or a part of one. Return the scored frame and the counts of its rows, without a warning.

    names_of_all: the columns of the frame that the new columns are for, where `data` has some of them and `append` is
    False. Then there are columns of marks and flags among the new ones.
    """
    require_prefix(prefix)
    source = read_source(data)
    try:
        responses = read_columns(source.columns, pred=pred, gold=gold, **plan.reading)
    except ColumnNotFoundError:
        require_scored_columns(source, pred=pred, gold=gold)
        raise
    names = name_scores(plan, prefix)
    own = {prefix + metric.name: metric.name for metric in plan.functions}
    if append:
        require_no_overwrite(source.labels([*names, prefix + MARK, prefix + FLAG]), pred=pred, gold=gold)
    if append and own:
        require_new(own, source.names, own_scores(source.notes))
    columns = prepare_predictions(responses, plan)
    scores, counts, marks = score_and_count(columns, plan, n_jobs=n_jobs, progress=progress)
    of_rows = [
        score_by_columns(
            metric, [source.values("RowMetric.columns", name) for name in metric.columns], progress=progress
        )
        for metric in plan.by_row
    ]
    new: dict[str, Any] = dict(zip(names, [*scores.values(), *of_rows], strict=True))
    notes = note_plan(plan, source.notes if append else {}, pred=pred, gold=gold, prefix=prefix)
    if append or names_of_all:
        new |= mark_columns(source.columns, notes, names, marks, prefix=prefix, others=names_of_all or source.names)
    scored: Frame = source.with_scores(new, notes, append=append)
    return scored, counts


def note_plan(plan: Plan, notes: Mapping[str, Any], *, pred: Hashable, gold: Hashable, prefix: str) -> dict[str, Any]:
    """Return the notes of a frame with those on scores by a plan."""
    return note_scoring(
        notes,
        name_scores(plan, prefix),
        pred=pred,
        gold=gold,
        choices=plan.rules.choices,
        rules=rules_to_plain(plan.rules),
        signature=plan.signature,
        own={prefix + metric.name: metric.name for metric in plan.functions},
    )


def mark_columns(
    frame: Any, notes: Mapping[str, Any], new: Sequence[str], marks: Codes, *, prefix: str, others: Sequence[Hashable]
) -> dict[str, Any]:
    """Return the columns of rules and flags for scored rows.

    Parameters
    ----------
    frame
        A frame of pandas or an Arrow table, which may have an earlier column of rules.
    notes
        Those of the frame, in which the new scores have just been noted.
    new
        The new score columns.
    marks
        The marks of the rows.
    others
        The columns of the frame, among which are other scores.
    """
    scores = {prefix + name for name in (*METRICS, *ALL_STATISTICS)} | own_scores(notes).keys()
    kept = [name for name in others if isinstance(name, str) and name in scores and name not in new]
    return {
        prefix + MARK: make_column_of_rules(frame, notes, new, prefix + MARK, kept),
        prefix + FLAG: as_column(frame, marks, FLAG_VALUES),
    }


def name_scores(plan: Plan, prefix: str) -> list[str]:
    """Return the names of the new columns."""
    return [prefix + name for name in (*plan.metrics, *plan.statistics, *(metric.name for metric in plan.by_row))]


def score_no_rows(plan: Plan, empty: Frame, *, append: bool, **settings: Any) -> Frame:
    """Score a frame without rows: it gets the columns and the notes of the result. settings: those of `score_by`.

    Raises the errors of arguments, and of the names and types of columns.
    """
    scored, _ = score_by(plan, empty, append=append, progress=False, **settings)
    pred, gold = settings["pred"], settings["gold"]
    require_text_types(read_source(empty).columns, pred=pred, gold=gold, spans=plan.convention.spans)
    return scored
