"""Patterns of the letter of an option, and of what may stand beside it.

All repetitions have bounds, so that no text takes quadratic time.
"""

from __future__ import annotations

import re

from qa_frame.text.answers.languages import any_word

IN_WORD = r"A-Za-z0-9_\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff"
_CJK = r"\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3"
"""Characters of Chinese, Japanese and Korean, whose words have no spaces between them."""
GAP = r"[^\S\n]{0,4}"
_AFTER_A = (
    "appears|are|as|and|at|based|because|but|by|can|does|due|fits|for|from|given|has|here|if|in|instead|is|it|looks|"
    "makes|not|on|or|over|rather|remains|seems|should|since|than|that|to|was|which|with|would"
)
_AFTER_I = "based|because|due|instead|is|over|rather|since|that|which"
"""The words that can follow the letter, and hardly the article or the pronoun."""

START = rf"(?<![{IN_WORD}'\\^-])"
STOP = (
    rf"(?![{IN_WORD}\\^]|'(?!(?:d[iıuü]r|t[iıuü]r)\b)|-[{IN_WORD}]|{GAP}[=+<>^]|\#"
    r"|\.[A-Z](?![A-Za-z])|\.[^\S\n][A-Z]\.)"
)
SUITS = "(?:最も)?(?:正解|正しい|適切|該当)(?!では?(?:な|あり))"
PICKED = (
    r"を選(?:(?:び|択し|択いたし)ま(?:しょう|す|した)(?!か)|(?:ぶ|んだ|択(?:する|した)?)(?=\s?(?:[.,!)\n]|\Z)|理由|ことに[しす])|択し(?=,)"
    rf"|(?:ぶ|択する|択す)べき(?!では?(?:な|あり)|か)|(?:ぶ|択する)のが{SUITS})"
)
"""What is said in Japanese of a letter that is chosen. Of one that is not, other forms of the same verbs are."""
_NO_WORD = (
    r"选项|選項|[项項](?!目)|[和与及或とや]\s?[A-Ja-j](?![A-Za-z])|因为|因為|而[不非]|吧|(?:是|为)?最?(?:正确|正確|对的|合适|恰当|合理)"
    r"|解析|的(?=\s?(?:[.,)\n]|\Z))|かな(?=\s?(?:[.,!)\n]|\Z))"
    rf"|で(?:す|し[たょ]|あ[るり]|,)|だ(?:[.,)\n]|\Z|ろう|と)|[とに]な[りるっ]|と[思考]|が(?:{SUITS})|{PICKED}"
    r"|번?(?:입니다|이[다고며]|이에요|예요|[이가]\s?(?:정답|맞))|번(?=\s?(?:[.,)\n]|\Z))"
)
"""What may follow a small letter in Chinese, Japanese and Korean, where it is no part of a word, as c语言 is."""
LETTER = (
    rf"{START}(?:\({{1,4}}\s?(?=[A-Ja-j]\s?[.:]?\s?\))"
    rf"|\({{0,4}}(?=[B-HJ]{STOP}|A{STOP}(?![^\S\n]{{1,4}}(?!(?:{_AFTER_A})\b)[{IN_WORD}])"
    rf"|I{STOP}(?![^\S\n]{{1,4}}(?!(?:{_AFTER_I})\b)[{IN_WORD}]|,)"
    rf"|[a-j](?={GAP}(?:[.,;:!)\n]|\Z)|{_NO_WORD})(?!\.[A-Za-z]\.)))(?P<letter>[A-Ja-j])"
)
"""A letter between brackets; else one that no part of a word, formula or name is beside, and small ones at an end."""
BRACKETS = r"\s?[.:]?\s?\){0,4}"
"""What may follow a letter before the text goes on."""
AND = rf"(?:{any_word('together')})(?!\w)"
"""What stands between letters that are named together."""
MORE = re.compile(
    rf"{BRACKETS}{GAP}(?:,?{GAP}{AND}|(?P<between>[及和与或と])|[,;/&+]){GAP}"
    rf"(?:(?:both|options?|choices?)[^\S\n]{{1,4}})?\({{0,4}}(?P<other>[A-Ja-j])(?={BRACKETS}{GAP}"
    rf"(?:[.,;:!?/&+)\n]|\Z|(?:are|both|together)\b|{AND}|[和或与]|(?(between)[{_CJK}]|(?!))))"
)
"""Another letter that is named beside the first."""
SEVERAL = r"\(*(?=[A-J]{2,10}(?![A-Za-z0-9_'-]))A?B?C?D?E?F?G?H?I?J?(?![A-Za-z])"
"""Letters in the order of the alphabet, with nothing between."""
WRONG_BEHIND = re.compile(
    rf"{BRACKETS}{GAP}(?:[-–,:]{GAP})?(?:(?:is|was|are|being|seems|can)[^\S\n]{{1,4}})?(?:also[^\S\n]{{1,4}})?"
    r"(?:n't|not\b(?!\s\(?[A-J]\b)|cannot|isn't|wrong|incorrect|false\b(?!,)|ruled out|eliminated|错|不|は誤|est faux"
    r"|ist falsch)",
    re.IGNORECASE,
)
