"""Risk against coverage."""

from __future__ import annotations

import numpy as np

from qa_frame.ext.abstention.statistics import selective_scores


def test_the_example():
    confidence, scores = np.array([0.9, 0.8, 0.7, 0.6]), np.array([1.0, 1.0, 0.0, 0.0])
    curve = selective_scores(confidence, scores)
    assert curve.threshold.tolist() == [0.9, 0.8, 0.7, 0.6]
    assert curve.n.tolist() == [1, 2, 3, 4]
    assert curve.score.tolist() == [1, 1, 2 / 3, 1 / 2]
