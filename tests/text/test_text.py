"""Words are those of `str.split`, tokens those of each rule applied to the whole text, `contains` is Python's `in`."""

from __future__ import annotations

import itertools
import re
import string
import unicodedata
from collections.abc import Callable
from functools import reduce

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from nltk.tokenize.destructive import MacIntyreContractions
from nltk.tokenize.treebank import TreebankWordTokenizer
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenize import tokenize as rouge_tokenise
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

import qa_frame
from qa_frame.errors import TokeniserError
from qa_frame.kernels.pair_counts import Wanted, count_matches
from qa_frame.kernels.sentences import split_sentences
from qa_frame.kernels.tokens import Pairs
from qa_frame.rules.languages import ARTICLES
from qa_frame.text.contains import contains_per_pair
from qa_frame.text.lexicon import TokenisedTexts, simplify_split, tokenise
from qa_frame.text.specification import Blank, Delete, Drop, Text
from qa_frame.text.steps import STEPS
from qa_frame.text.tokenisers import SENTENCE_END, SPLITS
from qa_frame.text.words import WORD_END, Words, cut_words
from tests.reference.oracles_of_conventions import mixed_segmentation, rouge_sentences
from tests.strategies import nasty_pieces, texts_of

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
    assert all(value[-1] == WORD_END for value in spelled)
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
    counts = count_matches(tokenised.tokens, pairs, Wanted(orders=1, contains_gold=True))
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


# --- every split


def separate_chinese(text: str) -> str:
    return re.sub("[\u4e00-\u9fa5]", r" \g<0> ", text)


def jieba_words(text: str) -> list[str]:
    """MindFormers' rule on a text that it leaves as it is: lower-case, stripped, without its separators."""
    return list(mixed_segmentation(text))


SPLIT_RULES: dict[str, Callable[[str], list[str]]] = {
    "words": str.split,
    "13a": thirteen_a_as_sacrebleu,
    "13a-hf": thirteen_a,
    "characters": list,
    "mixed_cjk": lambda text: separate_chinese(text).split(),
    "mixed_cjk_jieba": jieba_words,
    "treebank": TreebankWordTokenizer().tokenize,
    "none": lambda text: [text] if text else [],
}
CHINESE_STEPS = ("lower", "strip", *qa_frame.conventions["mindformers"].overlap.text.steps[2:])

nasty_texts = st.lists(texts_of(nasty_pieces) | texts_of(characters), max_size=6)
splits = pytest.mark.parametrize("split", SPLIT_RULES)


def steps_before(split: str) -> tuple[object, ...]:
    return CHINESE_STEPS if split == "mixed_cjk_jieba" else ()


def test_every_split_has_a_rule_to_compare_with():
    documented = SPLITS.keys() - {"13a-words", "sentence-words"}  # these two only stand in for others
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


# --- every step


def each_word(function: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: re.sub(r"\S+", lambda match: function(match[0]), text)


def spell_number(word: str) -> str:
    if not re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", word):
        return word
    value = float(word)
    if value in (float("inf"), -float("inf")):
        return "1e999" if value > 0 else "-1e999"
    return repr(value or 0.0)


def stem_as_rouge_score(word: str) -> str:
    return PorterStemmer().stem(word) if len(word) > 3 else word


def without_accents(text: str) -> str:
    letters = [letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter)]
    return unicodedata.normalize("NFC", "".join(letters))


def split_contractions(text: str) -> str:
    """By NLTK's own patterns, of which two need a space in front."""
    text = "".join(f" {part} " if part.strip() else part for part in re.split(r"(\s+)", text))
    for pattern in (*MacIntyreContractions.CONTRACTIONS2, *MacIntyreContractions.CONTRACTIONS3):
        text = re.sub(pattern, r" \1 \2 ", text)
    return text


STEP_RULES: dict[str, Callable[[str], str]] = {
    "lower": str.lower,
    "casefold": str.casefold,
    "nfkc": lambda text: unicodedata.normalize("NFKC", text),
    "fold_accents": without_accents,
    "delete_ascii_punctuation": lambda text: text.translate(dict.fromkeys(map(ord, string.punctuation))),
    "delete_punctuation": lambda text: "".join(c for c in text if not unicodedata.category(c).startswith("P")),
    "keep_a_z_0_9": lambda text: re.sub(r"[^a-z0-9\x1f]", " ", text),  # U+001F is white space as it is
    "stem": each_word(stem_as_rouge_score),
    "split_contractions": split_contractions,
    "split_marks": lambda text: re.sub(
        r"""([?!])(?=[)";}\]*:@'({\[?!])|(?<=[^\W_]{2})(\.)(?=[)"}\]({\[])""", r"\1\2 ", text
    ),
    "numbers": each_word(spell_number),
    "strip": str.strip,
}

