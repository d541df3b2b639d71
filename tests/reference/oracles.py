"""Each metric of the convention `squad` for one (prediction, gold) pair: the real package where there is one."""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache, partial

import numpy as np
from rapidfuzz.distance import Levenshtein
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenize import tokenize as rouge_tokens
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

Oracle = Callable[[str, str], float]

remembered = lru_cache(maxsize=1 << 12)  # one count serves several metrics

_ROUGE = RougeScorer(["rougeL"])
_ROUGE_1 = RougeScorer(["rouge1"])
_ROUGE_2 = RougeScorer(["rouge2"])
_ROUGE_LSUM = RougeScorer(["rougeLsum"])
_CHRF, _CHRF_PP = CHRF(), CHRF(word_order=2)
_BLEU = BLEU(effective_order=True)
_MTEVAL_RULES = TokenizerRegexp()
_MTEVAL_REPLACED = (
    ("<skipped>", ""), ("-\n", ""), ("\n", " "), ("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"),
)  # fmt: skip


# --- SQuAD v1.1 evaluation script ---


@remembered
def normalize_answer(text: str) -> str:
    """Lower-case, without ASCII punctuation, articles and superfluous white space, as the script's own."""

    def remove_articles(text: str) -> str:
        return re.sub(r"\b(a|an|the)\b", " ", text)

    def white_space_fix(text: str) -> str:
        return " ".join(text.split())

    def remove_punc(text: str) -> str:
        exclude = set(string.punctuation)
        return "".join(ch for ch in text if ch not in exclude)

    return white_space_fix(remove_articles(remove_punc(text.lower())))


@remembered
def token_overlap(pred: str, gold: str) -> tuple[float, float, float]:
    """Precision, recall and F1, as in the script's `f1_score`."""
    pred_tokens = normalize_answer(pred).split()
    gold_tokens = normalize_answer(gold).split()
    num_same = sum((Counter(pred_tokens) & Counter(gold_tokens)).values())
    if num_same == 0:
        return 0.0, 0.0, 0.0
    precision = 1.0 * num_same / len(pred_tokens)
    recall = 1.0 * num_same / len(gold_tokens)
    return precision, recall, (2 * precision * recall) / (precision + recall)


def exact_match(pred: str, gold: str) -> float:
    """1.0 if the normalised texts are equal."""
    return float(normalize_answer(pred) == normalize_answer(gold))


def contains(pred: str, gold: str) -> float:
    """1.0 if the normalised gold is a substring of the normalised prediction."""
    return float(normalize_answer(gold) in normalize_answer(pred))


# --- ROUGE ---


@remembered
def rouge_1(pred: str, gold: str) -> tuple[float, float, float]:
    """Precision, recall and F-measure of `rouge_score`."""
    return rouge(_ROUGE_1, pred, gold)


@remembered
def rouge_2(pred: str, gold: str) -> tuple[float, float, float]:
    """Precision, recall and F-measure of `rouge_score`."""
    return rouge(_ROUGE_2, pred, gold)


@remembered
def rouge_l(pred: str, gold: str) -> tuple[float, float, float]:
    """Precision, recall and F-measure of `rouge_score`."""
    return rouge(_ROUGE, pred, gold)


@remembered
def rouge_lsum(pred: str, gold: str) -> tuple[float, float, float]:
    """Precision, recall and F-measure of `rouge_score`."""
    return rouge(_ROUGE_LSUM, pred, gold)


def rouge(scorer: RougeScorer, pred: str, gold: str) -> tuple[float, float, float]:
    """Precision, recall and F-measure of a scorer for one type of ROUGE."""
    (score,) = scorer.score(target=gold, prediction=pred).values()
    return float(score.precision), float(score.recall), float(score.fmeasure)


@remembered
def rouge_l_of_long(pred: str, gold: str) -> tuple[float, float, float]:
    """As `rouge_l`, of whose table only one row at a time is kept, in numpy: for texts of thousands of tokens."""
    pred_tokens, gold_tokens = rouge_tokens(pred, None), rouge_tokens(gold, None)
    common = lcs_length(pred_tokens, gold_tokens)
    if common == 0:
        return 0.0, 0.0, 0.0
    precision, recall = common / len(pred_tokens), common / len(gold_tokens)
    return precision, recall, 2 * precision * recall / (precision + recall)


def lcs_length(left: Sequence[str], right: Sequence[str]) -> int:
    """Length of the longest common subsequence, by the textbook's recurrence, row after row of its table."""
    names = {token: name for name, token in enumerate(dict.fromkeys((*left, *right)))}
    columns = np.array([names[token] for token in right], np.int32)
    row = np.zeros(len(right) + 1, np.int32)
    for token in left:
        longer = np.where(columns == names[token], row[:-1] + 1, row[1:])
        np.maximum.accumulate(longer, out=row[1:])
    return int(row[-1])


# --- BLEU ---


def sentence_bleu(pred: str, gold: str) -> float:
    """`sacrebleu`'s, from 0 to 1."""
    return float(_BLEU.sentence_score(pred, [gold]).score) / 100


