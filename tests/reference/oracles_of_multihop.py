"""Each metric of the conventions of multi-hop and open-domain question answering, by their scripts' rules.

For one (prediction, gold) pair; BLEU of FlashRAG, which takes all golds together, for a row.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Callable, Sequence

from rouge import Rouge
from rouge_score.rouge_scorer import RougeScorer

from tests.reference.oracles import (
    Oracle,
    contains,
    exact_match,
    mteval_tokens,
    normalize_answer,
    remembered,
    token_overlap,
)
from tests.reference.oracles_of_conventions import PRF, harmonic, named, rouge_of_long_sentences

_TO_SPACE = str.maketrans(dict.fromkeys(string.punctuation + "‘’´`", " "))
_ROUGE = Rouge(metrics=["rouge-l"])
_STEMMED = RougeScorer(["rougeL", "rougeLsum"], use_stemmer=True)

OracleOfRow = Callable[[str, Sequence[str]], float]


# --- TriviaQA ---


def triviaqa_tokens(text: str) -> list[str]:
    """Punctuation becomes a space, where the SQuAD script deletes it."""
    return re.sub(r"\b(a|an|the)\b", " ", text.lower().translate(_TO_SPACE)).split()


def triviaqa_exact(pred: str, gold: str) -> float:
    return float(triviaqa_tokens(pred) == triviaqa_tokens(gold))


def triviaqa_f1(pred: str, gold: str) -> float:
    pred_tokens, gold_tokens = triviaqa_tokens(pred), triviaqa_tokens(gold)
    return harmonic((Counter(pred_tokens) & Counter(gold_tokens)).total(), len(pred_tokens), len(gold_tokens))[2]


# --- HotpotQA, and those that took its F1 ---


def hotpotqa_overlap(pred: str, gold: str) -> PRF:
    """As SQuAD's, but "yes", "no" and "noanswer" have nothing in common with any other text."""
    sides = {normalize_answer(pred), normalize_answer(gold)}
    if len(sides) == 2 and sides & {"yes", "no", "noanswer"}:
        return 0.0, 0.0, 0.0
    return token_overlap(pred, gold)


# --- MuSiQue ---


def musique_f1(pred: str, gold: str) -> float:
    """As SQuAD's, but two sides without tokens agree."""
    if not normalize_answer(pred) and not normalize_answer(gold):
        return 1.0
    return token_overlap(pred, gold)[2]


# --- FlashRAG ---


@remembered
def package_rouge_l(pred: str, gold: str) -> PRF:
    """ROUGE-L of the package `rouge`, 0 for a side without a sentence."""
    try:
        score = _ROUGE.get_scores(pred, gold)[0]["rouge-l"]
    except ValueError:
        return 0.0, 0.0, 0.0
    except RecursionError:
        return rouge_of_long_sentences(pred, gold)
    return score["p"], score["r"], score["f"]


def flashrag_bleu(pred: str, golds: Sequence[str]) -> float:
    """Unsmoothed BLEU-4 with all golds as references and the length of the shortest; 0 where it divides by 0."""
    tokens, references = mteval_tokens(pred), [mteval_tokens(gold) for gold in golds]
    shortest = min(map(len, references))
    if len(tokens) < 4 or not shortest:
        return 0.0
    log_precisions = []
    for order in (1, 2, 3, 4):
        most: Counter[tuple[str, ...]] = Counter()
        for reference in references:
            most |= n_grams(reference, order)
        matches = (n_grams(tokens, order) & most).total()
        if not matches:
            return 0.0
        log_precisions.append(math.log(matches / (len(tokens) - order + 1)))
    return math.exp(sum(log_precisions) / 4 + min(0.0, 1 - shortest / len(tokens)))


def n_grams(tokens: tuple[str, ...], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))


# --- KILT ---


def where_both_have_text(oracle: Oracle) -> Oracle:
    """The oracle of the stripped texts; 0 where one has no text: KILT gives such a prediction nothing, and leaves out
    such golds."""

    def score(pred: str, gold: str) -> float:
        pred, gold = pred.strip(), gold.strip()
        return oracle(pred, gold) if pred and gold else 0.0

    return score


# --- HELMET ---


@remembered
def stemmed_rouge(pred: str, gold: str) -> dict[str, float]:
    """F-measure and recall of ROUGE-L and ROUGE-Lsum of `rouge_score` with its stemmer."""
    found = _STEMMED.score(target=gold, prediction=pred)
    of_l, of_lsum = found["rougeL"], found["rougeLsum"]
    return {
        "rouge_l": of_l.fmeasure,
        "rouge_l_recall": of_l.recall,
        "rouge_lsum": of_lsum.fmeasure,
        "rouge_lsum_recall": of_lsum.recall,
    }


def of_stems(metric: str) -> Oracle:
    return lambda pred, gold: float(stemmed_rouge(pred, gold)[metric])


# --- all of them ---

_HOTPOTQA: dict[str, Oracle] = {"em": exact_match, **named(hotpotqa_overlap)}
_ROUGE_L = named(package_rouge_l, "rouge_l")

ORACLES_PER_CONVENTION: dict[str, dict[str, Oracle]] = {
    "triviaqa": {"em": triviaqa_exact, "f1": triviaqa_f1},
    "hotpotqa": _HOTPOTQA,
    "flashrag": {**_HOTPOTQA, "contains": contains, **_ROUGE_L},
    "search_r1": {"em": exact_match, "contains": contains},
    "musique": {"em": exact_match, "f1": musique_f1},
    "kilt": {
        "em": where_both_have_text(exact_match),
        "f1": where_both_have_text(lambda pred, gold: token_overlap(pred, gold)[2]),
        "rouge_l": where_both_have_text(lambda pred, gold: package_rouge_l(pred, gold)[2]),
    },
    "kilt_accuracy": {"em": where_both_have_text(lambda pred, gold: float(pred == gold))},
    "helmet": {
        "em": exact_match,
        "f1": _HOTPOTQA["f1"],
        "contains": contains,
        **{metric: of_stems(metric) for metric in ("rouge_l", "rouge_l_recall", "rouge_lsum", "rouge_lsum_recall")},
    },
}
"""For each convention the metrics of its source, by name."""

ORACLES_OF_ROWS: dict[str, dict[str, OracleOfRow]] = {"flashrag": {"bleu": flashrag_bleu}}
"""The metrics that take all golds of a row together."""
