r"""LaTeX as plain text: `7\text{ km}` is "7 km", and `\dfrac{1}{2}` is "1/2"."""

from __future__ import annotations

import re

TEX = r"[\\${]"
"""The pattern of a text that is changed. Arrow reads it."""

_SYMBOL = re.compile(r"\\[A-Za-z]+\*?[ ]*|\\(?s:.)|[{}$]|[^\\{}$]+|\\")
_FRACTIONS = frozenset({"cfrac", "dfrac", "frac", "tfrac"})
_NOTHING = r"""
text textbf textit textmd textnormal textrm textsf texttt textup mathbf mathit mathnormal mathrm mathsf mathtt
boldsymbol bm emph mbox operatorname displaystyle left limits right textstyle ! ( ) [ ]
"""
_SHOWN = dict.fromkeys(_NOTHING.split(), "")
_SHOWN |= dict.fromkeys(("quad", "qquad", "thinspace", "enspace", ",", ";", ":", " ", ">", "\n", "\\"), " ")
"""What stands for a command that only sets text. Others stay."""
_THOUSANDS = re.compile(r"(?<=\d)\\,(?=\d{3}(?!\d))")
_DEGREES = re.compile(r"\^(?:\\circ(?![A-Za-z])|\{\s*\\circ\s*\})")
_SIMPLE = re.compile(r"\s*-?[\w.,]*\s*")
_RUN_OF_SPACES = re.compile(" {2,}")
_FRACTION_BEGINS = "\ue000"


def untex(text: str) -> str:
    """Return the text without the commands and marks of LaTeX that only set it, and with fractions as "1/2".

    Other commands stay as they are, with their braces, and so does a text whose braces do not match.
    """
    symbols = _SYMBOL.findall(_DEGREES.sub("°", _THOUSANDS.sub("", text)))
    places = [place for place, symbol in enumerate(symbols) if symbol == "$"]
    for place in places[: len(places) // 2 * 2]:  # dollar signs go in pairs
        symbols[place] = ""
    try:
        plain, _ = _read_group(symbols[::-1], is_open=False)
    except (ValueError, IndexError, RecursionError):
        return text
    plain = re.sub(rf"(?<=\d){_FRACTION_BEGINS}", " ", plain).replace(_FRACTION_BEGINS, "")
    return _RUN_OF_SPACES.sub(" ", plain).strip()


def _read_group(symbols: list[str], *, is_open: bool = True) -> tuple[str, bool]:
    """Take the symbols up to the brace that closes a group off the end of `symbols`, and return their plain text.

    Return also whether the text needs no brackets beside a fraction bar. ValueError where braces do not match,
    IndexError where an argument is missing.

    symbols: commands, braces and text, in reverse order. is_open: whether a brace has opened the group; else it is the
    whole text.
    """
    parts: list[str] = []
    is_simple, keeps_braces = True, False
    while symbols:
        symbol = symbols.pop()
        if symbol == "}":
            if not is_open:
                raise ValueError
            return "".join(parts), is_simple
        shown, is_kept = symbol, symbol.endswith(("^", "_"))
        if symbol == "{":
            shown, is_inner_simple = _read_group(symbols)
            is_simple &= is_inner_simple and not keeps_braces
            shown = f"{{{shown}}}" if keeps_braces else shown
        elif symbol.startswith("\\"):
            name = symbol[1:].strip(" ").rstrip("*") or symbol[1:]
            if name in _FRACTIONS:
                shown = f"{_FRACTION_BEGINS}{_read_argument(symbols)}/{_read_argument(symbols)}"
            else:
                is_mark = len(symbol) == 2 and not symbol[1].isalpha()  # which LaTeX would take for its own
                shown = _SHOWN.get(name, symbol[1] if is_mark else symbol)
                is_kept = name not in _SHOWN and not is_mark
        if symbol != "{":
            is_simple &= _SIMPLE.fullmatch(shown) is not None
        parts.append(shown)
        keeps_braces = is_kept
    if is_open:
        raise ValueError
    return "".join(parts), is_simple


def _read_argument(symbols: list[str]) -> str:
    r"""Take one side of a fraction off the end of `symbols`, as `_read_group` does, and return its plain text.

    It gets brackets where it is more than a number or a word. In `\frac12`, which has no braces, it is one character.
    """
    symbol = symbols.pop().lstrip()
    while not symbol:
        symbol = symbols.pop().lstrip()
    if symbol == "{":
        plain, is_simple = _read_group(symbols)
        return plain if is_simple else f"({plain})"
    if symbol == "}":
        raise ValueError
    if not symbol.startswith("\\"):
        symbols.append(symbol[1:])
        symbol = symbol[0]
    return symbol
