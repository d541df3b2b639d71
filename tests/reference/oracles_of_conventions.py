"""Each metric of every convention but `squad` for one (prediction, gold) pair: the real package where it installs.

Else a few lines by its code's rules. What the package raises is 0, as the design has it.
"""

from __future__ import annotations

import importlib
import itertools
import re
import string
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial

import numpy as np
import regex
from nltk.tokenize.destructive import MacIntyreContractions
from nltk.tokenize.punkt import PunktLanguageVars, PunktParameters, PunktSentenceTokenizer, PunktToken
from nltk.tokenize.treebank import TreebankWordTokenizer
from nltk.translate.bleu_score import sentence_bleu as nltk_bleu
from rouge import Rouge

from qa_frame.rules import STOP_WORDS
from qa_frame.text.punkt import ABBREVIATIONS
from tests.reference.oracles import ORACLES, Oracle, normalize_answer, token_overlap

remembered = lru_cache(maxsize=1 << 12)  # one count serves several metrics

PRF = tuple[float, float, float]
"""Precision, recall and F1."""

_NUMBER = re.compile(r"^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$")
_CONTRACTIONS = [*MacIntyreContractions.CONTRACTIONS2, *MacIntyreContractions.CONTRACTIONS3]
_PENN = TreebankWordTokenizer()
_ROUGE = Rouge(metrics=["rouge-l"])
_SEPARATORS = {
    *"-:_*^/\\~`+=",
    *"\uff0c\u3002\uff1a\uff1f\uff01\u201c\u201d\uff1b\u2019\u300a\u300b\u00b7\u3001\u300c\u300d\uff08\uff09\uff0d",
    *"\uff5e\u300e\u300f",
    "\u2026\u2026",  # in its list, but no character ever equals it
}


def named(scores: Callable[[str, str], PRF], prefix: str = "") -> dict[str, Oracle]:
    """The three parts of a score as metrics; the F1 has the prefix's own name."""
    names = ("precision", "recall", "f1") if not prefix else (f"{prefix}_precision", f"{prefix}_recall", prefix)

    def part(pred: str, gold: str, *, place: int) -> float:
        return scores(pred, gold)[place]

    return {name: partial(part, place=place) for place, name in enumerate(names)}


def harmonic(common: int, n_pred: int, n_gold: int) -> PRF:
    """Precision, recall and F1, 0 where they would divide by 0."""
    precision = common / n_pred if n_pred else 0.0
    recall = common / n_gold if n_gold else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if common else 0.0


# --- SQuAD v2.0 evaluation script ---


def squad2_overlap(pred: str, gold: str) -> PRF:
    """The script's `compute_f1`: if either side has no token, whether both have none."""
    no_pred, no_gold = not normalize_answer(pred), not normalize_answer(gold)
    if no_pred or no_gold:
        return (float(no_pred and no_gold),) * 3
    return token_overlap(pred, gold)


def squad2_golds(golds: Sequence[str]) -> list[str]:
    """The golds that count: those that are not empty once normalised; if there is none, no answer is right."""
    return [gold for gold in golds if normalize_answer(gold)] or [""]


# --- context-bench, 957190f ---


def answer_quality_tokens(text: str) -> list[str]:
    """Articles go before punctuation."""
    without_articles = re.sub(r"\b(a|an|the)\b", " ", text.lower())
    return without_articles.translate(str.maketrans("", "", string.punctuation)).split()


@remembered
def answer_quality(pred: str, gold: str) -> tuple[float, float, float, float, float]:
    """EM, precision, recall, F1 and contains, as in `AnswerQuality`."""
    if gold == "":
        return (1.0,) * 5
    if pred == "":
        return (0.0,) * 5
    pred_tokens, gold_tokens = answer_quality_tokens(pred), answer_quality_tokens(gold)
    common = (Counter(pred_tokens) & Counter(gold_tokens)).total()
    overlap = harmonic(common, len(pred_tokens), len(gold_tokens))
    return float(pred_tokens == gold_tokens), *overlap, float(gold.lower() in pred.lower())


# --- continuous-eval 0.3.14 ---


_PATTERNS = {
    "NonWord": r"""(?:[)";}\]*:@'({\[\u2018\u2019\u201c\u201d\xab\xbb?!])""",
    "SentEndChars": r"[.?!]",
    "MultiChar": PunktLanguageVars._re_multi_char_punct,
    "WordStart": PunktLanguageVars._re_word_start,
}


