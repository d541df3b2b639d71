"""Slow twins: the statistics of `score(stats=True)` one row at a time, and textbook formulas of intervals."""

from __future__ import annotations

import itertools
import math
import re
import string
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pandas as pd
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from scipy import stats

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


# ---------------------------------------------------------------------------------------------------------- intervals


def cr2(scores: np.ndarray, clusters: np.ndarray) -> tuple[float, float]:
    """The CR2 variance of the mean and Bell and McCaffrey's degrees of freedom, by their matrices of rows.

    A regression on a constant. Residuals of a cluster are multiplied with the inverse root of its part of I - H, where
    H is the hat matrix; degrees of freedom are those of Satterthwaite if rows were independent.
    """
    n = len(scores)
    constant = np.ones(n)
    rest = np.eye(n) - np.outer(constant, constant) / n
    residuals = rest @ scores
    parts, directions = [], []
    for cluster in np.unique(clusters):
        rows = np.flatnonzero(clusters == cluster)
        values, vectors = np.linalg.eigh(rest[np.ix_(rows, rows)])
        adjusted = vectors @ np.diag(values**-0.5) @ vectors.T @ constant[rows] / n
        parts.append(adjusted @ residuals[rows])
        directions.append(rest[:, rows] @ adjusted)
    products = np.array(directions) @ np.array(directions).T
    return float(np.square(parts).sum()), float(np.trace(products) ** 2 / np.trace(products @ products))


def mean_bounds(
    value: float,
    variance: float,
    df: float,
    *,
    n_units: float,
    n_rows: float,
    level: float,
    max_n: float | None = None,
) -> tuple[float, float]:
    """Student's interval of a figure from 0 to 1, with w units of 0 and w of 1 beside those that there are."""
    n = max(min(n_units, n_rows if max_n is None else max_n), 1)
    middle, error, df = mean_with_units(value, variance, df, n=n, n_units=n_units, n_rows=n_rows)
    half = float(stats.t.ppf((1 + level) / 2, df)) * error
    return min(max(middle - half, 0.0), value), max(min(middle + half, 1.0), value)


def mean_with_units(
    value: float, variance: float, df: float, *, n: float, n_units: float, n_rows: float, share: float = 1.0
) -> tuple[float, float, float]:
    """The mean of n units with w of 0 and w of 1 more, its standard error, and the degrees of freedom."""
    w = share * n_added(value, variance, n=n, n_units=n_units, n_rows=n_rows)
    middle = (n * value + w * 0 + w * 1) / (n + w + w)
    squares = n * (n - 1) * variance + n * (value - middle) ** 2 + w * (0 - middle) ** 2 + w * (1 - middle) ** 2
    return middle, math.sqrt(squares / (n + 2 * w - 1) / (n + 2 * w)), df + 2 * w


def n_added(value: float, variance: float, *, n: float, n_units: float, n_rows: float) -> float:
    largest = value * (1 - value) / (n - 1) if n > 1 else 0.0
    if largest <= 0 or variance <= 1e-24 * largest:
        return 1.0
    distance = min(value, 1 - value)
    squared_cv = n * variance / distance**2 if distance**2 > 0 else math.inf
    part = (n_units - 1) / (n_rows - 1) if n_rows > 1 else 1.0
    shown = min(variance / largest, 1.0)
    return min(squared_cv / 2, 1.0) * (part / 2 + (1 - part / 2) * shown)


def placements(scores: np.ndarray, is_right: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """The AUC; of each right row the share of wrong ones that it beats; of each wrong row the share that beats it."""
    right, wrong = scores[is_right], scores[~is_right]
    beats = [[float(one > other) + float(one == other) / 2 for other in wrong] for one in right]
    return float(np.mean(beats)), np.mean(beats, axis=1), np.mean(beats, axis=0)


def best_threshold(rows: Sequence[tuple[float, float]]) -> float | None:
    """The lowest score, but for the lowest of all, with the highest kappa; None if there is but one score."""

    def kappa(threshold: float) -> Fraction:
        cells = Counter((score >= threshold, verdict == 1) for score, verdict in rows)
        a, b, c, d = (cells[cell] for cell in ((True, True), (True, False), (False, True), (False, False)))
        return Fraction(2 * (a * d - b * c), (a + b) * (b + d) + (a + c) * (c + d))

    candidates = sorted({score for score, _ in rows})[1:]
    return max(candidates, key=lambda threshold: (kappa(threshold), -threshold)) if candidates else None


def cross_fitted_calls(scores: np.ndarray, verdicts: np.ndarray, clusters: np.ndarray, seed: int) -> np.ndarray:
    """Which rows are called right, by the best threshold of the rows outside their fold.

    Clusters in order of what they hold are put into ten folds at random.
    """
    rows = list(zip(scores.tolist(), verdicts.tolist(), strict=True))
    members = [np.flatnonzero(clusters == cluster).tolist() for cluster in np.unique(clusters)]
    members.sort(key=lambda places: sorted(rows[place] for place in places))
    folds = np.random.default_rng(seed).permutation(len(members)) % min(10, len(members))
    calls = np.zeros(len(rows), bool)
    for fold in range(folds.max() + 1):
        inside = [place for unit in np.flatnonzero(folds == fold) for place in members[unit]]
        threshold = best_threshold([row for place, row in enumerate(rows) if place not in inside])
        calls[inside] = 2 * verdicts.sum() >= len(rows) if threshold is None else scores[inside] >= threshold
    return calls


def p_by_enumeration(differences: Sequence[Fraction], *, takes_mid: bool = False) -> float:
    """The share of all sign flips whose sum is as far from 0, in exact arithmetic.

    takes_mid: whether those that are just as far count half where all differences that are not 0 have one size.
    """
    found = abs(sum(differences))
    sums = [abs(sum(flips)) for flips in itertools.product(*((each, -each) for each in differences))]
    half = takes_mid and len({abs(each) for each in differences if each}) == 1
    return float(np.mean([(each >= found) - 0.5 * half * (each == found) for each in sums]))
