"""How intervals and tests of differences hold over a grid of designs: `python -m tests.benchmarks.grid`.

The first table has a row per design: the share of 95 % intervals that hold the truth, their mean width, the width of
Student's t interval by the CR2 variance, and the ratio of the two. In a cluster, half of the rows copy one of it. An
asterisk says that most intervals come with an `IntervalWarning`. `coverage_of_means` does the like for means.

The second table has a row per test and design of paired differences: how often p is below 0.05 where there is no
difference, and where there is one, beside the best of other tests that hold their level there (McNemar's by chi-square,
Student's paired t, Wilcoxon's signed ranks). `coverage` does the like with published results.

A further part of the first table is a function in `PARTS`: from the number of draws to an `Outcome` per design.
"""

from __future__ import annotations

import argparse
import functools
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

import qa_frame
from qa_frame.stats.contrasts import Contrast, Pairing, make_contrast
from qa_frame.stats.differences import plan_draws
from qa_frame.stats.estimates import FEW_CLUSTERS
from qa_frame.stats.permutation import sign_flip_test
from qa_frame.stats.statistic import Mean
from tests.benchmarks import grid_of_comparisons, grid_of_levels
from tests.benchmarks.coverage_of_means import student

LEVEL, ALPHA = 0.95, 0.05
HIGHEST_LEVEL = 0.06
"""A test that is below `ALPHA` more often than this without a difference does not hold its level."""

N_SWAPS = 999


@dataclass(frozen=True)
class Population:
    """Differences to draw: how, and their mean."""

    draw: Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
    mean: float


LAYOUTS = {
    **{f"{n} rows": [1] * n for n in (20, 50, 200)},
    "5 clusters of 10": [10] * 5,
    "20 clusters of 10": [10] * 20,
}
DIFFERENCES = {
    "wins 15 %, losses 5 %": ([1.0, -1.0, 0.0], [0.15, 0.05, 0.8]),
    "wins 10 %, losses 10 %": ([1.0, -1.0, 0.0], [0.1, 0.1, 0.8]),
    "wins 30 %, losses 30 %": ([1.0, -1.0, 0.0], [0.3, 0.3, 0.4]),
    "wins 40 %, losses 20 %": ([1.0, -1.0, 0.0], [0.4, 0.2, 0.4]),
    "graded, even": (np.linspace(-0.9, 1, 20).tolist(), [0.05] * 20),
    "graded, seldom and large": ([-0.1, 0.0, 0.1, 0.9], [0.3, 0.3, 0.3, 0.1]),
}


@dataclass(frozen=True)
class Outcome:
    """What the intervals of a design did.

    t_width: the mean width of the t interval; NaN if it is no measure. is_warned: whether most come with a warning.
    """

    design: str
    layout: str
    coverage: float
    width: float
    t_width: float
    is_warned: bool = False

    def cells(self) -> list[str]:
        known = [] if np.isnan(self.t_width) else [f"{each:.3f}" for each in (self.t_width, self.width / self.t_width)]
        held = f"{100 * self.coverage:.1f}{'*' * self.is_warned}"
        return [self.design, self.layout, held, f"{self.width:.3f}", *(known or ["", ""])]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print two Markdown tables; returns the exit status."""
    warnings.simplefilter("ignore", qa_frame.errors.IntervalWarning)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=2000, help="of each design")
    parser.add_argument("--runs", type=int, default=1000, help="of each test")
    options = parser.parse_args(arguments)
    write_row(["scores", "layout", "held %", "mean width", "width of CR2's t interval", "ratio"])
    write_row(["---"] * 2 + ["---:"] * 4)
    outcomes = []
    for part in PARTS:
        for outcome in part(options.draws):
            write_row(outcome.cells())
            outcomes.append(outcome)
    write_row(["all", "", *summarised(outcomes)])
    sys.stdout.write("\n")
    write_row(["difference", "questions", "test", "p < .05 without it, %", "p < .05 with it, %", "best other, %"])
    write_row(["---"] * 3 + ["---:"] * 3)
    for cells in results_of_tests(options.runs):
        write_row(cells)
    return 0


def summarised(outcomes: Sequence[Outcome]) -> list[str]:
    """The mean and the least coverage, and the largest ratio to the width of the t interval; least and largest also
    without what is warned of.
    """
    held = [100 * each.coverage for each in outcomes]
    ratios = [each.width / each.t_width for each in outcomes]
    unwarned = [place for place, each in enumerate(outcomes) if not each.is_warned]
    least, most = min(held[place] for place in unwarned), np.nanmax([ratios[place] for place in unwarned])
    return [
        f"mean {np.mean(held):.1f}, least {min(held):.1f} ({least:.1f} without *)",
        *["", ""],
        f"most {np.nanmax(ratios):.2f} ({most:.2f} without *)",
    ]


def outcome(design: str, layout: str, bounds: np.ndarray, truth: float, *, t_width: float, is_warned: bool) -> Outcome:
    """bounds: shape (2, draws)."""
    held = ((bounds[0] <= truth + 1e-12) & (truth - 1e-12 <= bounds[1])).mean()
    return Outcome(design, layout, float(held), float(np.mean(bounds[1] - bounds[0])), float(t_width), bool(is_warned))


def draw(population: Population, clusters: np.ndarray, n_draws: int) -> np.ndarray:
    """Scores, shape (draws, rows). Half of a cluster's rows copy its first one."""
    random = np.random.default_rng(0)
    shape = n_draws, len(clusters)
    scores = population.draw(random, shape)
    first = np.unique(clusters, return_index=True)[1][clusters]
    return np.where(random.random(shape) < 0.5, scores[:, first], scores)


