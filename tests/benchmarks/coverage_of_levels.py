"""How often intervals of samples and datasets hold the truth: `python -m tests.benchmarks.coverage_of_levels`.

Scores are made up, so that the truth is known. Samples: questions have a chance to be answered rightly, which is 0.5
for all of them, or varies much; each is answered k times. Datasets: each has its own mean, and counts alike. Student's
t stands beside: of the questions' means, or of the datasets' with their summed squared errors and Satterthwaite's
degrees of freedom.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from qa_frame.stats.contrasts import contrast
from qa_frame.stats.figures import Mean
from qa_frame.stats.pairing import Pairing, Strata
from tests.benchmarks.coverage import LEVEL, held, write_row

HEADER = ("what", "drawn", "truth", "Student's t: held %, mean width", "here: held %, mean width")
QUESTIONS = {
    "all alike": lambda _, shape: np.full(shape, 0.5),
    "very different": lambda random, shape: random.beta(0.3, 0.3, shape),
    "hard, very different": lambda random, shape: random.beta(0.05, 0.95, shape),
}
DATASETS = {
    "2 datasets (20, 100)": (20, 100),
    "2 datasets (50, 500)": (50, 500),
    "12 datasets (10 to 400)": (10, 10, 15, 20, 20, 30, 40, 60, 80, 120, 200, 400),
}
SCORES = {
    "right in 1 %": lambda random, shape, _: (random.random(shape) < 0.01).astype(float),
    "right in 50 %": lambda random, shape, _: (random.random(shape) < 0.5).astype(float),
    "right in 99 %": lambda random, shape, _: (random.random(shape) < 0.99).astype(float),
    "right in 30 to 90 %": lambda random, shape, at: (random.random(shape) < 0.3 + 0.6 * at).astype(float),
    "graded, sd 0.06": lambda random, shape, at: np.clip(random.normal(0.4 + 0.4 * at, 0.06, shape), 0, 1),
    "0 in 90 %": lambda random, shape, _: np.where(random.random(shape) < 0.9, 0.0, random.random(shape)),
}
Draw = Callable[[np.random.Generator, tuple[int, ...], float], np.ndarray]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one Markdown table; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1000)
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    write_row(HEADER)
    write_row(["---"] * 2 + ["---:"] * 3)
    for rows in (samples(options.draws), datasets(options.draws), differences(options.draws)):
        for cells in rows:
            write_row(cells)
    return 0


def samples(n_draws: int) -> Iterator[list[str]]:
    random = np.random.default_rng(0)
    for name, chances in QUESTIONS.items():
        for n in (20, 50, 200):
            for k in (1, 4, 16):
                chance = chances(random, (n_draws, n))
                right = random.random((n_draws, n, k)) < chance[..., None]
                rows = pd.DataFrame({"draw": np.repeat(np.arange(n_draws), n * k), "em": right.ravel().astype(float)})
                rows["question"] = np.tile(np.repeat(np.arange(n), k), n_draws)
                found = rows.qa.summary("draw", samples="question", pass_at=min(k, 2), ci=LEVEL)
                many = chances(random, (1_000_000,))
                truths = {"em": many.mean(), f"em_pass@{min(k, 2)}": (1 - (1 - many) ** min(k, 2)).mean()}
                for figure, truth in truths.items() if k > 1 else [("em", many.mean())]:
                    t = held(*t_bounds(right.mean(axis=2)), truth) if figure == "em" else ""
                    ours = held(*(found[f"{figure}_{end}"].to_numpy() for end in ("lo", "hi")), truth)
                    yield [figure, f"{n} questions, {k} samples, {name}", f"{truth:.3f}", t, ours]


def datasets(n_draws: int) -> Iterator[list[str]]:
    for name, sizes in DATASETS.items():
        for what, draw in SCORES.items():
            scores, truth = draw_datasets(draw, sizes, n_draws)
            row = {"draw": np.repeat(np.arange(n_draws), sum(sizes)), "em": np.concatenate(scores, axis=1).ravel()}
            rows = pd.DataFrame(row).assign(dataset=np.tile(np.repeat(np.arange(len(sizes)), sizes), n_draws))
            found = rows.qa.summary("draw", macro="dataset", ci=LEVEL)
            ours = held(found["em_lo"].to_numpy(), found["em_hi"].to_numpy(), truth)
            yield [what, name, f"{truth:.3f}", held(*t_over(scores), truth), ours]


def differences(n_draws: int) -> Iterator[list[str]]:
    """Of two models with the same truth in each dataset."""
    for name, sizes in DATASETS.items():
        for what, draw in SCORES.items():
            sides = [np.concatenate(draw_datasets(draw, sizes, n_draws, seed)[0], axis=1) for seed in (1, 2)]
            of_dataset = np.split(sides[0] - sides[1], np.cumsum(sizes)[:-1], axis=1)
            ours = held(*bounds_of_pairs(np.stack(sides), sizes), 0.0)
            yield [f"{what}, difference", name, "0.000", held(*t_over(of_dataset), 0.0), ours]


def draw_datasets(draw: Draw, sizes: Sequence[int], n_draws: int, seed: int = 0) -> tuple[list[np.ndarray], float]:
    """Scores of each dataset, shape (draws, rows), and the mean of their true means."""
    random = np.random.default_rng(seed)
    places = np.linspace(0, 1, len(sizes)).tolist()
    scores = [draw(random, (n_draws, size), at) for size, at in zip(sizes, places, strict=True)]
    return scores, float(np.mean([draw(random, (1_000_000,), at).mean() for at in places]))


def bounds_of_pairs(scores: np.ndarray, sizes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Each draw as a pair of groups of its own. scores: shape (2, draws, rows)."""
    _, n_draws, n = scores.shape
    groups = np.arange(2 * n_draws).reshape(2, n_draws)
    strata = Strata(np.repeat(np.arange(len(sizes)), sizes), np.full(len(sizes), 1 / len(sizes)))
    rows = np.arange(scores.size).reshape(2 * n_draws, n)
    pairing = Pairing(pd.Series(groups.ravel()), groups[0], groups[1], rows, np.arange(n), strata)
    return contrast(Mean("em"), scores.reshape(1, -1), np.ones(scores.size, bool), pairing).bounds(LEVEL)


def t_bounds(means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return t_over([means])


def t_over(scores: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the mean of means by Student's t; scores: of each dataset, shape (draws, rows)."""
    middle = np.mean([each.mean(axis=1) for each in scores], axis=0)
    parts = np.stack([each.var(axis=1, ddof=1) / each.shape[1] for each in scores]) / len(scores) ** 2
    df = parts.sum(axis=0) ** 2 / np.maximum(
        (parts**2 / np.array([[each.shape[1] - 1] for each in scores])).sum(axis=0), 1e-300
    )
    half = stats.t.ppf((1 + LEVEL) / 2, np.maximum(df, 1)) * np.sqrt(parts.sum(axis=0))
    return middle - half, middle + half


if __name__ == "__main__":
    raise SystemExit(main())
