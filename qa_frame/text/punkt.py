"""Sentences by the rules of NLTK 3.10.4's Punkt: in texts of any kind, and in texts of lower case.

Punkt looks at every mark (a full stop, "?" or "!") before a bracket, a quote, some other marks, or white space. Several
such marks may stand between two characters of ASCII white space. Punkt takes only the last one then, and the first one
if it stands in front. A sentence ends behind each mark that Punkt takes, but not behind an abbreviation.

This module knows three parts of the trained English model: its abbreviations, its collocations, and the few words that
it has seen in lower case alone where a sentence begins.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import pairwise

_LISTED = """
a.a a.c a.d a.g a.h a.m a.m.e a.s a.t adm ala ariz aug ave b.f b.v bros c c.i.t c.o.m.b c.v calif chg cie co col
colo conn corp cos ct d d.c d.h d.w dec dr e e.f e.h e.l e.m f f.g f.j feb fla fri ft g g.d g.f g.k ga gen h h.c
h.f h.m i.m.s ill inc j.b j.c j.j j.k j.p j.r jan jr k kan ky l l.a l.f l.p lt ltd m m.b.a m.d.c m.j maj messrs
mg mich minn mr mrs ms n n.c n.d n.h n.j n.m n.v n.y nev nov oct ok okla ore p p.a.m p.m pa ph.d prof r r.a r.h
r.i r.j r.k r.t rep reps s s.a s.a.y s.c s.g s.p.a s.s sen sep sept sr st sw t t.j tenn tues u.k u.n u.s u.s.a
u.s.s.r v va vs vt w w.c w.r w.va w.w wash wed wis yr
"""
ABBREVIATIONS = frozenset(_LISTED.split())
"""The abbreviations of NLTK's English model, in lower case without the last full stop."""

_AFTER_NUMBERS = """
abreast aes business cbot colgate commodities cooper corrections credit dividend financing genentech henley insider
international leisure letters notable pay-fone pegasus pepper review rj wedgestone who zimmer
"""
_COLLOCATIONS = {
    "##number##": frozenset(_AFTER_NUMBERS.split()),
    "b": ("edelman", "levine", "smith", "stewart", "wigton"),
    "i": ("magnin", "toussie"),
    "j": ("aron", "fialka", "walter"),
    "o": ("ludcke",),
}
"""The words that go with the word before a full stop, where no sentence ends."""

_FIRST_WORDS = frozenset({"administrators", "b-week", "r-revised", "z-holiday"})
"""The words that the model has seen where a sentence begins in lower case, and nowhere in upper case."""

_SPACE = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"  # white space, by Unicode
_ASCII_SPACE = " \t\n\r\x0b\x0c"
_ENDS_WORD = r"""[)";}\]*:@'({\[\u2018\u2019\u201c\u201d\xab\xbb?!]"""
_CLOSERS = r"""["')\]}\u2018\u2019\u201c\u201d\xab\xbb]"""

_MARK = re.compile(rf"[.?!](?=(?P<behind>{_ENDS_WORD}|[{_SPACE}]+(?P<next>[^{_SPACE}]+)))")
_MOVED_BACK = re.compile(rf"{_CLOSERS}+?(?:[{_SPACE}]+|(?=--)|$)", re.MULTILINE)
_SEVERAL = rf"(?:-{{2,}}|\.{{2,}}|(?:\.[{_SPACE}]){{2,}}\.)"
_TOKEN = re.compile(
    rf"""{_SEVERAL}|(?=[^("`{{\[:;&#*@)}}\]\-,])[^{_SPACE}]+?"""
    rf"""(?=[{_SPACE}]|$|{_ENDS_WORD}|{_SEVERAL}|,(?:$|[{_SPACE}]|{_ENDS_WORD}|{_SEVERAL}))|[^{_SPACE}]"""
)
_NUMBER = re.compile(r"-?[.,]?\d[\d,.-]*")


def separate_sentences(text: str) -> str:
    """Return the text with a space where a sentence ends and the next one begins without white space."""
    parts, end = [], 0
    for start, stop in _sentence_spans(text, _ends_sentence):
        parts += [" " if start == end and start else text[end:start], text[start:stop]]
        end = stop
    return "".join([*parts, text[end:]])


def sentences_of_lower_case(text: str) -> list[str]:
    """Return the sentences of a text that has no upper case, as NLTK's `sent_tokenize` gives them."""
    return [text[start:stop] for start, stop in _sentence_spans(text, _ends_sentence_of_lower_case)]


