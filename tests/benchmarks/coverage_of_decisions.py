"""How often figures beside verdicts of people are right: `python -m tests.benchmarks.coverage_of_decisions`.

Rows are drawn from made-up populations whose truth is known. A row has a confidence or a score, and is right with a
probability that rises with it, or does not. Beside each interval stand its competitors on the same draws. With
`--what verdicts --path results.parquet`, labels are drawn from the real verdicts on each model, without replacement.

For few labels: the labels alone with the interval of `summary`, prediction-powered inference with lambda 1 and with
the best lambda (PPI++, clipped to 0 to 1 as `ppi-python` has it), both by the normal quantile; and percentiles of
PPI++ with the slope of least squares over draws of labelled and other rows. `--what auc` has the AUC of `agreement`, and
`--what golds` how many of the golds that `item_analysis` makes doubtful are wrong.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pandas as pd

import qa_frame

LEVEL = 0.95
N_OTHERS = 1000
RESAMPLES = 300
Z = NormalDist().inv_cdf((1 + LEVEL) / 2)

Bounds = tuple[float, float]


@dataclass(frozen=True)
class ClusteredRows:
    """The bounds of a design. bounds: shape (draws, methods, 2), the package's own first."""

    design: str
    layout: str
    truth: float
    bounds: np.ndarray


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one Markdown table per part; returns the exit status."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--what", nargs="*", default=["labels"], choices=["labels", "verdicts", "auc", "golds"])
    parser.add_argument("--path", type=Path, help="Parquet with model, response, answers and human, for verdicts")
    parser.add_argument("--draws", type=int, default=2000)
    options = parser.parse_args(arguments)
    if "verdicts" in options.what and options.path is None:
        parser.error("--what verdicts needs --path")
    if "auc" in options.what:
        areas(options.draws)
    if "golds" in options.what:
        golds(max(1, options.draws // 200))
    parts = {"labels": few_labels, "verdicts": lambda n_draws: real_labels(options.path, n_draws)}
    for what in [name for name in options.what if name in parts]:
        write_row([f"{what}: held %, mean width", "drawn", "truth", *OF_LABELS])
        write_row(["---"] * (3 + len(OF_LABELS)))
        for drawn in parts[what](options.draws):
            cells = [held(bounds, drawn.truth) for bounds in np.moveaxis(drawn.bounds, 1, 0)]
            write_row([drawn.design, drawn.layout, f"{drawn.truth:.3f}", *cells])
        sys.stdout.write("\n")
    return 0


def write_row(cells: Sequence[str]) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


def layout_of(n: int, size: int) -> str:
    return f"{n} rows" if size == 1 else f"{n // size} clusters of {size}"


def held(bounds: np.ndarray, truth: float) -> str:
    """The share of draws whose bounds hold the truth, and their mean width. bounds: shape (draws, 2)."""
    low, high = bounds.T
    share = ((low <= truth) & (truth <= high)).mean()
    return f"{100 * share:.1f} {np.mean(high - low):.3f}"


# --- few labels


def graded(random: np.random.Generator, n: int) -> np.ndarray:
    """Scores like those of F1: many at 0 and at 1, the others between."""
    kinds = random.choice(3, n, p=[0.3, 0.3, 0.4])
    return np.where(kinds == 0, 0.0, np.where(kinds == 1, 1.0, random.beta(2, 2, n)))


def exact(random: np.random.Generator, n: int) -> np.ndarray:
    return (random.random(n) < 0.4).astype(float)


SCORES = {"graded": graded, "0 and 1": exact}


@dataclass(frozen=True)
class Chance:
    """The probability that a row is right: floor + rise * score, or what is given for a score of 0."""

    floor: float
    rise: float
    at_zero: float | None = None

    def of(self, f: np.ndarray) -> np.ndarray:
        line = self.floor + self.rise * f
        return line if self.at_zero is None else np.where(f == 0, self.at_zero, line)


CHANCES = {
    "useless, half right": Chance(0.5, 0.0),
    "weak, half right": Chance(0.35, 0.3),
    "good, half right": Chance(0.1, 0.8),
    "good, few right": Chance(0.01, 0.15),
    "good, most right": Chance(0.8, 0.19),
    "a few right answers score 0": Chance(1.0, 0.0, 0.1),
}


OF_LABELS = ("here", "labels alone", "PPI, z", "PPI++, z", "bootstrap")


def few_labels(n_draws: int, *, alone: bool = False) -> Iterator[ClusteredRows]:
    """alone: without the methods that are not of this package."""
    for kind, score in SCORES.items():
        population = score(np.random.default_rng(0), 2_000_000)
        for name, chance in CHANCES.items():
            truth = float(chance.of(population).mean())
            for n, size in [(10, 1), (20, 1), (50, 1), (200, 1), (50, 5), (100, 5)]:
                random = np.random.default_rng(n)
                rows = (_draw_labels(random, score, chance, n, size) for _ in range(n_draws))
                bounds = np.array([_of_labels(random, *each, n, size, alone=alone) for each in rows])
                yield ClusteredRows(f"labels: {kind}, {name}", layout_of(n, size), truth, bounds)


def real_labels(
    path: Path, n_draws: int, metrics: Sequence[str] = ("em", "contains", "recall", "f1", "rouge_l", "bleu")
) -> Iterator[ClusteredRows]:
    """Labels drawn from all verdicts on a model's answers, whose mean is the truth."""
    frame = pd.read_parquet(path)
    for model, rows in frame.groupby("model"):
        scored = qa_frame.score(rows, "response", "answers", metrics=metrics).dropna(subset=[*metrics, "human"])
        y = scored["human"].to_numpy(float)
        for metric in metrics:
            f = scored[metric].to_numpy()
            for n in (10, 15, 25, 50, 100, 200):
                random = np.random.default_rng(n)
                orders = (random.permutation(len(y)) for _ in range(n_draws))
                bounds = np.array([_of_labels(random, f[each], y[each], n, 1, alone=False) for each in orders])
                yield ClusteredRows(f"verdicts: {metric}, {model}", layout_of(n, 1), float(y.mean()), bounds)


def _draw_labels(
    random: np.random.Generator, score: Callable[..., np.ndarray], chance: Chance, n: int, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """Scores and verdicts. Rows of a cluster copy the first one's with probability one half."""
    n_all = n + N_OTHERS
    f = score(random, n_all)
    y = (random.random(n_all) < chance.of(f)).astype(float)
    source = np.where(random.random(n_all) < 0.5, np.arange(n_all) // size * size, np.arange(n_all))
    return f[source], y[source]


def _of_labels(
    random: np.random.Generator, f: np.ndarray, y: np.ndarray, n: int, size: int, *, alone: bool
) -> list[Bounds]:
    """The bounds of each method for one draw, of which the first n rows have labels."""
    labels = np.where(np.arange(len(y)) < n, y, np.nan)
    labelled_mean = importlib.import_module("qa_frame.ext.annotation.prediction_powered").labelled_mean
    found = labelled_mean(f, labels, None if size == 1 else np.arange(len(y)) // size, LEVEL)
    both = [found.mean[1:], found.labels_alone[1:]]
    return both if alone else [*both, *_ppi(f[:n], y[:n], f[n:]), _bootstrap_of_labels(random, f, y, n, size)]


def _ppi(f: np.ndarray, y: np.ndarray, others: np.ndarray) -> list[Bounds]:
    """Rows are independent for these, as in the published estimators."""
    n, n_others = len(y), len(others)
    spread = np.concatenate([f, others]).var()
    best = np.cov(f, y, ddof=0)[0, 1] / ((1 + n / n_others) * spread) if spread else 0.0
    bounds = []
    for power in (1.0, float(np.clip(best, 0, 1))):
        value = power * others.mean() + (y - power * f).mean()
        half = Z * np.sqrt((power**2) * others.var() / n_others + (y - power * f).var() / n)
        bounds.append((value - half, value + half))
    return bounds


def _bootstrap_of_labels(random: np.random.Generator, f: np.ndarray, y: np.ndarray, n: int, size: int) -> Bounds:
    n_units = n // size
    first = random.integers(0, n_units, (RESAMPLES, n_units)) * size
    places = (first[:, :, None] + np.arange(size)).reshape(RESAMPLES, n)
    x, labels = f[places], y[places]
    others = random.choice(f[n:], (RESAMPLES, len(f) - n)).mean(axis=1)
    dx = x - x.mean(axis=1, keepdims=True)
    square = (dx**2).sum(axis=1)
    slope = np.divide((dx * labels).sum(axis=1), square, out=np.zeros(RESAMPLES), where=square > 0)
    center = (n * x.mean(axis=1) + (len(f) - n) * others) / len(f)
    values = labels.mean(axis=1) + slope * (center - x.mean(axis=1))
    low, high = np.quantile(np.clip(values, 0, 1), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


# --- the AUC of agreement


def areas(n_draws: int) -> None:
    """A row per design: scores and verdicts are drawn together."""
    concordance = importlib.import_module("qa_frame.ext.annotation.concordance")

    def auc(f: np.ndarray, y: np.ndarray) -> list[float]:
        found = concordance.compare_with_people(concordance.pair_with_verdicts(f, y, None), has_two=True, ci=LEVEL)
        return [found[name] for name in ("auc", "auc_lo", "auc_hi")]

    write_row(["AUC", "rows", "truth", "held %, mean width"])
    write_row(["---"] + ["---:"] * 3)
    for kind, score in SCORES.items():
        for name, chance in CHANCES.items():
            random = np.random.default_rng(48)
            f = score(random, 200_000)
            truth = auc(f, (random.random(len(f)) < chance.of(f)).astype(float))[0]
            for n in (20, 50, 200):
                drawn = [score(random, n) for _ in range(n_draws)]
                found = np.array([auc(f, (random.random(n) < chance.of(f)).astype(float))[1:] for f in drawn])
                write_row([f"{kind}, {name}", str(n), f"{truth:.3f}", held(found[~np.isnan(found[:, 0])], truth)])


# --- doubtful golds


def golds(n_runs: int) -> None:
    """1,000 questions, 2 % of which have a wrong gold. A gold is doubtful where more models give one wrong answer than a gold."""
    write_row(["models", "mistakes that are the same", "wrong golds found %", "doubtful golds that are wrong %"])
    write_row(["---"] + ["---:"] * 3)
    for n_models, right in ((4, 0.6), (4, 0.8), (8, 0.6), (8, 0.8)):
        for same in (0.1, 0.3, 0.6):
            random, n, shares = np.random.default_rng(48), 1000, []
            for _ in range(n_runs):
                is_right = random.random((n_models, n)) < random.beta(4 * right, 4 - 4 * right, n)
                own = np.array([f"w{place}" for place in range(n_models)])[:, None]
                answer = np.where(is_right, "true", np.where(random.random(is_right.shape) < same, "usual", own))
                is_wrong = random.random(n) < 0.02
                frame = pd.DataFrame(
                    {
                        "model": np.repeat(np.arange(n_models), n).astype(str),
                        "q": np.tile(np.arange(n), n_models),
                        "response": answer.ravel(),
                        "answers": np.tile(np.where(is_wrong, "gold", "true"), n_models),
                    }
                )
                table = frame.qa.score("response", "answers", metrics="em").qa.item_analysis("model", "q", metric="em")
                is_doubtful = (table["n_same"] > table["n"] - table["n_wrong"]).to_numpy(bool)
                shares.append([(is_doubtful & is_wrong).sum(), is_wrong.sum(), is_doubtful.sum()])
            both, wrong, doubtful = np.sum(shares, axis=0)
            write_row(
                [
                    f"{n_models}, {right:.0%} right",
                    f"{same:.0%}",
                    f"{100 * both / wrong:.0f}",
                    f"{100 * both / doubtful:.0f}",
                ]
            )


if __name__ == "__main__":
    raise SystemExit(main())
