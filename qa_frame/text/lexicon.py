"""Words → tokens: each distinct word is tokenised once, then the texts' tokens are a gather of integers."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from qa_frame.kernels.tokens import Tokens
from qa_frame.text.cut import WORD_END, Words
from qa_frame.text.slices import binary_data, binary_from, binary_offsets
from qa_frame.text.tokenisers import Tokeniser

_SPACE_TO_WORD_END = bytes.maketrans(b" ", bytes([WORD_END]))


@dataclass(frozen=True, slots=True)
class TokenisedTexts:
    """Texts as tokens, with the tokens' spelling.

    tokens: ids and offsets. vocabulary: the distinct tokens, Arrow `large_binary`, each ending with `WORD_END`.
    """

    tokens: Tokens
    vocabulary: pa.Array


@dataclass(frozen=True, slots=True)
class _Entries:
    """Tokens of a row of words: spelling, Arrow `large_binary` of shape (tokens,), and how many each word has."""

    spelling: pa.Array
    n_per_word: NDArray[np.int64]


def tokenise(words: Words, tokeniser: Tokeniser) -> TokenisedTexts:
    """The tokens of every text of `words`, in order."""
    crossing = _crossing_texts(words, tokeniser)
    entries = [
        _plain_entries(words.plain, lowers=tokeniser.lowers),
        *(_entries(tokeniser.by_word(binary_data(part).tobytes())) for part in (words.ascii, words.other)),
    ]
    word_ids = words.ids
    if len(crossing):
        entries.append(_whole_text_entries(words, crossing, tokeniser))
        word_ids = _replace_texts(words, crossing, first_id=words.n_distinct)
    encoded = pa.concat_arrays([part.spelling for part in entries]).dictionary_encode()
    ids, n_per_word = _drop_tokens(encoded, np.concatenate([part.n_per_word for part in entries]), tokeniser.drop)
    return TokenisedTexts(_gather(word_ids, words.offsets, ids, n_per_word), encoded.dictionary)


def simplest(tokeniser: Tokeniser, words: Words) -> Tokeniser:
    """The same tokeniser, but reduced to its rule for words where no text needs more.

    Two tokenisers that differ only in what they do across white space are then equal, and their tokens are shared.
    """
    if tokeniser.crossing is None or len(_crossing_texts(words, tokeniser)):
        return tokeniser
    return dataclasses.replace(tokeniser, name="", crossing=None, crossing_parts=(), by_text=None)


def _crossing_texts(words: Words, tokeniser: Tokeniser) -> NDArray[np.int64]:
    """The texts in which the tokeniser's rule looks across white space, in order, each once."""
    if tokeniser.crossing is None or not any(part in words.joined for part in tokeniser.crossing_parts):
        return np.zeros(0, np.int64)
    places = [match.start() for match in tokeniser.crossing.finditer(words.joined)]
    return np.unique(np.searchsorted(words.text_ends, np.array(places, np.int64)))


def _plain_entries(plain: pa.Array, *, lowers: bool) -> _Entries:
    """One token for each word of ASCII letters and digits: the word itself, perhaps lower-cased."""
    if lowers:
        lowered = np.frombuffer(binary_data(plain).tobytes().lower(), np.uint8)
        plain = binary_from(lowered, binary_offsets(plain))
    return _Entries(plain, np.ones(len(plain), np.int64))


def _entries(tokenised: bytes) -> _Entries:
    """Cut tokenised words, each followed by `WORD_END`, their tokens between spaces."""
    tokenised = tokenised.rstrip(b" ")
    data = np.frombuffer(tokenised.translate(_SPACE_TO_WORD_END), np.uint8)
    ends = np.flatnonzero(data == WORD_END)
    bounds = np.concatenate(([0], ends + 1))
    is_token = ends > bounds[:-1]
    # Without the empty slices, the bytes must be copied together: Arrow's offsets leave no gaps.
    spelling = binary_from(data, bounds).filter(pa.array(is_token))
    is_word_end = np.frombuffer(tokenised, np.uint8)[ends] == WORD_END
    n_before = np.concatenate(([0], np.cumsum(is_token)))
    return _Entries(spelling, np.diff(n_before[np.flatnonzero(is_word_end) + 1], prepend=0))


def _whole_text_entries(words: Words, crossing: NDArray[np.int64], tokeniser: Tokeniser) -> _Entries:
    """The tokens of the crossing texts, each text standing for one word."""
    if tokeniser.by_text is None:
        raise ValueError(f"tokeniser {tokeniser.name!r} has `crossing` but no `by_text`")
    texts = (" ".join(tokeniser.by_text(words.text(int(index))).decode().split()) for index in crossing)
    return _entries("".join(f"{text}{chr(WORD_END)}" for text in texts).encode())


def _replace_texts(words: Words, crossing: NDArray[np.int64], *, first_id: int) -> NDArray[np.int32]:
    """Word ids in which each crossing text is one new word, from `first_id` on, and -1 in its other places."""
    ids = words.ids.copy()
    for rank, text in enumerate(crossing):
        start, stop = words.offsets[text], words.offsets[text + 1]
        ids[start:stop] = -1
        ids[start] = first_id + rank
    return ids


def _drop_tokens(
    encoded: pa.Array, n_per_word: NDArray[np.int64], drop: frozenset[str]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Leave out the tokens to drop: token ids of all words end to end, and how many each word keeps."""
    ids = encoded.indices.to_numpy()
    if not drop or not len(ids):
        return ids, n_per_word
    dropped = pa.array([f"{token}{chr(WORD_END)}".encode() for token in sorted(drop)], pa.large_binary())
    is_dropped = pc.is_in(encoded.dictionary, value_set=dropped).to_numpy(zero_copy_only=False)
    keep = ~is_dropped[ids]
    n_before = np.concatenate(([0], np.cumsum(keep)))
    return ids[keep], np.diff(n_before[np.concatenate(([0], np.cumsum(n_per_word)))])


def _gather(
    word_ids: NDArray[np.int32], word_offsets: NDArray[np.int64], ids: NDArray[np.int32], n_per_word: NDArray[np.int64]
) -> Tokens:
    """Each word of each text replaced by its tokens. A word id of -1 stands for no token."""
    is_small = len(word_ids) * int(n_per_word.max(initial=0)) < np.iinfo(np.int32).max
    n_per_word = np.append(n_per_word, 0).astype(np.int32 if is_small else np.int64)  # the last one for -1
    first = np.cumsum(n_per_word, dtype=n_per_word.dtype) - n_per_word  # each word's first token in `ids`
    first_id = np.append(ids, np.int32(0))[np.minimum(first, len(ids))]
    n_per_place = n_per_word[word_ids]
    n_before = np.zeros(len(word_ids) + 1, n_per_word.dtype)
    np.cumsum(n_per_place, out=n_before[1:])
    out = np.empty(int(n_before[-1]) + 1, np.int32)
    # Not np.repeat, which would keep other threads waiting. A word without tokens is overwritten by what follows it.
    out[n_before[:-1]] = first_id[word_ids]
    for rank in range(1, int(n_per_word.max())):
        places = np.flatnonzero(n_per_place > rank)
        out[n_before[places] + rank] = ids[first[word_ids[places]] + rank]
    return Tokens(out[:-1], n_before[word_offsets].astype(np.int64))
