"""Whether a prediction has a gold, where this takes a function of both texts: patterns, and answers that are stated."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

_OPTIONS = ("A", "B", "C", "D")
_MARKS = str.maketrans(dict.fromkeys("\n\"'.,?!{}", " "))
_ANSWERS = ("answer is:", "answer:", "answer is", "option is")
_MARKS_OF_CODE = re.compile("[\n`'\"*-]|[Oo]ption")
_ANSWERS_OF_CODE = ("answer is:", "is:", "answer:")


def has_match(pred: str, pattern: str) -> bool:
    """Whether the prediction has a match of the pattern, whatever the case. A pattern that is not valid has none."""
    compiled = _compile(pattern)
    return compiled is not None and compiled.search(pred) is not None


@lru_cache(maxsize=1 << 14)
def _compile(pattern: str) -> Any:
    """Return the compiled pattern; None for one that is not valid."""
    regex = importlib.import_module("regex")
    try:
        return regex.compile(pattern, flags=regex.IGNORECASE | regex.MULTILINE)
    except Exception:  # noqa: BLE001  (the package raises errors of several kinds)
        return None


def chooses_option(pred: str, gold: str) -> bool:
    """Whether the prediction chooses the option, given by its letter or its text, as InfiniteBench has it."""
    pred = pred.strip()
    if pred.startswith(_OPTIONS):
        return pred[0] == gold
    if not pred or pred == gold:
        return pred != ""
    pred = pred.translate(_MARKS)
    stated = _stated(pred, _ANSWERS)
    if stated is not None:
        return _follows(gold, stated)
    return next((word for word in pred.split() if word in "ABCD"), None) == gold


def names_bug(pred: str, gold: str) -> bool:
    """Whether the prediction names the wrong function, given by its letter or its name, as InfiniteBench has it."""
    pred = pred.strip()
    if gold in _OPTIONS and pred.startswith((f"{gold}.", f"{gold}:")):
        return True
    stated = _stated(_MARKS_OF_CODE.sub(" ", pred), _ANSWERS_OF_CODE)
    return stated is not None and _follows(gold, stated)


def _follows(gold: str, stated: str) -> bool:
    """Whether the gold is what is stated, or its beginning. The first character is the space before it."""
    return stated != "" and stated[1:].startswith(gold)


def _stated(text: str, phrases: Sequence[str]) -> str | None:
    """What stands behind the first of these phrases that the text has; None if it has none. Runs of spaces are one."""
    text = re.sub(" {2,}", " ", text)
    return next((text.partition(phrase)[2] for phrase in phrases if phrase in text), None)


FINDERS: Mapping[str, Callable[[str, str], bool]] = {
    "pattern": has_match, "stated_option": chooses_option, "stated_bug": names_bug,
}  # fmt: skip
"""By the value of `Contains.place`: whether the prediction has the gold."""

PACKAGES = {"pattern": ("regex", "regex")}
"""The optional package that one of them needs, and the extra that installs it."""
