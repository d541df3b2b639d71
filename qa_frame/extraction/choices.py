"""The letter that a response to a multiple-choice question chooses, as in "The answer is (C)." and "C) Paris"."""

from __future__ import annotations

import re
import string
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from qa_frame.extraction.phrases import any_word, before_next_question
from qa_frame.extraction.stated_answers import stated_answer
from qa_frame.frames.options import letters_alone
from qa_frame.text.raw_texts import end_of_thought, has_open_thought, last_line

# --- responses without their dress: marks of bold and LaTeX go, all brackets become round

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
_MARKUP = re.compile(r"(?<![\w*`\"'])[*`\"'_<]{1,3}\(?([A-Ja-j])[.:)]?[*`\"'_>]{1,3}(?!\w)")
_MARKS = re.compile(r"[*`$\"]|(?m:^[ \t]*#+[ \t]*)")

_SCRIPTS = (
    ("\u0600-\u06ff", "أابجد", "AABCD"),
    ("\u0980-\u09ff", "অবডঢকখগঘ", "ABCDABCD"),
    ("\u0900-\u097f", "कखगघ", "ABCD"),
)
"""Scripts whose own letters name options: the range of their characters, these letters, and what they stand for."""
_OTHER_LETTERS = re.compile("|".join(f"(?<![{script}])[{own}](?![{script}])" for script, own, _ in _SCRIPTS))
_LATIN = {letter: latin for _, *pair in _SCRIPTS for letter, latin in zip(*pair, strict=True)}


def strip_markup(text: str) -> str:
    """Return the text in Unicode's form NFC, without marks of bold and LaTeX.

    All brackets are round, all letters of options are Latin, and `BOX` stands for a box, an answer tag or four hashes.
    """
    plain = _TEX.sub(lambda tex: _ANNOUNCED.get(tex[0].rstrip(), ""), unicodedata.normalize("NFC", text))
    plain = _MARKS.sub("", _MARKUP.sub(r"(\1)", plain.translate(_TABLE)))
    return plain if plain.isascii() else _OTHER_LETTERS.sub(lambda letter: _LATIN[letter[0]], plain)


# --- letters, and what stands beside them

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
SEVERAL = r"\(*(?=[A-J]{2,10}(?![A-Za-z0-9_'-]))(?P<run>A?B?C?D?E?F?G?H?I?J?)(?![A-Za-z])"
"""Letters in the order of the alphabet, with nothing between."""
WRONG_BEHIND = re.compile(
    rf"{BRACKETS}{GAP}(?:[-–,:]{GAP})?(?:(?:is|was|are|being|seems|can)[^\S\n]{{1,4}})?(?:also[^\S\n]{{1,4}})?"
    r"(?:n't|not\b(?!\s\(?[A-J]\b)|cannot|isn't|wrong|incorrect|false\b(?!,)|ruled out|eliminated|错|不|は誤|est faux"
    r"|ist falsch)",
    re.IGNORECASE,
)

_TEXT_BEHIND = re.compile(rf"\s?(?:[.:]\s?\)?(?!{GAP}(?:is|was|can)\b)|\)\s?(?=[A-Z])){GAP}(?=\w)")
"""What stands between a letter and the text of its option, which may be "False" or "Cannot be determined"."""


# --- the phrases. Their repetitions have bounds, so that no text takes quadratic time.

_ANSWERS = any_word("answer")
_OPTIONS = (
    r"(?:choice|option|selection|alternativ[ae]|response|prediction|conclusion|solution|opción|opção|opzione"
    r"|(?:(?:in)?correct|true|false) statement)(?!s(?!\sare\b))"
    r"|correct(?=\s?:)"
)
_IS = (
    rf"(?:\b(?:{any_word('verb')})\b"
    r"|应该是|應該是|应为|就是|是|为|為|选|選|は|が|은|는|है|হলো|হল|হচ্ছে|[—–=→⇒]|->|=>|-(?=\s))"
)
_FILL = (
    r"(?=(?P<fill>[\s,'-]{0,4}(?:(?:(?:most|likely|probably|clearly|therefore|indeed|actually|definitely|simply|just|still"
    r"|thus|then|in fact|donc|also|daher|entonces|portanto|quindi|(?-i:a(?=\s[B-J]\b))"
    r"|a opção|a letra|la letra|la lettre|la lettera|the|la|el|le|die|der|das|of|either|indicated by"
    r"|given by|that|it's|it is|is|letter|number"
    r"|labell?ed|answer|options?|choices?|opción|opção|alternativa|opzione|opsi|pilihan|Buchstabe|вариант|буква)\b|相"
    rf"|选项|選項|選択肢|选|選|الخيار|الحرف)[\s:]{{0,4}}){{0,6}}[{BOX}\s]{{0,4}}))(?P=fill)"
)
"""What may stand between. Backreferences to what was found ahead keep `re` from trying all its parts again.

So of two parts that begin alike, the longer one comes first.
"""


