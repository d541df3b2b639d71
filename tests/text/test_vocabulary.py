"""The tokens of many texts are those that each rule gives for each text alone."""

from __future__ import annotations

import functools
import gc
import weakref
from collections.abc import Callable

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import qa_frame
from qa_frame.errors import TokeniserError
from qa_frame.rules.listing import conventions
from qa_frame.rules.parts import FAMILIES
from qa_frame.text import vocabulary as lexicon
from qa_frame.text.specification import Delete, Drop, Text
from qa_frame.text.tokenisers import compile_text, need_no_words
from qa_frame.text.vocabulary import tokenise, tokenise_together
from qa_frame.text.words import cut_words
from tests.text.shared import (
    RULES,
    SPACES,
    SPLIT_RULES,
    TEXTS,
    WITHOUT_JIEBA,
    cut,
    mixed_texts,
    tokenise_texts,
    tokens_of,
)

ROUGE = Text(("lower", "keep_a_z_0_9"), "words")


@settings(deadline=None, max_examples=200)
@given(texts=mixed_texts)
@example(texts=["", "  A-b\u2003c! ", "\u03a3\u03a3", "\u212a \u0130 x"])
def test_texts_that_are_not_cut_have_the_same_tokens(texts):
    assert need_no_words([ROUGE, ROUGE])
    uncut = cut_words(pa.array(texts, pa.large_string()), whole_texts_only=True)
    assert tokens_of(tokenise(uncut, ROUGE)) == tokens_of(tokenise(cut(texts), ROUGE))


EVERY_ASCII = ["".join(map(chr, range(0x80))), *map(chr, range(0x80)), " a\x1fb ", "", "A.B c"]


DELETING = ("lower", "delete_ascii_punctuation")


@pytest.mark.parametrize(
    "steps", [(), ("lower",), ("keep_a_z_0_9",), ("lower", "keep_a_z_0_9"), DELETING], ids="+".join
)
def test_ascii_has_the_same_tokens_beside_other_texts(steps):
    text = Text(steps, "words")
    uncut = cut_words(pa.array(EVERY_ASCII, pa.large_string()), whole_texts_only=True)
    found = tokens_of(tokenise(uncut, text))
    beyond = cut_words(pa.array([*EVERY_ASCII, "\u00e9"], pa.large_string()), whole_texts_only=True)
    assert found == tokens_of(tokenise(beyond, text))[:-1]
    assert found == tokens_of(tokenise(cut(EVERY_ASCII), text))


@settings(deadline=None, max_examples=200)
@given(texts=mixed_texts)
@example(texts=["", "  A-b\u2003c! ", "a -\nb, 1.5-\n"])
@example(texts=[])
def test_tokens_that_are_made_together_are_those_made_alone(texts):
    together = cut(texts)
    tokenise_together(together, TEXTS.values())
    assert len(together.cache) > 1 or not len(together.ids)
    for text in together.cache:
        assert tokens_of(tokenise(together, text)) == tokens_of(tokenise(cut(texts), text))


def test_texts_are_cut_where_two_rules_need_their_words():
    assert not need_no_words([ROUGE, Text(split="words")])
    assert not need_no_words([Text(("stem",), "words")])
    assert not need_no_words([Text(split="13a")])


@pytest.mark.parametrize("convention", ["squad2", "drop", "context_bench", "hf_bleu", "helm", "inspect_f1"])
def test_no_text_is_tokenised_twice_in_a_batch(convention, monkeypatch):
    made = []

    def tokenise_and_note(words, text):
        made.append((id(words), text))
        kept.append(words)  # so that no other object gets its id
        return _tokenise(words, text)

    kept, _tokenise = [], lexicon._tokenise
    monkeypatch.setattr(lexicon, "_tokenise", tokenise_and_note)
    qa_frame.sample().qa.score("response", "answers", convention=convention, metrics="all", stats=True)
    assert made
    assert len(made) == len(set(made))


