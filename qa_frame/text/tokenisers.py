"""A convention's `Text`, compiled to functions that work on many words or many texts at once.

Most splits work word by word: the tokens of a text are the tokens of its white-space-separated words, end to end. Such
a split is one function on UTF-8 bytes with many distinct words, each followed by `WORD_END`, which it must keep.

Some of these splits look across white space in a few texts, which are called crossing texts. Patterns find them, and
another function is applied to each of them. Splits that need every text as a whole have functions of their own.
"""

from __future__ import annotations

import re
import string
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qa_frame._typing import Flags
from qa_frame.text import chinese, segments, treebank
from qa_frame.text.specification import Text
from qa_frame.text.steps import StepRule, checked, is_text, step_rule
from qa_frame.text.words import (
    WORD_END,
    join_texts,
    split_texts,
)

_13A_ENTITIES = ((b"&quot;", b'"'), (b"&amp;", b"&"), (b"&lt;", b"<"), (b"&gt;", b">"))
_HYPHEN_AT_LINE_END = re.compile(rb"-(?:<skipped>)*\n")

SENTENCE_END = "."
"""The token that ends a sentence, with the split `sentences`."""

_MARK = re.escape(string.punctuation.encode())
_MARK_AT_START = re.compile(rb"(?<![^\x1f ])([%b])(?=[^\x1f ]*[^\x1f %b][\x1f ])" % (_MARK, _MARK))
_MARK_AT_END = re.compile(rb"(?<=[^\x1f ])([%b])(?=[\x1f ])" % _MARK)
"""The mark that begins a word and does not end it, and that which ends one. `WORD_END` or a space is behind a word."""


def _byte_set(characters: str) -> Flags:
    """Return for each of the 256 bytes whether it is one of these ASCII characters, shape (256,)."""
    return np.isin(np.arange(256), list(characters.encode()))


_IS_DIGIT, _IS_DASH, _IS_MARK = _byte_set(string.digits), _byte_set("-"), _byte_set(".,")
_IS_SYMBOL = _byte_set(string.punctuation) & ~_byte_set(".,-'")

