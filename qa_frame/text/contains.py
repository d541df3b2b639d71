"""Whether a gold's text is part of a prediction's text: a question about strings, answered by tokens where they can."""

from __future__ import annotations

import operator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from qa_frame.kernels.counts import Counts
from qa_frame.kernels.tokens import Pairs, Tokens
from qa_frame.text.lexicon import TokenisedTexts
from qa_frame.text.slices import binary_data, binary_offsets


def contains_per_pair(texts: TokenisedTexts, pairs: Pairs, counts: Counts) -> NDArray[np.bool_]:
    """Whether the gold, its tokens joined by spaces, is a substring of the prediction, shape (pairs,).

    counts: of the same texts and pairs, with clipped matches of order 1 and `run`. A gold without tokens is
    part of every prediction.
    """
    contained: NDArray[np.bool_] = counts.run | (counts.n_gold == 0)
    # What is left can only be contained if its first or last token is a part of a longer one.
    open_pairs = np.flatnonzero(~contained & (counts.clipped[0] >= counts.n_gold - 2) & (counts.n_pred > 0))
    open_pairs = open_pairs[_may_contain(texts, pairs.pred[open_pairs], pairs.gold[open_pairs])]
    contained[open_pairs] = _contains(texts, pairs.pred[open_pairs], pairs.gold[open_pairs])
    return contained


def _may_contain(texts: TokenisedTexts, pred: NDArray[np.int64], gold: NDArray[np.int64]) -> NDArray[np.bool_]:
    """False where a gold is longer than its prediction or has letter pairs that the prediction lacks."""
    if not len(pred):
        return np.zeros(0, np.bool_)
    bytes_per_token = np.diff(binary_offsets(texts.vocabulary))
    bytes_per_text = _sum_per_text(texts.tokens, bytes_per_token)
    letters_per_text = _union_per_text(texts.tokens, _letter_pairs(texts.vocabulary))
    lacks = letters_per_text[gold] & ~letters_per_text[pred]
    may_contain: NDArray[np.bool_] = (bytes_per_text[gold] <= bytes_per_text[pred]) & (lacks == 0)
    return may_contain


def _letter_pairs(vocabulary: pa.Array) -> NDArray[np.uint64]:
    """For each token a set of 64 bits, one set for every two bytes that follow each other in it."""
    data, offsets = binary_data(vocabulary), binary_offsets(vocabulary)
    if not len(data):
        return np.zeros(0, np.uint64)
    bit = (data[:-1].astype(np.uint64) * np.uint64(31) + data[1:] * np.uint64(17)) % np.uint64(61)
    pairs = np.append(np.uint64(1) << bit, np.uint64(0))
    pairs[offsets[1:] - 1] = 0  # the token's end, and its last byte with the end
    pairs[np.maximum(offsets[1:] - 2, 0)] = 0
    return np.bitwise_or.reduceat(pairs, offsets[:-1])


def _sum_per_text(tokens: Tokens, per_token: NDArray[np.int64]) -> NDArray[np.int64]:
    before = np.concatenate(([0], np.cumsum(per_token[tokens.ids])))
    return np.diff(before[tokens.offsets])


def _union_per_text(tokens: Tokens, per_token: NDArray[np.uint64]) -> NDArray[np.uint64]:
    union = np.zeros(len(tokens.offsets) - 1, np.uint64)
    has_tokens = np.diff(tokens.offsets) > 0  # reduceat misreads empty segments
    if has_tokens.any():
        union[has_tokens] = np.bitwise_or.reduceat(per_token[tokens.ids], tokens.offsets[:-1][has_tokens])
    return union


def _contains(texts: TokenisedTexts, pred: NDArray[np.int64], gold: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The question itself, on the texts rebuilt from their tokens."""
    found = map(operator.contains, _rebuild(texts, pred), _rebuild(texts, gold))
    return np.fromiter(found, np.bool_, count=len(pred))


def _rebuild(texts: TokenisedTexts, wanted: NDArray[np.int64]) -> list[bytes]:
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
