"""Each metric of the conventions of evaluation harnesses and metric packages, by their code's rules.

For one (prediction, gold) pair; BLEU, which takes all golds together, for a row. The scripts of CoQA and QuAC are here
as well, as harnesses took theirs from them.
"""

from __future__ import annotations

import contextlib
import math
import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from tests.reference.oracles import (
    Oracle,
    exact_match,
    mteval_tokens,
    rouge_1,
    rouge_2,
    rouge_l,
    token_overlap,
)
from tests.reference.oracles_of_conventions import first_line, harmonic, squad2_overlap

OracleOfRow = Callable[[str, Sequence[str]], float]

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


# --- over golds ---


def leave_one_out(scores: Sequence[float]) -> float:
    """The mean of the best score without the first gold, the best without the second, and so on."""
    if len(scores) == 1:
        return scores[0]
    best = [max([*scores[:place], *scores[place + 1 :]]) for place in range(len(scores))]
    return math.fsum(best) / len(best)


# --- lm-evaluation-harness: nq_open, triviaqa ---

_NQ_ARTICLES = r"\b(?:The |the |An |A |The |a |an )"


def harness_text(text: str, ignored: str | None = None) -> str:
    """As `exact_match_hf_evaluate` has it with `ignore_case` and `ignore_punctuation`."""
    if ignored is not None:
        text = re.sub(ignored, "", text)
    return text.lower().translate(_NO_PUNCTUATION)


def harness_exact(pred: str, gold: str, *, ignored: str | None = None) -> float:
    """The filter `remove_whitespace` strips the response, but not the gold."""
    return float(harness_text(pred.strip(), ignored) == harness_text(gold, ignored))


# --- CoQA ---


def coqa_f1(pred: str, gold: str) -> float:
    return squad2_overlap(pred, gold)[2]


# --- QuAC ---

CANNOTANSWER = "CANNOTANSWER"


def quac_golds(golds: Sequence[str]) -> list[str]:
    """The golds that count: those with an answer, or CANNOTANSWER if it is half of them or more."""
    answers = [gold for gold in golds if gold != CANNOTANSWER]
    return answers if len(answers) > len(golds) - len(answers) else [CANNOTANSWER]


def quac_f1(pred: str, gold: str) -> float:
    return float(pred == CANNOTANSWER) if gold == CANNOTANSWER else token_overlap(pred, gold)[2]


# --- lighteval ---


def helm_text(text: str) -> str:
    """`helm_normalizer`: what stands between spaces and hyphens loses its marks, and is then a number or not."""
    words = []
    for part in re.split("[ -]", text):
        word = part.lower().translate(_NO_PUNCTUATION)
        with contextlib.suppress(ValueError):
            word = str(float(word))
        words += re.sub(r"\b(a|an|the)\b", " ", word).split()
    return " ".join(words)


def lighteval_match(
    pred: str, gold: str, *, normalise: Callable[[str], str] = str.strip, match: Callable[[str, str], bool] = str.__eq__
) -> float:
    """`ExactMatches`: an empty prediction never matches."""
    return float(pred != "" and match(normalise(pred), normalise(gold)))


def lighteval_f1(pred: str, gold: str, *, normalise: Callable[[str], str] = str) -> float:
    """`F1_score`: distinct words on both sides."""
    pred_words, gold_words = set(normalise(pred).split()), set(normalise(gold).split())
    return harmonic(len(pred_words & gold_words), len(pred_words), len(gold_words))[2]


# --- BLEU of HF evaluate and of torchmetrics ---


def n_grams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))


def bleu_of_row(
    tokens: Sequence[str], golds: Sequence[Sequence[str]], *, gold_length: int, max_order: int, add: int
) -> float:
    """BLEU with all golds as references; 0 where it divides by 0. add: what is added to all counts."""
    if not tokens or not gold_length:
        return 0.0
    log_precision = 0.0
    for order in range(1, max_order + 1):
        most: Counter[tuple[str, ...]] = Counter()
        for gold in golds:
            most |= n_grams(gold, order)
        found = n_grams(tokens, order)
        matches, total = (found & most).total() + add, found.total() + add
        if not matches:
            return 0.0
        log_precision += math.log(matches / total) / max_order
    return math.exp(log_precision + min(0.0, 1 - gold_length / len(tokens)))


