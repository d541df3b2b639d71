"""Texts of several sentences: the union of the longest common subsequences of all pairs of sentences.

As PyPI's `rouge` 1.0.1 has it ("summary level"): for each pair of a gold's and a prediction's sentences one longest
common subsequence is chosen, by going back through the table from its end; what counts are the distinct words in all
of them together, out of the distinct words of each side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qa_frame._typing import Ids, Ints
from qa_frame.kernels import long_pairs, mask_counts
from qa_frame.kernels.buckets import Bucket, make_bucket, split_pairs
from qa_frame.kernels.masks import match_masks
from qa_frame.kernels.tokens import Pairs, Tokens

_CELLS_AT_ONCE = 1 << 22
"""Table cells of the sentence pairs that are expanded at one time."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class UnionCounts:
    """Distinct words of pairs: in the union, in the prediction, in the gold; int64, shape (pairs,) each."""

    common: Ints
    n_pred: Ints
    n_gold: Ints


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sentences:
    """Texts as sentences. tokens: of all sentences, end to end. offsets: int64, shape (texts + 1,), into them."""

    tokens: Tokens
    offsets: Ints


def count_union(tokens: Tokens, pairs: Pairs, *, sentence_end: int | None) -> UnionCounts:
    """The counts of each pair. sentence_end: the token that ends a sentence, None where there is none."""
    sentences = split_sentences(tokens, sentence_end)
    n_distinct = _distinct_per_text(sentences)
    common = np.zeros(len(pairs), np.int64)
    for start, stop in _parts(sentences, pairs):
        common[start:stop] = _count_part(sentences, Pairs(pairs.pred[start:stop], pairs.gold[start:stop]))
    return UnionCounts(common=common, n_pred=n_distinct[pairs.pred], n_gold=n_distinct[pairs.gold])


def split_sentences(tokens: Tokens, sentence_end: int | None) -> Sentences:
    """Cut texts at the ends of sentences.

    Nothing between two ends is a sentence of one word, the empty one; nothing at a text's beginning or end is none.
    """
    if sentence_end is None:
        has_tokens = tokens.n_per_text > 0
        offsets = np.concatenate(([0], np.cumsum(has_tokens)))
        return Sentences(Tokens(tokens.ids, np.append(0, tokens.offsets[1:][has_tokens])), offsets)
    ends = np.flatnonzero(tokens.ids == sentence_end)
    n_ends_before = np.searchsorted(ends, tokens.offsets)
    n_parts = np.diff(n_ends_before) + 1
    last = np.cumsum(n_parts) - 1  # of each text's parts
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
    places = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
    ids = np.append(tokens.ids, np.int32(0))[places]
    # The end is no word any more, so its id may stand for the empty word.
    ids[(np.cumsum(lengths) - lengths)[is_blank[is_sentence]]] = sentence_end
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    return Sentences(Tokens(ids, offsets), sentences_before[np.concatenate(([0], last + 1))])


def _distinct_per_text(sentences: Sentences) -> Ints:
    """The number of distinct words of each text, shape (texts,)."""
    word_offsets = sentences.tokens.offsets[sentences.offsets]
    text = np.repeat(np.arange(len(word_offsets) - 1), np.diff(word_offsets))
    return _count_distinct(text, sentences.tokens.ids, len(word_offsets) - 1)


def _count_distinct(group: Ints, word: Ids, n_groups: int) -> Ints:
    """The number of distinct words in each group, shape (n_groups,)."""
    distinct = np.unique(group << 32 | word)
    return np.bincount(distinct >> 32, minlength=n_groups)


def _parts(sentences: Sentences, pairs: Pairs) -> Iterator[tuple[int, int]]:
    """Bounds of pairs whose sentence pairs together have no more than so many cells, if they are not one pair."""
    n_words = np.diff(sentences.tokens.offsets[sentences.offsets])
    cells = np.cumsum(n_words[pairs.pred] * n_words[pairs.gold])
    start = 0
    while start < len(pairs):
        done = cells[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(cells, done + _CELLS_AT_ONCE, side="right")))
        yield start, stop
        start = stop


def _count_part(sentences: Sentences, pairs: Pairs) -> Ints:
    """The number of distinct words in the union for each pair, shape (pairs,)."""
    pair, sentence_pairs = _cross(sentences, pairs)
    tokens = sentences.tokens
    chosen_pairs, chosen_words = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)]
    # The rule for ties asks for a step a word of the gold's sentence, and a bit a word of the prediction's.
    for group, is_worth_a_bucket in split_pairs(tokens, sentence_pairs, "pred"):
        if is_worth_a_bucket:
            places, words = _chosen_in_bucket(make_bucket(group, tokens, sentence_pairs, "pred"))
            chosen_pairs.append(pair[group[places]])
            chosen_words.append(words)
            continue
        for place in group.tolist():
            pred, gold = (tokens.text(texts[place]) for texts in (sentence_pairs.pred, sentence_pairs.gold))
            words = long_pairs.backtrack_lcs(pred, gold)
            chosen_pairs.append(np.full(len(words), pair[place]))
            chosen_words.append(words)
    return _count_distinct(np.concatenate(chosen_pairs), np.concatenate(chosen_words), len(pairs))


def _cross(sentences: Sentences, pairs: Pairs) -> tuple[Ints, Pairs]:
    """All pairs of a prediction's and a gold's sentences, and for each the pair of texts that it comes from."""
    n_sentences = np.diff(sentences.offsets)
    n_gold = n_sentences[pairs.gold]
    n_crossed = n_sentences[pairs.pred] * n_gold
    pair = np.repeat(np.arange(len(pairs)), n_crossed)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(n_crossed) - n_crossed, n_crossed)
    pred, gold = np.divmod(within, np.maximum(n_gold, 1)[pair])
    first_pred, first_gold = sentences.offsets[pairs.pred], sentences.offsets[pairs.gold]
    return pair, Pairs(first_pred[pair] + pred, first_gold[pair] + gold)


def _chosen_in_bucket(bucket: Bucket) -> tuple[Ints, Ids]:
    """The words of each pair's chosen subsequence: their pairs' places in the bucket, and the words."""
    masks = match_masks(bucket)
    matched = mask_counts.backtrack_lcs(masks, mask_counts.lcs_states(masks), bucket.n_steps)
    steps, places = np.nonzero(matched)
    return places, bucket.step_ids[steps, places]