def _letter_between(before: str, behind: str = "") -> re.Pattern[str]:
    """Return a pattern of a letter between two phrases, which match in capitals and in lower case.

    before, behind: the patterns of the phrases.
    """
    return re.compile(f"(?i:{before}){LETTER}(?i:{behind})")


_MIDDLE = r"(?P<middle>[^.:;!?\n]{0,60}?)"
_ENDS = rf"(?={BRACKETS}{GAP}(?:[.,;:!(\n]|\Z|है|হ|'[dt]))"
_WORDS = re.compile(rf"(?<![A-Za-z])(?:(?P<answer>{_ANSWERS})|{_OPTIONS})|{BOX}")
_AFTER_WORD = _letter_between(rf"{_MIDDLE}\){{0,4}}\s{{0,4}}(?::|{_IS})[\s:-]{{0,8}}{_FILL}")
_RIGHT_AFTER_WORD = _letter_between(rf"\){{0,4}}{GAP}(?:(?:choice|option|letter)\s)?", _ENDS)
_INBOX = _letter_between(rf"(?P<middle>)[\s(]{{0,8}}{_FILL}", _ENDS)
_SEVERAL_AFTER_WORD = re.compile(rf"(?i:[\s()]{{0,4}}(?::|\bis\b|是|为)?{_FILL}){SEVERAL}")
_CHOOSE = re.compile(
    r"\b(?:choos(?:e|ing)|chose|chosen|pick(?:ed|ing)?|select(?:ed|ing)?|go(?:ing)? (?:with|for)|went (?:with|for)"
    r"|opt(?:ed|ing)? for|settled? on|vot(?:e|ing) for|lean(?:ing)? (?:towards?|to)|stick(?:ing)? with|guess(?:ing)?"
    r"|i(?:'d|'ll| would| will) say|conclude|mark|bet(?:ting)? on|wähle|elijo|choisis|scelgo|escolho|выбираю)\b"
    r"|(?<!不)(?:选|選)(?![项項])(?:择|擇|了|的是)?",
)
_CHOSEN = _letter_between(rf"\s{{0,4}}:?{_FILL}")
_NOT_BUT = _letter_between(
    rf"(?:\bnot|n't)\s(?:(?:option|choice)\s)?\({{0,4}}[A-J]\){{0,4}}[.,;]?\s{{0,4}}"
    rf"(?:but|it's|it is|rather|instead)(?: rather)?{_FILL}"
)
_ANY = re.compile(LETTER)
_IS_ONE = re.compile(
    rf"(?P<label>{BRACKETS})(?:(?P<middle>[^.;!?\n]{{0,60}}?)(?:\b(?:is|was|be|seems|looks|being|remains|as)\b|[—–])"
    r"(?P<kind>(?:\s\w{1,20}){0,3}?)\s(?:(?:answer|option|choice|response|(?:correct|right|best) one)"
    rf"(?!\s\(?[A-J](?:{BRACKETS}|\s)(?!\w))"
    r"|(?P<mild>correct|right|best|most (?:likely|accurate|appropriate|suitable|plausible)))\b"
    r"|\sthe (?:correct|right|best) (?:answer|option|choice|one)\b"
    r"|\s?(?:选项|選項|项|項)?\s?(?:是|为)?最?(?:正确|正確|对的|合适|恰当|合理)"
    rf"|\s?(?:が|는|가|이|번이|번)\s?(?:{SUITS}|정답(?!이\s?아)|맞(?!지\s?않))|{PICKED}"
    r"|(?P<fits>\s(?:makes the most sense|fits best|fits the best|works best|remains\b|is left\b|is(?=[.!]))))",
    re.IGNORECASE,
)
_TICKED = re.compile(r"(?m)^[^\w\n]{0,8}(?P<letter>[A-J])[.:)][^\n]{0,300}?(?:\(correct\)|✓|✔|✅|☑)[^\w\n]{0,8}$")
_VERDICT = re.compile(
    r"(?m)^[^\w\n]{0,8}(?:option )?(?P<letter>[A-J])[.:)][^\n]{0,300}?"
    r"\b(?:(?P<right>correct|right)|incorrect|wrong|false)\b",
    re.IGNORECASE,
)
_PRAISE = re.compile(
    r"answer|option|choice|response|one\b|correct|right|best|most|正确|正確|对的|合适|恰当|合理|正解|正しい|適切|該当|を選|정답|맞|sense"
    r"|remains|is left|is(?=[.!])",
)
"""The words of which `_IS_ONE` needs one. Like `_WORDS` and `_CHOOSE`, it reads lower case, which is twice as fast."""
_FARTHEST = 240
"""A letter and the end of `_IS_ONE` behind it have fewer characters between them."""
_AT_LINE_START = re.compile(r"(?:\A|\n)[^\w\n]{0,8}\Z")
_SINGLE = re.compile(rf"(?<![{IN_WORD}'])[A-J](?![{IN_WORD}'])")
_BESIDE = re.compile(
    rf"(?:[A-J]\)?\s?(?:[,/&–-]|\b(?:{AND}|to\b))|[A-Ja-j]\)?\s?[とや和与及])\s?(?:and |or )?(?:option |choice )?\(*\Z"
)
_FIRST = _letter_between(
    r"\A[^\w(]{0,8}(?:(?:option|choice|letter)[\s:]{1,3})?",
    rf"(?=\s?\)|{GAP}(?:\Z|\n|[.:;!?)]|[-–—]\s|,\s)"
    r"|\s(?:because|since|due|rather|over|not|most|probably|definitely|obviously"
    r"|is (?:the|correct|right|my|because|best))\b)",
)
_LAST = _letter_between(
    r"^[^\w(]{0,8}(?:(?:so|therefore|thus|hence|finally|conclusion|final|it is|it's|option|choice|yes|no)[\s:,]{1,4})"
    r"{0,3}",
    rf"(?=\s?\)|{GAP}(?:\Z|[.:!)]|[-–—]\s))",
)
_CONCLUDED = _letter_between(
    r"(?:\b(?:therefore|thus|so(?! is)|hence|(?<!so )is|be|it's|leaves|leaving|only|definitely|probably|certainly"
    r"|clearly|perhaps|likely|maybe|sure|surely|yes|with|think|believe|by elimination)\b|→|⇒|->|=>)"
    rf"[:\s,]{{0,4}}{_FILL}",
    rf"(?=\)|{BRACKETS}[.!]{{0,3}}{GAP}(?:\n|\Z)|{BRACKETS},?\s(?:because|since|as|not|rather|which)\b)",
)
_OPTION = re.compile(rf"(?:(?i:\b(?:option|choice)\s)\(?|{START}\()(?P<letter>[A-J])(?=[.:]?\)|{STOP})")

