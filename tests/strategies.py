"""Nasty text, drawn from few words at a time so that predictions and golds overlap; and conventions as parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import strategies as st

Row = tuple[str, list[str]]

LINE_ENDS = ("\n", "\r\n", "\r", "-\n", "- \n", "-\r\n", "-<skipped>\n", "-\n<skipped>", "--\n\n")
SPACES = ("\t", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\xa0", "\u1680", "\u2003", "\u2028", "\u3000")
NOT_SPACES = ("\x00", "\x01", "\x1b", "\x7f", "\u180e", "\u200b", "\u200d", "\u2060", "\ufeff")
ARTICLES = ("a", "an", "the", "A", "An", "THE", "a-b", "a–b", "the’s", "'the'", "anthe", "ａ", "á", "a\u0301")
CASES = ("İ", "ı", "i\u0307", "ΟΔΟΣ", "Σ", "Σ'", "οδος", "ß", "ẞ", "SS", "\u212a", "K", "\u212b", "ﬁ", "Ǆ", "Éa", "éA")
DIGITS = (
    "3.14",
    "1,000",
    "10-20",
    "10–20",
    "007",
    "1.",
    ".5",
    "5,",
    "٣",
    "٣.٣",
    "²",
    "½",
    "１Ａ",
    "1-",
    "-1",
    "x.1",
    "1.x",
)
MARKS = (
    ".",
    ",",
    "-",
    "'",
    "_",
    "..",
    "...",
    ".,",
    "1..2",
    "$5",
    "()",
    "[]",
    '"',
    "``",
    "/",
    "\\",
    "—",
    "«»",
    "。",
    "¿",
)
ENTITIES = (
    "&quot;",
    "&amp;",
    "&lt;",
    "&gt;",
    "&amp;lt;",
    "&amp;amp;",
    "&",
    "&;",
    "&nbsp;",
    "<skipped>",
    "<skip<skipped>ped>",
)
WORDS = ("cat", "Cat", "cats", "CAT", "at", "U.S.", "e.g.", "it's", "a_b", "state-of-the-art", "x")
OTHERS = ("\u0301", "e\u0301", "é", "😀", "👩\u200d👧", "東京", "東", "Αθήνα", "Жук", "عربي", "\U0001d7d8")

FRAGMENTS = (
    *LINE_ENDS, *SPACES, *NOT_SPACES, *ARTICLES, *CASES, *DIGITS, *MARKS, *ENTITIES, *WORDS, *OTHERS,
)  # fmt: skip

QUOTES = (
    '"', "''", "``", "'s", "n't", "can't", "cannot", "Cannot", "gonna", "wanna", "'tis", "'Twas", "d'ye", "gimme",
    "more'n", "lemme", "'ll", "...", "--", "(so)", "yes?", "no!)", 'what?"', "so:", "a,b", "a, b", "end.",
    '"end."', "%",
)  # fmt: skip
NUMBERS = ("1", "1.0", "01", "+1", "-1", "1e3", "1000", ".5", "0.5", "5.", "1e999", "-0", "0", "1.0e0", "\u0663")
STOPPED = (".", "..", ". ", " .", "one.", ".two", "...", ". .", "one", "two", " ")
STOP_WORDS = ("the", "not", "don't", "dont", "can", "now", "d", "ve", "NOT", "it's", "notable")
CHINESE = (
    "北京", "我爱北京天安门", "中", "，", "。", "……", "：", "！", "—", "「中」", "hello世界", "㐀", "龥", "龦", "\n",
    "Tokyo Bay", "3.5%", "C++", "a-b", "~", "^", "—中", "“中”", "’s", "\r\n", "ｆｕｌｌ",
)  # fmt: skip

SEPARATORS = ("", " ", " ", "  ", "\n", "\t", "\u3000")

ORDINARY_WORDS = (
    "the", "The", "a", "cat", "cats", "sat", "on", "mat.", "mat,", "Paris", "(1999)", "3.14", "1,000", "10-20",
    "it's", '"so"', "U.S.", "café", "naïve", "Ευρώπη", "AT&T", "&amp;", "well-known", "half - done",
)  # fmt: skip

any_text = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
fragments = st.sampled_from(FRAGMENTS) | any_text
ordinary_texts = st.lists(st.sampled_from(ORDINARY_WORDS), max_size=15).map(" ".join)


def texts_of(words: st.SearchStrategy[str], *, max_words: int = 14) -> st.SearchStrategy[str]:
    """Texts of up to `max_words` of these words, some with nothing between them."""
    spaced = st.tuples(words, st.sampled_from(SEPARATORS)).map("".join)
    return st.lists(spaced, max_size=max_words).map("".join)


def golds_like(pred: str, texts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Texts, or parts and variants of the prediction."""
    places = st.integers(0, len(pred))
    parts = st.tuples(places, places).map(lambda bounds: pred[min(bounds) : max(bounds)])
    variants = st.sampled_from((pred, pred.upper(), pred.title(), pred.strip(), f"The {pred}.", f"{pred}\n"))
    return texts | parts | variants


@st.composite
def rows(draw: st.DrawFn, texts: st.SearchStrategy[str], *, max_golds: int) -> Row:
    """A prediction and its golds, one or more."""
    pred = draw(texts)
    return pred, draw(st.lists(golds_like(pred, texts), min_size=1, max_size=max_golds))


@st.composite
def frames(
    draw: st.DrawFn, *, max_rows: int = 6, max_golds: int = 4, pieces: st.SearchStrategy[str] = fragments
) -> list[Row]:
    """Rows of nasty text, all from one small vocabulary."""
    vocabulary = draw(st.lists(pieces, min_size=1, max_size=7))
    texts = texts_of(st.sampled_from(vocabulary))
    return draw(st.lists(rows(texts, max_golds=max_golds), min_size=1, max_size=max_rows))


nasty_pieces = st.one_of(*map(st.sampled_from, (QUOTES, NUMBERS, STOPPED, STOP_WORDS, CHINESE, WORDS, ARTICLES)))


def nasty_frames(*, max_rows: int = 5, max_golds: int = 4) -> st.SearchStrategy[list[Row]]:
    """Rows of what conventions look at: quotes, contractions, numbers, sentences, stop words, Chinese."""
    return frames(max_rows=max_rows, max_golds=max_golds, pieces=nasty_pieces)


USUAL = {
    "squad", "squad2", "context_bench", "continuous_eval", "drop", "helm", "hf_bleu", "inspect_match_numeric",
    "mindformers", "mlqa_zh",
}  # fmt: skip
"""Conventions that together have every kind of rule."""


def usual_conventions(names: Iterable[str]) -> list[str]:
    """Those of these conventions that together have every kind of rule."""
    return [name for name in names if name in USUAL]


def each_convention(names: Iterable[str]) -> list[Any]:
    """These conventions as parameters of a test. All but the usual ones are for thorough runs."""
    return [pytest.param(name, marks=() if name in USUAL else pytest.mark.thorough) for name in names]