def test_every_tokeniser_has_a_rule_to_compare_with():
    assert RULES.keys() == TEXTS.keys()


@pytest.mark.parametrize("name", TEXTS)
@settings(deadline=None, max_examples=120)
@given(texts=mixed_texts | st.lists(st.text(st.sampled_from("05.,- a&"), max_size=12), max_size=8))
@example(texts=[])
@example(texts=["", " ", SPACES, "\u2003\u3000", "a the", ".", "x", ""])
@example(texts=["well-\nknown", "- \n", "-\n", "1-\n2 -", "a -\n\n-\nb", "x-\x0b\n", "-<skipped><skipped>\n.5"])
@example(texts=["1,000.5", ".,.5", "5.,.5", "a..5", ".5", "5.", "3-5", "a-5", ",,5", "5,,5"])
@example(texts=["the THE ᵀhe a\u0301 thé a_b the\x00a A.N", "ΟΔΟΣ ΑΣ. Σ", "İ K Å"])
def test_tokens_are_those_of_the_rule_on_the_whole_text(name, texts):
    assert tokens_of(tokenise_texts(name, texts)) == [RULES[name](text) for text in texts]


@pytest.mark.parametrize("name", ["squad", "13a"])
def test_tokens_of_each_character_between_others(name):
    texts = [f"{before}{chr(code)}{after}" for code in range(0x250) for before, after in ("aa", "  ", "5 ", " 5")]
    texts += [f"A{chr(code)}5" for code in range(0x250, 0x3100)]
    assert tokens_of(tokenise_texts(name, texts)) == [RULES[name](text) for text in texts]


def own(function: Callable[..., object], *steps: object) -> qa_frame.Convention:
    text = Text(steps, function)
    return qa_frame.Convention(
        name="own",
        exact=qa_frame.rules.Exact(text=text),
        overlap=qa_frame.rules.Overlap(text=text),
        contains=qa_frame.rules.Contains(text=text),
        rouge_l=qa_frame.rules.RougeL(text=text),
        bleu=qa_frame.rules.Bleu(text=text),
        bleu_n=qa_frame.rules.Bleu(text=text),
    )


def score_with(
    function: Callable[..., object], rows: list[tuple[str | None, list[str]]], *steps: object
) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["pred", "golds"])
    return frame.qa.score("pred", "golds", convention=own(function, *steps), metrics="all", append=False)


ROWS = [("The cat sat.", ["a cat sat", "The cat sat."]), (None, ["x"]), ("", ["", "y"]), ("cat, cat", ["cat"])]


@pytest.mark.parametrize("split", WITHOUT_JIEBA)
@pytest.mark.parametrize("steps", [(), ("lower", Drop(("the",)))], ids=["none", "drop"])
def test_a_function_that_does_what_a_split_does(split, steps):
    built_in = score_with(split, ROWS, *steps)
    pd.testing.assert_frame_equal(score_with(SPLIT_RULES[split], ROWS, *steps), built_in, check_exact=True)
    assert built_in["f1"].max() == 1


def test_a_function_gets_each_distinct_text_once():
    seen = []

    def tokens(text: str) -> list[str]:
        seen.append(text)
        return text.split()

    score_with(tokens, ROWS * 50)
    assert sorted(seen) == sorted({"The cat sat.", "a cat sat", "x", "", "y", "cat, cat", "cat"})


def test_a_function_gets_texts_after_the_steps():
    seen = []

    def tokens(text: str) -> list[str]:
        seen.append(text)
        return [text]

    score_with(tokens, [(" The  CAT\n", ["Å"])], "lower")
    of_lines = ["", " the  cat", "å"]  # for `rouge_lsum`
    assert sorted(seen) == sorted([" the  cat\n", "å", *of_lines])


