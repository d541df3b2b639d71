"""A response without its dress, for a search for the letter of a choice.

Marks of bold and LaTeX go, all brackets become round, and a letter in quotes or in bold gets brackets.
"""

from __future__ import annotations

import re
import unicodedata

BOX = "\ue000"
"""It stands for what announces an answer by its form: a box, an answer tag, four hashes."""

_TEX = re.compile(
    r"\\(?:boxed|fbox)\s*|####|</?[a-z]{1,6}>|\\(?:text|math)(?:bf|rm|it|sf|tt)?\s?\{"
    r"|\\(?:bf|rm|left|right|quad|displaystyle|large|Large)(?![A-Za-z])|\\[()\[\],;!]|\\(?=[$%{}])|\ue000"
)
_ANNOUNCED = {r"\boxed": BOX, r"\fbox": BOX, "####": BOX, "<answer>": f"{BOX}(", "</answer>": ")"}
"""What stands for some of these; the others go."""

_LETTERS = "ABCDEFGHIJabcdefghij"
_ALIKE = (
    ("(", "[{（［｛【〔「『"), (")", "]}）］｝】〕」』"), ('"', "“”„«»"), ("'", "‘’"), (",", "，、،"), (".", "。．।"),
    (":", "：ঃ"), (";", "；"), ("?", "？؟"), ("!", "！"), (" ", "\xa0\u3000"), ("", "\u200b"),
    ("I", "İ"),  # the only character that becomes two in lower case
    *zip(_LETTERS, "ＡＢＣＤＥＦＧＨＩＪａｂｃｄｅｆｇｈｉｊ", strict=True),
    *zip(_LETTERS, "ⒶⒷⒸⒹⒺⒻⒼⒽⒾⒿⓐⓑⓒⓓⓔⓕⓖⓗⓘⓙ", strict=True),
)  # fmt: skip
_TABLE = str.maketrans({character: mark for mark, alike in _ALIKE for character in alike})
_DRESS = re.compile(r"(?<![\w*`\"'])[*`\"'_<]{1,3}\(?([A-Ja-j])[.:)]?[*`\"'_>]{1,3}(?!\w)")
_MARKS = re.compile(r"[*`$\"]|(?m:^[ \t]*#+[ \t]*)")

_SCRIPTS = (
    ("\u0600-\u06ff", "أابجد", "AABCD"),
    ("\u0980-\u09ff", "অবডঢকখগঘ", "ABCDABCD"),
    ("\u0900-\u097f", "कखगघ", "ABCD"),
)
"""Scripts whose own letters name options: the range of their characters, these letters, and what they stand for."""
_OTHER_LETTERS = re.compile("|".join(f"(?<![{script}])[{own}](?![{script}])" for script, own, _ in _SCRIPTS))
_LATIN = {letter: latin for _, *pair in _SCRIPTS for letter, latin in zip(*pair, strict=True)}


def undress(text: str) -> str:
    """Return the text in Unicode's form NFC, without marks of bold and LaTeX, with round brackets and Latin letters."""
    plain = _TEX.sub(lambda tex: _ANNOUNCED.get(tex[0].rstrip(), ""), unicodedata.normalize("NFC", text))
    plain = _MARKS.sub("", _DRESS.sub(r"(\1)", plain.translate(_TABLE)))
    return plain if plain.isascii() else _OTHER_LETTERS.sub(lambda letter: _LATIN[letter[0]], plain)
