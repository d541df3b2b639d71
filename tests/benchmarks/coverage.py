"""How often intervals contain the truth: `python -m tests.benchmarks.coverage results.parquet`.

The rows of one model are the whole population. Rows are drawn from them, with replacement, many times; each draw is
summarised, and a figure's coverage is the share of draws whose interval contains its value over all rows. The same is
done with every drawn question standing there ten times over, with `cluster=` the question and without.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

import qa_frame  # noqa: F401 - registers df.qa
from tests.reference.statistics import with_statistics

METRICS = ("em", "f1", "contains", "bleu")
FIGURES = (*METRICS, "corpus_bleu", "f1_micro")
COPIES = 10
DRAWS_AT_A_TIME = 250
HEADER = (
    "rows",
    "method",
    "figure",
    "value",
    "covered %",
    "above all of it %",
    "below all of it %",
    "mean width",
    "NaN",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one Markdown table; returns the exit status."""
    options = parse(arguments)
    scored = read_scored(options.path, options.model)
    values = scored.qa.summary().loc["all", list(FIGURES)]
    write_row(HEADER)
    write_row(["---"] * 3 + ["---:"] * 6)
    for rows, copies, cluster in (
        (f"{options.rows}", 1, None),
        (f"{options.rows}, each ten times, clustered", COPIES, "question"),
        (f"{options.rows}, each ten times, not clustered", COPIES, None),
    ):
        for method in options.methods:
            settings = {"method": method, "cluster": cluster, "n_resamples": options.resamples}
            bounds = pd.concat(
                # Groups of one size share their resamples: another seed for each lot, lest all hang on one.
                drawn.qa.summary(by="draw", ci=0.95, seed=seed, long=True, **settings)
                for seed, drawn in enumerate(draw(scored, options.draws, options.rows, copies))
            )
            write_figures(rows, method, bounds, values)
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, help="Parquet with columns `model`, `response` and `answers`")
    parser.add_argument("--model", default="chatgpt")
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--rows", type=int, default=200, help="rows a draw")
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--methods", nargs="*", default=["normal", "bootstrap"])
    return parser.parse_args(arguments)


def read_scored(path: Path, model: str) -> pd.DataFrame:
    """The scores and statistics of one model's rows."""
    frame = pd.read_parquet(path, columns=["model", "response", "answers"])
    frame = frame[frame["model"] == model].reset_index(drop=True)
    scored = with_statistics(frame.qa.score("response", "answers", metrics=METRICS), "response", "answers")
    return scored.drop(columns=["model", "response", "answers"])


def draw(scored: pd.DataFrame, n_draws: int, n_rows: int, copies: int) -> Iterator[pd.DataFrame]:
    """Draws one below the other, with columns `draw` and `question`, some at a time."""
    random = np.random.default_rng(0)
    for start in range(0, n_draws, DRAWS_AT_A_TIME):
        draws = np.arange(start, min(start + DRAWS_AT_A_TIME, n_draws))
        places = random.integers(0, len(scored), size=len(draws) * n_rows)
        questions = np.arange(len(places))
        drawn = scored.iloc[np.repeat(places, copies)]
        yield drawn.assign(draw=np.repeat(draws, n_rows * copies), question=np.repeat(questions, copies))


def write_figures(rows: str, method: str, bounds: pd.DataFrame, values: Mapping[str, float]) -> None:
    for figure in FIGURES:
        low, high = (bounds.loc[bounds["metric"] == figure, side] for side in ("lo", "hi"))
        value = values[figure]
        is_below, is_above = high < value, low > value
        covered = (low <= value) & (value <= high)
        cells = [rows, method, figure, f"{value:.4f}"]
        cells += [f"{100 * share.mean():.1f}" for share in (covered, is_above, is_below)]
        write_row([*cells, f"{(high - low).mean():.4f}", f"{low.isna().sum()}"])


def write_row(cells: Sequence[str]) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
