"""Made-up texts for the tests of this room, and the rules of the sources, each for one text."""

from __future__ import annotations

import itertools
import re
import string
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
import unicode_segmentation_rs as boundaries
from hypothesis import strategies as st
from nltk.tokenize.treebank import TreebankWordTokenizer
from rouge_score.tokenize import tokenize as rouge_tokenise
from sacrebleu.metrics import CHRF
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_intl import TokenizerV14International

import qa_frame
from qa_frame.kernels.pair_counts import CLIPPED, CONTAINS_GOLD, count_matches
from qa_frame.kernels.tokens import Pairs
from qa_frame.rules.languages import ARTICLES
from qa_frame.text.contains import contains_per_pair
from qa_frame.text.specification import Blank, Text
from qa_frame.text.vocabulary import TokenisedTexts, tokenise
from qa_frame.text.words import WORD_END, Words, cut_words
from tests.reference.oracles_of_conventions import mixed_segmentation
from tests.reference.oracles_of_languages import word_tokenize
from tests.reference.oracles_of_scripts import clusters
from tests.strategies import nasty_pieces, texts_of

SPACES = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B)))
SPACES += "\u2028\u2029\u202f\u205f\u3000"

NEAR_MISSES = "\x00\x08\x0e\x1b\x7f\x84\x86\x9f\xa1\xad\u167f\u1681\u180e\u1fff\u200b\u200c\u200d\u2027\u202a"
NEAR_MISSES += "\u202e\u2030\u205e\u2060\u2fff\u3001\ufeff\uffff\u0120\u0680\U00010080\U000e0020"

LETTERS = "aAbtThHeEnNzZ0159éßÿİıΣσςKÅﬁあ語😀\u0301"

_LATIN = "a an the The AN theory a's U.S. it's don't _a_ a_b 3.5 1,000 .5 5. ... .,.5 10-20 5- -5 a-b -- # aé an\u0301"

_MARKED = "&quot; &amp; &lt; &gt; &amp;lt; &am<skipped>p; <skipped> <skip<skipped>ped> ΑΣ Σ."

PIECES = (*_LATIN.split(), *_MARKED.split(), "-\n", "-\n\n", "--\n-", "-<skipped>\n")


def squad(text: str) -> list[str]:
    """`normalize_answer` of the SQuAD v1.1 script, split."""
    bare = "".join(character for character in text.lower() if character not in set(string.punctuation))
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def rouge(text: str) -> list[str]:
    return rouge_tokenise(text, stemmer=None)


def thirteen_a(text: str) -> list[str]:
    return Tokenizer13a()(text).split()


def thirteen_a_as_sacrebleu(text: str) -> list[str]:
    """The BLEU of `sacrebleu` first strips white space at the end."""
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

characters = st.sampled_from(SPACES + NEAR_MISSES + LETTERS + string.punctuation)

piece = st.sampled_from(PIECES) | characters | st.characters(exclude_categories=["Cs"])

mixed_texts = st.lists(st.lists(piece, max_size=20).map("".join), max_size=6)


def cut(texts: list[str]) -> Words:
    """The words of texts, told apart by kind however few they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("qa_frame.text.words._FEW_WORDS", -1)
        return cut_words(pa.array(texts, pa.large_string()))


def spell(values: pa.Array) -> list[str]:
    """Words or tokens as text, without the `WORD_END` that must follow each."""
    spelled = [value.as_py() for value in values]
    assert all(value[-1] == WORD_END for value in spelled)
    return [value[:-1].decode() for value in spelled]


def words_of(words: Words) -> list[list[str]]:
    """The words of each text, without empty ones."""
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
    """For each text as the prediction and, in an inner loop, each text as the gold, whether it contains it."""
    tokenised = tokenise_texts(name, texts)
    pred, gold = (side.ravel().astype(np.int64) for side in np.indices((len(texts), len(texts))))
    pairs = Pairs(pred, gold)
    counts = count_matches(tokenised.tokens, pairs, {CLIPPED: 1, CONTAINS_GOLD: 1})
    return contains_per_pair(tokenised, pairs, counts).tolist()


def strings_contain(name: str, texts: list[str]) -> list[bool]:
    joined = [" ".join(RULES[name](text)) for text in texts]
    return [gold in pred for pred, gold in itertools.product(joined, repeat=2)]


def separate_chinese(text: str) -> str:
    return re.sub("[\u4e00-\u9fa5]", r" \g<0> ", text)


def jieba_words(text: str) -> list[str]:
    """MindFormers' rule. It also changes texts, except those after `CHINESE_STEPS`."""
    return list(mixed_segmentation(text))


def mixed_words(text: str) -> list[str]:
    """CMRC 2018's rule for text in lower case, without those marks that its script deletes."""
    return [word for part in re.split("([\u4e00-\u9fa5])", text) for word in word_tokenize()(part)]


SPLIT_RULES: dict[str, Callable[[str], list[str]]] = {
    "words": str.split,
    "13a": thirteen_a_as_sacrebleu,
    "13a-hf": thirteen_a,
    "characters": list,
    "characters_without_space": lambda text: [character for character in text if not character.isspace()],
    "chrf_words": CHRF(word_order=2)._remove_punctuation,
    "mixed_cjk": lambda text: separate_chinese(text).split(),
    "mixed_cjk_jieba": jieba_words,
    "mixed_cjk_nltk": lambda text: mixed_words(text.lower()),
    "nltk_words": lambda text: word_tokenize()(text.lower()),
    "unicode_words": boundaries.unicode_words,
    "unicode_characters": clusters,
    "spaces": lambda text: text.split(" "),
    "treebank": TreebankWordTokenizer().tokenize,
    "intl": lambda text: TokenizerV14International()(text.rstrip()).split(),
    "none": lambda text: [text] if text else [],
}

CHINESE_STEPS = ("lower", "strip", *qa_frame.conventions["mindformers"].overlap.text.steps[2:])

nasty_texts = st.lists(texts_of(nasty_pieces) | texts_of(characters), max_size=6)

splits = pytest.mark.parametrize("split", SPLIT_RULES)

WITHOUT_JIEBA = [split for split in SPLIT_RULES if split != "mixed_cjk_jieba"]  # `jieba_words` has steps of its own
