"""The metrics: one module per family, with its metrics, its ways of counting, and its sufficient statistics."""

from __future__ import annotations

import numpy as np

from qa_frame._typing import Flags, Floats
from qa_frame.rules.parts import Empty
from qa_frame.scoring.metrics import bleu, chrf, contains, edit, exact, overlap, rouge
from qa_frame.scoring.metrics.bleu import BLEU_STATISTICS as BLEU_STATISTICS
from qa_frame.scoring.metrics.definition import Metric, RowStatistics
from qa_frame.scoring.metrics.overlap import f_measure_of as f_measure_of
from qa_frame.scoring.metrics.overlap import round_scores as round_scores

THRESHOLD = 0.5
"""The score from which an answer is right, where no other one is given."""

_FAMILIES = (exact, overlap, contains, rouge, bleu, chrf, edit)

METRICS: dict[str, Metric] = {name: metric for family in _FAMILIES for name, metric in family.METRICS.items()}
"""All metrics by name, in the order in which `metrics="all"` gives them."""

OTHER_NAMES = {
    other: name for family in _FAMILIES for name, others in family.OTHER_NAMES.items() for other in others.split()
}
"""Names of these metrics, or of similar ones, in other tools: lower case without marks, for suggestions in errors."""

ROW_STATISTICS: tuple[RowStatistics, ...] = (*overlap.STATISTICS, *bleu.STATISTICS, *chrf.STATISTICS)
"""The sufficient statistics of all families."""

ALL_STATISTICS = tuple(name for each in ROW_STATISTICS for name in each.names)
"""Their columns: integers whose sums over rows give micro F1, corpus BLEU and corpus chrF."""

STATISTICS = tuple(name for each in ROW_STATISTICS if not each.with_metric for name in each.names)
"""Those of them that do not only come with their metrics."""


def fill_empty(scores: Floats, empty: Empty, pred_is_empty: Flags, gold_is_empty: Flags) -> Floats:
    """Return the scores of pairs, with the values of the rule `empty` in place of those of pairs with an empty side.

    A value of None leaves the scores as they are. `both` counts before `gold`, and `gold` before `pred`.
    """
    both_are_empty = pred_is_empty & gold_is_empty
    sides = ((empty.pred, pred_is_empty), (empty.gold, gold_is_empty), (empty.both, both_are_empty))
    for value, is_empty in sides:  # a later one counts before an earlier one
        if value is not None:
            scores = np.where(is_empty, value, scores)
    return scores
