"""Designs of `tests.benchmarks.grid` for comparisons: in clusters, with heavy tails, and of other questions.

Alone, `python -m tests.benchmarks.grid_of_comparisons` prints a row per design: how often 95 % intervals hold the true
difference, their mean width, the same of a competitor (Student's t by the CR2 variance, or Welch's), how often p is
below 0.05, and in how many draws the interval and p contradict each other.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy import stats

from qa_frame.stats.contrasts import Contrast, Pairing, make_contrast
from qa_frame.stats.decisions import Family
from qa_frame.stats.differences import plan_draws
from qa_frame.stats.estimates import FEW_CLUSTERS

SMALL_TOTAL = 7
from qa_frame.stats.p_function import PairedPFunction, make_p_function
from qa_frame.stats.permutation import sign_flip_test
from qa_frame.stats.statistic import Mean
from tests.benchmarks.coverage_of_means import student

LEVEL, ALPHA = 0.95, 0.05
N_SWAPS = 999
PAIRS_AT_ONCE = 50_000

LAYOUTS = {
    "8 x 100": [100] * 8,
    "12 x 50": [50] * 12,
    "300, 20 x 10": [300] + [10] * 20,
    "40, Zipf": [200 // place for place in range(1, 41)],
}


@dataclass(frozen=True)
class Compared:
    """The bounds of a design, shape (2, draws), with p and its competitor's bounds. warned: the share of draws."""

    design: str
    layout: str
    truth: float
    bounds: np.ndarray
    p: np.ndarray
    others: dict[str, np.ndarray] = field(default_factory=dict)
    warned: float = 0.0

    @property
    def n_contradicting(self) -> int:
        return int(((self.p < ALPHA) != ((self.bounds[0] > 0) | (self.bounds[1] < 0))).sum())


def pairs(n_draws: int) -> Iterator[Compared]:
    """Two models on the same questions."""
    for layout, sizes in LAYOUTS.items():
        for name, wins, losses in (
            ("rare wins", 0.05, 0.01),
            ("no difference", 0.05, 0.05),
            ("em .60, .55", 0.2, 0.15),
        ):
            random = np.random.default_rng(0)
            drawn = in_clusters(random, wins, losses, sizes, n_draws)
            yield of_pairs(f"{name}, icc .2", layout, wins - losses, drawn, sizes)
    heavy = np.array([1.0, 0.9, 0.02, -0.02, 0.0])
    shares = np.array([0.06, 0.06, 0.3, 0.3, 0.28])
    random = np.random.default_rng(0)
    drawn = random.choice(heavy, (n_draws, 20), p=shares) * random.choice([1.0, 0.97], (n_draws, 20))
    yield of_pairs("heavy tails", "20 rows", float(heavy @ shares) * 0.985, drawn, [1] * 20)
    random = np.random.default_rng(0)
    drawn = (random.random((n_draws, 50)) < 0.97).astype(float) - (random.random((n_draws, 50)) < 0.92)
    yield of_pairs("em .97, .92", "50 rows", 0.05, drawn, [1] * 50)


def in_clusters(
    random: np.random.Generator, wins: float, losses: float, sizes: Sequence[int], n_draws: int
) -> np.ndarray:
    """Differences of 1, 0 and -1, whose shares vary from cluster to cluster as an icc of 0.2 says."""
    parts = np.array([wins, losses, 1 - wins - losses]) * (1 / 0.2 - 1)
    shares = np.repeat(random.dirichlet(parts, (n_draws, len(sizes))), sizes, axis=1)
    kind = random.random(shares.shape[:2])
    return np.where(kind < shares[..., 0], 1.0, np.where(kind < shares[..., 0] + shares[..., 1], -1.0, 0.0))


