"""What a user runs today, one row at a time: the SQuAD script, `rouge_score`, `sacrebleu`.

At their best: scorers are made once, a prediction is normalised once for all its golds.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU

METRICS = ("em", "f1", "recall", "contains", "rouge_l", "bleu")

_PUNCTUATION = set(string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


def score_rows(preds: Iterable[str | None], golds: Iterable[Sequence[str | None] | None]) -> NDArray[np.float64]:
    """The best score over golds in each of METRICS, shape (rows, metrics).

    A null prediction scores 0, a row without golds NaN.
    """
    rouge, bleu = RougeScorer(["rougeL"]), BLEU(effective_order=True)
    rows = [_score_row(pred, answers, rouge, bleu) for pred, answers in zip(preds, golds, strict=True)]
    return np.array(rows, np.float64).reshape(-1, len(METRICS))


def _score_row(pred: str | None, golds: Sequence[str | None] | None, rouge: RougeScorer, bleu: BLEU) -> Sequence[float]:
    answers = [gold for gold in golds or () if gold is not None]
    if not answers or pred is None:
        return [0.0 if answers else np.nan] * len(METRICS)
    normal_pred = normalise(pred)
    pred_tokens = Counter(normal_pred.split())
    per_gold = [
        (
            *_score_squad(normal_pred, pred_tokens, normalise(gold)),
            rouge.score(gold, pred)["rougeL"].fmeasure,
            bleu.sentence_score(pred, [gold]).score / 100,
        )
        for gold in answers
    ]
    return [max(scores) for scores in zip(*per_gold, strict=True)]


def _score_squad(normal_pred: str, pred_tokens: Counter[str], normal_gold: str) -> tuple[float, float, float, float]:
    """EM, F1, recall and contains of normalised texts."""
    gold_tokens = Counter(normal_gold.split())
    n_gold, n_both = gold_tokens.total(), pred_tokens.total() + gold_tokens.total()
    common = (pred_tokens & gold_tokens).total()
    overlap = (2 * common / n_both, common / n_gold) if common else (0.0, 0.0)
    return float(normal_pred == normal_gold), *overlap, float(normal_gold in normal_pred)


def normalise(text: str) -> str:
    """As the SQuAD v1.1 evaluation script."""
    bare = "".join(character for character in text.lower() if character not in _PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())
