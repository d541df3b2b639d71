"""Whether a prediction contains a gold as a string. Most pairs are decided by their tokens, which is faster."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from qa_frame._typing import Bytes, Flags, Ints
from qa_frame.kernels.pair_counts import PairCounts
from qa_frame.kernels.tokens import Pairs
from qa_frame.text.raw_texts import binary_data, binary_offsets
from qa_frame.text.vocabulary import TokenisedTexts
from qa_frame.text.words import WORD_END

_BITS = np.append(np.left_shift(np.uint64(1), np.arange(64, dtype=np.uint64)), np.zeros(64, np.uint64))
"""The bit of each class of pairs of bytes, and none for what is no such pair."""
_FEW_PAIRS = 200
"""So few pairs are compared as strings at once."""


def contains_per_pair(texts: TokenisedTexts, pairs: Pairs, counts: PairCounts) -> Flags:
    """Return whether the gold is a substring of the prediction, tokens of each joined by single spaces, shape (pairs,).

    `counts` are those of the same texts and pairs, with "clipped" of order 1 and "contains_gold". A gold without tokens
    is part of every prediction.
    """
    contained: Flags = counts["contains_gold"] | (counts.n_gold == 0)
    is_undecided = ~contained & (counts.n_pred > 0)
    has_spaces = ord(" ") in binary_data(texts.vocabulary)
    if not has_spaces:
        # In other pairs, the first or the last token of the gold can only be a part of a longer token.
        # So the prediction must have all tokens between them, and all pairs of bytes of the gold.
        is_undecided &= counts["clipped"][0] >= counts.n_gold - 2
    undecided = np.flatnonzero(is_undecided)
    if len(undecided) > _FEW_PAIRS:
        most = 0 if has_spaces else 2
        undecided = undecided[_have_byte_pairs(texts, pairs[undecided], counts.n_gold[undecided] <= most)]
    contained[undecided] = compare_joined(texts, pairs[undecided], operator.contains)
    return contained


def compare_joined(texts: TokenisedTexts, pairs: Pairs, compare: Callable[[str, str], bool]) -> Flags:
    """Return `compare(prediction, gold)` for each pair, shape (pairs,). Tokens of each side are joined by spaces."""
    is_used = np.zeros(len(texts.tokens.offsets) - 1, np.bool_)
    is_used[pairs.pred] = is_used[pairs.gold] = True
    place = np.cumsum(is_used) - 1
    joined = join_tokens(texts, np.flatnonzero(is_used))
    return compare_texts(joined, Pairs(place[pairs.pred], place[pairs.gold]), compare)


def compare_texts(texts: Sequence[str], pairs: Pairs, compare: Callable[[str, str], bool]) -> Flags:
    """Return `compare(prediction, gold)` for each pair of texts, shape (pairs,)."""
    objects = np.array(texts, dtype=object)
    results = map(compare, objects[pairs.pred].tolist(), objects[pairs.gold].tolist())
    return np.fromiter(results, np.bool_, count=len(pairs))


def _have_byte_pairs(texts: TokenisedTexts, pairs: Pairs, in_two_tokens: Flags) -> Flags:
    """Return whether the prediction may have all pairs of neighbouring bytes of the gold's tokens, shape (pairs,).

    There is one bit for each of 64 classes of such pairs. No side is empty. in_two_tokens: whether the gold can only be
    in two tokens, or one, that stand side by side.
    """
    tokens, vocabulary = texts.tokens, texts.vocabulary
    per_token = np.bitwise_or.reduceat(_bits_of_byte_pairs(binary_data(vocabulary)), binary_offsets(vocabulary)[:-1])
    per_text = np.zeros(len(tokens.offsets) - 1, np.uint64)
    has_tokens = tokens.n_per_text > 0  # reduceat misreads empty segments
    per_text[has_tokens] = np.bitwise_or.reduceat(per_token.take(tokens.ids), tokens.offsets[:-1][has_tokens])
    has_all: Flags = per_text[pairs.gold] & ~per_text[pairs.pred] == 0
    places = np.flatnonzero(has_all & in_two_tokens)
    if len(places):
        some = pairs[places]
        n_pred = tokens.n_per_text[some.pred]
        bits = per_token.take(tokens.texts(some.pred))
        bits[:-1] |= bits[1:]
        lacking = np.repeat(per_text[some.gold], n_pred) & ~bits
        has_all[places] = np.minimum.reduceat(lacking, np.cumsum(n_pred) - n_pred) == 0
    return has_all


def _bits_of_byte_pairs(spelled: Bytes) -> NDArray[np.uint64]:
    """Return for each byte and the next one the bit of their class, uint64, shape (bytes,).

    A hash puts pairs of bytes into 64 classes. The bit is 0 where either byte is a space or ends a word.
    """
    is_gap = spelled - np.uint8(WORD_END) < 2  # numbers below the first one wrap around
    classes = spelled * np.uint8(37) + np.append(spelled[1:], np.uint8(WORD_END)) & np.uint8(63)
    no_pair = is_gap | np.append(is_gap[1:], True)
    bits: NDArray[np.uint64] = _BITS.take(classes | no_pair.view(np.uint8) * np.uint8(64))
    return bits


def join_tokens(texts: TokenisedTexts, indices: Ints | None = None) -> list[str]:
    """Return texts with single spaces between their tokens. Each character of the results stands for one byte of UTF-8.

    indices: the texts that are returned; None for all.
    """
    indices = np.arange(len(texts.tokens.offsets) - 1) if indices is None else indices
    spelled = texts.vocabulary.take(pa.array(texts.tokens.texts(indices)))
    spaced, offsets = binary_data(spelled).copy(), binary_offsets(spelled)
    spaced[offsets[1:] - 1] = ord(" ")
    data = spaced.tobytes().decode("latin-1")  # Python searches in a str faster than in bytes
    ends = np.cumsum(texts.tokens.n_per_text[indices])
    bounds = offsets[np.concatenate(([0], ends))]
    starts, stops = bounds[:-1], np.maximum(bounds[:-1], bounds[1:] - 1)  # the last space is left out
    return [data[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
