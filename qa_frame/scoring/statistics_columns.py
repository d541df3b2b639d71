"""The sufficient statistics of each row: integers whose sums over rows give micro F1, corpus BLEU and corpus chrF."""

from __future__ import annotations

from collections.abc import Mapping

from qa_frame._typing import Floats, Ints
from qa_frame.kernels.pair_counts import PairCounts
from qa_frame.scoring.batches import Batch
from qa_frame.scoring.metrics.definition import CountedPairs
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.reduction import best_pairs
from qa_frame.text.words import Words


def statistics_per_row(
    words: Words, batch: Batch, counts: Mapping[str, PairCounts], per_pair: Mapping[str, Floats], plan: Plan
) -> dict[str, Ints]:
    """Return the sufficient statistics of the plan, by column: int64, shape (rows,); 0 for rows without pairs.

    counts, per_pair: the counts of the pairs by family, and their scores by metric.
    """
    statistics: dict[str, Ints] = {}
    for each in plan.row_statistics:
        winners, family = None, each.family_in(plan.convention) or ""
        if plan.rules.reduce == "first":
            winners = batch.first_pairs
        elif each.best_by:
            winners = best_pairs(per_pair[each.best_by], batch.pair_offsets)
        pairs = CountedPairs(words, batch, counts.get(family), winners)
        statistics |= dict(zip(each.names, each.per_row(pairs, getattr(plan.convention, family)), strict=True))
    return statistics
