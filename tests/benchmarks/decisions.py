"""How often decisions are right: `python -m tests.benchmarks.decisions --help`.

Questions are drawn from a population that is known, many times. Three tables: how often a model that is worse by just
the margin is called not worse, or as good (at the level 0.05); with what power the number of questions that
`qa_frame.power` names finds the difference; and how often the ranks of all models lie in their intervals at once.
Beside those: t tests of plain differences, and percentiles of ranks over bootstrap samples.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

import qa_frame
from qa_frame.stats.contrasts import Contrast, Pairing, make_contrast
from qa_frame.stats.differences import plan_draws
from qa_frame.stats.permutation import sign_flip_test
from qa_frame.stats.statistic import Mean
from tests.benchmarks.bench_compare import write_row

ALPHA = 0.05
DRAWS = 999
Scores = Any
Draw = Callable[[np.random.Generator, int], Scores]
"""Questions → the scores of two models or more, shape (models, questions)."""


@dataclass(frozen=True)
class Population:
    """Questions of which the difference of two models, and its standard deviation, are known."""

    name: str
    draw: Draw
    difference: float
    sd: float
    per_cluster: int = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one Markdown table a part; returns the exit status."""
    warnings.simplefilter("ignore", qa_frame.errors.IntervalWarning)
    options = parse(arguments)
    for name in options.what:
        header, rows = PARTS[name]
        write_row(header)
        write_row(["---"] + ["---:"] * (len(header) - 1))
        for cells in rows(options):
            write_row(cells)
        print()
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", choices=[*PARTS, []], default=list(PARTS), help="the tables")
    parser.add_argument("--runs", type=int, default=2000, help="of each design; a tenth of them for ranks")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(arguments)


# --- populations


def rates(win: float, loss: float, *, per_cluster: int = 1) -> Population:
    """Scores of 0 and 1 of which each model alone is right with these rates; in clusters, all questions alike."""

    def draw(random: np.random.Generator, n: int) -> Scores:
        drawn = np.repeat(random.random(n), per_cluster)
        both = np.where(np.repeat(random.random(n), per_cluster) < 0.5, 1.0, 0.0)
        is_won, is_lost = drawn < win, (drawn >= win) & (drawn < win + loss)
        return np.stack([np.where(is_won, 1.0, np.where(is_lost, 0.0, both)), np.where(is_lost, 1.0, both * ~is_won)])

    sd = np.sqrt(win + loss - (win - loss) ** 2)
    clusters = f", clusters of {per_cluster}" if per_cluster > 1 else ""
    return Population(f"0/1: wins {win:.0%}, losses {loss:.0%}{clusters}", draw, win - loss, sd, per_cluster)


def graded(difference: float, sd: float) -> Population:
    """Scores of any value whose differences are normal."""

    def draw(random: np.random.Generator, n: int) -> Scores:
        return np.stack([difference + random.normal(0, sd, n), np.zeros(n)])

    return Population(f"graded: difference {difference:g}, sd {sd:g}", draw, difference, sd)


def mostly_zero(more: float, less: float) -> Population:
    """Scores from 0 to 1 that are above 0 with these rates, and then uniform."""

    def draw(random: np.random.Generator, n: int) -> Scores:
        return np.stack([random.random(n) * (random.random(n) < rate) for rate in (more, less)])

    variances = [rate / 3 - (rate / 2) ** 2 for rate in (more, less)]
    return Population(f"above 0: {more:.0%} and {less:.0%}", draw, (more - less) / 2, float(np.sqrt(sum(variances))))


def contrast_of(population: Population, random: np.random.Generator, n: int, runs: int) -> tuple[Contrast, Any]:
    """All runs as pairs of groups, each with questions of its own; and their differences, shape (runs, units)."""
    drawn = [population.draw(random, n) for _ in range(runs)]
    scores = np.concatenate(drawn, axis=0)  # (2 * runs, questions)
    n_rows = scores.shape[1]
    row_of = np.arange(scores.size).reshape(scores.shape)
    first = np.arange(0, 2 * runs, 2)
    starts = np.arange(0, n_rows, population.per_cluster)
    pairing = Pairing(pd.Series(range(2 * runs)), first, first + 1, row_of, starts)
    pairs = make_contrast(Mean("f1"), scores.ravel()[None], np.ones(scores.size, np.bool_), pairing)
    differences = (scores[::2] - scores[1::2]).reshape(runs, len(starts), -1).mean(axis=-1)
    return pairs, differences


# --- margins