class NewMarks(PunktLanguageVars):
    """The patterns as of NLTK 3.10, which also knows curly quotes, for an older NLTK."""

    _re_period_context = regex.compile(PunktLanguageVars._period_context_fmt % _PATTERNS, regex.VERBOSE)
    _re_word_tokenizer = regex.compile(PunktLanguageVars._word_tokenize_fmt % _PATTERNS, regex.VERBOSE)
    re_boundary_realignment = regex.compile(
        r"""["')\]}\u2018\u2019\u201c\u201d\xab\xbb]+?(?:\s+|(?=--)|$)""", regex.MULTILINE
    )


class NewToken(PunktToken):
    """As of NLTK 3.10, which takes the letters of the package `regex`."""

    _RE_INITIAL = regex.compile(r"[^\W\d]\.$")


@cache
def english_punkt() -> PunktSentenceTokenizer:
    """NLTK's own Punkt. Of its trained model it knows the abbreviations, which alone matter inside words."""
    parameters = PunktParameters()
    parameters.abbrev_types = set(ABBREVIATIONS)
    if PunktLanguageVars().period_context_re().search(".\u201d"):
        return PunktSentenceTokenizer(parameters)
    return PunktSentenceTokenizer(parameters, lang_vars=NewMarks(), token_cls=NewToken)


def space_between_sentences(text: str) -> str:
    """The text, with a space wherever a sentence follows another one without white space."""
    spans = [*english_punkt().span_tokenize(text)]
    for (_, end), (start, _) in reversed([*itertools.pairwise(spans)]):
        if start == end:
            text = f"{text[:end]} {text[start:]}"
    return text


@remembered
def content_words(text: str) -> tuple[str | float, ...]:
    """The tokens of its `SimpleTokenizer` in each sentence."""
    return tuple(word for sentence in english_punkt().tokenize(text) for word in words_of_sentence(sentence))


def words_of_sentence(text: str) -> tuple[str | float, ...]:
    text = "".join(character for character in text.lower() if character not in string.punctuation)
    text = " ".join(word for word in text.split() if word not in STOP_WORDS["en"])
    text = f" {text} "
    for pattern in _CONTRACTIONS:
        text = re.sub(pattern, r" \1 \2 ", text)
    return tuple(float(token) if _NUMBER.match(token) else token for token in text.split())


def penn_tokens(text: str) -> tuple[str, ...]:
    return tuple(_PENN.tokenize(text))


def distinct_overlap(tokens: Callable[[str], tuple[object, ...]], pred: str, gold: str) -> PRF:
    """Distinct tokens in common, out of all tokens of either side."""
    pred_tokens, gold_tokens = tokens(pred), tokens(gold)
    return harmonic(len(set(pred_tokens) & set(gold_tokens)), len(pred_tokens), len(gold_tokens))


def is_punctuation(text: str) -> bool:
    """Whether it holds ASCII punctuation alone, or nothing."""
    return all(character in string.punctuation for character in text)


@remembered
def rouge_of_sentences(pred: str, gold: str) -> PRF:
    """`rouge` 1.0.1's ROUGE-L as `RougeScore` calls it."""
    if is_punctuation(pred):
        return 0.0, 0.0, 0.0
    try:
        score = _ROUGE.get_scores(pred, gold)[0]["rouge-l"]
    except (ValueError, RecursionError):
        return 0.0, 0.0, 0.0
    return score["p"], score["r"], score["f"]


@remembered
def rouge_of_long_sentences(pred: str, gold: str) -> PRF:
    """The same without recursion, for sentences of many hundreds of words."""
    pred_sentences, gold_sentences = rouge_sentences(pred), rouge_sentences(gold)
    if is_punctuation(pred) or not pred_sentences or not gold_sentences:
        return 0.0, 0.0, 0.0
    common = {
        word for ref in gold_sentences for hyp in pred_sentences for word in words_of_chosen_subsequence(ref, hyp)
    }
    precision = len(common) / len({word for sentence in pred_sentences for word in sentence})
    recall = len(common) / len({word for sentence in gold_sentences for word in sentence})
    return precision, recall, 2 * precision * recall / (precision + recall + 1e-8)


def rouge_sentences(text: str) -> list[list[str]]:
    """What stands between full stops, in words; a sentence of white space alone has one word, the empty one."""
    return [" ".join(part.split()).split(" ") for part in text.split(".") if part]


