"""Tokenisers: what a convention says of a text, compiled to functions that work on many words or texts at once.

Most rules work word by word: the tokens of a text are those of its white-space-separated words, end to end. Such a rule
is applied to many distinct words at once, in UTF-8, each followed by `WORD_END`, which it must leave where it is. Where
it does look across white space, `crossing` finds the texts concerned, and `by_crossing_text` is applied to each of
those as a whole. Rules that need whole texts throughout have `by_text` instead, or `by_piece`.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, reduce

import numpy as np
from numpy.typing import NDArray

from qa_frame._typing import Flags
from qa_frame.text import chinese, treebank
from qa_frame.text.specification import Text
from qa_frame.text.steps import StepRule, step_rule
from qa_frame.text.words import BETWEEN_TEXTS, NO_CHARACTER, WORD_END, join_texts, split_texts

_13A_ENTITIES = ((b"&quot;", b'"'), (b"&amp;", b"&"), (b"&lt;", b"<"), (b"&gt;", b">"))
_HYPHEN_AT_LINE_END = re.compile(rb"-(?:<skipped>)*\n")
_LINE_END = re.compile(rb"\n")
_TEXT_END = re.compile(rb"\xff")

SENTENCE_END = "."
"""The token at the end of a sentence, where the split is `sentences`."""

_SPACE = rb"(?:[\t-\r\x1c- ]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)"
_BLANK_SENTENCE = re.compile(rb"(?<![^\xff])%b+(?=[.\xff])|\.%b+(?=\xff)" % (_SPACE, _SPACE))


def _byte_set(characters: str) -> Flags:
    """For each of the 256 bytes, whether it is one of the ASCII characters."""
    return np.isin(np.arange(256), list(characters.encode()))


_IS_DIGIT, _IS_DASH, _IS_MARK = _byte_set(string.digits), _byte_set("-"), _byte_set(".,")
_IS_SYMBOL = _byte_set(string.punctuation) & ~_byte_set(".,-'")

PieceStarts = Callable[[NDArray[np.uint32]], Flags]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SplitRule:
    """How a text is split into tokens.

    by_word: words, each followed by `WORD_END` → the same with spaces between each word's tokens; a word of ASCII
    letters and digits alone must stay one. by_text: a whole text → its tokens. by_piece: where a new piece begins, for
    each character of many texts, given by code points; and a piece → its tokens.
    crossing: matches where the rule looks across white space, in texts each of which ends with byte 255; every match
    holds one of `crossing_parts`, which are quicker to look for. crossing_after_steps: matches, in texts before any
    step, wherever the rule may look across white space after steps. by_crossing_text: one such text → its tokens,
    spaces between.
    without_crossing: the name of the same split for texts in which nothing crosses. package: one that must be
    installed, and the extra that installs it.
    """

    by_word: Callable[[bytes], bytes] | None = None
    by_text: Callable[[str], list[str]] | None = None
    by_piece: tuple[PieceStarts, Callable[[str], list[str]]] | None = None
    crossing: re.Pattern[bytes] | None = None
    crossing_parts: tuple[bytes, ...] = (b"",)
    crossing_after_steps: re.Pattern[bytes] | None = None
    by_crossing_text: Callable[[bytes], bytes] | None = None
    without_crossing: str = ""
    package: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tokeniser:
    """A `Text` of a convention, compiled."""

    steps: tuple[StepRule, ...]
    split: SplitRule

    def on_words(self, words: bytes) -> bytes:
        """Words, each followed by `WORD_END` → the same with spaces between each word's tokens."""
        if self.split.by_word is None:
            raise ValueError("this tokeniser takes whole texts")
        return self.split.by_word(reduce(_apply, self.steps, words))

    def on_text(self, text: bytes) -> bytes:
        """A text that crosses → its tokens, spaces between."""
        if self.split.by_crossing_text is None:
            raise ValueError("this tokeniser never looks across white space")
        return self.split.by_crossing_text(reduce(_apply, self.steps, text))

    def on_texts(self, texts: bytes) -> bytes:
        """Whole texts after the steps, with `BETWEEN_TEXTS` behind each before and after."""
        for step in self.steps:
            texts = join_texts(list(map(step.whole, split_texts(texts)))) if step.whole else step.apply(texts)
        return texts

    def on_each_text(self, texts: bytes) -> list[str]:
        """The same, each text by itself."""
        if any(step.on_str is None and step.whole is None for step in self.steps) or NO_CHARACTER.encode() in texts:
            return split_texts(self.on_texts(texts))
        between = f"{chr(WORD_END)}{NO_CHARACTER}{chr(WORD_END)}"
        joined = texts.replace(BETWEEN_TEXTS, between.encode()).decode()
        for step in self.steps:
            if step.whole is not None:
                joined = between.join(map(step.whole, joined.split(between)))
            elif step.on_str is not None:
                joined = step.on_str(joined)
        return joined.split(between)[:-1]

    @property
    def keeps_plain_words(self) -> bool:
        """Whether a word of ASCII letters and digits alone is one token or none: itself, or lower-cased."""
        is_lower = False
        for step in self.steps:
            is_lower |= step.plain == "lower"
            if step.plain == "changed" or (step.plain == "same if lower" and not is_lower):
                return False
        return self.split.by_word is not None


