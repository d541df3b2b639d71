"""How one row's scores come about, as plain values: the parts of an `Explanation`."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Status = Literal["scored", "missing prediction", "not extracted", "no gold"]


@dataclass(frozen=True, slots=True)
class MetricScore:
    """One metric's score of the row.

    Attributes
    ----------
    score
        The score that `score` gives; NaN if the row is not scored.
    gold
        The place in `Explanation.golds` of the gold that the score is from. Ties go to the gold with the highest sum
        of all metrics. None if the score is made of several golds (`reduce="mean"` or a function), or the row has no
        gold.
    per_gold
        The score with each gold alone, in the order of `Explanation.golds`; NaN for a gold that is left out, and where
        the rule takes golds together.
    why
        How the score comes about, in words.
    counts
        The counts that the score is made of, for the gold that `why` is about. `common n_pred n_gold` for metrics of
        precision and recall, `equal` for `em`, `contained` for `contains`, `edits n_pred n_gold` for edit distances,
        `matched1 total1 ...`, `n_pred` and `n_gold` for BLEU, `matched1 ...`, `n_pred` and `n_gold` for chrF, with
        `word_matched1 ...`, `word_n_pred` and `word_n_gold` for its words.
    parts
        The numbers between the counts and the score. `precision1 ...`, `brevity_penalty` and `effective_order` for
        BLEU, unless the score is 0 already without them; an order that is left out has no precision. `precision recall
        orders` for chrF.
    is_empty_side
        Whether the score is the one that the convention gives for empty sides, and not made of the counts.
    """

    score: float
    gold: int | None = None
    per_gold: tuple[float, ...] = ()
    why: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    parts: Mapping[str, float] = field(default_factory=dict)
    is_empty_side: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """The prediction and one gold as some metrics count them: after normalisation, as tokens.

    Attributes
    ----------
    metrics
        The metrics that count these tokens.
    gold
        The place of the gold in `Explanation.golds`; None for the empty gold that stands for "no answer".
    normalisation
        The steps and the split that make tokens of a text, in a few words.
    counting
        The way of counting: `"multiset"`, `"distinct"`, `"set"`, `"run"`, `"subsequence"`, `"union"` (see `Overlap` and
        `RougeL`), or `"substring"`, where the texts are compared as they are and only the gold's place is marked.
    pred_tokens, gold_tokens
        The tokens of each side.
    common
        The tokens that count as common, each as often as it counts. For `"run"` and `"subsequence"` they stand in
        their order, so that this is the longest common run or subsequence.
    pred_matched, gold_matched
        The places of these tokens in each side.
    aligned
        Places (in the prediction, in the gold) of equal tokens in the order of both texts: those of the longest common
        run for `"run"`, else those of a longest common subsequence. None for very long texts, which are not aligned.
    """

    metrics: tuple[str, ...]
    gold: int | None
    normalisation: str
    counting: str
    pred_tokens: tuple[str, ...]
    gold_tokens: tuple[str, ...]
    common: tuple[str, ...]
    pred_matched: tuple[int, ...]
    gold_matched: tuple[int, ...]
    aligned: tuple[tuple[int, int], ...] | None

    @property
    def columns(self) -> list[tuple[int | None, int | None]]:
        """The places of tokens that stand above each other: aligned ones, and those between them one by one."""
        columns: list[tuple[int | None, int | None]] = []
        pred, gold = 0, 0
        for place in (*(self.aligned or ()), (len(self.pred_tokens), len(self.gold_tokens))):
            columns += itertools.zip_longest(range(pred, place[0]), range(gold, place[1]))
            columns.append(place)
            pred, gold = place[0] + 1, place[1] + 1
        return columns[:-1]