_BREAK = re.compile(r"[.!?;:,\n]|\b(?:but|so|however|therefore|thus|hence|then|and)\b", re.IGNORECASE)
_DOUBT = re.compile(
    r"\b(?:if|unless|whether|suppos\w+|assum\w+|might|some|many|students|people|often|initially|first|thought|tempting"
    r"|tempted|could|not|never|neither|nor|without|eliminate|instead of|rather than|other than|why not)\b|n't|不",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\b(?:not|never|neither|nor|none|wrong|incorrect\w*|worst|second|less|least|another|only if|except|eliminated?)\b"
    r"|n't|不|错",
    re.IGNORECASE,
)
_NO_KIND = re.compile(r"\b(?:an?|also|partly|partially|one of)\b", re.IGNORECASE)


# --- statements


class _Statement(NamedTuple):
    """What a phrase says of the answer.

    place: where its letter stands. letters: the letters in alphabetical order, "" where the phrase names several and
    not all are read. is_doubted: whether the phrase may not hold, as after "if".
    """

    place: int
    letters: str
    is_doubted: bool


def _find_statement(text: str) -> _Statement | None:
    """Return the statement of the text up to the next question; None if it has none, but speaks of an answer.

    If it does not even speak of one, return the statement of the whole text, or None.
    """
    before = before_next_question(text)
    plain = strip_markup(before)
    statement = _find_statement_in(plain)
    is_enough = statement is not None or before == text or _WORDS.search(plain.lower())
    return statement if is_enough else _find_statement_in(strip_markup(text))


