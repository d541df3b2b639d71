"""Conventions of libraries, of memory benchmarks, and of harnesses that cut an answer out: as plain Python has them.

BLEU, chrF, stems and edit distances are those of the packages themselves.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import sacrebleu
from nltk.stem import PorterStemmer
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from rapidfuzz.distance import Levenshtein

from tests.reference.oracles import Oracle, chrf, chrf_pp
from tests.reference.oracles_of_answers import fuzzy_match
from tests.reference.oracles_of_languages import word_tokenize
from tests.reference.oracles_of_numbers import drop_exact, drop_overlap

OracleOfRow = Callable[[str, Sequence[str]], float]

_PORTER = PorterStemmer()
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def f_of_counts(common: int, n_pred: int, n_gold: int) -> float:
    """The harmonic mean of precision and recall."""
    return 2 * common / (n_pred + n_gold) if common else 0.0


# --- sacrebleu ---


def sacrebleu_of_row(pred: str, golds: Sequence[str]) -> float:
    return float(sacrebleu.sentence_bleu(pred, list(golds)).score) / 100


# --- LoCoMo and mem0 ---


def stems(text: str) -> list[str]:
    words = text.lower().translate(_NO_PUNCTUATION)
    return [_PORTER.stem(word) for word in re.sub(r"\b(?:a|an|the|and)\b", " ", words).split()]


def locomo_f1(pred: str, gold: str) -> float:
    sides = stems(pred), stems(gold)
    common = Counter(sides[0]) & Counter(sides[1])
    return f_of_counts(common.total(), *map(len, sides))


def mem0_exact(pred: str, gold: str) -> float:
    return float(bool(pred and gold) and pred.strip().lower() == gold.strip().lower())


def mem0_f1(pred: str, gold: str) -> float:
    sides = [{*re.sub("[.,!?]", " ", text.lower()).split()} for text in (pred, gold)]
    return f_of_counts(len(sides[0] & sides[1]), *map(len, sides))


def mem0_bleu(pred: str, gold: str, *, weights: tuple[float, ...]) -> float:
    tokens, wanted = (word_tokenize()(text.strip().lower()) for text in (pred, gold))
    return float(sentence_bleu([wanted], tokens, weights, smoothing_function=SmoothingFunction().method1))


# --- simple-evals ---


def drop_f1_of_percent(pred: str, gold: str) -> float:
    if not gold.strip():
        return 0.0
    return float(np.round(100 * drop_overlap(pred, gold), 2)) / 100


# --- HELM ---


def last_number(text: str) -> str:
    numbers = re.findall(r"-?[\d,]+(?:.\d+)?", text)
    return numbers[-1].replace(",", "").strip() if numbers else ""


def same_last_number(pred: str, gold: str) -> float:
    return float(last_number(pred) == last_number(gold) != "")


# --- OpenCompass ---


def short_answer(text: str) -> str:
    text = re.sub(r"[^\w\s]", "", re.split("[\n.,]", text, maxsplit=1)[0])
    return " ".join(re.sub(r"\b(?:a|an|the)\b", "", text, flags=re.IGNORECASE).split())


def opencompass(pred: str, gold: str, *, behind: Sequence[str]) -> float:
    pred = pred.strip().split("\n")[0].lower()
    for words in behind:
        pred = pred.rpartition(words)[2]
    return float(short_answer(gold).lower() in short_answer(pred))


ORACLES_PER_CONVENTION: dict[str, dict[str, Oracle]] = {
    "sacrebleu": {"chrf": chrf, "chrf++": chrf_pp},
    "rapidfuzz": {"edit_similarity": Levenshtein.normalized_similarity},
    "locomo": {"f1": locomo_f1},
    "mem0": {
        "em": mem0_exact,
        "f1": mem0_f1,
        "bleu1": partial(mem0_bleu, weights=(1, 0, 0, 0)),
        "bleu2": partial(mem0_bleu, weights=(0.5, 0.5, 0, 0)),
        "bleu4": partial(mem0_bleu, weights=(0.25, 0.25, 0.25, 0.25)),
    },
    "simple_evals_drop": {"em": drop_exact, "f1": drop_f1_of_percent, "contains": fuzzy_match},
    "helm_final_number": {"em": same_last_number},
    "opencompass_nq": {"contains": partial(opencompass, behind=("answer is",))},
    "opencompass_triviaqa": {"contains": partial(opencompass, behind=("answer is", "a:", "answer:"))},
}
"""For each convention the metrics of its source, by name."""

ORACLES_OF_ROWS: dict[str, dict[str, OracleOfRow]] = {"sacrebleu": {"bleu": sacrebleu_of_row}}
"""The metrics that take all golds of a row together."""