def _apply(text: bytes, step: StepRule) -> bytes:
    return step.apply(text)


def takes_whole_texts(text: Text) -> bool:
    """Whether its tokens are not those of its words, end to end."""
    return compile_text(text).split.by_word is None


def packages_needed(text: Text) -> list[tuple[str, str]]:
    """The packages that must be installed, each with the extra that installs it."""
    tokeniser = compile_text(text)
    packages = (*(step.package for step in tokeniser.steps), tokeniser.split.package)
    return [package for package in packages if package is not None]


@cache
def compile_text(text: Text) -> Tokeniser:
    """The tokeniser for a convention's `Text`; KeyError where a step or a split is not known."""
    split = SPLITS[text.split] if isinstance(text.split, str) else SplitRule(by_text=text.split)
    return Tokeniser(tuple(map(step_rule, text.steps)), split)


def _as_they_are(words: bytes) -> bytes:
    return words


def _sentence_words(words: bytes) -> bytes:
    """Each run of full stops in a word ends a sentence, as in PyPI's `rouge` 1.0.1, which drops what is empty."""
    return re.sub(rb"\.+", b" . ", words) if b"." in words else words


def _sentence_text(text: bytes) -> bytes:
    """The tokens of a text in which white space at its beginning or end is a sentence of its own, without words.

    An end of a sentence that follows another one stands for such a sentence between them.
    """
    stripped = text.decode().strip().encode()
    if not stripped:
        return b". ."
    start = b". " if stripped.startswith(b".") and not text.startswith(b".") else b""
    end = b" ." if stripped.endswith(b".") and not text.endswith(b".") else b""
    return start + _sentence_words(stripped) + end


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


def _13a_lone_marks(is_mark: Flags, is_digit: Flags) -> Flags:
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


_SACREBLEU_13A = SplitRule(
    by_word=_13a_words,
    crossing=_HYPHEN_AT_LINE_END,
    crossing_parts=(b"-\n", b"-<skipped>"),
    crossing_after_steps=_LINE_END,
    by_crossing_text=_sacrebleu_text,
    without_crossing="13a-words",
)

SPLITS = {
    "words": SplitRule(by_word=_as_they_are),
    "13a": _SACREBLEU_13A,
    "13a-hf": replace(_SACREBLEU_13A, by_crossing_text=_13a_text),
    "13a-words": SplitRule(by_word=_13a_words),
    "mixed_cjk": SplitRule(by_word=chinese.split_words),
    "sentences": SplitRule(
        by_word=_sentence_words,
        crossing=_BLANK_SENTENCE,
        crossing_after_steps=_TEXT_END,  # a step may leave a sentence blank, wherever it stands
        by_crossing_text=_sentence_text,
        without_crossing="sentence-words",
    ),
    "sentence-words": SplitRule(by_word=_sentence_words),
    "mixed_cjk_jieba": SplitRule(by_piece=(chinese.piece_starts, chinese.cut_piece), package=("jieba", "zh")),
    "treebank": SplitRule(by_text=treebank.tokenise),
    "characters": SplitRule(),
    "none": SplitRule(),
}
"""The splits that have a name. Those without a rule are made of the texts as they are."""
