"""The rules of language: how a text becomes tokens, as functions from text to text with spaces between the tokens.

Every rule here works word by word: the tokens of a text are those of its white-space-separated words, end to end.
So a rule is applied to many distinct words at once, in UTF-8, each followed by `WORD_END`, which it must leave where
it is. Where a rule does look across white space, the tokeniser's `crossing` finds the texts concerned, and `by_text`
is applied to each of those as a whole.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from qa_frame.text.cut import WORD_END

_PUNCTUATION = string.punctuation.encode()
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_CONTROLS = bytes([*range(0x20), 0x7F]).replace(bytes([WORD_END]), b"")

_LETTERS_AND_DIGITS = (string.ascii_lowercase + string.digits).encode() + bytes([WORD_END])
_BLANK_ALL_BUT_LETTERS_AND_DIGITS = bytes(byte if byte in _LETTERS_AND_DIGITS else 0x20 for byte in range(256))

_13A_ENTITIES = ((b"&quot;", b'"'), (b"&amp;", b"&"), (b"&lt;", b"<"), (b"&gt;", b">"))
_HYPHEN_AT_LINE_END = re.compile(rb"-(?:<skipped>)*\n")


def _byte_set(characters: str) -> NDArray[np.bool_]:
    """For each of the 256 bytes, whether it is one of the ASCII characters."""
    return np.isin(np.arange(256), list(characters.encode()))


_IS_DIGIT, _IS_DASH, _IS_MARK = _byte_set(string.digits), _byte_set("-"), _byte_set(".,")
_IS_SYMBOL = _byte_set(string.punctuation) & ~_byte_set(".,-'")


@dataclass(frozen=True, slots=True)
class Tokeniser:
    """A named rule that turns texts into tokens. Texts are in UTF-8 throughout.

    by_word: words, each followed by `WORD_END` → the same with spaces between each word's tokens.
    lowers: whether a word of ASCII letters and digits alone comes out lower-cased (else as it is), one token.
    drop: tokens that are left out in the end, such as articles.
    crossing: matches where the rule looks across white space; every match holds one of `crossing_parts`, which are
    quicker to look for. by_text: one whole text → its tokens, spaces between.
    """

    name: str
    by_word: Callable[[bytes], bytes]
    lowers: bool
    drop: frozenset[str] = frozenset()
    crossing: re.Pattern[bytes] | None = None
    crossing_parts: tuple[bytes, ...] = ()
    by_text: Callable[[bytes], bytes] | None = None


def _lower(words: bytes) -> bytes:
    """`str.lower`, which knows of more than letters: a final sigma, a dotted capital I."""
    return words.lower() if words.isascii() else words.decode().lower().encode()


def _squad_words(words: bytes) -> bytes:
    """Lower-case, delete ASCII punctuation, blank English articles: the SQuAD v1.1 evaluation script."""
    bare = _lower(words).translate(None, _PUNCTUATION)
    if bare.isascii() and bare.translate(None, _CONTROLS) == bare:
        return bare  # an article is then a whole word, and is dropped as a token
    return _ARTICLES.sub(" ", bare.decode()).encode()


def _rouge_words(words: bytes) -> bytes:
    """Lower-case, then all but a-z and 0-9 is white space: `rouge_score` 0.1.2."""
    return _lower(words).translate(_BLANK_ALL_BUT_LETTERS_AND_DIGITS)


def _13a_words(words: bytes) -> bytes:
    """mteval-v13a as `sacrebleu` 2 has it, but for line breaks, which no word holds."""
    return _13a_split(words.replace(b"<skipped>", b""))


def _13a_text(text: bytes) -> bytes:
    """mteval-v13a of one text in which a line break behind a hyphen joins two words, as HF `evaluate` has it."""
    return _13a_split(text.replace(b"<skipped>", b"").replace(b"-\n", b"").replace(b"\n", b" "))


def _sacrebleu_text(text: bytes) -> bytes:
    """As `_13a_text`, but white space at the end goes first, as `sacrebleu`'s BLEU does it."""
    return _13a_text(text.decode().rstrip().encode())


def _13a_split(text: bytes) -> bytes:
    """The part of mteval-v13a that never looks across white space: some characters become tokens of their own."""
    if b"&" in text:
        for entity, character in _13A_ENTITIES:
            text = text.replace(entity, character)
    data = np.frombuffer(b" " + text + b" ", np.uint8)
    is_digit = _IS_DIGIT[data]
    alone = _IS_SYMBOL[data] | _13a_lone_marks(_IS_MARK[data], is_digit)
    alone[1:] |= _IS_DASH[data[1:]] & is_digit[:-1]
    is_start = np.zeros(len(data), np.bool_)
    np.logical_or(alone[1:], alone[:-1], out=is_start[1:])
    spaced = np.full(len(data) + np.count_nonzero(is_start), ord(" "), np.uint8)
    spaced[np.arange(len(data)) + np.cumsum(is_start)] = data
    return spaced.tobytes()


def _13a_lone_marks(is_mark: NDArray[np.bool_], is_digit: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which full stops and commas become tokens: all but some that stand before a digit.

    mteval-v13a first sets off a mark behind anything but a digit, in pairs from left to right, so that in a run of
    marks every second one counts as the other's neighbour; then a mark before anything but a digit. What is left is
    the last mark of a run before a digit, if the run's length is odd behind a digit, or even behind anything else.
    """
    alone = is_mark.copy()
    last = np.flatnonzero(is_mark[:-1] & is_digit[1:])
    not_mark = np.flatnonzero(~is_mark)
    before = not_mark[np.searchsorted(not_mark, last) - 1]  # what stands before the run; there is a space in front
    alone[last] = (last - before + is_digit[before]) % 2 == 1
    return alone


SQUAD = Tokeniser("squad", _squad_words, lowers=True, drop=frozenset({"a", "an", "the"}))
ROUGE = Tokeniser("rouge", _rouge_words, lowers=True)
SACREBLEU_13A = Tokeniser(
    "13a",
    _13a_words,
    lowers=False,
    crossing=_HYPHEN_AT_LINE_END,
    crossing_parts=(b"-\n", b"-<skipped>"),
    by_text=_sacrebleu_text,
)
HF_13A = replace(SACREBLEU_13A, name="13a-hf", by_text=_13a_text)

TOKENISERS = {tokeniser.name: tokeniser for tokeniser in (SQUAD, ROUGE, SACREBLEU_13A, HF_13A)}
"""Every tokeniser by the name that conventions use."""
