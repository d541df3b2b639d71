"""The steps from a text towards its tokens: rules of language, each a function from UTF-8 text to UTF-8 text.

Every step works word by word: it never looks across white space. So it is applied to many distinct words at once, each
followed by `WORD_END`, which it leaves where it is; or to whole texts, many of them with `BETWEEN_TEXTS` behind each.
"""

from __future__ import annotations

import importlib
import re
import string
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np

from qa_frame.text.specification import Blank, Delete, Drop, Step
from qa_frame.text.words import BETWEEN_TEXTS, NO_CHARACTER, TEXT_END, WORD_END

_ASCII_PUNCTUATION = string.punctuation.encode()
_WORD_BYTES = (string.ascii_letters + string.digits).encode() + bytes([WORD_END])
_LETTERS_AND_DIGITS = (string.ascii_lowercase + string.digits).encode() + BETWEEN_TEXTS
_FOLLOWING_BYTES = bytes(range(0x80, 0xC0))  # of a character in UTF-8, all but its first
_BLANK_ALL_BUT_LETTERS_AND_DIGITS = bytes(byte if byte in _LETTERS_AND_DIGITS else 0x20 for byte in range(256))

_BETWEEN = bytes([TEXT_END])
_NO_CHARACTER = NO_CHARACTER.encode()

_TOKEN = re.compile(r"\S+")
_STEMMED = re.compile(r"\S{4,}")
_NUMBER = re.compile(r"(?<!\S)[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?!\S)")
_SENTENCE_MARK = re.compile(
    rb"""([?!])(?=[)";}\]*:@'({\[?!])"""
    rb"""|(?<=[0-9A-Za-z\x80-\xfe]{2})(\.)(?=[)"}\]({\[])"""  # but not behind an initial, or a letter as in "e.g."
)


