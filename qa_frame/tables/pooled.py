"""Figures that are pooled from statistics columns: corpus BLEU and chrF, and micro F1.

A pooled figure is defined once, here: what each row adds to its sums, its value and its gradient.
"""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import ColumnTypeError
from qa_frame.rules.parts import Convention
from qa_frame.scoring.metrics import BLEU_STATISTICS, METRICS
from qa_frame.scoring.metrics.chrf import CHRF_STATISTICS
from qa_frame.scoring.metrics.overlap import OVERLAP_STATISTICS
from qa_frame.scoring.pooled import POOLED
from qa_frame.stats.rows import ScoredRows
from qa_frame.stats.statistic import Statistic


@dataclass(frozen=True, slots=True)
class Pooled(Statistic):
    """A statistic that is made of statistics columns: whole numbers per row, whose sums it is a function of.

    Attributes
    ----------
    statistics
        The statistics columns from which its summands are made.
    n_sums
        How many summands a row has.
    is_default
        Whether a summary has it without being asked for it.
    metric
        The metric that must be asked for beside `stats=True`; "" for none.
    """

    name: str
    statistics: tuple[str, ...]
    n_sums: int
    is_default: bool = False
    metric: str = ""
    kind: ClassVar[str] = "statistics"
    n_signed: ClassVar[int] = 0
    """How many of the summands, the last ones, may be negative."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return self.statistics

    @property
    def rank(self) -> int:  # type: ignore[override]
        """Its place among other statistics: behind all means, in the order of `POOLED`."""
        return len(METRICS) + 1 + POOLED.index(self.name)

    @abstractmethod
    def summands_per_row(self, statistics: Mapping[str, Ints]) -> Ints:
        """Return what each row adds to the sums, int64, shape (sums, rows).

        statistics: the statistics columns by name. An override returns `n_sums` summands. All but the last `n_signed`
        are 0 or more, unless columns contradict each other.
        """

    def sums_per_row(self, rows: ScoredRows) -> tuple[Floats | Ints, Flags]:
        """Return what each row adds to the sums, shape (sums, rows), and whether it is scored, shape (rows,).

        A row is scored if it has any score, or a summand that is not 0. So it makes no difference which other scores
        are partly null. ColumnTypeError where the statistics contradict each other.
        """
        sums_per_row = self.summands_per_row(rows.statistics)
        if (sums_per_row[: self.n_sums - self.n_signed] < 0).any():
            finding = f"the statistics {list(self.statistics)} have more matches than there are tokens"
            raise ColumnTypeError.of("", finding, "score the rows again with stats=True, or drop these columns")
        is_scored = rows.has_score if rows.has_score.all() else rows.has_score | sums_per_row.any(axis=0)
        return sums_per_row, is_scored

    def under(self, convention: Convention) -> Pooled | None:  # noqa: ARG002
        """Return the statistic as a convention defines it; None where it defines none.

        By default, it is this one under every convention. An override may return a changed copy, or None.
        """
        return self


# --- corpus BLEU


@dataclass(frozen=True, slots=True)
class _CorpusBleu(Pooled):
    """BLEU of all rows together, of n-grams of orders 1 to `max_order`. Intervals of few rows are not to be trusted.

    Its sums are n-grams matched and not matched, of each order, and the tokens by which the prediction is the
    shorter. They, or the factors before them, are 0 where predictions are perfect: rounding then costs little.
    """

    trusted_from: int = 50
    is_smoothed: bool = False
    added: tuple[float, ...] = ()
    n_signed: ClassVar[int] = 1

    def under(self, convention: Convention) -> Pooled | None:
        """Return the statistic with what the convention adds to matches and n-grams of each order, as HF's `smooth`.

        None where the convention smooths the BLEU of a sentence in a way that is none of a corpus, as continuous-eval.
        """
        rule = convention.bleu or convention.bleu_n
        if rule is None or rule.smoothing == "least":
            return self if rule is None else None
        orders = range(1, self.max_order + 1)
        added = tuple(rule.smoothing_value * (order >= rule.smooth_from) for order in orders)
        return replace(self, added=added) if rule.smoothing == "add_k" and not self.is_smoothed else self

    @property
    def max_order(self) -> int:
        """The highest order of n-grams."""
        return self.n_sums // 2

    def summands_per_row(self, statistics: Mapping[str, Ints]) -> Ints:
        """Return what each row adds to the sums, int64, shape (sums, rows)."""
        n_tokens = statistics["bleu_pred_len"]
        matches = np.stack([statistics[f"bleu_match{order}"] for order in range(1, self.max_order + 1)])
        n_grams = np.stack([np.maximum(n_tokens - lost, 0) for lost in range(self.max_order)])
        return np.concatenate([matches, n_grams - matches, (statistics["bleu_ref_len"] - n_tokens)[None]])

    def _split(self, sums: Floats) -> tuple[Floats, Floats, Floats]:
        """Return matches and misses of each order, and the tokens by which predictions are shorter than golds."""
        order = self.max_order
        return sums[..., :order], sums[..., order : 2 * order], sums[..., 2 * order]

    def _has_matches(self, sums: Floats) -> Flags:
        """Whether all orders have matches, or something that is added to them, and there are tokens."""
        matches, misses, _ = self._split(sums)
        has_matches: Flags = np.all(matches + (self.added or 0.0) > 0, axis=-1) & (matches[..., 0] + misses[..., 0] > 0)
        return has_matches

    def value(self, sums: Floats) -> Floats:
        """Return BLEU of each entry: 0 if an order has no match and BLEU is not smoothed, NaN if there are no rows."""
        smoothed = self._smooth(sums) if self.is_smoothed else sums
        has_matches = self._has_matches(smoothed)
        if has_matches.all():
            return self._value_of_matches(smoothed)
        scores = np.where(sums[..., -1] > 0, 0.0, np.nan)
        scores[has_matches] = self._value_of_matches(smoothed[has_matches])
        return scores

    def _value_of_matches(self, sums: Floats) -> Floats:
        """Return BLEU of sums in which all orders have matches."""
        matches, misses, shortfall = self._split(sums)
        n_grams = matches + misses
        log_brevity = np.minimum(0.0, -shortfall / n_grams[..., 0])
        added = np.array(self.added or 0.0)
        bleu: Floats = np.exp(log_brevity + np.log((matches + added) / (n_grams + added)).mean(axis=-1))
        return bleu

    def _smooth(self, sums: Floats) -> Floats:
        """Return the sums with half a match in the first order that has none, a quarter in the next, and so on.

        Sums without any match stay as they are, and so do orders without n-grams.
        """
        matches, misses, _ = self._split(sums)
        is_smoothed = (matches == 0) & (misses > 0) & (matches > 0).any(axis=-1, keepdims=True)
        added = np.where(is_smoothed, 0.5 ** np.cumsum(matches == 0, axis=-1), 0.0)
        smoothed = sums.copy()
        smoothed[..., : self.max_order] += added
        smoothed[..., self.max_order : 2 * self.max_order] -= added  # the number of n-grams stays the same
        return smoothed

    def gradient(self, sums: Floats) -> Floats:
        """Return the derivatives. They are 0 if an order has no match, as a smoothed value jumps at the first match."""
        gradient = np.zeros(sums.shape)
        has_matches = self._has_matches(sums)
        known, added = sums[has_matches], np.array(self.added or 0.0)
        matches, misses, shortfall = self._split(known)
        n_grams = matches + misses
        # log BLEU = mean(log((matches + added) / (matches + misses + added))) - max(shortfall, 0) / tokens
        of_log = np.zeros(known.shape)
        of_matches, of_misses, _ = self._split(of_log)
        of_matches[...] = misses / ((matches + added) * (n_grams + added) * self.max_order)
        of_misses[...] = -1 / ((n_grams + added) * self.max_order)
        is_short, tokens = shortfall > 0, n_grams[..., 0]
        by_token = np.where(is_short, shortfall / tokens**2, 0.0)
        of_matches[..., 0] += by_token  # a token is a unigram, matched or not
        of_misses[..., 0] += by_token
        of_log[..., 2 * self.max_order] = np.where(is_short, -1 / tokens, 0.0)
        gradient[has_matches] = self.value(known)[..., None] * of_log
        return gradient

    def max_n(self, sums: Floats) -> Floats:
        """Return the number of rows, or of n-grams of the highest order if they are fewer: short predictions have none.

        It is 0 for a value that is smoothed, as an order has no match.
        """
        matches, misses, _ = self._split(sums)
        max_n = np.minimum(sums[..., -1], matches[..., -1] + misses[..., -1])
        return np.where((matches > 0).all(axis=-1), max_n, 0.0) if self.is_smoothed else max_n


# --- micro F1


@dataclass(frozen=True, slots=True)
class _MicroF1(Pooled):
    """2 * overlap / (tokens of predictions and golds), over all rows; 0 if there are no tokens.

    Its sums are the tokens that match, and the tokens of either side that do not.
    """

    def summands_per_row(self, statistics: Mapping[str, Ints]) -> Ints:
        """Return what each row adds to the sums, int64, shape (sums, rows)."""
        overlap = statistics["overlap"]
        return np.stack([overlap, statistics["pred_len"] + statistics["gold_len"] - 2 * overlap])

    def _n_tokens(self, sums: Floats) -> Floats:
        """Return the tokens of predictions and golds; infinity if there are none, so that a share of them is 0."""
        n_tokens = 2 * sums[..., 0] + sums[..., 1]
        return np.where(n_tokens > 0, n_tokens, np.inf)

    def value(self, sums: Floats) -> Floats:
        """Return micro F1; NaN if there are no rows."""
        return np.where(sums[..., -1] > 0, 2 * sums[..., 0] / self._n_tokens(sums), np.nan)

    def gradient(self, sums: Floats) -> Floats:
        """Return the derivatives of the value by each sum."""
        overlap, unmatched = sums[..., 0], sums[..., 1]
        by_tokens = (1 / self._n_tokens(sums)) ** 2
        return np.stack([2 * unmatched * by_tokens, -2 * overlap * by_tokens, np.zeros(overlap.shape)], axis=-1)


# --- corpus chrF


@dataclass(frozen=True, slots=True)
class _CorpusChrf(Pooled):
    """chrF2 of all rows together: F, with recall twice as important, of the mean precision and the mean recall.

    Its sums are, order by order, n-grams that match, and those of predictions and of golds that do not.
    The statistics are those of characters, then perhaps those of words.
    """

    def summands_per_row(self, statistics: Mapping[str, Ints]) -> Ints:
        """Return what each row adds to the sums, int64, shape (sums, rows)."""
        columns = [statistics[name] for name in self.statistics]
        summands, start = [], 0
        for orders in filter(None, (6, self.n_sums // 3 - 6)):  # of n-grams of characters, and of words
            n_pred, n_gold = columns[start + orders : start + orders + 2]
            for order, matches in enumerate(columns[start : start + orders]):
                of_gold = np.maximum(n_gold - order, 0)
                of_pred = np.where(of_gold > 0, np.maximum(n_pred - order, 0), 0)  # as sacrebleu counts them
                summands += [matches, of_pred - matches, of_gold - matches]
            start += orders + 2
        return np.stack(summands)

    def _means(self, sums: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return matches and totals of each order, and the means of precision and recall.

        Totals have the shape (2, ..., orders). They are infinite in orders of which a side has no n-grams: the means
        are over the others.
        """
        matches, of_pred, of_gold = (sums[..., place:-1:3] for place in range(3))
        totals = np.stack([matches + of_pred, matches + of_gold])
        has_both = (totals > 0).all(axis=0)
        totals = np.where(has_both, totals, np.inf)
        by_order = np.moveaxis(matches / totals, -1, 0)  # numpy's own sum rounds by how an array lies in memory
        means = functools.reduce(np.add, by_order) / np.maximum(has_both.sum(axis=-1), 1)
        return matches, totals, means[0], means[1]

    def value(self, sums: Floats) -> Floats:
        """Return chrF; 0 where nothing matches, NaN if there are no rows."""
        _, _, precision, recall = self._means(sums)
        weighted = np.where(sums[..., -1] > 0, 5 * precision * recall, np.nan)
        return np.divide(weighted, 4 * precision + recall, out=weighted, where=precision + recall > 0)

    def gradient(self, sums: Floats) -> Floats:
        """Return the derivatives by all sums, in their shape."""
        matches, totals, precision, recall = self._means(sums)
        n_orders = np.maximum(np.isfinite(totals[0]).sum(axis=-1), 1)
        squared = np.where(precision + recall > 0, (4 * precision + recall) ** 2 * n_orders, np.inf)
        by_precision, by_recall = ((5 * recall**2 / squared)[..., None], (20 * precision**2 / squared)[..., None])
        misses = np.where(np.isfinite(totals), totals - matches, 0.0) / totals**2
        gradient = np.zeros(sums.shape)
        gradient[..., 0:-1:3] = by_precision * misses[0] + by_recall * misses[1]
        gradient[..., 1:-1:3] = -by_precision * matches / totals[0] ** 2
        gradient[..., 2:-1:3] = -by_recall * matches / totals[1] ** 2
        return gradient