@pytest.mark.parametrize(
    "returned", [None, 3, "cat sat", ["cat", None], ["cat", 3], [b"cat"], [["cat"]], ["\ud800"]], ids=repr
)
def test_what_is_not_a_list_of_text_is_refused(returned):
    def my_tokens(text: str) -> object:
        return returned if text == "y" else text.split()

    with pytest.raises(TokeniserError) as caught:
        score_with(my_tokens, ROWS)
    assert f"the tokeniser my_tokens returned {returned!r}" in str(caught.value)
    assert "must return a list of str" in str(caught.value)


def test_errors_of_a_function_are_the_cause_of_ours():
    def broken(text: str) -> list[str]:
        raise ZeroDivisionError(f"no tokens in {text!r}")

    with pytest.raises(qa_frame.errors.TokeniserError, match="broken raised ZeroDivisionError: no tokens in") as found:
        score_with(broken, ROWS)
    assert isinstance(found.value.__cause__, ZeroDivisionError)


def test_functions_may_return_any_sequence_and_any_text():
    found = score_with(
        lambda text: tuple(text.partition(" ")), [("cat \x1f", ["cat \x1f"]), ("", [""]), ("a b", ["a c"])]
    )
    assert found["em"].to_list() == [1.0, 1.0, 0.0]
    assert found["f1"].to_list() == [1.0, 1.0, pytest.approx(2 / 3)]


UNUSUAL_TEXTS = ["\U0010ffff", "A \U0010ffff郑", "", " \U0010ffff", "郑州。", "plain TEXT\n", "\x1f", "a\x1f\x1fÉ"]


@pytest.mark.parametrize("split", ["characters", "none", "mixed_cjk_jieba", "treebank", str.split])
@pytest.mark.parametrize(
    "steps",
    [
        ("lower", "strip", "nfkc", Delete("。é")),
        ("lower", "strip", Delete("é")),
        (Drop(("郑州", "a")), Delete("\x1f")),
    ],
    ids=["on bytes", "on str", "words"],
)
def test_texts_together_give_the_tokens_that_each_gives_alone(split, steps):
    together = tokens_of(tokenise(cut(UNUSUAL_TEXTS), Text(steps, split)))
    assert together == [tokens_of(tokenise(cut([text]), Text(steps, split)))[0] for text in UNUSUAL_TEXTS]
    assert "\U0010ffff" in "".join(together[0])


@pytest.mark.parametrize("n_words", [1, 63, 64, 65, 200])
def test_words_of_many_tokens_among_others(n_words):
    """Few such words are looked up one by one, many of them together."""
    long = [f"a{'!' * n_marks}b" for n_marks in range(1, n_words + 1)]
    texts = [*long, "plain words", " ".join(long), "", "!" * 3000]
    assert tokens_of(tokenise_texts("13a", texts)) == [RULES["13a"](text) for text in texts]


def test_stripping_reaches_texts_that_cross_white_space():
    convention = qa_frame.Convention(name="own", bleu_n=qa_frame.rules.Bleu(text=Text(("strip",), "13a-hf")))
    frame = pd.DataFrame({"response": ["-\n", " a-\n "], "answers": [["-"], ["a-"]]})
    assert frame.qa.score("response", "answers", metrics="bleu1", convention=convention)["bleu1"].tolist() == [1.0, 1.0]


@pytest.mark.thorough
def test_few_tokenisers_are_kept():
    """Each of many functions would else stay alive for ever, with all that it holds."""
    alive = weakref.WeakSet()
    for number in range(350):
        function = functools.partial(str.split, sep=str(number))
        alive.add(function)
        compile_text(Text((), function))
    del function
    gc.collect()
    assert len(alive) <= 300


@pytest.mark.parametrize("texts", [[], [""], [" ", ""]], ids=["no texts", "an empty text", "white space"])
def test_texts_without_words_have_tokens_by_every_rule(texts):
    for convention in conventions.values():
        for family in FAMILIES:
            rule = getattr(convention, family)
            if rule is not None:
                tokens = tokenise(cut_words(pa.array(texts, pa.large_string())), rule.text).tokens
                assert len(tokens.n_per_text) == len(texts)
