"""Designs of `tests.benchmarks.grid` in which few rows, clusters or datasets show how much a mean varies.

Alone, `python -m tests.benchmarks.grid_of_edges` prints a row per design: how often 95 % intervals hold, their mean
width, the same of Student's t by the CR2 variance and of Wilson's interval with as many rows as units, and the share of
draws with an `IntervalWarning`.
"""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from scipy import stats

from qa_frame.tables import summary as summary_module
from tests.reference.statistics import cr2

LEVEL = 0.95
ROWS_AT_ONCE = 1_000_000
HARD = (1.9, 0.05)
"""The beta distribution of the chance that a sample is right, of questions that nearly all models answer."""

Draw = Callable[[np.random.Generator, int], np.ndarray]
"""From the number of draws to their scores, shape (draws, rows)."""


@dataclass(frozen=True)
class Edge:
    """What intervals of a design did. bounds: shape (2, draws) each; others: by method. warned: the share of draws."""

    design: str
    layout: str
    truth: float
    bounds: np.ndarray
    others: dict[str, np.ndarray]
    warned: float


def edges(n_draws: int) -> Iterator[Edge]:
    """All designs of means."""
    for name, layout, truth, draw, sizes in (*designs_of_rows(), *designs_of_clusters()):
        scores = draw(np.random.default_rng(0), n_draws)
        clusters = None if sizes is None else np.repeat(np.arange(len(sizes)), sizes)
        bounds, warned = summarise(scores, cluster=clusters)
        yield Edge(name, layout, truth, bounds, others(scores, sizes), warned)
    for name, scale in (("grades from 1 to 5", 1), ("the same from 0 to 1", 4)):
        for n in (10, 20, 50):
            random, shares = np.random.default_rng(0), [0.02, 0.03, 0.05, 0.1, 0.8]
            truth = (float(np.dot(np.arange(1, 6), shares)) - (scale > 1)) / scale
            scores = (random.choice(np.arange(1.0, 6.0), (n_draws, n), p=shares) - (scale > 1)) / scale
            bounds, warned = summarise(scores)
            yield Edge(name, f"{n} rows", truth, bounds, {"t": student(scores, [1] * n)}, warned)
    for sizes in ((2, 2, 500), (2, 2, 200, 200, 200), (3, 3, 500)):
        scores = (np.random.default_rng(0).random((n_draws, sum(sizes))) < 0.5).astype(float)
        bounds, warned = summarise(scores, macro=np.repeat(np.arange(len(sizes)), sizes))
        yield Edge("macro, 50 % right", f"datasets of {sizes}", 0.5, bounds, {}, warned)
    for n in (3, 5, 12):
        random = np.random.default_rng(0)
        shares = random.beta(8, 2, (n_draws, n))
        scores = (random.random((n_draws, n * 50)) < np.repeat(shares, 50, axis=1)).astype(float)
        bounds, warned = summarise(scores, macro=np.repeat(np.arange(n), 50), datasets="random")
        yield Edge("other datasets, Beta(8, 2)", f"{n} of 50", 0.8, bounds, {}, warned)


def designs_of_rows() -> Iterator[tuple[str, str, float, Draw, None]]:
    for name, mirrored in (("97 % at 1, .5 % below .3", False), ("97 % at 0, .5 % above .7", True)):
        truth = 0.97 + 0.025 * 0.95 + 0.005 * 0.15
        for n in (50, 100, 200, 500):
            yield name, f"{n} rows", 1 - truth if mirrored else truth, nearly_right(n, mirrored=mirrored), None
    for j, k in ((4, 16), (16, 64)):
        miss = math.prod((HARD[1] + i) / (sum(HARD) + i) for i in range(j))
        yield f"pass@{j} of {k}, saturated", "100 questions", 1 - miss, passes(j, k, 100), None
    yield "em of 64, saturated", "30 questions", HARD[0] / sum(HARD), passes(1, 64, 30), None


