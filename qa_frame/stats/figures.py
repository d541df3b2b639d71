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
    is_default
        Whether a summary has it without being asked for it.
    """

    statistics: tuple[str, ...]
    n_variables: int
    n_counts: int
    variables_per_row: Callable[[Mapping[str, Ints]], Ints]
    value: Callable[[Floats], Floats]
    gradient: Callable[[Floats], Floats]
    support: Callable[[Floats], Floats]
    trusted_from: int = 0
    is_default: bool = False

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


@dataclass(frozen=True, slots=True)
class _CorpusBleu:
    """BLEU of all rows together, of n-grams of orders 1 to `max_order`.

    Its variables are n-grams matched and not matched, of each order, and the tokens by which the prediction is the
    shorter. They, or the factors before them, are 0 where predictions are perfect: rounding then costs little.
    """

    max_order: int
    is_smoothed: bool = False

    def variables_per_row(self, statistics: Mapping[str, Ints]) -> Ints:
        n_tokens = statistics["bleu_pred_len"]
        matches = np.stack([statistics[f"bleu_match{order}"] for order in range(1, self.max_order + 1)])
        n_grams = np.stack([np.maximum(n_tokens - lost, 0) for lost in range(self.max_order)])
        return np.concatenate([matches, n_grams - matches, (statistics["bleu_ref_len"] - n_tokens)[None]])

    def _split(self, sums: Floats) -> tuple[Floats, Floats, Floats]:
        """Matches and misses of each order, and the shortfall."""
        order = self.max_order
        return sums[..., :order], sums[..., order : 2 * order], sums[..., 2 * order]

    def value(self, sums: Floats) -> Floats:
        """0 if an order has no match, and it is not smoothed."""
        has_matches = (self._split(sums)[0] > 0).all(axis=-1)
        if has_matches.all():
            return self._value_of_matches(sums)
        scores = np.where(sums[..., -1] > 0, 0.0, np.nan)
        scores[has_matches] = self._value_of_matches(sums[has_matches])
        if self.is_smoothed:
            scores[~has_matches] = self._smoothed_value(sums[~has_matches])
        return scores

    def _value_of_matches(self, sums: Floats) -> Floats:
        """The same, where all orders have matches."""
        matches, misses, shortfall = self._split(sums)
        n_grams = matches + misses
        log_brevity = np.minimum(0.0, -shortfall / n_grams[..., 0])
        bleu: Floats = np.exp(log_brevity + np.log(matches / n_grams).mean(axis=-1))
        return bleu

    def _smoothed_value(self, sums: Floats) -> Floats:
        """The same, where an order without matches has half of one, the next one a quarter, and so on.

        It is 0 where nothing matches, and where there are no n-grams of some order.
        """
        matches, misses, _ = self._split(sums)
        n_unmatched = np.cumsum(matches == 0, axis=-1)
        added = np.where(matches > 0, 0.0, 0.5**n_unmatched)
        smoothed = sums.copy()
        smoothed[..., : self.max_order] += added
        smoothed[..., self.max_order : 2 * self.max_order] -= added  # the number of n-grams stays the same
        can_score = (matches > 0).any(axis=-1) & (matches + misses > 0).all(axis=-1)
        scores = np.where(sums[..., -1] > 0, 0.0, np.nan)
        scores[can_score] = self._value_of_matches(smoothed[can_score])
        return scores

    def gradient(self, sums: Floats) -> Floats:
        """0 if an order has no match: a smoothed value jumps where the first match comes."""
        gradient = np.zeros(sums.shape)
        has_matches = (self._split(sums)[0] > 0).all(axis=-1)
        known = sums[has_matches]
        matches, misses, shortfall = self._split(known)
        n_grams = matches + misses
        # log BLEU = mean(log(matches / (matches + misses))) - max(shortfall, 0) / tokens
        of_log = np.zeros(known.shape)
        of_matches, of_misses, _ = self._split(of_log)
        of_matches[...] = misses / (matches * n_grams * self.max_order)
        of_misses[...] = -1 / (n_grams * self.max_order)
        is_short, tokens = shortfall > 0, n_grams[..., 0]
        by_token = np.where(is_short, shortfall / tokens**2, 0.0)
        of_matches[..., 0] += by_token  # a token is a unigram, matched or not
        of_misses[..., 0] += by_token
        of_log[..., 2 * self.max_order] = np.where(is_short, -1 / tokens, 0.0)
        gradient[has_matches] = self.value(known)[..., None] * of_log
        return gradient

    def support(self, sums: Floats) -> Floats:
        """As few as there are n-grams of the highest order: short predictions have none, and tell nothing of it.

        None where the value is smoothed, as it then says little of more rows.
        """
        matches, misses, _ = self._split(sums)
        support = np.minimum(sums[..., -1], matches[..., -1] + misses[..., -1])
        return np.where((matches > 0).all(axis=-1), support, 0.0) if self.is_smoothed else support

    def figure(self, *, is_default: bool = False) -> Figure:
        """The figure; intervals of fewer than 50 rows are not to be trusted."""
        matches = (f"bleu_match{order}" for order in range(1, self.max_order + 1))
        return Figure(
            (*matches, "bleu_pred_len", "bleu_ref_len"),
            2 * self.max_order + 1,
            2 * self.max_order,
            self.variables_per_row,
            self.value,
            self.gradient,
            self.support,
            trusted_from=50,
            is_default=is_default,
        )


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
    "corpus_bleu": _CorpusBleu(4).figure(is_default=True),
    "f1_micro": Figure(
        ("overlap", "pred_len", "gold_len"), 2, 2, _f1_variables, _f1_micro, _f1_gradient, _n_rows, is_default=True
    ),
    **{f"corpus_bleu{order}": _CorpusBleu(order).figure() for order in (1, 2, 3, 4)},
    "corpus_bleu_exp": _CorpusBleu(4, is_smoothed=True).figure(),
}
"""The figures that are made of statistics columns, in the order in which a summary has them.

Values are those of `sacrebleu.corpus_bleu(...).score / 100`: of `corpus_bleu` with smooth_method="none", of
`corpus_bleu_exp` with its default, of the others with smooth_method="none" and that maximal order.
"""


def figure_of(name: str) -> Figure:
    """Return the figure of this name; each that is not pooled from statistics is a mean."""
    return POOLED.get(name, MEAN)
