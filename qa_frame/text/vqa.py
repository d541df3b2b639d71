"""Short answers to questions about pictures, as the scripts of VQA write them."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping

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
    """The contractions by spellings that lack one apostrophe. The scripts write "somebody'd" the other way."""
    places = ((word, match.start()) for word in _CONTRACTED.split() for match in re.finditer("'", word))
    return {word[:place] + word[place + 1 :]: word for word, place in places} | {"somebody'd": "somebodyd"}


_REWRITTEN = {**_NUMBERS, **_make_misspellings()}
_CHANGED_WORDS = _ARTICLES | _REWRITTEN.keys()


def _write_answer(text: str, *, comma_in_number: re.Pattern[str]) -> str:
    """The answer without marks and articles, in lower case, with digits for small numbers, and with contractions."""
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
    name: functools.partial(_write_answer, comma_in_number=re.compile(comma))
    for name, comma in {
        "vqa_answer": r"\d,\d",
        "vqa_answer_mmf": r"(?<=\d),+(?=\d)",
    }.items()
}
"""The steps by name. They differ in what is a comma inside a number."""
