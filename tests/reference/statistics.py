"""The statistics of `score(stats=True)`, one row at a time in plain Python."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

import pandas as pd
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

STATISTICS = ("overlap", "pred_len", "gold_len", *(f"bleu_match{n}" for n in (1, 2, 3, 4)), "bleu_pred_len")
STATISTICS += ("bleu_ref_len",)

_TOKENISE = Tokenizer13a()


def statistics_of(pred: str | None, golds: Sequence[str | None] | None) -> dict[str, int]:
    """All of them; zeros for a row that is not scored. A null prediction is an empty one."""
    pred = pred if isinstance(pred, str) else ""
    texts = [] if golds is None else [gold for gold in golds if gold is not None]
    if not texts:
        return dict.fromkeys(STATISTICS, 0)
    return dict(zip(STATISTICS, (*overlap_of(pred, texts), *bleu_counts_of(pred, texts)), strict=True))


def overlap_of(pred: str, golds: Sequence[str]) -> tuple[int, int, int]:
    """Of the gold with the best F1, the first of equals."""
    found = []
    pred_words = normal_words(pred)
    for gold in golds:
        words = normal_words(gold)
        found.append(((Counter(pred_words) & Counter(words)).total(), len(pred_words), len(words)))
    return max(found, key=lambda counts: 2 * counts[0] / max(counts[1] + counts[2], 1))


def bleu_counts_of(pred: str, golds: Sequence[str]) -> tuple[int, ...]:
    """Matches clipped by the largest count in any gold; the closest gold's length, the shorter of two as close."""
    tokens, *references = (_TOKENISE(text).split() for text in (pred, *golds))
    matches = []
    for order in (1, 2, 3, 4):
        largest: Counter[tuple[str, ...]] = Counter()
        for reference in references:
            largest |= n_grams(reference, order)
        matches.append((n_grams(tokens, order) & largest).total())
    closest = min(map(len, references), key=lambda length: (abs(length - len(tokens)), length))
    return *matches, len(tokens), closest


def normal_words(text: str) -> list[str]:
    """As the SQuAD v1.1 script has them."""
    without_punctuation = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", without_punctuation).split()


def n_grams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[start : start + order]) for start in range(len(tokens) - order + 1))


def with_statistics(scored: pd.DataFrame, pred: str, gold: str, *, prefix: str = "") -> pd.DataFrame:
    """The scored frame with its statistics."""
    rows = [statistics_of(*row) for row in zip(scored[pred], scored[gold], strict=True)]
    columns = pd.DataFrame(rows, index=scored.index, columns=list(STATISTICS), dtype="int64").add_prefix(prefix)
    out = pd.concat([scored, columns], axis=1)
    out.attrs = scored.attrs
    return out


def statistics(preds: Sequence[str | None], golds: Sequence[Sequence[str | None] | None]) -> pd.DataFrame:
    """One row of them for each row."""
    rows = [statistics_of(*row) for row in zip(preds, golds, strict=True)]
    return pd.DataFrame(rows, columns=list(STATISTICS), dtype="int64")