OTHER_STEPS: list[tuple[object, Callable[[str], str]]] = [
    (Blank(("a", "an", "the")), lambda text: re.sub(r"\b(?:a|an|the)\b", " ", text)),
    (Blank(("é", "a's", "5", "The", "l")), lambda text: re.sub(r"\b(?:é|a's|5|The|l)\b", " ", text)),
    (Blank(()), lambda text: text),
    (
        Drop(("a", "the", "can", "5", "é", "it's")),
        each_word(lambda w: "" if w in {"a", "the", "can", "5", "é", "it's"} else w),
    ),
    (Drop(()), lambda text: text),
    (Delete("aé.-5"), lambda text: text.translate(dict.fromkeys(map(ord, "aé.-5")))),
    (Delete("，。"), lambda text: text.translate(dict.fromkeys(map(ord, "，。")))),
    (Delete(""), lambda text: text),
]
ALL_STEPS: list[tuple[object, Callable[[str], str]]] = [*STEP_RULES.items(), *OTHER_STEPS]


def test_every_step_has_a_rule_to_compare_with():
    assert STEP_RULES.keys() == STEPS.keys()
    assert all(f"`{step}`" in str(Text.__doc__) for step in STEPS)


@pytest.mark.parametrize(("step", "rule"), ALL_STEPS, ids=lambda part: None if callable(part) else str(part)[:30])
@settings(deadline=None, max_examples=30)
@given(texts=nasty_texts | mixed_texts)
@example(
    texts=["CANNOT d'ye 'tis wanna gonna. more'n", "1e3 1,5 +07 .5 -0 ٣", "Running flies' STRASSE ß", "ﬁ ½ ´ x\u0301 ¨"]
)
def test_a_step_is_that_of_the_rule_on_the_whole_text(step, rule, texts):
    assert tokens_of(tokenise(cut(texts), Text((step,)))) == [rule(text).split() for text in texts]


@pytest.mark.parametrize(("step", "rule"), ALL_STEPS, ids=lambda part: None if callable(part) else str(part)[:30])
def test_a_step_on_each_character_between_others(step, rule):
    codes = [*range(0x2200), *range(0x2FF0, 0x3100), *range(0xFB00, 0xFFFE, 3), *range(0x1D7F0, 0x1D800)]
    texts = [f"A{chr(code)}5" for code in codes] + [f"x {chr(code)}a" for code in range(0x250)]
    assert tokens_of(tokenise(cut(texts), Text((step,)))) == [rule(text).split() for text in texts]


WITHOUT_JIEBA = [split for split in SPLIT_RULES if split != "mixed_cjk_jieba"]  # its rule has steps of its own


@splits
@settings(deadline=None, max_examples=70)
@given(
    parts=st.lists(st.sampled_from([part for part in ALL_STEPS if part[0] != "split_contractions"]), max_size=4),
    texts=nasty_texts | mixed_texts,
)
@example(parts=[("nfkc", STEP_RULES["nfkc"])], texts=["inter\uff0d\nnational"])
@example(parts=[("lower", str.lower)], texts=["inter-<SKIPPED>\nnational"])
@example(parts=[OTHER_STEPS[5]], texts=["x-a\ny", " a .b"])
def test_steps_and_a_split_are_the_same_on_the_whole_text(split, parts, texts):
    if split == "mixed_cjk_jieba":
        parts = [*parts, *((step, STEP_RULES.get(step, str)) for step in CHINESE_STEPS)]  # the last one is in its rule
    steps, rules = [step for step, _ in parts], [rule for _, rule in parts]
    text = Text(tuple(steps), split)
    words = cut(texts)
    expected = [SPLIT_RULES[split](reduce(lambda changed, rule: rule(changed), rules, text)) for text in texts]
    assert tokens_of(tokenise(words, text)) == expected
    assert tokens_of(tokenise(words, simplify_split(text, words))) == expected


@settings(deadline=None, max_examples=50)
@given(texts=nasty_texts)
def test_contractions_before_any_split(texts):
    """What NLTK's patterns need a space for, white space is enough for."""
    texts = [" ".join(text.split()) for text in texts]
    steps = ("lower", "split_contractions", "delete_ascii_punctuation")
    expected = [STEP_RULES[steps[2]](split_contractions(text.lower())).split() for text in texts]
    assert tokens_of(tokenise(cut(texts), Text(steps))) == expected


@pytest.mark.parametrize("step", [Delete(" "), Delete("x\x1f"), Blank(("New York",))], ids=str)
@pytest.mark.parametrize("split", [split for split, rule in SPLITS.items() if rule.by_word is not None])
def test_white_space_in_steps_before_a_split_at_white_space_is_refused(step, split):
    convention = qa_frame.Convention(name="own", exact=qa_frame.Exact(text=Text((step,), split)))
    frame = pd.DataFrame({"pred": ["New York"], "gold": ["New York"]})
    with pytest.raises(qa_frame.UnknownOptionError, match="holds white space, at which the split"):
        frame.qa.score("pred", "gold", convention=convention)


