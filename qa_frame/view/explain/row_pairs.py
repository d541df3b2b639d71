"""The pairs of one row: which gold each score is from, and the tokens of each pair as metrics count them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from qa_frame._typing import Flags, Floats, Ints
from qa_frame.errors import plural
from qa_frame.frames.text_columns import TextColumns
from qa_frame.rules.parts import gold_tokens_of
from qa_frame.rules.signature import describe
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.pipeline import ScoredPairs, score_pairs
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.reduction import REDUCERS
from qa_frame.text.numerals import number_of
from qa_frame.text.specification import Text
from qa_frame.view.explain.explained import Comparison, MetricScore
from qa_frame.view.explain.marks import mark_substring, mark_tokens
from qa_frame.view.explain.reasons import tell
from qa_frame.view.explain.rule_pair import RulePair


@dataclass(frozen=True)
class RowPairs:
    """The pairs of a row.

    Attributes
    ----------
    plan
        The metrics and the rules.
    pairs
        The pairs of all rows, with their counts and scores.
    row
        The place of the row.
    golds
        The row's golds, without nulls.
    """

    plan: Plan
    pairs: ScoredPairs
    row: int
    golds: tuple[str, ...]

    @cached_property
    def own(self) -> Ints:
        """The row's own pairs."""
        return np.arange(*self.pairs.batch.pair_offsets[self.row : self.row + 2])

    @cached_property
    def place_of(self) -> Mapping[int, int | None]:
        """The place in `golds` of each pair's gold; None for the empty gold that stands for "no answer"."""
        ahead = iter(enumerate(self.golds))  # some golds may be left out
        texts = self.pairs.batch.texts.take(pa.array(self.pairs.batch.pairs.gold[self.own])).to_pylist()
        places = (next((place for place, gold in ahead if gold == text), None) for text in texts)
        return dict(zip(self.own.tolist(), places, strict=True))

    # --- which gold

    def winner(self, metric: str) -> int | None:
        """Return the pair whose score is the row's; None if the score is made of several.

        Ties go to the pair that is best by all metrics together. So a metric that cannot tell golds apart is explained
        with the gold that other metrics chose.
        """
        scores, reduction = self.pairs.scores[metric][self.own], self.plan.rules.reduce
        if self.takes_golds_together(metric) or callable(reduction):
            return None
        if not REDUCERS[reduction].is_of_one_gold and len(scores) > 1:
            return None
        if reduction == "first":
            return int(self.own[0])
        if reduction == "best":
            return int(self.own[self.pairs.scores[self.plan.rules.best_by][self.own].argmax()])
        return self._choose_closest(scores == (scores.min() if reduction == "min" else scores.max()))

    def _choose_closest(self, is_candidate: Flags) -> int:
        """The candidate with the highest sum of all metrics' scores, the first of equals."""
        return int(self.own[np.where(is_candidate, self._added_scores, -1.0).argmax()])

    @cached_property
    def _added_scores(self) -> Floats:
        total: Floats = np.sum([self.pairs.scores[name][self.own] for name in self.plan.metrics], axis=0)
        return total

    def takes_golds_together(self, metric: str) -> bool:
        """Whether the score is one of several golds together."""
        rule = getattr(self.plan.convention, METRICS[metric].family)
        return len(self.own) > 1 and getattr(rule, "references", "each") == "together"

    @cached_property
    def _scores_of_each_alone(self) -> Mapping[str, Floats]:
        """The scores of each pair, as if it were a row of its own."""
        pairs, texts = self.pairs.batch.pairs[self.own], self.pairs.batch.texts
        sides = (pa.chunked_array([texts.take(pa.array(side))]) for side in (pairs.pred, pairs.gold))
        return score_pairs(TextColumns(*sides), self.plan).scores

    # --- one metric

    def pair_of(self, metric: str) -> RulePair:
        """Return the pair whose tokens are shown: the winner, or the best one if the score is made of several."""
        winner, scores = self.winner(metric), self.pairs.scores[metric][self.own]
        place = self._choose_closest(scores == scores.max()) if winner is None else winner
        together = self.own if self.takes_golds_together(metric) else np.array([place])
        return RulePair(self.plan.convention, metric, self.pairs, place, together)

    def explain(self, metric: str, score: float) -> MetricScore:
        """Explain one metric's score of the row."""
        winner, pair, together = self.winner(metric), self.pair_of(metric), self.takes_golds_together(metric)
        told, start = tell(pair), ""
        if together:
            start = f"{plural(len(self.own), 'gold')} together: "
        elif winner is None:
            name, place = name_of_reduction(self.plan), self.place_of[pair.place]
            start = f"{name} of {len(self.own)} golds; the closest is golds[{place}]: "
        alone = self._scores_of_each_alone[metric] if together else self.pairs.scores[metric][self.own]
        of_places = dict(zip(self.place_of.values(), alone.tolist(), strict=True))
        return replace(
            told,
            score=score,
            gold=None if winner is None else self.place_of[winner],
            per_gold=tuple(of_places.get(place, math.nan) for place in range(len(self.golds))),
            why=f"{start}{told.why}",
        )

    # --- tokens

    def comparisons(self) -> tuple[Comparison, ...]:
        """The tokens of each pair that a metric's score is from, once for each way of counting tokens."""
        pairs_of: dict[tuple[Text, Text | None, int, str], list[RulePair]] = {}
        # Those that only ask whether texts are equal, or one in the other, join the others of the same tokens.
        all_pairs = map(self.pair_of, self.plan.metrics)
        for pair in sorted(all_pairs, key=lambda each: each.counting in {"equal", "substring"}):
            counting = "multiset" if pair.counting == "equal" else pair.counting
            key = (pair.rule.text, gold_tokens_of(pair.rule), pair.place, counting)
            if pair.counting in {"equal", "substring"}:
                key = next((known for known in pairs_of if known[:3] == key[:3]), key)
            pairs_of.setdefault(key, []).append(pair)
        return tuple(self._compare_tokens(pairs, key[3]) for key, pairs in pairs_of.items())

    def _compare_tokens(self, pairs: list[RulePair], counting: str) -> Comparison:
        """Compare the tokens of a pair as some metrics count them."""
        pair, metrics = pairs[0], {each.metric for each in pairs}
        rule: Any = pair.rule
        if counting == "substring":
            is_number = rule.numbers and number_of(pair.texts[1]) is not None  # looked for among other numbers
            place = "" if is_number else "start" if pair.metric == "prefix" else rule.place
            pred, gold = map(" ".join, pair.tokens)
            marks = mark_substring(pred, gold, place)
        else:
            marks = mark_tokens(*pair.tokens, counting)
        return Comparison(
            tuple(name for name in self.plan.metrics if name in metrics),
            self.place_of[pair.place],
            " > ".join(map(describe, (*rule.text.steps, rule.text.split))),
            counting,
            *marks,
            *pair.dropped,
        )


def name_of_reduction(plan: Plan) -> str:
    """The name of a reduction, or of the user's function."""
    reduce = plan.rules.reduce
    return reduce if isinstance(reduce, str) else getattr(reduce, "__name__", "a function")
