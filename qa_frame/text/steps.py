"""The steps that normalise a text before it is split into tokens. Each is a function from UTF-8 to UTF-8.

A step can be applied to many distinct words at once, each followed by `WORD_END`, or to many whole texts at once, each
followed by `BETWEEN_TEXTS`. It keeps these separators. Some steps look across white space in a few texts; others need
all texts as a whole, which are then cut into words after them.
"""

from __future__ import annotations

import functools
import html
import importlib
import math
import re
import string
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal

import numpy as np

from qa_frame._typing import Bytes
from qa_frame.checks import is_unicode
from qa_frame.errors import TokeniserError, show
from qa_frame.text import chinese, punkt, treebank, typography
from qa_frame.text.answer_steps import VQA_ANSWERS, math_answer
from qa_frame.text.specification import Blank, Delete, Drop, Replace, Space, Step
from qa_frame.text.words import (
    BETWEEN_TEXTS,
    TEXT_END,
    collapse_spaces,
    decode,
    encode,
    find_other_spaces,
    runs,
)

_ASCII_PUNCTUATION = string.punctuation.encode()
_LETTERS_AND_DIGITS = (string.ascii_lowercase + string.digits).encode() + BETWEEN_TEXTS
_CONTINUATION_BYTES = bytes(range(0x80, 0xC0))  # all bytes but the first of a character beyond ASCII
_BLANK_ALL_BUT_LETTERS_AND_DIGITS = bytes(byte if byte in _LETTERS_AND_DIGITS else 0x20 for byte in range(256))

_CAPITAL_SIGMA = "Σ".encode()

_FEW = 300
"""Bytes beyond ASCII are few if they are at most one in so many."""

_TOKEN = re.compile(r"\S+")
_LONGER_TOKEN = re.compile(r"\S{4,}")
_NUMBER = re.compile(r"(?<!\S)[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?!\S)")
_CONTRACTIONS = tuple(map(re.compile, (*treebank.CONTRACTIONS, r"(?i)(?<!\S)('t)(is)\b", r"(?i)(?<!\S)('t)(was)\b")))

_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)
_MAYBE_FLOAT = re.compile(r"([\d_.+\-inIN](?<!\S.)[\d_.+\-aefintyAEFINTY]*(?!\S))")
"""All that `float` reads as a number, and more. A set of characters comes first, as the search for one is fast."""
_WITH_DIGIT = re.compile(r"(?<!\S)(\S*\d\S*)")
"""A word that may be a finite number."""
_MARKS = string.whitespace + string.punctuation

