r"""Answers in LaTeX as the script of MATH compares them: "\frac12", "\dfrac{1}{2}" and "1/2" are the same."""

from __future__ import annotations

import re

_REPLACED = (
    ("\n", ""), (r"\!", ""), ("\\\\", "\\"), ("tfrac", "frac"), ("dfrac", "frac"), (r"\left", ""), (r"\right", ""),
    (r"^{\circ}", ""), (r"^\circ", ""), (r"\$", ""),
)  # fmt: skip
_REPLACED_BEHIND_UNITS = ((r"\%", ""), (" .", " 0."), ("{.", "{0."))
_UNITS = r"\text{ "
_FRACTION = re.compile(r"(-?(?:0|[1-9][0-9]*))/(-?(?:0|[1-9][0-9]*))")
_CHANGED = re.compile(r"[\\\n./=]|[td]frac")
"""What a text has in which more than spaces changes."""
_MOST_DIGITS = 4300
"""Python reads no whole number of more digits."""


def math_answer(text: str) -> str:
    """The answer as the script has it.

    Where the script stops, it compares the texts as they are. Such a text comes back behind a line break, which no
    other answer has.
    """
    try:
        return _strip_answer(text)
    except (ValueError, IndexError):
        return f"\n{text}"


def _strip_answer(text: str) -> str:
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
    found = _FRACTION.fullmatch(text)
    if found is None or "-0" in found.groups() or max(len(side.lstrip("-")) for side in found.groups()) > _MOST_DIGITS:
        return text
    return rf"\frac{{{found[1]}}}{{{found[2]}}}"


def _brace_roots(text: str) -> str:
    r"""The text with "\sqrt{3}" for "\sqrt3". IndexError where nothing follows."""
    first, *others = text.split(r"\sqrt")
    return first + "".join(rf"\sqrt{part}" if part[0] == "{" else rf"\sqrt{{{part[0]}}}{part[1:]}" for part in others)


def _brace_fractions(text: str) -> str:
    r"""The text with "\frac{1}{2}" for "\frac12". One side without the other leaves the text as it is."""
    first, *others = text.split(r"\frac")
    found = [first]
    for part in others:
        if part[0] == "{":  # IndexError where nothing follows
            found.append(rf"\frac{part}")
        elif len(part) < 2:
            return text
        else:
            below = part[1:] if part[1] == "{" else f"{{{part[1]}}}{part[2:]}"
            found.append(rf"\frac{{{part[0]}}}{below}")
    return "".join(found)