def _find_statement_in(plain: str) -> _Statement | None:
    """Return what the text states as its answer; None if it states nothing.

    `stated_choice` says which statement counts. plain: the result of `strip_markup`, as in all functions below.
    """
    firm = next((each for each in _find_statements(plain) if not each.is_doubted), None)
    firm = _last_undoubted(_find_letters_called_right(plain, firm.place if firm else 0, is_final=True)) or firm
    return (
        firm
        or _letter_at_start(plain)
        or _letter_called_right(plain)
        or _letter_in_last_line(plain)
        or next(_find_statements(plain), None)
        or _only_letter_named(plain)
    )


def _last_undoubted(statements: Iterable[_Statement]) -> _Statement | None:
    """Return the last statement without doubt, by its place in the text; None if there is none."""
    return max((each for each in statements if not each.is_doubted), default=None)


def _find_statements(plain: str) -> Iterator[_Statement]:
    """Yield what phrases say of which letter the answer is, from the last phrase of the text to the first."""
    small, stop = plain.lower(), len(plain)
    announced = [*_WORDS.finditer(small), *_CHOOSE.finditer(small)]
    whole = [*_NOT_BUT.finditer(plain), *_TICKED.finditer(plain)]
    for phrase in sorted(announced + whole, key=re.Match.start, reverse=True):
        if phrase.re is _WORDS:
            yield from _read_after_word(plain, phrase, stop)
            stop = phrase.start() if phrase["answer"] or phrase[0] == BOX else stop
        else:
            letter = _CHOSEN.match(plain, phrase.end()) if phrase.re is _CHOOSE else phrase
            yield from _read_statement(plain, phrase.start(), letter)


def _read_after_word(plain: str, word: re.Match[str], stop: int) -> Iterator[_Statement]:
    """Yield what is stated between `word`, a word for the answer or a box, and `stop`: one statement or none."""
    end = word.end()
    match = (_INBOX if word[0] == BOX else _AFTER_WORD).match(plain, end, stop)
    if match and (_NO.search(match["middle"]) or _SINGLE.search(match["middle"])):
        match = None
    if match is None and word["answer"]:
        match = _RIGHT_AFTER_WORD.match(plain, end, stop)
    several = None if match else _SEVERAL_AFTER_WORD.match(plain, end, stop)
    if several:
        yield _Statement(several.end(), several["run"], is_doubted=False)
    yield from _read_statement(plain, word.start(), match, has_text=True)


def _read_statement(
    plain: str, start: int, match: re.Match[str] | None, *, is_judged: bool = False, has_text: bool = False
) -> Iterator[_Statement]:
    """Yield the statement of a phrase that begins at `start`; none without a match, or if its letter is called wrong.

    match: the match that has the letter. is_judged: whether the phrase itself calls the letter right, and may speak of
    only one of several. has_text: whether the text of an option may follow the letter.
    """
    if match is None:
        return
    letters, end = match["letter"].upper(), match.end("letter")
    if not is_judged:
        if WRONG_BEHIND.match(plain, end) and not (has_text and _TEXT_BEHIND.match(plain, end)):
            return
        letters = _with_letters_behind(plain, letters, end)
    elif _BESIDE.search(plain, max(start - 20, 0), start):
        letters = ""
    is_question = plain[end : end + 3].lstrip(". )")[:1] == "?"
    is_doubted = is_question or _is_doubted(plain, start) or (letters == "A" and _begins_list(plain, end))
    yield _Statement(match.start("letter"), letters, is_doubted)


def _lists_verdicts(plain: str) -> bool:
    """Return whether several lines that begin with a letter say that this option is right or wrong."""
    return len(_VERDICT.findall(plain)) > 1


def _with_letters_behind(plain: str, letter: str, end: int) -> str:
    """Return the letter that ends at the place `end`, and those named beside it, in the order of the alphabet."""
    letters = letter
    while len(letters) < len(_LETTERS) and (more := MORE.match(plain, end)):
        letters += more["other"].upper()
        end = more.end("other")
    return "".join(sorted(set(letters)))


