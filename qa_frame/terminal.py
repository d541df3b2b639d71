"""What a terminal shows: how wide texts are there, lines that fit, and escapes for what it would obey."""

from __future__ import annotations

import re
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterator
from typing import TextIO

_CODES = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Control characters, characters that end a line or change its direction, halves of characters, and those of no text.

So what is left can stand in XML and YAML, too.
"""


def visible(text: str, *, keep: str = "", quote: Callable[[str], str] = ascii) -> str:
    r"""Return the text with escapes, such as `\x1b`, for the characters that a terminal would obey.

    keep: characters to leave as they are. quote: returns a character as an escape between quotation marks.
    """
    return _CODES.sub(lambda match: match[0] if match[0] in keep else quote(match[0])[1:-1], text)


def text_width() -> int:
    """Return how many columns text for people may take: those of the terminal, from 60 to 100, and 100 without one."""
    return min(100, max(60, shutil.get_terminal_size((100, 24)).columns)) if is_terminal(sys.stdout) else 100


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal. A closed one is not, and neither is None, of programs without streams."""
    return not getattr(stream, "closed", False) and bool(getattr(stream, "isatty", lambda: False)())


_COLOUR = re.compile(r"\x1b\[\d*m")
"""What changes the colour of what follows."""


def columns_of(text: str) -> int:
    """Return how many columns of a terminal the text takes. Changes of colour take none."""
    return sum(map(_columns_of_character, _COLOUR.sub("", text)))


def _columns_of_character(character: str) -> int:
    """Return how many columns of a terminal a character takes: 0, 1 or 2."""
    if unicodedata.category(character) in {"Cf", "Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def pad(text: str, width: int, *, left: bool = False) -> str:
    """Return the text with spaces behind it, or with `left` before it, so that it takes at least `width` columns."""
    spaces = " " * (width - columns_of(text))
    return f"{spaces}{text}" if left else f"{text}{spaces}"


def wrap(text: str, first: str, then: str = "    ", *, width: int | None = None, whole: bool = False) -> list[str]:
    """Return the words of a text in lines of at most `width` columns, by default those of the terminal.

    A word that is wider than a line is cut behind `/`, `_` or `-`, and elsewhere only where a part is still too wide.

    first, then: what stands before the text of the first line, and of the others. whole: True cuts no word, as in paths
    and commands that are copied, so that some lines may be wider.
    """
    width = text_width() if width is None else width
    room = width - max(columns_of(first), columns_of(then))
    lines, line, is_new = [], first, True
    for word in text.split(" "):
        gap = " "
        for piece in [word] if whole or columns_of(word) <= room else _cut_word(word, room):
            if not is_new and columns_of(f"{line}{gap}{piece}") > width:
                lines.append(line)
                line, is_new = then, True
            line += piece if is_new else f"{gap}{piece}"
            is_new, gap = False, ""
    return [*lines, line]


def _cut_word(word: str, room: int) -> Iterator[str]:
    """Yield the parts of a word that end behind a separator, cut again where they take more than `room` columns."""
    for part in re.findall(r"[^/_-]*[/_-]+|[^/_-]+", word):
        piece, taken = "", 0
        for character in part:
            size = columns_of(character)
            if piece and taken + size > room:
                yield piece
                piece, taken = "", 0
            piece += character
            taken += size
        yield piece