# --- intervals of differences


def differences(n_draws: int) -> Iterator[Outcome]:
    for name, (values, shares) in DIFFERENCES.items():
        population = Population(functools.partial(drawn_from, values, shares), float(np.dot(values, shares)))
        for layout in ("20 rows", "50 rows", "200 rows", "5 clusters of 10", "20 clusters of 10"):
            sizes = LAYOUTS[layout]
            clusters = np.repeat(np.arange(len(sizes)), sizes)
            drawn = draw(population, clusters, n_draws)
            t_width = np.nan if "seldom" in name else np.mean(np.ptp(student(drawn, np.bincount(clusters)), axis=0))
            bounds, _ = grid_of_comparisons.bounds_and_p(contrast_of(drawn, clusters))
            is_warned = len(sizes) < FEW_CLUSTERS
            yield outcome(f"difference: {name}", layout, bounds, population.mean, t_width=t_width, is_warned=is_warned)


def drawn_from(
    values: Sequence[float], shares: Sequence[float], random: np.random.Generator, shape: tuple[int, ...]
) -> np.ndarray:
    return random.choice(values, shape, p=shares)


def contrast_of(drawn: np.ndarray, clusters: np.ndarray) -> Contrast:
    """Each draw as a pair of groups of its own, of which one has the positive, one the negative parts."""
    n_draws, n = drawn.shape
    groups = np.arange(2 * n_draws).reshape(2, n_draws)
    scores = np.concatenate([np.maximum(drawn, 0), np.maximum(-drawn, 0)])
    starts = np.unique(clusters, return_index=True)[1]
    row_of = np.arange(scores.size).reshape(2 * n_draws, n)
    pairing = Pairing(pd.Series(groups.ravel()), groups[0], groups[1], row_of, starts)
    return make_contrast(Mean("f1"), scores.reshape(1, -1), np.ones(scores.size, bool), pairing)


def comparisons(n_draws: int) -> Iterator[Outcome]:
    """Differences in clusters, with heavy tails, and of different questions, beside Student's t."""
    for part, n in ((grid_of_comparisons.pairs, n_draws), (grid_of_comparisons.apart, n_draws // 3)):
        for each in part(n):
            is_warned = each.warned > 0.5
            yield outcome(each.design, each.layout, each.bounds, each.truth, t_width=np.nan, is_warned=is_warned)


def of_levels(part: Callable[[int], Iterator[grid_of_levels.Found]]) -> Callable[[int], Iterator[Outcome]]:
    @functools.wraps(part)
    def outcomes(n_draws: int) -> Iterator[Outcome]:
        for *found, t_width in part(n_draws):
            yield outcome(*found, t_width=t_width, is_warned=False)

    return outcomes


PARTS: list[Callable[[int], Iterator[Outcome]]] = [
    *(differences, comparisons, of_levels(grid_of_levels.differences_over_datasets))
]


# --- tests


def results_of_tests(n_runs: int) -> Iterator[list[str]]:
    for name, (values, shares) in DIFFERENCES.items():
        for n in (20, 50, 200):
            random = np.random.default_rng(n)
            with_it = random.choice(values, (n_runs, n), p=shares)
            without = with_it * random.choice([-1.0, 1.0], with_it.shape)  # each answer under either name
            found = {test: [share_below(test, drawn) for drawn in (without, with_it)] for test in TESTS}
            others = {test: [share_below(test, drawn) for drawn in (without, with_it)] for test in OTHERS}
            valid = {test: power for test, (level, power) in others.items() if level <= HIGHEST_LEVEL}
            best = max(valid, key=valid.__getitem__, default=None)
            said = "" if best is None else f"{100 * valid[best]:.1f} ({best})"
            for test, (level, power) in found.items():
                yield [name, str(n), test, f"{100 * level:.1f}", f"{100 * power:.1f}", said]


def share_below(test: str, drawn: np.ndarray) -> float:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        p = (TESTS | OTHERS)[test](drawn)
    return float((p < ALPHA).mean())


def swapped(drawn: np.ndarray) -> np.ndarray:
    draws = plan_draws(N_SWAPS, n_tests=1, ci=LEVEL, seed=0)
    return sign_flip_test(contrast_of(drawn, np.arange(drawn.shape[1])), draws).p


def exact(drawn: np.ndarray) -> np.ndarray:
    """McNemar's exact test, without mid-p; of graded differences it is the sign test."""
    wins, losses = (drawn > 0).sum(axis=1), (drawn < 0).sum(axis=1)
    return np.minimum(1.0, 2 * stats.binom.cdf(np.minimum(wins, losses), wins + losses, 0.5))


def chi_square(drawn: np.ndarray) -> np.ndarray:
    """McNemar's test without a correction; of graded differences it is the sign test."""
    wins, losses = (drawn > 0).sum(axis=1), (drawn < 0).sum(axis=1)
    return stats.chi2.sf((wins - losses) ** 2 / np.maximum(wins + losses, 1), 1)


TESTS = {"permutation": swapped}
OTHERS = {
    "exact McNemar": exact,
    "chi-square": chi_square,
    "Student's t": lambda drawn: stats.ttest_1samp(drawn, 0, axis=1).pvalue,
    "Wilcoxon": lambda drawn: stats.wilcoxon(drawn, axis=1, method="approx").pvalue,
}


# --- the table


def write_row(cells: Sequence[str]) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
