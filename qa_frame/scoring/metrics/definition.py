"""What the file of a family declares: metrics, ways of counting what a pair has in common, and sufficient statistics.

A convention's rule says which counts and which ratios. All scores are float64 of shape (pairs,), from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.kernels.pair_counts import CLIPPED, Kernel, PairCounts
from qa_frame.kernels.tokens import Pairs
from qa_frame.rules.parts import Convention
from qa_frame.scoring.batches import Batch
from qa_frame.text.specification import Text
from qa_frame.text.words import Words

Common = tuple[Ints, Ints, Ints]
"""The number of common units, of the prediction's units and of the gold's units, shape (pairs,) each."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TextKernel:
    """A way to count one thing of each pair for which tokens are not enough.

    Attributes
    ----------
    name
        The name of the counts in `PairCounts`.
    count
        Takes the words, the pairs, how texts become tokens, the counts of `Kernel`s that are wanted beside it, and how
        much is wanted. Gives the counts.
    """

    name: str
    count: Callable[[Words, Pairs, Text, PairCounts, float], Any]


Wanted = Mapping[Kernel | TextKernel, float]
"""The kernels that count, each with how much is wanted: the highest order of n-grams, or the largest share of edits."""


def want_both(some: Wanted, other: Wanted) -> Wanted:
    """Return all kernels of both, each with the larger of its amounts."""
    both = {kernel: max(most, other[kernel]) for kernel, most in some.items() if kernel in other}
    return {**some, **other, **both}


@dataclass(frozen=True, slots=True)
class Counting:
    """One way to count the units that both sides have in common.

    Attributes
    ----------
    wanted
        The kernels that count it. The first one gives the number of common units, unless there is a `read`.
    words
        How an explanation says that units are common: "3 of 4 tokens of the prediction are ...".
    unit
        The unit that is counted, in the singular.
    marks
        Which tokens an explanation marks as common: a value of `Comparison.counting`.
    read
        Gives the numbers of common units and of the units of each side from the counts. None if the units of each side
        are its tokens.
    """

    wanted: Wanted
    words: str = "common"
    unit: str = "token"
    marks: str = "multiset"
    read: Callable[[PairCounts], Common] | None = None


COUNTINGS: dict[str, Counting] = {}
"""All ways of counting, by the name that a rule's or a metric's `counting` has. The files of families fill it."""


def common_counts(counts: PairCounts, counting: str) -> Common:
    """Return the number of common units, of the prediction's units and of the gold's units, shape (pairs,) each.

    No unit is common where the counts "nothing_in_common" say so. counting: a name in `COUNTINGS`.
    """
    way = COUNTINGS[counting]
    first = next(iter(way.wanted)).name
    common, n_pred, n_gold = way.read(counts) if way.read else (counts[first], counts.n_pred, counts.n_gold)
    if counts.get("nothing_in_common") is not None:
        common = np.where(counts["nothing_in_common"], 0, common)
    return common, n_pred, n_gold


def ngrams(order: int, unit: str) -> Counting:
    """Return the way to count n-grams of one order, each as often as both sides have it. unit: what one is called."""

    def read(counts: PairCounts) -> Common:
        """Return the matching n-grams, and those of the prediction and of the gold."""
        n_pred, n_gold = (np.maximum(n_tokens - (order - 1), 0) for n_tokens in (counts.n_pred, counts.n_gold))
        return counts["clipped"][order - 1], n_pred, n_gold

    return Counting({CLIPPED: order}, unit=unit, read=read)


Ratio = Literal["precision", "recall", "f"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Metric:
    """How a metric is computed from counts of pairs, and what it is.

    Attributes
    ----------
    what, source
        Its definition in one line, and the source that the default convention follows: for `qa_frame.metrics`.
    family
        The field of a convention that holds the metric's rule.
    wanted
        Gives the counts that the metric needs under a rule.
    score_per_pair
        Gives the scores from these counts and the rule, float64 of shape (pairs,).
    applies
        Whether a rule of the family defines the metric, too. By default every one does.
    counting
        How the metric counts common units: a name in `COUNTINGS`, or the tokens that an explanation marks as common
        (see `Comparison.counting`). None: the rule says it.
    ratio
        Which ratio of common units the metric is; None for another function of the counts.
    ignores_length
        Whether more text in a prediction never lowers the score.
    """

    what: str
    source: str
    family: str
    wanted: Callable[[Any], Wanted]
    score_per_pair: Callable[[PairCounts, Any], Floats]
    applies: Callable[[Any], bool] = lambda _: True
    counting: str | None = None
    ratio: Ratio | None = None
    ignores_length: bool = False

    def counting_under(self, rule: Any) -> str:
        """Return how the metric counts common units under a rule."""
        return str(self.counting or rule.counting)

    def is_in(self, convention: Convention) -> bool:
        """Return whether the convention defines the metric."""
        rule = getattr(convention, self.family)
        return rule is not None and self.applies(rule)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CountedPairs:
    """The pairs of a batch, as the rule of a family has them.

    Attributes
    ----------
    words, batch
        The words of the texts, and the pairs.
    counts
        The counts of each pair; None if the plan computes no metric of the family.
    winners
        The place of one pair of each row that has pairs: that of the chosen gold. None if all golds count.
    """

    words: Words
    batch: Batch
    counts: Any
    winners: Ints | None

    def per_row(self, counts: Iterable[Ints]) -> list[Ints]:
        """Return the counts of each row's chosen pair, int64 of shape (rows,) each; 0 for rows without pairs.

        It needs `winners`. counts: of shape (pairs,) each.
        """
        return [self.fill_rows(each[self.winners]) for each in counts]

    def fill_rows(self, values: Ints) -> Ints:
        """Return the values of the rows that have pairs, and 0 for the others."""
        per_row = np.zeros(self.batch.n_rows, np.int64)
        per_row[self.batch.has_pairs] = values
        return per_row


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RowStatistics:
    """The sufficient statistics of a family: integers per row, whose sums over rows give its pooled figures.

    Attributes
    ----------
    names
        Their columns.
    families
        The fields of a convention: they are made by the rule of the first one that it has.
    per_row
        Gives them from pairs and this rule, int64 of shape (rows,) each.
    applies
        Whether they can be made by this rule. By default they can by every one.
    best_by
        The metric that chooses the gold of each row; None if all golds of a row count.
    with_metric
        Whether they are given only beside the metric `best_by`, as they are many.
    """

    names: tuple[str, ...]
    families: tuple[str, ...]
    per_row: Callable[[CountedPairs, Any], Iterable[Ints]]
    applies: Callable[[Any], bool] = lambda _: True
    best_by: str | None = None
    with_metric: bool = False

    def family_in(self, convention: Convention) -> str | None:
        """Return the first of `families` by whose rule in the convention they can be made; None if there is none."""
        rules = {family: getattr(convention, family) for family in self.families}
        return next((family for family, rule in rules.items() if rule is not None and self.applies(rule)), None)
