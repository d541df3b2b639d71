"""Any text → text that is safe to look at: nothing invisible, nothing that turns the line around, no more than fits."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from html import escape

from qa_frame.errors import plural, text_width

_JOINERS = "\u200c\u200d"
_PICTURES = 0x2400
"""Unicode's pictures of the control characters begin here."""


def clip(text: str, most: int) -> str:
    """Return the text in one line of about `most` columns of a terminal, with the number of characters that are cut."""
    return _clip(text, most, _sign, columns_of)


def clip_html(text: str, most: int, *, keep: str = "") -> str:
    """Return the text, escaped and cut to about `most` bytes. keep: characters to leave as they are."""
    if text.isascii() and text.isprintable() and len(whole := escape(text)) <= most:  # as nearly all are
        return whole
    return _clip(
        text,
        most,
        lambda character: character if character in keep else escape(_sign(character)),
        lambda part: len(part.encode()),
    )


def _clip(text: str, most: int, show: Callable[[str], str], size_of: Callable[[str], int]) -> str:
    parts, size = [], 0
    for n_shown, character in enumerate(text):
        parts.append(show(character))
        size += size_of(parts[-1])
        if size > most:
            n_left = len(text) - n_shown
            parts[-1] = f" … ({plural(n_left, 'more character')})"
            break
    # A combining mark at the start would change what stands before the text.
    return f"{'◌' if text and unicodedata.combining(text[0]) else ''}{''.join(parts)}"


def _sign(character: str) -> str:
    """The character, or a visible sign for one that is invisible or changes how others are shown."""
    code = ord(character)
    if character.isprintable() or character in _JOINERS:
        return character
    if code < 0x20:
        return chr(_PICTURES + code)
    if code == 0x7F:
        return "␡"
    return " " if unicodedata.category(character) == "Zs" else f"⟨U+{code:04X}⟩"


def isolate(text: str) -> str:
    """The text, between isolates if it has letters that are written from right to left. Others stay as they are."""
    turns = any(unicodedata.bidirectional(character) in {"R", "AL", "AN"} for character in text)
    return f"\u2068{text}\u2069" if turns else text


def quote(text: str, most: int = 40) -> str:
    """The text between quotation marks, in one line."""
    head, dots, rest = clip(text, most).partition(" … (")
    return f"'{head}'{dots}{rest}"


def quote_several(texts: Sequence[str], most: int = 5, *, each: int = 24) -> str:
    """The first few texts between quotation marks, each cut to so many columns; how many more there are is said."""
    shown = [quote(text, each) for text in texts[:most]]
    if len(texts) > most:
        shown.append(f"{len(texts) - most:,} more")
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def columns_of(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return sum(map(_columns_of_character, text))


def _columns_of_character(character: str) -> int:
    if unicodedata.category(character) in {"Cf", "Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def pad(text: str, width: int, *, left: bool = False) -> str:
    """The text with spaces behind it, or left of it, to this many columns."""
    spaces = " " * (width - columns_of(text))
    return f"{spaces}{text}" if left else f"{text}{spaces}"


def wrap(text: str, first: str, then: str = "    ", *, width: int | None = None) -> list[str]:
    """The words of a text in lines of at most `width` columns, by default those of the terminal.

    `first` and `then` stand in front of the lines.
    """
    width = text_width() if width is None else width
    lines, line, is_new = [], first, True
    for word in text.split(" "):
        for piece in _pieces(word, width - max(columns_of(first), columns_of(then))):
            if not is_new and columns_of(line) + 1 + columns_of(piece) > width:
                lines.append(line)
                line, is_new = then, True
            line += piece if is_new else f" {piece}"
            is_new = False
    return [*lines, line]


def _pieces(word: str, width: int) -> Iterator[str]:
    """A word in pieces of at most `width` columns."""
    piece, taken = "", 0
    for character in word:
        size = columns_of(character)
        if taken + size > width:
            yield piece
            piece, taken = "", 0
        piece += character
        taken += size
    yield piece