@remembered
def mteval_tokens(text: str) -> tuple[str, ...]:
    """The default tokeniser of HF `evaluate`'s `bleu`: mteval-v13a. Unlike `sacrebleu`, it strips nothing first."""
    for old, new in _MTEVAL_REPLACED:
        text = text.replace(old, new)
    return tuple(str(_MTEVAL_RULES(f" {text} ")).split())


def nmt_bleu(pred: str, gold: str, *, max_order: int) -> float:
    """HF `evaluate`'s `bleu` of one pair: `bleu.py` of TensorFlow's nmt, without smoothing; 0 where it divides by 0."""
    translation, reference = mteval_tokens(pred), mteval_tokens(gold)
    overlap = _ngrams(translation, max_order) & _ngrams(reference, max_order)
    matches = [0] * max_order
    for ngram, count in overlap.items():
        matches[len(ngram) - 1] += count
    possible = [len(translation) - order for order in range(max_order)]
    precisions = [match / of if of > 0 else 0.0 for match, of in zip(matches, possible, strict=True)]
    geo_mean = math.exp(sum(math.log(p) / max_order for p in precisions)) if min(precisions) > 0 else 0.0
    if not translation or not reference:
        return 0.0
    ratio = len(translation) / len(reference)
    return geo_mean * (1.0 if ratio > 1.0 else math.exp(1 - 1.0 / ratio))


# --- chrF ---


def chrf(pred: str, gold: str) -> float:
    """`sacrebleu`'s chrF2, from 0 to 1."""
    return float(_CHRF.sentence_score(pred, [gold]).score) / 100


def chrf_pp(pred: str, gold: str) -> float:
    """`sacrebleu`'s chrF2++, from 0 to 1."""
    return float(_CHRF_PP.sentence_score(pred, [gold]).score) / 100


# --- edit distance


def edit_similarity(pred: str, gold: str) -> float:
    """`rapidfuzz`'s normalised Levenshtein similarity of the lower-cased texts, words joined by single spaces."""
    texts = (" ".join(text.strip().lower().split()) for text in (pred, gold))
    return Levenshtein.normalized_similarity(*texts)


def anls(pred: str, gold: str) -> float:
    """DocVQA's score, as `anls_star` 1.0.1 has it: similarities below one half are 0."""
    similarity = edit_similarity(pred, gold)
    return 0.0 if similarity < 0.5 else similarity


def _ngrams(tokens: tuple[str, ...], max_order: int) -> Counter[tuple[str, ...]]:
    return Counter(
        tokens[start : start + order] for order in range(1, max_order + 1) for start in range(len(tokens) - order + 1)
    )


ORACLES: dict[str, Oracle] = {
    "em": exact_match,
    "precision": lambda pred, gold: token_overlap(pred, gold)[0],
    "recall": lambda pred, gold: token_overlap(pred, gold)[1],
    "f1": lambda pred, gold: token_overlap(pred, gold)[2],
    "contains": contains,
    "prefix": lambda pred, gold: float(normalize_answer(pred).startswith(normalize_answer(gold))),
    "rouge_1": lambda pred, gold: rouge_1(pred, gold)[2],
    "rouge_1_precision": lambda pred, gold: rouge_1(pred, gold)[0],
    "rouge_1_recall": lambda pred, gold: rouge_1(pred, gold)[1],
    "rouge_2": lambda pred, gold: rouge_2(pred, gold)[2],
    "rouge_2_precision": lambda pred, gold: rouge_2(pred, gold)[0],
    "rouge_2_recall": lambda pred, gold: rouge_2(pred, gold)[1],
    "rouge_l": lambda pred, gold: rouge_l(pred, gold)[2],
    "rouge_l_precision": lambda pred, gold: rouge_l(pred, gold)[0],
    "rouge_l_recall": lambda pred, gold: rouge_l(pred, gold)[1],
    "rouge_lsum": lambda pred, gold: rouge_lsum(pred, gold)[2],
    "rouge_lsum_precision": lambda pred, gold: rouge_lsum(pred, gold)[0],
    "rouge_lsum_recall": lambda pred, gold: rouge_lsum(pred, gold)[1],
    "bleu": sentence_bleu,
    **{f"bleu{order}": partial(nmt_bleu, max_order=order) for order in (1, 2, 3, 4)},
    "chrf": chrf,
    "chrf++": chrf_pp,
    "anls": anls,
    "edit_similarity": edit_similarity,
}
"""Every metric by name, in the package's order."""

ORACLES_OF_LONG: dict[str, Oracle] = {
    **ORACLES,
    "rouge_l": lambda pred, gold: rouge_l_of_long(pred, gold)[2],
    "rouge_l_precision": lambda pred, gold: rouge_l_of_long(pred, gold)[0],
    "rouge_l_recall": lambda pred, gold: rouge_l_of_long(pred, gold)[1],
    "rouge_lsum": lambda pred, gold: rouge_l_of_long(pred, gold)[2],
    "rouge_lsum_precision": lambda pred, gold: rouge_l_of_long(pred, gold)[0],
    "rouge_lsum_recall": lambda pred, gold: rouge_l_of_long(pred, gold)[1],
}
"""The same for texts of one line, where `rouge_score`'s own table would take minutes."""
