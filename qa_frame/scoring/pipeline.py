"""The map of the package: columns of text go in, columns of scores come out.

`_score_batch` and `score_pairs` are the list of all stages, one in each line. To learn how a stage works, follow the
function's import.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from qa_frame._typing import Flags, Floats
from qa_frame.checks import is_choice
from qa_frame.errors import UnknownOptionError
from qa_frame.frames.text_columns import TextColumns
from qa_frame.kernels.pair_counts import PairCounts
from qa_frame.parallel.jobs import consume_with_progress, run_jobs
from qa_frame.rules.parts import Convention, empties_of
from qa_frame.scoring.batches import Batch, make_batch, split_rows
from qa_frame.scoring.chance import count_moved_golds
from qa_frame.scoring.counting import count_per_family
from qa_frame.scoring.metrics import METRICS, f_measure_of, fill_empty, round_scores
from qa_frame.scoring.pair_metrics import PairMetric, score_own
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.reduction import best_pairs, reduce_over_golds
from qa_frame.scoring.row_flags import LONGER, Codes, RowFlags, are_many, count_rows, flag_rows
from qa_frame.scoring.spans import pair_spans, rules_of_spans, score_answers
from qa_frame.scoring.statistics_columns import statistics_per_row
from qa_frame.text.raw_texts import PREDICTIONS, is_empty_text
from qa_frame.text.vocabulary import simplify_split, tokenise
from qa_frame.text.words import Words, cut_words

Columns = dict[str, NDArray[Any]]
_FLAG_CODES = ""
"""The name of the column of flags. No metric has it."""

EmptySides = Mapping[str, Mapping[str, tuple[Flags, Flags]]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoredPairs:
    """The (prediction, gold) pairs of a batch, and what the stages of scoring have made of them.

    Attributes
    ----------
    batch
        The texts and the pairs.
    words
        The words of the batch's texts.
    counts
        The counts of each pair, by family of metrics.
    empty_sides
        Whether each pair's prediction is empty, and its gold, by family and by the meaning of empty in `Empty.of`.
    scores
        The score of each pair, by metric; float64 of shape (pairs,).
    """

    batch: Batch
    words: Words
    counts: Mapping[str, PairCounts]
    empty_sides: EmptySides
    scores: Mapping[str, Floats]


def score_columns(columns: TextColumns, plan: Plan, *, n_jobs: int = 1, progress: bool | None = None) -> Columns:
    """Score every row. The scores depend neither on the number of jobs nor on how rows are batched.

    Parameters
    ----------
    columns
        The predictions and golds.
    plan
        The metrics and statistics to compute.
    n_jobs
        The number of worker processes. 1 means no workers. A `PairMetric` always runs in the calling process.
    progress
        Whether to show a bar; None for one in a terminal, after two seconds.

    Returns
    -------
    dict of arrays, shape (rows,)
        The metrics of the plan, float64, NaN where a row is not scored. Then its statistics, int64, 0 where a row is
        not scored.
    """
    return _score_and_flag(columns, plan, n_jobs=n_jobs, progress=progress)[0]


def score_and_count(
    columns: TextColumns, plan: Plan, *, n_jobs: int = 1, progress: bool | None = None
) -> tuple[Columns, RowFlags, Codes]:
    """Score every row as `score_columns` does. Return also the counts of `RowFlags`, and the flags of each row."""
    scores, flag_codes = _score_and_flag(columns, plan, n_jobs=n_jobs, progress=progress)
    counts = count_rows(columns, flag_codes, plan)
    if are_many(counts[LONGER], len(columns)):
        counts += count_moved_golds(columns, np.ones(len(columns), np.bool_))
    return scores, counts, flag_codes


def _score_and_flag(columns: TextColumns, plan: Plan, *, n_jobs: int, progress: bool | None) -> tuple[Columns, Codes]:
    """Return the scores and statistics of every row, as `score_columns` does, and each row's flags (see `Codes`).

    Raises UnknownOptionError for a `PairMetric` and lists of spans.
    """
    n_rows = len(columns)
    scores: Columns = {name: np.empty(n_rows) for name in plan.metrics}
    scores |= {name: np.zeros(n_rows, np.int64) for name in plan.statistics}
    scores[_FLAG_CODES] = np.zeros(n_rows, np.int8)
    if plan.own:
        n_jobs = 1
        if columns.has_spans:
            finding = f": {plan.own[0]!r} takes texts, and pred or gold holds lists of spans"
            raise UnknownOptionError.of("metrics", finding, "leave it out, or give columns of text")
    # A function of the user's may be slow, so that it gets few rows at once.
    most_rows = min((metric.batch_size for metric in plan.own), default=None)
    bounds = split_rows(columns, n_jobs=n_jobs, most_rows=most_rows)
    batches = (columns.slice(start, stop) for start, stop in bounds)

    def fill_in() -> Generator[int, None, None]:
        """Score batch after batch, put the results into `scores`, and yield the number of rows of each."""
        score = functools.partial(_score_batch, plan=plan)
        with contextlib.closing(run_jobs(score, batches, n_jobs if len(bounds) > 1 else 1)) as done:
            for (start, stop), of_batch in zip(bounds, done, strict=True):
                for name, values in of_batch.items():
                    scores[name][start:stop] = values
                yield stop - start

    if progress is None and len(bounds) == 1:
        progress = False  # a single batch has no progress to show
    consume_with_progress(fill_in(), n_rows=n_rows, progress=progress)
    flag_codes = scores.pop(_FLAG_CODES)
    return scores, flag_codes


def _score_batch(columns: TextColumns, plan: Plan) -> Columns:
    """Return the scores, statistics and flags of all rows of the columns, by column: all stages, in this process.

    Rows of lists of spans have scores alone.
    """
    if columns.has_spans:
        return _score_spans(columns.in_lists(), plan)
    pairs = score_pairs(columns, plan)  # rows → pairs → scores per pair
    per_row = reduce_pairs(pairs.scores, pairs.batch, plan)  # scores per pair → scores per row
    statistics = statistics_per_row(pairs.words, pairs.batch, pairs.counts, pairs.scores, plan)
    flag_codes = flag_rows(pairs.batch, pairs.counts, pairs.scores, plan.convention)
    return {**per_row, **statistics, _FLAG_CODES: flag_codes}


def score_pairs(columns: TextColumns, plan: Plan) -> ScoredPairs:
    """Score each (prediction, gold) pair: all stages before the scores of a row's golds become one."""
    batch = make_batch(  # rows → texts, and (prediction, gold) pairs of them
        columns,
        prepare_pred=PREDICTIONS[plan.convention.prediction],
        missing_as_empty=bool(plan.stats) and plan.rules.missing == "zero",
        no_gold_as_empty=plan.convention.no_answer,
    )
    words = cut_words(batch.texts, whole_texts_only=plan.needs.takes_whole_texts)  # texts → words
    batch = _leave_out_empty_golds(batch, words, plan.convention)
    batch = _keep_golds_of_majority(batch, plan.convention)
    counts = count_per_family(words, batch, plan)  # words → tokens → counts per pair
    empty_sides = _find_empty_sides(batch, counts, plan)
    scores = _score_pairs(counts, empty_sides, plan)
    scores |= _score_golds_together(counts, batch, plan)
    scores = _score_no_answers(scores, batch, plan.convention)
    scores |= {metric.name: _score_own(metric, batch) for metric in plan.own}
    return ScoredPairs(batch, words, counts, empty_sides, scores)


