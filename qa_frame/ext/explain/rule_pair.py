"""A prediction and a gold, as the rule of a metric looks at them: texts, tokens, counts and score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from qa_frame._typing import Ints
from qa_frame.ext.explain.marks import Side, tokens_of_text
from qa_frame.kernels.pair_counts import PairCounts
from qa_frame.rules.parts import Convention, gold_text_of
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.metrics.definition import COUNTINGS
from qa_frame.scoring.pipeline import ScoredPairs


@dataclass(frozen=True)
class RulePair:
    """A prediction and a gold, as the rule of a metric looks at them.

    Attributes
    ----------
    convention, metric
        The convention, and the metric.
    pairs
        The pairs of all rows, with their counts and scores.
    place
        The place of this pair.
    together
        The places of the pairs whose golds the score is of: this one, or all of the row where the rule takes them
        together.
    """

    convention: Convention
    metric: str
    pairs: ScoredPairs
    place: int
    together: Ints

    @property
    def family(self) -> str:
        """The family of the metric."""
        return METRICS[self.metric].family

    @property
    def rule(self) -> Any:
        """The convention's rule for the metric."""
        return getattr(self.convention, self.family)

    @property
    def counting(self) -> str:
        """The way of counting common tokens, a value of `Comparison.counting` or `"equal"`."""
        counting = METRICS[self.metric].counting_under(self.rule)
        return COUNTINGS[counting].marks if counting in COUNTINGS else counting

    @property
    def score(self) -> float:
        """The score that scoring gives."""
        return float(self.pairs.scores[self.metric][self.place])

    @property
    def counts(self) -> PairCounts:
        """The counts of the rule's family, of this pair alone."""
        return self.pairs.counts[self.family].take(np.array([self.place]))

    @property
    def counts_of_golds(self) -> PairCounts:
        """The counts with each of the golds that the score is of."""
        return self.pairs.counts[self.family].take(self.together)

    @cached_property
    def _sides(self) -> tuple[int, int]:
        """The places of the prediction and of the gold among the texts."""
        pred, gold = (int(side[self.place]) for side in (self.pairs.batch.pairs.pred, self.pairs.batch.pairs.gold))
        return pred, gold

    @cached_property
    def texts(self) -> tuple[str, str]:
        """The prediction and the gold, as they were before normalisation."""
        pred, gold = (self.pairs.batch.texts[side].as_py() for side in self._sides)
        return pred, gold

    @cached_property
    def tokens(self) -> tuple[Side, Side]:
        """The tokens of the prediction and of the gold. Some rules make those of the gold in another way."""
        words, (pred, gold) = self.pairs.words, self._sides
        return tokens_of_text(words, pred, self.rule.text), tokens_of_text(words, gold, gold_text_of(self.rule))
