"""Words → numbers: equal words have equal numbers.

Arrow's dictionary looks up one word after the other. Here, all words are looked up at once: a word of up to eight bytes
is one integer of 64 bits, and a table has a place for each integer by its hash. The integers, and not only their
hashes, are compared, so two words have the same number exactly if they are equal.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from qa_frame._typing import Bytes, Ints
from qa_frame.text.raw_texts import binary_from

_FEW, _MANY = 1 << 11, 1 << 26
"""Arrow numbers fewer words sooner, and of more words two numbers do not fit one integer."""

_WORDS_AT_ONCE = 1 << 15
"""So many words stay in a fast cache."""

_WIDTH = 8
"""The bytes of one integer."""
_MASKS = np.array([(1 << 8 * n) - 1 for n in range(_WIDTH + 1)], np.uint64)
_IN_TWO, _BY_ARROW, _HALF = np.uint64(0xFF << 56), np.uint64(0xFE << 56), np.uint64(28)
"""The marks of longer words. UTF-8 has neither of these bytes, so no shorter word is the same integer."""

_MULTIPLIER, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)
_SMALL_TABLE = 17
"""The bits of the number of places in the first table, which stays in a fast cache: most words are frequent ones."""

PackedWords = NDArray[np.uint64]


def number_words(data: Bytes, bounds: Ints) -> tuple[Ints, pa.Array]:
    """Number words so that equal words have equal numbers, from 0 on without gaps.

    The order of the numbers is not defined.

    Parameters
    ----------
    data
        Words in UTF-8, each followed by the same separator, which no word holds.
    bounds
        Where each word begins, and the end of `data`: int64, shape (words + 1,).

    Returns
    -------
    numbers
        The number of each word, int64, shape (words,).
    distinct
        The distinct words by number, each with its separator, `large_binary`.
    """
    words, n_words = binary_from(data, bounds), len(bounds) - 1
    if not _FEW < n_words < _MANY or len(data) > (2 * _WIDTH + 1) * n_words:
        encoded = words.dictionary_encode()
        return encoded.indices.to_numpy().astype(np.int64), encoded.dictionary
    places, n_places = _number_keys(_pack_words(words, data, bounds))
    number = np.full(n_places, -1)
    number[places] = np.arange(len(places))  # for now, the last of the equal words
    is_last = np.zeros(len(places), np.bool_)
    is_last[number[number >= 0]] = True
    last = np.flatnonzero(is_last)[::-1]
    number[places[last]] = np.arange(len(last))
    return number.take(places), words.take(pa.array(last))


def _pack_words(words: pa.Array, data: Bytes, bounds: Ints) -> PackedWords:
    """Return an integer for each word, equal for equal words alone."""
    padded = np.zeros(len(data) + _WIDTH, np.uint8)
    padded[: len(data)] = data
    windows = np.ndarray((len(data),), "<u8", padded, strides=(1,))
    keys, long = np.empty(len(words), np.uint64), [np.zeros(0, np.int64)]
    for part in _slices(len(words)):
        starts = bounds[:-1][part]
        sizes = bounds[1:][part] - starts
        keys[part] = _first_bytes(windows, starts, sizes)
        long.append(np.flatnonzero(sizes > _WIDTH + 1) + part.start)
    places = np.concatenate(long)
    if len(places):
        starts, sizes = bounds[places] + _WIDTH, bounds[places + 1] - bounds[places] - _WIDTH
        halves = (keys[places], _first_bytes(windows, starts, sizes))
        head, tail = (_number_keys(half)[0].view(np.uint64) for half in halves)
        keys[places] = _IN_TWO | head << _HALF | tail
        longest = places[sizes > _WIDTH + 1]
        if len(longest):
            encoded = words.take(pa.array(longest)).dictionary_encode()
            keys[longest] = _BY_ARROW | encoded.indices.to_numpy().astype(np.uint64)
    return keys


def _first_bytes(windows: PackedWords, starts: Ints, sizes: Ints) -> PackedWords:
    """Return the first eight bytes of each word as one integer, shape (words,).

    A shorter word includes its separator, so different words of up to eight bytes have different integers.

    windows: the eight bytes from each place of the data on. starts, sizes: where each word begins, and how many
    bytes it has with its separator.
    """
    keys: PackedWords = windows[starts]
    keys &= _MASKS.take(sizes, mode="clip")
    return keys


def _number_keys(keys: PackedWords, *, again: bool = False) -> tuple[Ints, int]:
    """Return a number for each key, equal for equal keys alone, and a number above all of these. The numbers have gaps.

    again: whether the keys are those that had no place in a first table.
    """
    bits = len(keys).bit_length() if again else min(len(keys).bit_length(), _SMALL_TABLE)
    hashes = keys * _MULTIPLIER
    hashes >>= np.uint64(64 - bits)
    places, table = hashes.view(np.int64), np.empty(1 << bits, np.uint64)
    table[places] = keys  # of several keys with one place, one stays
    displaced = (np.flatnonzero(table.take(places[part]) != keys[part]) + part.start for part in _slices(len(keys)))
    others = np.concatenate([*displaced])
    if not len(others):
        return places, len(table)
    rest = keys[others]
    if again and 2 * len(rest) > len(keys):  # texts may be made so that many words have one place
        distinct, numbers = np.unique(rest, return_inverse=True)
        n_more = len(distinct)
    else:
        numbers, n_more = _number_keys(rest ^ rest >> _SHIFT, again=True)  # distinct keys stay distinct
    places[others] = numbers + len(table)
    return places, len(table) + n_more


def _slices(n_words: int) -> Iterator[slice]:
    """Yield the slices that cut a range of `n_words` words into parts of `_WORDS_AT_ONCE`."""
    return (slice(start, start + _WORDS_AT_ONCE) for start in range(0, n_words, _WORDS_AT_ONCE))
