"""`qa_frame.score`: a frame with predictions and golds → the same frame with score columns."""

from __future__ import annotations

from collections.abc import Hashable

from qa_frame._typing import Frame, Unpack
from qa_frame.api.methods import takes_rules
from qa_frame.errors import require_flag
from qa_frame.frames.kinds import read_source
from qa_frame.frames.names import require_new, require_no_overwrite, require_prefix
from qa_frame.frames.provenance import own_scores
from qa_frame.frames.text_columns import require_text_types
from qa_frame.parallel.jobs import count_jobs, require_progress
from qa_frame.scoring.call_rules import RuleArguments, make_rules
from qa_frame.scoring.doubts import Doubts, warn_of
from qa_frame.scoring.pipeline import score_with_doubts
from qa_frame.scoring.plan import Metrics, Plan, make_plan
from qa_frame.scoring.predictions import prepare_predictions
from qa_frame.text.extraction import steps_to_notes


@takes_rules(after="metrics")
def score(
    data: Frame,
    pred: Hashable,
    gold: Hashable,
    *,
    metrics: Metrics = None,
    stats: bool = False,
    prefix: str = "",
    append: bool = True,
    progress: bool | None = None,
    n_jobs: int | None = None,
    **rules: Unpack[RuleArguments],
) -> Frame:
    """Score each row: a new frame with the columns of `data`, and then one column per metric.

    `df.qa.score(...)` is `qa_frame.score(df, ...)`.

    Parameters
    ----------
    data
        A pandas or polars frame, a `pyarrow.Table`, or anything with `__arrow_c_stream__`. It is never changed.
    pred
        The column of predictions: text of any pandas or Arrow type, categorical too.
    gold
        The column of golds: lists, tuples, arrays or Arrow lists of text; or plain text, one gold per row.
    metrics
        Names of metrics, or `"all"`. By default those of the convention, as `em f1 recall contains rouge_l bleu`. In a
        list, a `qa_frame.PairMetric` stands for a metric of your own.
    {rules}
    stats
        Whether to add the sufficient statistics, which can be added up over any rows. `overlap pred_len gold_len` give
        the micro F1: the tokens that both have, and those of each side, for the gold with the best F1 (for the first
        gold with `reduce="first"`). `bleu_match1` to `bleu_match4` (n-gram matches, clipped by the largest count in any
        one gold), `bleu_pred_len` and `bleu_ref_len` (the length of the closest gold) give corpus BLEU. Those for which
        the convention has no rule are left out.
    prefix
        The text in front of the names of the new columns.
    append
        False gives the new columns alone.
    progress
        True shows a bar, False none. None shows one in a terminal if scoring takes more than two seconds.
    n_jobs
        How many worker processes score at once, as in joblib (extra `parallel`): -1 for one per processor. None for
        what an active `joblib.parallel_config` sets, whose backend is used too; without one, this process scores.
        Workers take a second or two to start, and stay ready for the next call. They end at Ctrl-C, or with this
        process. Functions of yours are sent to them. The scores never depend on it. With a `PairMetric`, this process
        scores.

    Returns
    -------
    frame
        The kind of frame that was given (pandas, polars or `pyarrow.Table`); for any other source a `pyarrow.Table`.
        The score columns are float64 in [0, 1], or what a function given as `reduce` or a `PairMetric` returns; the
        statistics are int64, 0 in a row that is not scored. Rows go by position: any index is kept, with duplicates
        too. A row whose gold list is null, empty or holds only nulls cannot be scored: NaN in pandas, null elsewhere. A
        column that already has a score's name is replaced.

    Raises
    ------
    ColumnNotFoundError, ColumnTypeError, GoldFormatError, InvalidTextError
        Where a column is not there, or holds something else than text.
    UnknownOptionError, ColumnOverwriteError
        Where an argument has a value that is not allowed; where a score column would replace `pred` or `gold`, or that
        of a `PairMetric` a column that is not its own.
    MissingPredictionError
        Where a prediction is null, or `extract` finds no answer in a response, and `missing="raise"`.
    ReductionError, TokeniserError, PairMetricError
        Where a function of yours returns something else than it should.
    MissingPackageError
        Where a convention or `n_jobs` needs a package that is not installed.
    WorkerError
        Where a worker process died, or this process was forked from one that has workers. This and all others are
        QaFrameErrors.

    Warns
    -----
    ExtractionWarning
        Where `extract` finds no answer in more than a tenth of the responses.
    GoldFormatWarning
        Where most rows have one gold, which may be several: lists written out, or texts with `|`, `;` or ` / ` between.
        Where `extract` gives letters of options, as `"choice"` does, and no gold is a letter.
    ScoringWarning
        Where `contains` is 1 whatever the prediction is, as nothing is left of a gold after normalisation, or F1 of the
        right letter is 0. Where ten or more predictions, or golds, are all null. Where a metric sees no token of a text
        with letters or digits beyond ASCII, as `rouge_l` of Russian. Each of these warnings comes once in a call.

    Examples
    --------
    >>> import pandas as pd, qa_frame
    >>> df = pd.DataFrame({"response": ["in Paris", None], "answers": [["Paris", "Paris, France"], ["Rome"]]})
    >>> qa_frame.score(df, "response", "answers", metrics=["f1", "contains"], append=False)
             f1  contains
    0  0.666667       1.0
    1  0.000000       0.0

    An Arrow table stays one, and a row that is not scored is null:

    >>> import pyarrow as pa
    >>> table = pa.table({"response": ["The Seine.", "Rome"], "answers": [["Seine"], []]})
    >>> qa_frame.score(table, "response", "answers", metrics="em", append=False).to_pydict()
    {'em': [1.0, None]}
    """
    plan = make_plan(metrics, make_rules(**rules), stats=stats)
    require_progress(progress)
    jobs = count_jobs(n_jobs)
    scored, doubts = score_by(
        plan, data, pred=pred, gold=gold, prefix=prefix, append=append, progress=progress, n_jobs=jobs
    )
    warn_of(doubts, plan, pred=pred, gold=gold)
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
) -> tuple[Frame, Doubts]:
    """Score a frame, or a part of one. Return the scored frame and its doubts, without a warning of them."""
    require_prefix(prefix)
    require_flag("append", append)
    source = read_source(data)
    responses = source.texts(pred=pred, gold=gold, choices=plan.choices, spans=plan.takes_spans)
    names = name_scores(plan, prefix)
    own = {prefix + metric.name: metric.name for metric in plan.own}
    if append:
        require_no_overwrite(source.labels(names), pred=pred, gold=gold)
    if append and own:
        require_new(own, source.names, own_scores(source.notes))
    columns = prepare_predictions(responses, plan)
    scores, doubts = score_with_doubts(columns, plan, n_jobs=n_jobs, progress=progress)
    new = dict(zip(names, scores.values(), strict=True))
    found_by = {"extract": steps_to_notes(plan.extract), "choices": plan.choices}
    scored: Frame = source.with_scores(
        new, append=append, pred=pred, gold=gold, signature=plan.signature, **found_by, own=own
    )
    return scored, doubts


def name_scores(plan: Plan, prefix: str) -> list[str]:
    """Return the names of the new columns."""
    return [prefix + name for name in (*plan.metrics, *plan.statistics)]


def score_no_rows(plan: Plan, empty: Frame, *, pred: Hashable, gold: Hashable, prefix: str, append: bool) -> Frame:
    """Score a frame without rows: it gets the columns and the notes of the result.

    Raises the errors of arguments, and of the names and types of columns.
    """
    scored, _ = score_by(plan, empty, pred=pred, gold=gold, prefix=prefix, append=append, progress=False)
    require_text_types(read_source(empty).columns, pred=pred, gold=gold, spans=plan.takes_spans)
    return scored
