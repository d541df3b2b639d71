"""Texts → words: the distinct words, and for each text the ids of its words.

White space is defined as by `str.split`. Two words have the same id exactly if they are equal.
"""

from __future__ import annotations

import string
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from qa_frame._typing import Bytes, Flags, Ints
from qa_frame.text.interning import number_words
from qa_frame.text.raw_texts import binary_data, binary_offsets

WORD_END = 0x1F
"""Follows every word and token. Python calls this ASCII separator white space, so no word can hold it."""

TEXT_END = 0xFF
"""Follows every text. This byte never occurs in UTF-8."""

BETWEEN_TEXTS = bytes([WORD_END, TEXT_END, WORD_END])
"""Follows every text where steps are applied to many whole texts at once. The steps see it as white space around a
character that is neither a letter nor white space."""

BETWEEN_STR = BETWEEN_TEXTS.decode("utf-8", "surrogateescape")
"""`BETWEEN_TEXTS` in a `str`, where `TEXT_END` is a lone surrogate, which no text holds."""

ASCII_SPACES = bytes([*range(0x09, 0x0E), *range(0x1C, 0x20), 0x20])
_IS_OTHER_ASCII_SPACE = np.isin(np.arange(256), list(ASCII_SPACES.replace(b" ", b"")))
_TO_WORD_END = bytes.maketrans(ASCII_SPACES + bytes([TEXT_END]), bytes([WORD_END]) * (len(ASCII_SPACES) + 1))
_TO_SPACE = bytes.maketrans(ASCII_SPACES, b" " * len(ASCII_SPACES))
_WIDE_SPACES = (0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)
_WIDE_SPACE_TABLE = np.isin(np.arange(max(_WIDE_SPACES) + 2), _WIDE_SPACES)
_SPACE_TABLE = _WIDE_SPACE_TABLE | np.isin(np.arange(len(_WIDE_SPACE_TABLE)), list(ASCII_SPACES))
_AT_END = pc.ReplaceSliceOptions(start=1 << 62, stop=1 << 62, replacement=bytes([TEXT_END]))
"""Puts `TEXT_END` behind each text, in a tenth of the time that Arrow takes to join long texts."""
_FEW_WORDS = 1000
"""So few distinct words are not told apart by kind, as this would take longer than it saves."""

_BEYOND_ASCII = 1 << 32
_OTHERS = np.where(np.arange(256) < 0x80, 1, _BEYOND_ASCII)
"""For each byte, what it adds to a word: 0 for letters and digits of ASCII, and for what follows the word."""
_OTHERS[[*(string.ascii_letters + string.digits).encode(), WORD_END]] = 0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Words:
    """Texts as word ids.

    Attributes
    ----------
    ids
        int64, by which numpy looks up fastest, shape (words,). An id is a place in `plain`, `ascii` and `other`, end to
        end.
    offsets
        Where each text begins in `ids`, and the end of the last one: int64, shape (texts + 1,).
    plain, ascii, other
        The distinct words, Arrow `large_binary`, each followed by `WORD_END`. `plain` holds those of ASCII letters and
        digits, `ascii` the other words of ASCII, perhaps with the empty word, and `other` the rest.
    joined
        The raw texts in UTF-8, each followed by `TEXT_END`.
    text_ends
        Where each `TEXT_END` is in `joined`: int64, shape (texts,).
    cache
        The tokens that `vocabulary.tokenise` made of these texts, by the `Text` that says how, and other results that
        are made once.
    """

    ids: Ints
    offsets: Ints
    plain: pa.Array
    ascii: pa.Array
    other: pa.Array
    joined: bytes
    text_ends: Ints
    cache: dict[Hashable, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.text_ends) + 1 != len(self.offsets) or self.offsets[-1] != len(self.ids):
            raise ValueError("offsets, text_ends and ids of Words do not fit each other")

    @property
    def n_distinct(self) -> int:
        """The number of distinct words."""
        return len(self.plain) + len(self.ascii) + len(self.other)

    def all_texts(self) -> bytes:
        """Return the raw texts in UTF-8, each followed by `BETWEEN_TEXTS`."""
        return self.joined.replace(bytes([TEXT_END]), BETWEEN_TEXTS)

    def text(self, index: int) -> bytes:
        """Return the raw text at `index`, in UTF-8."""
        start = 0 if index == 0 else int(self.text_ends[index - 1]) + 1
        return self.joined[start : int(self.text_ends[index])]


def find_other_spaces(texts: bytes) -> Ints:
    """Return the places of all white space but U+0020 in texts, each followed by `TEXT_END`: those of all its bytes."""
    data = np.frombuffer(texts, np.uint8)
    is_other = _IS_OTHER_ASCII_SPACE[data]
    if not texts.translate(None, bytes([TEXT_END])).isascii():
        is_other |= _mark_wide_spaces(data) != data
    return np.flatnonzero(is_other)


