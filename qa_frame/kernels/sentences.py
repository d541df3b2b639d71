"""ROUGE-L over sentences: the union of the longest common subsequences of all pairs of sentences.

This is the "summary level" of PyPI's `rouge` 1.0.1. For each pair of a gold's and a prediction's sentences,
backtracking chooses one longest common subsequence. The score is made from the number of distinct words in all chosen
subsequences together, and the numbers of distinct words in each side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Flags, Ids, Ints
from qa_frame.kernels import long_pairs, mask_counts
from qa_frame.kernels.buckets import Bucket, split_pairs
from qa_frame.kernels.masks import match_masks
from qa_frame.kernels.ranges import bounded_slices, concatenated_ranges
from qa_frame.kernels.tokens import Pairs, Tokens, distinct_keys, distinct_per_text

_CELLS_AT_ONCE = 1 << 22
"""The most cells, over the tables of all sentence pairs, handled at once, unless one pair of texts has more."""

_CROSSED_AT_ONCE = 1 << 18
"""The most pairs of sentences that are handled at once."""

_MANY_SENTENCES = 32
"""Texts with more sentences than this keep each distinct sentence once: language models repeat themselves."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sentences:
    """Texts as sentences. `tokens` are those of each sentence; `offsets`, shape (texts + 1,), count sentences."""

    tokens: Tokens
    offsets: Ints


def count_union(tokens: Tokens, pairs: Pairs, *, sentence_end: int | None) -> Ints:
    """The number of distinct words in the union, in the prediction and in the gold, shape (3, pairs).

    `sentence_end` is the id of the token that ends sentences, if any.
    """
    sentences = split_sentences(tokens, sentence_end)
    n_distinct = _distinct_per_text(sentences)
    sentences = _without_repeats(sentences)
    common = np.zeros(len(pairs), np.int64)
    n_words = np.diff(sentences.tokens.offsets[sentences.offsets])
    for part in bounded_slices(n_words[pairs.pred] * n_words[pairs.gold], _CELLS_AT_ONCE):
        common[part] = _count_part(sentences, pairs[part])
    return np.stack([common, n_distinct[pairs.pred], n_distinct[pairs.gold]])


def split_sentences(tokens: Tokens, sentence_end: int | None) -> Sentences:
    """Cut texts at the ends of sentences.

    If there is nothing between two ends, this is a sentence of one word, the empty word. If there is nothing before the
    first end or after the last one, this is no sentence.
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


def _distinct_per_text(sentences: Sentences) -> Ints:
    """The number of distinct words of each text, shape (texts,)."""
    return distinct_per_text(Tokens(sentences.tokens.ids, sentences.tokens.offsets[sentences.offsets]))


def _without_repeats(sentences: Sentences) -> Sentences:
    """Keep each distinct sentence of a text once, where it has many: repeats add no word to a union."""
    keep = is_first_of_equals(sentences)
    if keep.all():
        return sentences
    tokens = sentences.tokens
    lengths = tokens.n_per_text[keep]
    ids = tokens.ids[concatenated_ranges(tokens.offsets[:-1][keep], lengths)]
    n_kept_before = np.concatenate(([0], np.cumsum(keep)))
    return Sentences(Tokens(ids, np.concatenate(([0], np.cumsum(lengths)))), n_kept_before[sentences.offsets])


def is_first_of_equals(sentences: Sentences) -> Flags:
    """Whether each sentence is the first of its kind in its text; all of a text with few sentences count as such."""
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


def _count_part(sentences: Sentences, pairs: Pairs) -> Ints:
    """The number of distinct words in the union for each pair, shape (pairs,)."""
    n_sentences = np.diff(sentences.offsets)
    ends = np.cumsum(n_sentences[pairs.pred] * n_sentences[pairs.gold])
    n_crossed = int(ends[-1]) if len(ends) else 0
    chosen = np.zeros(0, np.int64)
    for start in range(0, n_crossed, _CROSSED_AT_ONCE):
        crossed = np.arange(start, min(start + _CROSSED_AT_ONCE, n_crossed))
        chosen = distinct_keys(np.concatenate((chosen, _chosen_words(sentences, pairs, crossed, ends))))
    return np.bincount(chosen >> 32, minlength=len(pairs))


def _chosen_words(sentences: Sentences, pairs: Pairs, crossed: Ints, ends: Ints) -> Ints:
    """The words of the subsequences that are chosen in some pairs of sentences, each with its pair of texts.

    Both stand in one integer, the word in the lower 32 bits.

    Parameters
    ----------
    crossed
        The pairs of sentences by number: all of the first pair of texts, then all of the second one, and so on.
    ends
        How many pairs of sentences there are up to the end of each pair of texts, shape (pairs,).
    """
    pair = np.searchsorted(ends, crossed, side="right")
    n_gold = np.diff(sentences.offsets)[pairs.gold]
    within = crossed - np.concatenate(([0], ends))[pair]
    pred, gold = np.divmod(within, np.maximum(n_gold, 1)[pair])
    sentence_pairs = Pairs(sentences.offsets[pairs.pred][pair] + pred, sentences.offsets[pairs.gold][pair] + gold)
    tokens = sentences.tokens
    chosen = [np.zeros(0, np.int64)]
    # Which of several longest subsequences is chosen depends on the roles: the gold must be the step text.
    for part in split_pairs(tokens, sentence_pairs, bit_text="pred"):
        if isinstance(part, Bucket):
            places, words = _chosen_in_bucket(part)
            chosen.append(pair[part.pairs[places]] << 32 | words)
            continue
        for place in part.tolist():
            pred_ids, gold_ids = (tokens.text(side[place]) for side in (sentence_pairs.pred, sentence_pairs.gold))
            words = pred_ids[long_pairs.backtrack_lcs(pred_ids, gold_ids)]
            chosen.append(pair[place] << 32 | words.astype(np.int64))
    return distinct_keys(np.concatenate(chosen))


def _chosen_in_bucket(bucket: Bucket) -> tuple[Ints, Ids]:
    """The words of all chosen subsequences, and for each word the place of its pair in the bucket."""
    masks = match_masks(bucket)
    chosen = mask_counts.backtrack_lcs(masks, mask_counts.lcs_states(masks), bucket.n_steps)
    steps, places = np.nonzero(chosen)
    return places, bucket.step_ids[steps, places].astype(np.int32)


def union_words(tokens: Tokens, pairs: Pairs, *, sentence_end: int | None) -> list[Ids]:
    """The distinct words that `count_union` counts as common, for each pair; the empty word is `sentence_end`."""
    sentences = _without_repeats(split_sentences(tokens, sentence_end))
    n_sentences = np.diff(sentences.offsets)
    found = []
    for place in range(len(pairs)):
        pair = pairs[place : place + 1]
        ends = np.cumsum(n_sentences[pair.pred] * n_sentences[pair.gold])
        words = [np.zeros(0, np.int64)]
        for start in range(0, int(ends[-1]), _CROSSED_AT_ONCE):
            crossed = np.arange(start, min(start + _CROSSED_AT_ONCE, int(ends[-1])))
            words.append(_chosen_words(sentences, pair, crossed, ends))
        found.append(np.unique(np.concatenate(words)).astype(np.int32))
    return found