PieceStarts = Callable[[NDArray[np.uint32]], Flags]
Places = Callable[[bytes], Iterable[int]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SplitRule:
    """How a text is split into tokens. Only one of `by_word`, `by_text` and `by_piece` is set, or none of them.

    Attributes
    ----------
    by_word
        Takes words, each followed by `WORD_END`. Gives the same with spaces between the tokens of each word. It must
        keep words of ASCII letters and digits as they are.
    by_text
        Gives the tokens of a whole text.
    by_piece
        Two functions. The first says, for each character of many texts given as code points, whether a piece begins
        there. The second gives the tokens of a piece.
    crossing
        Gives a place in each crossing text: `by_word` is wrong there, as the rule looks across white space. Each text
        is followed by `TEXT_END`.
    crossing_after_steps
        Gives such places in texts before their steps, and perhaps places in other texts. It is used if there are steps.
    by_crossing_text
        Takes a crossing text after its steps. Gives its tokens with spaces between them.
    without_crossing
        The name of the split that replaces this one if no text of a batch is a crossing text.
    package
        A package that must be installed, and the extra that installs it.
    """

    by_word: Callable[[bytes], bytes] | None = None
    by_text: Callable[[str], list[str]] | None = None
    by_piece: tuple[PieceStarts, Callable[[str], list[str]]] | None = None
    crossing: Places | None = None
    crossing_after_steps: Places | None = None
    by_crossing_text: Callable[[bytes], bytes] | None = None
    without_crossing: str = ""
    package: tuple[str, str] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Tokeniser:
    """A compiled `Text`: the rules of its steps and of its split.

    Attributes
    ----------
    whole_steps
        Where the split works word by word: the first steps, up to the last one that takes whole texts. Texts are cut
        into words after these.
    steps
        The other steps.
    split
        The rule of the split.
    without_crossing
        The `Text` that does the same if no text of a batch is a crossing text; see `SplitRule.crossing`.
    """

    whole_steps: tuple[StepRule, ...]
    steps: tuple[StepRule, ...]
    split: SplitRule
    without_crossing: Text

    def tokenise_words(self, words: bytes) -> bytes:
        """Return the words after the steps and the split, with spaces between the tokens of each word.

        words: each followed by `WORD_END`, which is kept.
        """
        assert self.split.by_word is not None
        for step in self.steps:
            words = step.apply(words)
        return self.split.by_word(words)

    def tokenise_crossing_text(self, text: bytes) -> bytes:
        """Return the tokens of one text, after its steps, with spaces between them.

        It is for texts in which a step or the split looks across white space.
        """
        assert self.split.by_word is not None
        for step in self.steps:
            text = step.apply(text) if step.one_by_one is None else step.one_by_one(text.decode()).encode()
        if self.split.by_crossing_text is not None:
            return self.split.by_crossing_text(text)
        words = "".join(f"{word}{chr(WORD_END)}" for word in text.decode().split())
        return self.split.by_word(words.encode()).replace(bytes([WORD_END]), b" ")

    def crossing_places(self, texts: bytes) -> Iterator[int]:
        """Yield places in `texts`, counted in bytes from its beginning, in no order.

        Each text in which a step or the split looks across white space has one or more; other texts may have some, too.

        texts: raw texts, each followed by `TEXT_END`.
        """
        is_changed = not all(step.only_adds_spaces for step in self.steps)
        crossing = self.split.crossing_after_steps if is_changed else self.split.crossing
        if crossing is not None:
            yield from crossing(texts)
        for step in self.steps:
            if step.crossing_places is not None:
                yield from step.crossing_places(texts)

    def apply_steps(self, texts: bytes) -> bytes:
        """Return whole texts after all steps. Each text is followed by `BETWEEN_TEXTS`, which is kept."""
        return apply_to_texts((*self.whole_steps, *self.steps), texts)

    @property
    def keeps_plain_words(self) -> bool:
        """Whether each word of ASCII letters and digits is kept as one token, lower-cased or dropped."""
        is_lower = False
        for step in self.steps:
            is_lower |= step.plain == "lower"
            if step.plain == "changed" or (step.plain == "same if lower" and not is_lower):
                return False
        return self.split.by_word is not None


def apply_to_texts(steps: Iterable[StepRule], texts: bytes) -> bytes:
    """Return whole texts after some steps. Each text is followed by `BETWEEN_TEXTS`, which is kept.

    A function of the user's is called once for equal texts.
    """
    for step in steps:
        each = step.one_by_one
        texts = step.apply(texts) if each is None else join_texts(map(cache(each), split_texts(texts)))
    return texts


def takes_whole_texts(text: Text) -> bool:
    """Return whether the split or a step needs every text as a whole, so that words of raw texts are of no use."""
    tokeniser = compile_text(text)
    return tokeniser.split.by_word is None or bool(tokeniser.whole_steps)


def need_no_words(texts: Iterable[Text]) -> bool:
    """Return whether raw texts need not be cut into words for these `Text`s.

    They need not if each `Text` takes whole texts, or if there is only one, and it is quick on whole texts.
    """
    distinct = {*texts}
    if all(map(takes_whole_texts, distinct)):
        return True
    tokeniser = compile_text(distinct.pop())
    return not distinct and tokeniser.split.by_word is _as_they_are and all(step.is_quick for step in tokeniser.steps)


def packages_needed(text: Text) -> list[tuple[str, str]]:
    """Return the optional packages that `text` needs, each with the extra that installs it."""
    tokeniser = compile_text(text)
    packages = (*(step.package for step in (*tokeniser.whole_steps, *tokeniser.steps)), tokeniser.split.package)
    return [package for package in packages if package is not None]


@lru_cache(maxsize=256)
def compile_text(text: Text) -> Tokeniser:
    """Return the tokeniser of a `Text`. An unknown name of a step or split raises KeyError."""
    split = SPLITS[text.split] if isinstance(text.split, str) else _split_of_function(text.split)
    steps = tuple(map(step_rule, text.steps))
    n_whole = max((place for place, step in enumerate(steps, 1) if step.takes_whole_texts), default=0)
    if split.by_word is None:
        n_whole = 0  # this split takes whole texts itself
    simple = Text(text.steps, split.without_crossing) if split.without_crossing else text
    return Tokeniser(steps[:n_whole], steps[n_whole:], split, simple)


def _split_of_function(function: Callable[[str], list[str]]) -> SplitRule:
    """Return the split that is the user's own function."""
    use = "as Text.split, it takes a str and must return a list of str that UTF-8 can encode"
    return SplitRule(by_text=checked(function, _are_texts, "tokeniser", use))


def _are_texts(tokens: Any) -> bool:
    """Return whether these are a list or tuple of `str` that UTF-8 can encode."""
    return isinstance(tokens, list | tuple) and all(map(is_text, tokens))


def _as_they_are(words: bytes) -> bytes:
    """Return the words: each is one token."""
    return words


def _chrf_words(words: bytes) -> bytes:
    """Return words with a space beside the last character, or else the first one, if it is ASCII punctuation."""
    return _MARK_AT_END.sub(rb" \1", _MARK_AT_START.sub(rb"\1 ", words))


def _13a_words(words: bytes) -> bytes:
    """Return words split by mteval-v13a, as in `sacrebleu` 2, without its rules for line breaks: no word holds one."""
    return _13a_split(words.replace(b"<skipped>", b""))


def _13a_text(text: bytes) -> bytes:
    """Return one text split by mteval-v13a, as in HF `evaluate`: a hyphen and a line break after it are deleted."""
    return _13a_split(text.replace(b"<skipped>", b"").replace(b"-\n", b"").replace(b"\n", b" "))


def _sacrebleu_text(text: bytes) -> bytes:
    """Return one text split by mteval-v13a, as in `sacrebleu`, whose BLEU first removes white space at the end."""
    return _13a_text(text.decode().rstrip().encode())


def _13a_split(text: bytes) -> bytes:
    """Return a text with spaces around the single characters that mteval-v13a makes tokens.

    It never looks across white space.
    """
    if b"&" in text:
        for entity, character in _13A_ENTITIES:
            text = text.replace(entity, character)
    data = np.frombuffer(b" " + text + b" ", np.uint8)
    is_digit = _IS_DIGIT[data]
    is_alone = _IS_SYMBOL[data] | _13a_lone_marks(_IS_MARK[data], is_digit)
    is_alone[1:] |= _IS_DASH[data[1:]] & is_digit[:-1]
    is_start = np.append(False, is_alone[1:] | is_alone[:-1])
    spaced = np.full(len(data) + np.count_nonzero(is_start), ord(" "), np.uint8)
    spaced[np.arange(len(data)) + np.cumsum(is_start)] = data
    return spaced.tobytes()


def _13a_lone_marks(is_mark: Flags, is_digit: Flags) -> Flags:
    """Return which full stops and commas ("marks") become tokens: all, except some before a digit.

    mteval-v13a has two rules: `([^0-9])([.,])` puts spaces around a mark after anything but a digit, and then
    `([.,])([^0-9])` puts a space before a mark with anything but a digit after it. Matches of the first rule cannot
    overlap, so it finds only every second one of several marks in sequence. The second rule finds all others, but not
    the last mark before a digit. That mark stays joined to the digit if the number of marks is odd after a digit, or
    even after anything else.
    """
    is_alone = is_mark.copy()
    (last,) = (is_mark[:-1] & is_digit[1:]).nonzero()
    if not len(last):
        return is_alone
    not_mark = np.flatnonzero(~is_mark)
    before = not_mark[np.searchsorted(not_mark, last) - 1]  # the character before the marks; the first one is a space
    is_alone[last] = (last - before + is_digit[before]) % 2 == 1
    return is_alone


def _intl_tokens(text: str) -> list[str]:
    """Return the tokens of `sacrebleu`'s "intl": mteval-v14 for all scripts, without white space at the text's end."""
    text = text.rstrip()
    for pattern, by in _intl_patterns():
        text = pattern.sub(by, text)
    return text.split()


@cache
def _intl_patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the patterns of "intl" with their replacements, made once.

    Marks of punctuation are tokens unless they stand between a number and a number or an end of the text.
    """
    codes: dict[str, list[str]] = {"N": [], "P": [], "S": []}
    for character in map(chr, range(sys.maxunicode + 1)):
        codes.get(unicodedata.category(character)[0], []).append(character)
    number, mark, symbol = (re.escape("".join(characters)) for characters in codes.values())
    patterns = map(re.compile, (f"([^{number}])([{mark}])", f"([{mark}])([^{number}])", f"([{symbol}])"))
    return tuple(zip(patterns, (r"\1 \2 ", r" \1 \2", r" \1 "), strict=True))


def _sentence_tokens(text: str) -> list[str]:
    """Return the words of a text, and a token for the end of each sentence, which is one or more full stops.

    A sentence of white space alone that begins or ends a text has no words, but it counts in PyPI's `rouge` 1.0.1. Two
    ends of sentences, one after the other, represent it.
    """
    stripped = text.strip()
    if not stripped:
        return [SENTENCE_END, SENTENCE_END] if text else []
    begins_blank = stripped.startswith(".") and not text.startswith(".")
    ends_blank = stripped.endswith(".") and not text.endswith(".")
    tokens = re.sub(r"\.+", f" {SENTENCE_END} ", stripped).split()
    return [SENTENCE_END] * begins_blank + tokens + [SENTENCE_END] * ends_blank


def _as_one_token(text: str) -> list[str]:
    """Return the text as one token; none for an empty text."""
    return [text] if text else []


def _split_at_spaces(text: str) -> list[str]:
    return text.split(" ")


_SACREBLEU_13A = SplitRule(
    by_word=_13a_words,
    # A line break is found much faster than a pattern.
    crossing=lambda texts: (match.start() for match in _HYPHEN_AT_LINE_END.finditer(texts)) if b"\n" in texts else (),
    crossing_after_steps=lambda texts: np.flatnonzero(np.frombuffer(texts, np.uint8) == ord("\n")).tolist(),
    by_crossing_text=_sacrebleu_text,
    without_crossing="13a-words",
)

SPLITS = {
    "words": SplitRule(by_word=_as_they_are),
    "13a": _SACREBLEU_13A,
    "13a-hf": replace(_SACREBLEU_13A, by_crossing_text=_13a_text),
    "13a-words": SplitRule(by_word=_13a_words),
    "mixed_cjk": SplitRule(by_word=chinese.split_at_characters),
    "sentences": SplitRule(by_text=_sentence_tokens),
    "mixed_cjk_nltk": SplitRule(by_piece=(chinese.starts_of_mixed_text, treebank.tokenise_words)),
    "mixed_cjk_jieba": SplitRule(by_piece=(chinese.piece_starts, chinese.cut_piece), package=("jieba", "zh")),
    "unicode_words": SplitRule(by_piece=(segments.word_piece_starts, segments.cut_words), package=segments.PACKAGE),
    "unicode_characters": SplitRule(
        by_piece=(segments.cluster_piece_starts, segments.cut_clusters), package=segments.PACKAGE
    ),
    "nltk_words": SplitRule(by_text=treebank.tokenise_words),
    "treebank": SplitRule(by_text=treebank.tokenise),
    "intl": SplitRule(by_text=_intl_tokens),
    "spaces": SplitRule(by_text=_split_at_spaces),
    "chrf_words": SplitRule(by_word=_chrf_words),
    "characters": SplitRule(),
    "characters_without_space": SplitRule(),
    "none": SplitRule(by_text=_as_one_token),
}
"""The splits by name. Those of characters need no function."""
