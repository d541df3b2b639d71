"""How one row's scores come about, as plain values: the parts of an `Explanation`."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Literal

from qa_frame.view.explain.comparisons import Comparison

Status = Literal["scored", "missing prediction", "not extracted", "no gold"]


@dataclass(frozen=True, slots=True)
class NGrams:
    """BLEU's n-grams of one order.

    Attributes
    ----------
    order
        How many tokens an n-gram has.
    matched
        The prediction's n-grams that are matched, as often as they count, each with its tokens joined by spaces.
    n_matched, n_pred
        How many n-grams are matched, and how many the prediction has.
    precision
        `n_matched / n_pred`, smoothed by the convention's rule. None for an order that is left out, and if the score
        is 0 already without precisions.
    """

    order: int
    matched: tuple[str, ...]
    n_matched: int
    n_pred: int
    precision: float | None


@dataclass(frozen=True, slots=True)
class BleuScore:
    """The parts of a BLEU score: the mean of the logarithms of precisions, times the brevity penalty.

    Attributes
    ----------
    ngrams
        One for each order from 1 on.
    n_pred, n_gold
        The numbers of tokens.
    brevity_penalty
        From 0 to 1; None if the score is 0 already without it.
    effective_order
        The sum of the logarithms is divided by this number of orders. None if the score is 0 already without it.
    smoothing, smoothing_value
        The smoothing of the convention's rule: its name, and its value.
    weights
        The weight of each order; None for a rule without weights.
    """

    ngrams: tuple[NGrams, ...]
    n_pred: int
    n_gold: int
    brevity_penalty: float | None
    effective_order: int | None
    smoothing: str
    smoothing_value: float
    weights: tuple[float, ...] | None = None


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
        The score with each gold alone, in the order of `Explanation.golds`; NaN for a gold that is left out.
    why
        How the score comes about, in words.
    counts
        The counts that the score is made of, for the gold that `why` is about. `common n_pred n_gold` for metrics of
        precision and recall, `equal` for `em`, `contained` for `contains`, `edits n_pred n_gold` for edit distances,
        `matched1 total1 ...`, `n_pred` and `n_gold` for BLEU, `matched1 ...`, `n_pred` and `n_gold` for chrF, with
        `word_matched1 ...`, `word_n_pred` and `word_n_gold` for its words.
    is_empty_side
        Whether the score is the one that the convention gives for empty sides, and not made of the counts.
    bleu
        The parts of BLEU; None for other metrics.
    """

    score: float
    gold: int | None
    per_gold: tuple[float, ...]
    why: str
    counts: Mapping[str, int]
    is_empty_side: bool = False
    bleu: BleuScore | None = None


@dataclass(frozen=True, slots=True, repr=False)
class ExplainedRow:
    """The values of an `Explanation`, which describes each. Text and HTML are made of these."""

    label: Hashable
    position: int
    status: Status
    convention: str
    signature: str
    reduce: str
    response: str | None
    prediction: str | None
    golds: tuple[str, ...]
    metrics: Mapping[str, MetricScore]
    comparisons: tuple[Comparison, ...]