def hf_bleu(pred: str, golds: Sequence[str], *, max_order: int = 4, smooth: bool = False) -> float:
    """With the length of the shortest gold; smoothed, it adds 1 to the counts of every order."""
    references = [mteval_tokens(gold) for gold in golds]
    shortest = min(map(len, references))
    return bleu_of_row(mteval_tokens(pred), references, gold_length=shortest, max_order=max_order, add=int(smooth))


def torchmetrics_bleu(pred: str, golds: Sequence[str]) -> float:
    """Words at white space; the length of the gold closest to the prediction's, the first of equals."""
    tokens, references = pred.split(), [gold.split() for gold in golds]
    closest = min(map(len, references), key=lambda length: abs(length - len(tokens)))
    return bleu_of_row(tokens, references, gold_length=closest, max_order=4, add=0)


# --- all of them ---


def of_first_line(oracle: Oracle) -> Oracle:
    """The oracle of the prediction's first line."""
    return lambda pred, gold: oracle(first_line(pred), gold)


_COQA: dict[str, Oracle] = {"em": exact_match, "f1": coqa_f1}

ORACLES_PER_CONVENTION: dict[str, dict[str, Oracle]] = {
    "nq_open": {"em": partial(harness_exact, ignored=_NQ_ARTICLES)},
    "triviaqa_lm_eval": {"em": harness_exact},
    "coqa": _COQA,
    "coqa_lm_eval": {name: of_first_line(oracle) for name, oracle in _COQA.items()},
    "quac": {"f1": quac_f1},
    "lighteval": {
        "em": lighteval_match,
        "prefix": partial(lighteval_match, match=str.startswith),
        "f1": lighteval_f1,
    },
    "lighteval_quasi": {
        "em": partial(lighteval_match, normalise=lambda text: helm_text(text.strip())),
        "prefix": partial(lighteval_match, normalise=helm_text, match=str.startswith),
        "f1": partial(lighteval_f1, normalise=helm_text),
    },
    "hf_exact_match": {"em": lambda pred, gold: float(pred == gold)},
    "torchmetrics": {
        "em": exact_match,
        "f1": coqa_f1,
        "rouge_1": lambda pred, gold: rouge_1(pred, gold)[2],
        "rouge_2": lambda pred, gold: rouge_2(pred, gold)[2],
        "rouge_l": lambda pred, gold: rouge_l(pred, gold)[2],
    },
    "hf_bleu": {},
    "hf_bleu_smooth": {},
}
"""For each convention the metrics of its source, by name."""

OVER_GOLDS: dict[str, Callable[[Sequence[float]], float]] = dict.fromkeys(
    ("coqa", "coqa_lm_eval", "quac"), leave_one_out
)
"""How the source makes one score of those of several golds, where it is not the maximum."""

GOLDS_THAT_COUNT: dict[str, Callable[[Sequence[str]], list[str]]] = {"quac": quac_golds}
"""The golds of a row that the source compares, where it leaves some out."""

_ORDERS = {"bleu": 4, "bleu1": 1, "bleu2": 2, "bleu3": 3, "bleu4": 4}

ORACLES_OF_ROWS: dict[str, dict[str, OracleOfRow]] = {
    "hf_bleu": {name: partial(hf_bleu, max_order=order) for name, order in _ORDERS.items()},
    "hf_bleu_smooth": {name: partial(hf_bleu, max_order=order, smooth=True) for name, order in _ORDERS.items()},
    "torchmetrics": {"bleu": torchmetrics_bleu},
}
"""The metrics that take all golds of a row together."""
