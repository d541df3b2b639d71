"""ROUGE-L over sentences, and ROUGE-Lsum: longest common subsequences of all pairs of sentences, put together.

For each sentence of a gold and each sentence of a prediction, backtracking chooses one longest common subsequence.
`count_union` is the "summary level" of PyPI's `rouge` 1.0.1: it counts the distinct words in all chosen subsequences
together, and those of each side. `count_in_lines` is ROUGE-Lsum of `rouge_score` 0.1.2, whose sentences are lines: a
token of the gold counts if it is chosen with any line of the prediction; equal tokens count at most as often as the
prediction has them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from qa_frame._typing import Flags, Ids, Ints
from qa_frame.kernels import long_pairs
from qa_frame.kernels.buckets import Bucket, split_pairs
from qa_frame.kernels.masks import backtrack_lcs, lcs_states, match_masks
from qa_frame.kernels.tokens import (
    Pairs,
    Tokens,
    bounded_slices,
    concatenated_ranges,
    distinct_keys,
    distinct_per_text,
)

_CELLS_AT_ONCE = 1 << 22
"""The most cells, over the tables of all sentence pairs, handled at once, unless one pair of texts has more."""

_CROSSED_AT_ONCE = 1 << 18
"""The most pairs of sentences that are handled at once."""

_MANY_SENTENCES = 32
"""Texts with more sentences than this keep each distinct sentence once: language models repeat themselves."""


@dataclass(frozen=True, eq=False, repr=False)
class Sentences:
    """Texts as sentences.

    tokens: those of each sentence. offsets: the first sentence of each text, and the number of all sentences, shape
    (texts + 1,).
    """

    tokens: Tokens
    offsets: Ints

    @cached_property
    def texts(self) -> Tokens:
        """The tokens of each text."""
        return Tokens(self.tokens.ids, self.tokens.offsets[self.offsets])


class _KeptSentences:
    """Some of the sentences of each text.

    places: their places among all sentences, text after text. offsets: where those of each text begin in `places`, and
    their number, shape (texts + 1,). keep: whether each sentence is one of them, shape (sentences,).
    """

    def __init__(self, keep: Flags, sentences: Sentences) -> None:
        self.places = np.flatnonzero(keep)
        self.offsets = np.append(0, np.cumsum(keep))[sentences.offsets]


def count_union(tokens: Tokens, pairs: Pairs, *, sentence_end: int | None) -> Ints:
    """Return the number of distinct words in the union of subsequences, in the prediction and in the gold.

    The union is that of the longest common subsequences of each sentence of the gold with each one of the prediction.
    Shape (3, pairs). sentence_end: the id of the token that ends sentences; None if no text has it.
    """
    sentences = split_sentences(tokens, sentence_end)
    kept = _KeptSentences(is_first_of_equals(sentences), sentences)  # repeats add no word to a union
    n_distinct = distinct_per_text(sentences.texts)
    common = np.zeros(len(pairs), np.int64)
    for part in _cut_pairs(sentences, pairs):
        common[part] = np.bincount(_find_union(sentences, kept, pairs[part]) >> 32, minlength=part.stop - part.start)
    return np.stack([common, n_distinct[pairs.pred], n_distinct[pairs.gold]])


def union_words(tokens: Tokens, pairs: Pairs, *, sentence_end: int | None) -> list[Ids]:
    """Return the distinct words in the union of subsequences, an array of ids for each pair; see `count_union`.

    The id `sentence_end` stands for the empty word.
    """
    sentences = split_sentences(tokens, sentence_end)
    union = _find_union(sentences, _KeptSentences(is_first_of_equals(sentences), sentences), pairs)
    bounds = np.searchsorted(union >> 32, np.arange(len(pairs) + 1)).tolist()
    return [union[start:stop].astype(np.int32) for start, stop in itertools.pairwise(bounds)]  # the lower 32 bits


def count_in_lines(lines: Sentences, pairs: Pairs) -> Ints:
    """Return how many tokens ROUGE-Lsum counts for each pair of texts, shape (pairs,). lines: the lines of texts."""
    counts = np.zeros(len(pairs), np.int64)
    has_tokens = lines.tokens.n_per_text > 0
    golds = _KeptSentences(has_tokens, lines)
    # A line that is there twice chooses no other tokens.
    preds = _KeptSentences(has_tokens & is_first_of_equals(lines), lines)
    for part in _cut_pairs(lines, pairs):
        counts[part] = _count_in_some_lines(lines, pairs[part], preds, golds)
    return counts


def _cut_pairs(sentences: Sentences, pairs: Pairs) -> Iterator[slice]:
    """Yield slices of pairs of texts that are handled at once."""
    n_tokens = sentences.texts.n_per_text
    return bounded_slices(n_tokens[pairs.pred] * n_tokens[pairs.gold], _CELLS_AT_ONCE)


def split_sentences(tokens: Tokens, sentence_end: int | None) -> Sentences:
    """Return the sentences of texts, without the tokens that end them.

    If there is nothing between two ends, this is a sentence of one word, the empty word. If there is nothing before the
    first end or after the last one, this is no sentence.

    sentence_end: the id of the token that ends sentences, which also stands for the empty word. None if no text has it:
    each text that has tokens is then one sentence.
    """
    if sentence_end is None:
        has_tokens = tokens.n_per_text > 0
        offsets = np.concatenate(([0], np.cumsum(has_tokens)))
        return Sentences(Tokens(tokens.ids, np.append(0, tokens.offsets[1:][has_tokens])), offsets)
    ends = np.flatnonzero(tokens.ids == sentence_end)
    n_ends_before = np.searchsorted(ends, tokens.offsets)
    n_parts = np.diff(n_ends_before) + 1
    last = np.cumsum(n_parts) - 1  # the last part of each text
    first = last - n_parts + 1
    starts, stops = np.empty((2, int(n_parts.sum())), np.int64)
    is_first, is_last = np.zeros((2, len(starts)), np.bool_)
    is_first[first], is_last[last] = True, True
    starts[is_first], starts[~is_first] = tokens.offsets[:-1], ends + 1
    stops[is_last], stops[~is_last] = tokens.offsets[1:], ends
    is_blank = (starts == stops) & ~is_first & ~is_last
    is_sentence = (starts < stops) | is_blank
    sentences_before = np.concatenate(([0], np.cumsum(is_sentence)))
    starts, lengths = starts[is_sentence], np.where(is_blank, 1, stops - starts)[is_sentence]
    ids = np.append(tokens.ids, np.int32(0))[concatenated_ranges(starts, lengths)]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    # Ends of sentences are no words, so their id is free to represent the empty word.
    ids[offsets[:-1][is_blank[is_sentence]]] = sentence_end
    return Sentences(Tokens(ids, offsets), sentences_before[np.concatenate(([0], last + 1))])


def is_first_of_equals(sentences: Sentences) -> Flags:
    """Return whether each sentence is the first of equal ones in its text, shape (sentences,).

    All sentences of a text that has few count as such.
    """
    tokens = sentences.tokens
    keep = np.ones(len(tokens.offsets) - 1, np.bool_)
    crowded = np.flatnonzero(np.diff(sentences.offsets) > _MANY_SENTENCES)
    for text in crowded.tolist():
        seen: set[bytes] = set()
        for sentence in range(int(sentences.offsets[text]), int(sentences.offsets[text + 1])):
            spelled = tokens.text(sentence).tobytes()
            keep[sentence] = spelled not in seen
            seen.add(spelled)
    return keep


def _find_union(sentences: Sentences, kept: _KeptSentences, pairs: Pairs) -> Ints:
    """Return the distinct words in the union of subsequences of each pair (see `count_union`), in ascending order.

    Each is one integer: the place of its pair in the upper 32 bits, and the word's id in the lower ones.
    """
    tokens, union = sentences.tokens, np.zeros(0, np.int64)
    for pair, preds, golds in _cross_sentences(pairs, kept, kept):
        words = [union]
        # Which of several longest subsequences is chosen depends on the roles: the gold must be the step text.
        for crossed, position in _choose_positions(tokens, Pairs(preds, golds), bit_text="pred"):
            words.append(pair[crossed] << 32 | tokens.ids[tokens.offsets[preds[crossed]] + position])
        union = distinct_keys(np.concatenate(words))
    return union


def _count_in_some_lines(lines: Sentences, pairs: Pairs, preds: _KeptSentences, golds: _KeptSentences) -> Ints:
    """Return how many tokens ROUGE-Lsum counts for each of a few pairs of texts, shape (pairs,).

    preds, golds: the lines of predictions and of golds that are crossed.
    """
    tokens = lines.texts
    n_gold = tokens.n_per_text[pairs.gold]
    is_chosen = np.zeros(int(n_gold.sum()), np.bool_)  # for the tokens of all golds, one after the other
    shift = np.cumsum(n_gold) - n_gold - tokens.offsets[pairs.gold]  # from places in `ids` to places in `is_chosen`
    for pair, pred_line, gold_line in _cross_sentences(pairs, preds, golds):
        starts = lines.tokens.offsets[gold_line] + shift[pair]
        # Here, the prediction must be the step text.
        for crossed, position in _choose_positions(lines.tokens, Pairs(pred_line, gold_line), bit_text="gold"):
            is_chosen[starts[crossed] + position] = True
    chosen, n_chosen = np.unique(_pack_with_place(tokens, pairs.gold)[is_chosen], return_counts=True)
    in_preds, n_in_preds = np.unique(_pack_with_place(tokens, pairs.pred), return_counts=True)
    n_known = n_in_preds[np.searchsorted(in_preds, chosen)]  # the prediction has each token that is chosen
    return np.bincount(chosen >> 32, np.minimum(n_chosen, n_known), minlength=len(pairs)).astype(np.int64)


def _pack_with_place(tokens: Tokens, texts: Ints) -> Ints:
    """Return the tokens of these texts, end to end, each as one integer, in int64.

    Its high 32 bits are the place of the token's text in `texts`, and its low 32 bits are the token.
    """
    return np.repeat(np.arange(len(texts)), tokens.n_per_text[texts]) << 32 | tokens.texts(texts)


def _cross_sentences(pairs: Pairs, preds: _KeptSentences, golds: _KeptSentences) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Yield each sentence of a prediction with each of its gold, many at once, as three arrays of one length.

    They are the places of the pair of texts, of the prediction's sentence and of the gold's sentence.
    """
    n_pred, n_gold = np.diff(preds.offsets)[pairs.pred], np.diff(golds.offsets)[pairs.gold]
    ends = np.cumsum(n_pred * n_gold)
    n_crossed = int(ends[-1]) if len(ends) else 0
    for start in range(0, n_crossed, _CROSSED_AT_ONCE):
        crossed = np.arange(start, min(start + _CROSSED_AT_ONCE, n_crossed))
        pair = np.searchsorted(ends, crossed, side="right")
        pred, gold = np.divmod(crossed - np.append(0, ends)[pair], n_gold[pair])
        pred_sentence = preds.places[preds.offsets[pairs.pred][pair] + pred]
        gold_sentence = golds.places[golds.offsets[pairs.gold][pair] + gold]
        yield pair, pred_sentence, gold_sentence


def _choose_positions(
    sentences: Tokens, pairs: Pairs, bit_text: Literal["pred", "gold"]
) -> Iterator[tuple[Ints, Ints]]:
    """Yield the tokens of bit texts that backtracking chooses, for some pairs of sentences at a time.

    They are two arrays of one length: the place of each token's pair of sentences, and its position in the bit text;
    see `masks.backtrack_lcs`. bit_text: which text of a pair is the bit text.
    """
    bit_texts, step_texts = (pairs.pred, pairs.gold) if bit_text == "pred" else (pairs.gold, pairs.pred)
    for part in split_pairs(sentences, pairs, bit_text):
        if isinstance(part, Bucket):
            masks = match_masks(part)
            chosen = backtrack_lcs(masks, lcs_states(masks), part.n_steps)
            steps, places = np.nonzero(chosen)
            yield part.pairs[places], np.bitwise_count(chosen[steps, places] - 1)  # each has one bit
            continue
        for place in part.tolist():
            position = long_pairs.backtrack_lcs(sentences.text(bit_texts[place]), sentences.text(step_texts[place]))
            yield np.full(len(position), place), position
