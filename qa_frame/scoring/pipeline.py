"""The map: columns of text in, columns of scores out, one stage a line in `_score_batch`."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.frames.text_columns import TextColumns
from qa_frame.kernels.pair_counts import PairCounts, Wanted, count_matches, zero_counts
from qa_frame.kernels.several_golds import clipped_over_golds, closest_lengths
from qa_frame.kernels.tokens import Pairs
from qa_frame.parallel import Threads, consume_with_progress, count_threads
from qa_frame.rules.parts import Convention, Empty
from qa_frame.scoring.batches import Batch, make_batch, split_rows, useful_threads
from qa_frame.scoring.metrics import BLEU_STATISTICS, METRICS, OVERLAP_STATISTICS, common_counts, fill_empty
from qa_frame.scoring.plan import Missing, Plan
from qa_frame.scoring.reduction import best_pairs, reduce_over_golds
from qa_frame.text.contains import contains_per_pair, text_contains_per_pair
from qa_frame.text.lexicon import normalised_texts, simplify_split, tokenise
from qa_frame.text.raw_texts import PREDICTIONS, is_empty_text
from qa_frame.text.specification import Text
from qa_frame.text.tokenisers import SENTENCE_END
from qa_frame.text.words import Words, cut_words

Columns = dict[str, NDArray[Any]]


def score_columns(
    columns: TextColumns, plan: Plan, *, threads: int | None = None, progress: bool | None = None
) -> Columns:
    """Floats a row for each metric of the plan: float64, shape (rows,), NaN where a row is not scored.

    Behind them the plan's statistics: int64, shape (rows,), 0 where a row is not scored.
    threads: at most so many; None for as many as there are processors. The scores depend neither on it nor on how rows
    are batched.
    """
    threads = useful_threads(columns, count_threads(threads))
    if plan.calls_python:
        threads = 1
    out: Columns = {name: np.empty(len(columns)) for name in plan.metrics}
    out |= {name: np.zeros(len(columns), np.int64) for name in plan.statistics}
    batches = split_rows(columns, threads=threads)
    with contextlib.closing(Threads(threads)) as pool:
        done = pool.map(lambda bounds: _score_batch(_read_batch(columns, bounds, plan), plan, out), batches)
        consume_with_progress(done, n_rows=[stop - start for start, stop in batches], progress=progress)
    return out


def _read_batch(columns: TextColumns, bounds: tuple[int, int], plan: Plan) -> Batch:
    return make_batch(
        columns,
        *bounds,
        prepare_pred=PREDICTIONS[plan.convention.prediction],
        missing_as_empty=plan.stats and plan.missing == "zero",
        no_gold_as_empty=plan.convention.no_answer,
    )


def _score_batch(batch: Batch, plan: Plan, out: Columns) -> None:
    """texts → words → tokens → counts → scores a pair → scores a row, into `out`."""
    words = cut_words(batch.texts, whole_texts_only=plan.takes_whole_texts)
    batch = _without_needless_golds(batch, words, plan.convention)
    counts = _count_per_family(words, batch.pairs, plan)
    void = _void_sides(batch, plan)
    per_pair = {metric: _score_pairs(metric, counts, void, plan.convention) for metric in _needed_metrics(plan)}
    per_row = _reduce(per_pair, batch.pair_offsets, plan)
    for metric, scores in per_row.items():
        out[metric][batch.start : batch.stop] = _fill_missing(scores, batch, plan.missing)
    for name, values in _statistics(words, batch, counts, per_pair, plan).items():
        out[name][batch.start : batch.stop] = values


def _without_needless_golds(batch: Batch, words: Words, convention: Convention) -> Batch:
    """Where a gold may stand for "no answer": no gold without tokens in a row that has golds with tokens."""
    if not convention.no_answer or convention.overlap is None:
        return batch
    n_gold = tokenise(words, simplify_split(convention.overlap.text, words)).tokens.n_per_text[batch.pairs.gold]
    row = np.repeat(np.arange(len(batch.pair_offsets) - 1), np.diff(batch.pair_offsets))
    has_tokens = np.zeros(len(batch.pair_offsets) - 1, np.bool_)
    has_tokens[row[n_gold > 0]] = True
    return batch.with_pairs((n_gold > 0) | ~has_tokens[row])


def _needed_metrics(plan: Plan) -> tuple[str, ...]:
    """The plan's metrics, and F1 where it chooses the gold."""
    chooses = plan.reduce == "best" or "overlap" in plan.statistics
    return tuple(dict.fromkeys((*plan.metrics, "f1"))) if chooses else plan.metrics


def _count_per_family(words: Words, pairs: Pairs, plan: Plan) -> dict[str, PairCounts]:
    """What the metrics need, for each family of them; families with the same tokens share their counts."""
    text_per_family: dict[str, Text] = {}
    wanted_per_text: dict[Text, Wanted] = {}
    for metric in _needed_metrics(plan):
        family = METRICS[metric].family
        rule = getattr(plan.convention, family)
        text = text_per_family.setdefault(family, simplify_split(rule.text, words))
        wanted_per_text[text] = METRICS[metric].wanted(rule) | wanted_per_text.get(text, Wanted())
    counts = {text: _count(words, pairs, text, wanted) for text, wanted in wanted_per_text.items()}
    return {family: counts[text] for family, text in text_per_family.items()}


