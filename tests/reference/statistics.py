"""The sufficient statistics of `score(stats=True)`, in plain Python: token overlap, and sacrebleu's counts."""

from __future__ import annotations

import collections
import re
import string
from collections.abc import Sequence

import pandas as pd
from sacrebleu.metrics import BLEU

NAMES = [
    *("overlap", "pred_len", "gold_len"),
    *("bleu_match1", "bleu_match2", "bleu_match3", "bleu_match4", "bleu_pred_len", "bleu_ref_len"),
]


def statistics(preds: Sequence[str | None], golds: Sequence[Sequence[str | None] | None]) -> pd.DataFrame:
    """One row of counts for each row that can be scored, all 0 for one that cannot; a null prediction is empty."""
    lists = [[] if texts is None else [text for text in texts if text is not None] for texts in golds]
    rows = [
        [*overlap(pred or "", texts), *bleu(pred or "", texts)] if texts else [0] * len(NAMES)
        for pred, texts in zip(preds, lists, strict=True)
    ]
    return pd.DataFrame(rows, columns=NAMES, dtype="int64")


def tokens(text: str) -> list[str]:
    """As the SQuAD v1.1 script."""
    text = "".join(mark for mark in text.lower() if mark not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", text).split()


def overlap(pred: str, golds: list[str]) -> tuple[int, int, int]:
    """Shared tokens and both lengths, with the gold of the best F1, the first of equals."""
    best, best_f1 = (0, 0, 0), -1.0
    for gold in golds:
        of_pred, of_gold = tokens(pred), tokens(gold)
        common = sum((collections.Counter(of_pred) & collections.Counter(of_gold)).values())
        f1 = 2 * common / (len(of_pred) + len(of_gold)) if common else 0.0
        if f1 > best_f1:
            best, best_f1 = (common, len(of_pred), len(of_gold)), f1
    return best


def bleu(pred: str, golds: list[str]) -> list[int]:
    """Matches of four orders, the prediction's length and the closest gold's."""
    metric = BLEU(smooth_method="none")
    pred_len, ref_len, *counts = metric._extract_corpus_statistics([pred], [[gold] for gold in golds])[0]
    return [*counts[:4], pred_len, ref_len]