def designs_of_clusters() -> Iterator[tuple[str, str, float, Draw, list[int]]]:
    layouts = {f"{n} x {size}": [size] * n for n, size in ((5, 1000), (10, 500), (15, 100), (40, 25))}
    for share, icc in ((0.5, 0.02), (0.95, 0.3)):
        for layout, sizes in layouts.items():
            yield f"{share:.0%} right, icc {icc}", layout, share, in_clusters(share, icc, sizes), sizes
    unequal = [600 // place for place in range(1, 101)]
    yield "95% right, icc 0.3", "100 of 600 / i rows", 0.95, in_clusters(0.95, 0.3, unequal), unequal


def nearly_right(n: int, *, mirrored: bool) -> Draw:
    def draw(random: np.random.Generator, n_draws: int) -> np.ndarray:
        kind, other = random.random((2, n_draws, n))
        scores = np.where(kind < 0.97, 1.0, np.where(kind < 0.995, 0.9 + 0.1 * other, 0.3 * other))
        return 1 - scores if mirrored else scores

    return draw


def passes(j: int, k: int, n: int) -> Draw:
    by_number = np.array([1 - math.comb(k - right, j) / math.comb(k, j) for right in range(k + 1)])
    return lambda random, n_draws: by_number[random.binomial(k, random.beta(*HARD, (n_draws, n)))]


def in_clusters(share: float, icc: float, sizes: Sequence[int]) -> Draw:
    parts = np.array([share, 1 - share]) * (1 / icc - 1)

    def draw(random: np.random.Generator, n_draws: int) -> np.ndarray:
        of_row = np.repeat(random.beta(*parts, (n_draws, len(sizes))), sizes, axis=1)
        return (random.random(of_row.shape) < of_row).astype(float)

    return draw


def summarise(scores: np.ndarray, **levels: Any) -> tuple[np.ndarray, float]:
    """Bounds of each draw by `summary`, shape (2, draws), and the share of draws that are warned of."""
    n_draws, n_rows = scores.shape
    at_once, found, warned = max(1, ROWS_AT_ONCE // n_rows), [], 0
    columns = {name: each for name, each in levels.items() if isinstance(each, np.ndarray)}
    options = {name: name if name in columns else each for name, each in levels.items() if each is not None}
    for start in range(0, n_draws, at_once):
        lot = scores[start : start + at_once]
        rows = {"f1": lot.ravel(), "draw": np.repeat(np.arange(len(lot)), n_rows)}
        frame = pd.DataFrame(rows | {name: np.tile(each, len(lot)) for name, each in columns.items()})
        with mock.patch.object(summary_module, "reasons_to_distrust", mock.Mock(wraps=reasons_to_distrust)) as seen:
            table = frame.qa.summary("draw", metrics="f1", ci=LEVEL, **options)
        reasons = reasons_to_distrust(*seen.call_args.args).values()
        warned += len(np.unique(np.concatenate([np.zeros(0, int), *reasons])))
        found.append(table[["f1_lo", "f1_hi"]].to_numpy().T)
    return np.concatenate(found, axis=1), warned / n_draws


reasons_to_distrust = summary_module.reasons_to_distrust


def others(scores: np.ndarray, sizes: Sequence[int] | None) -> dict[str, np.ndarray]:
    """Bounds by Student's t, and by Wilson's interval of as many rows as there are units."""
    n = scores.shape[1] if sizes is None else len(sizes)
    return {"t": student(scores, sizes or [1] * n), "Wilson": wilson(scores.mean(axis=1), n)}


def student(scores: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """The mean ± Student's t standard errors by the CR2 variance, shape (2, draws)."""
    n, mean = np.array(sizes), scores.mean(axis=1)
    sums = np.add.reduceat(scores, np.cumsum(n) - n, axis=1) - n * mean[:, None]
    error = np.sqrt((sums**2 / (1 - n / n.sum())).sum(axis=1)) / n.sum()
    weight = n**2 / (1 - n / n.sum())
    df = n.sum() ** 2 / ((n**2).sum() + (weight.sum() ** 2 - (weight**2).sum()) / n.sum() ** 2)
    if n.sum() < 200:
        assert math.isclose(df, cr2(np.zeros(n.sum()), np.repeat(np.arange(len(n)), n))[1], rel_tol=1e-9)
    half = stats.t.ppf((1 + LEVEL) / 2, df) * error
    return np.stack([mean - half, mean + half])


def wilson(share: np.ndarray, n: int) -> np.ndarray:
    shrink = stats.norm.ppf((1 + LEVEL) / 2) ** 2 / n
    half = np.sqrt(share * (1 - share) * shrink + shrink**2 / 4) / (1 + shrink)
    middle = (share + shrink / 2) / (1 + shrink)
    return np.stack([middle - half, middle + half])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a Markdown table; returns the exit status."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1000, help="of each design")
    options = parser.parse_args(arguments)
    sys.stdout.write("| scores | layout | held %, width | others: held %, width | warned % |\n")
    sys.stdout.write("| --- | --- | ---: | --- | ---: |\n")
    for each in edges(options.draws):
        beside = "; ".join(f"{name} {held(each.truth, bounds)}" for name, bounds in each.others.items())
        shown = [each.design, each.layout, held(each.truth, each.bounds), beside, f"{100 * each.warned:.0f}"]
        sys.stdout.write(f"| {' | '.join(shown)} |\n")
        sys.stdout.flush()
    return 0


def held(truth: float, bounds: np.ndarray) -> str:
    inside = (bounds[0] <= truth + 1e-12) & (truth - 1e-12 <= bounds[1])
    return f"{100 * inside.mean():.1f}, {np.mean(bounds[1] - bounds[0]):.4f}"


if __name__ == "__main__":
    raise SystemExit(main())
