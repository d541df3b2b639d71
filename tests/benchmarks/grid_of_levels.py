"""Designs of `tests.benchmarks.grid` with several datasets of unequal size, each with its own mean, that count alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from qa_frame.stats.contrasts import Pairing, Strata, make_contrast
from qa_frame.stats.statistic import Mean
from tests.benchmarks.grid_of_comparisons import bounds_and_p

LEVEL = 0.95
Found = tuple[str, str, np.ndarray, float, float]
"""The scores, the layout, bounds of shape (2, draws), the truth, and the mean width of the t interval or NaN."""

Draw = Callable[[np.random.Generator, tuple[int, ...], float], np.ndarray]
"""From the shape and the dataset's place from 0 to 1."""

DATASETS = {
    "2 datasets, 20 and 100": (20, 100),
    "2 datasets, 50 and 500": (50, 500),
    "12 datasets, 10 to 400": (10, 10, 15, 20, 20, 30, 40, 60, 80, 120, 200, 400),
}
SCORES: dict[str, Draw] = {
    "accuracy 1 %": lambda random, shape, _: (random.random(shape) < 0.01).astype(float),
    "accuracy 50 %": lambda random, shape, _: (random.random(shape) < 0.5).astype(float),
    "accuracy 99 %": lambda random, shape, _: (random.random(shape) < 0.99).astype(float),
    "accuracy 30 to 90 %": lambda random, shape, at: (random.random(shape) < 0.3 + 0.6 * at).astype(float),
    "90 % zeros": lambda random, shape, _: np.where(random.random(shape) < 0.9, 0.0, random.random(shape)),
    "graded, sd .06": lambda random, shape, at: 0.4 + 0.4 * at + 0.06 * np.clip(random.normal(size=shape), -3, 3),
}
SKEWED = ("accuracy 1 %", "accuracy 99 %", "90 % zeros")


def differences_over_datasets(n_draws: int) -> Iterator[Found]:
    """Of two models with the same truth in each dataset."""
    for layout, sizes in DATASETS.items():
        for name, draw in SCORES.items():
            sides = np.stack([np.concatenate(draw_datasets(draw, sizes, n_draws, seed)[0], axis=1) for seed in (1, 2)])
            of_dataset = np.split(sides[0] - sides[1], np.cumsum(sizes)[:-1], axis=1)
            yield f"difference: {name}", layout, bounds_of_pairs(sides, sizes), 0.0, t_width_of(name, of_dataset)


def draw_datasets(draw: Draw, sizes: Sequence[int], n_draws: int, seed: int) -> tuple[list[np.ndarray], float]:
    """Scores of each dataset, shape (draws, rows), and the mean of their true means."""
    random = np.random.default_rng(seed)
    places = np.linspace(0, 1, len(sizes)).tolist()
    scores = [draw(random, (n_draws, size), at) for size, at in zip(sizes, places, strict=True)]
    return scores, float(np.mean([draw(random, (1_000_000,), at).mean() for at in places]))


def bounds_of_pairs(scores: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """Each draw as a pair of groups of its own. scores: shape (2, draws, rows)."""
    _, n_draws, n = scores.shape
    groups = np.arange(2 * n_draws).reshape(2, n_draws)
    strata = Strata(np.repeat(np.arange(len(sizes)), sizes), np.full(len(sizes), 1 / len(sizes)))
    rows = np.arange(scores.size).reshape(2 * n_draws, n)
    pairing = Pairing(pd.Series(groups.ravel()), groups[0], groups[1], rows, np.arange(n), strata)
    contrast = make_contrast(Mean("em"), scores.reshape(1, -1), np.ones(scores.size, bool), pairing)
    return bounds_and_p(contrast)[0]


def t_width_of(name: str, scores: Sequence[np.ndarray]) -> float:
    return np.nan if name in SKEWED else float(np.ptp(t_over(scores), axis=0).mean())


def t_over(scores: Sequence[np.ndarray]) -> np.ndarray:
    """Bounds of the mean of means by Student's t with Satterthwaite's degrees of freedom, shape (2, draws).

    scores: of each dataset, shape (draws, rows).
    """
    middle = np.mean([each.mean(axis=1) for each in scores], axis=0)
    parts = np.stack([each.var(axis=1, ddof=1) / each.shape[1] for each in scores]) / len(scores) ** 2
    of_df = (parts**2 / np.array([[each.shape[1] - 1] for each in scores])).sum(axis=0)
    df = np.maximum(parts.sum(axis=0) ** 2 / np.maximum(of_df, 1e-300), 1)
    half = stats.t.ppf((1 + LEVEL) / 2, df) * np.sqrt(parts.sum(axis=0))
    return np.stack([middle - half, middle + half])
