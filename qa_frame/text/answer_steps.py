r"""Short answers as the scripts of benchmarks write them before they compare them.

- MATH: in LaTeX, where "\frac12", "\dfrac{1}{2}" and "1/2" are the same.
- VQA: answers to questions about pictures.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping

_REPLACED = (
    ("\n", ""), (r"\!", ""), ("\\\\", "\\"), ("tfrac", "frac"), ("dfrac", "frac"), (r"\left", ""), (r"\right", ""),
    (r"^{\circ}", ""), (r"^\circ", ""), (r"\$", ""),
)  # fmt: skip
_REPLACED_BEHIND_UNITS = ((r"\%", ""), (" .", " 0."), ("{.", "{0."))
_UNITS = r"\text{ "
_FRACTION = re.compile(r"(0|-?[1-9][0-9]{0,4299})/(0|-?[1-9][0-9]{0,4299})")
"""Two whole numbers as Python writes them. It reads none of more than 4,300 digits."""
_CHANGED = re.compile(r"[\\\n./=]|[td]frac")
"""What a text has in which more than spaces changes."""


def math_answer(text: str) -> str:
    """Return an answer in LaTeX as the scripts of MATH write it before they compare it.

    Where the scripts' own code fails on an answer, they compare the texts as they are. Such a text comes back behind a
    line break, which no other answer has.
    """
    try:
        return _strip_answer(text)
    except (ValueError, IndexError):
        return f"\n{text}"


def _strip_answer(text: str) -> str:
    """Return an answer of MATH in the form in which its scripts compare it.

    Raises ValueError or IndexError where the scripts' own code fails.
    """
    if _CHANGED.search(text) is None:
        return text.replace(" ", "")
    for old, new in _REPLACED:
        text = text.replace(old, new)
    if _UNITS in text:
        text, _ = text.split(_UNITS)  # ValueError where there are units twice
    for old, new in _REPLACED_BEHIND_UNITS:
        text = text.replace(old, new)
    if text.startswith("."):
        text = f"0{text}"
    sides = text.split("=")
    if len(sides) == 2 and len(sides[0]) <= 2:
        text = sides[1]
    text = _brace_fractions(_brace_roots(text).replace(" ", ""))
    if text == "0.5":
        return r"\frac{1}{2}"
    fraction = _FRACTION.fullmatch(text)
    return text if fraction is None else rf"\frac{{{fraction[1]}}}{{{fraction[2]}}}"


def _brace_roots(text: str) -> str:
    r"""Return the text with "\sqrt{3}" for "\sqrt3". IndexError where nothing follows."""
    first, *others = text.split(r"\sqrt")
    return first + "".join(rf"\sqrt{part}" if part[0] == "{" else rf"\sqrt{{{part[0]}}}{part[1:]}" for part in others)


def _brace_fractions(text: str) -> str:
    r"""Return the text with "\frac{1}{2}" for "\frac12", or as it is where a fraction lacks a side.

    IndexError where nothing follows.
    """
    first, *others = text.split(r"\frac")
    braced = [first]
    for part in others:
        if part[0] == "{":  # IndexError where nothing follows
            braced.append(rf"\frac{part}")
        elif len(part) < 2:
            return text
        else:
            below = part[1:] if part[1] == "{" else f"{{{part[1]}}}{part[2:]}"
            braced.append(rf"\frac{{{part[0]}}}{below}")
    return "".join(braced)


_MARKS = ';/[]"{}()=+\\_-><@`,?!'
_HAS_MARK = re.compile(f"[{re.escape(_MARKS)}.]")
_FULL_STOP = re.compile(r"\.(?!\d)")
_ARTICLES = {"a", "an", "the"}
_NUMBERS = {
    "none": "0", "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6",
    "seven": "7", "eight": "8", "nine": "9", "ten": "10",
}  # fmt: skip
_CONTRACTED = """
'ow's'at 'twas ain't aren't can't could've couldn't couldn't've didn't doesn't don't hadn't hadn't've hasn't haven't
he'd he'd've he's how'd how'll how's isn't it'd it'd've it'll ma'am might've mightn't mightn't've must've mustn't
needn't not've o'clock oughtn't shan't she'd've should've shouldn't shouldn't've somebody'd've somebody'll somebody's
someone'd someone'd've someone'll someone's something'd something'd've something'll that's there'd there'd've there're
there's they'd they'd've they'll they're they've wasn't we'd've we've weren't what'll what're what's what've when's
where'd where's where've who'd who'd've who'll who's who've why'll why're why's won't would've wouldn't wouldn't've
y'all y'all'd've y'all'll you'd you'd've you'll you're you've
"""


def _make_misspellings() -> Mapping[str, str]:
    """Return contractions by their spellings without one apostrophe; "somebodyd" by "somebody'd", as in the scripts."""
    places = ((word, match.start()) for word in _CONTRACTED.split() for match in re.finditer("'", word))
    return {word[:place] + word[place + 1 :]: word for word, place in places} | {"somebody'd": "somebodyd"}


_REWRITTEN = {**_NUMBERS, **_make_misspellings()}
_CHANGED_WORDS = _ARTICLES | _REWRITTEN.keys()


def _write_answer(text: str, *, comma_in_number: re.Pattern[str]) -> str:
    """Return an answer in lower case, without marks and articles, with digits for numbers up to ten.

    Contractions get their apostrophes. comma_in_number: finds a comma inside a number. In an answer that has one, all
    marks are deleted, and none becomes a space.
    """
    if _HAS_MARK.search(text):
        deletes_all, changed = comma_in_number.search(text) is not None, text
        for mark in _MARKS:
            if mark in text:
                is_deleted = deletes_all or f"{mark} " in text or f" {mark}" in text
                changed = changed.replace(mark, "" if is_deleted else " ")
        text = _FULL_STOP.sub("", changed, count=32)  # the scripts pass the flag re.UNICODE, which is 32, as the count
    words = text.lower().split()
    if not _CHANGED_WORDS.isdisjoint(words):
        words = [_REWRITTEN.get(word, word) for word in words if word not in _ARTICLES]
    return " ".join(words)


VQA_ANSWERS: Mapping[str, Callable[[str], str]] = {
    "vqa_answer": functools.partial(_write_answer, comma_in_number=re.compile(r"\d,\d")),
    "vqa_answer_mmf": functools.partial(_write_answer, comma_in_number=re.compile(r"(?<=\d),+(?=\d)")),
}
"""The steps by name. They differ in what is a comma inside a number."""