def levels(options: argparse.Namespace) -> Iterator[list[str]]:
    populations = [rates(0.02, 0.07), rates(0.1, 0.15), rates(0.3, 0.35), rates(0, 0.05), graded(-0.05, 0.1)]
    populations += [
        graded(-0.05, 0.4),
        mostly_zero(0.05, 0.15),
        mostly_zero(0.02, 0.12),
        rates(0.1, 0.15, per_cluster=4),
    ]
    for population in populations:
        for n in (20, 50, 200, 500):
            random = np.random.default_rng(options.seed)
            pairs, differences = contrast_of(population, random, n, options.runs)
            margin = abs(population.difference)
            below, above = pairs.t_interval().p_beyond(margin)
            beyond = below if population.difference < 0 else above
            t = (differences.mean(axis=1) + margin * np.sign(-population.difference)) * -np.sign(population.difference)
            error = differences.std(axis=1, ddof=1) / np.sqrt(differences.shape[1])
            plain = np.divide(t, error, out=np.where(t > 0, np.inf, -np.inf), where=error > 0)
            shares = [beyond < ALPHA, np.maximum(below, above) < ALPHA, stats.t.sf(plain, n - 1) < ALPHA]
            yield [population.name, str(n), *(f"{share.mean():.3f}" for share in shares)]


# --- power


def powers(options: argparse.Namespace) -> Iterator[list[str]]:
    populations = [rates(0.15, 0.10), rates(0.06, 0.01), rates(0.35, 0.2), graded(0.05, 0.2), graded(0.1, 0.2)]
    populations += [mostly_zero(0.15, 0.05), rates(0.15, 0.05, per_cluster=4)]
    for population in populations:
        planned = qa_frame.power(difference=population.difference, sd=population.sd)
        n = int(planned["n"].iloc[0])
        random = np.random.default_rng(options.seed)
        runs = max(1, min(options.runs, 2_000_000 // (n * population.per_cluster)))
        pairs, differences = contrast_of(population, random, n, runs)
        draws = plan_draws(DRAWS, n_tests=1, ci=1 - ALPHA, seed=options.seed)
        p = sign_flip_test(pairs, draws, ci=1 - ALPHA)[1].p
        plain = stats.ttest_1samp(differences, 0, axis=1)
        reached = [(p < ALPHA) & (pairs.difference > 0), (plain.pvalue < ALPHA) & (plain.statistic > 0)]
        yield [population.name, str(n), *(f"{share.mean():.3f}" for share in reached)]


# --- ranks


def coverages(options: argparse.Namespace) -> Iterator[list[str]]:
    designs = {
        "6 equal": [0.5] * 6,
        "6 in steps of 4 points": [0.3 + 0.04 * place for place in range(6)],
        "3 and 3 alike, 8 points apart": [0.46] * 3 + [0.54] * 3,
        "one far ahead of 5 equal": [0.8] + [0.4] * 5,
        "12 in steps of 2 points": [0.3 + 0.02 * place for place in range(12)],
    }
    runs = max(1, options.runs // 10)
    for name, ability in designs.items():
        for kind in ("0/1", "graded"):
            for n in (50, 200):
                held = np.array(
                    [ranked(np.random.default_rng([options.seed, run]), ability, kind, n) for run in range(runs)]
                )
                yield [f"{name}, {kind}", str(n), *(f"{share:.3f}" for share in held.mean(axis=0))]


def ranked(random: np.random.Generator, ability: Sequence[float], kind: str, n: int) -> list[float]:
    """Whether all intervals hold at once, by Holm and by percentiles; then the mean share of ranks in an interval."""
    truth = np.array(ability)
    ease = random.normal(0, 0.25, n)
    scores = truth[:, None] + ease + random.normal(0, 0.2, (len(truth), n))
    if kind == "0/1":  # right where a common threshold is passed: the order of means is that of abilities
        scores = (scores > 0.5).astype(float)
    names = [f"{place:02d}" for place in range(len(truth))]
    frame = pd.DataFrame({"model": np.repeat(names, n), "q": np.tile(np.arange(n), len(truth)), "f1": scores.ravel()})
    found = frame.qa.compare("model", "q", metrics="f1", n_resamples=None if kind == "0/1" else 2000).qa.ranks()
    found = found.sort_values("group")
    best, worst = (
        1 + (truth[None] > truth[:, None]).sum(axis=1),
        len(truth) - (truth[None] < truth[:, None]).sum(axis=1),
    )
    drawn = scores[:, random.integers(0, n, (200, n))].mean(axis=-1)  # (models, resamples)
    of_draws = 1 + (drawn[None] > drawn[:, None]).sum(axis=1)
    low, high = np.quantile(of_draws, [ALPHA / 2, 1 - ALPHA / 2], axis=1)
    sides = (found["rank_lo"].to_numpy(), found["rank_hi"].to_numpy()), (low, high)
    held = [float(np.all((each[0] <= best) & (each[1] >= worst))) for each in sides]
    return [*held, *(float((each[1] - each[0] + 1).mean() / len(truth)) for each in sides)]


PARTS = {
    "levels": (("at the margin", "n", "p_noninferior < .05", "p_equivalent < .05", "plain t"), levels),
    "power": (("design for power .8", "n", "reached", "by a plain t test"), powers),
    "ranks": (
        ("models", "n", "ranks: all hold", "percentiles: all hold", "ranks: width", "percentiles: width"),
        coverages,
    ),
}


if __name__ == "__main__":
    sys.exit(main())
