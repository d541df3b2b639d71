"""Whether a gold's text is part of a prediction's text: a question about strings, answered by tokens where they can."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from qa_frame._typing import Flags, Ints
from qa_frame.kernels.pair_counts import PairCounts
from qa_frame.kernels.tokens import Pairs, Tokens
from qa_frame.text.arrow_bytes import binary_data, binary_offsets
from qa_frame.text.lexicon import TokenisedTexts

_FEW = 8
"""Where fewer than one pair in so many is open, its strings are compared."""


def contains_per_pair(texts: TokenisedTexts, pairs: Pairs, counts: PairCounts) -> Flags:
    """Whether the gold, its tokens joined by spaces, is a substring of the prediction, shape (pairs,).

    counts: of the same texts and pairs, with clipped matches of order 1 and `contains_gold`. A gold without tokens is
    part of every prediction.
    """
    contained: Flags = counts.contains_gold | (counts.n_gold == 0)
    # What is left can only be contained if its first or last token is a part of a longer one.
    open_pairs = np.flatnonzero(~contained & (counts.clipped[0] >= counts.n_gold - 2) & (counts.n_pred > 0))
    open_pairs = open_pairs[_is_long_enough(texts, pairs.pred[open_pairs], pairs.gold[open_pairs])]
    for letters in _letter_pair_sets(texts.vocabulary):
        if len(open_pairs) * _FEW < len(pairs):
            break  # what is left is soon asked outright
        letters_per_text = _union_per_text(texts.tokens, letters)
        lacks = letters_per_text[pairs.gold[open_pairs]] & ~letters_per_text[pairs.pred[open_pairs]]
        open_pairs = open_pairs[lacks == 0]
    contained[open_pairs] = _contains(texts, pairs.pred[open_pairs], pairs.gold[open_pairs])
    return contained


def text_contains_per_pair(texts: Sequence[str], pairs: Pairs) -> Flags:
    """Whether the gold's whole text is a substring of the prediction's, shape (pairs,)."""
    texts_per_place = np.array([*texts, None], dtype=object)  # the last one makes it an array of objects for sure
    sides = (texts_per_place[side].tolist() for side in (pairs.pred, pairs.gold))
    return np.fromiter(map(operator.contains, *sides), np.bool_, count=len(pairs))


def _is_long_enough(texts: TokenisedTexts, pred: Ints, gold: Ints) -> Flags:
    """Whether a prediction has at least as many bytes as its gold."""
    bytes_before = np.concatenate(([0], np.cumsum(np.diff(binary_offsets(texts.vocabulary))[texts.tokens.ids])))
    bytes_per_text = np.diff(bytes_before[texts.tokens.offsets])
    is_long_enough: Flags = bytes_per_text[gold] <= bytes_per_text[pred]
    return is_long_enough


def _letter_pair_sets(vocabulary: pa.Array) -> Iterator[NDArray[np.uint64]]:
    """Sets of 64 bits for each token, shape (tokens,): one bit for every two bytes that follow each other in it.

    A gold that is part of a prediction has no letter pair that the prediction lacks. The first set holds all pairs
    in 61 classes, enough for short texts; four more hold 251 finer classes between them.
    """
    data, offsets = binary_data(vocabulary), binary_offsets(vocabulary)
    if not len(data):
        return
    hashed = data[:-1].astype(np.int64) * 31 + data[1:].astype(np.int64) * 17
    within = np.ones(len(data), np.bool_)
    within[offsets[1:] - 1] = False  # the token's end,
    within[np.maximum(offsets[1:] - 2, 0)] = False  # and its last byte with the end
    for classes, words in ((61, 1), (251, 4)):
        of_pair = np.append(hashed % classes, 0)
        bit = np.left_shift(np.uint64(1), (of_pair & 63).astype(np.uint64))
        for word in range(words):
            yield np.bitwise_or.reduceat(np.where(within & (of_pair >> 6 == word), bit, np.uint64(0)), offsets[:-1])


def _union_per_text(tokens: Tokens, per_token: NDArray[np.uint64]) -> NDArray[np.uint64]:
    union = np.zeros(len(tokens.offsets) - 1, np.uint64)
    has_tokens = np.diff(tokens.offsets) > 0  # reduceat misreads empty segments
    if has_tokens.any():
        union[has_tokens] = np.bitwise_or.reduceat(per_token[tokens.ids], tokens.offsets[:-1][has_tokens])
    return union


def _contains(texts: TokenisedTexts, pred: Ints, gold: Ints) -> Flags:
    """The question itself, on the texts rebuilt from their tokens."""
    found = map(operator.contains, _rebuild(texts, pred), _rebuild(texts, gold))
    return np.fromiter(found, np.bool_, count=len(pred))


def _rebuild(texts: TokenisedTexts, wanted: Ints) -> list[bytes]:
    """The texts at the places `wanted`, each as its tokens with one byte between them."""
    places, back = np.unique(wanted, return_inverse=True)
    n_tokens = texts.tokens.n_per_text[places]
    ends = np.cumsum(n_tokens)
    within = np.arange(n_tokens.sum()) - np.repeat(ends - n_tokens, n_tokens)
    ids = texts.tokens.ids[np.repeat(texts.tokens.offsets[places], n_tokens) + within]
    spelled = texts.vocabulary.take(pa.array(ids))
    listed = pa.LargeListArray.from_arrays(pa.array(np.concatenate(([0], ends))), spelled)
    joined = pc.binary_join(listed, pa.scalar(b"", pa.large_binary()))
    joined = pc.binary_slice(joined.cast(pa.large_binary()), 0, -1)  # without the end of the last token
    texts_per_place: list[bytes] = np.array(joined.to_pylist(), dtype=object)[back].tolist()
    return texts_per_place
