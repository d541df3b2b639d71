"""Penn Treebank tokens, by the rules of NLTK's `TreebankWordTokenizer` on a text that is not cut into sentences."""

from __future__ import annotations

import re

CONTRACTIONS = (
    r"(?i)\b(can)(not)\b",
    r"(?i)\b(d)('ye)\b",
    r"(?i)\b(gim)(me)\b",
    r"(?i)\b(gon)(na)\b",
    r"(?i)\b(got)(ta)\b",
    r"(?i)\b(lem)(me)\b",
    r"(?i)\b(more)('n)\b",
    r"(?i)\b(wan)(na)(?=\s|\Z)",
)
"""MacIntyre's contractions, without those that begin with an apostrophe."""

_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        # opening quotes
        (r'^"', "``"),
        ("(``)", r" \1 "),
        (r"([ (\[{<])(\"|'{2})", r"\1 `` "),
        # punctuation, and the full stop at the text's end
        (r"([:,])(\D)", r" \1 \2"),
        (r"([:,])$", r" \1 "),
        (r"\.\.\.", " ... "),
        (r"([;@#$%&])", r" \1 "),
        (r"([^.])(\.)([\])}>\"']*)[^\S\x1c-\x1f]*$", r"\1 \2\3 "),  # as `\s` of the package `regex`
        (r"([?!])", r" \1 "),
        (r"([^'])' ", r"\1 ' "),
        (r"([\]\[(){}<>])", r" \1 "),
        ("--", " -- "),
        # one space in front of and behind the text
        (r"\A(?s:(.*))\Z", r" \1 "),
        # closing quotes, and what follows an apostrophe
        ("''", " '' "),
        ('"', " '' "),
        (r"([^' ])('[sS]|'[mM]|'[dD]|') ", r"\1 \2 "),
        (r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r"\1 \2 "),
        *((pattern, r" \1 \2 ") for pattern in CONTRACTIONS),
        (r"(?i) ('t)(is)\b", r" \1 \2 "),
        (r"(?i) ('t)(was)\b", r" \1 \2 "),
    )
)


def tokenise(text: str) -> list[str]:
    """The tokens of one text."""
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text.split()
