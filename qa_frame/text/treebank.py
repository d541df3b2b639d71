"""Penn Treebank tokens, by the rules of NLTK 3.10.4: `TreebankWordTokenizer` on whole texts, and `word_tokenize`."""

from __future__ import annotations

import re

from qa_frame.text import punkt

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

_SPACE = r"[^\S\x1c-\x1f]"  # as `\s` of the package `regex`


def _compile(*rules: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern), replacement) for pattern, replacement in rules)


_CLITICS = (
    (r"([^' ])('[sS]|'[mM]|'[dD]|') ", r"\1 \2 "),
    (r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r"\1 \2 "),
    *((pattern, r" \1 \2 ") for pattern in CONTRACTIONS),
    (r"(?i) ('t)(is)\b", r" \1 \2 "),
    (r"(?i) ('t)(was)\b", r" \1 \2 "),
)
_OPENING_QUOTES = (
    (r'^"', "``"),
    ("(``)", r" \1 "),
    (r"([ (\[{<])(\"|'{2})", r"\1 `` "),
)
_RULES = _compile(
    *_OPENING_QUOTES,
    # punctuation, and the full stop at the text's end
    (r"([:,])(\D)", r" \1 \2"),
    (r"([:,])$", r" \1 "),
    (r"\.\.\.", " ... "),
    (r"([;@#$%&])", r" \1 "),
    (rf"([^.])(\.)([\])}}>\"']*){_SPACE}*$", r"\1 \2\3 "),
    (r"([?!])", r" \1 "),
    (r"([^'])' ", r"\1 ' "),
    (r"([\]\[(){}<>])", r" \1 "),
    ("--", " -- "),
    # one space in front of and behind the text
    (r"\A(?s:(.*))\Z", r" \1 "),
    # closing quotes, and the letters behind an apostrophe
    ("''", " '' "),
    ('"', " '' "),
    *_CLITICS,
)
_WORD_OPENING_QUOTES = _compile(("([«“‘„]|`+)", r" \1 "), *_OPENING_QUOTES)
_WORD_RULES = _compile(
    # The run of marks and spaces behind the full stop is taken as a whole, or its length would count by its square.
    (rf"([^.])(\.)(?=([\])}}>\"'»”’ ]*))\3{_SPACE}*$", r"\1 \2 \3 "),
    (r"([:,])(\D)", r" \1 \2"),
    (r"([:,])$", r" \1 "),
    (r"(\.{2,})", r" \1 "),
    ("([;@#$%&\u2012-\u2015])", r" \1 "),
    (rf"([^.])(\.)([\])}}>\"']*){_SPACE}*$", r"\1 \2\3 "),
    (r"([?!])", r" \1 "),
    (r"([^'])' ", r"\1 ' "),
    (r"([*\]\[(){}<>])", r" \1 "),
    ("--", " -- "),
    (r"\A(?s:(.*))\Z", r" \1 "),
    ("([»”’])", r" \1 "),
    ("''", " '' "),
    ('"', " '' "),
    (f"{_SPACE}+", " "),
    *_CLITICS,
)
_APOSTROPHE = re.compile("'")
_CLITIC = re.compile("(?i)re|ve|ll|[mtsdn]")
_SHORTENED = frozenset({"cannot", "gimme", "gonna", "gotta", "lemme", "wanna"})


def tokenise(text: str) -> list[str]:
    """Return the tokens of one text, as NLTK's `TreebankWordTokenizer` gives them."""
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text.split()


def tokenise_words(text: str) -> list[str]:
    """Return the tokens of one text in lower case, sentence by sentence, as NLTK's `word_tokenize` gives them."""
    if text.isalnum() and text not in _SHORTENED:
        return [text]
    return [token for sentence in punkt.sentences_of_lower_case(text) for token in _words_of_sentence(sentence)]


def _words_of_sentence(text: str) -> list[str]:
    """Return the tokens of one sentence."""
    for pattern, replacement in _WORD_OPENING_QUOTES:
        text = pattern.sub(replacement, text)
    if "'" in text:
        text = _APOSTROPHE.sub(lambda match: "' " if _opens_word(match) else "'", text)
    for pattern, replacement in _WORD_RULES:
        text = pattern.sub(replacement, text)
    return text.split()


def _opens_word(apostrophe: re.Match[str]) -> bool:
    """Return whether a word that is not a clitic begins behind the apostrophe, and none ends in front of it."""
    text, place = apostrophe.string, apostrophe.end()
    if _is_in_word(text[place - 2 : place - 1]) or not _is_in_word(text[place : place + 1]):
        return False
    clitic = _CLITIC.match(text, place)
    return clitic is None or _is_in_word(text[clitic.end() : clitic.end() + 1])


def _is_in_word(character: str) -> bool:
    """Return whether a character is one of words to the package `regex`, which NLTK uses; False for an empty str."""
    return character != "" and (character.isdecimal() or punkt.is_letter(character))