def words_of_chosen_subsequence(ref: Sequence[str], hyp: Sequence[str]) -> set[str]:
    """The words of the longest common subsequence found from the table's end: equal words are taken; else one goes
    back in the first text if that leaves more than going back in the second, else in the second."""
    names = {word: name for name, word in enumerate(dict.fromkeys((*ref, *hyp)))}
    columns = np.array([names[word] for word in hyp], np.int32)
    table = np.zeros((len(ref) + 1, len(hyp) + 1), np.int16)
    for row, word in enumerate(ref):
        longer = np.where(columns == names[word], table[row, :-1] + 1, table[row, 1:])
        np.maximum.accumulate(longer, out=table[row + 1, 1:])
    words, row, column = set(), len(ref), len(hyp)
    while row and column:
        if ref[row - 1] == hyp[column - 1]:
            words.add(ref[row - 1])
            row, column = row - 1, column - 1
        elif table[row - 1, column] > table[row, column - 1]:
            row -= 1
        else:
            column -= 1
    return words


def character_bleu(pred: str, gold: str) -> float:
    """NLTK's `sentence_bleu` of two strings, which takes them for lists of characters."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of every order without a match
        return float(nltk_bleu([gold], pred))


# --- MindFormers 2.1.0 ---


@cache
def _jieba_cut() -> Callable[[str], list[str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        jieba = importlib.import_module("jieba")
        jieba.setLogLevel("WARNING")
        jieba.initialize()
    return jieba.lcut


@remembered
def mixed_segmentation(text: str) -> tuple[str, ...]:
    """Chinese characters alone and what lies between by `jieba`, the separators left out first."""
    segments, between = [], ""
    for character in text.lower().strip():
        if character in _SEPARATORS:
            continue
        if not "\u4e00" <= character <= "\u9fa5":
            between += character
            continue
        segments += [*_jieba_cut()(between), character] if between else [character]
        between = ""
    return tuple(segments + _jieba_cut()(between)) if between else tuple(segments)


def first_line(pred: str) -> str:
    return pred.strip().split("\n")[0]


def common_run(left: Sequence[object], right: Sequence[object]) -> int:
    """The length of the longest run of tokens that stands in both, by its table, a row at a time."""
    longest, above = 0, [0] * (len(right) + 1)
    for token in left:
        row = [0, *(above[place] + 1 if token == other else 0 for place, other in enumerate(right))]
        longest, above = max(longest, *row), row
    return longest


@remembered
def run_overlap(pred: str, gold: str) -> PRF:
    pred_tokens, gold_tokens = mixed_segmentation(first_line(pred)), mixed_segmentation(gold)
    return harmonic(common_run(gold_tokens, pred_tokens), len(pred_tokens), len(gold_tokens))


def em_without_separators(pred: str, gold: str) -> float:
    def bare(text: str) -> str:
        return "".join(character for character in text.lower().strip() if character not in _SEPARATORS)

    return float(bare(first_line(pred)) == bare(gold))


# --- all of them ---


def _only(oracles: dict[str, Oracle], *names: str) -> dict[str, Oracle]:
    return {name: oracles[name] for name in names}


_OF_BLEU = ("bleu1", "bleu2", "bleu3", "bleu4")
_OVERLAP = ("precision", "recall", "f1")
_ROUGE_L = ("rouge_l", "rouge_l_precision", "rouge_l_recall")

CONTINUOUS_ROUGE = named(rouge_of_sentences, "rouge_l")
CONTINUOUS_ROUGE_OF_LONG = named(rouge_of_long_sentences, "rouge_l")

ORACLES_PER_CONVENTION: dict[str, dict[str, Oracle]] = {
    "squad": ORACLES,
    "squad2": {
        **_only(ORACLES, "em", "contains", *_ROUGE_L, "bleu", *_OF_BLEU),
        **named(squad2_overlap),  # EM is that of v1.1: equal if both are empty, different if one is
    },
    "remem": _only(ORACLES, "em", *_OVERLAP, *_OF_BLEU),
    "context_bench": {
        name: lambda pred, gold, place=place: answer_quality(pred, gold)[place]
        for place, name in enumerate(("em", *_OVERLAP, "contains"))
    },
    "continuous_eval": {
        **named(partial(distinct_overlap, content_words)),
        **CONTINUOUS_ROUGE,
        "bleu": character_bleu,
    },
    "continuous_eval_docs": {
        **named(partial(distinct_overlap, penn_tokens)),
        **CONTINUOUS_ROUGE,
        "bleu": character_bleu,
    },
    "mindformers": {"em": em_without_separators, **named(run_overlap)},
}
"""For each convention the metrics of its source, by name."""
