"""Words are those of `str.split`, tokens those of each rule applied to the whole text, `contains` is Python's `in`."""

from __future__ import annotations

import itertools
import re
import string
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rouge_score.tokenize import tokenize as rouge_tokenise
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from qa_frame.conventions import ARTICLES, Blank, Text
from qa_frame.kernels.counts import Wanted, count_matches
from qa_frame.kernels.tokens import Pairs
from qa_frame.text.contains import contains_per_pair
from qa_frame.text.cut import WORD_END, Words, cut_words
from qa_frame.text.lexicon import TokenisedTexts, tokenise

SPACES = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B)))
SPACES += "\u2028\u2029\u202f\u205f\u3000"

NEAR_MISSES = "\x00\x08\x0e\x1b\x7f\x84\x86\x9f\xa1\xad\u167f\u1681\u180e\u1fff\u200b\u200c\u200d\u2027\u202a"
NEAR_MISSES += "\u202e\u2030\u205e\u2060\u2fff\u3001\ufeff\uffff\u0120\u0680\U00010080\U000e0020"

LETTERS = "aAbtThHeEnNzZ0159éßÿİıΣσςKÅﬁあ語😀\u0301"
_LATIN = "a an the The AN theory a's U.S. it's don't _a_ a_b 3.5 1,000 .5 5. ... .,.5 10-20 5- -5 a-b -- # aé an\u0301"
_MARKED = "&quot; &amp; &lt; &gt; &amp;lt; &am<skipped>p; <skipped> <skip<skipped>ped> ΑΣ Σ."
PIECES = (*_LATIN.split(), *_MARKED.split(), "-\n", "-\n\n", "--\n-", "-<skipped>\n")


# --- the rules on whole texts, as their sources have them


def squad(text: str) -> list[str]:
    """`normalize_answer` of the SQuAD v1.1 script, split."""
    bare = "".join(character for character in text.lower() if character not in set(string.punctuation))
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def rouge(text: str) -> list[str]:
    return rouge_tokenise(text, stemmer=None)


def thirteen_a(text: str) -> list[str]:
    return Tokenizer13a()(text).split()


def thirteen_a_as_sacrebleu(text: str) -> list[str]:
    """Its BLEU strips white space at the end first."""
    return thirteen_a(text.rstrip())


RULES: dict[str, Callable[[str], list[str]]] = {
    "squad": squad,
    "rouge": rouge,
    "13a": thirteen_a_as_sacrebleu,
    "13a-hf": thirteen_a,
}


TEXTS = {
    "squad": Text(("lower", "delete_ascii_punctuation", Blank(ARTICLES["en"]))),
    "rouge": Text(("lower", "keep_a_z_0_9")),
    "13a": Text(split="13a"),
    "13a-hf": Text(split="13a-hf"),
}


# --- what the tests work on

characters = st.sampled_from(SPACES + NEAR_MISSES + LETTERS + string.punctuation)
piece = st.sampled_from(PIECES) | characters | st.characters(exclude_categories=["Cs"])
mixed_texts = st.lists(st.lists(piece, max_size=20).map("".join), max_size=6)
spaced_words = st.lists(st.text(st.sampled_from(SPACES + NEAR_MISSES + "ab"), max_size=12), max_size=8)


def cut(texts: list[str]) -> Words:
    return cut_words(pa.array(texts, pa.large_string()))


def spell(values: pa.Array) -> list[str]:
    """Words or tokens as text, without the byte that each must end with."""
    spelled = [value.as_py() for value in values]
    assert all(value.index(WORD_END) == len(value) - 1 for value in spelled)
    return [value[:-1].decode() for value in spelled]


def words_of(words: Words) -> list[list[str]]:
    """The words of each text. A place may hold the empty word, which is none."""
    distinct = [word for part in (words.plain, words.ascii, words.other) for word in spell(part)]
    bounds = itertools.pairwise(words.offsets.tolist())
    return [[distinct[place] for place in words.ids[start:stop] if distinct[place]] for start, stop in bounds]


def tokens_of(texts: TokenisedTexts) -> list[list[str]]:
    vocabulary = spell(texts.vocabulary)
    bounds = itertools.pairwise(texts.tokens.offsets.tolist())
    return [[vocabulary[token] for token in texts.tokens.ids[start:stop]] for start, stop in bounds]


def tokenise_texts(name: str, texts: list[str]) -> TokenisedTexts:
    return tokenise(cut(texts), TEXTS[name])


def contains_of_all_pairs(name: str, texts: list[str]) -> list[bool]:
    """Whether each text contains each, the containing ones in the outer loop."""
    tokenised = tokenise_texts(name, texts)
    pred, gold = (side.ravel().astype(np.int64) for side in np.indices((len(texts), len(texts))))
    pairs = Pairs(pred, gold)
    counts = count_matches(tokenised.tokens, pairs, Wanted(orders=1, run=True))
    return contains_per_pair(tokenised, pairs, counts).tolist()


def strings_contain(name: str, texts: list[str]) -> list[bool]:
    joined = [" ".join(RULES[name](text)) for text in texts]
    return [gold in pred for pred, gold in itertools.product(joined, repeat=2)]


# --- words


def test_the_spaces_here_are_all_there_are():
    every_space = {chr(code) for code in range(0x110000) if chr(code).isspace()}
    assert set(SPACES) == every_space
    assert not every_space & set(NEAR_MISSES)


@settings(deadline=None, max_examples=120)
@given(texts=spaced_words)
def test_words_are_those_of_split(texts):
    assert words_of(cut(texts)) == [text.split() for text in texts]


