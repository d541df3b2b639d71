r"""LaTeX as plain text: `7\text{ km}` is "7 km", and `\dfrac{1}{2}` is "1/2"."""

from __future__ import annotations

import re

TEX = r"[\\${]"
"""The pattern of a text that is changed. Arrow reads it."""

_PIECE = re.compile(r"\\[A-Za-z]+\*?[ ]*|\\(?s:.)|[{}$]|[^\\{}$]+|\\")
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
    pieces = _PIECE.findall(_DEGREES.sub("°", _THOUSANDS.sub("", text)))
    places = [place for place, piece in enumerate(pieces) if piece == "$"]
    for place in places[: len(places) // 2 * 2]:  # dollar signs go in pairs
        pieces[place] = ""
    try:
        plain, _ = _read_group(pieces[::-1], is_open=False)
    except (ValueError, IndexError, RecursionError):
        return text
    plain = re.sub(rf"(?<=\d){_FRACTION_BEGINS}", " ", plain).replace(_FRACTION_BEGINS, "")
    return _RUN_OF_SPACES.sub(" ", plain).strip()


def _read_group(pieces: list[str], *, is_open: bool = True) -> tuple[str, bool]:
    """Take the pieces up to the brace that closes a group off the end of `pieces`, and return their plain text.

    Return also whether the text needs no brackets beside a fraction bar. ValueError where braces do not match,
    IndexError where an argument is missing.

    pieces: commands, braces and text, in reverse order. is_open: whether a brace has opened the group; else it is the
    whole text.
    """
    parts: list[str] = []
    is_simple, keeps_braces = True, False
    while pieces:
        piece = pieces.pop()
        if piece == "}":
            if not is_open:
                raise ValueError
            return "".join(parts), is_simple
        shown, is_kept = piece, piece.endswith(("^", "_"))
        if piece == "{":
            shown, is_inner_simple = _read_group(pieces)
            is_simple &= is_inner_simple and not keeps_braces
            shown = f"{{{shown}}}" if keeps_braces else shown
        elif piece.startswith("\\"):
            name = piece[1:].strip(" ").rstrip("*") or piece[1:]
            if name in _FRACTIONS:
                shown = f"{_FRACTION_BEGINS}{_read_argument(pieces)}/{_read_argument(pieces)}"
            else:
                is_mark = len(piece) == 2 and not piece[1].isalpha()  # which LaTeX would take for its own
                shown = _SHOWN.get(name, piece[1] if is_mark else piece)
                is_kept = name not in _SHOWN and not is_mark
        if piece != "{":
            is_simple &= _SIMPLE.fullmatch(shown) is not None
        parts.append(shown)
        keeps_braces = is_kept
    if is_open:
        raise ValueError
    return "".join(parts), is_simple


def _read_argument(pieces: list[str]) -> str:
    r"""Take one side of a fraction off the end of `pieces`, as `_read_group` does, and return its plain text.

    It gets brackets where it is more than a number or a word. In `\frac12`, which has no braces, it is one character.
    """
    piece = pieces.pop().lstrip()
    while not piece:
        piece = pieces.pop().lstrip()
    if piece == "{":
        plain, is_simple = _read_group(pieces)
        return plain if is_simple else f"({plain})"
    if piece == "}":
        raise ValueError
    if not piece.startswith("\\"):
        pieces.append(piece[1:])
        piece = piece[0]
    return piece
