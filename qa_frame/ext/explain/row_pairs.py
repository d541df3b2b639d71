"""The pairs of one row: which gold each score is from, and the tokens of each pair as metrics count them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from qa_frame._typing import Ints
from qa_frame.checks import is_choice
from qa_frame.errors import plural
from qa_frame.ext.explain.reasons import MetricScore, RulePair, explain_score
from qa_frame.ext.explain.token_matches import Comparison, mark_substring, mark_tokens
from qa_frame.rules.parts import gold_tokens_of
from qa_frame.rules.signature import describe
from qa_frame.scoring.metrics import METRICS
from qa_frame.scoring.pipeline import ScoredPairs
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.reduction import OF_ONE_GOLD
from qa_frame.text.numerals import number_of

_OF_TEXTS = {"equal", "substring"}
"""The ways of counting that only ask whether texts are equal, or one in the other."""


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
        The place of the row in the batch of `pairs`.
    golds
        The row's golds, without nulls.
    scores
        The row's scores, by metric.
    """

    plan: Plan
    pairs: ScoredPairs
    row: int
    golds: tuple[str, ...]
    scores: Mapping[str, float]

    @cached_property
    def own(self) -> Ints:
        """The places of the row's own pairs in `pairs`, int64."""
        return np.arange(*self.pairs.batch.pair_offsets[self.row : self.row + 2])

    @cached_property
    def gold_of_pair(self) -> Mapping[int, int | None]:
        """By the place of each own pair, that of its gold in `golds`; None for the empty gold of "no answer"."""
        ahead = iter(enumerate(self.golds))  # some golds may be left out
        texts = self.pairs.batch.texts.take(pa.array(self.pairs.batch.pairs.gold[self.own])).to_pylist()
        places = (next((place for place, gold in ahead if gold == text), None) for text in texts)
        return dict(zip(self.own.tolist(), places, strict=True))

    # --- which gold

    @cached_property
    def chosen(self) -> Mapping[str, RulePair]:
        """By metric the pair that is explained: the one whose score is the row's, or the best if several make it.

        Ties go to the pair that is best by all metrics together. So a metric that cannot tell golds apart is explained
        with the gold that other metrics chose.
        """
        scores, rules = {name: of[self.own] for name, of in self.pairs.scores.items()}, self.plan.rules
        added, chosen = np.sum([scores[name] for name in self.plan.metrics], axis=0), {}
        for metric in self.plan.metrics:
            wanted = scores[metric].min() if rules.reduce == "min" else scores[metric].max()
            at = int(np.where(scores[metric] == wanted, added, -1.0).argmax())
            if is_choice(rules.reduce, ("first", "best")):
                at = 0 if rules.reduce == "first" else int(scores[rules.best_by].argmax())
            rule = getattr(self.plan.convention, METRICS[metric].family)
            takes_all = getattr(rule, "references", "each") == "together"
            together = self.own if takes_all else self.own[[at]]
            chosen[metric] = RulePair(self.plan.convention, metric, self.pairs, int(self.own[at]), together)
        return chosen

    def explain(self, metric: str) -> MetricScore:
        """Return the row's score by a metric, with its gold, the scores of each gold and the reason in words."""
        pair, reduction = self.chosen[metric], self.plan.rules.reduce
        reason, place, start = explain_score(pair), self.gold_of_pair[pair.place], ""
        gold, alone = place, {self.gold_of_pair[each]: float(self.pairs.scores[metric][each]) for each in self.own}
        is_of_one_gold = not callable(reduction) and (len(self.own) == 1 or reduction in OF_ONE_GOLD)
        if len(pair.together) > 1:
            start, gold, alone = f"{len(self.own)} golds together: ", None, {}
        elif not is_of_one_gold:
            named = f"{name_of_reduction(self.plan)} of {plural(len(self.own), 'gold')}"
            start, gold = f"{named}; the closest is golds[{place}]: ", None
        per_gold = tuple(alone.get(each, math.nan) for each in range(len(self.golds)))
        return replace(reason, score=self.scores[metric], gold=gold, per_gold=per_gold, why=f"{start}{reason.why}")

    # --- tokens

    def comparisons(self) -> tuple[Comparison, ...]:
        """Return the tokens of each pair that a metric's score is from, once for each way of counting tokens."""
        pairs_of: dict[tuple[Any, ...], list[RulePair]] = {}
        for pair in sorted(self.chosen.values(), key=lambda each: each.counting in _OF_TEXTS):  # these join others
            key = (pair.rule.text, gold_tokens_of(pair.rule), pair.place)
            counting = "multiset" if pair.counting == "equal" else pair.counting
            others = [known for known in pairs_of if known[:3] == key and pair.counting in _OF_TEXTS]
            pairs_of.setdefault(others[0] if others else (*key, counting), []).append(pair)
        return tuple(self._compare_tokens(pairs, key[3]) for key, pairs in pairs_of.items())

    def _compare_tokens(self, pairs: list[RulePair], counting: str) -> Comparison:
        """Compare the tokens of one pair as some metrics count them. pairs: this pair, once for each metric."""
        pair, metrics = pairs[0], {each.metric for each in pairs}
        rule: Any = pair.rule
        if counting == "substring":
            is_number = rule.numbers and number_of(pair.texts[1]) is not None  # looked for among other numbers
            place = "" if is_number else "start" if pair.metric == "prefix" else rule.place
            pred, gold = map(" ".join, pair.tokens)
            matches = mark_substring(pred, gold, place)
        else:
            matches = mark_tokens(*pair.tokens, counting)
        return Comparison(
            tuple(name for name in self.plan.metrics if name in metrics),
            self.gold_of_pair[pair.place],
            " > ".join(map(describe, (*rule.text.steps, rule.text.split))),
            counting,
            *matches,
        )


def name_of_reduction(plan: Plan) -> str:
    """Return the name of a plan's reduction, or of the user's function; "a function" for one without a name."""
    reduce = plan.rules.reduce
    return reduce if isinstance(reduce, str) else getattr(reduce, "__name__", "a function")