def _is_doubted(plain: str, place: int) -> bool:
    """Return whether the clause before this place says that what follows may not hold."""
    return _DOUBT.search(_BREAK.split(plain[max(place - 80, 0) : place])[-1]) is not None


_NEXT_LABEL = re.compile(rf"(?<![{IN_WORD}'])B[.)](?!\w|\s(?:is|was|are|has|would|can|cannot|does|fails|and|or)\b)")
"""The second option of a list of options, of which nothing is said."""


def _begins_list(plain: str, end: int) -> bool:
    """Return whether a list of options begins with the letter A that ends at `end`."""
    return plain[end : end + 1] in (".", ")") and _NEXT_LABEL.search(plain, end, end + 400) is not None


def _find_letters_called_right(plain: str, start: int = 0, *, is_final: bool) -> Iterator[_Statement]:
    """Yield the statements of phrases that call a letter right, from the place `start` on, from the first to the last.

    is_final: whether to find phrases such as "C is the answer", or else those such as "C is correct".
    """
    praises = [word.start() for word in _PRAISE.finditer(plain.lower(), start)]
    for letter in _ANY.finditer(plain, start) if praises else ():
        place = bisect_left(praises, letter.end())
        if place == len(praises):
            return
        praise = _IS_ONE.match(plain, letter.end()) if praises[place] < letter.end() + _FARTHEST else None
        if praise is None or is_final == bool(praise["mild"] or praise["fits"]):
            continue
        if "." in praise["label"] and not _AT_LINE_START.search(plain, max(letter.start() - 10, 0), letter.start()):
            continue
        middle, kind = praise["middle"] or "", praise["kind"] or ""
        if not (_NO.search(middle + kind) or _NO_KIND.search(kind) or _SINGLE.search(middle)):
            yield from _read_statement(plain, letter.start(), letter, is_judged=True)


def _letter_called_right(plain: str) -> _Statement | None:
    """Return the statement that calls a letter right; None if there is none.

    It is that of the one letter which a list of three or more verdicts calls right, or else the last one without doubt.
    """
    verdicts = list(_VERDICT.finditer(plain))
    right = [match for match in verdicts if match["right"]]
    if len(right) == 1 and len(verdicts) > 2:
        return _Statement(right[0].start(), right[0]["letter"].upper(), is_doubted=False)
    return _last_undoubted(each for each in _find_letters_called_right(plain, is_final=False) if each.letters)


def _letter_at_start(plain: str) -> _Statement | None:
    """Return the statement of the letter that the response begins with.

    Return None if it begins with none, with an "A" in doubt, or with the "A" of a list of options.
    """
    statement = next(_read_statement(plain, 0, _FIRST.match(plain), has_text=not _lists_verdicts(plain)), None)
    if statement is None or statement.letters != "A":
        return statement
    line, _, rest = plain.strip().partition("\n")
    is_alone = len(line) <= len("**(A).**")
    is_list = re.match(r"(?m)\W{0,8}B\W{0,4}$", rest) if is_alone else _NEXT_LABEL.search(plain, statement.place)
    return None if is_list or statement.is_doubted else statement


def _letter_in_last_line(plain: str) -> _Statement | None:
    """Return the statement of the letter that the last line is or begins with.

    Without one, return the last statement that concludes a letter, as in "so it is C"; None if there is none.
    """
    before, _, line = plain.rstrip().rpartition("\n")
    match = _LAST.match(line)
    if match:
        statement = next(_read_statement(line, match.start(), match, has_text=True), None)
        before_it = chr(ord(statement.letters) - 1) if statement and len(statement.letters) == 1 else "@"
        is_listed = re.search(rf"(?m)^\W{{0,8}}{before_it}[.):]", before)
        if statement and not statement.is_doubted and not (is_listed and len(line.strip()) > len("(D).")):
            return statement
    return _last_undoubted(
        each for match in _CONCLUDED.finditer(plain) for each in _read_statement(plain, match.start(), match)
    )


def _only_letter_named(plain: str) -> _Statement | None:
    """Return the statement of the only option that the response names.

    Return None if it names none or several, or one with doubt.
    """
    named = [*_OPTION.finditer(plain)]
    statements = [each for match in named for each in _read_statement(plain, match.start(), match)]
    is_one = len({match["letter"] for match in named}) == 1 and not any(each.is_doubted for each in statements)
    return statements[-1] if is_one and statements else None


