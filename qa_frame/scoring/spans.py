"""Answers of several spans: the best assignment of a prediction's spans to a gold's, one to one.

A prediction and each gold are then lists of texts. Each pair of spans is scored as any other pair of texts. The score
of a prediction and a gold is the highest sum that an assignment reaches, over the number of spans of the side that has
more; a span that is left over has 0. DROP's evaluation script defines it so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.frames.arrow_types import valid_items
from qa_frame.frames.text_columns import TextColumns
from qa_frame.kernels.tokens import Pairs, concatenated_ranges
from qa_frame.rules.parts import FAMILIES, Convention, empties_of
from qa_frame.scoring.batches import Batch


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SpanPairs:
    """Rows whose answers are lists of spans.

    Attributes
    ----------
    rows
        The rows and their (prediction, gold) pairs. The text of a side is its first span, or the empty text.
    spans
        The pairs of spans. Its "rows" are the pairs of `rows`; all spans of the prediction come with the gold's first
        span, then with its second one, and so on.
    n_pred, n_gold
        The number of spans of each side of the pairs of `rows`, int64, shape (pairs,).
    """

    rows: Batch
    spans: Batch
    n_pred: Ints
    n_gold: Ints


def pair_spans(columns: TextColumns) -> SpanPairs:
    """Return the pairs of answers and the pairs of their spans.

    A null prediction makes no pair, and neither does a gold that is null or has no spans. A prediction without spans
    does.
    """
    preds, golds = columns.pred.combine_chunks(), columns.golds.combine_chunks()
    is_missing = preds.is_null().to_numpy(zero_copy_only=False)
    pred_texts, bounds_of_preds = valid_items(preds)
    gold_texts, bounds_of_golds = valid_items(golds.flatten())
    n_per_pred, n_per_gold = np.diff(bounds_of_preds), np.diff(bounds_of_golds)
    row_per_gold = np.repeat(np.arange(len(golds)), pc.list_value_length(golds).fill_null(0).to_numpy())
    has_gold = np.zeros(len(preds), np.bool_)
    has_gold[row_per_gold[n_per_gold > 0]] = True
    encoded = pa.concat_arrays([pa.array([""], pred_texts.type), pred_texts, gold_texts]).dictionary_encode()
    text_ids = encoded.indices.to_numpy().astype(np.int64)  # the first one is the empty text

    pairs = np.flatnonzero((n_per_gold > 0) & ~is_missing[row_per_gold])
    row, n_gold = row_per_gold[pairs], n_per_gold[pairs]
    n_pred = n_per_pred[row]
    pred_start = 1 + np.cumsum(n_per_pred)[row] - n_pred
    gold_start = 1 + len(pred_texts) + np.cumsum(n_per_gold)[pairs] - n_gold
    pred_span = concatenated_ranges(np.repeat(pred_start, n_gold), np.repeat(n_pred, n_gold))
    gold_span = np.repeat(concatenated_ranges(gold_start, n_gold), np.repeat(n_pred, n_gold))
    rows = Batch(
        texts=encoded.dictionary,
        pairs=Pairs(pred=text_ids[np.where(n_pred > 0, pred_start, 0)], gold=text_ids[gold_start]),
        pair_offsets=np.append(0, np.cumsum(np.bincount(row, minlength=len(preds)))),
        is_missing=is_missing,
        has_gold=has_gold,
    )
    spans = Batch(
        texts=encoded.dictionary,
        pairs=Pairs(pred=text_ids[pred_span], gold=text_ids[gold_span]),
        pair_offsets=np.append(0, np.cumsum(n_pred * n_gold)),
        is_missing=np.zeros(len(pairs), np.bool_),
        has_gold=np.ones(len(pairs), np.bool_),
    )
    return SpanPairs(rows, spans, n_pred, n_gold)


def rules_of_spans(convention: Convention) -> Convention:
    """Return the convention for pairs of spans, without the rules that are about answers as a whole.

    These are the rules for empty texts, except where no token is left, and `digits` of the family "overlap".
    """
    rules: dict[str, Any] = {}
    for family in FAMILIES:
        rule = getattr(convention, family)
        if rule is not None:
            rules[family] = replace(rule, empty=tuple(empty for empty in empties_of(rule) if empty.of == "tokens"))
    if "overlap" in rules:
        rules["overlap"] = replace(rules["overlap"], digits=None)
    return replace(convention, **rules)


def score_answers(scores: Mapping[str, Floats], pairs: SpanPairs) -> dict[str, Floats]:
    """Return the score of each pair of answers by metric, shape (pairs,) each.

    It comes from the best assignment of the prediction's spans to the gold's. `em` is 1 if both sides have as many
    spans, and each span of either side is equal to one of the other.

    scores: by metric, the score of each pair of spans.
    """
    aligned = {}
    for metric, of_spans in scores.items():
        align = _have_same_spans if metric == "em" else _mean_of_best
        aligned[metric] = align(of_spans, pairs)
    return aligned


def _have_same_spans(scores: Floats, pairs: SpanPairs) -> Floats:
    """Return 1 for pairs of answers whose sides have as many spans, and all of them in common, else 0.

    The result is float64 of shape (pairs,). scores: the exact match of each pair of spans.
    """
    is_equal = scores > 0
    pair = pairs.spans.row_per_pair
    within = np.arange(len(pair)) - pairs.spans.pair_offsets[pair]
    gold_span, pred_span = np.divmod(within, pairs.n_pred[pair])
    n_matched = [
        np.bincount(np.unique(np.stack([pair[is_equal], span[is_equal]]), axis=1)[0], minlength=len(pairs.n_pred))
        for span in (pred_span, gold_span)
    ]
    has_all: Flags = (n_matched[0] == pairs.n_pred) & (n_matched[1] == pairs.n_gold) & (pairs.n_pred == pairs.n_gold)
    return has_all.astype(np.float64)


def _mean_of_best(scores: Floats, pairs: SpanPairs) -> Floats:
    """Return, for each pair of answers, the best assignment's sum of scores, divided by the larger number of spans.

    A side without spans makes it 0. scores: the score of each pair of spans.
    """
    n_most, n_fewest = np.maximum(pairs.n_pred, pairs.n_gold), np.minimum(pairs.n_pred, pairs.n_gold)
    means = np.zeros(len(n_most))
    starts = pairs.spans.pair_offsets[:-1]
    has_spans = np.flatnonzero(n_fewest)  # reduceat misreads empty segments
    if len(has_spans):
        means[has_spans] = np.maximum.reduceat(scores, starts[has_spans]) / n_most[has_spans]
    several = np.flatnonzero(n_fewest > 1)
    if len(several):
        assign = import_assignment()
        for pair in several.tolist():
            of_pair = scores[starts[pair] : pairs.spans.pair_offsets[pair + 1]]
            table = of_pair.reshape(int(pairs.n_gold[pair]), int(pairs.n_pred[pair]))
            gold, pred = assign(-table)
            chosen = np.zeros(int(n_most[pair]))
            chosen[gold] = table[gold, pred]
            means[pair] = chosen.mean()
    return means


def import_assignment() -> Any:
    """Import and return scipy's function that assigns the rows of a table to its columns at the lowest cost."""
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415  (slow to import)

    return linear_sum_assignment