@settings(deadline=None, max_examples=120)
@given(texts=mixed_texts)
def test_words_of_mixed_texts_are_those_of_split(texts):
    assert words_of(cut(texts)) == [text.split() for text in texts]


@pytest.mark.parametrize("space", SPACES, ids=ascii)
def test_each_space_cuts(space):
    texts = [f"a{space}b", f"{space}a{space}{space}é{space}", space]
    assert words_of(cut(texts)) == [["a", "b"], ["a", "é"], []]


@pytest.mark.parametrize("character", NEAR_MISSES, ids=ascii)
def test_no_near_miss_cuts(character):
    assert words_of(cut([f"a{character}b c", character])) == [[f"a{character}b", "c"], [character]]


@settings(deadline=None, max_examples=100)
@given(texts=mixed_texts)
def test_each_distinct_word_stands_once_and_in_its_place(texts):
    words = cut(texts)
    plain, ascii_, other = spell(words.plain), spell(words.ascii), spell(words.other)
    distinct = [*plain, *ascii_, *other]
    assert len(set(distinct)) == len(distinct) == words.n_distinct
    assert all(word.isascii() and word.isalnum() for word in plain)
    assert all(word.isascii() and not word.isalnum() for word in ascii_)
    assert not any(word.isascii() for word in other)


@settings(deadline=None, max_examples=100)
@given(texts=mixed_texts)
def test_raw_texts_are_kept(texts):
    words = cut(texts)
    assert [words.text(index).decode() for index in range(len(texts))] == texts


def test_texts_may_be_a_slice_of_an_array():
    texts = pa.array(["no", "one two", "", "three\u2003four", "no"], pa.large_string())
    assert words_of(cut_words(texts.slice(1, 3))) == [["one", "two"], [], ["three", "four"]]


# --- tokens


def test_every_tokeniser_has_a_rule_to_compare_with():
    assert RULES.keys() == TEXTS.keys()


@pytest.mark.parametrize("name", TEXTS)
@settings(deadline=None, max_examples=120)
@given(texts=mixed_texts)
@example(texts=["well-\nknown", "- \n", "-\n", "1-\n2 -", "a -\n\n-\nb", "x-\x0b\n", "-<skipped><skipped>\n.5"])
@example(texts=["1,000.5", ".,.5", "5.,.5", "a..5", ".5", "5.", "3-5", "a-5", ",,5", "5,,5"])
@example(texts=["the THE ᵀhe a\u0301 thé a_b the\x00a A.N", "ΟΔΟΣ ΑΣ. Σ", "İ K Å"])
def test_tokens_are_those_of_the_rule_on_the_whole_text(name, texts):
    assert tokens_of(tokenise_texts(name, texts)) == [RULES[name](text) for text in texts]


@pytest.mark.parametrize("name", TEXTS)
@settings(deadline=None, max_examples=120)
@given(texts=st.lists(st.text(st.sampled_from("05.,- a&"), max_size=12), min_size=1, max_size=8))
def test_tokens_of_digits_and_marks(name, texts):
    assert tokens_of(tokenise_texts(name, texts)) == [RULES[name](text) for text in texts]


@pytest.mark.parametrize("name", TEXTS)
def test_tokens_of_each_character_between_others(name):
    texts = [f"{before}{chr(code)}{after}" for code in range(0x250) for before, after in ("aa", "  ", "5 ", " 5")]
    texts += [f"A{chr(code)}5" for code in range(0x250, 0x3100)]
    assert tokens_of(tokenise_texts(name, texts)) == [RULES[name](text) for text in texts]


@pytest.mark.parametrize("name", TEXTS)
@settings(deadline=None, max_examples=100)
@given(texts=mixed_texts)
def test_equal_tokens_have_equal_ids(name, texts):
    vocabulary = spell(tokenise_texts(name, texts).vocabulary)
    assert len(set(vocabulary)) == len(vocabulary)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize(
    "texts",
    [[], [""], ["", "", ""], [" "], [SPACES, "\n", ""], ["\u2003\u3000"], ["a the", "."], ["", "x", ""]],
    ids=["none", "one empty", "empty", "a space", "all spaces", "wide spaces", "nothing for squad", "between empty"],
)
def test_little_or_no_text(name, texts):
    assert words_of(cut(texts)) == [text.split() for text in texts]
    assert tokens_of(tokenise_texts(name, texts)) == [RULES[name](text) for text in texts]
    assert contains_of_all_pairs(name, texts) == strings_contain(name, texts)


# --- contains


@pytest.mark.parametrize("name", TEXTS)
@settings(deadline=None, max_examples=100)
@given(texts=mixed_texts)
def test_contains_is_in_on_the_joined_tokens(name, texts):
    assert contains_of_all_pairs(name, texts) == strings_contain(name, texts)


@pytest.mark.parametrize("name", TEXTS)
@settings(deadline=None, max_examples=100)
@given(texts=st.lists(st.text(st.sampled_from("ab é"), max_size=9), min_size=2, max_size=12))
def test_contains_within_words(name, texts):
    assert contains_of_all_pairs(name, texts) == strings_contain(name, texts)


@pytest.mark.parametrize(
    ("pred", "gold", "contained"),
    [
        ("new york city", "york", True),
        ("newyork city", "york ci", True),
        ("new york city", "new city", False),
        ("new yorkcity", "york city", False),
        ("new york city", "w york c", True),
        ("the answer", "", True),
        ("", "answer", False),
        ("", "the", True),
        ("ab ab abc", "b ab ab", True),
        ("b ab ab", "ab ab abc", False),
    ],
)
def test_contains_by_example(pred, gold, contained):
    assert contains_of_all_pairs("squad", [pred, gold])[1] is contained
