"""Exact match."""

from __future__ import annotations

import numpy as np

from qa_frame.kernels.pair_counts import EQUAL
from qa_frame.scoring.metrics.definition import Metric

METRICS = {
    "em": Metric(
        "exact match: 1 if the normalised texts are equal, else 0",
        "SQuAD v1.1 evaluation script",
        "exact",
        lambda _: {EQUAL: 1},
        lambda counts, _: counts["equal"].astype(np.float64),
        counting="equal",
    )
}
OTHER_NAMES = {"em": "exactmatch exact exactmatchscore accuracy acc strictaccuracy"}
