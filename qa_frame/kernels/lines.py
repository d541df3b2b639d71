"""ROUGE-Lsum: longest common subsequences of lines, joined as in `rouge_score` 0.1.2.

For each line of a gold and each line of a prediction, backtracking chooses one longest common subsequence. A token of
the gold counts if it is chosen with any line of the prediction; equal tokens count at most as often as the prediction
has them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qa_frame._typing import Flags, Ints
from qa_frame.kernels import long_pairs, mask_counts
from qa_frame.kernels.buckets import Bucket, split_pairs
from qa_frame.kernels.masks import match_masks
from qa_frame.kernels.ranges import bounded_slices
from qa_frame.kernels.sentences import Sentences, is_first_of_equals
from qa_frame.kernels.tokens import Pairs, Tokens

_CELLS_AT_ONCE = 1 << 22
"""The most cells, over the tables of all pairs of lines, handled at once, unless one pair of texts has more."""

_CROSSED_AT_ONCE = 1 << 18
"""The most pairs of lines that are handled at once."""


def count_in_lines(lines: Sentences, pairs: Pairs) -> Ints:
    """How many tokens count for each pair of texts, shape (pairs,). The sentences of `lines` are the lines of texts."""
    counts = np.zeros(len(pairs), np.int64)
    n_tokens = np.diff(lines.tokens.offsets[lines.offsets])
    has_tokens = lines.tokens.n_per_text > 0
    golds = _Chosen(has_tokens, lines)
    preds = _Chosen(has_tokens & is_first_of_equals(lines), lines)  # a line that is there twice chooses no other tokens
    for part in bounded_slices(n_tokens[pairs.pred] * n_tokens[pairs.gold], _CELLS_AT_ONCE):
        counts[part] = _count_part(lines, pairs[part], preds, golds)
    return counts


class _Chosen:
    """Some of the lines of each text: their places among all lines, text after text, and the offset of each text."""

    def __init__(self, keep: Flags, lines: Sentences) -> None:
        self.places = np.flatnonzero(keep)
        self.offsets = np.append(0, np.cumsum(keep))[lines.offsets]


def _count_part(lines: Sentences, pairs: Pairs, preds: _Chosen, golds: _Chosen) -> Ints:
    """How many tokens count for each of a few pairs of texts, shape (pairs,)."""
    text_offsets = lines.tokens.offsets[lines.offsets]
    tokens = Tokens(lines.tokens.ids, text_offsets)
    n_gold = tokens.n_per_text[pairs.gold]
    is_chosen = np.zeros(int(n_gold.sum()), np.bool_)  # for the tokens of all golds, one after the other
    shift = np.cumsum(n_gold) - n_gold - text_offsets[pairs.gold]  # from places in `ids` to places in `is_chosen`
    for pair, pred_line, gold_line in _crossed_lines(pairs, preds, golds):
        starts = lines.tokens.offsets[gold_line] + shift[pair]
        for crossed, position in _chosen_positions(lines.tokens, Pairs(pred_line, gold_line)):
            is_chosen[starts[crossed] + position] = True
    chosen, n_chosen = np.unique(_with_pair(tokens, pairs.gold)[is_chosen], return_counts=True)
    in_preds, n_in_preds = np.unique(_with_pair(tokens, pairs.pred), return_counts=True)
    n_known = n_in_preds[np.searchsorted(in_preds, chosen)]  # the prediction has each token that is chosen
    return np.bincount(chosen >> 32, np.minimum(n_chosen, n_known), minlength=len(pairs)).astype(np.int64)


def _with_pair(tokens: Tokens, texts: Ints) -> Ints:
    """The tokens of these texts, end to end, each in one integer with its text's place in `texts`."""
    return np.repeat(np.arange(len(texts)), tokens.n_per_text[texts]) << 32 | tokens.texts(texts)


def _crossed_lines(pairs: Pairs, preds: _Chosen, golds: _Chosen) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Each line of a prediction with each line of its gold, many at once: the pair of texts, and the two lines."""
    n_pred, n_gold = np.diff(preds.offsets)[pairs.pred], np.diff(golds.offsets)[pairs.gold]
    ends = np.cumsum(n_pred * n_gold)
    n_crossed = int(ends[-1]) if len(ends) else 0
    for start in range(0, n_crossed, _CROSSED_AT_ONCE):
        crossed = np.arange(start, min(start + _CROSSED_AT_ONCE, n_crossed))
        pair = np.searchsorted(ends, crossed, side="right")
        pred, gold = np.divmod(crossed - np.append(0, ends)[pair], n_gold[pair])
        pred_line = preds.places[preds.offsets[pairs.pred][pair] + pred]
        gold_line = golds.places[golds.offsets[pairs.gold][pair] + gold]
        yield pair, pred_line, gold_line


def _chosen_positions(lines: Tokens, pairs: Pairs) -> Iterator[tuple[Ints, Ints]]:
    """The tokens of golds' lines that are chosen: for each the place of its pair of lines, and its place in the line.

    Which of several longest subsequences is chosen depends on the roles: the prediction must be the step text.
    """
    for part in split_pairs(lines, pairs, bit_text="gold"):
        if isinstance(part, Bucket):
            masks = match_masks(part)
            chosen = mask_counts.backtrack_lcs(masks, mask_counts.lcs_states(masks), part.n_steps)
            positions = np.bitwise_or.reduce(chosen, axis=0)[:, np.newaxis].view(np.uint8)  # shape (pairs, bytes)
            places, position = np.nonzero(np.unpackbits(positions, axis=1, bitorder="little"))
            yield part.pairs[places], position
            continue
        for place in part.tolist():
            position = long_pairs.backtrack_lcs(lines.text(pairs.gold[place]), lines.text(pairs.pred[place]))
            yield np.full(len(position), place), position