def _score_spans(columns: TextColumns, plan: Plan) -> Columns:
    """Return the score of each row by metric, where predictions and golds are lists of spans."""
    pairs = pair_spans(columns)  # rows → pairs of answers → pairs of spans
    words = cut_words(pairs.spans.texts, whole_texts_only=plan.needs.takes_whole_texts)
    of_spans = replace(plan, rules=replace(plan.rules, convention=rules_of_spans(plan.convention)))
    counts = count_per_family(words, pairs.spans, of_spans)
    empty_spans = _find_empty_sides(pairs.spans, counts, of_spans)
    scores = score_answers(_score_pairs(counts, empty_spans, of_spans), pairs)  # pairs of spans → pairs of answers
    for metric in scores:
        rule = getattr(plan.convention, METRICS[metric].family)
        for empty in reversed(empties_of(rule)):
            if empty.of != "tokens":
                is_empty = is_empty_text(pairs.rows.texts, empty.of)
                sides = (is_empty[pairs.rows.pairs.pred], is_empty[pairs.rows.pairs.gold])
                scores[metric] = fill_empty(scores[metric], empty, *sides)
        scores[metric] = round_scores(scores[metric], rule)
    return reduce_pairs(scores, pairs.rows, plan)


def _leave_out_empty_golds(batch: Batch, words: Words, convention: Convention) -> Batch:
    """Return the batch without empty golds of rows that have other golds, if an empty gold stands for "no answer".

    A gold is empty if the convention's rule "overlap" leaves no token of it. Without that rule, all golds stay.
    """
    if not convention.no_answer or convention.overlap is None:
        return batch
    n_gold = tokenise(words, simplify_split(convention.overlap.text, words)).tokens.n_per_text[batch.pairs.gold]
    row_has_tokens = np.zeros(batch.n_rows, np.bool_)
    row_has_tokens[batch.row_per_pair[n_gold > 0]] = True
    return batch.with_pairs((n_gold > 0) | ~row_has_tokens[batch.row_per_pair])