def _corpus_bleu(name: str, max_order: int = 4, *, is_default: bool = False, is_smoothed: bool = False) -> Pooled:
    """Return the corpus BLEU of n-grams of up to `max_order` tokens."""
    statistics = (*BLEU_STATISTICS[:max_order], *BLEU_STATISTICS[-2:])
    return _CorpusBleu(name, statistics, 2 * max_order + 1, is_default, is_smoothed=is_smoothed)


def _corpus_chrf(metric: str, n_orders: int) -> Pooled:
    """Return the corpus chrF of this metric, with so many orders of n-grams of characters and words together."""
    return _CorpusChrf(f"corpus_{metric}", CHRF_STATISTICS[metric], 3 * n_orders, metric=metric)


POOLED_STATISTICS: dict[str, Pooled] = {
    statistic.name: statistic
    for statistic in (
        _corpus_bleu("corpus_bleu", is_default=True),
        _MicroF1("f1_micro", OVERLAP_STATISTICS, 2, is_default=True),
        *(_corpus_bleu(f"corpus_bleu{order}", order) for order in (1, 2, 3, 4)),
        _corpus_bleu("corpus_bleu_exp", is_smoothed=True),
        _corpus_chrf("chrf", 6),
        _corpus_chrf("chrf++", 8),
    )
}
"""The pooled statistics by name.

Values are those of `sacrebleu.corpus_bleu(...).score / 100`: `corpus_bleu` with smooth_method="none" (or "add-k" where
the convention has it), `corpus_bleu_exp` with its default, `corpus_bleu1` to `corpus_bleu4` with smooth_method="none"
and that maximal order. `corpus_chrf` and `corpus_chrf++` are those of `sacrebleu.CHRF(...).corpus_score(...).score /
100`, with the best gold of each row.
"""