Plain = Literal["same", "lower", "same if lower", "changed"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StepRule:
    """How a step changes words and texts.

    Attributes
    ----------
    apply
        Takes words or texts with their separators, and gives them changed.
    plain
        How `apply` changes words of ASCII letters and digits: it keeps them ("same"), lower-cases them ("lower"), keeps
        those in lower case ("same if lower"), or changes them in another way ("changed").
    drops
        The words of ASCII letters and digits that `apply` removes.
    one_by_one
        The function for one whole text alone, for a step that must not be applied to several at once.
    crossing_places
        Gives a place in each text in which `apply` is wrong on words, as the step looks across white space there, and
        perhaps in others. Each text is followed by `TEXT_END`. The places depend on the text's white space alone, so
        that it does not matter which steps come before.
    takes_whole_texts
        Whether the step sees or makes white space in a way that no word shows. Texts are cut into words after it.
    only_adds_spaces
        Whether the step does nothing but put spaces inside words, or remove white space at the ends of texts.
    is_quick
        Whether the step takes less time on whole texts than it takes to find their distinct words. Then `apply` also
        takes texts that are followed by `TEXT_END` alone.
    package
        A package that must be installed, and the extra that installs it.
    """

    apply: Callable[[bytes], bytes]
    plain: Plain = "same"
    drops: frozenset[str] = frozenset()
    one_by_one: Callable[[str], str] | None = None
    crossing_places: Callable[[bytes], Iterable[int]] | None = None
    takes_whole_texts: bool = False
    only_adds_spaces: bool = False
    is_quick: bool = False
    package: tuple[str, str] | None = None


@lru_cache(maxsize=256)
def step_rule(step: Step) -> StepRule:
    """Return the rule of a step. An unknown name raises KeyError."""
    if isinstance(step, str):
        return STEPS[step]
    make = _MADE_BY.get(type(step), _rule_of_function)
    return make(step)


def _make_rule(apply: Callable[[bytes], bytes], changed: str, **settings: Any) -> StepRule:
    """Return the rule of a step, from its function and the characters that it changes.

    settings: other attributes of `StepRule`.
    """
    is_whole = any(map(str.isspace, changed))  # `BETWEEN_TEXTS` has white space, too
    return StepRule(apply, one_by_one=_on_str(apply) if is_whole else None, takes_whole_texts=is_whole, **settings)


def _rule_of_function(function: Callable[[str], str]) -> StepRule:
    """Return the rule of a step that is the user's own function."""
    use = "as one of Text.steps, it takes a str and must return a str that UTF-8 can encode"
    return _rule_of_whole_texts(checked(function, is_text, "function", use))


def _rule_of_whole_texts(function: Callable[[str], str]) -> StepRule:
    """Return the rule of a step that is a function of one whole text."""
    return StepRule(_as_it_is, plain="changed", one_by_one=function, takes_whole_texts=True)


def _find_plain(changed: str) -> Plain:
    """Return `StepRule.plain` of a step that changes these characters, and no others."""
    return "changed" if re.search(r"[A-Za-z0-9]", changed) else "same"


def checked(function: Callable[[str], Any], is_good: Callable[[Any], bool], what: str, use: str) -> Callable[..., Any]:
    """Return a function that calls the user's and raises TokeniserError where that fails or returns a wrong value.

    is_good: whether a returned value is right. what, use: what errors call the function, and what they say of how it is
    used.
    """
    called = f"the {what} {getattr(function, '__name__', None) or show(function)}"

    def call(text: str) -> Any:
        """Return what the user's function returns; TokeniserError where it raises, or returns something else."""
        try:
            result = function(text)
        except Exception as error:
            raise TokeniserError(f"{called} raised {type(error).__name__}: {error}; {use}") from error
        if not is_good(result):
            raise TokeniserError(f"{called} returned {show(result)}; {use}")
        return result

    return call


def is_text(value: Any) -> bool:
    """Return whether a value is a `str` that UTF-8 can encode."""
    return isinstance(value, str) and is_unicode(value)


def _on_str(apply: Callable[[bytes], bytes]) -> Callable[[str], str]:
    """Return a step on `str`, from one on UTF-8."""
    return lambda text: apply(text.encode()).decode()


def _as_it_is(text: bytes) -> bytes:
    """Return the text."""
    return text


def _on_utf8(function: Callable[[str], str]) -> Callable[[bytes], bytes]:
    """Return a step on UTF-8, from one on `str`."""
    return lambda text: encode(function(decode(text)))


def _beyond_ascii(function: Callable[[str], str]) -> Callable[[bytes], bytes]:
    """Return a step on UTF-8, from one on `str` that never changes ASCII."""
    apply = _on_utf8(function)
    return lambda text: text if text.isascii() else apply(text)


def _lower(text: bytes) -> bytes:
    """Return the text in lower case as by `str.lower`, which also looks at the letters around a capital sigma."""
    # One byte is found ten times as fast as two.
    return _lower_text(text) if _CAPITAL_SIGMA[:1] in text and _CAPITAL_SIGMA in text else _lower_by_run(text)


def _by_run(of_ascii: Callable[[bytes], bytes], of_all: Callable[[str], str]) -> Callable[[bytes], bytes]:
    """Return a step on UTF-8 that changes each character by itself, whatever stands beside it.

    Where few characters are beyond ASCII, it is faster to change each run of them by itself.

    of_ascii: changes the ASCII characters of a text, and keeps others. of_all: changes the others; it gets all of what
    `of_ascii` returned, or a run of others.
    """

    def apply(text: bytes) -> bytes:
        """Return the text with its ASCII changed, and then its other characters, all at once or run by run."""
        text = of_ascii(text)
        data = np.frombuffer(text, np.uint8)
        n_others = np.count_nonzero(data >= 0x80) - text.count(TEXT_END)
        if not n_others:
            return text
        if _FEW * n_others > len(text):
            return encode(of_all(decode(text)))
        starts, stops = runs((data >= 0x80) & (data != TEXT_END))
        changed, done = [], 0
        for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
            changed += [text[done:start], of_all(text[start:stop].decode()).encode()]
            done = stop
        return b"".join([*changed, text[done:]])

    return apply


_lower_text, _lower_by_run = _on_utf8(str.lower), _by_run(bytes.lower, str.lower)


def _blank_rule(step: Blank) -> StepRule:
    """Return the rule of a step that puts a space in the place of whole words."""
    words = step.words
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b") if words else re.compile(r"(?!)")
    ascii_pattern = re.compile(pattern.pattern.encode())  # faster on bytes
    blank, is_ascii = _on_utf8(lambda text: pattern.sub(" ", text)), all(map(str.isascii, words))

    def apply(text: bytes) -> bytes:
        return ascii_pattern.sub(b" ", text) if is_ascii and text.isascii() else blank(text)

    return _make_rule(apply, "".join(words), drops=frozenset(words))


def _drop_rule(step: Drop) -> StepRule:
    """Return the rule of a step that drops tokens which are one of its words."""
    words = frozenset(step.words)
    drop = _on_utf8(lambda text: _TOKEN.sub(lambda match: "" if match[0] in words else match[0], text))
    return StepRule(drop, drops=words)


def _delete_rule(step: Delete) -> StepRule:
    """Return the rule of a step that deletes characters."""
    apply, plain = _delete_characters(step.characters), _find_plain(step.characters)
    return _make_rule(apply, step.characters, plain=plain)


def _delete_characters(characters: str) -> Callable[[bytes], bytes]:
    """Return the function that deletes these characters from a text."""
    of_ascii = "".join(filter(str.isascii, characters)).encode()
    if characters.isascii():
        return lambda text: text.translate(None, of_ascii)
    return _by_run(lambda text: text.translate(None, of_ascii), _deleter(characters))


@cache
def _deleter(characters: str) -> Callable[[str], str]:
    """Return a function that deletes these characters. With numpy, it is much faster than `str.translate`."""
    code_points = [*map(ord, characters)]
    is_deleted = np.isin(np.arange(max(code_points, default=0) + 2), code_points)

    def delete(text: str) -> str:
        """Return the text without the characters that are deleted."""
        present = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
        kept = present[~is_deleted[np.minimum(present, len(is_deleted) - 1)]]
        return str(kept.tobytes(), "utf-32-le", "surrogatepass")

    return delete


def _space_rule(step: Space) -> StepRule:
    """Return the rule of a step that puts a space in the place of each of some characters."""
    characters = _space_characters(step)
    # A split into words takes white space for a space anyway; whole texts do not.
    visible = "".join(character for character in characters if not character.isspace())
    one_by_one = None if visible == characters else _on_str(_blank_characters(characters))
    return StepRule(_blank_characters(visible), plain=_find_plain(visible), one_by_one=one_by_one)


def _space_characters(step: Space) -> str:
    """Return the characters in whose place the step puts a space."""
    if step.characters == "ascii_punctuation":
        return string.punctuation
    return _unicode_punctuation() if step.characters == "punctuation" else step.characters


def _blank_characters(characters: str) -> Callable[[bytes], bytes]:
    """Return the function that puts a space in the place of each of these characters."""
    of_ascii = "".join(filter(str.isascii, characters)).encode()
    table = bytes.maketrans(of_ascii, b" " * len(of_ascii))
    if characters.isascii():
        return lambda text: text.translate(table)
    others = re.compile(f"[{re.escape(''.join(sorted({*characters} - {*of_ascii.decode()})))}]")
    return _by_run(lambda text: text.translate(table), lambda text: others.sub(" ", text))


def _replace_rule(step: Replace) -> StepRule:
    """Return the rule of a pattern, which may see all of a text."""
    return _rule_of_whole_texts(functools.partial(re.compile(step.pattern).sub, step.by))


def _keep_a_z_0_9(text: bytes) -> bytes:
    """Return the text with a space for each character that is no ASCII letter or digit."""
    # Each character becomes one space, whatever its number of bytes.
    return text.translate(_BLANK_ALL_BUT_LETTERS_AND_DIGITS, b"" if text.isascii() else _CONTINUATION_BYTES)


def _delete_punctuation(text: str) -> str:
    return _deleter(_unicode_punctuation())(text)


@cache
def _unicode_punctuation() -> str:
    """Return all characters that Unicode calls punctuation."""
    code_points = map(chr, range(sys.maxunicode + 1))
    return "".join(character for character in code_points if unicodedata.category(character)[0] == "P")


def _collapse_spaces(text: bytes) -> bytes:
    return collapse_spaces(text) if BETWEEN_TEXTS in text else text  # words have no white space


def _fold_accents(text: str) -> str:
    """Return the text without combining marks, as é becomes e."""
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(c for c in decomposed if not unicodedata.combining(c)))


