"""Each split gives the tokens that its source gives for each text alone."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa_frame.kernels.sentences import split_sentences
from qa_frame.text.specification import Text
from qa_frame.text.tokenisers import SENTENCE_END, SPLITS
from qa_frame.text.vocabulary import tokenise
from tests.reference.oracles_of_conventions import rouge_sentences
from tests.text.shared import CHINESE_STEPS, SPLIT_RULES, cut, mixed_texts, nasty_texts, spell, splits, tokens_of


def steps_before(split: str) -> tuple[object, ...]:
    if split in ("mixed_cjk_nltk", "nltk_words"):
        return ("lower",)
    return CHINESE_STEPS if split == "mixed_cjk_jieba" else ()


def test_every_split_has_a_rule_to_compare_with():
    documented = SPLITS.keys() - {"13a-words"}  # it only stands in for others
    assert SPLIT_RULES.keys() | {"sentences"} == documented
    assert all(f"`{split}`" in str(Text.__doc__) for split in documented)


@splits
@settings(deadline=None, max_examples=50)
@given(texts=nasty_texts | mixed_texts)
def test_splits_are_those_of_the_rule_on_the_whole_text(split, texts):
    tokenised = tokenise(cut(texts), Text(steps_before(split), split))
    assert tokens_of(tokenised) == [SPLIT_RULES[split](text) for text in texts]
    vocabulary = spell(tokenised.vocabulary)
    assert len(set(vocabulary)) == len(vocabulary)


@splits
@pytest.mark.parametrize("texts", [[], [""], ["", " ", "\n"], ["", "x", ""]], ids=["none", "empty", "blank", "a word"])
def test_splits_of_little_or_no_text(split, texts):
    assert tokens_of(tokenise(cut(texts), Text((), split))) == [SPLIT_RULES[split](text) for text in texts] or (
        split == "mixed_cjk_jieba"  # its rule strips
    )


def test_jieba_keeps_white_space_and_case():
    texts = ["", " ", "Hello  World 北京\n", "我爱C++ 3.5%", "\r\n"]
    found = tokens_of(tokenise(cut(texts), Text(split="mixed_cjk_jieba")))
    assert ["".join(tokens) for tokens in found] == texts
    assert found[2] == ["Hello", " ", " ", "World", " ", "北", "京", "\n"]


@settings(deadline=None, max_examples=70)
@given(texts=nasty_texts | st.lists(st.text(st.sampled_from("ab.. \n\x1f\u3000"), max_size=12), max_size=8))
def test_sentences_are_those_of_rouge(texts):
    tokenised = tokenise(cut(texts), Text(split="sentences"))
    vocabulary = spell(tokenised.vocabulary)
    end = tokenised.find(SENTENCE_END)
    found = split_sentences(tokenised.tokens, end)
    words = ["" if end is not None and token == end else vocabulary[token] for token in found.tokens.ids]
    bounds = found.tokens.offsets.tolist()
    listed = [words[start:stop] for start, stop in itertools.pairwise(bounds)]
    expected = [rouge_sentences(text) for text in texts]
    assert [listed[start:stop] for start, stop in itertools.pairwise(found.offsets.tolist())] == expected