Plain = Literal["same", "lower", "same if lower", "changed"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StepRule:
    """What a step does.

    apply: text or words → the same, changed. plain: what becomes of a word of ASCII letters and digits alone: `same`,
    `lower` (lower-cased), `same if lower` or `changed`. drops: those of these words that go. on_str: the same as apply,
    on `str`, if there is such a function. whole: what is done to one whole text, for a step that must not be applied
    to several together. package: one that must be installed, and the extra that installs it.
    """

    apply: Callable[[bytes], bytes]
    plain: Plain = "same"
    drops: frozenset[str] = frozenset()
    on_str: Callable[[str], str] | None = None
    whole: Callable[[str], str] | None = None
    package: tuple[str, str] | None = None


@cache
def step_rule(step: Step) -> StepRule:
    """The rule of a step; KeyError where there is none of that name."""
    if isinstance(step, Blank):
        blank = _blank(step.words)
        return StepRule(blank, drops=frozenset(step.words), whole=_one_by_one(blank, *step.words))
    if isinstance(step, Drop):
        return StepRule(_drop(frozenset(step.words)), drops=frozenset(step.words))
    if isinstance(step, Delete):
        plain: Plain = "changed" if re.search(r"[A-Za-z0-9]", step.characters) else "same"
        delete = _delete(step.characters)
        whole = _one_by_one(delete, step.characters)
        return StepRule(delete, plain=plain, on_str=_deleter(step.characters), whole=whole)
    return STEPS[step]


def _one_by_one(apply: Callable[[bytes], bytes], *changed: str) -> Callable[[str], str] | None:
    """For a step that changes what stands between texts, too."""
    if not any(chr(WORD_END) in part for part in changed):
        return None
    return lambda text: apply(text.encode()).decode()


def _as_it_is(text: bytes) -> bytes:
    return text


def _text_step(function: Callable[[str], str]) -> Callable[[bytes], bytes]:
    """A step on `str` as one on UTF-8. The byte between texts is no letter and no space to it."""

    def apply(text: bytes) -> bytes:
        if _NO_CHARACTER in text:
            return function(text.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        text = text.replace(_BETWEEN, _NO_CHARACTER)  # far faster than to decode what is not UTF-8
        return function(text.decode()).encode().replace(_NO_CHARACTER, _BETWEEN)

    return apply


def _beyond_ascii(function: Callable[[str], str]) -> Callable[[bytes], bytes]:
    """A step on `str` that leaves ASCII as it is."""
    apply = _text_step(function)
    return lambda text: text if text.isascii() else apply(text)


def _lower(text: bytes) -> bytes:
    """`str.lower`, which knows of more than letters: a final sigma, a dotted capital I."""
    if text.translate(None, BETWEEN_TEXTS).isascii():
        return text.lower()
    return _lower_text(text)


_lower_text = _text_step(str.lower)


def _blank(words: tuple[str, ...]) -> Callable[[bytes], bytes]:
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b") if words else re.compile(r"(?!)")
    blank_text = _text_step(lambda text: pattern.sub(" ", text))
    end = bytes([WORD_END])
    ascii_words = [end + word.encode() + end for word in words if word.isascii()]
    ascii_pattern = re.compile(pattern.pattern.encode()) if all(map(str.isascii, words)) else None

    def apply(text: bytes) -> bytes:
        if text.endswith(end) and not text.translate(None, _WORD_BYTES):
            text = end + text
            for word in ascii_words:  # each is a whole word here; twice, as neighbours share an end
                text = text.replace(word, end + end).replace(word, end + end)
            return text[1:]
        if ascii_pattern is not None and text.isascii():
            return ascii_pattern.sub(b" ", text)
        return blank_text(text)

    return apply


def _drop(words: frozenset[str]) -> Callable[[bytes], bytes]:
    return _text_step(lambda text: _TOKEN.sub(lambda match: "" if match[0] in words else match[0], text))


def _delete(characters: str) -> Callable[[bytes], bytes]:
    of_ascii = "".join(filter(str.isascii, characters)).encode()
    on_text = _beyond_ascii(_deleter(characters))
    return lambda text: on_text(text.translate(None, of_ascii))


def _deleter(characters: str) -> Callable[[str], str]:
    """Deletes characters by code points: many times faster than `str.translate`, which looks up each by itself."""
    code_points = [*map(ord, characters)]
    is_deleted = np.isin(np.arange(max(code_points, default=0) + 2), code_points)

    def delete(text: str) -> str:
        present = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
        kept = present[~is_deleted[np.minimum(present, len(is_deleted) - 1)]]
        return str(kept.tobytes(), "utf-32-le", "surrogatepass")

    return delete


def _keep_a_z_0_9(text: bytes) -> bytes:
    # One space for each character, however many bytes it has.
    return text.translate(_BLANK_ALL_BUT_LETTERS_AND_DIGITS, b"" if text.isascii() else _FOLLOWING_BYTES)


def _delete_punctuation(text: str) -> str:
    return _punctuation_deleter()(text)


@cache
def _punctuation_deleter() -> Callable[[str], str]:
    code_points = map(chr, range(sys.maxunicode + 1))
    return _deleter("".join(character for character in code_points if unicodedata.category(character)[0] == "P"))


def _fold_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(c for c in decomposed if not unicodedata.combining(c)))


def _stem(text: str) -> str:
    stem = _porter_stem()
    return _STEMMED.sub(lambda match: stem(match[0]), text)


@cache
def _porter_stem() -> Callable[[str], str]:
    porter = importlib.import_module("nltk.stem.porter")
    stem: Callable[[str], str] = porter.PorterStemmer().stem
    return stem


@cache
def _contractions() -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(pattern, re.IGNORECASE)
        for pattern in (
            r"\b(can)(not)\b", r"\b(d)('ye)\b", r"\b(gim)(me)\b", r"\b(gon)(na)\b", r"\b(got)(ta)\b", r"\b(lem)(me)\b",
            r"\b(more)('n)\b", r"\b(wan)(na)(?=\s|\Z)", r"(?<!\S)('t)(is)\b", r"(?<!\S)('t)(was)\b",
        )
    )  # fmt: skip


def _split_contractions(text: str) -> str:
    for pattern in _contractions():
        text = pattern.sub(r" \1 \2 ", text)
    return text


def _split_marks(text: bytes) -> bytes:
    return _SENTENCE_MARK.sub(rb"\1\2 ", text)


def _spell_number(match: re.Match[str]) -> str:
    value = float(match[0]) + 0.0  # no minus zero
    return "1e999" if value == float("inf") else "-1e999" if value == -float("inf") else repr(value)


STEPS = {
    "lower": StepRule(_lower, plain="lower", on_str=str.lower),
    "casefold": StepRule(_text_step(str.casefold), plain="lower"),
    "nfkc": StepRule(_beyond_ascii(lambda text: unicodedata.normalize("NFKC", text))),
    "fold_accents": StepRule(_beyond_ascii(_fold_accents)),
    "delete_ascii_punctuation": StepRule(lambda text: text.translate(None, _ASCII_PUNCTUATION)),
    "delete_punctuation": StepRule(_text_step(_delete_punctuation)),
    "keep_a_z_0_9": StepRule(_keep_a_z_0_9, plain="same if lower"),
    "stem": StepRule(_text_step(_stem), plain="changed", package=("nltk", "stem")),
    "split_contractions": StepRule(_text_step(_split_contractions), plain="changed"),
    "split_marks": StepRule(_split_marks),
    "numbers": StepRule(_text_step(lambda text: _NUMBER.sub(_spell_number, text)), plain="changed"),
    "strip": StepRule(_as_it_is, whole=str.strip),
}
"""The steps that have a name."""
