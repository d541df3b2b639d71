"""Each metric of the conventions of LongBench, InfiniteBench, MLQA, CMRC 2018 and KorQuAD, by their scripts' rules.

For one (prediction, gold) pair. What a script's own `except` makes 0 is 0 here, but for texts that are too long for the
recursion of the package `rouge`.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import ClassVar

import regex
from nltk.tokenize.destructive import NLTKWordTokenizer
from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

from qa_frame.text.punkt import ABBREVIATIONS
from tests.reference.oracles import Oracle, remembered, token_overlap
from tests.reference.oracles_of_conventions import (
    _SEPARATORS,
    PRF,
    NewMarks,
    NewToken,
    _jieba_cut,
    common_run,
    harmonic,
)
from tests.reference.oracles_of_multihop import package_rouge_l

Tokens = Callable[[str], Sequence[str]]


def overlap(tokens: Tokens, pred: str, gold: str) -> PRF:
    """Precision, recall and F1 of two multisets of tokens."""
    pred_tokens, gold_tokens = tokens(pred), tokens(gold)
    return harmonic((Counter(pred_tokens) & Counter(gold_tokens)).total(), len(pred_tokens), len(gold_tokens))


def f1_of(tokens: Tokens) -> Oracle:
    return lambda pred, gold: overlap(tokens, pred, gold)[2]


def em_of(tokens: Tokens) -> Oracle:
    return lambda pred, gold: float(tokens(pred) == tokens(gold))


# --- LongBench ---

CHINESE_MARKS = set(
    "！？｡。＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟〰〾〿–—‘’‛“”„‟…‧﹏"
) | set(string.punctuation)


def without_marks(text: str) -> str:
    """Lower-cased, without punctuation and white space."""
    return "".join("".join(c for c in text.lower() if c not in CHINESE_MARKS).split())


@remembered
def jieba_tokens(text: str) -> tuple[str, ...]:
    """`jieba`'s words, those that are not empty once normalised."""
    return tuple(filter(None, map(without_marks, _jieba_cut()(text))))


def rouge_of_jieba_words(pred: str, gold: str) -> float:
    """The package's ROUGE-L of `jieba`'s words."""
    return package_rouge_l(" ".join(_jieba_cut()(pred)), " ".join(_jieba_cut()(gold)))[2]


# --- MLQA ---

MLQA_ARTICLES = {
    "ar": "ال",
    "de": r"\b(ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des)\b",
    "en": r"\b(a|an|the)\b",
    "es": r"\b(un|una|unos|unas|el|la|los|las)\b",
    "vi": r"\b(của|là|cái|chiếc|những)\b",
}


def mlqa_tokens(text: str, *, language: str) -> list[str]:
    """Without punctuation and articles, at white space; each Chinese character alone in `zh`."""
    bare = "".join(c for c in text.lower() if unicodedata.category(c)[0] != "P" and c not in string.punctuation)
    if language in MLQA_ARTICLES:
        bare = re.sub(MLQA_ARTICLES[language], " ", bare)
    if language == "zh":
        bare = re.sub(r"([\u4e00-\u9fa5])", r" \1 ", bare)
    return bare.split()


# --- KorQuAD 1.0 ---


def korquad_words(text: str) -> list[str]:
    spaced = re.sub(r"""['"《》<>〈〉()‘’]""", " ", text).lower()
    return spaced.translate(str.maketrans("", "", string.punctuation)).split()


def korquad_characters(text: str) -> str:
    return "".join(korquad_words(text))


# --- CMRC 2018 ---