def _keep_golds_of_majority(batch: Batch, convention: Convention) -> Batch:
    """Return the batch with one kind of golds for each row: those that say "no answer", or the others.

    A row keeps those that say "no answer" if they are half of its golds or more. A convention that has no text for "no
    answer" keeps all golds.
    """
    if not convention.no_answer_gold:
        return batch
    is_none = _is_no_answer(batch, convention)[batch.pairs.gold]
    rows = batch.row_per_pair
    n_none = np.bincount(rows[is_none], minlength=batch.n_rows)
    row_has_none = 2 * n_none >= np.diff(batch.pair_offsets)
    return batch.with_pairs(is_none == row_has_none[rows])


def _score_golds_together(counts: Mapping[str, PairCounts], batch: Batch, plan: Plan) -> dict[str, Floats]:
    """Return the scores of ROUGE-L, by metric, from the highest precision and recall of a row's golds.

    All pairs of a row have the same score. Return an empty dict if the convention scores each gold by itself.
    """
    rule = plan.convention.rouge_l
    if rule is None or rule.references == "each":
        return {}
    scores: dict[str, Floats] = {}
    for metric in plan.computed_metrics:
        if METRICS[metric].family == "rouge_l":
            f_score = metric.removesuffix("_precision").removesuffix("_recall")
            names = (f"{f_score}_precision", f"{f_score}_recall")
            per_pair = (METRICS[name].score_per_pair(counts["rouge_l"], rule) for name in names)
            per_row = (reduce_over_golds(part, batch.pair_offsets, "max") for part in per_pair)
            precision, recall = (part[batch.row_per_pair] for part in per_row)
            both = dict(zip(names, (precision, recall), strict=True))
            scores[metric] = both[metric] if metric in both else f_measure_of(precision, recall, rule)
    return scores


def _score_no_answers(scores: dict[str, Floats], batch: Batch, convention: Convention) -> dict[str, Floats]:
    """Return the scores, where a gold that says "no answer" gives 1 to a prediction of the same text, and 0 to others.

    A convention that has no text for "no answer" keeps the scores as they are.
    """
    if not convention.no_answer_gold:
        return scores
    is_none = _is_no_answer(batch, convention)
    is_right = is_none[batch.pairs.pred].astype(np.float64)
    return {metric: np.where(is_none[batch.pairs.gold], is_right, of_metric) for metric, of_metric in scores.items()}