def _stem_rule(stemmed: re.Pattern[str]) -> StepRule:
    """Return the rule of a step that writes each word that the pattern finds as its Porter stem."""
    apply = _on_utf8(lambda text: stemmed.sub(lambda match: _porter_stem()(match[0]), text))
    return StepRule(apply, plain="changed", package=("nltk", "stem"))


@cache
def _porter_stem() -> Callable[[str], str]:
    """Return the Porter stemmer of nltk, loaded when it is first needed."""
    porter = importlib.import_module("nltk.stem.porter")
    stem: Callable[[str], str] = porter.PorterStemmer().stem
    return stem


def _split_contractions(text: str) -> str:
    """Return the text with contractions cut, as "do n't"."""
    for pattern in _CONTRACTIONS:
        text = pattern.sub(r" \1 \2 ", text)
    return text


@cache
def _kinds_of_characters() -> Bytes:
    """Return the kind of each code point in DrQA, shape (code points,).

    It is 0 if the character is kept beside others, 1 if it is a token of its own, 2 if it is a space.
    """
    kinds = {"L": 0, "N": 0, "M": 0, "Z": 2, "C": 2}
    kind_of_each = (kinds.get(unicodedata.category(chr(code))[0], 1) for code in range(sys.maxunicode + 1))
    table = np.fromiter(kind_of_each, np.uint8, count=sys.maxunicode + 1)
    table[[TEXT_END + 0xDC00, *BETWEEN_TEXTS[:1]]] = 0  # they end texts and words
    return table