# --- the options' texts


def stated_choice(text: str, options: Sequence[str] = ()) -> str | None:
    """Return the letter from A to J that the response chooses; None if it chooses none, or several.

    The last phrase that says it without doubt counts. Without one: the letter that the response begins with, the last
    one that is called right, the one at the end of the last line, what is said with doubt, and the only option named.

    Where the options' texts are known, a letter beyond the last option is none. A response that names no letter then
    chooses the option that its last line is, or else the only one whose text is in what it states as the answer, or in
    a response that is short: a long one is mostly reasoning. An option within a longer one that is found does not
    count, nor does a text with a denial. A thought that never ends chooses nothing.
    """
    if has_open_thought(text):
        return None
    statement = _find_statement(text)
    if statement is not None and (len(statement.letters) != 1 or _are_options(statement.letters, options)):
        return statement.letters if len(statement.letters) == 1 else None
    if not options:
        return None
    words = [_words_alone(option) for option in options]
    last = _words_alone(last_line(text))
    if last in words:
        return _letter_of(last, words)
    parts = (part for part in (stated_answer(text), text.strip()) if part and len(part) <= _LONGEST)
    return next(filter(None, (_only_option(part, words) for part in parts)), None)


def _are_options(letters: str, options: Sequence[str]) -> bool:
    """Return whether there are options for all of these letters; True where no option has a text.

    letters: in alphabetical order.
    """
    return not any(options) or ord(letters[-1]) - ord("A") < len(options)


def stated_letters(text: str, options: Sequence[str] = ()) -> str | None:
    """Return the letters from A to J that the response chooses, as "B, E"; None if it chooses none.

    They are those of its lines if each has one, those of its last line if it has nothing else, those of the phrase that
    counts for `stated_choice`, or those that it begins with. Else it is the one letter of `stated_choice`.
    """
    letters = _several_letters(text)
    if len(letters) > 1 and _are_options(letters, options) and not has_open_thought(text):
        return ", ".join(letters)
    return stated_choice(text, options)


def _several_letters(text: str) -> str:
    """Return the letters that a response chooses, as "BE": in alphabetical order, without a space.

    The result may have one letter or none; `stated_choice` then decides.
    """
    plain = strip_markup(before_next_question(text[end_of_thought(text) :])).strip()
    lines = [line for line in plain.split("\n") if line.strip() and not line.endswith(":")]
    labels = [label["letter"].upper() for label in map(_LABEL.match, lines) if label]
    if len(labels) == len(lines) > 1 and not _lists_verdicts(plain):
        return "".join(sorted(set(labels)))
    alone = letters_alone(last_line(plain))
    statement = None if alone else _find_statement(text)
    first = None if alone or statement else _FIRST_OF_SEVERAL.match(plain)
    if first:
        return _with_letters_behind(plain, first["letter"].upper(), first.end("letter"))
    return statement.letters if statement else alone


_LABEL = re.compile(r"\W{0,8}(?P<letter>[A-Ja-j])(?:[.:)]|\s*\Z)")
_FIRST_OF_SEVERAL = _letter_between(r"\A[^\w(]{0,8}(?:(?:options?|choices?|letters?|both)[\s:]{1,3}){0,2}")

_LONGEST = 240
"""A longer text, in characters, is not searched for those of options."""

_NO_SIGN = str.maketrans(string.punctuation, " " * len(string.punctuation))


def _words_alone(text: str) -> str:
    """Return the words of a text without markup, punctuation and capitals, with a space before and behind each."""
    return f" {' '.join(strip_markup(text).casefold().translate(_NO_SIGN).split())} "


def _only_option(text: str, words: Sequence[str]) -> str | None:
    """Return the letter of the only option that a text has; None if it has none or several, or denies something.

    words: the options as `_words_alone` gives them.
    """
    stated = _words_alone(text)
    named = {option for option in words if option.strip() and option in stated}
    named -= {short for short in named for long in named if short != long and short in long}
    return None if len(named) != 1 or _NO.search(strip_markup(text)) else _letter_of(named.pop(), words)


def _letter_of(option: str, words: Sequence[str]) -> str | None:
    """Return the letter of an option of `words`; None if two options have the same words, or it is beyond J."""
    return "ABCDEFGHIJ"[words.index(option) :][:1] or None if words.count(option) == 1 else None
