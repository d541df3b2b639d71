"""Penn Treebank tokens, by the rules of NLTK's `TreebankWordTokenizer` on a text that is not cut into sentences."""

from __future__ import annotations

import re

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
        (r"([^.])(\.)([\])}>\"']*)[^\S\x1c-\x1f]*$", r"\1 \2\3 "),  # without the white space that only `str` knows
        (r"([?!])", r" \1 "),
        (r"([^'])' ", r"\1 ' "),
        (r"([\]\[(){}<>])", r" \1 "),
        ("--", " -- "),
        # one space in front of and behind the text
        (r"\A(?s:(.*))\Z", r" \1 "),
        # closing quotes, and what is joined by an apostrophe
        ("''", " '' "),
        ('"', " '' "),
        (r"([^' ])('[sS]|'[mM]|'[dD]|') ", r"\1 \2 "),
        (r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r"\1 \2 "),
        # MacIntyre's contractions
        (r"(?i)\b(can)(not)\b", r" \1 \2 "),
        (r"(?i)\b(d)('ye)\b", r" \1 \2 "),
        (r"(?i)\b(gim)(me)\b", r" \1 \2 "),
        (r"(?i)\b(gon)(na)\b", r" \1 \2 "),
        (r"(?i)\b(got)(ta)\b", r" \1 \2 "),
        (r"(?i)\b(lem)(me)\b", r" \1 \2 "),
        (r"(?i)\b(more)('n)\b", r" \1 \2 "),
        (r"(?i)\b(wan)(na)(?=\s)", r" \1 \2 "),
        (r"(?i) ('t)(is)\b", r" \1 \2 "),
        (r"(?i) ('t)(was)\b", r" \1 \2 "),
    )
)


def tokenise(text: str) -> list[str]:
    """The tokens of a text."""
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text.split()
