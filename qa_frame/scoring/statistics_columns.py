"""The sufficient statistics of each row: integers whose sums over rows give micro F1, corpus BLEU and corpus chrF."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from qa_frame._typing import Floats, Ints
from qa_frame.kernels.pair_counts import PairCounts
from qa_frame.kernels.several_golds import REFERENCE_LENGTHS, clipped_over_golds
from qa_frame.rules.parts import Bleu
from qa_frame.scoring.batches import Batch
from qa_frame.scoring.countings import common_counts
from qa_frame.scoring.metrics import BLEU_STATISTICS, CHRF_STATISTICS, METRICS, OVERLAP_STATISTICS
from qa_frame.scoring.plan import Plan
from qa_frame.scoring.reduction import best_pairs
from qa_frame.text.vocabulary import simplify_split, tokenise
from qa_frame.text.words import Words


def statistics_per_row(
    words: Words, batch: Batch, counts: Mapping[str, PairCounts], per_pair: Mapping[str, Floats], plan: Plan
) -> dict[str, Ints]:
    """The statistics of the plan, int64 of shape (rows,) each; 0 for rows without pairs."""
    statistics: dict[str, Ints] = {}
    overlap, bleu = plan.convention.overlap, plan.convention.bleu or plan.convention.bleu_n
    of_bleu = counts.get("bleu" if plan.convention.bleu else "bleu_n")
    if overlap is not None and OVERLAP_STATISTICS[0] in plan.statistics:
        winners = _winners("f1", per_pair, batch, plan)
        common = common_counts(counts["overlap"], overlap.counting)
        statistics |= {
            name: _per_row(count[winners], batch) for name, count in zip(OVERLAP_STATISTICS, common, strict=True)
        }
    if bleu is not None and BLEU_STATISTICS[0] in plan.statistics:
        paired = batch
        if plan.rules.reduce == "first":
            paired, of_bleu = batch.with_pairs(np.isin(np.arange(len(batch.pairs)), batch.first_pairs)), None
        statistics |= dict(zip(BLEU_STATISTICS, _bleu_statistics(words, paired, bleu, of_bleu), strict=True))
    for metric, names in CHRF_STATISTICS.items():
        if names[0] in plan.statistics:
            of_chrf, winners = counts[METRICS[metric].family], _winners(metric, per_pair, batch, plan)
            found = [of_chrf["clipped"][:6], of_chrf.n_pred[None], of_chrf.n_gold[None]]
            if metric == "chrf++":
                of_words = of_chrf["words"]
                found += [of_words["clipped"][:2], of_words.n_pred[None], of_words.n_gold[None]]
            per_row = (_per_row(count[winners], batch) for count in np.concatenate(found))
            statistics |= dict(zip(names, per_row, strict=True))
    return statistics


def _winners(metric: str, per_pair: Mapping[str, Floats], batch: Batch, plan: Plan) -> Ints:
    """The pair that counts of each row that has pairs: that of the best gold by this metric, or of the first one."""
    return batch.first_pairs if plan.rules.reduce == "first" else best_pairs(per_pair[metric], batch.pair_offsets)


def _bleu_statistics(words: Words, batch: Batch, rule: Bleu, counts: PairCounts | None) -> tuple[Ints, ...]:
    """Matches of each order over all golds of a row, then the prediction's length and that of one gold.

    counts: those of each pair by the same rule, where a metric needed them.
    """
    tokens = tokenise(words, simplify_split(rule.text, words)).tokens
    clipped = None if counts is None or rule.references == "together" else counts["clipped"]
    per_pair = None if clipped is None or len(clipped) < 4 else clipped
    matches = clipped_over_golds(tokens, batch.pairs, batch.pair_offsets, orders=4, per_pair=per_pair)
    n_pred = _per_row(tokens.n_per_text[batch.pairs.pred[batch.first_pairs]], batch)
    return *matches, n_pred, REFERENCE_LENGTHS[rule.reference_length](tokens, batch.pairs, batch.pair_offsets)


def _per_row(values: Ints, batch: Batch) -> Ints:
    """The values of the rows that have pairs, and 0 for the others."""
    per_row = np.zeros(batch.n_rows, np.int64)
    per_row[batch.has_pairs] = values
    return per_row
