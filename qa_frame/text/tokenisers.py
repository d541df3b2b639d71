"""The rules of language: how a text becomes tokens, as functions from text to text with spaces between the tokens.

Every rule here works word by word: the tokens of a text are those of its white-space-separated words, end to end.
So a rule is applied to many distinct words at once, joined by `WORD_END`, which it must leave where they are.
Where a rule does look across white space, the tokeniser's `crossing` finds the texts concerned, and `by_text` is
applied to each of those as a whole.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from dataclasses import dataclass

_PUNCTUATION = string.punctuation.encode()
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NOT_ROUGE = re.compile("[^a-z0-9\x1f]+")

_13A_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_13A_SYMBOLS = "!\"#$%&()*+/:;<=>?@[\\]^_`{|}~"  # ASCII punctuation but . , ' -
_13A_LONE_MARK = {
    mark: re.compile(rf"(?<![0-9.,]){re.escape(mark)}(?![.,])|(?<![.,]){re.escape(mark)}(?![0-9.,])") for mark in ".,"
}
_13A_MARKS = re.compile(r"[.,]{2,}")
_13A_MARK_BEHIND_NO_DIGIT = re.compile(r"([^0-9])([.,])")
_13A_MARK_BEFORE_NO_DIGIT = re.compile(r"([.,])([^0-9])")
_13A_DASH_BEHIND_DIGIT = re.compile(r"(?<=[0-9])-")
_HYPHEN_AT_LINE_END = re.compile(rb"-(?:<skipped>)*\n")


@dataclass(frozen=True, slots=True)
class Tokeniser:
    """A named rule that turns texts into tokens.

    by_word: words joined by `WORD_END` → the same with spaces between each word's tokens.
    lowers: whether a word of ASCII letters and digits alone comes out lower-cased (else as it is), one token.
    drop: tokens that are left out in the end, such as articles.
    crossing: matches, in UTF-8, where the rule looks across white space; by_text: one whole text → its tokens.
    """

    name: str
    by_word: Callable[[str], str]
    lowers: bool
    drop: frozenset[str] = frozenset()
    crossing: re.Pattern[bytes] | None = None
    by_text: Callable[[str], str] | None = None


def _squad_words(words: str) -> str:
    """Lower-case, delete ASCII punctuation, blank English articles: the SQuAD v1.1 evaluation script."""
    return _ARTICLES.sub(" ", words.lower().encode().translate(None, _PUNCTUATION).decode())


def _rouge_words(words: str) -> str:
    """Lower-case, then all but a-z and 0-9 is white space: `rouge_score` 0.1.2."""
    return _NOT_ROUGE.sub(" ", words.lower())


def _13a_words(words: str) -> str:
    """mteval-v13a as `sacrebleu` 2 has it, but for line breaks, which no word holds."""
    return _13a_split(words.replace("<skipped>", ""))


def _13a_text(text: str) -> str:
    """mteval-v13a of one text in which a line break behind a hyphen joins two words, as HF `evaluate` has it."""
    return _13a_split(text.replace("<skipped>", "").replace("-\n", "").replace("\n", " "))


def _sacrebleu_text(text: str) -> str:
    """As `_13a_text`, but white space at the end goes first, as `sacrebleu`'s BLEU does it."""
    return _13a_text(text.rstrip())


def _13a_split(text: str) -> str:
    """The part of mteval-v13a that never looks across white space.

    Its regular expressions are taken apart into replacements by constants, which run in C: a full stop or comma that
    stands alone is set off unless between two digits, and only runs of them need the expressions as they are.
    """
    if "&" in text:
        for entity, character in _13A_ENTITIES:
            text = text.replace(entity, character)
    text = f" {text} "
    for symbol in _13A_SYMBOLS:
        text = text.replace(symbol, f" {symbol} ")
    for mark, lone in _13A_LONE_MARK.items():
        text = lone.sub(f" {mark} ", text)
    text = _13A_MARKS.sub(_13a_split_marks, text)
    return _13A_DASH_BEHIND_DIGIT.sub(" - ", text)


def _13a_split_marks(marks: re.Match[str]) -> str:
    """A run of full stops and commas, set off as mteval-v13a does it: every second one counts as its neighbour's."""
    with_neighbours = marks.string[marks.start() - 1 : marks.end() + 1]
    split = _13A_MARK_BEHIND_NO_DIGIT.sub(r"\1 \2 ", with_neighbours)
    return _13A_MARK_BEFORE_NO_DIGIT.sub(r" \1 \2", split)[1:-1]


SQUAD = Tokeniser("squad", _squad_words, lowers=True, drop=frozenset({"a", "an", "the"}))
ROUGE = Tokeniser("rouge", _rouge_words, lowers=True)
SACREBLEU_13A = Tokeniser(
    "13a", _13a_words, lowers=False, crossing=_HYPHEN_AT_LINE_END, by_text=_sacrebleu_text
)
HF_13A = Tokeniser("13a-hf", _13a_words, lowers=False, crossing=_HYPHEN_AT_LINE_END, by_text=_13a_text)

TOKENISERS = {tokeniser.name: tokeniser for tokeniser in (SQUAD, ROUGE, SACREBLEU_13A, HF_13A)}
"""Every tokeniser by the name that conventions use."""