def of_pairs(design: str, layout: str, truth: float, drawn: np.ndarray, sizes: Sequence[int]) -> Compared:
    """drawn: the differences of questions, shape (draws, questions)."""
    n_draws, n = drawn.shape
    starts = np.cumsum(sizes) - sizes
    bounds, p, warned = [], [], []
    at_once = max(1, PAIRS_AT_ONCE // n)
    for start in range(0, n_draws, at_once):
        lot = drawn[start : start + at_once]
        groups = np.arange(2 * len(lot)).reshape(2, -1)
        scores = np.concatenate([np.maximum(lot, 0), np.maximum(-lot, 0)])
        rows = np.arange(scores.size).reshape(-1, n)
        pairing = Pairing(pd.Series(groups.ravel()), groups[0], groups[1], rows, starts)
        made = make_contrast(Mean("f1"), scores.reshape(1, -1), np.ones(scores.size, bool), pairing)
        of_lot, p_function = bounds_and_p(made)
        bounds.append(of_lot)
        p.append(p_function.p)
        _, n_eff, n_discordant = made.units(p_function.error)
        warned.append((n_eff < FEW_CLUSTERS - 1e-6) | (n_discordant < SMALL_TOTAL))
    share_warned = float(np.concatenate(warned).mean())
    other = {"CR2's t": student(drawn, sizes)}
    return Compared(design, layout, truth, np.concatenate(bounds, axis=1), np.concatenate(p), other, share_warned)


def bounds_and_p(contrast: Contrast) -> tuple[np.ndarray, PairedPFunction]:
    """The bounds of all pairs, shape (2, pairs), each as if it stood alone."""
    draws = plan_draws(N_SWAPS, n_tests=1, ci=LEVEL, seed=0)
    p = sign_flip_test(contrast, draws).p
    p_function = make_p_function(contrast, p, draws, tail=ALPHA / 2, margin=None)
    columns = Family([p_function], "none", ALPHA).differences()
    return np.stack([columns["diff_lo"], columns["diff_hi"]]), p_function


SIDES = {
    "em .60, .50": (0.6, 0.5),
    "em .50, .50": (0.5, 0.5),
    "em .97, .97": (0.97, 0.97),
    "em .03, .03": (0.03, 0.03),
    "em .99, .92": (0.99, 0.92),
}


def apart(n_draws: int) -> Iterator[Compared]:
    """Two models on different questions."""
    for n in ((30, 30), (100, 30), (200, 200)):
        for name, shares in SIDES.items():
            random = np.random.default_rng(0)
            sides = [(random.random((n_draws, k)) < share).astype(float) for k, share in zip(n, shares, strict=True)]
            yield of_sides(name, f"{n[0]}, {n[1]} rows", shares[0] - shares[1], sides, None)
    for n in ((30, 30), (20, 100)):
        random = np.random.default_rng(0)
        sides = [random.beta(a, a, (n_draws, k)) for k, a in zip(n, (0.5, 4), strict=True)]
        yield of_sides("graded, other spreads", f"{n[0]}, {n[1]} rows", 0.0, sides, None)
    for clusters in ((15, 15), (12, 30)):
        random = np.random.default_rng(0)
        sides = []
        for k in clusters:
            of_row = np.repeat(random.beta(0.7 * 4, 0.3 * 4, (n_draws, k)), 10, axis=1)
            sides.append((random.random(of_row.shape) < of_row).astype(float))
        yield of_sides("em .70, .70, icc .2", f"{clusters[0]}, {clusters[1]} x 10", 0.0, sides, 10)


def of_sides(design: str, layout: str, truth: float, sides: Sequence[np.ndarray], size: int | None) -> Compared:
    """sides: scores, shape (draws, rows) each. size: of clusters."""
    found, n_warned = [], 0
    model = np.repeat(["a", "b"], [side.shape[1] for side in sides])
    options = {} if size is None else {"cluster": "cluster"}
    for place in range(len(sides[0])):
        frame = pd.DataFrame({"model": model, "f1": np.concatenate([side[place] for side in sides])})
        if size is not None:
            frame["cluster"] = np.arange(len(frame)) // size
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            row = frame.qa.compare("model", metrics="f1", n_resamples=N_SWAPS, **options).iloc[0]
        n_warned += bool(caught)
        found.append(row[["diff_lo", "diff_hi", "p"]].to_numpy(float))
    low, high, p = np.array(found).T
    other = {"Welch's t": welch(sides)} if size is None else {}
    return Compared(design, layout, truth, np.stack([low, high]), p, other, n_warned / len(found))


def welch(sides: Sequence[np.ndarray]) -> np.ndarray:
    difference = sides[0].mean(axis=1) - sides[1].mean(axis=1)
    parts = np.stack([side.var(axis=1, ddof=1) / side.shape[1] for side in sides])
    freedom = np.array([[side.shape[1] - 1] for side in sides])
    with np.errstate(all="ignore"):
        df = parts.sum(axis=0) ** 2 / (parts**2 / freedom).sum(axis=0)
        half = np.nan_to_num(stats.t.ppf((1 + LEVEL) / 2, df) * np.sqrt(parts.sum(axis=0)))
    return np.stack([difference - half, difference + half])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print Markdown tables; returns the exit status."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1000, help="of each design; of different questions a third")
    options = parser.parse_args(arguments)
    write(["difference", "layout", "held %, width", "others: held %, width", "p < .05, %", "contradict", "warned %"])
    write(["---"] * 7)
    for part, n_draws in ((pairs, options.draws), (apart, options.draws // 3)):
        for each in part(n_draws):
            beside = "; ".join(f"{name} {held(each.truth, bounds)}" for name, bounds in each.others.items())
            shown = [each.design, each.layout, held(each.truth, each.bounds), beside]
            shown += [f"{100 * (each.p < ALPHA).mean():.1f}", str(each.n_contradicting), f"{100 * each.warned:.0f}"]
            write(shown)
    return 0


def held(truth: float, bounds: np.ndarray) -> str:
    inside = (bounds[0] <= truth + 1e-12) & (truth - 1e-12 <= bounds[1])
    return f"{100 * inside.mean():.1f}, {np.mean(bounds[1] - bounds[0]):.3f}"


def write(cells: Sequence[str]) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