def _split_drqa(text: str) -> str:
    """Return the text with spaces around marks, and in place of each character that is not visible.

    A mark is a visible character that is no letter, digit or combining mark.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    kinds = _kinds_of_characters()[codes]
    is_alone = kinds == 1
    spaced = np.full(len(codes) + 2 * np.count_nonzero(is_alone), ord(" "), np.uint32)
    spaced[np.arange(len(codes)) + 2 * np.cumsum(is_alone) - is_alone] = np.where(kinds == 2, ord(" "), codes)
    return str(spaced.astype("<u4").tobytes(), "utf-32-le", "surrogatepass")


def _spell_number(match: re.Match[str]) -> str:
    """Return the number of a match as Python writes a float; "1e999" and "-1e999" for infinite ones."""
    value = float(match[0]) + 0.0  # this makes -0.0 positive
    return "1e999" if value == float("inf") else "-1e999" if value == -float("inf") else repr(value)


def is_float(word: str) -> bool:
    """Return whether Python's `float` reads the word."""
    try:
        float(word)
    except ValueError:
        return False
    return True


def _without_punctuation(text: str) -> str:
    return text.translate(_WITHOUT_PUNCTUATION)


def _keep_float(part: str) -> str:
    """Return `part` as it is if `float` reads it, else without ASCII punctuation."""
    return part if is_float(part) else _without_punctuation(part)


def _write_float(part: str) -> str:
    """Return the number that `part` is, as Python writes it, or `part` if `float` does not read it."""
    return str(float(part)) if is_float(part) else part


def _write_finite_float(part: str) -> str:
    """Return the finite number that `part` is, as Python writes it, or else `part` without ASCII punctuation.

    The number is `part`, or `part` without white space and punctuation at its ends, or without ASCII punctuation.
    """
    bare = _without_punctuation(part)
    number = next(filter(_is_finite, (part, part.strip(_MARKS), bare)), None)
    return bare if number is None else str(float(number))


def _is_finite(part: str) -> bool:
    """Return whether `float` reads a finite number."""
    return is_float(part) and math.isfinite(float(part))