def runs(flags: Flags) -> tuple[Ints, Ints]:
    """Return where each run of flags that are set begins, and the place behind its end, shape (runs,) each."""
    edges = np.flatnonzero(np.concatenate((flags[:1], flags[1:] != flags[:-1], flags[-1:])))
    return edges[::2], edges[1::2]


def split_texts(texts: bytes) -> list[str]:
    """Return the list of texts, from bytes in which each is followed by `BETWEEN_TEXTS`."""
    return decode(texts).split(BETWEEN_STR)[:-1]


def join_texts(texts: Iterable[str]) -> bytes:
    """Return texts as bytes in which each is followed by `BETWEEN_TEXTS`: the inverse of `split_texts`."""
    return encode(BETWEEN_STR.join([*texts, ""]))


def decode(texts: bytes) -> str:
    """Return UTF-8, perhaps with `TEXT_END` in it, as a `str`."""
    return texts.decode("utf-8", "surrogateescape")


def encode(texts: str) -> bytes:
    """Return a `str` of `decode` as UTF-8 again, with `TEXT_END`."""
    return texts.encode("utf-8", "surrogateescape")


def is_space(code_points: NDArray[np.uint32]) -> Flags:
    """Return whether each character, given as its code point, is white space."""
    return _SPACE_TABLE[np.minimum(code_points, len(_SPACE_TABLE) - 1)]


def collapse_spaces(texts: bytes) -> bytes:
    """Return texts with single spaces between their words, and none at the ends.

    Each text is followed by `BETWEEN_TEXTS`, which is kept.
    """
    if not texts:
        return texts
    data = np.frombuffer(texts, np.uint8)
    is_text_end = data == TEXT_END
    n_texts = int(np.count_nonzero(is_text_end))
    if np.count_nonzero(data >= 0x80) > n_texts:
        data = _mark_wide_spaces(data)
    if _has_single_spaces(data, n_texts):
        return texts
    is_space = ((data - np.uint8(0x09)) < 5) | ((data - np.uint8(0x1C)) < 5)  # numbers below the first one wrap around
    is_before_word = np.append(~(is_space | is_text_end)[1:], False)
    keep = ~is_space | is_before_word
    data, is_space = data[keep], is_space[keep]
    keep = ~is_space | np.append(False, data[:-1] != TEXT_END)
    joined = bytes(data[keep].tobytes()).translate(_TO_SPACE)
    return joined.replace(bytes([TEXT_END]), BETWEEN_TEXTS)


def _has_single_spaces(data: Bytes, n_texts: int) -> bool:
    """Return whether single spaces, and no others, separate the words of each text. Wide spaces are `WORD_END`."""
    is_space, is_blank = data == 0x20, data <= 0x20
    if np.count_nonzero(is_blank) - np.count_nonzero(is_space) > 2 * n_texts or is_space[0]:
        return False  # `BETWEEN_TEXTS` has two of these
    return not ((is_space[1:] & is_blank[:-1]) | (is_space[:-1] & is_blank[1:])).any()


def cut_words(texts: pa.Array, *, whole_texts_only: bool = False) -> Words:
    """Return texts as `Words`, cut at white space.

    Parameters
    ----------
    texts
        Arrow `large_string` of valid UTF-8, without nulls. No texts give no words.
    whole_texts_only
        Do not cut, so that no text has words. This is for conventions that need only whole texts.
    """
    ended = pc.binary_replace_slice(texts.view(pa.large_binary()), options=_AT_END)
    joined, text_ends = binary_data(ended).tobytes(), binary_offsets(ended)[1:] - 1
    if whole_texts_only:
        none = pa.array([], pa.large_binary())
        return Words(np.zeros(0, np.int64), np.zeros(len(texts) + 1, np.int64), none, none, none, joined, text_ends)
    return _cut_texts(joined, text_ends)


def cut_changed_texts(texts: bytes) -> Words:
    """Return texts that steps have changed as `Words`. texts: each followed by `BETWEEN_TEXTS`."""
    joined = texts.replace(BETWEEN_TEXTS, bytes([TEXT_END]))
    return _cut_texts(joined, np.flatnonzero(np.frombuffer(joined, np.uint8) == TEXT_END))


def _cut_texts(joined: bytes, text_ends: Ints) -> Words:
    """Return texts as `Words`, cut at white space.

    joined: the texts in UTF-8, each followed by `TEXT_END`. text_ends: where these are.
    """
    ids, offsets, words = encode_words(mark_word_ends(joined), joined)
    if len(words) <= _FEW_WORDS:
        none = words.slice(0, 0)
        return Words(ids, offsets, none, none, words, joined, text_ends)
    kind = _kind_of_word(words)
    plain, ascii_, other = (words.filter(pa.array(kind == one)) for one in range(3))
    place = np.empty(len(words), np.int64)
    place[np.argsort(kind, kind="stable")] = np.arange(len(words))
    return Words(place.take(ids), offsets, plain, ascii_, other, joined, text_ends)


