"""Any text → text that is safe to look at: nothing invisible, nothing that turns the line around, no more than fits."""

from __future__ import annotations

import re
import unicodedata

from qa_frame.errors import plural
from qa_frame.terminal import columns_of

_JOINERS = "\u200c\u200d"


def clip(text: str, most: int, *, keep: str = "") -> str:
    """Return the text in one line, with escapes for invisible characters, cut at `most` columns of a terminal or so.

    A text that is cut ends with the number of characters left out. One that begins with a combining mark gets a dotted
    circle in front.

    keep: characters to leave as they are, such as ends of lines.
    """
    parts, size = [], 0
    for n_shown, character in enumerate(text):
        is_shown = character in keep or character.isprintable() or character in _JOINERS
        parts.append(character if is_shown else ascii(character)[1:-1])  # such as those that turn the line around
        size += max(1, columns_of(parts[-1]))
        if size > most:
            parts[-1] = f" … ({plural(len(text) - n_shown, 'more character')})"
            break
    # A combining mark at the start would change what stands before the text.
    return f"{'◌' if text and unicodedata.combining(text[0]) else ''}{''.join(parts)}"


def number(value: float, form: str) -> str:
    """Return a number in this format with a true minus, for tables and pictures alike. What rounds to 0 has no sign."""
    text = f"{value:{form}}"
    return re.sub("^-", "−", text) if float(text) else text.lstrip("+-")


ISOLATES = "\u2068\u2069"
"""The marks around a text that `isolate` sets. `clip` shows those of texts themselves as escapes."""


def isolate(text: str) -> str:
    """Return the text between Unicode's isolates if it has characters that are written from right to left.

    The line around it then stays in order. All other texts stay as they are.
    """
    turns = any(unicodedata.bidirectional(character) in {"R", "AL", "AN"} for character in text)
    return f"\u2068{text}\u2069" if turns else text


def quote(text: str, most: int = 40, *, alone: bool = True) -> str:
    """Return the text between quotation marks, in one line, cut as `clip` does.

    alone: whether no other text stands in its line. If one does, the quoted text is put between isolates, see
    `isolate`.
    """
    head, dots, rest = clip(text, most).partition(" … (")
    return f"'{head if alone else isolate(head)}'{dots}{rest}"
