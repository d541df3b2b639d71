"""How often intervals hold the truth: `python -m tests.benchmarks.coverage results.parquet`.

The rows of one model are the whole population. Rows, or clusters of rows, are drawn from it many times, with
replacement. A figure's coverage is the share of draws whose interval contains its value over all rows. In a cluster,
nine rows of ten copy the score of one row. Student's t stands beside: the mean, or the difference, ± t standard errors,
by cluster with the factor G / (G - 1) and G - 1 degrees of freedom.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

import qa_frame
from qa_frame.ext.annotation.concordance import compare_with_people, judge
from qa_frame.stats.contrasts import Pairing, make_contrast
from qa_frame.stats.statistic import Mean
from tests.benchmarks.grid_of_comparisons import bounds_and_p

METRICS = ("em", "f1", "contains", "rouge_l", "bleu")
POOLED = ("corpus_bleu", "f1_micro")
LEVEL = 0.95
ROWS_AT_ONCE = 200_000
DESIGNS = {
    **{f"{n} rows": [1] * n for n in (10, 20, 50, 200)},
    "8 clusters of 12": [12] * 8,
    "5 clusters of 10": [10] * 5,
    "5 clusters of 4": [4] * 5,
    "20 clusters of 10": [10] * 20,
    "60 and 9 of 2": [60] + [2] * 9,
    "1, 2, 4, ... 64": [2**power for power in range(7)],
}
PAIR_SIZES = (10, 20, 50, 200)
HEADER = ("what", "drawn", "model", "truth", "Student's t: held %, mean width", "here: held %, mean width")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one Markdown table; returns the exit status."""
    warnings.simplefilter("ignore", qa_frame.errors.IntervalWarning)
    options = parse(arguments)
    scored = read_scored(options.path, options.models)
    write_row(HEADER)
    write_row(["---"] * 3 + ["---:"] * 3)
    parts = {"single": single_figures, "pairs": differences, "auc": areas}
    for name in options.what:
        for cells in parts[name](scored, options):
            write_row(cells)
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, help="Parquet with model, dataset, question, response, answers and human")
    parser.add_argument("--models", nargs="*", default=["gpt4", "chatgpt", "fid"])
    parser.add_argument("--metrics", nargs="*", default=[*METRICS, *POOLED])
    parser.add_argument("--designs", nargs="*", default=list(DESIGNS), choices=DESIGNS)
    parser.add_argument("--what", nargs="*", default=["single", "pairs", "auc"], choices=["single", "pairs", "auc"])
    parser.add_argument("--draws", type=int, default=3000)
    parser.add_argument("--method", default="normal", choices=["normal", "bootstrap"], help="of single figures")
    return parser.parse_args(arguments)


def read_scored(path: Path, models: Sequence[str]) -> pd.DataFrame:
    """The scores and statistics of the models' rows."""
    frame = pd.read_parquet(path)
    frame = frame[frame["model"].isin(models)].drop_duplicates(["model", "dataset", "question"], ignore_index=True)
    return frame.qa.score("response", "answers", metrics=METRICS, stats=True)


# --- one model


def single_figures(scored: pd.DataFrame, options: argparse.Namespace) -> Iterator[list[str]]:
    for design in options.designs:
        sizes = np.array(DESIGNS[design])
        for model, rows in scored.groupby("model", sort=False):
            numbers = rows.select_dtypes("number").reset_index(drop=True)
            truth = numbers.qa.summary().loc["all"]
            bounds = pd.concat(list(bounds_of_draws(numbers, sizes, options)))
            for metric in [name for name in options.metrics if name not in POOLED or sizes.max() == 1]:
                t = (
                    ""
                    if metric in POOLED
                    else held(*t_of_draws(numbers[metric].to_numpy(), sizes, options), truth[metric])
                )
                ours = held(bounds[f"{metric}_lo"].to_numpy(), bounds[f"{metric}_hi"].to_numpy(), truth[metric])
                yield [metric, design, model, f"{truth[metric]:.3f}", t, ours]


def bounds_of_draws(numbers: pd.DataFrame, sizes: np.ndarray, options: argparse.Namespace) -> Iterator[pd.DataFrame]:
    """Summaries of draws, some at a time."""
    for seed, places in enumerate(draws(len(numbers), sizes, options.draws)):
        drawn = numbers.iloc[places.ravel()].reset_index(drop=True)
        drawn["draw"] = np.repeat(np.arange(len(places)), places.shape[1])
        drawn["cluster"] = np.tile(np.repeat(np.arange(len(sizes)), sizes), len(places))
        cluster = None if sizes.max() == 1 else "cluster"
        # Draws of one size share their resamples: another seed for each lot, so that not all depend on one.
        yield drawn.qa.summary(by="draw", ci=LEVEL, cluster=cluster, method=options.method, seed=seed)


