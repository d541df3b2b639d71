"""Floats of a whole set of rows that are ratios of sums: corpus BLEU and micro F1, with their derivatives.

Each is a function of the sums of a few integer variables a row. They are chosen so that they, or the factors before
them, are zero where predictions are perfect: little is then lost to rounding when variances are made from sums.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Floats, Ints

MAX_ORDER = 4
MATCHES, MISSES, SHORTFALL = slice(0, MAX_ORDER), slice(MAX_ORDER, 2 * MAX_ORDER), 2 * MAX_ORDER
"""Where `_bleu_variables` has the n-grams matched, those not matched, and the tokens that the prediction lacks."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio of sums. It does not change if all sums are multiplied by the same number.

    statistics: the columns it is made from. variables_per_row: those → int64, shape (variables, rows).
    n_counts: so many of the variables, the first, are never negative.
    value: sums of the variables, shape (..., variables) → float64 in [0, 1], shape (...).
    log_gradient: the same sums, where the value is above 0 → derivatives of its logarithm, shape (..., variables).
    """

    statistics: tuple[str, ...]
    n_variables: int
    n_counts: int
    variables_per_row: Callable[[Mapping[str, Ints]], Ints]
    value: Callable[[Floats], Floats]
    log_gradient: Callable[[Floats], Floats]


def corpus_bleu(sums: Floats) -> Floats:
    """BLEU of all rows together, 0 if an order has no match: `sacrebleu`, corpus_bleu(smooth_method="none") / 100."""
    matches, totals = sums[..., MATCHES], sums[..., MATCHES] + sums[..., MISSES]
    is_scored = (matches > 0).all(axis=-1)
    matches, totals, shortfall = matches[is_scored], totals[is_scored], sums[..., SHORTFALL][is_scored]
    scores = np.zeros(sums.shape[:-1])
    brevity = np.minimum(0.0, -shortfall / totals[..., 0])
    scores[is_scored] = np.exp(brevity + np.log(matches / totals).mean(axis=-1))
    return scores


def f1_micro(sums: Floats) -> Floats:
    """2 * overlap / (tokens of predictions and golds), over all rows; 0 if there is nothing."""
    overlap, unmatched = sums[..., 0], sums[..., 1]
    tokens = 2 * overlap + unmatched
    return np.divide(2 * overlap, tokens, out=np.zeros(sums.shape[:-1]), where=tokens > 0)


def _bleu_variables(statistics: Mapping[str, Ints]) -> Ints:
    """n-grams matched and not matched, of order 1 to 4, and the closest gold's length less the prediction's."""
    n_tokens = statistics["bleu_pred_len"]
    matches = np.stack([statistics[f"bleu_match{order}"] for order in range(1, MAX_ORDER + 1)])
    n_grams = np.stack([np.maximum(n_tokens - lost, 0) for lost in range(MAX_ORDER)])
    return np.concatenate([matches, n_grams - matches, (statistics["bleu_ref_len"] - n_tokens)[None]])


def _bleu_log_gradient(sums: Floats) -> Floats:
    matches, misses, shortfall = sums[..., MATCHES], sums[..., MISSES], sums[..., SHORTFALL]
    totals = matches + misses
    gradient = np.zeros(sums.shape)
    # log BLEU = mean(log(matches / (matches + misses))) - max(shortfall, 0) / tokens
    gradient[..., MATCHES] = misses / (matches * totals * MAX_ORDER)
    gradient[..., MISSES] = -1 / (totals * MAX_ORDER)
    is_short, tokens = shortfall > 0, totals[..., 0]
    by_token = np.where(is_short, shortfall / tokens**2, 0.0)
    gradient[..., 0] += by_token  # a token is a unigram, matched or not
    gradient[..., MAX_ORDER] += by_token
    gradient[..., SHORTFALL] = np.where(is_short, -1 / tokens, 0.0)
    return gradient


def _f1_variables(statistics: Mapping[str, Ints]) -> Ints:
    """Tokens matched, and tokens of either side that were not."""
    overlap = statistics["overlap"]
    return np.stack([overlap, statistics["pred_len"] + statistics["gold_len"] - 2 * overlap])


def _f1_log_gradient(sums: Floats) -> Floats:
    overlap, unmatched = sums[..., 0], sums[..., 1]
    tokens = 2 * overlap + unmatched
    return np.stack([unmatched / (overlap * tokens), -1 / tokens], axis=-1)


RATIOS = {
    "corpus_bleu": Ratio(
        (*(f"bleu_match{order}" for order in range(1, MAX_ORDER + 1)), "bleu_pred_len", "bleu_ref_len"),
        2 * MAX_ORDER + 1,
        2 * MAX_ORDER,
        _bleu_variables,
        corpus_bleu,
        _bleu_log_gradient,
    ),
    "f1_micro": Ratio(("overlap", "pred_len", "gold_len"), 2, 2, _f1_variables, f1_micro, _f1_log_gradient),
}
"""In the order in which a summary has them."""