def _rule_between_spaces(
    on_part: Callable[[str], str], numbers: re.Pattern[str], on_others: Callable[[str], str], *, plain: Plain
) -> StepRule:
    """Return the rule of a step that changes each part of a text between spaces (U+0020).

    Parts may hold other white space, which words lack; texts with any are handled as a whole.

    on_part: changes a part. numbers: finds all words that may be numbers, in its only group. on_others: does what
    `on_part` does, to the words between these numbers. plain: as in `StepRule`.
    """

    def on_text(text: str) -> str:
        """Return the text with each part between spaces changed."""
        return " ".join(map(on_part, text.split(" ")))

    def on_words(text: str) -> str:
        """Return the words, with those that may be numbers changed by `on_part`, and all others by `on_others`."""
        parts = numbers.split(text)  # every second part is the text of a match
        parts[::2], parts[1::2] = map(on_others, parts[::2]), map(on_part, parts[1::2])
        return "".join(parts)

    return StepRule(
        _on_utf8(on_words),
        plain=plain,
        one_by_one=on_text,
        crossing_places=find_other_spaces,
    )


_MADE_BY: Mapping[type, Callable[[Any], StepRule]] = {
    Blank: _blank_rule, Drop: _drop_rule, Delete: _delete_rule, Space: _space_rule, Replace: _replace_rule,
}  # fmt: skip
"""The functions that make the rules of steps, by the type of the step. A name is in `STEPS`; all else is called."""

STEPS = {
    "lower": StepRule(_lower, plain="lower", is_quick=True),
    "casefold": StepRule(_by_run(bytes.lower, str.casefold), plain="lower"),
    "upper": StepRule(_by_run(bytes.upper, str.upper), plain="changed"),
    "nfkc": StepRule(_beyond_ascii(lambda text: unicodedata.normalize("NFKC", text))),
    "nfd": StepRule(_beyond_ascii(lambda text: unicodedata.normalize("NFD", text))),
    "nfc": StepRule(_beyond_ascii(lambda text: unicodedata.normalize("NFC", text))),
    "unify_forms": StepRule(_beyond_ascii(typography.unify_forms)),
    "straighten_punctuation": StepRule(_beyond_ascii(typography.straighten_punctuation)),
    "delete_invisible": StepRule(_beyond_ascii(typography.delete_invisible)),
    "delete_template_marks": StepRule(_on_utf8(typography.delete_template_marks)),
    "unescape_html": _rule_of_whole_texts(html.unescape),
    "fold_accents": StepRule(_beyond_ascii(_fold_accents)),
    "delete_ascii_punctuation": StepRule(lambda text: text.translate(None, _ASCII_PUNCTUATION), is_quick=True),
    "delete_punctuation": StepRule(_on_utf8(_delete_punctuation)),
    "keep_a_z_0_9": StepRule(_keep_a_z_0_9, plain="same if lower", is_quick=True),
    "stem": _stem_rule(_LONGER_TOKEN),
    "stem_all": _stem_rule(_TOKEN),
    "split_contractions": StepRule(_on_utf8(_split_contractions), plain="changed"),
    "split_marks": _rule_of_whole_texts(punkt.separate_sentences),
    "split_jieba": StepRule(
        _on_utf8(chinese.separate_words),
        plain="changed",
        only_adds_spaces=True,
        package=("jieba", "zh"),
    ),
    "split_drqa": StepRule(_on_utf8(_split_drqa)),
    "math_answer": _rule_of_whole_texts(math_answer),
    "numbers": StepRule(_on_utf8(lambda text: _NUMBER.sub(_spell_number, text)), plain="changed"),
    "delete_ascii_punctuation_outside_floats": _rule_between_spaces(
        _keep_float, _MAYBE_FLOAT, _without_punctuation, plain="same"
    ),
    "floats": _rule_between_spaces(_write_float, _MAYBE_FLOAT, str, plain="changed"),
    "finite_floats_in_marks": _rule_between_spaces(
        _write_finite_float, _WITH_DIGIT, _without_punctuation, plain="changed"
    ),
    "strip": StepRule(_as_it_is, one_by_one=str.strip, only_adds_spaces=True),
    "strip_marks": _rule_of_whole_texts(lambda text: text.strip(_MARKS)),
    "collapse_spaces": StepRule(_collapse_spaces),
    **{name: _rule_of_whole_texts(function) for name, function in VQA_ANSWERS.items()},
}
"""The steps by name."""
