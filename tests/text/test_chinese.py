"""Chinese and mixed text: a piece of any length is cut as `jieba` cuts it."""

from __future__ import annotations

import time

import jieba
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qa_frame.text import chinese, treebank
from tests.reference.oracles_of_languages import word_tokenize
from tests.strategies import CHINESE, texts_of

FREQUENT = ("的", "的", "一", "中", "中国", "人民", "龘", "哈哈", "硕士", "。", "a", "3.14%", "𠀀", "é")
runs = st.tuples(
    st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF) | st.sampled_from(FREQUENT), st.integers(1, 30)
)
chinese_pieces = st.lists(runs.map(lambda run: run[0] * run[1]), min_size=2).map("".join)
marks = st.characters(min_codepoint=33, max_codepoint=126)
pieces = st.lists(marks | st.sampled_from(["C++", "AT&T", "abc", "3.14%", "x", "é", "日"]), min_size=2).map("".join)


@pytest.fixture(autouse=True, scope="module")
def quiet():
    jieba.setLogLevel(60)


@settings(deadline=None)
@given(piece=pieces | chinese_pieces)
@example(piece="的" * 999)
@example(piece="龘" * 998)
def test_pieces_are_cut_as_jieba_cuts_them(piece):
    assert chinese.cut_piece(piece) == jieba.lcut(piece)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "n"),
    [
        *((text, 200_000) for text in ("x", "1,", "&amp;")),
        *((text, 5_000) for text in ("中国", "龘", "T恤")),
    ],
)
def test_a_long_piece_takes_little_time(text, n):
    start = time.process_time()
    tokens = chinese.cut_piece(text * (n // len(text)))
    assert time.process_time() - start < 20
    assert "".join(tokens) == text * (n // len(text))


@pytest.mark.parametrize("piece", ["\r\n", "\r", "\n", "的", "é"])
def test_a_line_end_is_one_token(piece):
    assert chinese.cut_piece(piece) == jieba.lcut(piece) == [piece]


@given(text=texts_of(st.sampled_from(CHINESE) | st.sampled_from(["AT&T 3.14%", "T恤", "\x1f", "\r\n", "小明硕士毕业"])))
def test_words_are_those_that_jieba_finds_in_the_whole_text(text):
    assert chinese.separate_words(text).split() == " ".join(jieba.lcut(text)).split()


# What NLTK's `word_tokenize` looks at, in lower case.
WORDS = (
    "mr j b i walter smith rj 5 12 3.14 1,000 administrators b-week a.b e.g u.s x no the r-inc inc t d'ye it's don't"
)
MARKS = "! ? .. ... '' ' ` `` ( ) [ ] { } < > « » “ ” ‘ ’ „ – — - -- , : ; @ # $ % & * _ cannot 'tis 's 're"
OTHERS = ". . .|. . |\n|\t|\x1c|\x1f|\x85|\xa0|\u3000|\u200b|\u200d|ſ|\u0301|²|ⓐ|٣|é|ß|한|か|😀|㐀|𝐀|ⅷ|…|~"
PARTS = (*WORDS.split(), *MARKS.split(), *OTHERS.split("|"))
stopped = st.lists(st.sampled_from(PARTS) | st.sampled_from(". "), max_size=16).map("".join)


@settings(deadline=None, max_examples=300)
@given(text=stopped)
@example(text="no. 5. rj. b. smith")
@example(text="j. administrators. 5. b-week")
@example(text=". . . so. on")
@example(text="'a 'b' ('c) 'twas 've")
def test_words_of_mixed_text_are_those_of_nltk(text):
    assert treebank.tokenise_words(text) == word_tokenize()(text)


@pytest.mark.parametrize("text", ["a. ", ".)", "'a", '."', ". ", "a.b ", "x", "``", "::", "a,", "? "])
def test_mixed_text_takes_time_by_its_length(text):
    start = time.process_time()
    assert treebank.tokenise_words(text * (20_000 // len(text)) + "x")
    assert time.process_time() - start < 20
