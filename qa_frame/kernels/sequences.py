"""Common subsequences and edit distances of pairs by RapidFuzz, and golds that are part of predictions.

RapidFuzz takes strings. A text becomes a string that has one character for each token: the one whose code point is the
token's id and 1.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import LCSseq, Levenshtein

from qa_frame._typing import Flags, Ints
from qa_frame.kernels.ranges import bounded_slices
from qa_frame.kernels.tokens import Pairs, Tokens

_TOKENS_AT_ONCE = 1 << 20
"""The most tokens that become code points at once, unless one text has more."""


def count_subsequences(tokens: Tokens, pairs: Pairs) -> Ints:
    """Return the length of each pair's longest common subsequence, int64, shape (pairs,)."""
    lengths: Ints = _compare(tokens, pairs, LCSseq.similarity)
    return lengths


def count_edits(tokens: Tokens, pairs: Pairs, *, most: float = 1.0) -> Ints:
    """Return the Levenshtein distance of each pair, int64, shape (pairs,).

    Parameters
    ----------
    tokens, pairs
        The texts, and which of them are compared.
    most
        The largest distance that is needed, as a share of the longer text. Where a distance is larger, the length of
        the longer text may stand for it.
    """
    n_per_text = tokens.n_per_text
    n_pred, n_gold = n_per_text.take(pairs.pred), n_per_text.take(pairs.gold)
    longer, shorter = np.maximum(n_pred, n_gold), np.minimum(n_pred, n_gold)
    distance = longer.copy()
    is_same = pairs.pred == pairs.gold
    distance[is_same] = 0
    # The distance from an empty text is known. A distance that is too large by the lengths alone is not needed.
    places = np.flatnonzero((shorter > 0) & (longer - shorter <= most * longer) & ~is_same)
    if most >= 1:
        distance[places] = _compare(tokens, pairs[places], Levenshtein.distance)
        return distance
    shares = _compare(tokens, pairs[places], Levenshtein.normalized_distance, dtype=np.float64, score_cutoff=most)
    distance[places] = np.rint(shares * longer[places])  # a share above `most` is 1
    return distance


def contain_golds(tokens: Tokens, pairs: Pairs) -> Flags:
    """Return whether the gold is a sequence of consecutive tokens of the prediction, bool, shape (pairs,).

    False for an empty gold.
    """
    n_gold = tokens.n_per_text[pairs.gold]
    found = (n_gold > 0) & (n_gold <= tokens.n_per_text[pairs.pred])
    size, data, bounds = tokens.ids.itemsize, tokens.ids.tobytes(), (tokens.offsets * tokens.ids.itemsize).tolist()
    for place in np.flatnonzero(found).tolist():
        pred, gold = int(pairs.pred[place]), int(pairs.gold[place])
        part, start, end = data[bounds[gold] : bounds[gold + 1]], bounds[pred], bounds[pred + 1]
        at = data.find(part, start, end)
        while at % size and at >= 0:  # it is found across two tokens
            at = data.find(part, at + 1, end)
        found[place] = at >= 0
    return found


def _compare(tokens: Tokens, pairs: Pairs, scorer: Any, *, dtype: Any = np.int64, **settings: Any) -> Any:
    """Return what a scorer of RapidFuzz gives for each pair, shape (pairs,)."""
    used = np.zeros(len(tokens.offsets) - 1, np.bool_)
    used[pairs.pred], used[pairs.gold] = True, True
    texts, place = [*_as_strings(tokens, np.flatnonzero(used))], np.cumsum(used) - 1
    sides = ([texts[text] for text in place[side].tolist()] for side in (pairs.pred, pairs.gold))
    return process.cpdist(*sides, scorer=scorer, dtype=dtype, **settings)


def _as_strings(tokens: Tokens, texts: Ints) -> Iterator[Sequence[Any]]:
    """Yield each of these texts as a string, or as a list of integers where it has too many tokens."""
    is_text = tokens.ids.max(initial=0) < sys.maxunicode
    for part in bounded_slices(tokens.n_per_text[texts], _TOKENS_AT_ONCE):
        ids, ends = tokens.texts(texts[part]), np.cumsum(tokens.n_per_text[texts[part]]).tolist()
        # numpy takes 0 at the end of a string for padding, so code points begin with 1.
        characters = "".join((ids + 1).view(f"U{max(len(ids), 1)}").tolist()) if is_text else ids.tolist()
        yield from (characters[start:end] for start, end in zip([0, *ends], ends, strict=False))
