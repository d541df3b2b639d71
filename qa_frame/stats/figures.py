"""Figures: functions of sums over rows. Each is defined once: its variables a row, its value, its gradient.

A mean of scores, corpus BLEU and micro F1 are figures. All else in this room works on figures alone, and on no metric
by name. Sums stand in arrays of shape (..., variables + 1): the sums of the figure's variables, and last the number of
rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Floats, Ints

MAX_ORDER = 4
_MATCHES, _MISSES, _SHORTFALL = slice(0, MAX_ORDER), slice(MAX_ORDER, 2 * MAX_ORDER), 2 * MAX_ORDER


@dataclass(frozen=True, slots=True)
class Figure:
    """A function of sums over rows of a few variables.

    Attributes
    ----------
    statistics
        The columns that its variables are made of; none for a mean, whose only variable is the score.
    n_variables, n_counts
        How many variables there are, and how many of them, the first, are never negative.
    variables_per_row
        Those columns → int64, shape (variables, rows).
    value
        Sums, shape (..., variables + 1) → the figure, shape (...). NaN where there are no rows.
    gradient
        The same sums → derivatives of the value by each of them, same shape. 0 where the value is constant nearby, or
        has no derivative. As the value does not change when all sums are doubled, gradient · sums is 0.
    support
        The same sums → how many rows at most the value rests on, shape (...).
    trusted_from
        With fewer rows, intervals are not to be trusted.
    """

    statistics: tuple[str, ...]
    n_variables: int
    n_counts: int
    variables_per_row: Callable[[Mapping[str, Ints]], Ints]
    value: Callable[[Floats], Floats]
    gradient: Callable[[Floats], Floats]
    support: Callable[[Floats], Floats]
    trusted_from: int = 0

    @property
    def is_mean(self) -> bool:
        """Whether the figure is the mean of its first variable, which then is a score."""
        return not self.statistics


def divide_where(part: Floats, whole: Floats, otherwise: float) -> Floats:
    """Return part / whole, and `otherwise` where the whole is 0 or less."""
    shape = np.broadcast_shapes(np.shape(part), np.shape(whole))
    quotient: Floats = np.divide(part, whole, out=np.full(shape, otherwise), where=np.asarray(whole) > 0)
    return quotient


def _n_rows(sums: Floats) -> Floats:
    return sums[..., -1]


# --- the mean of a score


def _no_variables(_: Mapping[str, Ints]) -> Ints:
    raise ValueError("the variable of a mean is its score")


def _mean(sums: Floats) -> Floats:
    return divide_where(sums[..., 0], sums[..., -1], np.nan)


def _mean_gradient(sums: Floats) -> Floats:
    by_total = divide_where(np.ones(sums.shape[:-1]), sums[..., -1], 0.0)
    return np.stack([by_total, -sums[..., 0] * by_total**2], axis=-1)


MEAN = Figure((), 1, 0, _no_variables, _mean, _mean_gradient, _n_rows)
"""The mean of a score over the rows that have one."""


# --- corpus BLEU


def _bleu_variables(statistics: Mapping[str, Ints]) -> Ints:
    """n-grams matched and not matched, of order 1 to 4; the tokens by which the prediction is the shorter."""
    # Chosen so that they, or the factors before them, are 0 where predictions are perfect: rounding then costs little.
    n_tokens = statistics["bleu_pred_len"]
    matches = np.stack([statistics[f"bleu_match{order}"] for order in range(1, MAX_ORDER + 1)])
    n_grams = np.stack([np.maximum(n_tokens - lost, 0) for lost in range(MAX_ORDER)])
    return np.concatenate([matches, n_grams - matches, (statistics["bleu_ref_len"] - n_tokens)[None]])


def _corpus_bleu(sums: Floats) -> Floats:
    """BLEU of all rows together, 0 if an order has no match: `sacrebleu`, corpus_bleu(smooth_method="none") / 100."""
    has_matches = (sums[..., _MATCHES] > 0).all(axis=-1)
    if has_matches.all():
        return _corpus_bleu_of_matches(sums)
    scores = np.where(sums[..., -1] > 0, 0.0, np.nan)
    scores[has_matches] = _corpus_bleu_of_matches(sums[has_matches])
    return scores


def _corpus_bleu_of_matches(sums: Floats) -> Floats:
    """The same, where all orders have matches."""
    matches, shortfall = sums[..., _MATCHES], sums[..., _SHORTFALL]
    n_grams = matches + sums[..., _MISSES]
    log_brevity = np.minimum(0.0, -shortfall / n_grams[..., 0])
    bleu: Floats = np.exp(log_brevity + np.log(matches / n_grams).mean(axis=-1))
    return bleu


def _bleu_gradient(sums: Floats) -> Floats:
    gradient = np.zeros(sums.shape)
    has_matches = (sums[..., _MATCHES] > 0).all(axis=-1)
    known = sums[has_matches]
    matches, misses, shortfall = known[..., _MATCHES], known[..., _MISSES], known[..., _SHORTFALL]
    n_grams = matches + misses
    # log BLEU = mean(log(matches / (matches + misses))) - max(shortfall, 0) / tokens
    of_log = np.zeros(known.shape)
    of_log[..., _MATCHES] = misses / (matches * n_grams * MAX_ORDER)
    of_log[..., _MISSES] = -1 / (n_grams * MAX_ORDER)
    is_short, tokens = shortfall > 0, n_grams[..., 0]
    by_token = np.where(is_short, shortfall / tokens**2, 0.0)
    of_log[..., 0] += by_token  # a token is a unigram, matched or not
    of_log[..., MAX_ORDER] += by_token
    of_log[..., _SHORTFALL] = np.where(is_short, -1 / tokens, 0.0)
    gradient[has_matches] = _corpus_bleu(known)[..., None] * of_log
    return gradient


def _n_rows_with_bleu(sums: Floats) -> Floats:
    """As few as there are n-grams of the highest order: short predictions have none, and tell nothing of it."""
    last = MAX_ORDER - 1
    return np.minimum(sums[..., -1], sums[..., _MATCHES][..., last] + sums[..., _MISSES][..., last])


# --- micro F1


def _f1_variables(statistics: Mapping[str, Ints]) -> Ints:
    """Tokens matched, and tokens of either side that were not."""
    overlap = statistics["overlap"]
    return np.stack([overlap, statistics["pred_len"] + statistics["gold_len"] - 2 * overlap])


def _f1_micro(sums: Floats) -> Floats:
    """2 * overlap / (tokens of predictions and golds), over all rows; 0 if there are no tokens."""
    overlap, unmatched, n_rows = np.moveaxis(sums, -1, 0)
    return np.where(n_rows > 0, divide_where(2 * overlap, 2 * overlap + unmatched, 0.0), np.nan)


def _f1_gradient(sums: Floats) -> Floats:
    overlap, unmatched = sums[..., 0], sums[..., 1]
    by_tokens = divide_where(np.ones(overlap.shape), 2 * overlap + unmatched, 0.0) ** 2
    return np.stack([2 * unmatched * by_tokens, -2 * overlap * by_tokens, np.zeros(overlap.shape)], axis=-1)


POOLED = {
    "corpus_bleu": Figure(
        (*(f"bleu_match{order}" for order in range(1, MAX_ORDER + 1)), "bleu_pred_len", "bleu_ref_len"),
        2 * MAX_ORDER + 1,
        2 * MAX_ORDER,
        _bleu_variables,
        _corpus_bleu,
        _bleu_gradient,
        _n_rows_with_bleu,
        trusted_from=50,
    ),
    "f1_micro": Figure(("overlap", "pred_len", "gold_len"), 2, 2, _f1_variables, _f1_micro, _f1_gradient, _n_rows),
}
"""The figures that are made of statistics columns, in the order in which a summary has them."""


def figure_of(name: str) -> Figure:
    """Return the figure of this name; each that is not pooled from statistics is a mean."""
    return POOLED.get(name, MEAN)
