"""Scores of models on the same questions → how hard each question is, and whether it tells good models from bad ones.

Scores stand in an array of shape (models, questions), NaN where a model has no score.
"""

from __future__ import annotations

import numpy as np

from qa_frame._typing import Flags, Floats
from qa_frame.stats.figures import divide_where
from qa_frame.stats.rows import without_rounding

FEW_MODELS = 10
"""With fewer models, a correlation over them is mostly chance."""


def mean_per_item(scores: Floats) -> Floats:
    """Return the mean score of each question over the models that have one, shape (questions,); NaN without any."""
    is_scored = ~np.isnan(scores)
    total = np.where(is_scored, scores, 0.0).sum(axis=0)
    return divide_where(total, is_scored.sum(axis=0).astype(np.float64), np.nan)


def discrimination(scores: Floats) -> Floats:
    """Return the correlation of each question with the rest, shape (questions,), from -1 to 1.

    It is Pearson's, over the models, of a model's score on the question and its mean score on all others that it has.
    NaN where either is the same for all models, or fewer than two have both.
    """
    is_scored = ~np.isnan(scores)
    known = np.where(is_scored, scores, 0.0)
    n_others = is_scored.sum(axis=1, keepdims=True) - 1.0
    rest = divide_where(known.sum(axis=1, keepdims=True) - known, n_others, np.nan)
    has_both = is_scored & ~np.isnan(rest)
    n_models = np.maximum(has_both.sum(axis=0), 1)
    own, others = (_centred(values, has_both, n_models) for values in (known, rest))
    together = (own * others).sum(axis=0)
    alone = np.sqrt((own**2).sum(axis=0) * (others**2).sum(axis=0))
    return np.clip(divide_where(together, alone, np.nan), -1.0, 1.0)


def _centred(values: Floats, is_used: Flags, n_models: Floats) -> Floats:
    """Return the distances from each question's mean, 0 where all are the same but for rounding."""
    used = np.where(is_used, values, 0.0)
    distance = np.where(is_used, used - used.sum(axis=0) / n_models, 0.0)
    varies = (without_rounding(distance) != 0).any(axis=0)
    return np.where(varies, distance, 0.0)
