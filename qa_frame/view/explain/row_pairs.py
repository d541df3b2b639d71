"""The pairs of one row: which gold each score is from, and the tokens of each pair as metrics count them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from qa_frame._typing import Flags, Floats
from qa_frame.errors import plural
from qa_frame.frames.text_columns import TextColumns
from qa_frame.rules.parts import gold_text_of, gold_tokens_of
from qa_frame.rules.signature import describe
from qa_frame.scoring.countings import COUNTINGS
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.pipeline import ScoredPairs, score_pairs
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.reduction import REDUCERS, best_pairs
from qa_frame.text.lexicon import simplify_split, tokenise
from qa_frame.text.numerals import number_of
from qa_frame.text.specification import Text
from qa_frame.view.explain import reasons
from qa_frame.view.explain.explained import Comparison, MetricScore
from qa_frame.view.explain.marks import Side, dropped_words, mark_substring, mark_tokens


@dataclass(frozen=True, slots=True)
class RowPairs:
    """The pairs of a row that is scored.

    Attributes
    ----------
    plan
        The metrics and the rules.
    pairs
        The pairs with their counts and scores.
    golds
        The row's golds, without nulls.
    places
        The place in `golds` of each pair's gold; None for the empty gold that stands for "no answer".
    """

    plan: Plan
    pairs: ScoredPairs
    golds: tuple[str, ...]
    places: list[int | None]

    # --- which gold

    def winner(self, metric: str) -> int | None:
        """Return the pair whose score is the row's; None if the score is made of several.

        Ties go to the pair that is best by all metrics together. So a metric that cannot tell golds apart is explained
        with the gold that other metrics chose.
        """
        scores, reduction = self.pairs.scores[metric], self.plan.reduce
        if self.takes_golds_together(metric) or callable(reduction):
            return None
        if not REDUCERS[reduction].is_of_one_gold and len(scores) > 1:
            return None
        if reduction == "first":
            return 0
        if reduction == "best":
            return int(best_pairs(self.pairs.scores[self.plan.rules.best_by], self.pairs.batch.pair_offsets)[0])
        return self._closest(scores == (scores.min() if reduction == "min" else scores.max()))

    def _closest(self, is_candidate: Flags) -> int:
        """The candidate with the highest sum of all metrics' scores, the first of equals."""
        total = np.sum([self.pairs.scores[name] for name in self.plan.metrics], axis=0)
        return int(np.where(is_candidate, total, -1.0).argmax())

    def compared_pair(self, metric: str) -> int:
        """Return the pair whose tokens are shown: the winner, or the best one if the score is made of several."""
        winner, scores = self.winner(metric), self.pairs.scores[metric]
        return self._closest(scores == scores.max()) if winner is None else winner

    def takes_golds_together(self, metric: str) -> bool:
        """Whether the score is one of several golds together."""
        return len(self.places) > 1 and getattr(self.rule(metric), "references", "each") == "together"

    def scores_alone(self, metric: str) -> Floats:
        """Return the score with each gold alone, shape (pairs,)."""
        if not self.takes_golds_together(metric):
            return self.pairs.scores[metric]
        sides = zip(*map(self.texts, range(len(self.places))), strict=True)
        texts = (pa.chunked_array([pa.array(side, pa.large_string())]) for side in sides)
        return score_pairs(TextColumns(*texts), self.plan).scores[metric]

    # --- one metric

    def explain(self, metric: str, score: float) -> MetricScore:
        """Explain one metric's score of the row."""
        winner, pair = self.winner(metric), self.compared_pair(metric)
        of_pair = self.pair_of(metric, pair)
        told = reasons.tell(of_pair)
        empty_sides = self.pairs.empty_sides[METRICS[metric].family]
        is_empty = {of: (bool(pred[pair]), bool(gold[pair])) for of, (pred, gold) in empty_sides.items()}
        no_answer = reasons.why_no_answer(self.plan.convention, of_pair.pred, of_pair.gold)
        empty = no_answer or reasons.why_empty(of_pair.rule, is_empty)
        why = empty or told.why + reasons.what_else(of_pair.score, told.score)
        of_places = dict(zip(self.places, self.scores_alone(metric).tolist(), strict=True))
        return MetricScore(
            score=score,
            gold=None if winner is None else self.places[winner],
            per_gold=tuple(of_places.get(place, math.nan) for place in range(len(self.golds))),
            why=self._over_golds(metric, pair, winner) + "; ".join(filter(None, (reasons.nothing_left(of_pair), why))),
            counts=told.counts,
            parts=told.parts,
            lines=told.lines,
            is_empty_side=empty is not None,
        )

    def _over_golds(self, metric: str, pair: int, winner: int | None) -> str:
        """Say how a score of several golds is made; nothing for the score of one gold."""
        if winner is not None:
            return ""
        if self.takes_golds_together(metric):
            return f"{plural(len(self.places), 'gold')} together: "
        name = name_of_reduction(self.plan)
        return f"{name} of {len(self.places)} golds; the closest is golds[{self.places[pair]}]: "

    def pair_of(self, metric: str, pair: int) -> reasons.PairOfMetric:
        """Return one pair as the rule of a metric looks at it."""
        rule, counts = self.rule(metric), self.pairs.counts[METRICS[metric].family]
        others = range(len(self.places)) if self.takes_golds_together(metric) else [pair]
        return reasons.PairOfMetric(
            metric,
            rule,
            float(self.pairs.scores[metric][pair]),
            counts.take(np.array([pair])),
            *self.texts(pair),
            *self.tokens(rule, pair),
            tuple(self.tokens(rule, other)[1] for other in others),
            counts.take(np.array(others)),
        )

    # --- tokens

    def comparisons(self) -> tuple[Comparison, ...]:
        """The tokens of each pair that a metric's score is from, once for each way of counting tokens."""
        metrics_of: dict[tuple[Text, Text | None, int, str], list[str]] = {}
        # Those that only ask whether texts are equal, or one in the other, join the others of the same tokens.
        for metric in sorted(self.plan.metrics, key=lambda name: self.counting(name) in {"equal", "substring"}):
            counting, rule, pair = self.counting(metric), self.rule(metric), self.compared_pair(metric)
            key = (rule.text, gold_tokens_of(rule), pair, "multiset" if counting == "equal" else counting)
            if counting in {"equal", "substring"}:
                key = next((known for known in metrics_of if known[:3] == key[:3]), key)
            metrics_of.setdefault(key, []).append(metric)
        return tuple(self._compare(metrics, *key[2:]) for key, metrics in metrics_of.items())

    def _compare(self, metrics: list[str], pair: int, counting: str) -> Comparison:
        """Compare the tokens of a pair as these metrics count them."""
        rule, (pred, gold) = self.rule(metrics[0]), self.texts(pair)
        sides = self.tokens(rule, pair)
        if counting == "substring":
            place = "start" if metrics[0] == "prefix" else rule.place
            is_number = rule.numbers and number_of(gold) is not None  # which is looked for among other numbers
            marks = mark_substring(" ".join(sides[0]), " ".join(sides[1]), "" if is_number else place)
        else:
            marks = mark_tokens(*sides, counting)
        return Comparison(
            tuple(name for name in self.plan.metrics if name in metrics),
            self.places[pair],
            " > ".join(map(describe, (*rule.text.steps, rule.text.split))),
            counting,
            *marks,
            dropped_words(pred, rule.text),
            dropped_words(gold, gold_tokens_of(rule) or rule.text),
        )

    def tokens(self, rule: Any, pair: int) -> tuple[Side, Side]:
        """Return the tokens of the prediction and of the gold. Some rules make those of the gold in another way."""
        pairs = self.pairs.batch.pairs
        pred, gold = pairs.pred[pair], pairs.gold[pair]
        return self._tokens_of_text(rule.text, pred), self._tokens_of_text(gold_text_of(rule), gold)

    def _tokens_of_text(self, text: Text, place: int) -> Side:
        tokenised = tokenise(self.pairs.words, simplify_split(text, self.pairs.words))
        spelled = tokenised.vocabulary.take(pa.array(tokenised.tokens.text(place))).to_pylist()
        return tuple(token[:-1].decode("utf-8", "replace") for token in spelled)  # without `WORD_END`

    # --- the rules, and the texts

    def rule(self, metric: str) -> Any:
        """Return the convention's rule for the metric."""
        return getattr(self.plan.convention, METRICS[metric].family)

    def counting(self, metric: str) -> str:
        """Return the way of counting common tokens, a value of `Comparison.counting` or `"equal"`."""
        counting = METRICS[metric].counting_under(self.rule(metric))
        return COUNTINGS[counting].marks if counting in COUNTINGS else counting

    def texts(self, pair: int) -> tuple[str, str]:
        """The prediction and the gold of a pair, as they were before normalisation."""
        batch = self.pairs.batch
        pred, gold = (batch.texts[side[pair]].as_py() for side in (batch.pairs.pred, batch.pairs.gold))
        return pred, gold


def name_of_reduction(plan: Plan) -> str:
    """The name of a reduction, or of the user's function."""
    return plan.reduce if isinstance(plan.reduce, str) else getattr(plan.reduce, "__name__", "a function")
