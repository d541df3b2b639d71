"""Similarity by edit distance."""

from __future__ import annotations

from functools import partial

import numpy as np

from qa_frame._typing import Floats
from qa_frame.kernels.pair_counts import EDITS, PairCounts
from qa_frame.rules.parts import EditDistance
from qa_frame.scoring.metrics.definition import Metric, Wanted
from qa_frame.scoring.metrics.overlap import ratio


def _wanted_edits(rule: EditDistance, *, most: float = 0.0) -> Wanted:
    """Return the kernel of edit distances, with the share of the longer side up to which distances must be exact.

    most: the smallest such share, whatever the rule's threshold is.
    """
    if rule.length == "text":  # a distance may be small beside it, whatever it is beside the number of tokens
        return {EDITS: 1.0}
    # A little more, as rounding may make a similarity reach the threshold.
    return {EDITS: max(1 - rule.threshold + 1e-9, most)}


def edit_similarity(counts: PairCounts, _: EditDistance | None = None) -> Floats:
    """Return 1 - distance / length of the longer side, as `normalized_similarity` of RapidFuzz; 1 for two empty sides.

    It is 0 where the distance is more than that length, as lower-casing may add characters.
    """
    longer = counts.get("longer")
    longer = np.maximum(counts.n_pred, counts.n_gold) if longer is None else longer
    return np.maximum(1 - ratio(counts["edits"], longer), 0.0)


def _anls(counts: PairCounts, rule: EditDistance) -> Floats:
    """Return the edit similarity of each pair, and 0 where it does not reach the rule's threshold; shape (pairs,)."""
    similarity = edit_similarity(counts)
    is_kept = similarity >= rule.threshold if rule.inclusive else similarity > rule.threshold
    return np.where(is_kept, similarity, 0.0)


METRICS = {
    "anls": Metric(
        "ANLS: 1 - edit distance / length of the longer text, in characters; 0 below one half",
        "DocVQA, as in anls_star",
        "edit",
        _wanted_edits,
        _anls,
        counting="subsequence",
    ),
    "edit_similarity": Metric(
        "1 - edit distance / length of the longer text, in characters",
        "RapidFuzz Levenshtein.normalized_similarity",
        "edit",
        partial(_wanted_edits, most=1.0),
        edit_similarity,
        counting="subsequence",
    ),
}
OTHER_NAMES = {
    "anls": "docvqaanls nls averagenormalizedlevenshteinsimilarity",
    "edit_similarity": "levenshtein editdistance normalizedsimilarity levenshteinratio fuzz fuzzratio",
}
