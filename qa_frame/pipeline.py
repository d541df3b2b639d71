"""The map: columns of text in, columns of scores out, one stage a line in `_score_batch`."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Mapping
from operator import or_

import numpy as np
from numpy.typing import NDArray

from qa_frame.batches import Batch, make_batch, split_rows, useful_threads
from qa_frame.columns import TextColumns
from qa_frame.conventions import Convention
from qa_frame.kernels.counts import Counts, count_matches
from qa_frame.kernels.tokens import Pairs
from qa_frame.metrics import METRICS
from qa_frame.plan import Missing, Plan
from qa_frame.reduction import best_pairs, reduce_over_golds
from qa_frame.running import Threads, count_threads, follow
from qa_frame.text.contains import contains_per_pair
from qa_frame.text.cut import Words, cut_words
from qa_frame.text.lexicon import simplest, tokenise
from qa_frame.text.tokenisers import TOKENISERS, Tokeniser

Scores = NDArray[np.float64]


def score_columns(
    columns: TextColumns, plan: Plan, *, threads: int | None = None, progress: bool | None = None
) -> dict[str, Scores]:
    """Scores a row for each metric of the plan: float64, shape (rows,), NaN where a row is not scored.

    threads: at most so many; None for as many as there are processors. The scores depend neither on it nor on how rows
    are batched.
    """
    threads = useful_threads(columns, count_threads(threads))
    if callable(plan.reduce):  # a caller's function need not be thread-safe
        threads = 1
    out = {name: np.empty(len(columns)) for name in plan.metrics}
    batches = split_rows(columns, threads=threads)
    with contextlib.closing(Threads(threads)) as pool:
        done = pool.map(lambda bounds: _score_batch(make_batch(columns, *bounds), plan, out), batches)
        follow(done, total=len(columns), progress=progress)
    return out


def _score_batch(batch: Batch, plan: Plan, out: Mapping[str, Scores]) -> int:
    """texts → words → tokens → counts → scores a pair → scores a row, into `out`. Returns the rows done."""
    words = cut_words(batch.texts)
    tokenisers = {metric: _tokeniser(metric, plan.convention, words) for metric in _needed_metrics(plan)}
    counts = {tokeniser: _count(words, batch.pairs, tokeniser, tokenisers) for tokeniser in set(tokenisers.values())}
    per_pair = {metric: METRICS[metric].score_per_pair(counts[tokenisers[metric]]) for metric in tokenisers}
    per_row = _reduce(per_pair, batch.pair_offsets, plan)
    for metric, scores in per_row.items():
        out[metric][batch.start : batch.stop] = _fill_missing(scores, batch, plan.missing)
    return batch.stop - batch.start


def _needed_metrics(plan: Plan) -> tuple[str, ...]:
    """The plan's metrics, and F1 where it chooses the gold."""
    return tuple(dict.fromkeys((*plan.metrics, "f1"))) if plan.reduce == "best" else plan.metrics


def _tokeniser(metric: str, convention: Convention, words: Words) -> Tokeniser:
    """The metric's tokeniser under the convention, as simple as these words allow."""
    name = getattr(convention, METRICS[metric].family)
    return simplest(TOKENISERS[name], words)


def _count(words: Words, pairs: Pairs, tokeniser: Tokeniser, tokenisers: Mapping[str, Tokeniser]) -> Counts:
    """The counts that all metrics with this tokeniser need."""
    metrics = [metric for metric, its_tokeniser in tokenisers.items() if its_tokeniser == tokeniser]
    wanted = functools.reduce(or_, (METRICS[metric].wanted for metric in metrics))
    texts = tokenise(words, tokeniser)
    counts = count_matches(texts.tokens, pairs, wanted)
    if "contains" in metrics:
        counts = dataclasses.replace(counts, run=contains_per_pair(texts, pairs, counts))
    return counts


def _reduce(per_pair: Mapping[str, Scores], pair_offsets: NDArray[np.int64], plan: Plan) -> dict[str, Scores]:
    """One score a row for each of the plan's metrics."""
    reduction = plan.reduce
    if reduction == "best":
        best = best_pairs(per_pair["f1"], pair_offsets)
        per_pair = {metric: scores[best] for metric, scores in per_pair.items()}
        pair_offsets = np.concatenate(([0], np.cumsum(np.diff(pair_offsets) > 0)))
        reduction = "first"
    return {metric: reduce_over_golds(per_pair[metric], pair_offsets, reduction) for metric in plan.metrics}


def _fill_missing(scores: Scores, batch: Batch, missing: Missing) -> Scores:
    """Null predictions count as wrong where there is a gold, if so asked; else they stay NaN."""
    if missing == "zero":
        scores[batch.is_missing & batch.has_gold] = 0.0
    return scores