def t_of_draws(scores: np.ndarray, sizes: np.ndarray, options: argparse.Namespace) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the same draws by Student's t."""
    low, high = [], []
    n, n_clusters = sizes.sum(), len(sizes)
    starts = np.cumsum(sizes) - sizes
    for places in draws(len(scores), sizes, options.draws):
        drawn = scores[places]
        mean = drawn.mean(axis=1)
        parts = np.add.reduceat(drawn - mean[:, None], starts, axis=1)
        error = np.sqrt((parts**2).sum(axis=1) * n_clusters / (n_clusters - 1)) / n
        half = stats.t.ppf((1 + LEVEL) / 2, n_clusters - 1) * error
        low.append(mean - half)
        high.append(mean + half)
    return np.concatenate(low), np.concatenate(high)


def draws(n_rows: int, sizes: np.ndarray, n_draws: int) -> Iterator[np.ndarray]:
    """Places of the rows drawn, shape (draws, rows), some draws at a time; the same for the same arguments."""
    random = np.random.default_rng(0)
    at_once = max(1, ROWS_AT_ONCE // int(sizes.sum()))
    for start in range(0, n_draws, at_once):
        shape = min(at_once, n_draws - start), int(sizes.sum())
        first = np.repeat(random.integers(0, n_rows, (shape[0], len(sizes))), sizes, axis=1)
        copies = random.random(shape) < 0.9
        yield np.where(copies, first, random.integers(0, n_rows, shape))


# --- two models on the same questions


def differences(scored: pd.DataFrame, options: argparse.Namespace) -> Iterator[list[str]]:
    sides = {model: rows.set_index(["dataset", "question"]) for model, rows in scored.groupby("model", sort=False)}
    for first, second in combinations(sides, 2):
        shared = sides[first].index.intersection(sides[second].index)
        for metric in [name for name in options.metrics if name not in POOLED]:
            scores = np.stack([sides[model].loc[shared, metric].to_numpy() for model in (first, second)])
            truth = float((scores[0] - scores[1]).mean())
            for n in PAIR_SIZES:
                places = next(draws(len(shared), np.ones(n, np.int64), min(options.draws, ROWS_AT_ONCE // n)))
                drawn = scores[:, places]  # (2, draws, n)
                cells = [f"{metric}, difference", f"{n} questions", f"{first} - {second}", f"{truth:.3f}"]
                yield [*cells, held(*t_of_pairs(drawn), truth), held(*bounds_of_pairs(drawn), truth)]


def t_of_pairs(drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    difference = drawn[0] - drawn[1]
    n = difference.shape[1]
    half = stats.t.ppf((1 + LEVEL) / 2, n - 1) * difference.std(axis=1, ddof=1) / np.sqrt(n)
    return difference.mean(axis=1) - half, difference.mean(axis=1) + half


def bounds_of_pairs(drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each draw as a pair of groups of its own."""
    _, n_draws, n = drawn.shape
    groups = np.arange(2 * n_draws).reshape(2, n_draws)
    pairing = Pairing(
        pd.Series(groups.ravel()), groups[0], groups[1], np.arange(drawn.size).reshape(2 * n_draws, n), np.arange(n)
    )
    contrast = make_contrast(Mean("f1"), drawn.reshape(1, -1), np.ones(drawn.size, bool), pairing)
    return bounds_and_p(contrast)[0]


# --- a metric beside people's verdicts


def areas(scored: pd.DataFrame, options: argparse.Namespace) -> Iterator[list[str]]:
    for model, rows in scored.groupby("model", sort=False):
        human = rows["human"].to_numpy(np.float64)
        for metric in [name for name in options.metrics if name not in POOLED]:
            scores = rows[metric].to_numpy()
            truth = auc(scores, human)["auc"]
            for n in PAIR_SIZES[1:]:
                lots = draws(len(scores), np.ones(n, np.int64), min(options.draws, 1000))
                found = [auc(scores[drawn], human[drawn]) for places in lots for drawn in places]
                bounds = (np.array([each[side] for each in found]) for side in ("auc_lo", "auc_hi"))
                yield [f"{metric}, AUC", f"{n} rows", model, f"{truth:.3f}", "", held(*bounds, truth)]


def auc(scores: np.ndarray, human: np.ndarray) -> Mapping[str, float]:
    return compare_with_people(judge(scores, human, None), has_two=True, ci=LEVEL)


# --- the table


def held(low: np.ndarray, high: np.ndarray, truth: float) -> str:
    """Per cent of the intervals that hold the truth, and their mean width. NaN is no interval, and left out."""
    known = ~np.isnan(low)
    inside = (low[known] <= truth) & (truth <= high[known])
    return f"{100 * inside.mean():.1f}, {(high - low)[known].mean():.3f}"


def write_row(cells: Sequence[object]) -> None:
    sys.stdout.write(f"| {' | '.join(map(str, cells))} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
