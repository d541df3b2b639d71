"""Made-up results of any size: words as frequent as Zipf has it, golds half the time cut from the prediction.

Nothing here loops over rows: words are drawn as numbers, and Arrow joins them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

FREQUENT = (
    "the", "of", "a", "in", "and", "to", "was", "The", "is", "for", "on", "by", "an", "at", "1999", "U.S.", "3.5",
    "world-wide,", "France", "Paris", "A", "it", "that", "as",
)  # fmt: skip
LETTERS = "etaoinshrdlucmfwypvbgkjqxz"  # from frequent to rare
VOCABULARY = 50_000
SHARE_CUT = 0.5


@dataclass(frozen=True, slots=True)
class Shape:
    """Means: words a prediction, words a gold, golds a row. rows: how many a benchmark takes."""

    pred_words: float
    gold_words: float
    golds: float
    rows: int


SHAPES = {
    "short": Shape(8, 2.5, 2.5, rows=131_072),
    "medium": Shape(20, 3, 3, rows=65_536),
    "long": Shape(60, 30, 1, rows=16_384),
    "essay": Shape(300, 200, 1, rows=2_000),
}


def make_frame(shape: str, rows: int, *, seed: int = 0) -> pd.DataFrame:
    """Columns `response` and `answers`, both Arrow-backed. shape: a name in SHAPES."""
    return make_table(shape, rows, seed=seed).to_pandas(types_mapper=pd.ArrowDtype)


def make_table(shape: str, rows: int, *, seed: int = 0) -> pa.Table:
    """The same as an Arrow table: `string` and `list<string>`, no nulls."""
    means, rng = SHAPES[shape], np.random.default_rng(seed)
    n_pred = _lengths(rng, means.pred_words, rows)
    pred_words = _draw_words(rng, int(n_pred.sum()))
    n_golds = _lengths(rng, means.golds, rows)
    row_per_gold = np.repeat(np.arange(rows), n_golds)
    gold_words, n_gold = _draw_golds(rng, means, pred_words, n_pred, row_per_gold)

    vocabulary = make_vocabulary(rng)
    preds = pc.binary_join_element_wise(_spell(vocabulary, pred_words, n_pred), "", ".")
    golds = pc.utf8_capitalize(_spell(vocabulary, gold_words, n_gold))
    return pa.table({"response": preds, "answers": pa.ListArray.from_arrays(_offsets(n_golds), golds)})


def make_vocabulary(rng: np.random.Generator) -> pa.StringArray:
    """The words, from frequent to rare: English ones first, then made-up ones of 2 to 9 letters."""
    n_letters = rng.integers(2, 10, size=VOCABULARY)
    ranks = np.minimum(rng.geometric(0.12, size=int(n_letters.sum())) - 1, len(LETTERS) - 1)
    letters = np.frombuffer(LETTERS.encode(), np.uint8)[ranks]
    made_up = pa.StringArray.from_buffers(VOCABULARY, pa.py_buffer(_offsets(n_letters)), pa.py_buffer(letters))
    return pa.concat_arrays([pa.array(FREQUENT, pa.string()), made_up[len(FREQUENT) :]])


def _draw_golds(
    rng: np.random.Generator,
    means: Shape,
    pred_words: NDArray[np.int64],
    n_pred: NDArray[np.int64],
    row_per_gold: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The words of all golds, end to end, and how many each has."""
    n_gold = _lengths(rng, means.gold_words, len(row_per_gold))
    is_cut = rng.random(len(row_per_gold)) < SHARE_CUT
    n_gold = np.where(is_cut, np.minimum(n_gold, n_pred[row_per_gold]), n_gold)
    first = (np.cumsum(n_pred) - n_pred)[row_per_gold]
    first += rng.integers(0, np.maximum(n_pred[row_per_gold] - n_gold, 0) + 1)
    within = np.arange(n_gold.sum()) - np.repeat(np.cumsum(n_gold) - n_gold, n_gold)
    cut_from = np.minimum(np.repeat(first, n_gold) + within, len(pred_words) - 1)
    words = np.where(np.repeat(is_cut, n_gold), pred_words[cut_from], _draw_words(rng, len(within)))
    return words, n_gold


def _lengths(rng: np.random.Generator, mean: float, size: int) -> NDArray[np.int64]:
    """1 or more each."""
    return np.maximum(rng.poisson(mean, size), 1)


def _draw_words(rng: np.random.Generator, size: int) -> NDArray[np.int64]:
    """Places in the vocabulary; the word of rank r is drawn in proportion to 1 / r."""
    share = np.cumsum(1 / np.arange(1, VOCABULARY + 1))
    return np.searchsorted(share / share[-1], rng.random(size)).clip(max=VOCABULARY - 1)


def _spell(vocabulary: pa.StringArray, words: NDArray[np.int64], n_words: NDArray[np.int64]) -> pa.StringArray:
    """Texts of so many words each, with spaces between them."""
    listed = pa.ListArray.from_arrays(_offsets(n_words), vocabulary.take(pa.array(words)))
    return pc.binary_join(listed, " ")


def _offsets(lengths: NDArray[np.int64]) -> NDArray[np.int32]:
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
