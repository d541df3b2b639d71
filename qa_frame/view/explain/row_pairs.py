"""The pairs of one row: which gold each score is from, and the tokens of each pair as metrics count them."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from qa_frame._typing import Flags, Floats
from qa_frame.errors import plural
from qa_frame.frames.text_columns import TextColumns
from qa_frame.rules.parts import gold_texts_of, gold_tokens_of
from qa_frame.scoring.counting import tokens_of_sides
from qa_frame.scoring.countings import COUNTINGS
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.pipeline import ScoredPairs, score_pairs
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.reduction import best_pairs
from qa_frame.text.finders import FINDERS
from qa_frame.text.lexicon import simplify_split, tokenise
from qa_frame.text.numerals import number_of
from qa_frame.text.specification import Text
from qa_frame.view.explain.comparisons import Comparison, TokensOfPair, compare_texts, compare_tokens

_IS_AT = {"start": str.startswith, "end": str.endswith}


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

    def comparisons(self) -> tuple[Comparison, ...]:
        """The tokens of each pair that a metric's score is from, once for each way of counting tokens."""
        metrics_of: dict[tuple[Text, Text | None, int, str], list[str]] = {}
        # Those that only ask whether texts are equal, or one in the other, join the others of the same tokens.
        for metric in sorted(self.plan.metrics, key=lambda name: self.counting(name) in {"equal", "substring"}):
            if (
                getattr(self.rule(metric), "place", "") in FINDERS
            ):  # which look at the texts, and not at where one stands in the other
                continue
            counting, rule, pair = self.counting(metric), self.rule(metric), self.compared_pair(metric)
            key = (rule.text, gold_tokens_of(rule), pair, "multiset" if counting == "equal" else counting)
            if counting in {"equal", "substring"}:
                key = next((known for known in metrics_of if known[:3] == key[:3]), key)
            metrics_of.setdefault(key, []).append(metric)
        return tuple(self.compare(*key[2:], tuple(metrics)) for key, metrics in metrics_of.items())

    def compare(self, pair: int, counting: str, metrics: tuple[str, ...]) -> Comparison:
        """Compare the tokens of a pair as these metrics count them."""
        rule = self.rule(metrics[0])
        text, tokens, gold = rule.text, self.tokens_under(rule, pair), self.places[pair]
        in_order = tuple(name for name in self.plan.metrics if name in metrics)
        if counting == "substring":
            place = self.place(metrics[0])
            pred_text, gold_text = map(" ".join, self.spell(rule, pair))
            is_elsewhere = rule.numbers and number_of(self.texts(pair)[1]) is not None
            is_found = not is_elsewhere and _IS_AT.get(place, operator.contains)(pred_text, gold_text)
            start = (pred_text.rfind if place == "end" else pred_text.find)(gold_text) if is_found else -1
            return compare_texts(pred_text, gold_text, text, metrics=in_order, gold=gold, start=start)
        return compare_tokens(
            tokens, text, counting, metrics=in_order, gold=gold, raw=self.texts(pair), gold_text=gold_tokens_of(rule)
        )

    def winner(self, metric: str) -> int | None:
        """Return the pair whose score is the row's; None if the score is made of several.

        Ties go to the pair that is best by all metrics together. So a metric that cannot tell golds apart is explained
        with the gold that other metrics chose.
        """
        scores, reduction = self.pairs.scores[metric], self.plan.reduce
        if self.takes_golds_together(metric):
            return None
        if callable(reduction) or (reduction in ("mean", "leave_one_out", "votes") and len(scores) > 1):
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

    def over_golds(self, metric: str, pair: int, winner: int | None) -> str:
        """Say how a score of several golds is made; nothing for the score of one gold."""
        if winner is not None:
            return ""
        if self.takes_golds_together(metric):
            return f"{plural(len(self.places), 'gold')} together: "
        name = (
            self.plan.reduce if isinstance(self.plan.reduce, str) else getattr(self.plan.reduce, "__name__", "reduce")
        )
        return f"{name} of {len(self.places)} golds; the closest is golds[{self.places[pair]}]: "

    def spell(self, rule: Any, pair: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the tokens of the prediction and of the gold. Some rules make those of the gold in another way."""
        pred, *golds = (
            self.tokens(text, pair).spelled[place > 0] for place, text in enumerate((rule.text, *gold_texts_of(rule)))
        )
        return pred, next((gold for gold in golds if " ".join(gold) in " ".join(pred)), golds[0])

    def rule(self, metric: str) -> Any:
        """Return the convention's rule for the metric."""
        return getattr(self.plan.convention, METRICS[metric].family)

    def place(self, metric: str) -> str:
        """Where `contains` or `prefix` looks for the gold."""
        place: str = "start" if metric == "prefix" else self.rule(metric).place
        return place

    def counting(self, metric: str) -> str:
        """Return the way of counting common tokens, a value of `Comparison.counting` or `"equal"`."""
        counting = METRICS[metric].counting_under(self.rule(metric))
        return COUNTINGS[counting].marks if counting in COUNTINGS else counting

    def texts(self, pair: int) -> tuple[str, str]:
        """The prediction and the gold of a pair, as they were before normalisation."""
        batch = self.pairs.batch
        pred, gold = (batch.texts[side[pair]].as_py() for side in (batch.pairs.pred, batch.pairs.gold))
        return pred, gold

    def tokens_under(self, rule: Any, pair: int) -> TokensOfPair:
        """Return the tokens of both sides of a pair, as the rule makes them."""
        texts, of_sides = tokens_of_sides(self.pairs.words, self.pairs.batch.pairs, rule)
        return TokensOfPair(texts, int(of_sides.pred[pair]), int(of_sides.gold[pair]))

    def tokens(self, text: Text, pair: int) -> TokensOfPair:
        """Return the tokens of both sides of a pair."""
        pairs = self.pairs.batch.pairs
        tokenised = tokenise(self.pairs.words, simplify_split(text, self.pairs.words))
        return TokensOfPair(tokenised, int(pairs.pred[pair]), int(pairs.gold[pair]))
