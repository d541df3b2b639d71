"""Raw texts, before they are cut into words: steps on them, and their bytes as numpy arrays without a copy."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from qa_frame._typing import Bytes, Flags, Ints

_NAMES = "(?:think|thinking|thought|reasoning|seed:think)>"
_BEGINS = {
    "<": f"<{_NAMES}", "[": r"\[think\]", "◁": "◁think▷",
    "<|": r"<\|START_THINKING\|>|<\|channel\|>analysis<\|message\|>",
}  # fmt: skip
_ENDS = {
    "</": f"</{_NAMES}", "[/": r"\[/think\]", "◁/": "◁/think▷",
    "<|": r"<\|END_THINKING\|>|<\|channel\|>final<\|message\|>",
}  # fmt: skip
"""By how they begin, the tags of a thought, as most models write them, Mistral, Kimi, Cohere and gpt-oss."""
THOUGHT = "(?i)" + "|".join((*_BEGINS.values(), *_ENDS.values()))
"""A tag at the beginning or the end of a thought. Python and Arrow read it alike."""
_BEGIN, _END = ({mark: re.compile(f"(?i){tag}") for mark, tag in tags.items()} for tags in (_BEGINS, _ENDS))
_ONLY_ASCII_PUNCTUATION = r"\A[!-/:-@\[-`{-~]*\z"


def is_empty_text(texts: pa.Array, of: str) -> Flags:
    """Return whether each text is empty, shape (texts,).

    `of` defines an empty text: "text", it has no characters; "white_space", it has white space at most; "punctuation",
    it has ASCII punctuation at most.
    """
    if of == "punctuation":
        is_empty = pc.match_substring_regex(texts, _ONLY_ASCII_PUNCTUATION)
    else:
        is_empty = pc.equal(pc.utf8_trim_whitespace(texts) if of == "white_space" else texts, "")
    is_empty_per_text: Flags = is_empty.to_numpy(zero_copy_only=False)
    return is_empty_per_text


def upper_lengths(texts: pa.Array) -> Ints:
    """Return how many characters each text has in upper case, int64, shape (texts,): "ß" becomes two."""
    lengths: Ints = pc.utf8_length(texts).to_numpy().astype(np.int64)
    others = np.flatnonzero(pc.binary_length(texts).to_numpy() != lengths)  # not of ASCII alone
    lengths[others] = [len(text.upper()) for text in texts.take(pa.array(others)).to_pylist()]
    return lengths


def first_line(text: str) -> str:
    """Return the first line of a text, after white space at both ends is removed."""
    return text.strip().partition("\n")[0]


def last_line(text: str) -> str:
    """Return the last line of a text, after white space at both ends is removed."""
    return text.strip().rpartition("\n")[2]


_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_\u00c0-\u024f])(?:(?<![\w)\]}%])[-\u2212])?(?:[$€£¥₹][ \xa0]?[-\u2212]?)?"
    r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+|(?=\.[0-9]))(?:\.[0-9]+)?"
    r"(?:[eE][-+]?[0-9]+(?![A-Za-z0-9]))?(?:[ \xa0]?%)?"
)
"""A number that is no part of a word. Its sign, thousands, currency and percentage may stand beside it."""
_AS_FLOAT = str.maketrans("\u2212", "-", ", \xa0$€£¥₹")


def last_number(text: str) -> str | None:
    """Return the last number of a text, as `float` reads it; None if it has none.

    A number in percent keeps "%" behind it.
    """
    numbers = _NUMBER.findall(text)
    return numbers[-1].translate(_AS_FLOAT) if numbers else None


def end_of_thought(text: str) -> int:
    """Return the place where the last thought ends; 0 where none does."""
    end = 0
    for mark, tag in _END.items():
        if mark in text:  # which is much faster than a pattern
            for match in tag.finditer(text):
                end = max(end, match.end())
    return end


def has_open_thought(text: str) -> bool:
    """Return whether a text has a thought that begins and never ends."""
    rest = text[end_of_thought(text) :]
    return any(mark in rest and tag.search(rest) is not None for mark, tag in _BEGIN.items())


def _strip_predictions(predictions: pa.Array) -> pa.Array:
    """Return each prediction without white space at its ends. Nulls stay null."""
    return _change_some(predictions, _is_padded(predictions), str.strip)


def _take_first_lines(predictions: pa.Array) -> pa.Array:
    """Return the first line of each prediction. Nulls stay null."""
    is_changed = pc.or_(_is_padded(predictions), pc.match_substring(predictions, "\n"))
    return _change_some(predictions, is_changed, first_line)


def _is_padded(texts: pa.Array) -> pa.Array:
    """Return whether each text has white space at its ends."""
    return pc.not_equal(pc.binary_length(pc.utf8_trim_whitespace(texts)), pc.binary_length(texts))


def _change_some(texts: pa.Array, which: pa.Array, function: Callable[[str], str]) -> pa.Array:
    """Return the texts, some of them changed by the function.

    which: whether to change each text, as an Arrow array; null for no.
    """
    which = which.fill_null(False)
    chosen = texts.filter(which).to_pylist()
    if not chosen:
        return texts
    return pc.replace_with_mask(texts, which, pa.array([*map(function, chosen)], texts.type))


PREDICTIONS: Mapping[str, Callable[[pa.Array], pa.Array] | None] = {
    "whole": None, "stripped": _strip_predictions, "first_line": _take_first_lines,
}  # fmt: skip
"""For each value of `Convention.prediction`, the function that prepares the predictions, if any."""


def binary_from(data: Bytes, offsets: Ints) -> pa.Array:
    """Return the `large_binary` array that has these bytes and offsets, shape (offsets - 1,)."""
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.large_binary(), len(offsets) - 1, buffers)


def binary_offsets(array: pa.Array) -> Ints:
    """Return where each value of a binary array begins in `binary_data`, and the end of the last one.

    Shape (length + 1,). The first value begins at 0, also in a slice of an array.
    """
    buffer = array.buffers()[1]
    if not len(array) or buffer is None:
        return np.zeros(1, np.int64)
    offsets = np.frombuffer(buffer, np.int64)[array.offset : array.offset + len(array) + 1]
    return offsets - offsets[0] if offsets[0] else offsets


def binary_data(array: pa.Array) -> Bytes:
    """Return the bytes of all values of a binary array, end to end, without a copy."""
    buffer = array.buffers()[2]
    if not len(array) or buffer is None:
        return np.zeros(0, np.uint8)
    offsets = np.frombuffer(array.buffers()[1], np.int64)
    return np.frombuffer(buffer, np.uint8)[offsets[array.offset] : offsets[array.offset + len(array)]]