def mark_word_ends(texts: bytes) -> Bytes:
    """Return texts in UTF-8 with `WORD_END` in place of each byte of white space, and of each text's `TEXT_END`."""
    data = np.frombuffer(texts, np.uint8)
    if data.min(initial=TEXT_END) < ord(" "):
        return _mark_wide_spaces(np.frombuffer(texts.translate(_TO_WORD_END), np.uint8))
    # No other white space of ASCII is there. numpy subtracts several times faster than a table is read.
    spaced = data - (data == ord(" ")).view(np.uint8) * np.uint8(ord(" ") - WORD_END)
    spaced -= (data == TEXT_END).view(np.uint8) * np.uint8(TEXT_END - WORD_END)
    return _mark_wide_spaces(spaced)


def encode_words(data: Bytes, ended: bytes) -> tuple[Ints, Ints, pa.Array]:
    """Return the words of texts as numbers.

    Parameters
    ----------
    data
        The texts in UTF-8, each followed by `WORD_END`, which also stands in place of all white space.
    ended
        Texts of the same lengths in bytes, each followed by `TEXT_END`.

    Returns
    -------
    ids, offsets
        The number of each word, and where the words of each text begin, shape (texts + 1,). There may be empty words.
    words
        The distinct words, `large_binary`, each followed by `WORD_END`.
    """
    # Each word includes the separator behind it. The distinct words are then followed by `WORD_END`, as they must be.
    word_ends = np.flatnonzero(data == WORD_END)
    ids, words = number_words(data, np.append(0, word_ends + 1))
    is_last = np.frombuffer(ended, np.uint8)[word_ends] == TEXT_END
    return ids, np.append(0, np.flatnonzero(is_last) + 1), words


def cut_lines(words: Words) -> tuple[Words, Ints]:
    """Return `Words` in which each line is a text, and the first line of each of the texts, shape (texts + 1,)."""
    joined = words.joined.replace(b"\n", bytes([TEXT_END]))
    line_ends = np.flatnonzero(np.frombuffer(joined, np.uint8) == TEXT_END)
    offsets = np.zeros(len(line_ends) + 1, np.int64)
    if len(words.ids):  # else texts were not cut into words
        word_ends = np.flatnonzero(mark_word_ends(joined) == WORD_END)
        offsets[1:] = np.searchsorted(word_ends, line_ends) + 1
    lines = replace(words, offsets=offsets, joined=joined, text_ends=line_ends, cache={})
    return lines, np.append(0, np.searchsorted(line_ends, words.text_ends) + 1)


def _mark_wide_spaces(data: Bytes) -> Bytes:
    """Return the bytes with `WORD_END` in place of each byte of white space beyond ASCII.

    The empty words between these do no harm. `data` is valid UTF-8 that ends with `WORD_END`, so two bytes follow every
    lead byte.
    """
    if data.max(initial=0) < 0x80:
        return data
    leads = np.flatnonzero(data >= 0xC2)
    leads = leads[data[leads] <= 0xE3]  # no white space begins with a higher byte
    has_three_bytes = data[leads] >= 0xE0
    two, three = leads[~has_three_bytes], leads[has_three_bytes]
    two = two[_is_wide_space(data[two] & 0x1F, data[two + 1])]
    three = three[_is_wide_space(data[three] & 0x0F, data[three + 1], data[three + 2])]
    if not (len(two) or len(three)):
        return data
    data = data.copy()
    for places in (two, two + 1, three, three + 1, three + 2):
        data[places] = WORD_END
    return data


def _is_wide_space(lead: NDArray[np.integer], *following: Bytes) -> Flags:
    """Return whether each character, given as the data bits of its lead byte and its other bytes, is white space."""
    code_point = lead.astype(np.int64)
    for byte in following:
        code_point = code_point << 6 | byte & 0x3F
    return _WIDE_SPACE_TABLE[np.minimum(code_point, len(_WIDE_SPACE_TABLE) - 1)]


def _kind_of_word(words: pa.Array) -> Bytes:
    """Return the kind of each word: 0 for ASCII letters and digits, 1 for other words of ASCII, 2 for all others."""
    ends = binary_offsets(words)[1:]
    n_others = np.diff(np.cumsum(_OTHERS.take(binary_data(words))).take(ends - 1), prepend=0)
    n_others[np.diff(ends, prepend=0) == 1] = 1  # the empty word
    return (n_others > 0).view(np.uint8) + (n_others >= _BEYOND_ASCII).view(np.uint8)
