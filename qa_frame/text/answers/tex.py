r"""LaTeX as plain text: `7\text{ km}` is "7 km", and `\dfrac{1}{2}` is "1/2"."""

from __future__ import annotations

import re
from dataclasses import dataclass

TEX = r"[\\${]"
"""The pattern of a text that is changed. Arrow reads it."""

_PIECE = re.compile(r"\\[A-Za-z]+\*?[ ]*|\\(?s:.)|[{}$]|[^\\{}$]+|\\")
_TEXT_COMMANDS = """
text textbf textit textmd textnormal textrm textsf texttt textup mathbf mathit mathnormal mathrm mathsf mathtt
boldsymbol bm emph mbox operatorname
"""
_OF_TEXT = frozenset(_TEXT_COMMANDS.split())
_FRACTIONS = frozenset({"cfrac", "dfrac", "frac", "tfrac"})
_NOTHING = frozenset({"displaystyle", "left", "limits", "right", "textstyle", "\\!", "\\(", "\\)", "\\[", "\\]"})
_SPACES = frozenset({"quad", "qquad", "thinspace", "enspace", "\\,", "\\;", "\\:", "\\ ", "\\>", "\\\n", "\\\\"})
_THOUSANDS = re.compile(r"(?<=\d)\\,(?=\d{3}(?!\d))")
_DEGREES = re.compile(r"\^(?:\\circ(?![A-Za-z])|\{\s*\\circ\s*\})")
_SIMPLE = re.compile(r"\s*-?[\w.,]*\s*")
_RUN_OF_SPACES = re.compile(" {2,}")


def untex(text: str) -> str:
    """The text without the commands and marks of LaTeX that only set it.

    Other commands stay as they are, with their braces, and so does a text whose braces do not match.
    """
    plain = _Plain([], [])
    for piece in _PIECE.findall(_DEGREES.sub("°", _THOUSANDS.sub("", text))):
        plain.add(piece)
    return plain.joined() if plain.is_balanced else text


@dataclass(slots=True)
class _Group:
    """The text between two braces.

    Attributes
    ----------
    kind
        `"numerator"`, `"denominator"`, `"kept"` where its braces stay, or `"plain"`.
    start
        Where it begins in the output.
    is_simple
        Whether it needs no brackets beside a fraction bar.
    """

    kind: str
    start: int
    is_simple: bool = True


@dataclass(slots=True)
class _Plain:
    """The output as it grows, the groups that are open, and the command to which the next argument belongs."""

    parts: list[str]
    groups: list[_Group]
    awaited: str = ""
    n_dollars: int = 0
    last_dollar: int = 0
    n_unopened: int = 0

    @property
    def is_balanced(self) -> bool:
        """Whether each brace has its other one."""
        return not (self.groups or self.n_unopened)

    def add(self, piece: str) -> None:
        """Add one command, one mark, or the text between two of these."""
        if piece == "{":
            self._open()
        elif piece == "}":
            self._close()
        elif self.awaited in ("numerator", "denominator"):
            self._take_argument(piece)
        elif piece == "$":
            self.n_dollars, self.last_dollar = self.n_dollars + 1, len(self.parts)
            self._put("")
        elif piece.startswith("\\"):
            self._add_command(piece)
        else:
            self._put(piece)
            self.awaited = "kept" if piece.endswith(("^", "_")) else ""

    def _add_command(self, piece: str) -> None:
        name = piece[1:].strip().rstrip("*")
        if name in _FRACTIONS:
            self._put(" " if self._ends_with_digit() else "")
            self.awaited = "numerator"
        elif name in _OF_TEXT or name in _NOTHING or piece in _NOTHING:
            self.awaited = ""
        elif name in _SPACES or piece in _SPACES:
            self._put(" ")
        elif len(piece) == 2 and not piece[1].isalpha():
            self._put(piece[1])  # a mark that LaTeX would take for its own
        else:
            self._put(piece)
            self.awaited = "kept"

    def joined(self) -> str:
        """The whole output. Dollar signs go in pairs."""
        if self.n_dollars % 2:
            self.parts[self.last_dollar] = "$"
        return _RUN_OF_SPACES.sub(" ", "".join(self.parts)).strip()

    def _put(self, part: str) -> None:
        self.parts.append(part)
        self.awaited = ""
        if self.groups and not _SIMPLE.fullmatch(part):
            self.groups[-1].is_simple = False

    def _ends_with_digit(self) -> bool:
        return next((part[-1:].isdigit() for part in reversed(self.parts[-2:]) if part), False)

    def _open(self) -> None:
        self.groups.append(_Group(self.awaited or "plain", len(self.parts)))
        self.parts.append("{" if self.awaited == "kept" else "")
        self.awaited = ""

    def _close(self) -> None:
        if not self.groups:
            self.n_unopened += 1
            return
        group = self.groups.pop()
        self.awaited = ""
        if group.kind == "kept":
            self.parts.append("}")
            group.is_simple = False
        elif group.kind in ("numerator", "denominator"):
            self._end_argument(group)
        if self.groups and not group.is_simple:
            self.groups[-1].is_simple = False

    def _end_argument(self, group: _Group) -> None:
        """Close a side of a fraction, in brackets where it is more than a number or a word."""
        if not group.is_simple:
            self.parts[group.start] = "("
            self.parts.append(")")
        group.is_simple = False
        if group.kind == "numerator":
            self.parts.append("/")
            self.awaited = "denominator"

    def _take_argument(self, piece: str) -> None:
        r"""Take an argument without braces, as in `\frac12`: one character, or one command."""
        kind = self.awaited
        shown = piece.lstrip()
        if not shown:
            return
        size = len(shown) if shown.startswith("\\") else 1
        self._put(shown[:size])
        if kind == "numerator":
            self._put("/")
            self.awaited = "denominator"
        if shown[size:]:
            self.add(shown[size:])