def test_white_space_in_steps_before_a_split_of_whole_texts():
    texts = ["New York a b", "a\x1fb"]
    assert tokens_of(tokenise(cut(texts), Text((Delete(" \x1f"),), "characters"))) == [list("NewYorkab"), list("ab")]
    assert tokens_of(tokenise(cut(texts), Text((Blank(("New York",)),), "none"))) == [["  a b"], ["a\x1fb"]]


# --- stems


@settings(deadline=None, max_examples=50)
@given(texts=st.lists(texts_of(nasty_pieces | st.sampled_from(("running", "flies", "Dying", "national"))), max_size=5))
@example(texts=["The runner's running flies", "generalizations relational", "a-bed beds bedding"])
def test_stems_are_those_of_rouge_score(texts):
    text = Text(("lower", "keep_a_z_0_9", "stem"))
    assert tokens_of(tokenise(cut(texts), text)) == [rouge_tokenise(of, stemmer=PorterStemmer()) for of in texts]
    scorer = RougeScorer(["rougeL"], use_stemmer=True)
    stemmed = qa_frame.Convention(name="stemmed", rouge_l=qa_frame.RougeL(text=text))
    frame = pd.DataFrame({"pred": texts, "gold": texts[::-1]}, dtype="string")
    found = frame.qa.score("pred", "gold", convention=stemmed, metrics="all", append=False)
    expected = [
        scorer.score(target=gold, prediction=pred)["rougeL"] for pred, gold in zip(texts, texts[::-1], strict=True)
    ]
    assert found["rouge_l"].to_list() == [score.fmeasure for score in expected]
    assert found["rouge_l_precision"].to_list() == [score.precision for score in expected]
    assert found["rouge_l_recall"].to_list() == [score.recall for score in expected]


# --- functions


def own(function: Callable[..., object], *steps: object) -> qa_frame.Convention:
    text = Text(steps, function)
    return qa_frame.Convention(
        name="own",
        exact=qa_frame.Exact(text=text),
        overlap=qa_frame.Overlap(text=text),
        contains=qa_frame.Contains(text=text),
        rouge_l=qa_frame.RougeL(text=text),
        bleu=qa_frame.Bleu(text=text),
        bleu_n=qa_frame.Bleu(text=text),
    )


def score_with(
    function: Callable[..., object], rows: list[tuple[str | None, list[str]]], *steps: object
) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["pred", "golds"])
    return frame.qa.score("pred", "golds", convention=own(function, *steps), metrics="all", append=False)


ROWS = [("The cat sat.", ["a cat sat", "The cat sat."]), (None, ["x"]), ("", ["", "y"]), ("cat, cat", ["cat"])]


@pytest.mark.parametrize("split", WITHOUT_JIEBA)
@pytest.mark.parametrize("steps", [(), ("lower",), ("lower", Drop(("the",)))], ids=["none", "lower", "drop"])
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
    assert sorted(seen) == [" the  cat\n", "å"]


@pytest.mark.parametrize("returned", [None, 3, "cat sat", ["cat", None], ["cat", 3], [b"cat"], [["cat"]]], ids=repr)
def test_what_is_not_a_list_of_text_is_refused(returned):
    def my_tokens(text: str) -> object:
        return returned if text == "y" else text.split()

    with pytest.raises(TokeniserError) as caught:
        score_with(my_tokens, ROWS)
    assert f"the tokeniser my_tokens returned {returned!r}" in str(caught.value)
    assert "must return a list of str" in str(caught.value)


def test_errors_of_a_function_come_through():
    def broken(text: str) -> list[str]:
        raise ZeroDivisionError(f"no tokens in {text!r}")

    with pytest.raises(ZeroDivisionError, match="no tokens in"):
        score_with(broken, ROWS)


def test_functions_may_return_any_sequence_and_any_text():
    found = score_with(
        lambda text: tuple(text.partition(" ")), [("cat \x1f", ["cat \x1f"]), ("", [""]), ("a b", ["a c"])]
    )
    assert found["em"].to_list() == [1.0, 1.0, 0.0]
    assert found["f1"].to_list() == [1.0, 1.0, pytest.approx(2 / 3)]


# --- the character that stands between texts inside

NO_CHARACTER_TEXTS = ["\U0010ffff", "A \U0010ffff郑", "", " \U0010ffff", "郑州。", "plain TEXT\n"]


@pytest.mark.parametrize("split", ["characters", "none", "mixed_cjk_jieba", "treebank", str.split])
def test_a_text_may_hold_the_character_that_stands_between_texts(split):
    """Together, in one column, texts give the tokens that each gives alone."""
    text = Text(("lower", "strip", "nfkc", Delete("。é")), split)
    together = tokens_of(tokenise(cut(NO_CHARACTER_TEXTS), text))
    assert together == [tokens_of(tokenise(cut([each]), text))[0] for each in NO_CHARACTER_TEXTS]
    assert "\U0010ffff" in "".join(together[0])
    without = [each for each in NO_CHARACTER_TEXTS if "\U0010ffff" not in each]
    assert tokens_of(tokenise(cut(without), text)) == [together[NO_CHARACTER_TEXTS.index(each)] for each in without]
