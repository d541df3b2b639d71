"""Counts of pairs of any length, as of texts of thousands of tokens.

The n-grams and the longest common subsequence of one pair: masks are Python integers of any width, and counting is done
by sorting. The time is at most in proportion to n_pred * n_gold / 64, the memory to n_pred + n_gold.

Common subsequences and edit distances of pairs by RapidFuzz, and golds that are part of predictions: RapidFuzz takes
strings. A text becomes a string that has one character for each token: the one whose code point is the
token's id and 1.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import LCSseq, Levenshtein

from qa_frame._typing import Flags, Ids, Ints
from qa_frame.kernels.tokens import Pairs, Tokens, bounded_slices, concatenated_ranges


def matched_ngrams(pred: Ids | Ints, gold: Ids | Ints, *, orders: int) -> Iterator[Flags]:
    """Yield for each order from 1 on whether the n-gram that begins at a token of the prediction is matched.

    It is matched if it occurs more often in the gold than earlier in the prediction. Shape (n-grams of the prediction,)
    each.
    """
    tokens = _renumber(np.concatenate((pred, gold), dtype=np.int64))
    n_tokens = int(tokens.max(initial=0)) + 1
    ngrams = tokens
    for order in range(1, orders + 1):
        if order > 1:
            ngrams = _renumber(ngrams[:-1] * n_tokens + tokens[order - 1 :])
        in_pred, in_gold = ngrams[: max(0, len(pred) - order + 1)], ngrams[len(pred) :]
        n_in_gold = np.bincount(in_gold, minlength=int(ngrams.max(initial=0)) + 1)
        yield n_in_gold[in_pred] > _rank_among_equals(in_pred)


def _renumber(values: Ids | Ints) -> Ints:
    """Return the number of each value, where the distinct values are numbered 0, 1, 2, ... in ascending order."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64, copy=False)


def _rank_among_equals(values: Ints) -> Ints:
    """Return how many equal values come before each value. Values are small and not negative."""
    counts = np.bincount(values)
    rank = np.empty(len(values), np.int64)
    rank[np.argsort(values, kind="stable")] = concatenated_ranges(np.zeros_like(counts), counts)
    return rank


def backtrack_lcs(bit_text: Ids, step_text: Ids) -> Ints:
    """Return the positions in the bit text of the subsequence that `masks.backtrack_lcs` would choose, descending.

    To save memory, only the state at the start of each stretch of steps is kept (see `masks.lcs_states`). The other
    states are computed again when backtracking reaches their stretch.
    """
    masks: dict[int, int] = {}
    for position, token in enumerate(bit_text.tolist()):
        masks[token] = masks.get(token, 0) | 1 << position
    full = (1 << len(bit_text)) - 1
    steps = step_text.tolist()
    stride = max(1, math.isqrt(len(steps)))
    starts = [full]  # the state before each stretch
    for first in range(0, len(steps), stride):
        starts.append(_lcs_states(masks, steps[first : first + stride], starts[-1], full)[-1])
    chosen, n_open = [], len(bit_text)
    for stretch in range(len(starts) - 2, -1, -1):
        tokens = steps[stretch * stride : (stretch + 1) * stride]
        states = _lcs_states(masks, tokens, starts[stretch], full)
        for token, state in zip(reversed(tokens), reversed(states), strict=True):
            equal = masks.get(token, 0)
            n_open = ((equal | ~state & full) & ((1 << n_open) - 1)).bit_length()
            if n_open and equal >> (n_open - 1) & 1:
                n_open -= 1
                chosen.append(n_open)
    return np.array(chosen, np.int64)


def _lcs_states(masks: dict[int, int], steps: list[int], state: int, full: int) -> list[int]:
    """Return the state after each step (see `masks.lcs_states`), from the state before the first one.

    masks: the positions of each token in the bit text, as bits. full: the integer with one bit for each position.
    """
    states = []
    for token in steps:
        matched = state & masks.get(token, 0)
        state = (state + matched & full) | (state ^ matched)
        states.append(state)
    return states


_TOKENS_AT_ONCE = 1 << 20
"""The most tokens that become code points at once, unless one text has more."""


def count_lcs(tokens: Tokens, pairs: Pairs) -> Ints:
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
    contained = (n_gold > 0) & (n_gold <= tokens.n_per_text[pairs.pred])
    size, data, bounds = tokens.ids.itemsize, tokens.ids.tobytes(), (tokens.offsets * tokens.ids.itemsize).tolist()
    for place in np.flatnonzero(contained).tolist():
        pred, gold = int(pairs.pred[place]), int(pairs.gold[place])
        part, start, end = data[bounds[gold] : bounds[gold + 1]], bounds[pred], bounds[pred + 1]
        at = data.find(part, start, end)
        while at % size and at >= 0:  # it is found across two tokens
            at = data.find(part, at + 1, end)
        contained[place] = at >= 0
    return contained


def _compare(tokens: Tokens, pairs: Pairs, scorer: Any, *, dtype: Any = np.int64, **settings: Any) -> Any:
    """Return what a scorer of RapidFuzz gives for each pair, shape (pairs,).

    settings: further arguments of `rapidfuzz.process.cpdist`.
    """
    used = np.zeros(len(tokens.offsets) - 1, np.bool_)
    used[pairs.pred], used[pairs.gold] = True, True
    texts, place = [*_as_strings(tokens, np.flatnonzero(used))], np.cumsum(used) - 1
    sides = ([texts[text] for text in place[side].tolist()] for side in (pairs.pred, pairs.gold))
    return process.cpdist(*sides, scorer=scorer, dtype=dtype, **settings)


def _as_strings(tokens: Tokens, texts: Ints) -> Iterator[Sequence[Any]]:
    """Yield each of these texts as a string; as a list of integers if some id is too large for a code point."""
    is_text = tokens.ids.max(initial=0) < sys.maxunicode
    for part in bounded_slices(tokens.n_per_text[texts], _TOKENS_AT_ONCE):
        ids, ends = tokens.texts(texts[part]), np.cumsum(tokens.n_per_text[texts[part]]).tolist()
        # numpy takes 0 at the end of a string for padding, so code points begin with 1.
        characters = "".join((ids + 1).view(f"U{max(len(ids), 1)}").tolist()) if is_text else ids.tolist()
        yield from (characters[start:end] for start, end in zip([0, *ends], ends, strict=False))