def _is_no_answer(batch: Batch, convention: Convention) -> Flags:
    """Return whether each text of the batch is the convention's text for "no answer", shape (texts,)."""
    is_none: Flags = pc.equal(batch.texts, convention.no_answer_gold).to_numpy(zero_copy_only=False)
    return is_none


def _find_empty_sides(batch: Batch, counts: Mapping[str, PairCounts], plan: Plan) -> EmptySides:
    """Return whether each pair's sides are empty, for each family and each meaning of empty that its rule knows."""
    meanings = {family: {empty.of for empty in empties} for family, empties in plan.needs.empties.items()}
    per_text = {of: is_empty_text(batch.texts, of) for of in set().union(*meanings.values()) - {"tokens"}}
    empty_sides: dict[str, dict[str, tuple[Flags, Flags]]] = {}
    for family, of_family in meanings.items():
        of_texts = {of: per_text[of] for of in of_family - {"tokens"}}
        empty_sides[family] = {of: (each[batch.pairs.pred], each[batch.pairs.gold]) for of, each in of_texts.items()}
        empty_sides[family]["tokens"] = (counts[family].n_pred == 0, counts[family].n_gold == 0)
    return empty_sides


def _score_pairs(counts: Mapping[str, PairCounts], empty_sides: EmptySides, plan: Plan) -> dict[str, Floats]:
    """Return the score of each pair by each metric that is not the user's own, float64 of shape (pairs,) each."""
    scores: dict[str, Floats] = {}
    empties, convention = plan.needs.empties, plan.convention
    for name in plan.computed_metrics:
        metric = METRICS[name]
        rule = getattr(convention, metric.family)
        scores[name] = round_scores(metric.score_per_pair(counts[metric.family], rule), rule)
        for empty in reversed(empties[metric.family]):  # the first one that gives a score counts
            scores[name] = fill_empty(scores[name], empty, *empty_sides[metric.family][empty.of])
    return scores


def _score_own(metric: PairMetric, batch: Batch) -> Floats:
    """Return the score of each pair by the user's function, float64 of shape (pairs,), NaN where it is not scored.

    The function is not called for missing predictions.
    """
    scores = np.full(len(batch.pairs), np.nan)
    scored = np.flatnonzero(~batch.is_missing[batch.row_per_pair])
    pairs = batch.pairs[scored]
    sides = (batch.texts.take(pa.array(side)).to_pylist() for side in (pairs.pred, pairs.gold))
    scores[scored] = score_own(metric, *sides)
    return scores


def reduce_pairs(per_pair: Mapping[str, Floats], batch: Batch, plan: Plan) -> dict[str, Floats]:
    """Return one score per row for each metric of the plan, float64 of shape (rows,), NaN where a row is not scored.

    With `missing="zero"`, a null prediction of a row with golds has 0.
    """
    best = best_pairs(per_pair[plan.rules.best_by], batch.pair_offsets) if plan.rules.reduce == "best" else None
    # A pair may lack a score of the user's own. It then counts only where a row has one gold that counts.
    lacking = set() if is_choice(plan.rules.reduce, ("first", "best")) else {metric.name for metric in plan.own}
    per_row = {}
    for metric in plan.metrics:
        scores, offsets = per_pair[metric], batch.pair_offsets
        if metric in lacking:
            is_scored = ~np.isnan(scores)
            scores, offsets = scores[is_scored], batch.with_pairs(is_scored).pair_offsets
        per_row[metric] = reduce_over_golds(scores, offsets, plan.rules.reduce, best=best)
    if plan.rules.missing == "zero":
        for scores in per_row.values():
            scores[batch.is_missing & batch.has_gold] = 0.0
    return per_row
