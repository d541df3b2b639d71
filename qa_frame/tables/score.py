"""`qa_frame.score`: a frame with predictions and golds → the same frame with score columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from qa_frame._names import MetricName
from qa_frame._typing import Frame, Unpack
from qa_frame.errors import ColumnNotFoundError
from qa_frame.frames.names import require_new, require_no_overwrite, require_prefix
from qa_frame.frames.row_rules import FLAGS_LABEL, RULES_LABEL, as_column, make_column_of_rules
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
from qa_frame.scoring.row_flag_warnings import warn_of_counts
from qa_frame.scoring.row_flags import FLAG_VALUES, Codes, RowFlags
from qa_frame.tables.likely_columns import require_pred_and_gold
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
    """Score each row: a new frame with the columns of `data`, and then those of the scores.

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
        Frame of any kind: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.
    pred
        Column of predictions: text of any pandas or Arrow type. Whole numbers and truth values are read as their texts,
        "42" and "True". Floats are an error, because 2.0 may mean "2.0" or "2": see `to_text`.
    gold
        Column of golds: a text per row, or a list of acceptable texts; or SQuAD's dicts, `{"text": [...],
        "answer_start": [...]}`. Golds may have the types that predictions may have.
    metrics
        Metric(s) to compute: names from `qa_frame.metrics`, `"math_verify"`, `PairMetric` and `RowMetric`, or `"all"`.
        None takes the convention's default metrics.
    {arguments}
    stats
        Whether to add the columns of counts from which `summary` makes `corpus_bleu`, `f1_micro` and other pooled
        figures.
    prefix
        Text in front of the names of all new columns.
    append
        Whether to keep the columns of `data`. False gives the score columns (and counts) alone.
    progress
        Whether to show a progress bar. None shows one in a terminal, after two seconds.
    n_jobs
        Number of worker processes, as in joblib (extra `parallel`); -1 is one per processor. None scores in this
        process.

    Returns
    -------
    frame
        The kind of frame that was given; for any other source a `pyarrow.Table`. Rows keep their order and, in pandas,
        their index. The new columns take the place of columns of the same name:

        - One float64 column per metric, in [0, 1]; a `PairMetric`, a `RowMetric` or a function given as `reduce` may
          give other numbers. A score is NaN (null outside pandas) where the row has no gold, or where its prediction is
          null with `missing="null"`. A list of golds that is empty or holds only nulls is no gold, but conventions such
          as "squad2" read it as the gold "no answer". A `RowMetric` scores every row, whatever its golds and `missing`
          are, but a null prediction is an error with `missing="raise"`.
        - With `stats=True`, int64 columns of counts, which are 0 in a row that is not scored.
        - `qa_rules`, unless `append=False`: the rules by which a row was scored, such as "squad 35a89cdf", or as JSON
          `{rules: [scores]}` where several made its scores. If you concatenate rows of several scorings, `summary`,
          `compare` and others refuse them, unless `by` names this column.
        - `qa_flags`, unless `append=False`: flags of the row, separated by spaces. `gold_in_longer_answer`: the answer
          has all tokens of a gold and at least twice as many others, em is 0 and f1 at most .5 (known where em, f1,
          recall or precision is computed). `gold_without_tokens`: normalisation leaves nothing of a gold, for metrics
          of equal texts, tokens in common or contained texts; `gold_without_ngrams`: the same for others, such as
          rouge_l and bleu. `uncut_script`: a score is 0 though the texts are alike, because the rules do not cut a
          script without spaces into words.

        `worst(scored, flag="gold_in_longer_answer")` shows rows where em is 0 though the answer is there.

    Raises
    ------
    QaFrameError
        For a column that is not there or holds something else, an argument that is not allowed, a null prediction with
        `missing="raise"`, or a function of yours that fails. Its classes are in `qa_frame.errors`.

    Warns
    -----
    ExtractionWarning, GoldFormatWarning, ScoringWarning
        Where many scores may be wrong. The page "Warnings" has remedies.
    """
    plan = make_plan(metrics, make_rules(**rules), stats=stats, takes_rows=True)
    jobs = count_jobs(n_jobs)
    scored, counts = score_by_plan(
        plan, data, pred=pred, gold=gold, prefix=prefix, append=append, progress=progress, n_jobs=jobs
    )
    warn_of_counts(counts, plan, gold=gold)
    return scored


def score_by_plan(
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
    """Return a frame, or a part of one, with the scores of a plan, and the counts of its row flags. Warn of nothing.

    names_of_all: the columns of the whole frame that the new columns are for, where `data` has some of them and
    `append` is False. Then the columns of rules and flags are among the new ones.
    """
    require_prefix(prefix)
    source = read_source(data)
    try:
        responses = read_columns(source.columns, pred=pred, gold=gold, **plan.reading_arguments)
    except ColumnNotFoundError:
        require_pred_and_gold(source, pred=pred, gold=gold)
        raise
    names = name_scores(plan, prefix)
    own = {prefix + metric.name: metric.name for metric in plan.own_metrics}
    if append:
        require_no_overwrite(source.labels([*names, prefix + RULES_LABEL, prefix + FLAGS_LABEL]), pred=pred, gold=gold)
    if append and own:
        require_new(own, source.names, own_scores(source.notes))
    columns = prepare_predictions(responses, plan)
    scores, counts, codes = score_and_count(columns, plan, n_jobs=n_jobs, progress=progress)
    of_rows = []
    for metric in plan.by_row:
        values = [source.values("RowMetric.columns", name) for name in metric.columns]
        of_rows.append(score_by_columns(metric, values, progress=progress))
    new: dict[str, Any] = dict(zip(names, [*scores.values(), *of_rows], strict=True))
    before = source.notes if append else {}
    kept = other_scores(names_of_all or source.names, before, names, prefix)
    notes = note_plan(plan, before, pred=pred, gold=gold, prefix=prefix)
    if append or names_of_all:  # before the scores: of a wide frame, pandas prints the first and the last columns
        new = make_qa_columns(source.columns, notes, names, codes, prefix=prefix, kept=kept) | new
    scored: Frame = source.with_scores(new, notes, append=append)
    return scored, counts


def note_plan(plan: Plan, notes: Mapping[str, Any], *, pred: Hashable, gold: Hashable, prefix: str) -> dict[str, Any]:
    """Return the notes of a frame with those on the scores that a plan makes. notes: those before."""
    return note_scoring(
        notes,
        name_scores(plan, prefix),
        pred=pred,
        gold=gold,
        choices=plan.rules.choices,
        rules=rules_to_plain(plan.rules),
        signature=plan.signature,
        own={prefix + metric.name: metric.name for metric in plan.own_metrics},
    )


def other_scores(names: Sequence[Hashable], notes: Mapping[str, Any], new: Sequence[str], prefix: str) -> list[str]:
    """Return which of these columns hold earlier scores or statistics with the prefix, without the new ones.

    names: the columns to choose from. notes: those of the frame, which name the user's own metrics. new: the columns
    that are scored now.
    """
    scores = {prefix + name for name in (*METRICS, *ALL_STATISTICS)} | own_scores(notes).keys()
    return [name for name in names if isinstance(name, str) and name in scores and name not in new]


def make_qa_columns(
    frame: Any, notes: Mapping[str, Any], new: Sequence[str], codes: Codes, *, prefix: str, kept: Sequence[str]
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
    codes
        The flags of the rows, as `flag_rows` gives them.
    kept
        The other score columns of the frame, see `other_scores`.
    """
    return {
        prefix + RULES_LABEL: make_column_of_rules(frame, notes, new, prefix + RULES_LABEL, kept),
        prefix + FLAGS_LABEL: as_column(frame, codes, FLAG_VALUES),
    }


def name_scores(plan: Plan, prefix: str) -> list[str]:
    """Return the names of the columns that a plan gives: metrics, statistics, then metrics of whole rows."""
    return [prefix + name for name in (*plan.metrics, *plan.statistics, *(metric.name for metric in plan.by_row))]


def score_no_rows(plan: Plan, empty: Frame, *, append: bool, **settings: Any) -> Frame:
    """Score a frame without rows: it gets the columns and the notes of the result. settings: those of `score_by_plan`.

    Raises the errors of arguments, and of the names and types of columns.
    """
    scored, _ = score_by_plan(plan, empty, append=append, progress=False, **settings)
    pred, gold = settings["pred"], settings["gold"]
    require_text_types(read_source(empty).columns, pred=pred, gold=gold, spans=plan.convention.spans)
    return scored
