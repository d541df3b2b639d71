"""The answer that a response states, as in "The answer is Paris." and "**Final answer:** Paris"."""

from __future__ import annotations

import re
from itertools import pairwise

from qa_frame.text.punkt import ABBREVIATIONS
from qa_frame.text.raw_texts import first_line

STATED = r"(?i)answer\**(?:[ *]+is\b|[ \t]*:)"
"""The pattern that every text with a stated answer holds. Arrow reads it."""

_BEHIND = re.compile(rb"\**(?:[ *]+is\b|[ \t]*:)")
_BEFORE_IS = re.compile(rb"\b(?:the|my|final|correct)[ *]+\Z")
_PART_OF_WORD = re.compile(rb"\w")
_LONGEST_BEFORE = 16
"""So many bytes before "answer" are looked at."""

_WORD = re.compile(r"\S+")
_OPENERS, _CLOSERS = "\"'“‘([*", "\"'”’)]*"
_LISTED = """
A According Also Although An And As At Based Because But By Explanation For From He Hence Here His How However I If In
It Its It's Let Let's My Note Of On Option Options Our Please Reason Reasoning She Since So That The Their There
Therefore These They This Those Though Thus To We What When Where Which While Who Why With You
"""
_FIRST_WORDS = frozenset(_LISTED.split())
_TITLES = frozenset({"capt", "fr", "gov", "hon", "mme", "mlle", "mt", "pres", "rev", "sgt", "ste"})
_BEFORE_NUMBERS = frozenset({"fig", "no", "nos", "op", "p", "pp", "vol"})
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")


def stated_answer(text: str) -> str | None:
    """Return the rest of the sentence after the last phrase that announces an answer.

    If the rest begins in bold, return only the bold part. Return None if no phrase announces an answer, or nothing
    follows.
    """
    utf8 = text.encode()
    end = _end_of_phrase(utf8)
    if end is None:
        return None
    line = utf8.rfind(b"\n", 0, end) + 1
    is_bold = utf8.count(b"**", line, end) % 2 == 1
    rest = utf8[end:].decode().lstrip()
    if is_bold and rest.startswith("**"):  # the phrase alone was bold
        rest, is_bold = rest[2:], False
    rest = rest.lstrip().removeprefix(":").lstrip()
    if not is_bold and rest.startswith("**"):
        rest, is_bold = rest[2:], True
    rest = first_line(rest)
    answer = rest.partition("**")[0] if is_bold else _first_sentence(rest)
    return _without_stop(answer.strip()) or None


def _end_of_phrase(utf8: bytes) -> int | None:
    """Return the place, in bytes, where the last phrase that announces an answer ends; None if no phrase does."""
    small = utf8.lower()  # bytes.lower changes ASCII letters alone
    place = small.rfind(b"answer")
    while place >= 0:
        behind = _BEHIND.match(small, place + len(b"answer"))
        if behind is not None and _is_announced(small, place, is_colon=behind[0].endswith(b":")):
            return behind.end()
        place = small.rfind(b"answer", 0, place)
    return None


def _is_announced(small: bytes, place: int, *, is_colon: bool) -> bool:
    """Return whether the text before the word "answer", at `place`, lets a phrase announce an answer.

    Before a colon, the word need only begin there. Before "is", one of "the", "my", "final" and "correct" must stand in
    front.

    small: the text in lower case.
    """
    if is_colon:
        return _PART_OF_WORD.match(small, max(place - 1, 0), place) is None
    return _BEFORE_IS.search(small, max(place - _LONGEST_BEFORE, 0), place) is not None


def _first_sentence(line: str) -> str:
    """Return the line up to the end of its first sentence."""
    for word, following in pairwise(_WORD.finditer(line)):
        if _ends_sentence(word[0], following[0]):
            return line[: word.end()]
    return line


def _ends_sentence(word: str, following: str) -> bool:
    """Return whether a sentence ends with this word, and the following one begins the next.

    It does if the word ends in a mark and the following word often begins a sentence, as "It" does. Before other words,
    only a full stop ends a sentence, unless the following word is in lower case, or the full stop is that of an initial
    or an abbreviation. "!" and "?" do not, as titles hold them.
    """
    bare = word.rstrip(_CLOSERS)
    if not bare.endswith((".", "!", "?")):
        return False
    behind = following.lstrip(_OPENERS)
    if behind.rstrip(",:") in _FIRST_WORDS:
        return True
    if behind[:1].islower() or not bare.endswith("."):
        return False
    before = bare[:-1].lstrip(_OPENERS).lower()
    is_short = (len(before) == 1 and before.isalpha()) or before in ABBREVIATIONS or before in _TITLES
    is_short = is_short or _DOTTED.fullmatch(before) is not None
    return not (is_short or (before in _BEFORE_NUMBERS and behind[:1].isdigit()))


def _without_stop(answer: str) -> str:
    """Return the answer without a full stop at its end, unless its last word has others, as in "U.S."."""
    last = answer.rpartition(" ")[2].lstrip(_OPENERS)
    if not answer.endswith(".") or _DOTTED.fullmatch(last[:-1]):
        return answer
    return answer[:-1].rstrip()
