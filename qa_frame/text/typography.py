"""Characters by which texts differ that say the same: ways to draw them, invisible ones, marks of chat templates."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_STRAIGHT = {
    "'": "\u00b4\u02b9\u02bb\u02bc\u02c8\u2018-\u201b\u2032\u2035\u2039\u203a\uff07",
    '"': "\u00ab\u00bb\u201c-\u201f\u2033\u2036\u301d-\u301f\uff02",
    "-": "\u2010-\u2015\u2212\ufe58\ufe63\uff0d",
    "...": "\u2026",
}
"""Quotation marks, apostrophes, dashes and dots: as ASCII has them, and the ranges of others."""
_CURLY = {re.compile(f"[{others}]"): straight for straight, others in _STRAIGHT.items()}

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""The characters that Unicode calls default ignorable: zero width, soft hyphens, directions, selectors of a form."""

_FORMS = {"<compat>", "<font>", "<noBreak>", "<wide>", "<narrow>", "<initial>", "<medial>", "<final>", "<isolated>"}
"""Unicode's kinds of characters that are others, drawn in another way. Raised and lowered digits are none of these."""
_LAST_FORM = 0x20000

TEMPLATE_MARK = (
    r"(?i)<\|(?:im_start|start_header_id)\|>(?:assistant|system|user)?|<\|[\w/-]{1,40}\|>|<｜[\w▁/-]{1,40}｜>|</?s>"
    r"|<(?:bos|eos|pad|unk|start_of_turn|end_of_turn)>|\[/?INST\]|<</?SYS>>|\[(?:BOS|EOS|CLS|SEP|PAD)\]"
)
"""A mark of a chat template, as a tokeniser writes it. Python and Arrow read it alike."""
_TEMPLATE_MARK = re.compile(TEMPLATE_MARK)


def straighten_punctuation(text: str) -> str:
    """Return the text with the quotation marks, apostrophes, hyphens and dots of ASCII."""
    for others, straight in _CURLY.items():
        text = others.sub(straight, text)
    return text


def delete_invisible(text: str) -> str:
    """Return the text without characters that nobody sees."""
    return _INVISIBLE.sub("", text)


def unify_forms(text: str) -> str:
    """Return the text with ligatures, wide letters and presentation forms as the letters that they stand for."""
    return text.translate(_plain_forms())


@cache
def _plain_forms() -> dict[int, str]:
    """Return what each character of `_FORMS` stands for, by its code point, unless this has white space."""
    forms = (code for code in range(_LAST_FORM) if unicodedata.decomposition(chr(code)).partition(" ")[0] in _FORMS)
    plain = {code: unicodedata.normalize("NFKC", chr(code)) for code in forms}
    return {code: text for code, text in plain.items() if text and not re.search(r"\s", text)}


def delete_template_marks(text: str) -> str:
    """Return the text with a space for each mark of a chat template."""
    return _TEMPLATE_MARK.sub(" ", text)