@cache
def word_tokenize() -> Callable[[str], list[str]]:
    """NLTK's `word_tokenize` as of 3.10, with what its English model knows of lower-case text."""
    parameters = PunktParameters()
    parameters.abbrev_types = {*ABBREVIATIONS, ". . "}
    parameters.collocations = {tuple(pair.split("_")) for pair in COLLOCATIONS.replace("#", "##number##").split()}
    parameters.ortho_context.update(dict.fromkeys(("administrators", "b-week", "r-revised", "z-holiday"), 16))
    sentences = PunktSentenceTokenizer(parameters, lang_vars=NewMarks(), token_cls=NewToken)
    words = NewWords()
    return lambda text: [token for sentence in sentences.tokenize(text) for token in words.tokenize(sentence)]


COLLOCATIONS = """
b_edelman b_levine b_smith b_stewart b_wigton i_magnin i_toussie j_aron j_fialka j_walter o_ludcke #_abreast #_aes
#_business #_cbot #_colgate #_commodities #_cooper #_corrections #_credit #_dividend #_financing #_genentech #_henley
#_insider #_international #_leisure #_letters #_notable #_pay-fone #_pegasus #_pepper #_review #_rj #_wedgestone #_who
#_zimmer
"""
"""Those of the English model; "#" stands for numbers."""

Rules = Sequence[tuple[re.Pattern[str], str]]


def _as_in_new_nltk(rules: Rules) -> list[tuple[object, str]]:
    return [(regex.compile(rule.pattern), by) for rule, by in rules]


class NewWords(NLTKWordTokenizer):
    """The patterns as of NLTK 3.10, which takes the package `regex` and knows more dashes and apostrophes."""

    STARTING_QUOTES: ClassVar = [
        *_as_in_new_nltk(NLTKWordTokenizer.STARTING_QUOTES[:4]),
        (regex.compile(r"(?i)(?<!\w)(')(?!(?:re|ve|ll|m|t|s|d|n)\b)(?=\w)"), r"\1 "),
    ]
    ENDING_QUOTES: ClassVar = _as_in_new_nltk(NLTKWordTokenizer.ENDING_QUOTES)
    PUNCTUATION: ClassVar = [
        *_as_in_new_nltk(NLTKWordTokenizer.PUNCTUATION[:5]),
        (regex.compile("[\u2012-\u2015]"), r" \g<0> "),
        *_as_in_new_nltk(NLTKWordTokenizer.PUNCTUATION[-4:]),
    ]


def without_separators(text: str) -> str:
    return "".join(character for character in text.lower().strip() if character not in _SEPARATORS)


@remembered
def cmrc_segments(text: str) -> tuple[str, ...]:
    """Chinese characters alone and what lies between by NLTK, the separators left out first."""
    parts = re.split("([\u4e00-\u9fa5])", without_separators(text))
    return tuple(token for part in parts if part for token in word_tokenize()(part))


@remembered
def cmrc_overlap(pred: str, gold: str) -> PRF:
    pred_tokens, gold_tokens = cmrc_segments(pred), cmrc_segments(gold)
    return harmonic(common_run(gold_tokens, pred_tokens), len(pred_tokens), len(gold_tokens))


# --- all of them ---

_OF_MLQA = {
    language: partial(mlqa_tokens, language=language) for language in ("ar", "de", "en", "es", "hi", "vi", "zh")
}

ORACLES_PER_CONVENTION: dict[str, dict[str, Oracle]] = {
    "longbench": {
        "f1": lambda pred, gold: token_overlap(pred, gold)[2],
        "rouge_l": lambda pred, gold: package_rouge_l(pred, gold)[2],
    },
    "longbench_zh": {"f1": f1_of(jieba_tokens), "rouge_l": rouge_of_jieba_words},
    "infinitebench_zh": {"f1": f1_of(without_marks)},
    **{f"mlqa_{language}": {"em": em_of(tokens), "f1": f1_of(tokens)} for language, tokens in _OF_MLQA.items()},
    "cmrc2018": {"em": em_of(without_separators), "f1": lambda pred, gold: cmrc_overlap(pred, gold)[2]},
    "korquad": {"em": em_of(korquad_words), "f1": f1_of(korquad_characters)},
}
"""For each convention the metrics of its source, by name."""