def _sentence_spans(text: str, ends_sentence: Callable[[str, str], bool]) -> Iterator[tuple[int, int]]:
    """Yield where each sentence begins and ends. Closing quotes and brackets move to the sentence before them.

    ends_sentence: whether a sentence ends behind a token, which is given with the one that follows.
    """
    n_moved, spans = 0, [*_spans_up_to_marks(text, ends_sentence)]
    for span, following in zip(spans, [*spans[1:], None], strict=True):
        start, stop = span[0] + n_moved, span[1]
        n_moved = 0
        if following is not None and (closers := _MOVED_BACK.match(text, *following)) is not None:
            yield start, following[0] + len(closers[0].rstrip())
            n_moved = closers.end() - following[0]
        elif start < stop:
            yield start, stop


def _spans_up_to_marks(text: str, ends_sentence: Callable[[str, str], bool]) -> Iterator[tuple[int, int]]:
    """Yield where each sentence begins and ends, if each ends right behind its mark.

    ends_sentence: as in `_sentence_spans`.
    """
    start = 0
    for word_start, mark in _deciding_marks(text):
        tokens = _tokens_of_context(text[word_start : mark.end()] + mark["behind"])
        if any(ends_sentence(token, following) for token, following in pairwise(tokens)):
            yield start, mark.end()
            start = mark.end() if mark["next"] is None else mark.start("next")
    yield start, len(text.rstrip())


def _deciding_marks(text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the marks that may end a sentence, each with where its word begins.

    A mark replaces the one before it in the same word, unless that one begins the word.
    """
    word_start, last = 0, None
    for mark in _MARK.finditer(text):
        searched = 0 if last is None else last.start()
        space = max(text.rfind(character, searched, mark.start()) for character in _ASCII_SPACE)
        # White space at the very start of the text counts for none, as NLTK has it.
        next_start = space + 1 if space > searched else word_start
        if last is not None and last.start() <= next_start:
            yield word_start, last
        word_start, last = next_start, mark
    if last is not None:
        yield word_start, last


def _tokens_of_context(context: str) -> list[str]:
    """Return the tokens of a mark's context, as Punkt finds them: the word with the mark, and what follows the mark."""
    return [token for line in context.split("\n") if line.strip() for token in _TOKEN.findall(line)]


def _ends_sentence(token: str, following: str) -> bool:
    """Return whether a sentence ends behind this token, before the following one."""
    if token in {".", "?", "!"}:
        return True
    if not token.endswith(".") or token.endswith(".."):
        return False
    before = token[:-1].lower()
    if before.rpartition("-")[2] in ABBREVIATIONS:
        return False
    return not _goes_on(before, following, is_number=_NUMBER.fullmatch(before) is not None)


def _goes_on(before: str, following: str, *, is_number: bool) -> bool:
    """Return whether the sentence goes on behind the full stop of an initial or a number; False behind all else.

    before: the word before the full stop. following: the next token, which decides. is_number: whether `before` is a
    number.
    """
    is_initial = len(before) == 1 and is_letter(before)
    if not (is_initial or is_number):
        return False
    is_mark = following in {";", ":", ",", ".", "!", "?"}
    return is_mark or following[0].islower() or (is_initial and following[0].isupper())


def _ends_sentence_of_lower_case(token: str, following: str) -> bool:
    """Return whether a sentence ends behind a token of a text in lower case, by the whole model."""
    if not _has_full_stop(token):
        return token in {".", "?", "!"}
    before = token[:-1]
    behind = following[:-1] if _has_full_stop(following) else following
    is_number = _NUMBER.fullmatch(before) is not None
    if behind in _COLLOCATIONS.get("##number##" if is_number else before, ()):
        return False
    return behind in _FIRST_WORDS or not _goes_on(before, following, is_number=is_number)


def _has_full_stop(token: str) -> bool:
    """Return whether a token is a word with one full stop at its end, and no abbreviation."""
    before = token[:-1]
    is_word = before and token.endswith(".") and not token.endswith("..")
    return bool(is_word) and before != ". . " and before.rpartition("-")[2] not in ABBREVIATIONS


def is_letter(character: str) -> bool:
    """Return whether the package `regex`, which NLTK uses, takes a character for one of words, digits aside."""
    category = unicodedata.category(character)
    is_lettered = character.isupper() or character.islower()  # so are circled letters
    return category[0] in "LM" or category in {"Nl", "Pc"} or is_lettered or character in "\u200c\u200d"