def _count(words: Words, pairs: Pairs, text: Text, wanted: Wanted) -> PairCounts:
    """What is wanted, of texts as such tokens."""
    if wanted.contains_gold and text.split == "none":
        return _count_whole_texts(words, pairs, text, dataclasses.replace(wanted, contains_gold=False))
    texts = tokenise(words, text)
    counts = count_matches(texts.tokens, pairs, wanted, sentence_end=texts.find(SENTENCE_END) if wanted.union else None)
    if wanted.contains_gold:
        counts = dataclasses.replace(counts, contains_gold=contains_per_pair(texts, pairs, counts))
    return counts


def _count_whole_texts(words: Words, pairs: Pairs, text: Text, wanted: Wanted) -> PairCounts:
    """The same, and whether a prediction contains a gold, where a whole text is one token."""
    texts = normalised_texts(words, text)
    if wanted == Wanted():  # then no token needs its id
        n_tokens = np.fromiter(map(bool, texts), np.int64, count=len(texts))
        counts = zero_counts(n_tokens[pairs.pred], n_tokens[pairs.gold], wanted)
    else:
        counts = count_matches(tokenise(words, text).tokens, pairs, wanted)
    return dataclasses.replace(counts, contains_gold=text_contains_per_pair(texts, pairs))


def _void_sides(batch: Batch, plan: Plan) -> dict[str, tuple[Flags, Flags]]:
    """For each way in which a rule calls a text empty, whether each pair's prediction is, and its gold."""
    rules = (getattr(plan.convention, METRICS[metric].family) for metric in _needed_metrics(plan))
    per_text = {of: is_empty_text(batch.texts, of) for of in {rule.empty.of for rule in rules} - {"tokens"}}
    return {of: (is_empty[batch.pairs.pred], is_empty[batch.pairs.gold]) for of, is_empty in per_text.items()}


def _score_pairs(
    metric: str, counts: Mapping[str, PairCounts], void: Mapping[str, tuple[Flags, Flags]], convention: Convention
) -> Floats:
    """The metric's score of each pair."""
    family = METRICS[metric].family
    rule = getattr(convention, family)
    scores = METRICS[metric].score_per_pair(counts[family], rule)
    if rule.empty == Empty():
        return scores
    if rule.empty.of == "tokens":
        return fill_empty(scores, rule.empty, counts[family].n_pred == 0, counts[family].n_gold == 0)
    return fill_empty(scores, rule.empty, *void[rule.empty.of])


def _reduce(per_pair: Mapping[str, Floats], pair_offsets: Ints, plan: Plan) -> dict[str, Floats]:
    """One score a row for each of the plan's metrics."""
    reduction = plan.reduce
    if reduction == "best":
        best = best_pairs(per_pair["f1"], pair_offsets)
        per_pair = {metric: scores[best] for metric, scores in per_pair.items()}
        pair_offsets = np.concatenate(([0], np.cumsum(np.diff(pair_offsets) > 0)))
        reduction = "first"
    return {metric: reduce_over_golds(per_pair[metric], pair_offsets, reduction) for metric in plan.metrics}


def _fill_missing(scores: Floats, batch: Batch, missing: Missing) -> Floats:
    """Null predictions count as wrong where there is a gold, if so asked; else they stay NaN."""
    if missing == "zero":
        scores[batch.is_missing & batch.has_gold] = 0.0
    return scores


def _statistics(
    words: Words, batch: Batch, counts: Mapping[str, PairCounts], per_pair: Mapping[str, Floats], plan: Plan
) -> Columns:
    """The plan's statistics, shape (rows,) each: of the winning gold for the overlap, of all golds for BLEU."""
    first = batch.pair_offsets[:-1][np.diff(batch.pair_offsets) > 0]
    statistics: Columns = {}
    overlap = plan.convention.overlap
    if plan.stats and overlap is not None:
        winners = first if plan.reduce == "first" else best_pairs(per_pair["f1"], batch.pair_offsets)
        common = common_counts(counts["overlap"], overlap)
        for name, count in zip(OVERLAP_STATISTICS, common, strict=True):
            statistics[name] = _spread(count[winners], batch)
    bleu = plan.convention.bleu or plan.convention.bleu_n
    if plan.stats and bleu is not None:
        if plan.reduce == "first":
            batch = batch.with_pairs(np.isin(np.arange(len(batch.pairs)), first))
        tokens = tokenise(words, simplify_split(bleu.text, words)).tokens
        matches = clipped_over_golds(tokens, batch.pairs, batch.pair_offsets, orders=4)
        n_pred = tokens.n_per_text[batch.pairs.pred[batch.pair_offsets[:-1][np.diff(batch.pair_offsets) > 0]]]
        n_ref = closest_lengths(tokens, batch.pairs, batch.pair_offsets)
        statistics |= dict(zip(BLEU_STATISTICS, (*matches, _spread(n_pred, batch), n_ref), strict=True))
    return statistics


def _spread(values: Ints, batch: Batch) -> Ints:
    """Values of the rows that have pairs, and 0 for the others."""
    per_row = np.zeros(len(batch.pair_offsets) - 1, np.int64)
    per_row[np.diff(batch.pair_offsets) > 0] = values
    return per_row
